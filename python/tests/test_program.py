"""Programs from Python: compiled, run where arrays lie, checked, profiled, saved; and what is wrong with bad input."""

import gc
import signal
import threading
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import te_mlir as te

EXAMPLES = Path(__file__).parents[2] / "examples"
ADD = """
func.func @add(%x: tensor<?x64xf32> {te.dims = ["M", "K"], te.name = "x"}, %y: tensor<?x64xf32> {te.dims = ["M", "K"], te.name = "y"}) -> tensor<?x64xf32> {
  %0 = arith.addf %x, %y : tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
"""


@pytest.fixture(scope="module")
def add():
    return te.compile(ADD)


@pytest.fixture(scope="module")
def norm():
    return te.compile(EXAMPLES / "rmsnorm_mxfp8.mlir", target="gfx942")


def test_runs_on_numpy_in_place(add, rng):
    x, y = rng.standard_normal((2, 5, 64), np.float32)
    out = np.full((5, 64), np.nan, np.float32)
    assert add(x, y, out=out) is out
    np.testing.assert_array_equal(out, x + y)
    np.testing.assert_array_equal(add(x, y), x + y)


def test_rows_of_every_number(add, rng):
    for rows in (0, 1, 2, 63, 257):
        x, y = rng.standard_normal((2, rows, 64), np.float32)
        np.testing.assert_array_equal(add(x, y), x + y)


def test_torch_tensors_are_used_where_they_lie(add, rng):
    torch = pytest.importorskip("torch")
    x, y = (torch.from_numpy(rng.standard_normal((7, 64), np.float32)) for _ in range(2))
    out = torch.empty(7, 64)
    address = out.data_ptr()
    assert add(x, y, out=out).data_ptr() == address
    assert torch.equal(out, x + y)
    made = add(x, y)
    assert isinstance(made, torch.Tensor) and torch.equal(made, x + y)


def test_reference_is_a_device(add, norm, rng):
    torch = pytest.importorskip("torch")
    x, y = rng.standard_normal((2, 5, 64), np.float32)
    out = np.empty((5, 64), np.float32)
    assert add(x, y, out=out, device="reference") is out
    np.testing.assert_array_equal(out, x + y)
    tensors = torch.from_numpy(x), torch.from_numpy(y)
    found = add(*tensors, device=te.Device("reference"))
    assert torch.equal(found, tensors[0] + tensors[1])
    inputs = norm.random_inputs(entry="forward", dims={"M": 3}, seed=5)
    same = te.testing.compare(norm, inputs, norm(*inputs, entry="forward", device="reference"), entry="forward")
    assert same and all(comparison.differences == 0 for comparison in same.comparisons)
    assert te.compile(ADD, target="sm_90a").check(dims={"M": 2}, device="reference")


@pytest.mark.parametrize("name", ["tpu", "cuda:x", "emulator:1", "reference:2"])
def test_unknown_devices(add, name):
    with pytest.raises(te.RunError, match="device"):
        add(*np.zeros((2, 1, 64), np.float32), device=name)


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn_x2"])
def test_types_of_torch_and_ml_dtypes(name, rng):
    torch = pytest.importorskip("torch")
    mlir = {"bfloat16": "bf16", "float16": "f16", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e8m0fnu": "f8E8M0FNU",
            "float4_e2m1fn_x2": "f4E2M1FN"}[name]
    from te_mlir import _arrays
    codes = rng.integers(0, 256, (4, 32), np.uint8)
    tensor = torch.from_numpy(codes).view(getattr(torch, name))
    assert _arrays.is_type(_arrays.view(tensor, "x").dtype, mlir)
    assert _arrays.view(tensor, "x").address == tensor.data_ptr()
    array = codes if name == "float4_e2m1fn_x2" else codes.view(getattr(ml_dtypes, name, np.float16))
    assert _arrays.is_type(_arrays.view(array, "x").dtype, mlir)
    assert _arrays.view(array, "x").address == array.ctypes.data


