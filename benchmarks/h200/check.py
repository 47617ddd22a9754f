"""Correctness on a GPU, in three steps, for the reference is on one machine and the GPU on another:

    check.py make  --bin build/bin --target=sm_90a --out build/h200     compiles, computes what is expected, packs
    check.py run   build/h200 --out OUT [--device=cuda]                 on the machine with the GPU
    check.py judge build/h200 --bin build/bin OUT                       what bits alone could not decide

Programs and shapes are those of test/Numerics (every family, a random choice of its runs by the printed seed). `run` compares
bit by bit, or within the tolerances of docs/spec.md where a value is approximate; where a quantized approximate value differs by more
than a code, `judge` looks at data and scales together, by te-run's own rule.
"""

import argparse
import collections
import json
import math
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import clusters
import launcher

ROOT = Path(__file__).resolve().parents[2]
PACK_MIB = 30      # the most that the packed cases may take
SMALL, LARGE = 192 << 10, 1 << 20  # bytes of a case; of each family one may be large
RESULTS_MIB = 14   # the most that results to be judged may take

# ----------------------------------------------------------------------------------------------------------------
# make
# ----------------------------------------------------------------------------------------------------------------


def make_recorder(sweep):
    """A sweep that writes down what it would compile and run."""
    class Recorder(sweep.Sweep):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.recorded, self.files = [], 0

        def compile(self, name, text):
            return (name, text)

        def run(self, what, artefact, arguments, kinds=("",)):
            self.seed += 10
            inputs = []
            for i, kind in enumerate(kinds):
                if isinstance(kind, Path):  # the sweep writes it again for its next run
                    self.files += 1
                    copy = kind.with_name(f"{self.files}-{kind.name}")
                    shutil.copy(kind, copy)
                    inputs.append(f"--input={copy}")
                else:
                    inputs.append(f"--input=random:{self.seed + i}{kind}")
            self.recorded.append({"what": what, "program": artefact, "flags": [*arguments, *inputs]})
    return Recorder


def estimate(run):
    """Elements of the first shape that the run's description has; 0 where it has none."""
    shape = re.search(r"\(([\d, ]+)\)", run["what"])
    return math.prod(int(n) for n in shape[1].split(",") if n.strip()) if shape else 0


def choose(runs, rng):
    """All runs, in an order in which each program comes early once."""
    rng.shuffle(runs)
    seen = collections.Counter()
    order = []
    for run in runs:
        name = run["program"][0].rsplit("-", 1)[0]
        order.append((seen[name], len(order), run))
        seen[name] += 1
    return [run for _, _, run in sorted(order, key=lambda o: o[:2])]


def read_size(path):
    return sum(f.stat().st_size for f in path.iterdir())


class Maker:
    """Compiles programs, each once, and saves cases, in the folder that becomes the pack."""

    def __init__(self, folder, binaries, target):
        self.folder, self.binaries, self.target = folder, binaries, target
        self.programs, self.cases, self.failures = {}, [], []
        (folder / "programs").mkdir()

    def call(self, *command):
        return subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=self.folder)

    def compile(self, name, text):
        key = (name, text)
        if key not in self.programs:
            stem = f"programs/{len(self.programs)}"
            (self.folder / f"{stem}.mlir").write_text(text)
            result = self.call(self.binaries / "te-compile", f"{stem}.mlir", f"--target={self.target}", "-o",
                               f"{stem}.bin")
            self.programs[key] = f"{stem}.bin" if result.returncode == 0 else None
            if result.returncode:
                self.failures.append({"program": name, "text": text, "error": result.stderr.strip()})
        return self.programs[key]

    def add_family(self, family, runs, count):
        """Cases by the first runs of the list that are small enough."""
        target, limit = len(self.cases) + count, LARGE
        for run in runs:
            if len(self.cases) == target:
                break
            if estimate(run) * 2 > limit:
                continue
            bytes_ = self.add(family, run, limit)
            if bytes_ > SMALL:
                limit = SMALL

    def add(self, family, run, limit):
        """The bytes of the case; 0 where there is none."""
        program = self.compile(f"{family}/{run['program'][0]}", run["program"][1])
        if program is None:
            return 0
        name = f"cases/{len(self.cases)}"
        result = self.call(self.binaries / "te-run", program, f"--save={name}", *run["flags"])
        if result.returncode:
            self.failures.append({"program": run["what"], "error": result.stderr.strip()})
            return 0
        size = read_size(self.folder / name)
        if size > limit:
            shutil.rmtree(self.folder / name)
            return 0
        flags = (self.folder / name / "flags").read_text().strip()
        (self.folder / name / "flags").unlink()
        self.cases.append({"id": len(self.cases), "family": family, "what": run["what"], "program": program,
                           "line": f"{program} {flags}"})
        return size


