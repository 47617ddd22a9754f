"""Programs of te.gemm for sweep.py: every orientation, element type and epilogue, over covering sizes.

Each case is (name, text, sizes of its runs, kinds of its inputs), as Sweep.cases takes them.
"""

import re

import numpy as np

# M, N, K: primes, ones, nothing, less than a tile or an instruction, whole and broken tiles and steps.
SIZES = [(1, 1, 1), (7, 5, 13), (67, 131, 257), (0, 5, 4), (3, 0, 4), (5, 37, 0), (64, 128, 128), (17, 1, 33),
         (1, 129, 64), (129, 3, 70)]
LAYOUTS = [(False, True), (False, False), (True, False), (True, True)]  # transpose_a, transpose_b
TYPES = ["bf16", "f16", "f32"]
ROW = "block = [1, 32], scale = f8E8M0FNU"
COL = "block = [32, 1], scale = f8E8M0FNU"
SQUARE = "block = [32, 32], scale = f8E8M0FNU"


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def scaled(shape, element, scheme):
    return f"!te.scaled<{''.join(f'{s}x' for s in shape)}{element}, #te.scaling<{scheme}>>"


def named(dims):
    """Sizes, or names of dynamic ones: the shape, and the argument's attribute."""
    shape = ["?" if isinstance(d, str) else d for d in dims]
    names = ", ".join(f'"{d}"' if isinstance(d, str) else f'"static{d}"' for d in dims)
    return shape, f" {{te.dims = [{names}]}}"


def orient(outer, k, exchanged):
    return [k, outer] if exchanged else [outer, k]


class Gemm:
    """The text of one program. Sizes are numbers, or "M", "N" and "K" where they are dynamic; `lead` of A (and of B, if
    `batched`)."""

    def __init__(self, ta=False, tb=True, m="M", n="N", k="K", lead=(), batched=False):
        self.words = " transpose_a" * ta + " transpose_b" * tb
        self.a = [*lead, *orient(m, k, ta)]
        self.b = [*(lead if batched else ()), *orient(n, k, not tb)]
        self.d = [*lead, m, n]
        self.arguments, self.after, self.results = [], [], []
        self.options = ""

    def argument(self, make, dims):
        shape, attribute = named(dims)
        self.arguments.append(f"%a{len(self.arguments)}: {make(shape)}{attribute}")
        return f"%a{len(self.arguments) - 1}", make(shape)

    def operands(self, element_a, element_b=None, schemes=None):
        """Both sides: tensors, or with `schemes` quantized ones."""
        makes = [lambda s, e=e: tensor(s, e) for e in (element_a, element_b or element_a)]
        if schemes:
            makes = [lambda s, e=e, c=c: scaled(s, e, c) for e, c in zip((element_a, element_b or element_a), schemes)]
        pairs = [self.argument(make, dims) for make, dims in zip(makes, (self.a, self.b))]
        self.names, self.types = zip(*pairs)
        return self

    def bias(self, element):
        name, type = self.argument(lambda s: tensor(s, element), self.d[-1:])
        self.words += f" bias({name} : {type})"
        return self

    def like_d(self, word, element):
        name, type = self.argument(lambda s: tensor(s, element), self.d)
        self.words += f" {word}({name} : {type})"
        return self

    def text(self, element, aux=None, bias_grad=None, gelu=False, before=(), after=(), results=None, keeps=True):
        """`before`: lines that make the operands; `after`: lines that read %d; `results`: pairs of a value and its type, beside %d (unless not `keeps`)."""
        d = tensor(named(self.d)[0], element)
        values, types, given = ["%d"], d, [("%d", d)]
        for name, shape, what in [("aux", self.d, aux), ("bias_grad", self.a[-1:], bias_grad)]:
            if what:
                type = tensor(named(shape)[0], what)
                values.append(f"%{name}")
                types += f" {name} {type}"
                given.append((f"%{name}", type))
        words = self.words + " gelu" * gelu + self.options
        lines = [*before,
                 f"  {', '.join(values)} = te.gemm {self.names[0]}, {self.names[1]}{words} : "
                 f"{self.types[0]}, {self.types[1]} -> {types}", *after]
        results = given[not keeps:] + list(results or [])
        out = ", ".join(t for _, t in results)
        return (f"func.func @f({', '.join(self.arguments)}) -> ({out}) {{\n" + "\n".join(lines) +
                f"\n  return {', '.join(v for v, _ in results)} : {out}\n}}\n")


def sizes(chosen):
    return [dict(zip("MNK", s)) for s in chosen]


def plain_cases():
    cases = []
    for i, element in enumerate(TYPES):
        for j, (ta, tb) in enumerate(LAYOUTS):
            gemm = Gemm(ta, tb).operands(element)
            chosen = [s for n, s in enumerate(SIZES) if (n + i + j) % 3 == 0]
            cases.append((f"{element}-{j}", gemm.text([element, "f32"][(i + j) % 2]), sizes(chosen), [":normal"] * 2))
    # Static sizes: whole tiles and steps, broken ones, small ones.
    for i, (m, n, k) in enumerate([(128, 256, 192), (64, 64, 64), (33, 17, 8), (256, 32, 96), (1, 300, 40)]):
        ta, tb = LAYOUTS[i % 4]
        gemm = Gemm(ta, tb, m, n, k).operands(TYPES[i % 3])
        cases.append((f"static-{i}", gemm.text("f32"), [{}], [":normal"] * 2))
    # Leading dimensions that are rows, and pairs of matrices.
    cases.append(("rows", Gemm(m="M", lead=["B"]).operands("bf16").text("bf16"),
                  [{"B": b, "M": 5, "N": 33, "K": 40} for b in (3, 0)], [":normal"] * 2))
    for i, (ta, tb) in enumerate(LAYOUTS):
        gemm = Gemm(ta, tb, lead=["B"], batched=True).operands(TYPES[i % 3])
        cases.append((f"batched-{i}", gemm.text("f32"), [{"B": b, "M": m, "N": 19, "K": 65}
                                                         for b, m in ((3, 37), (2, 1), (0, 4))], [":normal"] * 2))
    # A constant weight, of which nothing beyond N and K counts; one tensor as both operands.
    x, d = tensor(["?", 45], "f32"), tensor(["?", 70], "f32")
    cases.append(("constant", f'func.func @f(%x: {x} {{te.dims = ["M", "K"]}}) -> {d} {{\n'
                  f"  %w = arith.constant dense<0.5> : tensor<70x45xf32>\n"
                  f"  %d = te.gemm %x, %w transpose_b : {x}, tensor<70x45xf32> -> {d}\n  return %d : {d}\n}}\n",
                  [{"M": 33}], [":normal"]))
    square = tensor(["?", "?"], "f32")
    cases.append(("gram", f'func.func @f(%x: {x} {{te.dims = ["M", "K"]}}) -> {square} {{\n'
                  f"  %d = te.gemm %x, %x transpose_b : {x}, {x} -> {square}\n  return %d : {square}\n}}\n",
                  [{"M": 33}], [":normal"]))
    # Inf and NaN go their way.
    cases.append(("special", Gemm().operands("f32").text("f32"), sizes([(9, 11, 35)]), ["", ""]))
    return cases


