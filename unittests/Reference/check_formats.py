#!/usr/bin/env python3
"""Compares the C++ reference with ml_dtypes and with numpy formulas written
from the specification, independently of the C++ code.

    check_formats.py --bin BUILD/bin [--cases N] [--seed S]

Exhaustive where that is possible:
every code of every format, every bf16 and f16 input of every cast, every f32
exponent of every E8M0 rounding. Whole tensors are random, with primes, empty
shapes, ties, subnormals, NaN and Inf; the seed is printed.
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

FP8 = ["f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ"]
NUMPY = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
}
MAX = {"f8E4M3FN": 448, "f8E4M3FNUZ": 240, "f8E5M2": 57344,
       "f8E5M2FNUZ": 57344, "f4E2M1FN": 6}
EMAX = {"f8E4M3FN": 8, "f8E4M3FNUZ": 7, "f8E5M2": 15, "f8E5M2FNUZ": 15,
        "f4E2M1FN": 2}
MANTISSA = {"f8E4M3FN": 3, "f8E4M3FNUZ": 3, "f8E5M2": 2, "f8E5M2FNUZ": 2,
            "f4E2M1FN": 1}
NAN = {"f8E4M3FN": 0x7F, "f8E4M3FNUZ": 0x80, "f8E5M2": 0x7F,
       "f8E5M2FNUZ": 0x80}
FP4_VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
FP4_THRESHOLDS = np.array([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0])


class Dump:
    """Batches requests to te-reference-dump."""

    def __init__(self, exe, folder):
        self.exe, self.folder, self.lines, self.count = exe, folder, [], 0

    def path(self):
        self.count += 1
        return os.path.join(self.folder, f"{self.count}.bin")

    def input(self, array):
        path = self.path()
        array.tofile(path)
        return path

    def request(self, *words):
        self.lines.append(" ".join(str(w) for w in words))

    def run(self):
        subprocess.run([self.exe], input="\n".join(self.lines), text=True,
                       check=True)
        self.lines = []


def fail(what, index, got, expected, extra=""):
    sys.exit(f"FAIL {what} at {index}: got {got}, expected {expected} {extra}")


def compare(what, got, expected, ignore=None, inputs=None):
    if got.shape != expected.shape:
        sys.exit(f"FAIL {what}: shape {got.shape}, expected {expected.shape}")
    bad = got != expected
    if ignore is not None:
        bad &= ~ignore
    if bad.any():
        i = tuple(int(v[0]) for v in np.nonzero(bad))
        extra = "" if inputs is None else f"input {inputs[i]!r}"
        fail(f"{what}, {int(bad.sum())} of {bad.size} differ", i, got[i],
             expected[i], extra)


# --- casts -------------------------------------------------------------------

def cast(values, element, ties):
    """float32 -> codes. FP4's NaN gives 0, which no test looks at."""
    values = np.asarray(values, np.float32)
    nan = np.isnan(values)
    if element == "f4E2M1FN":
        magnitude = np.abs(np.where(nan, 0, values)).astype(np.float64)
        if ties == "away":
            code = (magnitude[..., None] >= FP4_THRESHOLDS).sum(-1)
            sign = values < 0
        else:
            above = (magnitude[..., None] > FP4_THRESHOLDS).sum(-1)
            tie = (magnitude[..., None] == FP4_THRESHOLDS).any(-1)
            code = np.where(tie & (above % 2 == 1), above + 1, above)
            sign = np.signbit(values)
        return np.where(nan, 0, code | (sign << 3)).astype(np.uint8)
    limit = np.float32(MAX[element])
    clipped = np.clip(np.where(nan, np.float32(0), values), -limit, limit)
    code = clipped.astype(NUMPY[element]).view(np.uint8)
    return np.where(nan, np.uint8(NAN[element]), code)


