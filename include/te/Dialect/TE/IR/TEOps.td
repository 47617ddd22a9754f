//===- TEOps.td - operations of the te dialect ------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_OPS_TD
#define TE_OPS_TD

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEAttrs.td"
include "te/Dialect/TE/IR/TEInterfaces.td"
include "te/Dialect/TE/IR/TEAttentionOps.td"
include "te/Dialect/TE/IR/TEGemmOps.td"
include "te/Dialect/TE/IR/TENormOps.td"
include "te/Dialect/TE/IR/TEPartialOps.td"
include "te/Dialect/TE/IR/TERopeOps.td"
include "te/Dialect/TE/IR/TETypes.td"

def TE_QuantizeOp : TE_Op<"quantize", [
    AttrSizedOperandSegments, Pure, TE_ComputedIterationSpace<["getNoopFlag"]>]> {
  let summary = "quantize a tensor rowwise, columnwise or both from one read";
  let description = [{
    Each `!te.scaled` result is quantized from the high-precision input by its own
    type's scheme (never from the other result); a result whose scheme is columnwise comes second.
    A last `tensor<f32>` result is max |x| over the whole input, NaN ignored.

    `scale(%s)` gives the multiplier of per-tensor (delayed) scaling; without it a
    `tensor` scheme is current scaling, from the input's own amax, or from `amax(%a)` where that is
    known already (te-fuse computes it in a kernel of its own). `noop(%flag)`: where the flag is 1.0 every
    result keeps what its buffer kept before.

    Constraints, from `docs/spec.md`: Q1 shapes agree, Q2 which results and in which
    order, Q3 at most one rowwise and one columnwise result, Q4 `scale` needs `tensor`
    schemes, Q5 `stochastic` needs fp4 and `rng`, Q6 `hadamard` needs fp4, Q7 `epsilon`
    needs f32 scales that are computed for a tensor or block, Q8 both results of a `tensor` scheme hold one element type,
    Q9 `amax` needs current scaling and no amax result.

    dequantize(quantize(x)) is not x: the rounding is what the program asks for, so neither op
    folds the other away. Results that nobody uses are dropped; with only the amax left the op becomes
    `te.amax`.

    ```mlir
    %q, %qc = te.quantize %x : tensor<?x4096xbf16>
        -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
    %q, %amax = te.quantize %x scale(%s : tensor<f32>) : tensor<?x4096xbf16>
        -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<tensor, scale = f32>>, tensor<f32>
    ```
  }];
  let arguments = (ins
    TE_HPTensor:$input,
    Optional<TE_F32Scalar>:$scale,
    Optional<TE_F32Scalar>:$amax,
    Optional<TE_F32Scalar>:$noop,
    Optional<TE_RngState>:$rng,
    UnitAttr:$hadamard,
    OptionalAttr<I32Attr>:$sign_mask,
    UnitAttr:$stochastic,
    OptionalAttr<F32Attr>:$epsilon);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $input (`scale` `(` $scale^ `:` type($scale) `)`)?
    (`amax` `(` $amax^ `:` type($amax) `)`)?
    (`noop` `(` $noop^ `:` type($noop) `)`)?
    (`rng` `(` $rng^ `:` type($rng) `)`)?
    attr-dict `:` type($input) `->` type($results)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The `!te.scaled` results, rowwise first.
    SmallVector<OpResult> getScaledResults();
    /// The amax result, or null.
    OpResult getAmaxResult();
    /// True where one scale for all results is computed from the amax.
    bool isCurrentScaling();
  }];
}

