// Every scheme prints, parses and prints again; defaults are left out; te ops keep
// their forms.

// RUN: te-opt %s | FileCheck %s
// RUN: te-opt %s | te-opt | FileCheck %s
// RUN: te-opt %s --mlir-print-op-generic | te-opt | FileCheck %s
// RUN: te-opt %s --emit-bytecode | te-opt | FileCheck %s

// Schemes: types without aliases, so that each is written out where it is used.
// CHECK-DAG: #[[TENSOR:.*]] = #te.scaling<tensor, scale = f32>{{$}}
// CHECK-DAG: #[[TENSORP:.*]] = #te.scaling<tensor, scale = f32, rounding = pow2>{{$}}
// CHECK-DAG: #[[TENSORT:.*]] = #te.scaling<tensor, scale = f32, data_layout = transposed>{{$}}
// CHECK-DAG: #[[TENSORS:.*]] = #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>{{$}}
// CHECK-DAG: #[[ROW:.*]] = #te.scaling<row, scale = f32>{{$}}
// CHECK-DAG: #[[F128:.*]] = #te.scaling<block = [1, 128], scale = f32, rounding = pow2>{{$}}
// CHECK-DAG: #[[F128T:.*]] = #te.scaling<block = [128, 1], scale = f32, rounding = pow2, data_layout = transposed>{{$}}
// CHECK-DAG: #[[F128C:.*]] = #te.scaling<block = [128, 1], scale = f32>{{$}}
// CHECK-DAG: #[[F2D:.*]] = #te.scaling<block = [128, 128], scale = f32>{{$}}
// CHECK-DAG: #[[F2DT:.*]] = #te.scaling<block = [128, 128], scale = f32, data_layout = transposed>{{$}}
// CHECK-DAG: #[[MX:.*]] = #te.scaling<block = [1, 32], scale = f8E8M0FNU>{{$}}
// CHECK-DAG: #[[MXC:.*]] = #te.scaling<block = [32, 1], scale = f8E8M0FNU>{{$}}
// CHECK-DAG: #[[MX2D:.*]] = #te.scaling<block = [32, 32], scale = f8E8M0FNU>{{$}}
// CHECK-DAG: #[[FLOOR:.*]] = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = floor>{{$}}
// CHECK-DAG: #[[EVEN:.*]] = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>{{$}}
// CHECK-DAG: #[[CEIL:.*]] = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = ceil>{{$}}
// CHECK-DAG: #[[BLOCKED:.*]] = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>{{$}}
// CHECK-DAG: #[[BLOCKEDC:.*]] = #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>{{$}}
// CHECK-DAG: #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, per = matrix>{{$}}
// CHECK-DAG: #[[FP4C:.*]] = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = even, data_layout = transposed>{{$}}
// CHECK-DAG: #[[FP4A:.*]] = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, ties = away, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>{{$}}

// CHECK-DAG: #[[SCHEDULE:.*]] = #te.schedule<"gfx950", tile = [32, 512], waves = 8, vector = 8>

// Per tensor; every default written out is the same type.
// CHECK-LABEL: @tensor(
// CHECK-SAME: !te.scaled<4x?xf8E4M3FN, #[[TENSOR]]>, !te.scaled<4x?xf8E5M2, #[[TENSOR]]>
// CHECK-SAME: !te.scaled<f8E4M3FNUZ, #[[TENSOR]]>, !te.scaled<7xf8E5M2FNUZ, #[[TENSOR]]>
// CHECK-SAME: !te.scaled<0x4x5xf8E4M3FN, #[[TENSORP]]>, !te.scaled<4x?xf8E4M3FN, #[[TENSORT]]>, !te.scaled<16x32xf8E4M3FN, #[[TENSORS]]>
func.func private @tensor(
  !te.scaled<4x?xf8E4M3FN, #te.scaling<tensor, scale = f32>>,
  !te.scaled<4x?xf8E5M2, #te.scaling<tensor, data_layout = linear, scale_layout = linear, ties = even, rounding = nearest, scale = f32>>,
  !te.scaled<f8E4M3FNUZ, #te.scaling<tensor, scale = f32>>,
  !te.scaled<7xf8E5M2FNUZ, #te.scaling<tensor, scale = f32>>,
  !te.scaled<0x4x5xf8E4M3FN, #te.scaling<tensor, scale = f32, rounding = pow2>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = transposed>>,
  !te.scaled<16x32xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>)

