// RUN: te-opt %s -te-to-tile -cse -split-input-file | FileCheck %s

// So many workgroups compute one tile after the other: of 3 x 2 tiles those numbers that are two apart. All steps stand
// there, in no loop of their own; LDS is the next tile's behind a barrier.
// CHECK-LABEL: func.func @linear
// CHECK: tile.launch @linear_0 grid(%c2, %c1)
// CHECK-LABEL: tile.kernel @linear_0
// CHECK-SAME: waves_per_simd = 1
// CHECK: %[[FIRST:.*]] = gpu.block_id x
// CHECK: scf.for %[[NUMBER:.*]] = %[[FIRST]] to %c6 step %c2
// CHECK:   arith.remui %[[NUMBER]]
// CHECK:   arith.divui %[[NUMBER]]
// CHECK-NOT: scf.for
// CHECK:   tile.mma
// CHECK:   tile.mma
// CHECK-NOT: scf.for
// CHECK:   tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-SAME: {tile.delay = 1 : i64}
func.func @linear(%x: tensor<70x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<70x64xbf16> {
  %d = te.fusion "linear_0" (%a = %x : tensor<70x64xbf16>, %v = %w : tensor<64x64xbf16>) -> (tensor<70x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 32], waves = 4, vector = 8, workgroups = 2, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2], stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<70x64xbf16>, tensor<64x64xbf16> -> tensor<70x64xbf16>
    te.yield %0 : tensor<70x64xbf16>
  }
  return %d : tensor<70x64xbf16>
}

// -----

// More than there are tiles: as many as there are. Of 320 steps the last ones have no loop, whole rounds of 16, but less than a
// third of all; 14 rounds are in front of these.
// CHECK-LABEL: func.func @long
// CHECK: tile.launch @long_0 grid(%c6, %c1)
// CHECK-LABEL: tile.kernel @long_0
// CHECK: scf.for
// CHECK:   scf.for %{{.*}} = %{{.*}} to %c14
// CHECK-COUNT-16: tile.mma
// CHECK:   }
// CHECK-COUNT-96: tile.mma
// CHECK-NOT: tile.mma
// CHECK: tile.store
func.func @long(%x: tensor<70x10240xbf16>, %w: tensor<64x10240xbf16>) -> tensor<70x64xbf16> {
  %d = te.fusion "long_0" (%a = %x : tensor<70x10240xbf16>, %v = %w : tensor<64x10240xbf16>) -> (tensor<70x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 32], waves = 4, vector = 8, workgroups = 100, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2], stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<70x10240xbf16>, tensor<64x10240xbf16> -> tensor<70x64xbf16>
    te.yield %0 : tensor<70x64xbf16>
  }
  return %d : tensor<70x64xbf16>
}

// -----

// Of few steps that are many products, rounds are a fourth at the most: three of eight are a loop.
// CHECK-LABEL: tile.kernel @rounds_0
// CHECK: scf.for
// CHECK:   scf.for %{{.*}} = %{{.*}} to %c3
// CHECK-COUNT-8: tile.mma
// CHECK:   }
// CHECK-COUNT-8: tile.mma
// CHECK-NOT: tile.mma
func.func @rounds(%x: tensor<256x1024xbf16>, %w: tensor<256x1024xbf16>) -> tensor<256x256xbf16> {
  %d = te.fusion "rounds_0" (%a = %x : tensor<256x1024xbf16>, %v = %w : tensor<256x1024xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 128], waves = 4, vector = 8, workgroups = 2, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2], stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<256x1024xbf16>, tensor<256x1024xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// Straight to LDS the last ones may be 256 products of a wave.
// CHECK-LABEL: tile.kernel @direct_0
// CHECK: scf.for
// CHECK:   scf.for %{{.*}} = %{{.*}} to %c14
func.func @direct(%x: tensor<256x8192xbf16>, %w: tensor<256x8192xbf16>) -> tensor<256x256xbf16> {
  %d = te.fusion "direct_0" (%a = %x : tensor<256x8192xbf16>, %v = %w : tensor<256x8192xbf16>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 128], waves = 4, vector = 8, workgroups = 2, matmul = <"f32_32x32x16_bf16", k = 32, waves = [2, 2], stages = 4, direct = true>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<256x8192xbf16>, tensor<256x8192xbf16> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// Operands that lanes turn on their way to LDS: stores stand beside the last half of what has no loop, if these are eight steps.
// CHECK-LABEL: tile.kernel @turned_0
// CHECK: {tile.delay = 2 : i64}
// CHECK-LABEL: tile.kernel @few_0
// CHECK: {tile.delay = 1 : i64}
func.func @turned(%x: tensor<256x70xbf16>, %w: tensor<256x64xbf16>) -> tensor<70x64xbf16> {
  %d = te.fusion "turned_0" (%a = %x : tensor<256x70xbf16>, %b = %w : tensor<256x64xbf16>) -> (tensor<70x64xbf16>)
      attributes {schedule = #te.schedule<"gfx942", tile = [32, 32], waves = 4, vector = 8, workgroups = 2, matmul = <"f32_16x16x16_bf16", k = 32, waves = [2, 2], stages = 2>>} {
    %0 = te.gemm %a, %b transpose_a : tensor<256x70xbf16>, tensor<256x64xbf16> -> tensor<70x64xbf16>
    te.yield %0 : tensor<70x64xbf16>
  }
  return %d : tensor<70x64xbf16>
}
func.func @few(%x: tensor<224x70xbf16>, %w: tensor<224x64xbf16>) -> tensor<70x64xbf16> {
  %d = te.fusion "few_0" (%a = %x : tensor<224x70xbf16>, %b = %w : tensor<224x64xbf16>) -> (tensor<70x64xbf16>)
      attributes {schedule = #te.schedule<"gfx942", tile = [32, 32], waves = 4, vector = 8, workgroups = 2, matmul = <"f32_16x16x16_bf16", k = 32, waves = [2, 2], stages = 2>>} {
    %0 = te.gemm %a, %b transpose_a : tensor<224x70xbf16>, tensor<224x64xbf16> -> tensor<70x64xbf16>
    te.yield %0 : tensor<70x64xbf16>
  }
  return %d : tensor<70x64xbf16>
}