def test_quantized_results(norm, rng):
    x, residual = (rng.standard_normal((37, 4096), np.float32).astype(ml_dtypes.bfloat16) for _ in range(2))
    gamma = np.ones(4096, ml_dtypes.bfloat16)
    y, total, rsigma = norm(x, residual, gamma, entry="forward")
    assert isinstance(y, te.ScaledTensor) and y.data.shape == (37, 4096) and y.scale.shape == (128, 128)
    summed = (x.astype(np.float32) + residual.astype(np.float32)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(total, summed)
    wide = summed.astype(np.float64)
    wanted = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5)
    assert np.abs(y.dequantize(target="gfx942").astype(np.float64) - wanted).max() < 0.07 * np.abs(wanted).max()
    np.testing.assert_allclose(rsigma, 1 / np.sqrt((wide**2).mean(1) + 1e-5), rtol=1e-4)


def test_check_passes_and_finds_a_fault(norm):
    report = norm.check(entry="forward", dims={"M": 17})
    assert report and report.seed is not None and "seed" in str(report)
    assert report.raise_if_failed() is report
    inputs = norm.random_inputs(entry="forward", dims={"M": 17}, seed=3, distribution="normal")
    y, total, rsigma = norm(*inputs, entry="forward")
    y.data.view(np.uint8)[5, 7] ^= 0x40
    wrong = te.testing.compare(norm, inputs, (y, total, rsigma), entry="forward")
    assert not wrong and wrong.comparisons[0].mismatches == 1 and wrong.comparisons[1].passed
    with pytest.raises(te.CheckError, match="first mismatch at \\[5, 7\\]"):
        wrong.raise_if_failed()


def test_reference_agrees_with_numpy(add, rng):
    x, y = rng.standard_normal((2, 3, 64), np.float32)
    np.testing.assert_array_equal(te.testing.reference(add, x, y), x + y)


