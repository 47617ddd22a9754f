// A product of operands in LDS becomes one for each instruction along K.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-split-products))' | FileCheck %s

#put = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#whole = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 4], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#part = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#sum = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
!ring = memref<2x32x32xbf16, #gpu.address_space<workgroup>>
!whole = tensor<32x32xbf16, #whole>
!sum = tensor<32x32xf32, #sum>
!in = memref<32x32xbf16, strided<[32, 1]>, #gpu.address_space<global>>

// CHECK-DAG: #[[$PART:.*]] = #tile.layout<shape = [32, 16], register = {{\[}}[0, 1], [0, 2], [0, 4]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
// Two products share A: each part of it is taken once, and multiplied by both.
// CHECK-LABEL: tile.kernel @split
// CHECK-COUNT-3: tile.ring from #{{.*}} to #[[$PART]]
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}})
// CHECK: %[[A0:.*]] = tile.local_load %[[A:.*]][%[[SLOT:.*]], %c0{{.*}}] : {{.*}} -> tensor<32x16xbf16, #[[$PART]]>
// CHECK: %[[B0:.*]] = tile.local_load %[[B:.*]][%[[SLOT]], %c0
// CHECK: %[[C0:.*]] = tile.local_load %[[C:.*]][%[[SLOT]], %c0
// CHECK-NEXT: %[[S0:.*]] = tile.mma %[[A0]], %[[B0]], %[[S]]
// CHECK-NEXT: %[[T0:.*]] = tile.mma %[[A0]], %[[C0]], %[[T]]
// CHECK: %[[A1:.*]] = tile.local_load %[[A]][%[[SLOT]], %c16
// CHECK: %[[B1:.*]] = tile.local_load %[[B]][%[[SLOT]], %c16
// CHECK: %[[C1:.*]] = tile.local_load %[[C]][%[[SLOT]], %c16
// CHECK-NEXT: %[[S1:.*]] = tile.mma %[[A1]], %[[B1]], %[[S0]]
// CHECK-NEXT: %[[T1:.*]] = tile.mma %[[A1]], %[[C1]], %[[T0]]
// CHECK-NEXT: scf.yield %[[S1]], %[[T1]]
tile.kernel @split(%n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !sum
  %a = tile.ring from #put to #whole : !ring
  %b = tile.ring from #put to #whole : !ring
  %c = tile.ring from #put to #whole : !ring
  %all:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %t = %zero) -> (!sum, !sum) {
    %x = tile.local_load %a[%c1, %c0] : !ring -> !whole
    %y = tile.local_load %b[%c1, %c0] : !ring -> !whole
    %z = tile.local_load %c[%c1, %c0] : !ring -> !whole
    %next = tile.mma %x, %y, %s <"f32_32x32x16_bf16"> : !whole, !whole -> !sum
    %other = tile.mma %x, %z, %t <"f32_32x32x16_bf16"> : !whole, !whole -> !sum
    scf.yield %next, %other : !sum, !sum
  } {tile.staging = #tile.staging<slots = 2>}
}

// Whole: where one operand is in registers, or another product needs all of what is taken; in loops that are not marked.
// CHECK-LABEL: tile.kernel @stays
// CHECK: scf.for
// CHECK-COUNT-2: tile.mma {{.*}} : tensor<32x32xbf16
// CHECK: scf.for
// CHECK: tile.mma {{.*}} : tensor<32x32xbf16
// CHECK-NOT: tile.mma
tile.kernel @stays(%n: index, %p: memref<bf16, #gpu.address_space<global>>) attributes {target = "gfx950", waves = 1 : i64} {
  %in = memref.reinterpret_cast %p to offset: [0], sizes: [32, 32], strides: [32, 1] : memref<bf16, #gpu.address_space<global>> to !in
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : !sum
  %held = tile.load %in[%c0, %c0] {columns_in_bounds, in_bounds} : !in -> !whole
  %a = tile.ring from #put to #whole : !ring
  %b = tile.ring from #put to #whole : !ring
  %first = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (!sum) {
    %x = tile.local_load %a[%c0, %c0] : !ring -> !whole
    %y = tile.local_load %b[%c0, %c0] : !ring -> !whole
    %next = tile.mma %x, %y, %s <"f32_32x32x16_bf16"> : !whole, !whole -> !sum
    %more = tile.mma %held, %y, %next <"f32_32x32x16_bf16"> : !whole, !whole -> !sum
    scf.yield %more : !sum
  } {tile.staging = #tile.staging<slots = 2>}
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> (!sum) {
    %x = tile.local_load %a[%c0, %c0] : !ring -> !whole
    %next = tile.mma %x, %x, %s <"f32_32x32x16_bf16"> : !whole, !whole -> !sum
    scf.yield %next : !sum
  }
}
