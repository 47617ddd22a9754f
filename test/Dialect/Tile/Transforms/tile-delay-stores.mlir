// In marked loops a tile is stored in parts, one before each of the next one's products.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-delay-stores))' | FileCheck %s

#put = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#sum = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#long = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], wave = []>
#row = #tile.layout<shape = [1, 16], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 0], [0, 0]], wave = []>
!part = tensor<16x32xbf16, #take>
!sum = tensor<16x16xf32, #sum>
!ring = memref<2x16x64xbf16, #gpu.address_space<workgroup>>
!in = memref<64x64xbf16, strided<[64, 1]>, #gpu.address_space<global>>
!out = memref<63x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
!own = memref<64x16xf32, strided<[16, 1], offset: ?>, #gpu.address_space<global>>
!bf16 = memref<bf16, #gpu.address_space<global>>
!f32 = memref<f32, #gpu.address_space<global>>

// What the first tile finds lies after the last row. Of two accesses each product has one. 
// CHECK-LABEL: tile.kernel @stores(
// CHECK-DAG: %[[NONE:.*]] = arith.constant dense<0.000000e+00> : tensor<16x32xf32,
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 63 : index
// CHECK: %[[LAST:.*]]:3 = scf.for {{.*}} iter_args(%[[TILE:.*]] = %[[NONE]], %[[ROW:.*]] = %[[ROWS]], %[[COL:.*]] = %{{.*}}) -> (tensor<16x32xf32, #{{.*}}>, index, index) {
// CHECK: tile.async_copy
// CHECK-NEXT: tile.async_wait for %{{.*}} : memref<2x16x64xbf16, #gpu.address_space<workgroup>>{{$}}
// CHECK: tile.store %[[TILE]], %[[VIEW:.*]][%[[ROW]], %[[COL]]] {columns_in_bounds, divisible = 32 : i64, slices = 2 : i64}
// CHECK-NEXT: %[[S:.*]] = tile.mma
// CHECK-NEXT: tile.async_wait
// CHECK-NEXT: tile.store %[[TILE]], %[[VIEW]][%[[ROW]], %[[COL]]] {columns_in_bounds, divisible = 32 : i64, slice = 1 : i64, slices = 2 : i64}
// CHECK-NEXT: tile.mma {{.*}}, %[[S]]
// CHECK: %[[D:.*]] = tile.load
// CHECK-NOT: tile.store
// CHECK: scf.yield %[[D]], %[[I:.*]], %{{.*}} :
// CHECK: tile.store %[[LAST]]#0, %[[VIEW]][%[[LAST]]#1, %[[LAST]]#2] {columns_in_bounds, divisible = 32 : i64} :
// CHECK-NOT: tile.delay
tile.kernel @stores(%px: !bf16, %py: !f32, %pz: !f32) attributes {target = "gfx950", waves = 1 : i64} {
  %x = memref.reinterpret_cast %px to offset: [0], sizes: [64, 64], strides: [64, 1] : !bf16 to !in
  %y = memref.reinterpret_cast %py to offset: [0], sizes: [63, 32], strides: [32, 1] : !f32 to !out
  %z = memref.reinterpret_cast %pz to offset: [0], sizes: [63, 32], strides: [32, 1] : !f32 to !out
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !sum
  scf.for %i = %c0 to %c64 step %c16 {
    %ring = tile.ring from #put to #take : !ring
    tile.async_copy %x[%i, %c0], %ring[%c0] {in_bounds} : !in, !ring
    tile.async_wait for %ring : !ring
    %a = tile.local_load %ring[%c0, %c0] : !ring -> !part
    %s = tile.mma %a, %a, %zero <"f32_16x16x32_bf16"> : !part, !part -> !sum
    tile.async_wait for %ring : !ring
    %t = tile.mma %a, %a, %s <"f32_16x16x32_bf16"> : !part, !part -> !sum
    %d = tile.load %z[%i, %c0] {columns_in_bounds, divisible = 32 : i64, in_bounds} : !out -> tensor<16x32xf32, #long>
    tile.store %d, %y[%i, %c0] {columns_in_bounds, divisible = 32 : i64, in_bounds} : tensor<16x32xf32, #long>, !out
  } {tile.delay}
}

// Where it was: what is masked, or kept by several lanes, or goes to a place of its own in each iteration; all of a loop
// whose products stand in another one, or that is not marked.
// CHECK-LABEL: tile.kernel @stays(
// CHECK: scf.for %{{.*}} = {{[^(]*}} {
// CHECK: tile.mma
// CHECK: tile.store
// CHECK: tile.store
// CHECK: tile.store
// CHECK: scf.for %{{.*}} = {{[^(]*}} {
// CHECK: tile.mma
// CHECK: tile.store
// CHECK: scf.for %{{.*}} = {{[^(]*}} {
// CHECK: tile.mma
// CHECK: tile.store
tile.kernel @stays(%py: !f32, %z: !f32) attributes {target = "gfx950", waves = 1 : i64} {
  %y = memref.reinterpret_cast %py to offset: [0], sizes: [63, 32], strides: [32, 1] : !f32 to !out
  %x = arith.constant dense<1.0> : !part
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !sum
  %line = arith.constant dense<0.0> : tensor<1x16xf32, #row>
  scf.for %i = %c0 to %c64 step %c16 {
    %s = tile.mma %x, %x, %zero <"f32_16x16x32_bf16"> : !part, !part -> !sum
    tile.store %s, %y[%i, %c0] {divisible = 16 : i64} : !sum, !out
    tile.store %line, %y[%i, %c0] {columns_in_bounds, divisible = 16 : i64} : tensor<1x16xf32, #row>, !out
    %own = memref.reinterpret_cast %z to offset: [%i], sizes: [64, 16], strides: [16, 1] : !f32 to !own
    tile.store %s, %own[%c0, %c0] {columns_in_bounds, divisible = 16 : i64} : !sum, !own
  } {tile.delay}
  scf.for %i = %c0 to %c64 step %c16 {
    %s = scf.for %k = %c0 to %c16 step %c1 iter_args(%held = %zero) -> (!sum) {
      %t = tile.mma %x, %x, %held <"f32_16x16x32_bf16"> : !part, !part -> !sum
      scf.yield %t : !sum
    }
    tile.store %s, %y[%i, %c0] {columns_in_bounds, divisible = 16 : i64} : !sum, !out
  } {tile.delay}
  scf.for %i = %c0 to %c64 step %c16 {
    %s = tile.mma %x, %x, %zero <"f32_16x16x32_bf16"> : !part, !part -> !sum
    tile.store %s, %y[%i, %c0] {columns_in_bounds, divisible = 16 : i64} : !sum, !out
  }
}
