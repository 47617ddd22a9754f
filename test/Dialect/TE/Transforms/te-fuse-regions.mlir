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

// After current scaling's amax the cast is another kernel: it is the norm's that finds the amax.
// CHECK-LABEL: func.func @current
// CHECK: te.fusion "current_0"
// CHECK-NEXT: te.rms_norm
// CHECK-NEXT: te.amax
// CHECK: te.fusion "current_1"
// CHECK-SAME: not_fused = ["not with 'te.amax': reads a result of 'te.amax'{{.*}}(F4)
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
// CHECK: te.fusion "between_1"
// CHECK-SAME: not_fused = ["not with 'arith.addf': 'te.permute', which is not in the region, comes between"]
// CHECK-NEXT: te.permute
// CHECK-NEXT: arith.mulf
func.func @between(%x: tensor<2x64x64xf32>) -> tensor<2x64x64xf32> {
  %a = arith.addf %x, %x : tensor<2x64x64xf32>
  %b = te.permute %a [0, 2, 1] : tensor<2x64x64xf32> -> tensor<2x64x64xf32>
  %c = arith.mulf %a, %b : tensor<2x64x64xf32>
  return %c : tensor<2x64x64xf32>
}

// A cast is a view.
// CHECK-LABEL: func.func @cast
// CHECK: te.fusion "cast_0"
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tensor.cast
// CHECK-NEXT: arith.negf
// CHECK-NOT: te.fusion
func.func @cast(%x: tensor<4x64xf32>) -> tensor<?x64xf32> {
  %a = arith.addf %x, %x : tensor<4x64xf32>
  %d = tensor.cast %a : tensor<4x64xf32> to tensor<?x64xf32>
  %c = arith.negf %d : tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// Updates that do not depend on each other, of any sizes, are one kernel.
// CHECK-LABEL: func.func @updates
// CHECK: te.fusion "updates_0"
// CHECK-NEXT: te.update_scale
// CHECK-NEXT: te.update_scale
// CHECK: te.fusion "updates_1"
// CHECK-SAME: not_fused = ["not with 'te.update_scale': reads a result of 'te.update_scale' in its own region{{.*}}(F4)
// CHECK-NEXT: te.update_scale
// CHECK-NOT: te.fusion
// CHECK: return
func.func @updates(%h: tensor<?x?xf32>, %s: tensor<?xf32>, %i: tensor<16xf32>, %t: tensor<f32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<16xf32>, tensor<f32>) {
  %0, %1 = te.update_scale max %h, %s for f8E4M3FN : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?xf32>
  %2, %3 = te.update_scale max %i, %t for f8E5M2 : tensor<16xf32>, tensor<f32> -> tensor<16xf32>, tensor<f32>
  %4, %5 = te.update_scale max %0, %1 for f8E4M3FN : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?xf32>
  return %4, %5, %2, %3 : tensor<?x?xf32>, tensor<?xf32>, tensor<16xf32>, tensor<f32>
}

// Rows that no workgroup holds are walked along.
// CHECK-LABEL: func.func @long_rows
// CHECK: te.fusion "long_rows_0"
// CHECK: te.rms_norm
// CHECK: te.quantize
// CHECK-NOT: te.fusion
// CHECK: return
func.func @long_rows(%x: tensor<?x16384xbf16>, %g: tensor<16384xbf16>) -> !te.scaled<?x16384xf8E4M3FN, #col> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x16384xbf16>, tensor<16384xbf16> -> tensor<?x16384xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x16384xbf16> -> !te.scaled<?x16384xf8E4M3FN, #col>
  return %q : !te.scaled<?x16384xf8E4M3FN, #col>
}

