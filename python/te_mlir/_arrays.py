"""Arrays of the caller's framework, in place: their address, element type and shape; and new ones for results.

NumPy (with ml_dtypes), torch, and whatever speaks DLPack or has ``__cuda_array_interface__`` are used where they lie. An array is dense and
row-major; a ``f4E2M1FN`` buffer has bytes of two elements, as ``uint8`` or ``float4_e2m1fn_x2``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from ._errors import RunError

# MLIR's name: NumPy's type, torch's name.
_DTYPES: dict[str, tuple[Any, str]] = {
    "f32": (np.float32, "float32"),
    "f16": (np.float16, "float16"),
    "bf16": (ml_dtypes.bfloat16, "bfloat16"),
    "f8E4M3FN": (ml_dtypes.float8_e4m3fn, "float8_e4m3fn"),
    "f8E4M3FNUZ": (ml_dtypes.float8_e4m3fnuz, "float8_e4m3fnuz"),
    "f8E5M2": (ml_dtypes.float8_e5m2, "float8_e5m2"),
    "f8E5M2FNUZ": (ml_dtypes.float8_e5m2fnuz, "float8_e5m2fnuz"),
    "f8E8M0FNU": (ml_dtypes.float8_e8m0fnu, "float8_e8m0fnu"),
    "f4E2M1FN": (np.uint8, "float4_e2m1fn_x2"),
    "i8": (np.int8, "int8"),
    "i32": (np.int32, "int32"),
    "i64": (np.int64, "int64"),
}
# Types that stand for another one's bits: of one byte, and bf16's.
_BITS = {"uint8": {"f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN", "i8"}, "uint16": {"bf16", "f16"}}
_NAMES = {torch: name for name, (_, torch) in _DTYPES.items()}
_NAMES |= {np.dtype(numpy).name: name for name, (numpy, _) in _DTYPES.items() if name != "f4E2M1FN"}


class View(NamedTuple):
    """Memory of an array. ``device`` is "cpu", or "cuda:0" as torch says it, HIP too."""

    address: int
    bytes: int
    dtype: str  # the framework's name of the element type
    shape: tuple[int, ...]
    device: str
    owner: Any  # keeps the memory alive


def _torch() -> Any:
    """torch, where the program has it already."""
    return sys.modules.get("torch")


def is_torch(array: Any) -> bool:
    torch = _torch()
    return torch is not None and isinstance(array, torch.Tensor)


def view(array: Any, name: str, *, writable: bool = False) -> View:
    """The memory of ``array``, argument or result ``name``."""
    if is_torch(array):
        return _view_torch(array, name)
    if isinstance(array, np.ndarray) or np.isscalar(array):
        return _view_numpy(np.asarray(array), name, writable)
    if hasattr(array, "__cuda_array_interface__"):
        return _view_cuda(array.__cuda_array_interface__, array, name)
    if hasattr(array, "__dlpack__"):
        if (torch := _torch()) is not None:
            return _view_torch(torch.from_dlpack(array), name)
        return _view_numpy(np.from_dlpack(array), name, writable)
    raise TypeError(f"{name} is a {type(array).__name__}; give a NumPy array, a torch tensor or another array with __dlpack__")


def _view_torch(tensor: Any, name: str) -> View:
    if tensor.layout is not _torch().strided:
        raise RunError(f"{name} is a tensor of layout {tensor.layout}; give a dense one")
    if not tensor.is_contiguous():
        raise RunError(f"{name} has strides {tuple(tensor.stride())}, but kernels read dense rows; give {name}.contiguous()")
    if tensor.is_conj() or tensor.is_neg():
        raise RunError(f"{name} is a lazy conjugate or negative; give {name}.resolve_neg()")
    return View(tensor.data_ptr(), tensor.numel() * tensor.element_size(), str(tensor.dtype).removeprefix("torch."), tuple(tensor.shape),
                str(tensor.device), tensor)


def _view_numpy(array: np.ndarray[Any, Any], name: str, writable: bool) -> View:
    flags = array.flags
    if not flags.c_contiguous:
        raise RunError(f"{name} has strides {array.strides}, but kernels read dense rows; give numpy.ascontiguousarray({name})")
    if not array.dtype.isnative:
        raise RunError(f"{name} has type {array.dtype}, of the other byte order; give {name}.astype({name}.dtype.newbyteorder())")
    if writable and not flags.writeable:
        raise RunError(f"{name} is read-only, but a result is written there")
    return View(array.ctypes.data, array.nbytes, _numpy_name(array.dtype), array.shape, "cpu", array)


@lru_cache(maxsize=None)
def _numpy_name(dtype: np.dtype[Any]) -> str:
    """NumPy takes microseconds to spell a type."""
    return str(dtype.name)


def _view_cuda(interface: dict[str, Any], owner: Any, name: str) -> View:
    dtype = np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    dense = tuple(dtype.itemsize * int(np.prod(shape[axis + 1:])) for axis in range(len(shape)))
    if strides is not None and tuple(strides) != dense:
        raise RunError(f"{name} has strides {tuple(strides)}, but kernels read dense rows; give a contiguous array")
    return View(interface["data"][0], dtype.itemsize * int(np.prod(shape)), dtype.name, shape, "cuda:0", owner)


def is_type(found: str, wanted: str) -> bool:
    """Whether an array whose type its framework calls ``found`` holds elements of MLIR's type ``wanted``."""
    return _NAMES.get(found) == wanted or wanted in _BITS.get(found, ())


