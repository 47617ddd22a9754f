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

// The transpose of a quantization is its other result, before the amax.
// CHECK-LABEL: func.func @both_ways
// CHECK: %[[Q:.*]]:3 = te.quantize %{{.*}} scale(%{{.*}} : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #[[FP8:.*]]>, !te.scaled<4x32xf8E4M3FN, #[[FP8T:.*]]>, tensor<f32>
// CHECK-NEXT: return %[[Q]]#0, %[[Q]]#1, %[[Q]]#1, %[[Q]]#2
func.func @both_ways(%x: tensor<4x32xbf16>, %s: tensor<f32>) -> (!te.scaled<4x32xf8E4M3FN, #fp8>, !te.scaled<4x32xf8E4M3FN, #fp8t>, !te.scaled<4x32xf8E4M3FN, #fp8t>, tensor<f32>) {
  %q:2 = te.quantize %x scale(%s : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #fp8>, tensor<f32>
  %t = te.transpose %q#0 : !te.scaled<4x32xf8E4M3FN, #fp8> -> !te.scaled<4x32xf8E4M3FN, #fp8t>
  %u = te.transpose %q#0 : !te.scaled<4x32xf8E4M3FN, #fp8> -> !te.scaled<4x32xf8E4M3FN, #fp8t>
  return %q#0, %t, %u, %q#1 : !te.scaled<4x32xf8E4M3FN, #fp8>, !te.scaled<4x32xf8E4M3FN, #fp8t>, !te.scaled<4x32xf8E4M3FN, #fp8t>, tensor<f32>
}

// Written the other way round; the first copy is not needed.
// CHECK-LABEL: func.func @other_way
// CHECK: %[[Q:.*]] = te.quantize %{{.*}} : tensor<4x128xbf16> -> !te.scaled<4x128xf8E4M3FN, #{{[a-z0-9]*}}>
// CHECK-NEXT: return %[[Q]]
#w = #te.scaling<block = [128, 128], scale = f32>
#wt = #te.scaling<block = [128, 128], scale = f32, data_layout = transposed>
func.func @other_way(%x: tensor<4x128xbf16>) -> !te.scaled<4x128xf8E4M3FN, #w> {
  %q = te.quantize %x : tensor<4x128xbf16> -> !te.scaled<4x128xf8E4M3FN, #wt>
  %t = te.transpose %q : !te.scaled<4x128xf8E4M3FN, #wt> -> !te.scaled<4x128xf8E4M3FN, #w>
  return %t : !te.scaled<4x128xf8E4M3FN, #w>
}

