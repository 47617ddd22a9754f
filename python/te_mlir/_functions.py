"""Building functions in Python: te.function, te.module.

    import te_mlir as te
    from te_mlir import ops

    mxfp8 = te.scaled("f8E4M3FN", block=(1, 32), scale="f8E8M0FNU")

    @te.function(x=te.tensor("M", 4096, dtype="bf16"), gamma=te.tensor(4096, dtype="bf16"))
    def norm(x, gamma):
        y, rsigma = ops.rms_norm(x, gamma, epsilon=1e-5)
        return ops.quantize(y, mxfp8), rsigma

    program = te.compile(norm, target="gfx950")

The decorator calls the Python function once, with a ``te.Tensor`` for each argument; what it does with them becomes IR, and what it
returns the results. ``norm`` is then a ``te.Module`` of one function; ``te.module(norm, other)`` is one of several. Python's own ``if``,
``for`` and calls of helper functions run while the function is built.

Ops are the functions of ``te_mlir.ops``, one for each op of the language, and Python's operators on tensors. Types of results follow from
the operands, and ``dtype=`` asks for another element type. Sizes that are known at run time only are ``te.Size`` in ``x.shape``. NumPy
arrays are constants; so are numbers beside a tensor.

Each op has the place of the Python expression that made it. Rules are checked where the function is complete: a CompileError names the
rule of docs/spec.md, and the file and line of the Python that broke it. What is no IR at all (a value of another function, a missing or
misspelt attribute) is a TypeError from the call itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence

from ._builder import Body, Tensor, current
from ._frames import Place, caller, definition
from ._module import Module
from ._results import Results, name_results
from ._text import parse_lines, print_place, quote
from ._types import TensorType

class Function(Module):
    """A module of the one function that ``te_mlir.function`` built."""

    def __init__(self, name: str, lines: Sequence[tuple[str, Place]]):
        self.name = name
        self._lines = tuple(lines)
        super().__init__(parse_lines(lines))


def function(name: str | None = None, /, **arguments: TensorType) -> Callable[[Callable[..., Results]], Function]:
    """A decorator that builds a function of arguments with these names and types, in this order.

    The Python function is called with a ``Tensor`` for each of ``arguments``, by name, and returns a tensor, several, or a dict of names
    and tensors: then results have these names. ``name`` is that of the function, without it the Python function's own. Raises CompileError
    for IR that breaks a rule, with the place in Python, and TypeError for what is no IR.
    """
    for argument, type in arguments.items():
        if not isinstance(type, TensorType):
            raise TypeError(f"argument {argument} is {type!r}; give a type, such as te.tensor(\"M\", 4096, dtype=\"bf16\")")

    def build(python: Callable[..., Results]) -> Function:
        code = getattr(python, "__code__", None)
        body = Body(name or str(getattr(python, "__name__", "function")), definition(code) if code else caller())
        values = {argument: body.add_argument(argument, i, type) for i, (argument, type) in enumerate(arguments.items())}
        try:
            inspect.signature(python).bind(**values)
        except TypeError as error:
            raise TypeError(f"{body.name} is built with arguments {', '.join(arguments) or 'none'}, but the Python function does not take "
                            f"these: {error}") from None
        token = current.set(body)
        try:
            results = name_results(body, python(**values))
        finally:
            current.reset(token)
        return Function(body.name, _print(body, arguments, results))

    return build


def module(*functions: Function) -> Module:
    """A module of several functions. Raises CompileError where two have one name."""
    for function in functions:
        if not isinstance(function, Function):
            raise TypeError(f"{function!r} is no function that @te.function(...) built")
    return Module(parse_lines([line for function in functions for line in function._lines]))


def _print(body: Body, arguments: Mapping[str, TensorType], results: Sequence[tuple[str | None, Tensor]]) -> list[tuple[str, Place]]:
    """A result's type stands on a line of its own, with the place of the op that made it: there it is parsed first."""
    place = body.place
    words = [f"    %a{i}: {type}{_print_attributes(name, type)} {print_place(place)}" for i, (name, type) in enumerate(arguments.items())]
    types = ["    " + value.type + (f" {{te.name = {quote(name)}}}" if name is not None else "") for name, value in results]
    values = ", ".join(value.name for _, value in results)
    value_types = ", ".join(value.type for _, value in results)
    lines = [(f"func.func @{quote(body.name)}(", place)]
    lines += [(word + "," * (i + 1 < len(words)), place) for i, word in enumerate(words)]
    lines.append((") -> (", place))
    lines += [(type + "," * (i + 1 < len(types)), value.place) for i, (type, (_, value)) in enumerate(zip(types, results))]
    return [*lines, (") {", place), *body.lines, (f'    "func.return"({values}) : ({value_types}) -> () {print_place(place)}', place),
            (f"}} {print_place(place)}", place)]


def _print_attributes(argument: str, type: TensorType) -> str:
    """te.name, and te.dims where a dimension has a name; a dimension without one then gets the one that it would have anyway."""
    names = [None if isinstance(dim, int) or dim == "?" else dim.partition("=")[0] for dim in type.dims]
    words = [quote(name or f"{argument}.{axis}") for axis, name in enumerate(names)]
    dims = f", te.dims = [{', '.join(words)}]" if any(names) else ""
    return f" {{te.name = {quote(argument)}{dims}}}"
