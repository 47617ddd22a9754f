"""IR as text, a line for each op, with its place in Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from . import _native
from ._errors import CompileError, Diagnostic
from ._frames import Place


def quote(text: str) -> str:
    """A string as MLIR reads it."""
    plain = {byte for byte in range(32, 127)} - set(b'"\\')
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:02X}" for byte in text.encode("utf-8", "surrogateescape")) + '"'


def print_place(place: Place) -> str:
    return f"loc({quote(place.file)}:{place.line}:{place.column})"


def parse_lines(lines: Sequence[tuple[str, Place]]) -> _native.Module:
    """The module of these lines. What MLIR's parser says of a line is said of the Python that made it."""
    name = "<te_mlir>"
    try:
        return _native.Module.parse("\n".join(line for line, _ in lines) + "\n", name)
    except CompileError as error:
        raise CompileError([_relocate(diagnostic, name, lines) for diagnostic in error.diagnostics]) from None


def _relocate(diagnostic: Diagnostic, name: str, lines: Sequence[tuple[str, Place]]) -> Diagnostic:
    notes = tuple(_relocate(note, name, lines) for note in diagnostic.notes)
    if diagnostic.file != name or not 0 < diagnostic.line <= len(lines):
        return replace(diagnostic, notes=notes)
    place = lines[diagnostic.line - 1][1]
    return replace(diagnostic, file=place.file, line=place.line, column=place.column, notes=notes)
