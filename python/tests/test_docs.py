"""What docs/python.md shows is what happens."""

import doctest
from pathlib import Path

import pytest

pytest.importorskip("torch")


def test_python_page():
    page = Path(__file__).parents[2] / "docs/python.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried > 20 and failed == 0
