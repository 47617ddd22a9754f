// te.rms_norm, te.layer_norm and their gradients: N1 to N3.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

func.func @n1_result(%x: tensor<?x64xbf16>, %g: tensor<64xf32>) {
  // expected-error @+1 {{'te.rms_norm' op dimension 1 of the result is 32, expected 64: it has the input's shape (N1)}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x32xbf16>, tensor<?xf32>
  return
}

// -----

func.func @n1_dynamic(%x: tensor<?x64xbf16>, %g: tensor<64xf32>) {
  // expected-error @+1 {{'te.rms_norm' op dimension 0 of the result is 4, expected ?: it has the input's shape (N1)}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<64xf32> -> tensor<4x64xbf16>, tensor<?xf32>
  return
}

// -----

func.func @n1_rank(%x: tensor<?x64xbf16>, %g: tensor<64xf32>) {
  // expected-error @+1 {{'te.rms_norm' op the result has rank 1, expected rank 2: it has the input's shape (N1)}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?xbf16>, tensor<?xf32>
  return
}

// -----

func.func @n1_scalar(%x: tensor<f32>, %g: tensor<f32>) {
  // expected-error @+1 {{N1: the input has rank 0, but the op works on its last dimension; give it one}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<f32>, tensor<f32> -> tensor<f32>, tensor<f32>
  return
}

// -----

func.func @n1_rsigma(%x: tensor<?x64xbf16>, %g: tensor<64xf32>) {
  // expected-error @+1 {{'te.rms_norm' op rsigma has rank 2, expected rank 1: it has one number a row, in the shape of the input's other dimensions (N1)}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<?x1xf32>
  return
}

// -----

func.func @n1_rsigma_of_rank_3(%x: tensor<2x3x64xf32>, %g: tensor<64xf32>) {
  // expected-error @+1 {{'te.rms_norm' op rsigma has rank 1, expected rank 2: it has one number a row, in the shape of the input's other dimensions (N1)}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<2x3x64xf32>, tensor<64xf32> -> tensor<2x3x64xf32>, tensor<6xf32>
  return
}

// -----

func.func @n1_rsigma_type(%x: tensor<?x64xbf16>, %g: tensor<64xf32>) {
  // expected-error @+1 {{result #1 must be tensor of 32-bit float values, but got 'tensor<?xbf16>'}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<?xbf16>
  return
}

// -----

func.func @n1_mu(%x: tensor<?x64xbf16>, %g: tensor<64xf32>, %b: tensor<64xf32>) {
  // expected-error @+1 {{'te.layer_norm' op dimension 0 of mu is 64, expected ?: it has one number a row, in the shape of the input's other dimensions (N1)}}
  %y, %m, %r = te.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32>
  return
}

// -----

func.func @n1_gradient(%dy: tensor<?x32xbf16>, %x: tensor<?x64xbf16>, %g: tensor<64xf32>, %r: tensor<?xf32>) {
  // expected-error @+1 {{'te.rms_norm_bwd' op dimension 1 of the gradient is 32, expected 64: it has the input's shape (N1)}}
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %r
      : tensor<?x32xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>
  return
}

// -----

func.func @n1_dx(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %g: tensor<64xf32>, %r: tensor<?xf32>) {
  // expected-error @+1 {{'te.rms_norm_bwd' op dimension 1 of dx is ?, expected 64: it has the input's shape (N1)}}
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %r
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x?xbf16>, tensor<64xf32>
  return
}

// -----

func.func @n1_mu_of_gradient(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %g: tensor<64xf32>, %m: tensor<f32>, %r: tensor<?xf32>) {
  // expected-error @+1 {{'te.layer_norm_bwd' op mu has rank 0, expected rank 1: it has one number a row, in the shape of the input's other dimensions (N1)}}
  %dx, %dg, %db = te.layer_norm_bwd %dy, %x, %g, %m, %r
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<f32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>, tensor<64xf32>
  return
}

// -----

