"""The problems that the compiler's schedule database is made of, a file for each: the table of gemm.py, and with --drawn programs of the
kinds that heldout.py draws, of the sizes of other models (TRAINING).

    build/venv/bin/python benchmarks/problems.py FOLDER --chip=gfx950 [--precision=bf16,...] [--drawn=400 --seed=1 --kind=product,rows,attention]
    te-tune FOLDER/*.mlir --target=gfx950 --tuning-db=share/schedules/gfx950.json --budget=8

te-tune goes on where it was interrupted, and replaces an entry by a faster one only. No model of heldout.py belongs here.
"""

import argparse
import random
from pathlib import Path

import gemm
import heldout

# Hidden and intermediate sizes, heads of queries and of keys, and their size: none of heldout.py's.
TRAINING = {"Llama-3.2-1B": (2048, 8192, 32, 8, 64), "Llama-3.1-8B": (4096, 14336, 32, 8, 128), "Llama-3.1-70B": (8192, 28672, 64, 8, 128),
            "Mistral-Nemo-12B": (5120, 14336, 32, 8, 128), "OLMo-2-7B": (4096, 11008, 32, 32, 128), "T5-large": (1024, 2816, 16, 16, 64),
            "Falcon-7B": (4544, 18176, 71, 1, 64), "GPT-2-XL": (1600, 6400, 25, 25, 64), "DeepSeek-V2-Lite": (2048, 10944, 16, 16, 128)}


def draw(seed, count, kinds, chip):
    """Names and texts."""
    heldout.MODELS = TRAINING
    source = random.Random(f"{seed} {chip}")
    for i in range(count):
        kind = source.choices(kinds, [heldout.KINDS[kind][1] for kind in kinds])[0]
        yield f"drawn_{i:04}", heldout.KINDS[kind][0](source, chip).fused()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chip", required=True, choices=gemm.CHIPS)
    parser.add_argument("--precision", default=",".join(gemm.PRECISIONS))
    parser.add_argument("--drawn", type=int, default=0, help="so many, and not the table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", default=",".join(heldout.KINDS))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.drawn:
        problems = list(draw(options.seed, options.drawn, options.kind.split(","), options.chip))
    else:
        problems = [(f"{precision}_{kind}_{m}_{n}_{k}", gemm.program(precision, options.chip, kind, m, n, k))
                    for precision in options.precision.split(",") for kind, m, n, k in dict.fromkeys(shape[1:] for shape in gemm.shapes())]
    for name, text in problems:
        (options.folder / f"{name}.mlir").write_text(text)
    print(f"{len(problems)} problems in {options.folder}")


if __name__ == "__main__":
    main()
