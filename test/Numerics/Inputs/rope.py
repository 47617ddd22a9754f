"""Programs of te.rope and te.rope_bwd for sweep.py: formats, partners, partial rotation, positions, parallelism; of
packed projections."""

# Element, format, heads (None: dynamic), head size, rotated columns, options.
FORMS = [
    ("bf16", "sbhd", 8, 128, 128, ""),
    ("bf16", "bshd", None, 128, 64, "positions"),
    ("f16", "thd", 6, 64, 64, ""),
    ("f32", "sbhd", None, 80, 80, "interleaved"),
    ("f32", "bshd", 3, 96, 96, "positions cp"),  # partners 48 away
    ("bf16", "thd", None, 192, 192, "cp positions"),
    ("f16", "bshd", 1, 5, 2, ""),
    ("f32", "thd", 4, 7, 6, ""),  # partners 3 away: not even a vector's
    ("bf16", "sbhd", 12, 256, 80, "interleaved cp"),
    ("f32", "bshd", 2, 1024, 1024, "positions"),  # partners in another wave
    ("f16", "thd", 5, 1, 0, "positions"),
]
# Tokens of a sequence, sequences, heads. Context parallelism has an even number of tokens.
SHAPES = [(0, 2, 3), (1, 1, 1), (2, 3, 7), (31, 2, 3), (64, 1, 5), (7, 11, 8), (38, 3, 2)]


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def program(form, backward, static=None):
    """One function; dimensions are dynamic where `static`, a shape, does not give them."""
    element, layout, heads, size, columns, options = form
    s, b, h = static or ("?", "?", heads or "?")
    h = heads or h
    leading = {"sbhd": [s, b], "bshd": [b, s], "thd": ["?" if s == "?" else s * b]}[layout]
    names = {"sbhd": ["s", "b"], "bshd": ["b", "s"], "thd": ["t"]}[layout] + ["h", "d"]
    x = tensor(leading + [h, size], element)
    dims = ", ".join(f'"{n}"' for n in names)
    freqs = tensor(["?", columns], "f32")
    arguments = [f'%x: {x} {{te.dims = [{dims}]}}', f'%f: {freqs} {{te.dims = ["p", "e"]}}']
    text = ""
    if "positions" in options:
        starts = tensor(["?" if static is None or layout == "thd" else b], "i32")
        arguments.append(f'%p: {starts} {{te.dims = ["b"]}}')
        text += f" start_positions(%p : {starts})"
    if layout == "thd":
        arguments.append('%c: tensor<?xi32> {te.dims = ["n"]}')
        text += " cu_seqlens(%c : tensor<?xi32>)"
    flags = ["interleaved"] * ("interleaved" in options)
    if "cp" in options.split():
        flags += ["cp_size = 4 : i64", "cp_rank = 2 : i64"]
    text += f" {{{', '.join(flags)}}}" * bool(flags)
    name = "te.rope_bwd" if backward else "te.rope"
    return (f"func.func @f({', '.join(arguments)}) -> {x} {{\n"
            f"  %y = {name} {layout} %x, %f{text} : {x}, {freqs} -> {x}\n  return %y : {x}\n}}\n")


def dims(form, shape):
    """The sizes of the program's named dimensions for one shape: some tokens have no angle."""
    _, layout, heads, _, _, options = form
    s, b, h = shape
    sizes = {"p": max(s - 1, 0) + 9 * ("positions" in options)}
    if layout == "thd":
        sizes |= {"t": s * b, "n": b + 1}
    else:
        sizes |= {"s": s}
    if layout != "thd" or "positions" in options:
        sizes |= {"b": b}
    if heads is None:
        sizes |= {"h": h}
    return sizes


def quantized():
    """A rotation, quantized in both directions by the same kernel."""
    row, col = (f"#te.scaling<block = {block}, scale = f8E8M0FNU>" for block in ("[1, 32]", "[32, 1]"))
    x, q = "tensor<?x?x8x64xbf16>", "!te.scaled<?x?x8x64xf8E4M3FN, "
    return (f'func.func @f(%x: {x} {{te.dims = ["s", "b", "h", "d"]}}, %f: tensor<?x64xf32> {{te.dims = ["p", "e"]}}) '
            f"-> ({q}{row}>, {q}{col}>) {{\n  %y = te.rope sbhd %x, %f : {x}, tensor<?x64xf32> -> {x}\n"
            f"  %q:2 = te.quantize %y : {x} -> {q}{row}>, {q}{col}>\n  return %q#0, %q#1 : {q}{row}>, {q}{col}>\n}}\n")


def cases():
    """(name, program, [sizes], distributions of the inputs)."""
    yield "quantized", quantized(), [{"s": s, "b": b, "p": 30} for s, b, _ in SHAPES], [":normal", ":normal"]
    for i, form in enumerate(FORMS):
        inputs = 2 + form[5].count("positions") + (form[1] == "thd")
        # f32 has no digits left where huge numbers cancel. Angles are any.
        distributions = [":normal" * (form[0] == "f32")] + [""] * (inputs - 1)
        parallel = "cp" in form[5].split()
        shapes = [shape for shape in SHAPES if shape[0] % 2 == 0 or not parallel]
        for backward in [False, True]:
            name = f"{form[1]}-{form[0]}-{form[3]}-{form[4]}{'-bwd' * backward}"
            yield name, program(form, backward), [dims(form, s) for s in shapes[(i + backward) % 2::2]], distributions
        shape = shapes[i % len(shapes)]
        yield f"{form[1]}-{i}-static", program(form, i % 2 == 0, shape), [
            {k: v for k, v in dims(form, shape).items() if k in ("p", "n") or k == "b" and form[1] == "thd"}], distributions


