"""Kernels for ranges of a size: each entry of ranges.mlir at the ends of its ranges and at drawn sizes, by its own launches.

    ranges.py --target=CHIP [--seed=S]
"""

import random
import re
import subprocess
import tempfile
from pathlib import Path

from options import parse_options

ENDS = (5, 40)  # small, as the emulator runs what follows them


def main():
    options = parse_options()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        artefact = Path(folder) / "ranges.hsaco"
        subprocess.run(["te-compile", Path(__file__).parent / "ranges.mlir", f"--target={options.target}", "-o", artefact,
                        f"--variants={','.join(map(str, ENDS))}"], check=True)
        listed = subprocess.run(["te-run", artefact, "--list"], check=True, capture_output=True, text=True).stdout
        assert len(re.findall(r"where .* is 0 to 5\b", listed)) >= 2 and "is 41 or more" in listed, listed
        for entry in ("quantize", "chain", "norm", "weight"):
            drawn = (draw.randrange(2, 5), draw.randrange(7, 40), draw.randrange(42, 150))
            for rows in (0, 1, *(end + more for end in ENDS for more in (0, 1)), *drawn):
                sizes = [f"--dim=M={rows}"]
                if entry == "quantize":
                    lead = draw.choice([n for n in range(1, rows + 1) if rows % n == 0] or [3])
                    sizes = [f"--dim=B={lead}", f"--dim=S={rows // lead}"]
                done = subprocess.run(["te-run", artefact, f"--entry={entry}", *sizes, "--check", "--sanitize",
                                       *(f"--input=random:{draw.randrange(1000)}:normal" for _ in range(2))], capture_output=True, text=True)
                assert done.returncode == 0 and "PASS" in done.stdout, (options.seed, entry, sizes, done.stdout, done.stderr)
    print("all ranges PASS")


main()
