"""Triton kernels of the kinds that people publish, written for these tests."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def softmax(x, y, columns, stride, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    inside = at < columns
    value = tl.load(x + row * stride + at, mask=inside, other=-float("inf")).to(tl.float32)
    power = tl.exp(value - tl.max(value, 0))
    share = power / tl.sum(power, 0)
    tl.store(y + row * stride + at, share.to(y.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm(x, weight, bias, y, means, scales, columns, stride, epsilon, WIDTH: tl.constexpr):
    """Two passes over a row that is longer than a tile."""
    row = tl.program_id(0)
    total = tl.zeros([WIDTH], tl.float32)
    for start in range(0, columns, WIDTH):
        at = start + tl.arange(0, WIDTH)
        total += tl.load(x + row * stride + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros([WIDTH], tl.float32)
    for start in range(0, columns, WIDTH):
        at = start + tl.arange(0, WIDTH)
        value = tl.load(x + row * stride + at, mask=at < columns, other=0.0).to(tl.float32)
        off = tl.where(at < columns, value - mean, 0.0)
        squares += off * off
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(scales + row, scale)
    for start in range(0, columns, WIDTH):
        at = start + tl.arange(0, WIDTH)
        inside = at < columns
        value = tl.load(x + row * stride + at, mask=inside, other=0.0).to(tl.float32)
        w = tl.load(weight + at, mask=inside)
        b = tl.load(bias + at, mask=inside)
        tl.store(y + row * stride + at, ((value - mean) * scale * w + b).to(y.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm_backward(dy, x, weight, means, scales, dx, dw, db, locks, columns, stride, SLOTS: tl.constexpr,
                        WIDTH: tl.constexpr):
    """A row a program. Rows of a slot add into its weight gradients one after another, behind a lock that
    also says whether there is something to add to."""
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    inside = at < columns
    gradient = tl.load(dy + row * stride + at, mask=inside, other=0.0).to(tl.float32)
    value = tl.load(x + row * stride + at, mask=inside, other=0.0).to(tl.float32)
    w = tl.load(weight + at, mask=inside, other=0.0)
    scale = tl.load(scales + row)
    normal = tl.where(inside, (value - tl.load(means + row)) * scale, 0.0)
    scaled = gradient * w
    along = tl.sum(normal * scaled, 0) / columns
    mean = tl.sum(scaled, 0) / columns
    result = (scaled - (normal * along + mean)) * scale
    tl.store(dx + row * stride + at, result.to(dx.dtype.element_ty), mask=inside)
    slot = row % SLOTS
    dw += slot * columns
    db += slot * columns
    while tl.atomic_cas(locks + slot, 0, 1) == 1:
        pass
    more_w = gradient * normal
    more_b = gradient
    first = tl.load(locks + SLOTS + slot) == 0
    tl.debug_barrier()  # every wave has looked before one of them changes it
    if first:
        tl.store(locks + SLOTS + slot, 1)
    else:
        more_w += tl.load(dw + at, mask=inside)
        more_b += tl.load(db + at, mask=inside)
    tl.store(dw + at, more_w, mask=inside)
    tl.store(db + at, more_b, mask=inside)
    tl.debug_barrier()  # every wave has stored before the lock opens
    tl.atomic_xchg(locks + slot, 0)


@triton.jit
def matmul(a, b, c, M, N, K, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           SPLIT: tl.constexpr, SUM: tl.constexpr = tl.float32, PRECISION: tl.constexpr = "ieee"):
    """C = A B with a slice of K a program (SPLIT > 1: programs add into C)."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    sum = tl.zeros([BM, BN], SUM)
    for start in range(tl.program_id(2) * BK, K, BK * SPLIT):
        k = start + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * stride_a + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + k[:, None] * stride_b + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        sum = tl.dot(left, right, sum, input_precision=PRECISION, out_dtype=SUM)
    to = c + m[:, None] * stride_c + n[None, :]
    inside = (m[:, None] < M) & (n[None, :] < N)
    if SPLIT == 1:
        tl.store(to, sum.to(c.dtype.element_ty), mask=inside)
    else:
        tl.atomic_add(to, sum, mask=inside)


