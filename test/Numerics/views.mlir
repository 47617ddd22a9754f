// Slices, reshapes and concatenations around kernels: views of buffers, and buffers written in parts.

// RUN: te-compile %s --target=gfx942 --variants=none --emit=fused -o /dev/null --explain | FileCheck %s
// RUN: te-compile %s --target=gfx942 -o %t.942.hsaco
// RUN: te-compile %s --target=gfx950 -o %t.950.hsaco
// RUN: %python %S/Inputs/entries.py %t.942.hsaco M=0,1,2,37,130
// RUN: %python %S/Inputs/entries.py %t.950.hsaco M=0,1,2,37,130

// A reshape that keeps the rows is between two ops of one kernel.
// CHECK: rows_0
// CHECK-NEXT: one kernel for arith.addf te.quantize
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @rows(%x: tensor<?x3x96xbf16> {te.dims = ["M", "N", "K"]}, %y: tensor<?x3x96xbf16> {te.dims = ["M", "N", "K"]})
    -> (!te.scaled<?x96xf8E4M3FN, #row>, tensor<?x96xbf16>) {
  %a = arith.addf %x, %y : tensor<?x3x96xbf16>
  %b = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x3x96xbf16> into tensor<?x96xbf16>
  %q = te.quantize %b : tensor<?x96xbf16> -> !te.scaled<?x96xf8E4M3FN, #row>
  return %q, %b : !te.scaled<?x96xf8E4M3FN, #row>, tensor<?x96xbf16>
}

// Slices of one tensor: of two reshapes of it, and of it as it is.
// CHECK: reshaped_0
// CHECK-NEXT: one kernel for te.copy te.activation arith.negf, in 3 subkernels
func.func @reshaped(%x: tensor<2x?x96xbf16> {te.dims = ["B", "M", "K"]}) -> (tensor<?x48xbf16>, tensor<?x48xbf16>, tensor<2x?x48xbf16>) {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x96xbf16> into tensor<?x96xbf16>
  %d = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x96xbf16> into tensor<?x96xbf16>
  %m = te.dim %x, 1 : tensor<2x?x96xbf16>
  %n = te.dim %c, 0 : tensor<?x96xbf16>
  %h = tensor.extract_slice %c[0, 48] [%n, 48] [1, 1] : tensor<?x96xbf16> to tensor<?x48xbf16>
  %i = tensor.extract_slice %d[0, 0] [%n, 48] [1, 1] : tensor<?x96xbf16> to tensor<?x48xbf16>
  %j = tensor.extract_slice %x[0, 0, 32] [2, %m, 48] [1, 1, 1] : tensor<2x?x96xbf16> to tensor<2x?x48xbf16>
  %a = te.activation relu %h : tensor<?x48xbf16> -> tensor<?x48xbf16>
  %b = arith.negf %i : tensor<?x48xbf16>
  return %a, %b, %j : tensor<?x48xbf16>, tensor<?x48xbf16>, tensor<2x?x48xbf16>
}

// A matrix that is a reshape of what tiles are read of, and a tensor next to its product's result.
// CHECK: matrix_0
// CHECK-NEXT: one kernel for arith.negf te.gemm arith.addf
// CHECK: matrix_1
// CHECK-NEXT: one kernel for te.copy te.copy tensor.concat, in 2 subkernels
func.func @matrix(%x: tensor<2x?x96xbf16> {te.dims = ["B", "M", "K"]}, %w: tensor<96x96xbf16>) -> (tensor<2x?x96xbf16>, tensor<?x96xbf16>, tensor<?x192xbf16>) {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x?x96xbf16> into tensor<?x96xbf16>
  %n = arith.negf %x : tensor<2x?x96xbf16>
  %p = te.gemm %c, %w : tensor<?x96xbf16>, tensor<96x96xbf16> -> tensor<?x96xbf16>
  %s = arith.addf %c, %p : tensor<?x96xbf16>
  %b = tensor.concat dim(1) %p, %c : (tensor<?x96xbf16>, tensor<?x96xbf16>) -> tensor<?x192xbf16>
  return %n, %s, %b : tensor<2x?x96xbf16>, tensor<?x96xbf16>, tensor<?x192xbf16>
}

