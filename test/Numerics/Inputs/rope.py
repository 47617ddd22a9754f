"""Programs of te.rope and te.rope_bwd for sweep.py: formats, partners, partial rotation, positions, parallelism."""

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


def cases():
    """(name, program, [sizes], distributions of the inputs)."""
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
