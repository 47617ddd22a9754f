#!/usr/bin/env python3
"""Compares the reference's te.gemm with numpy in f64 over orientations, ranks,
element types, schemes of scales and epilogues; and torch's matmul where torch
is there. Everything runs through te-run --device=reference.

    check_gemm.py --bin BUILD/bin [--seed S]
"""
import subprocess

import ml_dtypes
import numpy as np

from check_ops import NUMPY, compare, draw, result, run_checks, tensor

F8 = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
      "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
      "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz}


def gelu(x):
    s = 1 / (1 + np.exp(-2 * x * (0.79788456 + 0.03567741 * x * x)))
    return np.where(np.isneginf(x), 0, x * s)


def gelu_slope(x):
    u = 0.79788456 * x * (1 + 0.044715 * x * x)
    s = 1 / (1 + np.exp(-2 * u))
    return 2 * x * s * (1 - s) * (0.79788456 + 0.1070322243 * x * x) + s


def orient(x, transposed):
    return np.swapaxes(x, -1, -2).copy() if transposed else x


def keywords(ta, tb):
    return " transpose_a" * ta + " transpose_b" * tb


SHAPES = [((7,), (5,), 13), ((1,), (1,), 1), ((0,), (3,), 4), ((3,), (0,), 4),
          ((3,), (4,), 0), ((17,), (33,), 65), ((2, 3), (5,), 7)]


def check_plain(run, rng):
    """Orientations, flattened leading dimensions, alpha and bias."""
    for number, (rows, cols, k) in enumerate(SHAPES * 2):
        t = ["f32", "bf16", "f16"][number % 3]
        for ta in (False, True)[:1 + (len(rows) == 1)]:
            for tb in (False, True):
                a, b = draw(rng, (*rows, k), t), draw(rng, (k, *cols), t)
                v = draw(rng, cols, t)
                x, y = orient(a, ta), orient(b, tb)
                d = result((*rows, *cols), ["f32", t][number % 2])
                (got,) = run(
                    f"%r0 = te.gemm %0, %1{keywords(ta, tb)} bias(%2 : "
                    f"{tensor(v.shape, t)}) {{alpha = 0.5 : f32}} : "
                    f"{tensor(x.shape, t)}, {tensor(y.shape, t)} -> {d[0]}",
                    [(t, x), (t, y), (t, v)], [d])
                expected = 0.5 * (a.astype(np.float64) @ b.astype(np.float64)) \
                    + v.astype(np.float64)
                compare(f"gemm {rows} {cols} {k} {t}", got, expected,
                        ["f32", t][number % 2], atol=1e-9)


def check_batched(run, rng):
    for lead in [(2,), (0,), (2, 3)]:
        for ta in (False, True):
            for tb in (False, True):
                a = draw(rng, (*lead, 5, 11), "f32")
                b = draw(rng, (*lead, 11, 3), "f32")
                x, y = orient(a, ta), orient(b, tb)
                d = result((*lead, 5, 3), "f32")
                (got,) = run(
                    f"%r0 = te.gemm %0, %1{keywords(ta, tb)} : "
                    f"{tensor(x.shape, 'f32')}, {tensor(y.shape, 'f32')} -> "
                    f"{d[0]}", [("f32", x), ("f32", y)], [d])
                compare(f"batched {lead}", got,
                        a.astype(np.float64) @ b.astype(np.float64), "f32")


