// Orders of dimensions, and slices put into tensors, become views, copies and parts of a concat.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse))' | FileCheck %s

// One kernel reads its operand transposed.
// CHECK-LABEL: func.func @view
// CHECK: te.fusion "view_0" (%[[X:.*]] = %{{.*}} : tensor<?x64xf32>)
// CHECK-NEXT: %[[T:.*]] = te.permute %[[X]] [1, 0]
// CHECK-NEXT: arith.negf %[[T]]
func.func @view(%x: tensor<?x64xf32>) -> tensor<64x?xf32> {
  %t = te.permute %x [1, 0] : tensor<?x64xf32> -> tensor<64x?xf32>
  %y = arith.negf %t : tensor<64x?xf32>
  return %y : tensor<64x?xf32>
}

// Dimensions that stay side by side are one, and one of one element is none: a transposition, or nothing.
// CHECK-LABEL: func.func @runs
// CHECK: %[[C:.*]] = tensor.collapse_shape %{{.*}} {{\[\[0, 1, 2\], \[3\]\]}} : tensor<2x?x1x4xf32> into tensor<?x4xf32>
// CHECK: te.fusion "runs_0" (%[[X:.*]] = %[[C]] : tensor<?x4xf32>)
// CHECK-NEXT: %[[T:.*]] = te.permute %[[X]] [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
// CHECK-NEXT: te.copy %[[T]]
// CHECK: tensor.expand_shape %{{.*}} {{\[\[0, 1\], \[2, 3\]\]}} output_shape [4, 1, 2, %{{.*}}]
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: te.fusion
// CHECK: tensor.expand_shape
func.func @runs(%x: tensor<2x?x1x4xf32>) -> tensor<4x1x2x?xf32> {
  %t = te.permute %x [3, 2, 0, 1] : tensor<2x?x1x4xf32> -> tensor<4x1x2x?xf32>
  return %t : tensor<4x1x2x?xf32>
}
func.func @nothing(%x: tensor<?x1x8xf32>) -> tensor<1x?x8xf32> {
  %t = te.permute %x [1, 0, 2] : tensor<?x1x8xf32> -> tensor<1x?x8xf32>
  return %t : tensor<1x?x8xf32>
}

// Any order: rows, a transposition, rows again; each copied but the last, which is read where it lies.
// CHECK-LABEL: func.func @any
// CHECK: te.permute %{{.*}} [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
// CHECK-NEXT: te.copy
// CHECK: te.permute %{{.*}} [0, 2, 1] : tensor<3x2x4xf32> -> tensor<3x4x2xf32>
// CHECK-NEXT: te.copy
// CHECK: te.permute %{{.*}} [1, 0, 2] : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT: arith.negf
// CHECK-NOT: te.copy
func.func @any(%x: tensor<2x3x4xf32>) -> tensor<4x3x2xf32> {
  %t = te.permute %x [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  %y = arith.negf %t : tensor<4x3x2xf32>
  return %y : tensor<4x3x2xf32>
}

// One kernel of what computes and what stores that transposed.
// CHECK-LABEL: func.func @producer
// CHECK: te.fusion "producer_0"
// CHECK-SAME: -> (tensor<8x?xf32>)
// CHECK-NEXT: arith.negf
// CHECK-NEXT: te.permute
// CHECK-NEXT: te.copy
// CHECK-NOT: te.fusion
func.func @producer(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {
  %n = arith.negf %x : tensor<?x8xf32>
  %t = te.permute %n [1, 0] : tensor<?x8xf32> -> tensor<8x?xf32>
  return %t : tensor<8x?xf32>
}

// A te.gemm with its own flag; a region of its own for a tile of the result that lies transposed.
// CHECK-LABEL: func.func @residual
// CHECK: te.fusion "residual_0"
// CHECK-NEXT: te.gemm %{{.*}}, %{{.*}} transpose_a transpose_b
// CHECK: te.fusion "residual_1"
// CHECK-SAME: not_fused = ["not with 'te.gemm': reads a tile that lies transposed, which a workgroup of te.gemm does not; move the two into regions of their own (F10)"]
func.func @residual(%a: tensor<64x?xbf16>, %b: tensor<32x64xbf16>, %r: tensor<32x?xbf16>) -> tensor<?x32xbf16> {
  %t = te.permute %a [1, 0] : tensor<64x?xbf16> -> tensor<?x64xbf16>
  %u = te.permute %r [1, 0] : tensor<32x?xbf16> -> tensor<?x32xbf16>
  %d = te.gemm %t, %b transpose_b : tensor<?x64xbf16>, tensor<32x64xbf16> -> tensor<?x32xbf16>
  %y = arith.addf %d, %u : tensor<?x32xbf16>
  return %y : tensor<?x32xbf16>
}

// A slice among columns, in two dimensions, and the whole tensor; one dimension less.
// CHECK-LABEL: func.func @columns
// CHECK: te.fusion
// CHECK: %[[A:.*]] = tensor.extract_slice %{{.*}}[0, 0] [4, 8] [1, 1]
// CHECK: %[[B:.*]] = tensor.extract_slice %{{.*}}[0, 12] [4, 12] [1, 1]
// CHECK: tensor.concat dim(1)
// CHECK-LABEL: func.func @box
// CHECK: %[[ROWS:.*]] = tensor.extract_slice %{{.*}}[1, 0] [2, 24] [1, 1]
// CHECK: tensor.extract_slice %[[ROWS]][0, 0] [2, 8] [1, 1]
// CHECK: tensor.concat dim(1)
// CHECK: te.fusion
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [1, 24] [1, 1]
// CHECK: tensor.extract_slice %{{.*}}[3, 0] [1, 24] [1, 1]
// CHECK: tensor.concat dim(0)
// CHECK-LABEL: func.func @whole
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %[[S:.*]]: tensor<4xf32>
// CHECK-NEXT: te.fusion "whole_0" (%[[IN:.*]] = %[[S]] : tensor<4xf32>)
// CHECK-NEXT: te.copy %[[IN]]
// CHECK-NOT: tensor.
func.func @columns(%x: tensor<4x24xf32>, %s: tensor<4x4xf32>) -> tensor<4x24xf32> {
  %r = tensor.insert_slice %s into %x[0, 8] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x24xf32>
  return %r : tensor<4x24xf32>
}
func.func @box(%x: tensor<4x24xf32>, %s: tensor<2x16xf32>) -> tensor<4x24xf32> {
  %r = tensor.insert_slice %s into %x[1, 8] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<4x24xf32>
  return %r : tensor<4x24xf32>
}
func.func @whole(%x: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %r = tensor.insert_slice %s into %x[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
  return %r : tensor<4xf32>
}
