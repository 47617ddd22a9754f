"""run.py CASE CHIP FOLDER [SEED]: one kind of Triton kernel on a chip, on fresh random data."""

import math
import random
import sys

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

import kernels
from harness import Out, Runner, expect, expect_poison, expect_used, sum_bound

BF16, F16, F32 = ml_dtypes.bfloat16, np.float16, np.float32
E4M3, E5M2 = ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
E4M3Z, E5M2Z = ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz
FP4 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])
FP4 = np.concatenate([FP4, -FP4])


def f64(array):
    return np.asarray(array).astype(np.float64)


def blocks(size, tile):
    return (size + tile - 1) // tile


def softmax(runner, rng):
    for rows, columns, width, dtype, warps in [(7, 781, 1024, F32, 4), (3, 130, 256, F16, 1), (2, 4096, 4096, BF16, 8)]:
        stride = columns + rng.integers(0, 40)
        x = (8 * rng.standard_normal((rows, stride))).astype(dtype)
        y = Out((rows, stride), dtype)
        runner.run(kernels.softmax, (rows, 1), x, y, columns, int(stride), WIDTH=width, options={"num_warps": warps})
        e = np.exp(f64(x[:, :columns]) - f64(x[:, :columns]).max(1, keepdims=True))
        want = e / e.sum(1, keepdims=True)
        expect("softmax", y.array[:, :columns], want, want * max(2e-5, 2 * float(ml_dtypes.finfo(dtype).eps)) + 1e-7)
        expect_poison("softmax", y.array[:, columns:])


def layer_norm(runner, rng):
    for rows, columns, width, dtype in [(5, 1003, 256, F32), (3, 768, 1024, BF16)]:
        stride = columns + 5
        x = (rng.standard_normal((rows, stride)) * 3 + rng.standard_normal()).astype(dtype)
        w, b = (rng.standard_normal(columns).astype(F32) for _ in range(2))
        y, means, scales = Out((rows, stride), dtype), Out((rows,), F32), Out((rows,), F32)
        runner.run(kernels.layer_norm, (rows,), x, w, b, y, means, scales, columns, stride, 1e-5, WIDTH=width)
        v = f64(x[:, :columns])
        mean, scale = v.mean(1), 1 / np.sqrt(v.var(1) + 1e-5)
        expect("means", means.array, mean, 1e-5)
        expect("scales", scales.array, scale, 1e-5 * scale)
        want = (v - mean[:, None]) * scale[:, None] * w + b
        eps = float(ml_dtypes.finfo(dtype).eps)
        expect("layer norm", y.array[:, :columns], want, 1e-4 + eps * np.abs(want))
        expect_poison("layer norm", y.array[:, columns:])


def layer_norm_backward(runner, rng):
    rows, columns, stride, slots = 12, 300, 304, 3
    for dtype in [F32, BF16]:
        x, dy = (rng.standard_normal((rows, stride)).astype(dtype) for _ in range(2))
        w = rng.standard_normal(columns).astype(F32)
        v, g = f64(x[:, :columns]), f64(dy[:, :columns])
        means, scales = v.mean(1).astype(F32), (1 / np.sqrt(v.var(1) + 1e-5)).astype(F32)
        dx, dw, db = Out((rows, stride), dtype), Out((slots, columns), F32), Out((slots, columns), F32)
        runner.run(kernels.layer_norm_backward, (rows,), dy, x, w, means, scales, dx, dw, db, Out((2 * slots,), np.int32, 0),
                   columns, stride, SLOTS=slots, WIDTH=512)
        normal = (v - means[:, None]) * f64(scales)[:, None]
        want = (g * w - normal * (normal * g * w).mean(1, keepdims=True) - (g * w).mean(1, keepdims=True)) * scales[:, None]
        expect("dx", dx.array[:, :columns], want, 2e-5 + float(ml_dtypes.finfo(dtype).eps) * np.abs(want))
        expect_poison("dx", dx.array[:, columns:])
        expect("dw", dw.array.sum(0), (g * normal).sum(0), sum_bound(np.abs(g * normal).sum(0), 2 * rows))
        expect("db", db.array.sum(0), g.sum(0), sum_bound(np.abs(g).sum(0), rows))


