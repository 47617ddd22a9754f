"""Compiled programs: compile, run, save, look inside."""

from __future__ import annotations

import json
import os
import random
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from . import _arrays, _native, testing
from ._device import Device, choose, find_device
from ._errors import RunError, make_diagnostic
from ._module import Entry, Module, make_entry, parse
from ._profile import Profile
from ._scaled import ScaledTensor

DEFAULT_TARGET = "gfx950"


@dataclass(frozen=True)
class KernelStats:
    """What a kernel takes, read from the code object: registers of a lane (``sgprs``: of a wave) and bytes. None: not known."""

    name: str
    vgprs: int | None
    agprs: int | None
    sgprs: int | None
    vgpr_spills: int | None
    sgpr_spills: int | None
    scratch_bytes: int | None
    lds_bytes: int
    kernarg_bytes: int
    workgroup_size: int


@dataclass(frozen=True)
class _Sizes:
    """What an entry needs for arrays of given shapes."""

    dims: list[int]
    result_shapes: list[list[int]]  # of buffers
    workspace: int
    shapes: list[list[int]]  # of results


_VARIANTS = (16, 128, 1024)  # as te-compile's


def compile(module: Module | str | os.PathLike[str], target: str = DEFAULT_TARGET, *, tuning_db: str | os.PathLike[str] | None = None,
            variants: Sequence[int] = _VARIANTS, line_tables: bool = False) -> Program:
    """A program for ``target`` of a module, of MLIR text or of a file.

    ``tuning_db`` is a file of schedules that te-tune found. Where types do not tell a number of rows, there are kernels for ranges
    of it: ``variants`` are the most rows of each range but the last, rising; ``()``: one kernel for all. With ``line_tables`` the sanitizer and profiles name lines of the IR.
    Raises CompileError, which says what is wrong and where; RunError for a target that is not known.
    """
    made = module if isinstance(module, Module) else parse(module)
    compiled = _native.compile(made._native, target, _image_level(target), str(tuning_db or ""), _check_ends(variants), line_tables)
    for warning in compiled.warnings:
        warnings.warn(str(make_diagnostic(warning)), stacklevel=2)
    program = Program(compiled.image)
    program.__dict__["_compiled"] = compiled  # so that it is not compiled again
    return program


def _check_ends(variants: Sequence[int]) -> list[int]:
    ends = [int(end) for end in variants]
    if any(end <= before for before, end in zip([0, *ends], ends)):
        raise ValueError(f"variants = {variants}: expected rising numbers of rows, as in (16, 128, 1024), or ()")
    return ends


def _image_level(target: str) -> str:
    return "ptx" if target.startswith("sm_") else "hsaco"


def targets() -> list[str]:
    """The chips that programs are compiled for."""
    return _native.targets()


