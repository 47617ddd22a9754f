// The other ops (D1, D2, D5 to D7, M1, F1, F2), argument attributes (A1, A2), schedules (H1 to H3).

// RUN: te-opt %s --split-input-file --verify-diagnostics -o /dev/null

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @dequantize_rank(%q: !te.scaled<4x32xf8E4M3FN, #row>) {
  // expected-error @+1 {{'te.dequantize' op the result has rank 1 but the input has rank 2; the logical shapes must be the same, also where the data layout is transposed (D1)}}
  %y = te.dequantize %q : !te.scaled<4x32xf8E4M3FN, #row> -> tensor<128xbf16>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @dequantize_size(%q: !te.scaled<4x?xf8E4M3FN, #row>) {
  // expected-error @+1 {{'te.dequantize' op dimension 1 of the result is 32 but the input's is ?; give both the same size (D1)}}
  %y = te.dequantize %q : !te.scaled<4x?xf8E4M3FN, #row> -> tensor<4x32xbf16>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @dequantize_type(%q: !te.scaled<4x32xf8E4M3FN, #row>) {
  // expected-error @+1 {{result #0 must be ranked tensor of bfloat16 type or 16-bit float or 32-bit float values, but got 'tensor<4x32xi8>'}}
  %y = te.dequantize %q : !te.scaled<4x32xf8E4M3FN, #row> -> tensor<4x32xi8>
  return
}

// -----

func.func @dequantize_tensor(%x: tensor<4x32xf8E4M3FN>) {
  // expected-error @+1 {{operand #0 must be !te.scaled, but got 'tensor<4x32xf8E4M3FN>'}}
  %y = "te.dequantize"(%x) : (tensor<4x32xf8E4M3FN>) -> tensor<4x32xbf16>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @transpose_shape(%q: !te.scaled<4x32xf8E4M3FN, #fp8>) {
  // expected-error @+1 {{'te.transpose' op dimension 0 of the result is 32 but the input's is 4; give both the same size (D1)}}
  %t = te.transpose %q : !te.scaled<4x32xf8E4M3FN, #fp8> -> !te.scaled<32x4xf8E4M3FN, #fp8t>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @transpose_element(%q: !te.scaled<4x32xf8E4M3FN, #fp8>) {
  // expected-error @+1 {{'te.transpose' op the input holds 'f8E4M3FN' and the result 'f8E5M2'; codes are moved as they are (D2)}}
  %t = te.transpose %q : !te.scaled<4x32xf8E4M3FN, #fp8> -> !te.scaled<4x32xf8E5M2, #fp8t>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @transpose_blocks(%q: !te.scaled<4x32xf8E4M3FN, #row>) {
  // expected-error @+1 {{only a tensor that has one scale, or square blocks, has the same codes transposed, in the same scheme; quantize it again}}
  %t = te.transpose %q : !te.scaled<4x32xf8E4M3FN, #row> -> !te.scaled<4x32xf8E4M3FN, #fp8t>
  return
}

// -----

#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @transpose_nothing(%q: !te.scaled<4x32xf8E4M3FN, #fp8t>) {
  // expected-error @+1 {{'te.transpose' op both input and result are transposed; one of them is (D2)}}
  %t = te.transpose %q : !te.scaled<4x32xf8E4M3FN, #fp8t> -> !te.scaled<4x32xf8E4M3FN, #fp8t>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#even = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, scale_layout = blocked_32x4x4>
func.func @relayout_scheme(%q: !te.scaled<4x32xf8E4M3FN, #row>) {
  // expected-error @+1 {{a relayout changes scale_layout and data_layout only; for another scheme quantize the tensor again}}
  %t = te.relayout %q : !te.scaled<4x32xf8E4M3FN, #row> -> !te.scaled<4x32xf8E4M3FN, #even>
  return
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#blocked = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>
func.func @relayout_element(%q: !te.scaled<4x32xf8E4M3FN, #row>) {
  // expected-error @+1 {{'te.relayout' op the input holds 'f8E4M3FN' and the result 'f8E5M2'; codes are moved as they are (D3)}}
  %t = te.relayout %q : !te.scaled<4x32xf8E4M3FN, #row> -> !te.scaled<4x32xf8E5M2, #blocked>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @relayout_transposed(%q: !te.scaled<4x32xf8E4M3FN, #fp8>) {
  // expected-error @+1 {{'te.relayout' op the data of the result are transposed; for that there is te.transpose (D4)}}
  %t = te.relayout %q : !te.scaled<4x32xf8E4M3FN, #fp8> -> !te.scaled<4x32xf8E4M3FN, #fp8t>
  return
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
#shuffled = #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>
func.func @transpose_neither(%q: !te.scaled<16x32xf8E4M3FN, #fp8>) {
  // expected-error @+1 {{'te.transpose' op neither input nor result is transposed; one of them is (D2)}}
  %t = te.transpose %q : !te.scaled<16x32xf8E4M3FN, #fp8> -> !te.scaled<16x32xf8E4M3FN, #shuffled>
  return
}

// -----

func.func @amax_result(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{result #0 must be 0D tensor of 32-bit float values, but got 'tensor<bf16>'}}
  %a = te.amax %x : tensor<4x32xbf16> -> tensor<bf16>
  return
}

// -----

func.func @dim_of_scalar(%x: f32) {
  // expected-error @+1 {{'te.dim' op 'f32' has no dimensions; give a tensor or !te.scaled (M1)}}
  %d = te.dim %x, 0 : f32
  return
}

// -----

func.func @dim_of_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'te.dim' op 'tensor<*xf32>' has no dimensions; give a tensor or !te.scaled (M1)}}
  %d = te.dim %x, 0 : tensor<*xf32>
  return
}

// -----

func.func @dim_too_large(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.dim' op dimension 2 does not exist; the rank is 2 (M1)}}
  %d = te.dim %x, 2 : tensor<4x32xbf16>
  return
}

// -----

func.func @dim_negative(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.dim' op dimension -1 does not exist; the rank is 2 (M1)}}
  %d = te.dim %x, -1 : tensor<4x32xbf16>
  return
}

// -----

func.func @fusion_operands(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.fusion' op the region's arguments and the operands must have the same types, in the same order (F1)}}
  "te.fusion"(%x) <{kernel = "k", operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<4x32xf32>):
    "te.yield"() : () -> ()
  }) : (tensor<4x32xbf16>) -> ()
  return
}