def TE_DequantizeOp : TE_Op<"dequantize", [Pure, TE_IterationSpace<["mn"], ["mn"]>]> {
  let summary = "the values that a quantized tensor stands for";
  let description = [{
    value = f32(data) * scale_inv in f32, then rounded to the result's type. The
    result has the input's logical shape (D1), whatever its data layout.

    ```mlir
    %y = te.dequantize %q : !te.scaled<?x4096xf8E4M3FN, #row> -> tensor<?x4096xbf16>
    ```
  }];
  let arguments = (ins TE_AnyScaled:$input);
  let results = (outs TE_HPTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def TE_TransposeDataOp : TE_Op<"transpose", [Pure, TE_IterationSpace<["mn"], ["mn"]>]> {
  let summary = "the other copy of a tensor whose copies hold the same codes";
  let description = [{
    The data of a `tensor` scheme or of square blocks, transposed code by code: `data_layout = transposed` becomes
    another layout, or the other way round. Codes, scales and logical shape stay. Of a `te.quantize`'s result
    `te-fuse` makes that op's other result.

    Constraints: D1 the result has the input's logical shape; D2 both have one element type and, but for `data_layout`,
    one scheme, `tensor` or square blocks; one is transposed.

    ```mlir
    %t = te.transpose %q : !te.scaled<?x4096xf8E4M3FN, #te.scaling<tensor, scale = f32>>
        -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = transposed>>
    ```
  }];
  let arguments = (ins TE_AnyScaled:$input);
  let results = (outs TE_AnyScaled:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TE_RelayoutOp : TE_Op<"relayout", [Pure, TE_IterationSpace<["mn"], ["mn"]>]> {
  let summary = "the same quantized tensor in another order in memory";
  let description = [{
    From one `scale_layout` to another, from linear data to `shuffle_16x16` or back, or both. Codes and scales stay,
    padding is the result type's; where the input repeats a 32 x 32 scale over its rows, the first is read. Of a
    `te.quantize`'s result that nobody else uses `te-fuse` makes that op's own result.

    Constraints: D1 the result has the input's logical shape; D3 both have one element type and, but for
    `scale_layout` and `data_layout`, one scheme; D4 both are transposed, or neither.

    ```mlir
    %s = te.relayout %q : !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
        -> !te.scaled<?x4096xf8E4M3FN,
               #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>>
    ```
  }];
  let arguments = (ins TE_AnyScaled:$input);
  let results = (outs TE_AnyScaled:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TE_AmaxOp : TE_Op<"amax", [Pure, TE_IterationSpace<["mn", ""], [""], ["getNoopFlag"]>]> {
  let summary = "max |x| over a whole tensor";
  let description = [{
    NaN elements are ignored (fmax); an empty tensor gives 0. With a `noop` flag of 1.0
    the result keeps what its buffer kept before.
  }];
  let arguments = (ins TE_HPTensor:$input, Optional<TE_F32Scalar>:$noop);
  let results = (outs TE_F32Scalar:$result);
  let assemblyFormat = [{
    $input (`noop` `(` $noop^ `:` type($noop) `)`)?
    attr-dict `:` type($input) `->` type($result)
  }];
}

def TE_CopyOp : TE_Op<"copy", [Pure, SameOperandsAndResultType, TE_IterationSpace<["mn"], ["mn"]>]> {
  let summary = "the same elements in a buffer of their own";
  let description = [{
    A slice is a part of its source's buffer, and what a function returns is not: `te-fuse` adds a copy where a
    slice needs a buffer. It rides in the kernel of other slices of the same source.

    ```mlir
    %v = te.copy %slice : tensor<?x8x128xbf16>
    ```
  }];
  let arguments = (ins TE_HPTensor:$input);
  let results = (outs TE_HPTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def TE_FullLikeOp : TE_Op<"full_like", [Pure, SameOperandsAndResultType, TE_IterationSpace<["mn"], ["mn"]>]> {
  let summary = "a tensor of one constant, with the shape of another tensor";
  let description = [{
    For constants whose size is known at run time only, which `arith.constant` cannot have; of a static shape it folds to
    one. The input's elements are not read.

    Constraints: D7 the value has the input's element type.

    ```mlir
    %two = te.full_like %x, 2.0 : f32 : tensor<?x64xf32>
    ```
  }];
  let arguments = (ins
    RankedTensorOf<[BF16, F16, F32, I8, I32, I64]>:$input,
    TypedAttrInterface:$value);
  let results = (outs RankedTensorOf<[BF16, F16, F32, I8, I32, I64]>:$result);
  let assemblyFormat = "$input `,` $value attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TE_PermuteOp : TE_Op<"permute", [Pure]> {
  let summary = "a tensor with its dimensions in another order";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of the input. Nothing is moved where the last dimension
    stays the last, or the last two change places: kernels of the ops that read the result load its tiles from where
    the input lies, rows by their numbers, or transposed. What a kernel computes itself, of two dimensions, it transposes
    in registers (F12). `te-fuse` makes other orders from these, and of the last two
    dimensions of a `te.gemm`'s operand it makes `transpose_a` or `transpose_b`.

    Constraints: D5 `permutation` names each dimension of the input once; D6 the result has the input's element type
    and its sizes, in that order.

    ```mlir
    %t = te.permute %x [1, 0] : tensor<?x4096xbf16> -> tensor<4096x?xbf16>
    ```
  }];
  let arguments = (ins TE_HPTensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs TE_HPTensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The last dimension is the input's: rows are its rows.
    bool keepsRows();
    /// The last two dimensions change places, and no others.
    bool isTransposition();
  }];
}

def TE_DimOp : TE_Op<"dim", [Pure]> {
  let summary = "the size of a dimension of a tensor or a scaled tensor";
  let arguments = (ins AnyType:$input, I64Attr:$dimension);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `,` $dimension attr-dict `:` type($input)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TE_FusionOp : TE_Op<"fusion", [
    AttrSizedOperandSegments, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "a region that becomes one kernel";
  let description = [{
    Made by `te-fuse`. The region's arguments are the operands; what it yields is
    written to memory, everything else stays in registers. `schedule` is set by
    `te-schedule`, or by the user; `kernel` is the name of the kernel, `not_fused` what kept `te-fuse` from
    making it one with others. Where a region computes only some rows, those that `te.gemm_sum` names, its results take over
    what `inits`, one for each, hold of the others.

    A program that does not know a region's number of rows, or K of its product, may have one for each range of it, in
    branches of `scf.if` by that number (`te-schedule{ranges=16,128}`). `range` is the least and the most of it, the
    last one's the least alone: the schedule is for these, and right for others too.

    ```mlir
    %q = te.fusion "quantize_0" (%a = %x : tensor<?x64xbf16>) -> (!te.scaled<...>) {
      %0 = te.quantize %a : tensor<?x64xbf16> -> !te.scaled<...>
      te.yield %0 : !te.scaled<...>
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyType>:$inputs,
    Variadic<AnyType>:$inits,
    StrAttr:$kernel,
    OptionalAttr<TE_ScheduleAttr>:$schedule,
    OptionalAttr<StrArrayAttr>:$not_fused,
    OptionalAttr<DenseI64ArrayAttr>:$range);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The least and the most of the size that it is for; no limit where it is
    /// not one of several.
    std::pair<int64_t, int64_t> getSizeRange();
  }];
}

def TE_YieldOp : TE_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"FusionOp">]> {
  let summary = "what a te.fusion region writes to memory";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ValueRange()); }]>];
}

#endif // TE_OPS_TD
