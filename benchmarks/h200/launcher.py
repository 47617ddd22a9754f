"""te-launch on the machine with the GPU: where it is, and many runs of it in one process."""

import json
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(target, *flags):
    """te-launch by g++ alone."""
    sources = [str(p) for d in ("lib/Runtime", "tools/te-launch") for p in sorted((ROOT / d).glob("*.cpp"))]
    subprocess.run(["g++", "-std=c++20", "-Wno-restrict", *flags, f"-I{ROOT}/include", *sources, "-ldl", "-o", str(target)], check=True)


def find(pack):
    """The te-launch of the pack, or one built here where that does not start."""
    packed = pack / "te-launch"
    try:
        if subprocess.run([packed, "--help"], capture_output=True).returncode == 0:
            return packed
    except OSError:
        pass
    built = Path(tempfile.mkdtemp()) / "te-launch"
    build(built, "-O1", f"-I{pack}/include")
    return built


def read_reports(text):
    """The lines of --json; the last one may be cut off where the process was stopped."""
    reports = []
    for line in text.splitlines():
        try:
            reports.append(json.loads(line))
        except json.JSONDecodeError:
            break
    return reports


def run(launcher, device, lines, deadline, *flags, folder="."):
    """A report for each line of a batch. A kernel's fault spoils what follows it in its process: another one goes on there.
    What is left when the time is up has the error "not run"."""
    reports = []
    while len(reports) < len(lines) and time.monotonic() < deadline:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as batch:
            batch.write("".join(f"{line}\n" for line in lines[len(reports):]))
            batch.flush()
            try:
                result = subprocess.run([launcher, f"--batch={batch.name}", f"--device={device}", "--json", *flags], cwd=folder,
                                        capture_output=True, text=True, timeout=deadline - time.monotonic())
                found, end = read_reports(result.stdout), result.stderr.strip() or f"exit code {result.returncode}"
            except subprocess.TimeoutExpired as stopped:
                found, end = read_reports((stopped.stdout or b"").decode()), "it did not end"
        last = next((i + 1 for i, report in enumerate(found) if "error" in report), len(found))
        reports += found[:last]
        if last == len(found) and len(reports) < len(lines):
            reports.append({"error": end})
    return reports + [{"error": "not run: the time was up"}] * (len(lines) - len(reports))
