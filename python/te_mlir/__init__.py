"""te-mlir: FP8, MXFP8 and MXFP4 kernels of transformers for AMD GPUs, compiled, run, checked and explained.

>>> import te_mlir as te
>>> program = te.compile("rmsnorm_mxfp8.mlir", target="gfx950")
>>> y = program(x, gamma)           # torch or NumPy arrays, used where they lie; on the CPU: the emulator
>>> program.check()                 # against the reference, on random inputs
"""

from . import ops, testing
from ._builder import Tensor
from ._device import Device
from ._errors import CheckError, CompileError, Diagnostic, Error, RunError
from ._functions import Function, function, module
from ._module import Buffer, Entry, Module, Value, parse
from ._native import VERSION as __version__
from ._profile import LaunchProfile, Profile
from ._program import DEFAULT_TARGET, KernelStats, Program, compile, targets
from ._scaled import ScaledTensor
from ._sizes import Size
from ._types import DType, Scaled, TensorType, scaled, tensor

__all__ = [
    "DEFAULT_TARGET", "Buffer", "CheckError", "CompileError", "DType", "Device", "Diagnostic", "Entry", "Error", "Function", "KernelStats",
    "LaunchProfile", "Module", "Profile", "Program", "RunError", "Scaled", "ScaledTensor", "Size", "Tensor", "TensorType", "Value",
    "__version__", "compile", "function", "module", "ops", "parse", "scaled", "targets", "tensor", "testing"
]
