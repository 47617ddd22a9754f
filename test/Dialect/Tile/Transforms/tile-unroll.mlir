// Loops are unrolled by the slots of their rings, whose places are constants then.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-unroll))' --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tile.kernel @slots
// CHECK: %[[MAIN:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %c0
// CHECK-NOT: arith.remui
// CHECK: arith.constant 2 : index
// CHECK-NOT: arith.remui
// CHECK: arith.constant 0 : index
// CHECK-NOT: arith.remui
// CHECK: arith.constant 1 : index
// CHECK-NOT: arith.remui
// CHECK: scf.yield
// What is left of the iterations.
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[MAIN]])
// CHECK: arith.remui %{{.*}}, %c3
// CHECK-NOT: tile.unroll
tile.kernel @slots(%n: index, %out: memref<index>) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
    %ahead = arith.muli %c1, %c2 : index
    %j = arith.addi %i, %ahead : index
    %slot = arith.remui %j, %c3 : index
    %y = arith.addi %x, %slot : index
    scf.yield %y : index
  } {tile.unroll = 3}
  memref.store %all, %out[] : memref<index>
}

// -----

tile.kernel @start(%n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{tile-unroll: the loop does not run from 0 on by 1; leave tile.unroll out}}
  scf.for %i = %c1 to %n step %c1 {
    gpu.barrier
  } {tile.unroll = 3}
}

// -----

tile.kernel @copies(%n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{tile.unroll = 0 : i64 is no number of copies; give 1 or more}}
  scf.for %i = %c0 to %n step %c1 {
    gpu.barrier
  } {tile.unroll = 0}
}

// -----

// In a loop over tiles that are stored among the products of the next one, the last iterations stand after the loop: of eleven a
// third at the most, and of 64 matrix instructions each not more than four; pairs, as the loop's. All of them, where they are few.
#k = #tile.layout<shape = [32, 1024], register = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [0, 512]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#sum = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
!x = tensor<32x1024xbf16, #k>
!s = tensor<32x32xf32, #sum>
// CHECK-LABEL: tile.kernel @tiles
// CHECK: scf.for
// CHECK:   scf.for
// CHECK-COUNT-2: tile.mma
// CHECK:     scf.yield
// CHECK-COUNT-3: tile.mma
// CHECK-NOT: tile.mma
// CHECK:   tile.priority 1
// CHECK-NOT: scf.for
// CHECK-COUNT-4: tile.mma
// CHECK-NOT: tile.mma
// CHECK: tile.delay
tile.kernel @tiles(%n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c11 = arith.constant 11 : index
  %x = arith.constant dense<1.0> : !x
  %zero = arith.constant dense<0.0> : !s
  scf.for %t = %c0 to %n step %c1 {
    %many = scf.for %i = %c0 to %c11 step %c1 iter_args(%s = %zero) -> (!s) {
      %next = tile.mma %x, %x, %s <"f32_32x32x16_bf16"> : !x, !x -> !s
      scf.yield %next : !s
    } {tile.unroll = 2}
    tile.priority 1
    %few = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %many) -> (!s) {
      %next = tile.mma %x, %x, %s <"f32_32x32x16_bf16"> : !x, !x -> !s
      scf.yield %next : !s
    } {tile.unroll = 2}
  } {tile.delay}
}
