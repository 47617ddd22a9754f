// Waits let what was asked for later pass: what stands after the last tile that they need.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-count-loads))' | FileCheck %s

#put = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#l = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
!ring = memref<3x16x64xbf16, #gpu.address_space<workgroup>>
!in = memref<64x64xbf16, strided<[64, 1]>, #gpu.address_space<global>>
!out = memref<64x64xf32, strided<[64, 1]>, #gpu.address_space<global>>
!tile = tensor<16x16xf32, #l>
!bf16 = memref<bf16, #gpu.address_space<global>>
!f32 = memref<f32, #gpu.address_space<global>>

// In order after a fence: a load of one instruction and a store of four. What stands next to the fetch or the wait may be issued on its
// other side.
// CHECK-LABEL: tile.kernel @straight
// CHECK: tile.async_wait for %{{.*}} {outstanding = 5 : i64}
// CHECK: tile.async_wait for %{{[a-z0-9]*}} : {{[^{}]*}}{{$}}
tile.kernel @straight(%px: !bf16, %py: !f32, %pz: !f32) attributes {target = "gfx950", waves = 1 : i64} {
  %x = memref.reinterpret_cast %px to offset: [0], sizes: [64, 64], strides: [64, 1] : !bf16 to !in
  %y = memref.reinterpret_cast %py to offset: [0], sizes: [64, 64], strides: [64, 1] : !f32 to !out
  %z = memref.reinterpret_cast %pz to offset: [0], sizes: [64, 64], strides: [64, 1] : !f32 to !out
  %c0 = arith.constant 0 : index
  %ring = tile.ring from #put to #put : !ring
  tile.async_copy %x[%c0, %c0], %ring[%c0] {in_bounds} : !in, !ring
  %beside = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> !tile
  tile.fence
  %between = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> !tile
  tile.store %between, %z[%c0, %c0] {columns_in_bounds, in_bounds} : !tile, !out
  tile.fence
  tile.store %beside, %z[%c0, %c0] {columns_in_bounds, in_bounds} : !tile, !out
  tile.async_wait for %ring : !ring
  tile.async_copy %x[%c0, %c0], %ring[%c0] {in_bounds} : !in, !ring
  %late = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> !tile
  tile.async_wait for %ring : !ring
  tile.store %late, %z[%c0, %c0] {columns_in_bounds, in_bounds} : !tile, !out
}

// A tile that may be on its way is two instructions. Of the ways to an op the one with fewest counts: the first iteration finds nothing after the fetch before the loop. A
// load that nothing needs is none.
// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: tile.async_wait for %{{.*}} {outstanding = 2 : i64, pending = array<i64: 1>}
// CHECK: tile.async_wait for %{{.*}} {outstanding = 6 : i64, pending = array<i64: 1>}
// CHECK: tile.load
tile.kernel @loop(%n: index, %px: !bf16, %py: !f32, %pz: !f32) attributes {target = "gfx950", waves = 1 : i64} {
  %x = memref.reinterpret_cast %px to offset: [0], sizes: [64, 64], strides: [64, 1] : !bf16 to !in
  %y = memref.reinterpret_cast %py to offset: [0], sizes: [64, 64], strides: [64, 1] : !f32 to !out
  %z = memref.reinterpret_cast %pz to offset: [0], sizes: [64, 64], strides: [64, 1] : !f32 to !out
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring from #put to #put : !ring
  tile.async_copy %x[%c0, %c0], %ring[%c0] {in_bounds} : !in, !ring
  tile.async_copy %x[%c0, %c0], %ring[%c1] {in_bounds} : !in, !ring
  %once = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> !tile
  scf.for %i = %c0 to %n step %c1 {
    %dead = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> !tile
    tile.fence
    tile.async_wait for %ring : !ring {pending = array<i64: 1>}
    tile.async_copy %x[%i, %c0], %ring[%c0] {in_bounds} : !in, !ring
    tile.fence
    tile.store %once, %z[%c0, %c0] {columns_in_bounds, in_bounds} : !tile, !out
    tile.fence
    tile.async_wait for %ring : !ring {pending = array<i64: 1>}
    tile.async_copy %x[%i, %c0], %ring[%c0] {in_bounds} : !in, !ring
    tile.fence
    %load = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> !tile
    tile.fence
    tile.store %load, %z[%c0, %c0] {columns_in_bounds, in_bounds} : !tile, !out
  }
}

