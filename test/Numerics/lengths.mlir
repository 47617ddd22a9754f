// Slices, concatenations and casts whose last dimension has no known length.

// RUN: te-compile %s --target=gfx942 -o %t.942.hsaco --explain | FileCheck %s
// RUN: te-compile %s --target=gfx950 -o %t.950.hsaco
// RUN: te-run %t.942.hsaco --entry=beside --dim=M=33 --dim=K=700 --dim=N=1300 --check --sanitize
// RUN: te-run %t.950.hsaco --entry=beside --dim=M=1 --dim=K=1 --dim=N=4097 --check --sanitize
// RUN: te-run %t.950.hsaco --entry=beside --dim=M=3 --dim=K=0 --dim=N=5 --check --sanitize
// RUN: te-run %t.942.hsaco --entry=beside --dim=M=0 --dim=K=9 --dim=N=5 --check --sanitize
// RUN: te-run %t.942.hsaco --entry=apart --dim=M=33 --dim=K=2000 --dim=N=700 --check --sanitize
// RUN: te-run %t.950.hsaco --entry=apart --dim=M=5 --dim=K=77 --dim=N=77 --check --sanitize
// RUN: te-run %t.950.hsaco --entry=mixed --dim=M=37 --dim=K=1031 --check --sanitize
// RUN: te-run %t.942.hsaco --entry=cast --dim=M=7 --check --sanitize
// RUN: te-run %t.950.hsaco --entry=cast_back --dim=M=7 --dim=K=64 --check --sanitize

// CHECK: beside_0
// CHECK-NEXT: one kernel for te.activation te.copy tensor.concat, in 2 subkernels
func.func @beside(%x: tensor<?x?xbf16> {te.dims = ["M", "K"]}, %y: tensor<?x?xbf16> {te.dims = ["M", "N"]}) -> tensor<?x?xbf16> {
  %a = te.activation relu %y : tensor<?x?xbf16> -> tensor<?x?xbf16>
  %z = tensor.concat dim(1) %x, %a : (tensor<?x?xbf16>, tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %z : tensor<?x?xbf16>
}

// Two ranges of columns of one tensor, the first of the length of another; they are quantized and negated in one kernel.
// CHECK: apart_0
// CHECK-NEXT: one kernel for arith.negf te.quantize, in 2 subkernels
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @apart(%x: tensor<?x?xf32> {te.dims = ["M", "K"]}, %s: tensor<?xf32> {te.dims = ["N"]})
    -> (tensor<?x?xf32>, !te.scaled<?x64xf8E4M3FN, #row>) {
  %m = te.dim %x, 0 : tensor<?x?xf32>
  %n = te.dim %s, 0 : tensor<?xf32>
  %a = tensor.extract_slice %x[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %b = tensor.extract_slice %x[0, 13] [%m, 64] [1, 1] : tensor<?x?xf32> to tensor<?x64xf32>
  %y = arith.negf %a : tensor<?x?xf32>
  %q = te.quantize %b : tensor<?x64xf32> -> !te.scaled<?x64xf8E4M3FN, #row>
  return %y, %q : tensor<?x?xf32>, !te.scaled<?x64xf8E4M3FN, #row>
}

// A part of a known length next to one that is not known.
// CHECK: mixed_0
// CHECK-NEXT: one kernel for te.copy te.copy tensor.concat, in 2 subkernels
func.func @mixed(%x: tensor<?x?xf16> {te.dims = ["M", "K"]}, %y: tensor<?x40xf16> {te.dims = ["M", "N"]}) -> tensor<?x?xf16> {
  %z = tensor.concat dim(1) %x, %y : (tensor<?x?xf16>, tensor<?x40xf16>) -> tensor<?x?xf16>
  return %z : tensor<?x?xf16>
}

// A cast is the same tensor: between two ops of a kernel, and of what a function takes or gives.
// CHECK: cast_0
// CHECK-NEXT: one kernel for arith.negf te.quantize
func.func @cast(%x: tensor<?x96xbf16> {te.dims = ["M", "K"]}) -> !te.scaled<?x?xf8E4M3FN, #row> {
  %y = arith.negf %x : tensor<?x96xbf16>
  %z = tensor.cast %y : tensor<?x96xbf16> to tensor<?x?xbf16>
  %q = te.quantize %z : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #row>
  return %q : !te.scaled<?x?xf8E4M3FN, #row>
}

// CHECK: cast_back_0
// CHECK-NEXT: one kernel for te.rms_norm
func.func @cast_back(%x: tensor<?x?xbf16> {te.dims = ["M", "K"]}, %g: tensor<64xbf16>) -> (tensor<?x?xbf16>, tensor<?xf32>) {
  %y = tensor.cast %x : tensor<?x?xbf16> to tensor<?x64xbf16>
  %z, %r = te.rms_norm %y, %g {epsilon = 1.0e-5 : f32} : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>, tensor<?xf32>
  %w = tensor.cast %z : tensor<?x64xbf16> to tensor<?x?xbf16>
  return %w, %r : tensor<?x?xbf16>, tensor<?xf32>
}
