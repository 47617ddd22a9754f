#!/usr/bin/env python3
"""Compares the reference's stochastic rounding with numpy: Philox4x32-10 from
its paper, checked by its authors' known answers; that a value's mean over many
draws is the value; that offset, seed and direction each draw anew.

    check_stochastic.py --bin BUILD/bin [--seed S]
"""
import numpy as np

from check_ops import run_checks, tensor

# Counter, key, result: Random123's kat_vectors.
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344], [0xA4093822, 0x299F31D0],
     [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]
VALUES = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
LOW = np.uint64(0xFFFFFFFF)


def philox(counter, key):
    """Arrays of words."""
    c = [np.asarray(word, np.uint64) for word in counter]
    k = [int(word) for word in key]
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), b & LOW,
             (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), a & LOW]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c


def words(m, k, seed, offset, columnwise):
    rows, cols = np.meshgrid(np.arange(m), np.arange(k), indexing="ij")
    block = philox([cols // 4 * 2 + columnwise, rows, np.full((m, k), offset % 2**32),
                    np.full((m, k), offset // 2**32)], [seed % 2**32, seed // 2**32])
    return np.choose(cols % 4, block)


def round_at_random(x, word):
    """The values that x, at most 6 in magnitude, becomes."""
    magnitude = np.abs(x.astype(np.float64))
    code = np.searchsorted(VALUES, magnitude, side="right") - 1
    above = VALUES[np.minimum(code + 1, 7)]
    step = np.where(code == 7, 1, above - VALUES[code])
    place = np.floor((magnitude - VALUES[code]) / step * 2**22)
    code += place + (word >> np.uint64(10)).astype(np.float64) >= 2**22
    return np.copysign(VALUES[code], x)


def quantize(run, x, state, columnwise=False):
    """Values after te.quantize and te.dequantize. 6 in each block makes its scale 1."""
    scheme = "[32, 1], scale = f8E8M0FNU, data_layout = transposed" if columnwise else "[1, 32], scale = f8E8M0FNU"
    shape, scaled = tensor(x.shape, "f32"), "x".join(map(str, x.shape))
    q = f"!te.scaled<{scaled}xf4E2M1FN, #te.scaling<block = {scheme}, rounding = even>>"
    body = (f"%q = te.quantize %0 rng(%1 : tensor<2xi64>) {{stochastic}} : {shape} -> {q}\n"
            f"  %r0 = te.dequantize %q : {q} -> {shape}")
    return run(body, [("f32", x), ("i64", np.array(state, np.uint64).view(np.int64))], [(shape, np.float32)])[0]


def draw(rng, m, k):
    x = rng.uniform(-6, 6, (m, k)).astype(np.float32)
    x[rng.random((m, k)) < 0.1] = rng.choice(np.array([0, -0.0, 0.25, -5, 1e-9, 6, 0.5, 3], np.float32))
    x[::32, :] = 6
    x[:, ::32] = -6
    return x


def check_known_answers(run, rng):
    for counter, key, result in KNOWN:
        got = [int(word) for word in philox(counter, key)]
        if got != result:
            raise SystemExit(f"FAIL philox({counter}, {key}): {got}")


def check_bits(run, rng):
    for number in range(12):
        m, k = int(rng.integers(1, 70)), int(rng.integers(1, 150))
        columnwise = number % 2 == 1
        state = [int(word) for word in rng.integers(0, 2**64, 2, dtype=np.uint64)]
        x = draw(rng, m, k)
        got = quantize(run, x, state, columnwise)
        expected = round_at_random(x, words(m, k, *state, columnwise)).astype(np.float32)
        if not np.array_equal(got.view(np.uint32), expected.view(np.uint32)):
            raise SystemExit(f"FAIL {m}x{k}, seed and offset {state}, columnwise {columnwise}: {got}, {expected}")


def check_mean(run, rng):
    """Within six standard deviations of a value between two codes."""
    for _ in range(6):
        value = np.float32(rng.uniform(0, 6))
        x = np.full((256, 256), value, np.float32)
        x[:, ::32] = 6
        state = [int(word) for word in rng.integers(0, 2**64, 2, dtype=np.uint64)]
        got = quantize(run, x, state).astype(np.float64)
        free = np.arange(256) % 32 != 0
        draws = got[:, free]
        below = VALUES[VALUES <= value].max()
        step = VALUES[VALUES > value].min() - below
        chance = (float(value) - below) / step
        error = abs(draws.mean() - value)
        if error > 6 * step * np.sqrt(chance * (1 - chance) / draws.size) + 1e-6:
            raise SystemExit(f"FAIL mean of {value}: {draws.mean()}, seed and offset {state}")
        for changed in ([state[0] ^ 1, state[1]], [state[0], (state[1] + 1) % 2**64]):
            same = (quantize(run, x, changed)[:, free] == draws).mean()
            if not abs(same - (chance**2 + (1 - chance)**2)) < 0.03:
                raise SystemExit(f"FAIL {changed} and {state} agree on {same} of all elements, {chance}")


if __name__ == "__main__":
    run_checks(__doc__, check_known_answers, check_bits, check_mean)