// Tiles of two rings that do not come alternately: the last one that is awaited stands after a tile that might be on its way, and
// after it there is one tile of two instructions. Tiles of a ring that is not awaited are on their way too.
// CHECK-LABEL: tile.kernel @rings
// CHECK: tile.async_wait for %{{[a-z0-9]*}}, %{{.*}} {outstanding = 2 : i64, pending = array<i64: 0, 2>}
// CHECK: tile.async_wait for %{{[a-z0-9]*}} : {{.*}} {outstanding = 2 : i64, pending = array<i64: 0>}
tile.kernel @rings(%px: !bf16) attributes {target = "gfx950", waves = 1 : i64} {
  %x = memref.reinterpret_cast %px to offset: [0], sizes: [64, 64], strides: [64, 1] : !bf16 to !in
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = tile.ring from #put to #put : !ring
  %b = tile.ring from #put to #put : !ring
  tile.async_copy %x[%c0, %c0], %b[%c0] {in_bounds} : !in, !ring
  tile.async_copy %x[%c0, %c0], %b[%c1] {in_bounds} : !in, !ring
  tile.async_copy %x[%c0, %c0], %a[%c0] {in_bounds} : !in, !ring
  tile.async_copy %x[%c0, %c0], %b[%c2] {in_bounds} : !in, !ring
  tile.async_wait for %a, %b : !ring, !ring {pending = array<i64: 0, 2>}
  tile.async_copy %x[%c0, %c0], %a[%c1] {in_bounds} : !in, !ring
  tile.async_wait for %b : !ring {pending = array<i64: 0>}
}

// Iterations whose number is known have all been; of a branch nothing is known.
// CHECK-LABEL: tile.kernel @iterations
// CHECK: tile.async_wait for %{{.*}} {outstanding = 6 : i64, pending = array<i64: 3>}
// CHECK: tile.async_wait for %{{.*}} {outstanding = 8 : i64, pending = array<i64: 7>}
// CHECK: scf.if
// CHECK: tile.async_wait for %{{[a-z0-9]*}} : {{[^{}]*}} {pending = array<i64: 1>}
tile.kernel @iterations(%n: index, %px: !bf16) attributes {target = "gfx950", waves = 1 : i64} {
  %x = memref.reinterpret_cast %px to offset: [0], sizes: [64, 64], strides: [64, 1] : !bf16 to !in
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %is = arith.cmpi ult, %n, %c4 : index
  %ring = tile.ring from #put to #put : !ring
  scf.for %i = %c0 to %c4 step %c1 {
    tile.async_copy %x[%i, %c0], %ring[%c0] {in_bounds} : !in, !ring
  }
  tile.async_wait for %ring : !ring {pending = array<i64: 3>}
  tile.async_wait for %ring : !ring {pending = array<i64: 7>}
  scf.if %is {
    tile.async_copy %x[%c0, %c0], %ring[%c0] {in_bounds} : !in, !ring
  }
  tile.async_wait for %ring : !ring {pending = array<i64: 1>}
}

// What all lanes read alike comes by a scalar load, which no wait counts.
#one = #tile.layout<shape = [1, 1], register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = []>
// CHECK-LABEL: tile.kernel @scalar
// CHECK: tile.async_wait for %{{.*}} {outstanding = 1 : i64}
tile.kernel @scalar(%px: !bf16, %py: !f32, %pz: !f32) attributes {target = "gfx950", waves = 1 : i64} {
  %x = memref.reinterpret_cast %px to offset: [0], sizes: [64, 64], strides: [64, 1] : !bf16 to !in
  %y = memref.reinterpret_cast %py to offset: [0], sizes: [64, 64], strides: [64, 1] : !f32 to !out
  %z = memref.reinterpret_cast %pz to offset: [0], sizes: [64, 64], strides: [64, 1] : !f32 to !out
  %c0 = arith.constant 0 : index
  %ring = tile.ring from #put to #put : !ring
  tile.async_copy %x[%c0, %c0], %ring[%c0] {in_bounds} : !in, !ring
  tile.fence
  %scale = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> tensor<1x1xf32, #one>
  %tile = tile.load %y[%c0, %c0] {columns_in_bounds, in_bounds} : !out -> !tile
  tile.fence
  tile.store %tile, %z[%c0, %c0] {columns_in_bounds, in_bounds} : !tile, !out
  tile.store %scale, %z[%c0, %c0] {columns_in_bounds, in_bounds} : tensor<1x1xf32, #one>, !out
  tile.async_wait for %ring : !ring
}
