"""te.function and te_mlir.ops: every op builds, examples are the ones in text, errors name Python, shapes are NumPy's."""

from __future__ import annotations

import inspect
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import te_mlir as te
from builder_examples import COLUMN, EXAMPLES, FP8, FP8_T, ROW, bf16, f32
from te_mlir import Tensor, TensorType, ops

ROOT = Path(__file__).resolve().parents[2]
I32, I1 = te.tensor(4, 64, dtype="i32"), te.tensor(4, 64, dtype="i1")
X = bf16("M", 64)
BLOCKS = te.scaled("f8E4M3FN", block=(32, 32), scale="f8E8M0FNU")
SHUFFLED = te.scaled("f8E4M3FN", block=(1, 32), scale="f8E8M0FNU", scale_layout="e8m0_shuffle")
FP4 = te.scaled("f4E2M1FN", block=(1, 32), scale="f8E8M0FNU", rounding="even")
WHOLE = te.tensor(64, 64, dtype=ROW)

Case = tuple[list[TensorType], Callable[..., Any]]


def floats(count: int) -> Callable[[str], Case]:
    return lambda name: ([X] * count, getattr(ops, name))


def integers(name: str) -> Case:
    return [I32, I32], getattr(ops, name)


# Arguments' types, and what is built of them: a function's results.
CASES: dict[str, Case] = {
    "activation": ([X, f32("M")], lambda x, s: ops.activation("gelu", x, scales=s, dtype="f32")),
    "activation_bwd": ([X, X, f32("M")], lambda g, x, s: ops.activation_bwd("silu", g, x, scales=s, dbias=True, dscale=True)),
    "amax": ([X, f32()], lambda x, n: ops.amax(x, noop=n)),
    "attention": ([bf16("B", "S", 8, 64), bf16("B", "T", 2, 64), bf16("B", "T", 2, 128)],
                  lambda q, k, v: ops.attention("bshd", q, k, v, causal=True, scale=0.25)),
    "bias_add": ([X, f32(64)], ops.bias_add),
    "bias_grad": ([X], lambda x: ops.bias_grad(x, dtype="f32")),
    "copy": ([X], ops.copy),
    "dequantize": ([te.tensor("M", 64, dtype=ROW)], lambda q: ops.dequantize(q, "f16")),
    "dim": ([X, X], lambda x, y: (x + y)[:ops.dim(x, 0) - 1]),
    "full_like": ([X], lambda x: ops.full_like(x, 0.5)),
    "gated_activation": ([X], lambda x: ops.gated_activation("clamped_swiglu", x, limit=5.0, interleave=8)),
    "gated_activation_bwd": ([bf16("M", 32), X, f32("M")],
                             lambda g, x, s: ops.gated_activation_bwd("geglu", g, x, scales=s, dbias=True, dbias_dtype="f32", dscale=True)),
    "gemm": ([X, bf16(128, 64), bf16(128), bf16("M", 128)],
             lambda x, w, b, c: ops.gemm(x, w, transpose_b=True, bias=b, accumulate=c, alpha=2.0, beta=0.5, dtype="f32", bias_grad=True)),
    "gemm_sum": ([X, bf16(64, 128), bf16(128)],
                 lambda x, w, b: ops.gemm_sum(ops.gemm(x, w, split_k=2, dtype="f32"), bias=b, gelu=True, dtype="bf16", aux=True)),
    "layer_norm": ([X, bf16(64), bf16(64)], lambda x, g, b: ops.layer_norm(x, g, b, 1e-5, zero_centered_gamma=True)),
    "layer_norm_bwd": ([X, X, bf16(64), f32("M"), f32("M")], ops.layer_norm_bwd),
    "partial_amax": ([bf16("N"), te.tensor(dtype="i64")], lambda x, at: ops.partial_amax(x, at, [WHOLE, te.tensor(64, 64, dtype=COLUMN)])),
    "partial_cast": ([bf16("N"), te.tensor(dtype="i64"), te.tensor(64, 2, dtype="f8E8M0FNU")],
                     lambda x, at, s: ops.partial_cast(x, at, [s], [WHOLE])),
    "permute": ([bf16("A", "B", 64)], lambda x: ops.permute(x, [1, 0, 2])),
    "quantize": ([X, te.tensor(2, dtype="i64")], lambda x, r: ops.quantize(x, FP4, rng=r, stochastic=True, hadamard=True, sign_mask=5)),
    "relayout": ([te.tensor("M", 64, dtype=ROW)], lambda q: ops.relayout(q, SHUFFLED)),
    "rms_norm": ([X, f32(64)], lambda x, g: ops.rms_norm(x, g, epsilon=0)),
    "rms_norm_bwd": ([X, X, bf16(64), f32("M"), X], lambda g, x, w, r, a: ops.rms_norm_bwd(g, x, w, r, add=a, dgamma_dtype="f32")),
    "rope": ([bf16("T", 8, 64), f32(32, 64), te.tensor(3, dtype="i32")],
             lambda x, f, c: ops.rope("thd", x, f, cu_seqlens=c, interleaved=True, cp_size=2, cp_rank=1)),
    "rope_bwd": ([bf16(2, "S", 8, 64), f32(32, 64), te.tensor(2, dtype="i32")],
                 lambda x, f, p: ops.rope_bwd("bshd", x, f, start_positions=p)),
    "softmax": ([bf16("M", "N", 64)], lambda x: ops.softmax(x, scale=0.125, causal=True, dtype="f32")),
    "softmax_bwd": ([bf16("M", 64), f32("M", 64)], lambda dy, y: ops.softmax_bwd(dy, y, scale=0.125)),
    "transpose": ([te.tensor("M", 64, dtype=FP8), te.tensor("M", 64, dtype=BLOCKS)], lambda q, b: [ops.transpose(q), ops.transpose(b)]),
    "update_scale": ([f32(16), f32(), f32()],
                     lambda h, s, a: ops.update_scale("most_recent", h, s, amax=a, element="f8E5M2", margin=1, scale_inv=True)),
    "extf": ([X], lambda x: ops.extf(x, "f32")), "truncf": ([X], lambda x: ops.truncf(x, "f8E5M2")),
    "cmpf": ([X, X], lambda a, b: ops.cmpf("ult", a, b)), "cmpi": ([I32, I32], lambda a, b: ops.cmpi("ule", a, b)),
    "select": ([I1, bf16(4, 64)], lambda c, x: ops.select(c, 0.0, x)),
    "sitofp": ([I32], ops.sitofp), "uitofp": ([I32], ops.uitofp),
    "fptosi": ([X], lambda x: ops.fptosi(x, "i8")), "fptoui": ([X], lambda x: ops.fptoui(x, "i64")),
    "cast": ([X, I32], lambda x, i: [ops.cast(x, dtype) for dtype in ("f32", "f16", "f8E4M3FN", "i32")] + [ops.cast(i, "f32")]),
    "concat": ([X, X], lambda a, b: ops.concat([a, b], axis=-2)),
    "constant": ([bf16(2, 3)], lambda x: (x * ops.constant(0.5, "bf16", (2, 3)), ops.constant(np.arange(6, dtype=np.int32)))),
    "fusion": ([X, X], lambda x, y: ops.fusion("sum", [x, y], lambda a, b: [a + b, ops.amax(a + b)])),
    "insert": ([bf16("M", 16, 64), X], lambda x, v: ops.insert(x, v, np.s_[:, 5])),
    "reshape": ([X], lambda x: ops.reshape(x, (x.shape[0] * 2, 32))),
    "with_shape": ([X], lambda x: ops.with_shape(x, (128, 64))),
}
for case_names, make_case in (
    ("negf absf ceil floor trunc round roundeven sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh "
     "tanh asinh acosh atanh erf erfc", floats(1)),
    ("addf subf mulf divf maximumf minimumf maxnumf minnumf copysign powf atan2", floats(2)),
    ("clampf fma", floats(3)), ("addi subi muli andi ori xori maxsi minsi maxui minui", integers)):
    CASES |= {case_name: make_case(case_name) for case_name in case_names.split()}


