"""Inputs and expected results of run.test, and its batch file."""

import os
from pathlib import Path

import numpy as np

program = Path(__file__).with_name("quantize.ptx")
x = (10 * np.arange(6)).astype(np.uint16).reshape(2, 3)
np.save("x.npy", x)
scales = np.full((128, 4), 0xA5, np.uint8)
data = (x + 2).astype(np.uint8)
off = data.copy()
off[0, 1] += 1
mask = np.zeros_like(data)
mask[0, 1] = 0xFF
for folder, results in [("good", data), ("off", off), ("masked", off)]:
    os.makedirs(folder, exist_ok=True)
    np.save(f"{folder}/result0.data.npy", results)
    np.save(f"{folder}/result0.scale.npy", scales)
np.save("masked/result0.data.mask.npy", mask)
Path("batch.txt").write_text(
    f"# all on one device\n{program} --input=x.npy --expect=good\n\n{program} --input=nothing.npy\n"
    f"{program} --input=x.npy --expect=off --repeat=4\n")
