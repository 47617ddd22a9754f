"""Products of benchmarks/problems.py, drawn by a printed seed, take their entries of share/schedules."""

import json
import random
import subprocess
import sys
from pathlib import Path

root, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(root / "benchmarks"))
import gemm

MOST_BYTES = 300 << 10
seed = random.SystemRandom().randrange(10 ** 6)
print(f"seed {seed}")
draw = random.Random(seed)
folder.mkdir(exist_ok=True)


def explain(chip, precision, kind, m, n, k):
    path = folder / "p.mlir"
    path.write_text(gemm.program(precision, chip, kind, m, n, k))
    done = subprocess.run(["te-compile", path, f"--target={chip}", "--explain", "-o", folder / "p.hsaco"], capture_output=True, text=True)
    assert done.returncode == 0 and "warning" not in done.stderr, f"{chip} {precision} {kind} {m} x {n} x {k}: {done.stderr}"
    return next(line for line in done.stdout.splitlines() if "schedule by" in line)


for chip in gemm.CHIPS:
    path = root / "share" / "schedules" / f"{chip}.json"
    assert path.stat().st_size <= MOST_BYTES, f"{path} has {path.stat().st_size} bytes"
    database = json.loads(path.read_text())
    assert database["target"] == chip
    print(f"{chip}: {sum(len(region['entries']) for region in database['regions'])} entries")
    problems = [(precision, *shape) for precision in gemm.PRECISIONS for shape in dict.fromkeys(shape[1:] for shape in gemm.shapes())]
    for precision, kind, m, n, k in draw.sample(problems, 6):
        line = explain(chip, precision, kind, m, n, k)
        assert f"schedule by te-tune, in share/schedules/{chip}.json, its entry for {m} x {n} x {k}:" in line, f"{chip} {precision} {kind}: {line}"
print("the entries are taken")