def build(case: Case) -> te.Function:
    types, body = case
    names = [f"a{i}" for i in range(len(types))]
    return te.function("built", **dict(zip(names, types)))(lambda **values: body(*values.values()))


def test_every_op_has_a_case() -> None:
    assert set(ops.__all__) == set(CASES)


@pytest.mark.parametrize("name", ops.__all__)
def test_op_builds(name: str) -> None:
    text = build(CASES[name]).to_text()
    dialects = {"constant": "arith", "concat": "tensor", "cast": "arith", "insert": "tensor", "reshape": "tensor", "with_shape": "tensor"}
    wanted = {"cast": "extf", "insert": "insert_slice", "reshape": "collapse_shape", "with_shape": "cast"}.get(name, name)
    assert re.search(rf"\b({dialects.get(name, 'te|arith|math')})\.{wanted}\b", text), text
    assert inspect.getdoc(getattr(ops, name))


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.mlir")), ids=lambda path: path.stem)
def test_example_is_the_one_in_text(path: Path) -> None:
    def normalize(module: te.Module) -> str:  # arguments always have names here
        return re.sub(r'(, )?te\.name = "[^"]*"', "", str(module)).replace(" {}", "")

    assert normalize(EXAMPLES[path.stem]()) == normalize(te.parse(path))


