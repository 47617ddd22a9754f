"""AITER's mixture of experts: the router, and the fused experts."""

import math

import numpy as np

from gemm import shuffle_weight
from harness import F32, I32, STEP, Out, draw, expect, wide


def top_softmax(runner, rng, code, rows, experts, top):
    """The `top` largest of a softmax over the experts, made to a sum of 1, and which they are."""
    tokens = 2 * rows + 1
    gates = draw(rng, (tokens, experts), F32)
    weights, chosen = Out((tokens, top), F32), Out((tokens, top), I32)
    runner.run(code, (-(-tokens // rows), 1, 1), 256, {
        "T": chosen, "W": weights, "A": gates, "batch": tokens, "expert": experts, "topk": top, "renormalize": 1,
        "out_stride": 4 * top})
    e = np.exp(wide(gates) - wide(gates).max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    want = np.argsort(-p, 1)[:, :top]
    expect("experts", chosen.array, want, 0)
    best = np.take_along_axis(p, want, 1)
    expect("weights", weights.array, best / best.sum(1, keepdims=True), 1e-4)


ROWS = 32  # of a block of one expert's tokens


def sort_tokens(choices, weights, experts):
    """The tokens of each expert in blocks of ROWS: ids (the place among a token's experts in the upper byte), their
    weights, and the expert of each block. What is left of a block has a token that does not exist."""
    tokens, top = choices.shape
    ids, sorted_weights, owners = [], [], []
    for expert in range(experts):
        at = np.argwhere(choices == expert)
        pad = -len(at) % ROWS
        ids += [place << 24 | token for token, place in at] + [top << 24 | tokens] * pad
        sorted_weights += [weights[token, place] for token, place in at] + [0] * pad
        owners += [expert] * ((len(at) + pad) // ROWS)
    return np.array(ids, I32), np.array(sorted_weights, F32), np.array(owners, I32)


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def silu(x):
    return x / (1 + np.exp(-x))


def fused(runner, rng, code, dtype, out_dtype, activation, width, workgroups=None):
    """The experts' two products and the activation between them; a token's experts are added by atomics. `workgroups`: of
    a kernel whose workgroups stay for several tiles."""
    tokens, dim, inter, experts, top = 37, 512, 1024, 4, 2
    x = draw(rng, (tokens, dim), dtype)
    up = draw(rng, (experts, inter, dim), dtype, dim**-0.5)
    down = draw(rng, (experts, dim, inter), dtype, inter**-0.5)
    choices = np.array([rng.permutation(experts)[:top] for _ in range(tokens)])
    weights = rng.random((tokens, top)).astype(F32)
    ids, sorted_weights, owners = sort_tokens(choices, weights, experts)
    out = Out((tokens, dim), out_dtype, 0)
    parts = inter // width
    stay = {"total_tgs": workgroups, "ps_deno": parts} if workgroups else {}
    runner.run(code, (workgroups, 1, 1) if workgroups else (parts, len(owners), 1), 256, {
        "O": out, "X": x, "G": shuffle_weight(up), "U": np.array([len(ids), tokens], I32), "D": shuffle_weight(down), "STP": ids,
        "SW": sorted_weights, "SEP": owners, "dim": dim, "hdim": inter, "batch": tokens, "eprt": experts, "Xs": 2 * dim,
        "GUs": 2 * dim, "Ds": 2 * inter, "Os": 2 * dim, "eGUs": 2 * dim * inter, "eDs": 2 * dim * inter, "eSMQs": 4 * inter,
        "topk": top} | stay)
    want, bound = np.zeros((tokens, dim)), np.zeros((tokens, dim))
    for token in range(tokens):
        for place in range(top):
            expert = choices[token, place]
            hidden = {"gelu": gelu, "silu": silu}[activation](wide(up[expert]) @ wide(x[token]))
            part = wide(down[expert]) @ hidden * weights[token, place]
            want[token] += part
            # Each of the atomics rounds, too.
            terms = np.abs(wide(down[expert])) @ np.abs(hidden) * weights[token, place]
            bound[token] += STEP[dtype] * 0.25 * terms + 4 * STEP[out_dtype] * np.abs(part)
    expect("O", out.array, want, bound)
