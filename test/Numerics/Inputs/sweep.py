"""Compiles a family of te programs and checks each on the emulator, bit for bit.

    sweep.py FAMILY --target=CHIP [--seed=S] [--big]

A family is a list of programs (recipe x element types). Each is compiled once with every
dimension dynamic, for all numbers of rows in one kernel (ranges.py has those for ranges), and run over SHAPES, and compiled again with static shapes for STATIC. te-run
--check poisons the results' buffers, draws inputs by the printed seed (zeros, -0, Inf, NaN,
denormals, ties, zero blocks among them), and compares with the reference; --sanitize looks for
defects in the machine code meanwhile, in every second run; which ones depends on the seed.
"""

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import attention
import gemm
from options import parse_options
import prologues
import rope
import rows
import transposed
from recipes import families

# Primes, single rows and columns, empty tensors, less than a block, non-multiples of every tile.
SHAPES = [(1, 1), (1, 3221), (2333, 1), (353, 677), (249, 512), (0, 128), (128, 0), (1, 16),
          (31, 33), (65, 96), (257, 259), (8, 32, 1024), (3, 5, 7)]
STATIC = [(1, 1), (1, 3221), (2333, 1), (127, 677), (93, 512), (0, 128), (8, 32, 1024), (128, 1024)]

# shuffle_16x16 needs whole units of 16 rows and of 64 columns (fp8: 32).
SHUFFLED = [(16, 64), (32, 128), (336, 704), (0, 64), (16, 0), (2, 8, 3, 64), (48, 1088)]
SHUFFLED_STATIC = [(16, 64), (144, 704), (0, 128), (4, 12, 1024), (64, 512)]

# L steps of S tensors, or L of one.
HISTORIES = [(1, 1), (1, 37), (2, 5), (3, 300), (17, 33), (1024, 7), (33, 1031), (4, 0), (1,), (2,), (17,), (1031,)]
HISTORIES_STATIC = [(1, 3), (16, 256), (1024, 64), (33, 0), (1,), (1024,)]

# Experts' matrices: broken blocks, single rows and columns, no expert, no row.
EXPERTS = [(8, 64, 96), (3, 33, 70), (1, 1, 1), (5, 0, 7), (0, 32, 32), (2, 3, 100, 257), (4, 31, 1), (3, 257, 33),
           (9, 1, 40)]
EXPERTS_STATIC = [(4, 64, 128), (3, 33, 70), (2, 128, 256), (2, 0, 64), (2, 2, 65, 97)]

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
        self.target, self.first, self.seed, self.folder = target, seed, seed, Path(folder)
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
                       ["te-compile", source, f"--target={self.target}", "--variants=none", "-o", artefact])
        return artefact if ok else None

    def run(self, what, artefact, arguments, kinds=("",)):
        self.runs += 1
        self.seed += 10
        command = ["te-run", artefact, "--check", *arguments]
        command += [f"--input={self.give(d, i)}" for i, d in enumerate(kinds)]
        command += ["--sanitize"] * (self.sanitize and (self.runs + self.first) % 2)
        self.call(f"{what}, seed {self.seed}", command)

    def give(self, kind, number):
        """What te-run reads an input from: a file, that of the array that a function draws, or random numbers."""
        if callable(kind):
            path = self.folder / f"input{number}.npy"
            np.save(path, kind(np.random.default_rng(self.seed + number)))
            return path
        return kind if isinstance(kind, Path) else f"random:{self.seed + number}{kind}"

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
        by_case = {"rope": rope.cases(), "attention": attention.cases(self.shapes), "packed": rope.packed_cases(), **gemm_families(self.target),
                   "gemm-steps": gemm.step_cases(self.target, self.shapes),
                   "gemm-persistent": gemm.persistent_cases(self.target, self.shapes),
                   "transposed": transposed.cases(self.shapes, self.target == "gfx942")}
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
                # Each program sees a third of the shapes, which one depends on the seed, and one of them as a fully
                # static program.
                number = i + self.first
                fitting = [s for s in rows.SHAPES if s[-1] % getattr(make, "divisor", 1) == 0]
                shape = fitting[number % len(fitting)]
                self.rows(name, make, [s for j, s in enumerate(rows.SHAPES) if (number + j) % 3 == 0], ordinary)
                self.rows(name, lambda _, s=shape: make(s), [shape], ordinary)
            elif family == "partial":
                self.shards(name, make)
            else:
                # Every program sees every dynamic shape; static ones alternate, each shape often.
                shapes, static = SHAPES_BY_FAMILY.get(family, (SHAPES, STATIC))
                static = [s for j, s in enumerate(static) if (i + j) % 4 == 0]
                longest = [(2, 65536)] * hasattr(make, "whole_rows")
                self.program(name, make, shapes + longest, static)


def gemm_families(target):
    """Those of te.gemm."""
    return {**gemm.families(target), **prologues.families(target)}


def list_families():
    return [*families(False), *rows.programs(), "rope", "attention", "packed", "transposed", "gemm-steps", "gemm-persistent", *gemm_families("gfx950")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("family")
    parser.add_argument("--big", action="store_true", help="one 8192 x 7168 tensor instead")
    options = parse_options(parser)
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(options.target, options.seed, folder, sanitize=not options.big)
        sweep.family(options.family, options.big)
    print(f"{sweep.runs} runs, {sweep.failures} failures")
    sys.exit(sweep.failures != 0 or sweep.runs == 0)


if __name__ == "__main__":
    main()
