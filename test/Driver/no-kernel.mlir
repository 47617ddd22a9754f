// An op that no kernel computes is an error that names it, and what does the same.

// RUN: not te-compile %s --target=gfx950 -o %t.hsaco 2>&1 | FileCheck %s

func.func @f(%x: tensor<5x32xbf16>, %y: tensor<8x32xbf16>) -> tensor<8x32xbf16> {
  // CHECK: no-kernel.mlir:[[@LINE+1]]:8: error: tensor.insert_slice has no kernel yet; put the parts together with tensor.concat; its semantics run with te-run --device=reference
  %z = tensor.insert_slice %x into %y[0, 0] [5, 32] [1, 1] : tensor<5x32xbf16> into tensor<8x32xbf16>
  return %z : tensor<8x32xbf16>
}
