"""Compiles Triton kernels for an AMD chip without a GPU, runs them in te-run's raw mode, and judges.

A kernel's arguments are given in its order: Python numbers, NumPy arrays (inputs), and Out() for what it
writes. Outputs are poisoned first, and stand in front of guard bytes that must stay as they are.
"""

import json
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

GUARD = 256  # bytes behind every output
POISON = 0xA5

TRITON_TYPES = {
    np.dtype(np.float64): "fp64", np.dtype(np.float32): "fp32", np.dtype(np.float16): "fp16",
    np.dtype(ml_dtypes.bfloat16): "bf16", np.dtype(np.int16): "i16", np.dtype(np.int8): "i8", np.dtype(np.uint8): "u8", np.dtype(np.int32): "i32", np.dtype(np.int64): "i64",
    np.dtype(ml_dtypes.float8_e4m3fn): "fp8e4nv", np.dtype(ml_dtypes.float8_e4m3fnuz): "fp8e4b8",
    np.dtype(ml_dtypes.float8_e5m2): "fp8e5", np.dtype(ml_dtypes.float8_e5m2fnuz): "fp8e5b16",
}


class Out:
    """An array that the kernel writes; `start`, where it is given, is what it finds there."""

    def __init__(self, shape, dtype, start=None):
        self.array = np.empty(shape, dtype)
        self.array.view(np.uint8)[...] = POISON
        if start is not None:
            self.array[...] = start


class Runner:
    def __init__(self, chip, folder):
        self.chip, self.folder, self.count = chip, Path(folder), 0
        triton.knobs.cache.dir = str(self.folder / "cache")

    def compile(self, kernel, arguments, constants, options):
        """As triton.jit specializes: 16 divides sizes that it divides, and pointers, whose buffers are
        small."""
        names = kernel.arg_names[:len(arguments)]
        signature, attributes = {}, {}
        for index, (name, value) in enumerate(zip(names, arguments)):
            if isinstance(value, (Out, np.ndarray)):
                array = value.array if isinstance(value, Out) else value
                signature[name] = "*" + TRITON_TYPES[array.dtype]
                attributes[(index,)] = [["tt.divisibility", 16], ["tt.pointer_range", 32]]
            elif isinstance(value, int):
                signature[name] = "i32"
                if value % 16 == 0:
                    attributes[(index,)] = [["tt.divisibility", 16]]
            else:
                signature[name] = "fp32"
        signature |= {name: "constexpr" for name in constants}
        source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=attributes)
        return triton.compile(source, target=GPUTarget("hip", self.chip, 64), options=options)

    def run(self, kernel, grid, *arguments, options=None, **constants):
        """Returns the launch's counts; outputs are in their Out.array."""
        compiled = self.compile(kernel, arguments, constants, options or {})
        stem = self.folder / f"{self.count}-{compiled.metadata.name}"
        self.count += 1
        code = stem.with_suffix(".hsaco")
        code.write_bytes(compiled.asm["hsaco"])
        flags, outputs = [], []
        for index, value in enumerate(arguments):
            path = f"{stem}-{index}.npy"
            if isinstance(value, np.ndarray):
                np.save(path, np.frombuffer(value.tobytes(), np.uint8))
                flags.append(f"--arg=in:{path}")
            elif isinstance(value, Out):
                guarded = np.frombuffer(value.array.tobytes() + bytes([POISON]) * GUARD, np.uint8)
                np.save(path, guarded)
                flags.append(f"--arg=inout:{path}:{path}.out.npy")
                outputs.append((value, path + ".out.npy"))
            else:
                flags.append(f"--arg={'i32' if isinstance(value, int) else 'f32'}:{value}")
        command = ["te-run", code, "--device=emulator", "--kernel=" + compiled.metadata.name,
                   "--grid=" + ",".join(map(str, grid)), f"--block={64 * compiled.metadata.num_warps}",
                   f"--lds={compiled.metadata.shared}", *flags,
                   "--arg=null", "--arg=null",  # Triton's scratch memory, which no kernel here has
                   "--stats=json"]
        for mode in [["--sanitize"], []]:  # the first one reports what a sound kernel does not do
            done = subprocess.run(command + mode, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"{self.chip}, {compiled.metadata.name} {mode}: {done.stderr}")
        for value, path in outputs:
            raw = np.load(path)
            assert (raw[-GUARD:] == POISON).all(), f"{path}: bytes behind the output were written"
            value.array = raw[:-GUARD].view(value.array.dtype).reshape(value.array.shape)
        counts = json.loads(done.stdout)["launches"][0]["counts"]
        print(f"{self.chip} {compiled.metadata.name}: {counts['instructions']} wave-instructions, "
              f"{counts['seconds']:.2f} s")
        return counts


def expect(name, result, wanted, tolerance):
    """Every element within `tolerance` (a number or an array) of `wanted`."""
    result, wanted = np.asarray(result, np.float64), np.asarray(wanted, np.float64)
    with np.errstate(invalid="ignore"):
        error = np.where(result == wanted, 0, np.abs(result - wanted))  # equal infinities
    bad = ~(error <= tolerance)
    if bad.any():
        at = tuple(np.argwhere(bad)[0].tolist())
        raise SystemExit(f"{name}: {bad.sum()} of {bad.size} elements differ; the first one, at {at}, is "
                         f"{result[at]}, expected {wanted[at]} within {np.broadcast_to(tolerance, bad.shape)[at]}")


def expect_poison(name, array):
    assert (np.ascontiguousarray(array).view(np.uint8) == POISON).all(), f"{name}: an element that the mask leaves out was written"


def sum_bound(magnitudes, terms, each=0):
    """What summing `terms` numbers in f32, whose magnitudes add up to `magnitudes`, may lose in any order, where
    `each` of them is off by that share."""
    return (each + terms * 2.0**-23) * magnitudes + 2.0**-126


def expect_used(counts, stem):
    """The kernel ran an instruction of this kind."""
    assert any(name.startswith(stem) for name in counts["by_mnemonic"]), f"no {stem} among {counts['by_mnemonic']}"
