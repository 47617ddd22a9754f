"""Spoils a pack of check.py: one case expects other bits, the program of the next one is cut off."""

import json
import sys
import tarfile
import tempfile
from pathlib import Path

pack = Path(sys.argv[1]) / "cases.tar.gz"
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    with tarfile.open(pack) as tar:
        tar.extractall(folder)
    cases = json.loads((folder / "cases.json").read_text())["cases"]
    path = max(folder.glob("cases/*/result0.data.npy"), key=lambda p: p.stat().st_size)
    wrong = int(path.parent.name)
    header = path.read_bytes().index(b"\n") + 1
    path.write_bytes(path.read_bytes()[:header] + bytes(code ^ 0x08 for code in path.read_bytes()[header:]))
    program = folder / cases[(wrong + 1) % len(cases)]["program"]
    program.write_bytes(program.read_bytes()[:100])
    with tarfile.open(pack, "w:gz") as tar:
        tar.add(folder, ".")
