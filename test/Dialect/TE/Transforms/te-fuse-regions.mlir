// What shares a tile shares a kernel, in whatever order it is written; what can't is told why.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s
// RUN: not te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx1}))' 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: error: {{.*}}gfx1{{.*}}gfx942, gfx950

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#fp8 = #te.scaling<tensor, scale = f32>

// Residual, norm and quantize; the sum and the statistic are written too, the norm's result is not.
// CHECK-LABEL: func.func @norm
// CHECK: te.fusion "norm_0"
// CHECK-SAME: -> (tensor<?x512xbf16>, tensor<?xf32>, !te.scaled<?x512xf8E4M3FN, #{{.*}}>) {
// CHECK-NEXT: arith.addf
// CHECK-NEXT: te.rms_norm
// CHECK-NEXT: te.quantize
// CHECK-NEXT: te.yield
// CHECK-NOT: te.fusion
// CHECK: return
func.func @norm(%x: tensor<?x512xbf16>, %r: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<?xf32>, !te.scaled<?x512xf8E4M3FN, #row>) {
  %s = arith.addf %x, %r : tensor<?x512xbf16>
  %y, %rs = te.rms_norm %s, %g {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x512xbf16> -> !te.scaled<?x512xf8E4M3FN, #row>
  return %s, %rs, %q : tensor<?x512xbf16>, tensor<?xf32>, !te.scaled<?x512xf8E4M3FN, #row>
}

// Two consumers of a gated activation, apart in the program, with something else between.
// CHECK-LABEL: func.func @consumers
// CHECK: te.fusion "consumers_0" (%{{.*}} = %arg1
// CHECK-NEXT: te.amax
// CHECK: te.fusion "consumers_1"
// CHECK-NEXT: te.gated_activation swiglu
// CHECK-NEXT: te.quantize
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: te.quantize
// CHECK-NOT: te.fusion
// CHECK: return
func.func @consumers(%x: tensor<?x256xbf16>, %z: tensor<?x7xf32>) -> (!te.scaled<?x128xf8E4M3FN, #row>, !te.scaled<?x128xf8E4M3FN, #col>, tensor<f32>) {
  %y = te.gated_activation swiglu %x : tensor<?x256xbf16> -> tensor<?x128xbf16>
  %q = te.quantize %y : tensor<?x128xbf16> -> !te.scaled<?x128xf8E4M3FN, #row>
  %a = te.amax %z : tensor<?x7xf32> -> tensor<f32>
  %h = arith.mulf %y, %y : tensor<?x128xbf16>
  %c = te.quantize %h : tensor<?x128xbf16> -> !te.scaled<?x128xf8E4M3FN, #col>
  return %q, %c, %a : !te.scaled<?x128xf8E4M3FN, #row>, !te.scaled<?x128xf8E4M3FN, #col>, tensor<f32>
}

// Behind current scaling's amax the cast is another kernel: it is the norm's that finds the amax.
// CHECK-LABEL: func.func @current
// CHECK: te.fusion "current_0"
// CHECK-NEXT: te.rms_norm
// CHECK-NEXT: te.amax
// CHECK: te.fusion "current_1"
// CHECK-SAME: apart = ["not with 'te.amax': F4: reads a result of 'te.amax'
// CHECK-NEXT: te.quantize %{{.*}} amax(
func.func @current(%x: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> !te.scaled<?x512xf8E4M3FN, #fp8> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x512xbf16> -> !te.scaled<?x512xf8E4M3FN, #fp8>
  return %q : !te.scaled<?x512xf8E4M3FN, #fp8>
}

// A constant is copied to where it is used.
// CHECK-LABEL: func.func @constant
// CHECK-NEXT: te.fusion "constant_0" (%{{.*}} = %arg0 : tensor<4x64xf32>)
// CHECK-NEXT: arith.constant dense<5.000000e-01>
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: te.amax
func.func @constant(%x: tensor<4x64xf32>) -> tensor<f32> {
  %half = arith.constant dense<0.5> : tensor<4x64xf32>
  %y = arith.mulf %x, %half : tensor<4x64xf32>
  %a = te.amax %y : tensor<4x64xf32> -> tensor<f32>
  return %a : tensor<f32>
}

// A value that leaves the region and comes back keeps its ends apart.
// CHECK-LABEL: func.func @between
// CHECK: te.fusion "between_0"
// CHECK-NEXT: arith.addf
// CHECK: tensor.cast
// CHECK: te.fusion "between_1"
// CHECK-SAME: apart = ["not with 'arith.addf': 'tensor.cast', which is not in the region, comes between"]
// CHECK-NEXT: arith.mulf
func.func @between(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %a = arith.addf %x, %x : tensor<4x64xf32>
  %d = tensor.cast %a : tensor<4x64xf32> to tensor<?x64xf32>
  %b = tensor.cast %d : tensor<?x64xf32> to tensor<4x64xf32>
  %c = arith.mulf %a, %b : tensor<4x64xf32>
  return %c : tensor<4x64xf32>
}

// The chip's limits: 32 rows of 16384 elements fit no workgroup.
// CHECK-LABEL: func.func @too_large
// CHECK: te.fusion "too_large_0"
// CHECK-NEXT: te.rms_norm
// CHECK: te.fusion "too_large_1"
// CHECK-SAME: apart = ["not with 'te.rms_norm': H{{[89]}}:
// CHECK-NEXT: te.quantize
func.func @too_large(%x: tensor<?x16384xbf16>, %g: tensor<16384xbf16>) -> !te.scaled<?x16384xf8E4M3FN, #col> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x16384xbf16>, tensor<16384xbf16> -> tensor<?x16384xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x16384xbf16> -> !te.scaled<?x16384xf8E4M3FN, #col>
  return %q : !te.scaled<?x16384xf8E4M3FN, #col>
}
