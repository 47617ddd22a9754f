// tensor.insert_slice: what lies around the slice, and the slice, are parts of one tensor.

// RUN: te-compile %s --target=gfx942 -o %t.942.hsaco --explain | FileCheck %s
// RUN: te-compile %s --target=gfx950 -o %t.950.hsaco
// RUN: %python %S/Inputs/entries.py %t.942.hsaco M=1,2,37,130
// RUN: %python %S/Inputs/entries.py %t.950.hsaco M=1,2,37,130

// What is computed is stored where it belongs; columns, of all rows.
// CHECK: columns_0
// CHECK-NEXT: one kernel for te.activation te.copy te.copy tensor.concat, in 3 subkernels
func.func @columns(%x: tensor<?x96xbf16> {te.dims = ["M", "K"]}, %s: tensor<?x32xbf16> {te.dims = ["M", "L"]}) -> tensor<?x96xbf16> {
  %m = te.dim %x, 0 : tensor<?x96xbf16>
  %a = te.activation silu %s : tensor<?x32xbf16> -> tensor<?x32xbf16>
  %r = tensor.insert_slice %a into %x[0, 24] [%m, 32] [1, 1] : tensor<?x32xbf16> into tensor<?x96xbf16>
  return %r : tensor<?x96xbf16>
}

// One position of a cache; and a place that is known when the program runs.
// CHECK: position_0
// CHECK-NEXT: one kernel for
// CHECK: last_0
// CHECK-NEXT: one kernel for
func.func @position(%cache: tensor<?x16x4x8xf16> {te.dims = ["M", "S", "H", "D"]}, %k: tensor<?x4x8xf16> {te.dims = ["M", "H", "D"]}) -> tensor<?x16x4x8xf16> {
  %m = te.dim %cache, 0 : tensor<?x16x4x8xf16>
  %r = tensor.insert_slice %k into %cache[0, 5, 0, 0] [%m, 1, 4, 8] [1, 1, 1, 1] : tensor<?x4x8xf16> into tensor<?x16x4x8xf16>
  return %r : tensor<?x16x4x8xf16>
}
func.func @last(%x: tensor<?x64xf32> {te.dims = ["M", "K"]}, %row: tensor<1x64xf32>) -> tensor<?x64xf32> {
  %m = te.dim %x, 0 : tensor<?x64xf32>
  %one = arith.constant 1 : index
  %at = arith.subi %m, %one : index
  %r = tensor.insert_slice %row into %x[%at, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// Slices that cover a tensor.empty: a concatenation of them, and nothing else.
// CHECK: covered_0
// CHECK-NEXT: one kernel for arith.negf arith.negf tensor.concat
// CHECK-NOT: covered_1
func.func @covered(%x: tensor<?x40xf32> {te.dims = ["M", "A"]}, %y: tensor<?x24xf32> {te.dims = ["M", "B"]}) -> tensor<?x64xf32> {
  %m = te.dim %x, 0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %a = arith.negf %x : tensor<?x40xf32>
  %b = arith.negf %y : tensor<?x24xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [%m, 40] [1, 1] : tensor<?x40xf32> into tensor<?x64xf32>
  %1 = tensor.insert_slice %b into %0[0, 40] [%m, 24] [1, 1] : tensor<?x24xf32> into tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}
