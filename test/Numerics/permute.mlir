// Orders of dimensions as views: tiles are read from where the input lies, transposed or row by row.

// RUN: te-compile %s --target=gfx942 -o %t.942.hsaco --explain | FileCheck %s
// RUN: te-compile %s --target=gfx950 -o %t.950.hsaco
// RUN: %python %S/Inputs/entries.py %t.942.hsaco M=0,1,2,37,130
// RUN: %python %S/Inputs/entries.py %t.950.hsaco M=0,1,2,37,130

// What reads a transposed tensor transposes it.
// CHECK: reads_0
// CHECK-NEXT: one kernel for te.quantize
// CHECK-NOT: reads_1
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @reads(%x: tensor<?x77xbf16> {te.dims = ["M", "K"]}) -> !te.scaled<77x?xf8E4M3FN, #row> {
  %t = te.permute %x [1, 0] : tensor<?x77xbf16> -> tensor<77x?xbf16>
  %q = te.quantize %t : tensor<77x?xbf16> -> !te.scaled<77x?xf8E4M3FN, #row>
  return %q : !te.scaled<77x?xf8E4M3FN, #row>
}

// Rows of a norm, of one that does not fit a tile, and sums over columns.
// CHECK: normed_0
// CHECK-NEXT: one kernel for te.rms_norm te.bias_grad
func.func @normed(%x: tensor<300x?xf16> {te.dims = ["K", "M"]}, %g: tensor<300xf16>) -> (tensor<?x300xf16>, tensor<?xf32>, tensor<300xf16>) {
  %t = te.permute %x [1, 0] : tensor<300x?xf16> -> tensor<?x300xf16>
  %y, %r = te.rms_norm %t, %g {epsilon = 1.0e-5 : f32} : tensor<?x300xf16>, tensor<300xf16> -> tensor<?x300xf16>, tensor<?xf32>
  %s = te.bias_grad %t : tensor<?x300xf16> -> tensor<300xf16>
  return %y, %r, %s : tensor<?x300xf16>, tensor<?xf32>, tensor<300xf16>
}
// CHECK: swept_0
// CHECK-NEXT: one kernel for te.layer_norm te.quantize
func.func @swept(%x: tensor<20000x?xbf16> {te.dims = ["K", "M"]}, %g: tensor<20000xbf16>) -> (!te.scaled<?x20000xf8E4M3FN, #row>, tensor<?xf32>, tensor<?xf32>) {
  %t = te.permute %x [1, 0] : tensor<20000x?xbf16> -> tensor<?x20000xbf16>
  %y, %m, %r = te.layer_norm %t, %g, %g {epsilon = 1.0e-5 : f32} : tensor<?x20000xbf16>, tensor<20000xbf16>, tensor<20000xbf16> -> tensor<?x20000xbf16>, tensor<?xf32>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x20000xbf16> -> !te.scaled<?x20000xf8E4M3FN, #row>
  return %q, %m, %r : !te.scaled<?x20000xf8E4M3FN, #row>, tensor<?xf32>, tensor<?xf32>
}

// Matrices one by one; what is not transposed is read next to it. A part of them is copied first.
// CHECK: matrices_0
// CHECK-NEXT: one kernel for arith.addf arith.negf
// CHECK: parts_0
// CHECK-NEXT: one kernel for te.copy
// CHECK: parts_1
// CHECK-NEXT: one kernel for te.activation
func.func @matrices(%x: tensor<3x?x65xf16> {te.dims = ["E", "M", "K"]}, %y: tensor<3x65x?xf16> {te.dims = ["E", "K", "M"]}) -> tensor<3x65x?xf16> {
  %t = te.permute %x [0, 2, 1] : tensor<3x?x65xf16> -> tensor<3x65x?xf16>
  %s = arith.addf %y, %t : tensor<3x65x?xf16>
  %n = arith.negf %s : tensor<3x65x?xf16>
  return %n : tensor<3x65x?xf16>
}
func.func @parts(%x: tensor<2x3x?x65xbf16> {te.dims = ["D", "E", "M", "K"]}) -> tensor<2x3x65x?xbf16> {
  %t = te.permute %x [0, 1, 3, 2] : tensor<2x3x?x65xbf16> -> tensor<2x3x65x?xbf16>
  %a = te.activation relu %t : tensor<2x3x65x?xbf16> -> tensor<2x3x65x?xbf16>
  return %a : tensor<2x3x65x?xbf16>
}

