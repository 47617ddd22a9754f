"""gemm.py CHIP FOLDER [SEED]: the kernels that benchmarks/gemm.py measures compute what they should, on fresh random data."""

import random
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[4] / "benchmarks"))
import gemm_triton

FP4 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])
FP4 = np.concatenate([FP4, -FP4])


def draw(rng, precision, chip, rows, k, is_exchanged):
    """The values of rows x k, and the bytes of data and scales as Product.buffers() has them."""
    store = lambda array: np.ascontiguousarray(array.T if is_exchanged else array).tobytes()
    if not precision.startswith("mx"):
        fp8 = ml_dtypes.float8_e4m3fnuz if chip == "gfx942" else ml_dtypes.float8_e4m3fn
        data = rng.standard_normal((rows, k)).astype({"bf16": ml_dtypes.bfloat16, "f16": np.float16, "fp8": fp8}[precision])
        scale = np.float32(rng.uniform(0.5, 2) if precision == "fp8" else 1)
        return data.astype(float) * float(scale), store(data), scale.tobytes()
    scales = rng.integers(120, 134, (rows, k // 32)).astype(np.uint8)
    factors = np.repeat(2.0 ** (scales.astype(float) - 127), 32, 1)
    if precision == "mxfp8":
        data = rng.standard_normal((rows, k)).astype(ml_dtypes.float8_e4m3fn)
        return data.astype(float) * factors, store(data), store(scales)
    codes = rng.integers(0, 16, (rows, k))
    return FP4[codes] * factors, (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8).tobytes(), store(scales)


def check(rng, folder, chip, precision, ta, tb, m, n, k, configuration):
    product = gemm_triton.Product(precision, chip, m, n, k, ta, tb)
    if precision == "mxfp4":
        ta, tb = False, True
    a, data_a, scale_a = draw(rng, precision, chip, m, k, ta)
    b, data_b, scale_b = draw(rng, precision, chip, n, k, not tb)
    compiled, flags = product.compile(configuration)
    (folder / "code.hsaco").write_bytes(compiled.asm["hsaco"])
    buffers = dict(zip((name for name, _, _ in product.buffers()), (data_a, data_b, None, scale_a, scale_b)))
    given = []
    for (name, data), (_, _, size) in zip(buffers.items(), product.buffers()):
        if data is None:
            given.append(f"--arg=out:bf16[{m * n}]:{folder}/c.npy")
            continue
        assert len(data) == size, name
        np.save(folder / f"{name}.npy", np.frombuffer(data, np.uint8))
        given.append(f"--arg=in:{folder}/{name}.npy")
    replaced = iter(given)
    flags = [next(replaced) if flag.startswith("--arg=tmp:") else flag for flag in flags]
    subprocess.run(["te-run", folder / "code.hsaco", "--device=emulator", *flags], check=True)
    found = np.load(folder / "c.npy").view(ml_dtypes.bfloat16).astype(float).reshape(m, n)
    want = a @ b.T
    bound = np.abs(want) * 2**-8 + np.abs(a) @ np.abs(b).T * k * 2**-23
    if not (np.abs(found - want) <= bound).all():
        raise SystemExit(f"{chip} {precision} {ta} {tb} {m}x{n}x{k} {configuration}: wrong")


def main():
    chip, folder, *rest = sys.argv[1:]
    seed = int(rest[0]) if rest else random.randrange(1 << 32)
    print(f"gemm on {chip}, seed {seed}")
    rng = np.random.default_rng(seed)
    gemm_triton.triton.knobs.cache.dir = folder + "/cache"
    for precision in ("bf16", "fp8", "mxfp8", "mxfp4"):
        if precision.startswith("mx") and chip == "gfx942":  # tl.dot_scaled takes scales of one side there
            continue
        many, few = gemm_triton.configurations(chip, 200), gemm_triton.configurations(chip, 1)
        check(rng, Path(folder), chip, precision, False, True, 200, 160, 512, many[2])
        check(rng, Path(folder), chip, precision, False, False, 130, 160, 512, many[3])
        check(rng, Path(folder), chip, precision, True, False, 192, 160, 544, many[-1])
        check(rng, Path(folder), chip, precision, False, True, 1, 96, 1024, few[-2])


main()
