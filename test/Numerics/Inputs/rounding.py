"""Rounding to bf16 on the emulator against ml_dtypes, bit by bit: f32 numbers of any bits, and ties; sums, differences and
products of bf16 numbers of any bits. Every NaN must stay one, whatever its payload."""

import subprocess
import tempfile
from pathlib import Path

import ml_dtypes
import numpy as np

import bits

X, A = 'tensor<?xf32> {te.dims = ["N"]}', 'tensor<?xbf16> {te.dims = ["N"]}'
PROGRAM = f"""func.func @f(%x: {X}, %a: {A}, %b: {A}) -> (tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>) {{
  %r = arith.truncf %x : tensor<?xf32> to tensor<?xbf16>
  %s = arith.addf %a, %b : tensor<?xbf16>
  %d = arith.subf %a, %b : tensor<?xbf16>
  %p = arith.mulf %a, %b : tensor<?xbf16>
  %w = arith.extf %a : tensor<?xbf16> to tensor<?xf32>
  %y = arith.mulf %w, %x : tensor<?xf32>
  %q = arith.truncf %y : tensor<?xf32> to tensor<?xbf16>
  return %r, %s, %d, %p, %q : tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>, tensor<?xbf16>
}}
"""

target, rng = bits.start()
words = bits.words(rng, 40000)
ties = (words[:10000] & 0xFFFF0000) | 0x8000
nans = np.uint32([0x7F800001, 0xFF800001, 0x7FFFFFFF, 0xFFFFFFFF, 0x7F80FFFF, 0x7FC00000, 0xFFFF8000])
edges = np.uint32([0, 0x80000000, 1, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F7F8000, 0x7F7F7FFF, 0x7F800000, 0xFF800000])
x = np.concatenate([words, ties, nans, edges]).view(np.float32)
bf16 = lambda: rng.integers(0, 1 << 16, x.size, dtype=np.uint32).astype(np.uint16).view(ml_dtypes.bfloat16)
a, b = bf16(), bf16()
near = rng.integers(0, 1 << 8, x.size // 2)  # exponents that lie close together: sums that round, among them ties
b[: near.size] = ((a[: near.size].view(np.uint16) ^ near) & 0xFFFF).astype(np.uint16).view(ml_dtypes.bfloat16)
f32 = lambda v: v.astype(np.float32)
with np.errstate(all="ignore"):
    expected = [x.astype(ml_dtypes.bfloat16)] + [
        v.astype(ml_dtypes.bfloat16) for v in (f32(a) + f32(b), f32(a) - f32(b), f32(a) * f32(b), f32(a) * x)]
with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    for name, value in [("x", x), ("a", a.view(np.uint16)), ("b", b.view(np.uint16))]:
        np.save(folder / f"{name}.npy", value)
    (folder / "f.mlir").write_text(PROGRAM)
    subprocess.run(["te-run", folder / "f.mlir", f"--target={target}", "--device=emulator",
                    *(f"--input={folder / n}.npy" for n in "xab"), *(f"--output={folder / f'y{i}'}.npy" for i in range(5))],
                   check=True)
    for i, (name, want) in enumerate(zip(["round", "sum", "difference", "product", "product with f32"], expected)):
        got = np.load(folder / f"y{i}.npy").view(np.uint16).view(ml_dtypes.bfloat16)
        with np.errstate(all="ignore"):
            nan, found = np.isnan(want), np.isnan(got)
        wrong = (nan != found) | (~nan & (want.view(np.uint16) != got.view(np.uint16)))
        where = wrong.argmax()
        print(f"{name}: {wrong.sum()} of {wrong.size} wrong, the first at {where}: {got[where]}, not {want[where]}"
              if wrong.any() else f"{name}: {wrong.size} right, {nan.sum()} NaN")
        assert not wrong.any()
