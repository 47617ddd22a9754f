"""Few long rows: what it brings that several workgroups share a row, in the cycle model; benchmarks/results/rows.csv is its table.

    rows.py --bin build/bin [--json FILE]

Each program is compiled as te-schedule has it, and, where that shares rows, with the same tiles and `row_split = 1`.
Times are modelled, of all kernels of a program added up, without what passes between two kernels. Nothing here asserts:
it prints.
"""

import argparse
import json
import re
import subprocess
import tempfile
from pathlib import Path

ROWS, COLUMNS = (1, 8, 32), (16384, 65536)
CHIPS = ("gfx942", "gfx950")
MXFP8, PER_ROW = "block = [1, 32], scale = f8E8M0FNU", "row, scale = f32"


def programs(m, k):
    x, g, r = f"tensor<{m}x{k}xbf16>", f"tensor<{k}xbf16>", f"tensor<{m}xf32>"
    scaled = {s: f"!te.scaled<{m}x{k}xf8E4M3FN, #te.scaling<{s}>>" for s in (MXFP8, PER_ROW)}
    rms = f"  %n, %r = te.rms_norm %x, %g {{epsilon = 1.0e-5 : f32}} : {x}, {g} -> {x}, {r}\n"
    layer = f"  %n, %mu, %r = te.layer_norm %x, %g, %g {{epsilon = 1.0e-5 : f32}} : {x}, {g}, {g} -> {x}, {r}, {r}\n"
    bwd = f"  %n, %dg = te.rms_norm_bwd %dy, %x, %g, %rs : {x}, {x}, {g}, {r} -> {x}, {g}\n"

    def quantize(value, scheme):
        return f"  %q = te.quantize {value} : {x} -> {scaled[scheme]}\n"

    inputs = f"%x: {x}, %g: {g}"
    for name, arguments, body, results in [
            ("RMSNorm", inputs, rms, {"%n": x}), ("LayerNorm", inputs, layer, {"%n": x}),
            ("RMSNorm + MXFP8", inputs, rms + quantize("%n", MXFP8), {"%q": scaled[MXFP8]}),
            ("rows quantized", f"%x: {x}", quantize("%x", PER_ROW), {"%q": scaled[PER_ROW]}),
            ("RMSNorm + rows quantized", inputs, rms + quantize("%n", PER_ROW), {"%q": scaled[PER_ROW]}),
            ("RMSNorm backward", f"%dy: {x}, {inputs}, %rs: {r}", bwd, {"%n": x, "%dg": g})]:
        types = ", ".join(results.values())
        yield name, f"func.func @f({arguments}) -> ({types}) {{\n{body}  return {', '.join(results)} : {types}\n}}\n"


class Model:
    def __init__(self, tools, folder):
        self.tools, self.folder = tools, Path(folder)

    def compile(self, text, chip, *options):
        source, out = self.folder / "p.mlir", self.folder / "out"
        source.write_text(text)
        subprocess.run([self.tools / "te-compile", source, f"--target={chip}", *options, "-o", out], check=True)
        return out

    def profile(self, text, chip):
        """Microseconds, and the number of kernels."""
        artefact, profile = self.compile(text, chip), self.folder / "p.json"
        inputs = [f"--input=random:{i}:normal" for i in range(text[:text.index(") ->")].count("%"))]
        subprocess.run([self.tools / "te-run", artefact, f"--profile={profile}", *inputs], check=True, capture_output=True)
        found = json.loads(profile.read_text())
        return 1e6 * found["seconds"], len(found["launches"])

    def measure(self, text, chip):
        us, kernels = self.profile(text, chip)
        ir = self.compile(text, chip, "--emit=fused").read_text()
        splits = re.search(r"row_split = (\d+)", ir)
        if not splits:
            return {"us": us, "kernels": kernels, "row_split": 1, "alone_us": us}
        alone, _ = self.profile(ir.replace(splits[0], "row_split = 1"), chip)
        return {"us": us, "kernels": kernels, "row_split": int(splits[1]), "alone_us": alone}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table = []
    print("| | M x K | " + " | ".join(f"{chip}: one workgroup a row, us | shared, us (kernels, workgroups a row)" for chip in CHIPS) +
          " |\n|" + " --- |" * (2 + 2 * len(CHIPS)))
    with tempfile.TemporaryDirectory() as folder:
        model = Model(options.bin, folder)
        for m in ROWS:
            for k in COLUMNS:
                for name, text in programs(m, k):
                    row = [{"program": name, "m": m, "k": k, "chip": chip, **model.measure(text, chip)} for chip in CHIPS]
                    table += row
                    cells = [f"{r['alone_us']:.1f} | " + (f"{r['us']:.1f} ({r['kernels']}, {r['row_split']})" if r["row_split"] > 1 else "")
                             for r in row]
                    print(f"| {name} | {m} x {k} | " + " | ".join(cells) + " |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")


main()
