// RUN: te-opt %s -tile-distribute -split-input-file | FileCheck %s

// Two instructions along K add to one accumulator; the hardware's A is our B.
#a = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 16]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#c = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
// CHECK-LABEL: gpu.func @along_k
// CHECK-SAME: memref<bf16
// CHECK-DAG: %[[A0:.*]] = vector.extract_strided_slice %[[A:.*]] {offsets = [0], sizes = [4], strides = [1]} : vector<8xbf16> to vector<4xbf16>
// CHECK-DAG: %[[B0:.*]] = vector.extract_strided_slice %[[B:.*]] {offsets = [0], sizes = [4], strides = [1]} : vector<8xbf16> to vector<4xbf16>
// CHECK: %[[FIRST:.*]] = amdgpu.mfma 16x16x16 %{{.*}} * %{{.*}} + %{{.*}} blgp = none : vector<4xbf16>, vector<4xbf16>, vector<4xf32>
// CHECK-DAG: vector.extract_strided_slice %{{.*}} {offsets = [4], sizes = [4], strides = [1]} : vector<8xbf16> to vector<4xbf16>
// CHECK: amdgpu.mfma 16x16x16 %{{.*}} * %{{.*}} + %[[FIRST]] blgp = none
tile.kernel @along_k(%x: memref<bf16, #gpu.address_space<global>>, %y: memref<f32, #gpu.address_space<global>>) attributes {target = "gfx942", waves = 1} {
  %c0 = arith.constant 0 : index
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [32, 32], strides: [32, 1] : memref<bf16, #gpu.address_space<global>> to memref<32x32xbf16, strided<[32, 1]>, #gpu.address_space<global>>
  %w = memref.reinterpret_cast %y to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<f32, #gpu.address_space<global>> to memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
  %c16 = arith.constant 16 : index
  %a = tile.load %v[%c0, %c0] {in_bounds, divisible = 32 : i64} : memref<32x32xbf16, strided<[32, 1]>, #gpu.address_space<global>> -> tensor<16x32xbf16, #a>
  %b = tile.load %v[%c16, %c0] {in_bounds, divisible = 32 : i64} : memref<32x32xbf16, strided<[32, 1]>, #gpu.address_space<global>> -> tensor<16x32xbf16, #a>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %d = tile.mma %a, %b, %z <"f32_16x16x16_bf16"> : tensor<16x32xbf16, #a>, tensor<16x32xbf16, #a> -> tensor<16x16xf32, #c>
  tile.store %d, %w[%c0, %c0] {in_bounds} : tensor<16x16xf32, #c>, memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
}

// -----