# Running.


def run(function: te.Function, *inputs: Any) -> Any:
    return te.compile(function, "gfx950")(*inputs)


def test_result_is_the_examples() -> None:
    built, written = te.compile(EXAMPLES["rmsnorm_mxfp8"]()), te.compile(ROOT / "examples/rmsnorm_mxfp8.mlir")
    inputs = built.random_inputs(entry="forward", dims={"M": 3}, seed=7)
    for one, other in zip(built(*inputs, entry="forward"), written(*inputs, entry="forward")):
        parts = [(one.data, other.data), (one.scale, other.scale)] if isinstance(one, te.ScaledTensor) else [(one, other)]
        assert all(np.array_equal(a.view(np.uint8), b.view(np.uint8)) for a, b in parts)


def test_operators_are_numpys() -> None:
    x = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
    array = np.arange(24, dtype=np.float32).reshape(4, 6)

    def compute(a: Any, where: Any, absolute: Any) -> list[Any]:
        return [a + 1, 1 + a, a - 2.5, 2.5 - a, a * array, array * a, a / 3, 3 / a, -a, absolute(a), where(a < 0.5, a, array),
                where(a >= array, a, 2.0), where((a != 1) & (a <= 2) | (a == a) ^ (a > 0), a, -a)]

    function = te.function(x=f32(4, 6))(lambda x: compute(x, ops.select, abs))
    for found, wanted in zip(run(function, x), compute(x, np.where, np.abs), strict=True):
        np.testing.assert_array_equal(found, wanted.astype(np.float32))


def test_numbers_beside_sizes_known_at_run_time() -> None:
    x = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
    function = te.function(x=f32("M", 6))(lambda x: [x * 0.5, 1 - x, ops.select(x > 0, x, 2.0), ops.full_like(x, np.inf)])
    for found, wanted in zip(run(function, x), [x * 0.5, 1 - x, np.where(x > 0, x, 2), np.full_like(x, np.inf)], strict=True):
        np.testing.assert_array_equal(found, wanted)
    whole = np.arange(5, dtype=np.int32)
    np.testing.assert_array_equal(run(te.function(x=te.tensor("M", dtype="i32"))(lambda x: 7 - x), whole), 7 - whole)


