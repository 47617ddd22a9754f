"""Lines of Python that built IR: for locations in it, and for messages."""

from __future__ import annotations

import linecache
import os
import sys
from dataclasses import dataclass
from itertools import islice
from types import CodeType, FrameType

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


@dataclass(frozen=True)
class Place:
    """A place in a Python file; line and column count from 1."""

    file: str
    line: int
    column: int


def caller() -> Place:
    """The expression outside of this package that called into it."""
    frame: FrameType | None = sys._getframe(1)
    while frame and frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    assert frame
    line, column = frame.f_lineno, 1
    if sys.version_info >= (3, 11):
        start, _, offset, _ = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
        line, column = start or line, (offset or 0) + 1
    return Place(frame.f_code.co_filename, line, column)


def definition(code: CodeType) -> Place:
    """Where a function is defined: its first decorator, if it has one."""
    return Place(code.co_filename, code.co_firstlineno, 1)


def find(file: str, line: int) -> str | None:
    """The line's text, where ``file`` is Python."""
    if not file.endswith(".py") and not file.startswith("<"):
        return None
    return linecache.getline(file, line).strip() or None
