// RUN: te-opt %s -te-schedule=target=gfx950 -split-input-file -verify-diagnostics
// RUN: not te-opt %s -te-schedule=target=sm_90a -split-input-file 2>&1 | FileCheck %s --check-prefix=SM90

// SM90: error: te.gemm is not supported for sm_90a; compile for gfx942 or gfx950{{.*}}(G2)
func.func @fits(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>) {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @missing(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{the region has a te.gemm, and the schedule does not say how it is computed: add matmul = <..>, or leave the schedule to te-schedule (H14)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @instruction(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{f32_16x16x32_f16 on gfx950 is not for these operands; use f32_32x32x16_bf16 or f32_16x16x32_bf16 or f32_32x32x8_bf16 or f32_16x16x16_bf16 (H14)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_f16", k = 64, waves = [2, 2]>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @waves(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{8 waves share 64 rows of the tile, but each needs 16 for f32_16x16x32_bf16; use fewer waves or a larger tile (H15)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [8, 1]>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

#line = #te.scaling<block = [1, 128], scale = f32>
func.func @block(%a: !te.scaled<256x256xf8E4M3FN, #line>, %b: !te.scaled<256x256xf8E4M3FN, #line>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{a step sums 64 elements of K, but a scale is for 128; use k = 128 (H15)}}
  %d = te.fusion "f" (%x = %a : !te.scaled<256x256xf8E4M3FN, #line>, %y = %b : !te.scaled<256x256xf8E4M3FN, #line>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_fp8", k = 64, waves = [2, 2]>>} {
    %0 = te.gemm %x, %y transpose_b : !te.scaled<256x256xf8E4M3FN, #line>, !te.scaled<256x256xf8E4M3FN, #line> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @registers(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{1024 elements a lane need about 1576 VGPRs, but each of 1 waves has 256; use a smaller tile or more waves (H9)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 1, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [1, 1]>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @huge(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{a tile of 64 x 64 and k = 1073741824; each is at most 1024 (H15)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 1073741824, waves = [2, 2]>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @elsewhere(%a: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{the schedule has a matmul, but the region neither a te.gemm nor a te.attention; leave it out (H14)}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>>} {
    %0 = te.activation gelu %x : tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// expected-error @+1 {{ping_pong needs steps of several instructions, but k = 32 is one; use k = 64 or more, or leave out ping_pong (H14)}}
#s = #te.schedule<"gfx950", tile = [64, 128], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 4]>, pipeline = <stages = 2, ping_pong = true>>

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'pipeline' which is to be a `::mlir::te::PipelineAttr`}}
// expected-error @+1 {{ping_pong needs a step that is read while another is written, but stages = 1; use 2 or more (H14)}}
#s = #te.schedule<"gfx950", tile = [64, 128], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 4]>, pipeline = <ping_pong = true>>

// -----

func.func @turns(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{ping_pong is for waves that share a SIMD, but a CU of gfx950 has one for each of the 4 waves; use more waves, or leave out ping_pong (H15)}}
  %d = te.fusion "turns_0" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2, ping_pong = true>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'matmul' which is to be a `::mlir::te::MatmulAttr`}}
// expected-error @+1 {{there is no matrix instruction 'f32_8x8x8'; docs/spec.md lists those of each chip (H14)}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_8x8x8", k = 64, waves = [2, 2]>>

// -----

// expected-error @+1 {{4 waves are not 2 x 1, those of matmul; make one equal to the other (H14)}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 1]>>

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'grid' which is to be a `::mlir::te::GridAttr`}}
// expected-error @+1 {{split_k = 0 is not positive; 1 stands for sums over all of K (H2)}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 0>>

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'grid' which is to be a `::mlir::te::GridAttr`}}
// expected-error @+1 {{group_m = -1 is negative; 0 stands for tiles row by row (H2)}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <group_m = -1>>

// -----

// expected-error @+2 {{expected '>'}}
// expected-error @+1 {{failed to parse TE_ScheduleAttr parameter 'matmul' which is to be a `::mlir::te::MatmulAttr`}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2], split = 2>>

// -----

func.func @short(%a: tensor<256x128xbf16>, %b: tensor<128x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{split_k = 4, but K = 128 has 2 steps of 64, and a split has one at least; use fewer splits, or a smaller k (H17)}}
  %d = te.fusion "f" (%x = %a : tensor<256x128xbf16>, %y = %b : tensor<128x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 4>>} {
    %0 = te.gemm %x, %y : tensor<256x128xbf16>, tensor<128x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'grid' which is to be a `::mlir::te::GridAttr`}}
// expected-error @+1 {{whole_rows = 64 are the rows before those whose K is split, but split_k = 1; set split_k, or leave it out (H2)}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <whole_rows = 64>>

// -----

