// te.update_scale: U1 to U3.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

func.func @u1_rank(%h: tensor<2x3x4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @+1 {{'te.update_scale' op the history is 'tensor<2x3x4xf32>'; it is (L) or (L, S), L amaxes of S tensors, with L at least 1 (U1)}}
  %r:2 = te.update_scale max %h, %s for f8E4M3FN : tensor<2x3x4xf32>, tensor<3x4xf32> -> tensor<2x3x4xf32>, tensor<3x4xf32>
  return
}

// -----

func.func @u1_empty(%h: tensor<0x3xf32>, %s: tensor<3xf32>) {
  // expected-error @+1 {{'te.update_scale' op the history is 'tensor<0x3xf32>'; it is (L) or (L, S), L amaxes of S tensors, with L at least 1 (U1)}}
  %r:2 = te.update_scale max %h, %s for f8E4M3FN : tensor<0x3xf32>, tensor<3xf32> -> tensor<0x3xf32>, tensor<3xf32>
  return
}

// -----

func.func @u1_history(%h: tensor<16x?xf32>, %s: tensor<?xf32>) {
  // expected-error @+1 {{'te.update_scale' op dimension 0 of the new history is 15, expected 16: it has the history's (U1)}}
  %r:2 = te.update_scale max %h, %s for f8E4M3FN : tensor<16x?xf32>, tensor<?xf32> -> tensor<15x?xf32>, tensor<?xf32>
  return
}

// -----

func.func @u1_scale(%h: tensor<16x?xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{'te.update_scale' op dimension 0 of scale is 4, expected ?: it has one number a tensor, as a row of the history (U1)}}
  %r:2 = te.update_scale max %h, %s for f8E4M3FN : tensor<16x?xf32>, tensor<4xf32> -> tensor<16x?xf32>, tensor<4xf32>
  return
}

// -----

func.func @u1_amax(%h: tensor<16xf32>, %s: tensor<f32>, %a: tensor<1xf32>) {
  // expected-error @+1 {{'te.update_scale' op amax has rank 1, expected rank 0: it has one number a tensor, as a row of the history (U1)}}
  %r:2 = te.update_scale max %h, %s amax(%a : tensor<1xf32>) for f8E4M3FN : tensor<16xf32>, tensor<f32> -> tensor<16xf32>, tensor<f32>
  return
}

// -----

func.func @u1_new_scale(%h: tensor<16x?xf32>, %s: tensor<?xf32>) {
  // expected-error @+1 {{'te.update_scale' op dimension 0 of the new scale is 1, expected ?: it has one number a tensor, as a row of the history (U1)}}
  %r:2 = te.update_scale max %h, %s for f8E4M3FN : tensor<16x?xf32>, tensor<?xf32> -> tensor<16x?xf32>, tensor<1xf32>
  return
}

// -----

func.func @u1_scale_inv(%h: tensor<16x?xf32>, %s: tensor<?xf32>) {
  // expected-error @+1 {{'te.update_scale' op scale_inv has rank 0, expected rank 1: it has one number a tensor, as a row of the history (U1)}}
  %r:3 = te.update_scale max %h, %s for f8E4M3FN : tensor<16x?xf32>, tensor<?xf32> -> tensor<16x?xf32>, tensor<?xf32> scale_inv tensor<f32>
  return
}

// -----

func.func @u2_element(%h: tensor<16x?xf32>, %s: tensor<?xf32>) {
  // expected-error @+1 {{'te.update_scale' op the element type is 'f4E2M1FN'; delayed scaling is for f8E4M3FN, f8E5M2, f8E4M3FNUZ and f8E5M2FNUZ (U2)}}
  %r:2 = te.update_scale max %h, %s for f4E2M1FN : tensor<16x?xf32>, tensor<?xf32> -> tensor<16x?xf32>, tensor<?xf32>
  return
}

// -----

func.func @u3_margin(%h: tensor<16x?xf32>, %s: tensor<?xf32>) {
  // expected-error @+1 {{'te.update_scale' op margin is 65; it is an exponent of two, from -64 to 64 (U3)}}
  %r:2 = te.update_scale max %h, %s for f8E4M3FN {margin = 65 : i64} : tensor<16x?xf32>, tensor<?xf32> -> tensor<16x?xf32>, tensor<?xf32>
  return
}
