// Two products and a softmax as users write them, in the kernel of te.attention: against the reference of what was written.

// RUN: te-compile %s --target=gfx942 -o %t.942.hsaco --explain | FileCheck %s
// RUN: te-compile %s --target=gfx950 -o %t.950.hsaco
// RUN: te-run %t.942.hsaco --entry=heads --dim=S=37 --dim=T=53 --check --sanitize --input=random:1:normal --input=random:2:normal --input=random:3:normal
// RUN: te-run %t.950.hsaco --entry=heads --dim=S=37 --dim=T=53 --check --sanitize --input=random:1:normal --input=random:2:normal --input=random:3:normal
// RUN: te-run %t.950.hsaco --entry=matrices --dim=B=3 --check --input=random:1:normal --input=random:2:normal --input=random:3:normal

// CHECK: heads_0
// CHECK-NEXT: one kernel for te.attention
// CHECK: raised: te.attention from te.gemm, te.softmax and te.gemm
// CHECK: matrices_0
// CHECK-NEXT: one kernel for te.attention
// CHECK-NOT: one kernel
func.func @heads(%q: tensor<2x?x3x64xbf16> {te.dims = ["B", "S", "H", "D"]}, %k: tensor<2x?x3x64xbf16> {te.dims = ["B", "T", "H", "D"]},
                 %v: tensor<2x?x3x64xbf16> {te.dims = ["B", "T", "H", "D"]}) -> tensor<2x?x3x64xbf16> {
  %qt = te.permute %q [0, 2, 1, 3] : tensor<2x?x3x64xbf16> -> tensor<2x3x?x64xbf16>
  %kt = te.permute %k [0, 2, 1, 3] : tensor<2x?x3x64xbf16> -> tensor<2x3x?x64xbf16>
  %vt = te.permute %v [0, 2, 1, 3] : tensor<2x?x3x64xbf16> -> tensor<2x3x?x64xbf16>
  %s = te.gemm %qt, %kt transpose_b : tensor<2x3x?x64xbf16>, tensor<2x3x?x64xbf16> -> tensor<2x3x?x?xf32>
  %p = te.softmax %s {scale = 1.250000e-01 : f32, causal} : tensor<2x3x?x?xf32> -> tensor<2x3x?x?xbf16>
  %o = te.gemm %p, %vt : tensor<2x3x?x?xbf16>, tensor<2x3x?x64xbf16> -> tensor<2x3x?x64xbf16>
  %y = te.permute %o [0, 2, 1, 3] : tensor<2x3x?x64xbf16> -> tensor<2x?x3x64xbf16>
  return %y : tensor<2x?x3x64xbf16>
}
func.func @matrices(%q: tensor<?x33x32xf16> {te.dims = ["B", "S", "D"]}, %k: tensor<?x7x32xf16> {te.dims = ["B", "T", "D"]},
                    %v: tensor<?x7x32xf16> {te.dims = ["B", "T", "D"]}) -> tensor<?x33x32xf16> {
  %s = te.gemm %q, %k transpose_b {alpha = 5.000000e-01 : f32} : tensor<?x33x32xf16>, tensor<?x7x32xf16> -> tensor<?x33x7xf32>
  %p = te.softmax %s : tensor<?x33x7xf32> -> tensor<?x33x7xf32>
  %c = arith.truncf %p : tensor<?x33x7xf32> to tensor<?x33x7xf16>
  %o = te.gemm %c, %v : tensor<?x33x7xf16>, tensor<?x7x32xf16> -> tensor<?x33x32xf16>
  return %o : tensor<?x33x32xf16>
}
