// What each iteration of a loop reads again is read once before it, unless the kernel writes the buffer.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-hoist-loads))' | FileCheck %s

#tile = #tile.layout<shape = [1, 8], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0], [0, 0]], wave = []>
!global = memref<f32, #gpu.address_space<global>>
!row = memref<1x8xf32, strided<[8, 1]>, #gpu.address_space<global>>

// The address goes along, what is computed from the tile does not; the loop's own tile stays.
// CHECK-LABEL: tile.kernel @reads(%arg0:
// CHECK: %[[VIEW:.*]] = memref.reinterpret_cast %arg1
// CHECK: %[[GAMMA:.*]] = tile.load %[[VIEW]]
// CHECK: %[[SCALE:.*]] = memref.load %arg3
// CHECK: scf.for
// CHECK: memref.reinterpret_cast %arg0
// CHECK: tile.load
// CHECK: arith.addf %[[GAMMA]], %[[GAMMA]]
// CHECK: tensor.splat %[[SCALE]]
tile.kernel @reads(%x: !global, %g: !global, %y: !global, %s: !global, %n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %from = memref.reinterpret_cast %x to offset: [%i], sizes: [1, 8], strides: [8, 1] : !global to memref<1x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<global>>
    %a = tile.load %from[%c0, %c0] : memref<1x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<global>> -> tensor<1x8xf32, #tile>
    %view = memref.reinterpret_cast %g to offset: [0], sizes: [1, 8], strides: [8, 1] : !global to !row
    %b = tile.load %view[%c0, %c0] : !row -> tensor<1x8xf32, #tile>
    %twice = arith.addf %b, %b : tensor<1x8xf32, #tile>
    %scale = memref.load %s[] : !global
    %splat = tensor.splat %scale : tensor<1x8xf32, #tile>
    %sum = arith.addf %a, %twice : tensor<1x8xf32, #tile>
    %scaled = arith.mulf %sum, %splat : tensor<1x8xf32, #tile>
    %to = memref.reinterpret_cast %y to offset: [%i], sizes: [1, 8], strides: [8, 1] : !global to memref<1x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<global>>
    tile.store %scaled, %to[%c0, %c0] : tensor<1x8xf32, #tile>, memref<1x8xf32, strided<[8, 1], offset: ?>, #gpu.address_space<global>>
  }
}

// Written: each iteration may read something else.
// CHECK-LABEL: tile.kernel @writes(
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.store
tile.kernel @writes(%x: !global, %n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %view = memref.reinterpret_cast %x to offset: [0], sizes: [1, 8], strides: [8, 1] : !global to !row
    %a = tile.load %view[%c0, %c0] : !row -> tensor<1x8xf32, #tile>
    %b = arith.addf %a, %a : tensor<1x8xf32, #tile>
    tile.store %b, %view[%c0, %c0] : tensor<1x8xf32, #tile>, !row
  }
}