def check_epilogues(run, rng):
    """gelu with and without aux, dgelu, accumulate with beta, bias_grad."""
    m, n, k = 5, 7, 9
    a, b = draw(rng, (m, k), "f32"), draw(rng, (k, n), "f32")
    z, c = draw(rng, (m, n), "f32"), draw(rng, (m, n), "f32")
    v = draw(rng, (n,), "f32")
    ab = a.astype(np.float64) @ b.astype(np.float64)
    square, line = tensor((m, n), "f32"), tensor((n,), "f32")
    types = f"{tensor((m, k), 'f32')}, {tensor((k, n), 'f32')} -> {square}"
    plain = [("f32", a), ("f32", b)]
    d = result((m, n), "f32")
    got, aux = run(f"%r0, %r1 = te.gemm %0, %1 bias(%2 : {line}) gelu : {types}"
                   f" aux {square}", plain + [("f32", v)], [d, d])
    compare("aux", aux, ab + v, "f32")
    compare("gelu", got, gelu(ab + v), "f32", rtol=1e-6)
    (got,) = run(f"%r0 = te.gemm %0, %1 dgelu(%2 : {square}) : {types}",
                 plain + [("f32", z)], [d])
    # The slope is a sum that goes through zero: its terms are known to an ulp
    # of f32 (the sigmoid is rounded to f32), not its value.
    compare("dgelu", got, ab * gelu_slope(z.astype(np.float64)), "f32",
            rtol=1e-6, atol=2.0 ** -23 * np.abs(ab))
    for text, beta in [("", 1.0), (" {beta = -0.5 : f32}", -0.5),
                       (" {beta = 0.0 : f32}", 0.0)]:
        held = np.full_like(c, np.nan) if beta == 0 else c
        (got,) = run(f"%r0 = te.gemm %0, %1 accumulate(%2 : {square}){text} : "
                     f"{types}", plain + [("f32", held)], [d])
        compare(f"beta {beta}", got, ab + (beta * c if beta else 0), "f32",
                rtol=1e-6)
    x = orient(a, True)
    got, grad = run(f"%r0, %r1 = te.gemm %0, %1 transpose_a : "
                    f"{tensor(x.shape, 'f32')}, {tensor((k, n), 'f32')} -> "
                    f"{square} bias_grad {tensor((m,), 'f32')}",
                    [("f32", x), ("f32", b)], [d, result((m,), "f32")])
    compare("bias_grad", grad, x.astype(np.float64).sum(0), "f32")


def check_special(run, rng):
    """Inf and NaN go their natural way; integers are exact."""
    a = np.array([[np.inf, 1], [0, np.nan], [np.inf, 0], [2, 3]], np.float32)
    b = np.array([[0, 1, 2], [1, -np.inf, 4]], np.float32)
    d = result((4, 3), "f32")
    (got,) = run(f"%r0 = te.gemm %0, %1 : tensor<4x2xf32>, tensor<2x3xf32> -> "
                 f"{d[0]}", [("f32", a), ("f32", b)], [d])
    compare("special", got, a.astype(np.float64) @ b.astype(np.float64), "f32")
    for t in ("f16", "bf16"):
        a = rng.integers(-8, 9, (33, 65)).astype(NUMPY[t])
        b = rng.integers(-8, 9, (65, 17)).astype(NUMPY[t])
        d = result((33, 17), "f32")
        (got,) = run(f"%r0 = te.gemm %0, %1 : {tensor(a.shape, t)}, "
                     f"{tensor(b.shape, t)} -> {d[0]}", [(t, a), (t, b)], [d])
        exact = a.astype(np.float64) @ b.astype(np.float64)
        assert (got == exact).all(), f"integers in {t} are not exact"


