"""Programs around one quantizing op, a function of a shape each, for sweep.py.

A program's `inputs` are the arguments that have a seed of their own (1 if not given); one whose op computes over whole
rows has `whole_rows`.
"""

ROW = "block = [1, 32], scale = f8E8M0FNU"
COL = "block = [32, 1], scale = f8E8M0FNU"
COL_TRANSPOSED = f"{COL}, data_layout = transposed"
SQUARE = "block = [32, 32], scale = f8E8M0FNU"
PER_ROW = "row, scale = f32"
TENSOR = "tensor, scale = f32"
BLOCK1D = "block = [1, 128], scale = f32"
BLOCK1D_COL = "block = [128, 1], scale = f32, data_layout = transposed"
BLOCK2D = "block = [128, 128], scale = f32"
BLOCK2D_COL = "block = [128, 128], scale = f32, data_layout = transposed"
TRANSPOSED = "tensor, scale = f32, data_layout = transposed"
INPUTS = ["bf16", "f16", "f32"]
FP4 = "f4E2M1FN"


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def scaled(shape, element, scheme):
    return f"!te.scaled<{''.join(f'{s}x' for s in shape)}{element}, #te.scaling<{scheme}>>"


def function(arguments, op, results, printed=None):
    """One function around one op; `op` has {x} for each argument and ends in its results, `printed` if they are not
    just listed."""
    names = [f"%a{i}" for i in range(len(arguments))]
    header = ", ".join(f"{n}: {t}{a}" for n, (t, a) in zip(names, arguments))
    count = f":{len(results)}" if len(results) > 1 else ""
    values = ", ".join(f"%r#{i}" for i in range(len(results))) if count else "%r"
    types = ", ".join(results)
    return (f"func.func @f({header}) -> ({types}) {{\n  %r{count} = {op.format(*names)} -> {printed or types}\n"
            f"  return {values} : {types}\n}}\n")


def dims(shape):
    return " {te.dims = [" + ", ".join(f'"d{i}"' for i in range(len(shape))) + "]}"


def quantize(schemes, element, source, amax=False, scale=False, noop=False, known_amax=False,
             options=""):
    def make(shape):
        x = tensor(shape, source)
        arguments, op = [(x, dims(shape))], "te.quantize {0}"
        for given in ["scale"] * scale + ["amax"] * known_amax:
            arguments.append(("tensor<f32>", ""))
            op += f" {given}({{1}} : tensor<f32>)"
        if noop:
            op += f" noop({{{len(arguments)}}} : tensor<f32>)"
            arguments.append(("tensor<f32>", ' {te.name = "noop"}'))
        if "stochastic" in options:
            op += f" rng({{{len(arguments)}}} : tensor<2xi64>)"
            arguments.append(("tensor<2xi64>", ""))
        results = [scaled(shape, element, s) for s in schemes]
        op += f" {{{{{options}}}}}" * bool(options)
        return function(arguments, f"{op} : {x}", results + ["tensor<f32>"] * amax)
    make.inputs = 1 + ("stochastic" in options)
    return make


def dequantize(scheme, element, target):
    def make(shape):
        q = scaled(shape, element, scheme)
        return function([(q, dims(shape))], f"te.dequantize {{0}} : {q}", [tensor(shape, target)])
    return make


def amax(source):
    def make(shape):
        x = tensor(shape, source)
        return function([(x, dims(shape))], f"te.amax {{0}} : {x}", ["tensor<f32>"])
    return make


