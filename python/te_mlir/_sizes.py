"""Sizes that are known at run time only, in functions that are built."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from ._builder import Body


class Size:
    """A size of a tensor that is known at run time only: what ``x.shape`` has for a dynamic dimension.

    It computes with integers and other sizes (``+ - * //``), and goes into slices and shapes. Held as an integer times sizes that nothing
    is known of, so that (M * 8) // 8 is M and reshapes see what divides what. Equal sizes are equal at run time.
    """

    __slots__ = ("body", "factor", "atoms")

    def __init__(self, body: Body, factor: int, atoms: tuple[Hashable, ...]):
        self.body, self.factor, self.atoms = body, factor, atoms

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Size) and (self.body, self.factor, self.atoms) == (other.body, other.factor, other.atoms)

    def __hash__(self) -> int:
        return hash((self.factor, self.atoms))

    def __repr__(self) -> str:
        words = [str(self.factor)] if self.factor != 1 else []
        return " * ".join(words + [self.body.describe_atom(atom) for atom in self.atoms])

    def __add__(self, other: Extent) -> Extent:
        if isinstance(other, int) and other < 0:
            return self - -other
        return self if other == 0 else _apply("arith.addi", self, other)

    def __radd__(self, other: int) -> Extent:
        return self + other

    def __sub__(self, other: Extent) -> Extent:
        if self == other:
            return 0
        return self if other == 0 else _apply("arith.subi", self, other)

    def __rsub__(self, other: int) -> Extent:
        return _apply("arith.subi", other, self)

    def __mul__(self, other: Extent) -> Extent:
        return times(self, other)

    def __rmul__(self, other: int) -> Extent:
        return times(self, other)

    def __floordiv__(self, other: Extent) -> Extent:
        exact = divide(self, other)
        return exact if exact is not None else _apply("arith.divui", self, other)

    def __rfloordiv__(self, other: int) -> Extent:
        return _apply("arith.divui", other, self)


Extent = Union[int, Size]


def times(a: Extent, b: Extent) -> Extent:
    if isinstance(a, int) and isinstance(b, int):
        return a * b
    body = a.body if isinstance(a, Size) else b.body if isinstance(b, Size) else None
    if not _is_extent(a) or not _is_extent(b) or body is None:
        raise TypeError(f"{a!r} times {b!r}: sizes multiply with integers and sizes")
    (factor, atoms), (other_factor, other_atoms) = _split(a), _split(b)
    return _make(body, factor * other_factor, tuple(sorted(atoms + other_atoms, key=body.order_atom)))


def divide(a: Extent, b: Extent) -> Extent | None:
    """a / b, where it is known that b divides a."""
    (factor, atoms), (divisor, divisors) = _split(a), _split(b)
    left = list(atoms)
    for atom in divisors:
        if atom not in left:
            return None
        left.remove(atom)
    if divisor == 0 or factor % divisor:
        return None
    body = a.body if isinstance(a, Size) else None
    return _make(body, factor // divisor, tuple(left)) if body else factor // divisor


def _is_extent(value: object) -> bool:
    return isinstance(value, Size) or (isinstance(value, int) and not isinstance(value, bool))


def _split(extent: Extent) -> tuple[int, tuple[Hashable, ...]]:
    return (extent.factor, extent.atoms) if isinstance(extent, Size) else (extent, ())


def _make(body: Body, factor: int, atoms: tuple[Hashable, ...]) -> Extent:
    return Size(body, factor, atoms) if atoms and factor else factor


def _apply(op: str, a: Extent, b: Extent) -> Extent:
    if not _is_extent(a) or not _is_extent(b):
        raise TypeError(f"{a!r} and {b!r}: sizes compute with integers and sizes")
    body = a.body if isinstance(a, Size) else b.body if isinstance(b, Size) else None
    assert body
    return body.size_of_op(op, a, b)
