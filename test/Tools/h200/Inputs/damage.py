"""Spoils a pack of check.py: case 0 expects other bits and gets another input, case 1's program is cut off."""

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
    for path in (folder / "cases/0").glob("result*.data.npy"):
        data = bytearray(path.read_bytes())
        data[-1] ^= 0x08  # a bit of the last element
        path.write_bytes(bytes(data))
    program = folder / cases[1]["program"]
    program.write_bytes(program.read_bytes()[:100])
    with tarfile.open(pack, "w:gz") as tar:
        tar.add(folder, ".")
