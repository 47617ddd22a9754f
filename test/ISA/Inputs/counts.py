"""Runs entries in the emulator and judges what te-run --stats=json counts.

usage: counts.py CHIP FILE ENTRY...
"""
import json
import subprocess
import sys

LIMIT = 1.03  # bytes moved over the least possible


def judge(chip, file, entry):
    text = subprocess.run(
        ["te-run", file, "--device=emulator", "--target=" + chip, "--entry=" + entry,
         "--stats=json"], check=True, capture_output=True, text=True).stdout
    report = json.loads(text)
    problems = []
    for launch in report["launches"]:
        counts = launch["counts"]
        if counts["lds_conflict_cycles"]:
            problems.append(f"{counts['lds_conflict_cycles']} LDS conflict cycles")
        if counts["scratch_accesses"]:
            problems.append(f"{counts['scratch_accesses']} scratch accesses")
        narrow = {w: n for w, n in counts["global_loads_by_width"].items() if int(w) < 16}
        if narrow:
            problems.append(f"loads narrower than 16 bytes: {narrow}")
    total = report["total"]
    moved = total["global_bytes"]["value"] / total["least_bytes"]["value"]
    if not 1 <= moved <= LIMIT:
        problems.append(f"moves {moved:.4f} x the least possible")
    return problems


def main():
    chip, file, *entries = sys.argv[1:]
    failed = False
    for entry in entries:
        for problem in judge(chip, file, entry):
            print(f"{chip} {entry}: {problem}")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
