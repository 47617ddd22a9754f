// What is behind a norm or an activation is compared within a tolerance, from MLIR and from
// the HSACO; what is not stays exact.

// RUN: te-run %s --device=emulator --target=gfx950 --check --dim=M=37 | FileCheck %s
// RUN: te-compile %s --target=gfx942 -o %t.hsaco
// RUN: te-run %t.hsaco --device=emulator --check --dim=M=33 --input=random:2 | FileCheck %s

// CHECK: result0 f32 {{.*}} activation (1e-06, 5e-06)
// CHECK: result1.data f8E4M3FN {{.*}} norm (1e-05, 0.01)
// CHECK: result1.scale f8E8M0FNU {{.*}} norm (1e-05, 0.01)
// CHECK: result2 f32 {{.*}} statistic (1e-06, 5e-05)
// CHECK: result3.data f8E4M3FN {{.*}} 0 0 0 0 exact
// CHECK: {{^}}PASS

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @f(%x: tensor<?x96xbf16> {te.dims = ["M", "K"]}, %g: tensor<96xbf16>)
    -> (tensor<?x96xf32>, !te.scaled<?x96xf8E4M3FN, #row>, tensor<?xf32>, !te.scaled<?x96xf8E4M3FN, #row>) {
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<?x96xbf16>, tensor<96xbf16> -> tensor<?x96xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x96xbf16> -> !te.scaled<?x96xf8E4M3FN, #row>
  %e = te.quantize %x : tensor<?x96xbf16> -> !te.scaled<?x96xf8E4M3FN, #row>
  %a = te.activation gelu %x : tensor<?x96xbf16> -> tensor<?x96xf32>
  return %a, %q, %r, %e
    : tensor<?x96xf32>, !te.scaled<?x96xf8E4M3FN, #row>, tensor<?xf32>, !te.scaled<?x96xf8E4M3FN, #row>
}