// Columns and rows of a matrix: SwiGLU of two halves, by hand; the halves meet in one part.
// CHECK: halves_0
// CHECK-NEXT: one kernel for te.activation arith.mulf
func.func @halves(%x: tensor<?x154xf32> {te.dims = ["M", "K"]}) -> tensor<?x77xf32> {
  %m = te.dim %x, 0 : tensor<?x154xf32>
  %a = tensor.extract_slice %x[0, 0] [%m, 77] [1, 1] : tensor<?x154xf32> to tensor<?x77xf32>
  %b = tensor.extract_slice %x[0, 77] [%m, 77] [1, 1] : tensor<?x154xf32> to tensor<?x77xf32>
  %s = te.activation relu %a : tensor<?x77xf32> -> tensor<?x77xf32>
  %y = arith.mulf %s, %b : tensor<?x77xf32>
  return %y : tensor<?x77xf32>
}

// A box inside of three dimensions, collapsed: rows that are not evenly apart. Sizes of slices are asked for.
// CHECK: box_0
// CHECK-NEXT: one kernel for arith.negf
func.func @box(%x: tensor<?x7x40xf16> {te.dims = ["M", "N", "K"]}) -> tensor<?x24xf16> {
  %m = te.dim %x, 0 : tensor<?x7x40xf16>
  %a = tensor.extract_slice %x[0, 2, 9] [%m, 4, 24] [1, 1, 1] : tensor<?x7x40xf16> to tensor<?x4x24xf16>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x4x24xf16>
  %b = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x4x24xf16> into tensor<?x24xf16>
  %y = arith.negf %b : tensor<?x24xf16>
  return %y : tensor<?x24xf16>
}

// One dimension less; a slice that is returned is copied, in the same kernel. Rank 1.
// CHECK: dropped_0
// CHECK-NEXT: one kernel for {{(te.copy|arith.addf) (te.copy|arith.addf)}}{{$}}
func.func @dropped(%x: tensor<?x2x33xbf16> {te.dims = ["M", "N", "K"]}) -> (tensor<?x33xbf16>, tensor<?x33xbf16>) {
  %m = te.dim %x, 0 : tensor<?x2x33xbf16>
  %a = tensor.extract_slice %x[0, 0, 0] [%m, 1, 33] [1, 1, 1] : tensor<?x2x33xbf16> to tensor<?x33xbf16>
  %b = tensor.extract_slice %x[0, 1, 0] [%m, 1, 33] [1, 1, 1] : tensor<?x2x33xbf16> to tensor<?x33xbf16>
  %y = arith.addf %a, %b : tensor<?x33xbf16>
  return %a, %y : tensor<?x33xbf16>, tensor<?x33xbf16>
}

// Parts side by side: what a kernel computes, an argument, and a part of one, along rows and along columns.
// CHECK: beside_0
// CHECK-NEXT: one kernel for arith.negf te.copy te.copy tensor.concat
// CHECK: below_0
// CHECK-NEXT: one kernel for
func.func @beside(%x: tensor<?x31xf32> {te.dims = ["M", "K"]}, %y: tensor<?x31xf32> {te.dims = ["M", "K"]}) -> tensor<?x93xf32> {
  %n = arith.negf %x : tensor<?x31xf32>
  %r = tensor.concat dim(1) %n, %y, %x : (tensor<?x31xf32>, tensor<?x31xf32>, tensor<?x31xf32>) -> tensor<?x93xf32>
  return %r : tensor<?x93xf32>
}
func.func @below(%x: tensor<?x5x16xf32> {te.dims = ["M", "N", "K"]}, %y: tensor<3x5x16xf32>) -> (tensor<?x5x16xf32>, tensor<?x5x16xf32>) {
  %n = arith.negf %x : tensor<?x5x16xf32>
  %r = tensor.concat dim(0) %n, %y : (tensor<?x5x16xf32>, tensor<3x5x16xf32>) -> tensor<?x5x16xf32>
  return %r, %n : tensor<?x5x16xf32>, tensor<?x5x16xf32>
}

