"""The rows of the benchmark: ops of known models at sizes of 256 MB of traffic and more, each as a te program.

A row has an op, a recipe and a shape (tokens, columns); `program(row)` is its te IR. torch_forms.py and triton_forms.py compute the
same from the same row.
"""

from dataclasses import dataclass

E4M3, E5M2, FP4 = "f8E4M3FN", "f8E5M2", "f4E2M1FN"
ROW = "block = [1, 32], scale = f8E8M0FNU"
COL = "block = [32, 1], scale = f8E8M0FNU"
COL_T = f"{COL}, data_layout = transposed"
SWIZZLED = ", scale_layout = blocked_32x4x4"

# Element, and the layout of each copy.
RECIPES = {
    "fp8 tensor": (E4M3, ["tensor, scale = f32"]),
    "fp8 row": (E4M3, ["row, scale = f32"]),
    "fp8 1x128": (E4M3, ["block = [1, 128], scale = f32"]),
    "mxfp8 row": (E4M3, [ROW]),
    "mxfp8 col": (E4M3, [COL]),
    "mxfp8 both": (E4M3, [ROW, COL]),
    "mxfp8 row swizzled": (E4M3, [ROW + SWIZZLED]),
    "mxfp8 both swizzled": (E4M3, [ROW + SWIZZLED, COL + SWIZZLED]),
    "mxfp4 row": (FP4, [ROW]),
    "mxfp4 col": (FP4, [COL_T]),
    "mxfp4 both": (FP4, [ROW, COL_T]),
    "mxfp4 both swizzled": (FP4, [ROW + SWIZZLED, COL_T + SWIZZLED]),
    "mxfp8 experts": (E4M3, [f"{COL_T}, per = matrix"]),
}


@dataclass(frozen=True)
class Row:
    op: str        # a key of PROGRAMS
    shape: tuple   # of the op's output before quantization
    recipe: str = ""
    model: str = ""

    @property
    def name(self):
        return " + ".join(filter(None, ["" if self.op == "quantize" else self.op, self.recipe]))

    @property
    def key(self):
        return f"{self.name} {'x'.join(map(str, self.shape))}"

    @property
    def has_columns(self):
        """Sums or copies along columns: the second bar of issue 5."""
        return any(w in self.key for w in ("col", "both", "experts", "norm bwd", "dswiglu"))


def tensor(shape, element="bf16"):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


class Text:
    """A function, line by line."""

    def __init__(self):
        self.arguments, self.lines, self.results = [], [], []

    def argument(self, type):
        self.arguments.append(type)
        return f"%a{len(self.arguments) - 1}"

    def op(self, text, types):
        name = f"%v{len(self.lines)}"
        many = f":{len(types)}" if len(types) > 1 else ""
        self.lines.append(f"  {name}{many} = {text}")
        return [(f"{name}#{i}" if many else name, t) for i, t in enumerate(types)]

    def quantize(self, value, shape, recipe):
        """Adds the value's copies to the results; the value itself where there is no recipe."""
        name, type = value
        if not recipe:
            self.results.append(value)
            return
        element, schemes = RECIPES[recipe]
        types = [f"!te.scaled<{''.join(f'{s}x' for s in shape)}{element}, #te.scaling<{s}>>" for s in schemes]
        scale = f" scale({self.argument('tensor<f32>')} : tensor<f32>)" if recipe == "fp8 tensor" else ""
        self.results += self.op(f"te.quantize {name}{scale} : {type} -> {', '.join(types)}", types)

    def print(self):
        arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(self.arguments))
        names, types = ", ".join(n for n, _ in self.results), ", ".join(t for _, t in self.results)
        lines = "\n".join(self.lines)
        return f"func.func @f({arguments}) -> ({types}) {{\n{lines}\n  return {names} : {types}\n}}\n"


def quantize(row):
    f, x = Text(), tensor(row.shape)
    f.quantize((f.argument(x), x), row.shape, row.recipe)
    return f


def norm(row):
    f, x, (m, k) = Text(), tensor(row.shape), row.shape
    value = f.argument(x)
    if "add" in row.op:
        f.results += f.op(f"arith.addf {value}, {f.argument(x)} : {x}", [x])
        value = f.results[0][0]
    kind, small = ("layer" if "layer" in row.op else "rms"), tensor([k])
    parameters = [f.argument(small) for _ in range(1 + (kind == "layer"))]
    types = [x] + [tensor([m], "f32")] * len(parameters)
    y, *statistics = f.op(f"te.{kind}_norm {', '.join([value] + parameters)} {{epsilon = 1.0e-5 : f32}} : "
                          f"{', '.join([x] + [small] * len(parameters))} -> {', '.join(types)}", types)
    f.results += statistics
    f.quantize(y, row.shape, row.recipe)
    return f


