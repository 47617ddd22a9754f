#!/usr/bin/env python3
"""Compares the reference's te.partial_amax and te.partial_cast with numpy: a
shard is scattered into a matrix of NaN, blocks are found by index, casts are
ml_dtypes'.

    check_partial.py --bin BUILD/bin [--seed S]
"""
import subprocess

import ml_dtypes
import numpy as np

from check_formats import ceil_div, expand
from check_ops import run_checks, tensor

LARGEST = {"f8E4M3FN": (448, ml_dtypes.float8_e4m3fn), "f8E5M2": (57344, ml_dtypes.float8_e5m2),
           "f8E4M3FNUZ": (240, ml_dtypes.float8_e4m3fnuz)}
SCHEMES = [[(128, 128)], [(1, 32), (32, 1)], [(1, 128)], [(32, 32)], [(32, 1)]]


def spell(m, k, element, block):
    scale = "f8E8M0FNU" if 32 in block else "f32"
    return f"!te.scaled<{m}x{k}x{element}, #te.scaling<block = [{block[0]}, {block[1]}], scale = {scale}>>"


def scatter(x, start, m, k):
    """The shard's elements at their places, NaN elsewhere; and which those are."""
    whole = np.full(m * k, np.nan)
    places = start + np.arange(x.size)
    exists = (places >= 0) & (places < m * k)
    whole[places[exists]] = x[exists]
    return whole.reshape(m, k), places, exists


def expected_amax(whole, block):
    m, k = whole.shape
    rows, cols = ceil_div(m, block[0]), ceil_div(k, block[1])
    padded = np.full((rows * block[0], cols * block[1]), np.nan)
    padded[:m, :k] = np.abs(whole)
    blocks = padded.reshape(rows, block[0], cols, block[1])
    return np.fmax.reduce(np.fmax.reduce(blocks, 3), 1, initial=0.0).astype(np.float32)


def expected_codes(whole, scales, block, element):
    m, k = whole.shape
    factor = scales if scales.dtype == np.float32 else np.exp2(127.0 - scales).astype(np.float32)
    with np.errstate(over="ignore"):
        scaled = whole.astype(np.float32) * expand(factor, *block, m, k)
    largest, kind = LARGEST[element]
    return np.clip(scaled, -largest, largest).astype(kind).view(np.uint8).reshape(-1)


def call(run, body, arguments, results, buffers=1):
    """`arguments`: (type, array); results: types, with so many buffers each. Their arrays."""
    run.runs += 1
    signature = ", ".join(f"%{i}: {kind}" for i, (kind, _) in enumerate(arguments))
    types, values = ", ".join(results), ", ".join(f"%r#{i}" for i in range(len(results)))
    with open(run.path("f.mlir"), "w") as file:
        file.write(f"func.func @f({signature}) -> ({types}) {{\n  %r:{len(results)} = {body} -> {types}\n"
                   f"  return {values} : {types}\n}}\n")
    command = [run.exe, run.path("f.mlir"), "--device=reference"]
    for i, (_, array) in enumerate(arguments):
        np.save(run.path(f"in{i}.npy"), array)
        command.append(f"--input={run.path(f'in{i}.npy')}")
    outputs = [run.path(f"out{i}.npy") for i in range(len(results) * buffers)]
    subprocess.run(command + [f"--output={path}" for path in outputs], check=True, stdout=subprocess.DEVNULL)
    return [np.load(path) for path in outputs]


def check_shards(run, rng):
    for number in range(40):
        m, k = int(rng.integers(1, 150)), int(rng.integers(1, 270))
        n = m * k
        start = int(rng.integers(-5, n))
        length = int(rng.integers(0, n - start + 5))
        blocks = SCHEMES[number % len(SCHEMES)]
        element = list(LARGEST)[int(rng.integers(3 if blocks[0][1] == 128 else 2))]
        x = (rng.normal(size=length) * np.exp2(rng.integers(-20, 20, length))).astype(np.float32)
        x[rng.random(length) < 0.05] = rng.choice(np.array([np.nan, 0, -0.0, 1e-42], np.float32))
        whole, places, exists = scatter(x, start, m, k)
        shard = [(tensor(x.shape, "f32"), x), ("tensor<i64>", np.array(start, np.int64))]
        wholes = ", ".join(spell(m, k, element, block) for block in blocks)
        amaxes = [expected_amax(whole, block) for block in blocks]
        got = call(run, f"te.partial_amax %0 at %1 of [{wholes}] : {shard[0][0]}, tensor<i64>", shard,
                   [tensor(a.shape, "f32") for a in amaxes])
        what = f"{number}: {length} from {start} of {m}x{k}, {blocks}, {element}"
        for a, b in zip(got, amaxes):
            if not np.array_equal(a, b):
                raise SystemExit(f"FAIL amax {what}: {a}, {b}")
        scales, types = [], []
        for block, amax in zip(blocks, amaxes):
            is_e8m0 = 32 in block
            scales.append(rng.integers(90, 160, amax.shape).astype(np.uint8) if is_e8m0 else
                          np.exp(rng.normal(size=amax.shape)).astype(np.float32))
            types.append(tensor(amax.shape, "f8E8M0FNU" if is_e8m0 else "f32"))
        names = ", ".join(f"%{2 + i}" for i in range(len(blocks)))
        got = call(run, f"te.partial_cast %0 at %1 scales({names} : {', '.join(types)}) of [{wholes}] : "
                   f"{shard[0][0]}, tensor<i64>", shard + list(zip(types, scales)),
                   [tensor(x.shape, element)] * len(blocks))
        for codes, scale, block in zip(got, scales, blocks):
            expected = expected_codes(whole, scale, block, element)[places[exists]]
            kind = LARGEST[element][1]
            found = codes.reshape(-1)[exists]
            both_nan = np.isnan(found.view(kind).astype(np.float32)) & np.isnan(expected.view(kind).astype(np.float32))
            # What the matrix does not have is as it was.
            if not ((found == expected) | both_nan).all() or (codes.reshape(-1)[~exists] != 0xA5).any():
                raise SystemExit(f"FAIL codes {what}: {found}, {expected}")


if __name__ == "__main__":
    run_checks(__doc__, check_shards)
