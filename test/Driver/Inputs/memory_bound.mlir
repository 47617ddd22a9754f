// One program of each family of the memory-bound ops, of those that sweep.py draws.

func.func @mxfp8(%a0: tensor<?x?xbf16> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>) {
  %r:2 = te.quantize %a0 : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
  return %r#0, %r#1 : !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
}
func.func @mxfp4(%a0: tensor<?x?xbf16> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>>, !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, rounding = even>>, tensor<f32>) {
  %r:3 = te.quantize %a0 : tensor<?x?xbf16> -> !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>>, !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, rounding = even>>, tensor<f32>
  return %r#0, %r#1, %r#2 : !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>>, !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, rounding = even>>, tensor<f32>
}
func.func @stochastic(%a0: tensor<?x?xf32> {te.dims = ["d0", "d1"]}, %a1: tensor<2xi64>) -> (!te.scaled<?x?xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, ties = even>>, !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, rounding = even, ties = even>>) {
  %r:2 = te.quantize %a0 rng(%a1 : tensor<2xi64>) {stochastic, hadamard, sign_mask = 0x2B9D17C6 : i32} : tensor<?x?xf32> -> !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, ties = even>>, !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, rounding = even, ties = even>>
  return %r#0, %r#1 : !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, ties = even>>, !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, rounding = even, ties = even>>
}
func.func @fp8(%a0: tensor<?x?xbf16> {te.dims = ["d0", "d1"]}, %a1: tensor<f32>, %a2: tensor<f32> {te.name = "noop"}) -> (!te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32>>, !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = transposed>>, tensor<f32>) {
  %r:3 = te.quantize %a0 scale(%a1 : tensor<f32>) noop(%a2 : tensor<f32>) : tensor<?x?xbf16> -> !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32>>, !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = transposed>>, tensor<f32>
  return %r#0, %r#1, %r#2 : !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32>>, !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = transposed>>, tensor<f32>
}
func.func @fp8_current(%a0: tensor<?x?xbf16> {te.dims = ["d0", "d1"]}, %a1: tensor<f32> {te.name = "noop"}) -> (!te.scaled<?x?xf8E4M3FN, #te.scaling<tensor, scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = transposed, rounding = nearest>>, tensor<f32>) {
  %r:3 = te.quantize %a0 noop(%a1 : tensor<f32>) : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #te.scaling<tensor, scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = transposed, rounding = nearest>>, tensor<f32>
  return %r#0, %r#1, %r#2 : !te.scaled<?x?xf8E4M3FN, #te.scaling<tensor, scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = transposed, rounding = nearest>>, tensor<f32>
}
func.func @fp8_block(%a0: tensor<?x?xf16> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf8E5M2, #te.scaling<block = [1, 128], scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 1], scale = f32, data_layout = transposed, rounding = nearest>>) {
  %r:2 = te.quantize %a0 : tensor<?x?xf16> -> !te.scaled<?x?xf8E5M2, #te.scaling<block = [1, 128], scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 1], scale = f32, data_layout = transposed, rounding = nearest>>
  return %r#0, %r#1 : !te.scaled<?x?xf8E5M2, #te.scaling<block = [1, 128], scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 1], scale = f32, data_layout = transposed, rounding = nearest>>
}
func.func @fp8_block_2d(%a0: tensor<?x?xf16> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 128], scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 128], scale = f32, data_layout = transposed, rounding = nearest>>, tensor<f32>) {
  %r:3 = te.quantize %a0 : tensor<?x?xf16> -> !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 128], scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 128], scale = f32, data_layout = transposed, rounding = nearest>>, tensor<f32>
  return %r#0, %r#1, %r#2 : !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 128], scale = f32, rounding = nearest>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [128, 128], scale = f32, data_layout = transposed, rounding = nearest>>, tensor<f32>
}
func.func @fp8_row(%a0: tensor<?x1xbf16> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x1xf8E4M3FN, #te.scaling<row, scale = f32>>, !te.scaled<?x1xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, tensor<f32>) {
  %r:3 = te.quantize %a0 : tensor<?x1xbf16> -> !te.scaled<?x1xf8E4M3FN, #te.scaling<row, scale = f32>>, !te.scaled<?x1xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, tensor<f32>
  return %r#0, %r#1, %r#2 : !te.scaled<?x1xf8E4M3FN, #te.scaling<row, scale = f32>>, !te.scaled<?x1xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, tensor<f32>
}
func.func @dequantize(%a0: !te.scaled<?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>> {te.dims = ["d0", "d1"]}) -> (tensor<?x?xf32>) {
  %r = te.dequantize %a0 : !te.scaled<?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @dequantize_fp4(%a0: !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>> {te.dims = ["d0", "d1"]}) -> (tensor<?x?xf32>) {
  %r = te.dequantize %a0 : !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @amax(%a0: tensor<?x?xf16> {te.dims = ["d0", "d1"]}) -> (tensor<f32>) {
  %r = te.amax %a0 : tensor<?x?xf16> -> tensor<f32>
  return %r : tensor<f32>
}
func.func @scale_layouts(%a0: tensor<?x?xf16> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>>) {
  %r:2 = te.quantize %a0 : tensor<?x?xf16> -> !te.scaled<?x?xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>>
  return %r#0, %r#1 : !te.scaled<?x?xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>>, !te.scaled<?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>>
}
func.func @shuffled(%a0: tensor<?x?xf16> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>, !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = transposed>>, tensor<f32>) {
  %r:3 = te.quantize %a0 : tensor<?x?xf16> -> !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>, !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = transposed>>, tensor<f32>
  return %r#0, %r#1, %r#2 : !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>, !te.scaled<?x?xf8E5M2, #te.scaling<tensor, scale = f32, data_layout = transposed>>, tensor<f32>
}
func.func @update_scale(%a0: tensor<?x?xf32> {te.dims = ["d0", "d1"]}, %a1: tensor<?xf32> {te.dims = ["d1"]}, %a2: tensor<?xf32> {te.dims = ["d1"]}) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:3 = te.update_scale max %a0, %a1 amax(%a2 : tensor<?xf32>) for f8E4M3FN {margin = 0 : i64} : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?xf32> scale_inv tensor<?xf32>
  return %r#0, %r#1, %r#2 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
func.func @transpose(%a0: !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, data_layout = transposed>>) {
  %r = te.transpose %a0 : !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>> -> !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, data_layout = transposed>>
  return %r : !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, data_layout = transposed>>
}
func.func @relayout(%a0: !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = e8m0_shuffle>> {te.dims = ["d0", "d1"]}) -> (!te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = blocked_32x4x4>>) {
  %r = te.relayout %a0 : !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = e8m0_shuffle>> -> !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = blocked_32x4x4>>
  return %r : !te.scaled<?x?xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = blocked_32x4x4>>
}
func.func @partial_amax(%a0: tensor<?xbf16> {te.dims = ["d0"]}, %a1: tensor<i64>) -> (tensor<1x129xf32>) {
  %r = te.partial_amax %a0 at %a1 of [!te.scaled<1x4099xf8E4M3FN, #te.scaling<block = [32, 32], scale = f8E8M0FNU>>] : tensor<?xbf16>, tensor<i64> -> tensor<1x129xf32>
  return %r : tensor<1x129xf32>
}
func.func @partial_cast(%a0: tensor<?xf16> {te.dims = ["d0"]}, %a1: tensor<i64>, %a2: tensor<20x64xf8E8M0FNU>) -> (tensor<?xf8E5M2>) {
  %r = te.partial_cast %a0 at %a1 scales(%a2 : tensor<20x64xf8E8M0FNU>) of [!te.scaled<640x64xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>] : tensor<?xf16>, tensor<i64> -> tensor<?xf8E5M2>
  return %r : tensor<?xf8E5M2>
}
func.func @experts(%a0: tensor<?x?x?x?xf16> {te.dims = ["d0", "d1", "d2", "d3"]}) -> (!te.scaled<?x?x?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, per = matrix, data_layout = transposed, rounding = floor>>) {
  %r = te.quantize %a0 : tensor<?x?x?x?xf16> -> !te.scaled<?x?x?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, per = matrix, data_layout = transposed, rounding = floor>>
  return %r : !te.scaled<?x?x?x?xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, per = matrix, data_layout = transposed, rounding = floor>>
}
func.func @layer_norm(%a0: tensor<?x4099xf32> {te.dims = ["d0", "K"]}, %a1: tensor<4099xf32> {te.dims = ["K"]}, %a2: tensor<4099xf32> {te.dims = ["K"]}) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x4099xf32>) {
  %v0:3 = te.layer_norm %a0, %a1, %a2 {epsilon = 1.0e-5 : f32} : tensor<?x4099xf32>, tensor<4099xf32>, tensor<4099xf32> -> tensor<?x4099xf32>, tensor<?xf32>, tensor<?xf32>
  return %v0#1, %v0#2, %v0#0 : tensor<?xf32>, tensor<?xf32>, tensor<?x4099xf32>
}
func.func @rms_norm(%a0: tensor<?x4099xf16> {te.dims = ["d0", "K"]}, %a1: tensor<4099xf16> {te.dims = ["K"]}) -> (tensor<?xf32>, tensor<?x4099xf16>) {
  %v0:2 = te.rms_norm %a0, %a1 {epsilon = 1.0e-5 : f32, zero_centered_gamma} : tensor<?x4099xf16>, tensor<4099xf16> -> tensor<?x4099xf16>, tensor<?xf32>
  return %v0#1, %v0#0 : tensor<?xf32>, tensor<?x4099xf16>
}
func.func @clamped_swiglu(%a0: tensor<?x8198xbf16> {te.dims = ["d0", "K2"]}, %a1: tensor<?xf32> {te.dims = ["d0"]}) -> (tensor<?x4099xbf16>) {
  %v0 = te.gated_activation clamped_swiglu %a0 scales(%a1 : tensor<?xf32>) : tensor<?x8198xbf16> -> tensor<?x4099xbf16>
  return %v0 : tensor<?x4099xbf16>
}
func.func @silu(%a0: tensor<?x4099xf16> {te.dims = ["d0", "K"]}) -> (tensor<?x4099xf16>) {
  %v0 = te.activation silu %a0 : tensor<?x4099xf16> -> tensor<?x4099xf16>
  return %v0 : tensor<?x4099xf16>
}
func.func @geglu_block(%a0: tensor<?x8198xf16> {te.dims = ["d0", "K2"]}) -> (!te.scaled<?x4099xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>) {
  %v0 = te.gated_activation geglu %a0 : tensor<?x8198xf16> -> tensor<?x4099xf16>
  %v1 = te.quantize %v0 : tensor<?x4099xf16> -> !te.scaled<?x4099xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>
  return %v1 : !te.scaled<?x4099xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>
}
func.func @swiglu_both(%a0: tensor<?x256xbf16> {te.dims = ["d0", "K2"]}) -> (!te.scaled<?x128xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x128xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>) {
  %v0 = te.gated_activation swiglu %a0 : tensor<?x256xbf16> -> tensor<?x128xbf16>
  %v1:2 = te.quantize %v0 : tensor<?x128xbf16> -> !te.scaled<?x128xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x128xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
  return %v1#0, %v1#1 : !te.scaled<?x128xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x128xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
}
func.func @rms_block(%a0: tensor<?x4099xf16> {te.dims = ["d0", "K"]}, %a1: tensor<4099xf16> {te.dims = ["K"]}) -> (tensor<?xf32>, !te.scaled<?x4099xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>) {
  %v0:2 = te.rms_norm %a0, %a1 {epsilon = 1.0e-5 : f32} : tensor<?x4099xf16>, tensor<4099xf16> -> tensor<?x4099xf16>, tensor<?xf32>
  %v1 = te.quantize %v0#0 : tensor<?x4099xf16> -> !te.scaled<?x4099xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>
  return %v0#1, %v1 : tensor<?xf32>, !te.scaled<?x4099xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>
}
func.func @sums(%a0: tensor<?x4096xbf16> {te.dims = ["d0", "K"]}, %a1: tensor<?x8192xbf16> {te.dims = ["d0", "K2"]}) -> (tensor<8192xbf16>, !te.scaled<?x8192xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x8192xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>) {
  %v0:2 = te.gated_activation_bwd swiglu %a0, %a1 : tensor<?x4096xbf16>, tensor<?x8192xbf16> -> tensor<?x8192xbf16> dbias tensor<8192xbf16>
  %v1:2 = te.quantize %v0#0 : tensor<?x8192xbf16> -> !te.scaled<?x8192xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x8192xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
  return %v0#1, %v1#0, %v1#1 : tensor<8192xbf16>, !te.scaled<?x8192xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x8192xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
}
func.func @sums_rms(%a0: tensor<?x4099xbf16> {te.dims = ["d0", "K"]}, %a1: tensor<?x4099xbf16> {te.dims = ["d0", "K"]}, %a2: tensor<4099xbf16> {te.dims = ["K"]}, %a3: tensor<?xf32> {te.dims = ["d0"]}, %a4: tensor<?x4099xbf16> {te.dims = ["d0", "K"]}) -> (tensor<?x4099xbf16>, tensor<4099xbf16>) {
  %v0:2 = te.rms_norm_bwd %a0, %a1, %a2, %a3 : tensor<?x4099xbf16>, tensor<?x4099xbf16>, tensor<4099xbf16>, tensor<?xf32> -> tensor<?x4099xbf16>, tensor<4099xbf16>
  %v1 = arith.addf %v0#0, %a4 : tensor<?x4099xbf16>
  return %v1, %v0#1 : tensor<?x4099xbf16>, tensor<4099xbf16>
}
func.func @sweep_bwd(%a0: tensor<?x?xbf16> {te.dims = ["d0", "K"]}, %a1: tensor<?x?xbf16> {te.dims = ["d0", "K"]}, %a2: tensor<?xbf16> {te.dims = ["K"]}, %a3: tensor<?xf32> {te.dims = ["d0"]}, %a4: tensor<?xf32> {te.dims = ["d0"]}) -> (tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16>) {
  %v0:3 = te.layer_norm_bwd %a0, %a1, %a2, %a3, %a4 : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xf32>, tensor<?xf32> -> tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16>
  return %v0#0, %v0#1, %v0#2 : tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16>
}
func.func @sweep_long(%a0: tensor<?x4096xf16> {te.dims = ["d0", "K"]}, %a1: tensor<4096xf16> {te.dims = ["K"]}) -> (tensor<?xf32>, !te.scaled<?x4096xf8E4M3FN, #te.scaling<row, scale = f32>>) {
  %v0:2 = te.rms_norm %a0, %a1 {epsilon = 1.0e-5 : f32} : tensor<?x4096xf16>, tensor<4096xf16> -> tensor<?x4096xf16>, tensor<?xf32>
  %v1 = te.quantize %v0#0 : tensor<?x4096xf16> -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<row, scale = f32>>
  return %v0#1, %v1 : tensor<?xf32>, !te.scaled<?x4096xf8E4M3FN, #te.scaling<row, scale = f32>>
}
func.func @rope(%x: tensor<?x6x64xf16> {te.dims = ["t", "h", "d"]}, %f: tensor<?x64xf32> {te.dims = ["p", "e"]}, %c: tensor<?xi32> {te.dims = ["n"]}) -> tensor<?x6x64xf16> {
  %y = te.rope thd %x, %f cu_seqlens(%c : tensor<?xi32>) : tensor<?x6x64xf16>, tensor<?x64xf32> -> tensor<?x6x64xf16>
  return %y : tensor<?x6x64xf16>
}
func.func @rope_bwd(%x: tensor<?x?x192xbf16> {te.dims = ["t", "h", "d"]}, %f: tensor<?x192xf32> {te.dims = ["p", "e"]}, %p: tensor<?xi32> {te.dims = ["b"]}, %c: tensor<?xi32> {te.dims = ["n"]}) -> tensor<?x?x192xbf16> {
  %y = te.rope_bwd thd %x, %f start_positions(%p : tensor<?xi32>) cu_seqlens(%c : tensor<?xi32>) {cp_size = 4 : i64, cp_rank = 2 : i64} : tensor<?x?x192xbf16>, tensor<?x192xf32> -> tensor<?x?x192xbf16>
  return %y : tensor<?x?x192xbf16>
}
func.func @packed(%q: tensor<?x?x3x64xf16> {te.dims = ["b", "s", "h0", "d0"]}, %k: tensor<?x?x3x64xf16> {te.dims = ["b", "s", "h1", "d1"]}, %v: tensor<?x?x3x64xf16> {te.dims = ["b", "s", "h2", "d2"]}, %f: tensor<?x32xf32> {te.dims = ["p", "e"]}) -> (tensor<?x?x3x192xf16>) {
  %n0 = te.dim %q, 0 : tensor<?x?x3x64xf16>
  %n1 = te.dim %q, 1 : tensor<?x?x3x64xf16>
  %q0 = te.rope_bwd bshd %q, %f {interleaved} : tensor<?x?x3x64xf16>, tensor<?x32xf32> -> tensor<?x?x3x64xf16>
  %k0 = te.rope_bwd bshd %k, %f {interleaved} : tensor<?x?x3x64xf16>, tensor<?x32xf32> -> tensor<?x?x3x64xf16>
  %q1 = tensor.expand_shape %q0 [[0], [1], [2, 3], [4]] output_shape [%n0, %n1, 3, 1, 64] : tensor<?x?x3x64xf16> into tensor<?x?x3x1x64xf16>
  %q2 = tensor.collapse_shape %q1 [[0], [1], [2], [3, 4]] : tensor<?x?x3x1x64xf16> into tensor<?x?x3x64xf16>
  %r = tensor.concat dim(3) %q2, %k0, %v : (tensor<?x?x3x64xf16>, tensor<?x?x3x64xf16>, tensor<?x?x3x64xf16>) -> tensor<?x?x3x192xf16>
  return %r : tensor<?x?x3x192xf16>
}
