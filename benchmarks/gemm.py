"""te.gemm in the cycle model: time, share of the matrix cores, registers, LDS, compile time, for each precision and chip.

    build/venv/bin/python benchmarks/gemm.py --bin build/bin [--size 2048]

Square products X W^T with a bf16 result, by the schedules that te-schedule chooses. "Modelled" figures are the cycle model's at the peak clock
(docs/cycle-model.md); compile: cold process, host wall time, median of 3.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

CHIPS = ("gfx942", "gfx950")
TENSOR, BLOCK = "#te.scaling<tensor, scale = f32>", "#te.scaling<block = [1, 32], scale = f8E8M0FNU>"


def operand(precision, chip, size):
    shape = f"{size}x{size}x"
    return {"bf16": f"tensor<{shape}bf16>", "f16": f"tensor<{shape}f16>",
            "fp8": f"!te.scaled<{shape}{'f8E4M3FNUZ' if chip == 'gfx942' else 'f8E4M3FN'}, {TENSOR}>",
            "mxfp8": f"!te.scaled<{shape}f8E4M3FN, {BLOCK}>", "mxfp4": f"!te.scaled<{shape}f4E2M1FN, {BLOCK}>"}[precision]


def program(precision, chip, size):
    x, d = operand(precision, chip, size), f"tensor<{size}x{size}xbf16>"
    return f"func.func @gemm(%x: {x}, %w: {x}) -> {d} {{\n  %y = te.gemm %x, %w transpose_b : {x}, {x} -> {d}\n  return %y : {d}\n}}\n"


def measure(tools, precision, chip, size, folder):
    source, artefact, profile = folder / "gemm.mlir", folder / "gemm.hsaco", folder / "profile.json"
    source.write_text(program(precision, chip, size))
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([tools / "te-compile", source, f"--target={chip}", "-o", artefact], check=True)
        seconds.append(time.perf_counter() - start)
    subprocess.run([tools / "te-run", artefact, f"--profile={profile}"], check=True, capture_output=True)
    report = json.loads(profile.read_text())
    [launch] = report["launches"]
    modelled, mfma, use = launch["grid"]["seconds"], launch["mfma"], launch["occupancy"]
    return (f"| {precision} | {chip} | {modelled * 1e6:.1f} | {2 * size**3 / modelled / 1e12:.0f} | {mfma['busy']:.1%} | {mfma['loop']['busy']:.1%} | "
            f"{use['waves_per_simd']} | {use['registers']} | {use['lds_bytes']} | {launch['largest_stall']} | {statistics.median(seconds) * 1e3:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the folder of te-compile and te-run")
    parser.add_argument("--size", type=int, default=2048, help="M = N = K (default 2048)")
    options = parser.parse_args()
    print(f"M = N = K = {options.size}\n")
    print("| operands | chip | modelled, us | TFLOP/s | MFMA busy | in the loop | waves a SIMD | registers | LDS, bytes | largest stall | compile, ms |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for precision in ("bf16", "f16", "fp8", "mxfp8", "mxfp4"):
            for chip in CHIPS:
                print(measure(Path(options.bin).resolve(), precision, chip, options.size, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
