// A te.dim in a region is refused by name.

// RUN: not te-compile %s --target=gfx950 -o %t.hsaco 2>&1 | FileCheck %s
// CHECK: [[@LINE+3]]:10: error: 'te.dim' has no tile lowering; keep it out of te.fusion
func.func @f(%x: tensor<?x64xbf16> {te.dims = ["M", "K"]}) -> tensor<?x64xbf16> {
  %0 = te.fusion "k" (%a = %x : tensor<?x64xbf16>) -> (tensor<?x64xbf16>) {
    %m = te.dim %a, 0 : tensor<?x64xbf16>
    %1 = arith.negf %a : tensor<?x64xbf16>
    %s = tensor.extract_slice %1[0, 0] [%m, 64] [1, 1] : tensor<?x64xbf16> to tensor<?x64xbf16>
    te.yield %s : tensor<?x64xbf16>
  }
  return %0 : tensor<?x64xbf16>
}
