"""What the programs of this folder are called with."""

import argparse
import random


def parse_options(parser=None):
    """--target=CHIP and --seed=S (else drawn), which is printed: a failure can be run again. `parser` has a program's other options."""
    parser = parser or argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    options = parser.parse_args()
    print("seed", options.seed)
    return options
