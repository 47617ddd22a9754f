"""Programs of norms, activations and elementwise ops, fused with what follows, for sweep.py.

Each is a function of a shape, any dimension of which may be "?"; of gated ones the last is static.
"""

import random

NORMS = ["rms", "layer"]
ACTIVATIONS = ["gelu", "qgelu", "silu", "relu", "srelu"]
GATED = ["glu", "geglu", "qgeglu", "reglu", "sreglu", "swiglu", "clamped_swiglu", "situglu"]
ROW = "block = [1, 32], scale = f8E8M0FNU"
COL = "block = [32, 1], scale = f8E8M0FNU"
TENSOR = "tensor, scale = f32"
TRANSPOSED = "tensor, scale = f32, data_layout = transposed"
BLOCK1D = "block = [1, 128], scale = f32"

# Rows of one element, primes, less than a block, whole and broken tiles; the longest row.
SHAPES = [(0, 128), (1, 1), (2, 31), (31, 33), (33, 257), (257, 96), (3, 5, 7), (37, 1024), (5, 3221), (1, 16384)]

# The length of rows is dynamic in the family "sweeps"; the second list is static: rows that stay in a workgroup's
# registers tile by tile, and rows that do not, up to the longest.
SWEPT = [(0, 128), (1, 1), (2, 31), (31, 33), (33, 257), (257, 96), (3, 5, 7), (37, 1024), (5, 3221)]
LONG = [(33, 4096), (37, 5120), (1, 65536), (65, 2048), (2, 3, 40000), (33, 8192)]


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def scaled(shape, element, scheme):
    return f"!te.scaled<{''.join(f'{s}x' for s in shape)}{element}, #te.scaling<{scheme}>>"


class Program(str):
    """The text of a function, with the Function that it was made of."""


class Function:
    """The text of one function: values are strings, `op` adds a line."""

    def __init__(self):
        self.arguments, self.lines, self.results = [], [], []
        self.types = {}

    def argument(self, type, attributes=""):
        name = f"%a{len(self.arguments)}"
        self.arguments.append(f"{name}: {type}{attributes}")
        self.types[name] = type
        return name

    def op(self, text, *types):
        name = f"%v{len(self.lines)}"
        count = f":{len(types)}" if len(types) > 1 else ""
        self.lines.append(f"  {name}{count} = {text}")
        names = [f"{name}#{i}" for i in range(len(types))] if count else [name]
        self.types.update(zip(names, types))
        return names if count else name

    def quantize(self, x, shape, element, schemes, extra=""):
        types = [scaled(shape, element, scheme) for scheme in schemes]
        values = self.op(f"te.quantize {x}{extra} : {self.types[x]} -> {', '.join(types)}", *types)
        self.results += values if len(types) > 1 else [values]

    def print(self, lines=None):
        types = ", ".join(self.types[r] for r in self.results)
        text = Program(f"func.func @f({', '.join(self.arguments)}) -> ({types}) {{\n" + "\n".join(lines or self.lines) +
                       f"\n  return {', '.join(self.results)} : {types}\n}}\n")
        text.function = self
        return text


def dims(shape, last="K"):
    names = [f"d{i}" for i in range(len(shape) - 1)] + [last]
    return " {te.dims = [" + ", ".join(f'"{n}"' for n in names) + "]}"


def norm(kind, source, target, residual=False, zero_centered=False, schemes=(), element="f8E4M3FN"):
    def make(shape):
        f = Function()
        x_type, k = tensor(shape, source), shape[-1]
        x = f.argument(x_type, dims(shape))
        if residual:
            r = f.argument(x_type, dims(shape))
            x = f.op(f"arith.addf {x}, {r} : {x_type}", x_type)
            f.results.append(x)
        small = tensor([k], source)
        parameters = [f.argument(small, dims([k])) for _ in range(1 + (kind == "layer"))]
        centre = ", zero_centered_gamma" if zero_centered else ""
        y_type, stat = tensor(shape, target), tensor(shape[:-1], "f32")
        stats = [stat] * (1 + (kind == "layer"))
        y, *rest = f.op(
            f"te.{kind}_norm {', '.join([x] + parameters)} {{epsilon = 1.0e-5 : f32{centre}}} : "
            f"{', '.join([x_type] + [small] * len(parameters))} -> {', '.join([y_type] + stats)}", y_type, *stats)
        f.results += rest
        if schemes:
            f.quantize(y, shape, element, schemes)
        else:
            f.results.append(y)
        return f.print()
    return make


