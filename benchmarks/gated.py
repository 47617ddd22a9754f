"""The first half of an MLP, te.gemm and a gated activation, in the cycle model: as te-fuse makes it, and as two programs.

    build/venv/bin/python benchmarks/gated.py --bin build/bin [--precision=bf16,...] [--chip=gfx950] [--filter=TEXT] [--interleave=32]

Results are bf16. Figures are the cycle model's at the peak clock (docs/cycle-model.md), of a sample of the grid; two kernels have a gap of a
microsecond between them. te-fuse makes two kernels of it where its estimates say that these are faster.
"""

import argparse
import itertools
import json
import subprocess
import tempfile
from pathlib import Path

import gemm

GAP = 1e-6  # seconds: te/Target/Timing.h, kKernelGap
LAYERS = [("LLaMA-3-8B", 4096, 28672, 4096), ("LLaMA-3-70B", 4096, 57344, 8192), ("Mixtral-8x7B expert", 1024, 28672, 4096),
          ("DeepSeek-V3 expert", 512, 4096, 7168), ("LLaMA-3-8B decode", 64, 28672, 4096), ("DeepSeek-V3 expert decode", 16, 4096, 7168)]


def gate(m, n, interleave):
    runs = f" {{interleave = {interleave} : i64}}" if interleave else ""
    return f"te.gated_activation swiglu %y{runs} : tensor<{m}x{n}xbf16> -> tensor<{m}x{n // 2}xbf16>"


def both(product, m, n, interleave):
    """The text of a te.gemm's program, with the activation behind it."""
    result = f"tensor<{m}x{n // 2}xbf16>"
    head, _, tail = product.rpartition("  return ")
    head = head.replace(f"-> tensor<{m}x{n}xbf16> {{", f"-> {result} {{", 1)
    return f"{head}  %g = {gate(m, n, interleave)}\n  return %g : {result}\n}}\n"


def measure(tools, folder, chip, text):
    """Seconds, and the number of kernels."""
    source, artefact, path = folder / "p.mlir", folder / "p.hsaco", folder / "p.json"
    source.write_text(text)
    subprocess.run([tools / "te-compile", source, f"--target={chip}", "-o", artefact], check=True)
    subprocess.run([tools / "te-run", artefact, "--device=emulator", f"--profile={path}", "--sample"], check=True, capture_output=True)
    found = json.loads(path.read_text())
    return found["seconds"], len(found["launches"])


def parse(description, kinds, default, names, more=()):
    """The options of a benchmark whose rows come in several `kinds` of operands, and `more`, and the folder of the tools."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the folder of te-compile and te-run")
    parser.add_argument(f"--{kinds}", default=default, help="some of " + ", ".join(names))
    parser.add_argument("--chip", default=",".join(gemm.CHIPS), help="some of " + ", ".join(gemm.CHIPS))
    parser.add_argument("--filter", default="", help="rows whose name has this in it")
    for name, settings in more:
        parser.add_argument(name, **settings)
    options = parser.parse_args()
    return options, Path(options.bin).resolve()


def main():
    options, tools = parse(__doc__, "precision", "bf16,fp8,mxfp8,mxfp4", gemm.PRECISIONS,
                           [("--interleave", {"type": int, "default": 0, "help": "columns of the gate and of the rest in turn (0: halves)"})])
    print("| layer | M x N x K | operands | chip | kernels | modelled, us | two programs, us | two / te-fuse's |")
    print("| --- " * 8 + "|")
    ratios = []
    with tempfile.TemporaryDirectory() as temporary:
        for precision, chip, (name, m, n, k) in itertools.product(options.precision.split(","), options.chip.split(","), LAYERS):
            if options.filter not in name:
                continue
            product = gemm.program(precision, chip, "fprop", m, n, k)
            ours, kernels = measure(tools, Path(temporary), chip, both(product, m, n, options.interleave))
            activation = f"func.func @f(%y: tensor<{m}x{n}xbf16>) -> tensor<{m}x{n // 2}xbf16> {{\n  %g = {gate(m, n, options.interleave)}\n  return %g : tensor<{m}x{n // 2}xbf16>\n}}\n"
            two = sum(measure(tools, Path(temporary), chip, text)[0] for text in (product, activation)) + GAP
            ratios.append(two / ours)
            print(f"| {name} | {m} x {n} x {k} | {precision} | {chip} | {kernels} | {ours * 1e6:.1f} | {two * 1e6:.1f} | {ratios[-1]:.2f} |", flush=True)
    print(f"\n{len(ratios)} rows, geometric mean {gemm.geometric_mean(ratios):.3f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
