//===- TEAttentionOps.td - softmax and attention -----------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_ATTENTION_OPS_TD
#define TE_ATTENTION_OPS_TD

include "te/Dialect/TE/IR/TEAttrs.td"
include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEInterfaces.td"

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

def TE_SoftmaxOp : TE_Op<"softmax", [Pure,
    TE_IterationSpace<["mn mr"], ["mn"], ["countRowNumbers", "countRowWaits"]>]> {
  let summary = "softmax over the last dimension, of a scaled input";
  let description = [{
    z = scale * x. Each row (the last dimension) gives exp(z - max z) / sum exp(z - max z), in f32, rounded once to the
    result's type. With `causal` the last two dimensions are queries and keys, and query i sees the keys up to
    i + keys - queries, so that the last query sees all of them. What it does not see is not read, and gives 0. A row that sees nothing,
    or -Inf alone, is 0; one that sees a NaN or +Inf is NaN.

    Constraints: C1 the result has the input's shape, of rank 1 at least; C2 the scale is finite; C3 `causal` needs rank 2 at least.

    ```mlir
    %p = te.softmax %s {scale = 1.250000e-01 : f32, causal} : tensor<?x16x?x?xf32> -> tensor<?x16x?x?xbf16>
    ```
  }];
  let arguments = (ins TE_HPTensor:$input, DefaultValuedAttr<F32Attr, "1.0f">:$scale, UnitAttr:$causal);
  let results = (outs TE_HPTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def TE_SoftmaxBwdOp : TE_Op<"softmax_bwd", [Pure, TE_IterationSpace<["mn mr", "mn mr"], ["mn"]>]> {
  let summary = "gradient of te.softmax: dx = scale * y * (dy - sum dy * y)";
  let description = [{
    `y` is what te.softmax gave, and the sum is over each row. In f32, rounded once to the result's type. With `causal`,
    what a query does not see is not read, and its gradient is 0.

    Constraints: C1 y and the result have the gradient's shape, of rank 1 at least; C2 the scale is finite; C3 `causal` needs rank 2 at least.

    ```mlir
    %ds = te.softmax_bwd %dp, %p {scale = 1.250000e-01 : f32, causal}
        : tensor<?x16x?x?xbf16>, tensor<?x16x?x?xbf16> -> tensor<?x16x?x?xbf16>
    ```
  }];
  let arguments = (ins TE_HPTensor:$grad, TE_HPTensor:$y, DefaultValuedAttr<F32Attr, "1.0f">:$scale, UnitAttr:$causal);
  let results = (outs TE_HPTensor:$dx);
  let assemblyFormat = "$grad `,` $y attr-dict `:` type($grad) `,` type($y) `->` type($dx)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

def TE_AttentionOp : TE_Op<"attention", [Pure, TE_ComputedIterationSpace<>]> {
  let summary = "O = softmax(scale * Q K^T) V of each head, and the logarithm of each row's sum";
  let description = [{
    Q, K, V and O are (b, s, h, d) with `bshd`, (s, b, h, d) with `sbhd`, (b, h, s, d) with `bhsd`. Q and O have sq queries, K and V sk keys; a head
    of K and V is for one or several neighbouring heads of Q. For each head and query i, with z_j = scale * q_i . k_j,
    p_j = exp(z_j - max z) / sum exp(z - max z) and o_i = sum p_j v_j. `lse` is (b, h, sq), max z + log sum exp(z - max z).
    Products are summed in f32, p is rounded to the operands' type, and O once to its own. `scale` is
    1 / sqrt(d) where it is not given, d the size of a head of Q.

    With `causal`, query i sees the keys up to i + sk - sq, so that the last query sees all of them. Others have p = 0,
    whatever K holds; where V holds an Inf or NaN for one of them, that column of O is unspecified. A query that sees nothing has
    O = 0 and lse = -Inf.

    Constraints: K1 ranks; K2 batches, keys and heads agree; K3 sizes of heads; K4 shapes of O and lse; K5 element
    types; K6 the scale is finite.

    ```mlir
    %o, %lse = te.attention bshd %q, %k, %v {causal}
        : tensor<?x?x32x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x8x128xbf16> -> tensor<?x?x32x128xbf16>, tensor<?x32x?xf32>
    ```
  }];
  let arguments = (ins TE_AttentionFormatAttr:$format, TE_HPTensor:$q, TE_HPTensor:$k, TE_HPTensor:$v,
    OptionalAttr<F32Attr>:$scale, UnitAttr:$causal);
  let results = (outs TE_HPTensor:$result, TensorOf<[F32]>:$lse);
  let assemblyFormat = [{
    $format $q `,` $k `,` $v attr-dict `:` type($q) `,` type($k) `,` type($v) `->` type($result) `,` type($lse)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getBatchDim() { return stringifyAttentionFormat(getFormat()).find('b'); }
    unsigned getHeadDim() { return stringifyAttentionFormat(getFormat()).find('h'); }
    unsigned getSequenceDim() { return stringifyAttentionFormat(getFormat()).find('s'); }
    static constexpr unsigned kLastDim = 3;
    /// What products are multiplied by.
    double getScaleOrDefault();
  }];
}

#endif // TE_ATTENTION_OPS_TD