def check_decode(dump):
    outs = {name: dump.path() for name in NUMPY if name != "f32"}
    for name, out in outs.items():
        dump.request("decode", name, out)
    dump.run()
    for name, out in outs.items():
        got = np.fromfile(out, np.float64)
        kind = np.uint16 if name in ("bf16", "f16") else np.uint8
        codes = np.arange(len(got), dtype=kind)
        expected = codes.view(NUMPY[name]).astype(np.float64)
        both_nan = np.isnan(got) & np.isnan(expected)
        same = (got == expected) & (np.signbit(got) == np.signbit(expected))
        compare(f"decode {name}", same | both_nan, np.ones(len(got), bool))
    print(f"decode: every code of {len(outs)} formats")


def check_encode(dump):
    jobs = []
    for source, target in itertools.product(("bf16", "f16"), FP8 + ["f4E2M1FN"]):
        for ties in ("even", "away") if target == "f4E2M1FN" else ("even",):
            jobs.append((source, target, ties, dump.path()))
            dump.request("encode", *jobs[-1])
    dump.run()
    for source, target, ties, out in jobs:
        values = np.arange(65536, dtype=np.uint16).view(NUMPY[source])
        values = values.astype(np.float32)
        skip = np.isnan(values) if target == "f4E2M1FN" else None
        compare(f"encode {source} -> {target} ties {ties}",
                np.fromfile(out, np.uint8), cast(values, target, ties), skip,
                values)
    print(f"encode: every 16-bit code, {len(jobs)} casts")


def check_encode_f32(dump, rng):
    """Neighbourhoods of every tie of every target, and random bits."""
    bits = [rng.integers(0, 2**32, 200000, dtype=np.uint64).astype(np.uint32)]
    for name in FP8 + ["f4E2M1FN", "bf16", "f16"]:
        kind = np.uint16 if name in ("bf16", "f16") else np.uint8
        count = {"f4E2M1FN": 16, "bf16": 65536, "f16": 65536}.get(name, 256)
        values = np.arange(count, dtype=kind).view(NUMPY[name])
        values = np.unique(np.abs(values.astype(np.float64)))
        values = values[np.isfinite(values)]
        middle = ((values[1:] + values[:-1]) / 2).astype(np.float32)
        for offset in (-1, 0, 1):
            bits.append(middle.view(np.uint32) + np.uint32(offset & 0xFFFFFFFF))
    bits = np.concatenate(bits)
    values = np.concatenate([bits, bits ^ np.uint32(1 << 31)]).view(np.float32)
    path = dump.input(values)
    jobs = []
    for target in FP8 + ["f4E2M1FN", "bf16", "f16"]:
        for ties in ("even", "away") if target == "f4E2M1FN" else ("even",):
            jobs.append((target, ties, dump.path()))
            dump.request("encode_list", target, ties, path, jobs[-1][-1])
    dump.run()
    for target, ties, out in jobs:
        skip = np.isnan(values)
        if target in ("bf16", "f16"):
            with np.errstate(over="ignore"):
                expected = values.astype(NUMPY[target]).view(np.uint16)
            got = np.fromfile(out, np.uint16)
        else:
            expected = cast(values, target, ties)
            got = np.fromfile(out, np.uint8)
        compare(f"encode f32 -> {target} ties {ties}", got, expected, skip,
                values)
    print(f"encode: {len(values)} f32 values around ties, {len(jobs)} casts")


# --- scales ------------------------------------------------------------------

def e8m0(amax, element, rounding):
    """Codes for float32 amaxes, from logarithms of exact rationals: frexp."""
    amax = np.asarray(amax, np.float32)
    fp4 = element == "f4E2M1FN"
    if rounding == "rceil":
        with np.errstate(over="ignore", under="ignore"):
            v = amax * (np.float32(1) / np.float32(MAX[element]))
        fraction, exponent = np.frexp(np.where(np.isfinite(v), v, 1)
                                      .astype(np.float64))
        code = exponent - (fraction == 0.5) + 127  # ceil(log2 v) + bias
        code = np.where(v == 0, 0, np.clip(code, 0, 254))
        return np.where(np.isinf(v), 254, code).astype(np.uint8)
    finite = np.where(np.isfinite(amax) & (amax > 0), amax, 1)
    fraction, exponent = np.frexp(finite.astype(np.float64))
    exponent = exponent - 1  # floor(log2)
    significand = fraction * 2  # [1, 2)
    if rounding == "ceil":
        exponent = exponent + (significand > 1)
    if rounding == "even":
        exponent = exponent + (significand >= 2 - 2.0 ** -(MANTISSA[element] + 1))
    code = np.clip(exponent - EMAX[element], -127, 127) + 127
    code = np.where(amax == 0, 127 if fp4 else 0, code)
    return np.where(np.isinf(amax), 253 if fp4 else 255, code).astype(np.uint8)


