"""What a function under construction returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from ._builder import Body, Tensor

#: A value, several, or several with their names.
Results = Union[Tensor, Sequence[Tensor], Mapping[str, Tensor]]


def name_results(body: Body, returned: Any) -> list[tuple[str | None, Tensor]]:
    if isinstance(returned, Mapping):
        results: list[tuple[str | None, Any]] = list(returned.items())
    elif isinstance(returned, Sequence):
        results = [(None, value) for value in returned]
    else:
        results = [(None, returned)]
    for name, value in results:
        if not isinstance(value, Tensor):
            raise TypeError(f"{body.name} returns {value!r}; give the tensors that are its results: one, several, or a dict of names and "
                            "tensors")
        if value.body is not body:
            raise TypeError(f"{body.name} returns {value!r}, which is not its own")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"{body.name} returns a dict with the key {name!r}; keys are the results' names")
    return results
