// In marked loops the next iteration's tiles are read while this one's are computed with.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-prefetch-loads))' | FileCheck %s

#tile = #tile.layout<shape = [1, 8], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], wave = []>
!global = memref<f32, #gpu.address_space<global>>
!row = memref<1x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<global>>

// The first tile is read before the loop, others inside the bounds only; what the loop carried it carries still.
// CHECK-LABEL: tile.kernel @sums(%arg0:
// CHECK: %[[FIRST:.*]] = memref.reinterpret_cast %arg0 to offset: [%c0]
// CHECK: %[[X0:.*]] = tile.load %[[FIRST]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[N:.*]] step %c1 iter_args(%[[SUM:.*]] = %{{.*}}, %[[X:.*]] = %[[X0]])
// CHECK: %[[J:.*]] = arith.addi %[[I]], %c1
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[J]], %[[N]]
// CHECK: %[[NEXT:.*]] = scf.if %[[MORE]]
// CHECK: memref.reinterpret_cast %arg0 to offset: [%[[J]]]
// CHECK: %[[LOADED:.*]] = tile.load
// CHECK: scf.yield %[[LOADED]]
// CHECK: } else {
// CHECK: scf.yield %[[X]]
// CHECK-NOT: tile.load
// CHECK: %[[ADDED:.*]] = arith.addf %[[SUM]], %[[X]]
// CHECK: scf.yield %[[ADDED]], %[[NEXT]]
// CHECK-NEXT: }
// CHECK-NOT: tile.prefetch
tile.kernel @sums(%x: !global, %y: !global, %n: index) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<1x8xf32, #tile>
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<1x8xf32, #tile>) {
    %from = memref.reinterpret_cast %x to offset: [%i], sizes: [1, 8], strides: [8, 1] : !global to !row
    %a = tile.load %from[%c0, %c0] : !row -> tensor<1x8xf32, #tile>
    %b = arith.addf %sum, %a : tensor<1x8xf32, #tile>
    scf.yield %b : tensor<1x8xf32, #tile>
  } {tile.prefetch}
  %to = memref.reinterpret_cast %y to offset: [%c0], sizes: [1, 8], strides: [8, 1] : !global to !row
  tile.store %all, %to[%c0, %c0] : tensor<1x8xf32, #tile>, !row
}

// Not what the kernel writes too, nor what an earlier read or the last iteration says the place of; nor in loops that are
// not marked.
// CHECK-LABEL: tile.kernel @stays(
// CHECK: scf.for {{.*}} {
// CHECK: tile.load
// CHECK: tile.store
// CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = %c0) -> (index) {
// CHECK: tile.load
// CHECK: scf.for
// CHECK: tile.load
// CHECK-NOT: scf.if
tile.kernel @stays(%x: !global, %y: !global, %p: memref<index, #gpu.address_space<global>>, %n: index) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.reinterpret_cast %x to offset: [%i], sizes: [1, 8], strides: [8, 1] : !global to !row
    %a = tile.load %from[%c0, %c0] : !row -> tensor<1x8xf32, #tile>
    tile.store %a, %from[%c0, %c0] : tensor<1x8xf32, #tile>, !row
  } {tile.prefetch}
  scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
    %from = memref.reinterpret_cast %y to offset: [%at], sizes: [1, 8], strides: [8, 1] : !global to !row
    %a = tile.load %from[%c0, %c0] : !row -> tensor<1x8xf32, #tile>
    %to = memref.reinterpret_cast %x to offset: [%i], sizes: [1, 8], strides: [8, 1] : !global to !row
    tile.store %a, %to[%c0, %c0] : tensor<1x8xf32, #tile>, !row
    %next = memref.load %p[] : memref<index, #gpu.address_space<global>>
    scf.yield %next : index
  } {tile.prefetch}
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.reinterpret_cast %y to offset: [%i], sizes: [1, 8], strides: [8, 1] : !global to !row
    %a = tile.load %from[%c0, %c0] : !row -> tensor<1x8xf32, #tile>
    %to = memref.reinterpret_cast %x to offset: [%i], sizes: [1, 8], strides: [8, 1] : !global to !row
    tile.store %a, %to[%c0, %c0] : tensor<1x8xf32, #tile>, !row
  }
}
