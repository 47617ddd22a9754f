"""Held-out programs: pieces of transformers that are in no table, in the cycle model.

    build/venv/bin/python benchmarks/heldout.py --bin build/bin [--seed=N] [--count=40] [--kind=product,rows,attention] [--chip=gfx950]
                                                [--tune=40 --every=8] [--unknown] [--json=FILE]

Programs are drawn by the seed (printed; a new one each time): products of every format, orientation, prologue and epilogue, rows (norms,
activations, quantization, their gradients and chains of them), attention and softmax, of 1 to 8192 rows and the sizes of models whose
layers made no schedule and no rule. None of them may ever be used to make the database (share/schedules) or a rule: then they would say nothing.

Figures are the cycle model's at the peak clock (docs/cycle-model.md), of a sample of the grid. The roofline moves every input and every
output once at the achievable bandwidth, or multiplies at the peak of the operands' fastest instruction, whichever takes longer, behind one way through
memory (arguments, a load, a store: 0.6 us). "Alone": each op as a kernel of its own, and a microsecond between two. With --tune, of every --every'th program of a single kernel, the default's time / that of the
best schedule that te-tune finds with this budget. With --unknown, programs of 1, 16, 256 and 4096 rows, and the time where the compiler is
not told the number of rows / where it is.
"""

import argparse
import collections
import concurrent.futures
import copy
import json
import math
import random
import re
import subprocess
import tempfile
import time
from pathlib import Path

import gemm
from gated import GAP

# Hidden and intermediate sizes, heads of queries and of keys, and their size.
MODELS = {"Qwen2.5-0.5B": (896, 4864, 14, 2, 64), "Qwen2.5-7B": (3584, 18944, 28, 4, 128), "Qwen3-8B": (4096, 12288, 32, 8, 128),
          "Qwen3-14B": (5120, 17408, 40, 8, 128), "Gemma-2-2B": (2304, 9216, 8, 4, 256), "Gemma-3-4B": (2560, 10240, 8, 4, 256),
          "Phi-3-mini": (3072, 8192, 32, 32, 96), "Phi-4": (5120, 17920, 40, 10, 128), "GPT-OSS-20B": (2880, 5760, 64, 8, 64),
          "BERT-base": (768, 3072, 12, 12, 64), "BERT-large": (1024, 4096, 16, 16, 64)}
FORMATS = {"bf16": 4, "f16": 1, "fp8": 2, "mxfp8": 4, "mxfp4": 3, "blocks": 1}  # and how often
# Seconds of two scalar loads, a load that memory serves, and a store to L2: include/te/Target/Timing.h.
WAY = {"gfx942": (2 * 120 + 2 * 291) / 2.1e9 + 233e-9, "gfx950": (2 * 120 + 2 * 291) / 2.4e9 + 233e-9}
ROWS = "ROWS"  # in types, the number of rows; the compiler is told it, or not
MX = "scale = f8E8M0FNU"


def tensor(*shape, element="bf16"):
    return "tensor<" + "x".join(map(str, shape)) + f"x{element}>"


def scaled(rows, cols, element, scheme):
    return f"!te.scaled<{rows}x{cols}x{element}, #te.scaling<{scheme}>>"


def quantized(rows, cols, element="f8E4M3FN"):
    return [scaled(rows, cols, element, f"block = {block}, {MX}") for block in ("[1, 32]", "[32, 1]")]


