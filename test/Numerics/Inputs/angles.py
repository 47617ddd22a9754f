"""math.sin and math.cos on the emulator against numpy in double: random bits, and what lies next to quarter turns."""

import argparse
import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np

PROGRAM = """func.func @f(%x: tensor<?xf32> {te.dims = ["N"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %s = math.sin %x : tensor<?xf32>
  %c = math.cos %x : tensor<?xf32>
  return %s, %c : tensor<?xf32>, tensor<?xf32>
}
"""

parser = argparse.ArgumentParser()
parser.add_argument("--target", required=True)
parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
options = parser.parse_args()
print(f"seed {options.seed}")
rng = np.random.default_rng(options.seed)
bits = rng.integers(0, 1 << 32, 60000, dtype=np.uint64).astype(np.uint32)
quarters = (np.pi / 2 * rng.integers(0, 1 << 20, 5000)).astype(np.float32)
special = np.float32([0, -0.0, 1e-45, np.inf, -np.inf, np.nan, np.pi / 4, 3.4028235e38, 16367173 * 2.0**72])
x = np.concatenate([bits.view(np.float32), quarters, special])
with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    np.save(folder / "x.npy", x)
    (folder / "f.mlir").write_text(PROGRAM)
    subprocess.run(["te-run", folder / "f.mlir", f"--target={options.target}", "--device=emulator",
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