def norm_bwd(row):
    f, x, (m, k) = Text(), tensor(row.shape), row.shape
    kind, small, statistic = ("layer" if "layer" in row.op else "rms"), tensor([k]), tensor([m], "f32")
    count = 1 + (kind == "layer")
    types = [x, x, small] + [statistic] * count
    operands = ", ".join(f.argument(t) for t in types)
    results = [x] + [small] * count
    f.results += f.op(f"te.{kind}_norm_bwd {operands} : {', '.join(types)} -> {', '.join(results)}", results)
    return f


def swiglu(row):
    f, (m, k) = Text(), row.shape
    x, y = tensor([m, 2 * k]), tensor(row.shape)
    [value] = f.op(f"te.gated_activation swiglu {f.argument(x)} : {x} -> {y}", [y])
    f.quantize(value, row.shape, row.recipe)
    return f


def dswiglu(row):
    """The gradient of a gated activation of (m, k / 2): k columns."""
    f, (m, k) = Text(), row.shape
    dy, x, bias = tensor([m, k // 2]), tensor(row.shape), tensor([k])
    operands = f"{f.argument(dy)}, {f.argument(x)}"
    value, sums = f.op(f"te.gated_activation_bwd swiglu {operands} : {dy}, {x} -> {x} dbias {bias}", [x, bias])
    f.results.append(sums)
    f.quantize(value, row.shape, row.recipe)
    return f


def rope(row):
    f, x, freqs = Text(), tensor(row.shape), tensor([row.shape[0], row.shape[-1]], "f32")
    name = "te.rope_bwd" if "bwd" in row.op else "te.rope"
    f.results += f.op(f"{name} sbhd {f.argument(x)}, {f.argument(freqs)} : {x}, {freqs} -> {x}", [x])
    return f


PROGRAMS = {"quantize": quantize, "rmsnorm": norm, "layernorm": norm, "add + rmsnorm": norm, "rmsnorm bwd": norm_bwd,
            "layernorm bwd": norm_bwd, "swiglu": swiglu, "dswiglu + dbias": dswiglu, "rope": rope, "rope bwd": rope}


def program(row):
    return PROGRAMS[row.op](row).print()


T8, T70, MIX = "LLaMA-3-8B", "LLaMA-3-70B", "Mixtral-8x22B"
HIDDEN = {T8: 4096, T70: 8192, MIX: 6144}
ROWS = [
    Row("rmsnorm", (32768, 8192), "", T70),
    Row("rmsnorm", (32768, 4096), "", T8),
    Row("layernorm", (32768, 6144), "", MIX),
    *[Row("rmsnorm", (32768, 8192), r, T70) for r in
      ("fp8 tensor", "fp8 row", "fp8 1x128", "mxfp8 row", "mxfp8 col", "mxfp8 both", "mxfp4 row")],
    Row("layernorm", (32768, 6144), "mxfp8 row", MIX),
    *[Row("add + rmsnorm", (32768, HIDDEN[m]), r, m) for m, r in
      ((T8, "mxfp8 row"), (T70, "mxfp8 row"), (T70, "mxfp8 both"), (T8, "fp8 row"))],
    Row("swiglu", (16384, 14336), "mxfp8 row", T8),
    Row("swiglu", (16384, 14336), "mxfp8 both", T8),
    Row("swiglu", (8192, 28672), "mxfp8 both", T70),
    Row("dswiglu + dbias", (8192, 28672), "mxfp8 both", T8),
    Row("dswiglu + dbias", (8192, 32768), "mxfp8 row", MIX),
    *[Row("quantize", (32768, 8192), r, T70) for r in
      ("fp8 tensor", "fp8 1x128", "mxfp8 row", "mxfp8 col", "mxfp8 both", "mxfp8 row swizzled", "mxfp8 both swizzled",
       "mxfp4 row", "mxfp4 col", "mxfp4 both", "mxfp4 both swizzled")],
    Row("quantize", (8, 5120, 8192), "mxfp8 experts", "experts"),
    Row("quantize", (8, 8192, 8192), "mxfp8 experts", "experts"),
    Row("rope", (8192, 4, 32, 128), "", T8),
    Row("rope bwd", (8192, 4, 64, 128), "", T70),
    Row("rmsnorm bwd", (32768, 8192), "", T70),
    Row("rmsnorm bwd", (32768, 4096), "", T8),
    Row("layernorm bwd", (32768, 6144), "", MIX),
]
