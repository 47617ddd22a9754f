"""te.gemm in the cycle model, and the same products through Triton's AMD backend: layers of known models, squares, decoding.

    build/venv/bin/python benchmarks/gemm.py --bin build/bin [--triton=FILE] [--precision=bf16,...] [--chip=gfx950] [--filter=TEXT] [--least=N] [--shuffled]

Results are bf16. "Modelled" figures are the cycle model's at the peak clock (docs/cycle-model.md), of a sample of the grid (te-run --sample);
compile: cold process, host wall time, median of 3. The roofline is what the operands' fastest instruction and the achievable bandwidth
allow, each operand and the result moved once. With --triton its kernels (gemm_triton.py) run in the same emulator and cycle model, the fastest of
a short list of configurations each; the file keeps these results, and rows that it has are not run again, unless the model has changed.
"""

import argparse
import hashlib
import itertools
import json
import math
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

CHIPS = ("gfx942", "gfx950")
PRECISIONS = ("bf16", "f16", "fp8", "mxfp8", "mxfp4")
# (N, K) of layers, by model, and tokens of a step (of one expert's share of it).
MODELS = {
    "LLaMA-3-8B": (4096, {"qkv": (6144, 4096), "o": (4096, 4096), "gate_up": (28672, 4096), "down": (4096, 14336)}),
    "LLaMA-3-70B": (4096, {"qkv": (10240, 8192), "o": (8192, 8192), "gate_up": (57344, 8192), "down": (8192, 28672)}),
    "Mixtral-8x7B": (1024, {"expert gate_up": (28672, 4096), "expert down": (4096, 14336)}),
    "DeepSeek-V3": (4096, {"q_a": (1536, 7168), "q_b": (24576, 1536), "kv_b": (32768, 512), "o": (7168, 16384)}),
    "DeepSeek-V3 expert": (512, {"gate_up": (4096, 7168), "down": (7168, 2048)}),
}
DECODED = [("LLaMA-3-8B gate_up", 28672, 4096), ("LLaMA-3-70B down", 8192, 28672), ("DeepSeek-V3 q_a", 1536, 7168)]
# Flops that a CU's matrix cores do in a clock.
FLOPS = {"gfx942": {"bf16": 2048, "f16": 2048, "fp8": 4096, "mxfp8": 2048, "mxfp4": 2048},  # no scaled instructions: bf16
         "gfx950": {"bf16": 4096, "f16": 4096, "fp8": 8192, "mxfp8": 8192, "mxfp4": 16384}}
BITS = {"bf16": 16, "f16": 16, "fp8": 8, "mxfp8": 8.25, "mxfp4": 4.25}
# What the cycle model's results depend on beside its own sources.
MODEL = ("lib/Target/Timing.cpp", "lib/Target/Target.cpp", "lib/Emulator/Launch.cpp", "lib/Emulator/Lds.cpp",
         "lib/Emulator/Profile.cpp", "lib/Emulator/Recorder.cpp", "lib/Emulator/Work.cpp")
# Of a loop's time, what matrix cores should be busy.
BAR = {"bf16": 0.95, "f16": 0.95, "fp8": 0.95, "mxfp8": 0.95, "mxfp4": 0.9}
# Which operands are stored the other way round.
PASSES = {"fprop": (False, True), "dgrad": (False, False), "wgrad": (True, False)}


def shapes():
    """Name, pass, M, N, K of every product."""
    for model, (tokens, layers) in MODELS.items():
        for layer, (n, k) in layers.items():
            for kind, (m, n, k) in {"fprop": (tokens, n, k), "dgrad": (tokens, k, n), "wgrad": (n, k, tokens)}.items():
                yield f"{model} {layer}", kind, m, n, k
    for size in (1024, 2048, 4096, 8192, 16384):
        yield "square", "fprop", size, size, size
    for name, n, k in DECODED:
        for m in (1, 16, 64):
            yield f"{name} decode", "fprop", m, n, k


def operand(precision, chip, rows, columns, is_exchanged, is_shuffled=False):
    """Of `rows` x `columns`, the columns along K; exchanged: stored with K first, and quantized along it; shuffled: as AITER stores weights."""
    shape = f"{columns}x{rows}x" if is_exchanged else f"{rows}x{columns}x"
    block = f"block = {'[32, 1]' if is_exchanged else '[1, 32]'}, scale = f8E8M0FNU"
    packed = ", rounding = even" + (", data_layout = transposed" if is_exchanged else "")  # fp4 codes lie along K
    data, scales = (", data_layout = shuffle_16x16", ", scale_layout = e8m0_shuffle") if is_shuffled else ("", "")
    block, packed = block + scales, packed + data
    return {"bf16": f"tensor<{shape}bf16>", "f16": f"tensor<{shape}f16>",
            "fp8": f"!te.scaled<{shape}{'f8E4M3FNUZ' if chip == 'gfx942' else 'f8E4M3FN'}, #te.scaling<tensor, scale = f32{data}>>",
            "mxfp8": f"!te.scaled<{shape}f8E4M3FN, #te.scaling<{block}{data}>>",
            "mxfp4": f"!te.scaled<{shape}f4E2M1FN, #te.scaling<{block}{packed}>>"}[precision]


