//===- TENormOps.td - norms and activations ---------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_NORM_OPS_TD
#define TE_NORM_OPS_TD

include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEAttrs.td"
include "te/Dialect/TE/IR/TEInterfaces.td"

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// A norm over the last dimension. N1: shapes, N2: gamma and beta, N3: epsilon.
class TE_NormOp<string mnemonic, TE_IterationSpace space> : TE_Op<mnemonic, [Pure, space]> {
  code normDescription = [{
    Each row (the last dimension) is normalized by itself, in f32, and rounded once to the result's
    type. g is gamma, or gamma + 1 with `zero_centered_gamma`. The statistics are f32, one a row,
    in the shape of the other dimensions.

    Constraints: N1 the result has the input's shape and a statistic that shape without the last
    dimension; N2 gamma and beta have the size of the last dimension; N3 epsilon is finite and not
    negative.
  }];
}

def TE_RmsNormOp : TE_NormOp<"rms_norm",
    TE_IterationSpace<["mn mr", "n"], ["mn", "m"]>> {
  let summary = "y = x * rsigma * g, rsigma = 1 / sqrt(mean(x^2) + epsilon)";
  let description = normDescription # [{

    ```mlir
    %y, %rsigma = te.rms_norm %x, %gamma {epsilon = 1.0e-5 : f32}
        : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
    ```
  }];
  let arguments = (ins TE_HPTensor:$input, TE_HPTensor:$gamma,
    F32Attr:$epsilon, UnitAttr:$zero_centered_gamma);
  let results = (outs TE_HPTensor:$result, TensorOf<[F32]>:$rsigma);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input `,` $gamma attr-dict `:` type($input) `,` type($gamma)
    `->` type($result) `,` type($rsigma)
  }];
}

def TE_LayerNormOp : TE_NormOp<"layer_norm",
    TE_IterationSpace<["mn mr", "n", "n"], ["mn", "m", "m"], ["countRowNumbers", "countRowWaits"]>> {
  let summary = "y = (x - mu) * rsigma * g + beta, rsigma = 1 / sqrt(var + epsilon)";
  let description = normDescription # [{
    mu is the row's mean, var its biased variance.

    ```mlir
    %y, %mu, %rsigma = te.layer_norm %x, %gamma, %beta {epsilon = 1.0e-5 : f32}
        : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
        -> tensor<?x4096xbf16>, tensor<?xf32>, tensor<?xf32>
    ```
  }];
  let arguments = (ins TE_HPTensor:$input, TE_HPTensor:$gamma, TE_HPTensor:$beta,
    F32Attr:$epsilon, UnitAttr:$zero_centered_gamma);
  let results = (outs TE_HPTensor:$result, TensorOf<[F32]>:$mu, TensorOf<[F32]>:$rsigma);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $input `,` $gamma `,` $beta attr-dict `:` type($input) `,` type($gamma) `,` type($beta)
    `->` type($result) `,` type($mu) `,` type($rsigma)
  }];
}

def TE_RmsNormBwdOp : TE_NormOp<"rms_norm_bwd",
    TE_IterationSpace<["mn mr", "mn mr", "n", "m", "mn"], ["mn", "n"]>> {
  let summary = "gradients of te.rms_norm";
  let description = [{
    With xh = x * rsigma and dyh = dy * g: dx = rsigma * (dyh - xh * mean(dyh * xh)), dgamma = the sum of
    dy * xh over the rows, in f32 in an order that is always the same. `add`, the gradient that comes through a
    residual connection, is added to dx before it is rounded, once. Constraints N1 (add has the input's shape), N2 as of
    the norm.

    ```mlir
    %dx, %dgamma = te.rms_norm_bwd %dy, %x, %gamma, %rsigma
        : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>
        -> tensor<?x4096xbf16>, tensor<4096xbf16>
    %dr, %dgamma2 = te.rms_norm_bwd %dy, %x, %gamma, %rsigma add(%dsum : tensor<?x4096xbf16>)
        : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>
        -> tensor<?x4096xbf16>, tensor<4096xbf16>
    ```
  }];
  let arguments = (ins TE_HPTensor:$grad, TE_HPTensor:$input, TE_HPTensor:$gamma,
    TensorOf<[F32]>:$rsigma, Optional<TE_HPTensor>:$add, UnitAttr:$zero_centered_gamma);
  let results = (outs TE_HPTensor:$dx, TE_HPTensor:$dgamma);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $grad `,` $input `,` $gamma `,` $rsigma (`add` `(` $add^ `:` type($add) `)`)? attr-dict
    `:` type($grad) `,` type($input) `,` type($gamma) `,` type($rsigma)
    `->` type($dx) `,` type($dgamma)
  }];
}