func.func @n2_gamma(%x: tensor<?x64xbf16>, %g: tensor<32xf32>) {
  // expected-error @+1 {{'te.rms_norm' op dimension 0 of gamma is 32, expected 64: it has the size of the input's last dimension (N2)}}
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<32xf32> -> tensor<?x64xbf16>, tensor<?xf32>
  return
}

// -----

func.func @n2_beta(%x: tensor<?x64xbf16>, %g: tensor<64xf32>, %b: tensor<1x64xf32>) {
  // expected-error @+1 {{'te.layer_norm' op beta has rank 2, expected rank 1: it has the size of the input's last dimension (N2)}}
  %y, %m, %r = te.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f32}
      : tensor<?x64xbf16>, tensor<64xf32>, tensor<1x64xf32> -> tensor<?x64xbf16>, tensor<?xf32>, tensor<?xf32>
  return
}

// -----

func.func @n2_dgamma(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %g: tensor<64xf32>, %r: tensor<?xf32>) {
  // expected-error @+1 {{'te.rms_norm_bwd' op dimension 0 of dgamma is ?, expected 64: it has the size of the input's last dimension (N2)}}
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %r
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<?xf32>
  return
}

// -----

func.func @n2_dbeta(%dy: tensor<?x64xbf16>, %x: tensor<?x64xbf16>, %g: tensor<64xf32>, %m: tensor<?xf32>, %r: tensor<?xf32>) {
  // expected-error @+1 {{'te.layer_norm_bwd' op dimension 0 of dbeta is 1, expected 64: it has the size of the input's last dimension (N2)}}
  %dx, %dg, %db = te.layer_norm_bwd %dy, %x, %g, %m, %r
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>, tensor<1xf32>
  return
}

// -----

func.func @n3_negative(%x: tensor<?x64xbf16>, %g: tensor<64xf32>) {
  // expected-error @+1 {{'te.rms_norm' op epsilon is -1.000000e+00; it is added to a mean of squares, and is finite and not negative (N3)}}
  %y, %r = te.rms_norm %x, %g {epsilon = -1.0 : f32}
      : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<?xf32>
  return
}

// -----

func.func @n3_nan(%x: tensor<?x64xbf16>, %g: tensor<64xf32>) {
  // expected-error @+1 {{'te.rms_norm' op epsilon is nan; it is added to a mean of squares, and is finite and not negative (N3)}}
  %y, %r = te.rms_norm %x, %g {epsilon = 0x7FC00000 : f32}
      : tensor<?x64xbf16>, tensor<64xf32> -> tensor<?x64xbf16>, tensor<?xf32>
  return
}

// -----

func.func @n2_bias_add(%x: tensor<?x64xbf16>, %b: tensor<32xf32>) {
  // expected-error @+1 {{'te.bias_add' op dimension 0 of the bias is 32, expected 64: it has the size of the input's last dimension (N2)}}
  %y = te.bias_add %x, %b : tensor<?x64xbf16>, tensor<32xf32>
  return
}

// -----

func.func @n1_bias_add(%x: tensor<f32>, %b: tensor<f32>) {
  // expected-error @+1 {{N1: the input has rank 0, but the op works on its last dimension; give it one}}
  %y = te.bias_add %x, %b : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @n2_bias_grad(%dy: tensor<?x64xbf16>) {
  // expected-error @+1 {{'te.bias_grad' op dimension 0 of the result is 32, expected 64: it has the size of the input's last dimension (N2)}}
  %db = te.bias_grad %dy : tensor<?x64xbf16> -> tensor<32xbf16>
  return
}

// -----

func.func @n1_add(%dy: tensor<?x64xbf16>, %g: tensor<64xf32>, %r: tensor<?xf32>, %a: tensor<?x32xbf16>) {
  // expected-error @+1 {{'te.rms_norm_bwd' op dimension 1 of add is 32, expected 64: it has the input's shape (N1)}}
  %dx, %dg = te.rms_norm_bwd %dy, %dy, %g, %r add(%a : tensor<?x32xbf16>)
      : tensor<?x64xbf16>, tensor<?x64xbf16>, tensor<64xf32>, tensor<?xf32> -> tensor<?x64xbf16>, tensor<64xf32>
  return
}
