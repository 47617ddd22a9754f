#!/usr/bin/env python3
"""Compares the reference's norms and activations with numpy in f64, written
from the specification's formulas, and their gradients with finite differences
of these numpy functions. Everything runs through te-run --device=reference.

    check_ops.py --bin BUILD/bin [--seed S]
"""
import argparse
import os
import subprocess
import sys
import tempfile
import warnings

import ml_dtypes
import numpy as np

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
ULP = {"f32": 2.0 ** -23, "f16": 2.0 ** -10, "bf16": 2.0 ** -7}


def f32(x):
    return np.float64(np.float32(x))


class Reference:
    """Runs functions of te IR, on numpy arrays."""

    def __init__(self, exe, folder):
        self.exe, self.folder, self.runs = exe, folder, 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def __call__(self, body, arguments, results):
        """`body` of a function of %0, %1, ...: (type name, array) each. Results
        are (IR type, numpy type); their values are %r0, %r1, ..."""
        self.runs += 1
        signature, command = [], [self.exe, self.path("f.mlir"),
                                  "--device=reference"]
        for index, (name, array) in enumerate(arguments):
            signature.append(f"%{index}: {tensor(array.shape, name)}")
            path = self.path(f"in{index}.npy")
            bits = array.view(np.uint16) if name == "bf16" else array
            np.save(path, bits)
            command.append(f"--input={path}")
        types = ", ".join(kind for kind, _ in results)
        values = ", ".join(f"%r{index}" for index in range(len(results)))
        with open(self.path("f.mlir"), "w") as file:
            file.write(f"func.func @f({', '.join(signature)}) -> ({types}) {{\n"
                       f"  {body}\n  return {values} : {types}\n}}\n")
        outputs = [self.path(f"out{index}.npy") for index in range(len(results))]
        command += [f"--output={path}" for path in outputs]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return [np.load(path).view(kind)
                for path, (_, kind) in zip(outputs, results)]


def tensor(shape, name):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{name}>"


def result(shape, name):
    integers = {"i8": np.int8, "i32": np.int32, "i64": np.int64}
    return tensor(shape, name), NUMPY.get(name) or integers.get(name)


