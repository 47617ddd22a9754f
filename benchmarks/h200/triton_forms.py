"""The rows of table.py as plain Triton kernels of the usual form.

A row of a norm is a program, which quantizes along the row as well. Quantization along columns, activations and their gradients are tiles.
A norm that is quantized along columns is two kernels. Gradients of norms: programs that walk over rows with partial sums, then a sum.
"""

import torch
import triton
import triton.language as tl

F8 = torch.float8_e4m3fn


@triton.jit
def e8m0(amax, LARGEST: tl.constexpr):
    bits = (amax * (1.0 / LARGEST)).to(tl.int32, bitcast=True)
    exponent = (bits >> 23) + ((bits & 0x7FFFFF) != 0).to(tl.int32)
    exponent = tl.minimum(exponent, 254)
    return exponent.to(tl.uint8), ((254 - exponent) << 23).to(tl.float32, bitcast=True)


@triton.jit
def fp4_codes(x):
    a = tl.abs(x)
    code = ((a > 0.25).to(tl.uint8) + (a >= 0.75).to(tl.uint8) + (a > 1.25).to(tl.uint8) + (a >= 1.75).to(tl.uint8) +
            (a > 2.5).to(tl.uint8) + (a >= 3.5).to(tl.uint8) + (a > 5.0).to(tl.uint8))
    return code | ((x < 0).to(tl.uint8) << 3)


