#!/usr/bin/env python3
"""Compares the reference's `per = matrix` with numpy: each expert's matrix is
quantized by itself, as torchao does for (E, N, K) weights along N, and stored
behind the one before it.

    check_experts.py --bin BUILD/bin [--seed S]
"""
import numpy as np

from check_formats import blocked, e8m0, e8m0_shuffle, expected_quantize, pad_to, stored_data
from check_ops import run_checks, tensor
from check_partial import call, expected_amax

LAYOUTS = ["linear", "blocked_32x4x4", "e8m0_shuffle"]


def stored(grid, case, rows, cols):
    """One expert's scales; where data are column-major, or blocks run down columns, so are reordered scales."""
    r, c = case["block"]
    layout, fp4 = case["scale_layout"], case["element"] == "f4E2M1FN"
    if layout == "linear":
        return grid.T if fp4 and c == 1 else grid
    turned = c == 1 or (r > 1 and case["data_layout"] == "transposed")
    if turned:
        grid = grid.T
    if r > 1 and c > 1:
        grid = np.repeat(grid, 32, 0)[:cols if turned else rows]
    return blocked(grid) if layout == "blocked_32x4x4" else e8m0_shuffle(grid, 127 if fp4 else 0)


def check_weights(run, rng):
    for number in range(45):
        shape = [int(size) for size in (rng.integers(0, 4), rng.integers(0, 140), rng.integers(1, 140))]
        fp4 = number % 3 == 2
        block = [(32, 1), (32, 32), (1, 32)][int(rng.integers(3))]
        transposed = block != (1, 32) and (bool(rng.integers(2)) or (fp4 and block == (32, 1)))
        case = {"element": "f4E2M1FN" if fp4 else ["f8E4M3FN", "f8E5M2"][int(rng.integers(2))], "block": block,
                "scale": "f8E8M0FNU", "rounding": ["floor", "rceil", "even"][int(rng.integers(3))], "ties": "even",
                "scale_layout": LAYOUTS[int(rng.integers(3))], "data_layout": "transposed" if transposed else "linear",
                "factor": None, "epsilon": 0.0, "source": "f32", "result": "f32"}
        x = (rng.normal(size=shape) * np.exp2(rng.integers(-9, 9, shape))).astype(np.float32)
        scheme = (f"block = [{block[0]}, {block[1]}], scale = f8E8M0FNU, rounding = {case['rounding']}, scale_layout = "
                  f"{case['scale_layout']}, data_layout = {case['data_layout']}, per = matrix")
        q = f"!te.scaled<{'x'.join(map(str, shape))}x{case['element']}, #te.scaling<{scheme}>>"
        kind = tensor(shape, "f32")
        data, scales = call(run, f"te.quantize %0 : {kind}", [(kind, x)], [q], buffers=2)
        for e in range(shape[0]):
            codes, _, _, _ = expected_quantize(x[e], case)
            grid = e8m0(expected_amax(x[e], block), case["element"], case["rounding"])
            for name, got, wanted in [("data", data[e], stored_data(codes, case)),
                                      ("scales", scales[e], stored(grid, case, *shape[1:]))]:
                if got.shape != wanted.shape or not np.array_equal(got, wanted):
                    raise SystemExit(f"FAIL {name} of expert {e} of {shape}, {scheme}: {got}, {wanted}")


def quantize(run, x, element, scheme, options="", arguments=()):
    q = f"!te.scaled<{'x'.join(map(str, x.shape))}x{element}, #te.scaling<{scheme}, per = matrix>>"
    kind = tensor(x.shape, "f32")
    return call(run, f"te.quantize %0 {options} : {kind}", [(kind, x), *arguments], [q], buffers=2)


