"""Random programs of norms, activations, sums, products, quantizations and back, amaxes, slices, concatenations, reshapes and te.permute over a
few tensors, read by several ops each and in any order: whatever te-fuse puts together, they compute what the reference does.

    programs.py --target=CHIP [--seed=S] [--count=N]
"""

from drawn import check
from recipes import BLOCK1D, COL, ROW, SQUARE, TENSOR, TRANSPOSED, tensor
from rows import Function

K = 96
SHAPES = {"cube": [2, "?", K], "rows": ["?", K], "half": ["?", K // 2], "transposed": [K, "?"]}


class Program(Function):
    """Ops on values of four shapes: 2 x M x K, 2M x K, 2M x K/2, and K x 2M."""

    def __init__(self, draw):
        super().__init__()
        self.draw, self.is_normed, self.is_multiplied = draw, False, False
        self.values = {shape: [] for shape in SHAPES}
        for _ in range(draw.randrange(1, 3)):
            self.values["cube"].append(self.argument(self.type("cube"), ' {te.dims = ["B", "M", "K"]}'))
        self.gamma = self.argument(tensor([K], "bf16"))
        self.weights = {n: self.argument(tensor([n, K], "bf16")) for n in (K, K // 2)}

    def type(self, shape):
        return tensor(SHAPES[shape], "bf16")

    def define(self, shape, value):
        self.values[shape].append(value)
        if self.draw.random() < 0.3:
            self.results.append(value)

    def halve(self, x, t):
        """A half of the columns, or what a gate makes of both."""
        half = self.type("half")
        if self.draw.random() < 0.5:
            return self.define("half", self.op(f"te.gated_activation reglu {x} : {t} -> {half}", half))
        start = self.draw.choice([0, K // 2])
        rows = self.op(f"te.dim {x}, 0 : {t}", "index")
        self.values["half"].append(self.op(f"tensor.extract_slice {x}[0, {start}] [{rows}, {K // 2}] [1, 1] : {t} to {half}", half))

    def join(self, x, t):
        """Two halves side by side, or the gradient of a gate."""
        rows, other = self.type("rows"), self.draw.choice(self.values["half"])
        if self.values["rows"] and self.draw.random() < 0.5:
            y = self.draw.choice(self.values["rows"])
            return self.define("rows", self.op(f"te.gated_activation_bwd reglu {x}, {y} : {t}, {rows} -> {rows}", rows))
        self.define("rows", self.op(f"tensor.concat dim(1) {x}, {other} : ({t}, {t}) -> {rows}", rows))

    def multiply(self, shape, x, t):
        """A product of K or K/2 columns, of whichever orientation the shape asks for."""
        n = self.draw.choice([K, K // 2]) if shape == "rows" else K // 2 if shape == "half" else K
        result = {"cube": "cube", "rows": "rows" if n == K else "half"}.get(shape, "rows")
        flag = {"half": "", "transposed": "transpose_a "}.get(shape, "transpose_b ")
        d = self.type(result)
        self.define(result, self.op(f"te.gemm {x}, {self.weights[n]} {flag}: {t}, {tensor([n, K], 'bf16')} -> {d}", d))

    def requantize(self, shape, x, t):
        """What is left of a value that was quantized; the codes may be a result too."""
        scaled = f"!te.scaled<{'x'.join(map(str, SHAPES[shape]))}xf8E5M2, #te.scaling<{self.draw.choice([ROW, COL])}>>"
        codes = self.op(f"te.quantize {x} : {t} -> {scaled}", scaled)
        if self.draw.random() < 0.3:
            self.results.append(codes)
        self.define(shape, self.op(f"te.dequantize {codes} : {scaled} -> {t}", t))

    def step(self):
        shape = self.draw.choice([s for s in SHAPES if self.values[s]])
        x, t, draw = self.draw.choice(self.values[shape][-3:]), self.type(shape), self.draw
        kind = draw.choice(["add", "negate", "activate", "norm", "move", "move", "quantize", "quantize", "current", "amax", "sum",
                            "half", "half", "product", "product", "again"])
        if kind == "add":
            return self.define(shape, self.op(f"arith.addf {x}, {draw.choice(self.values[shape])} : {t}", t))
        if kind == "negate":
            return self.define(shape, self.op(f"arith.negf {x} : {t}", t))
        if kind == "activate":
            return self.define(shape, self.op(f"te.activation relu {x} : {t} -> {t}", t))
        if kind == "half" and shape == "rows":
            return self.halve(x, t)
        if kind == "half" and shape == "half":
            return self.join(x, t)
        if kind == "norm" and shape in ("cube", "rows") and not self.is_normed:  # of two, rounding adds up
            self.is_normed = True
            statistics = tensor(SHAPES[shape][:-1], "f32")
            y, r = self.op(f"te.rms_norm {x}, {self.gamma} {{epsilon = 1.0e-5 : f32}} : {t}, {tensor([K], 'bf16')} -> {t}, {statistics}",
                           t, statistics)
            if draw.random() < 0.3:
                self.results.append(r)
            return self.define(shape, y)
        if kind == "product" and not self.is_multiplied:  # and so it does of two products
            self.is_multiplied = True
            return self.multiply(shape, x, t)
        if kind == "again":
            return self.requantize(shape, x, t)
        if kind == "move" and shape == "cube":
            rows = self.type("rows")
            return self.values["rows"].append(self.op(f"tensor.collapse_shape {x} [[0, 1], [2]] : {t} into {rows}", rows))
        if kind == "move" and shape != "half":
            other = "transposed" if shape == "rows" else "rows"
            return self.values[other].append(self.op(f"te.permute {x} [1, 0] : {t} -> {self.type(other)}", self.type(other)))
        if kind == "amax":
            return self.results.append(self.op(f"te.amax {x} : {t} -> tensor<f32>", "tensor<f32>"))
        if kind == "sum" and shape in ("cube", "rows"):
            vector = tensor([K], "bf16")
            return self.results.append(self.op(f"te.bias_grad {x} : {t} -> {vector}", vector))
        schemes = draw.choice([[TENSOR], [TENSOR, TRANSPOSED]] if kind == "current" else [[ROW], [COL], [ROW, COL], [SQUARE], [BLOCK1D]])
        self.quantize(x, SHAPES[shape], "f8E5M2", schemes)

    def write(self):
        while len(self.lines) < 11 or not self.results:
            self.step()
        self.results = list(dict.fromkeys(self.results))
        return self.print()


if __name__ == "__main__":
    check(lambda draw, target: Program(draw).write(), [":normal"])