// f32 operands are single registers; packed fp4 codes with scales are 16 bytes and one.
#e = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 16], [0, 32]], wave = []>
#two = #tile.layout<shape = [16, 8], register = [[0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], wave = []>
#s = #tile.layout<shape = [16, 4], register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], wave = []>
#c = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
// CHECK-LABEL: gpu.func @scaled
// CHECK: vector.bitcast %{{.*}} : vector<16xi8> to vector<32xf4E2M1FN>
// CHECK: amdgpu.scaled_mfma 16x16x128 (%{{.*}}[0] * %{{.*}}) * (%{{.*}}[0] * %{{.*}}) + %{{.*}} : vector<4xf8E8M0FNU>, vector<32xf4E2M1FN>, vector<4xf8E8M0FNU>, vector<32xf4E2M1FN>, vector<4xf32>
// Scales of two parts side by side in a register: the second byte.
// CHECK: vector.shuffle %{{.*}} [0, 1, -1, -1] : vector<2xi8>, vector<2xi8>
// CHECK: amdgpu.scaled_mfma 16x16x128 (%{{.*}}[1] * %{{.*}}) * (%{{.*}}[1] * %{{.*}})
tile.kernel @scaled(%x: memref<i8, #gpu.address_space<global>>, %y: memref<f32, #gpu.address_space<global>>) attributes {target = "gfx950", waves = 1} {
  %c0 = arith.constant 0 : index
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [16, 64], strides: [64, 1] : memref<i8, #gpu.address_space<global>> to memref<16x64xi8, strided<[64, 1]>, #gpu.address_space<global>>
  %w = memref.reinterpret_cast %y to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<f32, #gpu.address_space<global>> to memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
  %a = tile.load %v[%c0, %c0] {in_bounds, divisible = 64 : i64} : memref<16x64xi8, strided<[64, 1]>, #gpu.address_space<global>> -> tensor<16x64xi8, #e>
  %q = tile.load %v[%c0, %c0] {in_bounds, divisible = 64 : i64} : memref<16x64xi8, strided<[64, 1]>, #gpu.address_space<global>> -> tensor<16x4xi8, #s>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %d = tile.mma %a, %a, %z scales(%q, %q : tensor<16x4xi8, #s>, tensor<16x4xi8, #s>) <"scale_f32_16x16x128_f8f6f4"> : tensor<16x64xi8, #e>, tensor<16x64xi8, #e> -> tensor<16x16xf32, #c>
  %r = tile.load %v[%c0, %c0] {in_bounds, divisible = 64 : i64} : memref<16x64xi8, strided<[64, 1]>, #gpu.address_space<global>> -> tensor<16x8xi8, #two>
  %e = tile.mma %a, %a, %d scales(%r, %r : tensor<16x8xi8, #two>, tensor<16x8xi8, #two>) <"scale_f32_16x16x128_f8f6f4"> {scale_slice = 1 : i64} : tensor<16x64xi8, #e>, tensor<16x64xi8, #e> -> tensor<16x16xf32, #c>
  tile.store %e, %w[%c0, %c0] {in_bounds} : tensor<16x16xf32, #c>, memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
}

// -----

// A ring lies where what comes after it goes through LDS; slots follow one another. A part is read at its lanes' addresses, by
// XOR with what is not the same in all lanes; writes and reads are apart, as a barrier is between. Between the products the accesses alternate, and nothing crosses their end.
#put = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#c = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
#o = #tile.layout<shape = [16, 16], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [4, 0], [8, 0]], wave = []>
// CHECK-LABEL: gpu.func @ring
// CHECK-SAME: workgroup(%[[LDS:.*]] : memref<4096xi8
// CHECK: memref.extract_aligned_pointer_as_index %[[LDS]]
// CHECK: llvm.store %{{.*}} {alias_scopes = [#[[SLOTS:.*]]], alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} {alias_scopes = [#[[SLOTS]]], alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64, noalias_scopes = [#[[SLOTS]]]} : !llvm.ptr<3> -> vector<16xi8>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64, noalias_scopes = [#[[SLOTS]]]} : !llvm.ptr<3> -> vector<16xi8>
// CHECK: amdgpu.mfma 16x16x32
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.sched.group.barrier 256, 2, 0
// CHECK: rocdl.sched.group.barrier 512, 1, 0
// CHECK: rocdl.sched.group.barrier 32, 2, 0
// CHECK: amdgpu.sched_barrier allow = <none>
// Waves meet after the last product, not after what is computed of it.
// CHECK: gpu.barrier
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK: arith.negf
// CHECK-NOT: gpu.barrier
// CHECK: vector.store %{{.*}}, %[[LDS]]
// CHECK-NOT: gpu.barrier
// CHECK: vector.load %[[LDS]]
tile.kernel @ring(%x: memref<bf16, #gpu.address_space<global>>, %y: memref<f32, #gpu.address_space<global>>, %slot: index) attributes {target = "gfx950", waves = 1, waves_per_simd = 1} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [16, 64], strides: [64, 1] : memref<bf16, #gpu.address_space<global>> to memref<16x64xbf16, strided<[64, 1]>, #gpu.address_space<global>>
  %w = memref.reinterpret_cast %y to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<f32, #gpu.address_space<global>> to memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
  %a = tile.load %v[%c0, %c0] {in_bounds, divisible = 64 : i64} : memref<16x64xbf16, strided<[64, 1]>, #gpu.address_space<global>> -> tensor<16x64xbf16, #put>
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  tile.local_store %a, %r[%slot] : tensor<16x64xbf16, #put>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  gpu.barrier
  %p = tile.local_load %r[%slot, %c0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  %q = tile.local_load %r[%slot, %c32] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %d = tile.mma %p, %q, %z <"f32_16x16x32_bf16"> in_order {reads = 2 : i64} : tensor<16x32xbf16, #take>, tensor<16x32xbf16, #take> -> tensor<16x16xf32, #c>
  %n = arith.negf %d : tensor<16x16xf32, #c>
  %e = tile.convert_layout %n : tensor<16x16xf32, #c> -> tensor<16x16xf32, #o>
  tile.store %e, %w[%c0, %c0] {in_bounds} : tensor<16x16xf32, #o>, memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
}

// -----

// Rows across what lanes want together: 16 lanes read runs of rows, and get columns. Eight bytes an access.
// The rows of a tile that is inside are not counted.
// CHECK-LABEL: gpu.func @across
// CHECK-NOT: arith.minsi
// CHECK: rocdl.make.buffer.rsrc
// CHECK-COUNT-16: rocdl.ds.read.tr16.b64 %{{.*}} : <3> -> vector<4xi16>
// CHECK-NOT: rocdl.ds.read
tile.kernel @across(%x: memref<bf16, #gpu.address_space<global>>, %y: memref<bf16, #gpu.address_space<global>>) attributes {target = "gfx950", waves = 4} {
  %c0 = arith.constant 0 : index
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [32, 256], strides: [256, 1] : memref<bf16, #gpu.address_space<global>> to memref<32x256xbf16, strided<[256, 1]>, #gpu.address_space<global>>
  %w = memref.reinterpret_cast %y to offset: [0], sizes: [32, 256], strides: [256, 1] : memref<bf16, #gpu.address_space<global>> to memref<32x256xbf16, strided<[256, 1]>, #gpu.address_space<global>>
  %r = tile.ring from <shape = [32, 256], register = [[0, 1], [0, 2], [0, 4], [2, 0], [4, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [1, 0]], wave = [[8, 0], [16, 0]]> to <shape = [32, 256], register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32], [0, 64]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 0], [0, 128]]> : memref<2x32x256xbf16, #gpu.address_space<workgroup>>
  tile.async_copy %v[%c0, %c0], %r[%c0] {in_bounds} : memref<32x256xbf16, strided<[256, 1]>, #gpu.address_space<global>>, memref<2x32x256xbf16, #gpu.address_space<workgroup>>
  tile.async_wait for %r : memref<2x32x256xbf16, #gpu.address_space<workgroup>>
  %t = tile.local_load %r[%c0, %c0] : memref<2x32x256xbf16, #gpu.address_space<workgroup>> -> tensor<32x256xbf16, #tile.layout<shape = [32, 256], register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32], [0, 64]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 0], [0, 128]]>>
  tile.store %t, %w[%c0, %c0] {in_bounds} : tensor<32x256xbf16, #tile.layout<shape = [32, 256], register = [[1, 0], [2, 0], [4, 0], [0, 16], [0, 32], [0, 64]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [8, 0], [16, 0]], wave = [[0, 0], [0, 128]]>>, memref<32x256xbf16, strided<[256, 1]>, #gpu.address_space<global>>
}

