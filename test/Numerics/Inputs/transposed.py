"""Random programs in which a tensor is read as it is and with rows for columns: te.permute behind a norm, an activation, a sum, or
beside another reader of an argument. Cases for sweep.py: the unturned and the transposed ops are one kernel."""

from recipes import (BLOCK1D, BLOCK1D_COL, BLOCK2D, BLOCK2D_COL, COL, COL_TRANSPOSED, FP4, ROW, SQUARE, TENSOR, TRANSPOSED, tensor)
from rows import Function

COUNT = 20
ROWS, COLUMNS = [0, 1, 2, 31, 33, 64, 128, 130, 257], [1, 3, 32, 65, 96, 128, 130, 256, 300, 1100]
LAYOUTS = ["linear", "blocked_32x4x4", "e8m0_shuffle"]
SOURCES = ["argument", "rms_norm", "layer_norm", "activation", "sum", "reshaped"]


def recipe(draw, fnuz):
    """Schemes, element type, and what else te.quantize is given."""
    kind = draw.choice(["mx", "mx", "fp4", "fp4", "block", "tensor"])
    if kind == "tensor":
        return draw.choice([[TENSOR], [TRANSPOSED], [TENSOR, TRANSPOSED]]), "f8E4M3FNUZ" if fnuz else "f8E4M3FN", ["scale"]
    if kind == "block":
        return draw.choice([[BLOCK1D], [BLOCK1D_COL], [BLOCK2D], [BLOCK1D, BLOCK1D_COL], [BLOCK2D, BLOCK2D_COL]]), "f8E5M2", []
    layout = f", scale_layout = {draw.choice(LAYOUTS)}, rounding = {draw.choice(['rceil', 'floor', 'even', 'ceil'])}"
    if kind == "mx":
        schemes = draw.choice([[ROW], [COL], [ROW, COL], [SQUARE], [ROW, COL_TRANSPOSED]])
        return [s + layout for s in schemes], draw.choice(["f8E4M3FN", "f8E5M2"]), []
    layout += f", ties = {draw.choice(['even', 'away'])}"
    options = draw.choice([[], ["hadamard"], ["hadamard, sign_mask = 305419896 : i32"], ["stochastic"]])
    return [s + layout for s in draw.choice([[ROW], [COL_TRANSPOSED], [ROW, COL_TRANSPOSED]])], FP4, options


class Program(Function):
    def __init__(self, draw, fnuz):
        super().__init__()
        self.draw, self.fnuz = draw, fnuz

    def quantize_by_any(self, x, shape):
        schemes, element, options = recipe(self.draw, self.fnuz)
        given = ""
        if "scale" in options:
            given, options = f" scale({self.argument('tensor<f32>')} : tensor<f32>)", []
        if "stochastic" in options:
            given = f" rng({self.argument('tensor<2xi64>')} : tensor<2xi64>)"
        self.quantize(x, shape, element, schemes, given + (f" {{{options[0]}}}" if options else ""))

    def read(self, x, shape, kinds):
        kind, type = self.draw.choice(kinds), tensor(shape, self.element)
        if kind == "quantize":
            return self.quantize_by_any(x, shape)
        if kind == "return":
            return self.results.append(x)
        if kind == "amax":
            return self.results.append(self.op(f"te.amax {x} : {type} -> tensor<f32>", "tensor<f32>"))
        y = self.op(f"arith.addf {x}, {x} : {type}", type)
        self.results.append(y)
        if kind == "both":
            self.quantize_by_any(y, shape)

    def source(self, kind, m, k):
        shape, dims = [m, k], ' {te.dims = ["M", "K"]}'
        if kind == "reshaped":
            shape, dims = [3, m, k], ' {te.dims = ["B", "M", "K"]}'
        type = tensor(shape, self.element)
        x = self.argument(type, dims)
        if kind.endswith("norm"):
            vector = tensor([k], self.element)
            given = [self.argument(vector) for _ in range(1 + (kind == "layer_norm"))]
            statistics = [tensor([m], "f32")] * len(given)
            return self.op(f"te.{kind} {', '.join([x, *given])} {{epsilon = 1.0e-5 : f32}} : {type}, "
                           f"{', '.join([vector] * len(given))} -> {', '.join([type, *statistics])}", type, *statistics)[0], [m, k]
        if kind == "activation":
            return self.op(f"te.activation silu %a0 : {type} -> {type}", type), shape
        if kind == "sum":
            return self.op(f"arith.addf %a0, {self.argument(type, dims)} : {type}", type), shape
        if kind == "reshaped":
            y, rows = self.op(f"arith.negf %a0 : {type}", type), m if m == "?" else 3 * m
            flat = tensor([rows, k], self.element)
            return self.op(f"tensor.collapse_shape {y} [[0, 1], [2]] : {type} into {flat}", flat), [rows, k]
        return x, shape

    def write(self, kind, m, k):
        x, shape = self.source(kind, m, k)
        transposed = shape[::-1]
        straight = (["quantize", "add", "amax"] if kind == "argument" else ["quantize", "return", "both"]
                    if kind != "reshaped" else ["quantize", "both"])
        first = self.draw.random() < 0.5
        if first:
            self.read(x, shape, straight)
        to = tensor(transposed, self.element)
        t = self.op(f"te.permute {x} [1, 0] : {tensor(shape, self.element)} -> {to}", to)
        self.read(t, transposed, ["quantize", "quantize", "add", "return", "both", "amax"])
        if not first:
            self.read(x, shape, straight)
        return self.print()


def cases(draw, fnuz):
    """Name, text, sizes of the dynamic dimensions for each run, and a kind of input for each argument."""
    for i in range(COUNT):
        program, kind = Program(draw, fnuz), SOURCES[i % len(SOURCES)]
        program.element = draw.choice(["bf16", "f16", "f32"])
        m = draw.choice(["?", draw.choice(ROWS)])
        k = draw.choice([n for n in COLUMNS if n >= 32] + [2048]) if kind.endswith("norm") else draw.choice(["?", draw.choice(COLUMNS)])
        text = program.write(kind, m, k)
        runs = [{**({"M": draw.choice(ROWS)} if m == "?" else {}), **({"K": draw.choice(COLUMNS)} if k == "?" else {})}
                for _ in range(3 if "?" in (m, k) else 1)]
        kinds = [":uniform" if kind == "layer_norm" else ":normal" if kind != "argument" else ""] + [
            "" if "i64" in a else ":uniform" for a in program.arguments[1:]]
        yield f"transposed-{i}-{kind}", text, runs, kinds
