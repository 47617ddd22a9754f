"""Profiles of the cycle model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LaunchProfile:
    """A kernel launch. ``data`` is its object in docs/cycle-model.md, "JSON"."""

    data: dict[str, Any]

    @property
    def kernel(self) -> str:
        return str(self.data["kernel"])

    @property
    def seconds(self) -> float:
        return float(self.data["grid"]["seconds"])

    @property
    def largest_stall(self) -> str | None:
        return self.data.get("largest_stall")

    def __repr__(self) -> str:
        busiest, roofline = self.data["busiest"], self.data.get("roofline")
        bound = f", {roofline['bound']} bound" if roofline else ""
        return (f"<{self.kernel}: {1e6 * self.seconds:.2f} us, {busiest['unit']} {100 * busiest['share']:.0f} % busy, largest stall "
                f"{self.largest_stall}{bound}>")


class Profile:
    """The launches of a run and their modelled time, a gap between two included. ``data`` is docs/cycle-model.md, "JSON"."""

    def __init__(self, data: dict[str, Any]):
        self.data = data
        self.launches = tuple(map(LaunchProfile, data["launches"]))

    @property
    def seconds(self) -> float:
        return float(self.data["seconds"])

    def __repr__(self) -> str:
        return f"<te_mlir.Profile {1e6 * self.seconds:.2f} us (cycle model): {', '.join(map(repr, self.launches))}>"
