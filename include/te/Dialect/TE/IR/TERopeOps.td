//===- TERopeOps.td - rotary embeddings and delayed scaling's update -*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_ROPE_OPS_TD
#define TE_ROPE_OPS_TD

include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEAttrs.td"
include "te/Dialect/TE/IR/TEInterfaces.td"

//===----------------------------------------------------------------------===//
// Rotary embeddings
//===----------------------------------------------------------------------===//

/// R1: shapes, R2: freqs, R3: start positions, R4: cu_seqlens, R5: context parallelism.
class TE_RopeBase<string mnemonic> : TE_Op<mnemonic, [Pure, AttrSizedOperandSegments,
    TE_IterationSpace<["mn mr", "*", "*", "*"], ["mn"], ["mixesRow", "getExchangedBytes"]>]> {
  code ropeDescription = [{
    The input is (s, b, h, d), (b, s, h, d) or, with `thd`, (t, h, d): the tokens of all sequences after each
    other, sequence b from `cu_seqlens[b]` up to `cu_seqlens[b + 1]`, which start at 0 and do not decrease.
    `freqs` is (positions, d2): the angle of each position and column. Columns from d2 on are copied.

    A token's position is its place in its sequence plus `start_positions[b]`. With `cp_size` > 1 the tensor
    holds what rank `cp_rank` has of each sequence, chunks r and 2 * cp_size - 1 - r of the 2 * cp_size equal
    ones, one after the other; `cu_seqlens` are those of the whole sequences. A token outside of all
    sequences, or with a position outside of freqs, is copied.

    Constraints: R1 the input has rank 4 (`thd`: 3), and the result its shape; R2 d2 is even and at most d;
    R3 start_positions have one number a sequence; R4 cu_seqlens go with `thd`, one more than there are
    sequences; R5 0 <= cp_rank < cp_size, and s is even where cp_size is not 1.
  }];
  let arguments = (ins TE_SequenceFormatAttr:$format, TE_HPTensor:$input,
    2DTensorOf<[F32]>:$freqs,
    Optional<1DTensorOf<[I32]>>:$start_positions,
    Optional<1DTensorOf<[I32]>>:$cu_seqlens,
    UnitAttr:$interleaved,
    DefaultValuedAttr<I64Attr, "1">:$cp_size,
    DefaultValuedAttr<I64Attr, "0">:$cp_rank);
  let results = (outs TE_HPTensor:$result);
  let assemblyFormat = [{
    $format $input `,` $freqs
    (`start_positions` `(` $start_positions^ `:` type($start_positions) `)`)?
    (`cu_seqlens` `(` $cu_seqlens^ `:` type($cu_seqlens) `)`)?
    attr-dict `:` type($input) `,` type($freqs) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows side by side that are known to be heads of one token: a power of two.
    int64_t getSharedHeads();
    /// Columns from an element to the one that it is rotated with.
    int64_t getDistance() {
      return getInterleaved() ? 1 : getFreqs().getType().getDimSize(1) / 2;
    }
    /// One wave holds both.
    bool isPartnerInWave();
  }];
  let extraClassDefinition = [{
    int64_t $cppClass::getSharedHeads() { return ::mlir::te::getSharedHeads(getInput().getType()); }
    bool $cppClass::isPartnerInWave() { return ::mlir::te::isPartnerInWave(getDistance()); }
    bool $cppClass::mixesRow() { return true; }
  }];
}

def TE_RopeOp : TE_RopeBase<"rope"> {
  let summary = "rotary embedding: y_i = x_i * cos(f_i) + rot(x)_i * sin(f_i)";
  let description = ropeDescription # [{

    rot(x)_i is -x_{i + d2/2} in the first half of the d2 columns and x_{i - d2/2} in the second;
    with `interleaved`, -x_{i+1} in even columns and x_{i-1} in odd ones. In f32, rounded once; sin and
    cos are accurate at any angle.

    ```mlir
    %y = te.rope sbhd %x, %freqs : tensor<?x2x32x128xbf16>, tensor<8192x64xf32> -> tensor<?x2x32x128xbf16>
    %z = te.rope thd %x, %freqs cu_seqlens(%c : tensor<9xi32>) {interleaved, cp_size = 2 : i64, cp_rank = 1 : i64}
        : tensor<?x32x128xbf16>, tensor<8192x128xf32> -> tensor<?x32x128xbf16>
    ```
  }];
}

def TE_RopeBwdOp : TE_RopeBase<"rope_bwd"> {
  let summary = "gradient of te.rope: dx_i = g_i * cos(f_i) + rot'(g, f)_i";
  let description = ropeDescription # [{

    rot'(g, f)_i is g_j * sin(f_j), where j = i + d2/2, in the first half of the d2 columns, and -g_j * sin(f_j),
    where j = i - d2/2, in the second; with `interleaved`, g_j * sin(f_j), where j = i + 1, in even columns and
    -g_j * sin(f_j), where j = i - 1, in odd ones. The sine is the partner's. In f32, rounded once.

    ```mlir
    %dx = te.rope_bwd bshd %dy, %freqs start_positions(%p : tensor<2xi32>)
        : tensor<2x?x32x128xbf16>, tensor<8192x64xf32> -> tensor<2x?x32x128xbf16>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Delayed scaling
//===----------------------------------------------------------------------===//

def TE_UpdateScaleOp : TE_Op<"update_scale", [Pure, TE_ComputedIterationSpace<>]> {
  let summary = "delayed scaling after a step: a new amax history, new scales";
  let description = [{
    The history is (L, S): the amaxes of S quantized tensors, the latest in row 0; or (L), of one. For each:
    1. last = `amax`, where it is given and not 0, else history[0].
    2. Where last is 0, history and scale stay as they are. Else a = last with `most_recent`; with `max` the
       largest of last and history[1], ..., history[L - 1], NaN ignored.
    3. The new history is 0, history[2], ..., history[L - 1], last; of length 1, it is 0. (What
       leaves the history, history[1], still counts in a.)
    4. Where a is finite and greater than 0, the new scale is largest * 2^-margin / a, at most the largest f32;
       else the scale stays. `largest` is that of the element type.

    A third result is 1 / scale.

    Constraints: U1 the scales, amaxes and results have one number a tensor, in the shape of the history
    without its first dimension, which is at least 1; U2 the element type is one of fp8; U3 margin is
    from -64 to 64.

    ```mlir
    %h, %s, %si = te.update_scale max %history, %scale amax(%a : tensor<?xf32>) for f8E4M3FN
        : tensor<1024x?xf32>, tensor<?xf32> -> tensor<1024x?xf32>, tensor<?xf32> scale_inv tensor<?xf32>
    ```
  }];
  let arguments = (ins TE_AmaxAlgorithmAttr:$algorithm, TensorOf<[F32]>:$history,
    TensorOf<[F32]>:$scale, Optional<TensorOf<[F32]>>:$amax, TypeAttr:$element,
    DefaultValuedAttr<I64Attr, "0">:$margin);
  let results = (outs TensorOf<[F32]>:$new_history, TensorOf<[F32]>:$new_scale,
    Optional<TensorOf<[F32]>>:$scale_inv);
  let assemblyFormat = [{
    $algorithm $history `,` $scale (`amax` `(` $amax^ `:` type($amax) `)`)? `for` $element attr-dict
    `:` type($history) `,` type($scale) `->` type($new_history) `,` type($new_scale)
    (`scale_inv` type($scale_inv)^)?
  }];
  let hasVerifier = 1;
}

#endif // TE_ROPE_OPS_TD