// The chip's limits: tiles of so many tensors fit no registers.
// CHECK-LABEL: func.func @too_many
// CHECK: te.fusion "too_many_0"
// CHECK: te.fusion "too_many_1"
// CHECK-SAME: not_fused = ["not with 'arith.addf': {{.*}}(H9)"
func.func @too_many(%x1: tensor<?x64xf32>, %x2: tensor<?x64xf32>, %x3: tensor<?x64xf32>, %x4: tensor<?x64xf32>, %x5: tensor<?x64xf32>, %x6: tensor<?x64xf32>, %x7: tensor<?x64xf32>, %x8: tensor<?x64xf32>, %x9: tensor<?x64xf32>, %x10: tensor<?x64xf32>, %x11: tensor<?x64xf32>, %x12: tensor<?x64xf32>, %x13: tensor<?x64xf32>, %x14: tensor<?x64xf32>, %x15: tensor<?x64xf32>, %x16: tensor<?x64xf32>, %x17: tensor<?x64xf32>, %x18: tensor<?x64xf32>, %x19: tensor<?x64xf32>, %x20: tensor<?x64xf32>, %x21: tensor<?x64xf32>, %x22: tensor<?x64xf32>, %x23: tensor<?x64xf32>, %x24: tensor<?x64xf32>, %x25: tensor<?x64xf32>, %x26: tensor<?x64xf32>, %x27: tensor<?x64xf32>, %x28: tensor<?x64xf32>, %x29: tensor<?x64xf32>, %x30: tensor<?x64xf32>, %x31: tensor<?x64xf32>, %x32: tensor<?x64xf32>, %x33: tensor<?x64xf32>, %x34: tensor<?x64xf32>, %x35: tensor<?x64xf32>, %x36: tensor<?x64xf32>, %x37: tensor<?x64xf32>, %x38: tensor<?x64xf32>, %x39: tensor<?x64xf32>, %x40: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %s1 = arith.addf %x1, %x2 : tensor<?x64xf32>
  %s2 = arith.addf %s1, %x3 : tensor<?x64xf32>
  %s3 = arith.addf %s2, %x4 : tensor<?x64xf32>
  %s4 = arith.addf %s3, %x5 : tensor<?x64xf32>
  %s5 = arith.addf %s4, %x6 : tensor<?x64xf32>
  %s6 = arith.addf %s5, %x7 : tensor<?x64xf32>
  %s7 = arith.addf %s6, %x8 : tensor<?x64xf32>
  %s8 = arith.addf %s7, %x9 : tensor<?x64xf32>
  %s9 = arith.addf %s8, %x10 : tensor<?x64xf32>
  %s10 = arith.addf %s9, %x11 : tensor<?x64xf32>
  %s11 = arith.addf %s10, %x12 : tensor<?x64xf32>
  %s12 = arith.addf %s11, %x13 : tensor<?x64xf32>
  %s13 = arith.addf %s12, %x14 : tensor<?x64xf32>
  %s14 = arith.addf %s13, %x15 : tensor<?x64xf32>
  %s15 = arith.addf %s14, %x16 : tensor<?x64xf32>
  %s16 = arith.addf %s15, %x17 : tensor<?x64xf32>
  %s17 = arith.addf %s16, %x18 : tensor<?x64xf32>
  %s18 = arith.addf %s17, %x19 : tensor<?x64xf32>
  %s19 = arith.addf %s18, %x20 : tensor<?x64xf32>
  %s20 = arith.addf %s19, %x21 : tensor<?x64xf32>
  %s21 = arith.addf %s20, %x22 : tensor<?x64xf32>
  %s22 = arith.addf %s21, %x23 : tensor<?x64xf32>
  %s23 = arith.addf %s22, %x24 : tensor<?x64xf32>
  %s24 = arith.addf %s23, %x25 : tensor<?x64xf32>
  %s25 = arith.addf %s24, %x26 : tensor<?x64xf32>
  %s26 = arith.addf %s25, %x27 : tensor<?x64xf32>
  %s27 = arith.addf %s26, %x28 : tensor<?x64xf32>
  %s28 = arith.addf %s27, %x29 : tensor<?x64xf32>
  %s29 = arith.addf %s28, %x30 : tensor<?x64xf32>
  %s30 = arith.addf %s29, %x31 : tensor<?x64xf32>
  %s31 = arith.addf %s30, %x32 : tensor<?x64xf32>
  %s32 = arith.addf %s31, %x33 : tensor<?x64xf32>
  %s33 = arith.addf %s32, %x34 : tensor<?x64xf32>
  %s34 = arith.addf %s33, %x35 : tensor<?x64xf32>
  %s35 = arith.addf %s34, %x36 : tensor<?x64xf32>
  %s36 = arith.addf %s35, %x37 : tensor<?x64xf32>
  %s37 = arith.addf %s36, %x38 : tensor<?x64xf32>
  %s38 = arith.addf %s37, %x39 : tensor<?x64xf32>
  %s39 = arith.addf %s38, %x40 : tensor<?x64xf32>
  return %s39 : tensor<?x64xf32>
}

// A gated gradient's halves are quantized in its region where blocks lie in one half or the other.
// CHECK-LABEL: func.func @gated_gradient
// CHECK: te.fusion "gated_gradient_0"
// CHECK: te.gated_activation_bwd
// CHECK: te.quantize
// CHECK-NOT: te.fusion
// CHECK: return
func.func @gated_gradient(%dy: tensor<?x512xbf16>, %x: tensor<?x1024xbf16>) -> (!te.scaled<?x1024xf8E5M2, #col>, tensor<1024xbf16>) {
  %dx, %db = te.gated_activation_bwd swiglu %dy, %x : tensor<?x512xbf16>, tensor<?x1024xbf16> -> tensor<?x1024xbf16> dbias tensor<1024xbf16>
  %q = te.quantize %dx : tensor<?x1024xbf16> -> !te.scaled<?x1024xf8E5M2, #col>
  return %q, %db : !te.scaled<?x1024xf8E5M2, #col>, tensor<1024xbf16>
}

