"""IR of the te dialect."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _native
from ._errors import Diagnostic, make_diagnostic


@dataclass(frozen=True)
class Buffer:
    """Storage of an argument or a result: MLIR's element type, and sizes as expressions of the entry's dimensions."""

    name: str
    dtype: str
    shape: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(self.shape)}]"


@dataclass(frozen=True)
class Value:
    """An argument or a result. A quantized tensor has two buffers, its data and its scales."""

    name: str
    type: str  # as MLIR prints it
    shape: tuple[str, ...]
    buffers: tuple[Buffer, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(frozen=True)
class Entry:
    """A function that can be run: its dynamic dimensions, arguments and results, and the kernels that it launches in order."""

    name: str
    dims: tuple[str, ...]
    arguments: tuple[Value, ...]
    results: tuple[Value, ...]
    kernels: tuple[str, ...]

    @property
    def argument_buffers(self) -> tuple[Buffer, ...]:
        return tuple(buffer for value in self.arguments for buffer in value.buffers)

    @property
    def result_buffers(self) -> tuple[Buffer, ...]:
        return tuple(buffer for value in self.results for buffer in value.buffers)

    def __str__(self) -> str:
        arguments = ", ".join(map(str, self.arguments))
        results = ", ".join(value.type for value in self.results)
        dims = f" for any {', '.join(self.dims)}" if self.dims else ""
        return f"{self.name}({arguments}) -> ({results}){dims}"


def make_entry(native: Mapping[str, Any]) -> Entry:
    def make(values: Sequence[Mapping[str, Any]]) -> tuple[Value, ...]:
        return tuple(
            Value(value["name"], value["type"], tuple(value["shape"]),
                  tuple(Buffer(b["name"], b["dtype"], tuple(b["shape"])) for b in value["buffers"])) for value in values)

    return Entry(native["name"], tuple(native["dims"]), make(native["arguments"]), make(native["results"]), tuple(native["kernels"]))


class Module:
    """A module of te functions; it never changes. ``te_mlir.parse`` makes one of text."""

    def __init__(self, native: _native.Module):
        self._native = native
        self.warnings: tuple[Diagnostic, ...] = tuple(map(make_diagnostic, native.warnings))
        for warning in self.warnings:
            warnings.warn(str(warning), stacklevel=3)
        #: The public functions, by name; those with types that no program has are left out. Their results have no buffers: these are known
        #: when the module is compiled.
        self.functions: dict[str, Entry] = {entry.name: entry for entry in map(make_entry, native.entries())}

    def __str__(self) -> str:
        return self._native.print(locations=False)

    def __repr__(self) -> str:
        return f"<te_mlir.Module of {', '.join(map(str, self.functions.values()))}>"

    def to_text(self, *, locations: bool = False) -> str:
        """The IR as text, which ``te_mlir.parse`` and the tools read; with locations, so that errors still name their places."""
        return self._native.print(locations=locations)


def parse(source: str | os.PathLike[str], *, name: str | None = None) -> Module:
    """A module of MLIR text, or of a file.

    ``source`` is text where it is a string with a line break or a brace, and otherwise a path. ``name`` stands for the file in locations.
    Raises CompileError where the text is not valid IR, and OSError where there is no such file.
    """
    if isinstance(source, str) and ("\n" in source or "{" in source):
        return Module(_native.Module.parse(source, name or "<string>"))
    path = Path(source)
    return Module(_native.Module.parse(path.read_text(), name or str(path)))
