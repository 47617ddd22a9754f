"""Runs the commands of a page, and compares what it shows: check_page.py PAGE --build BUILD

    ```sh             commands, run in the root of the project; build/ is BUILD
    ```               behind them: lines that they print
    ```cpp FILE       lines of a file

Shown lines come in this order, perhaps with others between; `...` stands for anything, alone or in a line. Runs of spaces are one.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(\S*)[ ]?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_missing(shown: str, text: str) -> str | None:
    """The first shown line that the text does not have behind the ones before it."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    at = 0
    for line in shown.splitlines():
        line = " ".join(line.split())
        if line in ("", "..."):
            continue
        pattern = re.compile(".*".join(map(re.escape, line.split("..."))))
        found = next((i for i in range(at, len(lines)) if pattern.fullmatch(lines[i])), None)
        if found is None:
            return line
        at = found + 1
    return None


def run(command: str, build: Path) -> str:
    command = re.sub(r"(?<![\w/])build/", f"{build}/", command)
    result = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"FAIL {command}{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--build", type=Path, required=True)
    options = parser.parse_args()
    output, commands, checked = "", 0, 0
    for language, file, shown in BLOCK.findall(options.page.read_text()):
        if language == "sh":
            output = run(shown, options.build.resolve())
            commands += 1
            continue
        missing = find_missing(shown, (ROOT / file).read_text() if file else output)
        if missing is not None:
            raise SystemExit(f"FAIL {options.page}: '{missing}' is not in {file or 'the output'}, or not in this order\n{'' if file else output}")
        checked += 1
    print(f"PASS {commands} commands, {checked} blocks")


if __name__ == "__main__":
    main()