def compare(what, got, expected, name, rtol=0.0, atol=1e-12):
    """Rounded once, so within an ulp; NaN and Inf where they are expected."""
    expected = np.asarray(expected, np.float64)
    got = np.asarray(got, np.float64)
    if got.shape != expected.shape:
        sys.exit(f"FAIL {what}: shape {got.shape}, expected {expected.shape}")
    tiny = {"f16": 2.0 ** -24, "f32": 2.0 ** -149, "bf16": 2.0 ** -133}[name]
    rounded = expected.astype(NUMPY[name]).astype(np.float64)
    close = np.abs(got - rounded) <= \
        np.maximum(ULP[name], rtol) * np.abs(rounded) + np.maximum(atol, tiny)
    good = close | (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    if not good.all():
        at = tuple(np.argwhere(~good)[0])
        sys.exit(f"FAIL {what} at {at}: got {got[at]}, expected {expected[at]}")


def draw(rng, shape, name, specials=0):
    x = rng.normal(size=shape) * 2.0 ** rng.integers(-3, 3, shape)
    for value in [np.nan, np.inf, -np.inf, 0.0, -0.0][:specials]:
        if x.size:
            x.flat[rng.integers(x.size)] = value
    return x.astype(NUMPY[name])


def slopes(f, x, weight, step=1e-5):
    """d sum(weight * f(x)) / dx, element by element."""
    x = x.astype(np.float64)
    out = np.empty_like(x)
    for index in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[index] += sign * step
            ends.append((weight * f(moved)).sum())
        out[index] = (ends[0] - ends[1]) / (2 * step)
    return out


# Norms ----------------------------------------------------------------------

def norm(x, gamma, beta, epsilon, centered):
    """y, mu, rsigma; te.rms_norm where beta is None."""
    x = x.astype(np.float64)
    g = gamma.astype(np.float64) + (1 if centered else 0)
    mu = 0 if beta is None else x.mean(-1, keepdims=True)
    rsigma = 1 / np.sqrt(((x - mu) ** 2).mean(-1, keepdims=True) + epsilon)
    y = (x - mu) * rsigma * g
    return (y if beta is None else y + beta.astype(np.float64), mu, rsigma)


def run_norm(run, x, gamma, beta, types, epsilon, centered):
    xt, gt, yt = types
    flags = f"{{epsilon = {epsilon:e} : f32" + \
        (", zero_centered_gamma}" if centered else "}")
    shape, rows = x.shape, x.shape[:-1]
    arguments = [(xt, x), (gt, gamma)]
    results = [result(shape, yt), result(rows, "f32")]
    if beta is None:
        op, operands, values = "rms_norm", "%0, %1", "%r0, %r1"
    else:
        op, operands, values = "layer_norm", "%0, %1, %2", "%r0, %r1, %r2"
        arguments.append((gt, beta))
        results.append(result(rows, "f32"))
    types = ", ".join(tensor(a.shape, t) for t, a in arguments)
    return run(f"{values} = te.{op} {operands} {flags} : {types} -> "
               f"{', '.join(kind for kind, _ in results)}", arguments, results)


def check_norms(run, rng):
    cases = [((5, 7), "f32", "f32", "f32", 0), ((2, 3, 16), "bf16", "f32", "f32", 0),
             ((17,), "f32", "f32", "f32", 0), ((3, 33), "f16", "f16", "f16", 0),
             ((4, 129), "f32", "bf16", "bf16", 0), ((0, 8), "f32", "f32", "f32", 0),
             ((3, 0), "f32", "f32", "f32", 0), ((6, 9), "f32", "f32", "f32", 3)]
    for number, (shape, xt, gt, yt, specials) in enumerate(cases * 2):
        is_layer, centered = number % 2 == 0, number % 3 == 0
        if number >= len(cases):
            is_layer = not is_layer
        x = draw(rng, shape, xt, specials)
        gamma = draw(rng, shape[-1:], gt)
        beta = draw(rng, shape[-1:], gt) if is_layer else None
        got = run_norm(run, x, gamma, beta, (xt, gt, yt), 1e-5, centered)
        y, mu, rsigma = norm(x, gamma, beta, f32(1e-5), centered)
        what = f"{'layer' if is_layer else 'rms'}_norm {shape} {xt}"
        compare(what, got[0], y, yt, atol=1e-9)
        compare(what + " rsigma", got[-1], rsigma[..., 0], "f32")
        if is_layer:
            compare(what + " mu", got[1], mu[..., 0], "f32", atol=1e-9)


def norm_gradients(x, dy, gamma, beta, epsilon, centered):
    """dx, dgamma, dbeta by differences."""
    def f(x, gamma, beta):
        return norm(x, gamma, beta, epsilon, centered)[0]
    dx = slopes(lambda v: f(v, gamma, beta), x, dy)
    dgamma = slopes(lambda v: f(x, v, beta), gamma, dy)
    dbeta = None if beta is None else slopes(lambda v: f(x, gamma, v), beta, dy)
    return dx, dgamma, dbeta


def check_norm_gradients(run, rng):
    for number, shape in enumerate([(4, 6), (2, 2, 5), (9,), (0, 4), (3, 0)] * 2):
        is_layer, centered = number < 5, number % 2 == 1
        x, dy = draw(rng, shape, "f32"), draw(rng, shape, "f32")
        gamma = draw(rng, shape[-1:], "f32")
        beta = draw(rng, shape[-1:], "f32") if is_layer else None
        _, mu, rsigma = norm(x, gamma, beta, 1e-3, centered)
        arguments = [("f32", dy), ("f32", x), ("f32", gamma)]
        if is_layer:
            arguments.append(("f32", mu[..., 0].astype(np.float32)))
        arguments.append(("f32", rsigma[..., 0].astype(np.float32)))
        results = [result(shape, "f32"), result(shape[-1:], "f32")]
        results += [result(shape[-1:], "f32")] if is_layer else []
        count = len(arguments)
        got = run(
            f"{', '.join(f'%r{i}' for i in range(len(results)))} = "
            f"te.{'layer' if is_layer else 'rms'}_norm_bwd "
            f"{', '.join(f'%{i}' for i in range(count))} "
            f"{'{zero_centered_gamma} ' if centered else ''}: "
            f"{', '.join(tensor(a.shape, 'f32') for _, a in arguments)} -> "
            f"{', '.join(kind for kind, _ in results)}", arguments, results)
        expected = norm_gradients(x, dy.astype(np.float64), gamma, beta, 1e-3,
                                  centered)
        for name, a, b in zip(["dx", "dgamma", "dbeta"], got, expected):
            compare(f"{'layer' if is_layer else 'rms'}_norm_bwd {shape} {name}",
                    a, b, "f32", rtol=1e-5, atol=2e-6)


def check_add_rounds_once(run, rng):
    """dx + add is rounded once: dx that was rounded before would miss many."""
    shape = (16, 96)
    x, dy, add = (draw(rng, shape, t) for t in ("bf16", "bf16", "bf16"))
    gamma = draw(rng, shape[-1:], "bf16")
    _, _, rsigma = norm(x, gamma, None, 1e-3, False)
    rsigma = rsigma.astype(np.float32)
    arguments = [("bf16", dy), ("bf16", x), ("bf16", gamma), ("f32", rsigma[..., 0]), ("bf16", add)]
    types = [tensor(a.shape, t) for t, a in arguments]
    results = [result(shape, "bf16"), result(shape[-1:], "bf16")]
    got, _ = run(f"%r0, %r1 = te.rms_norm_bwd %0, %1, %2, %3 add(%4 : {types[4]}) : {', '.join(types[:4])} -> "
                 f"{', '.join(kind for kind, _ in results)}", arguments, results)
    xh = x.astype(np.float64) * rsigma
    dyh = dy.astype(np.float64) * gamma.astype(np.float64)
    dx = rsigma * (dyh - xh * (dyh * xh).mean(-1, keepdims=True))
    once = (dx + add.astype(np.float64)).astype(NUMPY["bf16"])
    twice = (dx.astype(NUMPY["bf16"]).astype(np.float64) + add.astype(np.float64)).astype(NUMPY["bf16"])
    if (got != once).mean() > 0.002 or (got != twice).mean() < 0.05:
        sys.exit(f"FAIL rms_norm_bwd add: {(got != once).sum()} elements are not rounded once, "
                 f"{(got != twice).sum()} not twice, of {got.size}")


# Activations ----------------------------------------------------------------

def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def limited(f, at_minus, at_plus):
    """The function, and its limits at -Inf and Inf."""
    def g(x):
        y = f(x)
        return np.where(x == np.inf, at_plus, np.where(x == -np.inf, at_minus, y))
    return g


ACTIVATIONS = {
    "gelu": limited(lambda x: x * (0.5 + 0.5 * np.tanh(
        x * (0.79788456 + 0.03567741 * x ** 2))), 0, np.inf),
    "qgelu": limited(lambda x: x * sigmoid(1.702 * x), 0, np.inf),
    "silu": limited(lambda x: x * sigmoid(x), 0, np.inf),
    "relu": limited(lambda x: np.maximum(x, 0), 0, np.inf),
    "srelu": limited(lambda x: np.maximum(x, 0) ** 2, 0, np.inf),
}
# f' at -Inf and Inf.
FAR = {"gelu": (0, 1), "qgelu": (0, 1), "silu": (0, 1), "relu": (0, 1),
       "srelu": (0, np.inf)}
GATES = {"glu": limited(sigmoid, 0, 1), "geglu": ACTIVATIONS["gelu"],
         "qgeglu": ACTIVATIONS["qgelu"], "reglu": ACTIVATIONS["relu"],
         "sreglu": ACTIVATIONS["srelu"], "swiglu": ACTIVATIONS["silu"]}


def split(x, interleave):
    """a and b."""
    half = x.shape[-1] // 2
    if interleave == 0:
        return x[..., :half], x[..., half:]
    parts = x.reshape(*x.shape[:-1], half // interleave, 2, interleave)
    shape = (*x.shape[:-1], half)
    return parts[..., 0, :].reshape(shape), parts[..., 1, :].reshape(shape)


def gated(kind, x, interleave, p):
    a, b = split(x.astype(np.float64), interleave)
    if kind == "clamped_swiglu":
        inside = np.minimum(a, p["limit"])
        up = np.clip(b, -p["limit"], p["limit"]) + p["offset"]
        f = limited(lambda v: v * sigmoid(p["alpha"] * v), 0, np.inf)(inside)
    elif kind == "situglu":
        up = p["beta2"] * np.tanh(b / p["beta2"])
        f = p["beta1"] * np.tanh(a / p["beta1"]) * sigmoid(a)
    else:
        f, up = GATES[kind](a), b
    return f * up


def draw_scales(rng, rows):
    return rng.uniform(0.25, 2, rows).astype(np.float32)


def run_activation(run, op, kind, attributes, arguments, scales, results, names):
    scale_text = ""
    if scales is not None:
        scale_text = f" scales(%{len(arguments)} : {tensor(scales.shape, 'f32')})"
    types = ", ".join(tensor(a.shape, t) for t, a in arguments)
    operands = ", ".join(f"%{i}" for i in range(len(arguments)))
    outs = " ".join(f"{name} {kind_}".strip()
                    for name, (kind_, _) in zip(names, results))
    body = (f"{', '.join(f'%r{i}' for i in range(len(results)))} = te.{op} "
            f"{kind} {operands}{scale_text} {attributes} : {types} -> {outs}")
    if scales is not None:
        arguments = arguments + [("f32", scales)]
    return run(body, arguments, results)


def check_activations(run, rng):
    for number, (kind, f) in enumerate(ACTIVATIONS.items()):
        for xt, yt, shape in [("f32", "f32", (3, 37)), ("bf16", "f32", (2, 2, 5)),
                              ("f16", "bf16", (64,)), ("f32", "f16", (0, 4))]:
            x = draw(rng, shape, xt, 5)
            scales = draw_scales(rng, shape[:-1]) if number % 2 else None
            got, = run_activation(run, "activation", kind, "", [(xt, x)], scales,
                                  [result(shape, yt)], [""])
            y = f(x.astype(np.float64))
            if scales is not None:
                y = y * scales.astype(np.float64)[..., None]
            compare(f"{kind} {shape} {xt} {yt}", got, y, yt, rtol=2 ** -22)


def parameters(rng, kind):
    p = {"limit": 7.0, "alpha": 1.702, "offset": 1.0, "beta1": 4.0, "beta2": 25.0}
    given = []
    if kind == "clamped_swiglu" and rng.integers(2):
        p.update(limit=1.5, alpha=0.75, offset=0.25)
        given = ["limit", "alpha", "offset"]
    if kind == "situglu" and rng.integers(2):
        p.update(beta1=1.25, beta2=2.5)
        given = ["beta1", "beta2"]
    text = [f"{name} = {p[name]:e} : f32" for name in given]
    return {name: f32(value) for name, value in p.items()}, text


def check_gated(run, rng):
    for kind in [*GATES, "clamped_swiglu", "situglu"]:
        for number, (shape, xt) in enumerate([((3, 24), "f32"), ((2, 2, 40), "bf16"),
                                              ((48,), "f32"), ((0, 8), "f32")]):
            interleave = [0, 4, 8, 2][number] if number != 3 else 0
            p, text = parameters(rng, kind)
            text += [f"interleave = {interleave} : i64"] if interleave else []
            x = draw(rng, shape, xt, 2 if number == 0 else 0)
            out = (*shape[:-1], shape[-1] // 2)
            scales = draw_scales(rng, shape[:-1]) if number % 2 else None
            got, = run_activation(run, "gated_activation", kind,
                                  f"{{{', '.join(text)}}}", [(xt, x)], scales,
                                  [result(out, "f32")], [""])
            y = gated(kind, x, interleave, p)
            if scales is not None:
                y = y * scales.astype(np.float64)[..., None]
            compare(f"{kind} {shape} {xt} interleave {interleave}", got, y, "f32",
                    rtol=2 ** -21)


def check_gradients(run, op, kind, f, x, grad, attributes, scales):
    """dx, dbias and, with scales, dscale."""
    rows = x.shape[:-1]
    factor = 1.0 if scales is None else scales.astype(np.float64)[..., None]
    results = [result(x.shape, "f32"), result(x.shape[-1:], "f32")]
    names = ["", "dbias", "dscale"]
    if scales is not None:
        results.append(result(rows, "f32"))
    got = run_activation(run, op, kind, attributes, [("f32", grad), ("f32", x)],
                         scales, results, names)
    weight = grad.astype(np.float64)
    dx = slopes(f, x, weight * factor)
    what = f"{op} {kind} {x.shape} {attributes}"
    compare(what, got[0], dx, "f32", rtol=1e-5, atol=1e-6)
    compare(what + " dbias", got[1], dx.reshape(-1, x.shape[-1]).sum(0), "f32",
            rtol=1e-5, atol=1e-5)
    if scales is not None:
        dscale = (weight * f(x.astype(np.float64))).sum(-1)
        compare(what + " dscale", got[2], dscale, "f32", rtol=1e-5, atol=1e-5)


def keep_off(x, edges):
    """Moves x from where a function has no derivative."""
    for edge in edges:
        x = np.where(np.abs(x - edge) < 1e-3, edge + 0.125, x)
    return x.astype(np.float32)


def check_activation_gradients(run, rng):
    for number, (kind, f) in enumerate(ACTIVATIONS.items()):
        for shape in [(3, 7), (2, 2, 3), (6,), (0, 3)]:
            x = keep_off(draw(rng, shape, "f32"), [0])
            scales = draw_scales(rng, shape[:-1]) if number % 2 else None
            check_gradients(run, "activation_bwd", kind, f, x,
                            draw(rng, shape, "f32"), "", scales)
    for kind in [*GATES, "clamped_swiglu", "situglu"]:
        for number, shape in enumerate([(3, 8), (2, 2, 12), (4,), (0, 4)]):
            p, text = parameters(rng, kind)
            interleave = [2, 3, 0, 0][number]
            text += [f"interleave = {interleave} : i64"] if interleave else []
            limit = p["limit"]
            x = keep_off(draw(rng, shape, "f32"), [0, limit, -limit])
            half = (*shape[:-1], shape[-1] // 2)
            scales = draw_scales(rng, shape[:-1]) if number % 2 else None
            check_gradients(
                run, "gated_activation_bwd", kind,
                lambda v: gated(kind, v, interleave, p), x,
                draw(rng, half, "f32"), f"{{{', '.join(text)}}}", scales)


def check_bias_add(run, rng):
    """Bit for bit: an f32 sum, rounded once to the input's type."""
    for shape in [(0, 5), (1, 7), (33, 31), (2, 3, 8)]:
        for kind in NUMPY:
            for bias_kind in NUMPY:
                x, b = draw(rng, shape, kind), draw(rng, shape[-1:], bias_kind)
                x_type = tensor(shape, kind)
                got, = run(f"%r0 = te.bias_add %0, %1 : {x_type}, {tensor(shape[-1:], bias_kind)}",
                           [(kind, x), (bias_kind, b)], [result(shape, kind)])
                wanted = (x.astype(np.float32) + b.astype(np.float32)).astype(x.dtype)
                assert got.tobytes() == wanted.tobytes(), f"bias_add {kind} {bias_kind} {shape}"


def check_bias_grad(run, rng):
    for shape in [(0, 5), (1, 7), (33, 31), (2, 3, 8)]:
        for kind in NUMPY:
            dy = draw(rng, shape, kind)
            got, = run(f"%r0 = te.bias_grad %0 : {tensor(shape, kind)} -> {tensor(shape[-1:], 'f32')}",
                       [(kind, dy)], [result(shape[-1:], "f32")])
            sums = dy.astype(np.float64).reshape(-1, shape[-1]).sum(axis=0)
            compare("bias_grad", got, sums, "f32")


def check_far_out(run, _):
    """The derivatives at Inf, and NaN in, NaN out."""
    x = np.array([-np.inf, np.inf, np.nan, -3e38, 3e38], np.float32)
    ones = np.ones(5, np.float32)
    for kind, (low, high) in FAR.items():
        got, = run_activation(run, "activation_bwd", kind, "",
                              [("f32", ones), ("f32", x)], None,
                              [result((5,), "f32")], [""])
        compare(f"{kind}' far out", got, [low, high, np.nan, low, high], "f32")


def run_checks(description, *checks):
    """A script's main: each check gets a Reference and random numbers, whose
    seed is printed."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = options.seed
    if seed is None:
        seed = int(np.random.SeedSequence().entropy % 2**32)
    print(f"seed {seed}")
    rng = np.random.default_rng(seed)
    warnings.simplefilter("ignore", RuntimeWarning)  # NaN and empty rows are meant
    with tempfile.TemporaryDirectory() as folder:
        run = Reference(os.path.join(options.bin, "te-run"), folder)
        for check in checks:
            check(run, rng)
        print(f"{run.runs} programs")
    print("PASS")


if __name__ == "__main__":
    run_checks(__doc__, check_norms, check_norm_gradients, check_add_rounds_once, check_activations,
               check_gated, check_activation_gradients, check_far_out,
               check_bias_add, check_bias_grad)
