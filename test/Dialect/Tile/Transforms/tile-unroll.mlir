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
