"""Ops of the te language, a function each: they put an op into the function that ``te_mlir.function`` builds.

Operands are values of that function (``te.Tensor``), or NumPy arrays, which become constants; those of elementwise ops may be numbers, too.
Results are tensors of shapes that follow from the operands. Each function raises TypeError for what is no op at all, and the finished
function CompileError where it breaks a rule of docs/spec.md ("N1"), with the place in Python.

Made by scripts/gen_python_ops.py: change ODS or that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args, overload

from . import _shapes
from ._builder import Number, Op, Operand, Tensor, elementwise
from ._regions import fusion
from ._sizes import Size
from ._tensor_ops import cast, concat, constant, insert, reshape, with_shape
from ._types import DType, Scaled, TensorType, check_dtype

# Names that ops take.
ActivationKind = Literal["gelu", "qgelu", "silu", "relu", "srelu"]
GatedKind = Literal["glu", "geglu", "qgeglu", "reglu", "sreglu", "swiglu", "clamped_swiglu", "situglu"]
SequenceFormat = Literal["sbhd", "bshd", "thd"]
AttentionFormat = Literal["sbhd", "bshd", "bhsd"]
AmaxAlgorithm = Literal["max", "most_recent"]
FloatPredicate = Literal["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"]
IntegerPredicate = Literal["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def activation(kind: ActivationKind, input: Operand, *, scales: Operand | None = None, dtype: DType | None = None) -> Tensor:
    """te.activation: f(x), element by element.

    In f32, rounded once to the result's type. `scales` multiplies each row by a number.

    Constraints: E1 the result has the input's shape; E2 scales are one a row, in the shape of the
    other dimensions.

    ```mlir
    %y = te.activation gelu %x : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
    ```

    Arguments:
        kind: an activation function: gelu, qgelu, silu, relu, srelu
        input: bf16, f16 or f32
        scales: f32; optional
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape, elements dtype
    """
    op = Op("te.activation")
    op.enum("kind", kind, "activation_kind", get_args(ActivationKind))
    input = op.tensor("input", input)
    op.optional("scales", scales)
    op.result(input.shape, op.float_like(dtype, input))
    return op.one()


@overload
def activation_bwd(kind: ActivationKind, grad: Operand, input: Operand, *, scales: Operand | None = None, dtype: DType | None = None,
                   dbias_dtype: DType | None = None, dbias: Literal[False] = False, dscale: Literal[False] = False) -> Tensor: ...


@overload
def activation_bwd(kind: ActivationKind, grad: Operand, input: Operand, *, scales: Operand | None = None, dtype: DType | None = None,
                   dbias_dtype: DType | None = None, dbias: Literal[True], dscale: Literal[False] = False) -> tuple[Tensor, Tensor]: ...


@overload
def activation_bwd(kind: ActivationKind, grad: Operand, input: Operand, *, scales: Operand | None = None, dtype: DType | None = None,
                   dbias_dtype: DType | None = None, dbias: Literal[False] = False, dscale: Literal[True]) -> tuple[Tensor, Tensor]: ...


@overload
def activation_bwd(kind: ActivationKind, grad: Operand, input: Operand, *, scales: Operand | None = None, dtype: DType | None = None,
                   dbias_dtype: DType | None = None, dbias: Literal[True], dscale: Literal[True]) -> tuple[Tensor, Tensor, Tensor]: ...


def activation_bwd(kind: ActivationKind, grad: Operand, input: Operand, *, scales: Operand | None = None, dtype: DType | None = None,
                   dbias_dtype: DType | None = None, dbias: bool = False, dscale: bool = False) -> Tensor | tuple[Tensor, ...]:
    """te.activation_bwd: gradients of te.activation.

    dx = grad * f'(x) (times the row's scale), in f32 and rounded once. `dbias` is the sum of dx over the
    rows, before it is rounded; `dscale` the sum of grad * f(x) over each row. Sums are f32, in an order
    that is always the same.

    Constraints: E1, E2 as of the activation; E4 dbias has the size of the last dimension, dscale one
    number a row and goes with scales.

    ```mlir
    %dx, %dbias = te.activation_bwd gelu %dy, %x : tensor<?x4096xbf16>, tensor<?x4096xbf16>
        -> tensor<?x4096xbf16> dbias tensor<4096xbf16>
    ```

    Arguments:
        kind: an activation function: gelu, qgelu, silu, relu, srelu
        grad: bf16, f16 or f32
        input: bf16, f16 or f32
        scales: f32; optional
        dtype: the element type of dx; without, input's; optional
        dbias_dtype: the element type of dbias; without, input's; optional
        dbias: asks for this result
        dscale: asks for this result

    Returns:
        dx: shape input.shape, elements dtype
        dbias: shape input.shape[-1:], elements dbias_dtype; if asked for
        dscale: shape input.shape[:-1], elements f32; if asked for
    """
    op = Op("te.activation_bwd", sized_results=True)
    op.enum("kind", kind, "activation_kind", get_args(ActivationKind))
    op.tensor("grad", grad)
    input = op.tensor("input", input)
    op.optional("scales", scales)
    op.result(input.shape, op.float_like(dtype, input))
    if op.asked("dbias", dbias):
        op.result(input.shape[-1:], op.float_like(dbias_dtype, input, "dbias_dtype"))
    else:
        op.no_result()
    if op.asked("dscale", dscale):
        op.result(input.shape[:-1], "f32")
    else:
        op.no_result()
    return op.some()


def amax(input: Operand, *, noop: Operand | None = None) -> Tensor:
    """te.amax: max |x| over a whole tensor.

    NaN elements are ignored (fmax); an empty tensor gives 0. With a `noop` flag of 1.0
    the result keeps what its buffer kept before.

    Arguments:
        input: bf16, f16 or f32
        noop: one number (no dimensions), f32; optional

    Returns:
        result: one number (no dimensions), f32
    """
    op = Op("te.amax")
    op.tensor("input", input)
    op.optional("noop", noop)
    op.result((), "f32")
    return op.one()


def attention(format: AttentionFormat, q: Operand, k: Operand, v: Operand, *, scale: float | None = None, causal: bool = False,
              dtype: DType | None = None) -> tuple[Tensor, Tensor]:
    """te.attention: O = softmax(scale * Q K^T) V of each head, and the logarithm of each row's sum.

    Q, K, V and O are (b, s, h, d) with `bshd`, (s, b, h, d) with `sbhd`, (b, h, s, d) with `bhsd`. Q and O have sq queries, K and V sk keys; a head
    of K and V is for one or several neighbouring heads of Q. For each head and query i, with z_j = scale * q_i . k_j,
    p_j = exp(z_j - max z) / sum exp(z - max z) and o_i = sum p_j v_j. `lse` is (b, h, sq), max z + log sum exp(z - max z).
    Products are summed in f32, p is rounded to the operands' type, and O once to its own. `scale` is
    1 / sqrt(d) where it is not given, d the size of a head of Q.

    With `causal`, query i sees the keys up to i + sk - sq, so that the last query sees all of them. Others have p = 0,
    whatever K holds; where V holds an Inf or NaN for one of them, that column of O is unspecified. A query that sees nothing has
    O = 0 and lse = -Inf.

    Constraints: K1 ranks; K2 batches, keys and heads agree; K3 sizes of heads; K4 shapes of O and lse; K5 element
    types; K6 the scale is finite.

    ```mlir
    %o, %lse = te.attention bshd %q, %k, %v {causal}
        : tensor<?x?x32x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x8x128xbf16> -> tensor<?x?x32x128xbf16>, tensor<?x32x?xf32>
    ```

    Arguments:
        format: the order of sequence, batch, head and column: sbhd, bshd, bhsd
        q: bf16, f16 or f32
        k: bf16, f16 or f32
        v: bf16, f16 or f32
        scale: a number, kept as f32; optional
        causal: a flag
        dtype: the element type of result; without, q's; optional

    Returns:
        result: shape _shapes.attended(q, v), elements dtype
        lse: shape _shapes.log_sums(q, format), elements f32
    """
    op = Op("te.attention")
    op.enum("format", format, "attention_format", get_args(AttentionFormat))
    q = op.tensor("q", q)
    op.tensor("k", k)
    v = op.tensor("v", v)
    op.f32("scale", scale)
    op.flag("causal", causal)
    op.result(_shapes.attended(q, v), op.float_like(dtype, q))
    op.result(_shapes.log_sums(q, format), "f32")
    result, lse = op.many()
    return result, lse


def bias_add(input: Operand, bias: Operand) -> Tensor:
    """te.bias_add: a number for each column, added to all rows.

    In f32, rounded once to the input's type. After a `te.gemm` its `bias` is added before that is rounded; a
    `te.bias_add` rounds a second time.

    Constraints: N1, the input has rank 1 at least; N2, the bias has the size of its last dimension.

    ```mlir
    %y = te.bias_add %x, %b : tensor<?x4096xbf16>, tensor<4096xf32>
    ```

    Arguments:
        input: bf16, f16 or f32
        bias: bf16, f16 or f32

    Returns:
        result: shape input.shape, elements input.dtype
    """
    op = Op("te.bias_add")
    input = op.tensor("input", input)
    op.tensor("bias", bias)
    op.result(input.shape, input.dtype)
    return op.one()


def bias_grad(input: Operand, *, dtype: DType | None = None) -> Tensor:
    """te.bias_grad: the gradient of a bias: the sum of a gradient over its rows.

    One number a column, accumulated in f32 and rounded once; of no rows it is 0.

    Constraints: N1, the input has rank 1 at least; N2, the result has the size of its last dimension.

    ```mlir
    %db = te.bias_grad %dy : tensor<?x4096xbf16> -> tensor<4096xbf16>
    ```

    Arguments:
        input: bf16, f16 or f32
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape[-1:], elements dtype
    """
    op = Op("te.bias_grad")
    input = op.tensor("input", input)
    op.result(input.shape[-1:], op.float_like(dtype, input))
    return op.one()


def copy(input: Operand) -> Tensor:
    """te.copy: the same elements in a buffer of their own.

    A slice is a part of its source's buffer, and what a function returns is not: `te-fuse` adds a copy where a
    slice needs a buffer. It rides in the kernel of other slices of the same source.

    ```mlir
    %v = te.copy %slice : tensor<?x8x128xbf16>
    ```

    Arguments:
        input: bf16, f16 or f32

    Returns:
        result: shape input.shape, elements input.dtype
    """
    op = Op("te.copy")
    input = op.tensor("input", input)
    op.result(input.shape, input.dtype)
    return op.one()


def dequantize(input: Operand, dtype: DType) -> Tensor:
    """te.dequantize: the values that a quantized tensor stands for.

    value = f32(data) * scale_inv in f32, then rounded to the result's type. The
    result has the input's logical shape (D1), whatever its data layout.

    ```mlir
    %y = te.dequantize %q : !te.scaled<?x4096xf8E4M3FN, #row> -> tensor<?x4096xbf16>
    ```

    Arguments:
        input: a quantized tensor
        dtype: the result's element type

    Returns:
        result: shape input.shape, elements dtype
    """
    op = Op("te.dequantize")
    input = op.tensor("input", input)
    op.result(input.shape, op.float_like(dtype, input))
    return op.one()


def dim(input: Operand, dimension: int) -> Size:
    """te.dim: the size of a dimension of a tensor or a scaled tensor.

    Arguments:
        input: a tensor, quantized or not
        dimension: an integer

    Returns:
        the size, of type index
    """
    op = Op("te.dim")
    input = op.tensor("input", input)
    op.integer("dimension", dimension, "i64")
    return op.size(input, dimension)


def full_like(input: Operand, value: float) -> Tensor:
    """te.full_like: a tensor of one constant, with the shape of another tensor.

    For constants whose size is known at run time only, which `arith.constant` cannot have; of a static shape it folds to
    one. The input's elements are not read.

    Constraints: D7 the value has the input's element type.

    ```mlir
    %two = te.full_like %x, 2.0 : f32 : tensor<?x64xf32>
    ```

    Arguments:
        input: bf16, f16, f32 or 8-bit signless integer, i32 or i64
        value: a number of the input's element type

    Returns:
        result: shape input.shape, elements input.dtype
    """
    op = Op("te.full_like")
    input = op.tensor("input", input)
    op.number("value", value, input.dtype)
    op.result(input.shape, input.dtype)
    return op.one()


def gated_activation(kind: GatedKind, input: Operand, *, scales: Operand | None = None, limit: float = 7.0, alpha: float = 1.702,
                     offset: float = 1.0, beta1: float = 4.0, beta2: float = 25.0, interleave: int = 0,
                     dtype: DType | None = None) -> Tensor:
    """te.gated_activation: f(a) * b, where the last dimension holds a, then b.

    The input is (..., 2H): a is its first half (the gate), b its second; with `interleave = g` they take
    turns, g columns each. The result is (..., H), in f32 and rounded once; `scales` multiplies each row by
    a number.

    `clamped_swiglu`: a' = min(a, limit), b' = clamp(b, -limit, limit) + offset, a' * sigmoid(alpha * a') * b'.
    `situglu`: beta1 * tanh(a / beta1) * sigmoid(a) * beta2 * tanh(b / beta2).

    Constraints: E1 the result has half the input's last dimension; E2 scales are one a row; E3 interleave
    divides the result's last dimension, parameters are finite, limit not negative, alpha positive,
    beta1 and beta2 not zero.

    ```mlir
    %y = te.gated_activation swiglu %x : tensor<?x28672xbf16> -> tensor<?x14336xbf16>
    ```

    Arguments:
        kind: what a gated activation makes of its gate: glu, geglu, qgeglu, reglu, sreglu, swiglu, clamped_swiglu, situglu
        input: bf16, f16 or f32
        scales: f32; optional
        limit: a number, kept as f32; 7.0 if not given
        alpha: a number, kept as f32; 1.702 if not given
        offset: a number, kept as f32; 1.0 if not given
        beta1: a number, kept as f32; 4.0 if not given
        beta2: a number, kept as f32; 25.0 if not given
        interleave: an integer; 0 if not given
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape, the last dimension halved, elements dtype
    """
    op = Op("te.gated_activation")
    op.enum("kind", kind, "gated_kind", get_args(GatedKind))
    input = op.tensor("input", input)
    op.optional("scales", scales)
    op.f32("limit", limit)
    op.f32("alpha", alpha)
    op.f32("offset", offset)
    op.f32("beta1", beta1)
    op.f32("beta2", beta2)
    op.integer("interleave", interleave, "i64")
    op.result(_shapes.half(input), op.float_like(dtype, input))
    return op.one()


@overload
def gated_activation_bwd(kind: GatedKind, grad: Operand, input: Operand, *, scales: Operand | None = None, limit: float = 7.0,
                         alpha: float = 1.702, offset: float = 1.0, beta1: float = 4.0, beta2: float = 25.0, interleave: int = 0,
                         dtype: DType | None = None, dbias_dtype: DType | None = None, dbias: Literal[False] = False,
                         dscale: Literal[False] = False) -> Tensor: ...


@overload
def gated_activation_bwd(kind: GatedKind, grad: Operand, input: Operand, *, scales: Operand | None = None, limit: float = 7.0,
                         alpha: float = 1.702, offset: float = 1.0, beta1: float = 4.0, beta2: float = 25.0, interleave: int = 0,
                         dtype: DType | None = None, dbias_dtype: DType | None = None, dbias: Literal[True],
                         dscale: Literal[False] = False) -> tuple[Tensor, Tensor]: ...


@overload
def gated_activation_bwd(kind: GatedKind, grad: Operand, input: Operand, *, scales: Operand | None = None, limit: float = 7.0,
                         alpha: float = 1.702, offset: float = 1.0, beta1: float = 4.0, beta2: float = 25.0, interleave: int = 0,
                         dtype: DType | None = None, dbias_dtype: DType | None = None, dbias: Literal[False] = False,
                         dscale: Literal[True]) -> tuple[Tensor, Tensor]: ...


@overload
def gated_activation_bwd(kind: GatedKind, grad: Operand, input: Operand, *, scales: Operand | None = None, limit: float = 7.0,
                         alpha: float = 1.702, offset: float = 1.0, beta1: float = 4.0, beta2: float = 25.0, interleave: int = 0,
                         dtype: DType | None = None, dbias_dtype: DType | None = None, dbias: Literal[True],
                         dscale: Literal[True]) -> tuple[Tensor, Tensor, Tensor]: ...


def gated_activation_bwd(kind: GatedKind, grad: Operand, input: Operand, *, scales: Operand | None = None, limit: float = 7.0,
                         alpha: float = 1.702, offset: float = 1.0, beta1: float = 4.0, beta2: float = 25.0, interleave: int = 0,
                         dtype: DType | None = None, dbias_dtype: DType | None = None, dbias: bool = False,
                         dscale: bool = False) -> Tensor | tuple[Tensor, ...]:
    """te.gated_activation_bwd: gradients of te.gated_activation.

    The first half of dx is f'(a) * grad * b, the second grad * f(a) (where the forward op has a and b; times
    the row's scale), in f32 and rounded once. Where `clamped_swiglu` clamps, the gradient is 0.
    `dbias` is the sum of dx over the rows, before it is rounded; `dscale` the sum of grad * f(a) * b over
    each row.

    Constraints: E1 to E4 as of the activations.

    ```mlir
    %dx = te.gated_activation_bwd swiglu %dy, %x : tensor<?x14336xbf16>, tensor<?x28672xbf16>
        -> tensor<?x28672xbf16>
    ```

    Arguments:
        kind: what a gated activation makes of its gate: glu, geglu, qgeglu, reglu, sreglu, swiglu, clamped_swiglu, situglu
        grad: bf16, f16 or f32
        input: bf16, f16 or f32
        scales: f32; optional
        limit: a number, kept as f32; 7.0 if not given
        alpha: a number, kept as f32; 1.702 if not given
        offset: a number, kept as f32; 1.0 if not given
        beta1: a number, kept as f32; 4.0 if not given
        beta2: a number, kept as f32; 25.0 if not given
        interleave: an integer; 0 if not given
        dtype: the element type of dx; without, input's; optional
        dbias_dtype: the element type of dbias; without, input's; optional
        dbias: asks for this result
        dscale: asks for this result

    Returns:
        dx: shape input.shape, elements dtype
        dbias: shape input.shape[-1:], elements dbias_dtype; if asked for
        dscale: shape input.shape[:-1], elements f32; if asked for
    """
    op = Op("te.gated_activation_bwd", sized_results=True)
    op.enum("kind", kind, "gated_kind", get_args(GatedKind))
    op.tensor("grad", grad)
    input = op.tensor("input", input)
    op.optional("scales", scales)
    op.f32("limit", limit)
    op.f32("alpha", alpha)
    op.f32("offset", offset)
    op.f32("beta1", beta1)
    op.f32("beta2", beta2)
    op.integer("interleave", interleave, "i64")
    op.result(input.shape, op.float_like(dtype, input))
    if op.asked("dbias", dbias):
        op.result(input.shape[-1:], op.float_like(dbias_dtype, input, "dbias_dtype"))
    else:
        op.no_result()
    if op.asked("dscale", dscale):
        op.result(input.shape[:-1], "f32")
    else:
        op.no_result()
    return op.some()


@overload
def gemm(a: Operand, b: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
         transpose_a: bool = False, transpose_b: bool = False, gelu: bool = False, alpha: float = 1.0, beta: float | None = None,
         split_k: int | None = None, dtype: DType | None = None, aux_dtype: DType | None = None, aux: Literal[False] = False,
         bias_grad_dtype: DType | None = None, bias_grad: Literal[False] = False) -> Tensor: ...


@overload
def gemm(a: Operand, b: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
         transpose_a: bool = False, transpose_b: bool = False, gelu: bool = False, alpha: float = 1.0, beta: float | None = None,
         split_k: int | None = None, dtype: DType | None = None, aux_dtype: DType | None = None, aux: Literal[True],
         bias_grad_dtype: DType | None = None, bias_grad: Literal[False] = False) -> tuple[Tensor, Tensor]: ...


@overload
def gemm(a: Operand, b: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
         transpose_a: bool = False, transpose_b: bool = False, gelu: bool = False, alpha: float = 1.0, beta: float | None = None,
         split_k: int | None = None, dtype: DType | None = None, aux_dtype: DType | None = None, aux: Literal[False] = False,
         bias_grad_dtype: DType | None = None, bias_grad: Literal[True]) -> tuple[Tensor, Tensor]: ...


@overload
def gemm(a: Operand, b: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
         transpose_a: bool = False, transpose_b: bool = False, gelu: bool = False, alpha: float = 1.0, beta: float | None = None,
         split_k: int | None = None, dtype: DType | None = None, aux_dtype: DType | None = None, aux: Literal[True],
         bias_grad_dtype: DType | None = None, bias_grad: Literal[True]) -> tuple[Tensor, Tensor, Tensor]: ...


def gemm(a: Operand, b: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
         transpose_a: bool = False, transpose_b: bool = False, gelu: bool = False, alpha: float = 1.0, beta: float | None = None,
         split_k: int | None = None, dtype: DType | None = None, aux_dtype: DType | None = None, aux: bool = False,
         bias_grad_dtype: DType | None = None, bias_grad: bool = False) -> Tensor | tuple[Tensor, ...]:
    """te.gemm: D = op(A) op(B), with what surrounds it in a linear layer.

    op(A) is M x K: A, or with `transpose_a` its last two dimensions exchanged; op(B) is K x N. D is M x N,
    row-major like all tensors: `te.gemm %x, %w transpose_b` is a forward pass x w^T, `te.gemm %dy, %w` the
    gradient of x, `te.gemm %dy, %x transpose_a` that of w. Where B has rank 2 and A is not transposed, A's leading
    dimensions are rows of one matrix, and D's too; else A, B and D have the same leading dimensions, and each pair
    of matrices is multiplied.

    Products are summed in f32 (f32 operands are not reduced). Then, in this order:
    1. v = alpha * AB + bias;
    2. `aux` = v, rounded to its type; with `gelu` v becomes gelu(v), with `dgelu(%z)` v * gelu'(z);
    3. with `accumulate(%c)`, v + beta * c (with beta = 0, c is not read);
    4. D = v, rounded to its type.

    With K = 0, AB is 0. `bias_grad` is the sum over the rows of A's values, as the op receives them (dequantized where
    A is quantized), in f32: where A is the gradient of y = x w^T + bias, the gradient of bias.

    A residual, another activation, a quantization of D are ops of their own, which `te-fuse` fuses into the same kernel.

    With `split_k = S`, which `te-split-k` makes, D is S x M x N of f32: each D[s] is the product over a part of K, and
    these parts make up K; which they are is the schedule's. `te.gemm_sum` adds them up. With a result `rest`, S x R x N of
    f32, it makes such splits of the last R rows alone (of M, where A has several dimensions of rows), and the other results hold nothing of these.

    Constraints: X1 ranks and leading dimensions, X2 K agrees, X3 shapes of the results and other operands, X4 element types,
    X5 scales do not change along K inside of a block that is summed, X6 both sides have one kind of scales, X7 gelu, dgelu and accumulate,
    X8 alpha and beta, X9 split_k.

    ```mlir
    %y = te.gemm %x, %w transpose_b bias(%b : tensor<6144xbf16>)
        : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<?x6144xbf16>
    %h, %z = te.gemm %x, %w transpose_b gelu
        : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<?x6144xbf16> aux tensor<?x6144xbf16>
    %dw, %db = te.gemm %dy, %x transpose_a accumulate(%main : tensor<6144x4096xf32>)
        : tensor<?x6144xbf16>, tensor<?x4096xbf16> -> tensor<6144x4096xf32> bias_grad tensor<6144xbf16>
    ```

    Arguments:
        a: a tensor, quantized or not
        b: a tensor, quantized or not
        bias: bf16, f16 or f32; optional
        dgelu: bf16, f16 or f32; optional
        accumulate: bf16, f16 or f32; optional
        transpose_a: a flag
        transpose_b: a flag
        gelu: a flag
        alpha: a number, kept as f32; 1.0 if not given
        beta: a number, kept as f32; optional
        split_k: an integer; optional
        dtype: the element type of result; without, a's; optional
        aux_dtype: the element type of aux; without, of the result; optional
        aux: asks for this result
        bias_grad_dtype: the element type of bias_grad; without, a's; optional
        bias_grad: asks for this result

    Returns:
        result: shape [..., M, N], elements dtype
        aux: shape [..., M, N], elements aux_dtype; if asked for
        bias_grad: shape a.shape[-1:], elements bias_grad_dtype; if asked for
    """
    op = Op("te.gemm", sized_operands=True, sized_results=True)
    a = op.tensor("a", a)
    b = op.tensor("b", b)
    op.optional("bias", bias)
    op.optional("dgelu", dgelu)
    op.optional("accumulate", accumulate)
    op.flag("transpose_a", transpose_a)
    op.flag("transpose_b", transpose_b)
    op.flag("gelu", gelu)
    op.f32("alpha", alpha)
    op.f32("beta", beta)
    op.integer("split_k", split_k, "i64")
    dtype = op.float_like(dtype, a)
    op.result(_shapes.product(a, b, transpose_a, transpose_b, split_k), dtype)
    if op.asked("aux", aux):
        op.result(_shapes.product(a, b, transpose_a, transpose_b, split_k), aux_dtype or dtype)
    else:
        op.no_result()
    if op.asked("bias_grad", bias_grad):
        op.result(_shapes.summed(a), op.float_like(bias_grad_dtype, a, "bias_grad_dtype"))
    else:
        op.no_result()
    op.no_result()
    return op.some()


@overload
def gemm_sum(partials: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
             gelu: bool = False, alpha: float = 1.0, beta: float | None = None, dtype: DType | None = None, aux_dtype: DType | None = None,
             aux: Literal[False] = False) -> Tensor: ...


@overload
def gemm_sum(partials: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
             gelu: bool = False, alpha: float = 1.0, beta: float | None = None, dtype: DType | None = None, aux_dtype: DType | None = None,
             aux: Literal[True]) -> tuple[Tensor, Tensor]: ...


def gemm_sum(partials: Operand, *, bias: Operand | None = None, dgelu: Operand | None = None, accumulate: Operand | None = None,
             gelu: bool = False, alpha: float = 1.0, beta: float | None = None, dtype: DType | None = None, aux_dtype: DType | None = None,
             aux: bool = False) -> Tensor | tuple[Tensor, ...]:
    """te.gemm_sum: the sum of a product's splits, and what surrounds it.

    AB is the sum of `partials` (S x M x N, f32), which a `te.gemm` with `split_k = S` made: the first, plus the second, and
    so on. What follows is that of `te.gemm`, steps 1 to 4. `te-split-k` makes it. Splits of fewer rows than D has are of
    the last ones, what `rest` of `te.gemm` gave: then nothing is computed of the other rows.

    Constraints: X3 shapes, X7 gelu, dgelu and accumulate, X8 alpha and beta, X9 split_k.

    ```mlir
    %p = te.gemm %x, %w transpose_b {split_k = 4 : i64}
        : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<4x?x6144xf32>
    %y = te.gemm_sum %p bias(%b : tensor<6144xbf16>) : tensor<4x?x6144xf32> -> tensor<?x6144xbf16>
    ```

    Arguments:
        partials: bf16, f16 or f32
        bias: bf16, f16 or f32; optional
        dgelu: bf16, f16 or f32; optional
        accumulate: bf16, f16 or f32; optional
        gelu: a flag
        alpha: a number, kept as f32; 1.0 if not given
        beta: a number, kept as f32; optional
        dtype: the element type of result; without, partials's; optional
        aux_dtype: the element type of aux; without, of the result; optional
        aux: asks for this result

    Returns:
        result: shape partials.shape[1:], elements dtype
        aux: shape partials.shape[1:], elements aux_dtype; if asked for
    """
    op = Op("te.gemm_sum", sized_operands=True)
    partials = op.tensor("partials", partials)
    op.optional("bias", bias)
    op.optional("dgelu", dgelu)
    op.optional("accumulate", accumulate)
    op.flag("gelu", gelu)
    op.f32("alpha", alpha)
    op.f32("beta", beta)
    dtype = op.float_like(dtype, partials)
    op.result(partials.shape[1:], dtype)
    if op.asked("aux", aux):
        op.result(partials.shape[1:], aux_dtype or dtype)
    return op.some()


def layer_norm(input: Operand, gamma: Operand, beta: Operand, epsilon: float, *, zero_centered_gamma: bool = False,
               dtype: DType | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """te.layer_norm: y = (x - mu) * rsigma * g + beta, rsigma = 1 / sqrt(var + epsilon).

    Each row (the last dimension) is normalized by itself, in f32, and rounded once to the result's
    type. g is gamma, or gamma + 1 with `zero_centered_gamma`. The statistics are f32, one a row,
    in the shape of the other dimensions.

    Constraints: N1 the result has the input's shape and a statistic that shape without the last
    dimension; N2 gamma and beta have the size of the last dimension; N3 epsilon is finite and not
    negative.

    mu is the row's mean, var its biased variance.

    ```mlir
    %y, %mu, %rsigma = te.layer_norm %x, %gamma, %beta {epsilon = 1.0e-5 : f32}
        : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
        -> tensor<?x4096xbf16>, tensor<?xf32>, tensor<?xf32>
    ```

    Arguments:
        input: bf16, f16 or f32
        gamma: bf16, f16 or f32
        beta: bf16, f16 or f32
        epsilon: a number, kept as f32
        zero_centered_gamma: a flag
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape, elements dtype
        mu: shape input.shape[:-1], elements f32
        rsigma: shape input.shape[:-1], elements f32
    """
    op = Op("te.layer_norm")
    input = op.tensor("input", input)
    op.tensor("gamma", gamma)
    op.tensor("beta", beta)
    op.f32("epsilon", epsilon)
    op.flag("zero_centered_gamma", zero_centered_gamma)
    op.result(input.shape, op.float_like(dtype, input))
    op.result(input.shape[:-1], "f32")
    op.result(input.shape[:-1], "f32")
    result, mu, rsigma = op.many()
    return result, mu, rsigma


def layer_norm_bwd(grad: Operand, input: Operand, gamma: Operand, mu: Operand, rsigma: Operand, *, zero_centered_gamma: bool = False,
                   dtype: DType | None = None, dgamma_dtype: DType | None = None,
                   dbeta_dtype: DType | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """te.layer_norm_bwd: gradients of te.layer_norm.

    With xh = (x - mu) * rsigma and dyh = dy * g: dx = rsigma * (dyh - mean(dyh) - xh * mean(dyh * xh)),
    dgamma = the sum of dy * xh over the rows, dbeta = the sum of dy, in f32 in an order that is always
    the same. Constraints N1, N2 as of the norm.

    ```mlir
    %dx, %dgamma, %dbeta = te.layer_norm_bwd %dy, %x, %gamma, %mu, %rsigma
        : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>, tensor<?xf32>
        -> tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
    ```

    Arguments:
        grad: bf16, f16 or f32
        input: bf16, f16 or f32
        gamma: bf16, f16 or f32
        mu: f32
        rsigma: f32
        zero_centered_gamma: a flag
        dtype: the element type of dx; without, input's; optional
        dgamma_dtype: the element type of dgamma; without, gamma's; optional
        dbeta_dtype: the element type of dbeta; without, gamma's; optional

    Returns:
        dx: shape input.shape, elements dtype
        dgamma: shape gamma.shape, elements dgamma_dtype
        dbeta: shape gamma.shape, elements dbeta_dtype
    """
    op = Op("te.layer_norm_bwd")
    op.tensor("grad", grad)
    input = op.tensor("input", input)
    gamma = op.tensor("gamma", gamma)
    op.tensor("mu", mu)
    op.tensor("rsigma", rsigma)
    op.flag("zero_centered_gamma", zero_centered_gamma)
    op.result(input.shape, op.float_like(dtype, input))
    op.result(gamma.shape, op.float_like(dgamma_dtype, gamma, "dgamma_dtype"))
    op.result(gamma.shape, op.float_like(dbeta_dtype, gamma, "dbeta_dtype"))
    dx, dgamma, dbeta = op.many()
    return dx, dgamma, dbeta


def partial_amax(shard: Operand, start: Operand, of: Sequence[TensorType]) -> tuple[Tensor, ...]:
    """te.partial_amax: each block's amax over a shard of a tensor.

    The operand is what one rank holds of a weight that is split over many: elements `start` up to `start` + length of
    the tensor, flattened in row-major order. `of` says what the whole becomes, one or two types, as te.quantize's
    results: their static shape, element type and block scheme. `start` is on the device, so that one program is every
    rank's. Elements of the shard that the tensor does not have count for nothing, and are not written.

    Constraints: P1 the types in `of` have one static shape; P2 they are fp8 in blocks, data and scales linear, at most
    one rowwise and one columnwise, the rowwise first; P3 amaxes and scales are one number a block, (ceil(M/R),
    ceil(K/C)) for each type; P4 codes have the shard's length and the type's element type.


    A block that the shard has nothing of has amax 0, so that the largest over all ranks is the block's.

    ```mlir
    %a = te.partial_amax %shard at %start of [!te.scaled<4096x4096xf8E4M3FN, #te.scaling<block = [128, 128], scale = f32>>]
        : tensor<?xbf16>, tensor<i64> -> tensor<32x32xf32>
    ```

    Arguments:
        shard: 1-D tensor of bf16, f16 or f32
        start: one number (no dimensions), i64
        of: types that te.tensor(...) makes

    Returns:
        a tensor for each type: f32, a number a block
    """
    op = Op("te.partial_amax")
    op.tensor("shard", shard)
    op.tensor("start", start)
    op.types("of", of)
    for whole in of:
        op.result(_shapes.blocks(whole), "f32")
    return tuple(op.many())


def partial_cast(shard: Operand, start: Operand, scales: Sequence[Operand], of: Sequence[TensorType]) -> tuple[Tensor, ...]:
    """te.partial_cast: the codes of a shard of a tensor, by its blocks' scales.

    The operand is what one rank holds of a weight that is split over many: elements `start` up to `start` + length of
    the tensor, flattened in row-major order. `of` says what the whole becomes, one or two types, as te.quantize's
    results: their static shape, element type and block scheme. `start` is on the device, so that one program is every
    rank's. Elements of the shard that the tensor does not have count for nothing, and are not written.

    Constraints: P1 the types in `of` have one static shape; P2 they are fp8 in blocks, data and scales linear, at most
    one rowwise and one columnwise, the rowwise first; P3 amaxes and scales are one number a block, (ceil(M/R),
    ceil(K/C)) for each type; P4 codes have the shard's length and the type's element type.


    Scales are given for each type: f32 ones multiply on the way in; E8M0 ones are bytes b, and 2^(127 - b) does.

    ```mlir
    %q, %qc = te.partial_cast %shard at %start scales(%s, %sc : tensor<64x2xf8E8M0FNU>, tensor<2x64xf8E8M0FNU>)
        of [!te.scaled<64x64xf8E4M3FN, #row>, !te.scaled<64x64xf8E4M3FN, #col>]
        : tensor<?xbf16>, tensor<i64> -> tensor<?xf8E4M3FN>, tensor<?xf8E4M3FN>
    ```

    Arguments:
        shard: 1-D tensor of bf16, f16 or f32
        start: one number (no dimensions), i64
        scales: f32 or f8E8M0FNU
        of: types that te.tensor(...) makes

    Returns:
        a tensor for each type: codes, shape shard.shape
    """
    op = Op("te.partial_cast")
    shard = op.tensor("shard", shard)
    op.tensor("start", start)
    op.tensors("scales", scales)
    op.types("of", of)
    for whole in of:
        op.result(shard.shape, _shapes.codes(whole))
    return tuple(op.many())


def permute(input: Operand, permutation: Sequence[int]) -> Tensor:
    """te.permute: a tensor with its dimensions in another order.

    Dimension i of the result is dimension `permutation[i]` of the input. Nothing is moved where the last dimension
    stays the last, or the last two change places: kernels of the ops that read the result load its tiles from where
    the input lies, rows by their numbers, or transposed. What a kernel computes itself, of two dimensions, it transposes
    in registers (F12). `te-fuse` makes other orders from these, and of the last two
    dimensions of a `te.gemm`'s operand it makes `transpose_a` or `transpose_b`.

    Constraints: D5 `permutation` names each dimension of the input once; D6 the result has the input's element type
    and its sizes, in that order.

    ```mlir
    %t = te.permute %x [1, 0] : tensor<?x4096xbf16> -> tensor<4096x?xbf16>
    ```

    Arguments:
        input: bf16, f16 or f32
        permutation: integers

    Returns:
        result: shape input.shape, reordered, elements input.dtype
    """
    op = Op("te.permute")
    input = op.tensor("input", input)
    op.i64s("permutation", permutation)
    op.result(_shapes.permuted(input, permutation), input.dtype)
    return op.one()


@overload
def quantize(input: Operand, scheme: Scaled, other: None = None, *, with_amax: Literal[False] = False, scale: Operand | None = None,
             amax: Operand | None = None, noop: Operand | None = None, rng: Operand | None = None, hadamard: bool = False,
             sign_mask: int | None = None, stochastic: bool = False, epsilon: float | None = None) -> Tensor: ...


@overload
def quantize(input: Operand, scheme: Scaled, other: Scaled, *, with_amax: Literal[False] = False, scale: Operand | None = None,
             amax: Operand | None = None, noop: Operand | None = None, rng: Operand | None = None, hadamard: bool = False,
             sign_mask: int | None = None, stochastic: bool = False, epsilon: float | None = None) -> tuple[Tensor, Tensor]: ...


@overload
def quantize(input: Operand, scheme: Scaled, other: None = None, *, with_amax: Literal[True], scale: Operand | None = None,
             amax: Operand | None = None, noop: Operand | None = None, rng: Operand | None = None, hadamard: bool = False,
             sign_mask: int | None = None, stochastic: bool = False, epsilon: float | None = None) -> tuple[Tensor, Tensor]: ...


@overload
def quantize(input: Operand, scheme: Scaled, other: Scaled, *, with_amax: Literal[True], scale: Operand | None = None,
             amax: Operand | None = None, noop: Operand | None = None, rng: Operand | None = None, hadamard: bool = False,
             sign_mask: int | None = None, stochastic: bool = False, epsilon: float | None = None) -> tuple[Tensor, Tensor, Tensor]: ...


def quantize(input: Operand, scheme: Scaled, other: Scaled | None = None, *, with_amax: bool = False, scale: Operand | None = None,
             amax: Operand | None = None, noop: Operand | None = None, rng: Operand | None = None, hadamard: bool = False,
             sign_mask: int | None = None, stochastic: bool = False, epsilon: float | None = None) -> Tensor | tuple[Tensor, ...]:
    """te.quantize: quantize a tensor rowwise, columnwise or both from one read.

    Each `!te.scaled` result is quantized from the high-precision input by its own
    type's scheme (never from the other result); a result whose scheme is columnwise comes second.
    A last `tensor<f32>` result is max |x| over the whole input, NaN ignored.

    `scale(%s)` gives the multiplier of per-tensor (delayed) scaling; without it a
    `tensor` scheme is current scaling, from the input's own amax, or from `amax(%a)` where that is
    known already (te-fuse computes it in a kernel of its own). `noop(%flag)`: where the flag is 1.0 every
    result keeps what its buffer kept before.

    Constraints, from `docs/spec.md`: Q1 shapes agree, Q2 which results and in which
    order, Q3 at most one rowwise and one columnwise result, Q4 `scale` needs `tensor`
    schemes, Q5 `stochastic` needs fp4 and `rng`, Q6 `hadamard` needs fp4, Q7 `epsilon`
    needs f32 scales that are computed for a tensor or block, Q8 both results of a `tensor` scheme hold one element type,
    Q9 `amax` needs current scaling and no amax result.

    dequantize(quantize(x)) is not x: the rounding is what the program asks for, so neither op
    folds the other away. Results that nobody uses are dropped; with only the amax left the op becomes
    `te.amax`.

    ```mlir
    %q, %qc = te.quantize %x : tensor<?x4096xbf16>
        -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
    %q, %amax = te.quantize %x scale(%s : tensor<f32>) : tensor<?x4096xbf16>
        -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<tensor, scale = f32>>, tensor<f32>
    ```

    Arguments:
        input: bf16, f16 or f32
        scheme: what te.scaled(...) makes: the first result's element type and scheme
        other: that of a second, columnwise result; optional
        with_amax: asks for a last result: the amax of the input
        scale: one number (no dimensions), f32; optional
        amax: one number (no dimensions), f32; optional
        noop: one number (no dimensions), f32; optional
        rng: 1-D tensor of i64; optional
        hadamard: a flag
        sign_mask: an integer of 32 bits; optional
        stochastic: a flag
        epsilon: a number, kept as f32; optional

    Returns:
        the quantized tensors; then, if asked for, the amax, f32[]
    """
    op = Op("te.quantize", sized_operands=True)
    input = op.tensor("input", input)
    op.optional("scale", scale)
    op.optional("amax", amax)
    op.optional("noop", noop)
    op.optional("rng", rng)
    op.flag("hadamard", hadamard)
    op.integer("sign_mask", sign_mask, "i32")
    op.flag("stochastic", stochastic)
    op.f32("epsilon", epsilon)
    op.result(input.shape, op.scheme("scheme", scheme))
    if other is not None:
        op.result(input.shape, op.scheme("other", other))
    if op.asked("with_amax", with_amax):
        op.result((), "f32")
    return op.some()


def relayout(input: Operand, scheme: Scaled) -> Tensor:
    """te.relayout: the same quantized tensor in another order in memory.

    From one `scale_layout` to another, from linear data to `shuffle_16x16` or back, or both. Codes and scales stay,
    padding is the result type's; where the input repeats a 32 x 32 scale over its rows, the first is read. Of a
    `te.quantize`'s result that nobody else uses `te-fuse` makes that op's own result.

    Constraints: D1 the result has the input's logical shape; D3 both have one element type and, but for
    `scale_layout` and `data_layout`, one scheme; D4 both are transposed, or neither.

    ```mlir
    %s = te.relayout %q : !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
        -> !te.scaled<?x4096xf8E4M3FN,
               #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>>
    ```

    Arguments:
        input: a quantized tensor
        scheme: what te.scaled(...) makes: the result's element type and scheme

    Returns:
        result: shape input.shape, elements scheme
    """
    op = Op("te.relayout")
    input = op.tensor("input", input)
    op.result(input.shape, op.scheme("scheme", scheme))
    return op.one()


def rms_norm(input: Operand, gamma: Operand, epsilon: float, *, zero_centered_gamma: bool = False,
             dtype: DType | None = None) -> tuple[Tensor, Tensor]:
    """te.rms_norm: y = x * rsigma * g, rsigma = 1 / sqrt(mean(x^2) + epsilon).

    Each row (the last dimension) is normalized by itself, in f32, and rounded once to the result's
    type. g is gamma, or gamma + 1 with `zero_centered_gamma`. The statistics are f32, one a row,
    in the shape of the other dimensions.

    Constraints: N1 the result has the input's shape and a statistic that shape without the last
    dimension; N2 gamma and beta have the size of the last dimension; N3 epsilon is finite and not
    negative.


    ```mlir
    %y, %rsigma = te.rms_norm %x, %gamma {epsilon = 1.0e-5 : f32}
        : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
    ```

    Arguments:
        input: bf16, f16 or f32
        gamma: bf16, f16 or f32
        epsilon: a number, kept as f32
        zero_centered_gamma: a flag
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape, elements dtype
        rsigma: shape input.shape[:-1], elements f32
    """
    op = Op("te.rms_norm")
    input = op.tensor("input", input)
    op.tensor("gamma", gamma)
    op.f32("epsilon", epsilon)
    op.flag("zero_centered_gamma", zero_centered_gamma)
    op.result(input.shape, op.float_like(dtype, input))
    op.result(input.shape[:-1], "f32")
    result, rsigma = op.many()
    return result, rsigma


def rms_norm_bwd(grad: Operand, input: Operand, gamma: Operand, rsigma: Operand, *, add: Operand | None = None,
                 zero_centered_gamma: bool = False, dtype: DType | None = None, dgamma_dtype: DType | None = None) -> tuple[Tensor, Tensor]:
    """te.rms_norm_bwd: gradients of te.rms_norm.

    With xh = x * rsigma and dyh = dy * g: dx = rsigma * (dyh - xh * mean(dyh * xh)), dgamma = the sum of
    dy * xh over the rows, in f32 in an order that is always the same. `add`, the gradient that comes through a
    residual connection, is added to dx before it is rounded, once. Constraints N1 (add has the input's shape), N2 as of
    the norm.

    ```mlir
    %dx, %dgamma = te.rms_norm_bwd %dy, %x, %gamma, %rsigma
        : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>
        -> tensor<?x4096xbf16>, tensor<4096xbf16>
    %dr, %dgamma2 = te.rms_norm_bwd %dy, %x, %gamma, %rsigma add(%dsum : tensor<?x4096xbf16>)
        : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>
        -> tensor<?x4096xbf16>, tensor<4096xbf16>
    ```

    Arguments:
        grad: bf16, f16 or f32
        input: bf16, f16 or f32
        gamma: bf16, f16 or f32
        rsigma: f32
        add: bf16, f16 or f32; optional
        zero_centered_gamma: a flag
        dtype: the element type of dx; without, input's; optional
        dgamma_dtype: the element type of dgamma; without, gamma's; optional

    Returns:
        dx: shape input.shape, elements dtype
        dgamma: shape gamma.shape, elements dgamma_dtype
    """
    op = Op("te.rms_norm_bwd")
    op.tensor("grad", grad)
    input = op.tensor("input", input)
    gamma = op.tensor("gamma", gamma)
    op.tensor("rsigma", rsigma)
    op.optional("add", add)
    op.flag("zero_centered_gamma", zero_centered_gamma)
    op.result(input.shape, op.float_like(dtype, input))
    op.result(gamma.shape, op.float_like(dgamma_dtype, gamma, "dgamma_dtype"))
    dx, dgamma = op.many()
    return dx, dgamma


def rope(format: SequenceFormat, input: Operand, freqs: Operand, *, start_positions: Operand | None = None,
         cu_seqlens: Operand | None = None, interleaved: bool = False, cp_size: int = 1, cp_rank: int = 0,
         dtype: DType | None = None) -> Tensor:
    """te.rope: rotary embedding: y_i = x_i * cos(f_i) + rot(x)_i * sin(f_i).

    The input is (s, b, h, d), (b, s, h, d) or, with `thd`, (t, h, d): the tokens of all sequences after each
    other, sequence b from `cu_seqlens[b]` up to `cu_seqlens[b + 1]`, which start at 0 and do not decrease.
    `freqs` is (positions, d2): the angle of each position and column. Columns from d2 on are copied.

    A token's position is its place in its sequence plus `start_positions[b]`. With `cp_size` > 1 the tensor
    holds what rank `cp_rank` has of each sequence, chunks r and 2 * cp_size - 1 - r of the 2 * cp_size equal
    ones, one after the other; `cu_seqlens` are those of the whole sequences. A token outside of all
    sequences, or with a position outside of freqs, is copied.

    Constraints: R1 the input has rank 4 (`thd`: 3), and the result its shape; R2 d2 is even and at most d;
    R3 start_positions have one number a sequence; R4 cu_seqlens go with `thd`, one more than there are
    sequences; R5 0 <= cp_rank < cp_size, and s is even where cp_size is not 1.


    rot(x)_i is -x_{i + d2/2} in the first half of the d2 columns and x_{i - d2/2} in the second;
    with `interleaved`, -x_{i+1} in even columns and x_{i-1} in odd ones. In f32, rounded once; sin and
    cos are accurate at any angle.

    ```mlir
    %y = te.rope sbhd %x, %freqs : tensor<?x2x32x128xbf16>, tensor<8192x64xf32> -> tensor<?x2x32x128xbf16>
    %z = te.rope thd %x, %freqs cu_seqlens(%c : tensor<9xi32>) {interleaved, cp_size = 2 : i64, cp_rank = 1 : i64}
        : tensor<?x32x128xbf16>, tensor<8192x128xf32> -> tensor<?x32x128xbf16>
    ```

    Arguments:
        format: which dimension is sequence (or all tokens), batch, head, column: sbhd, bshd, thd
        input: bf16, f16 or f32
        freqs: 2-D tensor of f32
        start_positions: 1-D tensor of i32; optional
        cu_seqlens: 1-D tensor of i32; optional
        interleaved: a flag
        cp_size: an integer; 1 if not given
        cp_rank: an integer; 0 if not given
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape, elements dtype
    """
    op = Op("te.rope", sized_operands=True)
    op.enum("format", format, "sequence_format", get_args(SequenceFormat))
    input = op.tensor("input", input)
    op.tensor("freqs", freqs)
    op.optional("start_positions", start_positions)
    op.optional("cu_seqlens", cu_seqlens)
    op.flag("interleaved", interleaved)
    op.integer("cp_size", cp_size, "i64")
    op.integer("cp_rank", cp_rank, "i64")
    op.result(input.shape, op.float_like(dtype, input))
    return op.one()


def rope_bwd(format: SequenceFormat, input: Operand, freqs: Operand, *, start_positions: Operand | None = None,
             cu_seqlens: Operand | None = None, interleaved: bool = False, cp_size: int = 1, cp_rank: int = 0,
             dtype: DType | None = None) -> Tensor:
    """te.rope_bwd: gradient of te.rope: dx_i = g_i * cos(f_i) + rot'(g, f)_i.

    The input is (s, b, h, d), (b, s, h, d) or, with `thd`, (t, h, d): the tokens of all sequences after each
    other, sequence b from `cu_seqlens[b]` up to `cu_seqlens[b + 1]`, which start at 0 and do not decrease.
    `freqs` is (positions, d2): the angle of each position and column. Columns from d2 on are copied.

    A token's position is its place in its sequence plus `start_positions[b]`. With `cp_size` > 1 the tensor
    holds what rank `cp_rank` has of each sequence, chunks r and 2 * cp_size - 1 - r of the 2 * cp_size equal
    ones, one after the other; `cu_seqlens` are those of the whole sequences. A token outside of all
    sequences, or with a position outside of freqs, is copied.

    Constraints: R1 the input has rank 4 (`thd`: 3), and the result its shape; R2 d2 is even and at most d;
    R3 start_positions have one number a sequence; R4 cu_seqlens go with `thd`, one more than there are
    sequences; R5 0 <= cp_rank < cp_size, and s is even where cp_size is not 1.


    rot'(g, f)_i is g_j * sin(f_j), where j = i + d2/2, in the first half of the d2 columns, and -g_j * sin(f_j),
    where j = i - d2/2, in the second; with `interleaved`, g_j * sin(f_j), where j = i + 1, in even columns and
    -g_j * sin(f_j), where j = i - 1, in odd ones. The sine is the partner's. In f32, rounded once.

    ```mlir
    %dx = te.rope_bwd bshd %dy, %freqs start_positions(%p : tensor<2xi32>)
        : tensor<2x?x32x128xbf16>, tensor<8192x64xf32> -> tensor<2x?x32x128xbf16>
    ```

    Arguments:
        format: which dimension is sequence (or all tokens), batch, head, column: sbhd, bshd, thd
        input: bf16, f16 or f32
        freqs: 2-D tensor of f32
        start_positions: 1-D tensor of i32; optional
        cu_seqlens: 1-D tensor of i32; optional
        interleaved: a flag
        cp_size: an integer; 1 if not given
        cp_rank: an integer; 0 if not given
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape, elements dtype
    """
    op = Op("te.rope_bwd", sized_operands=True)
    op.enum("format", format, "sequence_format", get_args(SequenceFormat))
    input = op.tensor("input", input)
    op.tensor("freqs", freqs)
    op.optional("start_positions", start_positions)
    op.optional("cu_seqlens", cu_seqlens)
    op.flag("interleaved", interleaved)
    op.integer("cp_size", cp_size, "i64")
    op.integer("cp_rank", cp_rank, "i64")
    op.result(input.shape, op.float_like(dtype, input))
    return op.one()


def softmax(input: Operand, *, scale: float = 1.0, causal: bool = False, dtype: DType | None = None) -> Tensor:
    """te.softmax: softmax over the last dimension, of a scaled input.

    z = scale * x. Each row (the last dimension) gives exp(z - max z) / sum exp(z - max z), in f32, rounded once to the
    result's type. With `causal` the last two dimensions are queries and keys, and query i sees the keys up to
    i + keys - queries, so that the last query sees all of them. What it does not see is not read, and gives 0. A row that sees nothing,
    or -Inf alone, is 0; one that sees a NaN or +Inf is NaN.

    Constraints: C1 the result has the input's shape, of rank 1 at least; C2 the scale is finite; C3 `causal` needs rank 2 at least.

    ```mlir
    %p = te.softmax %s {scale = 1.250000e-01 : f32, causal} : tensor<?x16x?x?xf32> -> tensor<?x16x?x?xbf16>
    ```

    Arguments:
        input: bf16, f16 or f32
        scale: a number, kept as f32; 1.0 if not given
        causal: a flag
        dtype: the element type of result; without, input's; optional

    Returns:
        result: shape input.shape, elements dtype
    """
    op = Op("te.softmax")
    input = op.tensor("input", input)
    op.f32("scale", scale)
    op.flag("causal", causal)
    op.result(input.shape, op.float_like(dtype, input))
    return op.one()


def softmax_bwd(grad: Operand, y: Operand, *, scale: float = 1.0, causal: bool = False, dtype: DType | None = None) -> Tensor:
    """te.softmax_bwd: gradient of te.softmax: dx = scale * y * (dy - sum dy * y).

    `y` is what te.softmax gave, and the sum is over each row. In f32, rounded once to the result's type. With `causal`,
    what a query does not see is not read, and its gradient is 0.

    Constraints: C1 y and the result have the gradient's shape, of rank 1 at least; C2 the scale is finite; C3 `causal` needs rank 2 at least.

    ```mlir
    %ds = te.softmax_bwd %dp, %p {scale = 1.250000e-01 : f32, causal}
        : tensor<?x16x?x?xbf16>, tensor<?x16x?x?xbf16> -> tensor<?x16x?x?xbf16>
    ```

    Arguments:
        grad: bf16, f16 or f32
        y: bf16, f16 or f32
        scale: a number, kept as f32; 1.0 if not given
        causal: a flag
        dtype: the element type of dx; without, grad's; optional

    Returns:
        dx: shape grad.shape, elements dtype
    """
    op = Op("te.softmax_bwd")
    grad = op.tensor("grad", grad)
    op.tensor("y", y)
    op.f32("scale", scale)
    op.flag("causal", causal)
    op.result(grad.shape, op.float_like(dtype, grad))
    return op.one()


def transpose(input: Operand, scheme: Scaled | None = None) -> Tensor:
    """te.transpose: the other copy of a tensor whose copies hold the same codes.

    The data of a `tensor` scheme or of square blocks, transposed code by code: `data_layout = transposed` becomes
    another layout, or the other way round. Codes, scales and logical shape stay. Of a `te.quantize`'s result
    `te-fuse` makes that op's other result.

    Constraints: D1 the result has the input's logical shape; D2 both have one element type and, but for `data_layout`,
    one scheme, `tensor` or square blocks; one is transposed.

    ```mlir
    %t = te.transpose %q : !te.scaled<?x4096xf8E4M3FN, #te.scaling<tensor, scale = f32>>
        -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = transposed>>
    ```

    Arguments:
        input: a quantized tensor
        scheme: the result's; without, the input's with transposed data, or with linear data where the input's are transposed; optional

    Returns:
        result: shape input.shape, elements scheme
    """
    op = Op("te.transpose")
    input = op.tensor("input", input)
    op.result(input.shape, _shapes.other_copy(input) if scheme is None else op.scheme("scheme", scheme))
    return op.one()


@overload
def update_scale(algorithm: AmaxAlgorithm, history: Operand, scale: Operand, *, amax: Operand | None = None, element: DType,
                 margin: int = 0, scale_inv: Literal[False] = False) -> tuple[Tensor, Tensor]: ...


@overload
def update_scale(algorithm: AmaxAlgorithm, history: Operand, scale: Operand, *, amax: Operand | None = None, element: DType,
                 margin: int = 0, scale_inv: Literal[True]) -> tuple[Tensor, Tensor, Tensor]: ...


def update_scale(algorithm: AmaxAlgorithm, history: Operand, scale: Operand, *, amax: Operand | None = None, element: DType,
                 margin: int = 0, scale_inv: bool = False) -> Tensor | tuple[Tensor, ...]:
    """te.update_scale: delayed scaling after a step: a new amax history, new scales.

    The history is (L, S): the amaxes of S quantized tensors, the latest in row 0; or (L), of one. For each:
    1. last = `amax`, where it is given and not 0, else history[0].
    2. Where last is 0, history and scale stay as they are. Else a = last with `most_recent`; with `max` the
       largest of last and history[1], ..., history[L - 1], NaN ignored.
    3. The new history is 0, history[2], ..., history[L - 1], last; of length 1, it is 0. (What
       leaves the history, history[1], still counts in a.)
    4. Where a is finite and greater than 0, the new scale is largest * 2^-margin / a, at most the largest f32;
       else the scale stays. `largest` is that of the element type.

    A third result is 1 / scale.

    Constraints: U1 the scales, amaxes and results have one number a tensor, in the shape of the history
    without its first dimension, which is at least 1; U2 the element type is one of fp8; U3 margin is
    from -64 to 64.

    ```mlir
    %h, %s, %si = te.update_scale max %history, %scale amax(%a : tensor<?xf32>) for f8E4M3FN
        : tensor<1024x?xf32>, tensor<?xf32> -> tensor<1024x?xf32>, tensor<?xf32> scale_inv tensor<?xf32>
    ```

    Arguments:
        algorithm: the amax that a delayed scale is computed from: max, most_recent
        history: f32
        scale: f32
        amax: f32; optional
        element: an element type
        margin: an integer; 0 if not given
        scale_inv: asks for this result

    Returns:
        new_history: shape history.shape, elements f32
        new_scale: shape scale.shape, elements f32
        scale_inv: shape scale.shape, elements f32; if asked for
    """
    op = Op("te.update_scale")
    op.enum("algorithm", algorithm, "amax_algorithm", get_args(AmaxAlgorithm))
    history = op.tensor("history", history)
    scale = op.tensor("scale", scale)
    op.optional("amax", amax)
    op.dtype("element", element)
    op.integer("margin", margin, "i64")
    op.result(history.shape, "f32")
    op.result(scale.shape, "f32")
    if op.asked("scale_inv", scale_inv):
        op.result(scale.shape, "f32")
    return op.some()


def addf(a: Number, b: Number) -> Tensor:
    """arith.addf: a + b.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.addf", [a, b])


def subf(a: Number, b: Number) -> Tensor:
    """arith.subf: a - b.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.subf", [a, b])


def mulf(a: Number, b: Number) -> Tensor:
    """arith.mulf: a * b.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.mulf", [a, b])


def divf(a: Number, b: Number) -> Tensor:
    """arith.divf: a / b.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.divf", [a, b])


def negf(a: Number) -> Tensor:
    """arith.negf: -a, the sign bit flipped.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.negf", [a])


def maximumf(a: Number, b: Number) -> Tensor:
    """arith.maximumf: the larger one, 0 above -0; NaN where either is.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.maximumf", [a, b])


def minimumf(a: Number, b: Number) -> Tensor:
    """arith.minimumf: the smaller one, -0 below 0; NaN where either is.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.minimumf", [a, b])


def maxnumf(a: Number, b: Number) -> Tensor:
    """arith.maxnumf: the larger one, 0 above -0; the other where one is NaN.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.maxnumf", [a, b])


def minnumf(a: Number, b: Number) -> Tensor:
    """arith.minnumf: the smaller one, -0 below 0; the other where one is NaN.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.minnumf", [a, b])


def extf(a: Number, dtype: DType) -> Tensor:
    """arith.extf: the same value in a wider type.

    Elements: bf16, f16 or fp8, in tensors of one shape. Result: wider: f32; of fp8 bf16 or f16, too. Exact; other elements break L1.
    """
    return elementwise("arith.extf", [a], check_dtype(dtype, "dtype"))


def truncf(a: Number, dtype: DType) -> Tensor:
    """arith.truncf: rounded to nearest even; to fp8 as te.quantize casts: saturated, NaN stays.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: narrower, or fp8. Exact; other elements break L1.
    """
    return elementwise("arith.truncf", [a], check_dtype(dtype, "dtype"))


def cmpf(predicate: FloatPredicate, a: Number, b: Number) -> Tensor:
    """arith.cmpf: true where the predicate holds.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: i1. Exact; other elements break L1.
    """
    cases = {"false": 0, "oeq": 1, "ogt": 2, "oge": 3, "olt": 4, "ole": 5, "one": 6, "ord": 7, "ueq": 8, "ugt": 9, "uge": 10, "ult": 11,
             "ule": 12, "une": 13, "uno": 14, "true": 15}
    if not isinstance(predicate, str) or predicate not in cases:
        raise TypeError(f"arith.cmpf: predicate is {predicate!r}; there are {', '.join(cases)}")
    return elementwise("arith.cmpf", [a, b], "i1", predicate=cases[predicate])


def select(a: Number, b: Number, c: Number) -> Tensor:
    """arith.select: b where a is true, else c.

    Elements: i1, then two of f32, f16, bf16, i8, i32 or i64, in tensors of one shape. Result: like b and c. Exact; other elements break L1.
    """
    return elementwise("arith.select", [a, b, c], like=1)


def sitofp(a: Number) -> Tensor:
    """arith.sitofp: the signed integer, rounded to nearest even.

    Elements: i8, i32 or i64, in tensors of one shape. Result: f32. Exact; other elements break L1.
    """
    return elementwise("arith.sitofp", [a], "f32")


def uitofp(a: Number) -> Tensor:
    """arith.uitofp: the unsigned integer, rounded to nearest even.

    Elements: i8, i32 or i64, in tensors of one shape. Result: f32. Exact; other elements break L1.
    """
    return elementwise("arith.uitofp", [a], "f32")


def fptosi(a: Number, dtype: DType) -> Tensor:
    """arith.fptosi: rounded toward zero; unspecified beyond the signed type.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: i8, i32 or i64. Exact; other elements break L1.
    """
    return elementwise("arith.fptosi", [a], check_dtype(dtype, "dtype"))


def fptoui(a: Number, dtype: DType) -> Tensor:
    """arith.fptoui: rounded toward zero; unspecified beyond the unsigned type.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: i8, i32 or i64. Exact; other elements break L1.
    """
    return elementwise("arith.fptoui", [a], check_dtype(dtype, "dtype"))


def addi(a: Number, b: Number) -> Tensor:
    """arith.addi: a + b, modulo 2^width.

    Elements: i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.addi", [a, b])


def subi(a: Number, b: Number) -> Tensor:
    """arith.subi: a - b, modulo 2^width.

    Elements: i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.subi", [a, b])


def muli(a: Number, b: Number) -> Tensor:
    """arith.muli: a * b, modulo 2^width.

    Elements: i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.muli", [a, b])


def andi(a: Number, b: Number) -> Tensor:
    """arith.andi: bits of both.

    Elements: i1, i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.andi", [a, b])


def ori(a: Number, b: Number) -> Tensor:
    """arith.ori: bits of either.

    Elements: i1, i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.ori", [a, b])


def xori(a: Number, b: Number) -> Tensor:
    """arith.xori: bits of one of the two.

    Elements: i1, i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.xori", [a, b])


def maxsi(a: Number, b: Number) -> Tensor:
    """arith.maxsi: the larger one, signed.

    Elements: i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.maxsi", [a, b])


def minsi(a: Number, b: Number) -> Tensor:
    """arith.minsi: the smaller one, signed.

    Elements: i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.minsi", [a, b])


def maxui(a: Number, b: Number) -> Tensor:
    """arith.maxui: the larger one, unsigned.

    Elements: i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.maxui", [a, b])


def minui(a: Number, b: Number) -> Tensor:
    """arith.minui: the smaller one, unsigned.

    Elements: i8, i32 or i64, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("arith.minui", [a, b])


def cmpi(predicate: IntegerPredicate, a: Number, b: Number) -> Tensor:
    """arith.cmpi: true where the predicate holds.

    Elements: i8, i32 or i64, in tensors of one shape. Result: i1. Exact; other elements break L1.
    """
    cases = {"eq": 0, "ne": 1, "slt": 2, "sle": 3, "sgt": 4, "sge": 5, "ult": 6, "ule": 7, "ugt": 8, "uge": 9}
    if not isinstance(predicate, str) or predicate not in cases:
        raise TypeError(f"arith.cmpi: predicate is {predicate!r}; there are {', '.join(cases)}")
    return elementwise("arith.cmpi", [a, b], "i1", predicate=cases[predicate])


def absf(a: Number) -> Tensor:
    """math.absf: the sign bit cleared.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.absf", [a])


def copysign(a: Number, b: Number) -> Tensor:
    """math.copysign: |a| with the sign bit of b.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.copysign", [a, b])


def ceil(a: Number) -> Tensor:
    """math.ceil: the next whole number above.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.ceil", [a])


def floor(a: Number) -> Tensor:
    """math.floor: the next whole number below.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.floor", [a])


def trunc(a: Number) -> Tensor:
    """math.trunc: the next whole number toward zero.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.trunc", [a])


def round(a: Number) -> Tensor:
    """math.round: the nearest whole number, ties away from zero.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.round", [a])


def roundeven(a: Number) -> Tensor:
    """math.roundeven: the nearest whole number, ties to even.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.roundeven", [a])


def clampf(a: Number, b: Number, c: Number) -> Tensor:
    """math.clampf: min(max(a, b), c), b at most c; NaN stays.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Exact; other elements break L1.
    """
    return elementwise("math.clampf", [a, b, c])


def fma(a: Number, b: Number, c: Number) -> Tensor:
    """math.fma: a * b + c.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.fma", [a, b, c])


def sqrt(a: Number) -> Tensor:
    """math.sqrt: the square root.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.sqrt", [a])


def rsqrt(a: Number) -> Tensor:
    """math.rsqrt: 1 / sqrt(a).

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.rsqrt", [a])


def cbrt(a: Number) -> Tensor:
    """math.cbrt: the cube root.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.cbrt", [a])


def exp(a: Number) -> Tensor:
    """math.exp: e^a.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.exp", [a])


def exp2(a: Number) -> Tensor:
    """math.exp2: 2^a.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.exp2", [a])


def expm1(a: Number) -> Tensor:
    """math.expm1: e^a - 1.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.expm1", [a])


def log(a: Number) -> Tensor:
    """math.log: the natural logarithm.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.log", [a])


def log2(a: Number) -> Tensor:
    """math.log2: the logarithm to base 2.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.log2", [a])


def log10(a: Number) -> Tensor:
    """math.log10: the logarithm to base 10.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.log10", [a])


def log1p(a: Number) -> Tensor:
    """math.log1p: ln(1 + a).

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.log1p", [a])


def powf(a: Number, b: Number) -> Tensor:
    """math.powf: a^b, as C's pow.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.powf", [a, b])


def sin(a: Number) -> Tensor:
    """math.sin: the sine, of any angle.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.sin", [a])


def cos(a: Number) -> Tensor:
    """math.cos: the cosine, of any angle.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.cos", [a])


def tan(a: Number) -> Tensor:
    """math.tan: the tangent, of any angle.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.tan", [a])


def asin(a: Number) -> Tensor:
    """math.asin: the inverse of the sine.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.asin", [a])


def acos(a: Number) -> Tensor:
    """math.acos: the inverse of the cosine.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.acos", [a])


def atan(a: Number) -> Tensor:
    """math.atan: the inverse of the tangent.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.atan", [a])


def atan2(a: Number, b: Number) -> Tensor:
    """math.atan2: the angle of the point (b, a), as C's atan2.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.atan2", [a, b])


def sinh(a: Number) -> Tensor:
    """math.sinh: the hyperbolic sine.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.sinh", [a])


def cosh(a: Number) -> Tensor:
    """math.cosh: the hyperbolic cosine.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.cosh", [a])


def tanh(a: Number) -> Tensor:
    """math.tanh: the hyperbolic tangent.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.tanh", [a])


def asinh(a: Number) -> Tensor:
    """math.asinh: the inverse of sinh.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.asinh", [a])


def acosh(a: Number) -> Tensor:
    """math.acosh: the inverse of cosh.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.acosh", [a])


def atanh(a: Number) -> Tensor:
    """math.atanh: the inverse of tanh.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.atanh", [a])


def erf(a: Number) -> Tensor:
    """math.erf: the error function.

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.erf", [a])


def erfc(a: Number) -> Tensor:
    """math.erfc: 1 - erf(a).

    Elements: f32, f16 or bf16, in tensors of one shape. Result: like the operands. Within the bounds of "math" in docs/spec.md; other
    elements break L1.
    """
    return elementwise("math.erfc", [a])


__all__ = [
    "activation", "activation_bwd", "amax", "attention", "bias_add", "bias_grad", "copy", "dequantize", "dim", "full_like",
    "gated_activation", "gated_activation_bwd", "gemm", "gemm_sum", "layer_norm", "layer_norm_bwd", "partial_amax", "partial_cast",
    "permute", "quantize", "relayout", "rms_norm", "rms_norm_bwd", "rope", "rope_bwd", "softmax", "softmax_bwd", "transpose",
    "update_scale", "addf", "subf", "mulf", "divf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf", "extf", "truncf", "cmpf",
    "select", "sitofp", "uitofp", "fptosi", "fptoui", "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui",
    "cmpi", "absf", "copysign", "ceil", "floor", "trunc", "round", "roundeven", "clampf", "fma", "sqrt", "rsqrt", "cbrt", "exp", "exp2",
    "expm1", "log", "log2", "log10", "log1p", "powf", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "erf", "erfc", "cast", "concat", "constant", "fusion", "insert", "reshape", "with_shape"
]
