"""Source lines of Python that built IR, for messages."""

from __future__ import annotations

import linecache


def find(file: str, line: int) -> str | None:
    """The line's text, where ``file`` is Python."""
    if not file.endswith(".py") and not file.startswith("<"):
        return None
    return linecache.getline(file, line).strip() or None
