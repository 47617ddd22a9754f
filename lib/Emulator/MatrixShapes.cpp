//===- MatrixShapes.cpp - the rows of MFMA --------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes as published, and where nothing is, as LLVM's scheduling models of the
// two chips have them. Mixed ones take twice as long where a format has 8 bits.
//
//===----------------------------------------------------------------------===//
#include "Matrix.h"

namespace mlir::te::emu {

using enum Element;

static constexpr MatrixShape shapes[] = {
    {"v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, F32, F32, 16, 16},
    {"v_mfma_f32_16x16x1_4b_f32", 16, 1, 4, F32, F32, 8, 8},
    {"v_mfma_f32_4x4x1_16b_f32", 4, 1, 16, F32, F32, 2, 2},
    {"v_mfma_f32_32x32x2_f32", 32, 2, 1, F32, F32, 16, 16},
    {"v_mfma_f32_16x16x4_f32", 16, 4, 1, F32, F32, 8, 8},
    {"v_mfma_f32_32x32x4_xf32", 32, 4, 1, Xf32, Xf32, 8, 8},
    {"v_mfma_f32_16x16x8_xf32", 16, 8, 1, Xf32, Xf32, 4, 4},
    {"v_mfma_f32_32x32x4_2b_f16", 32, 4, 2, F16, F16, 16, 16},
    {"v_mfma_f32_16x16x4_4b_f16", 16, 4, 4, F16, F16, 8, 8},
    {"v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, F16, F16, 2, 2},
    {"v_mfma_f32_32x32x8_f16", 32, 8, 1, F16, F16, 8, 8},
    {"v_mfma_f32_16x16x16_f16", 16, 16, 1, F16, F16, 4, 4},
    {"v_mfma_f32_32x32x16_f16", 32, 16, 1, F16, F16, 8, 8},
    {"v_mfma_f32_16x16x32_f16", 16, 32, 1, F16, F16, 4, 4},
    {"v_mfma_f32_32x32x4_2b_bf16", 32, 4, 2, Bf16, Bf16, 16, 16},
    {"v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, Bf16, Bf16, 8, 8},
    {"v_mfma_f32_4x4x4_16b_bf16", 4, 4, 16, Bf16, Bf16, 2, 2},
    {"v_mfma_f32_32x32x8_bf16", 32, 8, 1, Bf16, Bf16, 8, 8},
    {"v_mfma_f32_16x16x16_bf16", 16, 16, 1, Bf16, Bf16, 4, 4},
    {"v_mfma_f32_32x32x16_bf16", 32, 16, 1, Bf16, Bf16, 8, 8},
    {"v_mfma_f32_16x16x32_bf16", 16, 32, 1, Bf16, Bf16, 4, 4},
    {"v_mfma_f32_32x32x16_fp8_fp8", 32, 16, 1, Fp8, Fp8, 8, 8},
    {"v_mfma_f32_32x32x16_fp8_bf8", 32, 16, 1, Fp8, Bf8, 8, 8},
    {"v_mfma_f32_32x32x16_bf8_fp8", 32, 16, 1, Bf8, Fp8, 8, 8},
    {"v_mfma_f32_32x32x16_bf8_bf8", 32, 16, 1, Bf8, Bf8, 8, 8},
    {"v_mfma_f32_16x16x32_fp8_fp8", 16, 32, 1, Fp8, Fp8, 4, 4},
    {"v_mfma_f32_16x16x32_fp8_bf8", 16, 32, 1, Fp8, Bf8, 4, 4},
    {"v_mfma_f32_16x16x32_bf8_fp8", 16, 32, 1, Bf8, Fp8, 4, 4},
    {"v_mfma_f32_16x16x32_bf8_bf8", 16, 32, 1, Bf8, Bf8, 4, 4},
    {"v_mfma_i32_32x32x4_2b_i8", 32, 4, 2, I8, I8, 16, 16},
    {"v_mfma_i32_16x16x4_4b_i8", 16, 4, 4, I8, I8, 8, 8},
    {"v_mfma_i32_4x4x4_16b_i8", 4, 4, 16, I8, I8, 2, 2},
    {"v_mfma_i32_32x32x16_i8", 32, 16, 1, I8, I8, 8, 8},
    {"v_mfma_i32_16x16x32_i8", 16, 32, 1, I8, I8, 4, 4},
    {"v_mfma_i32_32x32x32_i8", 32, 32, 1, I8, I8, 8, 8},
    {"v_mfma_i32_16x16x64_i8", 16, 64, 1, I8, I8, 4, 4},
    {"v_mfma_f32_32x32x64_f8f6f4", 32, 64, 1, Mixed, Mixed, 0, 8},
    {"v_mfma_f32_16x16x128_f8f6f4", 16, 128, 1, Mixed, Mixed, 0, 4},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", 32, 64, 1, Mixed, Mixed, 0, 8},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", 16, 128, 1, Mixed, Mixed, 0, 4},
    {"v_mfma_f64_16x16x4_f64", 16, 4, 1, F64, F64, 8, 16},
    {"v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, F64, F64, 4, 4},
    {"v_smfmac_f32_16x16x32_f16", 16, 32, 1, F16, F16, 4, 4, true},
    {"v_smfmac_f32_16x16x32_bf16", 16, 32, 1, Bf16, Bf16, 4, 4, true},
    {"v_smfmac_i32_16x16x64_i8", 16, 64, 1, I8, I8, 4, 4, true},
    {"v_smfmac_f32_16x16x64_fp8_fp8", 16, 64, 1, Fp8, Fp8, 4, 4, true},
    {"v_smfmac_f32_16x16x64_fp8_bf8", 16, 64, 1, Fp8, Bf8, 4, 4, true},
    {"v_smfmac_f32_16x16x64_bf8_fp8", 16, 64, 1, Bf8, Fp8, 4, 4, true},
    {"v_smfmac_f32_16x16x64_bf8_bf8", 16, 64, 1, Bf8, Bf8, 4, 4, true},
    {"v_smfmac_f32_32x32x16_f16", 32, 16, 1, F16, F16, 8, 8, true},
    {"v_smfmac_f32_32x32x16_bf16", 32, 16, 1, Bf16, Bf16, 8, 8, true},
    {"v_smfmac_i32_32x32x32_i8", 32, 32, 1, I8, I8, 8, 8, true},
    {"v_smfmac_f32_32x32x32_fp8_fp8", 32, 32, 1, Fp8, Fp8, 8, 8, true},
    {"v_smfmac_f32_32x32x32_fp8_bf8", 32, 32, 1, Fp8, Bf8, 8, 8, true},
    {"v_smfmac_f32_32x32x32_bf8_fp8", 32, 32, 1, Bf8, Fp8, 8, 8, true},
    {"v_smfmac_f32_32x32x32_bf8_bf8", 32, 32, 1, Bf8, Bf8, 8, 8, true},
    {"v_smfmac_f32_16x16x64_f16", 16, 64, 1, F16, F16, 0, 4, true},
    {"v_smfmac_f32_16x16x64_bf16", 16, 64, 1, Bf16, Bf16, 0, 4, true},
    {"v_smfmac_i32_16x16x128_i8", 16, 128, 1, I8, I8, 0, 4, true},
    {"v_smfmac_f32_16x16x128_fp8_fp8", 16, 128, 1, Fp8, Fp8, 0, 4, true},
    {"v_smfmac_f32_16x16x128_fp8_bf8", 16, 128, 1, Fp8, Bf8, 0, 4, true},
    {"v_smfmac_f32_16x16x128_bf8_fp8", 16, 128, 1, Bf8, Fp8, 0, 4, true},
    {"v_smfmac_f32_16x16x128_bf8_bf8", 16, 128, 1, Bf8, Bf8, 0, 4, true},
    {"v_smfmac_f32_32x32x32_f16", 32, 32, 1, F16, F16, 0, 8, true},
    {"v_smfmac_f32_32x32x32_bf16", 32, 32, 1, Bf16, Bf16, 0, 8, true},
    {"v_smfmac_i32_32x32x64_i8", 32, 64, 1, I8, I8, 0, 8, true},
    {"v_smfmac_f32_32x32x64_fp8_fp8", 32, 64, 1, Fp8, Fp8, 0, 8, true},
    {"v_smfmac_f32_32x32x64_fp8_bf8", 32, 64, 1, Fp8, Bf8, 0, 8, true},
    {"v_smfmac_f32_32x32x64_bf8_fp8", 32, 64, 1, Bf8, Fp8, 0, 8, true},
    {"v_smfmac_f32_32x32x64_bf8_bf8", 32, 64, 1, Bf8, Bf8, 0, 8, true},
};

llvm::ArrayRef<MatrixShape> getMatrixShapes() { return shapes; }

} // namespace mlir::te::emu
