"""Programs in a CUDA graph, on the caller's stream and memory, by libte_runtime.so; python3 and numpy, no CUDA toolkit:

    graph.py make --bin build/bin --out build/h200     compiles the programs, packs them and the library
    graph.py run  build/h200 --out OUT                 on the machine with the GPU: OUT/graph.json

Of each program: a run on a stream of the caller's, in memory of the caller's, and the same captured in global mode, where any call
that allocates, waits or reads spoils the capture. Capturing launches nothing; the graph gives the same bits, for other inputs in the
same memory too. Then eight threads at once, each with a stream and a binding. Times are the host's, for each call.
"""

import argparse
import ctypes
import json
import shutil
import subprocess
import sys
import threading
import time
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
CHAIN = """#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @chain(%x: tensor<?x4096xbf16> {te.dims = ["M", "K"]}) -> tensor<?x4096xf32> {
  %q = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>
  %y = te.dequantize %q : !te.scaled<?x4096xf8E4M3FN, #row> -> tensor<?x4096xf32>
  return %y : tensor<?x4096xf32>
}
"""
CASES = [("chain.ptx", "chain", [257]), ("norm.ptx", "forward", [1481]), ("norm.ptx", "backward", [1481])]
THREADS, RUNS = 8, 50


def make(args):
    out = args.out
    out.mkdir(parents=True, exist_ok=True)
    (out / "chain.mlir").write_text(CHAIN)
    for source, name in [(out / "chain.mlir", "chain.ptx"), (ROOT / "examples/rmsnorm_mxfp8.mlir", "norm.ptx")]:
        subprocess.run([args.bin / "te-compile", source, "--target=sm_90a", "-o", out / name], check=True)
    shutil.copy(args.bin.parent / "lib/libte_runtime.so", out / "libte_runtime.so")


# ----------------------------------------------------------------------------------------------------------------
# The libraries
# ----------------------------------------------------------------------------------------------------------------


class Memory(ctypes.Structure):
    _fields_ = [("address", c_void_p), ("bytes", c_uint64)]


class WorkspaceSize(ctypes.Structure):
    _fields_ = [("bytes", c_uint64), ("alignment", c_uint64)]


class Driver:
    """The CUDA driver; a call that fails raises."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.check("cuInit", c_uint(0))
        device, context = c_int(), c_void_p()
        self.check("cuDeviceGet", byref(device), c_int(0))
        self.check("cuDevicePrimaryCtxRetain", byref(context), device)
        self.context = context
        self.enter()

    def check(self, name, *args):
        error = getattr(self.library, name)(*args)
        if error:
            text = c_char_p()
            self.library.cuGetErrorString(error, byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'').decode()} ({error})")

    def enter(self):
        """The context of CUDA's runtime becomes the thread's, as a framework has it."""
        self.check("cuCtxSetCurrent", self.context)

    def current(self):
        context = c_void_p()
        self.check("cuCtxGetCurrent", byref(context))
        return context.value

    def handle(self, name, *args):
        made = c_void_p()
        self.check(name, byref(made), *args)
        return made

    def allocate(self, count):
        address = c_uint64()
        self.check("cuMemAlloc_v2", byref(address), c_size_t(max(count, 1)))
        return Memory(address.value, count)

    def upload(self, memory, array):
        self.check("cuMemcpyHtoD_v2", c_uint64(memory.address), array.ctypes.data_as(c_void_p), c_size_t(memory.bytes))
        self.wait(None)  # the copy may not have arrived, and other streams do not wait for it

    def download(self, memory):
        array = np.empty(memory.bytes, np.uint8)
        self.check("cuMemcpyDtoH_v2", array.ctypes.data_as(c_void_p), c_uint64(memory.address), c_size_t(memory.bytes))
        return array

    def wait(self, stream):
        self.check("cuStreamSynchronize", stream)


class Runtime:
    """libte_runtime.so; a call that fails raises."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        for name in ("te_last_error", "te_device_name"):
            getattr(self.library, name).restype = c_char_p
        self.library.te_program_find_entry.restype = c_void_p
        self.library.te_entry_buffer_count.restype = c_size_t

    def check(self, name, *args):
        if getattr(self.library, name)(*args):
            raise RuntimeError(f"{name}: {self.library.te_last_error().decode()}")

    def handle(self, name, *args):
        made = c_void_p()
        self.check(name, *args, byref(made))
        return made


# ----------------------------------------------------------------------------------------------------------------
# A program in the caller's memory
# ----------------------------------------------------------------------------------------------------------------


