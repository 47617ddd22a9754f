// Half of the waves multiply while the others compute with vectors.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-ping-pong))' --split-input-file --verify-diagnostics | FileCheck %s

#k = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0], [0, 0], [0, 0]]>
#operand = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#a = #tile.layout<shape = [256, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0], [64, 0], [128, 0]]>
#sum = #tile.layout<shape = [256, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<256x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!kring = memref<2x32x16xbf16, #gpu.address_space<workgroup>>

// CHECK-LABEL: tile.kernel @exponentials
// CHECK: tile.barrier half 1
// CHECK-NEXT: scf.for
// What products read has come for both halves when the first one reads it, after the second barrier.
// CHECK-NEXT: tile.async_wait for %[[RING:.*]] :
// CHECK: math.exp2
// CHECK: tile.barrier{{$}}
// CHECK-NEXT: tile.priority 1
// CHECK: tile.async_copy
// CHECK: tile.local_load
// CHECK: tile.mma
// CHECK-NEXT: tile.priority 0
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier half 0
// CHECK-NOT: tile.ping_pong
tile.kernel @exponentials(%a: !global, %c: memref<f32, #gpu.address_space<global>>, %n: index) attributes {target = "gfx950", waves = 8 : i64} {
  %ring = tile.ring from #k to #operand : !kring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<256x32xf32, #sum>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [256, 1024], strides: [1024, 1] : !global to !view
  %q = tile.load %av[%c0, %c0] : !view -> tensor<256x16xbf16, #a>
  %all:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %before = %zero) -> (tensor<256x32xf32, #sum>, tensor<256x32xf32, #sum>) {
    %e = math.exp2 %before : tensor<256x32xf32, #sum>
    %next = arith.addf %sum, %e : tensor<256x32xf32, #sum>
    %slot = arith.remui %i, %c2 : index
    tile.async_wait for %ring : !kring
    tile.async_copy %av[%i, %c0], %ring[%slot] : !view, !kring
    %x = tile.local_load %ring[%slot, %c0] : !kring -> tensor<32x16xbf16, #operand>
    %s = tile.mma %q, %x, %zero <"f32_32x32x16_bf16"> : tensor<256x16xbf16, #a>, tensor<32x16xbf16, #operand> -> tensor<256x32xf32, #sum>
    scf.yield %next, %s : tensor<256x32xf32, #sum>, tensor<256x32xf32, #sum>
  } {tile.ping_pong}
  %cv = memref.reinterpret_cast %c to offset: [0], sizes: [256, 32], strides: [32, 1] : memref<f32, #gpu.address_space<global>> to memref<256x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
  tile.store %all#0, %cv[%c0, %c0] : tensor<256x32xf32, #sum>, memref<256x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
}

// -----

tile.kernel @none(%n: index) attributes {target = "gfx950", waves = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{tile-ping-pong: the loop has no products after a barrier; pipeline it first (tile-pipeline)}}
  scf.for %i = %c0 to %n step %c1 {
    gpu.barrier
  } {tile.ping_pong}
}

// -----

tile.kernel @two(%n: index) attributes {target = "gfx950", waves = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{tile-ping-pong: the loop has two barriers; one has to do for both halves of the waves}}
  scf.for %i = %c0 to %n step %c1 {
    gpu.barrier
    gpu.barrier
  } {tile.ping_pong}
}

// -----

#k = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], wave = [[16, 0], [0, 0], [0, 0]]>
#operand = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#a = #tile.layout<shape = [256, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[32, 0], [64, 0], [128, 0]]>
#sum = #tile.layout<shape = [256, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = [[32, 0], [64, 0], [128, 0]]>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<256x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!kring = memref<2x32x16xbf16, #gpu.address_space<workgroup>>

// The barrier moves to the loop's front, and what is put after it would not be waited for.
tile.kernel @put(%a: !global, %n: index) attributes {target = "gfx950", waves = 8 : i64} {
  %ring = tile.ring from #k to #operand : !kring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<256x32xf32, #sum>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [256, 1024], strides: [1024, 1] : !global to !view
  %q = tile.load %av[%c0, %c0] : !view -> tensor<256x16xbf16, #a>
  // expected-error @+1 {{tile-ping-pong: what is localStore before the loop's barrier is read after it; leave tile.ping_pong out}}
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<256x32xf32, #sum>) {
    %slot = arith.remui %i, %c2 : index
    %t = tile.load %av[%i, %c0] : !view -> tensor<32x16xbf16, #k>
    tile.local_store %t, %ring[%slot] : tensor<32x16xbf16, #k>, !kring
    tile.async_wait
    %x = tile.local_load %ring[%slot, %c0] : !kring -> tensor<32x16xbf16, #operand>
    %s = tile.mma %q, %x, %sum <"f32_32x32x16_bf16"> : tensor<256x16xbf16, #a>, tensor<32x16xbf16, #operand> -> tensor<256x32xf32, #sum>
    scf.yield %s : tensor<256x32xf32, #sum>
  } {tile.ping_pong}
}