def TE_LayerNormBwdOp : TE_NormOp<"layer_norm_bwd",
    TE_IterationSpace<["mn mr", "mn mr", "n", "m", "m"], ["mn", "n", "n"], ["countRowNumbers"]>> {
  let summary = "gradients of te.layer_norm";
  let description = [{
    With xh = (x - mu) * rsigma and dyh = dy * g: dx = rsigma * (dyh - mean(dyh) - xh * mean(dyh * xh)),
    dgamma = the sum of dy * xh over the rows, dbeta = the sum of dy, in f32 in an order that is always
    the same. Constraints N1, N2 as of the norm.

    ```mlir
    %dx, %dgamma, %dbeta = te.layer_norm_bwd %dy, %x, %gamma, %mu, %rsigma
        : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>, tensor<?xf32>
        -> tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
    ```
  }];
  let arguments = (ins TE_HPTensor:$grad, TE_HPTensor:$input, TE_HPTensor:$gamma,
    TensorOf<[F32]>:$mu, TensorOf<[F32]>:$rsigma, UnitAttr:$zero_centered_gamma);
  let results = (outs TE_HPTensor:$dx, TE_HPTensor:$dgamma, TE_HPTensor:$dbeta);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $grad `,` $input `,` $gamma `,` $mu `,` $rsigma attr-dict
    `:` type($grad) `,` type($input) `,` type($gamma) `,` type($mu) `,` type($rsigma)
    `->` type($dx) `,` type($dgamma) `,` type($dbeta)
  }];
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// E1: shapes, E2: scales, E3: parameters and interleave, E4: dbias and dscale.
class TE_ActivationBase<string mnemonic, list<Trait> traits = []>
    : TE_Op<mnemonic, !listconcat([Pure], traits)> {
}

defvar gatedParameters = (ins
  DefaultValuedAttr<F32Attr, "7.0f">:$limit,
  DefaultValuedAttr<F32Attr, "1.702f">:$alpha,
  DefaultValuedAttr<F32Attr, "1.0f">:$offset,
  DefaultValuedAttr<F32Attr, "4.0f">:$beta1,
  DefaultValuedAttr<F32Attr, "25.0f">:$beta2,
  DefaultValuedAttr<I64Attr, "0">:$interleave);

def TE_ActivationOp : TE_ActivationBase<"activation", [TE_IterationSpace<["mn", "m"], ["mn"]>]> {
  let summary = "f(x), element by element";
  let description = [{
    In f32, rounded once to the result's type. `scales` multiplies each row by a number.

    Constraints: E1 the result has the input's shape; E2 scales are one a row, in the shape of the
    other dimensions.

    ```mlir
    %y = te.activation gelu %x : tensor<?x4096xbf16> -> tensor<?x4096xbf16>
    ```
  }];
  let arguments = (ins TE_ActivationKindAttr:$kind, TE_HPTensor:$input,
    Optional<TensorOf<[F32]>>:$scales);
  let results = (outs TE_HPTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind $input (`scales` `(` $scales^ `:` type($scales) `)`)? attr-dict
    `:` type($input) `->` type($result)
  }];
}

def TE_GatedActivationOp : TE_ActivationBase<"gated_activation", [TE_IterationSpace<["m(hn)", "m"], ["mn"]>]> {
  let summary = "f(a) * b, where the last dimension holds a, then b";
  let description = [{
    The input is (..., 2H): a is its first half (the gate), b its second; with `interleave = g` they take
    turns, g columns each. The result is (..., H), in f32 and rounded once; `scales` multiplies each row by
    a number.

    `clamped_swiglu`: a' = min(a, limit), b' = clamp(b, -limit, limit) + offset, a' * sigmoid(alpha * a') * b'.
    `situglu`: beta1 * tanh(a / beta1) * sigmoid(a) * beta2 * tanh(b / beta2).

    Constraints: E1 the result has half the input's last dimension; E2 scales are one a row; E3 interleave
    divides the result's last dimension, parameters are finite, limit not negative, alpha positive,
    beta1 and beta2 not zero.

    ```mlir
    %y = te.gated_activation swiglu %x : tensor<?x28672xbf16> -> tensor<?x14336xbf16>
    ```
  }];
  let arguments = !con((ins TE_GatedKindAttr:$kind, TE_HPTensor:$input,
    Optional<TensorOf<[F32]>>:$scales), gatedParameters);
  let results = (outs TE_HPTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind $input (`scales` `(` $scales^ `:` type($scales) `)`)? attr-dict
    `:` type($input) `->` type($result)
  }];
}

