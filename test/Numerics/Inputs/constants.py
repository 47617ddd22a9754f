"""Constants as operands of every op: one value everywhere, or one for each element, of any size; given to an op, sliced, transposed, returned.
Each program is checked against the reference, under the sanitizer.

    constants.py --target=CHIP [--seed=S]
"""

import random
import subprocess
import tempfile
from pathlib import Path

from options import parse_options
from recipes import BLOCK1D, COL, FP4, PER_ROW, ROW, TENSOR, scaled, tensor

M, K, H = 37, 160, 96
SHAPES = {"bf16": "bf16", "f16": "f16", "f32": "f32"}


def dense(draw, shape, element, splat):
    """A constant: numbers that every float type holds exactly, or integers."""
    def one():
        return str(draw.randrange(0, 4)) if element.startswith("i") else f"{draw.randrange(-32, 33) / 16:.6e}"

    def nested(sizes):
        return "[" + ", ".join(nested(sizes[1:]) for _ in range(sizes[0])) + "]" if sizes else one()
    return f"arith.constant dense<{one() if splat or not shape else nested(list(shape))}> : {tensor(shape, element)}"


def programs(draw, splat):
    """(name, text): functions of %x, M x K of bf16, and %c, a constant."""
    x, f32 = tensor([M, K], "bf16"), "tensor<f32>"
    row, col = tensor([M], "f32"), tensor([K], "bf16")

    def program(name, constant, body, results, more=""):
        types = ", ".join(results)
        text = f"func.func @f(%x: {x}{more}) -> ({types}) {{\n  %c = {constant}\n{body}}}\n"
        return name, text

    def simple(name, shape, element, op, *results):
        names = ", ".join(f"%y#{i}" for i in range(len(results))) if len(results) > 1 else "%y"
        count = f":{len(results)}" if len(results) > 1 else ""
        return program(name, dense(draw, shape, element, splat), f"  %y{count} = {op}\n  return {names} : {', '.join(results)}\n", results)

    e4 = "f8E4M3FN"
    yield simple("gamma", [K], "bf16", f"te.rms_norm %x, %c {{epsilon = 1.0e-5 : f32}} : {x}, {col} -> {x}, {row}", x, row)
    yield simple("beta", [K], "bf16", f"te.layer_norm %x, %c, %c {{epsilon = 1.0e-5 : f32}} : {x}, {col}, {col} -> {x}, {row}, {row}", x, row, row)
    yield simple("normed", [M, K], "bf16", f"te.rms_norm %c, %g {{epsilon = 1.0e-5 : f32}} : {x}, {col} -> {x}, {row}", x, row)[0], \
        f"func.func @f(%g: {col}) -> ({x}, {row}) {{\n  %c = {dense(draw, [M, K], 'bf16', splat)}\n" \
        f"  %y:2 = te.rms_norm %c, %g {{epsilon = 1.0e-5 : f32}} : {x}, {col} -> {x}, {row}\n  return %y#0, %y#1 : {x}, {row}\n}}\n"
    yield simple("rsigma", [M], "f32", f"te.rms_norm_bwd %x, %x, %g, %c : {x}, {x}, {col}, {row} -> {x}, {col}", x, col)[0], \
        f"func.func @f(%x: {x}, %g: {col}) -> ({x}, {col}) {{\n  %c = {dense(draw, [M], 'f32', splat)}\n" \
        f"  %y:2 = te.rms_norm_bwd %x, %x, %g, %c : {x}, {x}, {col}, {row} -> {x}, {col}\n  return %y#0, %y#1 : {x}, {col}\n}}\n"
    yield simple("bias", [K], "bf16", f"te.bias_add %x, %c : {x}, {col}", x)
    yield simple("row scales", [M], "f32", f"te.activation silu %x scales(%c : {row}) : {x} -> {x}", x)
    half = tensor([M, K // 2], "bf16")
    yield simple("gate", [M, K], "bf16", f"te.gated_activation swiglu %c : {x} -> {half}", half)
    yield simple("gradient", [M, K], "bf16", f"te.activation_bwd gelu %c, %x : {x}, {x} -> {x}", x)
    q = scaled([M, K], e4, TENSOR)
    yield simple("scale", [], "f32", f"te.quantize %x scale(%c : {f32}) : {x} -> {q}", q)
    yield simple("amax", [], "f32", f"te.quantize %x amax(%c : {f32}) : {x} -> {q}", q)
    for scheme, element in ((PER_ROW, e4), (TENSOR, e4), (ROW, e4), (COL, "f8E5M2"), (BLOCK1D, e4), (ROW + ", rounding = even", FP4)):
        codes = scaled([M, K], element, scheme)
        yield simple(f"quantized {scheme}", [M, K], "bf16", f"te.quantize %c : {x} -> {codes}", codes)
    yield simple("amax of", [M, K], "bf16", f"te.amax %c : {x} -> {f32}", f32)
    yield simple("summed", [M, K], "bf16", f"te.bias_grad %c : {x} -> {col}", col)
    fp4 = scaled([M, K], FP4, ROW + ", rounding = even")
    yield simple("rng", [2], "i64", f"te.quantize %x rng(%c : tensor<2xi64>) {{stochastic}} : {x} -> {fp4}", fp4)
    w, d = tensor([H, K], "bf16"), tensor([M, H], "bf16")
    n = tensor([H], "bf16")
    yield simple("weights", [H, K], "bf16", f"te.gemm %x, %c transpose_b : {x}, {w} -> {d}", d)
    yield program("bias of te.gemm", dense(draw, [H], "bf16", splat),
                  f"  %y = te.gemm %x, %w transpose_b bias(%c : {n}) gelu : {x}, {w} -> {d}\n  return %y : {d}\n", [d], f", %w: {w}")
    yield program("accumulated", dense(draw, [M, H], "bf16", splat),
                  f"  %y = te.gemm %x, %w transpose_b accumulate(%c : {d}) : {x}, {w} -> {d}\n  return %y : {d}\n", [d], f", %w: {w}")
    wide = tensor([H, K], "f32")
    yield program("cast of weights", dense(draw, [H, K], "f32", splat),
                  f"  %b = arith.truncf %c : {wide} to {w}\n  %y = te.gemm %x, %b transpose_b : {x}, {w} -> {d}\n  return %y : {d}\n", [d])
    heads, freqs, starts = tensor([5, 2, 3, 16], "bf16"), tensor([9, 16], "f32"), tensor([2], "i32")
    for name, angle, start in (("freqs", "%c", "%p"), ("positions", "%f", "%c")):
        shape, element = ([9, 16], "f32") if name == "freqs" else ([2], "i32")
        yield name, (f"func.func @f(%x: {heads}, %f: {freqs}, %p: {starts}) -> {heads} {{\n  %c = {dense(draw, shape, element, splat)}\n"
                     f"  %y = te.rope sbhd %x, {angle} start_positions({start} : {starts}) : {heads}, {freqs} -> {heads}\n  return %y : {heads}\n}}\n")
    history, scales = tensor([4, 3], "f32"), tensor([3], "f32")
    yield "history", (f"func.func @f(%s: {scales}) -> ({history}, {scales}) {{\n  %c = {dense(draw, [4, 3], 'f32', splat)}\n"
                      f"  %y:2 = te.update_scale max %c, %s for f8E4M3FN : {history}, {scales} -> {history}, {scales}\n"
                      f"  return %y#0, %y#1 : {history}, {scales}\n}}\n")
    yield program("added", dense(draw, [M, K], "bf16", splat), f"  %y = arith.addf %x, %c : {x}\n  return %y : {x}\n", [x])
    yield program("alone", dense(draw, [M, K], "bf16", splat), f"  %y = math.exp %c : {x}\n  return %y : {x}\n", [x])
    yield program("returned", dense(draw, [M, K], "bf16", splat), f"  return %c, %c : {x}, {x}\n", [x, x])
    long = tensor([2 * M, K], "bf16")
    yield program("joined", dense(draw, [M, K], "bf16", splat), f"  %y = tensor.concat dim(0) %x, %c : ({x}, {x}) -> {long}\n  return %y : {long}\n", [long])
    yield program("sliced", dense(draw, [2 * M, K], "bf16", splat),
                  f"  %v = tensor.extract_slice %c[{M // 2}, 0] [{M}, {K}] [1, 1] : {long} to {x}\n  %y = arith.mulf %x, %v : {x}\n  return %y : {x}\n", [x])
    transposed = tensor([K, M], "bf16")
    yield program("transposed", dense(draw, [K, M], "bf16", splat),
                  f"  %v = te.permute %c [1, 0] : {transposed} -> {x}\n  %y = arith.subf %x, %v : {x}\n  return %y : {x}\n", [x])
    flat = tensor([M * K], "bf16")
    yield program("reshaped", dense(draw, [M * K], "bf16", splat),
                  f"  %v = tensor.expand_shape %c [[0, 1]] output_shape [{M}, {K}] : {flat} into {x}\n  %y = arith.maximumf %x, %v : {x}\n  return %y : {x}\n", [x])
    half = tensor([M, K // 2], "bf16")
    yield program("both", dense(draw, [K], "bf16", splat),
                  f"  %y, %r = te.rms_norm %x, %c {{epsilon = 1.0e-5 : f32}} : {x}, {col} -> {x}, {row}\n"
                  f"  %z = te.bias_add %y, %c : {x}, {col}\n  %v = te.bias_add %x, %c : {x}, {col}\n  return %z, %v : {x}, {x}\n", [x, x])


def main():
    options = parse_options()
    draw, failures, count = random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        source, artefact = Path(folder) / "c.mlir", Path(folder) / "c.hsaco"
        for splat in (True, False):
            for name, text in programs(draw, splat):
                count += 1
                source.write_text(text)
                run = subprocess.run(["te-compile", source, f"--target={options.target}", "--variants=none", "-o", artefact], capture_output=True, text=True)
                if run.returncode == 0:
                    run = subprocess.run(["te-run", artefact, f"--input=random:{draw.randrange(1 << 20)}:normal", "--check", "--sanitize"],
                                         capture_output=True, text=True)
                if run.returncode:
                    failures += 1
                    print(f"FAIL {name}, {'splat' if splat else 'dense'}\n{text[:1500]}{run.stdout[-1500:]}{run.stderr[-1500:]}")
    print(f"{count} programs, {failures} failures")
    raise SystemExit(failures != 0)


if __name__ == "__main__":
    main()