def program(precision, chip, kind, m, n, k, is_shuffled=False):
    ta, tb = PASSES[kind]
    x, w, d = operand(precision, chip, m, k, ta), operand(precision, chip, n, k, not tb, is_shuffled), f"tensor<{m}x{n}xbf16>"
    words = " transpose_a" * ta + " transpose_b" * tb
    return f"func.func @gemm(%x: {x}, %w: {w}) -> {d} {{\n  %y = te.gemm %x, %w{words} : {x}, {w} -> {d}\n  return %y : {d}\n}}\n"


def profile(tools, folder, flags):
    """The profile of the launch that takes longest, with the seconds of all; or None and why."""
    path = folder / "profile.json"
    done = subprocess.run([tools / "te-run", *flags, "--device=emulator", f"--profile={path}", "--sample"], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1].rpartition(".hsaco: ")[2]
    found = json.loads(path.read_text())
    launch = max(found["launches"], key=lambda launch: launch["grid"]["seconds"])
    launch["grid"]["seconds"] = found["seconds"]
    return launch, ""


def measure_ours(tools, folder, row, chip, precision, is_shuffled, more):
    """The launch's profile and milliseconds to compile; or None and why."""
    source, artefact = folder / "gemm.mlir", folder / "gemm.hsaco"
    source.write_text(program(precision, chip, *row[1:], is_shuffled))
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run([tools / "te-compile", source, f"--target={chip}", "-o", artefact, *more], capture_output=True, text=True)
        seconds.append(time.perf_counter() - start)
        if done.returncode:
            return None, done.stderr.strip().splitlines()[0]
    launch, why = profile(tools, folder, [artefact])
    return (launch, statistics.median(seconds) * 1e3) if launch else (None, why)


class TritonResults:
    """What a file has of Triton's kernels by one model of time: the sources of the cycle model and of the kernels."""

    def __init__(self, path, kernels=("gemm_triton.py",)):
        self.path, self.rows = path, {}
        root = Path(__file__).parents[1]
        sources = [*sorted(root.glob("lib/CycleModel/*")), *(root / name for name in MODEL), *(root / "benchmarks" / name for name in kernels)]
        self.model = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
        if path.exists():
            kept = json.loads(path.read_text())
            if kept["model"] == self.model:
                self.rows = kept["rows"]
            else:
                print(f"{path} is of another model; Triton's kernels run again\n")

    def add(self, key, row):
        self.rows[key] = row
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({"model": self.model, "rows": self.rows}, indent=1))
        part.replace(self.path)


def is_supported(precision, chip):
    """By Triton: tl.dot_scaled takes scales of both sides on gfx950 only."""
    return not precision.startswith("mx") or chip == "gfx950"


def measure_triton(tools, folder, row, chip, precision, results):
    """{"seconds", "configuration", "failures"} as the file has it, or measured; no seconds where no configuration runs."""
    name, kind, m, n, k = row
    key = f"{chip} {precision} {kind} {m} {n} {k}"
    if key not in results.rows:
        import gemm_triton
        product = gemm_triton.Product(precision, chip, m, n, k, *PASSES[kind])
        best, failures = gemm_triton.measure(lambda flags: profile(tools, folder, flags), product, folder)
        found = {"failures": failures}
        if best:
            launch, configuration = best
            found |= {"seconds": launch["grid"]["seconds"], "configuration": configuration, "mfma": launch["mfma"]["busy"],
                      "registers": launch["occupancy"]["registers"], "lds": launch["occupancy"]["lds_bytes"]}
        results.add(key, found)
    return results.rows[key]


def tune(tools, folder, chip, database, budget):
    """te-schedule's time / that of the fastest schedule that te-tune finds for the program in the folder."""
    done = subprocess.run([tools / "te-tune", folder / "gemm.mlir", f"--target={chip}", f"--tuning-db={database}", f"--budget={budget}"],
                          check=True, capture_output=True, text=True)
    best, default = re.search(r": (\d+) clocks, .* te-schedule's (\d+);", done.stdout).groups()
    return int(default) / int(best)


def roofline(launch, precision, chip, m, n, k):
    """Seconds."""
    peak = FLOPS[chip][precision] * launch["grid"]["compute_units"] * launch["grid"]["clock_ghz"] * 1e9
    moved = (m + n) * k * BITS[precision] / 8 + 2 * m * n
    return max(2 * m * n * k / peak, moved / launch["memory"]["achievable_bytes_per_second"])


def geometric_mean(values):
    return math.exp(statistics.mean(map(math.log, values)))