// Parts of different widths.
// CHECK: widths_0
// CHECK-NEXT: one kernel for {{.*}}, in 3 subkernels
func.func @widths(%x: tensor<?x96xbf16> {te.dims = ["M", "K"]}, %y: tensor<?x7xbf16> {te.dims = ["M", "L"]}) -> tensor<?x151xbf16> {
  %m = te.dim %x, 0 : tensor<?x96xbf16>
  %a = tensor.extract_slice %x[0, 48] [%m, 48] [1, 1] : tensor<?x96xbf16> to tensor<?x48xbf16>
  %n = arith.negf %x : tensor<?x96xbf16>
  %r = tensor.concat dim(1) %a, %n, %y : (tensor<?x48xbf16>, tensor<?x96xbf16>, tensor<?x7xbf16>) -> tensor<?x151xbf16>
  return %r : tensor<?x151xbf16>
}

// A small operand that is a slice is copied first.
// CHECK: small_0
// CHECK-NEXT: one kernel for te.copy
// CHECK: small_1
// CHECK-NEXT: one kernel for te.rms_norm
func.func @small(%x: tensor<?x64xf32> {te.dims = ["M", "K"]}, %g: tensor<96xf32>) -> tensor<?x64xf32> {
  %s = tensor.extract_slice %g[16] [64] [1] : tensor<96xf32> to tensor<64xf32>
  %y, %r = te.rms_norm %x, %s {epsilon = 1.0e-5 : f32} : tensor<?x64xf32>, tensor<64xf32> -> tensor<?x64xf32>, tensor<?xf32>
  return %y : tensor<?x64xf32>
}

// A slice of a slice, with an offset that is a value; an argument that is returned.
// CHECK: nested_0
// CHECK-NEXT: one kernel for te.amax arith.addf
// CHECK: nested_1
// CHECK-NEXT: one kernel for te.copy
func.func @nested(%x: tensor<?x4x8x32xf32> {te.dims = ["M", "a", "b", "c"]}) -> (tensor<?x32xf32>, tensor<f32>, tensor<?x4x8x32xf32>) {
  %m = te.dim %x, 0 : tensor<?x4x8x32xf32>
  %h = arith.constant 1 : index
  %a = tensor.extract_slice %x[0, %h, 2, 0] [%m, 2, 5, 32] [1, 1, 1, 1] : tensor<?x4x8x32xf32> to tensor<?x2x5x32xf32>
  %b = tensor.extract_slice %a[0, 0, 1, 0] [%m, 2, 3, 32] [1, 1, 1, 1] : tensor<?x2x5x32xf32> to tensor<?x2x3x32xf32>
  %c = tensor.collapse_shape %b [[0, 1, 2], [3]] : tensor<?x2x3x32xf32> into tensor<?x32xf32>
  %q = te.amax %c : tensor<?x32xf32> -> tensor<f32>
  %n = arith.addf %c, %c : tensor<?x32xf32>
  %x2 = te.copy %x : tensor<?x4x8x32xf32>
  return %n, %q, %x2 : tensor<?x32xf32>, tensor<f32>, tensor<?x4x8x32xf32>
}

// Reshapes of whole buffers are no kernels: between two with other rows, and of what is returned.
// CHECK: aliases_0
// CHECK-NEXT: one kernel for arith.negf
// CHECK: aliases_1
// CHECK-NEXT: one kernel for te.rms_norm
// CHECK-NOT: one kernel
func.func @aliases(%x: tensor<?x64xf32> {te.dims = ["M", "K"]}, %g: tensor<16xf32>) -> (tensor<?x2x2x16xf32>, tensor<?xf32>) {
  %m = te.dim %x, 0 : tensor<?x64xf32>
  %n = arith.negf %x : tensor<?x64xf32>
  %e = tensor.expand_shape %n [[0], [1, 2]] output_shape [%m, 4, 16] : tensor<?x64xf32> into tensor<?x4x16xf32>
  %y, %r = te.rms_norm %e, %g {epsilon = 1.0e-5 : f32} : tensor<?x4x16xf32>, tensor<16xf32> -> tensor<?x4x16xf32>, tensor<?x4xf32>
  %s = tensor.expand_shape %y [[0], [1, 2], [3]] output_shape [%m, 2, 2, 16] : tensor<?x4x16xf32> into tensor<?x2x2x16xf32>
  %t = tensor.collapse_shape %r [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  return %s, %t : tensor<?x2x2x16xf32>, tensor<?xf32>
}
