"""te-mlir: FP8, MXFP8 and MXFP4 kernels of transformers for AMD GPUs, compiled, run, checked and explained.

>>> import te_mlir as te
>>> program = te.compile("rmsnorm_mxfp8.mlir", target="gfx950")
>>> y = program(x, gamma)           # torch or NumPy arrays, used where they lie; on the CPU: the emulator
>>> program.check()                 # against the reference, on random inputs
"""

from . import testing
from ._device import Device
from ._errors import CheckError, CompileError, Diagnostic, Error, RunError
from ._module import Buffer, Entry, Module, Value, parse
from ._native import VERSION as __version__
from ._profile import LaunchProfile, Profile
from ._program import DEFAULT_TARGET, KernelStats, Program, compile, targets
from ._scaled import ScaledTensor

__all__ = [
    "DEFAULT_TARGET", "Buffer", "CheckError", "CompileError", "Device", "Diagnostic", "Entry", "Error", "KernelStats", "LaunchProfile",
    "Module", "Profile", "Program", "RunError", "ScaledTensor", "Value", "__version__", "compile", "parse", "targets", "testing"
]
