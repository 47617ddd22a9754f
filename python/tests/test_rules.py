"""Every error of the verifier's tests reaches Python, with its place, its rule's number and its op."""

import re
from pathlib import Path

import pytest

import te_mlir as te

ROOT = Path(__file__).parents[2]
EXPECTED = re.compile(r"expected-error(?:-re)?\s*(?:@([+-]\d+|above|below))?\s*(\d+)?\s*\{\{(.*?)\}\}")
RULE = re.compile(r"\(([A-Z]{1,2}\d+)\)$")


def cases():
    """(test file, the chunk's number, its text, its lines with expected errors)."""
    for path in sorted((ROOT / "test/Dialect/TE").glob("invalid*.mlir")):
        for number, chunk in enumerate(re.split(r"^// -----.*$", path.read_text(), flags=re.M)):
            wanted = []
            for line, text in enumerate(chunk.split("\n"), 1):
                for offset, _, message in EXPECTED.findall(text):
                    shift = {"": 0, "above": -1, "below": 1}.get(offset)
                    wanted.append((line + (int(offset) if shift is None else shift), message))
            if wanted:
                yield pytest.param(chunk, wanted, id=f"{path.stem}-{number}")


@pytest.mark.parametrize("chunk, wanted", cases())
def test_reaches_python(chunk, wanted):
    with pytest.raises(te.CompileError) as caught:
        te.compile(te.parse(chunk, name="chunk.mlir"))
    found = [d for d in caught.value.diagnostics if d.severity == "error"]
    line, message = wanted[0]
    literal = message.split("{{")[0]
    match = [d for d in found if literal in d.message and d.line == line]
    assert match, f"wanted {message!r} at line {line}, found {[(d.line, d.message) for d in found]}"
    assert match[0].file == "chunk.mlir" and match[0].column > 0
    if rule := RULE.search(match[0].message):
        assert match[0].rule == rule[1]


def test_every_rule_is_among_them():
    """The numbers of docs/spec.md that the verifier has."""
    seen = {rule for param in cases() for _, message in param.values[1] for rule in RULE.findall(message)}
    assert len(seen) > 60
