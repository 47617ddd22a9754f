// What upstream's verifiers crash on, or say in names of their own.

// RUN: te-opt %s -split-input-file -verify-diagnostics

func.func @concat(%b: tensor<3x4xf32>) -> tensor<3x8xf32> {
  // expected-error @+1 {{concatenates along dimension -1 of 'tensor<3x8xf32>', which has dimensions 0 to 1}}
  %0 = tensor.concat dim(-1) %b, %b : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

func.func @concat_beyond(%b: tensor<3x4xf32>) -> tensor<3x8xf32> {
  // expected-error @+1 {{concatenates along dimension 2 of 'tensor<3x8xf32>', which has dimensions 0 to 1}}
  %0 = tensor.concat dim(2) %b, %b : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

// What is verified besides is, too.
func.func @dims(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{M1}}
  %0 = te.dim %x, 4 : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// An enumeration's keyword.
func.func @kind(%x: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  // expected-error @+1 {{custom op 'te.activation' unknown 'foo'; it is one of gelu, qgelu, silu, relu, srelu}}
  %0 = te.activation foo %x : tensor<4x8xbf16> -> tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// A number that upstream takes for 0.
func.func @groups(%x: tensor<4x8xbf16>) -> tensor<4x2x4xbf16> {
  // expected-error @+1 {{has dimension 4294967296 in its groups where 0 is next; they have all dimensions, in order}}
  %0 = tensor.expand_shape %x [[4294967296], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xbf16> into tensor<4x2x4xbf16>
  return %0 : tensor<4x2x4xbf16>
}