class Program:
    """A function, op by op. Values are names; their types have ROWS for the number of rows."""

    def __init__(self, name, rows, chip):
        self.name, self.rows, self.chip = name, rows, chip
        self.types, self.inputs, self.ops, self.kept = {}, [], [], []  # kept: also results
        self.products = []  # of a precision, and operations by the number of rows

    def argument(self, type):
        name = f"%a{len(self.inputs)}"
        self.types[name] = type
        self.inputs.append(name)
        return name

    def op(self, text, *types):
        """`text` has the operands' names."""
        names = [f"%v{len(self.types) + i}" for i in range(len(types))]
        self.types.update(zip(names, types))
        self.ops.append((names, text))
        return names[0] if len(names) == 1 else names

    def product(self, precision, m, n, k):
        """Counts its operations. A size may be ROWS."""
        self.products.append((precision, lambda rows: 2 * math.prod(rows if size == ROWS else size for size in (m, n, k))))

    def outputs(self):
        read = {name for _, text in self.ops for name in re.findall(r"%[av]\d+", text)}
        made = [name for names, _ in self.ops for name in names]
        return [name for name in made if name not in read] + self.kept

    def function(self, inputs, ops, outputs, known):
        def argument(name):
            sizes = re.match(r"(?:tensor|!te\.scaled)<((?:\w+x)*)", self.types[name])[1].split("x")[:-1]
            names = ", ".join('"M"' if size == ROWS else f'"{name[1:]}_{i}"' for i, size in enumerate(sizes))
            return f"{name}: {self.types[name]}" + (f" {{te.dims = [{names}]}}" if ROWS in sizes else "")

        types = ", ".join(self.types[name] for name in outputs)
        text = f"func.func @f({', '.join(map(argument, inputs))}) -> ({types}) {{\n"
        text += "".join(f"  {', '.join(names)} = {body}\n" for names, body in ops)
        text += f"  return {', '.join(outputs)} : {types}\n}}\n"
        return text.replace(ROWS, str(self.rows) if known else "?")

    def fused(self, known=True):
        return self.function(self.inputs, self.ops, self.outputs(), known)

    def alone(self):
        """A function for each op."""
        for names, text in self.ops:
            inputs = list(dict.fromkeys(name for name in re.findall(r"%[av]\d+", text)))
            yield self.function(inputs, [(names, text)], names, known=True)

    def least_bytes(self):
        return sum(count_bytes(self.types[name].replace(ROWS, str(self.rows))) for name in self.inputs + self.outputs())

    def roofline(self, machine):
        """Seconds, and which unit."""
        bandwidth, rate = machine
        moved = self.least_bytes() / bandwidth
        multiplied = sum(flops(self.rows) / (gemm.FLOPS[self.chip][precision] * rate) for precision, flops in self.products)
        least, unit = max((moved, "memory"), (multiplied, "matrix"))
        return least + WAY[self.chip], unit


def count_bytes(type):
    """Of a tensor or a scaled one: elements, and a scale a block."""
    shape, element = re.match(r"(?:tensor|!te\.scaled)<((?:\d+x)*)(\w+)", type).groups()
    sizes = [int(size) for size in shape.split("x")[:-1]]
    count = 1
    for size in sizes:
        count *= size
    bits = next(bits for key, bits in (("f4", 4), ("f8", 8), ("f32", 32), ("f16", 16), ("i1", 8)) if key in element)
    total = count * bits / 8
    if block := re.search(r"block = \[(\d+), (\d+)\], scale = (\w+)", type):
        total += count / (int(block[1]) * int(block[2])) * (1 if block[3].startswith("f8") else 4)
    return total


# ---- what is drawn ----

def draw_rows(draw):
    """1 to 8192, a power of two or not."""
    rows = 2 ** draw.uniform(0, 13)
    return 1 << round(rows).bit_length() - 1 if draw.random() < 0.6 else max(1, round(rows))


def draw_sizes(draw, unit=64):
    """A model, or odd sizes, multiples of a block."""
    if draw.random() < 0.75:
        name = draw.choice(list(MODELS))
        return name, *MODELS[name]
    heads = draw.choice((8, 12, 20, 24))
    return "odd", unit * draw.randint(8, 80), unit * draw.randint(20, 240), heads, heads // 4, draw.choice((64, 128))


def draw_layer(draw):
    """Its name, N and K."""
    name, hidden, wide, heads, kv, size = draw_sizes(draw)
    layer = draw.choice(("qkv", "o", "gate_up", "up", "down"))
    n, k = {"qkv": ((heads + 2 * kv) * size, hidden), "o": (hidden, heads * size), "gate_up": (2 * wide, hidden),
            "up": (wide, hidden), "down": (hidden, wide)}[layer]
    return f"{name} {layer}", n, k