def make(options):
    sys.path.insert(0, str(ROOT / "test/Numerics/Inputs"))
    import sweep
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    out = Path(options.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    recorder = make_recorder(sweep)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as scratch:
        maker = Maker(Path(folder), Path(options.bin).resolve(), options.target)
        # The second target has no te.gemm.
        memory_bound = [f for f in sweep.list_families() if f not in sweep.gemm_families(options.target)]
        for family in options.families or [*memory_bound, "clusters"]:
            if family == "clusters":
                recorded = clusters.runs(maker.binaries / "te-compile", options.target, rng)
            else:
                recording = recorder(options.target, options.seed, scratch, False)
                recording.family(family)
                recorded = recording.recorded
            before = len(maker.cases), len(maker.failures)
            maker.add_family(family, choose(recorded, rng), options.count)
            print(f"{family}: {len(maker.cases) - before[0]} cases, {len(maker.failures) - before[1]} failures", flush=True)
        manifest = {"seed": options.seed, "target": options.target, "cases": maker.cases, "failures": maker.failures}
        (maker.folder / "cases.json").write_text(json.dumps(manifest))
        with tarfile.open(out / "cases.tar.gz", "w:gz") as tar:
            tar.add(folder, ".", filter=lambda member: None if member.name.endswith(".mlir") else member)
    if not options.cases_only:
        launcher.build(out / "te-launch", "-O2", "-static-libstdc++", "-static-libgcc")
        shutil.copytree("/usr/include/nlohmann", out / "include" / "nlohmann", dirs_exist_ok=True)
    size = (out / "cases.tar.gz").stat().st_size / 2**20
    print(f"{len(maker.cases)} cases of {len(maker.programs)} programs, {len(maker.failures)} failures, {size:.1f} MiB")
    for failure in maker.failures:
        print(f"FAIL {failure['program']}: {failure['error'].splitlines()[:1]}")
    if size > PACK_MIB:
        print(f"the pack is larger than {PACK_MIB} MiB; give a smaller --count")
    return bool(maker.failures) or size > PACK_MIB


# ----------------------------------------------------------------------------------------------------------------
# run
# ----------------------------------------------------------------------------------------------------------------


def classify(report):
    """exact: no bit differs. within: the tolerance. judge: quantized approximate values are further off. fail."""
    if "error" in report:
        return "error"
    off = [r for r in report["results"] if r["mismatches"]]
    if not off:
        return "within" if any(r["differences"] for r in report["results"]) else "exact"
    return "fail" if any(r["rule"] == "exact" for r in off) else "judge"


KINDS = ["exact", "within", "judge", "fail", "error"]


def print_table(cases, kinds):
    by_family = {}
    for case, kind in zip(cases, kinds):
        by_family.setdefault(case["family"], collections.Counter())[kind] += 1
    by_family["all"] = collections.Counter(kinds)
    print(f"{'family':16}" + "".join(f"{k:>8}" for k in KINDS))
    for family, counts in by_family.items():
        print(f"{family:16}" + "".join(f"{counts[k]:8}" for k in KINDS))


def describe(case, report):
    worst = [f"{r['name']}: {r['mismatches']} of {r['elements']} ({r['rule']}), max abs {r['max_abs']:.3g}, ulp {r['max_ulp']:.3g}"
             for r in report.get("results", []) if r["mismatches"]]
    return f"{case['id']} {case['family']} {case['what']}: {report.get('error') or '; '.join(worst)}"


def save_results(folder, out, chosen):
    """Results to be judged where the reference is, as many as fit; returns those left out."""
    left_out, bytes_left = [], RESULTS_MIB << 20
    with tarfile.open(out / "results.tar.gz", "w:gz") as tar:
        for case in chosen:
            path = folder / f"out-{case['id']}"
            bytes_left -= read_size(path)
            if bytes_left < 0:
                left_out.append(case["id"])
            else:
                tar.add(path, path.name)
    return left_out


def run(options):
    pack, out = Path(options.pack).resolve(), Path(options.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + options.seconds
    program = Path(options.launch).resolve() if options.launch else launcher.find(pack)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(pack / "cases.tar.gz") as tar:
            tar.extractall(folder)
        cases = json.loads((folder / "cases.json").read_text())["cases"]
        # Cases of one program stay together, for it is loaded once.
        cases.sort(key=lambda c: (c["program"], c["id"]))
        parts = [cases[i * len(cases) // options.jobs:(i + 1) * len(cases) // options.jobs] for i in range(options.jobs)]
        parts = [p for p in parts if p]
        with ThreadPoolExecutor(len(parts)) as pool:
            reports = sum(pool.map(lambda part: launcher.run(
                program, options.device, [f"{c['line']} --save=out-{c['id']}" for c in part], deadline, folder=folder), parts), [])
        kinds = [classify(r) for r in reports]
        left_out = save_results(folder, out, [c for c, k in zip(cases, kinds) if k in ("judge", "fail")])
    (out / "check.json").write_text(json.dumps(
        [{"id": c["id"], "family": c["family"], "what": c["what"], "kind": k, "report": r}
         for c, k, r in zip(cases, kinds, reports)], indent=1))
    for case, kind, report in zip(cases, kinds, reports):
        if kind in ("fail", "error"):
            print(kind.upper(), describe(case, report))
    if left_out:
        print(f"results too large to come back: {left_out}")
    print_table(cases, kinds)
    return any(k in ("fail", "error") for k in kinds)


# ----------------------------------------------------------------------------------------------------------------
# judge
# ----------------------------------------------------------------------------------------------------------------


def judge(options):
    pack, out = Path(options.pack).resolve(), Path(options.results).resolve()
    found = json.loads((out / "check.json").read_text())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for archive in (pack / "cases.tar.gz", out / "results.tar.gz"):
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
        cases = {c["id"]: c for c in json.loads((folder / "cases.json").read_text())["cases"]}
        for entry in found:
            if entry["kind"] not in ("judge", "fail"):
                continue
            case = cases[entry["id"]]
            # The inputs of the pack, for some of the sweep's are files that are gone.
            inputs = [word for word in case["line"].split() if word.startswith(("--input=", "--dim=", "--entry="))]
            result = subprocess.run([Path(options.bin).resolve() / "te-run", case["program"], "--check",
                                     f"--results=out-{case['id']}", *inputs], cwd=folder, capture_output=True, text=True)
            entry["kind"] = "within" if result.returncode == 0 and entry["kind"] == "judge" else "fail"
            entry["judged"] = result.stdout + result.stderr
            if entry["kind"] == "fail":
                print(f"FAIL {case['id']} {case['family']} {case['what']}\n{entry['judged']}")
    (out / "judged.json").write_text(json.dumps(found, indent=1))
    print_table(found, [entry["kind"] for entry in found])
    return any(entry["kind"] != "exact" and entry["kind"] != "within" for entry in found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("make")
    step.add_argument("--bin", default="build/bin")
    step.add_argument("--target", default="sm_90a")
    step.add_argument("--out", default="build/h200")
    step.add_argument("--count", type=int, default=24, help="cases a family")
    step.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    step.add_argument("--cases-only", action="store_true", help="no te-launch beside them")
    step.add_argument("--families", nargs="*", help="some of them only")
    step = steps.add_parser("run")
    step.add_argument("pack")
    step.add_argument("--out", required=True)
    step.add_argument("--device", default="cuda")
    step.add_argument("--launch", help="another te-launch")
    step.add_argument("--jobs", type=int, default=8, help="processes that share the GPU")
    step.add_argument("--seconds", type=float, default=240)
    step = steps.add_parser("judge")
    step.add_argument("pack")
    step.add_argument("results", help="the folder of `run`")
    step.add_argument("--bin", default="build/bin")
    options = parser.parse_args()
    sys.exit({"make": make, "run": run, "judge": judge}[options.step](options))


if __name__ == "__main__":
    main()
