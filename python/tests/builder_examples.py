"""The programs of examples/, built in Python: by the file's name, a module of the same functions."""

from __future__ import annotations

from collections.abc import Callable

import te_mlir as te
from te_mlir import Tensor, TensorType, ops

E4M3: te.DType = "f8E4M3FN"
FP8 = te.scaled(E4M3, "tensor", scale="f32")
FP8_T = te.scaled(E4M3, "tensor", scale="f32", data_layout="transposed")
ROW = te.scaled(E4M3, block=(1, 32), scale="f8E8M0FNU")
COLUMN = te.scaled(E4M3, block=(32, 1), scale="f8E8M0FNU")
ROW_5 = te.scaled("f8E5M2", block=(1, 32), scale="f8E8M0FNU")
COLUMN_5 = te.scaled("f8E5M2", block=(32, 1), scale="f8E8M0FNU")


def bf16(*dims: int | str) -> TensorType:
    return te.tensor(*dims, dtype="bf16")


def f32(*dims: int | str) -> TensorType:
    return te.tensor(*dims, dtype="f32")


def delayed_scaling() -> te.Module:
    @te.function(x=bf16("M", "K=4096"), scale=f32(), history=f32(1024))
    def step(x: Tensor, scale: Tensor, history: Tensor) -> list[Tensor]:
        q, qt, amax = ops.quantize(x, FP8, FP8_T, scale=scale, with_amax=True)
        return [q, qt, *ops.update_scale("max", history, scale, amax=amax, element=E4M3)]

    @te.function(history=f32("L", "S"), scale=f32("S"), amax=f32("S"))
    def update_all(history: Tensor, scale: Tensor, amax: Tensor) -> tuple[Tensor, ...]:
        return ops.update_scale("max", history, scale, amax=amax, element=E4M3, scale_inv=True)

    return te.module(step, update_all)


