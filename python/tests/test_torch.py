"""Programs as operators of PyTorch, on CPU tensors by the emulator."""

from pathlib import Path

import numpy as np
import pytest

import te_mlir as te

torch = pytest.importorskip("torch")
import te_mlir.torch  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def norm():
    program = te.compile(EXAMPLES / "rmsnorm_mxfp8.mlir")
    return te.torch.op(program, "test_rmsnorm_mxfp8", entry="forward"), program


def draw(rng, rows):
    return [torch.from_numpy(rng.standard_normal(shape, np.float32)).to(torch.bfloat16) for shape in ((rows, 4096), (rows, 4096), (4096,))]


def test_opcheck(norm, rng):
    for rows in (1, 5):
        torch.library.opcheck(norm[0], tuple(draw(rng, rows)))


def test_is_the_program(norm, rng):
    inputs = draw(rng, 7)
    data, scale, total, rsigma = norm[0](*inputs)
    y, wanted_total, wanted_rsigma = norm[1](*inputs, entry="forward")
    assert data.dtype == torch.float8_e4m3fn and scale.dtype == torch.float8_e8m0fnu
    assert torch.equal(data.view(torch.uint8), y.data.view(torch.uint8)) and torch.equal(total, wanted_total)
    assert torch.equal(rsigma, wanted_rsigma)
    # Padding of the scales is written too.
    assert torch.equal(scale.view(torch.uint8), y.scale.view(torch.uint8))


def test_strided_inputs_are_copied(norm, rng):
    x, residual, gamma = draw(rng, 6)
    wide = torch.empty(6, 8192, dtype=torch.bfloat16)
    wide[:, ::2] = x
    assert torch.equal(norm[0](wide[:, ::2], residual, gamma)[2], norm[0](x, residual, gamma)[2])


def test_compiles_without_a_graph_break(norm, rng):
    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gamma = torch.nn.Parameter(torch.ones(4096, dtype=torch.bfloat16), requires_grad=False)

        def forward(self, x, residual):
            data, scale, total, _ = norm[0](x * 2, residual, self.gamma)
            return data, scale, total + 1

    block = Block()
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(block, fullgraph=True, dynamic=True, backend=backend)
    for rows in (3, 8, 21):
        x, residual, _ = draw(rng, rows)
        for found, wanted in zip(compiled(x, residual), block(x, residual)):
            assert torch.equal(found.view(torch.uint8), wanted.view(torch.uint8))
    assert len(graphs) == 1, "sizes are symbolic"


def test_names_are_taken_once(norm):
    with pytest.raises(te.RunError, match="te_mlir::test_rmsnorm_mxfp8 already"):
        te.torch.op(norm[1], "test_rmsnorm_mxfp8", entry="forward")
    with pytest.raises(te.RunError, match="choose one by entry="):
        te.torch.op(norm[1], "test_other")