// Rows and 128-blocks.
// CHECK-LABEL: @f32_blocks(
// CHECK-SAME: #[[ROW]]>, {{.*}}#[[F128]]>, {{.*}}#[[F128T]]>, {{.*}}#[[F128C]]>, {{.*}}#[[F2D]]>, {{.*}}#[[F2DT]]>
func.func private @f32_blocks(
  !te.scaled<4x?xf8E4M3FN, #te.scaling<row, scale = f32>>,
  !te.scaled<4x?xf8E4M3FNUZ, #te.scaling<block = [1, 128], scale = f32, rounding = pow2>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [128, 1], scale = f32, rounding = pow2, data_layout = transposed>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [128, 1], scale = f32>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [128, 128], scale = f32, rounding = nearest>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [128, 128], scale = f32, data_layout = transposed>>)

// MX: fp8 and fp4.
// CHECK-LABEL: @mx(
// CHECK-SAME: xf8E4M3FN, #[[MX]]>, {{.*}}xf8E5M2, #[[MXC]]>, {{.*}}#[[MX2D]]>, {{.*}}#[[FLOOR]]>, {{.*}}#[[EVEN]]>, {{.*}}#[[CEIL]]>
// CHECK-SAME: #[[BLOCKED]]>, {{.*}}#[[BLOCKEDC]]>, {{.*}}xf4E2M1FN, #[[EVEN]]>, {{.*}}xf4E2M1FN, #[[FP4C]]>, {{.*}}xf4E2M1FN, #[[FP4A]]>
func.func private @mx(
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>>,
  !te.scaled<4x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = floor>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = ceil>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>>,
  !te.scaled<4x?xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>>,
  !te.scaled<4x?xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>>,
  !te.scaled<4x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = even, data_layout = transposed>>,
  !te.scaled<16x64xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, ties = away, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>>)

#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#fp4 = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>

#experts = #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, per = matrix>

// CHECK-LABEL: func.func @quantize
// CHECK-SAME: tensor<?x64xbf16> {te.dims = ["M", "K"], te.name = "x"}
// CHECK-SAME: tensor<f32> {te.dims = []}
func.func @quantize(%x: tensor<?x64xbf16> {te.dims = ["M", "K"], te.name = "x"}, %s: tensor<f32> {te.dims = []}, %n: tensor<f32>, %r: tensor<2xi64>, %e: !te.scaled<2x4x8xf8E5M2, #experts>) {
  // CHECK: te.quantize %{{.*}} : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #[[MX]]>
  %0 = te.quantize %x : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #row>
  // CHECK: te.quantize %{{.*}} scale(%{{.*}} : tensor<f32>) noop(%{{.*}} : tensor<f32>) : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #[[TENSOR]]>, !te.scaled<?x64xf8E4M3FN, #[[TENSORT]]>, tensor<f32>
  %1:3 = te.quantize %x scale(%s : tensor<f32>) noop(%n : tensor<f32>) : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #fp8>, !te.scaled<?x64xf8E4M3FN, #fp8t>, tensor<f32>
  // CHECK: te.quantize %{{.*}} {epsilon = {{.*}} : f32} : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #[[TENSOR]]>
  %2 = te.quantize %x {epsilon = 1.0e-12 : f32} : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #fp8>
  // CHECK: te.quantize %{{.*}} rng(%{{.*}} : tensor<2xi64>) {hadamard, sign_mask = 21845 : i32, stochastic} : tensor<?x64xbf16> -> !te.scaled<?x64xf4E2M1FN, #[[EVEN]]>
  %3 = te.quantize %x rng(%r : tensor<2xi64>) {hadamard, sign_mask = 0x5555 : i32, stochastic} : tensor<?x64xbf16> -> !te.scaled<?x64xf4E2M1FN, #fp4>
  // CHECK: te.dequantize %{{.*}} : !te.scaled<?x64xf8E4M3FN, #[[MX]]> -> tensor<?x64xf16>
  %4 = te.dequantize %0 : !te.scaled<?x64xf8E4M3FN, #row> -> tensor<?x64xf16>
  // CHECK: te.transpose %{{.*}} : !te.scaled<?x64xf8E4M3FN, #[[TENSOR]]> -> !te.scaled<?x64xf8E4M3FN, #[[TENSORT]]>
  %8 = te.transpose %2 : !te.scaled<?x64xf8E4M3FN, #fp8> -> !te.scaled<?x64xf8E4M3FN, #fp8t>
  // CHECK: te.dim %{{.*}}, 0 : !te.scaled<2x4x8xf8E5M2, #{{[a-z0-9]+}}>
  %10 = te.dim %e, 0 : !te.scaled<2x4x8xf8E5M2, #experts>
  // CHECK: te.relayout %{{.*}} : !te.scaled<?x64xf8E4M3FN, #[[MX]]> -> !te.scaled<?x64xf8E4M3FN, #{{[a-z0-9]+}}>
  %9 = te.relayout %0 : !te.scaled<?x64xf8E4M3FN, #row> -> !te.scaled<?x64xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>>
  // CHECK: %[[BIAS:.*]] = te.bias_grad %{{.*}} : tensor<?x64xbf16> -> tensor<64xf32>
  %bias_grad = te.bias_grad %x : tensor<?x64xbf16> -> tensor<64xf32>
  // CHECK: te.bias_add %{{.*}}, %[[BIAS]] : tensor<?x64xbf16>, tensor<64xf32>
  %biased = te.bias_add %x, %bias_grad : tensor<?x64xbf16>, tensor<64xf32>
  // CHECK: te.amax %{{.*}} noop(%{{.*}} : tensor<f32>) : tensor<?x64xbf16> -> tensor<f32>
  %5 = te.amax %x noop(%n : tensor<f32>) : tensor<?x64xbf16> -> tensor<f32>
  // CHECK: te.copy %{{.*}} : tensor<?x64xbf16>
  %copied = te.copy %x : tensor<?x64xbf16>
  // CHECK: te.full_like %{{.*}}, 2.000000e+00 : bf16 : tensor<?x64xbf16>
  %two = te.full_like %x, 2.0 : bf16 : tensor<?x64xbf16>
  // CHECK: te.permute %{{.*}} [1, 0] : tensor<?x64xbf16> -> tensor<64x?xbf16>
  %turned = te.permute %x [1, 0] : tensor<?x64xbf16> -> tensor<64x?xbf16>
  // CHECK: te.amax %{{.*}} : tensor<?x64xf16> -> tensor<f32>
  %6 = te.amax %4 : tensor<?x64xf16> -> tensor<f32>
  // CHECK: te.dim %{{.*}}, 0 : !te.scaled<?x64xf8E4M3FN, #[[MX]]>
  %7 = te.dim %0, 0 : !te.scaled<?x64xf8E4M3FN, #row>
  return
}

// CHECK-LABEL: func.func @fusion
func.func @fusion(%x: tensor<?x64xbf16>) -> tensor<f32> {
  // CHECK: te.fusion "k" (%[[A:.*]] = %{{.*}} : tensor<?x64xbf16>) -> (tensor<f32>, !te.scaled<?x64xf8E4M3FN, #[[MX]]>) attributes {schedule = #[[SCHEDULE]]} {
  // CHECK-NEXT: te.quantize %[[A]]
  // CHECK-NEXT: te.yield %{{.*}}, %{{.*}} : tensor<f32>, !te.scaled<?x64xf8E4M3FN, #[[MX]]>
  %0:2 = te.fusion "k" (%a = %x : tensor<?x64xbf16>) -> (tensor<f32>, !te.scaled<?x64xf8E4M3FN, #row>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 512], waves = 8, vector = 8>} {
    %1:2 = te.quantize %a : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #row>, tensor<f32>
    te.yield %1#1, %1#0 : tensor<f32>, !te.scaled<?x64xf8E4M3FN, #row>
  }
  // CHECK: te.fusion "nothing" () -> () {
  // CHECK-NEXT: te.yield{{$}}
  te.fusion "nothing" () -> () {
  }
  return %0#0 : tensor<f32>
}

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<?x64xbf16>, %g: tensor<64xf32>, %b: tensor<64xf32>) {
  // CHECK: te.rms_norm %{{.*}}, %{{.*}} {epsilon = {{.*}} : f32, zero_centered_gamma} : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xf32>, tensor<?xf32>
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32, zero_centered_gamma} : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xf32>, tensor<?xf32>
  // CHECK: te.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 0.000000e+00 : f32} : tensor<?x64xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>
  %z, %m, %s = te.layer_norm %x, %g, %b {epsilon = 0.0 : f32} : tensor<?x64xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>
  // CHECK: te.rms_norm_bwd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>
  %dx, %dg = te.rms_norm_bwd %y, %x, %g, %r : tensor<?x64xf32>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>
  // CHECK: te.rms_norm_bwd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} add(%{{.*}} : tensor<?x64xf32>) {zero_centered_gamma} : tensor<?x64xf32>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>
  %dx3, %dg3 = te.rms_norm_bwd %y, %x, %g, %r add(%y : tensor<?x64xf32>) {zero_centered_gamma} : tensor<?x64xf32>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>
  // CHECK: te.layer_norm_bwd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {zero_centered_gamma} : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>, tensor<64xbf16>
  %dx2, %dg2, %db2 = te.layer_norm_bwd %z, %x, %g, %m, %s {zero_centered_gamma} : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>, tensor<64xbf16>
  return
}