def test_random_inputs_are_those_of_their_seed(add):
    first, again, other = (add.random_inputs(dims={"M": 9}, seed=seed)[0] for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_looks_inside(norm):
    assert {kernel.name for kernel in norm.stats} >= {"forward_0"} and all(kernel.vgpr_spills == 0 for kernel in norm.stats)
    assert "one kernel for arith.addf te.rms_norm te.quantize" in norm.explain()
    assert "te.rms_norm" in norm.ir() and "te.fusion" in norm.ir("fused") and "s_endpgm" in norm.asm
    assert norm.manifest["target"] == "gfx942" and norm.entries["forward"].dims == ("M",)
    assert "forward(x: tensor<?x4096xbf16>" in repr(norm)


def test_profile(norm):
    profile = norm.profile(entry="forward", dims={"M": 4096})
    assert 10e-6 < profile.seconds < 60e-6 and profile.launches[0].kernel == "forward_0"
    slower = norm.profile(entry="forward", dims={"M": 4096}, clock=1.0)
    assert slower.seconds >= profile.seconds
    assert "us (cycle model)" in repr(profile)
    with pytest.raises(te.RunError, match="a clock of 9"):
        norm.profile(entry="forward", dims={"M": 4}, clock=9.0)


def test_sanitizer_finds_nothing_in_ours(norm):
    assert norm.sanitize(entry="forward", dims={"M": 5}) == []


def test_saves_and_loads(add, tmp_path, rng):
    path = tmp_path / "add.hsaco"
    add.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["add.hsaco"]
    x, y = rng.standard_normal((2, 3, 64), np.float32)
    np.testing.assert_array_equal(te.Program.load(path)(x, y), x + y)


def test_scaled_tensor(rng):
    x = rng.standard_normal((33, 96), np.float32)
    for element, scaling, error in (("f8E4M3FN", "block = [1, 32], scale = f8E8M0FNU", 2**-4),
                                    ("f4E2M1FN", "block = [1, 32], scale = f8E8M0FNU, rounding = even", 0.26)):
        q = te.ScaledTensor.quantize(x, element, scaling)
        back = q.dequantize()
        assert back.shape == x.shape and (np.abs(back - x) <= error * np.abs(x).max()).all()
        assert back.tobytes() != x.tobytes()
    with pytest.raises(te.CompileError):
        te.ScaledTensor.quantize(x, "f8E4M3FN", "block = [1, 31], scale = f8E8M0FNU")


# What is wrong is said with the argument, what was given and what is needed.

BAD = [
    (lambda x: (x,), "takes 2 arrays .*x: f32.*found 1"),
    (lambda x: (x.astype(np.float64), x), "argument x has element type float64; it is f32: give float32"),
    (lambda x: (x[:, :32].copy(), x), r"argument x has shape \[4, 32\], expected \[4, 64\]"),
    (lambda x: (x, x[:3].copy()), "dimension M is 4 by axis 0 of argument x, but 3 by axis 0 of argument y"),
    (lambda x: (np.asfortranarray(x), x), "argument x has strides .*give numpy.ascontiguousarray"),
    (lambda x: (x[:, ::2], x), "strides"),
    (lambda x: (x[0], x), "argument x has 1 dimensions"),
    (lambda x: (x.astype(">f4"), x), "argument x has .*byte order"),
]


@pytest.mark.parametrize("make, message", BAD)
def test_bad_arrays(add, make, message):
    with pytest.raises(te.RunError, match=message):
        add(*make(np.zeros((4, 64), np.float32)))


def test_what_is_no_array(add):
    with pytest.raises(TypeError, match="argument x is a list; give a NumPy array"):
        add([1.0], np.zeros((1, 64), np.float32))


def test_bad_results(add):
    x = np.zeros((4, 64), np.float32)
    with pytest.raises(te.RunError, match=r"result result0 is given as float32 \[4, 63\]; it is f32 \[4, 64\]"):
        add(x, x, out=np.zeros((4, 63), np.float32))
    readonly = np.zeros((4, 64), np.float32)
    readonly.flags.writeable = False
    with pytest.raises(te.RunError, match="read-only"):
        add(x, x, out=readonly)
    with pytest.raises(te.RunError, match="overlap"):
        add(x, x, out=x)


def test_unaligned_memory(add):
    block = np.zeros(4 * 64 + 4, np.float32)
    start = (-block.ctypes.data // 4) % 4 + 1
    x = block[start:start + 4 * 64].reshape(4, 64)
    assert x.ctypes.data % 16
    with pytest.raises(te.RunError, match="argument x is at address .*multiple of 16"):
        add(x, np.zeros((4, 64), np.float32))


def test_artefacts_that_are_none(add, tmp_path):
    for image in (b"", b"\x7fELF", add.image[:100], add.image[:len(add.image) // 2]):
        with pytest.raises(te.RunError):
            te.Program(image)
    with pytest.raises(te.RunError, match="no device tpu"):
        te.Device("tpu")
    with pytest.raises(te.RunError, match="no HIP here|HIP"):
        te.Device("hip", library="libnothere.so")


def test_compile_errors_have_places(tmp_path):
    path = tmp_path / "bad.mlir"
    path.write_text("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = te.dim %x, 4 : tensor<4xf32>\n  return %x : tensor<4xf32>\n}\n")
    with pytest.raises(te.CompileError) as caught:
        te.parse(path)
    error = caught.value
    assert (error.rule, error.op, error.file, error.line, error.column) == ("M1", "te.dim", str(path), 2, 8)
    assert str(error).startswith(f"{path}:2:8: error: 'te.dim' op dimension 4 does not exist")
    with pytest.raises(te.CompileError, match="expected"):
        te.parse("func.func {")
    with pytest.raises(te.RunError, match="gfx950"):
        te.compile(ADD, "gfx1")


def test_threads(add, rng):
    """Eight threads, each with arrays of its own."""
    wrong = []

    def work(seed):
        own = np.random.default_rng(seed)
        for _ in range(25):
            x, y = own.standard_normal((2, own.integers(1, 40), 64), np.float32)
            if not np.array_equal(add(x, y), x + y):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in rng.integers(0, 1 << 30, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_calls_leak_nothing(add):
    resident = lambda: int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    x = np.zeros((1, 64), np.float32)
    for _ in range(200):
        add(x, x)
    gc.collect()
    before = resident()
    for _ in range(10_000):
        add(x, x)
    gc.collect()
    assert resident() - before < 4 << 20


def test_modules_print_and_parse():
    module = te.parse(ADD)
    again = te.parse(str(module))
    assert str(again) == str(module) and "add" in module.functions
    assert 'loc("' in module.to_text(locations=True)
    assert te.parse(module.to_text(locations=True)).functions["add"] == module.functions["add"]


def test_interrupt_ends_an_emulation(norm):
    """Ctrl-C: some ten seconds of emulation end within two, and the device runs on afterwards."""
    x = np.ones((40000, 4096), ml_dtypes.bfloat16)
    gamma = np.ones(4096, ml_dtypes.bfloat16)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        norm(x, x, gamma, entry="forward")
    assert time.monotonic() - start < 5
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert norm(x[:3], x[:3], gamma, entry="forward")[1].shape == (3, 4096)
