"""Quantized tensors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from . import _arrays

if TYPE_CHECKING:
    from ._program import Program

_DEFAULT_TARGET = "gfx950"


@dataclass(frozen=True)
class ScaledTensor:
    """Data and scales of a tensor of type ``!te.scaled<...>``, in the storage that docs/spec.md gives its scheme.

    ``type`` is that of the tensor, as MLIR prints it; ``shape`` its sizes. Either array may be of any framework that programs take.
    """

    data: Any
    scale: Any
    type: str
    shape: tuple[int, ...]

    def __repr__(self) -> str:
        return f"<te_mlir.ScaledTensor {list(self.shape)} of {self.type}>"

    @staticmethod
    def quantize(x: Any, element: str = "f8E4M3FN", scaling: str = "block = [1, 32], scale = f8E8M0FNU", *,
                 target: str = _DEFAULT_TARGET) -> ScaledTensor:
        """Quantizes an array of two dimensions and more as ``te.quantize`` does: ``scaling`` is what ``#te.scaling<...>`` holds.

        Raises CompileError where there is no such scheme, or where it needs an amax or a scale from outside.
        """
        view = _arrays.view(x, "x")
        program = _quantizer(_dtype(view), len(view.shape), element, scaling, target)
        result: ScaledTensor = program(x)
        return result

    def dequantize(self, dtype: str = "f32", *, target: str = _DEFAULT_TARGET) -> Any:
        """The values that the codes stand for, in MLIR's type ``dtype``."""
        return _dequantizer(self.type, dtype, target)(self, dims={f"d{axis}": size for axis, size in enumerate(self.shape)})


def _dtype(view: _arrays.View) -> str:
    for name in ("f32", "bf16", "f16"):
        if _arrays.is_type(view.dtype, name) and view.dtype != "uint16":
            return name
    raise TypeError(f"x has type {view.dtype}; te.quantize takes float32, bfloat16 or float16")


def _names(rank: int) -> str:
    return ", ".join(f'"d{axis}"' for axis in range(rank))


@lru_cache(maxsize=64)
def _quantizer(dtype: str, rank: int, element: str, scaling: str, target: str) -> Program:
    from ._program import compile
    shape = "?x" * rank
    scaled = f"!te.scaled<{shape}{element}, #te.scaling<{scaling}>>"
    widen = "" if dtype == "f32" else f"  %w = arith.extf %x : tensor<{shape}{dtype}> to tensor<{shape}f32>\n"
    operand = "%w" if widen else "%x"
    return compile(
        f"func.func @quantize(%x: tensor<{shape}{dtype}> {{te.dims = [{_names(rank)}]}}) -> {scaled} {{\n{widen}"
        f"  %q = te.quantize {operand} : tensor<{shape}f32> -> {scaled}\n  return %q : {scaled}\n}}\n", target)


@lru_cache(maxsize=64)
def _dequantizer(scaled: str, dtype: str, target: str) -> Program:
    from ._program import compile
    sizes, _, element = scaled.removeprefix("!te.scaled<").split(",")[0].rpartition("x")
    rank = sizes.count("x") + 1
    shape = "x".join("?" * rank)
    scaled = scaled.replace(f"{sizes}x{element}", f"{shape}x{element}", 1)
    dims = f" {{te.dims = [{_names(rank)}]}}"
    result = f"tensor<{shape}x{dtype}>"
    return compile(f"func.func @dequantize(%q: {scaled}{dims}) -> {result} {{\n  %x = te.dequantize %q : {scaled} -> {result}\n"
                   f"  return %x : {result}\n}}\n", target)
