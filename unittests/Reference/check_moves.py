#!/usr/bin/env python3
"""Compares the reference's te.relayout and te.transpose with numpy: codes and
scales are laid out by reshapes as each type asks for.

    check_moves.py --bin BUILD/bin [--seed S]
"""
import subprocess

import numpy as np

from check_formats import ceil_div, stored_data, stored_scales
from check_ops import run_checks

LAYOUTS = ["linear", "blocked_32x4x4", "e8m0_shuffle"]
# Element, block (0 0: tensor, 1 0: row), scales.
SCHEMES = [("f8E4M3FN", (0, 0), "f32"), ("f8E5M2", (1, 0), "f32"), ("f8E4M3FNUZ", (1, 128), "f32"),
           ("f8E4M3FN", (128, 128), "f32"), ("f8E4M3FN", (1, 32), "f8E8M0FNU"), ("f8E5M2", (32, 1), "f8E8M0FNU"),
           ("f8E4M3FN", (32, 32), "f8E8M0FNU"), ("f4E2M1FN", (1, 32), "f8E8M0FNU"),
           ("f4E2M1FN", (32, 1), "f8E8M0FNU"), ("f4E2M1FN", (32, 32), "f8E8M0FNU")]


def spell(case, m, k):
    r, c = case["block"]
    granularity = f"block = [{r}, {c}]" if c else "row" if r else "tensor"
    return (f"!te.scaled<{m}x{k}x{case['element']}, #te.scaling<{granularity}, scale = {case['scale']}, "
            f"scale_layout = {case['scale_layout']}, data_layout = {case['data_layout']}>>")


def random_cases(rng, number):
    """Two layouts of one scheme, and whether one is the other transposed."""
    element, block, scale = SCHEMES[number % len(SCHEMES)]
    case = {"element": element, "block": block, "scale": scale}
    square = block[0] == block[1]
    only_transposed = element == "f4E2M1FN" and block[1] == 1
    transposes = square and number % 3 == 0
    shuffles = block[1] != 1 and rng.integers(2) == 1
    orders = ["linear", "shuffle_16x16"] if shuffles else ["linear", "linear"]
    ends = []
    for index in rng.permutation(2):
        ends.append(dict(case, data_layout="transposed" if only_transposed else orders[index],
                         scale_layout=LAYOUTS[rng.integers(3)] if scale != "f32" else "linear"))
    if transposes:
        end = int(rng.integers(2))
        ends[end]["data_layout"] = "transposed"
        ends[end]["scale_layout"] = ends[1 - end]["scale_layout"]
    unit = (16, 64) if shuffles else (1, 1)
    m, k = (int(rng.integers(0, most)) * size for most, size in zip(((9, 5) if shuffles else (150, 200)), unit))
    return *ends, m, k, transposes


def draw_tensor(rng, case, m, k):
    fp4 = case["element"] == "f4E2M1FN"
    codes = rng.integers(0, 16 if fp4 else 256, (m, k)).astype(np.uint8)
    r, c = case["block"]
    rows = 1 if r == 0 else ceil_div(m, r)
    cols = 1 if c == 0 else ceil_div(k, c)
    if case["scale"] == "f32":
        return codes, rng.standard_normal((rows, cols)).astype(np.float32)
    return codes, rng.integers(0, 256, (rows, cols)).astype(np.uint8)


def check_moves(run, rng):
    for number in range(90):
        source, target, m, k, transposes = random_cases(rng, number)
        codes, grid = draw_tensor(rng, source, m, k)
        types = [spell(case, m, k) for case in (source, target)]
        op = "transpose" if transposes else "relayout"
        with open(run.path("f.mlir"), "w") as file:
            file.write(f"func.func @f(%x: {types[0]}) -> ({types[1]}) {{\n"
                       f"  %y = te.{op} %x : {types[0]} -> {types[1]}\n  return %y : {types[1]}\n}}\n")
        command = [run.exe, run.path("f.mlir"), "--device=reference"]
        for name, array in [("data", stored_data(codes, source)), ("scales", stored_scales(grid, source, m))]:
            np.save(run.path(f"{name}.npy"), np.array(array, order="C"))
            command.append(f"--input={run.path(name)}.npy")
        outputs = [run.path(name) for name in ("out_data.npy", "out_scales.npy")]
        command += [f"--output={path}" for path in outputs]
        run.runs += 1
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        expected = [stored_data(codes, target), stored_scales(grid, target, m)]
        for path, array in zip(outputs, expected):
            got = np.load(path)
            if got.shape != array.shape or not np.array_equal(got, array):
                raise SystemExit(f"FAIL {op} {number}, {m}x{k}: {source} to {target}: {path}\n{got}\n{array}")


if __name__ == "__main__":
    run_checks(__doc__, check_moves)
