#!/usr/bin/env python3
"""Compares the reference's te.attention with torch's scaled_dot_product_attention
in f64, and its lse with torch's logsumexp.

    check_attention.py --bin BUILD/bin [--seed S]
"""
import ml_dtypes
import numpy as np
import torch

from check_ops import run_checks, tensor
from check_partial import call
from check_softmax import print_f32, see


def attend(run, layout, q, k, v, options):
    """o in f32 and lse, of arrays (b, s, h, d)."""
    order = ["bshd".index(dim) for dim in layout]

    def given(array):
        return np.ascontiguousarray(array.transpose(order).astype(ml_dtypes.bfloat16))

    arrays = [given(array) for array in (q, k, v)]
    types = [tensor(array.shape, "bf16") for array in arrays]
    o = tensor([*arrays[0].shape[:3], v.shape[-1]], "f32")
    lse = tensor([q.shape[0], q.shape[2], q.shape[1]], "f32")
    attributes = f"{{{options}}}" if options else ""
    found = call(run, f"te.attention {layout} %0, %1, %2 {attributes} : {', '.join(types)}",
                 list(zip(types, [array.view(np.uint16) for array in arrays])), [o, lse])
    return found[0].transpose(np.argsort(order)), found[1]


def expected(q, k, v, scale, causal):
    """torch's, with 0 and -Inf where a query sees nothing."""
    q, k, v = (torch.from_numpy(array.astype(ml_dtypes.bfloat16).astype(np.float64)).permute(0, 2, 1, 3) for array in (q, k, v))
    k, v = (array.repeat_interleave(q.shape[1] // k.shape[1], 1) for array in (k, v))
    seen = see((q.shape[2], k.shape[2]), causal)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    o = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen, scale=scale)
    z = (q @ k.transpose(-1, -2) * scale).masked_fill(~seen, -torch.inf)
    o = torch.where(seen.any(-1)[:, None], o, 0.0)
    return o.permute(0, 2, 1, 3).numpy(), torch.logsumexp(z, -1).numpy()


def check_random(run, rng):
    for number in range(24):
        b, sq, sk = (int(size) for size in (rng.integers(1, 4), rng.integers(1, 40), rng.integers(1, 40)))
        heads = int(rng.integers(1, 4))
        group, d, dv = int(rng.integers(1, 4)), int(rng.integers(1, 70)), int(rng.integers(1, 70))
        scale = None if number % 2 else float(np.float32(rng.normal()))
        causal = bool(rng.integers(2))
        options = ", ".join(["causal"] * causal + ([] if scale is None else [f"scale = {print_f32(scale)}"]))
        q, k, v = (rng.normal(size=shape).astype(np.float32)
                   for shape in ((b, sq, heads * group, d), (b, sk, heads, d), (b, sk, heads, dv)))
        layout = ["bshd", "sbhd", "bhsd"][number % 3]
        o, lse = attend(run, layout, q, k, v, options)
        wanted, sums = expected(q, k, v, scale, causal)
        np.testing.assert_allclose(o, wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(lse, sums, rtol=1e-5, atol=1e-6)


def check_special_rows(run, rng):
    """Queries that see nothing; NaN where it is not seen, and where it is."""
    q, k, v = (rng.normal(size=(1, tokens, 1, 8)).astype(np.float32) for tokens in (6, 4, 4))
    k[0, 3] = np.nan
    o, lse = attend(run, "bshd", q, k, v, "causal")
    assert (o[0, :2] == 0).all() and (lse[0, 0, :2] == -np.inf).all(), (o, lse)
    assert np.isfinite(o[0, 2:5]).all() and np.isfinite(lse[0, 0, 2:5]).all(), (o, lse)
    assert np.isnan(o[0, 5]).all() and np.isnan(lse[0, 0, 5]), (o, lse)


if __name__ == "__main__":
    run_checks(__doc__, check_random, check_special_rows)
