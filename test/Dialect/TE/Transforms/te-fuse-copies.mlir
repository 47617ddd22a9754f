// Copies and orders of what is quantized come from the kernel that quantizes it, wherever they are written.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s

#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#blocked = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, data_layout = shuffle_16x16>

// Current scaling: the amax is found once; another op stands between.
// CHECK-LABEL: func.func @current
// CHECK: te.fusion "current_0"
// CHECK-NEXT: te.amax
// CHECK-NEXT: te.yield
// CHECK: te.fusion "current_1"
// CHECK-NEXT: te.quantize %{{.*}} amax(%{{.*}}) : {{.*}} -> !te.scaled{{.*}}, !te.scaled
// CHECK-NEXT: te.yield
// CHECK: te.fusion "current_2"
// CHECK-NEXT: te.amax
// CHECK-NOT: te.fusion
// CHECK: return
func.func @current(%x: tensor<?x512xbf16>, %z: tensor<?x7xf32>) -> (!te.scaled<?x512xf8E4M3FN, #fp8>, tensor<f32>, !te.scaled<?x512xf8E4M3FN, #fp8t>) {
  %q = te.quantize %x : tensor<?x512xbf16> -> !te.scaled<?x512xf8E4M3FN, #fp8>
  %a = te.amax %z : tensor<?x7xf32> -> tensor<f32>
  %t = te.transpose %q : !te.scaled<?x512xf8E4M3FN, #fp8> -> !te.scaled<?x512xf8E4M3FN, #fp8t>
  return %q, %a, %t : !te.scaled<?x512xf8E4M3FN, #fp8>, tensor<f32>, !te.scaled<?x512xf8E4M3FN, #fp8t>
}

// Scales as a matrix instruction wants them, and data, after a norm.
// CHECK-LABEL: func.func @order
// CHECK: te.fusion "order_0"
// CHECK-NEXT: te.rms_norm
// CHECK-NEXT: te.quantize %{{.*}} -> !te.scaled<64x512xf8E4M3FN, #[[BLOCKED:.*]]>
// CHECK-NEXT: te.yield %{{.*}} : !te.scaled<64x512xf8E4M3FN, #[[BLOCKED]]>
// CHECK-NOT: te.fusion
// CHECK: return
func.func @order(%x: tensor<64x512xbf16>, %g: tensor<512xbf16>) -> !te.scaled<64x512xf8E4M3FN, #blocked> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<64x512xbf16>, tensor<512xbf16> -> tensor<64x512xbf16>, tensor<64xf32>
  %q = te.quantize %y : tensor<64x512xbf16> -> !te.scaled<64x512xf8E4M3FN, #row>
  %r = te.relayout %q : !te.scaled<64x512xf8E4M3FN, #row> -> !te.scaled<64x512xf8E4M3FN, #blocked>
  return %r : !te.scaled<64x512xf8E4M3FN, #blocked>
}

// An argument has a kernel of its own.
// CHECK-LABEL: func.func @alone
// CHECK: te.fusion "alone_0"
// CHECK-NEXT: te.transpose
// CHECK-NEXT: te.yield
func.func @alone(%q: !te.scaled<?x512xf8E4M3FN, #fp8>) -> !te.scaled<?x512xf8E4M3FN, #fp8t> {
  %t = te.transpose %q : !te.scaled<?x512xf8E4M3FN, #fp8> -> !te.scaled<?x512xf8E4M3FN, #fp8t>
  return %t : !te.scaled<?x512xf8E4M3FN, #fp8t>
}
