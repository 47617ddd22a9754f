// In marked loops operands of products go through slots of LDS.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-stage-operands))' | FileCheck %s

#loaded = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#operand = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#sum = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<32x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!odd = memref<32x1000xbf16, strided<[?, 1], offset: ?>, #gpu.address_space<global>>

// A's tiles go straight to LDS; B's rows are an unknown number apart, so its tiles are put there, alternately in two slots.
// CHECK-LABEL: tile.kernel @sum
// CHECK-DAG: %[[B:.*]] = tile.ring from #{{.*}} to #[[OPERAND:.*]] : memref<2x32x16xbf16, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[A:.*]] = tile.ring from #{{.*}} to #[[OPERAND]] : memref<3x32x16xbf16, #gpu.address_space<workgroup>>
// CHECK: scf.for %[[I:.*]] = %c0 to %
// CHECK-DAG: %[[SLOT:.*]] = arith.remui %[[I]], %c3
// CHECK: tile.async_copy %{{.*}}[%c0, %{{.*}}], %[[FETCHED:.*]][%{{.*}}] : memref<32x1024
// CHECK: %[[RAW:.*]] = tile.load %{{.*}} : memref<32x1000
// CHECK: tile.local_store %[[RAW]], %[[PUT:.*]][%{{.*}}]
// CHECK: tile.async_wait for %[[FETCHED]]
// CHECK-NEXT: %{{.*}} = arith.constant 0
// CHECK-NEXT: %[[X:.*]] = tile.local_load %[[FETCHED]][%{{.*}}, %{{.*}}] {{.*}} -> tensor<32x16xbf16, #[[OPERAND]]>
// CHECK: tile.async_wait{{$}}
// CHECK: %[[Y:.*]] = tile.local_load %[[PUT]][
// CHECK: tile.mma %[[X]], %[[Y]]
// CHECK: } {tile.staging = #tile.staging<slots = 3, direct = true>}
// What was fetched is there, and the next loop may fill the slots, which are the same.
// CHECK-NEXT: tile.async_wait for %[[FETCHED]]
// CHECK-NOT: tile.ring
// CHECK: scf.for
// CHECK: tile.async_copy %{{.*}}, %[[FETCHED]]
tile.kernel @sum(%a: !global, %b: !global, %c: memref<f32, #gpu.address_space<global>>, %n: index, %stride: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #sum>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %bv = memref.reinterpret_cast %b to offset: [%c0], sizes: [32, 1000], strides: [%stride, 1] : !global to !odd
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x32xf32, #sum>) {
    %k = arith.muli %i, %c16 : index
    %x = tile.load %av[%c0, %k] {columns_in_bounds} : !view -> tensor<32x16xbf16, #loaded>
    %y = tile.load %bv[%c0, %k] : !odd -> tensor<32x16xbf16, #loaded>
    %xc = tile.convert_layout %x : tensor<32x16xbf16, #loaded> -> tensor<32x16xbf16, #operand>
    %yc = tile.convert_layout %y : tensor<32x16xbf16, #loaded> -> tensor<32x16xbf16, #operand>
    %next = tile.mma %xc, %yc, %acc <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    scf.yield %next : tensor<32x32xf32, #sum>
  } {tile.staging = #tile.staging<slots = 3, direct = true>}
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sum) -> (tensor<32x32xf32, #sum>) {
    %k = arith.muli %i, %c16 : index
    %x = tile.load %av[%c0, %k] {columns_in_bounds} : !view -> tensor<32x16xbf16, #loaded>
    %xc = tile.convert_layout %x : tensor<32x16xbf16, #loaded> -> tensor<32x16xbf16, #operand>
    %next = tile.mma %xc, %xc, %acc <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    scf.yield %next : tensor<32x32xf32, #sum>
  } {tile.staging = #tile.staging<slots = 3, direct = true>}
  %cv = memref.reinterpret_cast %c to offset: [0], sizes: [32, 32], strides: [32, 1] : memref<f32, #gpu.address_space<global>> to memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
  tile.store %all, %cv[%c0, %c0] : tensor<32x32xf32, #sum>, memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
}

// Not what the loop computes or the kernel writes, nor in loops that are not marked.
// CHECK-LABEL: tile.kernel @stays
// CHECK-NOT: tile.ring
// CHECK-NOT: tile.local_load
tile.kernel @stays(%a: !global, %b: !global, %n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #sum>
  %first = arith.constant dense<0.0> : tensor<32x16xbf16, #loaded>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %bv = memref.reinterpret_cast %b to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %carried = %first) -> (tensor<32x32xf32, #sum>, tensor<32x16xbf16, #loaded>) {
    %k = arith.muli %i, %c16 : index
    %x = tile.load %av[%c0, %k] {columns_in_bounds} : !view -> tensor<32x16xbf16, #loaded>
    tile.store %x, %av[%c0, %k] : tensor<32x16xbf16, #loaded>, !view
    %xc = tile.convert_layout %x : tensor<32x16xbf16, #loaded> -> tensor<32x16xbf16, #operand>
    %yc = tile.convert_layout %carried : tensor<32x16xbf16, #loaded> -> tensor<32x16xbf16, #operand>
    %next = tile.mma %xc, %yc, %acc <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    scf.yield %next, %x : tensor<32x32xf32, #sum>, tensor<32x16xbf16, #loaded>
  } {tile.staging = #tile.staging<slots = 2>}
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %sum#0) -> (tensor<32x32xf32, #sum>) {
    %k = arith.muli %i, %c16 : index
    %x = tile.load %bv[%c0, %k] {columns_in_bounds} : !view -> tensor<32x16xbf16, #loaded>
    %xc = tile.convert_layout %x : tensor<32x16xbf16, #loaded> -> tensor<32x16xbf16, #operand>
    %next = tile.mma %xc, %xc, %acc <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    scf.yield %next : tensor<32x32xf32, #sum>
  }
}
