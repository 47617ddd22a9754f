"""Rows that several workgroups share, against the reference.

    row_split.py --target=CHIP [--seed=S]

te-fuse's regions get schedules with `row_split`: tiles, waves and the number of workgroups a row are drawn, so that rows end in whole
and broken tiles, in splits with fewer tiles than others and in splits with none; some of the dimensions before the last are
dynamic. Two splits more or less must not change
what a result is within its tolerance, and two runs must not change a bit.
"""

import random
import re
import subprocess
import tempfile
from pathlib import Path

from options import parse_options
import rows
from sweep import distributions

SHAPES = [(1, 3000), (3, 4096), (33, 2500), (2, 3, 1500), (40, 700), (0, 2048), (1, 65536)]
SCHEDULE = re.compile(r'#te\.schedule<"(\w+)", tile = \[(\d+), (\d+)\], waves = (\d+), vector = (\d+)(?:<[^<>]*>|[^<>])*>')


def quantize_rows(shape):
    f = rows.Function()
    x = f.argument(rows.tensor(shape, "bf16"), rows.dims(shape))
    f.quantize(x, shape, "f8E4M3FN", ["row, scale = f32"])
    return f.print()


def programs():
    """Programs, and the rows that a tile has at the least."""
    for kind in rows.NORMS:
        for t in ["bf16", "f32"]:
            yield f"{kind}-{t}", 1, rows.norm(kind, t, t, residual=t == "bf16")
            yield f"{kind}-{t}-bwd", 1, rows.norm_bwd(kind, t, residual={"rms": "add"}.get(kind))
        yield f"{kind}-both", 32, rows.norm(kind, "bf16", "bf16", schemes=[rows.ROW, rows.COL])
        yield f"{kind}-row-scale", 1, rows.norm(kind, "f16", "f16", schemes=["row, scale = f32"])
    yield "row-scale", 1, quantize_rows


def share(text, least, columns, rng):
    """The same IR with splits."""
    def replace(match):
        chip, vector = match[1], int(match[5])
        width, height = rng.choice([64, 128, 256, 512]), max(least, rng.choice([1, 2, 8]))
        waves = max(rng.choice([1, 2, 4]), width * height // (64 * 8)) # 8 elements a lane, at the most
        waves = min(waves, 8)
        combined = waves * 64 * 32 // height # splits that a workgroup combines in 32 registers a lane, of each number
        splits = rng.randint(2, max(2, min(combined, -(-columns // width))))
        return (f'#te.schedule<"{chip}", tile = [{height}, {min(width, 4096 // height)}], waves = {waves}, '
                f'vector = {vector}, sweep = reread, grid = <row_split = {splits}>>')
    return SCHEDULE.sub(replace, text)


def main():
    options = parse_options()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        source, ir, artefact = (Path(name) / f for f in ("p.mlir", "fused.mlir", "p.hsaco"))
        for program, least, make in programs():
            for shape in rng.sample(SHAPES, 2):
                drawn = (*(rng.choice([size, "?"]) for size in shape[:-1]), shape[-1])
                text = make(drawn)
                source.write_text(text)
                compile = ["te-compile", f"--target={options.target}", "--variants=none"]
                subprocess.run([*compile, source, "--emit=fused", "-o", ir], check=True)
                shared = share(ir.read_text(), least, shape[-1], rng)
                assert "row_split = " in shared, shared
                ir.write_text(shared)
                what = f"{program} of {shape} as {drawn}: {SCHEDULE.search(shared)[0]}"
                if subprocess.run([*compile, ir, "-o", artefact]).returncode:
                    raise SystemExit(f"FAIL to compile {what}")
                seed = rng.randrange(1 << 20)
                sizes = [f"--dim=d{i}={size}" for i, size in enumerate(shape) if drawn[i] == "?"]
                inputs = sizes + [f"--input=random:{seed + i}{d}" for i, d in enumerate(distributions(program, text, True))]
                outputs = [Path(name) / f"{i}.npy" for i in range(2)]
                result = subprocess.run(["te-run", artefact, "--check", "--sanitize", *inputs], capture_output=True, text=True)
                if result.returncode:
                    raise SystemExit(f"FAIL {what}, seed {seed}:\n{result.stdout}{result.stderr}")
                for out in outputs:
                    subprocess.run(["te-run", artefact, *inputs, f"--output={out}"], check=True, capture_output=True)
                if outputs[0].read_bytes() != outputs[1].read_bytes():
                    raise SystemExit(f"FAIL {what}: another result on another run")


if __name__ == "__main__":
    main()
