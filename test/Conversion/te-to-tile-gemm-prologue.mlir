// An operand's conversion in its te.gemm's region is computed on each tile as it is read, before that goes to LDS.
// RUN: te-opt %s -te-to-tile -split-input-file | FileCheck %s

// Codes become f32, are multiplied by their block's scale, and are bf16 then: a power of two rounds nothing.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: tile.kernel @weights
// CHECK: scf.for
// CHECK:   tile.load {{.*}} : memref<64x2048xf8E4M3FN
// CHECK:   %[[F:.*]] = arith.extf %{{.*}} : tensor<64x64xf8E4M3FN, #{{.*}}> to tensor<64x64xf32
// CHECK:   %[[S:.*]] = tile.broadcast %{{.*}} : tensor<64x2xf32, #{{.*}}> -> tensor<64x64xf32
// CHECK:   %[[P:.*]] = arith.mulf %[[F]], %[[S]]
// CHECK:   %[[I:.*]] = arith.bitcast %[[P]] : {{.*}} to tensor<64x64xi32
// CHECK:   arith.shrui %[[I]]
// CHECK:   tile.convert_layout %{{.*}} : tensor<64x64xbf16
// CHECK:   tile.mma
// CHECK: tile.store
func.func @weights(%x: tensor<16x2048xbf16>, %q: !te.scaled<64x2048xf8E4M3FN, #row>) -> tensor<16x64xbf16> {
  %y = te.fusion "weights" (%a = %x : tensor<16x2048xbf16>, %p = %q : !te.scaled<64x2048xf8E4M3FN, #row>) -> (tensor<16x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [1, 4]>, pipeline = <stages = 2>>} {
    %b = te.dequantize %p : !te.scaled<64x2048xf8E4M3FN, #row> -> tensor<64x2048xbf16>
    %d = te.gemm %a, %b transpose_b : tensor<16x2048xbf16>, tensor<64x2048xbf16> -> tensor<16x64xbf16>
    te.yield %d : tensor<16x64xbf16>
  }
  return %y : tensor<16x64xbf16>
}

// -----

// One scale is read once, and its products are rounded.
#one = #te.scaling<tensor, scale = f32>
// CHECK-LABEL: tile.kernel @tensor
// CHECK: %[[S:.*]] = memref.load %{{.*}}[] : memref<f32
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK:   arith.mulf
// CHECK:   arith.truncf %{{.*}} : tensor<64x64xf32, #{{.*}}> to tensor<64x64xbf16
// CHECK:   tile.convert_layout
func.func @tensor(%x: tensor<16x2048xbf16>, %q: !te.scaled<64x2048xf8E4M3FN, #one>) -> tensor<16x64xbf16> {
  %y = te.fusion "tensor" (%a = %x : tensor<16x2048xbf16>, %p = %q : !te.scaled<64x2048xf8E4M3FN, #one>) -> (tensor<16x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [1, 4]>, pipeline = <stages = 2>>} {
    %b = te.dequantize %p : !te.scaled<64x2048xf8E4M3FN, #one> -> tensor<64x2048xbf16>
    %d = te.gemm %a, %b transpose_b : tensor<16x2048xbf16>, tensor<64x2048xbf16> -> tensor<16x64xbf16>
    te.yield %d : tensor<16x64xbf16>
  }
  return %y : tensor<16x64xbf16>
}

// -----

// A cast; with one stage the tile is converted before it goes to the lanes that the instruction wants.
// CHECK-LABEL: tile.kernel @cast
// CHECK: scf.for
// CHECK:   %[[X:.*]] = tile.load {{.*}} : memref<16x2048xf32
// CHECK:   %[[H:.*]] = arith.truncf %[[X]]
// CHECK:   tile.convert_layout %[[H]]
// CHECK:   tile.mma
func.func @cast(%x: tensor<16x2048xf32>, %w: tensor<64x2048xbf16>) -> tensor<16x64xbf16> {
  %y = te.fusion "cast" (%p = %x : tensor<16x2048xf32>, %b = %w : tensor<64x2048xbf16>) -> (tensor<16x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [1, 4]>>} {
    %a = arith.truncf %p : tensor<16x2048xf32> to tensor<16x2048xbf16>
    %d = te.gemm %a, %b transpose_b : tensor<16x2048xbf16>, tensor<64x2048xbf16> -> tensor<16x64xbf16>
    te.yield %d : tensor<16x64xbf16>
  }
  return %y : tensor<16x64xbf16>
}