def objects(dtype: str) -> tuple[Any, ...]:
    """NumPy's and torch's objects for arrays of MLIR's type."""
    names = [name for name, types in _BITS.items() if dtype in types]
    found = [np.dtype(_DTYPES[dtype][0]), *map(np.dtype, names)]
    if (torch := _torch()) is not None:
        found += [getattr(torch, name) for name in (_DTYPES[dtype][1], *names) if hasattr(torch, name)]
    return tuple(found)


def torch_name(dtype: str) -> str:
    """What torch calls MLIR's type."""
    return _DTYPES[dtype][1]


def accepted(wanted: str) -> str:
    """For a person: what may stand for MLIR's type."""
    names = [_DTYPES[wanted][1], *(bits for bits, types in _BITS.items() if wanted in types)]
    return " or ".join(dict.fromkeys(names))


def empty(dtype: str, shape: Sequence[int], like: Any) -> Any:
    """A new array of MLIR's type in the framework and on the device of ``like``."""
    numpy, torch_name = _DTYPES[dtype]
    if is_torch(like):
        torch = _torch()
        return torch.empty(tuple(shape), dtype=getattr(torch, torch_name, torch.uint8), device=like.device)
    return _aligned(np.dtype(numpy), tuple(shape))


def workspace(size: int, alignment: int, like: Any) -> tuple[int, Any]:
    """The address of so many bytes beside ``like``, and what keeps them alive."""
    if is_torch(like):
        torch = _torch()
        block = torch.empty(size + alignment, dtype=torch.uint8, device=like.device)
        return -(-block.data_ptr() // alignment) * alignment, block
    block = np.empty(size + alignment, np.uint8)
    return -(-block.ctypes.data // alignment) * alignment, block


def _aligned(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """NumPy aligns small arrays to 16 bytes only by chance."""
    alignment = 64
    size = int(np.prod(shape)) * dtype.itemsize
    block = np.empty(size + alignment, np.uint8)
    start = -block.ctypes.data % alignment
    return block[start:start + size].view(dtype).reshape(shape)


def from_bytes(dtype: str, shape: Sequence[int], data: bytes) -> np.ndarray[Any, Any]:
    """A NumPy array of its own with these bytes."""
    array = _aligned(np.dtype(_DTYPES[dtype][0]), tuple(shape))
    array.reshape(-1).view(np.uint8)[...] = np.frombuffer(data, np.uint8)
    return array
