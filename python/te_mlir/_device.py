"""Devices that run programs."""

from __future__ import annotations

from functools import lru_cache

from . import _native
from ._errors import RunError


class Device:
    """Where programs run: "emulator", "hip" or "cuda" (then ``ordinal`` is the GPU's number).

    ``max_instructions`` ends an emulation in which a workgroup runs more wave-instructions; 0: no limit. Any thread may use it.
    """

    def __init__(self, kind: str = "emulator", ordinal: int = 0, *, library: str = "", max_instructions: int = 0):
        self._native = _native.Device(kind, ordinal, library, max_instructions)
        self.kind, self.ordinal = kind, ordinal

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def chip(self) -> str:
        """What programs are compiled for here; "" for the emulator, which has every AMD chip."""
        return self._native.chip

    def synchronize(self) -> None:
        """Waits for all streams."""
        self._native.synchronize()

    def __repr__(self) -> str:
        return f"<te_mlir.Device {self.name}>"


@lru_cache(maxsize=None)
def open_device(kind: str, ordinal: int = 0) -> Device:
    """The one that programs share."""
    return Device(kind, ordinal)


def choose(target: str, location: str) -> Device:
    """The device for memory at ``location`` ("cpu", "cuda:1"), as torch says it."""
    if location == "cpu":
        if target.startswith("sm_"):
            raise RunError(f"the program was compiled for {target}, which no emulator here runs; give arrays on that GPU, or compile for "
                           "gfx950 or gfx942")
        return open_device("emulator")
    kind, _, ordinal = location.partition(":")
    if kind != "cuda":
        raise RunError(f"memory on {location}; there are cpu and cuda (HIP too)")
    return open_device("cuda" if target.startswith("sm_") else "hip", int(ordinal or 0))
