// RUN: te-opt %s -te-schedule=target=gfx942 -split-input-file -verify-diagnostics | FileCheck %s

// Elements that have their scales in them take bf16's pipeline: large tiles, short steps of whole blocks.
// CHECK: tile = [256, 256], waves = 8, {{.*}}matmul = <"f32_32x32x8_bf16", k = 32, waves = [2, 4]>, pipeline = <stages = 2>, grid = <group_m = 4>
// CHECK: func.func @elements
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @elements(%a: !te.scaled<4096x4096xf8E4M3FN, #row>, %b: !te.scaled<4096x4096xf4E2M1FN, #row>) -> tensor<4096x4096xbf16> {
  %d = te.fusion "f" (%x = %a : !te.scaled<4096x4096xf8E4M3FN, #row>, %y = %b : !te.scaled<4096x4096xf4E2M1FN, #row>) -> (tensor<4096x4096xbf16>) {
    %0 = te.gemm %x, %y transpose_b : !te.scaled<4096x4096xf8E4M3FN, #row>, !te.scaled<4096x4096xf4E2M1FN, #row> -> tensor<4096x4096xbf16>
    te.yield %0 : tensor<4096x4096xbf16>
  }
  return %d : tensor<4096x4096xbf16>
}

// -----

// In whatever order they lie.
// CHECK: tile = [256, 256], waves = 8, {{.*}}matmul = <"f32_32x32x8_bf16", k = 32, waves = [2, 4]>, pipeline = <stages = 2>, grid = <group_m = 4>
// CHECK: func.func @ordered
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>
#weight = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>
func.func @ordered(%a: !te.scaled<4096x4096xf8E4M3FN, #row>, %b: !te.scaled<4096x4096xf4E2M1FN, #weight>) -> tensor<4096x4096xbf16> {
  %d = te.fusion "f" (%x = %a : !te.scaled<4096x4096xf8E4M3FN, #row>, %y = %b : !te.scaled<4096x4096xf4E2M1FN, #weight>) -> (tensor<4096x4096xbf16>) {
    %0 = te.gemm %x, %y transpose_b : !te.scaled<4096x4096xf8E4M3FN, #row>, !te.scaled<4096x4096xf4E2M1FN, #weight> -> tensor<4096x4096xbf16>
    te.yield %0 : tensor<4096x4096xbf16>
  }
  return %d : tensor<4096x4096xbf16>
}

// -----

// Scales that are f32: a step is one block, whose sum is scaled.
// CHECK: "f32_{{[0-9x]*}}_bf16", k = 128,
// CHECK: func.func @blocks
#row = #te.scaling<block = [1, 128], scale = f32>
func.func @blocks(%a: !te.scaled<256x256xf8E4M3FN, #row>, %b: !te.scaled<256x256xf8E4M3FN, #row>) -> tensor<256x256xbf16> {
  %d = te.fusion "f" (%x = %a : !te.scaled<256x256xf8E4M3FN, #row>, %y = %b : !te.scaled<256x256xf8E4M3FN, #row>) -> (tensor<256x256xbf16>) {
    %0 = te.gemm %x, %y transpose_b : !te.scaled<256x256xf8E4M3FN, #row>, !te.scaled<256x256xf8E4M3FN, #row> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @short(%a: !te.scaled<256x256xf8E4M3FN, #row>, %b: !te.scaled<256x256xf8E4M3FN, #row>) -> tensor<256x256xbf16> {
  // expected-error @+1 {{a step sums 16 elements of K, but a scale is for 32; use k = 32 or more (H15)}}
  %d = te.fusion "f" (%x = %a : !te.scaled<256x256xf8E4M3FN, #row>, %y = %b : !te.scaled<256x256xf8E4M3FN, #row>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx942", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x16_bf16", k = 16, waves = [2, 2]>>} {
    %0 = te.gemm %x, %y transpose_b : !te.scaled<256x256xf8E4M3FN, #row>, !te.scaled<256x256xf8E4M3FN, #row> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}