class Case:
    def __init__(self, driver, runtime, program, entry, dims):
        self.driver, self.runtime = driver, runtime
        library = runtime.library
        handle = c_void_p(library.te_program_find_entry(program, entry.encode()))
        if not handle:
            raise RuntimeError(f"no entry {entry}")
        counts = [library.te_entry_buffer_count(handle, kind) for kind in (0, 1)]
        sizes, needed = [(c_uint64 * count)() for count in counts], WorkspaceSize()
        dims = (c_int64 * len(dims))(*dims)
        runtime.check("te_query", handle, dims, c_size_t(len(dims)), *sizes, byref(needed))
        self.arguments, self.results = ((Memory * count)(*map(driver.allocate, size)) for count, size in zip(counts, sizes))
        self.workspace = driver.allocate(needed.bytes)
        self.binding = runtime.handle("te_bind", handle, dims, c_size_t(len(dims)), self.arguments, c_size_t(counts[0]),
                                      self.results, c_size_t(counts[1]), self.workspace)

    def fill(self, seed):
        """Every 16-bit word is a bf16 from 0.5 to 2, of either sign; two of them are such an f32."""
        draw = np.random.default_rng(seed)
        for memory in self.arguments:
            words = draw.integers(0x3F00, 0x4000, memory.bytes // 2 + 1, np.uint16) | (draw.integers(0, 2, memory.bytes // 2 + 1, np.uint16) << 15)
            self.driver.upload(memory, words.view(np.uint8))

    def poison(self):
        for memory in [*self.results, self.workspace]:
            self.driver.upload(memory, np.full(memory.bytes, 0xA5, np.uint8))

    def read(self):
        return [self.driver.download(memory) for memory in self.results]

    def run(self, stream):
        self.runtime.check("te_run", self.binding, stream)

    def run_and_read(self, stream):
        self.poison()
        self.run(stream)
        self.driver.wait(stream)
        return self.read()

    def free(self):
        self.runtime.library.te_binding_free(self.binding)
        for memory in [*self.arguments, *self.results, self.workspace]:
            self.driver.check("cuMemFree_v2", c_uint64(memory.address))


def same(a, b):
    return all((x == y).all() for x, y in zip(a, b, strict=True))


def host_microseconds(work, wait, count=200):
    start = time.perf_counter()
    for _ in range(count):
        work()
    took = time.perf_counter() - start
    wait()
    return 1e6 * took / count


def capture(driver, case, stream):
    """(the graph that can be launched, its number of nodes)"""
    driver.check("cuStreamBeginCapture_v2", stream, c_int(0))  # CU_STREAM_CAPTURE_MODE_GLOBAL
    case.run(stream)
    graph = c_void_p()
    driver.check("cuStreamEndCapture", stream, byref(graph))
    count = c_size_t()
    driver.check("cuGraphGetNodes", graph, None, byref(count))
    return driver.handle("cuGraphInstantiateWithFlags", graph, c_uint64(0)), count.value


def check_case(driver, runtime, program, entry, dims):
    stream = driver.handle("cuStreamCreate", c_uint(1))  # non-blocking: not in order with the default stream
    case = Case(driver, runtime, program, entry, dims)
    case.fill(1)
    first = case.run_and_read(stream)
    case.poison()
    graph, nodes = capture(driver, case, stream)
    driver.wait(stream)
    untouched = all((result == 0xA5).all() for result in case.read())

    def launch():
        driver.check("cuGraphLaunch", graph, stream)

    launch()
    driver.wait(stream)
    again = case.read()
    case.fill(2)
    case.poison()
    launch()
    driver.wait(stream)
    other = case.read()
    expected = case.run_and_read(stream)
    report = {"entry": entry, "dims": dims, "nodes": nodes, "captured_without_running": untouched,
              "graph_is_exact": same(first, again), "graph_reads_new_inputs": same(expected, other) and not same(first, other),
              "context_kept": driver.current() == driver.context.value,
              "run_host_us": host_microseconds(lambda: case.run(stream), lambda: driver.wait(stream)),
              "graph_launch_host_us": host_microseconds(launch, lambda: driver.wait(stream))}
    driver.check("cuGraphExecDestroy", graph)
    case.free()
    driver.check("cuStreamDestroy_v2", stream)
    return report


def check_threads(driver, runtime, program, entry, dims):
    """Every thread's results, run after run, are those of one thread alone."""
    right = [0] * THREADS

    def work(index):
        driver.enter()
        stream = driver.handle("cuStreamCreate", c_uint(1))
        case = Case(driver, runtime, program, entry, dims)
        case.fill(100 + index)
        right[index] = sum(same(case.run_and_read(stream), expected[index]) for _ in range(RUNS))
        case.free()

    expected = []
    for index in range(THREADS):
        case = Case(driver, runtime, program, entry, dims)
        case.fill(100 + index)
        expected.append(case.run_and_read(c_void_p()))
        case.free()
    threads = [threading.Thread(target=work, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"entry": entry, "threads": THREADS, "right": sum(right) == THREADS * RUNS}


def run(args):
    driver, runtime = Driver(args.driver), Runtime(args.pack / "libte_runtime.so")
    device = runtime.handle("te_device_open", b"cuda", c_int(0), args.driver.encode())
    report = {"device": runtime.library.te_device_name(device).decode(), "cases": []}
    for file, entry, dims in [tuple(case) for case in json.loads(args.cases)] if args.cases else CASES:
        program = runtime.handle("te_program_load_file", device, str(args.pack / file).encode())
        report["cases"].append(check_case(driver, runtime, program, entry, dims))
        report["cases"].append(check_threads(driver, runtime, program, entry, dims))
        runtime.library.te_program_free(program)
    runtime.library.te_device_free(device)
    report["pass"] = all(value for case in report["cases"] for value in case.values() if isinstance(value, bool))
    text = json.dumps(report, indent=1)
    print(text)
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "graph.json").write_text(text + "\n")
    return 0 if report["pass"] else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("make")
    step.add_argument("--bin", type=Path, default=Path("build/bin"))
    step.add_argument("--out", type=Path, default=Path("build/h200"))
    step.set_defaults(work=make)
    step = steps.add_parser("run")
    step.add_argument("pack", type=Path)
    step.add_argument("--out", type=Path)
    step.add_argument("--driver", default="libcuda.so.1", help="the CUDA driver's library")
    step.add_argument("--cases", help="JSON: [[FILE, ENTRY, DIMS], ...] in place of the packed ones")
    step.set_defaults(work=run)
    args = parser.parse_args()
    return args.work(args)


if __name__ == "__main__":
    sys.exit(main())