def summarize(results):
    """`results`: precision, chip, share of the roofline, Triton's time / ours or None, default / tuned or None, of each row."""
    print("\n| operands | chip | rows | of the roofline, geometric mean | Triton / ours, geometric mean | median | least | rows where ours is faster | default / tuned, geometric mean | within 5 % |")
    print("| --- " * 10 + "|")
    groups = {}
    for result in results:
        for key in (result[:2], ("all", "")):
            groups.setdefault(key, []).append(result[2:])
    for (precision, chip), group in sorted(groups.items(), key=lambda item: item[0][0] == "all"):
        ratios = [ratio for _, ratio, _ in group if ratio]
        tuned = [ratio for _, _, ratio in group if ratio]
        cells = [precision, chip, len(group), f"{geometric_mean([share for share, _, _ in group]):.1%}"]
        cells += [f"{geometric_mean(ratios):.3f}", f"{statistics.median(ratios):.2f}", f"{min(ratios):.2f}",
                  f"{sum(r > 1 for r in ratios)} of {len(ratios)}"] if ratios else ["-"] * 4
        cells += [f"{geometric_mean(tuned):.3f}", f"{sum(r <= 1.05 for r in tuned)} of {len(tuned)}"] if tuned else ["-"] * 2
        print("| " + " | ".join(map(str, cells)) + " |")


def summarize_loops(loops):
    """`loops`: precision, chip and the share in which the loop's matrix cores are busy, of each row."""
    groups = {}
    for precision, chip, busy in loops:
        groups.setdefault((precision, chip), []).append(busy)
    for (precision, chip), group in sorted(groups.items()):
        reached = sum(busy >= BAR[precision] for busy in group)
        print(f"{precision} on {chip}: {reached} of {len(group)} loops at {BAR[precision]:.0%}, least {min(group):.1%}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the folder of te-compile and te-run")
    parser.add_argument("--triton", type=Path, help="run Triton's kernels too, and keep their results in this file (JSON)")
    parser.add_argument("--precision", default=",".join(PRECISIONS), help="some of " + ", ".join(PRECISIONS))
    parser.add_argument("--chip", default=",".join(CHIPS), help="some of " + ", ".join(CHIPS))
    parser.add_argument("--filter", default="", help="rows whose name, pass or M x N x K have this in them")
    parser.add_argument("--least", type=int, default=0, help="rows whose sizes are all so much at least")
    parser.add_argument("--shuffled", action="store_true", help="X W^T alone, of quantized operands: W and its scales as AITER stores them (shuffle_16x16, e8m0_shuffle); Triton's are row-major")
    parser.add_argument("--tuning-db", type=Path,
                        help="schedules of te-tune: te-compile takes them from this file; with --tune they go there, and the table has te-schedule's")
    parser.add_argument("--tune", help="run te-tune for each row, with this budget (60s, or 60 schedules)")
    options = parser.parse_args()
    tools = Path(options.bin).resolve()
    triton = TritonResults(options.triton) if options.triton else None
    if options.tune and not options.tuning_db:
        parser.error("--tune needs --tuning-db=FILE")
    more = [f"--tuning-db={options.tuning_db}"] if options.tuning_db and not options.tune else []
    rows = [row for row in shapes() if options.filter in f"{row[0]} {row[1]} {row[2]} x {row[3]} x {row[4]}" and min(row[2:]) >= options.least and not (options.shuffled and row[1] != "fprop")]
    precisions = [precision for precision in options.precision.split(",") if not (options.shuffled and precision in ("bf16", "f16"))]
    print("| product | pass | M x N x K | operands | chip | modelled, us | TFLOP/s | of the roofline | MFMA busy | in the loop | waves a SIMD | registers | LDS, bytes | compile, ms | Triton, us | Triton / ours | default / tuned |")
    print("| --- " * 17 + "|")
    results, loops, start = [], [], time.time()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for precision, chip, row in itertools.product(precisions, options.chip.split(","), rows):
            name, kind, m, n, k = row
            launch, compiled = measure_ours(tools, folder, row, chip, precision, options.shuffled, more)
            head = f"| {name} | {kind} | {m} x {n} x {k} | {precision} | {chip} |"
            if not launch:
                print(f"{head} {compiled} |" + " |" * 11, flush=True)
                continue
            seconds, use, mfma = launch["grid"]["seconds"], launch["occupancy"], launch["mfma"]
            share = roofline(launch, precision, chip, m, n, k) / seconds
            theirs = measure_triton(tools, folder, row, chip, precision, triton) if triton and is_supported(precision, chip) else {}
            ratio = theirs["seconds"] / seconds if "seconds" in theirs else None
            tuned = tune(tools, folder, chip, options.tuning_db, options.tune) if options.tune else None
            results.append((precision, chip, share, ratio, tuned))
            steady = mfma.get("loop") or mfma.get("middle")  # a few iterations are neither
            loop = f"{steady['busy']:.1%}" if steady else "-"
            if steady:
                loops.append((precision, chip, steady["busy"]))
            print(f"{head} {seconds * 1e6:.1f} | {2 * m * n * k / seconds / 1e12:.0f} | {share:.1%} | {mfma['busy']:.1%} | {loop} | "
                  f"{use['waves_per_simd']} | {use['registers']} | {use['lds_bytes']} | {compiled:.0f} | "
                  + (f"{theirs['seconds'] * 1e6:.1f} | {ratio:.2f} | " if ratio else f"{'does not run' if theirs else '-'} | - | ")
                  + (f"{tuned:.2f} |" if tuned else "- |"), flush=True)
    summarize(results)
    summarize_loops(loops)
    print(f"\n{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
