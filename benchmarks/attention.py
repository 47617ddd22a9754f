"""te.attention in the cycle model, beside AITER's kernels of the same problem where it ships one, and the least possible.

    build/venv/bin/python benchmarks/attention.py --bin build/bin [--clock=GHZ] [--chip=gfx950] [--quick] [--triton=FILE]

bf16, (batch, sequence, heads, size); modelled of a sample of the grid (te-run --profile --sample), at the peak clock unless --clock says
otherwise. A causal mask counts half of the operations. "least": the matrix cores' peak, or memory where that takes longer. AITER's
kernels are its machine code as it is shipped (head size 128, no mask or causal); --quick leaves them out. With --triton a flash attention
in Triton (attention_triton.py) runs in the same emulator and cycle model, the fastest of a short list of configurations; the file keeps
these results, at the peak clock, and rows that it has are not run again, unless the model has changed. Compilation is cold, a process.
"""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import aiter
import gemm
from aiter import harness

# (batch, queries, keys, heads of q, of k and v, size, size of v, causal)
PROBLEMS = [(1, 4096, 4096, 16, 16, 128, 128, False), (1, 4096, 4096, 16, 16, 128, 128, True), (1, 8192, 8192, 32, 8, 128, 128, True),
            (1, 4096, 4096, 16, 16, 64, 64, False), (1, 4096, 4096, 16, 16, 64, 64, True), (1, 4096, 4096, 16, 16, 192, 128, True),
            (4, 1021, 1021, 24, 24, 128, 128, True), (8, 128, 2048, 16, 16, 64, 64, False), (32, 1, 8192, 32, 8, 128, 128, False)]
CHIPS = {"gfx950": (2516.6e12, 8e12), "gfx942": (1307.4e12, 5.3e12)}  # peak of bf16 products and of memory
RUNS = 5  # of the compiler


def program(problem):
    batch, queries, keys, heads, kv_heads, size, v_size, causal = problem

    def tensor(*shape, element="bf16"):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    q, k, v = tensor(batch, queries, heads, size), tensor(batch, keys, kv_heads, size), tensor(batch, keys, kv_heads, v_size)
    o, lse = tensor(batch, queries, heads, v_size), tensor(batch, heads, queries, element="f32")
    return (f"func.func @f(%q: {q}, %k: {k}, %v: {v}) -> ({o}, {lse}) {{\n  %o, %lse = te.attention bshd %q, %k, %v"
            f"{' {causal}' * causal} : {q}, {k}, {v} -> {o}, {lse}\n  return %o, %lse : {o}, {lse}\n}}\n")


def count(problem):
    """Operations and bytes at the least."""
    batch, queries, keys, heads, kv_heads, size, v_size, causal = problem
    flops = 2 * batch * heads * queries * keys * (size + v_size) / (2 if causal else 1)
    return flops, 2 * batch * (heads * queries * (size + v_size) + kv_heads * keys * (size + v_size)) + 4 * batch * heads * queries


def measure(options, chip, problem, folder):
    """Seconds, MFMA-busy of the loop (None without one), and seconds of a cold compilation."""
    source, artefact, path = (Path(folder) / name for name in ("f.mlir", "f.hsaco", "profile.json"))
    source.write_text(program(problem))
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([options.bin / "te-compile", source, f"--target={chip}", "-o", artefact], check=True)
        times.append(time.perf_counter() - start)
    command = [options.bin / "te-run", artefact, f"--profile={path}", "--sample"] + ([f"--clock={options.clock}"] if options.clock else [])
    subprocess.run(command, check=True, capture_output=True)
    launch = json.loads(path.read_text())["launches"][0]
    return launch["grid"]["seconds"], launch["mfma"].get("loop", {}).get("busy"), statistics.median(times)


def measure_aiter(options, chip, problem, folder):
    """Seconds of AITER's kernel, where it has one for the problem."""
    batch, queries, keys, heads, kv_heads, size, v_size, causal = problem
    if options.quick or (queries, heads, size, v_size) != (keys, kv_heads, 128, 128) or queries % 256:
        return None
    code = next(code for kind, mask, of, code, _ in aiter.KERNELS if (kind, mask, of) == ("forward", causal, chip))
    runner = harness.Runner(chip, folder)
    names = runner.list(code)[1]
    sizes = argparse.Namespace(batch=batch, length=queries, heads=heads)
    launch = aiter.profile(options.bin, Path(folder) / "aiter.json", runner, code, *aiter.forward(names, sizes, causal), names, options.clock)
    return launch["grid"]["seconds"]


def measure_triton(options, chip, problem, folder, results):
    """Seconds of Triton's kernel, as the file has them, or measured; None where none runs."""
    import attention_triton
    key = f"{chip} {problem}"
    if key not in results.rows:
        found, failures = None, [f"{problem}: sizes are no powers of two, or queries more than keys"]
        if attention_triton.is_supported(problem):
            found, failures = attention_triton.measure(lambda flags: gemm.profile(options.bin, Path(folder), flags), chip, problem, folder)
        row = {"seconds": found[0]["grid"]["seconds"], "configuration": found[1]} if found else {}
        results.add(key, row | {"failures": failures})
    return results.rows[key].get("seconds")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=Path, help="the folder of te-compile and te-run")
    parser.add_argument("--clock", help="GHz that both chips are taken to sustain")
    parser.add_argument("--chip", choices=CHIPS)
    parser.add_argument("--quick", action="store_true", help="without AITER's kernels")
    parser.add_argument("--triton", type=Path, help="run Triton's kernel too, and keep its results in this file (JSON)")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if options.triton and options.clock:
        parser.error("Triton's results are at the peak clock; leave out --triton or --clock")
    triton = gemm.TritonResults(options.triton, ("gemm_triton.py", "attention_triton.py")) if options.triton else None
    os.environ["PATH"] = f"{options.bin}:{os.environ['PATH']}"  # harness.py calls te-run
    print("| chip | batch, queries, keys, heads, of k, size, of v | mask | modelled, us | TFLOP/s | MFMA busy, loop | / least | / AITER | / Triton | "
          "compiled, ms |\n" + "| --- " * 10 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for chip in [options.chip] if options.chip else CHIPS:
            for problem in PROBLEMS:
                seconds, busy, compiled = measure(options, chip, problem, folder)
                other = measure_aiter(options, chip, problem, folder)
                theirs = measure_triton(options, chip, problem, folder, triton) if triton else None
                flops, size = count(problem)
                least = max(flops / CHIPS[chip][0], size / CHIPS[chip][1])
                print(f"| {chip} | {', '.join(map(str, problem[:7]))} | {'causal' if problem[7] else 'no'} | {1e6 * seconds:.1f} | "
                      f"{flops / seconds / 1e12:.0f} | {f'{100 * busy:.0f} %' if busy is not None else '-'} | {seconds / least:.2f} | "
                      f"{f'{seconds / other:.2f}' if other else '-'} | {f'{seconds / theirs:.2f}' if theirs else '-'} | {1e3 * compiled:.0f} |",
                      flush=True)


if __name__ == "__main__":
    main()