# Packed projections: element, format, query heads a group, groups, head size, rotated columns, options.
PACKED = [
    ("bf16", "sbhd", 4, 2, 128, 128, ""),
    ("f16", "bshd", 1, 3, 64, 32, "interleaved"),
    ("f32", "sbhd", 3, 1, 80, 80, "positions"),
    ("bf16", "bshd", 2, 5, 33, 32, "cp"),
]


class Packed:
    """The split of (tokens, groups, (n + 2) * d) into rotated queries and keys, and values; and its gradient."""

    def __init__(self, form, static=None):
        self.element, self.layout, self.n, self.groups, self.d, self.columns, options = form
        self.s, self.b = static or ("?", "?")
        self.options = options
        self.freqs = tensor(["?", self.columns], "f32")

    def type(self, heads, size=None):
        tokens = [self.s, self.b] if self.layout == "sbhd" else [self.b, self.s]
        return tensor(tokens + heads + [size or self.d], self.element)

    def dims(self, size):
        names = ["s", "b"] if self.layout == "sbhd" else ["b", "s"]
        return " {te.dims = [" + ", ".join(f'"{name}"' for name in names + [f"h{size}", f"d{size}"]) + "]}"

    def rope(self, name, x, type):
        starts = tensor([self.b], "i32")
        positions = f" start_positions(%p : {starts})" * ("positions" in self.options)
        flags = ["interleaved"] * ("interleaved" in self.options)
        if "cp" in self.options:
            flags += ["cp_size = 2 : i64", "cp_rank = 1 : i64"]
        flags = f" {{{', '.join(flags)}}}" * bool(flags)
        return f"{name} {self.layout} {x}, %f{positions}{flags} : {type}, {self.freqs} -> {type}"

    def function(self, arguments, lines, results):
        arguments.append(f'%f: {self.freqs} {{te.dims = ["p", "e"]}}')
        if "positions" in self.options:
            arguments.append(f'%p: {tensor([self.b], "i32")} {{te.dims = ["b"]}}')
        values, types = zip(*results)
        return (f"func.func @f({', '.join(arguments)}) -> ({', '.join(types)}) {{\n  " + "\n  ".join(lines) +
                f"\n  return {', '.join(values)} : {', '.join(types)}\n}}\n")

    def sizes(self, source, type):
        """Lines for the first two sizes of a tensor, and their text in a list of sizes."""
        lines, texts = [], []
        for axis, size in enumerate(type.split("<")[1].split("x")[:2]):
            texts.append(f"%n{axis}" if size == "?" else size)
            if size == "?":
                lines.append(f"%n{axis} = te.dim {source}, {axis} : {type}")
        return lines, ", ".join(texts)

    def forward(self):
        n, g, d = self.n, self.groups, self.d
        packed = self.type([g], (n + 2) * d)
        wide, split, q, k = self.type([g], n * d), self.type([g, n]), self.type([g * n]), self.type([g])
        lines, sizes = self.sizes("%x", packed)
        for name, first, count, type in [("q0", 0, n, wide), ("k0", n, 1, k), ("v", n + 1, 1, k)]:
            lines.append(f"%{name} = tensor.extract_slice %x[0, 0, 0, {first * d}] [{sizes}, {g}, {count * d}] "
                         f"[1, 1, 1, 1] : {packed} to {type}")
        lines += [f"%q1 = tensor.expand_shape %q0 [[0], [1], [2], [3, 4]] output_shape [{sizes}, {g}, {n}, {d}] : "
                  f"{wide} into {split}",
                  f"%q2 = tensor.collapse_shape %q1 [[0], [1], [2, 3], [4]] : {split} into {q}",
                  f"%q = {self.rope('te.rope', '%q2', q)}", f"%k = {self.rope('te.rope', '%k0', k)}"]
        return self.function([f"%x: {packed}{self.dims(0)}"], lines, [("%q", q), ("%k", k), ("%v", k)])

    def backward(self):
        n, g, d = self.n, self.groups, self.d
        packed = self.type([g], (n + 2) * d)
        wide, split, q, k = self.type([g], n * d), self.type([g, n]), self.type([g * n]), self.type([g])
        lines, sizes = self.sizes("%q", q)
        lines += [f"%q0 = {self.rope('te.rope_bwd', '%q', q)}", f"%k0 = {self.rope('te.rope_bwd', '%k', k)}",
                  f"%q1 = tensor.expand_shape %q0 [[0], [1], [2, 3], [4]] output_shape [{sizes}, {g}, {n}, {d}] : "
                  f"{q} into {split}",
                  f"%q2 = tensor.collapse_shape %q1 [[0], [1], [2], [3, 4]] : {split} into {wide}",
                  f"%r = tensor.concat dim(3) %q2, %k0, %v : ({wide}, {k}, {k}) -> {packed}"]
        return self.function([f"%{x}: {t}{self.dims(i)}" for i, (x, t) in enumerate([("q", q), ("k", k), ("v", k)])],
                             lines, [("%r", packed)])


def packed_cases():
    """Like cases()."""
    for i, form in enumerate(PACKED):
        ordinary = ":normal" * (form[0] == "f32")
        shapes = [(s, b) for s, b, _ in SHAPES if s % 2 == 0 or "cp" not in form[6]]
        for backward in [False, True]:
            make = Packed.backward if backward else Packed.forward
            inputs = [ordinary] * (3 if backward else 1) + [""] * (1 + ("positions" in form[6]))
            name = f"packed-{form[1]}-{form[0]}-{form[2]}{'-bwd' * backward}"
            yield name, make(Packed(form)), [{"s": s, "b": b, "p": 30} for s, b in shapes[(i + backward) % 2::2]], inputs
            yield name + "-static", make(Packed(form, shapes[-1 - i % 2])), [{"p": 30}], inputs
