"""Triangular products in the emulator against numpy: check_tril.py --bin BIN --chip CHIP [--dynamic] [--add] [--schedule S] TYPE:MxN...

Each is compiled by te-toy and run by te-run, which knows no toy dialect, with --sanitize. What lies above the diagonal of A is NaN. With
--add the kernel adds a third tensor.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

TYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32}


def run(*command: object) -> None:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"FAIL {' '.join(map(str, command))}\n{result.stdout}{result.stderr}")


def check(options: argparse.Namespace, case: str, folder: Path) -> None:
    dtype, _, sizes = case.partition(":")
    m, n = map(int, sizes.split("x"))
    rng = np.random.default_rng(m * 1000 + n)
    a, b = (rng.standard_normal(shape).astype(TYPES[dtype]) for shape in ((m, m), (m, n)))
    lower = np.tril(a.astype(np.float64))
    a[np.triu_indices(m, 1)] = np.nan
    add = rng.standard_normal((m, n)).astype(np.float32) if options.add else np.zeros((m, n), np.float32)
    rows, cols = ("?", "?") if options.dynamic else (m, n)
    left, right, result = f"tensor<{rows}x{rows}x{dtype}>", f"tensor<{rows}x{cols}x{dtype}>", f"tensor<{rows}x{cols}xf32>"
    source, image = folder / "tril.mlir", folder / "tril.hsaco"
    product = f"toy.tril_product %a, %b : {left}, {right} -> {result}"
    if options.schedule:
        product = f"""te.fusion "tril_0" (%x = %a : {left}, %y = %b : {right}) -> ({result})
      attributes {{schedule = #te.schedule<"{options.chip}", {options.schedule}>}} {{
    %0 = {product.replace("%a, %b", "%x, %y")}
    te.yield %0 : {result}
  }}"""
    sum, last = (f"%d = arith.addf %c, %r : {result}", "%d") if options.add else ("", "%c")
    source.write_text(f"""func.func @tril(%a: {left}, %b: {right}{f', %r: {result}' if options.add else ''}) -> {result} {{
  %c = {product}
  {sum}
  return {last} : {result}
}}
""")
    for name, matrix in (("a", a), ("b", b)):  # bf16 as its bits
        np.save(folder / f"{name}.npy", matrix.view(np.uint16) if dtype == "bf16" else matrix)
    np.save(folder / "r.npy", add)
    inputs = [f"--input={folder / name}.npy" for name in ("abr" if options.add else "ab")]
    run(options.bin / "te-toy", "te-compile", source, f"--target={options.chip}", "-o", image)
    run(options.bin / "te-run", image, "--sanitize", *inputs, f"--output={folder / 'c.npy'}")
    found, factor = np.load(folder / "c.npy").astype(np.float64), b.astype(np.float64)
    bound = (m + 4) * 2.0**-24 * (np.abs(lower) @ np.abs(factor) + np.abs(add)) + 1e-30
    error = np.abs(found - (lower @ factor + add))
    if found.shape != (m, n) or not (error <= bound).all():
        raise SystemExit(f"FAIL {options.chip} {case}: {np.count_nonzero(~(error <= bound))} of {m * n} elements are wrong")
    print(f"PASS {options.chip} {case}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--chip", required=True)
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--schedule", help="what #te.schedule has behind the chip")
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for case in options.cases:
            check(options, case, Path(folder))


if __name__ == "__main__":
    main()
