// Ops that read slices of one tensor are one region of several parts; views are copied into the regions that read them.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s

// CHECK-LABEL: func.func @split
// CHECK: %[[R:.*]]:2 = te.fusion "split_0" (%[[A:.*]] = %{{.*}} : tensor<?x192xf32>, %[[N:.*]] = %{{.*}} : index) -> (tensor<?x64xf32>, tensor<?x2x64xf32>)
// CHECK-DAG: %[[X:.*]] = tensor.extract_slice %[[A]][0, 0] [%[[N]], 64]
// CHECK-DAG: %[[Y:.*]] = tensor.extract_slice %[[A]][0, 64] [%[[N]], 128]
// CHECK-DAG: %[[Z:.*]] = tensor.expand_shape %[[Y]]
// CHECK-DAG: te.copy %[[X]]
// CHECK-DAG: arith.negf %[[Z]]
// CHECK: te.yield
// CHECK-NOT: te.fusion
// CHECK-NOT: tensor.
func.func @split(%x: tensor<?x192xf32>) -> (tensor<?x64xf32>, tensor<?x2x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x192xf32>
  %a = tensor.extract_slice %x[0, 0] [%n, 64] [1, 1] : tensor<?x192xf32> to tensor<?x64xf32>
  %b = tensor.extract_slice %x[0, 64] [%n, 128] [1, 1] : tensor<?x192xf32> to tensor<?x128xf32>
  %c = tensor.expand_shape %b [[0], [1, 2]] output_shape [%n, 2, 64] : tensor<?x128xf32> into tensor<?x2x64xf32>
  %y = arith.negf %c : tensor<?x2x64xf32>
  return %a, %y : tensor<?x64xf32>, tensor<?x2x64xf32>
}

// -----

// Rows of unknown lengths are one kernel as well, where nothing is computed over whole rows.
// CHECK-LABEL: func.func @unknown(
// CHECK: te.fusion "unknown_0"
// CHECK-NOT: te.fusion
func.func @unknown(%x: tensor<8x?xf32>, %m: index, %n: index) -> (tensor<8x?xf32>, tensor<8x?xf32>) {
  %a = tensor.extract_slice %x[0, 0] [8, %m] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
  %b = tensor.extract_slice %x[0, %m] [8, %n] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
  %y = arith.negf %a : tensor<8x?xf32>
  %z = math.absf %b : tensor<8x?xf32>
  return %y, %z : tensor<8x?xf32>, tensor<8x?xf32>
}

// -----

// CHECK-LABEL: func.func @unknown_norm
// CHECK: te.fusion "unknown_norm_0"
// CHECK: te.fusion "unknown_norm_1" {{.*}}not_fused = ["not with 'arith.negf': computes over whole rows, and subkernels of the region have rows of unknown lengths; give their last dimensions static sizes, or move the subkernels into regions of their own (F7)"]
func.func @unknown_norm(%x: tensor<8x?xf32>, %g: tensor<?xf32>, %m: index, %n: index) -> (tensor<8x?xf32>, tensor<8x?xf32>, tensor<8xf32>) {
  %a = tensor.extract_slice %x[0, 0] [8, %m] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
  %b = tensor.extract_slice %x[0, %m] [8, %n] [1, 1] : tensor<8x?xf32> to tensor<8x?xf32>
  %y = arith.negf %a : tensor<8x?xf32>
  %z, %r = te.rms_norm %b, %g {epsilon = 1.0e-5 : f32} : tensor<8x?xf32>, tensor<?xf32> -> tensor<8x?xf32>, tensor<8xf32>
  return %y, %z, %r : tensor<8x?xf32>, tensor<8x?xf32>, tensor<8xf32>
}

// -----

// Slices of one tensor, of whatever reshapes of it: one argument, which is reshaped inside.
// CHECK-LABEL: func.func @reshaped
// CHECK: te.fusion "reshaped_0" (%[[X:.*]] = %{{.*}} : tensor<4x2x96xf32>) ->
// CHECK-DAG: %[[C:.*]] = tensor.collapse_shape %[[X]]
// CHECK-DAG: tensor.extract_slice %[[C]][0, 48]
// CHECK-DAG: %[[D:.*]] = tensor.collapse_shape %[[X]]
// CHECK-DAG: tensor.extract_slice %[[D]][0, 0]
// CHECK-DAG: tensor.extract_slice %[[X]][0, 0, 32]
// CHECK: te.yield
// CHECK-NOT: te.fusion
func.func @reshaped(%x: tensor<4x2x96xf32>) -> (tensor<8x48xf32>, tensor<8x48xf32>, tensor<4x2x48xf32>) {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x2x96xf32> into tensor<8x96xf32>
  %d = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x2x96xf32> into tensor<8x96xf32>
  %h = tensor.extract_slice %c[0, 48] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %i = tensor.extract_slice %d[0, 0] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %j = tensor.extract_slice %x[0, 0, 32] [4, 2, 48] [1, 1, 1] : tensor<4x2x96xf32> to tensor<4x2x48xf32>
  %a = arith.negf %h : tensor<8x48xf32>
  %b = math.absf %i : tensor<8x48xf32>
  %e = arith.negf %j : tensor<4x2x48xf32>
  return %a, %b, %e : tensor<8x48xf32>, tensor<8x48xf32>, tensor<4x2x48xf32>
}

// -----

// What reads a buffer as a whole has a reshape of its own, outside; tiles are reshaped inside.
// CHECK-LABEL: func.func @matrix
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[X:[a-z0-9]+]] {{.*}} : tensor<2x?x96xf32>
// CHECK: te.fusion "matrix_0" (%[[Y:.*]] = %[[X]] : {{.*}}, %[[B:.*]] = %[[A]] : tensor<?x96xf32>, %[[W:.*]] = %{{.*}} : tensor<96x96xf32>)
// CHECK-DAG: arith.negf %[[Y]]
// CHECK-DAG: %[[P:.*]] = te.gemm %[[B]], %[[W]]
// CHECK-DAG: %[[C:.*]] = tensor.collapse_shape %[[Y]]
// CHECK-DAG: arith.addf %[[C]], %[[P]]
// CHECK: te.yield
// CHECK-NOT: te.fusion
func.func @matrix(%x: tensor<2x?x96xf32>, %w: tensor<96x96xf32>) -> (tensor<2x?x96xf32>, tensor<?x96xf32>) {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x96xf32> into tensor<?x96xf32>
  %n = arith.negf %x : tensor<2x?x96xf32>
  %p = te.gemm %c, %w : tensor<?x96xf32>, tensor<96x96xf32> -> tensor<?x96xf32>
  %s = arith.addf %c, %p : tensor<?x96xf32>
  return %n, %s : tensor<2x?x96xf32>, tensor<?x96xf32>
}

// -----

// A reshape of a whole buffer stays outside: it is that buffer.
// CHECK-LABEL: func.func @whole
// CHECK: %[[E:.*]] = tensor.expand_shape
// CHECK: %[[F:.*]] = te.fusion "whole_0" (%{{.*}} = %[[E]] :
// CHECK-NOT: tensor.
// CHECK: te.yield
// CHECK: tensor.collapse_shape %[[F]]
func.func @whole(%x: tensor<8x64xf32>) -> tensor<16x32xf32> {
  %e = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 2, 32] : tensor<8x64xf32> into tensor<8x2x32xf32>
  %y = arith.negf %e : tensor<8x2x32xf32>
  %c = tensor.collapse_shape %y [[0, 1], [2]] : tensor<8x2x32xf32> into tensor<16x32xf32>
  return %c : tensor<16x32xf32>
}
