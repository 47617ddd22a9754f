"""AITER's products: bf16, FP8 with block scales, MXFP4."""

import ml_dtypes
import numpy as np

from harness import BF16, F32, Out, draw, expect, sum_bound, wide


def bf16_gemm(runner, rng, code, tile):
    """D (M, N) f32 = A (M, K) * B (N, K) transposed, both bf16."""
    rows, columns = tile
    M, N, K = 2 * rows - 5, 2 * columns, 256
    a, b = draw(rng, (M, K), BF16), draw(rng, (N, K), BF16)
    d = Out((M, N), F32)
    runner.run(code, (N // columns, -(-M // rows), 1), 256, {
        "D": d, "A": a, "B": b, "alpha": 1.0, "beta": 0.0, "strideC0": 4 * N, "strideA0": 2 * K, "strideB0": 2 * K, "Mdim": M,
        "Ndim": N, "Kdim": K, "splitk": 1})
    expect("D", d.array, wide(a) @ wide(b).T, sum_bound(np.abs(wide(a)) @ np.abs(wide(b)).T, K))


def shuffle_weight(weights, rows=16, columns=16):
    """AITER's shuffle of (..., N, K): a tile is `rows` x 2 `columns` elements, its pieces of 16 bytes column by column."""
    *lead, N, K = weights.shape
    each, width = 16 // weights.itemsize, 2 * columns
    tiles = weights.reshape(*lead, N // rows, rows, K // width, width // each, each)
    order = [*range(len(lead)), *(len(lead) + axis for axis in (0, 2, 3, 1, 4))]
    return np.ascontiguousarray(tiles.transpose(order)).reshape(weights.shape)


def flat_fp8(runner, rng, code):
    """D (M, N) f16 = A * B transposed, FP8 with scales: of 1 x 128 of A, of 128 x 128 of B."""
    M, N, K = 150, 256, 512
    dtype = ml_dtypes.float8_e4m3fnuz
    a, b = draw(rng, (M, K), dtype), draw(rng, (N, K), dtype)
    scale_a = (0.5 + rng.random((K // 128, M))).astype(F32)
    scale_b = (0.5 + rng.random((K // 128, N // 128))).astype(F32)
    d = Out((M, N), np.float16)
    rest = np.zeros(128, F32)  # it reads scales of a whole tile
    runner.run(code, (N // 256, -(-M // 128), 1), 256, {
        "a_ptr": a, "b_ptr": shuffle_weight(b), "sa_ptr": np.append(scale_a, rest), "sb_ptr": scale_b, "d_f16_ptr": d, "hidden_size": K,
        "intermediate_size": N, "num_tokens": M})
    check_blocks(d.array, a, b, scale_a, scale_b, 2.0**-11)


def check_blocks(got, a, b, scale_a, scale_b, step):
    K = a.shape[1]
    left = wide(a) * np.repeat(wide(scale_a).T, 128, 1)
    right = wide(b) * np.repeat(np.repeat(wide(scale_b).T, 128, 0), 128, 1)[:len(b)]
    want = left @ right.T
    expect("D", got, want, sum_bound(np.abs(left) @ np.abs(right).T, K) + step * np.abs(want))


def block_fp8(runner, rng, code, rows):
    """D (M, N) bf16, likewise."""
    M, N, K = rows + 16, 512, 512
    dtype = ml_dtypes.float8_e4m3fn
    a, b = draw(rng, (M, K), dtype), draw(rng, (N, K), dtype)
    scale_a = (0.5 + rng.random((K // 128, M))).astype(F32)
    scale_b = (0.5 + rng.random((K // 128, N // 128))).astype(F32)
    d = Out((M, N), BF16)
    runner.run(code, (N // 256, -(-M // rows), 1), 256, {
        "O": d, "X": a, "G": shuffle_weight(b), "XQ": scale_a, "GQ": scale_b.T.copy(), "dim": K, "hdim": N, "batch": M, "eprt": 1, "Xs": K,
        "GUs": K, "Os": 2 * N})
    check_blocks(d.array, a, b, scale_a, scale_b, 2.0**-8)


FP4 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])
FP4 = np.concatenate([FP4, -FP4])


def shuffle_scales(scales):
    """E8M0 scales of (rows, K / 32) in the order that the matrix instructions read: padded to 256 x 8."""
    rows, columns = scales.shape
    padded = np.full((-(-rows // 256) * 256, -(-columns // 8) * 8), 127, np.uint8)
    padded[:rows, :columns] = scales
    tiles = padded.reshape(padded.shape[0] // 32, 2, 16, padded.shape[1] // 8, 2, 4)
    return np.ascontiguousarray(tiles.transpose(0, 3, 5, 2, 4, 1)).reshape(padded.shape)


def mxfp4(runner, rng, code, tile, isShuffled):
    """D (M, N) bf16 = A * B transposed, both FP4 with an E8M0 scale each 32 of K."""
    rows, columns = tile
    # The kernel for weights in their own order stores whole tiles.
    M, N, K = rows + 16 * isShuffled, columns, 512
    sides = []
    for count in (M, N):
        codes = rng.integers(0, 16, (count, K))
        scales = rng.integers(120, 134, (count, K // 32)).astype(np.uint8)
        values = FP4[codes] * np.repeat(2.0 ** (scales.astype(float) - 127), 32, 1)
        sides.append(((codes[:, ::2] | codes[:, 1::2] << 4).astype(np.uint8), shuffle_scales(scales), values))
    (a, scale_a, left), (b, scale_b, right) = sides
    d = Out((M, N), BF16)
    runner.run(code, (N // columns, -(-M // rows), 1), 256, {
        "D": d, "A": a, "B": shuffle_weight(b) if isShuffled else b, "alpha": 1.0, "beta": 0.0, "strideC0": N, "strideA0": K,
        "strideB0": K, "Mdim": M, "Ndim": N, "Kdim": K, "ScaleA": scale_a, "ScaleB": scale_b, "strideScaleA0": scale_a.shape[1],
        "strideScaleB0": scale_b.shape[1]})
    want = left @ right.T
    expect("D", d.array, want, sum_bound(np.abs(left) @ np.abs(right).T, K) + 2.0**-8 * np.abs(want))
