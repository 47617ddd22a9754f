"""te.permute, tensor.insert_slice and chains of slices and reshapes on the emulator against numpy, bit by bit: random ranks, sizes,
orders and boxes."""

import subprocess
import tempfile
from pathlib import Path

import numpy as np

import bits

CASES = 81
SIZES = [1, 1, 2, 3, 5, 16, 31, 33, 64, 65, 130, 257]
TYPES = {"bf16": np.uint16, "f16": np.uint16, "f32": np.uint32}
STORED = {"bf16": np.uint16, "f16": np.float16, "f32": np.float32}


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def draw_shape(rng, rank):
    while True:
        shape = [int(n) for n in rng.choice(SIZES, rank)]
        if np.prod(shape) <= 60000:
            return shape


def permute(rng, name, dtype):
    shape = draw_shape(rng, rng.integers(1, 6))
    order = [int(i) for i in rng.permutation(len(shape))]
    result = [shape[i] for i in order]
    text = f"""func.func @{name}(%x: {tensor(shape, dtype)}) -> {tensor(result, dtype)} {{
  %y = te.permute %x {order} : {tensor(shape, dtype)} -> {tensor(result, dtype)}
  return %y : {tensor(result, dtype)}
}}
"""
    return text, [shape], lambda x: x.transpose(order)


def insert(rng, name, dtype):
    shape = draw_shape(rng, rng.integers(1, 4))
    size = [n if rng.integers(3) == 0 else int(rng.integers(1, n + 1)) for n in shape]
    start = [int(rng.integers(0, n - s + 1)) for n, s in zip(shape, size)]
    ones = [1] * len(shape)
    text = f"""func.func @{name}(%x: {tensor(shape, dtype)}, %s: {tensor(size, dtype)}) -> {tensor(shape, dtype)} {{
  %n = arith.negf %s : {tensor(size, dtype)}
  %y = tensor.insert_slice %n into %x{start} {size} {ones} : {tensor(size, dtype)} into {tensor(shape, dtype)}
  return %y : {tensor(shape, dtype)}
}}
"""

    def expected(x, s):
        x = x.copy()
        x[tuple(slice(a, a + n) for a, n in zip(start, size))] = s ^ np.array(1 << (8 * s.itemsize - 1), s.dtype)
        return x

    return text, [shape, size], expected


def chain(rng, name, dtype):
    first = shape = draw_shape(rng, rng.integers(1, 5))
    steps, lines = [], []

    def step(op, result, how, into="into"):
        n = len(lines)
        lines.append(f"  %v{n} = tensor.{op} %{f'v{n - 1}' if n else 'x'}{how} : {tensor(shape, dtype)} {into} {tensor(result, dtype)}\n")

    for kind in rng.integers(0, 3, rng.integers(2, 7)):
        if kind == 0:
            size = [n if rng.integers(2) else int(rng.integers(1, n + 1)) for n in shape]
            start = [int(rng.integers(0, n - s + 1)) for n, s in zip(shape, size)]
            step("extract_slice", size, f"{start} {size} {[1] * len(shape)}", "to")
            steps.append(lambda x, box=tuple(slice(a, a + n) for a, n in zip(start, size)): x[box])
            shape = size
            continue
        i = int(rng.integers(0, len(shape)))
        if kind == 1 and i + 1 < len(shape):
            result = shape[:i] + [shape[i] * shape[i + 1]] + shape[i + 2:]
            groups = [[j] for j in range(i)] + [[i, i + 1]] + [[j] for j in range(i + 2, len(shape))]
            step("collapse_shape", result, f" {groups}")
        elif kind == 2 and len(shape) < 6:
            d = int(rng.choice([d for d in range(1, shape[i] + 1) if shape[i] % d == 0]))
            result = shape[:i] + [d, shape[i] // d] + shape[i + 1:]
            groups = [[j] for j in range(i)] + [[i, i + 1]] + [[j + 1] for j in range(i + 1, len(shape))]
            step("expand_shape", result, f" {groups} output_shape {result}")
        else:
            continue
        shape = result
        steps.append(lambda x, to=tuple(result): x.reshape(to))
    last = f"%v{len(lines) - 1}" if lines else "%x"
    text = (f"func.func @{name}(%x: {tensor(first, dtype)}) -> {tensor(shape, dtype)} {{\n{''.join(lines)}"
            f"  %y = arith.negf {last} : {tensor(shape, dtype)}\n  return %y : {tensor(shape, dtype)}\n}}\n")

    def expected(x):
        for f in steps:
            x = f(x)
        return x ^ np.array(1 << (8 * x.itemsize - 1), x.dtype)

    return text, [first], expected


target, rng = bits.start()
cases = []
for i in range(CASES):
    dtype = str(rng.choice(list(TYPES)))
    kind = (insert, permute, chain)[i % 3]
    cases.append((f"f{i}", dtype, *kind(rng, f"f{i}", dtype)))
failures = 0
with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    (folder / "f.mlir").write_text("".join(case[2] for case in cases))
    subprocess.run(["te-compile", folder / "f.mlir", f"--target={target}", "--variants=none", "-o", folder / "f.hsaco"], check=True)
    for name, dtype, text, shapes, expected in cases:
        inputs = [rng.integers(0, 1 << (8 * TYPES[dtype]().itemsize), shape, dtype=np.uint64).astype(TYPES[dtype])
                  for shape in shapes]
        for i, value in enumerate(inputs):
            np.save(folder / f"{i}.npy", value.view(STORED[dtype]))
        run = subprocess.run(["te-run", folder / "f.hsaco", f"--entry={name}", "--sanitize", f"--output={folder / 'y.npy'}",
                              *(f"--input={folder / f'{i}.npy'}" for i in range(len(inputs)))], capture_output=True, text=True)
        wanted = expected(*inputs)
        right = run.returncode == 0
        if right:
            found = np.load(folder / "y.npy").view(TYPES[dtype])
            right = found.shape == wanted.shape and np.array_equal(found, wanted)
        failures += not right
        if not right:
            print(f"FAIL {text}{run.stdout}{run.stderr}")
print(f"{CASES} cases, {failures} failures")
assert not failures
