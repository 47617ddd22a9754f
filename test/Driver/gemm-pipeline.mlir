// What the passes on loops make of the plain loop of a te.gemm, together.
// RUN: te-opt %s --pass-pipeline='builtin.module(te-to-tile,cse,tile.kernel(tile-stage-operands,tile-split-products,tile-pipeline,tile-ping-pong,tile-interleave,tile-unroll),cse,tile.kernel(tile-count-loads))' -split-input-file | FileCheck %s

// Two stages: the step after the next is read, the next one is put into the other slot, and of this one each part is taken
// before the part before it is multiplied. The barrier stands before the last product. Two steps are an iteration, so that
// slots have constant places; one that is left has a loop.
// CHECK-LABEL: tile.kernel @stages_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x32x64xbf16
// CHECK: %[[RB:.*]] = tile.ring
// CHECK-COUNT-4: tile.load
// CHECK: tile.local_store %{{.*}}, %[[RA]]
// CHECK: tile.local_store %{{.*}}, %[[RB]]
// CHECK: tile.async_wait
// CHECK: tile.local_load %[[RA]][%{{.*}}, %c0]
// CHECK: scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %[[RAW:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %{{[a-z0-9]+}} = %{{[a-z0-9_]+}}, %[[PART:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %[[PARTB:[a-z0-9]+]] =
// CHECK:   %[[SECOND:.*]] = tile.local_load %[[RA]][%c0, %c32]
// CHECK:   tile.local_store %[[RAW]], %[[RA]][%c1]
// CHECK:   tile.load
// CHECK:   %[[FIRST:.*]] = tile.mma %[[PART]], %[[PARTB]], %[[SUM]] <"f32_16x16x32_bf16"> in_order {reads = 2 : i64}
// CHECK:   tile.async_wait
// CHECK:   tile.local_load %[[RA]][%c1, %c0]
// CHECK:   tile.mma %[[SECOND]], %{{.*}}, %[[FIRST]] <"f32_16x16x32_bf16"> in_order {reads = 2 : i64}
// CHECK:   tile.local_store %{{.*}}, %[[RA]][%c0]
// CHECK:   scf.yield
// CHECK: scf.for
// CHECK:   scf.yield
// CHECK: tile.async_wait
func.func @stages(%x: tensor<?x?xbf16>, %w: tensor<48x?xbf16>) -> tensor<?x48xbf16> {
  %d = te.fusion "stages_0" (%a = %x : tensor<?x?xbf16>, %v = %w : tensor<48x?xbf16>) -> (tensor<?x48xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 32], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<?x?xbf16>, tensor<48x?xbf16> -> tensor<?x48xbf16>
    te.yield %0 : tensor<?x48xbf16>
  }
  return %d : tensor<?x48xbf16>
}

// -----

// Waves that share a SIMD alternate, by priority: from the barrier on each part is less urgent than the one before. A is
// larger: its part is taken after B's. B is put a product after A. After the loop all are alike.
// CHECK-LABEL: tile.kernel @turns_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x128x128xbf16
// CHECK: %[[RB:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x128xbf16
// CHECK-NOT: tile.priority
// CHECK: scf.for
// CHECK:   tile.priority 2
// CHECK:   tile.local_load %[[RB]]
// CHECK:   tile.local_load %[[RA]]
// CHECK:   tile.local_store %{{.*}}, %[[RA]]
// CHECK-NOT: tile.local_store
// CHECK:   tile.mma
// CHECK:   tile.priority 1
// CHECK:   tile.local_store %{{.*}}, %[[RB]]
// CHECK:   tile.mma
// CHECK:   tile.priority 0
// CHECK-NOT: tile.local_store
// CHECK:   tile.mma
// CHECK:   tile.priority 3
// CHECK:   tile.async_wait
// CHECK:   tile.local_load %[[RB]]
// CHECK:   tile.local_load %[[RA]]
// CHECK:   tile.mma
// CHECK: tile.priority 0
// CHECK: tile.store
func.func @turns(%x: tensor<?x?xbf16>, %w: tensor<64x?xbf16>) -> tensor<?x64xbf16> {
  %d = te.fusion "turns_0" (%a = %x : tensor<?x?xbf16>, %v = %w : tensor<64x?xbf16>) -> (tensor<?x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 64], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 128, waves = [2, 4]>, pipeline = <stages = 2, ping_pong = true>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<?x?xbf16>, tensor<64x?xbf16> -> tensor<?x64xbf16>
    te.yield %0 : tensor<?x64xbf16>
  }
  return %d : tensor<?x64xbf16>
}

// -----

