"""Programs that a test draws from a printed seed: each is compiled, and its results and accesses are checked."""

import argparse
import random
import re
import subprocess
import tempfile
from pathlib import Path

from options import parse_options

ROWS = [0, 1, 2, 17, 31, 70]


def count_buffers(text):
    """Of the function's arguments: a quantized one has two."""
    return sum(2 if "!te.scaled" in type else 1 for type in re.findall(r"%\w+: ([^%]+)", text[:text.index(") ->")]))


def check(write, distributions):
    """`write(draw, target)` gives a program's text, in which M is a dynamic dimension or none at all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=40)
    options = parse_options(parser)
    draw, failures = random.Random(options.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        source, artefact = Path(folder) / "p.mlir", Path(folder) / "p.hsaco"
        for _ in range(options.count):
            text = write(draw, options.target)
            source.write_text(text)
            ranges = draw.choice(("none", "none", "4,40"))
            run = subprocess.run(["te-compile", source, f"--target={options.target}", f"--variants={ranges}", "-o", artefact],
                                 capture_output=True, text=True)
            if run.returncode == 0:
                rows = [f"--dim=M={draw.choice(ROWS)}"] if '"M"' in text and "?x" in text else []
                values = [f"--input=random:{draw.randrange(1 << 20)}{draw.choice(distributions)}" for _ in range(count_buffers(text))]
                run = subprocess.run(["te-run", artefact, *rows, *values, "--check", "--sanitize"], capture_output=True, text=True)
            if run.returncode:
                failures += 1
                print(f"FAIL {text}{' '.join(map(str, run.args))}\n{run.stdout[-2500:]}{run.stderr[-2000:]}")
    print(f"{options.count} programs, {failures} failures")
    raise SystemExit(failures != 0)
