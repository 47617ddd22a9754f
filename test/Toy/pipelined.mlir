// A triangular product is a plain loop, which the passes on loops of products make a pipeline. Before the diagonal it is the loop
// that te.gemm has with the same schedule: the same checks for both.

// RUN: te-toy te-opt %s --pass-pipeline='builtin.module(te-to-tile,cse)' --split-input-file | FileCheck %s --check-prefix=PLAIN
// RUN: te-toy te-opt %s --pass-pipeline='builtin.module(te-to-tile,cse,tile.kernel(tile-stage-operands,tile-split-products,tile-pipeline,tile-ping-pong,tile-interleave,tile-unroll),cse,tile.kernel(tile-count-loads))' --split-input-file | FileCheck %s --check-prefixes=CHECK,TRIL
// RUN: sed s/toy.tril_product/te.gemm/ %s | te-toy te-opt --pass-pipeline='builtin.module(te-to-tile,cse,tile.kernel(tile-stage-operands,tile-split-products,tile-pipeline,tile-ping-pong,tile-interleave,tile-unroll),cse,tile.kernel(tile-count-loads))' --split-input-file | FileCheck %s
// RUN: te-toy te-compile %s --target=gfx950 --emit=tile | FileCheck %s --check-prefixes=LEVEL

// The loop of the whiteboard, up to the diagonal; one of the same kind after it masks A.
// PLAIN-LABEL: tile.kernel @direct_0
// PLAIN: %[[SUM:.*]] = scf.for
// PLAIN-NEXT: arith.muli
// PLAIN-NEXT: %[[A:.*]] = tile.load %{{.*}} {columns_in_bounds, divisible = 64 : i64, in_bounds}
// PLAIN-NEXT: %[[B:.*]] = tile.load
// PLAIN-NEXT: %[[T:.*]] = tile.transpose %[[B]]
// PLAIN-NEXT: %[[L:.*]] = tile.convert_layout %[[A]]
// PLAIN-NEXT: %[[R:.*]] = tile.convert_layout %[[T]]
// PLAIN-NEXT: tile.mma %[[L]], %[[R]]
// PLAIN-NEXT: scf.yield
// PLAIN-NEXT: tile.staging = #tile.staging<slots = 3, direct = true, unroll = true>
// PLAIN: %[[ALL:.*]] = scf.for %{{.*}} = %c0 to %c2 {{.*}} = %[[SUM]])
// PLAIN: %[[A:.*]] = tile.load
// PLAIN: %[[BELOW:.*]] = arith.cmpi sle
// PLAIN: %[[MASKED:.*]] = arith.select %[[BELOW]], %[[A]]
// PLAIN: tile.convert_layout %[[MASKED]]
// PLAIN: tile.mma
// PLAIN: tile.staging = #tile.staging<slots = 3, direct = true>
// PLAIN: arith.truncf %[[ALL]]
// PLAIN: tile.store

// Both operands go straight to LDS, two steps ahead. An iteration is three steps, so that slots have constant places. Of each step
// parts are taken while the part before is multiplied, and waves alternate.
// CHECK-LABEL: tile.kernel @direct_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<3x128x64xbf16
// CHECK: %[[RB:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<3x64x128xbf16
// CHECK: tile.async_copy %{{.*}}, %[[RA]]
// CHECK: tile.async_copy %{{.*}}, %[[RB]]
// CHECK: tile.async_wait for %[[RA]], %[[RB]]
// CHECK: scf.for {{.*}} step %{{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %[[PARTA:[a-z0-9]+]] = %{{[a-z0-9_#]+}}, %[[PARTB:[a-z0-9]+]] =
// CHECK: tile.priority 1
// CHECK: tile.local_load %[[RB]][%c0, %c32
// CHECK: tile.local_load %[[RA]][%c0, %c32
// CHECK: tile.async_copy %{{.*}}, %[[RB]][%c2]
// CHECK: tile.mma %[[PARTA]], %[[PARTB]], %[[SUM]] <"f32_16x16x32_bf16"> in_order {reads = 8 : i64}
// CHECK: tile.priority 3
// CHECK: tile.async_wait for %[[RA]], %[[RB]] :
// CHECK: tile.local_load %[[RB]][%c1, %c0]
// CHECK: tile.local_load %[[RA]][%c1, %c0]
// CHECK: tile.async_copy %{{.*}}, %[[RA]][%c0]
// CHECK-COUNT-5: tile.mma
// CHECK: scf.yield

// What is masked goes through registers, to a ring that has the memory of the loop's before (lds.test); B has the same ring.
// TRIL: tile.async_wait for %[[RA]], %[[RB]]
// TRIL: %[[MASKED:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x128x64xbf16
// TRIL: tile.async_copy %{{.*}}, %[[RB]]
// TRIL: %[[BELOW:.*]] = arith.select {{.*}} : tensor<
// TRIL: tile.local_store %[[BELOW]], %[[MASKED]]
// TRIL: scf.for
// TRIL: tile.local_load %[[MASKED]]
// TRIL: tile.local_store %{{.*}}, %[[MASKED]]
// TRIL: tile.mma
// TRIL: scf.yield
// TRIL: tile.store

// LEVEL: tile.kernel @direct_0
// LEVEL: tile.kernel @stages_0
func.func @direct(%x: tensor<1024x1024xbf16>, %w: tensor<1024x512xbf16>) -> tensor<1024x512xbf16> {
  %d = te.fusion "direct_0" (%a = %x : tensor<1024x1024xbf16>, %b = %w : tensor<1024x512xbf16>) -> (tensor<1024x512xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 128], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 4]>, pipeline = <stages = 3, direct_to_lds = true, ping_pong = true>>} {
    %0 = toy.tril_product %a, %b : tensor<1024x1024xbf16>, tensor<1024x512xbf16> -> tensor<1024x512xbf16>
    te.yield %0 : tensor<1024x512xbf16>
  }
  return %d : tensor<1024x512xbf16>
}

// -----

// Sizes that are not known: through registers, the next step's loads are on their way.
// CHECK-LABEL: tile.kernel @stages_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x32x64xbf16
// CHECK: %[[RB:.*]] = tile.ring
// CHECK: scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %[[RAW:[a-z0-9]+]] =
// CHECK:   %[[SECOND:.*]] = tile.local_load %[[RA]][%c0, %c32
// CHECK:   tile.local_store %[[RAW]], %[[RA]][%c1]
// CHECK:   tile.load
// CHECK:   %[[FIRST:.*]] = tile.mma %{{.*}}, %{{.*}}, %[[SUM]] <"f32_16x16x32_bf16"> in_order {reads = {{[0-9]+}} : i64}
// CHECK:   tile.async_wait
// CHECK:   tile.local_load %[[RA]][%c1, %c0]
// CHECK:   tile.mma %[[SECOND]], %{{.*}}, %[[FIRST]]
// CHECK:   scf.yield
// TRIL: tile.local_store %{{.*}}, %[[RA]]
// TRIL: scf.for {{.*}} = %c0 to %c1
func.func @stages(%x: tensor<?x?xbf16>, %w: tensor<?x48xbf16>) -> tensor<?x48xbf16> {
  %d = te.fusion "stages_0" (%a = %x : tensor<?x?xbf16>, %b = %w : tensor<?x48xbf16>) -> (tensor<?x48xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 32], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2>>} {
    %0 = toy.tril_product %a, %b : tensor<?x?xbf16>, tensor<?x48xbf16> -> tensor<?x48xbf16>
    te.yield %0 : tensor<?x48xbf16>
  }
  return %d : tensor<?x48xbf16>
}
