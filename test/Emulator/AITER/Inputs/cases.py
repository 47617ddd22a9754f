"""Which kernels are run: (family, code object, check, its arguments, whether it is among the quick ones)."""

import re

import attention
import gemm
import moe
from harness import BF16, F16, find_objects

DTYPES = {"bf16": BF16, "fp16": F16}


def find(chip):
    folder = find_objects() / chip
    codes = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.co"))
    cases = [case for code in codes for case in match(chip, code)]
    return sorted(cases, key=lambda case: case[0])


def match(chip, code):
    """The cases of a code object, by its name."""
    for pattern, make in PATTERNS:
        if found := re.fullmatch(pattern, code):
            yield from make(chip, code, *found.groups())


def forward(chip, code, size, v_size, causal, rounding):
    size, v_size = int(size), int(v_size or size)
    tile, block = (128, 256) if size == 192 else (256, 512)
    if chip == "gfx942" and not rounding:
        return  # AITER never launches them
    isNearest = rounding in (None, "_rtne")
    yield (f"attention forward hd{size}", code, attention.forward,
           (BF16, size, v_size, bool(causal), tile, block, not isNearest), bool(causal) and isNearest)


def backward(chip, code, size, v_size, dtype, causal, rounding, pads):
    """What sums dQ in f32, of sequences of one length."""
    size, v_size = int(size), int(v_size or size)
    # gfx950 also has gfx942's kernels, which have a rounding in their names.
    isOwn = rounding is None if chip == "gfx950" else rounding == "_rtne"
    isQuick = isOwn and causal == "_causal" and dtype == "bf16" and size != 64 and bool(pads)
    yield f"attention backward hd{size}", code, attention.backward, (DTYPES[dtype], size, v_size, bool(causal)), isQuick


def paged(chip, code, dtype, group):
    yield "paged attention", code, attention.paged, (DTYPES[dtype], int(group)), (dtype, group) == ("bf16", "8")


def mla(chip, code):
    yield "MLA", code, attention.mla, (16, 2), True
    yield "MLA", code, attention.mla, (16, 1), False


def bf16_gemm(chip, code, rows, columns):
    yield "bf16 GEMM", code, gemm.bf16_gemm, ((int(rows), int(columns)),), rows == "32"


def flat_fp8(chip, code):
    yield "block-scaled FP8 GEMM", code, gemm.flat_fp8, (), True


def block_fp8(chip, code, rows):
    yield "block-scaled FP8 GEMM", code, gemm.block_fp8, (int(rows),), rows == "128"


def mxfp4(chip, code, order, rows, columns):
    yield "MXFP4 GEMM", code, gemm.mxfp4, ((int(rows), int(columns)), order == "BpreShuffle"), (rows, columns) == ("32", "128")


def top_softmax(chip, code, rows, experts, top):
    yield "topksoftmax", code, moe.top_softmax, (int(rows), int(experts), int(top)), (rows, top) == ("4", "8")


def fused(chip, code, activation, dtype, skips, stays, width):
    if dtype == "fp16" and not skips:
        return  # AITER never launches them
    isQuick = dtype == "bf16" and bool(skips) == (activation == "gelu") and not stays
    yield "fused MoE", code, moe.fused, (BF16, DTYPES[dtype], activation, int(width), 6 if stays else None), isQuick


def first_fused(chip, code, letter):
    dtype = {"b": BF16, "f": F16}[letter]
    yield "fused MoE", code, moe.fused, (dtype, dtype, "gelu", 512), False


PATTERNS = [
    (r"fmha_v3_fwd/(?:MI300/)?fwd_hd(\d+)(?:_hd(\d+))?_bf16(_causal)?(_rtn[ae]|_rtz)?\.co", forward),
    (r"fmha_v3_bwd/bwd_hd(\d+)(?:_hd(\d+))?_(bf16|fp16)(_causal(?:_br)?)?_a32(_rtn[ae]|_rtz)?(_pssk(?:ddv)?)?\.co", backward),
    (r"pa/pa_(\w+?)_noquant_gqa(\d+)_1tg_4w\.co", paged),
    (r"mla/mla_dec_stage1_bf16_a16w16_subQ16_mqa16\.co", mla),
    (r"bf16gemm/bf16gemm_outf32_tn_(\d+)x(\d+)_pf3\.co", bf16_gemm),
    (r"flatmm_uk_gfx9_f16f8_128x256x128_1x4x1_16x16x32\.co", flat_fp8),
    (r"f8_block_scale_mi350_x(\d+)\.co", block_fp8),
    (r"f4gemm/f4gemm_bf16_per1x32Fp4_(\w+)_(\d+)x(\d+)\.co", mxfp4),
    (r"topksoftmax/topksoftmax_(\d+)x(\d+)x(\d+)\.co", top_softmax),
    (r"fmoe/(silu|gelu)/fmoe_(bf16|fp16)_noquant(?:Bf16|Fp16)_g1u0(_vs)?_atm_inlv_\w+_1tg(_ps)?_32x(\d+)\.co", fused),
    (r"fmoe_([bf])16\.co", first_fused),
]
