"""effort.py KIND N [N...]: what te-fuse looks at for programs of benchmarks/many_ops.py, how that grows with N, and the kernels."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PASSES = "builtin.module(func.func(te-fuse{target=gfx950 report-effort}),te-share-kernels)"

before = None
for count in map(int, sys.argv[2:]):
    text = subprocess.run([sys.executable, ROOT / "benchmarks" / "many_ops.py", "--print", sys.argv[1], str(count)],
                          check=True, capture_output=True).stdout
    run = subprocess.run(["te-opt", "--pass-pipeline=" + PASSES], input=text, check=True, capture_output=True)
    ops, *looked = map(int, re.search(rb"te-fuse: ops (\d+), tried (\d+), searched (\d+)", run.stderr).groups())
    names = re.findall(rb'te.fusion "(\w+)"', run.stdout)
    print(f"ops {ops} regions {len(names)} kernels {len(set(names))} looked at {sum(looked)}", end="")
    print(f" growth {sum(looked) / max(1, before[1]) / (ops / before[0]):.2f}" if before else "")
    before = ops, sum(looked)
