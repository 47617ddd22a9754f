"""Compiles a family of te programs and checks each on the emulator, bit for bit.

    sweep.py FAMILY --target=CHIP [--seed=S] [--big]

A family is a list of programs (recipe x element types). Each is compiled once with every
dimension dynamic and run over SHAPES, and compiled again with static shapes for STATIC. te-run
--check poisons the results' buffers, draws inputs by the printed seed (zeros, -0, Inf, NaN,
denormals, ties, zero blocks among them), and compares with the reference; --sanitize looks for
defects in the machine code meanwhile.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import gemm
import rope
import rows

# Primes, single rows and columns, empty tensors, less than a block, non-multiples of every tile.
SHAPES = [(1, 1), (1, 3221), (2333, 1), (1481, 677), (993, 512), (0, 128), (128, 0), (1, 16),
          (31, 33), (65, 96), (257, 259), (8, 32, 1024), (3, 5, 7)]
STATIC = [(1, 1), (1, 3221), (2333, 1), (127, 677), (93, 512), (0, 128), (8, 32, 1024), (128, 1024)]

# shuffle_16x16 needs whole units of 16 rows and of 64 columns (fp8: 32).
SHUFFLED = [(16, 64), (32, 128), (1488, 704), (0, 64), (16, 0), (2, 8, 3, 64), (48, 1088)]
SHUFFLED_STATIC = [(16, 64), (144, 704), (0, 128), (4, 12, 1024), (64, 512)]

# L steps of S tensors, or L of one.
HISTORIES = [(1, 1), (1, 37), (2, 5), (3, 300), (17, 33), (1024, 7), (33, 1031), (4, 0), (1,), (2,), (17,), (1031,)]
HISTORIES_STATIC = [(1, 3), (16, 256), (1024, 64), (33, 0), (1,), (1024,)]

# Experts' matrices: broken blocks, single rows and columns, no expert, no row.
EXPERTS = [(8, 64, 96), (3, 33, 70), (1, 1, 1), (5, 0, 7), (0, 32, 32), (2, 3, 100, 257), (4, 31, 1), (3, 257, 33),
           (9, 1, 40)]
EXPERTS_STATIC = [(4, 64, 128), (3, 33, 70), (2, 128, 256), (2, 0, 64), (2, 2, 65, 97)]

ROW = "block = [1, 32], scale = f8E8M0FNU"
COL = "block = [32, 1], scale = f8E8M0FNU"
COL_TRANSPOSED = f"{COL}, data_layout = transposed"
SQUARE = "block = [32, 32], scale = f8E8M0FNU"
PER_ROW = "row, scale = f32"
TENSOR = "tensor, scale = f32"
BLOCK1D = "block = [1, 128], scale = f32"
BLOCK1D_COL = "block = [128, 1], scale = f32, data_layout = transposed"
BLOCK2D = "block = [128, 128], scale = f32"
BLOCK2D_COL = "block = [128, 128], scale = f32, data_layout = transposed"
TRANSPOSED = "tensor, scale = f32, data_layout = transposed"
INPUTS = ["bf16", "f16", "f32"]
FP4 = "f4E2M1FN"


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def scaled(shape, element, scheme):
    return f"!te.scaled<{''.join(f'{s}x' for s in shape)}{element}, #te.scaling<{scheme}>>"


def function(arguments, op, results, printed=None):
    """One function around one op; `op` has {x} for each argument and ends in its results, `printed` if they are not
    just listed."""
    names = [f"%a{i}" for i in range(len(arguments))]
    header = ", ".join(f"{n}: {t}{a}" for n, (t, a) in zip(names, arguments))
    count = f":{len(results)}" if len(results) > 1 else ""
    values = ", ".join(f"%r#{i}" for i in range(len(results))) if count else "%r"
    types = ", ".join(results)
    return (f"func.func @f({header}) -> ({types}) {{\n  %r{count} = {op.format(*names)} -> {printed or types}\n"
            f"  return {values} : {types}\n}}\n")


def dims(shape):
    return " {te.dims = [" + ", ".join(f'"d{i}"' for i in range(len(shape))) + "]}"


def quantize(schemes, element, source, amax=False, scale=False, noop=False, known_amax=False,
             options=""):
    def make(shape):
        x = tensor(shape, source)
        arguments, op = [(x, dims(shape))], "te.quantize {0}"
        for given in ["scale"] * scale + ["amax"] * known_amax:
            arguments.append(("tensor<f32>", ""))
            op += f" {given}({{1}} : tensor<f32>)"
        if noop:
            op += f" noop({{{len(arguments)}}} : tensor<f32>)"
            arguments.append(("tensor<f32>", ' {te.name = "noop"}'))
        if "stochastic" in options:
            op += f" rng({{{len(arguments)}}} : tensor<2xi64>)"
            arguments.append(("tensor<2xi64>", ""))
        results = [scaled(shape, element, s) for s in schemes]
        op += f" {{{{{options}}}}}" * bool(options)
        return function(arguments, f"{op} : {x}", results + ["tensor<f32>"] * amax)
    make.inputs = 1 + ("stochastic" in options)
    return make


def dequantize(scheme, element, target):
    def make(shape):
        q = scaled(shape, element, scheme)
        return function([(q, dims(shape))], f"te.dequantize {{0}} : {q}", [tensor(shape, target)])
    return make


def amax(source):
    def make(shape):
        x = tensor(shape, source)
        return function([(x, dims(shape))], f"te.amax {{0}} : {x}", ["tensor<f32>"])
    return make


def partial(schemes, element, source, matrix, cast):
    """te.partial_cast, or te.partial_amax, of a shard of any length."""
    def make(shape):
        x, grids = tensor(shape, source), []
        for scheme in schemes:
            r, c = (int(n) for n in scheme[scheme.index("[") + 1:scheme.index("]")].split(","))
            grids.append((-(-matrix[0] // r), -(-matrix[1] // c)))
        wholes = ", ".join(scaled(matrix, element, s) for s in schemes)
        arguments = [(x, dims(shape)), ("tensor<i64>", "")]
        if not cast:
            return function(arguments, f"te.partial_amax {{0}} at {{1}} of [{wholes}] : {x}, tensor<i64>",
                            [tensor(grid, "f32") for grid in grids])
        types = [tensor(grid, "f8E8M0FNU" if "E8M0" in s else "f32") for s, grid in zip(schemes, grids)]
        names = ", ".join(f"{{{2 + i}}}" for i in range(len(types)))
        arguments += [(t, "") for t in types]
        return function(arguments, f"te.partial_cast {{0}} at {{1}} scales({names} : {', '.join(types)}) of [{wholes}] : "
                        f"{x}, tensor<i64>", [tensor(shape, element)] * len(types))
    make.matrix, make.inputs = matrix, 2 + len(schemes) * cast
    return make


def move(op, source, target, element):
    """te.transpose or te.relayout."""
    def make(shape):
        q = scaled(shape, element, source)
        return function([(q, dims(shape))], f"te.{op} {{0}} : {q}", [scaled(shape, element, target)])
    make.inputs = 2
    return make


def update_scale(algorithm, element, amax, scale_inv, margin):
    def make(shape):
        history, row = tensor(shape, "f32"), tensor(shape[1:], "f32")
        arguments = [(history, dims(shape)), (row, ' {te.dims = ["d1"]}' * (len(shape) > 1))]
        op = f"te.update_scale {algorithm} {{0}}, {{1}}"
        if amax:
            arguments.append(arguments[1])
            op += f" amax({{2}} : {row})"
        results = f"{history}, {row}" + f" scale_inv {row}" * scale_inv
        return function(arguments, f"{op} for {element} {{{{margin = {margin} : i64}}}} : {history}, {row}",
                        [history, row] + [row] * scale_inv, results)
    make.inputs = 2 + amax
    return make


def families(fnuz):
    """Programs by family. `fnuz`: the chip's own per-tensor codes are FNUZ; OCP is tried as well."""
    mx = ["f8E4M3FN", "f8E5M2"]
    per_tensor = mx + (["f8E4M3FNUZ", "f8E5M2FNUZ"] if fnuz else [])
    programs = {"mxfp8": {}, "mxfp8-modes": {}, "fp8": {}, "dequantize": {}, "amax": {},
                "fp8-block": {}, "fp8-current": {}, "scale-layouts": {}, "shuffled": {},
                "mxfp4": {}, "mxfp4-modes": {}, "fp8-row": {},
                "stochastic": {}, "update-scale": {}, "transpose": {}, "relayout": {}, "partial": {},
                "experts": {}}
    for source in INPUTS:
        for e in mx:
            for name, schemes in [("row", [ROW]), ("col", [COL]), ("both", [ROW, COL])]:
                programs["mxfp8"][f"{name}-{e}-{source}"] = quantize(schemes, e, source)
            programs["dequantize"][f"row-{e}-{source}"] = dequantize(ROW, e, source)
            programs["dequantize"][f"col-{e}-{source}"] = dequantize(COL, e, source)
        for e in per_tensor:
            programs["fp8"][f"both-amax-{e}-{source}"] = quantize(
                [TENSOR, TRANSPOSED], e, source, amax=True, scale=True, noop=True)
            programs["dequantize"][f"tensor-{e}-{source}"] = dequantize(TENSOR, e, source)
        programs["dequantize"][f"transposed-{source}"] = dequantize(TRANSPOSED, per_tensor[-1], source)
        programs["amax"][source] = amax(source)
    for mode in ["floor", "even", "ceil"]:
        for e in mx:
            programs["mxfp8-modes"][f"{mode}-{e}"] = quantize(
                [f"{s}, rounding = {mode}" for s in (ROW, COL)], e, "f32", amax=True, noop=True)
    # Float8BlockScaling: 1x128 activations and 128x128 weights, both copies from one read.
    for i, e in enumerate(per_tensor):
        for rounding in ["pow2", "nearest"]:
            source = INPUTS[(i + (rounding == "pow2")) % 3]
            for name, schemes in [("1d", [BLOCK1D, BLOCK1D_COL]), ("2d", [BLOCK2D, BLOCK2D_COL])]:
                programs["fp8-block"][f"{name}-{rounding}-{e}-{source}"] = quantize(
                    [f"{s}, rounding = {rounding}" for s in schemes], e, source, amax=name == "2d")
            programs["fp8-current"][f"both-amax-{rounding}-{e}-{source}"] = quantize(
                [f"{s}, rounding = {rounding}" for s in (TENSOR, TRANSPOSED)], e, source,
                amax=True, noop=i % 2 == 0)
        # Epsilons about the least and the usual amax of random inputs.
        programs["fp8-block"][f"epsilon-{e}"] = quantize(
            [BLOCK2D, BLOCK1D_COL + ", rounding = pow2"], e, INPUTS[i % 3],
            options=f"epsilon = {[1e-3, 1e2][i % 2]} : f32")
        programs["fp8-current"][f"epsilon-{e}"] = quantize(
            [[TENSOR, TRANSPOSED][i % 2]], e, INPUTS[i % 3], known_amax=i % 2 == 1,
            options=f"epsilon = {[1e5, 1.0][i % 2]} : f32")
    programs["fp8-current"]["known"] = quantize([TENSOR], mx[0], "f32", known_amax=True, noop=True)
    programs["fp8-current"]["beside-blocks"] = quantize([TENSOR, COL], mx[0], "bf16", amax=True)
    for i, scheme in enumerate([BLOCK1D, BLOCK1D_COL, BLOCK2D, BLOCK2D_COL]):
        programs["fp8-block"][f"dequantize-{i}"] = dequantize(
            scheme, per_tensor[i % len(per_tensor)], INPUTS[i % 3])
    programs["mxfp8-modes"]["transposed"] = quantize([ROW, COL_TRANSPOSED], mx[1], "f16")
    programs["mxfp8-modes"]["square"] = quantize([SQUARE], mx[0], "bf16")
    # Scales as matrix instructions want them; data as well.
    for i, layout in enumerate(["blocked_32x4x4", "e8m0_shuffle"]):
        row, col, square = (f"{s}, scale_layout = {layout}" for s in (ROW, COL, SQUARE))
        programs["scale-layouts"][f"both-{layout}"] = quantize([row, col], mx[i], INPUTS[i])
        programs["scale-layouts"][f"square-{layout}"] = quantize(
            [square, f"{COL_TRANSPOSED}, scale_layout = {layout}, rounding = floor"],
            mx[1 - i], INPUTS[2 * i])
        for name, scheme in [("row", row), ("col", col), ("square", square)]:
            programs["scale-layouts"][f"dequantize-{name}-{layout}"] = dequantize(
                scheme, mx[i], INPUTS[1 - i])
        shuffle = "data_layout = shuffle_16x16"
        programs["shuffled"][f"{layout}"] = quantize([f"{row}, {shuffle}", col], mx[i], INPUTS[2 * i])
        programs["shuffled"][f"square-{layout}"] = quantize([f"{square}, {shuffle}"], mx[i], "f16")
        programs["shuffled"][f"dequantize-{layout}"] = dequantize(
            f"{row}, {shuffle}", mx[1 - i], INPUTS[i])
    for i, e in enumerate(per_tensor):
        shuffle = "data_layout = shuffle_16x16"
        programs["shuffled"][f"tensor-{e}"] = quantize(
            [f"{TENSOR}, {shuffle}", TRANSPOSED], e, INPUTS[i % 3], amax=True)
        programs["shuffled"][f"block-{e}"] = quantize(
            [f"{[BLOCK1D, BLOCK2D][i % 2]}, {shuffle}", BLOCK1D_COL], e, INPUTS[i % 3])
        programs["shuffled"][f"dequantize-{e}"] = dequantize(
            f"{[TENSOR, BLOCK1D][i % 2]}, {shuffle}", e, INPUTS[2 - i % 3])
    for i, e in enumerate(per_tensor):
        for name, make in [
                ("quantize", quantize([PER_ROW, COL], e, INPUTS[i % 3], amax=True)
                 if "FNUZ" not in e else quantize([PER_ROW], e, INPUTS[i % 3], noop=True)),
                ("dequantize", dequantize(PER_ROW, e, INPUTS[(i + 2) % 3]))]:
            if name == "quantize":
                make.whole_rows = True
            programs["fp8-row"][f"{name}-{e}"] = make
    # Both copies from one read; every rounding and tie rule; transforms; dequantize.
    for i, source in enumerate(INPUTS):
        even = ", rounding = even"
        programs["mxfp4"][f"both-{source}"] = quantize(
            [ROW + even, COL_TRANSPOSED + even], FP4, source, amax=i == 0, noop=i == 1)
        programs["mxfp4"][f"hadamard-{source}"] = quantize(
            [ROW + even, COL_TRANSPOSED + even], FP4, source,
            options="hadamard" + f", sign_mask = {[0, 0x2B9D17C6, -0x5A3F0E11][i]} : i32" * (i > 0))
        programs["mxfp4"][f"dequantize-row-{source}"] = dequantize(ROW, FP4, source)
        programs["mxfp4"][f"dequantize-col-{source}"] = dequantize(COL_TRANSPOSED, FP4, source)
    for i, mode in enumerate(["rceil", "floor", "even", "ceil"]):
        for j, ties in enumerate(["even", "away"]):
            layout = ["linear", "blocked_32x4x4", "e8m0_shuffle"][(i + j) % 3]
            suffix = f", rounding = {mode}, ties = {ties}, scale_layout = {layout}"
            schemes = [ROW + suffix, COL_TRANSPOSED + suffix]
            programs["mxfp4-modes"][f"{mode}-{ties}"] = quantize(
                schemes, FP4, INPUTS[(i + 2 * j) % 3], options="hadamard" * (i == 2))
    # Random rounding: each direction draws of its own; the place of an element decides, not the schedule.
    for i, source in enumerate(INPUTS):
        schemes = [f"{s}, rounding = even, ties = {['even', 'away'][i % 2]}" for s in (ROW, COL_TRANSPOSED)]
        for name, chosen in [("both", schemes), ("row", schemes[:1]), ("col", schemes[1:])]:
            programs["stochastic"][f"{name}-{source}"] = quantize(
                chosen, FP4, source, options="stochastic" + ", hadamard, sign_mask = 0x2B9D17C6 : i32" * (name == "both"))
    programs["stochastic"]["square"] = quantize([SQUARE], FP4, "bf16", options="stochastic")
    programs["mxfp4-modes"]["square"] = quantize([SQUARE], FP4, "bf16")
    programs["mxfp4-modes"]["dequantize-square"] = dequantize(SQUARE, FP4, "f32")
    for i, layout in enumerate(["linear", "e8m0_shuffle"]):
        shuffled = f"{ROW}, rounding = even, scale_layout = {layout}, data_layout = shuffle_16x16"
        programs["shuffled"][f"fp4-{layout}"] = quantize([shuffled], FP4, INPUTS[i])
        programs["shuffled"][f"dequantize-fp4-{layout}"] = dequantize(shuffled, FP4, INPUTS[i])
    # Shards of matrices that are whole tiles, broken ones, a single row, less than a block.
    matrices = [(256, 384), (130, 257), (1, 4099), (67, 5), (640, 64), (1, 1)]
    for i, (schemes, e) in enumerate(
            [([BLOCK2D], e) for e in per_tensor] + [([BLOCK1D, "block = [128, 1], scale = f32"], per_tensor[-1])] +
            [([ROW, COL], e) for e in mx] + [([SQUARE], mx[0]), ([COL], mx[1])]):
        for cast in (False, True):
            for j in range(2):
                matrix, source = matrices[(i + 3 * j + cast) % 6], INPUTS[(i + j) % 3]
                programs["partial"][f"{'cast' if cast else 'amax'}-{i}-{j}"] = partial(schemes, e, source, matrix, cast)
    # Each expert's matrix by itself: column-major along N as torchao has it, and every other way.
    for i, layout in enumerate(["linear", "blocked_32x4x4", "e8m0_shuffle"]):
        row, col, square = (f"{s}, scale_layout = {layout}, per = matrix" for s in (ROW, COL, SQUARE))
        col_t, square_t = f"{col}, data_layout = transposed", f"{square}, data_layout = transposed"
        e, source = mx[i % 2], INPUTS[i]
        programs["experts"][f"col-{layout}"] = quantize([f"{col_t}, rounding = floor"], e, source)
        programs["experts"][f"square-{layout}"] = quantize([square, square_t], e, source, amax=True)
        programs["experts"][f"both-{layout}"] = quantize([row, [col, col_t][i % 2]], e, source, noop=i == 1)
        programs["experts"][f"fp4-{layout}"] = quantize([row, col_t], FP4, source)
        programs["experts"][f"dequantize-{layout}"] = dequantize([col_t, square_t, square][i], e, source)
        programs["experts"][f"dequantize-fp4-{layout}"] = dequantize([col_t, row, square_t][i], FP4, source)
        other = f"scale_layout = {['e8m0_shuffle', 'linear', 'blocked_32x4x4'][i]}"
        for name, scheme in [("col", col_t), ("square", square_t), ("rows", square)]:
            programs["experts"][f"relayout-{name}-{layout}"] = move(
                "relayout", scheme, scheme.replace(f"scale_layout = {layout}", other), [e, FP4][i == 2])
        # What counts along a matrix, and f32 scales.
        programs["experts"][f"hadamard-{layout}"] = quantize(
            [row, col_t], FP4, source, options=f"hadamard, sign_mask = {['0', '0x1234ABCD', '-2'][i]} : i32")
        programs["experts"][f"stochastic-{layout}"] = quantize(
            [row, col_t], FP4, source, options="stochastic, hadamard" if i == 1 else "stochastic")
        one, square = [BLOCK1D, BLOCK1D_COL], [BLOCK2D, BLOCK2D_COL]
        f32 = [f"{s}{', rounding = pow2' * (i == 1)}, per = matrix" for s in [one, square, square][i]]
        programs["experts"][f"f32-{i}"] = quantize(f32, per_tensor[-1 - i % 2], source, amax=i == 1,
                                                   options="epsilon = 0.5 : f32" * (i == 2))
        programs["experts"][f"dequantize-f32-{i}"] = dequantize(f32[i % 2], per_tensor[-1], source)
        programs["experts"][f"1d-{i}"] = quantize([f"{s}, per = matrix" for s in one[i % 2:]], per_tensor[-1 - i % 2], source)
    programs["experts"]["transpose"] = move(
        "transpose", f"{SQUARE}, per = matrix", f"{SQUARE}, data_layout = transposed, per = matrix", mx[0])
    programs["experts"]["transpose-f32"] = move(
        "transpose", f"{BLOCK2D_COL}, per = matrix", f"{BLOCK2D}, per = matrix", per_tensor[-1])
    # Copies of one scale or of square blocks, and scales in each order from each other one.
    transposed, shuffle = "data_layout = transposed", "data_layout = shuffle_16x16"
    for i, (scheme, e) in enumerate(
            [(TENSOR, e) for e in per_tensor] +
            [(BLOCK2D, per_tensor[-1]), (SQUARE, mx[1]), (SQUARE, FP4),
             (f"{SQUARE}, scale_layout = e8m0_shuffle", FP4), (f"{SQUARE}, scale_layout = blocked_32x4x4", mx[0])]):
        for name, source, target in [("to", scheme, f"{scheme}, {transposed}"),
                                     ("from", f"{scheme}, {transposed}", scheme)]:
            programs["transpose"][f"{name}-{i}-{e}"] = move("transpose", source, target, e)
        programs["shuffled"][f"transpose-{i}-{e}"] = move(
            "transpose", *[f"{scheme}, {s}" for s in ([shuffle, transposed][::1 - i % 2 * 2])], e)
    layouts = ["linear", "blocked_32x4x4", "e8m0_shuffle"]
    for i, (scheme, e) in enumerate([(ROW, mx[0]), (COL, mx[1]), (SQUARE, mx[0]), (COL_TRANSPOSED, mx[0]), (ROW, FP4),
                                     (COL_TRANSPOSED, FP4), (SQUARE, FP4)]):
        for j in range(3): # around, one way or the other
            schemes = [f"{scheme}, scale_layout = {layouts[s % 3]}" for s in (j, j + 1 + i % 2)]
            programs["relayout"][f"{i}-{j}"] = move("relayout", *schemes, e)
        if scheme not in (COL, COL_TRANSPOSED):
            ends = [f"{scheme}, scale_layout = {layouts[i % 3]}", f"{scheme}, scale_layout = {layouts[i // 3]}, {shuffle}"]
            programs["shuffled"][f"relayout-{i}"] = move("relayout", *ends[::1 - i % 2 * 2], e)
    for i, scheme in enumerate([TENSOR, PER_ROW, BLOCK1D, BLOCK2D]):
        programs["shuffled"][f"relayout-f32-{i}"] = move(
            "relayout", *[scheme, f"{scheme}, {shuffle}"][::1 - i % 2 * 2], per_tensor[-1])
    for i, element in enumerate(["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"]):
        for algorithm in ["max", "most_recent"]:
            programs["update-scale"][f"{algorithm}-{element}"] = update_scale(
                algorithm, element, amax=i % 2 == 0, scale_inv=i < 2, margin=[0, -3, 5, 64][i])
    programs["dequantize"]["square"] = dequantize(SQUARE, mx[0], "bf16")
    return programs


