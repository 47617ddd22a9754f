#!/usr/bin/env python3
"""Compares the reference's elementwise arith and math ops and its tensor ops
with numpy.

    check_elementwise.py --bin BUILD/bin [--seed S]
"""
import math

import numpy as np

from check_ops import NUMPY, compare, draw, result, run_checks, tensor

UNARY = {"arith.negf": np.negative, "math.absf": np.abs, "math.ceil": np.ceil,
         "math.cos": np.cos, "math.erf": np.vectorize(math.erf),
         "math.exp": np.exp, "math.exp2": np.exp2, "math.expm1": np.expm1,
         "math.floor": np.floor, "math.log": np.log, "math.log1p": np.log1p,
         "math.log2": np.log2, "math.rsqrt": lambda x: 1 / np.sqrt(x),
         "math.sin": np.sin, "math.sqrt": np.sqrt, "math.tanh": np.tanh}
BINARY = {"arith.addf": np.add, "arith.subf": np.subtract,
          "arith.mulf": np.multiply, "arith.divf": np.divide,
          "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
          "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin,
          "math.powf": np.power}


def check_elementwise(run, rng):
    for kind in NUMPY:
        x, y = draw(rng, (40, 17), kind, 5), draw(rng, (40, 17), kind, 5)
        shape = tensor(x.shape, kind)
        lines = [f"%r{i} = {op} %0 : {shape}" for i, op in enumerate(UNARY)]
        lines += [f"%r{len(UNARY) + i} = {op} %0, %1 : {shape}"
                  for i, op in enumerate(BINARY)]
        got = run("\n  ".join(lines), [(kind, x), (kind, y)],
                  [result(x.shape, kind)] * len(lines))
        a, b = x.astype(np.float64), y.astype(np.float64)
        for (op, f), value in zip(UNARY.items(), got):
            compare(f"{op} {kind}", value, f(a), kind)
        for (op, f), value in zip(BINARY.items(), got[len(UNARY):]):
            compare(f"{op} {kind}", value, f(a, b), kind)
        # + - * / of doubles round as the type's own would.
        if kind != "bf16":
            for op in list(BINARY)[:4]:
                value = got[len(UNARY) + list(BINARY).index(op)]
                own = BINARY[op](x, y)
                if not np.array_equal(value, own, equal_nan=True):
                    raise SystemExit(f"FAIL {op} {kind} is not IEEE's")


def check_conversions(run, rng):
    x = draw(rng, (9, 31), "f32", 5)
    types = {name: tensor(x.shape, name) for name in NUMPY}
    got = run(f"%r0 = arith.truncf %0 : {types['f32']} to {types['bf16']}\n"
              f"  %r1 = arith.truncf %0 : {types['f32']} to {types['f16']}\n"
              f"  %r2 = arith.extf %r0 : {types['bf16']} to {types['f32']}",
              [("f32", x)], [result(x.shape, n) for n in ("bf16", "f16", "f32")])
    for value, name in zip(got, ("bf16", "f16")):
        if not np.array_equal(value.astype(np.float32),
                              x.astype(NUMPY[name]).astype(np.float32),
                              equal_nan=True):
            raise SystemExit(f"FAIL arith.truncf to {name}")
    if not np.array_equal(got[2], got[0].astype(np.float32), equal_nan=True):
        raise SystemExit("FAIL arith.extf")


def check_movement(run, rng):
    """Bits move as numpy moves them."""
    x = draw(rng, (4, 6, 10), "bf16", 5)
    y = draw(rng, (2, 3, 5), "bf16")
    whole, small = tensor(x.shape, "bf16"), tensor(y.shape, "bf16")
    body = f"""%r0 = tensor.extract_slice %0[1, 2, 9] [3, 2, 4] [1, 3, -2] : {whole} to tensor<3x2x4xbf16>
  %r1 = tensor.extract_slice %0[2, 0, 3] [1, 6, 5] [1, 1, 1] : {whole} to tensor<6x5xbf16>
  %r2 = tensor.insert_slice %1 into %0[2, 1, 0] [2, 3, 5] [1, 2, 2] : {small} into {whole}
  %r3 = tensor.collapse_shape %0 [[0, 1], [2]] : {whole} into tensor<24x10xbf16>
  %c2 = arith.constant 2 : index
  %n = tensor.dim %0, %c2 : {whole}
  %d = te.dim %0, 1 : {whole}
  %cast = tensor.cast %0 : {whole} to tensor<?x?x?xbf16>
  %half = tensor.cast %0 : {whole} to tensor<4x?x?xbf16>
  %e = tensor.expand_shape %half [[0], [1], [2, 3]] output_shape [4, %d, %c2, 5] : tensor<4x?x?xbf16> into tensor<4x?x?x5xbf16>
  %r4 = tensor.cast %e : tensor<4x?x?x5xbf16> to tensor<4x6x2x5xbf16>
  %s = tensor.extract_slice %cast[0, 0, %c2] [4, 6, %c2] [1, 1, 1] : tensor<?x?x?xbf16> to tensor<4x6x?xbf16>
  %k = tensor.concat dim(2) %s, %cast : (tensor<4x6x?xbf16>, tensor<?x?x?xbf16>) -> tensor<4x6x?xbf16>
  %r5 = tensor.cast %k : tensor<4x6x?xbf16> to tensor<4x6x12xbf16>"""
    inserted = x.copy()
    inserted[2:4, 1:6:2, 0:10:2] = y
    expected = [x[1:4, 2:6:3, 9:1:-2], x[2, :, 3:8], inserted,
                x.reshape(24, 10), x.reshape(4, 6, 2, 5),
                np.concatenate([x[:, :, 2:4], x], 2)]
    got = run(body, [("bf16", x), ("bf16", y)],
              [result(e.shape, "bf16") for e in expected])
    for number, (a, b) in enumerate(zip(got, expected)):
        b = np.ascontiguousarray(b)
        if not np.array_equal(a.view(np.uint16), b.view(np.uint16)):
            raise SystemExit(f"FAIL tensor op {number}: got {a}, expected {b}")


if __name__ == "__main__":
    run_checks(__doc__, check_elementwise, check_conversions, check_movement)