// CHECK-LABEL: func.func @activations
func.func @activations(%x: tensor<?x64xbf16>, %h: tensor<?x32xf32>, %s: tensor<?xf32>) {
  // CHECK: te.activation qgelu %{{.*}} : tensor<?x64xbf16> -> tensor<?x64xf32>
  %0 = te.activation qgelu %x : tensor<?x64xbf16> -> tensor<?x64xf32>
  // CHECK: te.activation srelu %{{.*}} scales(%{{.*}} : tensor<?xf32>) : tensor<?x64xbf16> -> tensor<?x64xbf16>
  %1 = te.activation srelu %x scales(%s : tensor<?xf32>) : tensor<?x64xbf16> -> tensor<?x64xbf16>
  // CHECK: te.gated_activation clamped_swiglu %{{.*}} scales(%{{.*}} : tensor<?xf32>) {interleave = 8 : i64, limit = 5.000000e+00 : f32} : tensor<?x64xbf16> -> tensor<?x32xf32>
  %2 = te.gated_activation clamped_swiglu %x scales(%s : tensor<?xf32>) {limit = 5.0 : f32, interleave = 8 : i64} : tensor<?x64xbf16> -> tensor<?x32xf32>
  // CHECK: te.activation_bwd gelu %{{.*}}, %{{.*}} scales(%{{.*}} : tensor<?xf32>) : tensor<?x64xf32>, tensor<?x64xbf16> -> tensor<?x64xbf16> dbias tensor<64xbf16> dscale tensor<?xf32>
  %3:3 = te.activation_bwd gelu %0, %x scales(%s : tensor<?xf32>) : tensor<?x64xf32>, tensor<?x64xbf16> -> tensor<?x64xbf16> dbias tensor<64xbf16> dscale tensor<?xf32>
  // CHECK: te.gated_activation_bwd situglu %{{.*}}, %{{.*}} scales(%{{.*}} : tensor<?xf32>) {beta1 = 2.000000e+00 : f32} : tensor<?x32xf32>, tensor<?x64xbf16> -> tensor<?x64xbf16> dscale tensor<?xf32>
  %4:2 = te.gated_activation_bwd situglu %h, %x scales(%s : tensor<?xf32>) {beta1 = 2.0 : f32} : tensor<?x32xf32>, tensor<?x64xbf16> -> tensor<?x64xbf16> dscale tensor<?xf32>
  return
}

