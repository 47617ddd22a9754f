"""AITER's mixture of experts: the router, and the fused experts."""

import numpy as np

from harness import BF16, F32, I32, Out, draw, expect, wide


def top_softmax(runner, rng, code, rows, experts, top):
    """The `top` largest of a softmax over the experts, made to a sum of 1, and which they are."""
    tokens = 2 * rows + 1
    gates = draw(rng, (tokens, experts), BF16 if False else F32)
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
