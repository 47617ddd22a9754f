// RUN: te-opt %s -te-to-tile -tile-persistent-workgroups -cse -split-input-file | FileCheck %s

// So many workgroups compute one tile after the other: of 3 x 2 tiles those numbers that are two apart. All steps stand
// there, in no loop of their own; LDS is the next tile's after a barrier.
// CHECK-LABEL: func.func @linear
// CHECK: tile.launch @linear_0 grid(%c2, %c1)
// CHECK-LABEL: tile.kernel @linear_0
// CHECK-SAME: waves_per_simd = 1
// CHECK: %[[FIRST:.*]] = gpu.block_id x
// CHECK: scf.for %[[NUMBER:.*]] = %[[FIRST]] to %c6 step %c2
// CHECK:   arith.remui %[[NUMBER]]
// CHECK:   arith.divui %[[NUMBER]]
// CHECK:   scf.for
// CHECK:     tile.mma
// CHECK:   } {tile.staging
// CHECK:   tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-SAME: {tile.delay}
func.func @linear(%x: tensor<70x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<70x64xbf16> {
  %d = te.fusion "linear_0" (%a = %x : tensor<70x64xbf16>, %v = %w : tensor<64x64xbf16>) -> (tensor<70x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 32], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2]>, pipeline = <stages = 2>, grid = <workgroups = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<70x64xbf16>, tensor<64x64xbf16> -> tensor<70x64xbf16>
    te.yield %0 : tensor<70x64xbf16>
  }
  return %d : tensor<70x64xbf16>
}
