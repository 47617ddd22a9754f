// tile.async_copy where lanes say what they copy and where it goes: 16 bytes each, as the ring's source layout has them.

// RUN: te-opt %s --split-input-file --tile-distribute --canonicalize --cse --verify-diagnostics | FileCheck %s

// Four rows of 64 elements, two of them a wave: each lane copies one run. Of rows after the last nothing is read.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @own
// CHECK-NOT: nvvm.cp.async.shared.global %{{[^,]*}}, %{{[^,]*}}, 16, cache = cg,
// CHECK: nvvm.cp.async.shared.global %{{[^,]*}}, %{{[^,]*}}, 16, cache = cg :
// CHECK: nvvm.cp.async.commit.group
// CHECK: %[[READ:.*]] = arith.select %{{.*}}, %c16_i32, %c0_i32
// CHECK: nvvm.cp.async.shared.global %{{[^,]*}}, %{{[^,]*}}, 16, cache = cg, %[[READ]]
// CHECK: nvvm.cp.async.commit.group
// Each lane takes what it fetched: it waits for itself.
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NOT: gpu.barrier
// CHECK: vector.load
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NOT: gpu.barrier
// CHECK: vector.load
tile.kernel @own(%in: memref<bf16>, %out: memref<bf16>, %rows: index) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [%rows, 64], strides: [64, 1] : memref<bf16> to memref<?x64xbf16, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [%rows, 64], strides: [64, 1] : memref<bf16> to memref<?x64xbf16, strided<[64, 1]>>
  %r = tile.ring from #l to #l : memref<2x4x64xbf16, #gpu.address_space<workgroup>>
  tile.async_copy %a[%c0, %c0], %r[%c0] {in_bounds} : memref<?x64xbf16, strided<[64, 1]>>, memref<2x4x64xbf16, #gpu.address_space<workgroup>>
  tile.async_copy %a[%c4, %c0], %r[%c1] : memref<?x64xbf16, strided<[64, 1]>>, memref<2x4x64xbf16, #gpu.address_space<workgroup>>
  tile.async_wait for %r : memref<2x4x64xbf16, #gpu.address_space<workgroup>> {pending = array<i64: 1>}
  %x = tile.local_load %r[%c0, %c0] : memref<2x4x64xbf16, #gpu.address_space<workgroup>> -> tensor<4x64xbf16, #l>
  tile.async_wait for %r : memref<2x4x64xbf16, #gpu.address_space<workgroup>>
  %y = tile.local_load %r[%c1, %c0] : memref<2x4x64xbf16, #gpu.address_space<workgroup>> -> tensor<4x64xbf16, #l>
  tile.store %x, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xbf16, #l>, memref<?x64xbf16, strided<[64, 1]>>
  tile.store %y, %b[%c4, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xbf16, #l>, memref<?x64xbf16, strided<[64, 1]>>
}

// -----

// What others fetched is there after a barrier.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
#t = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], wave = []>
// CHECK-LABEL: gpu.func @others
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
tile.kernel @others(%in: memref<bf16>, %out: memref<bf16>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<bf16> to memref<4x64xbf16, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<bf16> to memref<4x64xbf16, strided<[64, 1]>>
  %r = tile.ring from #l to #t : memref<1x4x64xbf16, #gpu.address_space<workgroup>>
  tile.async_copy %a[%c0, %c0], %r[%c0] {in_bounds} : memref<4x64xbf16, strided<[64, 1]>>, memref<1x4x64xbf16, #gpu.address_space<workgroup>>
  tile.async_wait for %r : memref<1x4x64xbf16, #gpu.address_space<workgroup>>
  %x = tile.local_load %r[%c0, %c0] : memref<1x4x64xbf16, #gpu.address_space<workgroup>> -> tensor<4x64xbf16, #t>
  tile.store %x, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xbf16, #t>, memref<4x64xbf16, strided<[64, 1]>>
}

// -----

#n = #tile.layout<shape = [4, 32], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], wave = []>
tile.kernel @narrow(%in: memref<bf16>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 32], strides: [32, 1] : memref<bf16> to memref<4x32xbf16, strided<[32, 1]>>
  %r = tile.ring from #n to #n : memref<1x4x32xbf16, #gpu.address_space<workgroup>>
  // expected-error @+2 {{this tile cannot be copied to LDS: a lane has no whole runs of 16 bytes of its rows; use tile.load and tile.local_store (T22)}}
  // expected-error @+1 {{failed to legalize}}
  tile.async_copy %a[%c0, %c0], %r[%c0] {in_bounds} : memref<4x32xbf16, strided<[32, 1]>>, memref<1x4x32xbf16, #gpu.address_space<workgroup>>
}