def check_e8m0(dump, rng):
    exponents = np.arange(256, dtype=np.uint32) << 23
    mantissas = np.unique(np.concatenate([
        np.array([0, 1, 2, 0x3FFFFF, 0x400000, 0x400001, 0x5FFFFF, 0x600000,
                  0x600001, 0x6FFFFF, 0x700000, 0x700001, 0x77FFFF, 0x780000,
                  0x780001, 0x7FFFFE, 0x7FFFFF], np.uint32),
        rng.integers(0, 1 << 23, 100).astype(np.uint32)]))
    amax = (exponents[:, None] | mantissas).reshape(-1).view(np.float32)
    steps = np.float32([448, 240, 57344, 6])[:, None] * np.float32(2.0) ** \
        np.arange(-140, 110, dtype=np.float32)
    near = np.concatenate([np.nextafter(steps, np.float32(0)), steps,
                           np.nextafter(steps, np.float32(np.inf))]).reshape(-1)
    # No amax is NaN: fmax ignores them.
    amax = np.concatenate([amax[~np.isnan(amax)], near]).astype(np.float32)
    path = dump.input(amax)
    jobs = []
    for element, rounding in itertools.product(
            MAX, ("rceil", "floor", "even", "ceil")):
        jobs.append((element, rounding, dump.path()))
        dump.request("e8m0", element, rounding, path, jobs[-1][-1])
    dump.run()
    for element, rounding, out in jobs:
        compare(f"e8m0 {element} {rounding}", np.fromfile(out, np.uint8),
                e8m0(amax, element, rounding), None, amax)
    print(f"e8m0: {len(amax)} amaxes (every exponent), {len(jobs)} recipes")


def f32_scale(amax, element, rounding, epsilon, value_for_inf):
    amax = np.asarray(amax, np.float32)
    amax = np.where(amax < epsilon, np.float32(epsilon), amax)
    special = ~np.isfinite(amax) | (amax == 0)
    with np.errstate(over="ignore", divide="ignore"):
        scale = np.float32(MAX[element]) / np.where(special, np.float32(1), amax)
    scale = np.where(np.isinf(scale), np.float32(value_for_inf), scale)
    if rounding == "pow2":
        fraction, exponent = np.frexp(scale.astype(np.float64))
        scale = np.ldexp(1.0, exponent - 1).astype(np.float32)
    scale = np.where(special, np.float32(1), scale)
    return np.where(special & (rounding == "pow2"), np.float32(1), scale)


