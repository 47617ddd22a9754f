"""The cycle model against published matrix efficiencies, and how fast it simulates; make bench runs it.

    cycle.py --bin build/bin [--repeat 32] [--json FILE]

GEMMs of benchmarks/cycle_gemm*.cl, written by hand in the form that the gfx950 Gluon tutorials describe, run in the
emulator with --profile, and their results are compared with NumPy's. The share of the loop that the matrix cores are
busy is put beside the published one. Speed: the processor time of te-run for one workgroup, over the instructions that
it emulates and simulates.
"""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

SOURCES = {"gfx950": Path(__file__).parent / "cycle_gemm.cl", "gfx942": Path(__file__).parent / "cycle_gemm_gfx942.cl"}
CLANG = ["clang-22", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-Xclang",
         "-finclude-default-header", "-O3", "-w", "-gline-tables-only"]
# chip, kernel, values of 64 bytes of a row, result as published (all CUs have one tile), share of the loop as published
# (percent)
KERNELS = [("gfx950", "gemm256", 32, (4096, 4096), None),
           ("gfx950", "gemm256x128", 32, (4096, 2048), 83),
           ("gfx950", "gemm128x128", 32, (2048, 2048), 69),
           ("gfx950", "gemm256x64", 32, (4096, 1024), 55),
           ("gfx950", "gemm128x64", 32, (2048, 1024), 47),
           ("gfx950", "gemm256_pingpong", 32, (4096, 4096), 99.8),
           ("gfx950", "gemm256_bf8_pingpong", 64, (4096, 4096), 99.7),
           ("gfx950", "gemm256_mxfp4_pingpong", 128, (4096, 4096), 98.3),
           ("gfx942", "gemm256_pingpong", 32, (4096, 4864), 98)]

# Tiles of four waves; the others have eight, and 256 x 256.
SMALL = {"gemm256x128": (256, 128), "gemm128x128": (128, 128), "gemm256x64": (256, 64), "gemm128x64": (128, 64)}


def make_operand(chip, kind, rng, rows, k, folder, name):
    """Files of the values and, for MXFP4, of the scales; and the numbers they stand for."""
    path = lambda part: folder / f"{name}{part}.npy"
    if "bf8" in kind:
        values = rng.integers(-2, 3, (rows, k)).astype(ml_dtypes.float8_e5m2)
        np.save(path(""), values.view(np.uint8))
        return [path("")], values.astype(np.float32)
    if "mxfp4" in kind:
        values = rng.integers(0, 16, (rows, k)).astype(np.uint8)
        scales = rng.integers(126, 129, (rows, k // 32)).astype(np.uint8)
        np.save(path(""), values[:, 0::2] | values[:, 1::2] << 4)
        np.save(path("s"), np.ascontiguousarray(scales.view(np.uint32).T).view(np.int32))
        table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
        numbers = np.where(values & 8, -1, 1) * table[values & 7]
        return [path(""), path("s")], numbers * np.repeat(np.exp2(scales.astype(np.float32) - 127), 32, axis=1)
    values = rng.integers(-4, 5, (rows, k)).astype(np.float16 if chip == "gfx942" else ml_dtypes.bfloat16)
    np.save(path(""), values.view(np.uint16))
    return [path("")], values.astype(np.float32)


class Bench:
    def __init__(self, tools, folder):
        self.tools, self.folder = tools, folder
        for chip, source in SOURCES.items():
            subprocess.run([*CLANG, f"-mcpu={chip}", source, "-o", folder / f"{chip}.hsaco"], check=True)

    def run(self, chip, kernel, size, k):
        """(profile of the launch, processor time); the result is right."""
        rng, (m, n) = np.random.default_rng(0), size
        a, wide_a = make_operand(chip, kernel, rng, m, k, self.folder, "a")
        b, wide_b = make_operand(chip, kernel, rng, n, k, self.folder, "b")
        out, report = self.folder / "d.npy", self.folder / "p.json"
        files = [a[0], b[0], *a[1:], *b[1:]]
        arguments = [*(f"in:{file}" for file in files), f"out:f32[{m},{n}]:{out}", f"i32:{n}", f"i32:{k}"]
        if "mxfp4" in kernel:
            arguments.append(f"i32:{m}")
        down, across = SMALL.get(kernel, (256, 256))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([self.tools / "te-run", self.folder / f"{chip}.hsaco", f"--kernel={kernel}",
                        f"--grid={n // across},{m // down}",
                        f"--block={256 if kernel in SMALL else 512}", *(f"--arg={argument}" for argument in arguments), f"--profile={report}"],
                       check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert np.array_equal(np.load(out), wide_a @ wide_b.T), f"the result of {kernel} is wrong"
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return json.loads(report.read_text())["launches"][0], seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--repeat", type=int, default=32)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.bin, Path(folder))
        print("MFMA busy in the loop\n")
        print("| chip | kernel | loop | published | error |\n| --- | --- | --- | --- | --- |")
        for chip, kernel, values, size, published in KERNELS:
            repeat = options.repeat * (4 if kernel in SMALL else 1)
            profile, _ = bench.run(chip, kernel, size, values * repeat)
            share = 100 * profile["mfma"]["loop"]["busy"]
            error = f"{share - published:+.1f} points" if published else ""
            print(f"| {chip} | {kernel} | {share:.1f} % | {f'{published} %' if published else '-'} | {error} |", flush=True)
            rows.append({"chip": chip, "kernel": kernel, "loop": share, "published": published})
        profile, seconds = bench.run("gfx950", "gemm256", (256, 256), 16384)
        speed = profile["simulated"]["instructions"] / seconds / 1e6
        met = speed >= 0.5
        print(f"\none workgroup, 256 x 256 x 16384, {profile['simulated']['instructions']} instructions in {seconds:.2f} s "
              f"of processor time: {speed:.2f} M instructions/s (bar: 0.5, {'met' if met else 'NOT met'})")
        rows.append({"million_instructions_per_second": speed, "met": met})
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


main()
