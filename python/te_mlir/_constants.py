"""Constants as MLIR reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays
from ._types import DTYPES, DType, check_dtype


def convert(value: Any, dtype: DType | None) -> tuple[np.ndarray[Any, Any], DType]:
    if not isinstance(value, (int, float, np.generic, np.ndarray)):
        raise TypeError(f"a constant of {value!r:.60}; give a number or a NumPy array")
    given = np.asarray(value)
    if dtype is None:
        name: Any = "i1" if given.dtype == np.bool_ else _arrays._NAMES.get(given.dtype.name)
        if not isinstance(value, np.ndarray) or name not in DTYPES:
            remedy = "name its type, such as dtype=\"f32\"" if given.ndim == 0 else "give array.astype(...) of a type that the language has"
            raise TypeError(f"a constant of {given.dtype} elements; {remedy}")
        return given, name
    if check_dtype(dtype, "dtype") == "f4E2M1FN":
        raise TypeError("there are no constants of f4E2M1FN; quantize others")
    numpy = np.dtype(np.bool_ if dtype == "i1" else _arrays._DTYPES[dtype][0])
    if dtype.startswith("i"):
        low, high = (0, 1) if dtype == "i1" else (np.iinfo(numpy).min, np.iinfo(numpy).max)
        if given.dtype.kind not in "biu" or (given.size and not (low <= int(given.min()) and int(given.max()) <= high)):
            raise TypeError(f"{value!r:.60} is no {dtype}")
    elif given.dtype.kind in "OUS":
        raise TypeError(f"{value!r:.60} is no number")
    with np.errstate(over="ignore"):
        return given.astype(numpy), dtype


def print_elements(array: np.ndarray[Any, Any], dtype: DType) -> str:
    if array.size == 0:
        return ""
    if dtype == "i1":
        return str(array.tolist()).lower()
    if array.ndim == 0:
        bits = array.reshape(1).view(f"u{array.itemsize}").item()
        return str(array.item()) if dtype.startswith("i") else f"0x{bits:0{2 * array.itemsize}X}"
    return f'"0x{array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes().hex().upper()}"'
