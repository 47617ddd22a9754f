"""Matrix products as Triton's users write them, compiled by its AMD backend without a GPU, for benchmarks/gemm.py.

One kernel for plain and fp8 operands, one for MX operands (tl.dot_scaled): pointers and strides, programs in groups of rows so that
L2 keeps operands, and a short list of configurations to choose from by time, as triton.autotune does.
"""

import math
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def place(M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    """The program's tile: GROUP rows of tiles, column by column."""
    program = tl.program_id(0)
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    first = program // (GROUP * columns) * GROUP
    height = min(rows - first, GROUP)
    inside = program % (GROUP * columns)
    return first + inside % height, inside // height


@triton.jit
def matmul(a, b, c, scale_a, scale_b, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, SCALED: tl.constexpr,
           EVEN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pm, pn = place(M, N, BM, BN, GROUP)
    m = (pm * BM + tl.arange(0, BM)) % M
    n = (pn * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    at_a = a + m[:, None] * stride_am + k[None, :] * stride_ak
    at_b = b + k[:, None] * stride_bk + n[None, :] * stride_bn
    sum = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        if EVEN:
            left, right = tl.load(at_a), tl.load(at_b)
        else:
            left = tl.load(at_a, mask=k[None, :] < K - step * BK, other=0.0)
            right = tl.load(at_b, mask=k[:, None] < K - step * BK, other=0.0)
        sum = tl.dot(left, right, sum)
        at_a += BK * stride_ak
        at_b += BK * stride_bk
    if SCALED:
        sum *= tl.load(scale_a) * tl.load(scale_b)
    rows, columns = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    tl.store(c + rows[:, None] * stride_cm + columns[None, :], sum.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def scaled_matmul(a, b, c, scale_a, scale_b, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_sam, stride_sak,
                  stride_sbn, stride_sbk, FORMAT: tl.constexpr, EVEN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr):
    """A scale for 32 elements along K; fp4 stands two in a byte along K."""
    per: tl.constexpr = 2 if FORMAT == "e2m1" else 1
    pm, pn = place(M, N, BM, BN, GROUP)
    m = (pm * BM + tl.arange(0, BM)) % M
    n = (pn * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK // per)
    block = tl.arange(0, BK // 32)
    at_a = a + m[:, None] * stride_am + k[None, :] * stride_ak
    at_b = b + k[:, None] * stride_bk + n[None, :] * stride_bn
    at_sa = scale_a + m[:, None] * stride_sam + block[None, :] * stride_sak
    at_sb = scale_b + n[:, None] * stride_sbn + block[None, :] * stride_sbk
    sum = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(K, BK)):
        if EVEN:
            left, right = tl.load(at_a), tl.load(at_b)
            left_scale, right_scale = tl.load(at_sa), tl.load(at_sb)
        else:
            left = tl.load(at_a, mask=k[None, :] < K // per - step * (BK // per), other=0)
            right = tl.load(at_b, mask=k[:, None] < K // per - step * (BK // per), other=0)
            left_scale = tl.load(at_sa, mask=block[None, :] < K // 32 - step * (BK // 32), other=0)
            right_scale = tl.load(at_sb, mask=block[None, :] < K // 32 - step * (BK // 32), other=0)
        sum = tl.dot_scaled(left, left_scale, FORMAT, right, right_scale, FORMAT, sum)
        at_a += BK // per * stride_ak
        at_b += BK // per * stride_bk
        at_sa += BK // 32 * stride_sak
        at_sb += BK // 32 * stride_sbk
    rows, columns = pm * BM + tl.arange(0, BM), pn * BN + tl.arange(0, BN)
    tl.store(c + rows[:, None] * stride_cm + columns[None, :], sum.to(c.dtype.element_ty),
             mask=(rows[:, None] < M) & (columns[None, :] < N))


# BM, BN, bytes of a step along K, GROUP, num_warps, num_stages, waves_per_eu, TRITON_HIP_USE_ASYNC_COPY (loads from memory to LDS).
MANY_ROWS = [(256, 256, 128, 4, 8, 2, 0, False), (256, 128, 128, 4, 8, 2, 0, False), (128, 128, 128, 8, 4, 2, 2, False),
             (128, 64, 256, 8, 4, 2, 0, False), (64, 64, 256, 8, 4, 2, 0, False)]
MANY_ROWS_ASYNC = [(256, 256, 128, 4, 8, 2, 0, True), (256, 128, 128, 4, 8, 3, 0, True), (128, 128, 128, 8, 4, 2, 0, True)]
FEW_ROWS = [(16, 32, 512, 1, 2, 2, 0, False), (16, 64, 256, 1, 4, 2, 0, False), (32, 64, 256, 1, 4, 2, 0, False),
            (64, 64, 256, 1, 4, 2, 0, False), (64, 128, 256, 1, 8, 2, 0, False)]
FEW_ROWS_ASYNC = [(16, 32, 512, 1, 2, 3, 0, True), (16, 64, 256, 1, 4, 3, 0, True), (64, 64, 256, 1, 4, 3, 0, True)]
MOST, COMPUTE_UNITS = 64, {"gfx942": 304, "gfx950": 256}


def configurations(chip, m, n=1):
    """Without those whose tiles are so small that a CU has more than MOST of them, as an early_config_prune has it."""
    found = MANY_ROWS if m > 128 else FEW_ROWS
    if chip == "gfx950":
        found = found + (MANY_ROWS_ASYNC if m > 128 else FEW_ROWS_ASYNC)
    return [c for c in found if c == found[0] or math.ceil(m / c[0]) * math.ceil(n / c[1]) <= MOST * COMPUTE_UNITS[chip]]


def bits(precision):
    return {"bf16": 16, "f16": 16, "fp8": 8, "mxfp8": 8, "mxfp4": 4}[precision]


def build(kernel, chip, buffers, scalars, constants, options, grid, is_async):
    """The compiled kernel, and te-run's flags for its arguments: buffers (name, Triton's type, bytes) that nothing fills, and integers.
    Sizes are specialized as triton.jit does it."""
    signature, attributes, flags = {}, {}, []
    for name, kind, size in buffers:
        signature[name] = "*" + kind
        attributes[(kernel.arg_names.index(name),)] = [["tt.divisibility", 16]] + [["tt.pointer_range", 32]] * (size < 2**31)
        flags.append(f"--arg=tmp:i8[{size}]")
    for name, value in scalars.items():
        signature[name] = "i32"
        if value == 1:
            constants[name] = 1
            continue
        flags.append(f"--arg=i32:{value}")
        if value % 16 == 0:
            attributes[(kernel.arg_names.index(name),)] = [["tt.divisibility", 16]]
    signature |= {name: "constexpr" for name in constants}
    if chip == "gfx942":
        options["kpack"] = 2
    with triton.knobs.amd.scope():
        triton.knobs.amd.use_async_copy = is_async
        source = ASTSource(fn=kernel, signature={name: signature[name] for name in kernel.arg_names}, constexprs=constants, attrs=attributes)
        compiled = triton.compile(source, target=GPUTarget("hip", chip, 64), options=options)
    flags = [f"--kernel={compiled.metadata.name}", f"--grid={grid}", f"--block={64 * options['num_warps']}", f"--lds={compiled.metadata.shared}", *flags,
             "--arg=null", "--arg=null"]  # Triton's scratch memory, which no kernel here has
    return compiled, flags


class Product:
    """C = op(A) op(B) on a chip: `ta` and `tb` say which operands are stored the other way round, as te.gemm's."""

    def __init__(self, precision, chip, m, n, k, ta, tb):
        self.precision, self.chip, self.m, self.n, self.k = precision, chip, m, n, k
        self.is_mx = precision.startswith("mx")
        depth = k * bits(precision) // 8 if self.is_mx else k  # units along K
        if precision == "mxfp4":  # is packed along K, so that is the inner dimension
            ta, tb = False, True
        self.strides = {"stride_am": 1 if ta else depth, "stride_ak": m if ta else 1,
                        "stride_bk": 1 if tb else n, "stride_bn": depth if tb else 1, "stride_cm": n}
        if self.is_mx:
            blocks = -(-k // 32)
            self.strides |= {"stride_sam": 1 if ta else blocks, "stride_sak": m if ta else 1,
                             "stride_sbn": blocks if tb else 1, "stride_sbk": 1 if tb else n}

    def buffers(self):
        """Name, Triton's type and bytes of each."""
        kind = {"bf16": "bf16", "f16": "fp16", "fp8": "fp8e4b8" if self.chip == "gfx942" else "fp8e4nv", "mxfp8": "u8", "mxfp4": "u8"}[self.precision]
        scale = ("u8", 1) if self.is_mx else ("fp32", 4)
        count = lambda rows: rows * -(-self.k // 32) if self.is_mx else 1
        size = lambda rows: -(-rows * self.k * bits(self.precision) // 8)
        return [("a", kind, size(self.m)), ("b", kind, size(self.n)), ("c", "bf16", self.m * self.n * 2),
                ("scale_a", scale[0], scale[1] * count(self.m)), ("scale_b", scale[0], scale[1] * count(self.n))]

    def compile(self, configuration):
        """The compiled kernel, and te-run's flags for its arguments."""
        bm, bn, step, group, warps, stages, eu, is_async = configuration
        bk = step * 8 // bits(self.precision)
        kernel = scaled_matmul if self.is_mx else matmul
        constants = {"BM": bm, "BN": bn, "BK": bk, "GROUP": group, "EVEN": self.k % bk == 0}
        constants |= {"FORMAT": {"mxfp8": "e4m3", "mxfp4": "e2m1"}[self.precision]} if self.is_mx else {"SCALED": self.precision == "fp8"}
        options = {"num_warps": warps, "num_stages": stages, "waves_per_eu": eu}
        grid = math.ceil(self.m / bm) * math.ceil(self.n / bn)
        return build(kernel, self.chip, self.buffers(), {"M": self.m, "N": self.n, "K": self.k, **self.strides}, constants, options, grid, is_async)


def fastest(run, configurations, compile, folder):
    """The profile of the fastest configuration and that, by `run` (te-run's flags -> a launch's profile, or why there is none), or None; and
    what did not run. `compile`: a configuration -> the compiled kernel and te-run's flags."""
    best, failures = None, []
    for configuration in configurations:
        try:
            compiled, flags = compile(configuration)
        except Exception as error:  # a configuration that the chip's LDS does not hold, and whatever else stops the compiler
            failures.append(f"{configuration}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
            continue
        code = Path(folder) / "triton.hsaco"
        code.write_bytes(compiled.asm["hsaco"])
        launch, why = run([code, *flags])
        if launch is None:
            failures.append(f"{configuration}: {why}")
        elif best is None or launch["grid"]["seconds"] < best[0]["grid"]["seconds"]:
            best = launch, configuration
    return best, failures


def measure(run, product, folder):
    return fastest(run, configurations(product.chip, product.m, product.n), product.compile, folder)