def draw_operands(program, precision, kind, n, k):
    """M is ROWS; in wgrad the rows are summed. Gives both names, the words of te.gemm, and D's shape."""
    transposed_a, transposed_b = gemm.PASSES[kind]
    m, k = (k, ROWS) if kind == "wgrad" else (ROWS, k)
    if precision == "blocks":
        element = "f8E4M3FNUZ" if program.chip == "gfx942" else "f8E4M3FN"
        types = (scaled(m, k, element, "block = [1, 128], scale = f32"), scaled(n, k, element, "block = [128, 128], scale = f32"))
    else:
        types = (gemm.operand(precision, program.chip, m, k, transposed_a), gemm.operand(precision, program.chip, n, k, not transposed_b))
    program.product("fp8" if precision == "blocks" else precision, m, n, k)
    words = " transpose_a" * transposed_a + " transpose_b" * transposed_b
    return *map(program.argument, types), words, (m, n)


def multiply(program, precision, kind, n, k, more="", results=(), element="bf16"):
    a, b, words, d = draw_operands(program, precision, kind, n, k)
    type = tensor(*d, element=element)
    types = program.types
    made = program.op(f"te.gemm {a}, {b}{words}{more} : {types[a]}, {types[b]} -> {type}" + "".join(f" {w} {t}" for w, t in results),
                      type, *(t for _, t in results))
    return made, d


def quantize(program, value, shape, draw, element="f8E4M3FN"):
    both = quantized(*shape, element)
    types = draw.choice((both[:1], both[:1], both))
    program.op(f"te.quantize {value} : {program.types[value]} -> {', '.join(types)}", *types)


