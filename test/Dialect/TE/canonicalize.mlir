// RUN: te-opt %s --canonicalize --split-input-file | FileCheck %s

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>

// A result that nobody uses is dropped, wherever it stands.
// CHECK-LABEL: @drop_columnwise
// CHECK: %[[Q:.*]]:2 = te.quantize %{{.*}} : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #scaling>, tensor<f32>
// CHECK-NEXT: return %[[Q]]#0, %[[Q]]#1
func.func @drop_columnwise(%x: tensor<?x64xbf16>) -> (!te.scaled<?x64xf8E4M3FN, #row>, tensor<f32>) {
  %q:3 = te.quantize %x : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #row>, !te.scaled<?x64xf8E4M3FN, #col>, tensor<f32>
  return %q#0, %q#2 : !te.scaled<?x64xf8E4M3FN, #row>, tensor<f32>
}

// The operands and options stay.
// CHECK-LABEL: @keep_options
// CHECK-SAME: %[[X:.*]]: tensor<4x64xbf16>, %[[S:.*]]: tensor<f32>, %[[N:.*]]: tensor<f32>
// CHECK: %[[Q:.*]] = te.quantize %[[X]] scale(%[[S]] : tensor<f32>) noop(%[[N]] : tensor<f32>) {te.note = 7 : i32} : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #{{.*}}>{{$}}
// CHECK-NEXT: return %[[Q]]
func.func @keep_options(%x: tensor<4x64xbf16>, %s: tensor<f32>, %n: tensor<f32>) -> !te.scaled<4x64xf8E4M3FN, #te.scaling<tensor, scale = f32>> {
  %q:2 = te.quantize %x scale(%s : tensor<f32>) noop(%n : tensor<f32>) {te.note = 7 : i32} : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #te.scaling<tensor, scale = f32>>, tensor<f32>
  return %q#0 : !te.scaled<4x64xf8E4M3FN, #te.scaling<tensor, scale = f32>>
}

// Nothing but the amax is left: no quantization.
// CHECK-LABEL: @amax_only
// CHECK-SAME: %[[X:.*]]: tensor<?x64xbf16>, %[[N:.*]]: tensor<f32>)
// CHECK: %[[A:.*]] = te.amax %[[X]] noop(%[[N]] : tensor<f32>) : tensor<?x64xbf16> -> tensor<f32>
// CHECK-NEXT: return %[[A]]
func.func @amax_only(%x: tensor<?x64xbf16>, %n: tensor<f32>) -> tensor<f32> {
  %q:3 = te.quantize %x noop(%n : tensor<f32>) : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #row>, !te.scaled<?x64xf8E4M3FN, #col>, tensor<f32>
  return %q#2 : tensor<f32>
}

// Unused altogether: dead code.
// CHECK-LABEL: @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<?x64xbf16>) {
  %q:2 = te.quantize %x : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #row>, tensor<f32>
  %y = te.dequantize %q#0 : !te.scaled<?x64xf8E4M3FN, #row> -> tensor<?x64xbf16>
  %a = te.amax %y : tensor<?x64xbf16> -> tensor<f32>
  return
}

// The rounding of a quantization is what the program asks for: neither order folds.
// CHECK-LABEL: @no_fold
// CHECK: te.quantize
// CHECK: te.dequantize
// CHECK: te.quantize
// CHECK: return
func.func @no_fold(%x: tensor<4x64xbf16>) -> !te.scaled<4x64xf8E4M3FN, #row> {
  %q = te.quantize %x : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
  %y = te.dequantize %q : !te.scaled<4x64xf8E4M3FN, #row> -> tensor<4x64xbf16>
  %z = te.quantize %y : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
  return %z : !te.scaled<4x64xf8E4M3FN, #row>
}

// Static sizes are constants, dynamic ones are not.
// CHECK-LABEL: @dims
// CHECK-SAME: %[[Q:[a-z0-9]+]]: !te.scaled<?x64xf8E4M3FN,
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[M:.*]] = te.dim %[[Q]], 0
// CHECK: return %[[M]], %[[C64]], %[[C3]]
func.func @dims(%q: !te.scaled<?x64xf8E4M3FN, #row>, %x: tensor<3xf32>) -> (index, index, index) {
  %m = te.dim %q, 0 : !te.scaled<?x64xf8E4M3FN, #row>
  %k = te.dim %q, 1 : !te.scaled<?x64xf8E4M3FN, #row>
  %n = te.dim %x, 0 : tensor<3xf32>
  return %m, %k, %n : index, index, index
}

// A transpose and its inverse are nothing.
// CHECK-LABEL: func.func @transpose_back
// CHECK-SAME: (%[[Q:.*]]: !te.scaled
// CHECK-NEXT: return %[[Q]] :
#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @transpose_back(%q: !te.scaled<4x32xf8E4M3FN, #fp8>) -> !te.scaled<4x32xf8E4M3FN, #fp8> {
  %t = te.transpose %q : !te.scaled<4x32xf8E4M3FN, #fp8> -> !te.scaled<4x32xf8E4M3FN, #fp8t>
  %b = te.transpose %t : !te.scaled<4x32xf8E4M3FN, #fp8t> -> !te.scaled<4x32xf8E4M3FN, #fp8>
  return %b : !te.scaled<4x32xf8E4M3FN, #fp8>
}
