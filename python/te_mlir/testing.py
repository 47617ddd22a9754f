"""The reference, tolerances and random inputs, as te-run has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _arrays, _native
from ._errors import CheckError, RunError
from ._scaled import ScaledTensor

if TYPE_CHECKING:
    from ._module import Buffer
    from ._program import Program


@dataclass(frozen=True)
class Comparison:
    """A result buffer beside the reference's. ``mismatches`` are beyond the tolerance; ``outliers`` are those that it allows."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    tolerance: str
    elements: int
    mismatches: int
    outliers: int
    unspecified: int
    differences: int
    worst_absolute: float
    worst_relative: float
    worst_ulps: float
    passed: bool
    text: str

    def __str__(self) -> str:
        return self.text.rstrip()


@dataclass(frozen=True)
class CheckReport:
    """All results beside the reference's; true where they pass. ``seed`` is that of the inputs, where they were drawn."""

    comparisons: tuple[Comparison, ...]
    seed: int | None

    @property
    def passed(self) -> bool:
        return all(comparison.passed for comparison in self.comparisons)

    def __bool__(self) -> bool:
        return self.passed

    def raise_if_failed(self) -> CheckReport:
        """Raises CheckError with the report's text where a result is beyond its tolerance."""
        if not self.passed:
            raise CheckError(str(self))
        return self

    def __str__(self) -> str:
        lines = [str(comparison) for comparison in self.comparisons]
        if self.seed is not None:
            lines.append(f"random inputs, seed {self.seed}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<te_mlir.testing.CheckReport {'passed' if self.passed else 'failed'}: {self}>"


def refs(buffers: Sequence[Buffer], views: Sequence[_arrays.View]) -> list[tuple[str, list[int], int]]:
    """Arrays of the host as the native module takes them."""
    for buffer, view in zip(buffers, views):
        if view.device != "cpu":
            raise RunError(f"argument {buffer.name} is on {view.device}; the emulator and the reference take memory of the host")
    return [(buffer.dtype, list(view.shape), view.address) for buffer, view in zip(buffers, views)]


def random_inputs(program: Program, *, entry: str | None = None, dims: Mapping[str, int] | None = None, seed: int = 0,
                  distribution: str = "mixed") -> list[Any]:
    """NumPy arrays for every argument buffer. ``distribution``: "mixed" has NaN, Inf, denormals, ties and blocks of zeros among normal
    values, and poison in what only pads scales; "normal" and "uniform" are finite. Equal seeds give equal arrays."""
    called = program.entry(entry)
    resolved = program._native.resolve(called.name, [], dict(dims or {}))
    drawn = _native.random_inputs(program.module._native, called.name, resolved, seed, distribution)
    return [_arrays.from_bytes(*array) for array in drawn]


def reference(program: Program, *inputs: Any, entry: str | None = None, dims: Mapping[str, int] | None = None) -> Any:
    """What the reference makes of the inputs: ``program.run(..., device="reference")``."""
    return program.run(*inputs, entry=entry, dims=dims, device="reference")


def compare(program: Program, inputs: Sequence[Any], results: Any, *, entry: str | None = None, dims: Mapping[str, int] | None = None,
            seed: int | None = None) -> CheckReport:
    """Compares results of a run with what the reference makes of the same inputs."""
    from ._program import _flatten
    called = program.entry(entry)
    views = program._view_inputs(called, inputs)
    sizes = program._resolve(called, None, views, dims)
    outputs = _flatten(results if isinstance(results, tuple) else (results,))
    found = program._view_outputs(called, sizes, outputs, "cpu")
    compared = _native.compare(program.module._native, called.name, sizes.dims, refs(called.argument_buffers, views),
                               refs(called.result_buffers, found))
    return CheckReport(tuple(Comparison(**{**c, "shape": tuple(c["shape"])}) for c in compared), seed)


__all__ = ["CheckReport", "Comparison", "ScaledTensor", "compare", "random_inputs", "reference"]
