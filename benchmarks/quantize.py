"""Measurements of the quantization kernels; make bench runs it.

    quantize.py --bin build/bin [--runs 7] [--json FILE]

Three tables: compile time of a cold process (host wall time, median of --runs after one warm-up; the
peer in the same run is te-opt parsing and printing the same file, the least that a process of these
libraries takes); memory traffic and LDS conflicts (emulated counts, over the least possible); emulator speed (host
wall time). Nothing here asserts: it prints.
"""

import argparse
import json
import platform
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROW = "block = [1, 32], scale = f8E8M0FNU"
COL = "block = [32, 1], scale = f8E8M0FNU"
TENSOR = "tensor, scale = f32"
TRANSPOSED = "tensor, scale = f32, data_layout = transposed"


def scaled(shape, scheme):
    return f"!te.scaled<{shape}xf8E4M3FN, #te.scaling<{scheme}>>"


def quantize(schemes, shape, source, scale=False):
    x, types = f"tensor<{shape}x{source}>", ", ".join(scaled(shape, s) for s in schemes)
    values = ", ".join(f"%r#{i}" for i in range(len(schemes)))
    extra, operand = (", %s: tensor<f32>", " scale(%s : tensor<f32>)") if scale else ("", "")
    return (f"func.func @f(%x: {x}{extra}) -> ({types}) {{\n"
            f"  %r:{len(schemes)} = te.quantize %x{operand} : {x} -> {types}\n"
            f"  return {values} : {types}\n}}\n").replace("%r:1 ", "%r ").replace("%r#0 :", "%r :" if len(schemes) == 1 else "%r#0 :")


def dequantize(scheme, shape, target):
    q, y = scaled(shape, scheme), f"tensor<{shape}x{target}>"
    return (f"func.func @f(%q: {q}) -> {y} {{\n  %y = te.dequantize %q : {q} -> {y}\n"
            f"  return %y : {y}\n}}\n")


def programs(shape):
    return {
        "MXFP8 rowwise, bf16": quantize([ROW], shape, "bf16"),
        "MXFP8 columnwise, bf16": quantize([COL], shape, "bf16"),
        "MXFP8 both, bf16": quantize([ROW, COL], shape, "bf16"),
        "MXFP8 both, f32": quantize([ROW, COL], shape, "f32"),
        "FP8 + transposed, bf16": quantize([TENSOR, TRANSPOSED], shape, "bf16", scale=True),
        "MXFP8 dequantize, bf16": dequantize(ROW, shape, "bf16"),
        "FP8 dequantize, f32": dequantize(TENSOR, shape, "f32"),
    }


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def median_ms(command, runs):
    seconds(command)
    return 1e3 * statistics.median(seconds(command) for _ in range(runs))


def compile_times(tools, folder, runs):
    rows = []
    for kind, shape in [("static K", "?x4096"), ("dynamic", "?x?")]:
        for name, text in programs(shape).items():
            source = folder / "p.mlir"
            source.write_text(text)
            floor = median_ms([tools / "te-opt", source], runs)
            for chip in ("gfx942", "gfx950"):
                ms = median_ms([tools / "te-compile", source, f"--target={chip}", "-o",
                                folder / "p.hsaco"], runs)
                rows.append({"program": name, "shape": kind, "chip": chip, "ms": ms,
                             "process_floor_ms": floor})
    return rows


def counts(tools, folder, shape):
    rows = []
    for name, text in programs(shape).items():
        source = folder / "p.mlir"
        source.write_text(text)
        for chip in ("gfx942", "gfx950"):
            out = subprocess.run([tools / "te-run", source, f"--target={chip}", "--stats=json"],
                                 check=True, capture_output=True, text=True).stdout
            stats = json.loads(out)
            total = {k: v["value"] for k, v in stats["total"].items() if isinstance(v, dict)}
            rows.append({"program": name, "chip": chip, "ratio": total["bytes_ratio"],
                         "lines": total["global_line_bytes"] / total["least_bytes"],
                         "conflicts": total["lds_conflict_cycles"],
                         "scratch": total["scratch_accesses"],
                         "instructions": total["instructions"], "seconds": total["seconds"],
                         "speed": total["million_instructions_per_second"]})
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--shape", default="8192x7168")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        times = compile_times(options.bin, folder, options.runs)
        traffic = counts(options.bin, folder, options.shape)
    print(f"{platform.machine()}, {platform.system()} {platform.release()}, {time.strftime('%Y-%m-%d')}\n")
    print("Compile, cold process: host wall time, median of", options.runs)
    print("| program | shape | chip | ms | te-opt on the same file, ms |\n| --- | --- | --- | --- | --- |")
    for r in times:
        print(f"| {r['program']} | {r['shape']} | {r['chip']} | {r['ms']:.0f} | {r['process_floor_ms']:.0f} |")
    print(f"\n{options.shape}: emulated counts, and the emulator's speed (host wall time)")
    print("| program | chip | bytes / least | 64-byte lines / least | LDS conflict cycles | scratch accesses"
          " | M wave-instructions | s | M/s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in traffic:
        print(f"| {r['program']} | {r['chip']} | {r['ratio']:.4f} | {r['lines']:.4f} | {r['conflicts']:.0f} |"
              f" {r['scratch']:.0f} | {r['instructions'] / 1e6:.2f} | {r['seconds']:.2f} | {r['speed']:.1f} |")
    if options.json:
        options.json.write_text(json.dumps({"compile": times, "counts": traffic}, indent=2) + "\n")


main()