SHAPES_BY_FAMILY = {"shuffled": (SHUFFLED, SHUFFLED_STATIC), "update-scale": (HISTORIES, HISTORIES_STATIC),
                    "experts": (EXPERTS, EXPERTS_STATIC)}
def distributions(name, text, ordinary):
    """Of each argument: ordinary numbers, but for the first where `ordinary` is false. Those of a LayerNorm are small,
    for its last step, x * gamma + beta, cancels: what is left of terms of 20 is beyond an absolute tolerance of 5e-7."""
    count = text.count("%a", 0, text.index(") ->"))
    usual = ":uniform" if "layer" in name else ":normal"
    return [usual * (ordinary or i > 0) for i in range(count)]


def draw_shapes(rng, count):
    """Random shapes of a few thousand elements, one time in four with three dimensions."""
    shapes = []
    for _ in range(count):
        k = int(2 ** rng.uniform(0, 12))
        m = rng.randrange(0, max(2, 100000 // k) if k > 64 else 400)
        shapes.append((rng.randrange(1, 4), m // 3, k) if rng.random() < 0.25 else (m, k))
    return shapes


class Sweep:
    def __init__(self, target, seed, folder, sanitize):
        self.target, self.seed, self.folder = target, seed, Path(folder)
        self.shapes = random.Random(seed)
        self.sanitize = sanitize
        self.runs = self.failures = 0

    def call(self, what, command):
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode == 0:
            return True
        self.failures += 1
        print(f"FAIL {what}: {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")
        return False

    def compile(self, name, text):
        source, artefact = self.folder / f"{name}.mlir", self.folder / f"{name}.hsaco"
        source.write_text(text)
        ok = self.call(f"compile {name}\n{text}",
                       ["te-compile", source, f"--target={self.target}", "-o", artefact])
        return artefact if ok else None

    def run(self, what, artefact, arguments, kinds=("",)):
        self.runs += 1
        self.seed += 10
        command = ["te-run", artefact, "--check", *arguments]
        command += [f"--input={d if isinstance(d, Path) else f'random:{self.seed + i}{d}'}"
                    for i, d in enumerate(kinds)]
        command += ["--sanitize"] * self.sanitize
        self.call(f"{what}, seed {self.seed}", command)

    def program(self, name, make, shapes, static):
        kinds = [""] * getattr(make, "inputs", 1)  # of the inputs that have a seed of their own
        # What is computed over whole rows: their length is static here, and dynamic in the family "sweeps".
        def dynamic(shape):
            return ["?"] * (len(shape) - 1) + [shape[-1] if hasattr(make, "whole_rows") else "?"]
        if shapes == SHAPES:
            shapes = shapes + draw_shapes(self.shapes, 2)
        for kind in sorted({tuple(map(str, dynamic(s))) for s in shapes}):
            artefact = self.compile(f"{name}-{'x'.join(kind)}".replace("?", "n"), make(kind))
            for shape in [s for s in shapes if tuple(map(str, dynamic(s))) == kind]:
                if artefact:
                    self.run(f"{name} {shape}", artefact,
                             [f"--dim=d{i}={n}" for i, n in enumerate(shape) if kind[i] == "?"], kinds)
        for shape in static:
            artefact = self.compile(f"{name}-{'x'.join(map(str, shape))}", make(shape))
            if artefact:
                self.run(f"{name} static {shape}", artefact, [], kinds)

    def shards(self, name, make):
        """One program for every shard of its matrix; some reach beyond it."""
        artefact, n = self.compile(name, make(["?"])), make.matrix[0] * make.matrix[1]
        cut = self.seed * 7919 % (n + 1)
        for start, length in [(0, n), (cut, n - cut), (cut, min(9, n - cut)), (n // 3, n // 2), (0, 0), (-3, n + 10)]:
            given = self.folder / "start.npy"
            np.save(given, np.array(start, np.int64))
            if artefact:
                self.run(f"{name} of {make.matrix}, {length} from {start}", artefact, [f"--dim=d0={length}"],
                         ["", given] + [""] * (make.inputs - 2))

    def sweeps(self, name, make, shapes, static):
        """Programs whose row length is dynamic, over these and random shapes; then such of static, long rows."""
        shapes = shapes + draw_shapes(self.shapes, 3)
        for rank in sorted({len(s) for s in shapes}):
            text = make(["?"] * rank)
            artefact = self.compile(f"{name}-rank{rank}", text)
            for shape in [s for s in shapes if len(s) == rank and artefact]:
                sizes = [f"--dim=d{i}={n}" for i, n in enumerate(shape[:-1])] + [f"--dim=K={shape[-1]}"]
                self.run(f"{name} {shape}", artefact, sizes, distributions(name, text, True))
        for shape in static:
            self.rows(name, make, [shape], ordinary=True)

    def rows(self, name, make, shapes, ordinary):
        """The last dimension is static, the others are not."""
        for kind in sorted({(len(s), s[-1]) for s in shapes}):
            rank, k = kind
            if k % getattr(make, "divisor", 1):
                continue
            text = make(["?"] * (rank - 1) + [k])
            artefact = self.compile(f"{name}-rank{rank}-{k}", text)
            for shape in [s for s in shapes if (len(s), s[-1]) == kind]:
                if artefact:
                    self.run(f"{name} {shape}", artefact, [f"--dim=d{i}={n}" for i, n in enumerate(shape[:-1])] * ("?" in text),
                             distributions(name, text, ordinary))

    def cases(self, cases):
        """Programs with the sizes of their dynamic dimensions."""
        for name, text, runs, kinds in cases:
            artefact = self.compile(name, text)
            for sizes in runs:
                if artefact:
                    self.run(f"{name} {sizes}", artefact, [f"--dim={k}={v}" for k, v in sizes.items()], kinds)


    def family(self, family, big=False):
        """Every program of a family, each over its shapes."""
        by_rows = rows.programs()
        by_case = {"rope": rope.cases(), "packed": rope.packed_cases(), **gemm.families(self.target)}
        if family in by_case:
            return self.cases(by_case[family])
        programs = by_rows.get(family) or families(self.target == "gfx942")[family]
        if big:
            name = "both-f8E4M3FN-bf16"
            return self.program(name, programs[name], [], [(8192, 7168)])
        for i, (name, make) in enumerate(sorted(programs.items())):
            if family == "sweeps":
                self.sweeps(name, make, [s for j, s in enumerate(rows.SWEPT) if (i + j) % 3],
                            [rows.LONG[i % len(rows.LONG)], rows.LONG[(5 * i + 2) % len(rows.LONG)]])
            elif family in by_rows:
                ordinary = rows.is_ordinary(family, name)
                # Shapes take turns; so do fully static programs.
                fitting = [s for s in rows.SHAPES if s[-1] % getattr(make, "divisor", 1) == 0]
                shape = fitting[i % len(fitting)]
                self.rows(name, make, [s for j, s in enumerate(rows.SHAPES) if (i + j) % 2 == 0], ordinary)
                self.rows(name, lambda _, s=shape: make(s), [shape], ordinary)
            elif family == "partial":
                self.shards(name, make)
            else:
                # Every program sees every dynamic shape; static ones take turns, each shape often.
                shapes, static = SHAPES_BY_FAMILY.get(family, (SHAPES, STATIC))
                static = [s for j, s in enumerate(static) if (i + j) % 4 == 0]
                longest = [(2, 65536)] * hasattr(make, "whole_rows")
                self.program(name, make, shapes + longest, static)


def list_families():
    return [*families(False), *rows.programs(), "rope", "packed", *gemm.families("gfx950")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family")
    parser.add_argument("--target", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--big", action="store_true", help="one 8192 x 7168 tensor instead")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(options.target, options.seed, folder, sanitize=not options.big)
        sweep.family(options.family, options.big)
    print(f"{sweep.runs} runs, {sweep.failures} failures")
    sys.exit(sweep.failures != 0 or sweep.runs == 0)


if __name__ == "__main__":
    main()
