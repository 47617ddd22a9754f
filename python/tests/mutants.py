"""Broken texts, artefacts and arrays through the Python package: each is an exception of its own, and never the end of the process.

    mutants.py [--count N] [--seed S] [--kind text|image|array]

Draws N of each kind. test_mutants.py draws a few; more, and under AddressSanitizer, by hand. Fails with what it was, where another
exception comes than those that the package promises; where the process ends, the last seed that was printed draws it again.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

import te_mlir as te

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/Invalid/Inputs"))
from fuzz_ir import MUTATIONS  # noqa: E402

TEXTS = [path.read_text() for folder in ("examples", "test/Dialect/TE") for path in sorted((ROOT / folder).glob("*.mlir"))]
PROGRAM = """
func.func @f(%x: tensor<?x64xbf16> {te.dims = ["M", "K"], te.name = "x"}, %g: tensor<64xbf16> {te.name = "g"}) ->
    (!te.scaled<?x64xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, tensor<?xf32>) {
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  return %q, %r : !te.scaled<?x64xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, tensor<?xf32>
}
"""
DTYPES: list[Any] = [ml_dtypes.bfloat16, np.float32, np.float64, np.int8, np.uint8, np.uint16, np.bool_, np.complex64, ml_dtypes.float8_e4m3fn, ">f4",
                     "U3", object, "datetime64[s]"]


def mutate_text(rng: random.Random) -> Callable[[], object]:
    pieces = rng.choice(TEXTS).split("// -----")
    text = rng.choice(pieces)
    for _ in range(rng.randint(1, 3)):
        if text:
            text = rng.choice(MUTATIONS)(text, rng)

    def run() -> object:
        module = te.parse(text)
        return [function for function in module.functions], str(module)
    return run


def mutate_image(rng: random.Random, image: bytes) -> Callable[[], object]:
    changed = bytearray(image)
    start = image.index(b'{"entries"')  # the manifest, and what is around it
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(start, start + 1500) if rng.random() < 0.7 else rng.randrange(len(changed))
        changed[at] = rng.choice([rng.randrange(256), ord(rng.choice('0123456789{}[],":-')), changed[at] ^ 1 << rng.randrange(8)])
    if rng.random() < 0.1:
        del changed[rng.randrange(len(changed)):]

    def run() -> object:
        program = te.Program(bytes(changed))
        return program.entries, program.query(dims={"M": 3}), program.manifest
    return run


def draw_array(rng: random.Random) -> Any:
    if rng.random() < 0.1:
        return rng.choice([None, 1, 1.5, "x", [1.0], b"x", {}])
    shape = rng.choice([(3, 64), (64, ), (3, 64), (64, ), (), (0, 64), (3, 63), (3, 65), (64, 3), (1, 3, 64), (2, 0), (3, )])
    array = np.zeros(shape, rng.choice(DTYPES) if rng.random() < 0.5 else ml_dtypes.bfloat16)
    change = rng.randrange(8)
    if change == 0 and array.ndim:
        array = array[::-1]
    elif change == 1 and array.ndim:
        array = array[..., ::2]
    elif change == 2:
        array = array.T
    elif change == 3:
        array.flags.writeable = False
    elif change == 4 and array.nbytes > 2 and array.dtype != object:
        array = np.frombuffer(bytearray(array.nbytes + 2), np.uint8)[2:].view(array.dtype).reshape(array.shape)
    return array


def mutate_array(rng: random.Random, program: te.Program) -> Callable[[], object]:
    # What is right, of which a part is drawn anew.
    inputs: list[Any] = [np.zeros(shape, ml_dtypes.bfloat16) for shape in ((3, 64), (64, ))]
    out: Any = None
    dims: Any = None
    device: Any = None
    for change in sorted(rng.sample(range(5), rng.randint(1, 2))):
        if change == 0:
            inputs[rng.randrange(2)] = draw_array(rng)
        elif change == 1:
            inputs = [draw_array(rng) for _ in range(rng.randrange(4))]
        elif change == 2:
            out = [draw_array(rng) for _ in range(rng.choice([1, 3, 3]))]
        elif change == 3:
            dims = rng.choice([{"M": 3}, {"M": -1}, {"N": 3}, {"M": "3"}, {"M": 2**62}, 3])
        else:
            device = rng.choice(["emulator", "reference", "tpu", "cuda:x", 3])
    return lambda: program(*inputs, out=out, dims=dims, device=device)


def draw(kind: str, seed: int, program: te.Program) -> Callable[[], object]:
    rng = random.Random(seed)
    if kind == "text":
        return mutate_text(rng)
    return mutate_image(rng, program.image) if kind == "image" else mutate_array(rng, program)


def judge(kind: str, seed: int, program: te.Program) -> bool:
    """True where the mutant runs; an exception of the package where it does not, and another one is a failure."""
    try:
        draw(kind, seed, program)()
    except (te.CompileError, te.RunError, TypeError, OSError) as error:  # the last of a text that may be a path
        assert str(error), f"{kind} {seed}: an error that says nothing"
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--kind", choices=["text", "image", "array"])
    options = parser.parse_args()
    program = te.compile(PROGRAM)
    for kind in [options.kind] if options.kind else ["text", "image", "array"]:
        ran = 0
        for seed in range(options.seed, options.seed + options.count):
            if (seed - options.seed) % 500 == 0:
                print(f"{kind}: from seed {seed}", flush=True)
            ran += judge(kind, seed, program)
        print(f"{kind}: {options.count} mutants, {ran} of them run")


if __name__ == "__main__":
    main()
