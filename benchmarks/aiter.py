"""AITER's attention kernels (PyPI: amd-aiter) in the cycle model, beside what was measured of them.

    build/venv/bin/python benchmarks/aiter.py --bin build/bin [--clock=GHZ] [--length=8192] [--batch=4] [--heads=32]

bf16, head size 128, (batch, sequence, heads, size). The kernels are AITER's machine code as it is shipped; test/Emulator/AITER checks
their results. Modelled: of a sample of the grid (te-run --profile --sample), at the peak clock unless --clock says otherwise. Published:
the best figures of these kernels on MI355X and MI300X; sizes and clocks of those runs are not always told. The backward pass is its main
kernel alone, the published figure of all three. A causal mask counts half of the operations.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "test/Emulator/AITER/Inputs"))
import harness  # noqa: E402

SIZE = 128
# (pass, mask, chip, code object, published TFLOP/s)
KERNELS = [
    ("forward", False, "gfx950", "fmha_v3_fwd/fwd_hd128_bf16.co", 1429),
    ("forward", True, "gfx950", "fmha_v3_fwd/fwd_hd128_bf16_causal.co", 1398),
    ("forward", False, "gfx942", "fmha_v3_fwd/MI300/fwd_hd128_bf16_rtne.co", 592),
    ("forward", True, "gfx942", "fmha_v3_fwd/MI300/fwd_hd128_bf16_causal_rtne.co", 561),
    ("backward", False, "gfx950", "fmha_v3_bwd/bwd_hd128_bf16_a16_psskddv.co", 1201),
    ("backward", True, "gfx950", "fmha_v3_bwd/bwd_hd128_bf16_causal_a16_psskddv.co", 1109),
    # AITER's pull request 815: of the same problem 20.9 ms by bf16 atomics and 28.8 ms by f32 ones.
    ("backward", True, "gfx950", "fmha_v3_bwd/bwd_hd128_bf16_causal_a32_psskddv.co", 763),
    ("backward", False, "gfx942", "fmha_v3_bwd/bwd_hd128_bf16_a32_rtne.co", 550),
    ("backward", True, "gfx942", "fmha_v3_bwd/bwd_hd128_bf16_causal_a32_rtne.co", 514),
]


def buffer(*shape, dtype="bf16"):
    return f"tmp:{dtype}[{','.join(map(str, shape))}]"


def strides(length, heads):
    """Bytes of batch, sequence and heads."""
    return 2 * length * heads * SIZE, 2 * heads * SIZE, 2 * SIZE


def forward(names, options, causal):
    batch, length, heads = options.batch, options.length, options.heads
    tile, block = 256, 512
    b, s, h = strides(length, heads)
    arguments = {"R": buffer(batch, length, heads, SIZE), "LSE": buffer(batch, heads, length, dtype="f32"), "scalar": SIZE**-0.5,
                 "seq_len": length, "Seqs": s, "Ts": tile * s, "Hs": h, "Bs": b, "gqa": 1, "msk_opt": 1 if causal else 0,
                 "lse": 1, "kv_seq_len": length, "qk_head_dim": SIZE, "v_head_dim": SIZE, "q_head_num": heads, "lse_Hs": 4 * length}
    arguments |= {name: buffer(batch, length, heads, SIZE) for name in "QKV"}
    arguments |= {f"{p}_{n}": v for p in "kvr" for n, v in (("Seqs", s), ("Hs", h), ("Bs", b))}
    tiles = -(-length // tile)
    return (-(-tiles // 2) if causal else tiles, heads, batch), block, arguments


def backward(names, options, causal):
    batch, length, heads = options.batch, options.length, options.heads
    isNative = "max_seq_len_dq" in names
    tile = 256 if isNative else 192
    b, s, h = strides(length, heads)
    arguments = {"scalar": SIZE**-0.5, "log2e": 1.4426950408889634, "ratio": 1}
    arguments |= {name: buffer(batch, length, heads, SIZE) for name in ("dK", "dV", "Q", "K", "V", "dO")}
    arguments |= {"dQ": buffer(batch, heads, length, SIZE, dtype="f32")}
    arguments |= {name: buffer(batch, heads, length, dtype="f32") for name in ("Lse", "D")}
    if "Hs_kv" in names:
        arguments |= {"seq_len": length, "Ts": tile * s, "Hs": h, "BAs": b, "Seqs": s, "Hs_kv": h, "BAs_kv": b, "Seqs_kv": s,
                      "Seqs_dkv": s, "head_dim": SIZE}
    else:
        arguments |= {f"{field}_{name}": stride for name in ("q", "k", "v", "do", "dk", "dv")
                      for field, stride in (("BAs", b), ("Seqs", s), ("Hs", h))}
        arguments |= {"seqlen_q": length, "seqlen_k": length, "nhead_q": heads, "Ts": tile * s, "head_dim_q": SIZE,
                      "head_dim_k": SIZE, "Hs_lsed": 4 * length, "max_seq_len_dq": length}
    tiles = -(-length // tile)
    return (-(-tiles // 2) if causal else tiles, heads, batch), 256, arguments


def profile(tools, path, runner, code, grid, block, arguments, names, clock):
    flags = [f"--arg={name}={value if isinstance(value, str) else ('i32:' if isinstance(value, int) else 'f32:') + str(value)}"
             for name, value in arguments.items() if name in names]
    command = [tools / "te-run", runner.objects / code, "--device=emulator", "--kernel=" + runner.list(code)[0],
               "--grid=" + ",".join(map(str, grid)), f"--block={block}", *flags, f"--profile={path}", "--sample"]
    done = subprocess.run(command + ([f"--clock={clock}"] if clock else []), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{code}: {done.stderr.strip()}")
    return json.loads(path.read_text())["launches"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=Path, help="the folder of te-run")
    parser.add_argument("--clock", help="GHz that both chips are taken to sustain")
    parser.add_argument("--length", type=int, default=8192)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--heads", type=int, default=32)
    options = parser.parse_args()
    os.environ["PATH"] = f"{options.bin.resolve()}:{os.environ['PATH']}"  # harness.py calls te-run
    print("| pass | mask | chip | kernel | modelled, ms | TFLOP/s | MFMA busy | published TFLOP/s | modelled / published |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        measure(options, folder)


def measure(options, folder):
    for kind, causal, chip, code, published in KERNELS:
        runner = harness.Runner(chip, folder)
        names = runner.list(code)[1]
        grid, block, arguments = {"forward": forward, "backward": backward}[kind](names, options, causal)
        launch = profile(options.bin, Path(folder) / "profile.json", runner, code, grid, block, arguments, names, options.clock)
        products = {"forward": 2, "backward": 5}[kind]
        flops = 2 * products * options.batch * options.heads * options.length**2 * SIZE / (2 if causal else 1)
        seconds = launch["grid"]["seconds"]
        rate = flops / seconds / 1e12
        print(f"| {kind} | {'causal' if causal else 'no'} | {chip} | `{Path(code).stem}` | {1e3 * seconds:.2f} | {rate:.0f} | "
              f"{100 * launch['mfma']['busy']:.0f} % | {published} | {rate / published:.2f} |", flush=True)


if __name__ == "__main__":
    main()
