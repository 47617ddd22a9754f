// What te-fuse asks of a product it asks of its maps: elementwise ops read its tiles in its kernel; a second product, and what computes
// over whole rows, have kernels of their own.

// RUN: te-toy te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' | FileCheck %s

// CHECK-LABEL: func.func @epilogue
// CHECK: te.fusion
// CHECK-SAME: schedule =
// CHECK: toy.tril_product
// CHECK-NEXT: arith.addf
// CHECK-NEXT: te.activation
// CHECK-NEXT: te.yield
// CHECK-NOT: te.fusion
func.func @epilogue(%a: tensor<512x512xbf16>, %b: tensor<512x256xbf16>, %r: tensor<512x256xbf16>) -> tensor<512x256xbf16> {
  %c = toy.tril_product %a, %b : tensor<512x512xbf16>, tensor<512x256xbf16> -> tensor<512x256xbf16>
  %s = arith.addf %c, %r : tensor<512x256xbf16>
  %g = te.activation gelu %s : tensor<512x256xbf16> -> tensor<512x256xbf16>
  return %g : tensor<512x256xbf16>
}

// CHECK-LABEL: func.func @apart
// CHECK-DAG: not_fused = [{{.*}}a region has at most one product, such as{{.*}}(F10)
// CHECK-DAG: not_fused = [{{.*}}computes over whole rows, which a workgroup of toy.tril_product does not hold{{.*}}(F10)
func.func @apart(%a: tensor<512x512xbf16>, %b: tensor<512x512xbf16>, %g: tensor<512xbf16>)
    -> (tensor<512x512xbf16>, tensor<512x512xbf16>) {
  %c = toy.tril_product %a, %b : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
  %d = te.gemm %a, %b : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xbf16>
  %s = arith.addf %c, %d : tensor<512x512xbf16>
  %n, %r = te.rms_norm %c, %g {epsilon = 1.0e-5 : f32} : tensor<512x512xbf16>, tensor<512xbf16> -> tensor<512x512xbf16>, tensor<512xf32>
  return %s, %n : tensor<512x512xbf16>, tensor<512x512xbf16>
}
