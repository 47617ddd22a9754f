"""Products of bf16 rows with weights of other elements in the cycle model: as te-fuse makes them, as two programs, and with bf16 weights.

    build/venv/bin/python benchmarks/prologue.py --bin build/bin [--weights=mxfp4,...] [--chip=gfx950] [--filter=TEXT]

Weights are N x K, results bf16. Figures are the cycle model's at the peak clock (docs/cycle-model.md), of a sample of the grid; two kernels
have a gap of a microsecond between them. te-fuse converts weights in the product's kernel where its estimates say that this is faster.
"""

import itertools
import tempfile
from pathlib import Path

import gemm
from gated import GAP, measure, parse

LAYERS = [(f"LLaMA-3-8B {name}", m, n, k) for m in (1, 16, 128, 1024, 4096)
          for name, n, k in (("gate + up", 28672, 4096), ("down", 4096, 14336))]
MX, SHUFFLED = "block = [1, 32], scale = f8E8M0FNU", ", scale_layout = e8m0_shuffle, data_layout = shuffle_16x16"
WEIGHTS = {"mxfp4": ("f4E2M1FN", MX), "mxfp4-shuffled": ("f4E2M1FN", MX + SHUFFLED), "mxfp8": ("f8E4M3FN", MX),
           "fp8": ("f8E4M3FN", "row, scale = f32"), "blocks": ("f8E4M3FN", "block = [128, 128], scale = f32"), "f32": None}


def conversion(weights, chip, n, k):
    """The type of the weights, and the op that makes bf16 ones of %q."""
    result = f"tensor<{n}x{k}xbf16>"
    if not WEIGHTS[weights]:
        return f"tensor<{n}x{k}xf32>", f"arith.truncf %q : tensor<{n}x{k}xf32> to {result}"
    element, scheme = WEIGHTS[weights]
    if chip == "gfx942" and "E8M0" not in scheme:
        element += "UZ"
    source = f"!te.scaled<{n}x{k}x{element}, #te.scaling<{scheme}>>"
    return source, f"te.dequantize %q : {source} -> {result}"


def product(source, m, n, k, made=""):
    rows, weights, result = (f"tensor<{a}x{b}xbf16>" for a, b in ((m, k), (n, k), (m, n)))
    return (f"func.func @f(%x: {rows}, %{'q' if made else 'w'}: {source}) -> {result} {{\n" + (f"  %w = {made}\n" if made else "") +
            f"  %d = te.gemm %x, %w transpose_b : {rows}, {weights} -> {result}\n  return %d : {result}\n}}\n")


def main():
    options, tools = parse(__doc__, "weights", "mxfp4,mxfp8,fp8", WEIGHTS)
    print("| layer | M x N x K | weights | chip | kernels | modelled, us | two programs, us | two / te-fuse's | bf16 weights, us |")
    print("| --- " * 9 + "|")
    ratios = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for chip, (name, m, n, k) in itertools.product(options.chip.split(","), LAYERS):
            if options.filter not in name:
                continue
            bf16 = f"tensor<{n}x{k}xbf16>"
            plain = measure(tools, folder, chip, product(bf16, m, n, k))[0]
            for weights in options.weights.split(","):
                source, made = conversion(weights, chip, n, k)
                ours, kernels = measure(tools, folder, chip, product(source, m, n, k, made))
                alone = f"func.func @f(%q: {source}) -> {bf16} {{\n  %w = {made}\n  return %w : {bf16}\n}}\n"
                two = measure(tools, folder, chip, alone)[0] + GAP + plain
                ratios.append(two / ours)
                print(f"| {name} | {m} x {n} x {k} | {weights} | {chip} | {kernels} | {ours * 1e6:.1f} | {two * 1e6:.1f} | {ratios[-1]:.2f} | {plain * 1e6:.1f} |", flush=True)
    print(f"\n{len(ratios)} rows, geometric mean {gemm.geometric_mean(ratios):.3f}, least {min(ratios):.2f}")


if __name__ == "__main__":
    main()
