#!/usr/bin/env python3
"""Compares the reference's te.rope, te.rope_bwd and te.update_scale with
numpy, written from the specification: positions token by token from the whole
sequences, rotations as matrices, the amax history as TE rolls it.

    check_rope.py --bin BUILD/bin [--seed S]
"""
import numpy as np

from check_ops import compare, draw, result, run_checks, tensor


# RoPE -----------------------------------------------------------------------

def rotation(angles, interleaved):
    """The matrix that rotates the columns of one position."""
    n = len(angles)
    out = np.diag(np.cos(angles))
    for i in range(n):
        if interleaved:
            j, sign = (i + 1, -1) if i % 2 == 0 else (i - 1, 1)
        else:
            j, sign = (i + n // 2, -1) if i < n // 2 else (i - n // 2, 1)
        out[i, j] += sign * np.sin(angles[i])
    return out


def rank_tokens(length, cp_size, cp_rank):
    """Positions of a sequence of `length` tokens that a rank holds."""
    chunks = np.array_split(np.arange(length), 2 * cp_size)
    if cp_size == 1:
        return np.arange(length)
    return np.concatenate([chunks[cp_rank], chunks[2 * cp_size - 1 - cp_rank]])


def rotate(x, freqs, positions, interleaved, backward):
    """x is (tokens, h, d); a position of -1 or beyond freqs is copied."""
    y = x.astype(np.float64)
    d2 = freqs.shape[1]
    for token, position in enumerate(positions):
        if 0 <= position < len(freqs):
            matrix = rotation(freqs[position].astype(np.float64), interleaved)
            if backward:
                matrix = matrix.T
            y[token, :, :d2] = y[token, :, :d2] @ matrix.T
    return y


def run_rope(run, op, form, x, kind, freqs, starts, offsets, flags, out):
    arguments = [(kind, x), ("f32", freqs)]
    extra = ""
    for name, values in [("start_positions", starts), ("cu_seqlens", offsets)]:
        if values is not None:
            extra += (f" {name}(%{len(arguments)} : "
                      f"{tensor(values.shape, 'i32')})")
            arguments.append(("i32", values))
    shape = result(x.shape, out)
    got, = run(f"%r0 = te.{op} {form} %0, %1{extra} {{{', '.join(flags)}}} : "
               f"{tensor(x.shape, kind)}, {tensor(freqs.shape, 'f32')} -> "
               f"{shape[0]}", arguments, [shape])
    return got


def check_rope(run, rng):
    for number in range(30):
        form = ["sbhd", "bshd", "thd"][number % 3]
        backward, interleaved = number % 2 == 1, rng.integers(2) == 1
        batch, heads, d = rng.integers(1, 4), rng.integers(1, 3), 8
        d2 = [2, 4, 8][rng.integers(3)]
        cp_size = int(rng.integers(1, 4))
        cp_rank = int(rng.integers(cp_size))
        lengths = rng.integers(0, 4, batch) * 2 * cp_size
        if form != "thd":
            lengths[:] = rng.integers(1, 4) * 2 * cp_size
        starts = rng.integers(-1, 9, batch).astype(np.int32)
        if rng.integers(2):
            starts = None
        # Some positions are beyond the table, and some tokens in no sequence.
        freqs = draw(rng, (int(rng.integers(8, 24)), d2), "f32") * np.float32(30)
        tokens = [rank_tokens(n, cp_size, cp_rank) for n in lengths]
        if starts is not None:
            tokens = [p + start for p, start in zip(tokens, starts)]
        offsets = None
        if form == "thd":
            offsets = np.cumsum([0, *lengths]).astype(np.int32)
            positions = np.concatenate([*tokens, [-1, -1]])
            shape = (len(positions), heads, d)
        elif form == "sbhd":
            positions = np.stack(tokens, 1).reshape(-1)
            shape = (len(tokens[0]), batch, heads, d)
        else:
            positions = np.concatenate(tokens)
            shape = (batch, len(tokens[0]), heads, d)
        kind, out = [("f32", "f32"), ("bf16", "f32"), ("f16", "f16")][number % 3]
        x = draw(rng, shape, kind)
        flags = [f"cp_size = {cp_size} : i64", f"cp_rank = {cp_rank} : i64"]
        flags += ["interleaved"] if interleaved else []
        got = run_rope(run, "rope_bwd" if backward else "rope", form, x, kind,
                       freqs, starts, offsets, flags, out)
        expected = rotate(x.reshape(-1, heads, d), freqs, positions, interleaved,
                          backward)
        compare(f"rope {number}: {form} {flags} backward {backward}", got,
                expected.reshape(shape), out)


# Delayed scaling ------------------------------------------------------------

LARGEST = {"f8E4M3FN": 448, "f8E4M3FNUZ": 240, "f8E5M2": 57344, "f8E5M2FNUZ": 57344}


def update(history, scale, amax, algorithm, largest, margin):
    """One tensor."""
    last = amax if amax is not None and amax != 0 else history[0]
    if last == 0:
        return history, scale
    rolled = np.append(history[1:], last)  # what np.roll(history, -1) gives
    a = last if algorithm == "most_recent" else np.fmax.reduce(rolled)
    rolled[0] = 0
    if not np.isfinite(a) or a <= 0:
        return rolled, scale
    new = np.float32(largest * 2.0 ** -margin) / np.float32(a)
    return rolled, np.minimum(new, np.finfo(np.float32).max)


def check_update(run, rng):
    for number in range(24):
        length, count = [1, 2, 3, 17][number % 4], int(rng.integers(1, 7))
        element = list(LARGEST)[int(rng.integers(4))]
        algorithm = ["max", "most_recent"][int(rng.integers(2))]
        margin = int(rng.integers(-2, 3))
        single = number % 5 == 0
        count = 1 if single else count
        history = np.abs(draw(rng, (length, count), "f32"))
        specials = np.array([0, 0, 0, np.inf, np.nan, 1e-45, 3e38], np.float32)
        amax = np.abs(draw(rng, (count,), "f32"))
        for array in (history, amax):
            hits = rng.random(array.shape) < 0.4
            array[hits] = rng.choice(specials, hits.sum())
        amax = None if rng.integers(2) else amax
        scale = rng.uniform(0.5, 4, count).astype(np.float32)
        shapes = [(length,), ()] if single else [(length, count), (count,)]
        arguments = [("f32", history.reshape(shapes[0])),
                     ("f32", scale.reshape(shapes[1]))]
        extra = ""
        if amax is not None:
            extra = f" amax(%2 : {tensor(shapes[1], 'f32')})"
            arguments.append(("f32", amax.reshape(shapes[1])))
        types = f"{tensor(shapes[0], 'f32')}, {tensor(shapes[1], 'f32')}"
        got = run(f"%r0, %r1, %r2 = te.update_scale {algorithm} %0, %1{extra} "
                  f"for {element} {{margin = {margin} : i64}} : {types} -> "
                  f"{types} scale_inv {tensor(shapes[1], 'f32')}", arguments,
                  [result(shapes[0], "f32"), result(shapes[1], "f32"),
                   result(shapes[1], "f32")])
        new_history, new_scale = history.copy(), scale.copy()
        for s in range(count):
            new_history[:, s], new_scale[s] = update(
                history[:, s].copy(), scale[s], None if amax is None else amax[s],
                algorithm, LARGEST[element], margin)
        what = f"update_scale {number}: {shapes[0]} {algorithm} {element}"
        for name, a, b in [("history", got[0], new_history),
                           ("scale", got[1], new_scale),
                           ("scale_inv", got[2], np.float32(1) / new_scale)]:
            b = b.reshape(a.shape)
            if not np.array_equal(a, b, equal_nan=True):
                raise SystemExit(f"FAIL {what} {name}: got {a}, expected {b}")


if __name__ == "__main__":
    run_checks(__doc__, check_rope, check_update)
