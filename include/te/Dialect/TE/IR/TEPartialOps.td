//===- TEPartialOps.td - quantizing a shard of a tensor ----*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_PARTIAL_OPS_TD
#define TE_PARTIAL_OPS_TD

include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEInterfaces.td"

def TE_Shard : 1DTensorOf<[BF16, F16, F32]>;
def TE_ShardStart : 0DTensorOf<[I64]>;
def TE_BlockScales : TensorOf<[F32, F8E8M0FNU]>;
def TE_ShardCodes : 1DTensorOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ]>;

/// P1: the whole, P2: its schemes, P3: a number a block, P4: codes.
class TE_PartialBase<string mnemonic, TE_IterationSpace space> : TE_Op<mnemonic, [Pure, space]> {
  code partialDescription = [{
    The operand is what one rank holds of a weight that is split over many: elements `start` up to `start` + length of
    the tensor, flattened in row-major order. `of` says what the whole becomes, one or two types, as te.quantize's
    results: their static shape, element type and block scheme. `start` is on the device, so that one program is every
    rank's. Elements of the shard that the tensor does not have count for nothing, and are not written.

    Constraints: P1 the types in `of` have one static shape; P2 they are fp8 in blocks, data and scales linear, at most
    one rowwise and one columnwise, the rowwise first; P3 amaxes and scales are one number a block, (ceil(M/R),
    ceil(K/C)) for each type; P4 codes have the shard's length and the type's element type.
  }];
  code partialDeclaration = [{
    /// M and K of the whole tensor.
    std::pair<int64_t, int64_t> getMatrix() { return flatten(getWhole(0).getShape()); }
    unsigned getNumWholes() { return getOf().size(); }
    ScaledType getWhole(unsigned i) { return cast<ScaledType>(cast<TypeAttr>(getOf()[i]).getValue()); }
  }];
  let extraClassDeclaration = partialDeclaration;
  let hasVerifier = 1;
}

def TE_PartialAmaxOp : TE_PartialBase<"partial_amax",
    TE_IterationSpace<["(mn)", ""], [""], ["getWholeSizes"]>> {
  let summary = "each block's amax over a shard of a tensor";
  let description = partialDescription # [{

    A block that the shard has nothing of has amax 0, so that the largest over all ranks is the block's.

    ```mlir
    %a = te.partial_amax %shard at %start of [!te.scaled<4096x4096xf8E4M3FN, #te.scaling<block = [128, 128], scale = f32>>]
        : tensor<?xbf16>, tensor<i64> -> tensor<32x32xf32>
    ```
  }];
  let arguments = (ins TE_Shard:$shard, TE_ShardStart:$start, TypeArrayAttr:$of);
  let results = (outs Variadic<TensorOf<[F32]>>:$amaxes);
  let assemblyFormat = [{
    $shard `at` $start `of` $of attr-dict `:` type($shard) `,` type($start) `->` type($amaxes)
  }];
}

def TE_PartialCastOp : TE_PartialBase<"partial_cast",
    TE_IterationSpace<["(mn)", "", ""], ["(mn)"], ["getWholeSizes"]>> {
  let summary = "the codes of a shard of a tensor, by its blocks' scales";
  let description = partialDescription # [{

    Scales are given for each type: f32 ones multiply on the way in; E8M0 ones are bytes b, and 2^(127 - b) does.

    ```mlir
    %q, %qc = te.partial_cast %shard at %start scales(%s, %sc : tensor<64x2xf8E8M0FNU>, tensor<2x64xf8E8M0FNU>)
        of [!te.scaled<64x64xf8E4M3FN, #row>, !te.scaled<64x64xf8E4M3FN, #col>]
        : tensor<?xbf16>, tensor<i64> -> tensor<?xf8E4M3FN>, tensor<?xf8E4M3FN>
    ```
  }];
  let arguments = (ins TE_Shard:$shard, TE_ShardStart:$start, Variadic<TE_BlockScales>:$scales, TypeArrayAttr:$of);
  let results = (outs Variadic<TE_ShardCodes>:$codes);
  let assemblyFormat = [{
    $shard `at` $start `scales` `(` $scales `:` type($scales) `)` `of` $of attr-dict
    `:` type($shard) `,` type($start) `->` type($codes)
  }];
}

#endif // TE_PARTIAL_OPS_TD
