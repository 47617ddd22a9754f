"""How fast the emulator runs code that clang compiles; make bench runs it.

    emulator.py --bin build/bin [--runs 5] [--json FILE]

One table: speed of vector code and of matrix instructions, time of a GEMM of 1024 cubed, and what the sanitizer
costs. Each is the median of --runs, beside its bar. Speeds are those of the plain path: the wall time of te-run
without counters, less that of a run with next to no work, over instructions that --stats counts in another run. The
GEMM's time is that of the whole process, and its result is compared with NumPy's.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import ml_dtypes
import numpy as np

KERNELS = Path(__file__).parent.parent / "unittests/Emulator/kernels/speed.cl"
CLANG = ["clang-22", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-Xclang",
         "-finclude-default-header", "-O2", "-w"]
SIZE = 1024  # of the GEMM
GROUPS = 128


class Bench:
    def __init__(self, tools, chip, folder, runs):
        self.tools, self.folder, self.runs = tools, folder, runs
        self.code = folder / f"speed.{chip}.hsaco"
        subprocess.run([*CLANG, f"-mcpu={chip}", KERNELS, "-o", self.code], check=True)

    def command(self, kernel, grid, block, arguments, *flags):
        return [self.tools / "te-run", self.code, "--device=emulator", f"--kernel={kernel}", f"--grid={grid}",
                f"--block={block}", *(f"--arg={argument}" for argument in arguments), *flags]

    def seconds(self, *launch):
        times = []
        for _ in range(self.runs):
            start = time.perf_counter()
            subprocess.run(self.command(*launch), check=True, capture_output=True)
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    def save(self, name, array):
        np.save(self.folder / name, array)
        return f"in:{self.folder / name}"

    def loop(self, kernel, inputs, output, steps, *flags):
        """(seconds, mnemonics' counts) that `steps` iterations of a kernel's loop take beyond a single one."""
        launch = lambda count: (kernel, GROUPS, 64, [*inputs, output, f"i32:{count}"])
        took = self.seconds(*launch(steps), *flags) - self.seconds(*launch(1), *flags)
        counts = [json.loads(subprocess.run(self.command(*launch(count), "--stats=json"), check=True,
                                            capture_output=True).stdout)["launches"][0]["counts"]["by_mnemonic"]
                  for count in (steps, 1)]
        return took, {name: count - counts[1].get(name, 0) for name, count in counts[0].items()}

    def vector(self, *flags):
        x = self.save("x.npy", np.random.default_rng(0).random(64, np.float32))
        took, counts = self.loop("vector", [x], f"tmp:f32[{GROUPS * 64}]", 20000, *flags)
        return sum(counts.values()) / took / 1e6

    def matrix(self):
        values = np.random.default_rng(0).standard_normal((64, 4)).astype(ml_dtypes.bfloat16).view(np.uint16)
        x = self.save("m.npy", values)
        took, counts = self.loop("matrix", [x, x], f"tmp:f32[{GROUPS * 64},16]", 1000)
        return sum(count for name, count in counts.items() if name.startswith("v_mfma_")) / took / 1e6

    def gemm(self, *flags):
        rng = np.random.default_rng(0)
        a, b = (rng.standard_normal((SIZE, SIZE)).astype(ml_dtypes.bfloat16) for _ in range(2))
        result = self.folder / "d.npy"
        arguments = [self.save("a.npy", a.view(np.uint16)), self.save("b.npy", b.view(np.uint16)),
                     f"out:f32[{SIZE},{SIZE}]:{result}", f"i32:{SIZE}", f"i32:{SIZE}"]
        took = self.seconds("gemm", f"{SIZE // 128},{SIZE // 128}", 256, arguments, *flags)
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        error = np.abs(np.load(result) - wide_a @ wide_b.T)
        assert (error <= SIZE * 2.0**-23 * (np.abs(wide_a) @ np.abs(wide_b.T))).all(), "the GEMM's result is wrong"
        return took


def measure(bench):
    """(what, value, unit, bar, whether more is better)"""
    vector, gemm = bench.vector(), bench.gemm()
    return [
        ("vector code (f32 and integers)", vector, "M wave-instructions/s", 20, True),
        ("v_mfma_f32_32x32x8_bf16", bench.matrix(), "M/s", 1.5, True),
        (f"bf16 GEMM, {SIZE} cubed, whole process", gemm, "s", 5, False),
        ("sanitizer, vector code", vector / bench.vector("--sanitize"), "times slower", 3, False),
        ("sanitizer, GEMM", bench.gemm("--sanitize") / gemm, "times slower", 3, False),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print(f"Emulator, {platform.machine()}, {os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}: host wall time, median of "
          f"{options.runs}")
    print("| what | chip | measured | unit | bar | met |\n| --- | --- | --- | --- | --- | --- |")
    for chip in ("gfx942", "gfx950"):
        with tempfile.TemporaryDirectory() as folder:
            for what, value, unit, bar, more in measure(Bench(options.bin, chip, Path(folder), options.runs)):
                met = value >= bar if more else value <= bar
                print(f"| {what} | {chip} | {value:.2f} | {unit} | {'>=' if more else '<='} {bar} | "
                      f"{'yes' if met else 'NO'} |", flush=True)
                rows.append({"what": what, "chip": chip, "value": value, "unit": unit, "bar": bar, "met": met})
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


main()
