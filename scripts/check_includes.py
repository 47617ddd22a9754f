#!/usr/bin/env python3
"""Folders of lib include each other in no circle. Usage: check_includes.py [ROOT]

A folder is lib/X and include/te/X together, so a header counts with its source. Prints a circle, include by include, and fails; else prints
the folders from the lowest up, each with those that it includes.
"""

from __future__ import annotations

import re
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

INCLUDE = re.compile(r'#include "([^"]+)"')


def folder_of(root: Path, path: Path) -> str | None:
    """The folder of a file of the project, or None for one that is elsewhere."""
    for base in (root / "lib", root / "include" / "te"):
        if path.is_relative_to(base):
            return str(path.parent.relative_to(base))
    return None


def find_edges(root: Path) -> dict[tuple[str, str], str]:
    """For each two folders the first include that goes from one to the other."""
    edges: dict[tuple[str, str], str] = {}
    for base in (root / "lib", root / "include" / "te"):
        for path in sorted((*base.rglob("*.h"), *base.rglob("*.cpp"))):
            source = folder_of(root, path)
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                name = match.group(1)
                near, public = path.parent / name, root / "include" / name
                # What TableGen makes lies where its .td does.
                target = folder_of(root, near.resolve()) if near.exists() else (
                    name.removeprefix("te/").rpartition("/")[0] if name.startswith("te/") else folder_of(root, public))
                if source is not None and target is not None and target != source:
                    edges.setdefault((source, target), f"{path.relative_to(root)}:{number} includes {name}")
    return edges


def main(root: Path) -> int:
    edges = find_edges(root)
    graph: dict[str, set[str]] = {}
    for source, target in edges:
        graph.setdefault(source, set()).add(target)
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        circle = error.args[1][::-1]  # each includes the next
        print("error: folders include each other in a circle:")
        for source, target in zip(circle, circle[1:]):
            print(f"  {source} -> {target}: {edges[source, target]}")
        return 1
    for folder in order:
        print(f"{folder}: {', '.join(sorted(graph.get(folder, ()))) or '-'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()))
