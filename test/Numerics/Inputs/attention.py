"""Programs of te.attention for sweep.py: formats, heads that share keys, sizes of heads, masks, any lengths."""

import numpy as np

# Element, format, heads of q, of k and v, their sizes for q and v, options.
FORMS = [
    ("bf16", "bshd", 2, 2, 128, 128, ""),
    ("bf16", "bshd", 4, 1, 128, 128, "causal"),
    ("f16", "sbhd", 6, 2, 64, 64, "causal"),
    ("bf16", "sbhd", 1, 1, 192, 128, "causal"),
    ("f16", "bshd", 3, 3, 64, 64, "scale = -2.500000e-01 : f32"),
    ("bf16", "bshd", 1, 1, 80, 96, "causal, scale = 0.000000e+00 : f32"),
    ("f16", "bhsd", 2, 1, 24, 40, ""),
    ("bf16", "bhsd", 3, 3, 128, 64, "causal"),
]
# Batches, queries, keys: primes, single ones, none, more queries than keys.
SHAPES = [(1, 1, 1), (2, 31, 67), (1, 257, 131), (3, 1, 97), (1, 0, 5), (2, 5, 0), (0, 3, 3), (1, 128, 128), (1, 37, 211), (1, 70, 5)]


def tensor(shape, element):
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def program(form, static=None, result=None):
    """One function; batches and lengths are dynamic where `static`, a shape, does not give them."""
    element, layout, heads, kv_heads, size, v_size, options = form
    b, sq, sk = static or ("?", "?", "?")

    def heads_of(tokens, name, count, last):
        sizes = {"b": (b, "b"), "s": (tokens, name), "h": (count, f"h{name}"), "d": (last, f"d{last}")}
        shape, names = zip(*(sizes[dim] for dim in layout))
        return tensor(shape, element), " {te.dims = [" + ", ".join(f'"{n}"' for n in names) + "]}"

    (q, q_dims), (k, k_dims), (v, v_dims) = (heads_of(sq, "s", heads, size), heads_of(sk, "t", kv_heads, size),
                                             heads_of(sk, "t", kv_heads, v_size))
    o = heads_of(sq, "s", heads, v_size)[0].replace(element + ">", (result or element) + ">")
    lse = tensor([b, heads, sq], "f32")
    attributes = f" {{{options}}}" if options else ""
    return (f"func.func @f(%q: {q}{q_dims}, %k: {k}{k_dims}, %v: {v}{v_dims}) -> ({o}, {lse}) {{\n"
            f"  %o, %lse = te.attention {layout} %q, %k, %v{attributes} : {q}, {k}, {v} -> {o}, {lse}\n"
            f"  return %o, %lse : {o}, {lse}\n}}\n")


def draw_special(tokens, size):
    """Normal numbers (bf16's bits), with a row of NaN in the middle and Inf in the last one."""
    def draw(rng):
        bits = rng.normal(size=(1, tokens, 1, size)).astype(np.float32).view(np.uint32) >> 16
        bits[0, tokens // 2], bits[0, -1, 0, 0] = 0x7FC0, 0x7F80
        return bits.astype(np.uint16)
    return draw


def special_cases():
    """NaN and Inf reach the queries that see them, and no others; of v they are unspecified where they are not seen."""
    form, tokens = ("bf16", "bshd", 1, 1, 64, 64, "causal"), 77
    draw = draw_special(tokens, 64)
    text = program(form, static=(1, tokens, tokens))
    return [(f"special-{name}", text, [{}], [draw if name == other else ":normal" for other in "qkv"]) for name in "qkv"]


def cases(rng):
    """Name, text, sizes of runs, and what inputs are."""
    made = []
    normal = [":normal"] * 3
    for i, form in enumerate(FORMS):
        name = "-".join(map(str, form[:6])) + ("-causal" if "causal" in form[6] else "")
        runs = [dict(zip("bst", shape)) for j, shape in enumerate(SHAPES) if (i + j) % 2 == 0 or i == 1]
        runs.append({"b": 1, "s": rng.randrange(1, 200), "t": rng.randrange(1, 300)})
        made.append((name, program(form, result="f32" if i == 2 else None), runs, normal))
        shape = SHAPES[(3 * i + 1) % len(SHAPES)]
        made.append((f"{name}-static", program(form, static=shape), [{}], normal))
    return made + special_cases()