def norm_bwd(kind, element, residual=None):
    """`residual`, the gradient of a residual connection, is an operand ("add") or an op behind ("addf")."""
    def make(shape):
        f = Function()
        x_type, small, stat = tensor(shape, element), tensor(shape[-1:], element), tensor(shape[:-1], "f32")
        operands = [f.argument(x_type, dims(shape)), f.argument(x_type, dims(shape)), f.argument(small, dims(shape[-1:]))]
        for _ in range(1 + (kind == "layer")):
            operands.append(f.argument(stat, row_dims(shape)))
        results = [x_type] + [small] * (1 + (kind == "layer"))
        r = f.argument(x_type, dims(shape)) if residual else None
        add = f" add({r} : {x_type})" if residual == "add" else ""
        dx, *sums = f.op(f"te.{kind}_norm_bwd {', '.join(operands)}{add} : "
                         f"{', '.join(f.types[o] for o in operands)} -> {', '.join(results)}", *results)
        if residual == "addf":
            dx = f.op(f"arith.addf {dx}, {r} : {x_type}", x_type)
        f.results += [dx] + sums
        return f.print()
    return make


def activation_sums(kind, element, gated=False, scales=False, schemes=(), attributes=""):
    """The gradient with dbias and, with scales, dscale."""
    def make(shape):
        f = Function()
        wide = list(shape[:-1]) + [shape[-1] * 2] if gated else shape
        y_type, x_type = tensor(shape, element), tensor(wide, element)
        bias, stat = tensor(wide[-1:], element), tensor(shape[:-1], "f32")
        dy, x = f.argument(y_type, dims(shape)), f.argument(x_type, dims(wide, "K2" if gated else "K"))
        row = f" scales({f.argument(stat, row_dims(shape))} : {stat})" if scales else ""
        types = [x_type, bias] + [stat] * scales
        dx, *sums = f.op(f"te.{'gated_' * gated}activation_bwd {kind} {dy}, {x}{row}{attributes} : {y_type}, {x_type} -> "
                         f"{x_type} dbias {bias}{f' dscale {stat}' * scales}", *types)
        f.results += sums
        if schemes:
            f.quantize(dx, wide, "f8E5M2", schemes)
        else:
            f.results.append(dx)
        return f.print()
    return make


def bias_grad(shape):
    f = Function()
    dy_type, bias = tensor(shape, "bf16"), tensor(shape[-1:], "bf16")
    dy = f.argument(dy_type, dims(shape))
    f.results.append(f.op(f"te.bias_grad {dy} : {dy_type} -> {bias}", bias))
    f.quantize(dy, shape, "f8E5M2", [ROW, COL])
    return f.print()


def bias_add(source, target, kind=None, schemes=()):
    """A bias, of its own type, and an activation."""
    def make(shape):
        f = Function()
        x_type, bias = tensor(shape, source), tensor(shape[-1:], target)
        x, b = f.argument(x_type, dims(shape)), f.argument(bias, dims(shape[-1:]))
        y = f.op(f"te.bias_add {x}, {b} : {x_type}, {bias}", x_type)
        if kind:
            f.results.append(y)
            y = f.op(f"te.activation {kind} {y} : {x_type} -> {x_type}", x_type)
        if schemes:
            f.quantize(y, shape, "f8E4M3FN", schemes)
        else:
            f.results.append(y)
        return f.print()
    return make


def row_dims(shape):
    """The names of the dimensions of a tensor with one number a row."""
    names = ", ".join(f'"d{i}"' for i in range(len(shape) - 1))
    return f" {{te.dims = [{names}]}}"