def gemm_bf16() -> te.Module:
    @te.function(x=bf16("M", "K=512"), w=bf16(1024, 512), b=bf16(1024))
    def forward(x: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        return ops.gemm(x, w, transpose_b=True, bias=b, gelu=True, aux=True)

    @te.function(dy=bf16("M", "N=512"), w=bf16(512, 1024), z=bf16("M", "K=1024"))
    def dgrad(dy: Tensor, w: Tensor, z: Tensor) -> Tensor:
        return ops.gemm(dy, w, dgelu=z)

    @te.function(dy=bf16("M", "N=1024"), x=bf16("M", "K=512"), main_grad=f32(1024, 512))
    def wgrad(dy: Tensor, x: Tensor, main_grad: Tensor) -> tuple[Tensor, ...]:
        return ops.gemm(dy, x, transpose_a=True, accumulate=main_grad, dtype="f32", bias_grad=True)

    return te.module(forward, dgrad, wgrad)


def gemm_mxfp4() -> te.Module:
    act = te.scaled("f4E2M1FN", block=(1, 32), scale="f8E8M0FNU", rounding="even", scale_layout="e8m0_shuffle")
    weight = te.scaled("f4E2M1FN", block=(1, 32), scale="f8E8M0FNU", rounding="even", scale_layout="e8m0_shuffle",
                       data_layout="shuffle_16x16")
    w_type = te.tensor(1024, 512, dtype=weight)

    def product(x: Tensor, w: Tensor) -> Tensor:
        return ops.gemm(x, w, transpose_b=True, dtype="bf16")

    @te.function(x=bf16("M", "K=512"), w=w_type)
    def a16w4(x: Tensor, w: Tensor) -> Tensor:
        return product(x, ops.dequantize(w, "bf16"))

    a4w4 = te.function("a4w4", x=te.tensor("M", "K=512", dtype=act), w=w_type)(product)
    a8w4 = te.function("a8w4", x=te.tensor("M", "K=512", dtype=ROW), w=w_type)(product)
    return te.module(a4w4, a8w4, a16w4)


def gemm_mxfp8() -> te.Module:
    @te.function(x=te.tensor("M", "K=512", dtype=ROW), w=te.tensor(1024, 512, dtype=ROW))
    def forward(x: Tensor, w: Tensor) -> Tensor:
        return ops.gemm(x, w, transpose_b=True, dtype="bf16")

    @te.function(dy=te.tensor("M", "N=1024", dtype=ROW_5), w=te.tensor(1024, 512, dtype=COLUMN))
    def dgrad(dy: Tensor, w: Tensor) -> Tensor:
        return ops.gemm(dy, w, dtype="bf16")

    @te.function(dy=te.tensor("M", "N=1024", dtype=COLUMN_5), x=te.tensor("M", "K=512", dtype=COLUMN))
    def wgrad(dy: Tensor, x: Tensor) -> Tensor:
        return ops.gemm(dy, x, transpose_a=True, dtype="f32")

    return te.module(forward, dgrad, wgrad)


def layernorm_linear() -> te.Module:
    @te.function(x=bf16("M", "K=4096"), gamma=bf16(4096), beta=bf16(4096))
    def prologue(x: Tensor, gamma: Tensor, beta: Tensor) -> list[Tensor]:
        y, mu, rsigma = ops.layer_norm(x, gamma, beta, epsilon=1e-5)
        return [*ops.quantize(y, ROW, COLUMN), mu, rsigma]

    @te.function(dy=bf16("M", "N=6144"))
    def grad_output(dy: Tensor) -> list[Tensor]:
        db = ops.bias_grad(dy)
        return [*ops.quantize(dy, ROW_5, COLUMN_5), db]

    @te.function(dn=bf16("M", "K=4096"), x=bf16("M", "K=4096"), gamma=bf16(4096), mu=f32("M"), rsigma=f32("M"), dr=bf16("M", "K=4096"))
    def epilogue(dn: Tensor, x: Tensor, gamma: Tensor, mu: Tensor, rsigma: Tensor, dr: Tensor) -> tuple[Tensor, ...]:
        dx, dgamma, dbeta = ops.layer_norm_bwd(dn, x, gamma, mu, rsigma)
        return dx + dr, dgamma, dbeta

    return te.module(prologue, grad_output, epilogue)


def layernorm_mlp() -> te.Module:
    @te.function(x=bf16("M", "K=4096"), residual=bf16("M", "K=4096"), gamma=bf16(4096))
    def prologue(x: Tensor, residual: Tensor, gamma: Tensor) -> list[Tensor]:
        s = x + residual
        y, rsigma = ops.rms_norm(s, gamma, epsilon=1e-5)
        return [*ops.quantize(y, ROW, COLUMN), s, rsigma]

    @te.function(gate_up=bf16("M", "2H=28672"))
    def middle(gate_up: Tensor) -> tuple[Tensor, ...]:
        return ops.quantize(ops.gated_activation("swiglu", gate_up), ROW, COLUMN)

    @te.function(dy=bf16("M", "H=14336"), gate_up=bf16("M", "2H=28672"))
    def middle_backward(dy: Tensor, gate_up: Tensor) -> list[Tensor]:
        dx, db = ops.gated_activation_bwd("swiglu", dy, gate_up, dbias=True)
        return [*ops.quantize(dx, ROW_5, COLUMN_5), db]

    return te.module(prologue, middle, middle_backward)


def norm_linear() -> te.Module:
    @te.function(x=bf16("M", "K=4096"), g=bf16(4096), w=te.tensor(6144, 4096, dtype=ROW), b=bf16(6144))
    def norm_linear(x: Tensor, g: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        n, _ = ops.rms_norm(x, g, epsilon=1e-5)
        q, qc = ops.quantize(n, ROW, COLUMN)
        return ops.gemm(q, w, transpose_b=True, bias=b, dtype="bf16"), qc

    return norm_linear


def attention() -> te.Module:
    keys = bf16("B", "T", "G=2", "D=128")

    @te.function(q=bf16("B", "S", "H=8", "D=128"), k=keys, v=keys)
    def attention(q: Tensor, k: Tensor, v: Tensor) -> dict[str, Tensor]:
        o, lse = ops.attention("bshd", q, k, v, causal=True)
        return {"o": o, "lse": lse}

    return attention


def qkv_rope() -> te.Module:
    @te.function(qkv=bf16("S", "B", "G=8", "D=768"), freqs=f32(8192, 128))
    def forward(qkv: Tensor, freqs: Tensor) -> tuple[Tensor, ...]:
        s, b, _, _ = qkv.shape
        q, k, v = qkv[..., :512], qkv[..., 512:640], qkv[..., 640:]
        q = ops.reshape(q, (s, b, 32, 128))
        return ops.rope("sbhd", q, freqs), ops.rope("sbhd", k, freqs), v

    heads = bf16("S", "B", "G=8", "d=128")

    @te.function(dq=bf16("S", "B", "H=32", "d=128"), dk=heads, dv=heads, freqs=f32(8192, 128))
    def backward(dq: Tensor, dk: Tensor, dv: Tensor, freqs: Tensor) -> Tensor:
        s, b = ops.dim(dq, 0), ops.dim(dq, 1)
        q, k = ops.rope_bwd("sbhd", dq, freqs), ops.rope_bwd("sbhd", dk, freqs)
        q = ops.reshape(ops.reshape(q, (s, b, 8, 4, 128)), (s, b, 8, 512))
        return ops.concat([q, k, dv], axis=3)

    return te.module(forward, backward)


def quantize_fp8(element: te.DType = E4M3) -> te.Module:
    @te.function(x=bf16("M", "K=4096"), scale=f32())
    def quantize(x: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
        return ops.quantize(x, te.scaled(element, "tensor", scale="f32"),
                            te.scaled(element, "tensor", scale="f32", data_layout="transposed"), scale=scale, with_amax=True)

    return quantize


def quantize_fp8_fnuz() -> te.Module:
    return quantize_fp8("f8E4M3FNUZ")


def quantize_mxfp8() -> te.Module:
    @te.function(x=bf16("M", "K=4096"))
    def quantize(x: Tensor) -> tuple[Tensor, ...]:
        return ops.quantize(x, ROW, COLUMN)

    @te.function(q=te.tensor("M", "K=4096", dtype=ROW))
    def dequantize(q: Tensor) -> Tensor:
        return ops.dequantize(q, "bf16")

    return te.module(quantize, dequantize)


def rmsnorm_mxfp8() -> te.Module:
    x_type, rows = bf16("M", "K=4096"), f32("M")

    @te.function(x=x_type, residual=x_type, gamma=bf16(4096))
    def forward(x: Tensor, residual: Tensor, gamma: Tensor) -> tuple[Tensor, ...]:
        total = x + residual
        y, rsigma = ops.rms_norm(total, gamma, epsilon=1e-5)
        return ops.quantize(y, ROW), total, rsigma

    @te.function(dy=x_type, sum=x_type, gamma=bf16(4096), rsigma=rows, dresidual=x_type)
    def backward(dy: Tensor, sum: Tensor, gamma: Tensor, rsigma: Tensor, dresidual: Tensor) -> tuple[Tensor, ...]:
        return ops.rms_norm_bwd(dy, sum, gamma, rsigma, add=dresidual)

    return te.module(forward, backward)


def swiglu_quantize() -> te.Module:
    @te.function(gate_up=bf16("M", "2H=4096"))
    def forward(gate_up: Tensor) -> tuple[Tensor, ...]:
        return ops.quantize(ops.gated_activation("swiglu", gate_up), ROW, COLUMN)

    @te.function(dy=bf16("M", "H=2048"), x=bf16("M", "H=2048"))
    def gelu_backward(dy: Tensor, x: Tensor) -> list[Tensor]:
        dx, dbias = ops.activation_bwd("gelu", dy, x, dbias=True)
        return [*ops.quantize(dx, ROW_5, COLUMN_5), dbias]

    return te.module(forward, gelu_backward)


EXAMPLES: dict[str, Callable[[], te.Module]] = {
    make.__name__: make
    for make in (attention, delayed_scaling, gemm_bf16, gemm_mxfp4, gemm_mxfp8, layernorm_linear, layernorm_mlp, norm_linear, qkv_rope, quantize_fp8,
                 quantize_fp8_fnuz, quantize_mxfp8, rmsnorm_mxfp8, swiglu_quantize)
}
