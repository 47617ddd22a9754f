// An op that no kernel computes is an error that names it, and what does the same.

// RUN: split-file %s %t
// RUN: not te-compile %t/step.mlir --target=gfx950 -o %t.hsaco 2>&1 | FileCheck %t/step.mlir
// RUN: not te-compile %t/empty.mlir --target=gfx950 -o %t.hsaco 2>&1 | FileCheck %t/empty.mlir

//--- step.mlir
func.func @f(%x: tensor<4x32xbf16>, %y: tensor<8x32xbf16>) -> tensor<8x32xbf16> {
  // CHECK: step.mlir:[[@LINE+1]]:8: error: tensor.insert_slice has no kernel yet; insert slices into tensors without a step, and cover with them what tensor.empty gives; its semantics run with te-run --device=reference
  %z = tensor.insert_slice %x into %y[0, 0] [4, 32] [2, 1] : tensor<4x32xbf16> into tensor<8x32xbf16>
  return %z : tensor<8x32xbf16>
}

//--- empty.mlir
func.func @f(%x: tensor<4x32xbf16>) -> tensor<8x32xbf16> {
  // CHECK: error: tensor.empty has no kernel yet; insert slices into tensors without a step, and cover with them what tensor.empty gives; its semantics run with te-run --device=reference
  %y = tensor.empty() : tensor<8x32xbf16>
  %z = tensor.insert_slice %x into %y[0, 0] [4, 32] [1, 1] : tensor<4x32xbf16> into tensor<8x32xbf16>
  return %z : tensor<8x32xbf16>
}
