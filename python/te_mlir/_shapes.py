"""Shapes and types of results, for ops.py. What has none, since a rule is broken, gets one that the verifier refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ._builder import Tensor
from ._sizes import Extent
from ._types import ElementType, Scaled, TensorType, size_of


def half(input: Tensor) -> tuple[Extent, ...]:
    return (*input.shape[:-1], *(size // 2 for size in input.shape[-1:]))


def product(a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool, split_k: int | None) -> tuple[Extent, ...]:
    if len(a.shape) < 2 or len(b.shape) < 2:
        return a.shape
    n = b.shape[-2 if transpose_b else -1]
    return (*(() if split_k is None else (split_k,)), *a.shape[:-2], a.shape[-1 if transpose_a else -2], n)


def attended(q: Tensor, v: Tensor) -> tuple[Extent, ...]:
    return (*q.shape[:-1], *v.shape[-1:])


def log_sums(q: Tensor, format: str) -> tuple[Extent, ...]:
    if len(q.shape) != 4:
        return q.shape
    return tuple(q.shape[format.index(dim)] for dim in "bhs")


def summed(a: Tensor) -> tuple[Extent, ...]:
    return a.shape[-1:]


def permuted(input: Tensor, permutation: Sequence[int]) -> tuple[Extent, ...]:
    is_one = sorted(permutation) == list(range(len(input.shape)))
    return tuple(input.shape[axis] for axis in permutation) if is_one else input.shape


def other_copy(input: Tensor) -> ElementType:
    if not isinstance(input.dtype, Scaled):
        return input.dtype
    return replace(input.dtype, data_layout=None if input.dtype.data_layout == "transposed" else "transposed")


def codes(whole: TensorType) -> ElementType:
    return whole.dtype.element if isinstance(whole.dtype, Scaled) else whole.dtype


def blocks(whole: TensorType) -> tuple[int, ...]:
    sizes = [size_of(dim) or 0 for dim in whole.dims] or [1]
    rows, columns = 1, sizes[-1]
    for size in sizes[:-1]:
        rows *= size
    block = whole.dtype.granularity if isinstance(whole.dtype, Scaled) else ""
    return (-(-rows // block[0]), -(-columns // block[1])) if isinstance(block, tuple) and min(block) > 0 else (1, 1)