def partial(schemes, element, source, matrix, cast):
    """te.partial_cast, or te.partial_amax, of a shard of any length."""
    def make(shape):
        x, grids = tensor(shape, source), []
        for scheme in schemes:
            r, c = (int(n) for n in scheme[scheme.index("[") + 1:scheme.index("]")].split(","))
            grids.append((-(-matrix[0] // r), -(-matrix[1] // c)))
        wholes = ", ".join(scaled(matrix, element, s) for s in schemes)
        arguments = [(x, dims(shape)), ("tensor<i64>", "")]
        if not cast:
            return function(arguments, f"te.partial_amax {{0}} at {{1}} of [{wholes}] : {x}, tensor<i64>",
                            [tensor(grid, "f32") for grid in grids])
        types = [tensor(grid, "f8E8M0FNU" if "E8M0" in s else "f32") for s, grid in zip(schemes, grids)]
        names = ", ".join(f"{{{2 + i}}}" for i in range(len(types)))
        arguments += [(t, "") for t in types]
        return function(arguments, f"te.partial_cast {{0}} at {{1}} scales({names} : {', '.join(types)}) of [{wholes}] : "
                        f"{x}, tensor<i64>", [tensor(shape, element)] * len(types))
    make.matrix, make.inputs = matrix, 2 + len(schemes) * cast
    return make


def move(op, source, target, element):
    """te.transpose or te.relayout."""
    def make(shape):
        q = scaled(shape, element, source)
        return function([(q, dims(shape))], f"te.{op} {{0}} : {q}", [scaled(shape, element, target)])
    make.inputs = 2
    return make


def update_scale(algorithm, element, amax, scale_inv, margin):
    def make(shape):
        history, row = tensor(shape, "f32"), tensor(shape[1:], "f32")
        arguments = [(history, dims(shape)), (row, ' {te.dims = ["d1"]}' * (len(shape) > 1))]
        op = f"te.update_scale {algorithm} {{0}}, {{1}}"
        if amax:
            arguments.append(arguments[1])
            op += f" amax({{2}} : {row})"
        results = f"{history}, {row}" + f" scale_inv {row}" * scale_inv
        return function(arguments, f"{op} for {element} {{{{margin = {margin} : i64}}}} : {history}, {row}",
                        [history, row] + [row] * scale_inv, results)
    make.inputs = 2 + amax
    return make


def families(fnuz):
    """Programs by family. `fnuz`: the chip's own per-tensor codes are FNUZ; OCP is tried as well."""
    mx = ["f8E4M3FN", "f8E5M2"]
    per_tensor = mx + (["f8E4M3FNUZ", "f8E5M2FNUZ"] if fnuz else [])
    programs = {"mxfp8": {}, "mxfp8-modes": {}, "fp8": {}, "dequantize": {}, "amax": {},
                "fp8-block": {}, "fp8-current": {}, "scale-layouts": {}, "shuffled": {},
                "mxfp4": {}, "mxfp4-modes": {}, "fp8-row": {},
                "stochastic": {}, "update-scale": {}, "transpose": {}, "relayout": {}, "partial": {},
                "experts": {}}
    for source in INPUTS:
        for e in mx:
            for name, schemes in [("row", [ROW]), ("col", [COL]), ("both", [ROW, COL])]:
                programs["mxfp8"][f"{name}-{e}-{source}"] = quantize(schemes, e, source)
            programs["dequantize"][f"row-{e}-{source}"] = dequantize(ROW, e, source)
            programs["dequantize"][f"col-{e}-{source}"] = dequantize(COL, e, source)
        for e in per_tensor:
            programs["fp8"][f"both-amax-{e}-{source}"] = quantize(
                [TENSOR, TRANSPOSED], e, source, amax=True, scale=True, noop=True)
            programs["dequantize"][f"tensor-{e}-{source}"] = dequantize(TENSOR, e, source)
        programs["dequantize"][f"transposed-{source}"] = dequantize(TRANSPOSED, per_tensor[-1], source)
        programs["amax"][source] = amax(source)
    for mode in ["floor", "even", "ceil"]:
        for e in mx:
            programs["mxfp8-modes"][f"{mode}-{e}"] = quantize(
                [f"{s}, rounding = {mode}" for s in (ROW, COL)], e, "f32", amax=True, noop=True)
    # Float8BlockScaling: 1x128 activations and 128x128 weights, both copies from one read.
    for i, e in enumerate(per_tensor):
        for rounding in ["pow2", "nearest"]:
            source = INPUTS[(i + (rounding == "pow2")) % 3]
            for name, schemes in [("1d", [BLOCK1D, BLOCK1D_COL]), ("2d", [BLOCK2D, BLOCK2D_COL])]:
                programs["fp8-block"][f"{name}-{rounding}-{e}-{source}"] = quantize(
                    [f"{s}, rounding = {rounding}" for s in schemes], e, source, amax=name == "2d")
            programs["fp8-current"][f"both-amax-{rounding}-{e}-{source}"] = quantize(
                [f"{s}, rounding = {rounding}" for s in (TENSOR, TRANSPOSED)], e, source,
                amax=True, noop=i % 2 == 0)
        # Epsilons about the least and the usual amax of random inputs.
        programs["fp8-block"][f"epsilon-{e}"] = quantize(
            [BLOCK2D, BLOCK1D_COL + ", rounding = pow2"], e, INPUTS[i % 3],
            options=f"epsilon = {[1e-3, 1e2][i % 2]} : f32")
        programs["fp8-current"][f"epsilon-{e}"] = quantize(
            [[TENSOR, TRANSPOSED][i % 2]], e, INPUTS[i % 3], known_amax=i % 2 == 1,
            options=f"epsilon = {[1e5, 1.0][i % 2]} : f32")
    programs["fp8-current"]["known"] = quantize([TENSOR], mx[0], "f32", known_amax=True, noop=True)
    programs["fp8-current"]["beside-blocks"] = quantize([TENSOR, COL], mx[0], "bf16", amax=True)
    for i, scheme in enumerate([BLOCK1D, BLOCK1D_COL, BLOCK2D, BLOCK2D_COL]):
        programs["fp8-block"][f"dequantize-{i}"] = dequantize(
            scheme, per_tensor[i % len(per_tensor)], INPUTS[i % 3])
    programs["mxfp8-modes"]["transposed"] = quantize([ROW, COL_TRANSPOSED], mx[1], "f16")
    programs["mxfp8-modes"]["square"] = quantize([SQUARE], mx[0], "bf16")
    # Scales as matrix instructions want them; data as well.
    for i, layout in enumerate(["blocked_32x4x4", "e8m0_shuffle"]):
        row, col, square = (f"{s}, scale_layout = {layout}" for s in (ROW, COL, SQUARE))
        programs["scale-layouts"][f"both-{layout}"] = quantize([row, col], mx[i], INPUTS[i])
        programs["scale-layouts"][f"square-{layout}"] = quantize(
            [square, f"{COL_TRANSPOSED}, scale_layout = {layout}, rounding = floor"],
            mx[1 - i], INPUTS[2 * i])
        for name, scheme in [("row", row), ("col", col), ("square", square)]:
            programs["scale-layouts"][f"dequantize-{name}-{layout}"] = dequantize(
                scheme, mx[i], INPUTS[1 - i])
        shuffle = "data_layout = shuffle_16x16"
        programs["shuffled"][f"{layout}"] = quantize([f"{row}, {shuffle}", col], mx[i], INPUTS[2 * i])
        programs["shuffled"][f"square-{layout}"] = quantize([f"{square}, {shuffle}"], mx[i], "f16")
        programs["shuffled"][f"dequantize-{layout}"] = dequantize(
            f"{row}, {shuffle}", mx[1 - i], INPUTS[i])
    for i, e in enumerate(per_tensor):
        shuffle = "data_layout = shuffle_16x16"
        programs["shuffled"][f"tensor-{e}"] = quantize(
            [f"{TENSOR}, {shuffle}", TRANSPOSED], e, INPUTS[i % 3], amax=True)
        programs["shuffled"][f"block-{e}"] = quantize(
            [f"{[BLOCK1D, BLOCK2D][i % 2]}, {shuffle}", BLOCK1D_COL], e, INPUTS[i % 3])
        programs["shuffled"][f"dequantize-{e}"] = dequantize(
            f"{[TENSOR, BLOCK1D][i % 2]}, {shuffle}", e, INPUTS[2 - i % 3])
    for i, e in enumerate(per_tensor):
        for name, make in [
                ("quantize", quantize([PER_ROW, COL], e, INPUTS[i % 3], amax=True)
                 if "FNUZ" not in e else quantize([PER_ROW], e, INPUTS[i % 3], noop=True)),
                ("dequantize", dequantize(PER_ROW, e, INPUTS[(i + 2) % 3]))]:
            if name == "quantize":
                make.whole_rows = True
            programs["fp8-row"][f"{name}-{e}"] = make
    # Both copies from one read; every rounding and tie rule; transforms; dequantize.
    for i, source in enumerate(INPUTS):
        even = ", rounding = even"
        programs["mxfp4"][f"both-{source}"] = quantize(
            [ROW + even, COL_TRANSPOSED + even], FP4, source, amax=i == 0, noop=i == 1)
        programs["mxfp4"][f"hadamard-{source}"] = quantize(
            [ROW + even, COL_TRANSPOSED + even], FP4, source,
            options="hadamard" + f", sign_mask = {[0, 0x2B9D17C6, -0x5A3F0E11][i]} : i32" * (i > 0))
        programs["mxfp4"][f"dequantize-row-{source}"] = dequantize(ROW, FP4, source)
        programs["mxfp4"][f"dequantize-col-{source}"] = dequantize(COL_TRANSPOSED, FP4, source)
    for i, mode in enumerate(["rceil", "floor", "even", "ceil"]):
        for j, ties in enumerate(["even", "away"]):
            layout = ["linear", "blocked_32x4x4", "e8m0_shuffle"][(i + j) % 3]
            suffix = f", rounding = {mode}, ties = {ties}, scale_layout = {layout}"
            schemes = [ROW + suffix, COL_TRANSPOSED + suffix]
            programs["mxfp4-modes"][f"{mode}-{ties}"] = quantize(
                schemes, FP4, INPUTS[(i + 2 * j) % 3], options="hadamard" * (i == 2))
    # Random rounding: each direction draws of its own; the place of an element decides, not the schedule.
    for i, source in enumerate(INPUTS):
        schemes = [f"{s}, rounding = even, ties = {['even', 'away'][i % 2]}" for s in (ROW, COL_TRANSPOSED)]
        for name, chosen in [("both", schemes), ("row", schemes[:1]), ("col", schemes[1:])]:
            programs["stochastic"][f"{name}-{source}"] = quantize(
                chosen, FP4, source, options="stochastic" + ", hadamard, sign_mask = 0x2B9D17C6 : i32" * (name == "both"))
    programs["stochastic"]["square"] = quantize([SQUARE], FP4, "bf16", options="stochastic")
    programs["mxfp4-modes"]["square"] = quantize([SQUARE], FP4, "bf16")
    programs["mxfp4-modes"]["dequantize-square"] = dequantize(SQUARE, FP4, "f32")
    for i, layout in enumerate(["linear", "e8m0_shuffle"]):
        shuffled = f"{ROW}, rounding = even, scale_layout = {layout}, data_layout = shuffle_16x16"
        programs["shuffled"][f"fp4-{layout}"] = quantize([shuffled], FP4, INPUTS[i])
        programs["shuffled"][f"dequantize-fp4-{layout}"] = dequantize(shuffled, FP4, INPUTS[i])
    # Shards of matrices that are whole tiles, broken ones, a single row, less than a block.
    matrices = [(256, 384), (130, 257), (1, 4099), (67, 5), (640, 64), (1, 1)]
    for i, (schemes, e) in enumerate(
            [([BLOCK2D], e) for e in per_tensor] + [([BLOCK1D, "block = [128, 1], scale = f32"], per_tensor[-1])] +
            [([ROW, COL], e) for e in mx] + [([SQUARE], mx[0]), ([COL], mx[1])]):
        for cast in (False, True):
            for j in range(2):
                matrix, source = matrices[(i + 3 * j + cast) % 6], INPUTS[(i + j) % 3]
                programs["partial"][f"{'cast' if cast else 'amax'}-{i}-{j}"] = partial(schemes, e, source, matrix, cast)
    # Each expert's matrix by itself: column-major along N as torchao has it, and every other way.
    for i, layout in enumerate(["linear", "blocked_32x4x4", "e8m0_shuffle"]):
        row, col, square = (f"{s}, scale_layout = {layout}, per = matrix" for s in (ROW, COL, SQUARE))
        col_t, square_t = f"{col}, data_layout = transposed", f"{square}, data_layout = transposed"
        e, source = mx[i % 2], INPUTS[i]
        programs["experts"][f"col-{layout}"] = quantize([f"{col_t}, rounding = floor"], e, source)
        programs["experts"][f"square-{layout}"] = quantize([square, square_t], e, source, amax=True)
        programs["experts"][f"both-{layout}"] = quantize([row, [col, col_t][i % 2]], e, source, noop=i == 1)
        programs["experts"][f"fp4-{layout}"] = quantize([row, col_t], FP4, source)
        programs["experts"][f"dequantize-{layout}"] = dequantize([col_t, square_t, square][i], e, source)
        programs["experts"][f"dequantize-fp4-{layout}"] = dequantize([col_t, row, square_t][i], FP4, source)
        other = f"scale_layout = {['e8m0_shuffle', 'linear', 'blocked_32x4x4'][i]}"
        for name, scheme in [("col", col_t), ("square", square_t), ("rows", square)]:
            programs["experts"][f"relayout-{name}-{layout}"] = move(
                "relayout", scheme, scheme.replace(f"scale_layout = {layout}", other), [e, FP4][i == 2])
        # What counts along a matrix, and f32 scales.
        programs["experts"][f"hadamard-{layout}"] = quantize(
            [row, col_t], FP4, source, options=f"hadamard, sign_mask = {['0', '0x1234ABCD', '-2'][i]} : i32")
        programs["experts"][f"stochastic-{layout}"] = quantize(
            [row, col_t], FP4, source, options="stochastic, hadamard" if i == 1 else "stochastic")
        one, square = [BLOCK1D, BLOCK1D_COL], [BLOCK2D, BLOCK2D_COL]
        f32 = [f"{s}{', rounding = pow2' * (i == 1)}, per = matrix" for s in [one, square, square][i]]
        programs["experts"][f"f32-{i}"] = quantize(f32, per_tensor[-1 - i % 2], source, amax=i == 1,
                                                   options="epsilon = 0.5 : f32" * (i == 2))
        programs["experts"][f"dequantize-f32-{i}"] = dequantize(f32[i % 2], per_tensor[-1], source)
        programs["experts"][f"1d-{i}"] = quantize([f"{s}, per = matrix" for s in one[i % 2:]], per_tensor[-1 - i % 2], source)
    programs["experts"]["transpose"] = move(
        "transpose", f"{SQUARE}, per = matrix", f"{SQUARE}, data_layout = transposed, per = matrix", mx[0])
    programs["experts"]["transpose-f32"] = move(
        "transpose", f"{BLOCK2D_COL}, per = matrix", f"{BLOCK2D}, per = matrix", per_tensor[-1])
    # Copies of one scale or of square blocks, and scales in each order from each other one.
    transposed, shuffle = "data_layout = transposed", "data_layout = shuffle_16x16"
    for i, (scheme, e) in enumerate(
            [(TENSOR, e) for e in per_tensor] +
            [(BLOCK2D, per_tensor[-1]), (SQUARE, mx[1]), (SQUARE, FP4),
             (f"{SQUARE}, scale_layout = e8m0_shuffle", FP4), (f"{SQUARE}, scale_layout = blocked_32x4x4", mx[0])]):
        for name, source, target in [("to", scheme, f"{scheme}, {transposed}"),
                                     ("from", f"{scheme}, {transposed}", scheme)]:
            programs["transpose"][f"{name}-{i}-{e}"] = move("transpose", source, target, e)
        programs["shuffled"][f"transpose-{i}-{e}"] = move(
            "transpose", *[f"{scheme}, {s}" for s in ([shuffle, transposed][::1 - i % 2 * 2])], e)
    layouts = ["linear", "blocked_32x4x4", "e8m0_shuffle"]
    for i, (scheme, e) in enumerate([(ROW, mx[0]), (COL, mx[1]), (SQUARE, mx[0]), (COL_TRANSPOSED, mx[0]), (ROW, FP4),
                                     (COL_TRANSPOSED, FP4), (SQUARE, FP4)]):
        for j in range(3): # around, one way or the other
            schemes = [f"{scheme}, scale_layout = {layouts[s % 3]}" for s in (j, j + 1 + i % 2)]
            programs["relayout"][f"{i}-{j}"] = move("relayout", *schemes, e)
        if scheme not in (COL, COL_TRANSPOSED):
            ends = [f"{scheme}, scale_layout = {layouts[i % 3]}", f"{scheme}, scale_layout = {layouts[i // 3]}, {shuffle}"]
            programs["shuffled"][f"relayout-{i}"] = move("relayout", *ends[::1 - i % 2 * 2], e)
    for i, scheme in enumerate([TENSOR, PER_ROW, BLOCK1D, BLOCK2D]):
        programs["shuffled"][f"relayout-f32-{i}"] = move(
            "relayout", *[scheme, f"{scheme}, {shuffle}"][::1 - i % 2 * 2], per_tensor[-1])
    for i, element in enumerate(["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"]):
        for algorithm in ["max", "most_recent"]:
            programs["update-scale"][f"{algorithm}-{element}"] = update_scale(
                algorithm, element, amax=i % 2 == 0, scale_inv=i < 2, margin=[0, -3, 5, 64][i])
    programs["dequantize"]["square"] = dequantize(SQUARE, mx[0], "bf16")
    return programs
