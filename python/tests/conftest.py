"""Fresh random data for each run, by a seed that a failure prints."""

import os
import random

import numpy as np
import pytest


@pytest.fixture
def rng(record_property):
    seed = int(os.environ.get("TE_SEED", random.randrange(1 << 30)))
    record_property("seed", seed)
    print(f"seed {seed} (TE_SEED={seed} draws the same)")
    return np.random.default_rng(seed)