// CHECK-LABEL: func.func @rope
func.func @rope(%x: tensor<?x2x8x64xbf16>, %f: tensor<1024x32xf32>, %t: tensor<?x8x64xbf16>, %c: tensor<3xi32>, %p: tensor<2xi32>) {
  // CHECK: te.rope sbhd %{{.*}}, %{{.*}} : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x8x64xf32>
  %0 = te.rope sbhd %x, %f : tensor<?x2x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x2x8x64xf32>
  // CHECK: te.rope thd %{{.*}}, %{{.*}} start_positions(%{{.*}} : tensor<2xi32>) cu_seqlens(%{{.*}} : tensor<3xi32>) {cp_rank = 1 : i64, cp_size = 2 : i64, interleaved} : tensor<?x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x8x64xbf16>
  %1 = te.rope thd %t, %f start_positions(%p : tensor<2xi32>) cu_seqlens(%c : tensor<3xi32>) {interleaved, cp_size = 2 : i64, cp_rank = 1 : i64}
      : tensor<?x8x64xbf16>, tensor<1024x32xf32> -> tensor<?x8x64xbf16>
  // CHECK: te.rope_bwd bshd %{{.*}}, %{{.*}} : tensor<?x2x8x64xf32>, tensor<1024x32xf32> -> tensor<?x2x8x64xbf16>
  %2 = te.rope_bwd bshd %0, %f : tensor<?x2x8x64xf32>, tensor<1024x32xf32> -> tensor<?x2x8x64xbf16>
  return
}

