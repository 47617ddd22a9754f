"""Ops of te_mlir.ops beyond te, arith and math: constants, casts, slices and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._builder import Op, Operand, Tensor, elementwise, make_constant
from ._frames import caller
from ._sizes import Extent, Size, divide, times
from ._types import DType, Scaled, check_dtype

_WIDTH = {"f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "f8E4M3FNUZ": 8, "f8E5M2": 8, "f8E5M2FNUZ": 8}


def constant(value: float | np.ndarray[Any, Any], dtype: DType | None = None, shape: Sequence[int] = ()) -> Tensor:
    """A constant (arith.constant): a NumPy array, or a number of type ``dtype`` in every element of ``shape``.

    Numbers are rounded to ``dtype`` to nearest even. With ``dtype`` an array is converted so, too; without, it has the element type of its
    own. Raises TypeError for what is no constant of that type.
    """
    return make_constant(value, dtype, caller(), shape)


def cast(x: Operand, dtype: DType) -> Tensor:
    """The elements of ``x`` in another type, rounded to nearest even, once: arith.extf, truncf, sitofp or fptosi.

    From bf16, f16 and fp8 to wider types; from f32, bf16 and f16 to narrower ones, and fp8, which saturates as te.quantize does; between
    bf16 and f16 by way of f32; from i8, i32 and i64 to f32 and from floats to these, toward zero. Raises CompileError (L1) or TypeError for
    what the language has not.
    """
    op = Op("ops.cast")
    x = op.tensor("x", x)
    found, wanted = x.dtype, check_dtype(dtype, "dtype")
    if isinstance(found, Scaled):
        op.refuse(f"{x!r} is quantized; ops.dequantize gives numbers")
    if found == wanted:
        return x
    if found.startswith("i") and wanted.startswith("i"):
        op.refuse(f"from {found} to {wanted}: the language has no casts between integers")
    if found.startswith("i"):
        return elementwise("arith.sitofp", [x], wanted)
    if wanted.startswith("i"):
        return elementwise("arith.fptosi", [x], wanted)
    if _WIDTH.get(found, 0) == 16 and _WIDTH.get(wanted, 0) == 16:
        return elementwise("arith.truncf", [elementwise("arith.extf", [x], "f32")], wanted)
    return elementwise("arith.extf" if _WIDTH.get(found, 0) < _WIDTH.get(wanted, 0) else "arith.truncf", [x], wanted)


# Slices.


def extract(x: Tensor, index: Any) -> Tensor:
    """``x[index]`` (tensor.extract_slice): slices, and integers that leave their dimension out, as NumPy has them."""
    op = Op("tensor.extract_slice", sized_operands=True)
    op.tensor("x", x)
    offsets, sizes, kept = _find_part(op, x, index)
    _add_part(op, offsets, sizes)
    shape = [size for size, keep in zip(sizes, kept) if keep]
    if kept and not kept[-1]:  # rows must stay rows (V1); a reshape may take them apart
        op.result(sizes, x.dtype)
        return reshape(op.one(), shape)
    op.result(shape, x.dtype)
    return op.one()


def insert(x: Operand, value: Operand, index: Any) -> Tensor:
    """``x`` with ``value`` where ``x[index]`` is (tensor.insert_slice); ``x`` itself stays.

    ``index`` is as in x[index]: np.s_[:, 5] is. ``value`` has the shape and element type of x[index]. Raises CompileError where it has not,
    or where the part is not inside of ``x`` (M3).
    """
    op = Op("tensor.insert_slice", sized_operands=True)
    op.tensor("value", value)
    x = op.tensor("x", x)
    offsets, sizes, _ = _find_part(op, x, index)
    _add_part(op, offsets, sizes)
    op.result(x.shape, x.dtype)
    return op.one()


def _add_part(op: Op, offsets: list[Extent], sizes: list[Extent]) -> None:
    op.extents("static_offsets", offsets)
    op.extents("static_sizes", sizes)
    op.extents("static_strides", [1] * len(sizes))


def _find_part(op: Op, x: Tensor, index: Any) -> tuple[list[Extent], list[Extent], list[bool]]:
    """Offsets and sizes of x[index], and which dimensions it keeps."""
    if isinstance(x.dtype, Scaled):
        op.refuse(f"{x!r} is quantized, and is not sliced; slice before ops.quantize")
    parts = list(index) if isinstance(index, tuple) else [index]
    rank = len(x.shape)
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        op.refuse("an index has one ... at most")
    at = dots[0] if dots else len(parts)
    parts[at:at + len(dots)] = [slice(None)] * (rank - len(parts) + len(dots))
    if len(parts) != rank:
        op.refuse(f"{len(parts)} indices for {x!r}, which has {rank} dimensions")
    offsets: list[Extent] = []
    sizes: list[Extent] = []
    for size, part in zip(x.shape, parts):
        if isinstance(part, slice):
            if part.step not in (None, 1):
                op.refuse(f"a slice has the step {part.step!r}; slices have unit steps (V1)")
            start = _find_place(op, 0 if part.start is None else part.start, size)
            stop = _find_place(op, size if part.stop is None else part.stop, size)
            offsets.append(start)
            sizes.append(stop - start)
        else:
            offsets.append(_find_place(op, part, size))
            sizes.append(1)
    return offsets, sizes, [isinstance(part, slice) for part in parts]


def _find_place(op: Op, place: Any, size: Extent) -> Extent:
    if isinstance(place, Size):
        return place
    if isinstance(place, bool) or not isinstance(place, (int, np.integer)):
        op.refuse(f"an index is {place!r}; give integers, sizes (x.shape[0]) and slices of them")
    return size + int(place) if place < 0 else int(place)


# Shapes.


def concat(tensors: Sequence[Operand], axis: int) -> Tensor:
    """Tensors side by side along ``axis`` (tensor.concat); -1 is the last. Other dimensions have one size, and elements one type."""
    op = Op("tensor.concat")
    values = op.tensors("tensors", tensors)
    if not values:
        op.refuse("there are no tensors; give one at least")
    rank, axis = len(values[0].shape), op.index("axis", axis)
    axis = axis + rank if axis < 0 else axis
    if not 0 <= axis < rank:
        op.refuse(f"axis is {axis} of {values[0]!r}, which has {rank} dimensions")
    op.integer("dim", axis, "i64")
    shape = list(values[0].shape)
    for value in values[1:]:
        shape[axis] = shape[axis] + value.shape[axis] if axis < len(value.shape) else shape[axis]
    op.result(shape, values[0].dtype)
    return op.one()


def with_shape(x: Operand, shape: Sequence[Extent]) -> Tensor:
    """``x``, whose sizes are known to be these (tensor.cast): integers for sizes known at run time only, or the other way round.

    Nothing checks it when the program runs; where it is not so, results are undefined. Raises CompileError where it cannot be so.
    """
    op = Op("tensor.cast")
    value = op.tensor("x", x)
    op.result(_check_shape(op, shape, 0), value.dtype)
    return op.one()


def reshape(x: Operand, shape: Sequence[Extent]) -> Tensor:
    """The elements of ``x`` in row-major order, in another shape: tensor.expand_shape, collapse_shape, or both.

    ``shape`` has integers and sizes (x.shape[0], times integers and others); one of them may be -1: what is left. Dimensions are split and
    put together one by one where sizes allow that. Raises TypeError where the sizes are not known to make as many elements.
    """
    op = Op("ops.reshape")
    x = op.tensor("x", x)
    if isinstance(x.dtype, Scaled):
        op.refuse(f"{x!r} is quantized; reshape before ops.quantize")
    source, target = list(x.shape), _complete(op, x, shape)
    ends = _products(source), _products(target)
    if (ends[0] or [1])[-1] != (ends[1] or [1])[-1] or 0 in source + target:
        op.refuse(f"{x!r} as {_print_shape(target)}: these are not known to be as many elements" if 0 not in source + target else
                  f"{x!r} has no elements; make a tensor of that shape instead")
    fine = _refine(*ends)
    if fine is None:  # dimensions that divide nothing are put together first
        coarse = list(dict.fromkeys(end for end in ends[0] if end in ends[1]))
        middle = _ratios(coarse)
        return _expand(_collapse(x, middle, _group(ends[0], coarse)), target, _group(ends[1], coarse))
    middle = _ratios(fine)
    return _collapse(_expand(x, middle, _group(fine, ends[0])), target, _group(fine, ends[1]))


def _check_shape(op: Op, shape: Sequence[Extent], least: int) -> list[Extent]:
    sizes = list(op.sequence("shape", shape))
    for size in sizes:
        if not isinstance(size, (int, Size)) or isinstance(size, bool) or (isinstance(size, int) and size < least):
            op.refuse(f"shape has {size!r}; give integers and sizes (x.shape[0])" + ", and -1 once at most" * (least < 0))
        if isinstance(size, Size) and size.body is not op.body:
            op.refuse(f"shape has {size!r}, a size in {size.body.name}, but {op.body.name} is built now")
    return sizes


def _complete(op: Op, x: Tensor, shape: Sequence[Extent]) -> list[Extent]:
    sizes = _check_shape(op, shape, -1)
    if sizes.count(-1) > 1:
        op.refuse(f"shape is {_print_shape(sizes)}; one -1 at most says what is left")
    if -1 in sizes:
        known = _products([size for size in sizes if size != -1] or [1])[-1]
        left = divide(_products([1, *x.shape])[-1], known)
        if left is None:
            op.refuse(f"{x!r} as {_print_shape(sizes)}: {known!r} is not known to divide the number of elements")
        sizes[sizes.index(-1)] = left
    return sizes


def _print_shape(shape: Sequence[Extent]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _products(shape: Sequence[Extent]) -> list[Extent]:
    """How many elements the first dimension has, the first two, ..."""
    products: list[Extent] = []
    for size in shape:
        products.append(times(products[-1], size) if products else size)
    return products


def _ratios(products: Sequence[Extent]) -> list[Extent]:
    """The shape that has these products."""
    shape: list[Extent] = []
    for before, after in zip([1, *products], products):
        ratio = divide(after, before)
        assert ratio is not None
        shape.append(ratio)
    return shape


def _refine(a: Sequence[Extent], b: Sequence[Extent]) -> list[Extent] | None:
    """The products of a shape that both shapes are groups of dimensions of, or None."""
    i, j, merged = 0, 0, list[Extent]()
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and a[i] == b[j]:
            merged.append(a[i])
            i, j = i + 1, j + 1
        elif j == len(b) or (i < len(a) and divide(b[j], a[i]) is not None):
            merged.append(a[i])
            i += 1
        elif i == len(a) or divide(a[i], b[j]) is not None:
            merged.append(b[j])
            j += 1
        else:
            return None
    return merged


def _group(fine: Sequence[Extent], coarse: Sequence[Extent]) -> list[list[int]]:
    """Which dimensions of the fine shape make up each of the coarse one."""
    groups: list[list[int]] = [[] for _ in coarse]
    group = 0
    for i, end in enumerate(fine if coarse else []):
        groups[group].append(i)
        if group + 1 < len(coarse) and end == coarse[group]:
            group += 1
    return groups


def _collapse(x: Tensor, shape: Sequence[Extent], groups: list[list[int]]) -> Tensor:
    if len(shape) == len(x.shape):
        return x
    op = Op("tensor.collapse_shape")
    op.tensor("x", x)
    op.attribute("reassociation", _print_groups(groups))
    op.result(shape, x.dtype)
    return op.one()


def _expand(x: Tensor, shape: Sequence[Extent], groups: list[list[int]]) -> Tensor:
    if len(shape) == len(x.shape):
        return x
    op = Op("tensor.expand_shape")
    op.tensor("x", x)
    op.attribute("reassociation", _print_groups(groups))
    op.extents("static_output_shape", shape)
    op.result(shape, x.dtype)
    return op.one()


def _print_groups(groups: list[list[int]]) -> str:
    return f"[{', '.join(str(group) for group in groups)}]"
