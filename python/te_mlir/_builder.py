"""Functions under construction: their values, and the ops that are put into them.

IR is made as text, an op a line, with the place of the Python expression that asked for it; MLIR then parses and verifies it. So rules are
the verifiers' alone, and here is only what the text needs.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Hashable, Iterator, Sequence
from contextvars import ContextVar
from itertools import count
from typing import Any, NoReturn, TypeVar, Union

import numpy as np

from ._constants import convert, print_elements
from ._frames import Place, caller
from ._sizes import Extent, Size
from ._text import print_place
from ._types import DType, ElementType, Scaled, TensorType, check_dtype, print_sizes, print_type

#: The function that is built now.
current: ContextVar[Body] = ContextVar("te_mlir.current")
T = TypeVar("T")
_DYNAMIC = -(1 << 63)  # what MLIR has for a size or offset that is an operand


class Tensor:
    """A value in a function that is built: a tensor, or a quantized one.

    ``+ - * /``, ``-x``, ``abs(x)``, ``**``, ``@``, comparisons (of elements, as tensors of i1) and ``& | ^`` (integers and i1) are the ops
    of ``te_mlir.ops``; the other operand may be a number or a NumPy array. ``x[a:b, :, i]`` is a slice: as NumPy's, but with bounds that
    are not cut to the tensor's (M3). No dimension is added or repeated on the way: both operands have one shape and one element type.
    """

    __array_ufunc__ = None  # so that NumPy leaves array + tensor to __radd__

    def __init__(self, body: Body, name: str, shape: tuple[Extent | None, ...], dtype: ElementType, place: Place):
        self.body, self.name, self.dtype, self.place = body, name, dtype, place
        #: Sizes: integers, and ``Size`` where they are known at run time only.
        self.shape: tuple[Extent, ...] = tuple(body.size_of_dim(name, axis) if size is None else size for axis, size in enumerate(shape))
        body.types[name] = self.type

    @property
    def type(self) -> str:
        """As MLIR prints it."""
        return print_type(self.shape, self.dtype)

    def __repr__(self) -> str:
        dtype = self.dtype if isinstance(self.dtype, str) else f"te.scaled<{self.dtype}>"
        return f"<te_mlir.Tensor {dtype}[{', '.join(map(str, self.shape))}] of {self.body.name}>"

    def __iter__(self) -> Iterator[Tensor]:
        raise TypeError(f"{self!r} is one value, and is not taken apart; slice it")

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} has no truth value: its elements are known when the program runs; ops.select chooses between elements")

    def __getitem__(self, index: Any) -> Tensor:
        from ._tensor_ops import extract
        return extract(self, index)

    def __add__(self, other: Number) -> Tensor:
        return _arith("+", "arith.addf", "arith.addi", self, other)

    def __radd__(self, other: Number) -> Tensor:
        return _arith("+", "arith.addf", "arith.addi", other, self)

    def __sub__(self, other: Number) -> Tensor:
        return _arith("-", "arith.subf", "arith.subi", self, other)

    def __rsub__(self, other: Number) -> Tensor:
        return _arith("-", "arith.subf", "arith.subi", other, self)

    def __mul__(self, other: Number) -> Tensor:
        return _arith("*", "arith.mulf", "arith.muli", self, other)

    def __rmul__(self, other: Number) -> Tensor:
        return _arith("*", "arith.mulf", "arith.muli", other, self)

    def __truediv__(self, other: Number) -> Tensor:
        return _arith("/", "arith.divf", None, self, other)

    def __rtruediv__(self, other: Number) -> Tensor:
        return _arith("/", "arith.divf", None, other, self)

    def __pow__(self, other: Number) -> Tensor:
        return _arith("**", "math.powf", None, self, other)

    def __rpow__(self, other: Number) -> Tensor:
        return _arith("**", "math.powf", None, other, self)

    def __neg__(self) -> Tensor:
        return _arith("-", "arith.negf", None, self)

    def __abs__(self) -> Tensor:
        return _arith("abs", "math.absf", None, self)

    def __and__(self, other: Number) -> Tensor:
        return _arith("&", None, "arith.andi", self, other)

    def __rand__(self, other: Number) -> Tensor:
        return _arith("&", None, "arith.andi", other, self)

    def __or__(self, other: Number) -> Tensor:
        return _arith("|", None, "arith.ori", self, other)

    def __ror__(self, other: Number) -> Tensor:
        return _arith("|", None, "arith.ori", other, self)

    def __xor__(self, other: Number) -> Tensor:
        return _arith("^", None, "arith.xori", self, other)

    def __rxor__(self, other: Number) -> Tensor:
        return _arith("^", None, "arith.xori", other, self)

    def __matmul__(self, other: Tensor) -> Tensor:
        from . import ops
        return ops.gemm(self, other)

    # MLIR's numbers of predicates. arith.cmpf is ordered but for !=, so that comparisons with NaN are as Python's; arith.cmpi is signed.
    # mypy compares with what an array on the left makes of them, which __array_ufunc__ leaves to these.

    def __eq__(self, other: Number) -> Tensor:  # type: ignore[override]
        return _compare("==", 1, 0, self, other)

    def __ne__(self, other: Number) -> Tensor:  # type: ignore[override]
        return _compare("!=", 13, 1, self, other)

    def __lt__(self, other: Number) -> Tensor:  # type: ignore[misc]
        return _compare("<", 4, 2, self, other)

    def __le__(self, other: Number) -> Tensor:  # type: ignore[misc]
        return _compare("<=", 5, 3, self, other)

    def __gt__(self, other: Number) -> Tensor:  # type: ignore[misc]
        return _compare(">", 2, 4, self, other)

    def __ge__(self, other: Number) -> Tensor:  # type: ignore[misc]
        return _compare(">=", 3, 5, self, other)

    __hash__ = object.__hash__


#: What ops take: a value, or a NumPy array, which becomes a constant.
Operand = Union[Tensor, "np.ndarray[Any, Any]"]
#: What elementwise ops take: also a number, which becomes a constant of another operand's type.
Number = Union[Operand, float]


class Body:
    """The ops of a function, as lines of text, and where in Python each comes from."""

    def __init__(self, name: str, place: Place, outer: Body | None = None):
        self.name = name
        self.lines: list[tuple[str, Place]] = []
        self.types: dict[str, str] = {}
        self.place = place
        self._count: Iterator[int] = outer._count if outer else count()
        self.names: dict[Extent, str] = {}  # of sizes that are computed already
        self._atoms: dict[Hashable, int] = {}
        self._dims: dict[str, tuple[str, int]] = {}  # named dimensions: an argument that has it, and which of its own it is

    def add_argument(self, name: str, index: int, type: TensorType) -> Tensor:
        value = f"%a{index}"
        shape: list[Extent | None] = []
        for axis, dim in enumerate(type.dims):
            word, equals, size = (str(dim), "=", dim) if isinstance(dim, int) else dim.partition("=")
            if equals:
                shape.append(int(size))
            elif word == "?":
                shape.append(None)
            else:
                self._dims.setdefault(word, (value, axis))
                shape.append(self._make_size(("name", word)))
        return Tensor(self, value, tuple(shape), type.dtype, self.place)

    def add_region_argument(self, outer: Tensor) -> Tensor:
        """An argument of a region, for a value outside; sizes that are equal there are equal here."""
        value = f"%r{next(self._count)}"
        shape: list[Extent] = []
        for axis, size in enumerate(outer.shape):
            if isinstance(size, Size):
                self._dims.setdefault(str(size), (value, axis))
                size = self._make_size(("name", str(size)))
            shape.append(size)
        return Tensor(self, value, tuple(shape), outer.dtype, self.place)

    def append(self, op: str, types: str, place: Place, results: int = 1, region: Sequence[tuple[str, Place]] = ()) -> list[str]:
        """Puts an op at the end; gives its results' names."""
        name = f"%{next(self._count)}"
        head = f"    {name}:{results} = {op}" if results > 1 else f"    {name} = {op}"
        if region:
            self.lines += [(f"{head} ({{", place), *region]
            head = "    })"
        self.lines.append((f"{head} : {types} {print_place(place)}", place))
        return [f"{name}#{i}" for i in range(results)] if results > 1 else [name]

    # Sizes.

    def _make_size(self, atom: Hashable) -> Size:
        self.order_atom(atom)
        return Size(self, 1, (atom,))

    def size_of_dim(self, value: str, axis: int) -> Size:
        return self._make_size(("dim", value, axis))

    def size_of_op(self, op: str, a: Extent, b: Extent) -> Size:
        return self._make_size(("op", op, a, b))

    def order_atom(self, atom: Hashable) -> int:
        """A number that sorts atoms: the order in which they were met."""
        return self._atoms.setdefault(atom, len(self._atoms))

    def describe_atom(self, atom: Any) -> str:
        kind, *rest = atom
        if kind == "name":
            return str(rest[0])
        return f"{rest[0]}.{rest[1]}" if kind == "dim" else f"{rest[0]}({rest[1]}, {rest[2]})"

    def compute(self, size: Extent, place: Place) -> str:
        """The name of a value of type index."""
        if isinstance(size, Size) and size.body is not self:
            raise TypeError(f"{size!r} is a size in {size.body.name}, but {self.name} is built now")
        if size not in self.names:
            if isinstance(size, int):
                name, = self.append(f'"arith.constant"() <{{value = {size} : index}}>', "() -> index", place)
            elif len(size.atoms) == 1 and size.factor == 1:
                name = self._compute_atom(size.atoms[0], place)
            else:
                name = self.compute(Size(self, 1, size.atoms[:1]), place)
                factors: list[Extent] = [Size(self, 1, (atom,)) for atom in size.atoms[1:]]
                for factor in factors + ([size.factor] if size.factor != 1 else []):
                    name = self._append_index("arith.muli", name, self.compute(factor, place), place)
            self.names[size] = name
        return self.names[size]

    def _compute_atom(self, atom: Any, place: Place) -> str:
        kind, *rest = atom
        if kind == "op":
            op, a, b = rest
            return self._append_index(op, self.compute(a, place), self.compute(b, place), place)
        value, axis = self._dims[rest[0]] if kind == "name" else rest
        return self.append(f'"te.dim"({value}) <{{dimension = {axis} : i64}}>', f"({self.types[value]}) -> index", place)[0]

    def _append_index(self, op: str, a: str, b: str, place: Place) -> str:
        return self.append(f'"{op}"({a}, {b})', "(index, index) -> index", place)[0]


