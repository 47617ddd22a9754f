"""Programs as operators of PyTorch.

>>> norm = te_mlir.torch.op(te_mlir.compile("rmsnorm_mxfp8.mlir"), "rmsnorm_mxfp8", entry="forward")
>>> data, scale, total, rsigma = norm(x, residual, gamma)       # in eager mode, and in torch.compile without a graph break
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .. import _arrays
from .._errors import RunError
from .._program import Program, _flatten

_NAMESPACE = "te_mlir"
_APPLY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: (a + b - 1) // b,
    "roundup": lambda a, b: (a + b - 1) // b * b,
    "mod": lambda a, b: a % b,
    "min": lambda a, b: torch.sym_min(a, b),  # type: ignore[no-untyped-call]
    "max": lambda a, b: torch.sym_max(a, b),  # type: ignore[no-untyped-call]
}


def _evaluate(size: Any, dims: Mapping[str, Any]) -> Any:
    """A size of the manifest (docs/manifest.md), symbolic or not."""
    if isinstance(size, str):
        return dims[size]
    if isinstance(size, list):
        name, left, right = size
        return _APPLY[name](_evaluate(left, dims), _evaluate(right, dims))
    return size


def op(program: Program, name: str, *, entry: str | None = None, dims: Mapping[str, int] | None = None) -> Callable[..., Any]:
    """Registers an entry of ``program`` as the operator ``te_mlir::name`` and returns it.

    The operator takes a tensor for each argument buffer and gives one for each result buffer (a quantized tensor is two: data, then scales),
    as ``program.entries[...]`` lists them; one tensor alone is not in a tuple. It reads its inputs, and makes its results. On CPU tensors the
    emulator runs it, on GPU tensors HIP or CUDA, on torch's current stream. ``dims`` are sizes that no argument has.
    Its fake implementation has symbolic sizes, so that torch.compile(fullgraph=True, dynamic=True) traces it.
    Raises RunError where the name is taken or the program has no such entry.
    """
    called = program.entry(entry)
    qualified = f"{_NAMESPACE}::{name}"
    if hasattr(getattr(torch.ops, _NAMESPACE), name):
        raise RunError(f"there is an operator {qualified} already; give another name")
    record = next(each for each in program.manifest["entries"] if each["name"] == called.name)
    buffers = record["buffers"]
    arguments, results = ([buffers[i] for value in record[kind] for i in value["buffers"]] for kind in ("arguments", "results"))
    given = dict(dims or {})

    def resolve(tensors: Sequence[torch.Tensor]) -> dict[str, Any]:
        sizes: dict[str, Any] = dict(given)
        for tensor, buffer in zip(tensors, arguments):
            for size, asked in zip(tensor.shape, buffer["shape"]):
                if isinstance(asked, str):
                    sizes.setdefault(asked, size)
        return sizes

    def fake(*tensors: torch.Tensor) -> Any:
        sizes = resolve(tensors)
        made = [
            torch.empty([_evaluate(size, sizes) for size in buffer["shape"]], dtype=_torch_type(buffer["dtype"]), device=tensors[0].device)
            for buffer in results
        ]
        return made[0] if len(made) == 1 else tuple(made)

    def real(*tensors: torch.Tensor) -> Any:
        made = program.run(*(tensor.contiguous() for tensor in tensors), entry=called.name, dims=given)
        flat = _flatten(made if isinstance(made, tuple) else (made,))
        return flat[0] if len(flat) == 1 else tuple(flat)

    tensors = ", ".join(f"Tensor {_parameter(buffer['name'], i)}" for i, buffer in enumerate(arguments))
    torch.library.define(qualified, f"({tensors}) -> {'Tensor' if len(results) == 1 else '(' + ', '.join(['Tensor'] * len(results)) + ')'}")
    for device in ("CPU", "CUDA"):
        torch.library.impl(qualified, device)(real)
    torch.library.register_fake(qualified)(fake)
    registered: Callable[..., Any] = getattr(getattr(torch.ops, _NAMESPACE), name)
    return registered


def _parameter(name: str, index: int) -> str:
    """A name of a schema: "x.data" is none."""
    made = name.replace(".", "_")
    return made if made.isidentifier() else f"arg{index}"


def _torch_type(dtype: str) -> torch.dtype:
    made: torch.dtype = getattr(torch, _arrays.torch_name(dtype))
    return made


__all__ = ["op"]