// -----

// Of four products: writes to LDS come as they can, transposed ones when half of what turns them stands in front. After a barrier
// one read comes first, and no loads next to the first product; no writes either, where they stand after the barrier.
#raw = #tile.layout<shape = [64, 32], register = [[1, 0], [2, 0], [4, 0], [0, 8], [0, 16]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#put = #tile.layout<shape = [32, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#take = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#c = #tile.layout<shape = [32, 32], register = [[0, 1], [0, 2], [0, 16], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
// CHECK-LABEL: gpu.func @four
// CHECK-COUNT-4: amdgpu.mfma 16x16x32
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 512, 2, 0
// CHECK-NEXT: rocdl.sched.group.barrier 32, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 512, 2, 0
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK-COUNT-4: amdgpu.mfma 16x16x32
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 2, 4, 0
// CHECK-NEXT: rocdl.sched.group.barrier 32, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 2, 4, 0
// CHECK-NEXT: rocdl.sched.group.barrier 32, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 2, 4, 0
// CHECK-NEXT: rocdl.sched.group.barrier 512, 2, 0
// CHECK-NEXT: rocdl.sched.group.barrier 32, 2, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 2, 4, 0
// CHECK-NEXT: rocdl.sched.group.barrier 512, 2, 0
// CHECK: amdgpu.sched_barrier allow = <none>
// CHECK: gpu.barrier
// CHECK-COUNT-4: amdgpu.mfma 16x16x32
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 512, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 2, 0
// CHECK-NEXT: rocdl.sched.group.barrier 512, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 32, 1, 0
// CHECK: gpu.barrier
// CHECK-COUNT-4: amdgpu.mfma 16x16x32
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 8, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 256, 2, 0
// CHECK-NEXT: rocdl.sched.group.barrier 512, 1, 0
// CHECK-NEXT: rocdl.sched.group.barrier 32, 1, 0
tile.kernel @four(%x: memref<bf16, #gpu.address_space<global>>, %y: memref<f32, #gpu.address_space<global>>, %slot: index) attributes {target = "gfx950", waves = 1} {
  %c0 = arith.constant 0 : index
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [32, 64], strides: [64, 1] : memref<bf16, #gpu.address_space<global>> to memref<32x64xbf16, strided<[64, 1]>, #gpu.address_space<global>>
  %u = memref.reinterpret_cast %x to offset: [0], sizes: [64, 32], strides: [32, 1] : memref<bf16, #gpu.address_space<global>> to memref<64x32xbf16, strided<[32, 1]>, #gpu.address_space<global>>
  %w = memref.reinterpret_cast %y to offset: [0], sizes: [32, 32], strides: [32, 1] : memref<f32, #gpu.address_space<global>> to memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
  %a = tile.load %v[%c0, %c0] {in_bounds, divisible = 64 : i64} : memref<32x64xbf16, strided<[64, 1]>, #gpu.address_space<global>> -> tensor<32x64xbf16, #put>
  %b = tile.load %u[%c0, %c0] {in_bounds, divisible = 32 : i64} : memref<64x32xbf16, strided<[32, 1]>, #gpu.address_space<global>> -> tensor<64x32xbf16, #raw>
  %r = tile.ring from <shape = [32, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [32, 32], register = [[0, 1], [0, 2], [0, 4], [16, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x32x64xbf16, #gpu.address_space<workgroup>>
  %p = tile.local_load %r[%slot, %c0] : memref<2x32x64xbf16, #gpu.address_space<workgroup>> -> tensor<32x32xbf16, #take>
  %z = arith.constant dense<0.0> : tensor<32x32xf32, #c>
  tile.local_store %a, %r[%slot] : tensor<32x64xbf16, #put>, memref<2x32x64xbf16, #gpu.address_space<workgroup>>
  tile.local_store %a, %r[%slot] : tensor<32x64xbf16, #put>, memref<2x32x64xbf16, #gpu.address_space<workgroup>>
  %d = tile.mma %p, %p, %z <"f32_16x16x32_bf16"> in_order {reads = 2 : i64} : tensor<32x32xbf16, #take>, tensor<32x32xbf16, #take> -> tensor<32x32xf32, #c>
  tile.fence
  %t = tile.transpose %b : tensor<64x32xbf16, #raw> -> tensor<32x64xbf16, #put>
  tile.local_store %t, %r[%slot] : tensor<32x64xbf16, #put>, memref<2x32x64xbf16, #gpu.address_space<workgroup>>
  %e = tile.mma %p, %p, %d <"f32_16x16x32_bf16"> in_order : tensor<32x32xbf16, #take>, tensor<32x32xbf16, #take> -> tensor<32x32xf32, #c>
  gpu.barrier
  %q = tile.local_load %r[%slot, %c0] : memref<2x32x64xbf16, #gpu.address_space<workgroup>> -> tensor<32x32xbf16, #take>
  %f = tile.mma %p, %q, %e <"f32_16x16x32_bf16"> in_order {reads = 4 : i64} : tensor<32x32xbf16, #take>, tensor<32x32xbf16, #take> -> tensor<32x32xf32, #c>
  gpu.barrier
  %s = tile.local_load %r[%slot, %c0] : memref<2x32x64xbf16, #gpu.address_space<workgroup>> -> tensor<32x32xbf16, #take>
  tile.local_store %a, %r[%slot] : tensor<32x64xbf16, #put>, memref<2x32x64xbf16, #gpu.address_space<workgroup>>
  %g = tile.mma %p, %s, %f <"f32_16x16x32_bf16"> in_order {reads = 4 : i64} : tensor<32x32xbf16, #take>, tensor<32x32xbf16, #take> -> tensor<32x32xf32, #c>
  tile.store %g, %w[%c0, %c0] {in_bounds} : tensor<32x32xf32, #c>, memref<32x32xf32, strided<[32, 1]>, #gpu.address_space<global>>
}

// -----

// What is computed for LDS before the last of two products stands among both: vector instructions cross the end of the
// first, and the last one says for each where its reads and the others come. Of rows after the last none is asked for.
#put = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#c = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
// CHECK-LABEL: gpu.func @spread
// CHECK: %[[BYTES:.*]] = arith.select %{{.*}}, %{{.*}}, %c0_i64{{.*}} : i64
// CHECK: rocdl.make.buffer.rsrc %{{.*}}, %{{.*}}, %[[BYTES]], %{{.*}}
// CHECK: amdgpu.mfma 16x16x32
// CHECK-NEXT: vector.insert_strided_slice
// CHECK-NEXT: amdgpu.sched_barrier allow = <valu|salu>
// CHECK: arith.negf
// CHECK: amdgpu.mfma 16x16x32
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.sched.group.barrier 256, 1, 0
// CHECK: rocdl.sched.group.barrier 2, 5, 0
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.sched.group.barrier 256, 2, 0
// CHECK: rocdl.sched.group.barrier 2, 5, 0
// CHECK: amdgpu.sched_barrier allow = <none>
tile.kernel @spread(%x: memref<bf16, #gpu.address_space<global>>, %y: memref<f32, #gpu.address_space<global>>, %slot: index) attributes {target = "gfx950", waves = 1} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [16, 64], strides: [64, 1] : memref<bf16, #gpu.address_space<global>> to memref<16x64xbf16, strided<[64, 1]>, #gpu.address_space<global>>
  %w = memref.reinterpret_cast %y to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<f32, #gpu.address_space<global>> to memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
  %due = arith.cmpi eq, %slot, %c0 : index
  %row = arith.select %due, %c0, %c16 : index
  %a = tile.load %v[%row, %c0] {columns_in_bounds, divisible = 64 : i64} : memref<16x64xbf16, strided<[64, 1]>, #gpu.address_space<global>> -> tensor<16x64xbf16, #put>
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  %p = tile.local_load %r[%slot, %c0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %d = tile.mma %p, %p, %z <"f32_16x16x32_bf16"> in_order {reads = 1 : i64} : tensor<16x32xbf16, #take>, tensor<16x32xbf16, #take> -> tensor<16x16xf32, #c>
  %q = tile.local_load %r[%slot, %c32] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  %n = arith.negf %a : tensor<16x64xbf16, #put>
  tile.local_store %n, %r[%slot] : tensor<16x64xbf16, #put>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  %e = tile.mma %p, %q, %d <"f32_16x16x32_bf16"> in_order {reads = 2 : i64} : tensor<16x32xbf16, #take>, tensor<16x32xbf16, #take> -> tensor<16x16xf32, #c>
  tile.store %e, %w[%c0, %c0] {in_bounds} : tensor<16x16xf32, #c>, memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
}

// -----

// Turned elements are written to LDS in many splits: what turns them stands up to the middle of the product after the barrier,
// whose reads come later then, and writes cross the end of the last product before it.
#turned = #tile.layout<shape = [64, 16], register = [[1, 0], [2, 0], [4, 0], [0, 8]], lane = [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2], [0, 4]], wave = []>
#put = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#c = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
// CHECK-LABEL: gpu.func @over_barrier
// CHECK: amdgpu.sched_barrier allow = <valu|salu>
// CHECK: amdgpu.sched_barrier allow = <valu|salu|ds_write>
// CHECK-NEXT: gpu.barrier
// CHECK: amdgpu.mfma 16x16x32
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.sched.group.barrier 2, 7, 0
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.sched.group.barrier 2, 7, 0
// CHECK: rocdl.sched.group.barrier 8, 1, 0
// CHECK: rocdl.sched.group.barrier 256, 2, 0
// CHECK: rocdl.sched.group.barrier 2, 4, 0
// CHECK: amdgpu.sched_barrier allow = <none>
// What goes along rows, step by step: the resource is the view's and stays, the step's place is the scalar offset.
// CHECK: scf.for %[[I:.*]] = %c0 to %c64 step %c16
// CHECK-DAG: %[[BYTES:.*]] = arith.index_cast %c4096{{.*}} : index to i64
// CHECK-DAG: %[[STEP:.*]] = arith.muli %[[I]], %c64
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %c0_i16{{.*}}, %[[BYTES]], %{{.*}}
// CHECK: %[[ALL:.*]] = arith.index_cast %[[STEP]] : index to i32
// CHECK: rocdl.raw.ptr.buffer.load %[[RSRC]], %{{.*}}, %[[ALL]], %c0_i32{{.*}} : vector<4xi32>
tile.kernel @over_barrier(%x: memref<bf16, #gpu.address_space<global>>, %y: memref<f32, #gpu.address_space<global>>, %slot: index) attributes {target = "gfx950", waves = 1} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %u = memref.reinterpret_cast %x to offset: [0], sizes: [64, 32], strides: [32, 1] : memref<bf16, #gpu.address_space<global>> to memref<64x32xbf16, strided<[32, 1]>, #gpu.address_space<global>>
  %v = memref.reinterpret_cast %x to offset: [0], sizes: [64, 16], strides: [16, 1] : memref<bf16, #gpu.address_space<global>> to memref<64x16xbf16, strided<[16, 1]>, #gpu.address_space<global>>
  %w = memref.reinterpret_cast %y to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<f32, #gpu.address_space<global>> to memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
  %a = tile.load %v[%c0, %c0] {in_bounds, columns_in_bounds, divisible = 16 : i64} : memref<64x16xbf16, strided<[16, 1]>, #gpu.address_space<global>> -> tensor<64x16xbf16, #turned>
  %r = tile.ring from <shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []> to <shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []> : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  %p = tile.local_load %r[%slot, %c0] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  %d = tile.mma %p, %p, %z <"f32_16x16x32_bf16"> in_order {reads = 1 : i64} : tensor<16x32xbf16, #take>, tensor<16x32xbf16, #take> -> tensor<16x16xf32, #c>
  %q = tile.local_load %r[%slot, %c32] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  %m = arith.negf %a : tensor<64x16xbf16, #turned>
  %n = tile.transpose %m : tensor<64x16xbf16, #turned> -> tensor<16x64xbf16, #put>
  tile.local_store %n, %r[%slot] : tensor<16x64xbf16, #put>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  %e = tile.mma %p, %q, %d <"f32_16x16x32_bf16"> in_order {reads = 1 : i64} : tensor<16x32xbf16, #take>, tensor<16x32xbf16, #take> -> tensor<16x16xf32, #c>
  gpu.barrier
  %f = tile.mma %q, %q, %e <"f32_16x16x32_bf16"> in_order {reads = 2 : i64} : tensor<16x32xbf16, #take>, tensor<16x32xbf16, #take> -> tensor<16x16xf32, #c>
  tile.store %f, %w[%c0, %c0] {in_bounds} : tensor<16x16xf32, #c>, memref<16x16xf32, strided<[16, 1]>, #gpu.address_space<global>>
  scf.for %i = %c0 to %c64 step %c16 {
    %s = tile.load %u[%i, %c0] {in_bounds, columns_in_bounds, divisible = 32 : i64} : memref<64x32xbf16, strided<[32, 1]>, #gpu.address_space<global>> -> tensor<16x32xbf16, #take>
    tile.store %s, %u[%i, %c0] {in_bounds, columns_in_bounds, divisible = 32 : i64} : tensor<16x32xbf16, #take>, memref<64x32xbf16, strided<[32, 1]>, #gpu.address_space<global>>
  }
}
