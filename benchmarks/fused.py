"""What the fused kernels move and how full their lanes are, for layers of known models; make bench runs it.

    fused.py --bin build/bin [--rows 256] [--runs 3] [--json FILE]

One table. Bytes, lanes, conflicts and spills are emulated counts of all kernels of a program over --rows tokens, and of
LLaMA-3-8B's hidden size over 4096 too; the least possible is each input read and each output written once. "Asked" is what
lanes ask for; "memory" what each XCD's L2 has to get from memory once, and what is written (the cycle model's profile,
--profile of te-run): that a CU or an XCD asks again for what its caches have does not count there. Modelled time is the cycle model's, of all
kernels of the program over 16384 tokens (--sample), and its share is what moving the least possible bytes at the achievable
bandwidth would take of it. Compile times are those of a cold process (host wall
time, median of --runs after one warm-up, and the least of them). Nothing here asserts: it prints.
"""

import argparse
import json
import platform
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

# Hidden and intermediate sizes.
MODELS = {"LLaMA-3-8B": (4096, 14336), "LLaMA-3-70B": (8192, 28672), "Mixtral-8x22B": (6144, 16384)}
SQUARE = 4096  # tokens, with that hidden size
TOKENS = 16384  # of modelled times
SCHEMES = {"row": "block = [1, 32], scale = f8E8M0FNU", "col": "block = [32, 1], scale = f8E8M0FNU"}


def both(k, element):
    return ", ".join(f"!te.scaled<?x{k}x{element}, #te.scaling<{s}>>" for s in SCHEMES.values())


def function(arguments, body, results):
    names = ", ".join(results)
    types = ", ".join(results.values())
    return f"func.func @f({arguments}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"


def norm_alone(k):
    x = f"tensor<?x{k}xbf16>"
    return function(f'%x: {x} {{te.dims = ["M", "K"]}}, %g: tensor<{k}xbf16>',
                    f"  %n, %rs = te.rms_norm %x, %g {{epsilon = 1.0e-5 : f32}} : {x}, tensor<{k}xbf16> -> {x}, tensor<?xf32>",
                    {"%n": x, "%rs": "tensor<?xf32>"})


def norm(k, residual):
    x = f"tensor<?x{k}xbf16>"
    row, col = (t + ">>" for t in both(k, "f8E4M3FN").rstrip(">").split(">>, "))
    m = ' {te.dims = ["M", "K"]}'
    arguments = f"%x: {x}{m}, %g: tensor<{k}xbf16>" + f", %r: {x}{m}" * residual
    body = f"  %s = arith.addf %x, %r : {x}\n" * residual
    source = "%s" if residual else "%x"
    body += (f"  %n, %rs = te.rms_norm {source}, %g {{epsilon = 1.0e-5 : f32}} : {x}, tensor<{k}xbf16> -> {x}, tensor<?xf32>\n"
             f"  %q:2 = te.quantize %n : {x} -> {row}, {col}")
    results = {"%q#0": row, "%q#1": col, "%rs": "tensor<?xf32>"}
    if residual:
        results["%s"] = x
    return function(arguments, body, results)


def norm_bwd(k):
    x, m = f"tensor<?x{k}xbf16>", ' {te.dims = ["M", "K"]}'
    small = f"tensor<{k}xbf16>"
    return function(f"%dy: {x}{m}, %x: {x}{m}, %g: {small}, %rs: tensor<?xf32> {{te.dims = [\"M\"]}}, %r: {x}{m}",
                    f"  %s, %dg = te.rms_norm_bwd %dy, %x, %g, %rs add(%r : {x}) : {x}, {x}, {small}, tensor<?xf32> -> "
                    f"{x}, {small}", {"%s": x, "%dg": small})


def swiglu(h, backward):
    y, x, m = f"tensor<?x{h}xbf16>", f"tensor<?x{2 * h}xbf16>", ' {te.dims = ["M", "%s"]}'
    n = 2 * h if backward else h
    row, col = (t + ">>" for t in both(n, "f8E5M2" if backward else "f8E4M3FN").rstrip(">").split(">>, "))
    if not backward:
        return function(f"%x: {x}{m % 'H2'}", f"  %y = te.gated_activation swiglu %x : {x} -> {y}\n"
                        f"  %q:2 = te.quantize %y : {y} -> {row}, {col}", {"%q#0": row, "%q#1": col})
    bias = f"tensor<{n}xbf16>"
    return function(f"%dy: {y}{m % 'H'}, %x: {x}{m % 'H2'}",
                    f"  %dx, %db = te.gated_activation_bwd swiglu %dy, %x : {y}, {x} -> {x} dbias {bias}\n"
                    f"  %q:2 = te.quantize %dx : {x} -> {row}, {col}", {"%q#0": row, "%q#1": col, "%db": bias})