func.func @inside_of_a_tile(%a: tensor<256x128xbf16>, %b: tensor<128x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{split_k = 2, but whole_rows = 96 are no whole tiles of 64 rows, or not fewer than the 256 of the result; change it (H17)}}
  %d = te.fusion "f" (%x = %a : tensor<256x128xbf16>, %y = %b : tensor<128x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 2, whole_rows = 96>>} {
    %0 = te.gemm %x, %y : tensor<256x128xbf16>, tensor<128x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @nothing_left(%a: tensor<256x128xbf16>, %b: tensor<128x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{split_k = 2, but whole_rows = 256 are no whole tiles of 64 rows, or not fewer than the 256 of the result; change it (H17)}}
  %d = te.fusion "f" (%x = %a : tensor<256x128xbf16>, %y = %b : tensor<128x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 2, whole_rows = 256>>} {
    %0 = te.gemm %x, %y : tensor<256x128xbf16>, tensor<128x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @uneven(%a: tensor<256x192xbf16>, %b: tensor<192x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{split_k = 2, but whole_rows = 64 needs splits that are alike, and K = 192 is not a multiple of 2 times 64; use another split_k (H17)}}
  %d = te.fusion "f" (%x = %a : tensor<256x192xbf16>, %y = %b : tensor<192x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 2, whole_rows = 64>>} {
    %0 = te.gemm %x, %y : tensor<256x192xbf16>, tensor<192x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

func.func @unknown_rows(%a: tensor<?x128xbf16>, %b: tensor<128x256xbf16>) -> tensor<?x256xbf16> {
  // expected-error @+1 {{split_k = 2, but whole_rows = 64 needs M, N and K to be known; leave it out (H17)}}
  %d = te.fusion "f" (%x = %a : tensor<?x128xbf16>, %y = %b : tensor<128x256xbf16>) -> (tensor<?x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 2, whole_rows = 64>>} {
    %0 = te.gemm %x, %y : tensor<?x128xbf16>, tensor<128x256xbf16> -> tensor<?x256xbf16>
    te.yield %0 : tensor<?x256xbf16>
  }
  return %d : tensor<?x256xbf16>
}

// -----

func.func @rest_of_no_split(%a: tensor<256x128xbf16>, %b: tensor<128x256xbf16>) -> (tensor<256x256xbf16>, tensor<2x64x256xf32>) {
  // expected-error @+1 {{split_k = 1, but te.gemm makes 2 splits of its last 64 rows; whole_rows are the others, and split_k is as many: leave both to te-split-k (H17)}}
  %d:2 = te.fusion "f" (%x = %a : tensor<256x128xbf16>, %y = %b : tensor<128x256xbf16>) -> (tensor<256x256xbf16>, tensor<2x64x256xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>>} {
    %0, %r = te.gemm %x, %y : tensor<256x128xbf16>, tensor<128x256xbf16> -> tensor<256x256xbf16> rest tensor<2x64x256xf32>
    te.yield %0, %r : tensor<256x256xbf16>, tensor<2x64x256xf32>
  }
  return %d#0, %d#1 : tensor<256x256xbf16>, tensor<2x64x256xf32>
}

// -----

func.func @begins_inside(%p: tensor<2x96x256xf32>) -> tensor<256x256xf32> {
  // expected-error @+1 {{what is computed begins with row 160, inside of the 64 rows of a workgroup; give it fewer (H17)}}
  %d = te.fusion "f" (%x = %p : tensor<2x96x256xf32>) -> (tensor<256x256xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 4>} {
    %0 = te.gemm_sum %x : tensor<2x96x256xf32> -> tensor<256x256xf32>
    te.yield %0 : tensor<256x256xf32>
  }
  return %d : tensor<256x256xf32>
}

// -----

func.func @pairs(%a: tensor<2x64x256xbf16>, %b: tensor<2x256x64xbf16>) -> tensor<2x64x64xbf16> {
  // expected-error @+1 {{split_k = 2, but matrices are multiplied in pairs, which are many workgroups already; leave it out (H17)}}
  %d = te.fusion "f" (%x = %a : tensor<2x64x256xbf16>, %y = %b : tensor<2x256x64xbf16>) -> (tensor<2x64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 2>>} {
    %0 = te.gemm %x, %y : tensor<2x64x256xbf16>, tensor<2x256x64xbf16> -> tensor<2x64x64xbf16>
    te.yield %0 : tensor<2x64x64xbf16>
  }
  return %d : tensor<2x64x64xbf16>
}

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'pipeline' which is to be a `::mlir::te::PipelineAttr`}}
// expected-error @+1 {{stages = 3, but what is not direct_to_lds is loaded for one step, or for two; use 1 or 2 (H14)}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 3>>

// -----

func.func @no_step(%a: tensor<64x0xbf16>, %b: tensor<0x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{K = 0 cannot be pipelined, as no step is the first; use stages = 1 (H15)}}
  %d = te.fusion "f" (%x = %a : tensor<64x0xbf16>, %y = %b : tensor<0x64xbf16>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %x, %y : tensor<64x0xbf16>, tensor<0x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

func.func @no_room(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{LDS}}
  %d = te.fusion "f" (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 16, vector = 8, matmul = <"f32_32x32x16_bf16", k = 128, waves = [4, 4]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %x, %y : tensor<256x256xbf16>, tensor<256x256xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'pipeline' which is to be a `::mlir::te::PipelineAttr`}}
// expected-error @+1 {{stages = 1, but direct_to_lds needs room for 2 to 8 steps; set stages (H14)}}
#s = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <direct_to_lds = true>>

// -----

func.func @not_direct(%a: tensor<256x250xbf16>, %b: tensor<250x250xbf16>) -> tensor<256x250xbf16> {
  // expected-error @+1 {{no operand can go straight to LDS: on gfx950 a lane loads 16 bytes there, of an operand whose rows in memory are whole steps along K, or whole tiles across it, which is not converted, and whose step fills all waves; leave out direct_to_lds (H15)}}
  %d = te.fusion "f" (%x = %a : tensor<256x250xbf16>, %y = %b : tensor<250x250xbf16>) -> (tensor<256x250xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2, direct_to_lds = true>>} {
    %0 = te.gemm %x, %y : tensor<256x250xbf16>, tensor<250x250xbf16> -> tensor<256x250xbf16>
    te.yield %0 : tensor<256x250xbf16>
  }
  return %d : tensor<256x250xbf16>
}

// -----

// Halves of the result meet where splits are added up; rows that are finished in the first kernel would need them there.
func.func @gate(%x: tensor<64x64xbf16>, %w: tensor<1024x64xbf16>) -> tensor<64x512xbf16> {
  // expected-error @+1 {{split_k = 2, but halves of the result are read together, which whole_rows has not; leave it out (H17)}}
  %r = te.fusion "k" (%a = %x : tensor<64x64xbf16>, %b = %w : tensor<1024x64xbf16>) -> (tensor<64x512xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2]>, grid = <split_k = 2, whole_rows = 32>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<64x64xbf16>, tensor<1024x64xbf16> -> tensor<64x1024xbf16>
    %1 = te.gated_activation swiglu %0 : tensor<64x1024xbf16> -> tensor<64x512xbf16>
    te.yield %1 : tensor<64x512xbf16>
  }
  return %r : tensor<64x512xbf16>
}

