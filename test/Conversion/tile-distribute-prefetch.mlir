// tile.prefetch: the first lanes ask L2 for a part each of the rows that are inside of the buffer.

// RUN: te-opt %s --tile-distribute --canonicalize | FileCheck %s

// 2 rows of 4096 bytes in parts of 1024: 8 lanes.
// CHECK-LABEL: gpu.func @whole
// CHECK-DAG: %[[ROWS:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[LANES:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 1024 : i32
// CHECK-DAG: %[[PART:.*]] = arith.constant 1024 : index
// CHECK-DAG: %[[PITCH:.*]] = arith.constant 4096 : index
// CHECK-DAG: %[[PARTS:.*]] = arith.constant 4 : index
// CHECK: %[[LANE:.*]] = arith.index_castui
// CHECK: %[[DOWN:.*]] = arith.divui %[[LANE]], %[[PARTS]] : index
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[DOWN]] : index
// CHECK: %[[ALONG:.*]] = arith.remui %[[LANE]], %[[PARTS]] : index
// CHECK: %[[BEHIND:.*]] = arith.muli %[[ALONG]], %[[PART]] : index
// CHECK: arith.cmpi ult, %[[LANE]], %[[LANES]] : index
// CHECK: arith.cmpi ult, %[[ROW]], %[[ROWS]] : index
// CHECK: scf.if
// CHECK: %[[START:.*]] = arith.muli %[[ROW]], %[[PITCH]] : index
// CHECK: arith.addi %[[START]], %[[BEHIND]] : index
// CHECK: nvvm.cp.async.bulk.prefetch %{{.*}}, %[[BYTES]] : <1>
// CHECK-NOT: nvvm.cp.async.bulk.prefetch
tile.kernel @whole(%x: memref<bf16, #gpu.address_space<global>>) attributes {target = "sm_90a", waves = 1 : i64} {
  %id = gpu.block_id x
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [64, 2048], strides: [2048, 1] : memref<bf16, #gpu.address_space<global>> to memref<64x2048xbf16, strided<[2048, 1]>, #gpu.address_space<global>>
  tile.prefetch %view[%id] rows 2 bytes 1024 : memref<64x2048xbf16, strided<[2048, 1]>, #gpu.address_space<global>>
}

// More parts than lanes: of rows of 3072 bytes, 48.
// CHECK-LABEL: gpu.func @many
// CHECK-COUNT-2: nvvm.cp.async.bulk.prefetch
// CHECK-NOT: nvvm.cp.async.bulk.prefetch
tile.kernel @many(%x: memref<bf16, #gpu.address_space<global>>, %n: index) attributes {target = "sm_90a", waves = 1 : i64} {
  %id = gpu.block_id x
  %view = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 1536], strides: [1536, 1] : memref<bf16, #gpu.address_space<global>> to memref<?x1536xbf16, strided<[1536, 1]>, #gpu.address_space<global>>
  tile.prefetch %view[%id] rows 4 bytes 256 : memref<?x1536xbf16, strided<[1536, 1]>, #gpu.address_space<global>>
}