def epilogue_cases():
    def make(words=(), element="bf16", d="bf16", options="", **more):
        gemm = Gemm().operands(element)
        for word in words:
            gemm = gemm.bias("f32") if word == "bias" else gemm.like_d(word, "f32")
        gemm.options = options
        return gemm.text(d, **more)
    chosen = sizes([(7, 5, 13), (67, 131, 65), (5, 37, 0)])
    d, row = tensor(["?", "?"], "bf16"), scaled(["?", "?"], "f8E4M3FN", ROW)
    col, one = scaled(["?", "?"], "f8E5M2", COL), "tensor<f32>"
    norm = [":normal"]
    cases = [
        ("bias", make(["bias"]), chosen, norm * 3),
        ("gelu", make(["bias"], gelu=True, aux="f32", d="f32", options=" {alpha = 0.25 : f32}"), chosen, norm * 3),
        ("dgelu", make(["dgelu"]), chosen, norm * 3),
        ("accumulate", make(["accumulate"], d="f32", options=" {alpha = 2.0 : f32}"), chosen, norm * 3),
        ("beta", make(["bias", "accumulate"], d="f32", options=" {beta = -0.5 : f32}"), chosen, norm * 4),
        # C is Inf and NaN here and there, and not read.
        ("beta-0", make(["accumulate"], d="f32", options=" {beta = 0.0 : f32}"), chosen, norm * 2 + [""]),
        ("bias-grad", Gemm(True, False).operands("bf16").text("f32", bias_grad="f32"), chosen, norm * 2),
        ("activation", make(after=[f"  %s = te.activation silu %d : {d} -> {d}"], results=[("%s", d)]), chosen, norm * 2),
        ("residual", make(["bias"], after=["  %s = arith.addf %d, %d : " + d], results=[("%s", d)]), chosen, norm * 3),
        ("quantize", make(["bias"], after=[f"  %q, %c = te.quantize %d : {d} -> {row}, {col}"],
                          results=[("%q", row), ("%c", col)]), chosen, norm * 3),
        ("amax", make(after=[f"  %m = te.amax %d : {d} -> {one}"], results=[("%m", one)]), chosen, norm * 2),
    ]
    # Other schemes after a product: fp4 both ways with a transform, 128 x 128 blocks, one scale.
    for name, element, options, schemes in [
            ("fp4", "f4E2M1FN", " {hadamard}", [ROW + ", rounding = even", COL + ", rounding = even, data_layout = transposed"]),
            ("blocks", "f8E4M3FN", "", [f"block = [128, 128], scale = f32{layout}" for layout in ("", ", data_layout = transposed")]),
            ("current", "f8E4M3FN", "", ["tensor, scale = f32", "tensor, scale = f32, data_layout = transposed"])]:
        types = [scaled(["?", "?"], element, scheme) for scheme in schemes]
        cases.append((f"quantize-{name}", make(after=[f"  %q, %c = te.quantize %d{options} : {d} -> {', '.join(types)}"],
                                               results=list(zip(("%q", "%c"), types))), chosen[:2], norm * 2))
    return cases


