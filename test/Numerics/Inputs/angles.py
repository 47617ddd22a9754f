"""math.sin and math.cos on the emulator against numpy in double: random bits, and what lies next to quarter turns."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

import bits

PROGRAM = """func.func @f(%x: tensor<?xf32> {te.dims = ["N"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %s = math.sin %x : tensor<?xf32>
  %c = math.cos %x : tensor<?xf32>
  return %s, %c : tensor<?xf32>, tensor<?xf32>
}
"""

target, rng = bits.start()
words = bits.words(rng, 60000)
quarters = (np.pi / 2 * rng.integers(0, 1 << 20, 5000)).astype(np.float32)
near = np.exp2(rng.uniform(10, 31, 1 << 20)).astype(np.float32)
turns = near / (np.pi / 2)
near = near[np.argsort(np.abs(turns - np.rint(turns)))[:5000]] * rng.choice(np.float32([-1, 1]), 5000)
special = np.float32([0, -0.0, 2.0**30, np.nextafter(np.float32(2.0**30), np.float32(0)), 1e-45, np.inf, -np.inf, np.nan, np.pi / 4, 3.4028235e38, 16367173 * 2.0**72])
x = np.concatenate([words.view(np.float32), quarters, near, special])
with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    np.save(folder / "x.npy", x)
    (folder / "f.mlir").write_text(PROGRAM)
    subprocess.run(["te-run", folder / "f.mlir", f"--target={target}", "--device=emulator",
                    f"--input={folder / 'x.npy'}", f"--output={folder / 's.npy'}", f"--output={folder / 'c.npy'}"],
                   check=True)
    finite = np.isfinite(x)
    for name, function in [("s", np.sin), ("c", np.cos)]:
        y, exact = np.load(folder / f"{name}.npy"), function(x[finite].astype(np.float64))
        assert np.isnan(y[~finite]).all()
        error = np.abs(y[finite] - exact) / np.spacing(np.abs(exact).astype(np.float32))
        worst = error.argmax()
        print(f"{function.__name__}: at most {error[worst]:.2f} ulp, at {x[finite][worst]}")
        assert error[worst] <= 2
