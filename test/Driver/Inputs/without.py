"""A pass that a schedule leaves out: the kernel is as the pipeline makes it that does not have the pass, and its results are right."""

import re
import subprocess
import sys
from pathlib import Path

# As lib/Driver/Pipeline.cpp has them.
PASSES = ["tile-persistent-workgroups", "tile-hoist-loads", "tile-prefetch-loads", "cse", "tile-stage-operands", "tile-split-products", "tile-pipeline", "tile-ping-pong",
          "tile-interleave", "tile-unroll", "tile-delay-stores", "cse", "tile-count-loads"]
OF_MODULE = ["tile-persistent-workgroups", "cse"]
NEEDED_BY = {"tile-stage-operands": ["tile-pipeline", "tile-ping-pong"], "tile-pipeline": ["tile-ping-pong"]}
GEMM = """func.func @f(%x: tensor<?x512xbf16> {{te.dims = ["M", "K"]}}, %w: tensor<256x512xbf16>) -> tensor<?x256xbf16> {{
  %d = te.fusion "f_0" (%a = %x : tensor<?x512xbf16>, %b = %w : tensor<256x512xbf16>) -> (tensor<?x256xbf16>)
      attributes {{schedule = #te.schedule<"{chip}", tile = [128, 128], waves = 8, vector = 8, matmul = <"{mma}", k = 64, waves = [2, 4]>, pipeline = <stages = {stages}, {options}>{grid}{without}>}} {{
    %0 = te.gemm %a, %b transpose_b : tensor<?x512xbf16>, tensor<256x512xbf16> -> tensor<?x256xbf16>
    te.yield %0 : tensor<?x256xbf16>
  }}
  return %d : tensor<?x256xbf16>
}}
"""
ROWS = """func.func @f(%x: tensor<?x4096xbf16> {{te.dims = ["M", "K"]}}) -> tensor<?x4096xbf16> {{
  %r = te.fusion "f_0" (%a = %x : tensor<?x4096xbf16>) -> (tensor<?x4096xbf16>)
      attributes {{schedule = #te.schedule<"{chip}", tile = [1, 1024], waves = 2, vector = 8, sweep = reread{without}>}} {{
    %0 = te.softmax %a : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
    te.yield %0 : tensor<?x4096xbf16>
  }}
  return %r : tensor<?x4096xbf16>
}}
"""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: {done.stderr[:2000]}"
    return done.stdout


def lower(path, left_out=None):
    """The tile level, where these passes end, without what names the passes that are left out."""
    without = {left_out, *NEEDED_BY.get(left_out, [])}
    passes = ",".join(name if name in OF_MODULE else f"tile.kernel({name})" for name in PASSES if name not in without)
    text = run("te-opt", path, f"--pass-pipeline=builtin.module(te-to-tile,{passes})")
    return re.sub(r",? ?(without = \[[^]]*\]|workgroups = \d+ : i64)", "", text)


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    has_effect = set()
    for chip, program, options in [("gfx950", GEMM, dict(mma="f32_16x16x32_bf16", stages=3, options="direct_to_lds = true, ping_pong = true", grid="")),
                                   ("gfx942", GEMM, dict(mma="f32_16x16x16_bf16", stages=2, options="ping_pong = false", grid=", grid = <workgroups = 1>")),
                                   ("gfx942", GEMM, dict(mma="f32_16x16x16_bf16", stages=1, options="ping_pong = false", grid="")),
                                   ("gfx942", ROWS, {})]:
        path = folder / "f.mlir"
        path.write_text(program.format(chip=chip, without="", **options))
        whole = lower(path)
        for name in dict.fromkeys(PASSES):
            if name == "cse":
                continue
            path.write_text(program.format(chip=chip, without=f', without = ["{name}"]', **options))
            assert lower(path) == lower(path, name), f"{chip}: {name} changed the kernel"
            if lower(path) != whole:
                has_effect.add(name)
            print(f"{chip}: without {name}")
            output = run("te-run", path, f"--target={chip}", "--dim=M=131", "--check", "--sanitize")
            assert "PASS" in output, output
    missing = set(PASSES) - {"cse"} - has_effect
    assert not missing, f"no program shows {missing}"
    print("every pass can be left out")


if __name__ == "__main__":
    main()
