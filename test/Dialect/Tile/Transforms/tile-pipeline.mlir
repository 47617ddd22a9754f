// An iteration loads what later ones multiply, and its products do not wait for its vector work.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-pipeline))' --split-input-file --verify-diagnostics | FileCheck %s

#k = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#v = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0]], wave = []>
#operand = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#sum = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<32x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!kring = memref<2x32x16xbf16, #gpu.address_space<workgroup>>
!vring = memref<2x32x32xbf16, #gpu.address_space<workgroup>>

// The first product needs nothing that the loop carries: it is one iteration before the exponential, and what it takes
// is fetched one more in front. What goes through registers is put one iteration before its take, and loaded two. After the
// last iterations the first rows are read again.
// CHECK-LABEL: tile.kernel @chain
// CHECK: tile.async_copy %{{.*}}[%{{.*}}, %{{.*}}], %[[K:.*]][%{{.*}}] : memref<32x1024
// CHECK: tile.async_wait for %[[K]] :
// CHECK: tile.async_copy %{{.*}}, %[[K]]
// CHECK: tile.mma
// CHECK-NOT: math.exp2
// CHECK: scf.for %[[I:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[ACC:[a-z0-9]+]] = %{{.*}}, %{{.*}} = %{{.*}}, %[[S:[a-z0-9]+]] = %
// CHECK: math.exp2
// CHECK: %[[P:.*]] = arith.truncf
// CHECK: tile.async_wait for %[[K]] : memref<2x32x16xbf16, #gpu.address_space<workgroup>>
// CHECK: arith.select
// CHECK: tile.async_copy %{{.*}}, %[[K]]
// CHECK: tile.load
// CHECK: tile.local_store %{{.*}}, %[[V:.*]][
// CHECK-NOT: tile.async_wait
// CHECK-NOT: gpu.barrier
// CHECK-DAG: tile.local_load %[[K]]
// CHECK-DAG: tile.mma %{{.*}}, %{{.*}}, %cst
// CHECK-DAG: tile.local_load %[[V]]
// CHECK-DAG: tile.mma %[[P]], %{{.*}}, %[[ACC]]
// CHECK: }
// CHECK-NOT: tile.staging
tile.kernel @chain(%a: !global, %b: !global, %c: memref<f32, #gpu.address_space<global>>, %n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %kring = tile.ring from #k to #operand : !kring
  %vring = tile.ring from #v to #sum : !vring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #sum>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %bv = memref.reinterpret_cast %b to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %q = tile.load %av[%c0, %c0] : !view -> tensor<32x16xbf16, #operand>
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #sum>) {
    %slot = arith.remui %i, %c2 : index
    %at = arith.muli %i, %c32 : index
    tile.async_copy %av[%at, %c0], %kring[%slot] : !view, !kring
    tile.async_wait for %kring : !kring
    %x = tile.local_load %kring[%slot, %c0] : !kring -> tensor<32x16xbf16, #operand>
    %s = tile.mma %q, %x, %zero <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    %e = math.exp2 %s : tensor<32x32xf32, #sum>
    %p = arith.truncf %e : tensor<32x32xf32, #sum> to tensor<32x32xbf16, #sum>
    %raw = tile.load %bv[%at, %c0] : !view -> tensor<32x32xbf16, #v>
    tile.local_store %raw, %vring[%slot] : tensor<32x32xbf16, #v>, !vring
    tile.async_wait
    %y = tile.local_load %vring[%slot, %c0] : !vring -> tensor<32x32xbf16, #sum>
    %o = tile.mma %p, %y, %acc <"f32_32x32x16_bf16"> : tensor<32x32xbf16, #sum>, tensor<32x32xbf16, #sum> -> tensor<32x32xf32, #sum>
    scf.yield %o : tensor<32x32xf32, #sum>
  } {tile.staging = #tile.staging<slots = 2, direct = true>}
  %cv = memref.reinterpret_cast %c to offset: [0], sizes: [32, 32], strides: [32, 1] : memref<f32, #gpu.address_space<global>> to memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
  tile.store %all, %cv[%c0, %c0] : tensor<32x32xf32, #sum>, memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
}

// -----

#k = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<32x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!kring = memref<2x32x16xbf16, #gpu.address_space<workgroup>>

tile.kernel @passes(%a: !global, %n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %kring = tile.ring from #k to #k : !kring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xbf16, #k>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  // expected-error @+1 {{tile-pipeline: the loop's stages do not overlap: a value that it carries is not computed in it}}
  %all:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero, %y = %zero) -> (tensor<32x16xbf16, #k>, tensor<32x16xbf16, #k>) {
    tile.async_copy %av[%i, %c0], %kring[%c0] : !view, !kring
    tile.async_wait for %kring : !kring
    %t = tile.local_load %kring[%c0, %c0] : !kring -> tensor<32x16xbf16, #k>
    scf.yield %y, %t : tensor<32x16xbf16, #k>, tensor<32x16xbf16, #k>
  } {tile.staging = #tile.staging<slots = 2, direct = true>}
  tile.store %all#0, %av[%c0, %c0] : tensor<32x16xbf16, #k>, !view
}