class Op:
    """An op under construction: operands, attributes and results in the order of its definition."""

    def __init__(self, name: str, *, sized_operands: bool = False, sized_results: bool = False):
        body = current.get(None)
        if body is None:
            raise TypeError(f"{name} is called outside of a function; call it in one that @te.function(...) builds")
        self.name, self.body, self.place = name, body, caller()
        self._sized_operands, self._sized_results = sized_operands, sized_results
        self._operands: list[tuple[str, str]] = []  # names and types
        self._operand_sizes: list[int] = []
        self._attributes: list[str] = []
        self._results: list[tuple[tuple[Extent | None, ...], ElementType]] = []
        self._result_sizes: list[int] = []
        self._region: list[tuple[str, Place]] = []

    def refuse(self, message: str) -> NoReturn:
        raise TypeError(f"{self.name}: {message}")

    # Operands.

    def tensor(self, what: str, value: Operand) -> Tensor:
        found = self._check(what, value)
        self._operands.append((found.name, found.type))
        self._operand_sizes.append(1)
        return found

    def optional(self, what: str, value: Operand | None) -> Tensor | None:
        if value is not None:
            return self.tensor(what, value)
        self._operand_sizes.append(0)
        return None

    def tensors(self, what: str, values: Sequence[Operand]) -> list[Tensor]:
        found = [self._check(f"{what}[{i}]", value) for i, value in enumerate(self.sequence(what, values))]
        self._operands += [(value.name, value.type) for value in found]
        self._operand_sizes.append(len(found))
        return found

    def extents(self, attribute: str, values: Sequence[Extent]) -> tuple[Extent, ...]:
        """Integers that are an attribute, with sizes among them that are operands."""
        dynamic = [self.body.compute(value, self.place) for value in values if isinstance(value, Size)]
        self._operands += [(name, "index") for name in dynamic]
        self._operand_sizes.append(len(dynamic))
        self.i64s(attribute, [value if isinstance(value, int) else _DYNAMIC for value in values])
        return tuple(values)

    def _check(self, what: str, value: Operand) -> Tensor:
        if isinstance(value, np.ndarray):
            return make_constant(value, None, self.place)
        if not isinstance(value, Tensor):
            self.refuse(f"{what} is {value!r}; give a value of this function, or a NumPy array (ops.constant makes one of a number)")
        if value.body is not self.body:
            self.refuse(f"{what} is {value!r}, but {self.body.name} is built now: make it an argument, or compute it here")
        return value

    # Attributes.

    def attribute(self, name: str, text: str) -> None:
        self._attributes.append(f"{name} = {text}")

    def flag(self, name: str, value: bool) -> None:
        if self.asked(name, value):
            self._attributes.append(name)

    def asked(self, name: str, value: bool) -> bool:
        if not isinstance(value, (bool, np.bool_)):
            self.refuse(f"{name} is {value!r}; give True or False")
        return bool(value)

    def f32(self, name: str, value: float | None) -> None:
        if value is None:
            return
        if not isinstance(value, (int, float, np.floating)):
            self.refuse(f"{name} is {value!r}; give a number")
        try:
            bits, = struct.unpack("<I", struct.pack("<f", value))
        except (OverflowError, struct.error):  # the latter of integers
            self.refuse(f"{name} is {value!r:.60}, which f32 does not hold; give a smaller number")
        self.attribute(name, f"0x{bits:08X} : f32")

    def integer(self, name: str, value: int | None, type: str) -> None:
        if value is not None:
            self.attribute(name, f"{self.index(name, value)} : {type}")

    def number(self, name: str, value: float, dtype: ElementType) -> None:
        """A number of an element type."""
        if isinstance(dtype, Scaled):
            self.refuse("the operand is quantized; ops.dequantize gives numbers to compute with")
        self.attribute(name, f"{print_elements(*convert(value, dtype))} : {dtype}")

    def i64s(self, name: str, values: Sequence[int]) -> None:
        numbers = [str(self.index(name, value)) for value in self.sequence(name, values)]
        self.attribute(name, f"array<i64{': ' if numbers else ''}{', '.join(numbers)}>")

    def enum(self, name: str, value: str, mnemonic: str, cases: Sequence[str]) -> None:
        self.attribute(name, f"#te<{mnemonic} {self.case(name, value, cases)}>")

    def case(self, name: str, value: str, cases: Sequence[str]) -> str:
        if not isinstance(value, str) or value not in cases:
            self.refuse(f"{name} is {value!r}; there are {', '.join(cases)}")
        return value

    def dtype(self, name: str, value: DType) -> None:
        self.attribute(name, check_dtype(value, name))

    def types(self, name: str, values: Sequence[TensorType]) -> None:
        for value in self.sequence(name, values):
            if not isinstance(value, TensorType):
                self.refuse(f"{name} has {value!r}; give types that te.tensor(...) makes")
        self.attribute(name, f"[{', '.join(map(str, values))}]")

    def sequence(self, name: str, values: Sequence[T]) -> Sequence[T]:
        try:
            return tuple(values)
        except TypeError:
            self.refuse(f"{name} is {values!r}; give a list")

    def index(self, name: str, value: int) -> int:
        try:
            return operator.index(value)
        except TypeError:
            self.refuse(f"{name} is {value!r}; give an integer")

    def region(self, arguments: Sequence[Tensor], lines: Sequence[tuple[str, Place]], results: Sequence[Tensor]) -> None:
        words = ", ".join(f"{value.name}: {value.type} {print_place(self.place)}" for value in arguments)
        names, types = ", ".join(value.name for value in results), ", ".join(value.type for value in results)
        self._region = [(f"  ^bb0({words}):", self.place), *lines,
                        (f'    "te.yield"({names}) : ({types}) -> () {print_place(self.place)}', self.place)]

    # Results.

    def float_like(self, dtype: DType | None, like: Tensor, what: str = "dtype") -> DType:
        """The result's element type: what is asked for, or else that of an operand."""
        if dtype is not None:
            return check_dtype(dtype, what)
        if isinstance(like.dtype, Scaled):
            self.refuse(f"the operand is quantized, so {what} is needed, such as {what}=\"bf16\"")
        return like.dtype

    def scheme(self, what: str, scheme: Scaled) -> Scaled:
        if not isinstance(scheme, Scaled):
            self.refuse(f"{what} is {scheme!r}; give what te.scaled(...) makes")
        return scheme

    def result(self, shape: Sequence[Extent | None], dtype: ElementType) -> None:
        self._results.append((tuple(shape), dtype))
        self._result_sizes.append(1)

    def no_result(self) -> None:
        self._result_sizes.append(0)

    def one(self) -> Tensor:
        return self.many()[0]

    def some(self) -> Tensor | tuple[Tensor, ...]:
        values = self.many()
        return values[0] if len(values) == 1 else tuple(values)

    def many(self) -> list[Tensor]:
        names = self._append([print_type(shape, dtype) for shape, dtype in self._results])
        return [Tensor(self.body, name, shape, dtype, self.place) for name, (shape, dtype) in zip(names, self._results)]

    def size(self, value: Tensor, axis: int) -> Size:
        """The op is value's te.dim."""
        name, = self._append(["index"])
        found = value.shape[axis] if 0 <= axis < len(value.shape) else None
        size = found if isinstance(found, Size) else self.body.size_of_dim(value.name, axis)
        self.body.names.setdefault(size, name)
        return size

    def _append(self, types: Sequence[str]) -> list[str]:
        attributes = list(self._attributes)
        for is_sized, name, sizes in ((self._sized_operands, "operandSegmentSizes", self._operand_sizes),
                                      (self._sized_results, "resultSegmentSizes", self._result_sizes)):
            if is_sized:
                attributes.append(f"{name} = array<i32: {', '.join(map(str, sizes))}>")
        properties = f" <{{{', '.join(attributes)}}}>" if attributes else ""
        operands = ", ".join(name for name, _ in self._operands)
        operand_types = ", ".join(type for _, type in self._operands)
        return self.body.append(f'"{self.name}"({operands}){properties}', f"({operand_types}) -> ({', '.join(types)})", self.place,
                                len(types), self._region)


