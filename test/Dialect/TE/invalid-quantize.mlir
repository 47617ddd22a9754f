// te.quantize: rules Q1 to Q9.

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @rank(%x: tensor<2x4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #0 has rank 2 but the input has rank 3; the logical shapes must be the same, also where the data layout is transposed (Q1)}}
  %q = te.quantize %x : tensor<2x4x32xbf16> -> !te.scaled<8x32xf8E4M3FN, #row>
  return
}

// -----

// The logical shape is (M, K), also where (K, M) is stored.
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @transposed(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op dimension 0 of result #0 is 32 but the input's is 4; give both the same size (Q1)}}
  %q = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<32x4xf8E4M3FN, #fp8t>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @dynamic(%x: tensor<?x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op dimension 0 of result #0 is 4 but the input's is ?; give both the same size (Q1)}}
  %q = te.quantize %x : tensor<?x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @second_result(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op dimension 1 of result #1 is 64 but the input's is 32; give both the same size (Q1)}}
  %q:2 = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #col>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @amax_type(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #1 is 'tensor<bf16>'; besides !te.scaled there is at most one result, the amax, of type tensor<f32> (Q2)}}
  %q:2 = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>, tensor<bf16>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @amax_rank(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #1 is 'tensor<1xf32>'; besides !te.scaled there is at most one result, the amax, of type tensor<f32> (Q2)}}
  %q:2 = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>, tensor<1xf32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @two_amaxes(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #2 is 'tensor<f32>'; besides !te.scaled there is at most one result, the amax, of type tensor<f32> (Q2)}}
  %q:3 = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @other_type(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #0 is 'f32'; results are !te.scaled and tensor<f32> (Q2)}}
  %q = te.quantize %x : tensor<4x32xbf16> -> f32
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @amax_first(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #1 comes after the amax; the amax is the last (Q2)}}
  %q:2 = te.quantize %x : tensor<4x32xbf16> -> tensor<f32>, !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

func.func @amax_alone(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op no !te.scaled result; use te.amax for the amax alone (Q2)}}
  %a = te.quantize %x : tensor<4x32xbf16> -> tensor<f32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#fp8 = #te.scaling<tensor, scale = f32>
func.func @two_rowwise(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #1 is rowwise; there is at most one rowwise and one columnwise result, the rowwise first (Q3)}}
  %q:2 = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>, !te.scaled<4x32xf8E4M3FN, #fp8>
  return
}

// -----

#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @two_columnwise(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #1 is columnwise; there is at most one rowwise and one columnwise result, the rowwise first (Q3)}}
  %q:2 = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #col>, !te.scaled<4x32xf8E5M2, #col>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @columnwise_first(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #1 is rowwise; there is at most one rowwise and one columnwise result, the rowwise first (Q3)}}
  %q:2 = te.quantize %x : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #col>, !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @scale_of_blocks(%x: tensor<4x32xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{'te.quantize' op scale(...) is the multiplier of per-tensor scaling, but result #0 has block [1, 32] scaling with f8E8M0FNU scales, which computes its own; drop scale(...) (Q4)}}
  %q = te.quantize %x scale(%s : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#row = #te.scaling<row, scale = f32>
func.func @scale_of_rows(%x: tensor<4x32xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{'te.quantize' op scale(...) is the multiplier of per-tensor scaling, but result #0 has row scaling with f32 scales, which computes its own; drop scale(...) (Q4)}}
  %q = te.quantize %x scale(%s : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @stochastic_fp8(%x: tensor<4x32xbf16>, %r: tensor<2xi64>) {
  // expected-error @+1 {{'te.quantize' op stochastic rounding exists for f4E2M1FN only, but result #0 holds 'f8E4M3FN' (Q5)}}
  %q = te.quantize %x rng(%r : tensor<2xi64>) {stochastic} : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
func.func @stochastic_without_rng(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op stochastic rounding and rng(...) go together; add rng(%state : tensor<2xi64>) (Q5)}}
  %q = te.quantize %x {stochastic} : tensor<4x32xbf16> -> !te.scaled<4x32xf4E2M1FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
func.func @rng_without_stochastic(%x: tensor<4x32xbf16>, %r: tensor<2xi64>) {
  // expected-error @+1 {{'te.quantize' op stochastic rounding and rng(...) go together; add {stochastic} (Q5)}}
  %q = te.quantize %x rng(%r : tensor<2xi64>) : tensor<4x32xbf16> -> !te.scaled<4x32xf4E2M1FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
func.func @rng_size(%x: tensor<4x32xbf16>, %r: tensor<3xi64>) {
  // expected-error @+1 {{'te.quantize' op rng is tensor<2xi64> (seed, offset), not 'tensor<3xi64>' (Q5)}}
  %q = te.quantize %x rng(%r : tensor<3xi64>) {stochastic} : tensor<4x32xbf16> -> !te.scaled<4x32xf4E2M1FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @hadamard_fp8(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op hadamard and sign_mask belong to f4E2M1FN, but result #0 holds 'f8E4M3FN' (Q6)}}
  %q = te.quantize %x {hadamard} : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
func.func @sign_mask_alone(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op sign_mask is an option of hadamard; add hadamard or drop it (Q6)}}
  %q = te.quantize %x {sign_mask = 5 : i32} : tensor<4x32xbf16> -> !te.scaled<4x32xf4E2M1FN, #row>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @epsilon_e8m0(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op epsilon bounds the amax that a tensor's or a 128-block's f32 scale is computed from, but result #0 has f8E8M0FNU scales; drop epsilon (Q7)}}
  %q = te.quantize %x {epsilon = 1.0e-6 : f32} : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
func.func @epsilon_given(%x: tensor<4x32xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{'te.quantize' op epsilon bounds the amax that a tensor's or a 128-block's f32 scale is computed from, but result #0 has a given scale; drop epsilon (Q7)}}
  %q = te.quantize %x scale(%s : tensor<f32>) {epsilon = 1.0e-6 : f32} : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #fp8>
  return
}

// -----

#row = #te.scaling<row, scale = f32>
func.func @epsilon_row(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op epsilon bounds the amax that a tensor's or a 128-block's f32 scale is computed from, but result #0 has row scaling; drop epsilon (Q7)}}
  %q = te.quantize %x {epsilon = 1.0e-6 : f32} : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @two_codes(%x: tensor<4x32xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{'te.quantize' op the rowwise and the columnwise copy of per-tensor scaling hold the same codes, but their element types are 'f8E4M3FN' and 'f8E5M2' (Q8)}}
  %q:2 = te.quantize %x scale(%s : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #fp8>, !te.scaled<4x32xf8E5M2, #fp8t>
  return
}

// -----

// Operand types are part of the op's definition.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @input_type(%x: tensor<4x32xf64>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of bfloat16 type or 16-bit float or 32-bit float values, but got 'tensor<4x32xf64>'}}
  %q = te.quantize %x : tensor<4x32xf64> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
func.func @scale_type(%x: tensor<4x32xbf16>, %s: tensor<1xf32>) {
  // expected-error @+1 {{must be 0D tensor of 32-bit float values, but got 'tensor<1xf32>'}}
  %q = te.quantize %x scale(%s : tensor<1xf32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #fp8>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @noop_type(%x: tensor<4x32xbf16>, %n: tensor<i1>) {
  // expected-error @+1 {{must be 0D tensor of 32-bit float values, but got 'tensor<i1>'}}
  %q = te.quantize %x noop(%n : tensor<i1>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #row>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
func.func @amax_and_scale(%x: tensor<4x32xbf16>, %s: tensor<f32>) {
  // expected-error @+1 {{'te.quantize' op amax(...) is what current scaling (tensor schemes only, without scale(...)) computes its scale from; drop amax(...) here (Q9)}}
  %q = te.quantize %x scale(%s : tensor<f32>) amax(%s : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #fp8>
  return
}

// -----

#block = #te.scaling<block = [1, 128], scale = f32>
func.func @amax_of_blocks(%x: tensor<4x128xbf16>, %a: tensor<f32>) {
  // expected-error @+1 {{'te.quantize' op amax(...) is what current scaling (tensor schemes only, without scale(...)) computes its scale from; drop amax(...) here (Q9)}}
  %q = te.quantize %x amax(%a : tensor<f32>) : tensor<4x128xbf16> -> !te.scaled<4x128xf8E4M3FN, #block>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
func.func @amax_twice(%x: tensor<4x32xbf16>, %a: tensor<f32>) {
  // expected-error @+1 {{drop the amax result, which is the same}}
  %q:2 = te.quantize %x amax(%a : tensor<f32>) : tensor<4x32xbf16> -> !te.scaled<4x32xf8E4M3FN, #fp8>, tensor<f32>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, per = matrix>
func.func @two_scopes(%x: tensor<2x4x32xbf16>) {
  // expected-error @+1 {{'te.quantize' op result #1 has block [32, 1] scaling with f8E8M0FNU scales, each matrix by itself, result #0 block [1, 32] scaling with f8E8M0FNU scales; blocks are of the tensor in all results, or of each matrix in all (Q10)}}
  %q:2 = te.quantize %x : tensor<2x4x32xbf16> -> !te.scaled<2x4x32xf8E4M3FN, #row>, !te.scaled<2x4x32xf8E4M3FN, #col>
  return
}
