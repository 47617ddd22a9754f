//===- TEAttentionOps.td - softmax and attention -----------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_ATTENTION_OPS_TD
#define TE_ATTENTION_OPS_TD

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

#endif // TE_ATTENTION_OPS_TD
