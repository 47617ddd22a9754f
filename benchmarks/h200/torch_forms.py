"""The rows of table.py in PyTorch, as one writes them: eager, or through torch.compile.

`inputs(row)` makes the arguments of `function(row)`. Scales are those of the te recipes (E8M0 rounds up).
"""

import torch

F8 = torch.float8_e4m3fn
F8_MAX, F4_MAX = 448.0, 6.0


def e8m0(amax, largest):
    """The scale's byte, and the factor on the way in."""
    bits = (amax * (1.0 / largest)).view(torch.int32)
    exponent = ((bits >> 23) + ((bits & 0x7FFFFF) != 0).to(torch.int32)).clamp(0, 254)
    return exponent.to(torch.uint8), ((254 - exponent) << 23).view(torch.float32)


def fp4_codes(x):
    a = x.abs()
    code = ((a > 0.25).to(torch.uint8) + (a >= 0.75).to(torch.uint8) + (a > 1.25).to(torch.uint8) +
            (a >= 1.75).to(torch.uint8) + (a > 2.5).to(torch.uint8) + (a >= 3.5).to(torch.uint8) + (a > 5.0).to(torch.uint8))
    return code | ((x < 0).to(torch.uint8) << 3)


def pack(codes):
    pairs = codes.view(*codes.shape[:-1], -1, 2)
    return pairs[..., 0] | (pairs[..., 1] << 4)