# Elementwise ops.


def elementwise(name: str, operands: Sequence[Number], dtype: ElementType | None = None, *, like: int = 0,
                predicate: int | None = None) -> Tensor:
    """An arith or math op. Numbers get the type of the first value from operand ``like`` on, and so does the result without ``dtype``."""
    op = Op(name)
    values = [make_constant(operand, None, op.place) if isinstance(operand, np.ndarray) else operand for operand in operands]
    model = next((value for value in values[like:] if isinstance(value, Tensor)), None)
    if model is None:
        op.refuse(f"operands are {', '.join(map(repr, operands))}; one must be a value or a NumPy array")
    for i, value in enumerate(values):
        operand = op.tensor("abc"[i], _make_number(op, value, model) if isinstance(value, (int, float, np.generic)) else value)
        if print_sizes(operand.shape) != print_sizes(model.shape):  # MLIR takes "?" beside 64 for the same
            op.refuse(f"operands are {model!r} and {operand!r}; give tensors of one shape (ops.with_shape says what a size is known to be)")
        if i >= like and operand.dtype != model.dtype:
            op.refuse(f"operands are {model!r} and {operand!r}; give tensors of one element type (ops.cast)")
    if predicate is not None:
        op.integer("predicate", predicate, "i64")
    op.result(model.shape, model.dtype if dtype is None else dtype)
    return op.one()


