//===- TEGemmOps.td - matrix products ---------------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_GEMM_OPS_TD
#define TE_GEMM_OPS_TD

include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEAttrs.td"
include "te/Dialect/TE/IR/TEInterfaces.td"

def TE_GemmOp : TE_Op<"gemm", [
    Pure, AttrSizedOperandSegments, AttrSizedResultSegments, TE_ComputedIterationSpace<>]> {
  let summary = "D = op(A) op(B), with what surrounds it in a linear layer";
  let description = [{
    op(A) is M x K: A, or with `transpose_a` its last two dimensions exchanged; op(B) is K x N. D is M x N,
    row-major like all tensors: `te.gemm %x, %w transpose_b` is a forward pass x w^T, `te.gemm %dy, %w` the
    gradient of x, `te.gemm %dy, %x transpose_a` that of w. Where B has rank 2 and A is not transposed, A's leading
    dimensions are rows of one matrix, and D's too; else A, B and D have the same leading dimensions, and each pair
    of matrices is multiplied.

    Products are summed in f32 (f32 operands are not reduced). Then, in this order:
    1. v = alpha * AB + bias;
    2. `aux` = v, rounded to its type; with `gelu` v becomes gelu(v), with `dgelu(%z)` v * gelu'(z);
    3. with `accumulate(%c)`, v + beta * c (with beta = 0, c is not read);
    4. D = v, rounded to its type.

    With K = 0, AB is 0. `bias_grad` is the sum over the rows of A's values, as the op receives them (dequantized where
    A is quantized), in f32: where A is the gradient of y = x w^T + bias, the gradient of bias.

    A residual, another activation, a quantization of D are ops of their own, which `te-fuse` fuses into the same kernel.

    With `split_k = S`, which `te-split-k` makes, D is S x M x N of f32: each D[s] is the product over a part of K, and
    these parts make up K; which they are is the schedule's. `te.gemm_sum` adds them up. With a result `rest`, S x R x N of
    f32, it makes such splits of the last R rows alone (of M, where A has several dimensions of rows), and the other results hold nothing of these.

    Constraints: X1 ranks and leading dimensions, X2 K agrees, X3 shapes of the results and other operands, X4 element types,
    X5 scales do not change along K inside of a block that is summed, X6 both sides have one kind of scales, X7 gelu, dgelu and accumulate,
    X8 alpha and beta, X9 split_k.

    ```mlir
    %y = te.gemm %x, %w transpose_b bias(%b : tensor<6144xbf16>)
        : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<?x6144xbf16>
    %h, %z = te.gemm %x, %w transpose_b gelu
        : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<?x6144xbf16> aux tensor<?x6144xbf16>
    %dw, %db = te.gemm %dy, %x transpose_a accumulate(%main : tensor<6144x4096xf32>)
        : tensor<?x6144xbf16>, tensor<?x4096xbf16> -> tensor<6144x4096xf32> bias_grad tensor<6144xbf16>
    ```
  }];
  let arguments = (ins
    AnyType:$a, AnyType:$b,
    Optional<TE_HPTensor>:$bias,
    Optional<TE_HPTensor>:$dgelu,
    Optional<TE_HPTensor>:$accumulate,
    UnitAttr:$transpose_a,
    UnitAttr:$transpose_b,
    UnitAttr:$gelu,
    DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
    OptionalAttr<F32Attr>:$beta,
    OptionalAttr<I64Attr>:$split_k);
  let results = (outs TE_HPTensor:$result, Optional<TE_HPTensor>:$aux,
    Optional<TE_HPTensor>:$bias_grad, Optional<TE_HPTensor>:$rest);
  let assemblyFormat = [{
    $a `,` $b (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`gelu` $gelu^)? (`dgelu` `(` $dgelu^ `:` type($dgelu) `)`)?
    (`accumulate` `(` $accumulate^ `:` type($accumulate) `)`)?
    attr-dict `:` type($a) `,` type($b) `->` type($result)
    (`aux` type($aux)^)? (`bias_grad` type($bias_grad)^)? (`rest` type($rest)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Where M, N and K are among the dimensions of A and B.
    unsigned getMDim() { return getRank(getA()) - (getTransposeA() ? 1 : 2); }
    unsigned getNDim() { return getRank(getB()) - (getTransposeB() ? 2 : 1); }
    unsigned getKDimA() { return getRank(getA()) - (getTransposeA() ? 2 : 1); }
    unsigned getKDimB() { return getRank(getB()) - (getTransposeB() ? 1 : 2); }
    /// Each pair of matrices of A and B is multiplied; else B is one matrix.
    bool isBatched() { return getRank(getB()) > 2; }
    /// beta, where something is accumulated: 1 if not given.
    double getBetaOrOne() {
      return getBeta() ? getBeta()->convertToDouble() : 1.0;
    }
    /// How many splits K has, of all rows or of the last ones.
    int64_t countSplits() {
      return getRest() ? getRest().getType().getDimSize(0) : int64_t(getSplitK().value_or(1));
    }

  private:
    static unsigned getRank(Value value) {
      return cast<ShapedType>(value.getType()).getRank();
    }

  public:
  }];
}

def TE_GemmSumOp : TE_Op<"gemm_sum", [Pure, AttrSizedOperandSegments, TE_ComputedIterationSpace<>]> {
  let summary = "the sum of a product's splits, and what surrounds it";
  let description = [{
    AB is the sum of `partials` (S x M x N, f32), which a `te.gemm` with `split_k = S` made: the first, plus the second, and
    so on. What follows is that of `te.gemm`, steps 1 to 4. `te-split-k` makes it. Splits of fewer rows than D has are of
    the last ones, what `rest` of `te.gemm` gave: then nothing is computed of the other rows.

    Constraints: X3 shapes, X7 gelu, dgelu and accumulate, X8 alpha and beta, X9 split_k.

    ```mlir
    %p = te.gemm %x, %w transpose_b {split_k = 4 : i64}
        : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<4x?x6144xf32>
    %y = te.gemm_sum %p bias(%b : tensor<6144xbf16>) : tensor<4x?x6144xf32> -> tensor<?x6144xbf16>
    ```
  }];
  let arguments = (ins
    TE_HPTensor:$partials,
    Optional<TE_HPTensor>:$bias,
    Optional<TE_HPTensor>:$dgelu,
    Optional<TE_HPTensor>:$accumulate,
    UnitAttr:$gelu,
    DefaultValuedAttr<F32Attr, "1.0f">:$alpha,
    OptionalAttr<F32Attr>:$beta);
  let results = (outs TE_HPTensor:$result, Optional<TE_HPTensor>:$aux);
  let assemblyFormat = [{
    $partials (`bias` `(` $bias^ `:` type($bias) `)`)?
    (`gelu` $gelu^)? (`dgelu` `(` $dgelu^ `:` type($dgelu) `)`)?
    (`accumulate` `(` $accumulate^ `:` type($accumulate) `)`)?
    attr-dict `:` type($partials) `->` type($result) (`aux` type($aux)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// beta, where something is accumulated: 1 if not given.
    double getBetaOrOne() {
      return getBeta() ? getBeta()->convertToDouble() : 1.0;
    }
  }];
}

#endif // TE_GEMM_OPS_TD
