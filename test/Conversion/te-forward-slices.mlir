// Elements of vectors come from where they were made; what does not move whole
// registers stays as it is.

// RUN: te-opt %s --te-forward-slices --split-input-file | FileCheck %s

gpu.module @kernels {
  // What was inserted is extracted; an insertion that others cover is none.
  // CHECK-LABEL: gpu.func @through_insertions
  // CHECK-SAME: (%[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>, %[[W:.*]]: vector<8xf32>
  gpu.func @through_insertions(%a: vector<4xf32>, %b: vector<4xf32>, %wide: vector<8xf32>, %out: memref<vector<4xf32>>) kernel {
    %0 = vector.insert_strided_slice %b, %wide {offsets = [0], strides = [1]} : vector<4xf32> into vector<8xf32>
    %1 = vector.insert_strided_slice %a, %0 {offsets = [0], strides = [1]} : vector<4xf32> into vector<8xf32>
    %2 = vector.extract_strided_slice %1 {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    %3 = vector.extract_strided_slice %1 {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    // CHECK-NEXT: %[[LAST:.*]] = vector.extract_strided_slice %[[W]] {offsets = [4]
    // CHECK-NEXT: memref.store %[[A]]
    // CHECK-NEXT: memref.store %[[LAST]]
    memref.store %2, %out[] : memref<vector<4xf32>>
    memref.store %3, %out[] : memref<vector<4xf32>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Bytes are put together from registers where they are registers' bits.
  // CHECK-LABEL: gpu.func @put_together
  // CHECK-SAME: (%[[A:.*]]: vector<2xi32>, %[[B:.*]]: vector<2xi32>
  gpu.func @put_together(%a: vector<2xi32>, %b: vector<2xi32>, %out: memref<vector<16xi8>>) kernel {
    %zeros = arith.constant dense<0> : vector<16xi8>
    %0 = vector.bitcast %a : vector<2xi32> to vector<8xi8>
    %1 = vector.bitcast %b : vector<2xi32> to vector<8xi8>
    %2 = vector.insert_strided_slice %0, %zeros {offsets = [0], strides = [1]} : vector<8xi8> into vector<16xi8>
    %3 = vector.insert_strided_slice %1, %2 {offsets = [8], strides = [1]} : vector<8xi8> into vector<16xi8>
    %4 = vector.shuffle %3, %3 [0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15] : vector<16xi8>, vector<16xi8>
    // CHECK-DAG: %[[A0:.*]] = vector.extract_strided_slice %[[A]] {offsets = [0], sizes = [1]
    // CHECK-DAG: %[[B0:.*]] = vector.extract_strided_slice %[[B]] {offsets = [0], sizes = [1]
    // CHECK-DAG: %[[A1:.*]] = vector.extract_strided_slice %[[A]] {offsets = [1], sizes = [1]
    // CHECK-DAG: %[[B1:.*]] = vector.extract_strided_slice %[[B]] {offsets = [1], sizes = [1]
    // CHECK: %[[P0:.*]] = vector.insert_strided_slice %[[A0]], %{{.*}} {offsets = [0]
    // CHECK: %[[P1:.*]] = vector.insert_strided_slice %[[B0]], %[[P0]] {offsets = [1]
    // CHECK: %[[P2:.*]] = vector.insert_strided_slice %[[A1]], %[[P1]] {offsets = [2]
    // CHECK: %[[ALL:.*]] = vector.insert_strided_slice %[[B1]], %[[P2]] {offsets = [3]
    // CHECK: %[[BYTES:.*]] = vector.bitcast %[[ALL]] : vector<4xi32> to vector<16xi8>
    // CHECK: memref.store %[[BYTES]]
    memref.store %4, %out[] : memref<vector<16xi8>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Parts of other sizes, and elements that do not matter.
  // CHECK-LABEL: gpu.func @other_sizes
  // CHECK-SAME: (%[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<2xf32>
  gpu.func @other_sizes(%a: vector<4xf32>, %b: vector<2xf32>, %out: memref<vector<8xf32>>) kernel {
    %0 = vector.shuffle %a, %b [0, 1, 2, 3, 4, 5] : vector<4xf32>, vector<2xf32>
    %1 = vector.shuffle %0, %0 [0, 1, 2, 3, 4, 5, -1, -1] : vector<6xf32>, vector<6xf32>
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0> : vector<8xi32>
    // CHECK: %[[ZEROS:.*]] = vector.bitcast %[[ZERO]]
    // CHECK: %[[FIRST:.*]] = vector.insert_strided_slice %[[A]], %[[ZEROS]] {offsets = [0]
    // CHECK: %[[BOTH:.*]] = vector.insert_strided_slice %[[B]], %[[FIRST]] {offsets = [4]
    // CHECK: memref.store %[[BOTH]]
    memref.store %1, %out[] : memref<vector<8xf32>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // Bytes that change places inside of a register, and vectors of two
  // dimensions, are left alone.
  // CHECK-LABEL: gpu.func @left_alone
  // CHECK-SAME: (%[[A:.*]]: vector<4xi8>, %[[M:.*]]: vector<2x4xf32>
  gpu.func @left_alone(%a: vector<4xi8>, %m: vector<2x4xf32>, %bytes: memref<vector<4xi8>>, %out: memref<vector<1x4xf32>>) kernel {
    // CHECK-NEXT: %[[TURNED:.*]] = vector.shuffle %[[A]], %[[A]] [1, 0, 3, 2]
    // CHECK-NEXT: %[[AGAIN:.*]] = vector.shuffle %[[TURNED]], %[[TURNED]] [2, 3, 0, 1]
    %0 = vector.shuffle %a, %a [1, 0, 3, 2] : vector<4xi8>, vector<4xi8>
    %1 = vector.shuffle %0, %0 [2, 3, 0, 1] : vector<4xi8>, vector<4xi8>
    // CHECK-NEXT: vector.extract_strided_slice %[[M]]
    // CHECK-NEXT: %[[PUT:.*]] = vector.insert_strided_slice
    // CHECK-NEXT: vector.extract_strided_slice %[[PUT]]
    %2 = vector.extract_strided_slice %m {offsets = [1, 0], sizes = [1, 4], strides = [1, 1]} : vector<2x4xf32> to vector<1x4xf32>
    %3 = vector.insert_strided_slice %2, %m {offsets = [0, 0], strides = [1, 1]} : vector<1x4xf32> into vector<2x4xf32>
    %4 = vector.extract_strided_slice %3 {offsets = [1, 0], sizes = [1, 4], strides = [1, 1]} : vector<2x4xf32> to vector<1x4xf32>
    memref.store %1, %bytes[] : memref<vector<4xi8>>
    memref.store %4, %out[] : memref<vector<1x4xf32>>
    gpu.return
  }
}
