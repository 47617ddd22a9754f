"""The problems that the compiler's schedule database is made of: the table of gemm.py, a file for each product.

    build/venv/bin/python benchmarks/problems.py FOLDER --chip=gfx950 [--precision=bf16,...]
    te-tune FOLDER/*.mlir --target=gfx950 --tuning-db=share/schedules/gfx950.json --budget=8

te-tune goes on where it was interrupted, and replaces an entry by a faster one only. No program of heldout.py belongs here.
"""

import argparse
from pathlib import Path

import gemm


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chip", required=True, choices=gemm.CHIPS)
    parser.add_argument("--precision", default=",".join(gemm.PRECISIONS))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for precision in options.precision.split(","):
        for kind, m, n, k in dict.fromkeys(shape[1:] for shape in gemm.shapes()):
            (options.folder / f"{precision}_{kind}_{m}_{n}_{k}.mlir").write_text(gemm.program(precision, options.chip, kind, m, n, k))
            count += 1
    print(f"{count} problems in {options.folder}")


if __name__ == "__main__":
    main()
