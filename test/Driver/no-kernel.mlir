// An op that no kernel computes is an error that names it.

// RUN: not te-compile %s --target=gfx950 -o %t.hsaco 2>&1 | FileCheck %s

func.func @f(%x: tensor<?x32xbf16>) -> tensor<5x32xbf16> {
  // CHECK: no-kernel.mlir:[[@LINE+1]]:8: error: tensor.cast has no kernel yet; its semantics run with te-run --device=reference
  %y = tensor.cast %x : tensor<?x32xbf16> to tensor<5x32xbf16>
  return %y : tensor<5x32xbf16>
}
