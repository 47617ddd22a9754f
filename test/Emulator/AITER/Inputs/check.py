"""check.py CHIP FOLDER [--all] [--sanitize] [CASE...]: AITER's kernels against NumPy.

Without --all, one kernel of each family; the rest are its variants.
"""

import argparse
import os
import sys
import traceback

import numpy as np

import attention
import cases
import harness


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chip")
    parser.add_argument("folder")
    parser.add_argument("cases", nargs="*", help="parts of the names of kernels' files")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--sanitize", action="store_true", help="and list the defects that the sanitizer finds")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_intermixed_args()
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4))
    print(f"seed {seed}")
    runner = harness.Runner(options.chip, options.folder, options.sanitize)
    failed = 0
    for family, code, check, arguments, isQuick in cases.find(options.chip):
        wanted = any(part in code for part in options.cases) if options.cases else isQuick or options.all
        if not wanted:
            continue
        before = len(runner.log)
        try:
            check(runner, np.random.default_rng(seed), code, *arguments)
            verdict = "right"
        except Exception as error:
            verdict, failed = f"WRONG: {error}", failed + 1
        seconds = sum(entry[1] for entry in runner.log[before:])
        print(f"{options.chip} {family}: {code}: {verdict} ({seconds:.1f} s)", flush=True)
        for name, _, defects in runner.log[before:]:
            for defect in defects or []:
                print(f"  {name}: {defect['kind']}: {defect['message']}")
    sys.exit(failed > 0)


main()