def multiply(runner, rng, left, right, M, N, K, tile, split=1, out=F32, options=None, precision="ieee", product=0,
             pads=(3, 16, 1)):
    integer = np.dtype(left).kind == "i"
    draw = (lambda shape: rng.integers(-128, 128, shape)) if integer else (lambda shape: rng.standard_normal(shape))
    stride_a, stride_b, stride_c = (size + pad for size, pad in zip((K, N, N), pads))
    a, b = draw((M, stride_a)).astype(left), draw((K, stride_b)).astype(right)
    out = np.int32 if integer else out
    c = Out((M, stride_c), out)
    if split > 1:
        c.array[:, :N] = 0
    BM, BN, BK = tile
    counts = runner.run(kernels.matmul, (blocks(M, BM), blocks(N, BN), split), a, b, c, M, N, K, stride_a, stride_b, stride_c,
               BM=BM, BN=BN, BK=BK, SPLIT=split, SUM=tl.int32 if integer else tl.float32, PRECISION=precision,
               options=options)
    wide_a, wide_b = f64(a[:, :K]), f64(b[:, :N])
    want = wide_a @ wide_b
    bound = 0 if integer else sum_bound(np.abs(wide_a) @ np.abs(wide_b), K, product)
    if out == BF16:
        bound = bound + np.abs(want) * 2**-8
    expect(f"{np.dtype(left)} x {np.dtype(right)} {M}x{N}x{K}", c.array[:, :N], want, bound)
    expect_poison("matmul", c.array[:, N:])
    return counts


def matmul(runner, rng):
    multiply(runner, rng, BF16, BF16, 130, 101, 99, (64, 64, 32))
    multiply(runner, rng, BF16, BF16, 128, 128, 256, (128, 128, 64), out=BF16, options={"num_stages": 2, "num_warps": 8})
    multiply(runner, rng, BF16, BF16, 64, 64, 128, (64, 64, 32), options={"matrix_instr_nonkdim": 32})
    multiply(runner, rng, F16, F16, 65, 33, 70, (32, 32, 32), options={"matrix_instr_nonkdim": 16})
    multiply(runner, rng, F32, F32, 40, 70, 50, (32, 64, 16))
    multiply(runner, rng, np.int8, np.int8, 70, 40, 130, (64, 32, 64))
    if runner.chip == "gfx942":
        counts = multiply(runner, rng, F32, F32, 40, 70, 50, (32, 64, 16), precision="tf32", product=2**-10)
        expect_used(counts, "v_mfma_f32_32x32x4_xf32")
        multiply(runner, rng, F16, F16, 128, 128, 128, (64, 64, 64), options={"kpack": 2})
    else:
        with triton.knobs.amd.scope():
            triton.knobs.amd.use_async_copy = True
            counts = multiply(runner, rng, BF16, BF16, 128, 128, 256, (64, 64, 64), options={"num_stages": 3}, pads=(16, 16, 16))
            # Tiles go from memory to LDS, past the registers.
            assert "ds_read_b128" in counts["by_mnemonic"] and "ds_write_b128" not in counts["by_mnemonic"]


def matmul_fp8(runner, rng):
    native = (E4M3Z, E5M2Z) if runner.chip == "gfx942" else (E4M3, E5M2)
    for left in native:
        for right in native:
            multiply(runner, rng, left, right, 70, 90, 150, (64, 64, 64))
    multiply(runner, rng, native[0], native[0], 128, 128, 256, (128, 128, 128), options={"num_warps": 8})
    # By software on this chip.
    foreign = E4M3 if runner.chip == "gfx942" else E4M3Z
    multiply(runner, rng, foreign, foreign, 40, 40, 70, (32, 32, 32))


def split_k(runner, rng):
    multiply(runner, rng, BF16, BF16, 70, 65, 500, (64, 64, 32), split=4)
    multiply(runner, rng, F16, F16, 16, 16, 300, (16, 16, 32), split=3, options={"num_warps": 1})


