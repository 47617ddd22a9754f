// Constants of a size that is known at run time only.

// RUN: te-compile %s --target=gfx942 -o %t.942.hsaco --explain | FileCheck %s
// RUN: te-compile %s --target=gfx950 -o %t.950.hsaco
// RUN: %python %S/Inputs/entries.py %t.942.hsaco M=0,1,2,37,130
// RUN: %python %S/Inputs/entries.py %t.950.hsaco M=0,1,2,37,130

// Operands of elementwise ops, fused with what reads them.
// CHECK: halved_0
// CHECK-NEXT: one kernel for te.full_like arith.mulf te.quantize
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @halved(%x: tensor<?x77xbf16> {te.dims = ["M", "K"]}) -> !te.scaled<?x77xf8E4M3FN, #row> {
  %half = te.full_like %x, 5.000000e-01 : bf16 : tensor<?x77xbf16>
  %y = arith.mulf %x, %half : tensor<?x77xbf16>
  %q = te.quantize %y : tensor<?x77xbf16> -> !te.scaled<?x77xf8E4M3FN, #row>
  return %q : !te.scaled<?x77xf8E4M3FN, #row>
}

// The only thing that there is; the input's NaN do not reach it.
// CHECK: filled_0
// CHECK-NEXT: one kernel for te.full_like
func.func @filled(%x: tensor<?x50xf32> {te.dims = ["M", "K"]}) -> tensor<?x50xf32> {
  %y = te.full_like %x, 0xFF800000 : f32 : tensor<?x50xf32>
  return %y : tensor<?x50xf32>
}

// Integers, and a tensor of rank 1.
// CHECK: counted_0
// CHECK-NEXT: one kernel for te.full_like arith.addi
func.func @counted(%x: tensor<?xi32> {te.dims = ["M"]}) -> tensor<?xi32> {
  %one = te.full_like %x, -7 : i32 : tensor<?xi32>
  %y = arith.addi %x, %one : tensor<?xi32>
  return %y : tensor<?xi32>
}

// Of what is computed before, and of a transposed tensor.
// CHECK: after_0
// CHECK: turned_0
func.func @after(%x: tensor<?x64xf16> {te.dims = ["M", "K"]}, %g: tensor<64xf16>) -> tensor<?x64xf16> {
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x64xf16>, tensor<64xf16> -> tensor<?x64xf16>, tensor<?xf32>
  %one = te.full_like %y, 1.0 : f16 : tensor<?x64xf16>
  %z = arith.addf %y, %one : tensor<?x64xf16>
  return %z : tensor<?x64xf16>
}
func.func @turned(%x: tensor<?x64xf16> {te.dims = ["M", "K"]}) -> tensor<64x?xf16> {
  %t = te.permute %x [1, 0] : tensor<?x64xf16> -> tensor<64x?xf16>
  %one = te.full_like %t, 1.0 : f16 : tensor<64x?xf16>
  %z = arith.subf %one, %t : tensor<64x?xf16>
  return %z : tensor<64x?xf16>
}

// After a product, and next to no other operand of the op.
// CHECK: product_0
func.func @product(%x: tensor<?x64xbf16> {te.dims = ["M", "K"]}, %w: tensor<96x64xbf16>) -> tensor<?x96xbf16> {
  %y = te.gemm %x, %w {transpose_b} : tensor<?x64xbf16>, tensor<96x64xbf16> -> tensor<?x96xbf16>
  %two = te.full_like %y, 2.0 : bf16 : tensor<?x96xbf16>
  %three = te.full_like %y, 3.0 : bf16 : tensor<?x96xbf16>
  %five = arith.addf %two, %three : tensor<?x96xbf16>
  %z = arith.mulf %y, %five : tensor<?x96xbf16>
  return %z : tensor<?x96xbf16>
}
