"""Which kernels are run: (family, code object, check, its arguments, whether it is among the quick ones)."""

import attention
import gemm
import moe


def find(chip):
    return {"gfx942": gfx942, "gfx950": gfx950}[chip]()


def backward(family, code, size, v_size, tile, order, isQuick):
    return [(family, f"fmha_v3_bwd/{code}", attention.backward, (size, v_size, "causal" in code, tile, order), isQuick)]


def forward(family, code, size, v_size, tile, block, isQuick):
    return [(family, f"fmha_v3_fwd/{code}", attention.forward, (size, v_size, "causal" in code, tile, block), isQuick)]


def shared(chip):
    """Kernels that both chips have."""
    cases = []
    for rows in (32, 48, 64, 96):
        cases.append(("bf16 GEMM", f"bf16gemm/bf16gemm_outf32_tn_{rows}x64_pf3.co", gemm.bf16_gemm, ((rows, 64),), rows == 32))
    for group in (8, 16):
        for dtype in ("bf16", ):
            cases.append(("paged attention", f"pa/pa_{dtype}_noquant_gqa{group}_1tg_4w.co", attention.paged, (group,), group == 8))
    cases.append(("MLA", "mla/mla_dec_stage1_bf16_a16w16_subQ16_mqa16.co", attention.mla, (16, 1), False))
    cases.append(("MLA", "mla/mla_dec_stage1_bf16_a16w16_subQ16_mqa16.co", attention.mla, (16, 2), True))
    cases.append(("fused MoE", "fmoe/silu/fmoe_bf16_noquantBf16_g1u0_atm_inlv_silu_1tg_32x512.co", moe.fused, ("silu", 512), False))
    cases.append(("fused MoE", "fmoe/gelu/fmoe_bf16_noquantBf16_g1u0_vs_atm_inlv_gelu_1tg_32x512.co", moe.fused, ("gelu", 512), True))
    return cases


def gfx942():
    cases = shared("gfx942")
    cases.append(("block-scaled FP8", "flatmm_uk_gfx9_f16f8_128x256x128_1x4x1_16x16x32.co", gemm.flat_fp8, (), True))
    cases.append(("fused MoE", "fmoe_b16.co", moe.fused, ("gelu", 512), False))
    for rounding in ("rtne", "rtna", "rtz"):
        for causal in ("", "_causal"):
            quick = rounding == "rtne"
            cases += forward("attention forward hd128", f"MI300/fwd_hd128_bf16{causal}_{rounding}.co", 128, 128, 256, 512, quick and causal)
            cases += backward("attention backward hd128", f"bwd_hd128_bf16{causal}_a32_{rounding}_psskddv.co", 128, 128, 192, "long", quick and causal)
            cases += backward("attention backward hd192", f"bwd_hd192_bf16{causal}_a32_{rounding}_psskddv.co", 192, 192, 64, "long", quick and causal)
    for experts in (128, 256):
        for top in (6, 8):
            for rows in (4, 12):
                cases.append(("topksoftmax", f"topksoftmax/topksoftmax_{rows}x{experts}x{top}.co", moe.top_softmax, (rows, experts, top), rows == 4 and top == 8))
    return cases


def gfx950():
    cases = shared("gfx950")
    for rows in (32, 64, 96, 128):
        cases.append(("block-scaled FP8", f"f8_block_scale_mi350_x{rows}.co", gemm.block_fp8, (rows,), rows == 128))
    cases.append(("MXFP4 GEMM", "f4gemm/f4gemm_bf16_per1x32Fp4_noBpreShuffle_256x256.co", gemm.mxfp4, ((256, 256), False), False))
    for tile in ((32, 128), (128, 128), (128, 256), (256, 256)):
        cases.append(("MXFP4 GEMM", "f4gemm/f4gemm_bf16_per1x32Fp4_BpreShuffle_%dx%d.co" % tile, gemm.mxfp4, (tile, True), tile == (32, 128)))
    for causal in ("", "_causal"):
        cases += forward("attention forward hd128", f"fwd_hd128_bf16{causal}.co", 128, 128, 256, 512, bool(causal))
        cases += forward("attention forward hd192", f"fwd_hd192_hd128_bf16{causal}.co", 192, 128, 128, 256, bool(causal))
        cases += backward("attention backward hd128", f"bwd_hd128_bf16{causal}_a32_psskddv.co", 128, 128, 256, "native", bool(causal))
        cases += backward("attention backward hd192", f"bwd_hd192_hd128_bf16{causal}_a32_pssk.co", 192, 128, 192, "native", bool(causal))
    return cases
