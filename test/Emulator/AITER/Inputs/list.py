"""list.py [--sample N --seed S] [--markdown]: every code object of AITER (PyPI: amd-aiter) through te-run --list.

Each must load and list, and the emulator must know every instruction in it. --sample takes N of them at random;
--markdown prints the table of docs/reference/aiter.md.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import harness


def list_object(path):
    """Chip, kernels, what the emulator cannot run, and te-run's error where it refuses the file."""
    done = subprocess.run(["te-run", path, "--list"], capture_output=True, text=True)
    chip = re.search(r"^target (\w+)", done.stdout, re.M)
    kernels = len(re.findall(r"^kernel ", done.stdout, re.M))
    missing = re.findall(r"the emulator cannot run (\S+)", done.stdout)
    return chip[1] if chip else "?", kernels, missing, "" if done.returncode == 0 and kernels else done.stderr or "no kernel"


def name_folder(path, root):
    """A family: the folder below the chip's, without what its variants are called."""
    parts = path.relative_to(root).parts
    return "/".join(parts[3:-1] if parts[0] == "aiter_meta" else parts[:-2]) or "hsa"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    root = harness.find_objects().parent.parent
    paths = sorted(path for folder in ("aiter", "aiter_meta") for path in (root / folder).rglob("*")
                   if path.suffix in (".co", ".hsaco"))
    if options.sample:
        seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4))
        print(f"seed {seed}")
        paths = random.Random(seed).sample(paths, options.sample)
    rows, failed = collections.defaultdict(lambda: [0, 0]), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, (chip, kernels, missing, error) in zip(paths, pool.map(list_object, paths)):
            if error or missing:
                failed += 1
                print(f"{path}: {error or 'no semantics for ' + ', '.join(missing)}", file=sys.stderr)
            row = rows[name_folder(path, root), chip]
            row[0] += 1
            row[1] += kernels
    if options.markdown:
        print("# AITER's code objects\n\n`test/Emulator/AITER/Inputs/list.py --markdown` writes this page: every code object of the "
              "Python package amd-aiter, as `te-run --list` reads it.\n\n| kernels of | chip | code objects | kernels |\n"
              "| --- | --- | --- | --- |")
        for (folder, chip), (objects, kernels) in sorted(rows.items()):
            print(f"| `{folder}` | {chip} | {objects} | {kernels} |")
    print(f"{chr(10) * options.markdown}{len(paths) - failed} of {len(paths)} code objects load and list, with every instruction "
          "known.")
    sys.exit(failed > 0)


main()
