#!/usr/bin/env python3
"""Compares the reference's elementwise arith and math ops and its tensor ops
with numpy.

    check_elementwise.py --bin BUILD/bin [--seed S]
"""
import math

import numpy as np

from check_ops import NUMPY, compare, draw, result, run_checks, tensor

ERFC = np.vectorize(math.erfc)
UNARY = {"arith.negf": np.negative, "math.absf": np.abs, "math.ceil": np.ceil,
         "math.acos": np.arccos, "math.acosh": np.arccosh,
         "math.asin": np.arcsin, "math.asinh": np.arcsinh,
         "math.atan": np.arctan, "math.atanh": np.arctanh,
         "math.cbrt": np.cbrt, "math.cosh": np.cosh, "math.erfc": ERFC,
         "math.log10": np.log10, "math.sinh": np.sinh, "math.tan": np.tan,
         "math.round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
         "math.roundeven": np.round, "math.trunc": np.trunc,
         "math.cos": np.cos, "math.erf": np.vectorize(math.erf),
         "math.exp": np.exp, "math.exp2": np.exp2, "math.expm1": np.expm1,
         "math.floor": np.floor, "math.log": np.log, "math.log1p": np.log1p,
         "math.log2": np.log2, "math.rsqrt": lambda x: 1 / np.sqrt(x),
         "math.sin": np.sin, "math.sqrt": np.sqrt, "math.tanh": np.tanh}
BINARY = {"arith.addf": np.add, "arith.subf": np.subtract,
          "arith.mulf": np.multiply, "arith.divf": np.divide,
          "arith.maximumf": np.maximum, "arith.minimumf": np.minimum,
          "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin,
          "math.atan2": np.arctan2, "math.copysign": np.copysign,
          "math.powf": np.power}
INTEGERS = {"i8": np.int8, "i32": np.int32, "i64": np.int64}


def as_unsigned(x):
    return x.view(np.dtype(f"u{x.dtype.itemsize}"))


INTEGER_OPS = {"addi": np.add, "subi": np.subtract, "muli": np.multiply,
               "andi": np.bitwise_and, "ori": np.bitwise_or,
               "xori": np.bitwise_xor, "maxsi": np.maximum,
               "minsi": np.minimum,
               "maxui": lambda a, b: np.maximum(as_unsigned(a), as_unsigned(b)),
               "minui": lambda a, b: np.minimum(as_unsigned(a), as_unsigned(b))}
PREDICATES = {"olt": np.less, "oge": np.greater_equal, "oeq": np.equal,
              "une": np.not_equal, "uno": lambda a, b: np.isnan(a) | np.isnan(b),
              "ugt": lambda a, b: ~(a <= b)}


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


def check_choices(run, rng):
    """Comparisons, selections, clamps and fused products."""
    for kind in NUMPY:
        x, y, z = (draw(rng, (40, 17), kind, 5) for _ in range(3))
        y[::3] = x[::3]
        shape, bits = tensor(x.shape, kind), tensor(x.shape, "i1")
        lines = []
        for i, predicate in enumerate(PREDICATES):
            lines += [f"%p{i} = arith.cmpf {predicate}, %0, %1 : {shape}",
                      f"%r{i} = arith.select %p{i}, %0, %2 : {bits}, {shape}"]
        n = len(PREDICATES)
        lines += [f"%least = arith.minnumf %1, %2 : {shape}",
                  f"%most = arith.maxnumf %1, %2 : {shape}",
                  f"%r{n} = math.clampf %0 to [%least, %most] : {shape}",
                  f"%r{n + 1} = math.fma %0, %1, %2 : {shape}"]
        got = run("\n  ".join(lines), [(kind, x), (kind, y), (kind, z)],
                  [result(x.shape, kind)] * (n + 2))
        a, b, c = (v.astype(np.float64) for v in (x, y, z))
        for f, value in zip(PREDICATES.values(), got):
            compare(f"select {kind}", value, np.where(f(a, b), a, c), kind)
        low, high = np.fmin(b, c), np.fmax(b, c)
        compare(f"clampf {kind}", got[n], np.minimum(np.maximum(a, low), high), kind)
        compare(f"fma {kind}", got[n + 1], a * b + c, kind)


def check_integers(run, rng):
    for kind, dtype in INTEGERS.items():
        info = np.iinfo(dtype)
        x, y = (rng.integers(info.min, info.max, (9, 31), dtype, endpoint=True)
                for _ in range(2))
        shape = tensor(x.shape, kind)
        lines = [f"%r{i} = arith.{op} %0, %1 : {shape}"
                 for i, op in enumerate(INTEGER_OPS)]
        n = len(lines)
        lines += [f"%p = arith.cmpi slt, %0, %1 : {shape}",
                  f"%q = arith.cmpi ult, %0, %1 : {shape}",
                  f"%b = arith.andi %p, %q : {tensor(x.shape, 'i1')}",
                  f"%r{n} = arith.select %b, %0, %1 : {tensor(x.shape, 'i1')}, {shape}",
                  f"%r{n + 1} = arith.sitofp %0 : {shape} to {tensor(x.shape, 'f32')}",
                  f"%r{n + 2} = arith.uitofp %0 : {shape} to {tensor(x.shape, 'f32')}"]
        results = [result(x.shape, kind)] * (n + 1) + [result(x.shape, "f32")] * 2
        got = run("\n  ".join(lines), [(kind, x), (kind, y)], results)
        both = (x < y) & (as_unsigned(x) < as_unsigned(y))
        expected = [f(x, y).view(dtype) for f in INTEGER_OPS.values()]
        expected += [np.where(both, x, y), x.astype(np.float32), as_unsigned(x).astype(np.float32)]
        for number, (a, b) in enumerate(zip(got, expected)):
            if not np.array_equal(a, b):
                raise SystemExit(f"FAIL integer op {number} of {kind}: got {a}, expected {b}")
        f = (rng.standard_normal((9, 31)) * 40).astype(np.float32)
        got = run(f"%r0 = arith.fptosi %0 : {tensor(f.shape, 'f32')} to {shape}\n"
                  f"  %a = math.absf %0 : {tensor(f.shape, 'f32')}\n"
                  f"  %r1 = arith.fptoui %a : {tensor(f.shape, 'f32')} to {shape}",
                  [("f32", f)], [result(f.shape, kind)] * 2)
        fits = np.abs(f) < 127
        for a, b in zip(got, (np.trunc(f), np.trunc(np.abs(f)))):
            if not np.array_equal(a[fits], b[fits].astype(dtype)):
                raise SystemExit(f"FAIL float to {kind}")


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
    run_checks(__doc__, check_elementwise, check_choices, check_integers,
               check_conversions, check_movement)