def _make_number(op: Op, value: float, like: Tensor) -> Tensor:
    if isinstance(like.dtype, Scaled):
        op.refuse(f"{like!r} is quantized; ops.dequantize gives numbers to compute with")
    sizes = [size for size in like.shape if isinstance(size, int)]
    if len(sizes) < len(like.shape):
        from . import ops
        return ops.full_like(like, value)
    return make_constant(value, like.dtype, op.place, sizes)


def _arith(symbol: str, floats: str | None, integers: str | None, *operands: Number) -> Tensor:
    value = next(operand for operand in operands if isinstance(operand, Tensor))
    if isinstance(value.dtype, Scaled):
        raise TypeError(f"{symbol} of {value!r}, which is quantized; ops.dequantize gives numbers to compute with")
    name = integers if value.dtype.startswith("i") else floats
    if name is None:
        raise TypeError(f"{symbol} of {value!r}: the language has no such op on {value.dtype}; docs/reference/elementwise.md lists its ops")
    for operand in operands:
        if not isinstance(operand, (Tensor, int, float, np.ndarray, np.generic)):
            raise TypeError(f"{symbol} of {value!r} and {operand!r}: give a value, a NumPy array or a number")
    return elementwise(name, operands)


def _compare(symbol: str, floats: int, integers: int, a: Tensor, b: Number) -> Tensor:
    if isinstance(a.dtype, Scaled) or not isinstance(b, (Tensor, int, float, np.ndarray, np.generic)):
        raise TypeError(f"{symbol} of {a!r} and {b!r}: compare tensors that are not quantized with values, NumPy arrays or numbers")
    if a.dtype.startswith("i"):
        return elementwise("arith.cmpi", [a, b], "i1", predicate=integers)
    return elementwise("arith.cmpf", [a, b], "i1", predicate=floats)


# Constants.


def make_constant(value: Any, dtype: DType | None, place: Place, shape: Sequence[int] = ()) -> Tensor:
    body = current.get(None)
    if body is None:
        raise TypeError("a constant is made outside of a function; make it in one that @te.function(...) builds")
    is_array = isinstance(value, np.ndarray)
    array, name = convert(value, dtype)
    sizes = tuple(array.shape if is_array else shape)
    type = print_type(sizes, name)
    text = print_elements(array, name)
    result, = body.append(f'"arith.constant"() <{{value = dense<{text}> : {type}}}>', f"() -> {type}", place)
    return Tensor(body, result, sizes, name, place)
