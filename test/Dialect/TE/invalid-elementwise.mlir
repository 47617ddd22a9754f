// L1: arith and math ops are those of the table, on its elements.

// RUN: te-opt %s --split-input-file --verify-diagnostics --te-verify-level=level=te -o /dev/null

func.func @op(%x: tensor<8xi32>) -> tensor<8xi32> {
  // expected-error @+1 {{'math.ctlz' on tensors is not part of the te language; docs/reference/elementwise.md lists the ops that are (L1)}}
  %r = math.ctlz %x : tensor<8xi32>
  return %r : tensor<8xi32>
}

// -----

func.func @f64(%x: tensor<8xf64>) -> tensor<8xf64> {
  // expected-error @+1 {{operand #0 of 'arith.negf' is tensor<8xf64>, but takes elements of f32, f16 or bf16 (L1)}}
  %r = arith.negf %x : tensor<8xf64>
  return %r : tensor<8xf64>
}

// -----

func.func @mode(%x: tensor<4xf32>) -> tensor<4xf16> {
  // expected-error @+1 {{'arith.truncf' asks for rounding toward_zero, but kernels round to nearest even; leave the mode out, or round by other ops (math.trunc, math.floor) (L1)}}
  %r = arith.truncf %x toward_zero : tensor<4xf32> to tensor<4xf16>
  return %r : tensor<4xf16>
}

// -----

func.func @one_condition(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{operand #0 of 'arith.select' is i1, but another one is a tensor; make all of them tensors of one shape (L1)}}
  %r = arith.select %c, %x, %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @fp4(%x: tensor<4xf32>) -> tensor<4xf4E2M1FN> {
  // expected-error @+1 {{the result of 'arith.truncf' is tensor<4xf4E2M1FN>, but has elements of f32, f16 or bf16, or fp8 (L1)}}
  %r = arith.truncf %x : tensor<4xf32> to tensor<4xf4E2M1FN>
  return %r : tensor<4xf4E2M1FN>
}

// -----

func.func @narrow(%x: tensor<4xi32>) -> tensor<4xbf16> {
  // expected-error @+1 {{the result of 'arith.sitofp' is tensor<4xbf16>, but has elements of f32 (L1)}}
  %r = arith.sitofp %x : tensor<4xi32> to tensor<4xbf16>
  return %r : tensor<4xbf16>
}