def activation(kind, source, target, gated=False, backward=False, scales=False, attributes="", schemes=(),
               element="f8E4M3FN", bias=False):
    def make(shape):
        f = Function()
        wide = list(shape[:-1]) + [shape[-1] * 2] if gated else shape
        x_type, y_type = tensor(wide, source), tensor(shape, target)
        name = "gated_activation" if gated else "activation"
        operands, types = [], []
        if backward:
            operands.append(f.argument(y_type, dims(shape)))
            types.append(y_type)
            name, y_type = name + "_bwd", tensor(wide, target)
        x = f.argument(x_type, dims(wide, "K2" if gated else "K"))
        if bias:
            r = f.argument(x_type, dims(wide, "K2" if gated else "K"))
            x = f.op(f"arith.addf {x}, {r} : {x_type}", x_type)
        operands.append(x)
        types.append(x_type)
        row = ""
        if scales:
            stat = tensor(shape[:-1], "f32")
            s = f.argument(stat, row_dims(shape))
            row = f" scales({s} : {stat})"
        y = f.op(f"te.{name} {kind} {', '.join(operands)}{row}{attributes} : {', '.join(types)} -> {y_type}", y_type)
        if schemes:
            f.quantize(y, wide if backward else shape, element, schemes)
        else:
            f.results.append(y)
        return f.print()
    return make


def softmax(source, target, backward=False, causal=False, scale=1.0, schemes=()):
    def make(shape):
        f = Function()
        x_type, y_type = tensor(shape, source), tensor(shape, target)
        attributes = f" {{scale = {scale:e} : f32{', causal' * causal}}}"
        if backward:
            operands = [f.argument(x_type, dims(shape)), f.argument(y_type, dims(shape))]
            y = f.op(f"te.softmax_bwd {', '.join(operands)}{attributes} : {x_type}, {y_type} -> {y_type}", y_type)
        else:
            y = f.op(f"te.softmax {f.argument(x_type, dims(shape))}{attributes} : {x_type} -> {y_type}", y_type)
        if schemes:
            f.quantize(y, shape, "f8E4M3FN", schemes)
        else:
            f.results.append(y)
        return f.print()
    return make


def is_ordinary(family, name):
    """True where even the first input must not be Inf, NaN, huge or tiny. Sums and products of such numbers have no
    digits left where f32 cancels, or are Inf or NaN by a rounding: no tolerance covers that. All later inputs (a
    gamma, a gradient) are ordinary."""
    return family in ("sums", "sweeps") or any(part in name for part in ("f32", "bwd", "scaled", "glu", "dsilu"))