// -----

// A block of rows of two matrices has one scale.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @pairs(%x: !te.scaled<2x33x240xf8E4M3FN, #row>, %w: !te.scaled<2x240x64xf8E4M3FN, #col>) -> tensor<2x33x64xbf16> {
  // expected-error @+1 {{kernels multiply quantized matrices in pairs only where each matrix has data and scales of its own: one scale, or linear layouts and blocks that do not lie in two matrices (their rows are known, and a multiple of a block's), or per = matrix; quantize them so, or te.dequantize them in a region of their own (G3)}}
  %d = te.fusion "f" (%a = %x : !te.scaled<2x33x240xf8E4M3FN, #row>, %b = %w : !te.scaled<2x240x64xf8E4M3FN, #col>) -> (tensor<2x33x64xbf16>) {
    %0 = te.gemm %a, %b : !te.scaled<2x33x240xf8E4M3FN, #row>, !te.scaled<2x240x64xf8E4M3FN, #col> -> tensor<2x33x64xbf16>
    te.yield %0 : tensor<2x33x64xbf16>
  }
  return %d : tensor<2x33x64xbf16>
}

// -----

// Scales of each matrix, where the matrices' rows are those of one.
#each = #te.scaling<block = [1, 32], scale = f8E8M0FNU, per = matrix>
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @each_matrix(%x: !te.scaled<2x33x256xf8E4M3FN, #each>, %w: !te.scaled<64x256xf8E4M3FN, #row>) -> tensor<2x33x64xbf16> {
  // expected-error @+1 {{the rows of an operand are one matrix to a kernel, but its scales are each matrix's (per = matrix); quantize it without, or te.dequantize it in a region of its own (G3)}}
  %d = te.fusion "f" (%a = %x : !te.scaled<2x33x256xf8E4M3FN, #each>, %b = %w : !te.scaled<64x256xf8E4M3FN, #row>) -> (tensor<2x33x64xbf16>) {
    %0 = te.gemm %a, %b transpose_b : !te.scaled<2x33x256xf8E4M3FN, #each>, !te.scaled<64x256xf8E4M3FN, #row> -> tensor<2x33x64xbf16>
    te.yield %0 : tensor<2x33x64xbf16>
  }
  return %d : tensor<2x33x64xbf16>
}