class Scaled:
    """A rowwise operand, outer x K, of random codes and scales."""

    def __init__(self, rng, outer, k, element, scheme):
        values = rng.normal(size=(outer, k)) * 4
        if element == "f4E2M1FN":
            codes = rng.integers(0, 16, (outer, k)).astype(np.uint8)
            table = np.array([0, .5, 1, 1.5, 2, 3, 4, 6])
            self.values = np.where(codes & 8, -1, 1) * table[codes & 7]
            padded = np.pad(codes, ((0, 0), (0, k % 2)))
            self.data = padded[:, ::2] | padded[:, 1::2] << 4
        else:
            data = values.astype(F8[element])
            self.values, self.data = data.astype(np.float64), data.view(np.uint8)
        def pad(x, by):
            return -(-x // by) * by
        blocks = -(-k // 32), -(-k // 128), -(-outer // 128)
        if scheme.startswith("tensor"):
            self.scales = np.float32(rng.uniform(0.1, 2))
            spread = self.scales
        elif scheme.startswith("row"):
            self.scales = rng.uniform(0.1, 2, outer).astype(np.float32)
            spread = self.scales[:, None]
        elif "E8M0" in scheme:
            fp4 = element == "f4E2M1FN"
            shape = (pad(outer, 256), pad(blocks[0], 8)) if fp4 else \
                (pad(outer, 128), pad(blocks[0], 4))
            self.scales = rng.integers(120, 135, shape).astype(np.uint8)
            spread = 2.0 ** (self.scales[:outer, :blocks[0]].astype(float) - 127)
            spread = spread.repeat(32, 1)[:, :k]
        elif "[1, 128]" in scheme:
            self.scales = rng.uniform(0.1, 2, (blocks[1], pad(outer, 4)))
            self.scales = self.scales.astype(np.float32)
            spread = self.scales[:, :outer].T.repeat(128, 1)[:, :k]
        else:
            shape = blocks[2], pad(blocks[1], 4)
            self.scales = rng.uniform(0.1, 2, shape).astype(np.float32)
            spread = self.scales.repeat(128, 0).repeat(128, 1)[:outer, :k]
        self.values = self.values * np.asarray(spread, np.float64)
        self.type = f"!te.scaled<{outer}x{k}x{element}, #te.scaling<{scheme}>>"


ROW = "block = [1, 32], scale = f8E8M0FNU"
PAIRS = [("f8E4M3FN", "tensor, scale = f32", "f8E5M2", "tensor, scale = f32"),
         ("f8E4M3FNUZ", "row, scale = f32", "f8E5M2FNUZ", "row, scale = f32"),
         ("f8E4M3FN", "row, scale = f32", "f8E4M3FN", "tensor, scale = f32"),
         ("f8E4M3FN", "block = [1, 128], scale = f32", "f8E4M3FN",
          "block = [128, 128], scale = f32"),
         ("f8E4M3FN", "block = [1, 128], scale = f32", "f8E5M2",
          "block = [1, 128], scale = f32"),
         ("f8E4M3FN", ROW, "f8E5M2", ROW),
         ("f4E2M1FN", ROW, "f4E2M1FN", ROW), ("f8E4M3FN", ROW, "f4E2M1FN", ROW)]


def check_scaled(run, rng):
    for ea, sa, eb, sb in PAIRS:
        for m, n, k in [(7, 5, 33), (130, 3, 257), (1, 1, 1)]:
            a, b = Scaled(rng, m, k, ea, sa), Scaled(rng, n, k, eb, sb)
            with open(run.path("f.mlir"), "w") as file:
                file.write(f"func.func @f(%a: {a.type}, %b: {b.type}) -> "
                           f"tensor<{m}x{n}xf32> {{\n  %d = te.gemm %a, %b "
                           f"transpose_b : {a.type}, {b.type} -> "
                           f"tensor<{m}x{n}xf32>\n"
                           f"  return %d : tensor<{m}x{n}xf32>\n}}\n")
            command = [run.exe, run.path("f.mlir"), "--device=reference"]
            for i, array in enumerate([a.data, a.scales, b.data, b.scales]):
                np.save(run.path(f"in{i}.npy"), array)
                command.append(f"--input={run.path(f'in{i}.npy')}")
            command.append(f"--output={run.path('out.npy')}")
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            run.runs += 1
            compare(f"{ea} {sa} x {eb} {sb}", np.load(run.path("out.npy")),
                    a.values @ b.values.T, "f32", atol=1e-9)


def check_torch(run, rng):
    try:
        import torch
    except ImportError:
        print("torch is not here; numpy only")
        return
    x = torch.from_numpy(draw(rng, (9, 31), "f32"))
    w = torch.from_numpy(draw(rng, (13, 31), "f32"))
    v = torch.from_numpy(draw(rng, (13,), "f32"))
    d = result((9, 13), "f32")
    (got,) = run("%r0 = te.gemm %0, %1 transpose_b bias(%2 : tensor<13xf32>) "
                 "gelu : tensor<9x31xf32>, tensor<13x31xf32> -> "
                 f"{d[0]}", [("f32", t.numpy()) for t in (x, w, v)], [d])
    y = torch.nn.functional.linear(x.double(), w.double(), v.double())
    y = torch.nn.functional.gelu(y, approximate="tanh")
    compare("torch linear", got, y.numpy(), "f32", rtol=1e-5, atol=1e-6)


if __name__ == "__main__":
    run_checks(__doc__, check_plain, check_batched, check_epilogues,
               check_special, check_scaled, check_torch)
