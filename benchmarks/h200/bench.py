"""Memory-bound kernels on a GPU: ours, PyTorch eager, torch.compile, plain Triton, and a device copy, in one run.

    bench.py make --bin build/bin --target=sm_90a --out build/h200    compiles the programs of table.py
    bench.py run  build/h200 --out OUT [--forms ours,eager,compile,triton] [--rows REGEX]    on the machine with the GPU
    bench.py verify build/h200 --out OUT [--rows REGEX]               the same rows: our results against PyTorch's
    bench.py show OUT/bench.json --out OUT                            the table as Markdown, the plot as SVG

Times are medians between events of the device, launches queued behind each other; every row moves more than the caches hold. "Bytes" are the
least possible: each argument and each result once. Results are saved after each row, and the run ends before --seconds are over.
"""

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import launcher
import table

FORMS = ["ours", "eager", "compile", "triton"]
BARS = {False: 0.93, True: 0.85}  # of the copy; the second one where there are copies or sums along columns


def make(options):
    out = Path(options.out).resolve() / "bench"
    out.mkdir(parents=True, exist_ok=True)
    failures = 0
    for i, row in enumerate(table.ROWS):
        source, artefact = out / f"{i}.mlir", out / f"{i}.ptx"
        source.write_text(table.program(row))
        artefact.unlink(missing_ok=True)
        result = subprocess.run([Path(options.bin) / "te-compile", source, f"--target={options.target}", "-o", artefact],
                                capture_output=True, text=True)
        if result.returncode:
            failures += 1
            print(f"FAIL {row.key}: {result.stderr.strip().splitlines()[:1]}")
    print(f"{len(table.ROWS) - failures} programs in {out}, {failures} failures")
    return failures != 0


# ----------------------------------------------------------------------------------------------------------------
# run
# ----------------------------------------------------------------------------------------------------------------


