// Activations, gated ones and their gradients: E1 to E4.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

func.func @e1_result(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.activation' op dimension 1 of the result is 32, expected 64: it has the input's shape (E1)}}
  %y = te.activation gelu %x : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e1_gradient(%dy: tensor<?x32xbf16>, %x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.activation_bwd' op dimension 1 of the gradient is 32, expected 64: it has the input's shape (E1)}}
  %dx:1 = te.activation_bwd gelu %dy, %x : tensor<?x32xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

func.func @e1_dx(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.activation_bwd' op dx has rank 1, expected rank 2: it has the input's shape (E1)}}
  %dx:1 = te.activation_bwd gelu %dy, %x : tensor<?x64xbf16>, tensor<?x64xbf16> -> tensor<?xbf16>
  return
}

// -----

func.func @e1_half(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op dimension 1 of the result is 64, expected 32: it has the input's shape, with half of its last dimension (E1)}}
  %y = te.gated_activation swiglu %x : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

func.func @e1_odd(%x: tensor<?x7xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op the input's last dimension is 7; it holds two halves, a and b, and is even (E1)}}
  %y = te.gated_activation swiglu %x : tensor<?x7xbf16> -> tensor<?x3xbf16>
  return
}

// -----

func.func @e1_dynamic_half(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op dimension 1 of the result is 8, expected ?: it has the input's shape, with half of its last dimension (E1)}}
  %y = te.gated_activation swiglu %x : tensor<4x?xbf16> -> tensor<4x8xbf16>
  return
}

// -----

func.func @e1_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{E1: the input has rank 0, but the op works on its last dimension; give it one}}
  %y = te.gated_activation swiglu %x : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @e1_half_gradient(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation_bwd' op dimension 1 of the gradient is 64, expected 32: it has the input's shape, with half of its last dimension (E1)}}
  %dx:1 = te.gated_activation_bwd glu %dy, %x : tensor<?x64xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

func.func @e1_gated_dx(%dy: tensor<?x32xbf16>, %x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation_bwd' op dimension 1 of dx is 32, expected 64: it has the input's shape (E1)}}
  %dx:1 = te.gated_activation_bwd glu %dy, %x : tensor<?x32xbf16>, tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e2_rank(%x: tensor<?x64xbf16>, %s: tensor<?x1xf32>) {
  // expected-error @+1 {{'te.activation' op scales has rank 2, expected rank 1: it has one number a row, in the shape of the input's other dimensions (E2)}}
  %y = te.activation gelu %x scales(%s : tensor<?x1xf32>) : tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

func.func @e2_size(%x: tensor<?x64xbf16>, %s: tensor<64xf32>) {
  // expected-error @+1 {{'te.gated_activation' op dimension 0 of scales is 64, expected ?: it has one number a row, in the shape of the input's other dimensions (E2)}}
  %y = te.gated_activation swiglu %x scales(%s : tensor<64xf32>) : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e2_scalar(%x: tensor<f32>, %s: tensor<f32>) {
  // expected-error @+1 {{E2: the input has rank 0, but the op works on its last dimension; give it one}}
  %y = te.activation gelu %x scales(%s : tensor<f32>) : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @e2_gradient(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{'te.activation_bwd' op scales has rank 0, expected rank 1: it has one number a row, in the shape of the input's other dimensions (E2)}}
  %dx:1 = te.activation_bwd gelu %dy, %x scales(%s : tensor<f32>) : tensor<?x64xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

func.func @e3_interleave(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op interleave is 5; a and b alternate in runs of that many columns, so it divides 32, or is 0: a, then b (E3)}}
  %y = te.gated_activation swiglu %x {interleave = 5 : i64} : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e3_interleave_negative(%dy: tensor<?x32xbf16>, %x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation_bwd' op interleave is -8; a and b alternate in runs of that many columns, so it divides 32, or is 0: a, then b (E3)}}
  %dx:1 = te.gated_activation_bwd glu %dy, %x {interleave = -8 : i64} : tensor<?x32xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16>
  return
}

// -----

func.func @e3_limit(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op limit is -1.000000e+00; it is finite and not negative (E3)}}
  %y = te.gated_activation clamped_swiglu %x {limit = -1.0 : f32} : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e3_alpha(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op alpha is 0.000000e+00; it is finite and positive (E3)}}
  %y = te.gated_activation clamped_swiglu %x {alpha = 0.0 : f32} : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e3_offset(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op offset is INF; it is finite (E3)}}
  %y = te.gated_activation clamped_swiglu %x {offset = 0x7F800000 : f32} : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e3_beta1(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op beta1 is 0.000000e+00; it is finite and not zero (E3)}}
  %y = te.gated_activation situglu %x {beta1 = 0.0 : f32} : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e3_beta2(%x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.gated_activation' op beta2 is INF; it is finite and not zero (E3)}}
  %y = te.gated_activation situglu %x {beta2 = 0x7F800000 : f32} : tensor<?x64xbf16> -> tensor<?x32xbf16>
  return
}

// -----

func.func @e4_dbias(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.activation_bwd' op dimension 0 of dbias is 32, expected 64: it has the size of the input's last dimension (E4)}}
  %dx:2 = te.activation_bwd gelu %dy, %x : tensor<?x64xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16> dbias tensor<32xbf16>
  return
}

// -----

func.func @e4_dscale(%dy: tensor<?x32xbf16>, %x: tensor<?x64xbf16>, %s: tensor<?xf32>) {
  // expected-error @+1 {{'te.gated_activation_bwd' op dscale has rank 2, expected rank 1: it has one number a row, in the shape of the input's other dimensions (E4)}}
  %dx:2 = te.gated_activation_bwd glu %dy, %x scales(%s : tensor<?xf32>) : tensor<?x32xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16> dscale tensor<?x1xf32>
  return
}

// -----

func.func @e4_dscale_alone(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.activation_bwd' op dscale is the gradient of scales, and there are none; add scales(..) or drop dscale (E4)}}
  %dx:2 = te.activation_bwd gelu %dy, %x : tensor<?x64xbf16>, tensor<?x64xbf16> -> tensor<?x64xbf16> dscale tensor<?xf32>
  return
}

// -----

func.func @e4_scalar(%dy: tensor<f32>, %x: tensor<f32>) {
  // expected-error @+1 {{E4: the input has rank 0, but the op works on its last dimension; give it one}}
  %dx:2 = te.activation_bwd gelu %dy, %x : tensor<f32>, tensor<f32> -> tensor<f32> dbias tensor<f32>
  return
}