@triton.jit
def load_scales(scales, rows, start, inside, K):
    block = start // 32
    return tl.load(scales + rows[:, None] * (K // 32) + block[None, :], mask=inside & (start[None, :] < K), other=0)


@triton.jit
def scaled_matmul(a, scales_a, b, scales_b, c, M, N, K, A: tl.constexpr, B: tl.constexpr, SCALED_A: tl.constexpr,
                  SCALED_B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A B^T with a scale for 32 elements along K; fp4 stands two in a byte. Rows are dense."""
    per_a: tl.constexpr = 2 if A == "e2m1" else 1
    per_b: tl.constexpr = 2 if B == "e2m1" else 1
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    in_m = m[:, None] < M
    in_n = n[:, None] < N
    sum = tl.zeros([BM, BN], tl.float32)
    for start in range(0, K, BK):
        ka = start // per_a + tl.arange(0, BK // per_a)
        kb = start // per_b + tl.arange(0, BK // per_b)
        ks = start + 32 * tl.arange(0, BK // 32)
        left = tl.load(a + m[:, None] * (K // per_a) + ka[None, :], mask=in_m & (ka[None, :] < K // per_a))
        right = tl.load(b + n[:, None] * (K // per_b) + kb[None, :], mask=in_n & (kb[None, :] < K // per_b))
        scale_a = load_scales(scales_a, m, ks, in_m, K) if SCALED_A else None
        scale_b = load_scales(scales_b, n, ks, in_n, K) if SCALED_B else None
        sum = tl.dot_scaled(left, scale_a, A, tl.trans(right), scale_b, B, sum)
    tl.store(c + m[:, None] * N + n[None, :], sum, mask=in_m & (n[None, :] < N))


@triton.jit
def block_scaled_matmul(a, scales_a, b, scales_b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """C = A B^T in fp8 with f32 scales: for BK elements of a row of A, and for BN x BK elements of B."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    groups = tl.cdiv(K, BK)
    sum = tl.zeros([BM, BN], tl.float32)
    for group in range(0, groups):
        k = group * BK + tl.arange(0, BK)
        left = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        right = tl.load(b + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0)
        scale_a = tl.load(scales_a + m * groups + group, mask=m < M, other=0.0)
        scale_b = tl.load(scales_b + tl.program_id(1) * groups + group)
        sum += tl.dot(left, right) * scale_a[:, None] * scale_b
    tl.store(c + m[:, None] * N + n[None, :], sum.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def attention(q, k, v, o, length, stride, factor, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              D: tl.constexpr):
    """One head a program along axis 1, with the running maximum and sum of each row."""
    head = tl.program_id(1) * length * stride
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + head + m[:, None] * stride + d[None, :], mask=m[:, None] < length, other=0.0)
    most = tl.full([BM], -float("inf"), tl.float32)
    sum = tl.zeros([BM], tl.float32)
    out = tl.zeros([BM, D], tl.float32)
    end = min(length, (tl.program_id(0) + 1) * BM) if CAUSAL else length
    for start in range(0, end, BN):
        n = start + tl.arange(0, BN)
        key = tl.load(k + head + n[None, :] * stride + d[:, None], mask=n[None, :] < length, other=0.0)
        value = tl.load(v + head + n[:, None] * stride + d[None, :], mask=n[:, None] < length, other=0.0)
        seen = n[None, :] < length
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None])
        score = tl.where(seen, tl.dot(query, key) * factor, -float("inf"))
        next = tl.maximum(most, tl.max(score, 1))
        power = tl.exp2(score - next[:, None])
        shrink = tl.exp2(most - next)
        sum = sum * shrink + tl.sum(power, 1)
        out = tl.dot(power.to(value.dtype), value, out * shrink[:, None])
        most = next
    tl.store(o + head + m[:, None] * stride + d[None, :], (out / sum[:, None]).to(o.dtype.element_ty),
             mask=m[:, None] < length)


@triton.jit
def histogram(x, counts, most, size, BINS: tl.constexpr, WIDTH: tl.constexpr):
    """Bins of a tile first, then one atomic a bin; the maximum through a 32-bit atomic."""
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    value = tl.load(x + at, mask=at < size, other=0)
    bins = tl.histogram(value, BINS, mask=at < size)
    tl.atomic_add(counts + tl.arange(0, BINS), bins)
    tl.atomic_max(most, tl.max(value, 0))


@triton.jit
def scatter(x, counts, size, WIDTH: tl.constexpr):
    """An atomic a lane."""
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    value = tl.load(x + at, mask=at < size, other=0)
    tl.atomic_add(counts + value, 1, mask=at < size)


@triton.jit
def scan_and_sort(x, sums, largest, sorted, columns, stride, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, WIDTH)
    inside = at < columns
    value = tl.load(x + row * stride + at, mask=inside, other=0)
    tl.store(sums + row * stride + at, tl.cumsum(value, 0), mask=inside)
    padded = tl.where(inside, value, 2147483647)
    tl.store(sorted + row * stride + at, tl.sort(padded), mask=inside)
    tl.store(largest + row, tl.argmax(tl.where(inside, value, -2147483648), 0))


@triton.jit
def quantize(x, y, scales, columns, GROUP: tl.constexpr):
    """fp8 with a power-of-two scale for GROUP elements."""
    at = (tl.program_id(0) * tl.num_programs(1) + tl.program_id(1)) * GROUP + tl.arange(0, GROUP)
    value = tl.load(x + at)
    amax = tl.max(tl.abs(value), 0)
    exponent = tl.floor(tl.log2(tl.maximum(amax, 1e-30))) - 6
    tl.store(scales + tl.program_id(0) * tl.num_programs(1) + tl.program_id(1), (exponent + 127).to(tl.int8))
    tl.store(y + at, (value * tl.exp2(-exponent)).to(y.dtype.element_ty))


@triton.jit
def functions(x, y, size, WIDTH: tl.constexpr):
    """Row i of y: the i-th function of x."""
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = at < size
    v = tl.load(x + at, mask=inside, other=1.0)
    tl.store(y + 0 * size + at, tl.exp(v), mask=inside)
    tl.store(y + 1 * size + at, tl.log(tl.abs(v)), mask=inside)
    tl.store(y + 2 * size + at, tl.sin(v), mask=inside)
    tl.store(y + 3 * size + at, tl.cos(v), mask=inside)
    tl.store(y + 4 * size + at, tl.erf(v), mask=inside)
    tl.store(y + 5 * size + at, tl.rsqrt(tl.abs(v)), mask=inside)
    tl.store(y + 6 * size + at, 0.5 * v * (1 + libdevice.tanh(0.7978845608 * (v + 0.044715 * v * v * v))), mask=inside)
    tl.store(y + 7 * size + at, v * tl.sigmoid(v), mask=inside)
    tl.store(y + 8 * size + at, libdevice.atan2(v, 1 - v), mask=inside)
    tl.store(y + 9 * size + at, libdevice.pow(tl.abs(v), v), mask=inside)
    tl.store(y + 10 * size + at, libdevice.fmod(100 * v, v * 0 + 3), mask=inside)
    tl.store(y + 11 * size + at, tl.floor(v) + libdevice.rint(7 * v) + tl.ceil(v / 3), mask=inside)


@triton.jit
def integers(x, y, z, size, WIDTH: tl.constexpr):
    """Row i of z: the i-th operation on x and y, which is not 0."""
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = at < size
    a = tl.load(x + at, mask=inside, other=1)
    b = tl.load(y + at, mask=inside, other=1)
    tl.store(z + 0 * size + at, a + b, mask=inside)
    tl.store(z + 1 * size + at, a * b, mask=inside)
    tl.store(z + 2 * size + at, a // b, mask=inside)
    tl.store(z + 3 * size + at, a % b, mask=inside)
    tl.store(z + 4 * size + at, (a & b) ^ (a | ~b), mask=inside)
    tl.store(z + 5 * size + at, (a << (b & 15)) - (b >> 3), mask=inside)
    tl.store(z + 6 * size + at, tl.minimum(a, b), mask=inside)
    tl.store(z + 7 * size + at, tl.where(a < b, tl.abs(a), -b), mask=inside)


@triton.jit
def dropout(x, y, size, share, seed, WIDTH: tl.constexpr):
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    inside = at < size
    kept = tl.rand(seed, at) > share
    value = tl.load(x + at, mask=inside, other=0.0)
    tl.store(y + at, tl.where(kept, value / (1 - share), 0.0), mask=inside)


@triton.jit
def combine(a, b, c, d):
    """The composition of v -> a v + b with v -> c v + d behind it."""
    return a * c, b * c + d


@triton.jit
def recurrence(decay, x, y, length, channels, LENGTH: tl.constexpr, CHANNELS: tl.constexpr):
    """h[t] = decay[t] h[t - 1] + x[t], backwards too, as state-space models have it."""
    t = tl.arange(0, LENGTH)[:, None]
    c = tl.program_id(0) * CHANNELS + tl.arange(0, CHANNELS)[None, :]
    at = t * channels + c
    inside = (t < length) & (c < channels)
    a = tl.load(decay + at, mask=inside, other=1.0)
    v = tl.load(x + at, mask=inside, other=0.0)
    tl.store(y + at, tl.associative_scan((a, v), 0, combine)[1], mask=inside)
    tl.store(y + length * channels + at, tl.associative_scan((a, v), 0, combine, reverse=True)[1], mask=inside)


@triton.jit
def cross_entropy(x, target, loss, gradient, columns, stride, WIDTH: tl.constexpr):
    """The running maximum of a row that is longer than a tile; then the gradient."""
    row = tl.program_id(0)
    x += row.to(tl.int64) * stride
    gradient += row.to(tl.int64) * stride
    goal = tl.load(target + row)
    most = tl.full([], -float("inf"), tl.float32)
    sum = tl.zeros([], tl.float32)
    for start in range(0, columns, WIDTH):
        at = start + tl.arange(0, WIDTH)
        value = tl.load(x + at, mask=at < columns, other=-float("inf")).to(tl.float32)
        next = tl.maximum(most, tl.max(value, 0))
        sum = sum * tl.exp(most - next) + tl.sum(tl.exp(value - next), 0)
        most = next
    logarithm = most + tl.log(sum)
    tl.store(loss + row, logarithm - tl.load(x + goal).to(tl.float32))
    for start in range(0, columns, WIDTH):
        at = start + tl.arange(0, WIDTH)
        value = tl.load(x + at, mask=at < columns, other=0.0).to(tl.float32)
        share = tl.exp(value - logarithm) - tl.where(at == goal, 1.0, 0.0)
        tl.store(gradient + at, share.to(gradient.dtype.element_ty), mask=at < columns)