def swizzle(scales):
    """blocked_32x4x4, of whole tiles."""
    r, c = scales.shape
    return scales.view(r // 128, 4, 32, c // 4, 4).permute(0, 3, 2, 1, 4).contiguous().view(r, c)


def mx_row(x, fp4, swizzled):
    blocks = x.float().view(x.shape[0], -1, 32)
    scale, factor = e8m0(blocks.abs().amax(-1), F4_MAX if fp4 else F8_MAX)
    scaled = (blocks * factor[..., None]).view(x.shape)
    return pack(fp4_codes(scaled)) if fp4 else scaled.to(F8), swizzle(scale) if swizzled else scale


def mx_col(x, fp4, swizzled):
    blocks = x.float().view(-1, 32, x.shape[1])
    scale, factor = e8m0(blocks.abs().amax(1), F4_MAX if fp4 else F8_MAX)
    scaled = (blocks * factor[:, None, :]).view(x.shape)
    if fp4:
        return pack(fp4_codes(scaled).t().contiguous()), swizzle(scale.t()) if swizzled else scale.t().contiguous()
    return scaled.to(F8), swizzle(scale.t()) if swizzled else scale


def mx_experts(x):
    blocks = x.float().view(x.shape[0], -1, 32, x.shape[2])
    scale, factor = e8m0(blocks.abs().amax(2), F8_MAX)
    scaled = (blocks * factor[:, :, None, :]).view(x.shape).to(F8)
    return scaled.transpose(1, 2).contiguous(), scale


def quantize(x, recipe, scale=None):
    if recipe == "fp8 tensor":
        return (x.float() * scale).clamp(-F8_MAX, F8_MAX).to(F8), 1 / scale
    if recipe == "fp8 row":
        amax = x.float().abs().amax(-1, keepdim=True)
        inverse = amax / amax.new_full((), F8_MAX)  # by a number, PyTorch would multiply
        return (x.float() / inverse).to(F8), inverse
    if recipe == "fp8 1x128":
        blocks = x.float().view(x.shape[0], -1, 128)
        amax = blocks.abs().amax(-1)
        factor = amax.new_full((), F8_MAX) / amax
        return (blocks * factor[..., None]).view(x.shape).to(F8), (1 / factor).t().contiguous()
    if recipe == "mxfp8 experts":
        return mx_experts(x)
    fp4, swizzled, results = "fp4" in recipe, "swizzled" in recipe, ()
    if "row" in recipe or "both" in recipe:
        results += mx_row(x, fp4, swizzled)
    if "col" in recipe or "both" in recipe:
        results += mx_col(x, fp4, swizzled)
    return results


def rms_norm(x, gamma):
    x = x.float()
    rsigma = torch.rsqrt(x.square().mean(-1) + 1e-5)
    return (x * rsigma[:, None] * gamma.float()).to(gamma.dtype), rsigma


def layer_norm(x, gamma, beta):
    x = x.float()
    mu = x.mean(-1)
    centred = x - mu[:, None]
    rsigma = torch.rsqrt(centred.square().mean(-1) + 1e-5)
    return (centred * rsigma[:, None] * gamma.float() + beta.float()).to(gamma.dtype), mu, rsigma


def rms_norm_bwd(dz, x, gamma, rsigma):
    normal = x.float() * rsigma[:, None]
    g = dz.float() * gamma.float()
    dx = rsigma[:, None] * (g - normal * (g * normal).mean(-1, keepdim=True))
    return dx.to(x.dtype), (dz.float() * normal).sum(0).to(x.dtype)


def layer_norm_bwd(dz, x, gamma, mu, rsigma):
    normal = (x.float() - mu[:, None]) * rsigma[:, None]
    g = dz.float() * gamma.float()
    dx = rsigma[:, None] * (g - g.mean(-1, keepdim=True) - normal * (g * normal).mean(-1, keepdim=True))
    return dx.to(x.dtype), (dz.float() * normal).sum(0).to(x.dtype), dz.float().sum(0).to(x.dtype)


def swiglu(x):
    a, b = x.float().chunk(2, -1)
    return (a * torch.sigmoid(a) * b).to(x.dtype)


def swiglu_bwd(dy, x):
    a, b = x.float().chunk(2, -1)
    s, dy = torch.sigmoid(a), dy.float()
    dx = torch.cat([dy * b * s * (1 + a * (1 - s)), dy * a * s], -1).to(x.dtype)
    return dx, dx.float().sum(0).to(x.dtype)


def rope(x, freqs, sign):
    cos, sin = torch.cos(freqs)[:, None, None], torch.sin(freqs)[:, None, None] * sign
    a, b = x.float().chunk(2, -1)
    return (x.float() * cos + torch.cat([-b, a], -1) * sin).to(x.dtype)


def finish(y, row, extra, scale):
    return (*extra, *quantize(y, row.recipe, *scale)) if row.recipe else (*extra, y)


def function(row):
    """The row's function of inputs(row)."""
    if row.op == "quantize":
        return lambda x, *scale: quantize(x, row.recipe, *scale)
    if row.op == "rmsnorm":
        def run(x, gamma, *scale):
            y, *statistics = rms_norm(x, gamma)
            return finish(y, row, statistics, scale)
        return run
    if row.op == "layernorm":
        def run(x, gamma, beta, *scale):
            y, *statistics = layer_norm(x, gamma, beta)
            return finish(y, row, statistics, scale)
        return run
    if row.op == "add + rmsnorm":
        def run(x, residual, gamma, *scale):
            total = x + residual
            y, *statistics = rms_norm(total, gamma)
            return finish(y, row, [total, *statistics], scale)
        return run
    if row.op == "swiglu":
        return lambda x: finish(swiglu(x), row, (), ())
    if row.op == "dswiglu + dbias":
        def run(dy, x):
            dx, dbias = swiglu_bwd(dy, x)
            return finish(dx, row, [dbias], ())
        return run
    return {"rmsnorm bwd": rms_norm_bwd, "layernorm bwd": layer_norm_bwd,
            "rope": lambda x, freqs: rope(x, freqs, 1.0), "rope bwd": lambda x, freqs: rope(x, freqs, -1.0)}[row.op]


def inputs(row, device):
    """Normal numbers; statistics near 1."""
    def normal(*shape):
        return torch.randn(shape, device=device, dtype=torch.bfloat16)

    def statistic(*shape):
        return torch.rand(shape, device=device) + 0.5
    def angles():
        half = statistic(m, k // 2) * 100
        return torch.cat([half, half], -1)
    m, k = row.shape[0], row.shape[-1]
    scale = (torch.full((), 16.0, device=device),) if row.recipe == "fp8 tensor" else ()
    return {
        "quantize": lambda: (normal(*row.shape), *scale),
        "rmsnorm": lambda: (normal(m, k), normal(k), *scale),
        "layernorm": lambda: (normal(m, k), normal(k), normal(k), *scale),
        "add + rmsnorm": lambda: (normal(m, k), normal(m, k), normal(k), *scale),
        "rmsnorm bwd": lambda: (normal(m, k), normal(m, k), normal(k), statistic(m)),
        "layernorm bwd": lambda: (normal(m, k), normal(m, k), normal(k), statistic(m), statistic(m)),
        "swiglu": lambda: (normal(m, 2 * k),),
        "dswiglu + dbias": lambda: (normal(m, k // 2), normal(m, k)),
        "rope": lambda: (normal(*row.shape), angles()),
        "rope bwd": lambda: (normal(*row.shape), angles()),
    }[row.op]()
