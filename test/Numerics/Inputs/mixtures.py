"""Random programs of what users write between the large ops: every elementwise op, constants of any kind as any operand, quantized arguments
(whose padding te-run fills with poison) into products and back, casts to fp8, K from 0 on, scales near the ends of their range.

    mixtures.py --target=CHIP [--seed=S] [--count=N]
"""

import re
from pathlib import Path

from drawn import ROWS, check
from recipes import BLOCK1D, BLOCK2D, COL, FP4, PER_ROW, ROW, SQUARE, TENSOR, scaled, tensor
from rows import Function

LENGTHS = [0, 1, 3, 31, 33, 64, 90, 96, 160, 257]
TABLE = Path(__file__).parents[3] / "include/te/Dialect/TE/IR/Elementwise.def"
OPS = re.findall(r'^TE_ELEMENTWISE\("([^"]+)", (\w+), (true|false)', TABLE.read_text(), re.M)
BINARY = {"addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf", "copysign", "powf", "atan2"}
TERNARY = {"fma", "clampf"}
# A little less, or more, of an operand is much less, or more, of the result: nothing is quantized after these.
WILD = {"divf", "exp", "exp2", "expm1", "tan", "sinh", "cosh", "powf", "rsqrt", "atanh", "erfc", "log", "log2", "log10", "log1p",
        "round", "roundeven", "floor", "ceil", "trunc", "atan2", "acosh", "sin", "cos"}
FP8 = {"gfx942": ["f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3FN", "f8E5M2"], "gfx950": ["f8E4M3FN", "f8E5M2"]}
# Schemes of an operand of te.gemm that lies along K, in pairs.
PRODUCTS = [(ROW, ROW), (ROW, SQUARE), (TENSOR, TENSOR), (PER_ROW, PER_ROW), (TENSOR, PER_ROW), (BLOCK1D, BLOCK1D), (BLOCK1D, BLOCK2D)]
LAYOUTS = ["", ", scale_layout = blocked_32x4x4", ", scale_layout = e8m0_shuffle"]


