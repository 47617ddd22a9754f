#!/usr/bin/env python3
"""Compares the reference's te.softmax and te.softmax_bwd with torch's softmax in
f64, and its gradient; rows that see nothing, -Inf, Inf and NaN by what the
specification says.

    check_softmax.py --bin BUILD/bin [--seed S]
"""
import numpy as np
import torch

from check_ops import run_checks, tensor
from check_partial import call


def print_f32(value):
    """As MLIR reads it, exactly."""
    return f"0x{np.float32(value).view(np.uint32):08X} : f32"


def print_options(scale, causal):
    return f"{{scale = {print_f32(scale)}{', causal' * causal}}}"


def softmax(run, x, scale, causal):
    kind = tensor(x.shape, "f32")
    attributes = print_options(scale, causal)
    return call(run, f"te.softmax %0 {attributes} : {kind}", [(kind, x)], [kind])[0]


def see(shape, causal):
    """Which keys each query sees: the last one sees all."""
    queries, keys = shape[-2:]
    return torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries) if causal else torch.ones(queries, keys, dtype=torch.bool)


def expected(x, scale, causal):
    """torch's, with 0 where a row sees nothing."""
    z = (x.double() * scale).masked_fill(~see(x.shape, causal), -torch.inf)
    return torch.nan_to_num(torch.softmax(z, -1), nan=0.0) if causal else torch.softmax(z, -1)


def draw(rng):
    shape = [int(size) for size in rng.integers(1, 60, int(rng.integers(2, 5)))]
    return shape, float(np.float32(rng.normal())), bool(rng.integers(2))


def check_forward(run, rng):
    for _ in range(30):
        shape, scale, causal = draw(rng)
        x = (rng.normal(size=shape) * 8).astype(np.float32)
        np.testing.assert_allclose(softmax(run, x, scale, causal), expected(torch.from_numpy(x), scale, causal), rtol=1e-6, atol=1e-37)


def check_gradient(run, rng):
    for _ in range(30):
        shape, scale, causal = draw(rng)
        x = torch.from_numpy(rng.normal(size=shape)).requires_grad_()
        y = expected(x, scale, causal)
        dy = torch.from_numpy(rng.normal(size=shape).astype(np.float32))
        y.backward(dy.double())
        kind = tensor(shape, "f32")
        attributes = print_options(scale, causal)
        rounded = y.detach().float().numpy()
        dx = call(run, f"te.softmax_bwd %0, %1 {attributes} : {kind}, {kind}", [(kind, dy.numpy()), (kind, rounded)], [kind])[0]
        np.testing.assert_allclose(dx, x.grad, rtol=1e-5, atol=1e-6 * max(1, abs(scale)))


def check_special_rows(run, rng):
    x = rng.normal(size=(5, 4)).astype(np.float32)
    x[0] = -np.inf
    x[1, 2], x[2, 1], x[3, 0] = np.nan, np.inf, -np.inf
    y = softmax(run, x, 1.0, False)
    assert (y[0] == 0).all() and np.isnan(y[1]).all() and np.isnan(y[2]).all(), y
    np.testing.assert_allclose(y[3:], torch.softmax(torch.from_numpy(x[3:]).double(), -1), rtol=1e-6)
    # Five queries of four keys: the first one sees none, and what others do not see is not read.
    x = np.where(see((5, 4), True).numpy(), rng.normal(size=(5, 4)), np.nan).astype(np.float32)
    y = softmax(run, x, 0.5, True)
    assert (y[0] == 0).all() and (y[1, 1:] == 0).all() and y[1, 0] == 1, y
    np.testing.assert_allclose(y.sum(-1), [0, 1, 1, 1, 1], rtol=1e-6)


if __name__ == "__main__":
    run_checks(__doc__, check_forward, check_gradient, check_special_rows)