def draw_operand(rng, kind, is_scaled, rows, K):
    """Data as the kernel takes them, scales over a range that is not uniform, and the values."""
    scales = rng.integers(112, 142, (rows, K // 32), np.uint8)
    if kind == "e2m1":
        codes = rng.integers(0, 16, (rows, K))
        values, data = FP4[codes], (codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8)
    else:
        data = rng.standard_normal((rows, K)).astype({"e4m3": E4M3, "e5m2": E5M2, "bf16": BF16}[kind])
        values = f64(data)
        data = data if kind == "bf16" else data.view(np.uint8)
    return data, scales, values * (np.repeat(2.0 ** (scales.astype(float) - 127), 32, 1) if is_scaled else 1)


# Formats of A and B, with * where the operand has scales. Triton takes scales of one side only on gfx942.
SCALED = {
    "gfx942": [("e4m3*", "bf16", 70, 40, 256, (64, 32, 128)), ("bf16", "e2m1*", 33, 70, 384, (32, 64, 128)),
               ("e4m3", "e2m1*", 70, 40, 256, (64, 32, 128)), ("e2m1*", "e5m2", 40, 33, 256, (32, 32, 256))],
    "gfx950": [("e4m3*", "e4m3*", 70, 40, 256, (64, 32, 128)), ("e2m1*", "e2m1*", 33, 70, 384, (32, 64, 128)),
               ("e4m3*", "e2m1*", 70, 40, 256, (64, 32, 128)), ("e2m1*", "e5m2*", 40, 33, 256, (32, 32, 256)),
               ("e5m2*", "e4m3*", 128, 128, 128, (128, 128, 128)), ("bf16", "e2m1*", 33, 70, 384, (32, 64, 128)),
               ("e4m3", "e2m1*", 70, 40, 256, (64, 32, 128))],
}


def scaled(runner, rng):
    for A, B, M, N, K, (BM, BN, BK) in SCALED[runner.chip]:
        kinds, is_scaled = [A.strip("*"), B.strip("*")], ["*" in A, "*" in B]
        a, scales_a, wide_a = draw_operand(rng, kinds[0], is_scaled[0], M, K)
        b, scales_b, wide_b = draw_operand(rng, kinds[1], is_scaled[1], N, K)
        c = Out((M, N), F32)
        counts = runner.run(kernels.scaled_matmul, (blocks(M, BM), blocks(N, BN)), a, scales_a, b, scales_b, c, M, N, K,
                            A=kinds[0], B=kinds[1], SCALED_A=is_scaled[0], SCALED_B=is_scaled[1], BM=BM, BN=BN, BK=BK)
        expect(f"{A} x {B}", c.array, wide_a @ wide_b.T, sum_bound(np.abs(wide_a) @ np.abs(wide_b.T), K))
        if runner.chip == "gfx950" and "bf16" not in kinds:
            expect_used(counts, "v_mfma_scale_f32_")


def block_scaled(runner, rng):
    """Blocks of 128, as DeepSeek's models are published."""
    fp8 = E4M3Z if runner.chip == "gfx942" else E4M3
    M, N, K, BM, BN, BK = 33, 200, 300, 32, 128, 128
    a, b = (rng.standard_normal((rows, K)).astype(fp8) for rows in (M, N))
    scales_a = np.exp(3 * rng.standard_normal((M, blocks(K, BK)))).astype(F32)
    scales_b = np.exp(3 * rng.standard_normal((blocks(N, BN), blocks(K, BK)))).astype(F32)
    c = Out((M, N), BF16)
    counts = runner.run(kernels.block_scaled_matmul, (blocks(M, BM), blocks(N, BN)), a, scales_a, b, scales_b, c, M, N, K,
                        BM=BM, BN=BN, BK=BK)
    wide_a = f64(a) * f64(scales_a).repeat(BK, 1)[:, :K]
    wide_b = f64(b) * f64(scales_b).repeat(BN, 0)[:N].repeat(BK, 1)[:, :K]
    want = wide_a @ wide_b.T
    expect("blocks", c.array, want, sum_bound(np.abs(wide_a) @ np.abs(wide_b.T), K) + np.abs(want) * 2**-8)
    expect_used(counts, "v_mfma_f32_")


def attention(runner, rng):
    for dtype, length, D, causal, warps in [(BF16, 150, 64, True, 4), (F16, 97, 32, False, 2), (BF16, 128, 128, False, 4)]:
        heads, stride = 2, D + 8
        q, k, v = ((2 * rng.standard_normal((heads, length, stride))).astype(dtype) for _ in range(3))
        o = Out((heads, length, stride), dtype)
        runner.run(kernels.attention, (blocks(length, 64), heads), q, k, v, o, length, stride, 1.4426950408889634 / D**.5,
                   CAUSAL=causal, BM=64, BN=32, D=D, options={"num_warps": warps})
        score = np.einsum("hmd,hnd->hmn", f64(q[..., :D]), f64(k[..., :D])) / D**.5
        if causal:
            score = np.where(np.tril(np.ones((length, length), bool)), score, -np.inf)
        e = np.exp(score - score.max(2, keepdims=True))
        p = e / e.sum(2, keepdims=True)
        values = f64(v[..., :D])
        # The weights are rounded to the inputs' type once, and so is the result.
        eps = float(ml_dtypes.finfo(dtype).eps)
        bound = 2 * eps * np.einsum("hmn,hnd->hmd", p, np.abs(values)) + 1e-4
        expect("attention", o.array[..., :D], np.einsum("hmn,hnd->hmd", p, values), bound)
        expect_poison("attention", o.array[..., D:])


def atomics(runner, rng):
    size, bins = 3000, 128
    x = (rng.integers(0, bins, size) * rng.integers(0, 2, size)).astype(np.int32)
    counts, most = Out((bins,), np.int32, 0), Out((1,), np.int32, -7)
    runner.run(kernels.histogram, (blocks(size, 1024),), x, counts, most, size, BINS=bins, WIDTH=1024)
    want = np.bincount(x, minlength=bins)
    expect("histogram", counts.array, want, 0)
    expect("maximum", most.array, [x.max()], 0)
    counts = Out((bins,), np.int32, 0)
    runner.run(kernels.scatter, (blocks(size, 256),), x, counts, size, WIDTH=256)
    expect("scatter", counts.array, want, 0)


def scan_sort(runner, rng):
    rows, columns, stride = 3, 300, 305
    x = rng.integers(-1000000, 1000000, (rows, stride)).astype(np.int32)
    sums, largest, ordered = Out(x.shape, np.int32), Out((rows,), np.int32), Out(x.shape, np.int32)
    runner.run(kernels.scan_and_sort, (rows,), x, sums, largest, ordered, columns, stride, WIDTH=512)
    v = x[:, :columns]
    expect("cumsum", sums.array[:, :columns], np.cumsum(v, 1), 0)
    expect("sort", ordered.array[:, :columns], np.sort(v, 1), 0)
    expect("argmax", largest.array, np.argmax(v, 1), 0)
    for name, out in [("cumsum", sums), ("sort", ordered)]:
        expect_poison(name, out.array[:, columns:])


def quantize(runner, rng):
    for dtype in [E4M3Z, E5M2Z] if runner.chip == "gfx942" else [E4M3, E5M2]:
        x = (rng.standard_normal((5, 512)) * 2.0 ** rng.integers(-20, 20, (5, 512 // 64)).repeat(64, 1)).astype(F32)
        y, scales = Out(x.shape, dtype), Out((5, 8), np.int8)
        runner.run(kernels.quantize, (5, 8), x, y, scales, 512, GROUP=64, options={"num_warps": 1})
        grouped = x.reshape(5, 8, 64)
        exponent = np.floor(np.log2(np.abs(grouped).max(2))) - 6
        expect("scales", scales.array.view(np.uint8), exponent + 127, 0)
        want = (grouped * 2.0 ** -exponent[..., None]).astype(F32).astype(dtype)
        expect("quantized", y.array, f64(want).reshape(x.shape), 0)


def functions(runner, rng):
    size = 700
    for dtype, tolerance in [(F32, 2e-6), (np.float64, 1e-14)]:
        x = (4 * rng.standard_normal(size)).astype(dtype)
        # Arguments that need a longer pi.
        x[:64] *= 10.0 ** rng.integers(0, 2 if dtype == F32 else 12, 64)
        y = Out((12, size), dtype)
        # Fused operations would break the library's sums of two doubles.
        runner.run(kernels.functions, (blocks(size, 256),), x, y, size, WIDTH=256, options={"enable_fp_fusion": False})
        v = f64(x)
        with np.errstate(all="ignore"):
            want = [np.exp(v), np.log(np.abs(v)), np.sin(v), np.cos(v), np.vectorize(math.erf)(v), 1 / np.sqrt(np.abs(v)),
                    0.5 * v * (1 + np.tanh(0.7978845608 * (v + 0.044715 * v**3))), v / (1 + np.exp(-v)),
                    np.arctan2(v, f64(1 - x)), np.abs(v) ** v, np.fmod(f64(100 * x), 3),
                    np.floor(v) + np.rint(f64(7 * x)) + np.ceil(f64(x / dtype(3)))]
            want = [row.astype(dtype) for row in want]
        for index, row in enumerate(want):
            scale = np.maximum(np.abs(f64(row)), 1)
            slope = 1 + np.abs(v) if index in (0, 9) else 1  # exp and pow
            expect(f"function {index} of {np.dtype(dtype)}", y.array[index], row,
                   0 if index > 9 else tolerance * scale * slope)


def integers(runner, rng):
    size = 500
    for dtype in [np.int16, np.int32, np.int64]:
        info = np.iinfo(dtype)
        x, y = (rng.integers(info.min, info.max, size, dtype) >> rng.integers(0, info.bits - 1, size, dtype) for _ in range(2))
        x, y = x.astype(dtype), np.where(y == 0, 3, y).astype(dtype)
        z = Out((8, size), dtype)
        runner.run(kernels.integers, (blocks(size, 256),), x, y, z, size, WIDTH=256)
        with np.errstate(over="ignore"):
            quotient = (np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))).astype(dtype)
            want = [x + y, x * y, quotient, x - quotient * y, (x & y) ^ (x | ~y), (x << (y & 15)) - (y >> 3),
                    np.minimum(x, y), np.where(x < y, np.abs(x), -y)]
        for index, row in enumerate(want):
            assert np.array_equal(z.array[index], row.astype(dtype)), f"operation {index} of {np.dtype(dtype)}"


def philox(seed, counters):
    """Philox 4x32-10 of Salmon et al., 2011: the first word of each."""
    c = [counters.astype(np.uint64), *(np.zeros(len(counters), np.uint64) for _ in range(3))]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        p0, p1 = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        low, high = (lambda p: p & np.uint64(0xFFFFFFFF)), (lambda p: p >> np.uint64(32))
        c = [high(p1) ^ c[1] ^ np.uint64(k[0]), low(p1), high(p0) ^ c[3] ^ np.uint64(k[1]), low(p0)]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c[0].astype(np.uint32)


def dropout(runner, rng):
    size, seed, share = 1000, int(rng.integers(1 << 31)), 0.25
    x, y = rng.standard_normal(size).astype(F32), Out((size,), F32)
    runner.run(kernels.dropout, (blocks(size, 256),), x, y, size, share, seed, WIDTH=256)
    bits = philox(seed, np.arange(size)).view(np.int32).astype(np.int64)
    uniform = np.where(bits < 0, -bits - 1, bits) * 4.6566127342e-10
    sure = np.abs(uniform - share) > 1e-6
    want = np.where(uniform > share, x / F32(0.75), 0)
    expect("dropout", y.array[sure], want[sure], 1e-6 * np.abs(want[sure]))


def recurrence(runner, rng):
    length, channels = 100, 37
    decay = rng.uniform(0.2, 1.1, (length, channels)).astype(F32)
    x = rng.standard_normal((length, channels)).astype(F32)
    y = Out((2, length, channels), F32)
    runner.run(kernels.recurrence, (blocks(channels, 16),), decay, x, y, length, channels, LENGTH=128, CHANNELS=16)
    for index, order in enumerate([range(length), reversed(range(length))]):
        h, size, want, bound = np.zeros(channels), np.zeros(channels), np.empty((length, channels)), np.empty((length, channels))
        for t in order:
            h, size = f64(decay[t]) * h + f64(x[t]), f64(decay[t]) * size + np.abs(f64(x[t]))
            want[t], bound[t] = h, sum_bound(size, 4 * length)
        expect("recurrence", y.array[index], want, bound)


def cross_entropy(runner, rng):
    rows, columns, stride = 4, 1700, 1703
    for dtype in [F32, BF16]:
        x = (3 * rng.standard_normal((rows, stride))).astype(dtype)
        target = rng.integers(0, columns, rows).astype(np.int32)
        loss, gradient = Out((rows,), F32), Out((rows, stride), dtype)
        runner.run(kernels.cross_entropy, (rows,), x, target, loss, gradient, columns, stride, WIDTH=512)
        v = f64(x[:, :columns])
        logarithm = np.log(np.exp(v).sum(1))
        expect("loss", loss.array, logarithm - v[np.arange(rows), target], 2e-5)
        want = np.exp(v - logarithm[:, None])
        want[np.arange(rows), target] -= 1
        expect("gradient", gradient.array[:, :columns], want, 1e-6 + np.abs(want) * max(1e-5, float(ml_dtypes.finfo(dtype).eps)))
        expect_poison("gradient", gradient.array[:, columns:])


CASES = {case.__name__: case for case in [
    softmax, layer_norm, layer_norm_backward, matmul, matmul_fp8, split_k, scaled, block_scaled, attention, atomics,
    scan_sort, quantize, functions, integers, dropout, recurrence, cross_entropy]}


def main():
    name, chip, folder, *rest = sys.argv[1:]
    seed = int(rest[0]) if rest else random.randrange(1 << 32)
    print(f"{name} on {chip}, seed {seed}")
    CASES[name](Runner(chip, folder), np.random.default_rng(seed))


main()
