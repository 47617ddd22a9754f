"""A few of mutants.py's, with fresh seeds."""

import pytest

import te_mlir as te
from mutants import PROGRAM, judge


@pytest.mark.parametrize("kind", ["text", "image", "array"])
def test_mutants(kind, rng):
    program = te.compile(PROGRAM)
    first = int(rng.integers(1 << 30))
    ran = [judge(kind, seed, program) for seed in range(first, first + 300)]
    assert 0 < sum(ran) < len(ran)  # both kinds are drawn
