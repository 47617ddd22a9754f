"""Exceptions, with what the compiler and the runtime say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from . import _frames

if TYPE_CHECKING:
    from . import _native

_RULE = re.compile(r"\(([A-Z]{1,2}\d+)\)$")
_OP = re.compile(r"'([a-z_]+\.[a-z_0-9.]+)'")


@dataclass(frozen=True)
class Diagnostic:
    """What the compiler says of a place in the IR.

    ``rule`` is the number of the rule in docs/spec.md that was broken ("G3"), and ``op`` the op's name ("te.gemm"), where the message has
    them. ``line`` and ``column`` count from 1; 0 where the place is not in a file.
    """

    severity: str
    message: str
    file: str
    line: int
    column: int
    rule: str | None
    op: str | None
    notes: tuple[Diagnostic, ...] = field(default=())

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else "<unknown>"

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.severity}: {self.message}"]
        if frame := _frames.find(self.file, self.line):
            lines.append(f"    {frame}")
        lines += [str(note) for note in self.notes if not note.message.startswith("see current operation")]
        return "\n".join(lines)


class Error(Exception):
    """The base of what this package raises."""


class CompileError(Error):
    """IR that is not valid, or that cannot be compiled.

    ``diagnostics`` has everything that was said; ``rule``, ``op``, ``file``, ``line`` and ``column`` are those of the first error.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics = tuple(diagnostics)
        errors = [d for d in self.diagnostics if d.severity == "error"]
        first = errors[0] if errors else Diagnostic("error", "the compiler failed without saying why", "", 0, 0, None, None)
        self.rule, self.op = first.rule, first.op
        self.file, self.line, self.column = first.file, first.line, first.column
        super().__init__("\n".join(map(str, errors)) or str(first))


class RunError(Error):
    """A program that cannot be loaded, bound or run: the message says what was given and what is needed."""


class CheckError(Error):
    """Results that are beyond their tolerances."""


def make_diagnostic(native: _native.Diagnostic) -> Diagnostic:
    rule = _RULE.search(native.message)
    op = _OP.search(native.message)
    return Diagnostic(native.severity, native.message, native.file, native.line, native.column, rule and rule[1], op and op[1],
                      tuple(make_diagnostic(note) for note in native.notes))


def make_compile_error(diagnostics: Sequence[_native.Diagnostic]) -> CompileError:
    return CompileError([make_diagnostic(d) for d in diagnostics])


def make_run_error(message: str) -> RunError:
    # The runtime's texts name te-run's flag.
    return RunError(re.sub(r"--dim=([\w.]+)(=N)?", lambda found: f'dims={{"{found[1]}": N}}' if found[2] else f"dims[\"{found[1]}\"]", message))