def programs():
    """Programs by family."""
    norms, fused, acts = {}, {}, {}
    for i, kind in enumerate(NORMS):
        for source, target in [("bf16", "bf16"), ("f16", "f16"), ("f32", "f32"), ("bf16", "f32")]:
            norms[f"{kind}-{source}-{target}"] = norm(kind, source, target, zero_centered=source == "f16")
        fused[f"{kind}-mxfp8-both"] = norm(kind, "bf16", "bf16", schemes=[ROW, COL])
        fused[f"{kind}-residual-mxfp8"] = norm(kind, "bf16", "bf16", residual=True, schemes=[ROW])
        fused[f"{kind}-block"] = norm(kind, "f16", "f16", schemes=[BLOCK1D])
    for kind in ACTIVATIONS:
        for j, t in enumerate(["bf16", "f16", "f32"]):
            backward = j % 2 == len(kind) % 2
            acts[f"{kind}-{t}{'-bwd' * backward}"] = activation(kind, t, t, backward=backward)
        acts[f"{kind}-bwd-scaled"] = activation(kind, "bf16", "bf16", backward=True, scales=True)
    for source, target in [("bf16", "bf16"), ("f16", "f32"), ("f32", "bf16")]:
        acts[f"bias-{source}-{target}"] = bias_add(source, target)
    fused["bias-gelu"] = bias_add("bf16", "bf16", "gelu", [ROW, COL])
    for kind in GATED:
        limit = " {limit = 1.5 : f32}" if kind == "clamped_swiglu" else ""
        acts[f"{kind}-f32"] = activation(kind, "f32", "f32", gated=True, attributes=limit)
        acts[f"{kind}-scaled"] = activation(kind, "bf16", "bf16", gated=True, scales=True)
        acts[f"{kind}-bwd-f32"] = activation(kind, "f32", "f32", gated=True, backward=True, attributes=limit)
        acts[f"{kind}-bwd-scaled"] = activation(kind, "bf16", "bf16", gated=True, backward=True, scales=True)
    # Sums: of ordinary numbers, for those of huge ones cancel.
    sums = {}
    for kind in NORMS:
        for t in ["bf16", "f32"]:
            sums[f"{kind}-{t}"] = norm_bwd(kind, t, residual="addf" if t == "bf16" else None)
    for t in ["bf16", "f16"]:
        sums[f"rms-{t}-add"] = norm_bwd("rms", t, residual="add")
    for kind in ["gelu", "srelu"]:
        sums[f"{kind}-quantized"] = activation_sums(kind, "bf16", schemes=[ROW, COL])
        sums[f"{kind}-f32"] = activation_sums(kind, "f32", scales=True)
    for g, kind in [(1, "swiglu"), (3, "situglu"), (8, "clamped_swiglu"), (32, "geglu")]:
        # Runs of g columns: shapes whose columns they divide are theirs.
        runs = f" {{interleave = {g} : i64}}"
        sums[f"{kind}-runs"] = activation_sums(kind, "bf16", gated=True, scales=g == 8, attributes=runs)
        sums[f"{kind}-runs"].divisor = g
        fused[f"{kind}-runs"] = activation(kind, "bf16", "bf16", gated=True, attributes=runs, schemes=[ROW, COL])
        fused[f"{kind}-runs"].divisor = g
    for kind in ["swiglu", "clamped_swiglu"]:
        sums[f"{kind}-f16"] = activation_sums(kind, "f16", gated=True)
        sums[f"{kind}-f32"] = activation_sums(kind, "f32", gated=True, scales=True)
    # Halves of whole units are quantized in the gradient's kernel; per tensor with its amax as well.
    for i, schemes in enumerate([[ROW, COL], [COL], [BLOCK1D]]):
        sums[f"swiglu-wide-{i}"] = activation_sums("swiglu", "bf16", gated=True, scales=i == 1, schemes=schemes)
        sums[f"swiglu-wide-{i}"].divisor = 256
    sums["bias-grad"] = bias_grad
    fused["swiglu-both"] = activation("swiglu", "bf16", "bf16", gated=True, schemes=[ROW, COL])
    fused["geglu-block"] = activation("geglu", "f16", "f16", gated=True, schemes=[BLOCK1D])
    fused["gelu-add"] = activation("gelu", "bf16", "bf16", bias=True, schemes=[ROW, COL])
    fused["dsilu"] = activation("silu", "bf16", "bf16", backward=True, schemes=[ROW, COL], element="f8E5M2")
    fused["dswiglu"] = activation("swiglu", "bf16", "bf16", gated=True, backward=True, schemes=[ROW, COL])
    # Rows that a tile does not hold, or whose length is not known: several sweeps over a row.
    sweeps = {}
    for i, kind in enumerate(NORMS):
        for t in ["bf16", "f32"]:
            sweeps[f"{kind}-{t}"] = norm(kind, t, t, zero_centered=t == "f32")
            sweeps[f"{kind}-{t}-bwd"] = norm_bwd(kind, t, residual=["add", None][i] if t == "bf16" else ["addf", None][i])
        sweeps[f"{kind}-both"] = norm(kind, "bf16", "bf16", residual=i == 0, schemes=[ROW, COL])
        sweeps[f"{kind}-row-scale"] = norm(kind, "f16", "f16", residual=i == 1, schemes=["row, scale = f32"])
    softmaxes = {
        "f32": softmax("f32", "f32", scale=0.125), "bf16": softmax("bf16", "bf16"), "causal-f16": softmax("f16", "f16", causal=True),
        "causal-bf16-f32": softmax("bf16", "f32", causal=True, scale=-0.75), "quantized": softmax("bf16", "bf16", schemes=[ROW, COL]),
        "bwd-f32": softmax("f32", "f32", backward=True, scale=0.125), "bwd-bf16": softmax("bf16", "bf16", backward=True, causal=True),
        "bwd-f16-f32": softmax("f16", "f32", backward=True)}
    for name in ["f32", "bf16", "causal-f16", "bwd-bf16"]:
        sweeps[f"softmax-{name}"] = softmaxes[name]
    sweeps["gelu-dscale"] = activation_sums("gelu", "bf16", scales=True, schemes=[ROW])
    return {"norm": norms, "activation": acts, "fused": fused, "sums": sums, "sweeps": sweeps, "softmax": softmaxes}
