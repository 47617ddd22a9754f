#!/usr/bin/env python3
"""Compares the reference's `per = matrix` with numpy: each expert's matrix is
quantized by itself, as torchao does for (E, N, K) weights along N, and stored
behind the one before it.

    check_experts.py --bin BUILD/bin [--seed S]
"""
import numpy as np

from check_formats import blocked, e8m0, e8m0_shuffle, expected_quantize, stored_data
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


if __name__ == "__main__":
    run_checks(__doc__, check_weights)