// What lies along K goes straight from memory to LDS, the other operand through registers, which transpose it.
// CHECK-LABEL: tile.kernel @direct_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x64xbf16
// CHECK: tile.async_copy %{{.*}}, %[[RA]][%{{.*}}] {in_bounds} : memref<64x128xbf16
// CHECK: %[[TURNED:.*]] = tile.transpose
// CHECK: tile.local_store %[[TURNED]]
// CHECK: tile.async_wait for %[[RA]]
// CHECK: tile.local_load %[[RA]]
func.func @direct(%x: tensor<64x128xbf16>, %w: tensor<128x60xbf16>) -> tensor<64x60xbf16> {
  %d = te.fusion "direct_0" (%a = %x : tensor<64x128xbf16>, %v = %w : tensor<128x60xbf16>) -> (tensor<64x60xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v : tensor<64x128xbf16>, tensor<128x60xbf16> -> tensor<64x60xbf16>
    te.yield %0 : tensor<64x60xbf16>
  }
  return %d : tensor<64x60xbf16>
}

// -----

// What lies across K does so too, in whole tiles: its parts are rows of the slot, taken as they are wanted and renamed.
// CHECK-LABEL: tile.kernel @across_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x64xbf16
// CHECK: %[[RB:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x64xbf16
// CHECK: tile.async_copy %{{.*}}, %[[RB]][%{{.*}}] {in_bounds} : memref<128x64xbf16
// CHECK-NOT: tile.local_store
// CHECK: tile.async_wait for %[[RA]], %[[RB]]
// CHECK: %[[PART:.*]] = tile.local_load %[[RB]][%{{.*}}, %{{.*}}] : {{.*}} -> tensor<32x64xbf16
// CHECK-NEXT: %[[TURNED:.*]] = tile.transpose %[[PART]] : {{.*}} -> tensor<64x32xbf16
// CHECK-NOT: tile.local_store
// CHECK: tile.mma
func.func @across(%x: tensor<64x128xbf16>, %w: tensor<128x64xbf16>) -> tensor<64x64xbf16> {
  %d = te.fusion "across_0" (%a = %x : tensor<64x128xbf16>, %v = %w : tensor<128x64xbf16>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

// Data in an order of their own do too: units of the matrix are rows of the view.
// CHECK-DAG: #[[$UNIT:.*]] = #tile.layout<shape = [16, 32], register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [0, 16]], lane = [], wave = []>
// CHECK-LABEL: tile.kernel @ordered_0
// CHECK: tile.async_copy {{.*}} {in_bounds, order = #[[$UNIT]]} : memref<4x8192xf8E4M3FN
// CHECK-NOT: tile.local_store
func.func @ordered(%x: !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32>>, %w: !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>) -> tensor<64x64xbf16> {
  %d = te.fusion "ordered_0" (%a = %x : !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32>>, %v = %w : !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 16, matmul = <"scale_f32_16x16x128_f8f6f4", k = 128, waves = [2, 2]>, pipeline = <stages = 2, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32>>, !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

// Scales of four steps go through LDS together, and each step takes its own. Waits of the steps after their loads know of these.
// CHECK-LABEL: tile.kernel @round_0
// CHECK: %[[SCALES:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x128x16xi8
// CHECK: scf.for
// CHECK: tile.async_wait for {{.*}} {outstanding = 12 : i64, pending = array<i64: 1, 1>}
// CHECK: tile.local_load %[[SCALES]][%{{.*}}, %c4]
// CHECK: tile.mma {{.*}} scales(%{{.*}}, %{{.*}} : tensor<128x4xi8, #{{.*}}>, tensor<128x4xi8, #{{.*}}>) <{{.*}}> in_order {reads =
// CHECK: tile.async_wait for {{.*}} {outstanding = 8 : i64, pending = array<i64: 1, 1>}
// CHECK: tile.local_load %[[SCALES]][%{{.*}}, %c8
// CHECK: scf.yield
func.func @round(%x: !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %w: !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> tensor<128x128xbf16> {
  %d = te.fusion "round_0" (%a = %x : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %v = %w : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> (tensor<128x128xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 128], waves = 4, vector = 16, matmul = <"scale_f32_16x16x128_f8f6f4", k = 128, waves = [2, 2]>, pipeline = <stages = 3, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> -> tensor<128x128xbf16>
    te.yield %0 : tensor<128x128xbf16>
  }
  return %d : tensor<128x128xbf16>
}

// -----

// With three places B's step is asked for after A's, in the step that follows. The last steps stand after the loop: what they
// do not have after them they do not ask for, and wait for less.
// CHECK-LABEL: tile.kernel @rest_0
// CHECK: %[[RA:.*]] = tile.ring
// CHECK: %[[RB:.*]] = tile.ring
// CHECK: tile.async_copy %{{.*}}, %[[RA]]
// CHECK: tile.async_copy %{{.*}}, %[[RB]]
// CHECK: tile.async_copy %{{.*}}, %[[RA]]
// CHECK: tile.async_copy %{{.*}}, %[[RB]]
// CHECK: tile.async_wait for %[[RA]], %[[RB]] {{.*}} {outstanding = {{[0-9]+}} : i64, pending = array<i64: 1, 1>}
// CHECK: tile.async_copy %{{.*}}, %[[RA]]
// CHECK: scf.for {{.*}} to %c30 step %c3
// CHECK-COUNT-3: tile.async_wait for {{.*}} {outstanding = {{[0-9]+}} : i64, pending = array<i64: 1, 1>}
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK: tile.async_copy
// CHECK: tile.async_wait for {{.*}} {outstanding = {{[0-9]+}} : i64, pending = array<i64: 1, 1>}
// CHECK: tile.async_wait for %[[RA]], %[[RB]] : {{.*}}>{{$}}
// CHECK-NOT: tile.async_copy
// CHECK: tile.mma
// CHECK: tile.async_wait
func.func @rest(%x: tensor<64x2176xbf16>, %w: tensor<64x2176xbf16>) -> tensor<64x64xbf16> {
  %d = te.fusion "rest_0" (%a = %x : tensor<64x2176xbf16>, %v = %w : tensor<64x2176xbf16>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 3, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<64x2176xbf16>, tensor<64x2176xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

// Lanes scale fp8 elements on their way to LDS: what was loaded is held together, one operand behind the other, until all products
// before the barrier have begun, and the next step is asked for after that. Two steps are an iteration, with constant places.
// CHECK-LABEL: tile.kernel @scaled_0
// CHECK: scf.for {{.*}} step %c2
// CHECK: %[[HELD:.*]] = tile.optimization_barrier %{{.*}} : tensor<32x256xf8E4M3FN
// CHECK: tile.mma {{.*}} in_order
// CHECK: tile.optimization_barrier %{{.*}} : tensor<32x256xf8E4M3FN
// CHECK: tile.mma {{.*}} in_order
// CHECK: arith.bitcast %[[HELD]]
// CHECK: tile.local_store
// CHECK: tile.local_store
// CHECK: tile.load {{.*}} -> tensor<32x256xf8E4M3FN
// CHECK: tile.mma {{.*}} in_order
// CHECK: tile.async_wait
// CHECK: tile.mma {{.*}} in_order
// CHECK-NEXT: tile.fence
// CHECK-COUNT-4: tile.mma {{.*}} in_order
// CHECK: scf.yield
func.func @scaled(%x: !te.scaled<1024x256xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, %y: !te.scaled<1024x256xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>) -> tensor<256x256xf32> {
  %d = te.fusion "scaled_0" (%a = %x : !te.scaled<1024x256xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, %b = %y : !te.scaled<1024x256xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>) -> (tensor<256x256xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [256, 256], waves = 8, vector = 16, matmul = <"f32_32x32x8_bf16", k = 32, waves = [2, 4]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %b transpose_a : !te.scaled<1024x256xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, !te.scaled<1024x256xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>> -> tensor<256x256xf32>
    te.yield %0 : tensor<256x256xf32>
  }
  return %d : tensor<256x256xf32>
}

// -----

// A for two steps at once, whose rows are a cache line together, B for each: half of the waits are for B alone, and its next two
// tiles are on their way.
// CHECK-LABEL: tile.kernel @lines_0
// CHECK: %[[A:.*]] = tile.ring {{.*}} : memref<2x256x128xf8E4M3FN
// CHECK: %[[B:.*]] = tile.ring {{.*}} : memref<4x256x64xf8E4M3FN
// CHECK: scf.for
// CHECK: tile.async_wait for %[[B]] : {{.*}} {outstanding = {{[0-9]+}} : i64, pending = array<i64: 2>}
// CHECK: tile.local_load %[[A]][%c0, %c64]
// CHECK: tile.async_copy {{.*}}, %[[B]]
// CHECK: tile.mma
// CHECK: tile.async_wait for %[[A]], %[[B]] : {{.*}} {outstanding = {{[0-9]+}} : i64, pending = array<i64: 0, 2>}
// CHECK: tile.local_load %[[A]][%c1, %c0]
// CHECK: tile.async_copy {{.*}}, %[[A]]
// CHECK: tile.async_copy {{.*}}, %[[B]]
// CHECK: tile.mma
func.func @lines(%x: !te.scaled<256x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %y: !te.scaled<256x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> tensor<256x256xf32> {
  %d = te.fusion "lines_0" (%a = %x : !te.scaled<256x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %b = %y : !te.scaled<256x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> (tensor<256x256xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 64, waves = [2, 4]>, pipeline = <stages = 4, direct_to_lds = true>>} {
    %0 = te.gemm %a, %b transpose_b : !te.scaled<256x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<256x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> -> tensor<256x256xf32>
    te.yield %0 : tensor<256x256xf32>
  }
  return %d : tensor<256x256xf32>
}
