"""What docs/python.md shows is what happens."""

import doctest
from pathlib import Path

import pytest

pytest.importorskip("torch")


def test_python_page():
    page = Path(__file__).parents[2] / "docs/python.md"
    test = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
    # torch.compile still refers to the page's variables when it is done.
    found = doctest.DocTestRunner().run(test, clear_globs=False)
    assert found.attempted > 30 and found.failed == 0
