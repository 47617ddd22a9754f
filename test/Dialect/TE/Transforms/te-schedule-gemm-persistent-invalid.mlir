// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx950}))' --split-input-file --verify-diagnostics

func.func @splits(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{workgroups = 8 compute one tile after the other, of one matrix and all of K; leave out workgroups or split_k (H15)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <workgroups = 8, split_k = 2>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @batch(%a: tensor<4x256x256xbf16>, %b: tensor<4x256x256xbf16>) -> tensor<4x256x256xbf16> {
  // expected-error @+1 {{workgroups = 8 compute one tile after the other, of one matrix and all of K; leave out workgroups (H15)}}
  %d = te.fusion "f" (%x = %a : tensor<4x256x256xbf16>, %y = %b : tensor<4x256x256xbf16>) -> (tensor<4x256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <workgroups = 8>>} {
    %0 = te.gemm %x, %y : tensor<4x256x256xbf16>, tensor<4x256x256xbf16> -> tensor<4x256x256xbf16>
    te.yield %0 : tensor<4x256x256xbf16>
  }
  return %d : tensor<4x256x256xbf16>
}

// -----

func.func @row_tiles(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{workgroups of a te.gemm have one tile at a time; leave out row_tiles and sweep (H15)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <row_tiles = 2>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// The tile before takes registers, too, and 28 more next to scales.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @registers(%a: !te.scaled<4096x512xf8E4M3FN, #row>, %b: !te.scaled<4096x512xf8E4M3FN, #row>) -> tensor<4096x4096xbf16> {
  // expected-error @+1 {{64 elements a lane need about 260 VGPRs, but each of 8 waves has 256; use a smaller tile or more waves (H9)}}
  %d = te.fusion "f" (%x = %a : !te.scaled<4096x512xf8E4M3FN, #row>, %y = %b : !te.scaled<4096x512xf8E4M3FN, #row>) -> (tensor<4096x4096xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 128, waves = [2, 4]>, pipeline = <stages = 2>, grid = <workgroups = 256>>} {
    %0 = te.gemm %x, %y transpose_b : !te.scaled<4096x512xf8E4M3FN, #row>, !te.scaled<4096x512xf8E4M3FN, #row> -> tensor<4096x4096xbf16>
    te.yield %0 : tensor<4096x4096xbf16>
  }
  return %d : tensor<4096x4096xbf16>
}
