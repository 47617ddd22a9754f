"""AITER's products: bf16, FP8 with block scales, MXFP4."""

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
