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

import rope
import rows

# Primes, single rows and columns, empty tensors, less than a block, non-multiples of every tile.
SHAPES = [(1, 1), (1, 3221), (2333, 1), (1481, 677), (993, 512), (0, 128), (128, 0), (1, 16),
          (31, 33), (65, 96), (257, 259), (8, 32, 1024), (3, 5, 7)]
STATIC = [(1, 1), (1, 3221), (2333, 1), (127, 677), (93, 512), (0, 128), (8, 32, 1024), (128, 1024)]

# shuffle_16x16 needs whole units of 16 rows and of 64 columns (fp8: 32).
SHUFFLED = [(16, 64), (32, 128), (1488, 704), (0, 64), (16, 0), (2, 8, 3, 64), (48, 1088)]
SHUFFLED_STATIC = [(16, 64), (144, 704), (0, 128), (4, 12, 1024), (64, 512)]

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


def function(arguments, op, results):
    """One function around one op; `op` has {x} for each argument and ends in its results."""
    names = [f"%a{i}" for i in range(len(arguments))]
    header = ", ".join(f"{n}: {t}{a}" for n, (t, a) in zip(names, arguments))
    count = f":{len(results)}" if len(results) > 1 else ""
    values = ", ".join(f"%r#{i}" for i in range(len(results))) if count else "%r"
    types = ", ".join(results)
    return (f"func.func @f({header}) -> ({types}) {{\n  %r{count} = {op.format(*names)} -> {types}\n"
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
        results = [scaled(shape, element, s) for s in schemes]
        op += f" {{{{{options}}}}}" * bool(options)
        return function(arguments, f"{op} : {x}", results + ["tensor<f32>"] * amax)
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


def families(fnuz):
    """Programs by family. `fnuz`: the chip's own per-tensor codes are FNUZ; OCP is tried as well."""
    mx = ["f8E4M3FN", "f8E5M2"]
    per_tensor = mx + (["f8E4M3FNUZ", "f8E5M2FNUZ"] if fnuz else [])
    programs = {"mxfp8": {}, "mxfp8-modes": {}, "fp8": {}, "dequantize": {}, "amax": {},
                "fp8-block": {}, "fp8-current": {}, "scale-layouts": {}, "shuffled": {},
                "mxfp4": {}, "mxfp4-modes": {}, "fp8-row": {}}
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
    programs["mxfp4-modes"]["square"] = quantize([SQUARE], FP4, "bf16")
    programs["mxfp4-modes"]["dequantize-square"] = dequantize(SQUARE, FP4, "f32")
    for i, layout in enumerate(["linear", "e8m0_shuffle"]):
        shuffled = f"{ROW}, rounding = even, scale_layout = {layout}, data_layout = shuffle_16x16"
        programs["shuffled"][f"fp4-{layout}"] = quantize([shuffled], FP4, INPUTS[i])
        programs["shuffled"][f"dequantize-fp4-{layout}"] = dequantize(shuffled, FP4, INPUTS[i])
    programs["dequantize"]["square"] = dequantize(SQUARE, mx[0], "bf16")
    return programs


class Sweep:
    def __init__(self, target, seed, folder, sanitize):
        self.target, self.seed, self.folder = target, seed, Path(folder)
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

    def run(self, what, artefact, arguments, distributions=("",)):
        self.runs += 1
        self.seed += 10
        command = ["te-run", artefact, "--check", *arguments]
        command += [f"--input=random:{self.seed + i}{d}" for i, d in enumerate(distributions)]
        command += ["--sanitize"] * self.sanitize
        self.call(f"{what}, seed {self.seed}", command)

    def program(self, name, make, shapes, static):
        # What is computed over whole rows wants their length.
        def dynamic(shape):
            return ["?"] * (len(shape) - 1) + [shape[-1] if hasattr(make, "whole_rows") else "?"]
        for kind in sorted({tuple(map(str, dynamic(s))) for s in shapes}):
            artefact = self.compile(f"{name}-{'x'.join(kind)}".replace("?", "n"), make(kind))
            for shape in [s for s in shapes if tuple(map(str, dynamic(s))) == kind]:
                if artefact:
                    self.run(f"{name} {shape}", artefact,
                             [f"--dim=d{i}={n}" for i, n in enumerate(shape) if kind[i] == "?"])
        for shape in static:
            artefact = self.compile(f"{name}-{'x'.join(map(str, shape))}", make(shape))
            if artefact:
                self.run(f"{name} static {shape}", artefact, [])


    def rows(self, name, make, shapes, ordinary):
        """The last dimension is static, the others are not."""
        for kind in sorted({(len(s), s[-1]) for s in shapes}):
            rank, k = kind
            text = make(["?"] * (rank - 1) + [k])
            artefact = self.compile(f"{name}-rank{rank}-{k}", text)
            inputs = text.count("%a", 0, text.index(") ->"))
            distributions = [":normal" * (ordinary or i > 0) for i in range(inputs)]
            for shape in [s for s in shapes if (len(s), s[-1]) == kind]:
                if artefact:
                    self.run(f"{name} {shape}", artefact, [f"--dim=d{i}={n}" for i, n in enumerate(shape[:-1])] * ("?" in text), distributions)


    def cases(self, cases):
        """Programs with the sizes of their dynamic dimensions."""
        for name, text, runs, distributions in cases:
            artefact = self.compile(name, text)
            for sizes in runs:
                if artefact:
                    self.run(f"{name} {sizes}", artefact, [f"--dim={k}={v}" for k, v in sizes.items()], distributions)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family")
    parser.add_argument("--target", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--big", action="store_true", help="one 8192 x 7168 tensor instead")
    options = parser.parse_args()
    print(f"seed {options.seed}")
    by_rows = rows.programs()
    by_case = {"rope": rope.cases, "packed": rope.packed_cases}
    programs = options.family not in by_case and (
        by_rows.get(options.family) or families(options.target == "gfx942")[options.family])
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(options.target, options.seed, folder, sanitize=not options.big)
        if options.big:
            name = "both-f8E4M3FN-bf16"
            sweep.program(name, programs[name], [], [(8192, 7168)])
        elif options.family in by_case:
            sweep.cases(by_case[options.family]())
        elif options.family in by_rows:
            shapes = rows.SHAPES_OF_SUMS if options.family == "sums" else rows.SHAPES
            for i, (name, make) in enumerate(sorted(programs.items())):
                ordinary = rows.is_ordinary(options.family, name)
                # Shapes take turns; so do fully static programs.
                shape = shapes[i % len(shapes)]
                sweep.rows(name, make, [s for j, s in enumerate(shapes) if (i + j) % 2 == 0], ordinary)
                sweep.rows(name, lambda _, s=shape: make(s), [shape], ordinary)
        else:
            for i, (name, make) in enumerate(sorted(programs.items())):
                # Every program sees every dynamic shape; static ones take turns, each shape often.
                shuffled = options.family == "shuffled"
                static = [s for j, s in enumerate(SHUFFLED_STATIC if shuffled else STATIC)
                          if (i + j) % 4 == 0]
                longest = [(2, 65536)] * hasattr(make, "whole_rows")
                sweep.program(name, make, (SHUFFLED if shuffled else SHAPES) + longest, static)
    print(f"{sweep.runs} runs, {sweep.failures} failures")
    sys.exit(sweep.failures != 0 or sweep.runs == 0)


main()
