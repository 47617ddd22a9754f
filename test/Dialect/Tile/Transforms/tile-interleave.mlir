// Products that read LDS say how many instructions ahead: LDS's 64 clocks twice, in instructions of 32.

// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-interleave))' | FileCheck %s
// RUN: te-opt %s --pass-pipeline='builtin.module(tile.kernel(tile-interleave),tile-distribute)' | FileCheck %s --check-prefix=GPU

#k = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], wave = []>
#operand = #tile.layout<shape = [32, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = []>
#sum = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 8], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]], wave = []>
!global = memref<bf16, #gpu.address_space<global>>
!view = memref<32x1024xbf16, strided<[1024, 1], offset: ?>, #gpu.address_space<global>>
!kring = memref<2x32x16xbf16, #gpu.address_space<workgroup>>

// CHECK-LABEL: tile.kernel @runs
// CHECK: scf.for
// CHECK: tile.mma {{.*}} <"f32_32x32x16_bf16"> : tensor
// CHECK: tile.mma {{.*}} {ahead = [[N:[0-9]+]] : i64}
// CHECK: tile.async_wait
// CHECK: tile.mma {{.*}} {ahead = [[N]] : i64}
// What is in registers, or in no loop, reads nothing.
// CHECK: tile.mma {{.*}} <"f32_32x32x16_bf16"> : tensor
// CHECK: tile.mma {{.*}} <"f32_32x32x16_bf16"> : tensor
// Of two instructions each reads one vector of its own: both reads, then both instructions; and one.
// GPU-LABEL: gpu.func @runs
// GPU: scf.for
// GPU: amdgpu.mfma
// GPU: amdgpu.mfma
// GPU: rocdl.sched.group.barrier 256, 2, 0
// GPU-NEXT: rocdl.sched.group.barrier 8, 1, 0
// GPU-NEXT: rocdl.sched.group.barrier 8, 1, 0
// GPU: amdgpu.mfma
// GPU: rocdl.sched.group.barrier 256, 1, 0
// GPU-NEXT: rocdl.sched.group.barrier 8, 1, 0
// GPU-NOT: rocdl.sched.group.barrier
tile.kernel @runs(%a: !global, %c: memref<f32, #gpu.address_space<global>>, %n: index) attributes {target = "gfx950", waves = 1 : i64} {
  %ring = tile.ring from #k to #operand : !kring
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #sum>
  %av = memref.reinterpret_cast %a to offset: [%c0], sizes: [32, 1024], strides: [1024, 1] : !global to !view
  %q = tile.load %av[%c0, %c0] : !view -> tensor<32x16xbf16, #operand>
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<32x32xf32, #sum>) {
    tile.async_wait for %ring : !kring
    tile.async_copy %av[%i, %c0], %ring[%c0] : !view, !kring
    %x = tile.local_load %ring[%c0, %c0] : !kring -> tensor<32x16xbf16, #operand>
    %s = tile.mma %q, %x, %sum <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    %y = tile.local_load %ring[%c1, %c0] : !kring -> tensor<32x16xbf16, #operand>
    %t = tile.mma %q, %y, %s <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    tile.async_wait for %ring : !kring
    %z = tile.local_load %ring[%c1, %c0] : !kring -> tensor<32x16xbf16, #operand>
    %u = tile.mma %q, %z, %t <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    tile.async_wait for %ring : !kring
    %v = tile.mma %q, %q, %u <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
    scf.yield %v : tensor<32x32xf32, #sum>
  }
  %x = tile.local_load %ring[%c0, %c0] : !kring -> tensor<32x16xbf16, #operand>
  %last = tile.mma %q, %x, %all <"f32_32x32x16_bf16"> : tensor<32x16xbf16, #operand>, tensor<32x16xbf16, #operand> -> tensor<32x32xf32, #sum>
  %cv = memref.reinterpret_cast %c to offset: [0], sizes: [32, 32], strides: [32, 1] : memref<f32, #gpu.address_space<global>> to memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
  tile.store %last, %cv[%c0, %c0] : tensor<32x32xf32, #sum>, memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
}
