// RUN: te-opt %s -split-input-file -verify-diagnostics

func.func @rank(%a: tensor<8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op A has rank 1; a matrix has two dimensions at least: tensor.expand_shape gives it one of size 1 (X1)}}
  %d = te.gemm %a, %b : tensor<8xf32>, tensor<8x4xf32> -> tensor<1x4xf32>
  return
}

// -----

func.func @transposed_rows(%a: tensor<2x8x4xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op A has rank 3 and is transposed, and B is one matrix; where K is all but A's last dimension, collapse these by tensor.collapse_shape (X1)}}
  %d = te.gemm %a, %b transpose_a : tensor<2x8x4xf32>, tensor<8x4xf32> -> tensor<2x4x4xf32>
  return
}

// -----

func.func @leading(%a: tensor<2x8x4xf32>, %b: tensor<3x4x8xf32>) {
  // expected-error @+1 {{'te.gemm' op dimension 0 of A is 2 and that of B 3; matrices are multiplied in pairs, so both have the same leading dimensions (X1)}}
  %d = te.gemm %a, %b : tensor<2x8x4xf32>, tensor<3x4x8xf32> -> tensor<2x8x8xf32>
  return
}

// -----

func.func @k(%a: tensor<?x4096xbf16>, %w: tensor<6144x4095xbf16>) {
  // expected-error @+1 {{'te.gemm' op K is 4096 in A (dimension 1) and 4095 in B (dimension 1, transposed); transpose_a and transpose_b say where it is (X2)}}
  %d = te.gemm %a, %w transpose_b : tensor<?x4096xbf16>, tensor<6144x4095xbf16> -> tensor<?x6144xbf16>
  return
}

// -----

func.func @result(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op dimension 1 of D is 5, expected 4: it has A's leading dimensions, M and N (X3)}}
  %d = te.gemm %a, %b : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x5xf32>
  return
}

// -----

func.func @bias(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %v: tensor<8xf32>) {
  // expected-error @+1 {{'te.gemm' op dimension 0 of bias is 8, expected 4: it has one number a column of D (X3)}}
  %d = te.gemm %a, %b bias(%v : tensor<8xf32>) : tensor<?x8xf32>, tensor<8x4xf32> -> tensor<?x4xf32>
  return
}

// -----

func.func @bias_grad(%a: tensor<8x16xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op dimension 0 of bias_grad is 4, expected 16: it has the size of A's last dimension (X3)}}
  %d, %g = te.gemm %a, %b transpose_a : tensor<8x16xf32>, tensor<8x4xf32> -> tensor<16x4xf32> bias_grad tensor<4xf32>
  return
}

// -----

func.func @types(%a: tensor<8x8xf32>, %b: tensor<8x4xbf16>) {
  // expected-error @+1 {{'te.gemm' op A holds 'f32' and B 'bf16'; convert one (arith.extf, arith.truncf) (X4)}}
  %d = te.gemm %a, %b : tensor<8x8xf32>, tensor<8x4xbf16> -> tensor<8x4xf32>
  return
}

// -----

func.func @integers(%a: tensor<8x8xi32>, %b: tensor<8x4xi32>) {
  // expected-error @+1 {{'te.gemm' op A is 'tensor<8x8xi32>'; an operand is a tensor of bf16, f16 or f32, or a !te.scaled (X4)}}
  %d = te.gemm %a, %b : tensor<8x8xi32>, tensor<8x4xi32> -> tensor<8x4xf32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @half(%a: !te.scaled<8x64xf8E4M3FN, #row>, %b: tensor<64x4xbf16>) {
  // expected-error @+1 {{'te.gemm' op A is quantized and B is not; quantize both, or te.dequantize one (X4)}}
  %d = te.gemm %a, %b : !te.scaled<8x64xf8E4M3FN, #row>, tensor<64x4xbf16> -> tensor<8x4xf32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @direction(%a: !te.scaled<64x8xf8E4M3FN, #row>, %b: !te.scaled<4x64xf8E4M3FN, #row>) {
  // expected-error @+1 {{'te.gemm' op K runs along dimension 0 of A, but its blocks are [1, 32]; a block lies along K: quantize it with blocks [32, 1], or change transpose_a (X5)}}
  %d = te.gemm %a, %b transpose_a transpose_b : !te.scaled<64x8xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #row> -> tensor<8x4xf32>
  return
}

// -----

#rows = #te.scaling<row, scale = f32>
func.func @rows(%a: !te.scaled<8x64xf8E4M3FN, #rows>, %b: !te.scaled<64x4xf8E4M3FN, #rows>) {
  // expected-error @+1 {{'te.gemm' op B has a scale for each row, and K runs down its rows; use transpose_b with an operand whose K is its last dimension, or a `tensor` scheme (X5)}}
  %d = te.gemm %a, %b : !te.scaled<8x64xf8E4M3FN, #rows>, !te.scaled<64x4xf8E4M3FN, #rows> -> tensor<8x4xf32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#rows = #te.scaling<row, scale = f32>
func.func @kinds(%a: !te.scaled<8x64xf8E4M3FN, #row>, %b: !te.scaled<4x64xf8E4M3FN, #rows>) {
  // expected-error @+1 {{'te.gemm' op A is block [1, 32] scaling with f8E8M0FNU scales and B is row scaling with f32 scales; both have E8M0 blocks, or f32 blocks, or f32 scales of a tensor or of rows (X6)}}
  %d = te.gemm %a, %b transpose_b : !te.scaled<8x64xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #rows> -> tensor<8x4xf32>
  return
}

// -----

func.func @activation(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op gelu together with accumulate; add the two by arith.addf (X7)}}
  %d = te.gemm %a, %b gelu accumulate(%c : tensor<8x4xf32>) : tensor<8x8xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @two(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>, %c: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op gelu and dgelu; an op has one of them (X7)}}
  %d = te.gemm %a, %b gelu dgelu(%c : tensor<8x4xf32>) : tensor<8x8xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @beta(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op beta is the factor of what is accumulated; add accumulate(..), or drop beta (X8)}}
  %d = te.gemm %a, %b {beta = 2.0 : f32} : tensor<8x8xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @no_piece(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op split_k = 0; K has one split or more (X9)}}
  %d = te.gemm %a, %b {split_k = 0 : i64} : tensor<8x8xf32>, tensor<8x4xf32> -> tensor<0x8x4xf32>
  return
}

