// Rules of whole programs: names of functions and results, sizes, slices by constants.

// RUN: te-opt %s --te-verify-level=level=te -split-input-file -verify-diagnostics

func.func @"forward<bf16> é"(%x: tensor<4x64xbf16>) -> (tensor<4x64xbf16> {te.name = "y"}) {
  %0 = tensor.extract_slice %x[0, 0] [4, 64] [1, 1] : tensor<4x64xbf16> to tensor<4x64xbf16>
  return %0 : tensor<4x64xbf16>
}

// -----

// expected-error @+1 {{the function's name is ""; it is not empty, is UTF-8, and has no control characters (A4)}}
func.func @""(%x: tensor<4x64xbf16>) { return }

// -----

// expected-error @+1 {{the function's name is "a\00b"; it is not empty, is UTF-8, and has no control characters (A4)}}
func.func @"a\00b"(%x: tensor<4x64xbf16>) { return }

// -----

// expected-error @+1 {{the function's name is "\C3("; it is not empty, is UTF-8, and has no control characters (A4)}}
func.func @"\C3\28"(%x: tensor<4x64xbf16>) { return }

// -----

// expected-error @+1 {{'func.func' op te.name of result #0 is "a b"; a name is a string of UTF-8, of ASCII letters, digits, '_', '.' and '-', the first one neither '.' nor '-' (A1)}}
func.func @result_name(%x: tensor<4x64xbf16>) -> (tensor<4x64xbf16> {te.name = "a b"}) { return %x : tensor<4x64xbf16> }

// -----

// expected-error @+1 {{'func.func' op results #0 and #1 both have the name "y"; give each te.name once (without one it is the kind and the number, "arg0" or "result0"; of a !te.scaled NAME.data and NAME.scale are names too) (A3)}}
func.func @result_twice(%x: tensor<4xf32>) -> (tensor<4xf32> {te.name = "y"}, tensor<4xf32> {te.name = "y"}) { return %x, %x : tensor<4xf32>, tensor<4xf32> }

// -----

// expected-error @+1 {{argument #1 is 'tensor<9223372036854775807x64xbf16>', whose known sizes make more than 2^47 bytes; no GPU addresses so many (M2)}}
func.func @rows(%y: tensor<4xbf16>, %x: tensor<9223372036854775807x64xbf16>) { return }

// -----

// expected-error @+1 {{argument #0 is 'tensor<?x140737488355329xi8>', whose known sizes make more than 2^47 bytes; no GPU addresses so many (M2)}}
func.func @columns(%x: tensor<?x140737488355329xi8>) { return }

// -----

func.func @result(%x: tensor<33554432x64xbf16>, %w: tensor<33554432x64xbf16>) -> tensor<33554432x33554432xbf16> {
  // expected-error @+1 {{result #0 is 'tensor<33554432x33554432xbf16>', whose known sizes make more than 2^47 bytes; no GPU addresses so many (M2)}}
  %0 = te.gemm %x, %w transpose_b : tensor<33554432x64xbf16>, tensor<33554432x64xbf16> -> tensor<33554432x33554432xbf16>
  return %0 : tensor<33554432x33554432xbf16>
}

// -----

func.func @slice(%x: tensor<4x64xbf16>) -> tensor<4x?xbf16> {
  %c = arith.constant 32 : index
  %o = arith.constant 33 : index
  // expected-error @+1 {{a slice of 32 elements from 33 on, in dimension 1 of 'tensor<4x64xbf16>', is not inside of it (M3)}}
  %0 = tensor.extract_slice %x[0, %o] [4, %c] [1, 1] : tensor<4x64xbf16> to tensor<4x?xbf16>
  return %0 : tensor<4x?xbf16>
}

// -----

func.func @negative(%x: tensor<?x64xbf16>) -> tensor<2x64xbf16> {
  %o = arith.constant -1 : index
  // expected-error @+1 {{a slice of 2 elements from -1 on, in dimension 0 of 'tensor<?x64xbf16>', is not inside of it (M3)}}
  %0 = tensor.extract_slice %x[%o, 0] [2, 64] [1, 1] : tensor<?x64xbf16> to tensor<2x64xbf16>
  return %0 : tensor<2x64xbf16>
}

// -----

func.func @insert(%x: tensor<4x64xbf16>, %y: tensor<4x32xbf16>) -> tensor<4x64xbf16> {
  %o = arith.constant 33 : index
  // expected-error @+1 {{a slice of 32 elements from 33 on, in dimension 1 of 'tensor<4x64xbf16>', is not inside of it (M3)}}
  %0 = tensor.insert_slice %y into %x[0, %o] [4, 32] [1, 1] : tensor<4x32xbf16> into tensor<4x64xbf16>
  return %0 : tensor<4x64xbf16>
}
