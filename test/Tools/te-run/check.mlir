// Kernels against the reference, bit for bit, from MLIR and from the HSACO.

// RUN: te-run %s --device=emulator --target=gfx950 --check --dim=M=37 --dim=K=65 --input=random:2 | FileCheck %s
// RUN: te-run %s --device=emulator --target=gfx942 --check --dim=M=37 --dim=K=65 --input=random:3 | FileCheck %s
// RUN: te-compile %s --target=gfx950 -o %t.hsaco
// RUN: te-run %t.hsaco --device=emulator --check --dim=M=33 --dim=K=0 | FileCheck %s
// RUN: te-run %t.hsaco --device=emulator --check --dim=M=0 --dim=K=64 | FileCheck %s

// CHECK: result type shape elements mismatches max abs max rel max ulp rule
// CHECK: result0.data f8E4M3FN
// CHECK-NOT: first mismatch
// CHECK: result0.scale f8E8M0FNU
// CHECK: result1.data f8E4M3FN
// CHECK: result1.scale f8E8M0FNU
// CHECK: result2 f32 scalar  1  0 0 0 0 exact
// CHECK-NEXT: {{^}}PASS

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @quantize(%x: tensor<?x?xbf16> {te.dims = ["M", "K"], te.name = "x"})
    -> (!te.scaled<?x?xf8E4M3FN, #row>, !te.scaled<?x?xf8E4M3FN, #col>, tensor<f32>) {
  %q, %c, %a = te.quantize %x : tensor<?x?xbf16>
    -> !te.scaled<?x?xf8E4M3FN, #row>, !te.scaled<?x?xf8E4M3FN, #col>, tensor<f32>
  return %q, %c, %a : !te.scaled<?x?xf8E4M3FN, #row>, !te.scaled<?x?xf8E4M3FN, #col>, tensor<f32>
}