// A flag leaves each buffer as it is; a transform goes along one direction.
// CHECK-LABEL: func.func @not_a_result
// CHECK: te.quantize
// CHECK: te.transpose
// CHECK: te.quantize
// CHECK: te.transpose
// CHECK: return
#sq = #te.scaling<block = [32, 32], scale = f8E8M0FNU>
#sqt = #te.scaling<block = [32, 32], scale = f8E8M0FNU, data_layout = transposed>
func.func @not_a_result(%x: tensor<4x32xbf16>, %n: tensor<f32>) -> (!te.scaled<4x32xf8E4M3FN, #fp8t>, !te.scaled<4x32xf4E2M1FN, #sqt>) {
  %q = te.quantize %x noop(%n : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #fp8>
  %t = te.transpose %q : !te.scaled<4x32xf8E4M3FN, #fp8> -> !te.scaled<4x32xf8E4M3FN, #fp8t>
  %p = te.quantize %x {hadamard} : tensor<4x32xbf16> -> !te.scaled<4x32xf4E2M1FN, #sq>
  %u = te.transpose %p : !te.scaled<4x32xf4E2M1FN, #sq> -> !te.scaled<4x32xf4E2M1FN, #sqt>
  return %t, %u : !te.scaled<4x32xf8E4M3FN, #fp8t>, !te.scaled<4x32xf4E2M1FN, #sqt>
}

// A relayout that is the only use is written at once.
// CHECK-LABEL: func.func @in_order
// CHECK: %[[Q:.*]]:2 = te.quantize %{{.*}} : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #[[B:.*]]>, !te.scaled<4x64xf8E4M3FN, #{{.*}}>
// CHECK-NEXT: %[[R:.*]] = te.relayout %[[Q]]#1
// CHECK-NEXT: return %[[Q]]#0, %[[Q]]#1, %[[R]] : !te.scaled<4x64xf8E4M3FN, #[[B]]>
#rowb = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>
#colb = #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>
func.func @in_order(%x: tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #rowb>, !te.scaled<4x64xf8E4M3FN, #col>, !te.scaled<4x64xf8E4M3FN, #colb>) {
  %q:2 = te.quantize %x : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #col>
  %r = te.relayout %q#0 : !te.scaled<4x64xf8E4M3FN, #row> -> !te.scaled<4x64xf8E4M3FN, #rowb>
  %s = te.relayout %q#1 : !te.scaled<4x64xf8E4M3FN, #col> -> !te.scaled<4x64xf8E4M3FN, #colb>
  return %r, %q#1, %s : !te.scaled<4x64xf8E4M3FN, #rowb>, !te.scaled<4x64xf8E4M3FN, #col>, !te.scaled<4x64xf8E4M3FN, #colb>
}

// Two orders are one, or none; a constant has none.
// CHECK-LABEL: func.func @orders
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<5x4xf32>
// CHECK-DAG: %[[Y:.*]] = te.permute %[[X]] [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
// CHECK: return %[[Y]], %[[X]], %[[C]]
func.func @orders(%x: tensor<2x3x4xf32>) -> (tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<5x4xf32>) {
  %a = te.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %b = te.permute %a [2, 1, 0] : tensor<4x2x3xf32> -> tensor<3x2x4xf32>
  %c = te.permute %b [1, 0, 2] : tensor<3x2x4xf32> -> tensor<2x3x4xf32>
  %k = arith.constant dense<2.0> : tensor<4x5xf32>
  %d = te.permute %k [1, 0] : tensor<4x5xf32> -> tensor<5x4xf32>
  return %b, %c, %d : tensor<3x2x4xf32>, tensor<2x3x4xf32>, tensor<5x4xf32>
}

// A te.gemm's flag, either way; but where A's leading dimensions are rows.
// CHECK-LABEL: func.func @flags
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<8x4xf32>, %[[B:[a-z0-9]*]]: tensor<16x8xf32>
// CHECK: %[[T:.*]] = te.permute
// CHECK: te.gemm %[[A]], %[[B]] transpose_a transpose_b :
// CHECK: te.gemm %[[A]], %{{.*}} :
// CHECK: te.gemm %[[T]], %[[B]] transpose_b :
func.func @flags(%a: tensor<8x4xf32>, %b: tensor<16x8xf32>, %c: tensor<4x16xf32>, %d: tensor<3x8x4xf32>) -> (tensor<4x16xf32>, tensor<8x16xf32>, tensor<3x4x16xf32>) {
  %at = te.permute %a [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %bt = te.permute %b [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %dt = te.permute %d [0, 2, 1] : tensor<3x8x4xf32> -> tensor<3x4x8xf32>
  %0 = te.gemm %at, %bt : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %1 = te.gemm %at, %c transpose_a : tensor<4x8xf32>, tensor<4x16xf32> -> tensor<8x16xf32>
  %2 = te.gemm %dt, %bt : tensor<3x4x8xf32>, tensor<8x16xf32> -> tensor<3x4x16xf32>
  return %0, %1, %2 : tensor<4x16xf32>, tensor<8x16xf32>, tensor<3x4x16xf32>
}

// A constant of a static shape is one of upstream's.
// CHECK-LABEL: @full_like
// CHECK: arith.constant dense<2.000000e+00> : tensor<4x64xbf16>
// CHECK: te.full_like %{{.*}}, 3.000000e+00 : bf16 : tensor<?x64xbf16>
func.func @full_like(%x: tensor<4x64xbf16>, %y: tensor<?x64xbf16>) -> (tensor<4x64xbf16>, tensor<?x64xbf16>) {
  %two = te.full_like %x, 2.0 : bf16 : tensor<4x64xbf16>
  %three = te.full_like %y, 3.0 : bf16 : tensor<?x64xbf16>
  return %two, %three : tensor<4x64xbf16>, tensor<?x64xbf16>
}
