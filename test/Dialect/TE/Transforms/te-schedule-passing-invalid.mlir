// Sums become what is stored by way of LDS, in splits, as far as a wave's rows are several instructions: te-tune lists no schedule whose splits do not fit.

// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx942}))' -o /dev/null

// bf16, one instruction of 32 rows a wave.
func.func @whole(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  // expected-error @+1 {{the tile needs 131072 bytes of LDS, but a workgroup has 65536 on gfx942; use a smaller tile (H8)}}
  %r = te.fusion "k" (%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> (tensor<512x512xbf16>)
      attributes {schedule = #te.schedule<"gfx942", tile = [256, 256], waves = 8, vector = 8, matmul = <"f32_32x32x8_bf16", k = 32, waves = [8, 1]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
    te.yield %0 : tensor<512x512xbf16>
  }
  return %r : tensor<512x512xbf16>
}

// -----

// f32 of the last rows' splits, two instructions a wave.
func.func @rest(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xbf16> {
  // expected-error @+1 {{the tile needs 131072 bytes of LDS, but a workgroup has 65536 on gfx942; use a smaller tile (H8)}}
  %r = te.fusion "k" (%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> (tensor<512x512xbf16>)
      attributes {schedule = #te.schedule<"gfx942", tile = [256, 256], waves = 8, vector = 8, matmul = <"f32_32x32x8_bf16", k = 32, waves = [4, 2]>, pipeline = <stages = 2>, grid = <split_k = 2, whole_rows = 256>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
    te.yield %0 : tensor<512x512xbf16>
  }
  return %r : tensor<512x512xbf16>
}

// -----

// The same of four instructions, and bf16 of two: both fit.
func.func @fits(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> (tensor<512x512xbf16>, tensor<512x512xbf16>) {
  %r = te.fusion "k" (%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> (tensor<512x512xbf16>)
      attributes {schedule = #te.schedule<"gfx942", tile = [256, 256], waves = 8, vector = 8, matmul = <"f32_32x32x8_bf16", k = 32, waves = [2, 4]>, pipeline = <stages = 2>, grid = <split_k = 2, whole_rows = 256>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
    te.yield %0 : tensor<512x512xbf16>
  }
  %s = te.fusion "l" (%a = %x : tensor<512x512xbf16>, %b = %w : tensor<512x512xbf16>) -> (tensor<512x512xbf16>)
      attributes {schedule = #te.schedule<"gfx942", tile = [256, 256], waves = 8, vector = 8, matmul = <"f32_32x32x8_bf16", k = 32, waves = [4, 2]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
    te.yield %0 : tensor<512x512xbf16>
  }
  return %r, %s : tensor<512x512xbf16>, tensor<512x512xbf16>
}
