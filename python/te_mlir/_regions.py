"""te.fusion: a region that becomes one kernel, as the program chooses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ._builder import Body, Op, Operand, Tensor, current
from ._results import Results, name_results
from ._text import quote


def fusion(kernel: str, inputs: Sequence[Operand], body: Callable[..., Results], *,
           schedule: str | None = None) -> Tensor | tuple[Tensor, ...]:
    """te.fusion: a region that becomes one kernel.

    te-fuse makes regions of what the program leaves outside of them, and te-schedule the schedules of regions without one; what is given
    here is kept, and checked (F1 to F13, H1 to H20).

    Arguments:
        kernel: the kernel's name
        inputs: what the region reads; it reads nothing else of the function, but what it computes
        body: called once, with a value for each input; what it returns is written to memory
        schedule: what stands in #te.schedule<...>: '"gfx950", tile = [32, 512], waves = 8, vector = 8'; optional

    Returns:
        what ``body`` returns, as values of the function
    """
    op = Op("te.fusion", sized_operands=True)
    values = op.tensors("inputs", inputs)
    op.tensors("inits", [])
    op.attribute("kernel", quote(kernel))
    if schedule is not None:
        op.attribute("schedule", f"#te.schedule<{schedule}>")
    inner = Body(f"region {kernel}", op.place, op.body)
    arguments = [inner.add_region_argument(value) for value in values]
    sizes = {size: outer for argument, value in zip(arguments, values) for size, outer in zip(argument.shape, value.shape)}
    token = current.set(inner)
    try:
        results = [value for _, value in name_results(inner, body(*arguments))]
    finally:
        current.reset(token)
    op.region(arguments, inner.lines, results)
    for result in results:
        op.result([size if isinstance(size, int) else sizes.get(size) for size in result.shape], result.dtype)
    return op.some()
