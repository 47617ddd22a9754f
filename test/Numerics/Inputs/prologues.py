"""Programs of te.gemm for sweep.py whose operands come from a te.dequantize or a cast in their own region.

Each case is (name, text, sizes of its runs, kinds of its inputs), as Sweep.cases takes them.
"""

from gemm import COL, LAYOUTS, ROW, SQUARE, Gemm, in_one_kernel, named, scaled, tensor

E8M0 = {"row": ROW, "col": COL, "square": SQUARE}
TENSOR, ROWS = "tensor, scale = f32", "row, scale = f32"
LINE, BLOCK = "block = [1, 128], scale = f32", "block = [128, 128], scale = f32"
DOWN = "block = [128, 1], scale = f32"
TRANSPOSED, SHUFFLED = ", data_layout = transposed", ", data_layout = shuffle_16x16"


def sources(gemm, element, made):
    """The operands of `gemm`, and what makes those that `made` names ("a", "b") of others: an element and a scheme, or the element of a cast."""
    gemm.names, gemm.types, lines, kinds = [], [], [], []
    for side, dims in (("a", gemm.a), ("b", gemm.b)):
        type = tensor(named(dims)[0], element)
        source = made.get(side, element)
        make = (lambda s: scaled(s, *source)) if isinstance(source, tuple) else (lambda s: tensor(s, source))
        name, given = gemm.argument(make, dims)
        kinds += [":normal"] * (2 if isinstance(source, tuple) else 1)
        if side in made:
            wider = tensor(named(dims)[0], "f32") == type
            line = (f"te.dequantize {name} : {given} -> {type}" if isinstance(source, tuple) else
                    f"arith.{'extf' if wider else 'truncf'} {name} : {given} to {type}")
            lines.append(f"  %{side} = {line}")
            name = f"%{side}"
        gemm.names.append(name)
        gemm.types.append(type)
    return lines, kinds


def prologue_cases(target):
    """Each scheme and format on either side, in every orientation: one block and many, whole steps and ragged ones, no rows, no K; both sides; casts; a batch; behind it an epilogue, a gate, splits of K."""
    fp8 = "f8E4M3FNUZ" if target == "gfx942" else "f8E4M3FN"
    cases = []
    def add(name, gemm, element, made, runs, d="f32", special=False, **text):
        lines, kinds = sources(gemm, element, made)
        cases.append((name, in_one_kernel(gemm.text(d, before=lines, **text)), runs, [k.replace(":normal", "") if special and i else k for i, k in enumerate(kinds)]))
    some = [{"M": m, "K": k} for m, k in ((1, 13), (37, 64), (0, 5), (5, 0), (150, 257))]
    few = [{"M": 70, "K": 160}]
    schemes = [("mxfp8", "f8E4M3FN", "row"), ("mxfp8-col", "f8E5M2", "col"), ("mxfp8-square", "f8E4M3FN", "square"), ("mxfp4", "f4E2M1FN", "row"), ("mxfp4-square", "f4E2M1FN", "square"), ("mxfp4-col", "f4E2M1FN", "col")]
    for i, (name, code, scheme) in enumerate(schemes):
        scheme = E8M0[scheme] + TRANSPOSED * (name == "mxfp4-col")
        for j, (ta, tb) in enumerate(LAYOUTS):
            made = {"b": (code, scheme)} if (i + j) % 3 else {"a": (code, scheme)}
            add(f"{name}-{j}", Gemm(ta, tb, n=(45, 128)[j % 2]), ["bf16", "f16", "f32"][(i + j) % 3], made, some if i == j else few)
    for i, (name, scheme) in enumerate([("tensor", TENSOR), ("rows", ROWS), ("lines", LINE), ("blocks", BLOCK), ("down", DOWN), ("tensor-transposed", TENSOR + TRANSPOSED), ("blocks-transposed", BLOCK + TRANSPOSED)]):
        for j, (ta, tb) in enumerate(LAYOUTS):
            code = [fp8, "f8E4M3FN", "f8E5M2"][(i + j) % 3]
            made = {"a" if (i + j) % 2 else "b": (code, scheme)}
            add(f"{name}-{j}", Gemm(ta, tb, n=(45, 128)[j % 2]), ["bf16", "f16"][j // 2], made, some if i == j else few)
    for j, (ta, tb) in enumerate(LAYOUTS):
        add(f"cast-{j}", Gemm(ta, tb, n=45), ["bf16", "f16"][j % 2], {"ab"[j // 2]: "f32"}, some)
    add("casts", Gemm(n=45), "bf16", {"a": "f32", "b": "f32"}, few)
    add("widened", Gemm(n=45), "f32", {"a": "bf16", "b": "f16"}, few)
    add("both", Gemm(n=130), "bf16", {"a": (fp8, LINE), "b": ("f4E2M1FN", ROW)}, few)
    add("wild", Gemm(n=45), "bf16", {"b": ("f8E5M2", ROW)}, few, special=True)
    # Static sizes: pipelines, weights in an order of their own, the other side straight to LDS.
    for name, scheme, code in [("mxfp4", ROW, "f4E2M1FN"), ("mxfp4-shuffled", ROW + SHUFFLED + ", scale_layout = e8m0_shuffle", "f4E2M1FN"), ("mxfp8", ROW + ", scale_layout = blocked_32x4x4", "f8E4M3FN"),
                               ("mxfp8-shuffled", ROW + SHUFFLED, "f8E4M3FN"), ("fp8", TENSOR, fp8), ("fp8-rows", ROWS, fp8), ("fp8-blocks", BLOCK, fp8)]:
        for m, n, k in ((1, 256, 512), (33, 512, 1024), (300, 272, 576)):
            add(f"static-{name}-{m}", Gemm(m=m, n=n, k=k), "bf16", {"b": (code, scheme)}, [{}], "bf16")
    add("static-dgrad", Gemm(tb=False, m=130, n=256, k=512), "bf16", {"b": ("f4E2M1FN", SQUARE)}, [{}])
    add("static-wgrad", Gemm(True, False, m=128, n=256, k=512), "bf16", {"a": ("f8E4M3FN", COL), "b": ("f8E4M3FN", COL)}, [{}])
    for name, scheme in (("rows", ROWS), ("squares", BLOCK + ", per = matrix"), ("experts", ROW + ", per = matrix, scale_layout = e8m0_shuffle" + SHUFFLED)):
        add(f"pairs-{name}", Gemm(lead=["B"], batched=True, n=64, k=320), "bf16", {"b": ("f4E2M1FN" if "E8M0" in scheme else fp8, scheme)}, [{"B": 3, "M": 37}, {"B": 0, "M": 5}])
    add("pairs", Gemm(lead=["B"], batched=True, n=64, k=160), "bf16", {"b": ("f8E4M3FN", ROW)}, [{"B": 3, "M": 37}, {"B": 0, "M": 5}])
    d = tensor(["?", 256], "bf16")
    add("activation", Gemm(n=256, k=320), "bf16", {"b": ("f4E2M1FN", ROW)}, [{"M": 67}], "bf16", after=[f"  %s = te.activation silu %d : {d} -> {d}"], results=[("%s", d)], keeps=False)
    half = tensor(["?", 256], "bf16")
    add("gate", Gemm(n=512, k=320), "bf16", {"b": ("f4E2M1FN", ROW)}, [{"M": 67}], "bf16", after=[f"  %s = te.gated_activation swiglu %d : {tensor(['?', 512], 'bf16')} -> {half}"], results=[("%s", half)], keeps=False)
    return cases


def families(target):
    return {"gemm-prologue": prologue_cases(target)}
