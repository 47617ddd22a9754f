"""What tests of numbers of any bits begin with."""

import random

import numpy as np

from options import parse_options


def start():
    """The target from the command line, and a generator of a seed that is printed or given."""
    options = parse_options()
    return options.target, np.random.default_rng(options.seed)


def words(rng, count):
    """Random u32."""
    return rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)