class Mixture(Function):
    """Values of M x K, M static or not; `tame` ones may be quantized."""

    def __init__(self, draw, target):
        super().__init__()
        self.draw, self.target = draw, target
        self.m, self.k = draw.choice(["?", "?", *ROWS]), draw.choice(LENGTHS)
        self.element = draw.choice(["bf16", "bf16", "f16", "f32"])
        self.values, self.tame, self.bits = [], set(), []
        for _ in range(draw.randrange(1, 3)):
            self.values.append(self.argument(self.type(), ' {te.dims = ["M", "K"]}'))
        self.tame.update(self.values)

    def type(self, element=None):
        return tensor([self.m, self.k], element or self.element)

    def number(self, element):
        special = ["0.0", "-0.0", "1.0", "0x7F800000" if element == "f32" else "0.0"]
        return self.draw.choice(special) if self.draw.random() < 0.1 else f"{self.draw.gauss(0, 1) * 2.0 ** self.draw.randrange(-4, 3):.6e}"

    def constant(self, shape, element):
        """One value everywhere, or one for each element."""
        splat = "?" not in shape and self.draw.random() < 0.5 or not shape or 0 in shape

        def nested(sizes):
            return "[" + ", ".join(nested(sizes[1:]) for _ in range(sizes[0])) + "]" if sizes else self.number(element)
        text = self.number(element) if splat else nested(list(shape))
        if 0 in shape:
            text = self.number(element)
        return self.op(f"arith.constant dense<{text}> : {tensor(shape, element)}", tensor(shape, element))

    def vector(self, size, element):
        """An argument or a constant."""
        return self.constant([size], element) if self.draw.random() < 0.6 else self.argument(tensor([size], element))

    def operand(self):
        if self.m != "?" and self.draw.random() < 0.25:
            constant = self.constant([self.m, self.k], self.element)
            self.tame.add(constant)
            return constant
        return self.draw.choice(self.values[-4:])

    def define(self, value, tame):
        self.values.append(value)
        if tame:
            self.tame.add(value)
        if self.draw.random() < 0.3:
            self.results.append(value)

    def elementwise(self):
        draw, t = self.draw, self.type()
        name, types, _ = draw.choice(OPS)
        short = name.split(".")[1]
        x, y, z = self.operand(), self.operand(), self.operand()
        tame = short not in WILD and {x, y, z} <= self.tame
        if short == "cmpf":
            predicate = draw.choice(["olt", "oge", "oeq", "une", "ugt", "uno", "ord", "ult"])
            return self.bits.append(self.op(f"arith.cmpf {predicate}, {x}, {y} : {t}", self.type("i1")))
        if short == "select" and self.bits:
            bits = draw.choice(self.bits)
            return self.define(self.op(f"arith.select {bits}, {x}, {y} : {self.type('i1')}, {t}", t), False)
        if types == "Bits" and len(self.bits) > 1:
            return self.bits.append(self.op(f"{name} {draw.choice(self.bits)}, {draw.choice(self.bits)} : {self.type('i1')}", self.type("i1")))
        if short == "clampf":
            low = self.op(f"arith.minnumf {y}, {z} : {t}", t)
            high = self.op(f"arith.maxnumf {y}, {z} : {t}", t)
            return self.define(self.op(f"math.clampf {x} to [{low}, {high}] : {t}", t), tame)
        if types == "Floats":
            operands = [x, y, z][:3 if short in TERNARY else 2 if short in BINARY else 1]
            self.define(self.op(f"{name} {', '.join(operands)} : {t}", t), tame)

    def integers(self):
        """Through integers and back: whole numbers below 2^24."""
        t, x = self.type(), self.draw.choice(self.values[:1])
        whole = self.op(f"arith.fptosi {x} : {t} to {self.type('i32')}", self.type("i32"))
        op = self.draw.choice([n for n, types, _ in OPS if types in ("Integers", "Bits")])
        value = self.op(f"{op} {whole}, {whole} : {self.type('i32')}", self.type("i32"))
        back = self.op(f"arith.{self.draw.choice(['sitofp', 'uitofp'])} {value} : {self.type('i32')} to {self.type('f32')}", self.type("f32"))
        self.results.append(back)

    def cast(self):
        """To fp8 and back."""
        x = self.operand()
        element = self.draw.choice(FP8[self.target])
        code = self.op(f"arith.truncf {x} : {self.type()} to {self.type(element)}", self.type(element))
        self.define(self.op(f"arith.extf {code} : {self.type(element)} to {self.type()}", self.type()), False)

    def row_op(self):
        draw, t, x = self.draw, self.type(), self.operand()
        rows = tensor([self.m], "f32")
        kind = draw.choice(["rms", "layer", "bias", "act"])
        if kind == "bias":
            return self.define(self.op(f"te.bias_add {x}, {self.vector(self.k, 'bf16')} : {t}, {tensor([self.k], 'bf16')}", t), x in self.tame)
        if kind == "act":
            return self.define(self.op(f"te.activation {draw.choice(['gelu', 'silu', 'relu'])} {x} : {t} -> {t}", t), False)
        if x not in self.tame or self.k == 0:
            return None
        column = tensor([self.k], "bf16")
        weights = [self.vector(self.k, "bf16") for _ in range(1 + (kind == "layer"))]
        types = [t, rows] + [rows] * (kind == "layer")
        y = self.op(f"te.{kind}_norm {x}, {', '.join(weights)} {{epsilon = 1.0e-5 : f32}} : {t}, {', '.join([column] * len(weights))} -> {', '.join(types)}",
                    *types)[0]
        self.results.append(y)
        return None

    def quantize(self):
        x = self.operand()
        if x not in self.tame:
            return
        e8 = self.draw.choice(FP8[self.target][-2:])
        scheme, element = self.draw.choice([(ROW, e8), (COL, e8), (SQUARE, e8), (PER_ROW, FP8[self.target][0]), (TENSOR, FP8[self.target][0]),
                                            (BLOCK1D, FP8[self.target][0]), (ROW + ", rounding = even", FP4)])
        flag = ""
        if self.draw.random() < 0.15:
            flag = f" noop({self.op(f'arith.constant dense<{self.draw.choice([0.0, 1.0])}> : tensor<f32>', 'tensor<f32>')} : tensor<f32>)"
        elif scheme == TENSOR and self.draw.random() < 0.5:
            flag = f" scale({self.constant([], 'f32')} : tensor<f32>)"
        q = scaled([self.m, self.k], element, scheme)
        self.results.append(self.op(f"te.quantize {x}{flag} : {self.type()} -> {q}", q))

    def product(self):
        """Of quantized arguments; their layouts pad, and nibbles are spare."""
        draw, n = self.draw, self.draw.choice([1, 5, 16, 48])
        a, b = draw.choice(PRODUCTS)
        isMX = "E8M0" in a
        element = draw.choice([FP4, "f8E4M3FN", "f8E5M2"]) if isMX else FP8[self.target][0]
        other = draw.choice([FP4, "f8E4M3FN"]) if isMX and b == ROW else "f8E4M3FN" if isMX else element
        layout = draw.choice(LAYOUTS) if isMX else ""
        even = {FP4: ", rounding = even"}
        ta = scaled([self.m, self.k], element, a + even.get(element, "") + layout)
        tb = scaled([n, self.k], other, b + even.get(other, "") + layout)
        d = tensor([self.m, n], draw.choice(["bf16", "f32"]))
        x, w = self.argument(ta, ' {te.dims = ["M", "K"]}'), self.argument(tb)
        if draw.random() < 0.3:  # a prologue beside 16-bit activations
            high, y = tensor([n, self.k], "bf16"), self.argument(self.type("bf16"), ' {te.dims = ["M", "K"]}')
            weights = self.op(f"te.dequantize {w} : {tb} -> {high}", high)
            d = tensor([self.m, n], "bf16")
            return self.results.append(self.op(f"te.gemm {y}, {weights} transpose_b : {self.type('bf16')}, {high} -> {d}", d))
        self.results.append(self.op(f"te.gemm {x}, {w} transpose_b : {ta}, {tb} -> {d}", d))
        return None

    def write(self):
        steps = [self.elementwise] * 9 + [self.integers, self.cast, self.row_op, self.quantize, self.quantize, self.product]
        while len(self.lines) < 9 or not self.results:
            self.draw.choice(steps)()
        self.results = list(dict.fromkeys(self.results))
        return self.print()


if __name__ == "__main__":
    # Odd seeds of the mixed distribution have extreme values and scales.
    check(lambda draw, target: Mixture(draw, target).write(), [":normal", ":uniform", ""])