def test_integer_operators() -> None:
    x = np.arange(-6, 6, dtype=np.int32).reshape(3, 4)
    function = te.function(x=te.tensor(3, 4, dtype="i32"))(lambda x: [x + 1, 5 - x, x * x, x & 3, x | 8, 1 ^ x, x < 0, x == 3])
    for found, wanted in zip(run(function, x), [x + 1, 5 - x, x * x, x & 3, x | 8, 1 ^ x, x < 0, x == 3], strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_matmul_is_a_gemm() -> None:
    x, w = np.eye(4, 8, dtype=np.float32), np.arange(24, dtype=np.float32).reshape(8, 3)
    function = te.function(x=f32(4, 8), w=f32(8, 3))(lambda x, w: x @ w)
    np.testing.assert_array_equal(run(function, x, w), x @ w)


SLICES: list[Any] = [np.s_[1], np.s_[1:], np.s_[:-1], np.s_[..., 2:4], np.s_[:, 1:3, 5], np.s_[-2:, ..., -1], np.s_[:, :, 3:]]


@pytest.mark.parametrize("index", SLICES, ids=str)
@pytest.mark.parametrize("rows", [4, "M"])
def test_slices_are_numpys(index: Any, rows: int | str) -> None:
    x = np.arange(4 * 5 * 6, dtype=np.float32).reshape(4, 5, 6)
    function = te.function(x=f32(rows, 5, 6))(lambda x: (-x)[index])
    np.testing.assert_array_equal(run(function, x), -x[index])


def test_slice_by_sizes() -> None:
    x = np.arange(40, dtype=np.float32).reshape(8, 5)
    function = te.function(x=f32("M", 5))(lambda x: [(-x)[:x.shape[0] // 2], (-x)[x.shape[0] // 2:], (-x)[x.shape[0] - 1]])
    for found, wanted in zip(run(function, x), [-x[:4], -x[4:], -x[7]]):
        np.testing.assert_array_equal(found, wanted)


def test_insert_is_numpys() -> None:
    x, v = np.zeros((4, 6), np.float32), np.ones((4, 2), np.float32)
    function = te.function(x=f32("M", 6), v=f32("M", 2))(lambda x, v: ops.insert(x, v, np.s_[:, 1:3]))
    wanted = x.copy()
    wanted[:, 1:3] = v
    np.testing.assert_array_equal(run(function, x, v), wanted)


# Shapes before and after; None stands for what -1 is.
RESHAPES = [((4, 6), (24, )), ((24, ), (4, 6)), ((4, 6), (6, 4)), ((4, 6), (2, 2, 2, 3)), ((4, 6), (1, 4, 1, 6, 1)), ((1, 4, 1), (4, )),
            ((2, 3, 4), (4, 3, 2)), ((2, 8, 3), (4, 4, -1)), ((6, 10, 7), (15, 4, 7)), ((4, 1, 6), (4, 6)),
            ((4, 6), (4, 6)), ((5, 4), (1, 5, 4))]


@pytest.mark.parametrize("before,after", RESHAPES, ids=str)
def test_reshapes_are_numpys(before: tuple[int, ...], after: tuple[int, ...]) -> None:
    x = np.arange(np.prod(before), dtype=np.float32).reshape(before)
    function = te.function(x=f32(*before))(lambda x: ops.reshape(-x, after))
    np.testing.assert_array_equal(run(function, x), -x.reshape(after))


def test_reshapes_to_and_from_one_number() -> None:
    assert "tensor.collapse_shape %arg0 []" in str(build(([f32(1, 1)], lambda x: ops.reshape(x, ()))))
    assert "tensor.expand_shape %arg0 [] output_shape [1, 1]" in str(build(([f32()], lambda x: ops.reshape(x, (-1, 1)))))


@pytest.mark.parametrize("reshape,wanted", [
    (lambda x, s, b: (s, b, 32), (3, 2, 32)), (lambda x, s, b: (s * b, 4, 8), (6, 4, 8)), (lambda x, s, b: (-1, 8), (24, 8)),
    (lambda x, s, b: (b * s * 2, 2, -1), (12, 2, 8)), (lambda x, s, b: (s, 2 * b, 2, 8), (3, 4, 2, 8)),
    (lambda x, s, b: (s, 4 * b, -1), (3, 8, 8)), (lambda x, s, b: (s, -1), (3, 64)), (lambda x, s, b: (s, b, 8, 4), (3, 2, 8, 4))
])
def test_reshapes_of_dynamic_sizes(reshape: Callable[..., tuple[Any, ...]], wanted: tuple[int, ...]) -> None:
    x = np.arange(3 * 2 * 4 * 8, dtype=np.float32).reshape(3, 2, 4, 8)
    function = te.function(x=f32("S", "B", 4, 8))(lambda x: ops.reshape(-x, reshape(x, x.shape[0], x.shape[1])))
    np.testing.assert_array_equal(run(function, x), -x.reshape(wanted))


def test_sizes_compute() -> None:
    @te.function(x=f32("M", "N", 8), y=f32("M", 8))
    def sizes(x: Tensor, y: Tensor) -> Tensor:
        m, n, k = x.shape
        assert m == y.shape[0] and m != n and k == 8 and isinstance(m, te.Size)
        assert m * 8 // 8 == m and m * n == n * m and m - m == 0 and m + 0 == m and (m * n) // n == m and m // 3 != m
        assert str(2 * m * n) == "2 * M * N"
        return x + x


NUMPY: dict[te.DType, Any] = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
                              "f8E5M2": ml_dtypes.float8_e5m2, "i8": np.int8, "i32": np.int32, "i64": np.int64}


@pytest.mark.parametrize("dtype", NUMPY)
def test_constants_are_exact(dtype: te.DType) -> None:
    def read(x: Tensor, zero: Tensor) -> Tensor:
        return ops.extf(x, "f32") if dtype.startswith("f8") else x | zero if dtype.startswith("i") else x

    array = (np.arange(-6, 6).reshape(3, 4) / (1 if dtype.startswith("i") else 4)).astype(NUMPY[dtype])
    zero_type: te.DType = dtype if dtype.startswith("i") else "f32"
    function = te.function(zero=te.tensor(3, 4, dtype=zero_type))(
        lambda zero: [read(ops.constant(array), zero), read(ops.constant(1, dtype, (3, 4)), zero)])
    found, ones = run(function, np.zeros((3, 4), NUMPY[zero_type]))
    np.testing.assert_array_equal(found.astype(np.float64), array.astype(np.float64))
    assert (ones.astype(np.float64) == 1).all()


def test_constants_of_bits_and_of_nothing() -> None:
    text = str(te.function()(lambda: [ops.constant(np.array([[True, False]])), ops.constant(True, "i1", (3, )),
                                      ops.constant(np.zeros((0, 3), np.float32))]))
    assert all(f"dense<{value}>" in text for value in ("[[true, false]]> : tensor<1x2xi1", "true> : tensor<3xi1", "> : tensor<0x3xf32"))


def test_nan_and_largest_numbers_pass() -> None:
    function = te.function(x=f32(3))(lambda x: [ops.constant(value, "f32", (1, )) for value in (np.nan, -np.inf, 3.4028234e38)] + [-x])
    text = str(function)
    assert "0x7FC00000" in text and "0xFF800000" in text and "3.40282347E+38" in text


# Errors.


def line_of(word: str) -> int:
    return next(i for i, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.rstrip().endswith(f"# {word}"))


def expect(word: str, rule: str | None, types: list[TensorType], body: Callable[..., Any]) -> te.CompileError:
    with pytest.raises(te.CompileError) as info:
        build((types, body))
    assert (info.value.file, info.value.line, info.value.rule) == (__file__, line_of(word), rule), info.value
    assert Path(__file__).read_text().splitlines()[info.value.line - 1].strip() in str(info.value)
    return info.value


def test_errors_name_python_and_the_rule() -> None:
    expect("gamma", "N2", [X, bf16(32)],
           lambda x, g: ops.rms_norm(x, g, epsilon=1.0))  # gamma
    expect("epsilon", "N3", [X, bf16(64)],
           lambda x, g: ops.rms_norm(x, g, epsilon=-1.0))  # epsilon
    expect("scheme", "S1", [X],
           lambda x: ops.quantize(x, te.scaled("f8E4M3FN", block=(1, 32), scale="f32")))  # scheme
    expect("order", "Q3", [X],
           lambda x: ops.quantize(x, COLUMN, ROW))  # order
    expect("k", "X2", [X, bf16(32, 8)],
           lambda x, w: x @ w)  # k
    expect("rank", "X1", [bf16(64), bf16(64, 8)],
           lambda x, w: x @ w)  # rank
    expect("permutation", "D5", [X],
           lambda x: ops.permute(x, [0, 0]))  # permutation
    error = expect("kind", "E1", [bf16("M", 63)],
                   lambda x: ops.gated_activation("swiglu", x))  # kind
    assert error.op == "te.gated_activation" and error.column > 1


def test_an_error_of_the_function_names_its_line() -> None:
    with pytest.raises(te.CompileError) as info:
        te.function(x=bf16("not a name", 4))(lambda x: -x)  # name
    assert (info.value.file, info.value.line, info.value.rule) == (__file__, line_of("name"), "A1")


def test_a_later_error_names_the_line() -> None:
    function = build(([te.tensor(4, dtype="i1")], lambda x: x + x))  # late
    with pytest.raises(te.CompileError) as info:
        te.compile(function)
    assert (info.value.file, info.value.line, info.value.rule) == (__file__, line_of("late"), "L1")


def test_locations_are_of_the_innermost_python() -> None:
    def helper(x: Tensor) -> Tensor:
        return ops.exp(x)  # helper

    text = build(([X], helper)).to_text(locations=True)
    assert f'"{__file__}":{line_of("helper")}:{16 if sys.version_info >= (3, 11) else 1}' in text
    assert te.parse(text).to_text(locations=True) == text


def leak(types: TensorType) -> Tensor:
    kept: list[Tensor] = []

    @te.function(x=types)
    def other(x: Tensor) -> Tensor:
        kept.append(x)
        return -x

    return kept[0]


any_ops: Any = ops  # mypy would find most of these
MISUSE: list[tuple[str, Callable[..., Any]]] = [
    ("of other>, but built is built now: make it an argument", lambda x: x + leak(X)),
    ("of built>, but region sum is built now: make it an argument", lambda x: ops.fusion("sum", [x], lambda a: a + x)),
    ("built returns <te_mlir.Tensor bf16[M, 64] of other>, which is not its own", lambda x: [-x, leak(X)]),
    ("built returns None", lambda x: None),
    ("built returns 1; give the tensors", lambda x: [x, 1]),
    ("missing 1 required positional argument: 'epsilon'", lambda x: any_ops.rms_norm(x, x)),
    ("unexpected keyword argument 'eps'", lambda x: any_ops.rms_norm(x, x, eps=1)),
    ("te.rms_norm: epsilon is '1'; give a number", lambda x: any_ops.rms_norm(x, x, epsilon="1")),
    ("te.activation: kind is 'relu6'; there are gelu, qgelu", lambda x: any_ops.activation("relu6", x)),
    ("te.activation: input is 3", lambda x: any_ops.activation("relu", 3)),
    ("te.activation: scales is 'no'", lambda x: any_ops.activation("relu", x, scales="no")),
    ("dtype is 'float32'; the language has f32", lambda x: any_ops.activation("relu", x, dtype="float32")),
    ("te.gemm: the operand is quantized, so dtype is needed", lambda x: any_ops.gemm(any_ops.quantize(x, ROW), any_ops.quantize(x, ROW))),
    ("te.quantize: scheme is 'f8E4M3FN'; give what te.scaled", lambda x: any_ops.quantize(x, "f8E4M3FN")),
    ("te.permute: permutation is 1.5; give an integer", lambda x: any_ops.permute(x, [0, 1.5])),
    ("arith.cmpf: predicate is 'eq'", lambda x: any_ops.cmpf("eq", x, x)),
    ("te.partial_amax: of has 3", lambda x: any_ops.partial_amax(x, x, [3])),
    ("is one value, and is not taken apart", lambda x: [*any_ops.exp(x)]),
    ("has no truth value", lambda x: x if x > x else -x),
    ("operands are 1, 2; one must be a value", lambda x: any_ops.addf(1, 2)),
    ("which is quantized; ops.dequantize gives numbers", lambda x: any_ops.quantize(x, FP8) + 1),
    ("no such op on i32", lambda x: -any_ops.fptosi(x, "i32")),
    ("te.full_like: the operand is quantized", lambda x: any_ops.full_like(any_ops.quantize(x, FP8), 1)),
    ("a constant of '1'", lambda x: any_ops.full_like(x, "1")),
    ("1.5 is no i32", lambda x: any_ops.fptosi(x[:], "i32") + any_ops.constant(1.5, "i32", (4, ))),
    ("300 is no i8", lambda x: any_ops.constant(300, "i8")),
    ("a constant of float64 elements", lambda x: any_ops.constant(np.zeros(3))),
    ("name its type", lambda x: any_ops.constant(3.0)),
    ("give a value, a NumPy array or a number", lambda x: x + "a"),
    ("slices have unit steps (V1)", lambda x: x[::2]),
    ("3 indices for", lambda x: x[0, 0, 0]),
    ("an index is 1.5", lambda x: x[1.5]),
    ("is quantized, and is not sliced", lambda x: any_ops.quantize(x, FP8)[0]),
    ("not known to be as many elements", lambda x: any_ops.reshape(x, (x.shape[0], 65))),
    ("not known to divide", lambda x: any_ops.reshape(x, (5, -1))),
    ("one -1 at most", lambda x: any_ops.reshape(x, (-1, -1))),
    ("axis is 2", lambda x: any_ops.concat([x, x], 2)),
    ("there are no tensors", lambda x: any_ops.concat([], 0)),
    ("M is a size in other, but built is built now", lambda x: x[:leak(X).shape[0]]),
    ("from i32 to i8: the language has no casts between integers", lambda x: any_ops.cast(any_ops.cast(x, "i32"), "i8")),
    ("shape has M, a size in other, but built is built now", lambda x: ops.reshape(x, (leak(X).shape[0], 64))),
    ("shape is 3; give a list", lambda x: any_ops.with_shape(x, 3)),
    ("give tensors of one shape", lambda x: x + ops.with_shape(x, (4, 64))),
    ("give tensors of one element type", lambda x: x + ops.cast(x, "f32")),
    ("te.gemm: gelu is 1; give True or False", lambda x: any_ops.gemm(x, x, gelu=1)),
    ("te.gemm: aux is x; give True or False".replace("x;", "'x';"), lambda x: any_ops.gemm(x, x, aux="x")),
    ("epsilon is 1e+300, which f32 does not hold", lambda x: ops.rms_norm(x, x, 1e300)),
    ("sizes multiply with integers", lambda x: x.shape[0] * 1.5),
]


@pytest.mark.parametrize("message,body", MISUSE, ids=[message for message, _ in MISUSE])
def test_misuse_is_a_type_error(message: str, body: Callable[..., Any]) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        build(([X], body))


any_te: Any = te
MISUSE_OUTSIDE: list[tuple[str, Callable[[], Any]]] = [
    ("dimension ''", lambda: bf16("")),
    ("dimension 'K='", lambda: bf16("K=")),
    ("dimension -3", lambda: bf16(-3)),
    ("dtype is 'float32'", lambda: any_te.tensor(3, dtype="float32")),
    ("a scheme has a granularity", lambda: te.scaled("f8E4M3FN", scale="f32")),
    ("give two integers", lambda: any_te.scaled("f8E4M3FN", block=(1, 2, 3), scale="f32")),
    ("is no word of a scheme", lambda: any_te.scaled("f8E4M3FN", "row, x", scale="f32")),
    ("argument x is 'bf16'; give a type", lambda: any_te.function(x="bf16")),
    ("built with arguments x, but the Python function does not take these", lambda: te.function(x=X)(lambda y: -y)),
    ("a constant is made outside of a function", lambda: ops.constant(1, "f32")),
    ("te.activation is called outside of a function", lambda: ops.activation("relu", leak(X))),
    ("is no function that @te.function", lambda: any_te.module(te.parse(ROOT / "examples/gemm_bf16.mlir"))),
]


@pytest.mark.parametrize("message,make", MISUSE_OUTSIDE, ids=[message for message, _ in MISUSE_OUTSIDE])
def test_misuse_outside_of_a_function_is_a_type_error(message: str, make: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        make()


def test_two_functions_of_one_name() -> None:
    with pytest.raises(te.CompileError, match="redefinition of symbol"):
        te.module(build(([X], ops.exp)), build(([X], ops.exp)))


def test_a_wrong_number_of_results() -> None:
    def unpack(x: Tensor) -> Any:
        a, b, c = any_ops.rms_norm(x, np.ones(64, np.float32), 1e-5)

    with pytest.raises(ValueError, match="not enough values to unpack"):
        build(([X], unpack))


def test_names_are_quoted() -> None:
    function = te.function('odd "name"\\ü', x=X)(lambda x: {"y": -x})
    assert set(function.functions) == {'odd "name"\\ü'}
    assert function.functions['odd "name"\\ü'].results[0].name == "y"


def test_threads_build_at_once() -> None:
    built: list[te.Function] = []
    threads = [threading.Thread(target=lambda: built.append(build(CASES["gemm"]))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({str(function) for function in built}) == 1 and len(built) == 8


def test_a_function_within_a_function() -> None:
    assert "te.activation" in str(build(([X], lambda x: (leak(X), ops.activation("relu", x))[1])))


def test_a_region_with_a_schedule() -> None:
    def region(x: Tensor, y: Tensor) -> list[Tensor]:
        assert x.shape == y.shape
        return [x + y, ops.quantize(x, ROW)]

    def body(x: Tensor, y: Tensor) -> list[Any]:
        total, q = ops.fusion("together", [x, y], region, schedule='"gfx950", tile = [32, 64], waves = 4, vector = 2')
        assert total.shape == x.shape and q.dtype == ROW
        return [total * x, q]

    program = te.compile(build(([X, X], body)))
    assert "together" in program.entries["built"].kernels
    assert program.check(dims={"M": 5})


def test_errors_in_a_region() -> None:
    expect("region", "N2", [X],
           lambda x: ops.fusion("norm", [x], lambda a:
                                ops.rms_norm(a, np.ones(3, np.float32), 1e-5)))  # region
    expect("schedule", "H1", [X],
           lambda x: ops.fusion("sum", [x], lambda a: a + a, schedule='"gfx950", tile = [32], waves = 4, vector = 2'))  # schedule


def test_transposed_copy() -> None:
    function = build(([X], lambda x: [ops.transpose(ops.quantize(x, FP8)), ops.transpose(ops.quantize(x, FP8_T))]))
    types = [value.type for value in function.functions["built"].results]
    assert ["transposed" in type for type in types] == [True, False]
