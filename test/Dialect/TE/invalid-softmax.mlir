// te.softmax and te.softmax_bwd (C1 to C3).
// RUN: te-opt %s --split-input-file --verify-diagnostics

func.func @shape(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'te.softmax' op dimension 1 of the result is 9, expected 8: it has the input's shape (C1)}}
  %y = te.softmax %x : tensor<4x8xf32> -> tensor<4x9xf32>
  return
}

// -----

func.func @rank(%x: tensor<f32>) {
  // expected-error @+1 {{'te.softmax' op the input has rank 0, and no last dimension to sum over; give a tensor of rank 1 at least (C1)}}
  %y = te.softmax %x : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @scale(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'te.softmax' op scale is infinite; give a finite one (C2)}}
  %y = te.softmax %x {scale = 0x7F800000 : f32} : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @causal(%x: tensor<8xf32>) {
  // expected-error @+1 {{'te.softmax' op causal is for queries and keys, the last two dimensions, but the input has rank 1; give a tensor of rank 2 at least (C3)}}
  %y = te.softmax %x {causal} : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @bwd_y(%dy: tensor<4x8xf32>, %y: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.softmax_bwd' op dimension 0 of y is 8, expected 4: it has the input's shape (C1)}}
  %dx = te.softmax_bwd %dy, %y : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @bwd_result(%dy: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{'te.softmax_bwd' op the result has rank 1, expected rank 2: it has the input's shape (C1)}}
  %dx = te.softmax_bwd %dy, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @bwd_scale(%dy: tensor<4x8xf32>) {
  // expected-error @+1 {{'te.softmax_bwd' op scale is NaN; give a finite one (C2)}}
  %dx = te.softmax_bwd %dy, %dy {scale = 0x7FC00000 : f32} : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return
}
