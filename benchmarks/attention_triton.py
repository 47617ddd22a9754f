"""Flash attention as Triton's users write it, compiled by its AMD backend without a GPU, for benchmarks/attention.py.

A program has some queries of one head, and walks over blocks of keys: those that need no mask, then those that do. Head sizes are powers
of two. The fastest of a short list of configurations counts, as triton.autotune has it.
"""

import math

import triton
import triton.language as tl

from gemm_triton import build, fastest

# Queries, keys of a step, num_warps, num_stages, TRITON_HIP_USE_ASYNC_COPY (loads from memory to LDS).
CONFIGURATIONS = [(256, 64, 8, 2, False), (128, 64, 4, 2, False), (128, 64, 4, 1, False), (128, 32, 4, 2, False), (64, 64, 4, 2, False), (16, 64, 1, 2, False)]
ASYNC = [(256, 64, 8, 2, True), (256, 64, 8, 3, True), (128, 64, 4, 2, True)]


@triton.jit
def step(start, q_tile, at_k, at_v, top, total, sums, rows, SQ, SK, stride_k, stride_v, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
         MASKED: tl.constexpr, BN: tl.constexpr):
    """One block of keys: the largest score, the sum and the products of each row."""
    keys = start + tl.arange(0, BN)
    if MASKED:
        k_tile = tl.load(at_k + start * stride_k, mask=keys[None, :] < SK, other=0.0)
        v_tile = tl.load(at_v + start * stride_v, mask=keys[:, None] < SK, other=0.0)
    else:
        k_tile = tl.load(at_k + start * stride_k)
        v_tile = tl.load(at_v + start * stride_v)
    scores = tl.dot(q_tile, k_tile) * SCALE
    if MASKED:
        seen = keys[None, :] < SK
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None] + SK - SQ)
        scores = tl.where(seen, scores, -1.0e30)
    above = tl.maximum(top, tl.max(scores, 1))
    shares = tl.math.exp2(scores - above[:, None])
    factor = tl.math.exp2(top - above)
    total = total * factor + tl.sum(shares, 1)
    sums = tl.dot(shares.to(v_tile.dtype), v_tile, sums * factor[:, None])
    return above, total, sums


@triton.jit
def attention(q, k, v, o, lse, SQ, SK, H, HK, D: tl.constexpr, DV: tl.constexpr, SCALE: tl.constexpr, CAUSAL: tl.constexpr,
              BM: tl.constexpr, BN: tl.constexpr):
    """bshd. SCALE is that of the scores times log2(e)."""
    program = tl.program_id(0)
    blocks = tl.cdiv(SQ, BM)
    block, head, batch = program % blocks, program // blocks % H, program // (blocks * H)
    rows, keys, d, dv = block * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D), tl.arange(0, DV)
    of_keys = head // (H // HK)
    q_tile = tl.load(q + ((batch * SQ + rows[:, None]) * H + head) * D + d[None, :], mask=rows[:, None] < SQ, other=0.0)
    at_k = k + ((batch * SK + keys[None, :]) * HK + of_keys) * D + d[:, None]
    at_v = v + ((batch * SK + keys[:, None]) * HK + of_keys) * DV + dv[None, :]
    top, total, sums = tl.full((BM,), -1.0e30, tl.float32), tl.zeros((BM,), tl.float32), tl.zeros((BM, DV), tl.float32)
    end, whole = SK, SK // BN * BN
    if CAUSAL:
        end = min(SK, (block + 1) * BM + SK - SQ)
        whole = min(whole, (block * BM + SK - SQ + 1) // BN * BN)
    for start in range(0, whole, BN):
        top, total, sums = step(start, q_tile, at_k, at_v, top, total, sums, rows, SQ, SK, HK * D, HK * DV, SCALE, CAUSAL, False, BN)
    for start in range(whole, end, BN):
        top, total, sums = step(start, q_tile, at_k, at_v, top, total, sums, rows, SQ, SK, HK * D, HK * DV, SCALE, CAUSAL, True, BN)
    sums = sums / total[:, None]
    tl.store(o + ((batch * SQ + rows[:, None]) * H + head) * DV + dv[None, :], sums.to(o.dtype.element_ty), mask=rows[:, None] < SQ)
    tl.store(lse + (batch * H + head) * SQ + rows, (top + tl.math.log2(total)) * 0.6931471805599453, mask=rows < SQ)


def is_supported(problem):
    """By this kernel: tl.arange has powers of two, and a causal program sees one key at the least."""
    _, queries, keys, _, _, size, v_size, causal = problem
    return all(n & (n - 1) == 0 for n in (size, v_size)) and (not causal or queries <= keys)


def compile(chip, problem, configuration):
    """The compiled kernel, and te-run's flags for its arguments."""
    batch, queries, keys, heads, kv_heads, size, v_size, causal = problem
    rows, columns, warps, stages, is_async = configuration
    counts = {"q": batch * queries * heads * size, "k": batch * keys * kv_heads * size, "v": batch * keys * kv_heads * v_size,
              "o": batch * queries * heads * v_size}
    buffers = [(name, "bf16", 2 * count) for name, count in counts.items()] + [("lse", "fp32", 4 * batch * heads * queries)]
    scalars = {"SQ": queries, "SK": keys, "H": heads, "HK": kv_heads}
    constants = {"D": size, "DV": v_size, "SCALE": math.log2(math.e) / math.sqrt(size), "CAUSAL": causal, "BM": rows, "BN": columns}
    options = {"num_warps": warps, "num_stages": stages}
    return build(attention, chip, buffers, scalars, constants, options, batch * heads * math.ceil(queries / rows), is_async)


def measure(run, chip, problem, folder):
    """As gemm_triton.fastest; without configurations of which most rows of a program would be none."""
    least = min(rows for rows, *_ in CONFIGURATIONS)
    configurations = [c for c in CONFIGURATIONS + (ASYNC if chip == "gfx950" else []) if c[0] == least or c[0] < 4 * problem[1]]
    return fastest(run, configurations, lambda configuration: compile(chip, problem, configuration), folder)