// -----

func.func @fusion_results(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.fusion' op te.yield gives 0 value(s) of types () but the results are ('tensor<f32>') (F2)}}
  %r = te.fusion "k" (%a = %x : tensor<4x32xbf16>) -> (tensor<f32>) {
    %0 = te.amax %a : tensor<4x32xbf16> -> tensor<f32>
  }
  return
}

// -----

func.func @fusion_result_type(%x: tensor<4x32xbf16>) {
  // expected-error @+1 {{'te.fusion' op te.yield gives 1 value(s) of types ('tensor<4x32xbf16>') but the results are ('tensor<f32>') (F2)}}
  %r = te.fusion "k" (%a = %x : tensor<4x32xbf16>) -> (tensor<f32>) {
    te.yield %a : tensor<4x32xbf16>
  }
  return
}

// -----

func.func @fusion_inits(%x: tensor<4x32xbf16>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'te.fusion' op the inits are ('tensor<4xf32>') but the results that take them over ('tensor<f32>') (F11)}}
  %r = te.fusion "k" (%a = %x : tensor<4x32xbf16>) inits(%y : tensor<4xf32>) -> (tensor<f32>) {
    %0 = te.amax %a : tensor<4x32xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return
}

// -----

func.func @fusion_isolated(%x: tensor<4x32xbf16>) { // expected-note @+1 {{required by region isolation constraints}}
  %r = te.fusion "k" () -> (tensor<f32>) {
    // expected-error @+1 {{using value defined outside the region}}
    %0 = te.amax %x : tensor<4x32xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return
}

// -----

func.func @yield_outside() {
  // expected-error @+1 {{expects parent op 'te.fusion'}}
  te.yield
}

// -----

// F14: a range has a least and a most.
func.func @range(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  // expected-error @+1 {{'te.fusion' op range = [17, 16]; it is the least size, from 0 on, and the most, or the least alone (F14)}}
  %y = te.fusion "f_0" (%a = %x : tensor<?x64xf32>) -> (tensor<?x64xf32>) attributes {range = array<i64: 17, 16>} {
    %0 = arith.negf %a : tensor<?x64xf32>
    te.yield %0 : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// F13: a kernel's name is a symbol of every assembler.
func.func @kernel_name(%x: tensor<4x64xbf16>) -> tensor<4x64xbf16> {
  // expected-error @+1 {{'te.fusion' op the kernel's name is "llvm.memcpy"; it is letters, digits, '_' and '$', the first one no digit (F13)}}
  %0 = te.fusion "llvm.memcpy" (%a = %x : tensor<4x64xbf16>) -> (tensor<4x64xbf16>) {
    %1 = te.copy %a : tensor<4x64xbf16>
    te.yield %1 : tensor<4x64xbf16>
  }
  return %0 : tensor<4x64xbf16>
}

// -----

// A1: what te.dims and te.name hold.
// expected-error @+1 {{'func.func' op te.dims of argument #0 is ["M"]; it gives one name for each dimension of 'tensor<?x?xbf16>', such as ["M", "K"]; names are UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @dims_count(%x: tensor<?x?xbf16> {te.dims = ["M"]}) { return }

// -----

// expected-error @+1 {{'func.func' op te.dims of argument #1 is ["M", ""]; it gives one name for each dimension of 'tensor<?x?xbf16>', such as ["M", "K"]; names are UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @dims_empty(%y: tensor<f32>, %x: tensor<?x?xbf16> {te.dims = ["M", ""]}) { return }

// -----

// expected-error @+1 {{'func.func' op te.dims of argument #0 is "M"; it gives one name for each dimension of 'tensor<?xbf16>', such as ["M", "K"]; names are UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @dims_string(%x: tensor<?xbf16> {te.dims = "M"}) { return }

// -----

// expected-error @+1 {{'func.func' op te.dims of argument #0 is [1, 2]; it gives one name for each dimension of 'tensor<?x?xbf16>', such as ["M", "K"]; names are UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @dims_numbers(%x: tensor<?x?xbf16> {te.dims = [1, 2]}) { return }

// -----

// expected-error @+1 {{'func.func' op te.dims of argument #0 is ["M"]; it gives one name for each dimension of 'f32', such as ["M", "K"]; names are UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @dims_of_scalar(%x: f32 {te.dims = ["M"]}) { return }

// -----

// expected-error @+1 {{'func.func' op te.name of argument #0 is 3 : i32; a name is a string of UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @name_number(%x: tensor<?xbf16> {te.name = 3 : i32}) { return }

// -----

// expected-error @+1 {{'func.func' op unknown attribute "te.shape" of argument #0; arguments have te.name and te.dims (A1)}}
func.func @unknown_attribute(%x: tensor<?xbf16> {te.shape = 3 : i32}) { return }

// -----

// Names become files, flags and keys.
// expected-error @+1 {{'func.func' op te.name of argument #1 is "a/b"; a name is a string of UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @name_path(%x: tensor<4xbf16> {te.name = "a"}, %y: tensor<4xbf16> {te.name = "a/b"}) { return }

// -----

// expected-error @+1 {{'func.func' op te.name of argument #0 is ".."; a name is a string of UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @name_dots(%x: tensor<4xbf16> {te.name = ".."}) { return }

// -----

// expected-error @+1 {{'func.func' op te.name of argument #0 is ""; a name is a string of UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @name_empty(%x: tensor<4xbf16> {te.name = ""}) { return }

// -----

// expected-error @+1 {{'func.func' op te.name of argument #0 is "\C3("; a name is a string of UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @name_not_utf8(%x: tensor<4xbf16> {te.name = "\C3\28"}) { return }

// -----

// expected-error @+1 {{'func.func' op te.dims of argument #0 is ["M=4"]; it gives one name for each dimension of 'tensor<?xbf16>', such as ["M", "K"]; names are UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @dims_flag(%x: tensor<?xbf16> {te.dims = ["M=4"]}) { return }

// -----

// A3: an argument's name is no other's; nor are its buffers'.
// expected-error @+1 {{'func.func' op arguments #0 and #2 both have the name "x"; give each te.name once (without one it is the kind and the number, "arg0" or "result0"; of a !te.scaled NAME.data and NAME.scale are names too) (A3)}}
func.func @name_twice(%x: tensor<4xbf16> {te.name = "x"}, %y: tensor<4xbf16>, %z: tensor<4xbf16> {te.name = "x"}) { return }

// -----

// expected-error @+1 {{'func.func' op arguments #0 and #1 both have the name "arg0"; give each te.name once (without one it is the kind and the number, "arg0" or "result0"; of a !te.scaled NAME.data and NAME.scale are names too) (A3)}}
func.func @name_default(%x: tensor<4xbf16>, %y: tensor<4xbf16> {te.name = "arg0"}) { return }

// -----

// expected-error @+1 {{'func.func' op arguments #0 and #1 both have the name "x.scale"; give each te.name once (without one it is the kind and the number, "arg0" or "result0"; of a !te.scaled NAME.data and NAME.scale are names too) (A3)}}
func.func @name_buffer(%x: !te.scaled<4xf8E4M3FN, #te.scaling<tensor, scale = f32>> {te.name = "x"}, %y: tensor<4xbf16> {te.name = "x.scale"}) { return }

// -----

// A2: one name is one size.
// expected-error @+1 {{'func.func' op dimension "K" is 64 in argument #0 and 32 in argument #1; the same name is the same size everywhere (A2)}}
func.func @dims_conflict(%x: tensor<?x64xbf16> {te.dims = ["M", "K"]}, %y: tensor<?x32xbf16> {te.dims = ["M", "K"]}) { return }

// -----

// expected-error @+1 {{'func.func' op dimension "N" is 32 in argument #0 and 64 in argument #0; the same name is the same size everywhere (A2)}}
func.func @dims_square(%x: tensor<32x64xbf16> {te.dims = ["N", "N"]}) { return }

// -----

// H1: two tile sizes.
// expected-error @+1 {{tile has two sizes, [rows, columns], but 1 are given (H1)}}
#s = #te.schedule<"gfx950", tile = [32], waves = 4, vector = 8>

// -----

// H2: powers of two, and the nearest below.
// expected-error @+1 {{tile rows = 48 is not a power of two; the nearest below is 32 (H2)}}
#s = #te.schedule<"gfx950", tile = [48, 512], waves = 4, vector = 8>

// -----

// expected-error @+1 {{tile columns = 0 is not a power of two; the nearest below is 1 (H2)}}
#s = #te.schedule<"gfx950", tile = [32, 0], waves = 4, vector = 8>

// -----

// expected-error @+1 {{waves = 3 is not a power of two; the nearest below is 2 (H2)}}
#s = #te.schedule<"gfx950", tile = [32, 512], waves = 3, vector = 8>

// -----

// expected-error @+1 {{vector = -8 is not a power of two; the nearest below is 1 (H2)}}
#s = #te.schedule<"gfx950", tile = [32, 512], waves = 4, vector = -8>

// -----

// H3: a vector lies inside of the tile.
// expected-error @+1 {{a lane's vector of 8 elements is wider than the tile's 4 columns; make it as wide at most (H3)}}
#s = #te.schedule<"gfx950", tile = [32, 4], waves = 4, vector = 8>

// -----

func.func @permute_twice(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'te.permute' op [1, 1] is no order of the 2 dimension(s) of 'tensor<4x8xf32>'; name each once, from 0 on (D5)}}
  %y = te.permute %x [1, 1] : tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

func.func @permute_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'te.permute' op [0] is no order of the 2 dimension(s) of 'tensor<4x8xf32>'; name each once, from 0 on (D5)}}
  %y = te.permute %x [0] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @permute_shape(%x: tensor<4x?x8xf32>) {
  // expected-error @+1 {{'te.permute' op the result is 'tensor<8x?x4xf32>'; the input's dimensions in the order [2, 0, 1] are 'tensor<8x4x?xf32>' (D6)}}
  %y = te.permute %x [2, 0, 1] : tensor<4x?x8xf32> -> tensor<8x?x4xf32>
  return
}

// -----

func.func @permute_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'te.permute' op the result is 'tensor<8x4xbf16>'; the input's dimensions in the order [1, 0] are 'tensor<8x4xf32>' (D6)}}
  %y = te.permute %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xbf16>
  return
}

// -----

func.func @full_like(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'te.full_like' op the value is 2.000000e+00 : bf16, but the tensor's elements are 'f32'; write it as 'f32' (D7)}}
  %y = te.full_like %x, 2.0 : bf16 : tensor<?x8xf32>
  return
}

// -----

func.func @full_like_type(%x: tensor<?x8xf8E4M3FN>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of}}
  %y = te.full_like %x, 2.0 : f8E4M3FN : tensor<?x8xf8E4M3FN>
  return
}