// -----

func.func @rounded_partial_sums(%a: tensor<8x8xbf16>, %b: tensor<8x4xbf16>) {
  // expected-error @+1 {{'te.gemm' op partial sums of 'tensor<2x8x4xbf16>'; they are sums in f32 (X9)}}
  %d = te.gemm %a, %b {split_k = 2 : i64} : tensor<8x8xbf16>, tensor<8x4xbf16> -> tensor<2x8x4xbf16>
  return
}

// -----

func.func @more_than_partial_sums(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op partial sums are sums of products and nothing else; the rest is te.gemm_sum's (X9)}}
  %d = te.gemm %a, %b gelu {split_k = 2 : i64} : tensor<8x8xf32>, tensor<8x4xf32> -> tensor<2x8x4xf32>
  return
}

// -----

func.func @partial_sums_of_pairs(%a: tensor<3x8x8xf32>, %b: tensor<3x8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op partial sums of many products; B is one matrix (X9)}}
  %d = te.gemm %a, %b {split_k = 2 : i64} : tensor<3x8x8xf32>, tensor<3x8x4xf32> -> tensor<2x3x8x4xf32>
  return
}

// -----

func.func @flat_partial_sums(%a: tensor<8x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op D has rank 2, expected rank 3: it has as many splits, A's leading dimensions, M and N (X3)}}
  %d = te.gemm %a, %b {split_k = 2 : i64} : tensor<8x8xf32>, tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @unknown_partial_sums(%p: tensor<?x8x4xf32>) {
  // expected-error @+1 {{'te.gemm_sum' op partial sums are 'tensor<?x8x4xf32>'; they are S x M x N of f32, S known and 1 at least (X9)}}
  %d = te.gemm_sum %p : tensor<?x8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @sum_shape(%p: tensor<2x8x4xf32>) {
  // expected-error @+1 {{'te.gemm_sum' op dimension 1 of D is 8, expected 4: it is the sum of these (X3)}}
  %d = te.gemm_sum %p : tensor<2x8x4xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @rest_of_another_width(%a: tensor<64x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op partial sums of the last rows are 'tensor<2x32x8xf32>'; they are S x R x N of f32, and D has R rows or more, M and N known (X9)}}
  %d, %r = te.gemm %a, %b : tensor<64x8xf32>, tensor<8x4xf32> -> tensor<64x4xf32> rest tensor<2x32x8xf32>
  return
}

// -----

func.func @rest_with_partial_sums(%a: tensor<64x8xf32>, %b: tensor<8x4xf32>) {
  // expected-error @+1 {{'te.gemm' op rest with split_k, a bias gradient, or of many products; drop one (X9)}}
  %d, %r = te.gemm %a, %b {split_k = 2 : i64} : tensor<64x8xf32>, tensor<8x4xf32> -> tensor<2x64x4xf32> rest tensor<2x32x4xf32>
  return
}

// -----

func.func @sum_of_other_columns(%p: tensor<2x8x4xf32>) {
  // expected-error @+1 {{'te.gemm_sum' op partial sums of the last rows are 'tensor<2x8x4xf32>'; they are S x R x N of f32, and D has R rows or more, M and N known (X9)}}
  %d = te.gemm_sum %p : tensor<2x8x4xf32> -> tensor<16x8xf32>
  return
}
