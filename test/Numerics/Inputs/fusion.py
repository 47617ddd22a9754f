"""Fused kernels against the same ops each in a kernel of its own: equal bit for bit.

    fusion.py --target=CHIP [--seed=S]

The unfused program is the fused one with every op in a te.fusion of its own; ops that sum over rows
or columns have the schedule that the fused kernel has, so that sums have one order. Both run on the
emulator with the same random inputs.
"""

import random
import re
import subprocess
import tempfile
from pathlib import Path

from options import parse_options
import rows

SHAPES = [(1, 1), (33, 31), (5, 257), (37, 1024), (64, 4096), (7, 4100), (33, 6000)]
# A gated gradient and its quantization share a kernel where halves are multiples of 256 columns.
HALVES = [(1, 256), (33, 512), (7, 1024), (64, 768), (37, 256)]
SUMS = re.compile(r"te\.(rms|layer)_norm|dbias")


def programs():
    both = [rows.ROW, rows.COL]
    for kind in rows.NORMS:
        yield f"{kind}-mxfp8", SHAPES, rows.norm(kind, "bf16", "bf16", schemes=[rows.ROW])
        yield f"{kind}-mxfp8-both", SHAPES, rows.norm(kind, "bf16", "bf16", residual=True, schemes=both)
        yield f"{kind}-zero-centred", SHAPES, rows.norm(kind, "f16", "bf16", zero_centered=True, schemes=[rows.BLOCK1D])
        yield f"{kind}-backward", SHAPES, rows.norm_bwd(kind, "bf16", residual="addf")
    for kind in rows.GATED:
        yield kind, HALVES, rows.activation_sums(kind, "bf16", gated=True, schemes=both)
    for kind in rows.ACTIVATIONS:
        yield kind, SHAPES, rows.activation_sums(kind, "bf16", schemes=both)


def apart(function, schedule):
    """Each line in a te.fusion; ops that sum with the schedule."""
    lines = []
    for number, line in enumerate(function.lines):
        result, text = line.strip().split(" = ", 1)
        name, _, count = result.partition(":")
        results = [f"{name}#{i}" for i in range(int(count))] if count else [name]
        operands = sorted(set(re.findall(r"%[av]\d+(?:#\d+)?", text)), key=len, reverse=True)
        inner = {operand: f"%i{i}" for i, operand in enumerate(operands)}
        for operand in operands:
            text = text.replace(operand, inner[operand])
        types = ", ".join(function.types[r] for r in results)
        inputs = ", ".join(f"{inner[o]} = {o} : {function.types[o]}" for o in operands)
        attributes = f" attributes {{schedule = {schedule}}}" if SUMS.search(text) else ""
        yields = ", ".join(r.replace(name, "%r") for r in results)
        lines += [f'  {result} = te.fusion "apart_{number}" ({inputs}) -> ({types}){attributes} {{',
                  f"    {result.replace(name, '%r')} = {text}", f"    te.yield {yields} : {types}", "  }"]
    return function.print(lines)


class Fusion:
    def __init__(self, target, folder):
        self.target, self.folder = target, Path(folder)

    def compile(self, name, text, *options):
        source, out = self.folder / f"{name}.mlir", self.folder / f"{name}.out"
        source.write_text(text)
        subprocess.run(["te-compile", source, f"--target={self.target}", "--variants=none", *options, "-o", out], check=True)
        return out

    def run(self, artefact, function, inputs):
        files = []
        for result in function.results:
            files += [self.folder / f"{artefact.stem}.{len(files) + i}.npy"
                      for i in range(1 + function.types[result].startswith("!te.scaled"))]
        subprocess.run(["te-run", artefact, *inputs, *(f"--output={f}" for f in files)], check=True,
                       stderr=subprocess.DEVNULL)
        return [f.read_bytes() for f in files]

    def check(self, name, program, seed):
        function = program.function
        fused = self.compile("fused", program)
        ir = self.compile("ir", program, "--emit=fused").read_text()
        schedules = re.findall(r"#te\.schedule<(?:<[^<>]*>|[^<>])*>", ir)
        assert ir.count("te.fusion") == len(schedules) == 1, f"{name} is not one kernel:\n{ir}"
        unfused = self.compile("unfused", apart(function, schedules[0]))
        inputs = [f"--input=random:{seed + i}:normal" for i in range(len(function.arguments))]
        for number, (a, b) in enumerate(zip(self.run(fused, function, inputs), self.run(unfused, function, inputs))):
            assert a == b, f"{name}, seed {seed}: result {number} differs from the unfused program's; {schedules[0]}"


def main():
    options = parse_options()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        fusion = Fusion(options.target, folder)
        for name, shapes, make in programs():
            for shape in draw.sample(shapes, 2):
                fusion.check(f"{name} {shape}", make(shape), draw.randrange(1 << 20))


if __name__ == "__main__":
    main()