@triton.jit
def pack(codes, R: tl.constexpr, C: tl.constexpr):
    low, high = tl.split(tl.reshape(codes, (R, C // 2, 2)))
    return low | (high << 4)


@triton.jit
def scale_offsets(r, c, COLS, SWIZZLED: tl.constexpr):
    """Where cell (r, c) of a matrix of scales is: row by row, or blocked_32x4x4."""
    if SWIZZLED:
        return (r // 128 * (COLS // 4) + c // 4) * 512 + r % 32 * 16 + r % 128 // 32 * 4 + c % 4
    return r * COLS + c


@triton.jit
def quantize_row_tile(y, r, c, q, s, N, FP4: tl.constexpr, SWIZZLED: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    """y: R x C values, at rows r and from column c on of a matrix of N columns."""
    blocks = tl.reshape(y, (R, C // 32, 32))
    scale, factor = e8m0(tl.max(tl.abs(blocks), 2), 6.0 if FP4 else 448.0)
    scaled = tl.reshape(blocks * factor[:, :, None], (R, C))
    if FP4:
        tl.store(q + r[:, None] * (N // 2) + c // 2 + tl.arange(0, C // 2)[None, :], pack(fp4_codes(scaled), R, C))
    else:
        tl.store(q + r[:, None] * N + c + tl.arange(0, C)[None, :], scaled.to(tl.float8e4nv))
    tl.store(s + scale_offsets(r[:, None], c // 32 + tl.arange(0, C // 32)[None, :], N // 32, SWIZZLED), scale)


@triton.jit
def quantize_col_tile(y, r, c, q, s, M, N, FP4: tl.constexpr, TRANSPOSED: tl.constexpr, SWIZZLED: tl.constexpr,
                      R: tl.constexpr, C: tl.constexpr):
    """The same along columns; r is the first row, and the matrix has M rows."""
    cols = c + tl.arange(0, C)
    blocks = tl.reshape(y, (R // 32, 32, C))
    scale, factor = e8m0(tl.max(tl.abs(blocks), 1), 6.0 if FP4 else 448.0)
    scaled = tl.reshape(blocks * factor[:, None, :], (R, C))
    if FP4:
        codes = pack(tl.trans(fp4_codes(scaled)), C, R)
        tl.store(q + cols[:, None] * (M // 2) + r // 2 + tl.arange(0, R // 2)[None, :], codes)
    elif TRANSPOSED:
        tl.store(q + cols[:, None] * M + r + tl.arange(0, R)[None, :], tl.trans(scaled.to(tl.float8e4nv)))
    else:
        tl.store(q + (r + tl.arange(0, R))[:, None] * N + cols[None, :], scaled.to(tl.float8e4nv))
    rows = r // 32 + tl.arange(0, R // 32)
    if FP4 or SWIZZLED:
        tl.store(s + scale_offsets(cols[:, None], rows[None, :], M // 32, SWIZZLED), tl.trans(scale))
    else:
        tl.store(s + rows[:, None] * N + cols[None, :], scale)


@triton.jit
def quantize_copies(y, r, c, q, s, qc, sc, M, N, ROW: tl.constexpr, COL: tl.constexpr, FP4: tl.constexpr,
                    TRANSPOSED: tl.constexpr, SWIZZLED: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    if ROW:
        quantize_row_tile(y, r + tl.arange(0, R), c, q, s, N, FP4, SWIZZLED, R, C)
    if COL:
        quantize_col_tile(y, r, c, qc, sc, M, N, FP4, TRANSPOSED, SWIZZLED, R, C)


@triton.jit
def tile_kernel(x, q, s, qc, sc, M, N, SWIGLU: tl.constexpr, ROW: tl.constexpr, COL: tl.constexpr, FP4: tl.constexpr,
                TRANSPOSED: tl.constexpr, SWIZZLED: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    part = tl.program_id(2).to(tl.int64)  # matrices that lie behind each other
    x, qc, sc = x + part * M * N, qc + part * M * N, sc + part * (M // 32) * N
    r, c = tl.program_id(0).to(tl.int64) * R, tl.program_id(1) * C
    rows, cols = r + tl.arange(0, R)[:, None], c + tl.arange(0, C)[None, :]
    if SWIGLU:
        a = tl.load(x + rows * 2 * N + cols).to(tl.float32)
        b = tl.load(x + rows * 2 * N + N + cols).to(tl.float32)
        y = (a * tl.sigmoid(a) * b).to(tl.bfloat16).to(tl.float32)
    else:
        y = tl.load(x + rows * N + cols).to(tl.float32)
    quantize_copies(y, r, c, q, s, qc, sc, M, N, ROW, COL, FP4, TRANSPOSED, SWIZZLED, R, C)


@triton.jit
def swiglu_bwd_kernel(dy, x, sums, q, s, qc, sc, M, H, COL: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    """H columns of dy, 2 H of x and of its gradient; a part of each column's sum a row of tiles."""
    r, c = tl.program_id(0).to(tl.int64) * R, tl.program_id(1) * C
    rows, cols = r + tl.arange(0, R)[:, None], c + tl.arange(0, C)[None, :]
    d = tl.load(dy + rows * H + cols).to(tl.float32)
    a = tl.load(x + rows * 2 * H + cols).to(tl.float32)
    b = tl.load(x + rows * 2 * H + H + cols).to(tl.float32)
    sigma = tl.sigmoid(a)
    da = (d * b * sigma * (1 + a * (1 - sigma))).to(tl.bfloat16).to(tl.float32)
    db = (d * a * sigma).to(tl.bfloat16).to(tl.float32)
    partial = sums + tl.program_id(0) * 2 * H + c + tl.arange(0, C)
    tl.store(partial, tl.sum(da, 0))
    tl.store(partial + H, tl.sum(db, 0))
    quantize_copies(da, r, c, q, s, qc, sc, M, 2 * H, True, COL, False, False, False, R, C)
    quantize_copies(db, r, c + H, q, s, qc, sc, M, 2 * H, True, COL, False, False, False, R, C)


@triton.jit
def row_kernel(x, residual, gamma, beta, total, mu, rsigma, y, q, s, scale, K: tl.constexpr, BLOCK: tl.constexpr,
               NORM: tl.constexpr, ADD: tl.constexpr, RECIPE: tl.constexpr):
    """A row a program. NORM: none, rms or layer."""
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < K
    value = tl.load(x + row * K + cols, mask, 0.0).to(tl.float32)
    if ADD:
        value += tl.load(residual + row * K + cols, mask, 0.0).to(tl.float32)
        tl.store(total + row * K + cols, value.to(tl.bfloat16), mask)
        value = value.to(tl.bfloat16).to(tl.float32)
    if NORM == "layer":
        mean = tl.sum(value) / K
        tl.store(mu + row, mean)
        value = tl.where(mask, value - mean, 0.0)
    if NORM != "none":
        factor = tl.rsqrt(tl.sum(value * value) / K + 1e-5)
        tl.store(rsigma + row, factor)
        value = value * factor * tl.load(gamma + cols, mask, 0.0).to(tl.float32)
        if NORM == "layer":
            value += tl.load(beta + cols, mask, 0.0).to(tl.float32)
        value = value.to(tl.bfloat16).to(tl.float32)
    if RECIPE == "none":
        tl.store(y + row * K + cols, value.to(tl.bfloat16), mask)
    elif RECIPE == "fp8 tensor":
        scaled = value * tl.load(scale)
        tl.store(q + row * K + cols, tl.clamp(scaled, -448.0, 448.0).to(tl.float8e4nv), mask)
    elif RECIPE == "fp8 row":
        inverse = tl.max(tl.abs(value)) / 448.0
        tl.store(s + row, inverse)
        tl.store(q + row * K + cols, (value / inverse).to(tl.float8e4nv), mask)
    elif RECIPE == "fp8 1x128":
        blocks = tl.reshape(value, (BLOCK // 128, 128))
        factor = 448.0 / tl.max(tl.abs(blocks), 1)
        scaled = tl.reshape(blocks * factor[:, None], (BLOCK,))
        tl.store(q + row * K + cols, scaled.to(tl.float8e4nv), mask)
        b = tl.arange(0, BLOCK // 128)
        tl.store(s + b * tl.num_programs(0) + row, 1 / factor, b < K // 128)
    else:
        blocks = tl.reshape(value, (BLOCK // 32, 32))
        code, factor = e8m0(tl.max(tl.abs(blocks), 1), 6.0 if RECIPE == "mxfp4 row" else 448.0)
        scaled = tl.reshape(blocks * factor[:, None], (BLOCK,))
        b = tl.arange(0, BLOCK // 32)
        tl.store(s + row * (K // 32) + b, code, b < K // 32)
        if RECIPE == "mxfp4 row":
            low, high = tl.split(tl.reshape(fp4_codes(scaled), (BLOCK // 2, 2)))
            half = tl.arange(0, BLOCK // 2)
            tl.store(q + row * (K // 2) + half, low | (high << 4), half < K // 2)
        else:
            tl.store(q + row * K + cols, scaled.to(tl.float8e4nv), mask)


@triton.jit
def norm_bwd_kernel(dz, x, gamma, mu, rsigma, dx, dgamma, dbeta, M, K: tl.constexpr, BLOCK: tl.constexpr,
                    LAYER: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < K
    weight = tl.load(gamma + cols, mask, 0.0).to(tl.float32)
    gammas = tl.zeros((BLOCK,), tl.float32)
    betas = tl.zeros((BLOCK,), tl.float32)
    for row in range(tl.program_id(0), M, tl.num_programs(0)):
        at = row * K + cols  # below 2^31
        d = tl.load(dz + at, mask, 0.0).to(tl.float32)
        factor = tl.load(rsigma + row)
        value = tl.load(x + at, mask, 0.0).to(tl.float32)
        if LAYER:
            value = tl.where(mask, value - tl.load(mu + row), 0.0)
        normal = value * factor
        g = d * weight
        inner = g - normal * (tl.sum(g * normal) / K)
        if LAYER:
            inner -= tl.sum(g) / K
            betas += d
        gammas += d * normal
        tl.store(dx + at, (factor * inner).to(tl.bfloat16), mask)
    tl.store(dgamma + tl.program_id(0) * K + cols, gammas, mask)
    if LAYER:
        tl.store(dbeta + tl.program_id(0) * K + cols, betas, mask)


@triton.jit
def rope_kernel(x, freqs, y, B, H, sign, D: tl.constexpr, HEADS: tl.constexpr):
    """A token's heads a program, HEADS at a time."""
    token = tl.program_id(0).to(tl.int64)
    half = tl.arange(0, D // 2)[None, :]
    angle = tl.load(freqs + token // B * D + half)
    cos, sin = tl.cos(angle), tl.sin(angle) * sign
    for first in range(0, H, HEADS):
        at = (token * H + first + tl.arange(0, HEADS)[:, None]) * D + half
        a, b = tl.load(x + at).to(tl.float32), tl.load(x + at + D // 2).to(tl.float32)
        tl.store(y + at, (a * cos - b * sin).to(tl.bfloat16))
        tl.store(y + at + D // 2, (b * cos + a * sin).to(tl.bfloat16))


# ----------------------------------------------------------------------------------------------------------------
# Launches
# ----------------------------------------------------------------------------------------------------------------

TILE = 64, 128


def empty(like, *shape, dtype=torch.uint8):
    return torch.empty(shape, dtype=dtype, device=like.device)


def tiles(x, recipe, swiglu=False):
    parts, m, n = (1, *x.shape) if x.dim() == 2 else x.shape
    n = n // 2 if swiglu else n
    fp4, experts = "fp4" in recipe, "experts" in recipe
    row, col = "row" in recipe or "both" in recipe, "col" in recipe or "both" in recipe or experts
    dtype, width = (torch.uint8, n // 2) if fp4 else (F8, n)
    q = empty(x, m, width, dtype=dtype) if row else None
    s = empty(x, m, n // 32) if row else None
    qc = (empty(x, parts, n, m, dtype=F8) if experts else empty(x, n, m // 2) if fp4 else empty(x, m, n, dtype=F8)) if col else None
    transposed = fp4 or experts
    sc = (empty(x, parts, m // 32, n) if experts else empty(x, n, m // 32) if fp4 or "swizzled" in recipe
          else empty(x, m // 32, n)) if col else None
    none = x  # a pointer that is not used
    tile_kernel[(m // TILE[0], n // TILE[1], parts)](
        x, none if q is None else q, none if s is None else s, none if qc is None else qc, none if sc is None else sc, m, n, swiglu,
        row, col, fp4, transposed, "swizzled" in recipe, *TILE, num_warps=4)
    return tuple(t for t in (q, s, qc, sc) if t is not None)


def rows(x, recipe, norm="none", residual=None, gamma=None, beta=None, scale=None):
    m, k = x.shape
    total = torch.empty_like(x) if residual is not None else None
    mu = empty(x, m, dtype=torch.float32) if norm == "layer" else None
    rsigma = empty(x, m, dtype=torch.float32) if norm != "none" else None
    y = torch.empty_like(x) if recipe == "none" else None
    quantized = ()
    if recipe != "none":
        q = empty(x, m, k // 2) if recipe == "mxfp4 row" else empty(x, m, k, dtype=F8)
        s = {"fp8 tensor": lambda: 1 / scale, "fp8 row": lambda: empty(x, m, 1, dtype=torch.float32),
             "fp8 1x128": lambda: empty(x, k // 128, m, dtype=torch.float32)}.get(recipe, lambda: empty(x, m, k // 32))()
        quantized = q, s
    block = triton.next_power_of_2(k)
    unused = x
    arguments = [unused if t is None else t for t in (residual, gamma, beta, total, mu, rsigma, y, *(quantized or (None, None)), scale)]
    row_kernel[(m,)](x, *arguments, k, block, norm, residual is not None, recipe, num_warps=min(16, max(4, block // 512)))
    return tuple(t for t in (total, mu, rsigma, y) if t is not None) + quantized


def norm_forward(row, x, *rest):
    rest = list(rest)
    residual = rest.pop(0) if "add" in row.op else None
    gamma = rest.pop(0)
    norm = "layer" if "layer" in row.op else "rms"
    beta = rest.pop(0) if norm == "layer" else None
    if "col" in row.recipe or "both" in row.recipe:
        *others, y = rows(x, "none", norm, residual, gamma, beta)
        return (*others, *tiles(y, row.recipe))
    return rows(x, row.recipe or "none", norm, residual, gamma, beta, *rest)


def norm_backward(layer, dz, x, gamma, *statistics):
    mu, rsigma = statistics if layer else (x, *statistics)
    m, k = x.shape
    programs = min(m, 4 * 132)
    dx, partial = torch.empty_like(x), empty(x, 1 + layer, programs, k, dtype=torch.float32)
    block = triton.next_power_of_2(k)
    norm_bwd_kernel[(programs,)](dz, x, gamma, mu, rsigma, dx, partial[0], partial[-1], m, k, block, layer,
                                 num_warps=min(16, max(4, block // 512)))
    return (dx, *partial.sum(1).to(x.dtype))


def swiglu_backward(row, dy, x):
    m, h = dy.shape
    both = "both" in row.recipe
    sums = empty(x, m // TILE[0], 2 * h, dtype=torch.float32)
    q, s = empty(x, m, 2 * h, dtype=F8), empty(x, m, 2 * h // 32)
    qc, sc = (empty(x, m, 2 * h, dtype=F8), empty(x, m // 32, 2 * h)) if both else (q, s)
    swiglu_bwd_kernel[(m // TILE[0], h // TILE[1])](dy, x, sums, q, s, qc, sc, m, h, both, *TILE, num_warps=8)
    return (sums.sum(0).to(x.dtype), q, s) + ((qc, sc) if both else ())


def rotate(sign, x, freqs):
    y = torch.empty_like(x)
    tokens, b, h, d = x.shape
    rope_kernel[(tokens * b,)](x, freqs, y, b, h, sign, d, min(h & -h, 32), num_warps=4)
    return (y,)


def function(row):
    """The row's function of torch_forms.inputs(row)."""
    if row.op == "quantize":
        if "fp8 " in row.recipe and "mx" not in row.recipe:
            return lambda x, *scale: rows(x, row.recipe, scale=scale[0] if scale else None)
        return lambda x: tiles(x, row.recipe)
    if row.op == "swiglu":
        return lambda x: tiles(x, row.recipe, swiglu=True)
    if row.op == "dswiglu + dbias":
        return lambda dy, x: swiglu_backward(row, dy, x)
    if "bwd" in row.op and "norm" in row.op:
        return lambda *arguments: norm_backward("layer" in row.op, *arguments)
    if "rope" in row.op:
        return lambda x, freqs: rotate(-1.0 if "bwd" in row.op else 1.0, x, freqs)
    return lambda *arguments: norm_forward(row, *arguments)