// Heads before positions, and back: rows in another order, read where they lie. As a part of a concat too.
// CHECK: heads_0
// CHECK-NEXT: one kernel for te.quantize
// CHECK: normal_0
// CHECK-NEXT: one kernel for te.rms_norm
// CHECK-NOT: normal_1
// CHECK: joined_0
// CHECK-NEXT: one kernel for te.copy te.copy tensor.concat
func.func @heads(%x: tensor<?x5x7x64xbf16> {te.dims = ["M", "B", "H", "D"]}) -> !te.scaled<5x7x?x64xf8E4M3FN, #row> {
  %t = te.permute %x [1, 2, 0, 3] : tensor<?x5x7x64xbf16> -> tensor<5x7x?x64xbf16>
  %q = te.quantize %t : tensor<5x7x?x64xbf16> -> !te.scaled<5x7x?x64xf8E4M3FN, #row>
  return %q : !te.scaled<5x7x?x64xf8E4M3FN, #row>
}
func.func @normal(%x: tensor<2x?x4x32xf32> {te.dims = ["B", "M", "H", "D"]}, %g: tensor<32xf32>) -> (tensor<?x2x4x32xf32>, tensor<?x2x4xf32>) {
  %t = te.permute %x [1, 0, 2, 3] : tensor<2x?x4x32xf32> -> tensor<?x2x4x32xf32>
  %y, %r = te.rms_norm %t, %g {epsilon = 1.0e-5 : f32} : tensor<?x2x4x32xf32>, tensor<32xf32> -> tensor<?x2x4x32xf32>, tensor<?x2x4xf32>
  return %y, %r : tensor<?x2x4x32xf32>, tensor<?x2x4xf32>
}
func.func @joined(%x: tensor<?x3x16xf32> {te.dims = ["M", "N", "K"]}, %y: tensor<3x?x16xf32> {te.dims = ["N", "M", "K"]}) -> tensor<3x?x32xf32> {
  %t = te.permute %x [1, 0, 2] : tensor<?x3x16xf32> -> tensor<3x?x16xf32>
  %r = tensor.concat dim(2) %t, %y : (tensor<3x?x16xf32>, tensor<3x?x16xf32>) -> tensor<3x?x32xf32>
  return %r : tensor<3x?x32xf32>
}

// A te.gemm's own flags (f16, whose products do not overflow); of one whose leading dimensions are rows, a copy.
// CHECK: product_0
// CHECK-NEXT: one kernel for te.gemm
// CHECK: rows_0
// CHECK-NEXT: one kernel for te.copy
func.func @product(%a: tensor<64x?xf16> {te.dims = ["K", "M"]}, %b: tensor<48x64xf16>) -> tensor<?x48xf16> {
  %t = te.permute %a [1, 0] : tensor<64x?xf16> -> tensor<?x64xf16>
  %u = te.permute %b [1, 0] : tensor<48x64xf16> -> tensor<64x48xf16>
  %d = te.gemm %t, %u : tensor<?x64xf16>, tensor<64x48xf16> -> tensor<?x48xf16>
  return %d : tensor<?x48xf16>
}
func.func @rows(%a: tensor<3x64x?xf16> {te.dims = ["E", "K", "M"]}, %b: tensor<64x48xf16>) -> tensor<3x?x48xf16> {
  %t = te.permute %a [0, 2, 1] : tensor<3x64x?xf16> -> tensor<3x?x64xf16>
  %d = te.gemm %t, %b : tensor<3x?x64xf16>, tensor<64x48xf16> -> tensor<3x?x48xf16>
  return %d : tensor<3x?x48xf16>
}

// Of what a kernel computes, in that kernel; what several orders and reshapes come to; sizes are asked for.
// CHECK: after_0
// CHECK-NEXT: one kernel for arith.addf te.copy
// CHECK-NOT: after_1
// CHECK: around_0
// CHECK-NEXT: one kernel for te.copy
// CHECK-NOT: around_1
func.func @after(%x: tensor<?x96xf32> {te.dims = ["M", "K"]}) -> (tensor<?x96xf32>, tensor<96x?xf32>) {
  %s = arith.addf %x, %x : tensor<?x96xf32>
  %t = te.permute %s [1, 0] : tensor<?x96xf32> -> tensor<96x?xf32>
  return %s, %t : tensor<?x96xf32>, tensor<96x?xf32>
}
func.func @around(%x: tensor<?x4x6x8xf32> {te.dims = ["M", "A", "B", "C"]}) -> tensor<?x192xf32> {
  %t = te.permute %x [3, 0, 1, 2] : tensor<?x4x6x8xf32> -> tensor<8x?x4x6xf32>
  %u = te.permute %t [1, 0, 2, 3] : tensor<8x?x4x6xf32> -> tensor<?x8x4x6xf32>
  %r = tensor.collapse_shape %u [[0], [1, 2, 3]] : tensor<?x8x4x6xf32> into tensor<?x192xf32>
  return %r : tensor<?x192xf32>
}
