"""program.ptx of te-launch's tests as an object for gfx950: make.py OBJECT OUT, with an empty OBJECT."""

import subprocess
import sys
from pathlib import Path

source = Path(__file__).parents[2] / "te-launch/Inputs/quantize.ptx"
lines = source.read_text().splitlines()
manifest = "\n".join(line.removeprefix("// ") for line in lines[1:lines.index("// te.manifest end")])
Path("manifest.json").write_text(manifest.replace("sm_90a", "gfx950"))
subprocess.run(["llvm-objcopy", "--add-section", ".te.manifest=manifest.json", sys.argv[1], sys.argv[2]], check=True)
