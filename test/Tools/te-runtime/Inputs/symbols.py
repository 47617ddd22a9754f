"""Fails where the symbols on the standard input are not the functions that the header declares."""

import re
import sys
from pathlib import Path

header = re.sub(r"/\*.*?\*/", "", Path(sys.argv[1]).read_text(), flags=re.S)
declared = set(re.findall(r"\b(te_\w+)\(", header))
exported = {line.split("@")[0] for line in sys.stdin.read().split()} - {"TE_RUNTIME_1"}
assert len(declared) > 20, declared
assert declared == exported, f"declared only: {declared - exported}, exported only: {exported - declared}"
