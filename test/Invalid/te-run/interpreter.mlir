// The reference says which op it does not know, and where.

// RUN: not te-run %s --device=reference --dim=M=2 2>&1 | FileCheck %s
// CHECK: interpreter.mlir:[[@LINE+3]]:8: error: the reference interpreter does not know 'arith.remf'
// CHECK: te-run: error: the reference cannot run f
func.func @f(%x: tensor<?x4xf32> {te.dims = ["M", "K"]}) -> tensor<?x4xf32> {
  %y = arith.remf %x, %x : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
