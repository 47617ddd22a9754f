"""What a call from Python costs, beside the kernels: a program of 1, 4 and 16 kernels on a device that does nothing.

    PYTHONPATH=build/python build/venv/bin/python benchmarks/python_calls.py --build build

The device is the tests' stand-in for HIP (unittests/Runtime/FakeHip.cpp). Host time, the median of seven runs of 2,000 calls; NumPy arrays, and
torch tensors where torch is installed. The bar is 10 us and 3 us a kernel.
"""

import argparse
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np


def measure(program, device, make):
    """`make` gives zeros of a shape and type."""
    arguments = [make((1, 1), "bfloat16"), make((), "float32")]
    results = [make((1, 1), "uint8"), make((128, 4), "uint8")]
    runs = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(2000):
            program(*arguments, out=results, device=device)
        runs.append((time.perf_counter() - start) / 2000)
    return 1e6 * statistics.median(runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    options = parser.parse_args()
    start = time.perf_counter()
    import te_mlir as te
    print(f"import te_mlir: {time.perf_counter() - start:.2f} s (the bar is 0.3)")
    library = options.build / "lib/stand-in/libamdhip64.so"
    device = te.Device("hip", library=str(library))
    print("| kernels | arrays | us a call | bar |")
    print("| --- | --- | --- | --- |")
    import ml_dtypes
    frameworks = {"NumPy": lambda shape, dtype: np.zeros(shape, getattr(ml_dtypes, dtype, dtype))}
    try:
        import torch
        frameworks["torch"] = lambda shape, dtype: torch.zeros(shape, dtype=getattr(torch, dtype))
    except ImportError:
        pass
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([options.build / "bin/te-runtime-overhead", folder], check=True)
        for kernels in (1, 4, 16):
            program = te.Program.load(f"{folder}/{kernels}.hsaco")
            for name, make in frameworks.items():
                print(f"| {kernels} | {name} | {measure(program, device, make):.1f} | {10 + 3 * kernels} |")


if __name__ == "__main__":
    main()