def gradient(k):
    x, bias = f"tensor<?x{k}xbf16>", f"tensor<{k}xbf16>"
    row, col = (t + ">>" for t in both(k, "f8E5M2").rstrip(">").split(">>, "))
    return function(f"%dy: {x} {{te.dims = [\"M\", \"K\"]}}",
                    f"  %db = te.bias_grad %dy : {x} -> {bias}\n  %q:2 = te.quantize %dy : {x} -> {row}, {col}",
                    {"%q#0": row, "%q#1": col, "%db": bias})


def programs(rows):
    """Model, pattern, tokens, program."""
    for model, (hidden, wide) in MODELS.items():
        small = [("RMSNorm", norm_alone(hidden)), ("RMSNorm + MXFP8 both", norm(hidden, False)),
                 ("add + RMSNorm + MXFP8 both", norm(hidden, True)), ("RMSNorm backward + add", norm_bwd(hidden)),
                 ("dbias + MXFP8 both", gradient(hidden))]
        large = [("SwiGLU + MXFP8 both", swiglu(wide, False)), ("dSwiGLU + dbias + MXFP8 both", swiglu(wide, True))]
        for pattern, text in small + large:
            yield model, pattern, rows, text
        for pattern, text in small if hidden == SQUARE else []:
            yield model, pattern, SQUARE, text


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def input_bytes(text, rows):
    """Of a function's arguments."""
    total = 0
    for dims, element in re.findall(r"%\w+: tensor<((?:\?x|\d+x)*)(bf16|f32)>", text[:text.index(") ->")]):
        count = 2 if element == "bf16" else 4
        for size in dims.split("x")[:-1]:
            count *= rows if size == "?" else int(size)
        total += count
    return total


def measure(tools, folder, chip, text, rows, runs):
    source, artefact = folder / "p.mlir", folder / "p.hsaco"
    source.write_text(text)
    command = [tools / "te-compile", source, f"--target={chip}", "-o", artefact]
    seconds(command)
    ms = [1e3 * seconds(command) for _ in range(runs)]
    inputs = [f"--input=random:{i}:normal" for i in range(len(re.findall(r"%\w+: ", text)))]
    out = subprocess.run([tools / "te-run", artefact, f"--dim=M={rows}", *inputs, "--stats=json"], check=True,
                         capture_output=True, text=True).stdout
    stats = json.loads(out)
    total = {k: v["value"] for k, v in stats["total"].items() if isinstance(v, dict)}
    profile = folder / "p.json"

    def launches(tokens, *options):
        subprocess.run([tools / "te-run", artefact, f"--dim=M={tokens}", *inputs, f"--profile={profile}", *options],
                       check=True, capture_output=True)
        return json.loads(profile.read_text())["launches"]

    read = sum(launch["memory"]["grid_first_bytes"] for launch in launches(rows))
    sampled = launches(TOKENS, "--sample")
    modelled = sum(launch["grid"]["seconds"] for launch in sampled)
    least = total["least_bytes"] * TOKENS / rows / sampled[0]["memory"]["achievable_bytes_per_second"]
    memory = (read + total["least_bytes"] - input_bytes(text, rows)) / total["least_bytes"]
    return {"memory": memory, "kernels": len(stats["launches"]), "ratio": total["bytes_ratio"], "lanes": total["valu_lane_share"],
            "conflicts": total["lds_conflict_cycles"], "scratch": total["scratch_accesses"], "us": 1e6 * modelled,
            "share": least / modelled, "ms": statistics.median(ms), "least_ms": min(ms)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--rows", type=int, default=256)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    table = []
    with tempfile.TemporaryDirectory() as name:
        for model, pattern, rows, text in programs(options.rows):
            for chip in ("gfx942", "gfx950"):
                table.append({"model": model, "pattern": pattern, "tokens": rows, "chip": chip,
                              **measure(options.bin, Path(name), chip, text, rows, options.runs)})
    print(f"{platform.machine()}, {platform.system()} {platform.release()}, {time.strftime('%Y-%m-%d')}\n")
    print(f"Emulated counts; compile: cold process, host wall time, median (least) of {options.runs}\n")
    print("| model | pattern | tokens | chip | kernels | bytes / least: asked | memory (model) | VALU lanes active |"
          f" LDS conflict cycles | scratch accesses | modelled, us, {TOKENS} tokens | of the least time | compile, ms |\n|"
          + " --- |" * 13)
    for r in table:
        print(f"| {r['model']} | {r['pattern']} | {r['tokens']} | {r['chip']} | {r['kernels']} | {r['ratio']:.3f} |"
              f" {r['memory']:.3f} | {r['lanes']:.3f} | {r['conflicts']:.0f} | {r['scratch']:.0f} |"
              f" {r['us']:.1f} | {r['share']:.2f} | {r['ms']:.0f} ({r['least_ms']:.0f}) |")
    if options.json:
        options.json.write_text(json.dumps(table, indent=2) + "\n")


main()