def scaled_cases(fnuz):
    native = ["f8E4M3FNUZ", "f8E5M2FNUZ"] if fnuz else ["f8E4M3FN", "f8E5M2"]
    ocp, cases = ["f8E4M3FN", "f8E5M2"], []
    def add(name, gemm, chosen, kinds):
        cases.append((name, gemm.text("f32"), sizes(chosen), kinds))
    some = [(7, 5, 13), (67, 131, 257), (5, 37, 0)]
    few = [(33, 70, 160)]
    normal = [":normal"] * 4
    one, rows = "tensor, scale = f32", "row, scale = f32"
    for i, (ta, tb) in enumerate(LAYOUTS):
        add(f"tensor-{i}", Gemm(ta, tb).operands(native[i % 2], native[i // 2], [one, one]), some if i < 2 else few, normal)
    add("tensor-transposed", Gemm(True, False).operands(native[0], native[0], [one + ", data_layout = transposed"] * 2),
        few, normal)
    add("tensor-ocp", Gemm().operands(ocp[0], ocp[1], [one, one]), few, normal)
    add("rows", Gemm().operands(native[0], native[1], [rows, rows]), some, normal)
    add("rows-tensor", Gemm(tb=False).operands(native[0], native[0], [rows, one]), few, normal)
    line, square = "block = [1, 128], scale = f32", "block = [128, 128], scale = f32"
    down = "block = [128, 1], scale = f32, data_layout = transposed"
    add("line-square", Gemm().operands(native[0], native[0], [line, square]), some, normal)
    add("line-square-dgrad", Gemm(tb=False).operands(native[1], native[0], [line, square]), few, normal)
    add("line-line", Gemm().operands(native[0], native[1], [line, line]), few, normal)
    add("down-down", Gemm(True, False).operands(native[0], native[0], [down, down]), few, normal)
    even = ", rounding = even"
    add("mxfp8", Gemm().operands(ocp[0], ocp[0], [ROW, ROW]), some, normal)
    add("mxfp8-mixed", Gemm(tb=False).operands(ocp[1], ocp[0], [ROW, COL]), few, normal)
    add("mxfp8-wgrad", Gemm(True, False).operands(ocp[0], ocp[1], [COL, COL]), few, normal)
    add("mxfp8-square", Gemm(tb=False).operands(ocp[0], ocp[0], [ROW, SQUARE]), few, normal)
    add("mxfp8-blocked", Gemm().operands(ocp[0], ocp[0], [ROW + ", scale_layout = blocked_32x4x4"] * 2), few, normal)
    add("mxfp4", Gemm().operands("f4E2M1FN", "f4E2M1FN", [ROW + even] * 2), some, normal)
    add("mxfp4-wgrad", Gemm(True, False).operands("f4E2M1FN", "f4E2M1FN", [COL + even + ", data_layout = transposed"] * 2),
        few, normal)
    add("mxfp4-square", Gemm(tb=False).operands("f4E2M1FN", "f4E2M1FN", [ROW, SQUARE]), few, normal)
    add("mxfp8-mxfp4", Gemm().operands(ocp[0], "f4E2M1FN", [ROW, ROW]), few, normal)
    # Scales of 2^-127, 2^127 and NaN; of one block, for two whose sums leave f32's range may be Inf - Inf.
    wild = [":normal", ""] * 2
    add("mxfp8-wild", Gemm().operands(ocp[0], ocp[1], [ROW, ROW]), [(65, 33, 32)], wild)
    add("mxfp4-wild", Gemm().operands("f4E2M1FN", ocp[0], [ROW, ROW]), [(33, 65, 31)], wild)
    # More than two dimensions: rows, and pairs of matrices of one scale each.
    kinds = [{"B": 3, "M": 19, "N": 37, "K": 70}]
    cases.append(("rows-3d", Gemm(lead=["B"]).operands(native[0], native[0], [rows, one]).text("f32"), kinds, normal))
    cases.append(("mxfp8-3d", Gemm(lead=["B"]).operands(ocp[0], ocp[0], [ROW, ROW]).text("bf16"), kinds, normal))
    cases.append(("tensor-batched", Gemm(tb=False, lead=["B"], batched=True).operands(native[0], native[1], [one, one])
                  .text("f32"), kinds, normal))
    shuffled = ROW + ", scale_layout = e8m0_shuffle"
    for element, name in ((ocp[0], "mxfp8"), ("f4E2M1FN", "mxfp4")):
        gemm = Gemm(n=48, k=192).operands(element, element, [shuffled, shuffled + ", data_layout = shuffle_16x16"])
        cases.append((f"{name}-shuffled", gemm.text("f32"), [{"M": 37}], normal))
    return cases


# Codes: their bits, and the largest that is finite.
CODES = {"f8E4M3FN": (8, 0x7E), "f8E5M2": (8, 0x7B), "f4E2M1FN": (4, 7)}


def draw_codes(element, outer, k, change=None):
    """Any finite codes, outer x K, changed by `change(codes, rng)`."""
    bits, largest = CODES[element]
    def draw(rng):
        codes = rng.integers(0, largest + 1, (outer, k)) | rng.integers(0, 2, (outer, k)) << (bits - 1)
        if change:
            change(codes, rng)
        if bits == 4:
            codes = codes[:, 0::2] | codes[:, 1::2] << 4
        return codes.astype(np.uint8)
    return draw


def draw_bytes(element, outer, k, make):
    """Scales in their storage, of which `make(rng, rows, blocks)` draws those that are not padding."""
    rows, blocks = (256, 8) if CODES[element][0] == 4 else (128, 4)
    def draw(rng):
        count = -(-k // 32)
        made = np.zeros((-(-outer // rows) * rows, -(-count // blocks) * blocks), np.uint8)
        made[:outer, :count] = np.clip(make(rng, outer, count), 0, 255)
        return made
    return draw


def extreme_cases():
    """Scales that elements have no room for in bf16 where those of the other side make up for it; Inf and NaN among them;
    blocks of zeros; scales just inside and outside of what the fast loop takes (2^24)."""
    m, n, cases = 37, 70, []
    def far(sign):  # a block's scales are far from 1, those of the other side as far the other way; rows differ a little
        return lambda rng, rows, blocks: (127 + sign * np.array([0, 113, -113, 124, -122, 30, -100, 112])[np.arange(blocks) % 8]
                                          + rng.integers(-3, 4, (rows, blocks)))
    def near(value, spread=2):
        return lambda rng, rows, blocks: value + rng.integers(-spread, spread + 1, (rows, blocks))
    def one(value, other=127):  # in one place
        def make(rng, rows, blocks):
            made = np.full((rows, blocks), other)
            made[rng.integers(rows), rng.integers(blocks)] = value
            return made
        return make
    def zeros(rng, rows, blocks):  # every other block has the scale of zeros
        return np.where(np.arange(blocks) % 2 == 0, 0, near(120)(rng, rows, blocks))
    def clear(codes, rng):  # and their elements
        for k in range(0, codes.shape[1], 64):
            codes[:, k:k + 32] = 0
    def spoil(code):
        def change(codes, rng):
            codes[rng.integers(codes.shape[0]), rng.integers(codes.shape[1])] = code
        return change
    def add(name, a, b, scales, k=224, change=None):
        types = [scaled([m, k], a, ROW), scaled([n, k], b, ROW)]
        d = tensor([m, n], "f32")
        text = (f"func.func @f(%a: {types[0]}, %b: {types[1]}) -> {d} {{\n  %d = te.gemm %a, %b transpose_b : {types[0]}, {types[1]} -> {d}\n"
                f"  return %d : {d}\n}}\n")
        cases.append((name, text, [{}], [draw_codes(a, m, k, change), draw_bytes(a, m, k, scales[0]),
                                         draw_codes(b, n, k), draw_bytes(b, n, k, scales[1])]))
    e4m3, e5m2, fp4 = CODES
    for a, b in [(e4m3, e4m3), (e5m2, e4m3), (e5m2, e5m2), (fp4, fp4), (e4m3, fp4)]:
        add(f"far-{a}-{b}", a, b, (far(1), far(-1)))
        add(f"opposite-{a}-{b}", a, b, (near(12), near(240)), k=96)
        add(f"zeros-{a}-{b}", a, b, (zeros, near(130)), change=clear)
        add(f"tiny-{a}-{b}", a, b, (near(2), near(149)))
        add(f"limit-{a}-{b}", a, b, (near(150, 1), near(103)))
        add(f"nan-{a}-{b}", a, b, (near(127), one(255)))
    for k in (32, 200, 1024):
        add(f"one-{k}", e4m3, e4m3, (one(152), one(10)), k)
        add(f"one-fp4-{k}", fp4, e5m2, (one(254, 100), one(0)), k)
    for scales in ((near(127), near(127)), (far(1), far(-1))):
        for element, code in [(e4m3, 0x7F), (e4m3, 0xFF), (e5m2, 0x7C), (e5m2, 0xFC), (e5m2, 0x7E)]:
            add(f"special-{len(cases)}-{element}-{code:x}", element, e5m2, scales, change=spoil(code))
    return cases


# The instructions of each chip: elements of both sides, and their scheme.
TENSOR = "tensor, scale = f32"
COMMON = {"f32_16x16x4_f32": ("f32", None), "f32_32x32x2_f32": ("f32", None), "f32_16x16x16_f16": ("f16", None),
          "f32_32x32x8_f16": ("f16", None), "f32_16x16x16_bf16": ("bf16", None), "f32_32x32x8_bf16": ("bf16", None)}
GFX942 = {**COMMON, "f32_16x16x32_fp8_fnuz": ("f8E4M3FNUZ", TENSOR), "f32_32x32x16_fp8_fnuz": ("f8E5M2FNUZ", TENSOR)}
GFX950 = {**COMMON, "f32_16x16x32_f16": ("f16", None), "f32_32x32x16_f16": ("f16", None),
          "f32_16x16x32_bf16": ("bf16", None), "f32_32x32x16_bf16": ("bf16", None),
          "f32_16x16x32_fp8": ("f8E5M2", TENSOR), "f32_32x32x16_fp8": ("f8E4M3FN", TENSOR),
          "scale_f32_16x16x128_f8f6f4": ("f8E4M3FN", ROW), "scale_f32_32x32x64_f8f6f4": ("f8E5M2", ROW)}


def schedule_text(target, tile, vector, mma, step, waves, stages=1, split=1, direct=False, group=0, whole=0, ping_pong=False, workgroups=0):
    def nested(name, **fields):
        given = ", ".join(f"{key} = {str(value).lower()}" for key, value in fields.items() if value)
        return f", {name} = <{given}>" if given else ""
    return (f'#te.schedule<"{target}", tile = [{tile[0]}, {tile[1]}], waves = {waves[0] * waves[1]}, vector = {vector}, '
            f'matmul = <"{mma}", k = {step}, waves = [{waves[0]}, {waves[1]}]>'
            + nested("pipeline", stages=stages if stages > 1 else 0, direct_to_lds=direct, ping_pong=ping_pong)
            + nested("grid", workgroups=workgroups, split_k=split if split > 1 else 0, whole_rows=whole, group_m=group) + ">")


def scheduled(name, target, a, b, d, keywords, tile, vector, mma, step, waves, stages=1, split=1, direct=False, group=0, whole=0, ping_pong=False, workgroups=0):
    """A product by a schedule that a user wrote."""
    schedule = schedule_text(target, tile, vector, mma, step, waves, stages, split, direct, group, whole, ping_pong, workgroups)
    text = (f"func.func @f(%a: {a}, %b: {b}) -> {d} {{\n"
            f'  %d = te.fusion "f" (%x = %a : {a}, %y = %b : {b}) -> ({d}) attributes {{schedule = {schedule}}} {{\n'
            f"    %0 = te.gemm %x, %y {keywords} : {a}, {b} -> {d}\n    te.yield %0 : {d}\n  }}\n"
            f"  return %d : {d}\n}}\n")
    return name, text, [{}], [":normal"] * (2 * (1 + a.startswith("!te.scaled")))


def instruction_cases(target):
    """Every instruction: waves along the rows, the columns, and both; a ragged K in one stage, a whole one in two."""
    cases = []
    for i, (name, (element, scheme)) in enumerate((GFX942 if target == "gfx942" else GFX950).items()):
        size, k = (int(n) for n in name.split("_")[-2].split("x")[1:]) if "fnuz" not in name else \
            (int(n) for n in name.split("_")[1].split("x")[1:])
        step = max(2 * k, 32)
        make = (lambda s: scaled(s, element, scheme)) if scheme else (lambda s: tensor(s, element))
        for stages in (1, 2):
            waves = [(2, 2), (4, 1), (1, 2), (1, 1), (2, 4)][(i + 2 * stages) % 5]
            tile = [2 * size * w for w in waves]
            m, n, depth = tile[0] + 5, tile[1] + 3, (2 * step + 7 if stages == 1 else 3 * step)
            cases.append(scheduled(f"{name}-{stages}", target, make([m, depth]), make([n, depth]), tensor([m, n], "f32"),
                                   "transpose_b", tile, 4, name, step, waves, stages))
    return cases + large_cases(target)


def large_cases(target):
    """The tiles of large products: two stages, one and several parts, whole steps and ragged ones, every orientation, scales of several steps at once."""
    fnuz = target == "gfx942"
    kind = "f32_32x32x8_bf16" if fnuz else "f32_32x32x16_bf16"
    step = 32 if fnuz else 64
    bf16 = lambda *s: tensor(list(s), "bf16")
    cases = []
    for name, keywords, m, n, k in [("tn", "transpose_b", 257, 300, 3 * step), ("nn", "", 256, 264, 2 * step),
                                    ("nt", "transpose_a", 264, 256, 4 * step), ("tt", "transpose_a transpose_b", 256, 136, step + 8),
                                    ("odd", "transpose_b", 259, 131, step + 13)]:
        a = bf16(k, m) if "transpose_a" in keywords else bf16(m, k)
        b = bf16(n, k) if "transpose_b" in keywords else bf16(k, n)
        cases.append(scheduled(f"large-{name}", target, a, b, bf16(m, n), keywords, (256, 256), 8, kind, step, (2, 4), 2))
    if fnuz:
        a, b = scaled([259, 256], "f8E4M3FNUZ", TENSOR), scaled([140, 256], "f8E5M2FNUZ", TENSOR)
        return cases + [scheduled("large-fp8", target, a, b, bf16(259, 140), "transpose_b", (256, 256), 16, "f32_32x32x16_fp8_fnuz", 64, (2, 4), 2)]
    for name, element, tile, k in [("mxfp8", "f8E4M3FN", (256, 128), 1024), ("mxfp4", "f4E2M1FN", (256, 256), 1024), ("mxfp8-ragged", "f8E5M2", (256, 128), 416)]:
        a, b = scaled([259, k], element, ROW), scaled([140, k], element, ROW)
        waves = (4, 2) if tile[1] == 128 else (2, 4)
        cases.append(scheduled(f"large-{name}", target, a, b, bf16(259, 140), "transpose_b", tile, 16, "scale_f32_32x32x64_f8f6f4", 128, waves, 2))
    return cases + direct_cases(target)


def direct_cases(target):
    """Straight to LDS: each element type, rows that end inside of the tile, one step and several, the other operand transposed, and M not known."""
    f8, f4, fp8 = (lambda *s, e=e, c=c: scaled(list(s), e, c)
                   for e, c in (("f8E4M3FN", ROW), ("f4E2M1FN", ROW), ("f8E5M2", TENSOR)))
    bf16, f16, f32 = (lambda *s, e=e: tensor(list(s), e) for e in ("bf16", "f16", "f32"))
    cases = []
    for i, (name, make, mma, tile, step, steps, waves) in enumerate([
            ("bf16", bf16, "f32_32x32x16_bf16", (256, 256), 64, 3, (2, 4)), ("bf16-small", bf16, "f32_16x16x32_bf16", (64, 64), 32, 1, (2, 2)),
            ("f16", f16, "f32_16x16x32_f16", (64, 128), 64, 5, (2, 4)), ("fp8", fp8, "scale_f32_32x32x64_f8f6f4", (256, 256), 128, 2, (4, 2)),
            ("mxfp8", f8, "scale_f32_32x32x64_f8f6f4", (256, 256), 128, 8, (2, 4)), ("mxfp8-part", f8, "scale_f32_16x16x128_f8f6f4", (128, 128), 128, 3, (2, 2)),
            ("mxfp4", f4, "scale_f32_32x32x64_f8f6f4", (256, 256), 256, 4, (2, 4)), ("mxfp8-deep", f8, "scale_f32_32x32x64_f8f6f4", (256, 256), 64, 40, (2, 4)),
            ("mxfp4-deep", f4, "scale_f32_32x32x64_f8f6f4", (256, 256), 128, 32, (2, 4)), ("mxfp8-branch", f8, "scale_f32_32x32x64_f8f6f4", (128, 128), 64, 36, (2, 2)), ("mxfp4-long", f4, "scale_f32_16x16x128_f8f6f4", (128, 64), 512, 2, (2, 2))]):
        k, stages = step * steps, 2 if tile[0] == 256 else 2 + i % 3
        cases.append(scheduled(f"direct-{name}", target, make(259, k), make(140, k), bf16(259, 140), "transpose_b", tile, 4, mma, step, waves, stages, direct=True))
    # Steps of one part and four stages: reads of a slot go on after a barrier; whole rounds, steps that are left, K in splits.
    for name, make, k, split in [("mxfp8", f8, 64 * 48, 1), ("mxfp8-left", f8, 64 * 37, 1), ("mxfp8-short", f8, 64 * 3, 1), ("fp8", fp8, 64 * 9, 1), ("mxfp8-split", f8, 64 * 64, 2)]:
        cases.append(scheduled(f"direct-late-{name}", target, make(259, k), make(140, k), bf16(259, 140), "transpose_b", (256, 256), 4, "scale_f32_32x32x64_f8f6f4", 64, (2, 4), 4, split, direct=True))
    # Rows of a step that are shorter than a cache line: several steps are fetched at once, both sides in turn; two rounds and many, steps that are left, few for a round, K in splits.
    for name, make, mma, step, counts in [("mxfp4", f4, "scale_f32_32x32x64_f8f6f4", 128, (8, 10, 16, 42)), ("bf16", bf16, "f32_32x32x16_bf16", 32, (8, 10, 17))]:
        for count in counts:
            k = step * count
            cases.append(scheduled(f"direct-line-{name}-{count}", target, make(259, k), make(140, k), bf16(259, 140), "transpose_b", (256, 256), 4, mma, step, (2, 4), 4, direct=True))
    for count, split in ((64, 2), (36, 3)):
        k = 128 * count
        cases.append(scheduled(f"direct-line-split-{count}", target, f4(129, k), f4(140, k), f32(129, 140), "transpose_b", (256, 256), 4, "scale_f32_32x32x64_f8f6f4", 128, (2, 4), 4, split, direct=True))
    cases.append(scheduled("direct-deep", target, bf16(259, 224), bf16(140, 224), bf16(259, 140), "transpose_b", (256, 256), 8, "f32_32x32x16_bf16", 32, (2, 4), 4, direct=True))
    cases.append(scheduled("direct-one", target, bf16(256, 192), bf16(192, 256), f32(256, 256), "", (128, 128), 8, "f32_32x32x16_bf16", 64, (2, 2), 2, direct=True))
    cases.append(scheduled("direct-split", target, f4(33, 2048), f4(70, 2048), f32(33, 70), "transpose_b", (64, 64), 16, "scale_f32_16x16x128_f8f6f4", 256, (2, 2), 2, 3, True))
    x, w, d = bf16("?", 192), bf16(256, 192), f32("?", 256)
    name, text, _, kinds = scheduled("direct-dynamic", target, x, w, d, "transpose_b", (128, 128), 8, "f32_32x32x16_bf16", 64, (2, 2), 2, direct=True)
    cases.append((name, text.replace(f"%a: {x}", f'%a: {x} {{te.dims = ["M", "K"]}}'), [{"M": 0}, {"M": 1}, {"M": 300}], kinds))
    return cases + across_cases(target)


def step_cases(target, rng):
    """Few steps, which have no loop, and the last ones behind one: each way to LDS, steps of one part and of two, or of
    more by waves that ping-pong, both orientations, scales of several steps at once, splits of K; from one step on."""
    fnuz = target == "gfx942"
    f8 = "f8E4M3FNUZ" if fnuz else "f8E4M3FN"
    kinds = {"bf16": ("bf16", None, "f32_32x32x8_bf16" if fnuz else "f32_16x16x32_bf16", 32),
             "fp8": (f8, TENSOR, "f32_16x16x32_fp8_fnuz" if fnuz else "scale_f32_32x32x64_f8f6f4", 64),
             "mxfp8": ("f8E4M3FN", ROW, "f32_32x32x8_bf16" if fnuz else "scale_f32_32x32x64_f8f6f4", 32 if fnuz else 64),
             "mxfp4": ("f4E2M1FN", ROW, "f32_16x16x16_bf16" if fnuz else "scale_f32_16x16x128_f8f6f4", 32 if fnuz else 128)}
    cases = []
    for kind, (element, scheme, mma, part) in kinds.items():
        for stages, direct in [(2, False)] if fnuz else [(2, False), (2, True), (3, True), (4, True)]:
            width = 2 if kind == "bf16" or (fnuz and scheme == ROW) else 0.5 if kind == "mxfp4" else 1
            fits = [parts for parts in (1, 2, 4) if stages * (64 + 128) * part * parts * width <= (65536 if fnuz else 153600)]
            for parts in fits:
                for word in ("transpose_b", "transpose_a"):
                    count, split, step = rng.choice([1, 1, 2, 3, 4, 5, 6, 7, 9, 13, 16, 24, 33, 36]), rng.choice([1, 1, 2]), part * parts
                    k = count * split * step
                    transposed = scheme and (scheme.replace(ROW, COL) + ", data_layout = transposed" * (kind == "mxfp4"))
                    make = (lambda s, c: scaled(s, element, c)) if scheme else (lambda s, c: tensor(s, element))
                    a, b = (make([k, 128], transposed), make([k, 128], transposed)) if word == "transpose_a" else \
                        (make([rng.randint(1, 130), k], scheme), make([rng.randint(1, 200), k], scheme))
                    m, n = (128, 128) if word == "transpose_a" else (int(re.search(r"\d+", t)[0]) for t in (a, b))
                    # Eight waves put the smaller side of two parts after the barrier. With ping_pong the larger side comes first.
                    wide, tall = ((64, 128), (2, 4)), ((128, 64), (4, 2))
                    tiles = [(((64, 128), (1, 4)), False)] * (parts < 4) + [(wide, False), (tall, False)] * (parts == 2 and not direct) + \
                        [(rng.choice([wide, tall]), True)] * (parts > 1)
                    for (tile, waves), ping_pong in tiles:
                        cases.append(scheduled(f"steps-{kind}-{stages}-{'direct' if direct else 'registers'}-{count}x{step}-{split}-{word}-{tile[0]}x{waves[0]}{'-ping-pong' * ping_pong}", target, a, b,
                                               tensor([m, n], "bf16" if split == 1 else "f32"), word, tile, 4, mma, step, waves, stages, split, direct, ping_pong=ping_pong))
    return cases


def across_cases(target):
    """Straight to LDS, rows in memory across K, which reads of LDS transpose: each width of elements and lane layout, one side and both, K that ends inside of a step or is not known, split-K."""
    cases, f8 = [], lambda *s: scaled(list(s), "f8E4M3FN", ROW)
    for i, (name, element, scheme, mma, tile, step, k, waves) in enumerate([
            ("bf16", "bf16", None, "f32_32x32x16_bf16", (256, 256), 64, 192, (2, 4)), ("bf16-small", "bf16", None, "f32_16x16x32_bf16", (64, 128), 32, 45, (2, 2)),
            ("f16", "f16", None, "f32_16x16x32_f16", (128, 128), 64, 320, (2, 2)), ("fp8", "f8E5M2", TENSOR, "scale_f32_32x32x64_f8f6f4", (256, 256), 128, 300, (4, 2)),
            ("fp8-short", "f8E4M3FN", TENSOR, "f32_16x16x32_fp8", (64, 64), 64, 128, (2, 2)), ("mxfp8", "f8E4M3FN", COL, "scale_f32_32x32x64_f8f6f4", (256, 256), 128, 512, (2, 4)),
            ("mxfp8-ragged", "f8E5M2", COL, "scale_f32_16x16x128_f8f6f4", (128, 64), 128, 293, (2, 1)),
            ("mxfp4", "f4E2M1FN", COL + ", data_layout = transposed", "scale_f32_32x32x64_f8f6f4", (256, 128), 256, 512, (2, 4)),
            ("bf16-one", "bf16", None, "f32_32x32x16_bf16", (128, 128), 16, 83, (2, 2))]):
        along = scheme and scheme.replace(COL, ROW).replace(", data_layout = transposed", "")
        make = (lambda s, c: scaled(s, element, c)) if scheme else (lambda s, c: tensor(s, element))
        m, n, stages = 2 * tile[0], tile[1], 2 + i % 3 if tile[0] < 256 else 2
        for word, a, b in [("nt", make([k, m], scheme), make([k, n], scheme)), ("nn", make([m, k], along), make([k, n], scheme))]:
            cases.append(scheduled(f"across-{name}-{word}", target, a, b, tensor([m, n], "bf16"), "transpose_a" if word == "nt" else "", tile, 4, mma, step, waves, stages, direct=True))
    down = lambda *s: scaled(list(s), "f8E4M3FN", COL)
    for name, word, a, b in [("nt", "transpose_a", down(1536, 256), down(1536, 256)), ("nn", "", f8(256, 1536), down(1536, 256))]:
        cases.append(scheduled(f"across-late-{name}", target, a, b, tensor([256, 256], "bf16"), word, (256, 256), 4, "scale_f32_32x32x64_f8f6f4", 64, (2, 4), 4, direct=True))
    # Scales that are no whole tile of columns, or lie in an order of their own, next to operands that go straight to LDS.
    shuffled = lambda s, c: scaled(s, "f8E4M3FN", c + ", scale_layout = e8m0_shuffle")
    for name, a, b, word in [("edge", scaled([128, 1024], "f8E4M3FN", ROW), scaled([1024, 200], "f8E4M3FN", COL), ""),
                             ("shuffled", shuffled([256, 1024], ROW), shuffled([128, 1024], ROW), "transpose_b")]:
        n = 200 if name == "edge" else 128
        cases.append(scheduled(f"across-scales-{name}", target, a, b, tensor([128 if name == "edge" else 256, n], "bf16"), word, (128, 128), 4,
                               "scale_f32_16x16x128_f8f6f4", 128, (2, 2), 3, direct=True))
    bf16, f32 = (lambda *s, e=e: tensor(list(s), e) for e in ("bf16", "f32"))
    cases.append(scheduled("across-split", target, bf16(1000, 128), bf16(1000, 64), f32(128, 64), "transpose_a", (64, 64), 8, "f32_16x16x32_bf16", 64, (2, 2), 3, 5, True))
    x, w = bf16("?", 128), bf16("?", 64)
    name, text, _, kinds = scheduled("across-dynamic", target, x, w, f32(128, 64), "transpose_a", (64, 64), 8, "f32_16x16x32_bf16", 64, (2, 2), 2, direct=True)
    text = text.replace(f"%a: {x}", f'%a: {x} {{te.dims = ["K", "M"]}}').replace(f"%b: {w}", f'%b: {w} {{te.dims = ["K", "N"]}}')
    return cases + [(name, text, [{"K": 1}, {"K": 64}, {"K": 421}], kinds)]


def shuffled_cases(target):
    """Data and scales in orders of their own, as either operand in every orientation: each kind of scale, few rows and many, whole steps and ragged ones, by the default schedule, straight to LDS and through registers."""
    fnuz = target == "gfx942"
    fp8 = "f8E4M3FNUZ" if fnuz else "f8E4M3FN"
    data, scale = ", data_layout = shuffle_16x16", ", scale_layout = e8m0_shuffle"
    blocked, even = ", scale_layout = blocked_32x4x4", ", rounding = even"
    some = [{"M": 1}, {"M": 37}, {"M": 300}]
    wild, normal = [":normal", ""] * 2, [":normal"] * 4
    cases = []
    def add(name, gemm, element, schemes, runs=some, kinds=normal):
        cases.append((name, gemm.operands(element, element, schemes).text("f32"), runs, kinds))
    for element, name, ks in [("f8E4M3FN", "mxfp8", (32, 160, 512, 2048)), ("f4E2M1FN", "mxfp4", (64, 192, 1024, 2048))]:
        down = COL if name == "mxfp8" else SQUARE
        for i, k in enumerate(ks):
            weights = ROW + data + [scale, "", blocked, scale][i]
            add(f"{name}-{k}", Gemm(n=(48, 272, 512, 1040)[i], k=k), element, [ROW + ["", scale, blocked, scale][i], weights + (even if i == 2 else "")])
        add(f"{name}-both", Gemm(m=256, n=384, k=512), element, [ROW + data + scale, ROW + data + scale], [{}])
        add(f"{name}-wild", Gemm(n=64, k=512), element, [ROW + scale, ROW + data + scale], some[1:], wild)
        add(f"{name}-dgrad", Gemm(tb=False, n=128, k=256), element, [ROW, down + data], some[1:])
        add(f"{name}-wgrad", Gemm(True, False, m=128, n=256, k=512), element, [down + data + scale, down + data + scale], [{}])
        add(f"{name}-left", Gemm(m=144, n="N", k=320), element, [ROW + data, ROW + scale], [{"N": 7}, {"N": 129}])
    one, rows = "tensor, scale = f32", "row, scale = f32"
    line, square = "block = [1, 128], scale = f32", "block = [128, 128], scale = f32"
    for name, schemes in [("tensor", [one, one + data]), ("rows", [rows, rows + data]), ("blocks", [line, square + data])]:
        add(name, Gemm(n=256, k=384), fp8, schemes)
        add(f"{name}-dgrad", Gemm(tb=False, n=256, k=384), fp8, [line if name == "blocks" else one, schemes[1] if name != "rows" else one + data], some[1:])
    add("tensor-wgrad", Gemm(True, False, m=128, n=64, k=256), fp8, [one + data, one + data], [{}])
    if fnuz:
        return cases
    d = tensor([256, 256], "bf16")
    for name, element, mma, step in [("mxfp8", "f8E4M3FN", "scale_f32_32x32x64_f8f6f4", 64), ("mxfp4", "f4E2M1FN", "scale_f32_16x16x128_f8f6f4", 128), ("mxfp4-large", "f4E2M1FN", "scale_f32_32x32x64_f8f6f4", 128)]:
        for direct in (False, True):
            a, b = (scaled([256, 2048], element, ROW + s) for s in (scale, data + scale))
            cases.append(scheduled(f"{name}-{'direct' if direct else 'registers'}", target, a, b, d, "transpose_b", (256, 256 if direct and "32x32" in mma else 128), 16 if element[1] == "8" else 32, mma, step, (2, 4), 3 if direct else 2, direct=direct))
    return cases


def pair_cases(target):
    """Pairs of quantized matrices: scales of rows and of blocks, those of each matrix by itself, every orientation, orders of their own, no pairs and no rows."""
    fnuz = target == "gfx942"
    fp8 = "f8E4M3FNUZ" if fnuz else "f8E4M3FN"
    cases, normal = [], [":normal"] * 4
    some = [{"B": 3, "M": 37}, {"B": 1, "M": 1}, {"B": 2, "M": 150}, {"B": 0, "M": 5}, {"B": 4, "M": 0}]
    def add(name, gemm, element, schemes, runs=some, d="f32", kinds=normal):
        cases.append((name, gemm.operands(element, element, schemes).text(d), runs, kinds))
    make = lambda ta=False, tb=True, **sizes: Gemm(ta, tb, lead=["B"], batched=True, **{"n": 96, "k": 160, **sizes})
    each = ", per = matrix"
    rows, line = "row, scale = f32", "block = [1, 128], scale = f32" + each
    square, down = "block = [128, 128], scale = f32" + each, "block = [128, 1], scale = f32" + each
    shuffled = ROW + ", scale_layout = e8m0_shuffle" + each
    add("rows", make(), fp8, [rows, rows])
    add("lines", make(n=70, k=300), fp8, [line, line])
    add("squares", make(n=257, k=384), fp8, [line, square], d="bf16")
    add("squares-dgrad", make(tb=False, n=130, k=256), fp8, [line, square])
    add("down", make(True, False, n=130, k=256), fp8, [down, down])
    for element, name in (("f8E4M3FN", "mxfp8"), ("f4E2M1FN", "mxfp4")):
        add(name, make(), element, [ROW, ROW])
        add(f"{name}-long", make(n=256, k=1024), element, [ROW + each, ROW], d="bf16")
        add(f"{name}-wild", make(n=33), element, [ROW, ROW + each], some[:1], kinds=[":normal", ""] * 2)
        add(f"{name}-shuffled", make(n=272, k=512), element, [shuffled, shuffled + ", data_layout = shuffle_16x16"])
        transposed = each + (", data_layout = transposed" if element[1] == "4" else "")
        add(f"{name}-dgrad", make(tb=False, n=128, k=256), element, [ROW, COL + transposed])
        add(f"{name}-wgrad", make(True, False, m=64, n=128, k=192), element, [COL + transposed, COL + transposed], [{"B": 3}])
    add("blocked", make(n=64, k=256), "f8E4M3FN", [ROW + ", scale_layout = blocked_32x4x4" + each] * 2)
    # Scales of the whole tensor, whose rows have those of every matrix, or of blocks that end with a matrix.
    every_line, every_square, every_down = ("block = [1, 128], scale = f32", "block = [128, 128], scale = f32", "block = [128, 1], scale = f32")
    add("lines-of-all", make(n=70, k=300), fp8, [every_line, every_line])
    add("lines-of-all-known", make(m=64, n=128, k=1024), fp8, [every_line, every_line], [{"B": 3}], d="bf16")
    add("squares-of-all", make(n=256, k=384), fp8, [every_line, every_square], d="bf16")
    add("squares-of-all-dgrad", make(tb=False, n=130, k=256), fp8, [every_line, every_square])
    add("down-of-all", make(True, False, m=64, n=130, k=256), fp8, [every_down, every_down], [{"B": 2}, {"B": 0}])
    add("mxfp8-of-all", make(tb=False, n=96, k=160), "f8E4M3FN", [ROW, COL])
    add("mxfp8-of-all-wgrad", make(True, False, m=80, n=64, k=96), "f8E4M3FN", [COL, COL], [{"B": 3}])
    return cases


def in_one_kernel(text):
    """A program whose ops are in a region that a user wrote, whatever te-fuse would make of them."""
    head, *lines, _ = text.splitlines()
    arguments = [a.split(" {te.dims")[0].split(": ") for a in re.findall(r"%a\d+: .*?(?= \{te.dims)", head)]
    values, types = lines.pop().replace("  return ", "").split(" : ")
    inner = [re.sub(r"%a(\d+)", r"%i\1", line) for line in lines]
    given = ", ".join(f"{name.replace('a', 'i')} = {name} : {type}" for name, type in arguments)
    results = ", ".join(f"%r{i}" for i in range(len(values.split(", "))))
    return "\n".join([head, f'  {results} = te.fusion "f" ({given}) -> ({types}) {{', *inner, f"    te.yield {values} : {types}", "  }", f"  return {results} : {types}", "}", ""])


def gated_cases(target):
    """A gated activation of a product in the product's kernel: every orientation and kind of scales, halves and runs of columns, the product kept or not, a bias, what is quantized behind it, large tiles and small ones, no rows and no K."""
    fnuz = target == "gfx942"
    fp8 = "f8E4M3FNUZ" if fnuz else "f8E4M3FN"
    cases, normal = [], [":normal"] * 5
    def add(name, gemm, runs, kind="swiglu", keeps=False, quantized=(), element="bf16", options="", kinds=normal, fuses=False):
        wide = gemm.d[-1]
        d, y = tensor(named(gemm.d)[0], element), tensor(named(gemm.d[:-1] + [wide // 2])[0], element)
        after = [f"  %g = te.gated_activation {kind} %d{options} : {d} -> {y}"]
        results = [("%g", y)]
        if quantized:
            types = [scaled(named(gemm.d[:-1] + [wide // 2])[0], *q) for q in quantized]
            after.append(f"  {', '.join(f'%q{i}' for i in range(len(types)))} = te.quantize %g : {y} -> {', '.join(types)}")
            results = [(f"%q{i}", t) for i, t in enumerate(types)]
        text = gemm.text(element, after=after, results=results, keeps=keeps)
        cases.append((name, text if fuses else in_one_kernel(text), runs, kinds[:sum(1 + ("te.scaled" in a) for a in gemm.arguments)]))
    some = [{"M": m, "K": k} for m, k in ((1, 13), (37, 64), (0, 5), (5, 0), (300, 257))]
    for i, (ta, tb) in enumerate(LAYOUTS):
        add(f"plain-{i}", Gemm(ta, tb, n=(512, 1536)[i % 2]).operands(["bf16", "f16"][i // 2]), some, ["swiglu", "geglu", "reglu", "clamped_swiglu"][i], keeps=i % 2 == 1)
    add("f32", Gemm(n=512).operands("f32"), some, keeps=True)
    add("bias", Gemm(n=1024, k=192).operands("bf16").bias("bf16"), [{"M": 65}], keeps=True)
    add("alpha", Gemm(n=512, k=96).operands("bf16"), [{"M": 65}], options=" {interleave = 32 : i64}", fuses=True)
    add("large", Gemm(m=300, n=512, k=1024).operands("bf16"), [{}])
    add("large-kept", Gemm(m=512, n=512, k=512).operands("f16"), [{}], keeps=True, element="f16")
    mx = [(("f8E4M3FN", ROW), ("f8E4M3FN", COL)), (("f4E2M1FN", ROW + ", rounding = even"),)]
    for i, quantized in enumerate(mx + [((fp8, "tensor, scale = f32"),)]):
        add(f"quantize-{i}", Gemm(n=1024, k=160).operands("bf16"), [{"M": 1}, {"M": 67}], keeps=i == 1, quantized=quantized, fuses=i == 2)
    one, rows = "tensor, scale = f32", "row, scale = f32"
    line, square = "block = [1, 128], scale = f32", "block = [128, 128], scale = f32"
    shuffled = ROW + ", scale_layout = e8m0_shuffle"
    for name, element, schemes in [("tensor", fp8, [one, one]), ("rows", fp8, [rows, rows]), ("blocks", fp8, [line, square]), ("lines", fp8, [line, line]), ("mxfp8", "f8E4M3FN", [ROW, ROW]),
                                   ("mxfp4", "f4E2M1FN", [ROW, ROW]), ("shuffled", "f4E2M1FN", [shuffled, shuffled + ", data_layout = shuffle_16x16"])]:
        for k in (192, 1024):
            add(f"{name}-{k}", Gemm(n=512, k=k).operands(element, element, schemes), [{"M": 1}, {"M": 40}, {"M": 260}], keeps=k == 192,
                quantized=((element, schemes[0]),) if k == 1024 and name in ("mxfp8", "mxfp4") else ())
    add("wild", Gemm(n=512, k=256).operands("f8E4M3FN", "f4E2M1FN", [ROW, ROW]), [{"M": 65}], keeps=True, kinds=[":normal", ""] * 2)
    add("mxfp8-dgrad", Gemm(tb=False, n=1024, k=512).operands("f8E4M3FN", "f8E4M3FN", [ROW, COL]), [{"M": 130}])
    # The same in runs of columns: of one, shorter than a tile, or longer.
    for run, name, element, schemes, k, keeps in [
            (1, "bf16", "bf16", None, "K", True), (4, "f16", "f16", None, 192, False), (32, "bf16-large", "bf16", None, 1024, True), (256, "bf16-long", "bf16", None, 512, True),
            (512, "f32", "f32", None, "K", False), (2, "tensor", fp8, [one, one], 512, False), (32, "rows", fp8, [rows, rows], 512, True),
            (64, "mxfp8", "f8E4M3FN", [ROW, ROW], 192, True), (1, "mxfp8-large", "f8E4M3FN", [ROW, ROW], 1024, False), (32, "mxfp4", "f4E2M1FN", [ROW, ROW], 1024, False),
            (128, "mxfp4-few", "f4E2M1FN", [ROW, ROW], 192, True)]:
        gemm = Gemm(n=1024 if run > 256 else 512, **({} if k == "K" else {"k": k}))
        gemm = gemm.operands(element, element, schemes) if schemes else gemm.operands(element)
        add(f"runs-{name}", gemm.bias("bf16") if keeps and not schemes else gemm, some if k == "K" else [{"M": 1}, {"M": 40}, {"M": 300}], keeps=keeps, options=f" {{interleave = {run} : i64}}")
    add("runs-quantized", Gemm(n=1024, k=160).operands("bf16"), [{"M": 67}], quantized=mx[0], options=" {interleave = 32 : i64}")
    for run in (1, 16, 512):
        add(f"runs-split-k-{run}", Gemm(m=16, n=1024, k=2048).operands("bf16").bias("bf16"), [{}], keeps=run == 16, options=f" {{interleave = {run} : i64}}")
    add("runs-lines", Gemm(n=1024, k=256).operands(fp8, fp8, [line, line]), [{"M": 40}], options=" {interleave = 8 : i64}", fuses=True)
    add("runs-apart", Gemm(tb=False, n=1536, k=96).operands("bf16"), [{"M": 65}], options=" {interleave = 3 : i64}", fuses=True)
    # Few workgroups and a long K: halves meet where its splits are added up.
    add("split-k", Gemm(m=16, n=1024, k=2048).operands("bf16").bias("bf16"), [{}], keeps=True)
    add("split-k-odd", Gemm(m=5, n=1536, k=1999).operands("f16"), [{}], "geglu")
    add("split-k-mxfp4", Gemm(m=33, n=512, k=4096).operands("f4E2M1FN", "f4E2M1FN", [ROW, ROW]), [{}], quantized=mx[0])
    return cases


def scaled_kinds(fnuz):
    """Schemes with f32 scales, the chip's fp8 type and its instruction, and the instruction and the least step of MX operands."""
    return ("row, scale = f32", "block = [1, 128], scale = f32", "block = [128, 128], scale = f32", "f8E4M3FNUZ" if fnuz else "f8E4M3FN",
            "f32_16x16x32_fp8_fnuz" if fnuz else "f32_16x16x32_fp8", *(("f32_16x16x16_bf16", 32) if fnuz else ("scale_f32_16x16x128_f8f6f4", 128)))


def oriented(ta, tb, m, n, k):
    """bf16 operands and result, and the keywords."""
    a, b, d = (tensor(list(s), "bf16") for s in ((k, m) if ta else (m, k), (n, k) if tb else (k, n), (m, n)))
    return a, b, d, " transpose_a" * ta + " transpose_b" * tb


def split_cases(target):
    """Split-K: every kind of operands and scales, whole splits and uneven ones, empty ones, every epilogue behind the sum."""
    fnuz = target == "gfx942"
    mma, step = ("f32_16x16x16_bf16", 32) if fnuz else ("f32_16x16x32_bf16", 64)
    bf16 = lambda *s: tensor(list(s), "bf16")
    cases = []
    for i, (ta, tb) in enumerate(LAYOUTS):
        for stages in (1, 2):
            split, k = [(2, 4 * step), (3, 5 * step + 7), (5, 5 * step), (4, 7 * step - 1)][(i + stages) % 4]
            cases.append(scheduled(f"split-{i}-{stages}", target, *oriented(ta, tb, 37, 70, k), (32, 64), 8, mma, step, (1, 2), stages, split))
    cases.append(scheduled("column", target, bf16(16, 8 * step), bf16(1, 8 * step), bf16(16, 1), "transpose_b", (16, 16), 8, mma, step, (1, 1), 2, 8))
    # Nothing is known: as many splits as steps, fewer, more than there are (some are empty), K and M of 0.
    dynamic = Gemm(m="M", n=33, k="K").operands("bf16")
    for stages in (1, 2):
        schedule = schedule_text(target, (16, 32), 8, mma, step, (1, 2), stages, 4)
        d = tensor(["?", 33], "f32")
        head, _, rest = dynamic.text("f32").partition("{\n")
        body = (f'  %d = te.fusion "f" (%x = %a0 : {dynamic.types[0]}, %y = %a1 : {dynamic.types[1]}) -> ({d}) attributes {{schedule = {schedule}}} {{\n'
                f"    %0 = te.gemm %x, %y transpose_b : {dynamic.types[0]}, {dynamic.types[1]} -> {d}\n    te.yield %0 : {d}\n  }}\n  return %d : {d}\n}}\n")
        cases.append((f"dynamic-{stages}", f"{head}{{\n{body}",
                      [{"M": m, "K": k} for m, k in ((19, 4 * step), (5, 7 * step + 3), (17, step + 1), (1, 3), (4, 0), (0, 64))], [":normal"] * 2))
    # Scales of all of K multiply each split; of blocks, splits are whole groups of those that are read at once.
    rows, line, square, native, fp8, mx, block = scaled_kinds(fnuz)
    for name, element, schemes, instruction, size, split, k in [
            ("tensor", native, (TENSOR, TENSOR), fp8, 64, 3, 320), ("rows", native, (rows, rows), fp8, 64, 2, 200),
            ("blocks", native, (line, square), fp8, 128, 3, 1024), ("blocks-ragged", native, (line, line), fp8, 128, 2, 400),
            ("mxfp8", "f8E4M3FN", (ROW, ROW), mx, block, 3, 2048), ("mxfp8-ragged", "f8E5M2", (ROW, ROW), mx, block, 4, 608),
            ("mxfp4", "f4E2M1FN", (ROW, ROW), mx, block, 2, 1536), ("mxfp4-few", "f4E2M1FN", (ROW, ROW), mx, block, 4, 1024)]:
        for stages in (1, 2):
            a, b = scaled([21, k], element, schemes[0]), scaled([40, k], element, schemes[1])
            cases.append(scheduled(f"{name}-{stages}", target, a, b, tensor([21, 40], "f32"), "transpose_b", (32, 32), 8, instruction, size, (2, 1), stages, split))
    return cases + split_epilogues(target, mma, step)


def order_cases(target):
    """Runs of tiles: whole groups of rows and parts of one, as many tiles an XCD and not, one row and one column, fewer tiles than XCDs."""
    mma = "f32_16x16x16_bf16" if target == "gfx942" else "f32_16x16x32_bf16"
    make = lambda name, a, b, d, group, split=1: scheduled(
        name, target, *(tensor(s, "bf16") for s in (a, b)), tensor(d, "f32"), "transpose_b", (16, 16), 8, mma, 32, (1, 1), 2, split, group=group)
    cases = [make(f"group-{group}", [149, 64], [133, 64], [149, 133], group) for group in (1, 3, 4, 7, 32)]
    cases += [make(f"grid-{m}x{n}", [m, 40], [n, 40], [m, n], 2) for m, n in ((5, 300), (301, 16), (301, 17), (17, 33), (128, 128))]
    cases += [make("batch", [3, 37, 64], [3, 45, 64], [3, 37, 45], 2), make("split-k", [70, 256], [90, 256], [70, 90], 4, 3)]
    for name, m, n, runs in [("rows", "?", 75, ({"M": 0}, {"M": 1}, {"M": 97}, {"M": 160})),
                             ("both", "?", "?", ({"M": 33, "N": 1}, {"M": 1, "N": 190}, {"M": 0, "N": 5}, {"M": 101, "N": 83}))]:
        name, text, _, kinds = make(name, [m, 64], [n, 64], [m, n], 4)
        a, b = tensor([m, 64], "bf16"), tensor([n, 64], "bf16")
        text = text.replace(f"%a: {a}", f'%a: {a} {{te.dims = ["M", "K"]}}')
        if n == "?":
            text = text.replace(f"%b: {b}", f'%b: {b} {{te.dims = ["N", "K"]}}')
        cases.append((name, text, list(runs), kinds))
    return cases


def rest_cases(target):
    """Splits of the last rows alone: every orientation and kind of operands, several tiles in front and behind, a last one that is ragged, in runs, one column of tiles, splits of whole iterations and of one step, a converted operand, every epilogue of both kernels."""
    fnuz = target == "gfx942"
    mma, step = ("f32_16x16x16_bf16", 32) if fnuz else ("f32_16x16x32_bf16", 64)
    bf16 = lambda *s: tensor(list(s), "bf16")
    cases = []
    for i, (ta, tb) in enumerate(LAYOUTS):
        for stages in (1, 2):
            split, m, n, whole, group = [(2, 149, 150, 64, 0), (4, 96, 61, 32, 0), (3, 129, 200, 32, 2), (8, 200, 130, 160, 3)][(i + stages) % 4]
            k = split * step * (1 + (i + stages) % 3)
            cases.append(scheduled(f"rest-{i}-{stages}", target, *oriented(ta, tb, m, n, k), (32, 64), 8, mma, step, (1, 2), stages, split, group=group, whole=whole))
    for name, m, n, split, steps, group in [("whole-rounds", 256, 128, 2, 8, 1), ("left", 129, 192, 3, 5, 0), ("one", 70, 64, 4, 1, 0)]:
        cases.append(scheduled(f"stages-{name}", target, bf16(m, split * steps * step), bf16(n, split * steps * step), bf16(m, n), "transpose_b", (64, 64), 8, mma, step, (2, 2), 2 if fnuz else 3, split, not fnuz, group, 64))
    rows, line, square, native, fp8, mx, block = scaled_kinds(fnuz)
    for name, element, schemes, instruction, size, split, k in [
            ("tensor", native, (TENSOR, TENSOR), fp8, 64, 3, 384), ("rows", native, (rows, rows), fp8, 64, 2, 256),
            ("blocks", native, (line, square), fp8, 128, 2, 1024), ("blocks-odd", native, (line, line), fp8, 128, 3, 1152),
            ("mxfp8", "f8E4M3FN", (ROW, ROW), mx, block, 4, 2048), ("mxfp8-odd", "f8E5M2", (ROW, ROW), mx, block, 3, 9 * block),
            ("mxfp4", "f4E2M1FN", (ROW, ROW), mx, block, 2, 1536)]:
        for stages in (1, 2):
            a, b = scaled([101, k], element, schemes[0]), scaled([80, k], element, schemes[1])
            cases.append(scheduled(f"{name}-{stages}", target, a, b, tensor([101, 80], "f32"), "transpose_b", (32, 32), 8, instruction, size, (2, 1), stages, split, whole=64))
    return cases + split_epilogues(target, mma, step, whole=32)


def persistent_cases(target, rng):
    """Workgroups that compute one tile after the other, and store each beside the next: every orientation and kind of operands, each way to LDS, few steps and more than stand without a loop; as many tiles each and not, one, none; tiles that
    stand beyond the last row, or column; in runs; every epilogue."""
    fnuz = target == "gfx942"
    bf16 = lambda *s: tensor(list(s), "bf16")
    mma, step = ("f32_32x32x8_bf16", 32) if fnuz else ("f32_32x32x16_bf16", 64)
    cases = []
    for i, (ta, tb) in enumerate(LAYOUTS):
        for stages, direct in [(1, False), (2, False)] + [(3, True), (4, True)] * (not fnuz):
            # Of 32 x 32 a wave has one product each 8 or 16 of K.
            m, n, count, workgroups = rng.choice([96, 129, 200]), 128, rng.choice([1, 2, 3, 5, 8, 70]), rng.choice([1, 2, 3, 5, 100])
            if direct and ta:
                m = 192
            cases.append(scheduled(f"walk-{i}-{stages}-{m}-{count}-{workgroups}", target, *oriented(ta, tb, m, n, count * step), (64, 64), 8, mma, step, (2, 2), stages, direct=direct,
                                   group=rng.choice([0, 1, 2]), workgroups=workgroups))
    for name, m, n, k in [("columns", 96, 100, 2 * step), ("one", 5, 3, step), ("ragged", 97, 128, 3 * step - 5), ("ping-pong", 150, 256, 8 * step)]:
        ping_pong = name == "ping-pong"
        cases.append(scheduled(f"walk-{name}", target, bf16(m, k), bf16(n, k), bf16(m, n), "transpose_b", (64, 128) if ping_pong else (64, 64), 8, mma, step, (2, 4) if ping_pong else (2, 2), 2, ping_pong=ping_pong, workgroups=2))
    for d in ("f32", "f16"):
        cases.append(scheduled(f"walk-{d}", target, bf16(97, 4 * step), bf16(128, 4 * step), tensor([97, 128], d), "transpose_b", (32, 64), 8, mma, step, (1, 2), 2, workgroups=3))
    rows, line, square, native, fp8, mx, block = scaled_kinds(fnuz)
    for name, element, schemes, instruction, size, k in [
            ("tensor", native, (TENSOR, TENSOR), fp8, 64, 256), ("rows", native, (rows, rows), fp8, 64, 192), ("blocks", native, (line, square), fp8, 128, 512),
            ("mxfp8", "f8E4M3FN", (ROW, ROW), mx, block, 512), ("mxfp8-long", "f8E5M2", (ROW, ROW), mx, block, 40 * block), ("mxfp4", "f4E2M1FN", (ROW, ROW), mx, block, 768)]:
        for stages, direct in [(2, False)] + [(3, True)] * (instruction == mx and not fnuz):
            a, b = scaled([101, k], element, schemes[0]), scaled([128, k], element, schemes[1])
            cases.append(scheduled(f"walk-{name}-{stages}", target, a, b, bf16(101, 128), "transpose_b", (64, 64), 8, instruction, size, (2, 1), stages, direct=direct, workgroups=3))
    name, text, _, kinds = scheduled("walk-rows", target, bf16("?", 4 * step), bf16(128, 4 * step), bf16("?", 128), "transpose_b", (64, 64), 8, mma, step, (2, 2), 2, group=2, workgroups=3)
    text = text.replace(f"%a: {bf16('?', 4 * step)}", f"%a: {bf16('?', 4 * step)} " + '{te.dims = ["M", "K"]}')
    cases.append((name, text, [{"M": m} for m in (0, 1, 64, 193)], kinds))
    return cases + split_epilogues(target, mma, step, workgroups=2)


def split_epilogues(target, mma, step, whole=0, workgroups=0):
    """Regions with more than the product: all of it is behind the sum, where there is one. Rows in two dimensions, too."""
    tile = (64, 64) if workgroups else (32, 64)
    schedule = schedule_text(target, tile, 8, mma, step, (2, 2), 2, 1 if workgroups else 3 - (whole > 0), whole=whole, workgroups=workgroups)
    row, col = scaled([2, 35, 96], "f8E4M3FN", ROW), scaled([2, 35, 96], "f8E5M2", COL)
    padded = scaled([2, 35, 96], "f8E4M3FN", ROW + ", scale_layout = blocked_32x4x4")
    a, b, bias = tensor([2, 35, 4 * step], "bf16"), tensor([96, 4 * step], "bf16"), tensor([96], "f32")
    half, full, one = tensor([2, 35, 96], "bf16"), tensor([2, 35, 96], "f32"), "tensor<f32>"
    cases = []
    for name, words, options, d, after, results in [
            ("gelu", f"bias(%v : {bias}) gelu", " {alpha = 0.5 : f32}", half, "", [("%d", half), ("%z", full)]),
            ("dgelu", f"dgelu(%c : {full})", "", half, "", [("%d", half)]),
            ("accumulate", f"accumulate(%c : {full})", " {beta = -0.5 : f32}", full, "", [("%d", full)]),
            ("residual", f"bias(%v : {bias})", "", half, f"    %e = arith.addf %d, %h : {half}\n", [("%e", half)]),
            ("quantize", f"bias(%v : {bias})", "", half, f"    %q, %m = te.quantize %d : {half} -> {row}, {col}\n", [("%q", row), ("%m", col)]),
            ("quantize-padded", "", "", half, f"    %q = te.quantize %d : {half} -> {padded}\n", [("%q", padded)]),
            ("amax", "", "", half, f"    %m = te.amax %d : {half} -> {one}\n", [("%d", half), ("%m", one)])]:
        aux = f" aux {full}" if len(results) > 1 and results[1][0] == "%z" else ""
        made = "%d, %z" if aux else "%d"
        used = [("%x", "%a", a), ("%y", "%b", b)] + [("%v", "%w", bias)] * ("%v" in words) + [("%c", "%r", full)] * ("%c" in words) + [("%h", "%r", half)] * ("%h" in after)
        out = ", ".join(t for _, t in results)
        text = (f"func.func @f({', '.join(f'{outer}: {t}' for _, outer, t in used)}) -> ({out}) {{\n"
                f'  %f:{len(results)} = te.fusion "f" ({", ".join(f"{inner} = {outer} : {t}" for inner, outer, t in used)}) -> ({out}) attributes {{schedule = {schedule}}} {{\n'
                f"    {made} = te.gemm %x, %y transpose_b {words}{options} : {a}, {b} -> {d}{aux}\n{after}"
                f"    te.yield {', '.join(v for v, _ in results)} : {out}\n  }}\n"
                f"  return {', '.join(f'%f#{i}' for i in range(len(results)))} : {out}\n}}\n")
        cases.append((name, text, [{}], [":normal"] * len(used)))
    return cases


def families(target):
    fnuz = target == "gfx942"
    return {"gemm-split": split_cases(target), "gemm-rest": rest_cases(target), "gemm-shuffled": shuffled_cases(target), "gemm-gated": gated_cases(target), "gemm-pairs": pair_cases(target), "gemm-order": order_cases(target), "gemm-instructions": instruction_cases(target), "gemm": plain_cases(), "gemm-epilogue": epilogue_cases(), "gemm-scaled": scaled_cases(fnuz),
            "gemm-extremes": extreme_cases()}
