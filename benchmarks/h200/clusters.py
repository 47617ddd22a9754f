"""Norms and their gradients whose rows the workgroups of a cluster hold, for check.py.

Tiles, waves and the size of the cluster are drawn: rows end in whole and in broken tiles, tiles have one row and many, and a
workgroup computes one tile or several, one after another.
"""

import re
import subprocess
import tempfile
from pathlib import Path

SCHEDULE = re.compile(r'#te\.schedule<"(\w+)", tile = \[(\d+), (\d+)\], waves = (\d+), vector = (\d+)(?:<[^<>]*>|[^<>])*>')
MOST, LANES = 8, 32  # workgroups of a cluster, lanes of a wave
ELEMENTS = 12000     # of a tensor, about
LARGEST = 1 << 14    # elements of a tile
PADDING = 128        # columns that scales of blocks are padded to


def draw(text, least, columns, sums, rng):
    """The same fused IR with a cluster, which keeps rows or sweeps them, and its schedule."""
    unit = PADDING if "block = [" in text else 1
    padded = -(-columns // unit) * unit
    height = max(least, rng.choice([1, 2, 8]))
    width = rng.choice([w for w in (64, 128, 256, 512, 1024, 2048) if 2 <= -(-padded // w) <= MOST and w * height <= LARGEST])
    fewest = max(1, height * width // (LANES * 32))        # 32 elements a lane, at the most
    most = max(fewest, min(16, height * width // (LANES * 8)))
    waves = rng.choice([w for w in (1, 2, 4, 8, 16, 32) if fewest <= w <= most])
    grid = f"row_tiles = {rng.choice([1, 4, 16])}, " if sums else ""
    sweep = ""
    match, tiles = SCHEDULE.search(text), -(-padded // width)
    cluster = tiles
    if rng.random() < 0.6:
        fit = [c for c in range(2, tiles + 1) if (c - 1) * -(-tiles // c) < tiles]
        cluster, grid, sweep = rng.choice(fit), "", f", sweep = {rng.choice(['reread', 'keep'])}"
    schedule = (f'#te.schedule<"{match[1]}", tile = [{height}, {width}], waves = {waves}, vector = {match[5]}{sweep}, '
                f'grid = <{grid}cluster = {cluster}>>')
    return SCHEDULE.sub(schedule, text), schedule


def runs(compiler, target, rng):
    """Like those that a sweep records: each with a program of its own, fused IR."""
    import row_split
    from sweep import distributions
    found = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "p.mlir"
        for name, least, make in row_split.programs():
            for _ in range(5):
                k = rng.choice([rng.randrange(200, 2900), rng.randrange(256, 2900, 128)])
                shape = (rng.randrange(1, 2 + ELEMENTS // k), k)
                drawn = (rng.choice([shape[0], "?"]), k)
                text = make(drawn)
                source.write_text(text)
                fused = subprocess.run([compiler, source, f"--target={target}", "--emit=fused"], check=True, capture_output=True,
                                       text=True).stdout
                while True:
                    drawn_text, schedule = draw(fused, least, k, name.endswith("bwd"), rng)
                    source.write_text(drawn_text)
                    if subprocess.run([compiler, source, f"--target={target}", "--emit=fused"], capture_output=True).returncode == 0:
                        break  # not more than a workgroup has room for
                seed = rng.randrange(1 << 20)
                inputs = [f"--input=random:{seed + i}{d}" for i, d in enumerate(distributions(name, text, True))]
                sizes = [f"--dim=d0={shape[0]}"] * (drawn[0] == "?")
                found.append({"what": f"{name} {shape} {schedule}", "program": (name, drawn_text), "flags": sizes + inputs})
    return found
