"""Devices that run programs."""

from __future__ import annotations

from functools import lru_cache

from . import _native
from ._errors import RunError


class Device:
    """Where programs run: "emulator", "hip", "cuda" (then ``ordinal`` is the GPU's number), or "reference", which interprets the program's
    IR on the CPU.

    ``max_instructions`` ends an emulation in which a workgroup runs more wave-instructions; 0: no limit. Any thread may use it.
    """

    def __init__(self, kind: str = "emulator", ordinal: int = 0, *, library: str = "", max_instructions: int = 0):
        self._native = _native.Device(kind, ordinal, library, max_instructions) if kind != "reference" else None
        self.kind, self.ordinal = kind, ordinal

    @property
    def name(self) -> str:
        return self._native.name if self._native else self.kind

    @property
    def chip(self) -> str:
        """What programs are compiled for here; "" for the emulator and the reference, which take any."""
        return self._native.chip if self._native else ""

    def synchronize(self) -> None:
        """Waits for all streams."""
        if self._native:
            self._native.synchronize()

    def __repr__(self) -> str:
        return f"<te_mlir.Device {self.name}>"


@lru_cache(maxsize=None)
def open_device(kind: str, ordinal: int = 0) -> Device:
    """The one that programs share."""
    return Device(kind, ordinal)


def find_device(device: Device | str | None) -> Device | None:
    """The device that a caller means: a name is that of a kind, or "cuda:1"."""
    if device is None or isinstance(device, Device):
        return device
    if not isinstance(device, str):
        raise TypeError(f"device is {device!r:.60}; give a te_mlir.Device or its name, such as \"cuda:1\"")
    kind, colon, ordinal = device.partition(":")
    if colon and (kind not in ("hip", "cuda") or not ordinal.isdecimal()):
        raise RunError(f"no device {device!r}; there are emulator, reference, hip and cuda, or cuda:1 for the second GPU")
    return open_device(kind, int(ordinal or 0))


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