// CHECK-LABEL: func.func @attention
func.func @attention(%q: tensor<?x2x8x64xbf16>, %k: tensor<?x2x4x64xbf16>, %s: tensor<2x?x?xf32>) {
  // CHECK: te.attention sbhd %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 2.500000e-01 : f32} : tensor<?x2x8x64xbf16>, tensor<?x2x4x64xbf16>, tensor<?x2x4x64xbf16> -> tensor<?x2x8x64xbf16>, tensor<2x8x?xf32>
  %o, %lse = te.attention sbhd %q, %k, %k {causal, scale = 2.5e-1 : f32} : tensor<?x2x8x64xbf16>, tensor<?x2x4x64xbf16>, tensor<?x2x4x64xbf16> -> tensor<?x2x8x64xbf16>, tensor<2x8x?xf32>
  // CHECK: te.softmax %{{.*}} {causal, scale = 2.500000e-01 : f32} : tensor<2x?x?xf32> -> tensor<2x?x?xbf16>
  %p = te.softmax %s {causal, scale = 2.5e-1 : f32} : tensor<2x?x?xf32> -> tensor<2x?x?xbf16>
  // CHECK: te.softmax_bwd %{{.*}}, %{{.*}} : tensor<2x?x?xf32>, tensor<2x?x?xbf16> -> tensor<2x?x?xf32>
  %ds = te.softmax_bwd %s, %p : tensor<2x?x?xf32>, tensor<2x?x?xbf16> -> tensor<2x?x?xf32>
  return
}

// CHECK-LABEL: func.func @update_scale
func.func @update_scale(%h: tensor<16xf32>, %s: tensor<f32>, %h2: tensor<16x?xf32>, %s2: tensor<?xf32>) {
  // CHECK: te.update_scale max %{{.*}}, %{{.*}} for f8E4M3FN : tensor<16xf32>, tensor<f32> -> tensor<16xf32>, tensor<f32>
  %0:2 = te.update_scale max %h, %s for f8E4M3FN : tensor<16xf32>, tensor<f32> -> tensor<16xf32>, tensor<f32>
  // CHECK: te.update_scale most_recent %{{.*}}, %{{.*}} amax(%{{.*}} : tensor<?xf32>) for f8E5M2 {margin = 1 : i64} : tensor<16x?xf32>, tensor<?xf32> -> tensor<16x?xf32>, tensor<?xf32> scale_inv tensor<?xf32>
  %1:3 = te.update_scale most_recent %h2, %s2 amax(%s2 : tensor<?xf32>) for f8E5M2 {margin = 1 : i64} : tensor<16x?xf32>, tensor<?xf32> -> tensor<16x?xf32>, tensor<?xf32> scale_inv tensor<?xf32>
  return
}