def TE_ActivationBwdOp : TE_ActivationBase<"activation_bwd", [AttrSizedResultSegments,
    TE_IterationSpace<["mn", "mn", "m"], ["mn", "n", "m"]>]> {
  let summary = "gradients of te.activation";
  let description = [{
    dx = grad * f'(x) (times the row's scale), in f32 and rounded once. `dbias` is the sum of dx over the
    rows, before it is rounded; `dscale` the sum of grad * f(x) over each row. Sums are f32, in an order
    that is always the same.

    Constraints: E1, E2 as of the activation; E4 dbias has the size of the last dimension, dscale one
    number a row and goes with scales.

    ```mlir
    %dx, %dbias = te.activation_bwd gelu %dy, %x : tensor<?x4096xbf16>, tensor<?x4096xbf16>
        -> tensor<?x4096xbf16> dbias tensor<4096xbf16>
    ```
  }];
  let arguments = (ins TE_ActivationKindAttr:$kind, TE_HPTensor:$grad, TE_HPTensor:$input,
    Optional<TensorOf<[F32]>>:$scales);
  let results = (outs TE_HPTensor:$dx, Optional<TE_HPTensor>:$dbias,
    Optional<TensorOf<[F32]>>:$dscale);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind $grad `,` $input (`scales` `(` $scales^ `:` type($scales) `)`)? attr-dict
    `:` type($grad) `,` type($input) `->` type($dx)
    (`dbias` type($dbias)^)? (`dscale` type($dscale)^)?
  }];
}

def TE_BiasAddOp : TE_Op<"bias_add", [Pure, AllTypesMatch<["input", "result"]>,
    TE_IterationSpace<["mn", "n"], ["mn"]>]> {
  let summary = "a number for each column, added to all rows";
  let description = [{
    In f32, rounded once to the input's type. After a `te.gemm` its `bias` is added before that is rounded; a
    `te.bias_add` rounds a second time.

    Constraints: N1, the input has rank 1 at least; N2, the bias has the size of its last dimension.

    ```mlir
    %y = te.bias_add %x, %b : tensor<?x4096xbf16>, tensor<4096xf32>
    ```
  }];
  let arguments = (ins TE_HPTensor:$input, TE_HPTensor:$bias);
  let results = (outs TE_HPTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input `,` $bias attr-dict `:` type($input) `,` type($bias)";
}

def TE_BiasGradOp : TE_Op<"bias_grad", [Pure, TE_IterationSpace<["mn"], ["n"]>]> {
  let summary = "the gradient of a bias: the sum of a gradient over its rows";
  let description = [{
    One number a column, accumulated in f32 and rounded once; of no rows it is 0.

    Constraints: N1, the input has rank 1 at least; N2, the result has the size of its last dimension.

    ```mlir
    %db = te.bias_grad %dy : tensor<?x4096xbf16> -> tensor<4096xbf16>
    ```
  }];
  let arguments = (ins TE_HPTensor:$input);
  let results = (outs TE_HPTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
}

def TE_GatedActivationBwdOp : TE_ActivationBase<"gated_activation_bwd", [AttrSizedResultSegments,
    TE_IterationSpace<["mn", "m(hn)", "m"], ["m(hn)", "(hn)", "m"]>]> {
  let summary = "gradients of te.gated_activation";
  let description = [{
    The first half of dx is f'(a) * grad * b, the second grad * f(a) (where the forward op has a and b; times
    the row's scale), in f32 and rounded once. Where `clamped_swiglu` clamps, the gradient is 0.
    `dbias` is the sum of dx over the rows, before it is rounded; `dscale` the sum of grad * f(a) * b over
    each row.

    Constraints: E1 to E4 as of the activations.

    ```mlir
    %dx = te.gated_activation_bwd swiglu %dy, %x : tensor<?x14336xbf16>, tensor<?x28672xbf16>
        -> tensor<?x28672xbf16>
    ```
  }];
  let arguments = !con((ins TE_GatedKindAttr:$kind, TE_HPTensor:$grad, TE_HPTensor:$input,
    Optional<TensorOf<[F32]>>:$scales), gatedParameters);
  let results = (outs TE_HPTensor:$dx, Optional<TE_HPTensor>:$dbias,
    Optional<TensorOf<[F32]>>:$dscale);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $kind $grad `,` $input (`scales` `(` $scales^ `:` type($scales) `)`)? attr-dict
    `:` type($grad) `,` type($input) `->` type($dx)
    (`dbias` type($dbias)^)? (`dscale` type($dscale)^)?
  }];
}

#endif // TE_NORM_OPS_TD