def draw_product(draw, chip):
    precision = draw.choices(list(FORMATS), FORMATS.values())[0]
    layer, n, k = draw_layer(draw)
    kind = "fprop" if precision == "blocks" else draw.choices(("fprop", "dgrad", "wgrad"), (5, 2, 2))[0]
    rows = draw_rows(draw)
    if kind == "dgrad":
        n, k = k, n
    if kind == "wgrad":
        rows = max(rows, 32) // 32 * 32  # whole blocks of the sum
    chains = {"fprop": ["plain", "plain", "bias", "gelu aux", "silu", "quantize", "gate", "gate quantize", "residual", "prologue"],
              "dgrad": ["plain", "dgelu", "quantize"], "wgrad": ["plain", "accumulate"]}[kind]
    chain = draw.choice(chains)
    if chain.startswith("gate") and n % 64:
        chain = "plain"
    if chain == "prologue":
        return draw_prologue(draw, chip, layer, rows, n, k)
    program = Program(f"{layer} {kind} {chain} {precision}", rows, chip)
    d = (k, n) if kind == "wgrad" else (ROWS, n)
    type = tensor(*d)
    if chain in ("bias", "gelu aux"):
        bias = program.argument(tensor(n))
        aux = [("aux", type)] if chain == "gelu aux" else []
        multiply(program, precision, kind, n, k, f" bias({bias} : {tensor(n)})" + " gelu" * len(aux), aux)
    elif chain == "dgelu":
        z = program.argument(type)
        multiply(program, precision, kind, n, k, f" dgelu({z} : {type})")
    elif chain == "accumulate":
        main = program.argument(tensor(*d, element="f32"))
        multiply(program, precision, kind, n, k, f" accumulate({main} : {tensor(*d, element='f32')})", element="f32")
    else:
        y, _ = multiply(program, precision, kind, n, k)
        if chain == "silu":
            y = program.op(f"te.activation silu {y} : {type} -> {type}", type)
        if chain == "residual":
            r = program.argument(type)
            program.op(f"arith.addf {y}, {r} : {type}", type)
        if chain.startswith("gate"):
            half = tensor(ROWS, n // 2)
            y = program.op(f"te.gated_activation {draw.choice(('swiglu', 'geglu'))} {y} : {type} -> {half}", half)
        if "quantize" in chain or (chain == "silu" and draw.random() < 0.5):
            quantize(program, y, (ROWS, n // 2 if "gate" in chain else n), draw, "f8E5M2" if kind == "dgrad" else "f8E4M3FN")
    return program


def draw_prologue(draw, chip, layer, rows, n, k):
    """Weights that become bf16 as they are read."""
    element, scheme = draw.choice((("f4E2M1FN", f"block = [1, 32], {MX}"), ("f8E4M3FN", f"block = [1, 32], {MX}"),
                                   ("f8E4M3FN", "row, scale = f32"), ("f8E4M3FN", "block = [128, 128], scale = f32")))
    if chip == "gfx942" and "E8M0" not in scheme:
        element += "UZ"
    program = Program(f"{layer} fprop weights {element} {scheme.split(',')[0]}", rows, chip)
    x, q = program.argument(tensor(ROWS, k)), program.argument(scaled(n, k, element, scheme))
    w = program.op(f"te.dequantize {q} : {program.types[q]} -> {tensor(n, k)}", tensor(n, k))
    program.op(f"te.gemm {x}, {w} transpose_b : {tensor(ROWS, k)}, {tensor(n, k)} -> {tensor(ROWS, n)}", tensor(ROWS, n))
    program.product("bf16", ROWS, n, k)
    return program


def draw_row_local(draw, chip):
    name, hidden, wide, *_ = draw_sizes(draw)
    kind = draw.choice(("norm", "norm quantize", "add norm quantize", "layernorm quantize", "norm backward", "gate quantize", "gate backward",
                        "gelu quantize", "bias gradient", "quantize", "quantize fp4", "quantize tensor"))
    program = Program(f"{name} {kind}", draw_rows(draw), chip)
    size = wide if kind.startswith(("gate", "gelu")) else hidden
    x, small, stat, f32 = tensor(ROWS, size), tensor(size), tensor(ROWS, element="f32"), "{epsilon = 1.0e-5 : f32}"
    a = program.argument(tensor(ROWS, 2 * size) if kind.startswith("gate") else x)
    if kind == "norm backward":
        y, gamma, rsigma = program.argument(x), program.argument(small), program.argument(stat)
        program.op(f"te.rms_norm_bwd {a}, {y}, {gamma}, {rsigma} : {x}, {x}, {small}, {stat} -> {x}, {small}", x, small)
        return program
    if kind == "bias gradient":
        program.op(f"te.bias_grad {a} : {x} -> {small}", small)
        quantize(program, a, (ROWS, size), draw, "f8E5M2")
        return program
    if kind == "gate backward":
        dy, full = program.argument(x), tensor(ROWS, 2 * size)
        dx, _ = program.op(f"te.gated_activation_bwd swiglu {dy}, {a} : {x}, {full} -> {full} dbias {tensor(2 * size)}", full, tensor(2 * size))
        quantize(program, dx, (ROWS, 2 * size), draw, "f8E5M2")
        return program
    if kind.startswith("add"):
        a = program.op(f"arith.addf {a}, {program.argument(x)} : {x}", x)
        program.kept = [a]
    if "layernorm" in kind:
        gamma, beta = program.argument(small), program.argument(small)
        a, *_ = program.op(f"te.layer_norm {a}, {gamma}, {beta} {f32} : {x}, {small}, {small} -> {x}, {stat}, {stat}", x, stat, stat)
    elif "norm" in kind:
        a, _ = program.op(f"te.rms_norm {a}, {program.argument(small)} {f32} : {x}, {small} -> {x}, {stat}", x, stat)
    elif kind.startswith("gate"):
        a = program.op(f"te.gated_activation swiglu {a} : {tensor(ROWS, 2 * size)} -> {x}", x)
    elif kind.startswith("gelu"):
        a = program.op(f"te.activation gelu {a} : {x} -> {x}", x)
    if kind == "quantize fp4":
        type = scaled(ROWS, size, "f4E2M1FN", f"block = [1, 32], {MX}, rounding = even")
        program.op(f"te.quantize {a} : {x} -> {type}", type)
    elif kind == "quantize tensor":
        type = scaled(ROWS, size, "f8E4M3FNUZ" if chip == "gfx942" else "f8E4M3FN", "row, scale = f32")
        program.op(f"te.quantize {a} : {x} -> {type}", type)
    elif "quantize" in kind:
        quantize(program, a, (ROWS, size), draw)
    return program


def draw_attention(draw, chip):
    name, _, _, heads, kv, size = draw_sizes(draw)
    size = draw.choice((64, 128)) if size not in (64, 128) else size
    if draw.random() < 0.3:
        keys = draw.choice((draw_rows(draw), 2048, 1000))
        program = Program(f"{name} softmax", min(draw_rows(draw), 2048), chip)
        x = tensor(ROWS, keys, element="f32")
        a, types = program.argument(x), (tensor(ROWS, keys), x)
        if draw.random() < 0.5:
            program.op(f"te.softmax {a} : {x} -> {types[0]}", types[0])
        else:
            y = program.argument(types[0])
            program.op(f"te.softmax_bwd {y}, {a} : {types[0]}, {x} -> {x}", x)
        return program
    queries = max(1, min(draw_rows(draw), 4096))
    keys = draw.choice((queries, queries, max(queries, 2048)))
    causal = draw.random() < 0.5
    program = Program(f"{name} attention{' causal' * causal} {queries} x {keys} x {size}", queries, chip)
    q, k = tensor(1, ROWS, heads, size), tensor(1, keys, kv, size)
    o, lse = q, tensor(1, heads, ROWS, element="f32")
    names = [program.argument(type) for type in (q, k, k)]
    program.op(f"te.attention bshd {', '.join(names)}{' {causal}' * causal} : {q}, {k}, {k} -> {o}, {lse}", o, lse)
    program.products.append(("bf16", lambda rows: 4 * heads * size * rows * (max(keys - (rows - 1) / 2, keys / 2) if causal else keys)))
    return program


KINDS = {"product": (draw_product, 5), "rows": (draw_row_local, 3), "attention": (draw_attention, 1)}


# ---- what is measured ----

def run(tools, folder, text, chip, dims=()):
    """The profile, or an error's first line."""
    source, artefact, path = folder / "p.mlir", folder / "p.hsaco", folder / "p.json"
    source.write_text(text)
    for command in ([tools / "te-compile", source, f"--target={chip}", "-o", artefact],
                    [tools / "te-run", artefact, "--device=emulator", f"--profile={path}", "--sample", *dims]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return done.stderr.strip().splitlines()[0][:160]
    return json.loads(path.read_text())


def tune(tools, folder, text, chip, budget):
    source, database = folder / "t.mlir", folder / "t.json"
    source.write_text(text)
    database.unlink(missing_ok=True)
    done = subprocess.run([tools / "te-tune", source, f"--target={chip}", f"--tuning-db={database}", f"--budget={budget}"], capture_output=True, text=True)
    found = re.findall(r": (\d+) clocks, .* te-schedule's (\d+);", done.stdout)
    return sum(int(default) for _, default in found) / sum(int(best) for best, _ in found) if found else None


def measure(tools, program, budget=None, unknown=False):
    """A row of the table."""
    row = {"name": program.name, "chip": program.chip, "rows": program.rows}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        text = program.fused()
        found = run(tools, folder, text, program.chip)
        if isinstance(found, str):
            return row | {"error": found, "text": text}
        launch = found["launches"][0]
        machine = (launch["memory"]["achievable_bytes_per_second"], launch["grid"]["compute_units"] * launch["grid"]["clock_ghz"] * 1e9)
        least, unit = program.roofline(machine)
        row |= {"us": found["seconds"] * 1e6, "kernels": len(found["launches"]), "roofline_us": least * 1e6, "unit": unit}
        if len(program.ops) > 1:
            alone = [run(tools, folder, one, program.chip) for one in program.alone()]
            if all(isinstance(one, dict) for one in alone):
                row["alone_us"] = (sum(one["seconds"] for one in alone) + GAP * (len(alone) - 1)) * 1e6
        if budget:
            row["tuned"] = tune(tools, folder, text, program.chip, budget)
        if unknown:
            other = run(tools, folder, program.fused(known=False), program.chip, [f"--dim=M={program.rows}"])
            row["unknown"] = other["seconds"] * 1e6 / row["us"] if isinstance(other, dict) else None
    return row


def is_within(row):
    """The bar of issue 46."""
    ratio = row["us"] / row["roofline_us"]
    if row["roofline_us"] < 20:
        return ratio <= 2.5
    if row["unit"] == "memory":
        return ratio <= 1.5
    return ratio <= 1.35 or row["roofline_us"] < 100


def summarize(rows):
    measured = [row for row in rows if "us" in row]
    print("\n| programs | chip | count | modelled / roofline, geometric mean | most | outside the bars |\n" + "| --- " * 6 + "|")
    groups = collections.defaultdict(list)
    for row in measured:
        groups[row["kind"], row["chip"]].append(row)
    for (kind, chip), group in sorted(groups.items()):
        ratios = [row["us"] / row["roofline_us"] for row in group]
        print(f"| {kind} | {chip} | {len(group)} | {gemm.geometric_mean(ratios):.2f} | {max(ratios):.1f} | {sum(not is_within(row) for row in group)} |")
    for key, what in (("alone", "fused / alone"), ("tuned", "default / tuned"), ("unknown", "rows unknown / known")):
        values = [row["us"] / row["alone_us"] if key == "alone" else row[key] for row in measured if row.get("alone_us" if key == "alone" else key)]
        if values:
            print(f"{what}: {len(values)} programs, geometric mean {gemm.geometric_mean(values):.3f}, most {max(values):.2f}")
    for row in rows:
        if "error" in row:
            print(f"no result: {row['name']} on {row['chip']}, {row['rows']} rows: {row['error']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=Path, help="the folder of te-compile, te-run and te-tune")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10 ** 6))
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--kind", default=",".join(KINDS))
    parser.add_argument("--chip", default=",".join(gemm.CHIPS))
    parser.add_argument("--tune", help="budget of te-tune")
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--unknown", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    draw, kinds = random.Random(options.seed), options.kind.split(",")
    programs = []
    for i in range(options.count):
        kind = draw.choices(kinds, [KINDS[kind][1] for kind in kinds])[0]
        chip = draw.choice(options.chip.split(","))
        program = KINDS[kind][0](draw, chip)
        for rows in (1, 16, 256, 4096) if options.unknown else (program.rows,):
            program = copy.copy(program)
            program.rows = rows
            programs.append((kind, i, program))
    print(f"seed {options.seed}\n\n| program | chip | rows | kernels | modelled, us | roofline, us | ratio | bound | fused / alone | default / tuned | unknown / known |")
    print("| --- " * 11 + "|")
    start, rows = time.time(), []

    def one(item):
        kind, i, program = item
        budget = options.tune if options.tune and i % options.every == 0 else None
        return measure(options.bin.resolve(), program, budget, options.unknown) | {"kind": kind, "number": i}

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(one, programs):
            rows.append(row)
            if "us" not in row:
                continue
            alone = f"{row['us'] / row['alone_us']:.2f}" if row.get("alone_us") else "-"
            more = [f"{row[key]:.2f}" if row.get(key) else "-" for key in ("tuned", "unknown")]
            print(f"| {row['name']} | {row['chip']} | {row['rows']} | {row['kernels']} | {row['us']:.1f} | {row['roofline_us']:.1f} | "
                  f"{row['us'] / row['roofline_us']:.2f} | {row['unit']} | {alone} | {' | '.join(more)} |", flush=True)
    summarize(rows)
    if options.json:
        options.json.write_text(json.dumps({"seed": options.seed, "rows": rows}, indent=1) + "\n")
    print(f"\n{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
