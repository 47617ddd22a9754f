// Each op that computes gets a region; sizes and regions of the user stay.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse))' | FileCheck %s

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#fp8 = #te.scaling<tensor, scale = f32>

// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.*]]: tensor<?x64xbf16>, %[[S:.*]]: tensor<f32>
// CHECK: te.dim %[[X]], 0
// CHECK: %[[Q:.*]]:2 = te.fusion "chain_0" (%[[A:.*]] = %[[X]] : tensor<?x64xbf16>, %[[B:.*]] = %[[S]] : tensor<f32>) -> (!te.scaled<{{.*}}>, tensor<f32>) {
// CHECK-NEXT: %[[R:.*]]:2 = te.quantize %[[A]] scale(%[[B]] : tensor<f32>)
// CHECK-NEXT: te.yield %[[R]]#0, %[[R]]#1
// CHECK: te.fusion "chain_1" (%{{.*}} = %[[Q]]#0
// CHECK-NEXT: te.dequantize
// CHECK: te.fusion "chain_2" (%{{.*}} = %[[X]]
// CHECK-NEXT: te.amax
func.func @chain(%x: tensor<?x64xbf16>, %s: tensor<f32>) -> (tensor<?x64xf32>, tensor<f32>, tensor<f32>, index) {
  %m = te.dim %x, 0 : tensor<?x64xbf16>
  %q:2 = te.quantize %x scale(%s : tensor<f32>) : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #fp8>, tensor<f32>
  %y = te.dequantize %q#0 : !te.scaled<?x64xf8E4M3FN, #fp8> -> tensor<?x64xf32>
  %a = te.amax %x : tensor<?x64xbf16> -> tensor<f32>
  return %y, %q#1, %a, %m : tensor<?x64xf32>, tensor<f32>, tensor<f32>, index
}

// An operand that is used twice is one argument.
// CHECK-LABEL: func.func @same_operand
// CHECK: te.fusion "same_operand_0" (%[[A:.*]] = %{{.*}} : tensor<f32>) -> (tensor<f32>)
// CHECK-NEXT: te.amax %[[A]] noop(%[[A]] : tensor<f32>)
func.func @same_operand(%x: tensor<f32>) -> tensor<f32> {
  %a = te.amax %x noop(%x : tensor<f32>) : tensor<f32> -> tensor<f32>
  return %a : tensor<f32>
}

// What is fused already stays; the next number is taken.
// CHECK-LABEL: func.func @by_hand
// CHECK: te.fusion "mine" (
// CHECK-NEXT: te.amax
// CHECK-NEXT: te.yield
// CHECK: te.fusion "by_hand_1" (
func.func @by_hand(%x: tensor<4x64xbf16>) -> (tensor<f32>, !te.scaled<4x64xf8E4M3FN, #row>) {
  %a = te.fusion "mine" (%b = %x : tensor<4x64xbf16>) -> (tensor<f32>) {
    %0 = te.amax %b : tensor<4x64xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  %q = te.quantize %x : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
  return %a, %q : tensor<f32>, !te.scaled<4x64xf8E4M3FN, #row>
}

// Nothing to fuse.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: te.fusion
// CHECK: return
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// Current scaling: a kernel for the amax, which is also what the op promised as one, and a kernel for the cast.
// CHECK-LABEL: func.func @current
// CHECK-SAME: %[[X:.*]]: tensor<4x64xbf16>, %[[N:.*]]: tensor<f32>
// CHECK: %[[M:.*]] = te.fusion "current_0" (%{{.*}} = %[[X]] : tensor<4x64xbf16>, %{{.*}} = %[[N]] : tensor<f32>) -> (tensor<f32>)
// CHECK-NEXT: te.amax %{{.*}} noop(
// CHECK: %[[Q:.*]]:2 = te.fusion "current_1" (%{{.*}} = %[[X]] : tensor<4x64xbf16>, %[[A:.*]] = %[[M]] : tensor<f32>, %{{.*}} = %[[N]] : tensor<f32>)
// CHECK-NEXT: te.quantize %{{.*}} amax(%[[A]] : tensor<f32>) noop(%{{.*}} : tensor<f32>) {epsilon = {{.*}} : f32}
// CHECK: return %[[Q]]#0, %[[Q]]#1, %[[M]]
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @current(%x: tensor<4x64xbf16>, %n: tensor<f32>) -> (!te.scaled<4x64xf8E4M3FN, #fp8>, !te.scaled<4x64xf8E4M3FN, #fp8t>, tensor<f32>) {
  %q:3 = te.quantize %x noop(%n : tensor<f32>) {epsilon = 1.0e-3 : f32} : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #fp8>, !te.scaled<4x64xf8E4M3FN, #fp8t>, tensor<f32>
  return %q#0, %q#1, %q#2 : !te.scaled<4x64xf8E4M3FN, #fp8>, !te.scaled<4x64xf8E4M3FN, #fp8t>, tensor<f32>
}

// Next to it, a scheme that needs no amax keeps its own op; a known amax is used as it is.
// CHECK-LABEL: func.func @mixed
// CHECK: te.amax
// CHECK: te.quantize %{{.*}} amax(%{{.*}}) : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #scaling>
// CHECK: te.quantize %{{[^ ]*}} : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN,
// CHECK-NOT: te.amax
// CHECK: te.quantize %{{.*}} amax(
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @mixed(%x: tensor<4x64xbf16>, %m: tensor<f32>) -> (!te.scaled<4x64xf8E4M3FN, #fp8>, !te.scaled<4x64xf8E4M3FN, #col>, !te.scaled<4x64xf8E4M3FN, #fp8>) {
  %q:2 = te.quantize %x : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #fp8>, !te.scaled<4x64xf8E4M3FN, #col>
  %r = te.quantize %x amax(%m : tensor<f32>) : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #fp8>
  return %q#0, %q#1, %r : !te.scaled<4x64xf8E4M3FN, #fp8>, !te.scaled<4x64xf8E4M3FN, #col>, !te.scaled<4x64xf8E4M3FN, #fp8>
}
