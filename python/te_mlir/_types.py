"""Types of values in functions that are built: te.tensor, te.scaled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Union, get_args

#: Element types, by MLIR's names.
DType = Literal["f32", "f16", "bf16", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f4E2M1FN", "f8E8M0FNU", "i64", "i32", "i8", "i1"]
DTYPES: tuple[str, ...] = get_args(DType)


@dataclass(frozen=True)
class Scaled:
    """A quantized element type: codes of type ``element``, and the scheme of their scales. Made by ``te_mlir.scaled``."""

    element: DType
    granularity: str | tuple[int, int]  # (rows, columns) of a block
    scale: DType
    rounding: str | None
    ties: str | None
    scale_layout: str | None
    data_layout: str | None
    per: str | None

    def __str__(self) -> str:
        granularity = self.granularity
        words = [granularity if isinstance(granularity, str) else f"block = [{granularity[0]}, {granularity[1]}]", f"scale = {self.scale}"]
        keys = ("rounding", "ties", "scale_layout", "data_layout", "per")
        words += [f"{key} = {value}" for key in keys if (value := getattr(self, key)) is not None]
        return f"{self.element}, #te.scaling<{', '.join(words)}>"


#: What a tensor has as elements.
ElementType = Union[DType, Scaled]


def scaled(element: DType, granularity: Literal["tensor", "row"] | None = None, *, block: tuple[int, int] | None = None, scale: DType,
           rounding: Literal["nearest", "pow2", "rceil", "floor", "even", "ceil"] | None = None,
           ties: Literal["even", "away"] | None = None,
           scale_layout: Literal["linear", "blocked_32x4x4", "e8m0_shuffle"] | None = None,
           data_layout: Literal["linear", "transposed", "shuffle_16x16"] | None = None,
           per: Literal["tensor", "matrix"] | None = None) -> Scaled:
    """The element type of a quantized tensor, as ``#te.scaling`` of docs/spec.md: MXFP8 is ``scaled("f8E4M3FN", block=(1, 32),
    scale="f8E8M0FNU")``, FP8 per tensor ``scaled("f8E4M3FN", "tensor", scale="f32")``.

    What shares a scale is ``granularity`` ("tensor", "row") or a ``block`` of (rows, columns) of the tensor flattened to M x K. What is not
    given has the default of docs/spec.md. Raises TypeError for what is no scheme at all; whether there is such a scheme (S1 to S10) the
    compiler says, as a CompileError, where a function uses it.
    """
    if (granularity is None) == (block is None):
        raise TypeError('a scheme has a granularity, "tensor" or "row", or else a block=(rows, columns): give one of the two')
    if block is not None and not (isinstance(block, tuple) and len(block) == 2 and all(isinstance(size, int) for size in block)):
        raise TypeError(f"block is {block!r}; give two integers, (rows, columns)")
    for word in (granularity, rounding, ties, scale_layout, data_layout, per):
        if word is not None and not (isinstance(word, str) and re.fullmatch(r"\w+", word)):
            raise TypeError(f"{word!r} is no word of a scheme; docs/spec.md, \"#te.scaling\", has them")
    return Scaled(check_dtype(element, "element"), block or str(granularity), check_dtype(scale, "scale"), rounding, ties, scale_layout,
                  data_layout, per)


@dataclass(frozen=True)
class TensorType:
    """Dimensions and elements of a tensor. Made by ``te_mlir.tensor``."""

    dims: tuple[int | str, ...]
    dtype: ElementType

    def __str__(self) -> str:
        return print_type([size_of(dim) for dim in self.dims], self.dtype)


def tensor(*dims: int | str, dtype: ElementType) -> TensorType:
    """The type of an argument: its dimensions, then its elements.

    A dimension is a size (4096), the name of a size that is known at run time ("M": the same name is the same size everywhere in a
    function), a name with its size ("K=4096"), or "?", a size without a name. ``dtype`` is a name of MLIR's ("bf16"), or ``te.scaled(...)``
    of a quantized tensor. ``te.tensor(dtype="f32")`` has no dimensions: one number. Raises TypeError.
    """
    for dim in dims:
        if isinstance(dim, str):
            name, equals, size = dim.partition("=")
            if not name or (equals and not size.isdecimal()):
                raise TypeError(f'dimension {dim!r}: give a name such as "M", a name with its size such as "K=4096", or "?"')
        elif isinstance(dim, bool) or not isinstance(dim, int) or dim < 0:
            raise TypeError(f'dimension {dim!r}: give a size such as 4096, or a name such as "M"')
    return TensorType(dims, dtype if isinstance(dtype, Scaled) else check_dtype(dtype, "dtype"))


def check_dtype(dtype: DType, what: str) -> DType:
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise TypeError(f"{what} is {dtype!r}; the language has {', '.join(DTYPES)}" +
                        (", and te.scaled(...) for quantized tensors" if what == "dtype" else ""))
    return dtype


def size_of(dim: int | str) -> int | None:
    """A dimension's size; None where it is known at run time only."""
    if isinstance(dim, int):
        return dim
    _, equals, size = dim.partition("=")
    return int(size) if equals else None


def print_sizes(sizes: Sequence[object]) -> str:
    """As MLIR has them; what is no integer is dynamic."""
    return "".join(f"{size if isinstance(size, int) else '?'}x" for size in sizes)


def print_type(sizes: Sequence[object], dtype: ElementType) -> str:
    """As MLIR has it; a size that is no integer is dynamic."""
    return f"!te.scaled<{print_sizes(sizes)}{dtype}>" if isinstance(dtype, Scaled) else f"tensor<{print_sizes(sizes)}{dtype}>"