def check_f32_scales(run, rng):
    """Each expert's scales are those of its matrix, padding included."""
    for number in range(12):
        shape = [int(size) for size in (rng.integers(1, 4), rng.integers(1, 300), rng.integers(1, 300))]
        block = [(1, 128), (128, 1), (128, 128)][number % 3]
        transposed = block[1] == 1 or (block[0] > 1 and number % 2 == 1)
        case = {"element": ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ"][int(rng.integers(3))], "block": block, "scale": "f32",
                "rounding": ["nearest", "pow2"][int(rng.integers(2))], "ties": "even", "scale_layout": "linear",
                "data_layout": "transposed" if transposed else "linear", "factor": None, "epsilon": 0.0,
                "source": "f32", "result": "f32"}
        x = (rng.normal(size=shape) * np.exp2(rng.integers(-9, 9, shape))).astype(np.float32)
        scheme = (f"block = [{block[0]}, {block[1]}], scale = f32, rounding = {case['rounding']}, "
                  f"data_layout = {case['data_layout']}")
        data, scales = quantize(run, x, case["element"], scheme)
        for e in range(shape[0]):
            codes, _, wanted, _ = expected_quantize(x[e], case)
            if not np.array_equal(data[e], stored_data(codes, case)) or not np.array_equal(scales[e], wanted):
                raise SystemExit(f"FAIL expert {e} of {shape}, {scheme}: {scales[e]}, {wanted}")


def check_hadamard(run, rng):
    """Runs of 16 begin with the matrix. Integers, whose sums are exact."""
    h16 = np.ones((1, 1))
    for _ in range(4):
        h16 = np.kron(h16, [[1, 1], [1, -1]])
    for number in range(8):
        shape = [int(size) for size in (rng.integers(1, 4), rng.integers(1, 80), rng.integers(1, 80))]
        columnwise, mask = number % 2 == 1, int(rng.integers(0, 2**31))
        case = {"element": "f4E2M1FN", "block": (32, 1) if columnwise else (1, 32), "scale": "f8E8M0FNU",
                "rounding": "even", "ties": "even", "scale_layout": "linear",
                "data_layout": "transposed" if columnwise else "linear", "factor": None, "epsilon": 0.0,
                "source": "f32", "result": "f32"}
        x = rng.integers(-64, 64, shape).astype(np.float32)
        scheme = (f"block = [{case['block'][0]}, {case['block'][1]}], scale = f8E8M0FNU, rounding = even, data_layout = "
                  f"{case['data_layout']}")
        data, scales = quantize(run, x, "f4E2M1FN", scheme, f"{{hadamard, sign_mask = {mask} : i32}}")
        signs = np.array([1 - 2 * (mask >> i & 1) for i in range(32)])
        for e in range(shape[0]):
            lines = (x[e].T if columnwise else x[e]).astype(np.float64)
            padded = pad_to(lines, 1, 32, 0.0)
            padded = padded * np.tile(signs, padded.shape[1] // 32)
            turned = (padded.reshape(-1, 16) @ h16 * 0.25).reshape(padded.shape)[:, :lines.shape[1]]
            turned = (turned.T if columnwise else turned).astype(np.float32)
            codes, _, _, _ = expected_quantize(turned, case)
            grid = e8m0(expected_amax(turned, case["block"]), "f4E2M1FN", "even")
            if not np.array_equal(data[e], stored_data(codes, case)) or \
                    not np.array_equal(scales[e], stored(grid, case, *shape[1:])):
                raise SystemExit(f"FAIL hadamard of expert {e} of {shape}, {scheme}")


def check_stochastic(run, rng):
    """A random word is of an element's place in the whole tensor: where no block is in two matrices, codes are those of
    the tensor as one matrix, which check_stochastic.py checks."""
    x = rng.normal(size=(3, 64, 40)).astype(np.float32)
    state = ("tensor<2xi64>", np.array([7, 11], np.int64))
    scheme = "block = [1, 32], scale = f8E8M0FNU, rounding = even"
    data, _ = quantize(run, x, "f4E2M1FN", scheme, "rng(%1 : tensor<2xi64>) {stochastic}", [state])
    q = f"!te.scaled<3x64x40xf4E2M1FN, #te.scaling<{scheme}>>"
    kind = tensor(x.shape, "f32")
    whole, _ = call(run, f"te.quantize %0 rng(%1 : tensor<2xi64>) {{stochastic}} : {kind}", [(kind, x), state], [q], buffers=2)
    nearest, _ = quantize(run, x, "f4E2M1FN", scheme)
    if not np.array_equal(data, whole) or np.array_equal(data, nearest):
        raise SystemExit("FAIL stochastic: other codes than the whole tensor's, or nearest ones")


if __name__ == "__main__":
    run_checks(__doc__, check_weights, check_f32_scales, check_hadamard, check_stochastic)