def measure(function, sets, warmup=3, repeat=20):
    """The median of seconds a call; `sets` of arguments take turns."""
    import torch
    events = [torch.cuda.Event(enable_timing=True) for _ in range(warmup + repeat + 1)]
    events[0].record()
    for i, event in enumerate(events[1:]):
        function(*sets[i % len(sets)])
        event.record()
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) for a, b in list(zip(events, events[1:]))[warmup:])
    return (times[(repeat - 1) // 2] + times[repeat // 2]) / 2 * 1e-3


def measure_copy():
    """Bytes read and written a second, of large copies."""
    import torch
    rates = {}
    for mib in (256, 512, 1024):
        source = torch.randint(0, 256, (mib << 20,), dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        rates[f"{2 * mib} MiB"] = 2 * source.numel() / measure(lambda: target.copy_(source), [()])
    return rates


def run_ours(pack, chosen, deadline):
    """Reports of te-launch by the index of the row."""
    present = [i for i in chosen if (pack / "bench" / f"{i}.ptx").exists()]
    lines = [f"{pack}/bench/{i}.ptx --random-seed={i}" for i in present]
    return dict(zip(present, launcher.run(launcher.find(pack), "cuda", lines, deadline, "--time", "--warmup=3", "--repeat=20")))


def compare(a, b):
    """The share of elements that differ: bytes of codes, and by more than 2 % of the largest of the others."""
    import torch
    if a.shape != b.shape or a.dtype != b.dtype:
        return 1.0
    if a.element_size() == 1:
        return (a.view(torch.uint8) != b.view(torch.uint8)).float().mean().item()
    a, b = a.float(), b.float()
    return ((a - b).abs() > 0.02 * b.abs().max()).float().mean().item()


def make_function(form, row):
    import torch
    import torch_forms
    if form == "triton":
        import triton_forms
        return triton_forms.function(row)
    function = torch_forms.function(row)
    if form == "eager":
        return function
    return torch.compile(function, dynamic=False)


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def time_row(row, forms):
    """Seconds of each form, least bytes, and how far Triton's and torch.compile's results are apart."""
    import torch
    import torch_forms
    torch._dynamo.reset()
    arguments = torch_forms.inputs(row, "cuda")
    result, outputs = {"seconds": {}, "errors": {}}, {}
    for form in forms:
        try:
            function = make_function(form, row)
            outputs[form] = as_tuple(function(*arguments))
            result["least_bytes"] = sum(t.nbytes for t in (*arguments, *outputs[form]))
            result["seconds"][form] = measure(function, [arguments])
        except Exception as error:  # one form must not end the run
            result["errors"][form] = f"{type(error).__name__}: {str(error)[:300]}"
    if "triton" in outputs and "compile" in outputs:
        result["triton_off"] = [compare(a, b) for a, b in zip(outputs["triton"], outputs["compile"])]
    return result


def warm(options):
    """One process of several: compiles its share of the rows, so that torch's and Triton's caches have them."""
    import torch
    import torch_forms
    part, parts = (int(n) for n in options.warm.split("/"))
    for i in choose_rows(options)[part::parts]:
        for form in ("compile", "triton"):
            if form in options.forms and time.time() < options.until:
                try:
                    torch._dynamo.reset()
                    make_function(form, table.ROWS[i])(*torch_forms.inputs(table.ROWS[i], "cuda"))
                except Exception as error:
                    print(f"{table.ROWS[i].key}: {form}: {str(error)[:200]}", file=sys.stderr)
        torch.cuda.empty_cache()
    torch.cuda.synchronize()


def start_warming(options, seconds, jobs=8):
    until = time.time() + seconds
    processes = [subprocess.Popen([sys.executable, __file__, "run", options.pack, "--out", options.out, "--rows", options.rows, "--forms",
                                   ",".join(options.forms), "--warm", f"{part}/{jobs}", "--until", str(until)])
                 for part in range(jobs)]
    for process in processes:
        try:
            process.wait(max(1, until + 20 - time.time()))
        except subprocess.TimeoutExpired:
            process.kill()


def choose_rows(options):
    return [i for i, row in enumerate(table.ROWS) if re.search(options.rows, row.key)]


def describe_machine():
    import torch
    import triton
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    smi = subprocess.run(query, capture_output=True, text=True).stdout.strip()
    return {"gpu": smi, "torch": torch.__version__, "triton": triton.__version__, "date": time.strftime("%Y-%m-%d")}


def run(options):
    options.forms = options.forms.split(",")
    if options.warm:
        return warm(options)
    start = time.monotonic()
    deadline = start + options.seconds
    out, pack = Path(options.out).resolve(), Path(options.pack).resolve()
    out.mkdir(parents=True, exist_ok=True)
    chosen = choose_rows(options)
    data = {"command": " ".join(sys.argv), "machine": describe_machine(), "copy": measure_copy(), "rows": {}}
    for i in chosen:
        row = table.ROWS[i]
        data["rows"][row.key] = {"name": row.name, "shape": row.shape, "model": row.model, "columns": row.has_columns,
                                 "seconds": {}, "errors": {}}

    def save():
        (out / "bench.json").write_text(json.dumps(data, indent=1))
    if "ours" in options.forms:
        for i, report in run_ours(pack, chosen, start + options.seconds / 3).items():
            entry = data["rows"][table.ROWS[i].key]
            if "error" in report:
                entry["errors"]["ours"] = report["error"]
            else:
                entry["seconds"]["ours"], entry["least_bytes"] = report["median_seconds"], report["least_bytes"]
        save()
        print(f"ours: {time.monotonic() - start:.0f} s", flush=True)
    others = [form for form in options.forms if form != "ours"]
    if others:
        start_warming(options, min(options.seconds * 0.5, deadline - time.monotonic() - 60))
        print(f"compiled: {time.monotonic() - start:.0f} s", flush=True)
    for i in chosen if others else []:
        if time.monotonic() > deadline - 15:
            print("the time is up; the remaining rows are left out")
            break
        entry, timed = data["rows"][table.ROWS[i].key], time_row(table.ROWS[i], others)
        if timed.get("least_bytes", 0) != entry.get("least_bytes", timed.get("least_bytes", 0)):
            print(f"{table.ROWS[i].key}: torch moves {timed['least_bytes']} bytes, the program {entry['least_bytes']}")
        entry.setdefault("least_bytes", timed.get("least_bytes", 0))
        for key in ("seconds", "errors"):
            entry[key].update(timed[key])
        entry["triton_off"] = timed.get("triton_off")
        save()
    data["copy_again"] = measure_copy()
    save()
    show_all(data, out)
    print(f"{time.monotonic() - start:.0f} s")
    return False


# ----------------------------------------------------------------------------------------------------------------
# verify
# ----------------------------------------------------------------------------------------------------------------


def to_numpy(tensor):
    """As .npy files hold it: bf16 and fp8 as bit patterns."""
    import torch
    bits = {torch.bfloat16: torch.uint16, torch.float8_e4m3fn: torch.uint8}
    return tensor.contiguous().view(bits.get(tensor.dtype, tensor.dtype)).cpu().numpy()


def verify_row(program, artefact, row, folder, device="cuda", torch_device="cuda"):
    """The share of elements of each of our results that differ from PyTorch's."""
    import numpy as np
    import torch
    import torch_forms
    arguments = torch_forms.inputs(row, torch_device)
    expected = as_tuple(torch_forms.function(row)(*arguments))
    flags = []
    for i, argument in enumerate(arguments):
        np.save(folder / f"in{i}.npy", to_numpy(argument))
        flags.append(f"--input={folder}/in{i}.npy")
    torch.cuda.empty_cache()
    result = subprocess.run([program, artefact, f"--device={device}", f"--save={folder}/out", *flags], capture_output=True, text=True)
    if result.returncode:
        return result.stderr.strip()
    # result0, or result0.data and result0.scale, and so on.
    paths = sorted((folder / "out").iterdir(), key=lambda p: (int(re.search(r"\d+", p.name)[0]), p.name))
    off = {}
    for path, tensor in zip(paths, expected, strict=True):
        found = torch.from_numpy(np.load(path)).view(tensor.dtype).reshape(tensor.shape)
        off[path.stem] = compare(found.to(torch_device), tensor)
    return off


def verify(options):
    """Every row at its full size against PyTorch: what is only quantized must agree in every bit."""
    pack, out = Path(options.pack).resolve(), Path(options.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    program, found, failed = launcher.find(pack), {}, False
    end = time.monotonic() + options.seconds
    for i in choose_rows(options):
        if time.monotonic() > end:
            print("the time is up; the remaining rows are left out")
            break
        row = table.ROWS[i]
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            off = verify_row(program, pack / "bench" / f"{i}.ptx", row, Path(folder))
        # Sums in another order move a value by a bit of bf16 now and then, and its code with it.
        limit = 0 if row.op == "quantize" else 0.02
        good = isinstance(off, dict) and all(share <= limit for share in off.values())
        failed |= not good
        found[row.key] = {"pass": good, "off": off}
        print(f"{'PASS' if good else 'FAIL'} {row.key}: {off}", flush=True)
        (out / "verify.json").write_text(json.dumps(found, indent=1))
    return failed


# ----------------------------------------------------------------------------------------------------------------
# show
# ----------------------------------------------------------------------------------------------------------------


def get_copy_rate(data):
    """The largest of all copies of the run, before and after."""
    return max(rate for key in ("copy", "copy_again") for rate in data.get(key, {}).values())


def get_rates(entry):
    return {form: entry["least_bytes"] / seconds for form, seconds in entry["seconds"].items()}


def get_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def format_rate(rates, form):
    return f"{rates[form] / 1e12:.2f}" if form in rates else "-"


def make_markdown(data):
    copy = get_copy_rate(data)
    machine = ", ".join(f"{k} {v}" for k, v in data["machine"].items())
    lines = [f"{machine}; device copy {copy / 1e12:.2f} TB/s. Least possible bytes over time, TB/s:", "",
             "| program | shape | model | MB | ours | of copy | bar met | torch.compile | Triton | eager | ours / compile | ours / Triton |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    ratios = {"compile": [], "triton": []}
    met = [0, 0]
    for entry in data["rows"].values():
        rates = get_rates(entry) if entry["seconds"] else {}
        cells = {}
        for form, known in ratios.items():
            if "ours" in rates and form in rates:
                known.append(rates["ours"] / rates[form])
                cells[form] = f"{known[-1]:.2f}"
        share = rates["ours"] / copy if "ours" in rates else None
        isMet = share is not None and share >= BARS[entry["columns"]]
        met = [met[0] + isMet, met[1] + (share is not None)]
        lines.append("| " + " | ".join([
            entry["name"], "x".join(map(str, entry["shape"])), entry["model"], f"{entry.get('least_bytes', 0) / 1e6:.0f}",
            format_rate(rates, "ours"), "-" if share is None else f"{share:.2f}", "-" if share is None else ("yes" if isMet else "no"),
            *[format_rate(rates, form) for form in ("compile", "triton", "eager")],
            cells.get("compile", "-"), cells.get("triton", "-")]) + " |")
    lines += ["", f"Geometric means: ours / torch.compile {get_mean(ratios['compile']):.2f} ({len(ratios['compile'])} rows), "
              f"ours / Triton {get_mean(ratios['triton']):.2f} ({len(ratios['triton'])} rows). "
              f"Bars of {BARS[False]} (rows) and {BARS[True]} (columns) of the copy: met by {met[0]} of {met[1]}."]
    errors = [f"- {key}: {form}: {text.splitlines()[0]}" for key, entry in data["rows"].items() for form, text in entry["errors"].items()]
    return "\n".join(lines + ([""] + errors if errors else [])) + "\n"


COLOURS = {"ours": "#1b6ca8", "compile": "#e08e45", "triton": "#8d6bb8", "eager": "#b9bfc6"}


def make_svg(data):
    """Bars of each form for each row, against the copy."""
    copy, rows = get_copy_rate(data), [(k, e) for k, e in data["rows"].items() if e["seconds"]]
    left, width, step, thick = 330, 560, 50, 10
    height = 60 + step * len(rows)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" height="{height}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="100%" height="100%" fill="white"/>']
    for i, (form, colour) in enumerate(COLOURS.items()):
        parts += [f'<rect x="{left + 110 * i}" y="12" width="12" height="12" fill="{colour}"/>',
                  f'<text x="{left + 110 * i + 18}" y="22">{form}</text>']
    for share in (0.25, 0.5, 0.75, 1.0):
        x = left + width * share
        parts += [f'<line x1="{x}" y1="40" x2="{x}" y2="{height - 8}" stroke="{"#c0392b" if share == 1 else "#dddddd"}"/>',
                  f'<text x="{x}" y="38" text-anchor="middle">{share * copy / 1e12:.2f}{" TB/s: copy" if share == 1 else ""}</text>']
    for i, (key, entry) in enumerate(rows):
        y, rates = 46 + step * i, get_rates(entry)
        parts.append(f'<text x="{left - 8}" y="{y + 24}" text-anchor="end">{key}</text>')
        for j, (form, colour) in enumerate(COLOURS.items()):
            length = width * rates.get(form, 0) / copy
            parts.append(f'<rect x="{left}" y="{y + thick * j}" width="{length:.1f}" height="{thick - 1}" fill="{colour}"/>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def show_all(data, out):
    text = make_markdown(data)
    out.mkdir(parents=True, exist_ok=True)
    (out / "bench.md").write_text(text)
    (out / "bench.svg").write_text(make_svg(data))
    print(text)


def show(options):
    show_all(json.loads(Path(options.results).read_text()), Path(options.out))
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    step = steps.add_parser("make")
    step.add_argument("--bin", default="build/bin")
    step.add_argument("--target", default="sm_90a")
    step.add_argument("--out", default="build/h200")
    step = steps.add_parser("run")
    step.add_argument("pack")
    step.add_argument("--out", required=True)
    step.add_argument("--forms", default=",".join(FORMS))
    step.add_argument("--rows", default="", help="a regular expression for rows")
    step.add_argument("--seconds", type=float, default=460)
    step.add_argument("--warm", help=argparse.SUPPRESS)
    step.add_argument("--until", type=float, default=0, help=argparse.SUPPRESS)
    step = steps.add_parser("verify")
    step.add_argument("pack")
    step.add_argument("--out", required=True)
    step.add_argument("--rows", default="", help="a regular expression for rows")
    step.add_argument("--seconds", type=float, default=200)
    step = steps.add_parser("show")
    step.add_argument("results")
    step.add_argument("--out", required=True)
    options = parser.parse_args()
    sys.exit({"make": make, "run": run, "verify": verify, "show": show}[options.step](options))


if __name__ == "__main__":
    main()
