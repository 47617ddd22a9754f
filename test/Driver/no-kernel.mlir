// An op that no kernel computes is an error that names it.

// RUN: not te-compile %s --target=gfx950 -o %t.hsaco 2>&1 | FileCheck %s

func.func @f(%x: tensor<?x2x32xbf16>, %f: tensor<64x32xf32>, %c: tensor<5xi32>) -> tensor<?x2x32xbf16> {
  // CHECK: no-kernel.mlir:[[@LINE+1]]:8: error: te.rope has no kernel yet; its semantics run with te-run --device=reference
  %y = te.rope thd %x, %f cu_seqlens(%c : tensor<5xi32>)
      : tensor<?x2x32xbf16>, tensor<64x32xf32> -> tensor<?x2x32xbf16>
  return %y : tensor<?x2x32xbf16>
}