// -----

// Products that all add to what the loop carries: two tiles of a ring an iteration, each taken next to the product before.
#sum = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#k = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#taken = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<32x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!ring = memref<3x32x16xbf16, #gpu.address_space<workgroup>>
!x = tensor<32x16xbf16, #taken>
!s = tensor<32x32xf32, #sum>

// CHECK-LABEL: tile.kernel @tiles
// CHECK: tile.async_copy
// CHECK: tile.async_copy
// CHECK-NOT: tile.async_copy
// CHECK: tile.async_wait for %{{.*}} {pending = array<i64: 1>}
// CHECK: %[[FIRST:.*]] = tile.local_load
// CHECK: tile.async_copy
// CHECK: scf.for {{.*}} to %c6{{.*}} iter_args(%[[ACC:[a-z0-9]+]] = %{{.*}}, %[[HELD:[a-z0-9]+]] = %[[FIRST]])
// CHECK:   tile.async_wait for %{{.*}} {pending = array<i64: 1>}
// CHECK:   %[[SECOND:.*]] = tile.local_load
// CHECK:   tile.async_copy
// CHECK:   %[[SUM:.*]] = tile.mma %[[HELD]], %[[HELD]], %[[ACC]]
// CHECK:   tile.async_wait for %{{.*}} {pending = array<i64: 1>}
// CHECK:   %[[NEXT:.*]] = tile.local_load
// CHECK:   tile.async_copy
// CHECK:   %[[ALL:.*]] = tile.mma %[[SECOND]], %[[SECOND]], %[[SUM]]
// CHECK:   scf.yield %[[ALL]], %[[NEXT]]
// After the loop two iterations are left, of which one tile has not been asked for.
// CHECK: tile.async_copy
// CHECK-NOT: tile.async_copy
// CHECK-COUNT-3: tile.mma
// CHECK-NOT: tile.async_wait
// CHECK: tile.mma
// CHECK-NOT: tile.mma
// CHECK: tile.store
tile.kernel @tiles(%a: !global, %c: memref<f32, #gpu.address_space<global>>) attributes {target = "gfx950", waves = 1 : i64} {
  %ring = tile.ring from #k to #taken : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !s
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %all = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (!s) {
    %n = arith.muli %i, %c2 : index
    %m = arith.addi %n, %c1 : index
    %slot = arith.remui %n, %c3 : index
    %other = arith.remui %m, %c3 : index
    %col = arith.muli %n, %c16 : index
    %next = arith.muli %m, %c16 : index
    tile.async_copy %av[%c0, %col], %ring[%slot] : !view, !ring
    tile.async_wait for %ring : !ring
    %x = tile.local_load %ring[%slot, %c0] : !ring -> !x
    %s = tile.mma %x, %x, %acc <"f32_32x32x16_bf16"> : !x, !x -> !s
    tile.async_copy %av[%c0, %next], %ring[%other] : !view, !ring
    tile.async_wait for %ring : !ring
    %y = tile.local_load %ring[%other, %c0] : !ring -> !x
    %t = tile.mma %y, %y, %s <"f32_32x32x16_bf16"> : !x, !x -> !s
    scf.yield %t : !s
  } {tile.staging = #tile.staging<slots = 3, direct = true>}
  %cv = memref.reinterpret_cast %c to offset: [0], sizes: [32, 32], strides: [32, 1] : memref<f32, #gpu.address_space<global>> to memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
  tile.store %all, %cv[%c0, %c0] : !s, memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
}

// -----

#sum = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
#k = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#taken = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<32x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!ring = memref<2x32x16xbf16, #gpu.address_space<workgroup>>

tile.kernel @elsewhere(%a: !global, %n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %ring = tile.ring from #k to #taken : !ring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #sum>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #sum>) {
    // expected-error @+1 {{'tile.async_copy' op tile-pipeline: no product of this iteration localLoads from this slot; localLoad from it by the same value}}
    tile.async_copy %av[%i, %c0], %ring[%c0] : !view, !ring
    tile.async_wait for %ring : !ring
    %x = tile.local_load %ring[%c1, %c0] : !ring -> tensor<32x16xbf16, #taken>
    %s = tile.mma %x, %x, %acc <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #taken>, tensor<32x16xbf16, #taken> -> tensor<32x32xf32, #sum>
    scf.yield %s : tensor<32x32xf32, #sum>
  } {tile.staging = #tile.staging<slots = 2, direct = true>}
}
