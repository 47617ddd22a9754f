// What goes between a cluster's workgroups: each sends its part to all, and waits for as many bytes as all send.

// RUN: te-opt %s --tile-distribute --canonicalize --cse | FileCheck %s

// Two rows a wave; 32 lanes hold the same.
#l = #tile.layout<shape = [4, 1], register = [[1, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[2, 0]]>
// CHECK: gpu.func @exchange
// CHECK-SAME: workgroup(%[[LDS:.*]] : memref<112xi8, #gpu.address_space<workgroup>>
// CHECK-SAME: known_cluster_size = array<i32: 3, 1, 1>
// One lane prepares both slots; then the others may send.
// CHECK: scf.if
// CHECK-COUNT-2: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: vector.load
// CHECK: nvvm.cluster.wait {aligned}
// 3 workgroups send 4 rows of 4 bytes.
// CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c48_i32
// Two registers, by a lane for each of three workgroups.
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[RANK:.*]], %c3_i32
// CHECK: scf.if %[[HAS]]
// CHECK-COUNT-2: nvvm.mapa %{{.*}}, %[[RANK]]
// CHECK-COUNT-2: llvm.inline_asm has_side_effects {{.*}}st.async
// CHECK-NOT: st.async
// CHECK: llvm.inline_asm has_side_effects {{.*}}mbarrier.try_wait.parity
// CHECK-COUNT-3: vector.load %[[LDS]]
// CHECK-COUNT-2: gpu.shuffle idx
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return
tile.kernel @exchange(%in: memref<f32>, %out: memref<f32>) attributes {target = "sm_90a", waves = 2 : i64, cluster = 3 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 1], strides: [1, 1] : memref<f32> to memref<4x1xf32, strided<[1, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 1], strides: [1, 1] : memref<f32> to memref<4x1xf32, strided<[1, 1]>>
  %x = tile.load %a[%c0, %c0] {in_bounds} : memref<4x1xf32, strided<[1, 1]>> -> tensor<4x1xf32, #l>
  %y = tile.cluster_reduce add %x : tensor<4x1xf32, #l>
  tile.store %y, %b[%c0, %c0] {in_bounds} : tensor<4x1xf32, #l>, memref<4x1xf32, strided<[1, 1]>>
}

// A word is the same after an instruction that does nothing.
#w = #tile.layout<shape = [1, 64], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
// CHECK-LABEL: gpu.func @hold
// CHECK: llvm.inline_asm has_side_effects "", "=r,0"
tile.kernel @hold(%in: memref<bf16>, %out: memref<bf16>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<bf16> to memref<1x64xbf16, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<bf16> to memref<1x64xbf16, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<1x64xbf16, strided<[64, 1]>> -> tensor<1x64xbf16, #w>
  %y = tile.optimization_barrier %x : tensor<1x64xbf16, #w>
  tile.store %y, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<1x64xbf16, #w>, memref<1x64xbf16, strided<[64, 1]>>
}

// A single number goes to all by one lane.
#one = #tile.layout<shape = [2, 1], register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[1, 0]]>
// CHECK-LABEL: gpu.func @single
// CHECK: scf.if
// CHECK-COUNT-3: st.async
// CHECK-NOT: st.async
tile.kernel @single(%in: memref<f32>, %out: memref<f32>) attributes {target = "sm_90a", waves = 2 : i64, cluster = 3 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 1], strides: [1, 1] : memref<f32> to memref<2x1xf32, strided<[1, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [2, 1], strides: [1, 1] : memref<f32> to memref<2x1xf32, strided<[1, 1]>>
  %x = tile.load %a[%c0, %c0] {in_bounds} : memref<2x1xf32, strided<[1, 1]>> -> tensor<2x1xf32, #one>
  %y = tile.cluster_reduce add %x : tensor<2x1xf32, #one>
  tile.store %y, %b[%c0, %c0] {in_bounds} : tensor<2x1xf32, #one>, memref<2x1xf32, strided<[1, 1]>>
}