// CHECK-LABEL: func.func @ragged_halves
// CHECK: te.fusion "ragged_halves_0"
// CHECK: te.fusion "ragged_halves_1"
// CHECK-SAME: not_fused = ["not with 'te.gated_activation_bwd': reads a result of two halves, whose length is not known to be a multiple of 256;{{.*}}(F4)
func.func @ragged_halves(%dy: tensor<?x96xbf16>, %x: tensor<?x192xbf16>) -> !te.scaled<?x192xf8E5M2, #col> {
  %dx = te.gated_activation_bwd swiglu %dy, %x : tensor<?x96xbf16>, tensor<?x192xbf16> -> tensor<?x192xbf16>
  %q = te.quantize %dx : tensor<?x192xbf16> -> !te.scaled<?x192xf8E5M2, #col>
  return %q : !te.scaled<?x192xf8E5M2, #col>
}

// CHECK-LABEL: func.func @interleaved_halves
// CHECK: te.fusion "interleaved_halves_1"
// CHECK-SAME: that lie interleaved
func.func @interleaved_halves(%dy: tensor<?x256xbf16>, %x: tensor<?x512xbf16>) -> !te.scaled<?x512xf8E5M2, #col> {
  %dx = te.gated_activation_bwd swiglu %dy, %x {interleave = 32 : i64} : tensor<?x256xbf16>, tensor<?x512xbf16> -> tensor<?x512xbf16>
  %q = te.quantize %dx : tensor<?x512xbf16> -> !te.scaled<?x512xf8E5M2, #col>
  return %q : !te.scaled<?x512xf8E5M2, #col>
}

// The bias gradient of what is quantized, from one read.
// CHECK-LABEL: func.func @bias_grad
// CHECK: te.fusion "bias_grad_0"
// CHECK: te.bias_grad
// CHECK: te.quantize
// CHECK-NOT: te.fusion
// CHECK: return
func.func @bias_grad(%dy: tensor<?x512xbf16>) -> (!te.scaled<?x512xf8E5M2, #col>, tensor<512xbf16>) {
  %db = te.bias_grad %dy : tensor<?x512xbf16> -> tensor<512xbf16>
  %q = te.quantize %dy : tensor<?x512xbf16> -> !te.scaled<?x512xf8E5M2, #col>
  return %q, %db : !te.scaled<?x512xf8E5M2, #col>, tensor<512xbf16>
}

// Two regions that each wait for the other are none: the second quantization stays apart from the first amax, as the amax it reads
// is computed with what reads that one.
// CHECK-LABEL: func.func @crossed
// CHECK: te.fusion "crossed_0"
// CHECK-NEXT: te.amax
// CHECK: te.fusion "crossed_1"
// CHECK: te.quantize
// CHECK-NEXT: te.amax
// CHECK: te.fusion "crossed_2"
// CHECK-SAME: "not with 'te.amax': 'te.amax', which is not in the region, comes between"
// CHECK-NEXT: te.quantize
#e4 = #te.scaling<tensor, scale = f32>
func.func @crossed(%x: tensor<?x64xbf16>) -> (tensor<f32>, tensor<f32>, !te.scaled<?x64xf8E4M3FN, #e4>, !te.scaled<?x64xf8E5M2, #e4>) {
  %a = te.amax %x : tensor<?x64xbf16> -> tensor<f32>
  %q = te.quantize %x amax(%a : tensor<f32>) : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #e4>
  %b = te.amax %x : tensor<?x64xbf16> -> tensor<f32>
  %r = te.quantize %x amax(%b : tensor<f32>) : tensor<?x64xbf16> -> !te.scaled<?x64xf8E5M2, #e4>
  return %a, %b, %q, %r : tensor<f32>, tensor<f32>, !te.scaled<?x64xf8E4M3FN, #e4>, !te.scaled<?x64xf8E5M2, #e4>
}

// Current scaling of one tensor, twice and transposed, has one amax; what nobody reads is no kernel.
// CHECK-LABEL: func.func @scaled
// CHECK: te.fusion "scaled_0"
// CHECK-NEXT: te.amax
// CHECK-NEXT: te.yield
// CHECK: te.fusion "scaled_1"
// CHECK: te.quantize
// CHECK: te.quantize
// CHECK: te.quantize
// CHECK: te.yield
// CHECK-NOT: te.fusion
func.func @scaled(%x: tensor<?x64xbf16>, %z: tensor<8x8xf32>) -> (!te.scaled<?x64xf8E4M3FN, #e4>, !te.scaled<?x64xf8E5M2, #e4>, !te.scaled<64x?xf8E4M3FN, #e4>) {
  %q = te.quantize %x : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #e4>
  %r = te.quantize %x : tensor<?x64xbf16> -> !te.scaled<?x64xf8E5M2, #e4>
  %t = te.permute %x [1, 0] : tensor<?x64xbf16> -> tensor<64x?xbf16>
  %s = te.quantize %t : tensor<64x?xbf16> -> !te.scaled<64x?xf8E4M3FN, #e4>
  %dead = arith.negf %z : tensor<8x8xf32>
  return %q, %r, %s : !te.scaled<?x64xf8E4M3FN, #e4>, !te.scaled<?x64xf8E5M2, #e4>, !te.scaled<64x?xf8E4M3FN, #e4>
}
