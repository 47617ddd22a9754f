"""Programs of many ops, and what compiling them costs; benchmarks/results/many-ops.csv is its table.

    many_ops.py --bin build/bin [--target gfx950]     prints times, and how they grow with the ops
    many_ops.py --print norms|adds|layers|widths N    prints one program

norms: a chain of RMSNorms. adds: a chain of additions. layers: equal layers of a norm, a quantization, a te.gemm, a gated
activation, a quantization, a te.gemm and a residual. widths: RMSNorms of N different lengths. Nothing here asserts.
"""

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

ROWS, COLUMNS, HIDDEN = 64, 256, 512
MX = "#te.scaling<block = [1, 32], scale = f8E8M0FNU>"


def tensor(*sizes, element="bf16"):
    return f"tensor<{'x'.join(map(str, sizes))}x{element}>"


def scaled(*sizes):
    return f"!te.scaled<{'x'.join(map(str, sizes))}xf8E4M3FN, {MX}>"


def function(arguments, body, value, result):
    return f"func.func @f({', '.join(arguments)}) -> {result} {{\n{''.join(body)}  return {value} : {result}\n}}\n"


def norm(name, value, gamma, rows, columns):
    x = tensor(rows, columns)
    return (f"  %{name}, %r_{name} = te.rms_norm {value}, {gamma} {{epsilon = 1.0e-5 : f32}} : {x}, {tensor(columns)} -> "
            f"{x}, {tensor(rows, element='f32')}\n")


def norms(count):
    x, value, body = tensor(ROWS, COLUMNS), "%x", []
    for i in range(count):
        body.append(norm(f"n{i}", value, "%g", ROWS, COLUMNS))
        value = f"%n{i}"
    return function([f"%x: {x}", f"%g: {tensor(COLUMNS)}"], body, value, x)


def adds(count):
    x, value, body = tensor(ROWS, COLUMNS), "%x", []
    for i in range(count):
        body.append(f"  %{i} = arith.addf {value}, %y : {x}\n")
        value = f"%{i}"
    return function([f"%x: {x}", f"%y: {x}"], body, value, x)


def layers(count):
    x, value = tensor(ROWS, COLUMNS), "%x"
    arguments, body = [f"%x: {x}"], []
    q, wide, up, down = scaled(ROWS, COLUMNS), tensor(ROWS, 2 * HIDDEN), scaled(2 * HIDDEN, COLUMNS), scaled(COLUMNS, HIDDEN)
    h, a = scaled(ROWS, HIDDEN), tensor(ROWS, HIDDEN)
    for i in range(count):
        arguments += [f"%g{i}: {tensor(COLUMNS)}", f"%u{i}: {up}", f"%d{i}: {down}"]
        body += [norm(f"n{i}", value, f"%g{i}", ROWS, COLUMNS),
                 f"  %q{i} = te.quantize %n{i} : {x} -> {q}\n",
                 f"  %y{i} = te.gemm %q{i}, %u{i} transpose_b : {q}, {up} -> {wide}\n",
                 f"  %a{i} = te.gated_activation swiglu %y{i} : {wide} -> {a}\n",
                 f"  %h{i} = te.quantize %a{i} : {a} -> {h}\n",
                 f"  %z{i} = te.gemm %h{i}, %d{i} transpose_b : {h}, {down} -> {x}\n",
                 f"  %x{i} = arith.addf {value}, %z{i} : {x}\n"]
        value = f"%x{i}"
    return function(arguments, body, value, x)


def widths(count):
    arguments, body, results = [], [], []
    for i in range(count):
        columns = 64 + i
        arguments += [f"%x{i}: {tensor(ROWS, columns)}", f"%g{i}: {tensor(columns)}"]
        body.append(norm(f"n{i}", f"%x{i}", f"%g{i}", ROWS, columns))
        results.append((f"%n{i}", tensor(ROWS, columns)))
    types = ", ".join(t for _, t in results)
    return (f"func.func @f({', '.join(arguments)}) -> ({types}) {{\n{''.join(body)}"
            f"  return {', '.join(v for v, _ in results)} : {types}\n}}\n")


KINDS = {"norms": norms, "adds": adds, "layers": layers, "widths": widths}
PROGRAMS = [("norms", "fused", (500, 1000, 2000, 4000)), ("norms", "hsaco", (500, 2000)),
          ("adds", "fused", (2500, 5000, 10000)), ("adds", "hsaco", (2500, 10000)),
          ("layers", "hsaco", (1, 8, 32)), ("widths", "fused", (250, 500, 1000)), ("widths", "hsaco", (8, 32))]


def measure(tools, target, level, text, folder):
    """Seconds, and bytes of the kernels' code."""
    source, out = folder / "p.mlir", folder / "out"
    source.write_text(text)
    start = time.monotonic()
    subprocess.run([tools / "te-compile", source, f"--target={target}", f"--emit={level}", "-o", out], check=True)
    seconds = time.monotonic() - start
    if level != "hsaco":
        return seconds, None
    shown = subprocess.run(["/usr/lib/llvm-22/bin/llvm-readelf", "-S", out], check=True, capture_output=True, text=True).stdout
    size = next(line.split(" .text")[1].split()[3] for line in shown.splitlines() if " .text " in line)
    return seconds, int(size, 16)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=Path)
    parser.add_argument("--target", default="gfx950")
    parser.add_argument("--print", nargs=2, metavar=("KIND", "N"))
    flags = parser.parse_args()
    if flags.print:
        print(KINDS[flags.print[0]](int(flags.print[1])), end="")
        return
    print(f"{'program':8} {'level':6} {'N':>6} {'seconds':>8} {'code':>9}  of the one before: N, seconds")
    with tempfile.TemporaryDirectory() as folder:
        for kind, level, counts in PROGRAMS:
            before = None
            for count in counts:
                seconds, code = measure(flags.bin, flags.target, level, KINDS[kind](count), Path(folder))
                growth = f"  {count / before[0]:.1f} x, {seconds / before[1]:.2f} x" if before else ""
                print(f"{kind:8} {level:6} {count:6} {seconds:8.2f} {code or '':>9}{growth}", flush=True)
                before = count, seconds


if __name__ == "__main__":
    main()
