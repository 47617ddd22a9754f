"""What tests of numbers of any bits begin with."""

import argparse
import random

import numpy as np


def start():
    """The target from the command line, and a generator of a seed that is printed or given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    return options.target, np.random.default_rng(options.seed)


def words(rng, count):
    """Random u32."""
    return rng.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)
