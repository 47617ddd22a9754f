"""Programs with known right values, at the ends of ranges: each result is compared with numpy's, not with the reference.

    extremes.py --target=CHIP
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

from recipes import FP4, PER_ROW, ROW, TENSOR, scaled, tensor

INF, NAN = np.inf, np.nan


class Runner:
    def __init__(self, target, folder):
        self.target, self.folder, self.failures = target, Path(folder), 0

    def __call__(self, body, arguments, results):
        """`body` of a function of %0, %1..; arguments are (type, arrays: data, or data and scales); results (type, dtypes)."""
        inputs, signature = [], []
        for i, (kind, *arrays) in enumerate(arguments):
            signature.append(f"%{i}: {kind}")
            for j, array in enumerate(arrays):
                path = self.folder / f"in{i}_{j}.npy"
                np.save(path, array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else
                        array.view(np.uint8) if array.dtype.itemsize == 1 else array)
                inputs.append(f"--input={path}")
        types = ", ".join(kind for kind, *_ in results)
        values = ", ".join(f"%r{i}" for i in range(len(results)))
        source = self.folder / "f.mlir"
        source.write_text(f"func.func @f({', '.join(signature)}) -> ({types}) {{\n  {body}\n  return {values} : {types}\n}}\n")
        outputs, paths = [], []
        for i, (_, *dtypes) in enumerate(results):
            for j, _ in enumerate(dtypes):
                paths.append(self.folder / f"out{i}_{j}.npy")
                outputs.append(f"--output={paths[-1]}")
        run = subprocess.run(["te-run", source, "--device=emulator", f"--target={self.target}", "--check", "--sanitize", *inputs, *outputs],
                             capture_output=True, text=True)
        if run.returncode:
            self.failures += 1
            print(f"FAIL {source.read_text()}{run.stdout}{run.stderr}")
            return None
        return [np.load(path).view(dtype) for path, dtype in zip(paths, [d for _, *dtypes in results for d in dtypes])]

    def expect(self, what, got, expected, rtol=0.0):
        if got is None:
            return
        got, expected = np.asarray(got, np.float64), np.broadcast_to(np.asarray(expected, np.float64), np.shape(got))
        with np.errstate(invalid="ignore"):
            good = (got == expected) | (np.isnan(got) & np.isnan(expected)) | (np.abs(got - expected) <= rtol * np.abs(expected))
        if not good.all():
            self.failures += 1
            at = tuple(np.argwhere(~good)[0])
            print(f"FAIL {what} at {at}: got {got[at]}, expected {expected[at]}")


def norms(run):
    """Statistics of rows that differ by little."""
    for k in (3072, 1000, 20000):
        x = np.array([[1000.0], [-3.0], [1e6], [0.0]]) * np.ones((4, k))
        gamma, beta = np.linspace(-2, 2, k), np.linspace(3, -1, k)
        for name, dtype in (("bf16", ml_dtypes.bfloat16), ("f32", np.float32)):
            full, col, row = tensor([4, k], name), tensor([k], name), tensor([4], "f32")
            arrays = [a.astype(dtype) for a in (x, gamma, beta)]
            got = run(f"%r0, %r1, %r2 = te.layer_norm %0, %1, %2 {{epsilon = 1.0e-6 : f32}} : {full}, {col}, {col} -> {full}, {row}, {row}",
                      [(full, arrays[0]), (col, arrays[1]), (col, arrays[2])], [(full, dtype), (row, np.float32), (row, np.float32)])
            if got:
                run.expect(f"constant rows of {k} {name}", got[0], arrays[2].astype(np.float64))
                run.expect("their mean", got[1], arrays[0][:, 0].astype(np.float64))
                run.expect("their rsigma", got[2], 1 / np.sqrt(np.float64(np.float32(1e-6))), 1e-6)
        rng = np.random.default_rng(k)
        x = (1e4 + 1e-2 * rng.standard_normal((4, k))).astype(np.float32)
        full, col = tensor([4, k], "f32"), tensor([k], "f32")
        one, zero = np.ones(k, np.float32), np.zeros(k, np.float32)
        got = run(f"%r0, %r1, %r2 = te.layer_norm %0, %1, %2 {{epsilon = 1.0e-6 : f32}} : {full}, {col}, {col} -> {full}, {row}, {row}",
                  [(full, x), (col, one), (col, zero)], [(full, np.float32), (row, np.float32), (row, np.float32)])
        if got:
            d = x.astype(np.float64) - x.astype(np.float64).mean(1, keepdims=True)
            sigma = 1 / np.sqrt((d * d).mean(1) + np.float64(np.float32(1e-6)))
            run.expect(f"large means, {k}: rsigma", got[2], sigma, 2e-6)
            run.expect(f"large means, {k}", np.abs(got[0] - d * sigma[:, None]).max() < 2e-5, True)


def functions(run):
    """Where f32 formulas overflow or cancel."""
    x = np.array([89, -89, 88, 1e30, -1e30, 1e-20, -1e-20, 0.5, -0.0, INF, -INF, NAN, 1, 1.5, 3e38, 1e-40], np.float32)
    cases = {"sinh": np.sinh, "cosh": np.cosh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "atan": np.arctan,
             "asin": np.arcsin, "acos": np.arccos, "cbrt": np.cbrt, "tan": np.tan}
    kind = tensor(x.shape, "f32")
    for name, function in cases.items():
        with np.errstate(all="ignore"):
            expected = function(x.astype(np.float64)).astype(np.float32)
        got = run(f"%r0 = math.{name} %0 : {kind}", [(kind, x)], [(kind, np.float32)])
        run.expect(name, got and got[0], expected, 2e-6)
    a = np.array([-2, -2, -2, 0, -0.0, -0.0, 2, -1, -1, 1, NAN, INF, -INF, -INF, 0.5, 1e30, 3, -0.5], np.float32)
    b = np.array([3, 2, 0.5, -1, -1, -3, NAN, INF, 3, NAN, 0, -2, 3, -3, 200, 2, -85, -149], np.float32)
    kind = tensor(a.shape, "f32")
    for name, function in (("powf", np.power), ("atan2", np.arctan2)):
        with np.errstate(all="ignore"):
            expected = function(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
        got = run(f"%r0 = math.{name} %0, %1 : {kind}", [(kind, a), (kind, b)], [(kind, np.float32)])
        run.expect(name, got and got[0], expected, 2e-6)
    e = np.array([0, 0.5, -0.5, 1, 2, 5, 9, 10, -3, 12, INF, -INF, 1e-20], np.float32)
    kind = tensor(e.shape, "f32")
    import math
    got = run(f"%r0 = math.erfc %0 : {kind}", [(kind, e)], [(kind, np.float32)])
    run.expect("erfc", got and got[0], np.float32([math.erfc(v) for v in e.astype(np.float64)]), 2e-6)


def casts(run):
    x = np.array([500, -500, 1e6, -1e6, INF, -INF, NAN, 448, 1, -0.0, 1e-9, 17.5, 57344, 60000, 3e38, 240], np.float32)
    for source, dtype in (("f32", np.float32), ("bf16", ml_dtypes.bfloat16), ("f16", np.float16)):
        with np.errstate(all="ignore"):
            given = x.astype(dtype)
        for name, code, most in (("f8E4M3FN", ml_dtypes.float8_e4m3fn, 448), ("f8E5M2", ml_dtypes.float8_e5m2, 57344)):
            kind, result = tensor(x.shape, source), tensor(x.shape, name)
            got = run(f"%r0 = arith.truncf %0 : {kind} to {result}", [(kind, given)], [(result, np.uint8)])
            expected = np.clip(given.astype(np.float64), -most, most).astype(code).astype(np.float64)
            run.expect(f"{source} to {name}", got and got[0].view(code), expected)


def products(run):
    """No products; scales whose product with a sum is finite; storage beyond the operands; sums near the least normal number."""
    fp8 = "f8E4M3FNUZ" if run.target == "gfx942" else "f8E4M3FN"
    one = np.array([1.0]).astype(ml_dtypes.float8_e4m3fnuz if run.target == "gfx942" else ml_dtypes.float8_e4m3fn).view(np.uint8)[0]
    d = tensor([2, 3], "f32")

    def multiply(a, b, *arrays):
        return run(f"%r0 = te.gemm %0, %1 transpose_b : {a}, {b} -> {d}", [(a, *arrays[:2]), (b, *arrays[2:])], [(d, np.float32)])
    a, b = scaled([2, 0], fp8, PER_ROW), scaled([3, 0], fp8, PER_ROW)
    got = multiply(a, b, np.zeros((2, 0), np.uint8), np.float32([INF, NAN]), np.zeros((3, 0), np.uint8), np.float32([1, NAN, INF]))
    run.expect("K = 0", got and got[0], 0)
    for sa, sb in ((1e38, 1e-44), (1e-44, 1e38), (1e-38, 1e38), (3e38, 1e-30)):
        for scheme, size in ((PER_ROW, True), (TENSOR, False)):
            a, b = scaled([2, 64], fp8, scheme), scaled([3, 64], fp8, scheme)
            left = np.full(2, sa, np.float32) if size else np.array(sa, np.float32)
            right = np.full(3, sb, np.float32) if size else np.array(sb, np.float32)
            got = multiply(a, b, np.full((2, 64), one), left, np.full((3, 64), one), right)
            run.expect(f"scales {sa} x {sb}", got and got[0], 64 * float(np.float32(sa)) * float(np.float32(sb)), 1e-6)
    even = ROW + ", rounding = even"
    for k in (1, 3, 33, 95):
        a, b = scaled([2, k], FP4, even), scaled([3, k], FP4, even)
        blocks, width = -(-k // 32), -(-k // 64) * 2
        codes = np.full(((k + 1) // 2,), 0x22, np.uint8)  # 1.0, 1.0
        codes[-1] = 0x72 if k % 2 else 0x22  # a spare 6.0
        scales = np.full((256, -(-blocks // 8) * 8), 255, np.uint8)
        left, right = scales.copy(), scales.copy()
        left[:2, :blocks], right[:3, :blocks] = 126, 125
        got = multiply(a, b, np.tile(codes, (2, 1)), left, np.tile(codes, (3, 1)), right)
        run.expect(f"fp4, K = {k}", got and got[0], k / 8)
    for k in (32, 64, 90, 96, 160):
        for layout in ("", ", scale_layout = blocked_32x4x4"):
            a, b = scaled([2, k], "f8E4M3FN", ROW + layout), scaled([3, k], "f8E4M3FN", ROW + layout)
            blocks = -(-k // 32)
            rows, cols = 128, -(-blocks // 4) * 4
            scales = np.full((rows, cols), 255, np.uint8)
            scales[:3, :blocks] = 127
            if layout:
                r, c = np.meshgrid(np.arange(rows), np.arange(cols), indexing="ij")
                place = ((r // 128) * (cols // 4) + c // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4
                ordered = np.empty(rows * cols, np.uint8)
                ordered[place.ravel()] = scales.ravel()
                scales = ordered.reshape(rows, cols)
            got = multiply(a, b, np.full((2, k), 0x38, np.uint8), scales, np.full((3, k), 0x38, np.uint8), scales)
            run.expect(f"NaN in padding, K = {k}{layout}", got and got[0], k)
    for exponent in range(-60, -45, 3):  # of each side: down to 2^-120
        a, b = scaled([2, 64], "f8E4M3FN", ROW), scaled([3, 64], "f8E4M3FN", ROW)
        scales = np.full((128, 4), 127 + exponent, np.uint8)
        got = multiply(a, b, np.full((2, 64), 0x38, np.uint8), scales, np.full((3, 64), 0x38, np.uint8), scales)
        run.expect(f"MX at 2^{exponent}", got and got[0], 64 * 2.0 ** (2 * exponent))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Runner(options.target, folder)
        for family in (norms, functions, casts, products):
            family(run)
    print(f"{run.failures} failures")
    raise SystemExit(run.failures != 0)


if __name__ == "__main__":
    main()
