"""Runs kernels of AITER's code objects (PyPI: amd-aiter) in te-run's raw mode, and judges their results.

A kernel's arguments are a dict: keys are names of its metadata, or bytes' offsets in its argument segment where the
metadata has no unique name; values are NumPy arrays (inputs), Out() for what it writes, integers (i32) and floats
(f32). What is not given is 0.
"""

import json
import re
import site
import subprocess
import time
from pathlib import Path

import ml_dtypes
import numpy as np

BF16, F16, F32, I32, U8 = ml_dtypes.bfloat16, np.float16, np.float32, np.int32, np.uint8
STEP = {BF16: 2.0**-8, F16: 2.0**-11}  # the share of a number that rounding it to nearest takes at most
GUARD = 256  # bytes behind every output, which must stay as they are
POISON = 0xA5


def find_objects():
    """The folder with AITER's code objects, a folder a chip."""
    for folder in site.getsitepackages():
        if (Path(folder) / "aiter_meta/hsa").is_dir():
            return Path(folder) / "aiter_meta/hsa"
    raise SystemExit("no amd-aiter in this Python: install scripts/requirements.txt")


class Out:
    """An array that the kernel writes; `start`, where it is given, is what it finds there."""

    def __init__(self, shape, dtype, start=None):
        self.array = np.empty(shape, dtype)
        self.array.reshape(-1).view(np.uint8)[...] = POISON
        if start is not None:
            self.array[...] = start


class Runner:
    def __init__(self, chip, folder, sanitize=False):
        self.chip, self.folder, self.sanitize = chip, Path(folder), sanitize
        self.objects = find_objects() / chip
        self.count = 0
        self.log = []  # (object, seconds, defects)

    def list(self, code):
        """The name of the object's kernel, and those of its arguments."""
        listed = subprocess.run(["te-run", self.objects / code, "--list"], capture_output=True, text=True, check=True).stdout
        return re.search(r"^kernel (\S+?):", listed, re.M)[1], re.findall(r"^  argument \d+ (\w+):", listed, re.M)

    def run(self, code, grid, block, arguments):
        """`code` is a path below the chip's folder. Outputs are in their Out.array afterwards."""
        path = self.objects / code
        stem = self.folder / f"{self.count}-{path.stem}"
        self.count += 1
        flags, outputs = [], []
        for number, (key, value) in enumerate(arguments.items()):
            place = f"--arg={key}=" if isinstance(key, str) else f"--kernarg={key}:"
            file = f"{stem}-{number}.npy"
            if isinstance(value, np.ndarray):
                np.save(file, np.frombuffer(value.tobytes(), np.uint8))
                flags.append(f"{place}in:{file}")
            elif isinstance(value, Out):
                np.save(file, np.frombuffer(value.array.tobytes() + bytes([POISON]) * GUARD, np.uint8))
                flags.append(f"{place}inout:{file}:{file}.out.npy")
                outputs.append((value, file + ".out.npy"))
            else:
                flags.append(f"{place}{'i32' if isinstance(value, (int, np.integer)) else 'f32'}:{value}")
        command = ["te-run", path, "--device=emulator", "--kernel=" + self.list(code)[0],
                   "--grid=" + ",".join(map(str, grid)), f"--block={block}", "--max-instructions=20000000", *flags,
                   "--stats=json", *(["--sanitize"] if self.sanitize else [])]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        defects = None
        if self.sanitize and done.stdout:
            defects = json.loads(done.stdout)["defects"]
        elif done.returncode:
            raise RuntimeError(done.stderr.strip())
        for value, file in outputs:
            raw = np.load(file)
            assert (raw[len(raw) - GUARD:] == POISON).all(), f"{file}: bytes behind the output were written"
            value.array = raw[:len(raw) - GUARD].view(value.array.dtype).reshape(value.array.shape)
        self.log.append((f"{self.chip}/{code}", seconds, defects))


def wide(array):
    return np.asarray(array).astype(np.float64)


def expect(name, result, wanted, tolerance):
    """Every element within `tolerance` (a number or an array) of `wanted`."""
    result, wanted = wide(result), wide(wanted)
    with np.errstate(invalid="ignore"):
        error = np.where(result == wanted, 0, np.abs(result - wanted))  # equal infinities
    bad = ~(error <= tolerance)
    if bad.any():
        at = tuple(np.argwhere(bad)[0].tolist())
        raise AssertionError(f"{name}: {bad.sum()} of {bad.size} elements differ; the first one, at {at}, is {result[at]}, "
                             f"expected {wanted[at]} within {np.broadcast_to(tolerance, bad.shape)[at]}")


def sum_bound(magnitudes, terms, each=0):
    """What summing `terms` numbers in f32, whose magnitudes add up to `magnitudes`, may lose in any order, where
    `each` of them is off by that share."""
    return (each + terms * 2.0**-23) * magnitudes + 2.0**-126


def draw(rng, shape, dtype, scale=1.0):
    return (scale * rng.standard_normal(shape)).astype(dtype)