def check_hadamard(dump, rng):
    """Against the matrix product, with integers: their sums are exact."""
    h16 = np.ones((1, 1))
    for _ in range(4):
        h16 = np.kron(h16, [[1, 1], [1, -1]])
    jobs = []
    for m, k in ((1, 32), (64, 64), (3, 41), (37, 5), (0, 4)):
        for along_rows in (0, 1):
            mask = int(rng.integers(0, 2**32))
            x = rng.integers(-64, 64, (m, k)).astype(ml_dtypes.bfloat16)
            jobs.append((x, along_rows, mask, dump.path()))
            dump.request("hadamard", m, k, "bf16", along_rows, mask,
                         dump.input(x), jobs[-1][-1])
    dump.run()
    for x, along_rows, mask, out in jobs:
        lines = (x.T if along_rows else x).astype(np.float64)
        padded = pad_to(lines, 1, 32, 0.0)
        signs = [1 - 2 * (mask >> i & 1) for i in range(32)]
        padded = padded * np.tile(signs, padded.shape[1] // 32)
        turned = (padded.reshape(-1, 16) @ h16 * 0.25).reshape(padded.shape)
        turned = turned[:, :lines.shape[1]]
        got = np.fromfile(out, np.float32).reshape(x.shape)
        compare(f"hadamard {x.shape} rows {along_rows} mask {mask:#x}", got,
                (turned.T if along_rows else turned).astype(np.float32))
    print(f"hadamard: {len(jobs)} transforms")


# --- whole tensors -----------------------------------------------------------

def ceil_div(a, b):
    return -(-a // b)


def pad_to(a, rows, cols, value):
    r = ceil_div(a.shape[0], rows) * rows
    c = ceil_div(a.shape[1], cols) * cols
    out = np.full((r, c), value, a.dtype)
    out[:a.shape[0], :a.shape[1]] = a
    return out


def blocked(a):
    """to_blocked by reshapes: (32, 4, 4) tiles of 128 x 4."""
    a = pad_to(a, 128, 4, 0)
    r, c = a.shape
    return a.reshape(r // 128, 4, 32, c // 4, 4).transpose(0, 3, 2, 1, 4).reshape(r, c)


def e8m0_shuffle(a, padding):
    a = pad_to(a, 256, 8, padding)
    r, c = a.shape
    view = a.reshape(r // 32, 2, 16, c // 8, 2, 4)
    return view.transpose(0, 3, 5, 2, 4, 1).reshape(r, c)


def shuffle_weight(a):
    r, c = a.shape
    view = a.reshape(r // 16, 16, c // 32, 2, 16)
    return view.transpose(0, 2, 3, 1, 4).reshape(r, c)


def stored_scales(grid, case, m):
    """As a buffer has them, in its shape."""
    fp4 = case["element"] == "f4E2M1FN"
    r, c = case["block"]
    transposed = case["data_layout"] == "transposed"
    if c == 0:
        return grid.reshape(-1) if r == 1 else grid.reshape(())
    if case["scale"] == "f32":
        if r == 1 or (c != 1 and transposed):
            grid = grid.T
        return pad_to(grid, 1, 4, np.float32(1))
    if case["scale_layout"] == "linear":
        if r > 1 and c > 1:
            return grid
        long, short, fill = (256, 8, 127) if fp4 else (128, 4, 0)
        grid = pad_to(grid, *((long, short) if r == 1 else (short, long)), fill)
        return grid.T if fp4 and c == 1 else grid
    if r > 1 and c > 1:
        grid = np.repeat(grid, r, 0)[:m]
    elif c == 1:
        grid = grid.T
    if case["scale_layout"] == "blocked_32x4x4":
        return blocked(grid)
    return e8m0_shuffle(grid, 127 if fp4 else 0)


def expand(grid, r, c, m, k):
    return np.repeat(np.repeat(grid, r, 0), c, 1)[:m, :k]


def expected_quantize(x, case):
    """(codes, ignored elements, stored data, stored scales, dequantized f32)"""
    m, k = x.shape
    element = case["element"]
    r, c = case["block"]
    r, c = (1, max(k, 1)) if (r, c) == (1, 0) else (r or max(m, 1), c or max(k, 1))
    gm, gk = ceil_div(m, r), ceil_div(k, c)
    if case["block"][1] == 0:
        gm, gk = (m, 1) if case["block"][0] else (1, 1)
    magnitude = np.zeros((gm * r, gk * c), np.float32)
    magnitude[:m, :k] = np.where(np.isnan(x), 0, np.abs(x))
    amax = magnitude.reshape(gm, r, gk, c).max((1, 3))
    ignored = np.zeros((m, k), bool)
    with np.errstate(all="ignore"):
        if case["scale"] == "f8E8M0FNU":
            grid = e8m0(amax, element, case["rounding"])
            factor = np.where(grid == 255, np.nan,
                              np.ldexp(1.0, 127 - grid.astype(int)))
            factor = factor.astype(np.float32)
            scaled = x * expand(factor, r, c, m, k)
            ignored = np.isnan(expand(factor, r, c, m, k))
            inverse = np.where(grid == 255, np.nan,
                               np.ldexp(1.0, grid.astype(int) - 127))
            inverse = inverse.astype(np.float32)
        elif case["block"] == (1, 0):
            grid = (amax / np.float32(MAX[element])).astype(np.float32)
            grid = np.where((grid == 0) | np.isinf(amax), np.float32(1), grid)
            inverse = grid
            scaled = x / expand(grid, r, c, m, k)
        else:
            if case["factor"] is not None:
                factor = np.full((1, 1), case["factor"], np.float32)
            else:
                per_tensor = case["block"] == (0, 0)
                limit = ml_dtypes.finfo(NUMPY["f32" if per_tensor else
                                              case["source"]]).max
                factor = f32_scale(amax, element, case["rounding"],
                                   np.float32(case["epsilon"]), limit)
            grid = inverse = (np.float32(1) / factor).astype(np.float32)
            scaled = x * expand(factor, r, c, m, k)
        codes = cast(scaled, element, case["ties"])
        fp4 = element == "f4E2M1FN"
        if fp4:
            ignored |= np.isnan(scaled)
        table = np.arange(256, dtype=np.uint8) & (15 if fp4 else 255)
        value = table.view(NUMPY[element]).astype(np.float32)[codes]
        back = value * expand(inverse, r, c, m, k)
    return codes, ignored, stored_scales(grid, case, m), back


def stored_data(codes, case):
    data = codes.T if case["data_layout"] == "transposed" else codes
    if case["element"] == "f4E2M1FN":
        data = pad_to(data, 1, 2, 0)
        data = (data[:, 0::2] | (data[:, 1::2] << 4)).astype(np.uint8)
    if case["data_layout"] == "shuffle_16x16":
        data = shuffle_weight(data)
    return np.ascontiguousarray(data)


def random_matrix(rng, m, k, source):
    """Blocks of very different magnitude, sprinkled with special values."""
    x = rng.standard_normal((m, k))
    gm, gk = ceil_div(m, 16), ceil_div(k, 16)
    x *= expand(np.exp2(rng.integers(-30, 30, (gm, gk))), 16, 16, m, k)
    if rng.random() < 0.3:  # exact ties after power-of-two scales
        x = np.round(x * 8) / 8
    x = x.astype(np.float32)
    specials = np.float32([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-40,
                           1.2e-38, 3.4e38, 448, 6, 5, 2.5, 0.25, 57344, 1.75])
    mask = rng.random((m, k)) < rng.choice([0, 0.002, 0.1])
    x[mask] = rng.choice(specials, int(mask.sum()))
    if m and rng.random() < 0.5:
        x[rng.integers(0, m)] = 0
    if k and rng.random() < 0.3:
        x[:, rng.integers(0, k)] = np.nan
    with np.errstate(over="ignore"):
        return x.astype(NUMPY[source])


RECIPES = [
    # block, scale, roundings, elements, data layouts, scale layouts
    ((0, 0), "f32", ("nearest", "pow2"), FP8, ("linear", "transposed"), ("linear",)),
    ((1, 0), "f32", ("nearest",), FP8, ("linear", "shuffle_16x16"), ("linear",)),
    ((1, 128), "f32", ("nearest", "pow2"), FP8, ("linear",), ("linear",)),
    ((128, 1), "f32", ("nearest", "pow2"), FP8, ("transposed",), ("linear",)),
    ((128, 128), "f32", ("nearest", "pow2"), FP8,
     ("linear", "transposed", "shuffle_16x16"), ("linear",)),
] + [
    (block, "f8E8M0FNU", ("rceil", "floor", "even", "ceil"), elements,
     ("linear", "transposed", "shuffle_16x16"),
     ("linear", "blocked_32x4x4", "e8m0_shuffle"))
    for block in ((1, 32), (32, 1), (32, 32))
    for elements in (("f8E4M3FN", "f8E5M2"), ("f4E2M1FN",))
]
SIZES = [0, 1, 2, 3, 7, 16, 31, 32, 33, 64, 97, 127, 128, 131, 256, 257, 293]


def random_case(rng, index):
    # Every recipe in turn; everything else at random.
    block, scale, roundings, elements, data_layouts, scale_layouts = \
        RECIPES[index % len(RECIPES)]
    case = dict(block=block, scale=scale, rounding=rng.choice(roundings),
                element=rng.choice(elements), ties="even",
                data_layout=rng.choice(data_layouts),
                scale_layout=rng.choice(scale_layouts),
                source=rng.choice(["bf16", "f16", "f32"]),
                result=rng.choice(["bf16", "f16", "f32"]),
                factor=None, epsilon=0.0)
    if case["element"] == "f4E2M1FN":
        case["ties"] = rng.choice(["even", "away"])
        if block == (32, 1):
            case["data_layout"] = "transposed"
    if block == (1, 32) and case["data_layout"] == "transposed":
        case["data_layout"] = "linear"
    if block == (0, 0) and rng.random() < 0.5:
        case["factor"] = float(np.float32(rng.choice([1, 0.5, 448, 3.1, 1e-3])))
    if scale == "f32" and rng.random() < 0.3:
        case["epsilon"] = float(np.float32(rng.choice([1e-3, 1e-12, 2.0])))
    m, k = int(rng.choice(SIZES)), int(rng.choice(SIZES))
    if case["data_layout"] == "shuffle_16x16":
        m, k = m // 16 * 16, k // 64 * 64
    return case, m, k


def check_tensors(dump, rng, cases):
    jobs = []
    for index in range(cases):
        case, m, k = random_case(rng, index)
        x = random_matrix(rng, m, k, case["source"])
        outs = [dump.path() for _ in range(4)]
        factor = "-" if case["factor"] is None else repr(case["factor"])
        dump.request("quantize", m, k, case["source"], case["element"],
                     *case["block"], case["scale"], case["rounding"],
                     case["ties"], case["scale_layout"], case["data_layout"],
                     factor, repr(case["epsilon"]), case["result"],
                     dump.input(x), *outs)
        jobs.append((case, x, outs))
    dump.run()
    for case, x, outs in jobs:
        m, k = x.shape
        what = f"quantize {m}x{k} {case}"
        codes, ignored, scales, back = expected_quantize(
            x.astype(np.float32), case)
        scales = np.ascontiguousarray(scales).reshape(-1)
        mask = np.fromfile(outs[1], np.uint8)
        full = 15 if case["element"] == "f4E2M1FN" else 255
        compare(what + " unspecified", mask,
                stored_data((ignored * full).astype(np.uint8), case).reshape(-1))
        keep = ~mask
        compare(what + " data", np.fromfile(outs[0], np.uint8) & keep,
                stored_data(codes, case).reshape(-1) & keep)
        compare(what + " scales",
                np.fromfile(outs[2], np.uint32 if case["scale"] == "f32"
                            else np.uint8),
                scales.view(np.uint32) if case["scale"] == "f32" else scales)
        kind = NUMPY[case["result"]]
        got = np.fromfile(outs[3], kind).reshape(m, k)
        with np.errstate(over="ignore"):
            expected = back.astype(kind)
        bits = np.uint32 if kind == np.float32 else np.uint16
        both_nan = np.isnan(got.astype(np.float32)) & \
            np.isnan(expected.astype(np.float32))
        compare(what + " dequantized", got.view(bits), expected.view(bits),
                ignored | both_nan)
    print(f"tensors: {cases} quantize + dequantize round trips, "
          f"{len(RECIPES)} recipes")


def main():
    np.seterr(invalid="ignore")  # NaN inputs are meant
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cases", type=int, default=440)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = options.seed
    if seed is None:
        seed = int(np.random.SeedSequence().entropy % 2**32)
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        dump = Dump(os.path.join(options.bin, "test", "te-reference-dump"), folder)
        check_decode(dump)
        check_encode(dump)
        check_encode_f32(dump, rng)
        check_e8m0(dump, rng)
        check_hadamard(dump, rng)
        check_tensors(dump, rng, options.cases)
    print("PASS")


if __name__ == "__main__":
    main()