class Program:
    """An artefact: machine code for one chip, and what it says of its entries. It never changes; any thread may run it.

    Called with arrays it runs its only entry, or ``entry``: see ``run``.
    """

    def __init__(self, image: bytes):
        self.image = bytes(image)
        self._native = _native.Image(self.image)
        self.target: str = self._native.target
        #: The functions that can be run, by name.
        self.entries: dict[str, Entry] = {entry.name: entry for entry in map(make_entry, self._native.entries())}
        self._codes: dict[int, tuple[Device, _native.Code]] = {}
        self._callers: dict[Any, _native.Caller] = {}
        self._sizes: dict[Any, _Sizes] = {}

    def __repr__(self) -> str:
        return f"<te_mlir.Program for {self.target}: {'; '.join(map(str, self.entries.values()))}>"

    # Files.

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Program:
        """The program of an HSACO or PTX file that te-compile or ``save`` wrote."""
        return Program(Path(path).read_bytes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the artefact, which te-run, te-launch and the C interface take too. The file appears whole or not at all."""
        path = Path(path)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            try:
                file.write(self.image)
                file.flush()
                os.chmod(file.name, 0o666 & ~_umask())
                os.replace(file.name, path)
            except BaseException:
                os.unlink(file.name)
                raise

    # What is inside.

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The artefact's manifest (docs/manifest.md)."""
        start = self.image.index(b'{"entries"')
        decoded: dict[str, Any] = json.JSONDecoder().raw_decode(self.image[start:].decode("utf-8", "replace"))[0]
        return decoded

    @cached_property
    def module(self) -> Module:
        """The te-level IR that the program was compiled from."""
        return parse(self._native.source, name="<artefact>")

    @cached_property
    def _compiled(self) -> _native.Compiled:
        return _native.compile(self.module._native, self.target, _image_level(self.target), "", _VARIANTS, False)

    @property
    def stats(self) -> tuple[KernelStats, ...]:
        """Registers, spills and bytes of each kernel."""
        return tuple(KernelStats(**kernel) for kernel in self._compiled.kernels)

    def explain(self) -> str:
        """Which ops became one kernel and why, and by which schedule (te-compile --explain)."""
        return self._compiled.reports["explain"]

    def ir(self, level: str = "te") -> str:
        """The program at a level: te, fused, tile, gpu, rocdl or nvvm, llvm, asm or ptx."""
        if level == "te":
            return str(self.module)
        return _native.compile(self.module._native, self.target, level, "", _VARIANTS, False).text

    @property
    def asm(self) -> str:
        """The machine code as assembly."""
        return self.ir("ptx" if self.target.startswith("sm_") else "asm")

    # Running.

    def entry(self, name: str | None = None) -> Entry:
        if name is None:
            if len(self.entries) != 1:
                raise RunError(f"the program has {len(self.entries)} entries ({', '.join(self.entries)}); choose one by entry=")
            return next(iter(self.entries.values()))
        if name not in self.entries:
            raise RunError(f"the program has no entry {name}; there are {', '.join(self.entries) or 'none'}")
        return self.entries[name]

    def __call__(self, *inputs: Any, out: Any = None, entry: str | None = None, dims: Mapping[str, int] | None = None,
                 device: Device | str | None = None, stream: int | None = None) -> Any:
        return self.run(*inputs, out=out, entry=entry, dims=dims, device=device, stream=stream)

    def run(self, *inputs: Any, out: Any = None, entry: str | None = None, dims: Mapping[str, int] | None = None,
            device: Device | str | None = None, stream: int | None = None) -> Any:
        """Runs an entry on arrays where they lie, and returns its result, or a tuple of several.

        ``inputs``: an array for each argument, in order; a ScaledTensor, or data and scales, for a quantized one. NumPy arrays, torch
        tensors and others with ``__dlpack__``, dense, row-major, at addresses that are multiples of 16.
        ``out``: arrays for the results, likewise, which overlap no input; without, they are made by the inputs' framework.
        ``dims``: sizes of dimensions that no input has.
        ``device``: where, a Device or its name ("emulator", "reference", "hip", "cuda:1"); without, the GPU that the arrays are on, and the
        emulator for memory of the host.
        ``stream``: the GPU's stream, as an integer; without, torch's current one, or the default.
        The call returns once the kernels are launched; on the emulator, once they have run.

        Raises RunError, which names the argument, what was given and what is needed, and TypeError for what is no array.
        """
        called, device = self.entry(entry), find_device(device)
        if not isinstance(dims, (Mapping, type(None))):
            raise TypeError(f"dims is {dims!r:.60}; give a dict of names and sizes, such as {{\"M\": 4}}")
        if out is not None and dims is None and (results := self._call(called, inputs, out, device, stream)):
            return results[0]
        views = self._view_inputs(called, inputs)
        location = views[0].device if views else f"cuda:{device.ordinal}" if device and device.chip else "cpu"
        device = device or choose(self.target, location)
        key = (called.name, *[view.shape for view in views], *(sorted(dims.items()) if dims else ()))
        sizes = self._sizes.get(key) or self._resolve(called, key, views, dims)
        like = views[0].owner if views else None
        outputs = self._make_outputs(called, sizes, like) if out is None else _flatten(out if isinstance(out, (tuple, list)) else (out,))
        result_views = self._view_outputs(called, sizes, outputs, location) if out is not None else [
            _arrays.view(array, buffer.name) for array, buffer in zip(outputs, called.result_buffers)]
        if device.kind == "reference":
            _native.reference(self.module._native, called.name, sizes.dims, testing.refs(called.argument_buffers, views),
                              testing.refs(called.result_buffers, result_views))
            return _results(called, outputs, sizes.shapes)
        workspace, block = (0, None) if not sizes.workspace else _arrays.workspace(sizes.workspace, _native.WORKSPACE_ALIGNMENT, like)
        binding = self._load(device).bind(called.name, sizes.dims, [(view.address, view.bytes) for view in views],
                                          [(view.address, view.bytes) for view in result_views], (workspace, sizes.workspace))
        binding.run(_stream(stream, location))
        del block
        return _results(called, outputs, sizes.shapes)

    def _call(self, called: Entry, inputs: tuple[Any, ...], out: Any, device: Device | None, stream: int | None) -> tuple[Any] | None:
        """``run`` where all is as it should be, in one step: what it returns. None: nothing has happened."""
        if not inputs or (device and device.kind == "reference"):
            return None
        arrays = tuple(_flatten(inputs))
        outputs = tuple(_flatten(out if isinstance(out, (tuple, list)) else (out,)))
        where = getattr(arrays[0], "device", "cpu")  # torch's, or NumPy's string
        found = self._callers.get((called.name, where, device))
        if not found:
            if any(buffer.dtype == "f4E2M1FN" for buffer in called.result_buffers):
                return None
            chosen = device or choose(self.target, str(where))
            torch = _arrays._torch()
            dtypes = [_arrays.objects(buffer.dtype) for buffer in (*called.argument_buffers, *called.result_buffers)]
            found = _native.Caller(self._load(chosen), called.name, dtypes, torch.Tensor if torch is not None else None,
                                   _arrays.workspace)
            self._callers[(called.name, where, device)] = found
        if not found.run(arrays, outputs, 0 if where == "cpu" else _stream(stream, str(where))):
            return None
        return (_results(called, outputs, _shapes(called, outputs)), )

    def query(self, *shapes: Sequence[int], entry: str | None = None,
              dims: Mapping[str, int] | None = None) -> tuple[list[list[int]], list[list[int]], int]:
        """For the shapes of the argument buffers, or for ``dims`` alone: shapes of all argument and result buffers, and the bytes of
        workspace. Fails with RunError where sizes contradict each other or are not known."""
        called = self.entry(entry)
        resolved = self._native.resolve(called.name, [list(shape) for shape in shapes], dict(dims or {}))
        argument_shapes, result_shapes, workspace, _ = self._native.query(called.name, resolved)
        return argument_shapes, result_shapes, workspace

    def _view_inputs(self, called: Entry, inputs: Sequence[Any]) -> list[_arrays.View]:
        arrays = _flatten(inputs)
        buffers = called.argument_buffers
        if len(arrays) != len(buffers):
            raise RunError(f"entry {called.name} takes {len(buffers)} arrays ({', '.join(map(str, buffers))}), found {len(arrays)}")
        views: list[_arrays.View] = []
        for array, buffer in zip(arrays, buffers):
            view = _arrays.view(array, f"argument {buffer.name}")
            if not _arrays.is_type(view.dtype, buffer.dtype):
                raise RunError(f"argument {buffer.name} has element type {view.dtype}; it is {buffer.dtype}: give "
                               f"{_arrays.accepted(buffer.dtype)}")
            if views and view.device != views[0].device:
                raise RunError(f"argument {buffer.name} is on {view.device}, but {buffers[0].name} on {views[0].device}; put both on one "
                               "device")
            if view.address % _native.BUFFER_ALIGNMENT:
                raise RunError(f"argument {buffer.name} is at address {view.address:#x}, but kernels need a multiple of "
                               f"{_native.BUFFER_ALIGNMENT}; give a copy of it")
            views.append(view)
        return views

    def _resolve(self, called: Entry, key: Any, views: Sequence[_arrays.View], dims: Mapping[str, int] | None) -> _Sizes:
        resolved = self._native.resolve(called.name, [list(view.shape) for view in views], dict(dims or {}))
        argument_shapes, result_shapes, workspace, shapes = self._native.query(called.name, resolved)
        for view, shape, buffer in zip(views, argument_shapes, called.argument_buffers):
            if list(view.shape) != shape:
                raise RunError(f"argument {buffer.name} has shape {list(view.shape)}, expected {shape} ({buffer})")
        sizes = _Sizes(resolved, result_shapes, workspace, shapes)
        if len(self._sizes) >= 256:
            self._sizes.clear()
        self._sizes[key] = sizes
        return sizes

    def _make_outputs(self, called: Entry, sizes: _Sizes, like: Any) -> list[Any]:
        return [_arrays.empty(buffer.dtype, shape, like) for buffer, shape in zip(called.result_buffers, sizes.result_shapes)]

    def _view_outputs(self, called: Entry, sizes: _Sizes, outputs: Sequence[Any], location: str) -> list[_arrays.View]:
        buffers = called.result_buffers
        if len(outputs) != len(buffers):
            raise RunError(f"entry {called.name} gives {len(buffers)} arrays ({', '.join(map(str, buffers))}), found {len(outputs)} in out")
        views = []
        for array, buffer, shape in zip(outputs, buffers, sizes.result_shapes):
            view = _arrays.view(array, f"result {buffer.name}", writable=True)
            if not _arrays.is_type(view.dtype, buffer.dtype) or list(view.shape) != shape:
                raise RunError(f"result {buffer.name} is given as {view.dtype} {list(view.shape)}; it is {buffer.dtype} {shape}: give "
                               f"{_arrays.accepted(buffer.dtype)}")
            if view.device != location:
                raise RunError(f"result {buffer.name} is on {view.device}, but the arguments on {location}; put all on one device")
            views.append(view)
        return views

    def _load(self, device: Device) -> _native.Code:
        found = self._codes.get(id(device))
        if not found:
            assert device._native
            found = self._codes[id(device)] = (device, _native.Code(device._native, self.image))
        return found[1]

    # Judging.

    def random_inputs(self, *, entry: str | None = None, dims: Mapping[str, int] | None = None, seed: int = 0,
                      distribution: str = "mixed") -> list[Any]:
        """NumPy arrays for every argument buffer, as te-run draws them (te_mlir.testing.random_inputs)."""
        return testing.random_inputs(self, entry=entry, dims=dims, seed=seed, distribution=distribution)

    def check(self, *inputs: Any, entry: str | None = None, dims: Mapping[str, int] | None = None, seed: int | None = None,
              device: Device | str | None = None) -> testing.CheckReport:
        """Runs an entry and the reference on the same inputs, and compares the results by the tolerances of docs/spec.md.

        Without ``inputs`` they are drawn by ``seed``, which the report has. Arrays must be NumPy's or torch's on the CPU.
        """
        called = self.entry(entry)
        used = seed
        if not inputs and called.argument_buffers:
            used = random.randrange(1 << 30) if seed is None else seed
            inputs = tuple(self.random_inputs(entry=called.name, dims=dims, seed=used))
        results = self.run(*inputs, entry=called.name, dims=dims, device=device)
        return testing.compare(self, inputs, results, entry=called.name, dims=dims, seed=used)

    def sanitize(self, *inputs: Any, entry: str | None = None, dims: Mapping[str, int] | None = None, seed: int = 0) -> list[str]:
        """The defects that the sanitizer finds while the emulator runs an entry: races, missing waits, reads of nothing (docs/sanitizer.md).
        """
        called = self.entry(entry)
        arrays = inputs or tuple(self.random_inputs(entry=called.name, dims=dims, seed=seed))
        views = self._view_inputs(called, arrays)
        sizes = self._resolve(called, None, views, dims)
        defects, _ = _native.sanitize(self.image, called.name, sizes.dims, testing.refs(called.argument_buffers, views))
        return defects

    def profile(self, *inputs: Any, entry: str | None = None, dims: Mapping[str, int] | None = None,
                clock: float | None = None) -> Profile:
        """The kernels' time in the cycle model (docs/cycle-model.md). Without ``inputs`` of a sample of the grid, for the sizes in ``dims``.

        ``clock`` is the clock that the chip is taken to sustain, in GHz; without, its peak.
        """
        called = self.entry(entry)
        if inputs:
            views = self._view_inputs(called, inputs)
            sizes = self._resolve(called, None, views, dims)
            arrays, resolved = testing.refs(called.argument_buffers, views), sizes.dims
        else:
            resolved = self._native.resolve(called.name, [], dict(dims or {}))
            arrays = []
        return Profile(json.loads(_native.profile(self.image, called.name, resolved, arrays, not inputs, clock)))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _flatten(values: Sequence[Any]) -> list[Any]:
    arrays: list[Any] = []
    for value in values:
        arrays += [value.data, value.scale] if isinstance(value, ScaledTensor) else [value]
    return arrays


def _results(called: Entry, arrays: Sequence[Any], shapes: Sequence[Sequence[int]]) -> Any:
    left = list(arrays)
    values: list[Any] = []
    for value, shape in zip(called.results, shapes):
        taken, left = left[:len(value.buffers)], left[len(value.buffers):]
        values.append(taken[0] if len(taken) == 1 else ScaledTensor(taken[0], taken[1], value.type, tuple(shape)))
    return values[0] if len(values) == 1 else tuple(values)


def _shapes(called: Entry, arrays: Sequence[Any]) -> list[tuple[int, ...]]:
    """Of the results: that of their data, but for fp4."""
    shapes, at = [], 0
    for value in called.results:
        shapes.append(tuple(arrays[at].shape))
        at += len(value.buffers)
    return shapes


def _stream(stream: int | None, location: str) -> int:
    if stream is not None or not location.startswith("cuda"):
        return stream or 0
    torch = _arrays._torch()
    return int(torch.cuda.current_stream(location).cuda_stream) if torch is not None else 0
