//===- TileOps.td - operations of the tile dialect --------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILE_OPS_TD
#define TILE_OPS_TD

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "te/Dialect/Tile/IR/TileAttrs.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_AnyTile : RankedTensorOf<[AnyType]>;
def Tile_View : MemRefRankOf<[AnyType], [2]>;
def Tile_Ring : MemRefRankOf<[AnyType], [3]>;

def Tile_KernelOp : Tile_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "one workgroup's program";
  let description = [{
    Arguments are the kernel's, in order: pointers as rank-0 memrefs in global memory, and
    sizes as `index`. `target` names the chip, `waves` the waves of a workgroup. `waves_per_simd`, where given,
    is what the backend counts on: of one workgroup, where registers leave room for no more and it need not look for ways to
    have them, or of several, which it must not give up. With `cluster` = c, c workgroups that are neighbours along the grid's x
    run at the same time, and write to each other's LDS (`tile.cluster_reduce`). `lds_bytes`: a workgroup has so many bytes
    of LDS at the least, so that a compute unit does not hold more of them. With `workgroups`, so many workgroups run the
    programs of the whole grid, one after another (tile-persistent-workgroups). `without`: passes on the kernel's loops, by
    name, that leave it as it is.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name, StrAttr:$target, I64Attr:$waves,
    OptionalAttr<I64Attr>:$waves_per_simd, OptionalAttr<I64Attr>:$cluster,
    OptionalAttr<I64Attr>:$lds_bytes, OptionalAttr<I64Attr>:$workgroups,
    OptionalAttr<StrArrayAttr>:$without);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "StringRef":$name, "StringRef":$target,
                                 "int64_t":$waves, "TypeRange":$argumentTypes)>];
  let skipDefaultBuilders = 1;
}

def Tile_ReturnOp : Tile_Op<"return", [Terminator, HasParent<"KernelOp">, Pure]> {
  let summary = "the end of a kernel";
  let assemblyFormat = "attr-dict";
}

def Tile_LaunchOp : Tile_Op<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a kernel, on the host side";
  let description = [{
    The kernel's arguments are, in order: the buffers of `inputs` (a `!te.scaled` value is
    two, data then scales), the buffers of the results, then `sizes`. The last results
    take over the buffers of `inits`, one each, and see what those kept; the other
    results' buffers start undefined. A grid with a zero runs nothing. `shape` gives the
    dynamic sizes of the results' logical shapes, in order.
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    Index:$grid_x, Index:$grid_y,
    Variadic<AnyType>:$inputs,
    Variadic<AnyType>:$inits,
    Variadic<Index>:$sizes,
    Variadic<Index>:$result_sizes);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $kernel `grid` `(` $grid_x `,` $grid_y `)` `ins` `(` ($inputs^ `:` type($inputs))? `)`
    (`inits` `(` $inits^ `:` type($inits) `)`)? (`sizes` `(` $sizes^ `)`)?
    (`shape` `(` $result_sizes^ `)`)? attr-dict `->` type($results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The size of a dynamic dimension of one of this op's results.
    Value getDynamicSize(OpResult result, int64_t dimension);
  }];
}

def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>, AttrSizedOperandSegments]> {
  let summary = "read a tile from a buffer; zero outside of it";
  let description = [{
    `divisible` is a number of elements that is known to divide the row's length and the
    column offset: no access of so many elements straddles the edge. `in_bounds` says that every
    workgroup's tile lies wholly inside the buffer, so nothing is masked; `columns_in_bounds`, that only rows
    after the last are outside. With `first_replica`
    only the first holder of each element reads it, and the other replicas are zero: for a tile that goes through
    LDS next, to which replicas write nothing.

    With `rows`, an i32 number for each row of the tile, row i of the tile is row `row` + rows[i] of the view: a
    gather. Rows outside of the view are zero.

    With `order` the buffer is a matrix in units of the order's shape, row-major, and inside of a unit bit k of the
    offset is the coordinate that the order's register bit k names. `row` and `column` are the
    matrix's; a row of the view is a row of units. Only whole units are inside of it.

    With `window` the buffer holds so many elements from its start on: of a view whose offset may be negative, what lies
    before or after them is outside.

    With `interleave` = g > 0 the view's columns lie in runs of g, each followed by g elements that
    are not the view's: column c at c + c / g * g.

    With `row_interleave` = g > 0, a power of two, the tile's rows lie in runs of g, each followed by g of the view that
    are not the tile's: row i at `row` + i + i / g * g.
  }];
  let arguments = (ins
    Tile_View:$view, Index:$row, Index:$column, Optional<Tile_AnyTile>:$rows, Optional<Index>:$window,
    DefaultValuedAttr<I64Attr, "1">:$divisible, UnitAttr:$in_bounds,
    UnitAttr:$columns_in_bounds, UnitAttr:$first_replica,
    OptionalAttr<Tile_LayoutAttr>:$order,
    DefaultValuedAttr<I64Attr, "0">:$interleave,
    DefaultValuedAttr<I64Attr, "0">:$row_interleave);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $view `[` $row `,` $column `]` (`rows` `(` $rows^ `:` type($rows) `)`)? (`window` $window^)? attr-dict
    `:` type($view) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True where lanes read runs of so many bytes (of laneCopyBytes: not 0) as they lie in memory, or zeros of rows
    /// that are outside: tile.async_copy does the same.
    bool isCopy(int64_t bytes);
  }];
}

def Tile_PrefetchOp : Tile_Op<"prefetch", [MemoryEffects<[MemWrite]>]> {
  let summary = "prefetch rows into L2 for another workgroup";
  let description = [{
    Of so many `rows` of a view from `row` on, those that are inside of it, `bytes` with one instruction of one lane: each
    row is a static number of these. Nothing is waited for, and nothing else depends on it.
  }];
  let arguments = (ins Tile_View:$view, Index:$row, I64Attr:$rows, I64Attr:$bytes);
  let assemblyFormat = "$view `[` $row `]` `rows` $rows `bytes` $bytes attr-dict `:` type($view)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Of one row; not whole, or negative, where the op is not valid.
    int64_t getRowBytes();
  }];
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "write a tile to a buffer; nothing outside of it";
  let description = [{
    Replicas are written once. Of `slices` alike, number `slice` is written: a share of each lane's accesses. `divisible`, the bounds, `rows` (a scatter; no row twice), `order`, `window` and `interleave` are
    as in `tile.load`.
  }];
  let arguments = (ins
    Tile_AnyTile:$value, Tile_View:$view, Index:$row, Index:$column, Optional<Tile_AnyTile>:$rows,
    Optional<Index>:$window,
    DefaultValuedAttr<I64Attr, "1">:$divisible, UnitAttr:$in_bounds,
    UnitAttr:$columns_in_bounds, OptionalAttr<Tile_LayoutAttr>:$order,
    DefaultValuedAttr<I64Attr, "0">:$interleave,
    DefaultValuedAttr<I64Attr, "0">:$slice, DefaultValuedAttr<I64Attr, "1">:$slices);
  let assemblyFormat = [{
    $value `,` $view `[` $row `,` $column `]` (`rows` `(` $rows^ `:` type($rows) `)`)? (`window` $window^)? attr-dict
    `:` type($value) `,` type($view)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Instructions that every lane has for it, at the least: none where some lanes or columns are masked.
    int64_t countAccesses();
  }];
}

def Tile_CoordinateOp : Tile_Op<"coordinate", [Pure]> {
  let summary = "each element's row (dimension 0) or column (1) in the tile";
  let arguments = (ins I64Attr:$dimension);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_AtomicMaxOp : Tile_Op<"atomic_max", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic maximum of a 1 x 1 tile of a non-negative f32";
  let description = [{
    Non-negative floats order as their bit patterns, so this is an integer maximum:
    deterministic whatever the order of the workgroups.
  }];
  let arguments = (ins Tile_AnyTile:$value, MemRefRankOf<[F32], [0]>:$target);
  let assemblyFormat = "$value `,` $target attr-dict `:` type($value) `,` type($target)";
}

def Tile_ReduceOp : Tile_Op<"reduce", [Pure]> {
  let summary = "combine the elements of each block";
  let description = [{
    The result has one element a block; its layout is the input's, projected. Where waves share
    blocks, any other layout is possible too (T9): the parts meet in LDS, and each lane
    reads those of the blocks that it holds. `maxnum` ignores NaN, `or` is for integers.
    `nibbles` packs the i8 codes of two neighbours, each below 16, into a byte, the second one's high.
  }];
  let arguments = (ins
    Tile_ReduceKindAttr:$kind, Tile_AnyTile:$input, DenseI64ArrayAttr:$block);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $kind $input `block` $block attr-dict `:` type($input) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ClusterReduceOp : Tile_Op<"cluster_reduce", [
    MemoryEffects<[MemRead, MemWrite]>, InferTypeOpAdaptor]> {
  let summary = "combine the tiles of a cluster's workgroups, element by element";
  let description = [{
    Of columns of f32, one number a row. All workgroups of the kernel's `cluster` come here as often; each sends its
    tiles to the LDS of all, waits for the others', and combines them in the order of their ranks, so all have the
    same result, in every run. Tiles that are given together take one wait.

    ```mlir
    %sum = tile.cluster_reduce add %part : tensor<32x1xf32, #rows>
    ```
  }];
  let arguments = (ins Tile_ReduceKindAttr:$kind, Variadic<Tile_AnyTile>:$inputs);
  let results = (outs Variadic<Tile_AnyTile>:$outputs);
  let assemblyFormat = "$kind $inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeat each element over a block";
  let description = "The inverse of `tile.reduce`: the input's layout is the result's, projected.";
  let arguments = (ins Tile_AnyTile:$input);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure]> {
  let summary = "exchange rows and columns: a renaming, no data moves";
  let arguments = (ins Tile_AnyTile:$input);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "convert a tile to another layout";
  let description = [{
    A register renaming, exchanges between lanes, or a trip through LDS: computed from the
    two layouts (`analyzeConversion`).
  }];
  let arguments = (ins Tile_AnyTile:$input);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ExchangeOp : Tile_Op<"exchange", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "swap neighbouring runs of elements";
  let description = [{
    Along `dimension`, runs of `stride` elements change places in pairs: element i of the result is element
    i + `stride` of the input in even runs, i - `stride` in odd ones. A run whose partner is not wholly in the tile is
    unspecified. By a power of two an element's partner is often another register or another lane of the
    wave; else they meet in LDS.
  }];
  let arguments = (ins Tile_AnyTile:$input, I64Attr:$dimension, I64Attr:$stride);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$input `along` $dimension `by` $stride attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Tile_StageOp : Tile_Op<"stage", [MemoryEffects<[MemAlloc, MemWrite]>]> {
  let summary = "store a tile to LDS and give all lanes access to it";
  let description = [{
    A part of LDS that is this op's alone, row-major. What is read once a column is staged where a workgroup comes back to
    it, tile after tile of a row.
  }];
  let arguments = (ins Tile_AnyTile:$tile);
  let results = (outs Tile_View:$view);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($view)";
  let hasVerifier = 1;
}

def Tile_RingOp : Tile_Op<"ring", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a ring buffer in LDS for tiles on their way to other lanes";
  let description = [{
    Slots for tiles of one size, in an order that suits both the lanes that store them (`source`) and those that load a
    share of their columns or rows (`target`). Where lanes want elements of a column together that lie in rows, and the
    chip has loads of LDS that transpose, shares are loaded by these. A loop fills one slot while it computes from
    another; barriers between are the program's own. LDS of other ops may have the same addresses, where all of them
    follow the last use of the ring.

    ```mlir
    %ring = tile.ring from <..> to <..> : memref<2x256x64xbf16, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Tile_LayoutAttr:$source, Tile_LayoutAttr:$target);
  let results = (outs Tile_Ring:$ring);
  let assemblyFormat = "`from` $source `to` $target attr-dict `:` type($ring)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension of which a part is a share: 1 where it is a whole slot.
    unsigned getSliceDim();
  }];
}

def Tile_LocalStoreOp : Tile_Op<"local_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "store a tile to a ring's slot";
  let arguments = (ins Tile_AnyTile:$tile, Tile_Ring:$ring, Index:$slot);
  let assemblyFormat = "$tile `,` $ring `[` $slot `]` attr-dict `:` type($tile) `,` type($ring)";
  let hasVerifier = 1;
}

def Tile_LocalLoadOp : Tile_Op<"local_load", [MemoryEffects<[MemRead]>]> {
  let summary = "load a part of a tile from a ring's slot";
  let description = "The columns, or rows, from `offset` on, a multiple of the result's, in the ring's `target` layout.";
  let arguments = (ins Tile_Ring:$ring, Index:$slot, Index:$offset);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$ring `[` $slot `,` $offset `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_AsyncCopyOp : Tile_Op<"async_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copy a tile from global memory straight to a ring's slot";
  let description = [{
    The tile at [`row`, `column`], of the slot's shape, on its way to LDS: it is there after a `tile.async_wait`. Columns lie inside of the buffer; rows after its last are zero. Registers hold nothing of
    it, so lanes write LDS in its order, and read memory in the order that follows from it (T22). `order` and
    `row_interleave`: as of tile.load.
    Where lanes say what goes where (laneCopyBytes), each copies runs of 16 bytes of what `source` gives it.
  }];
  let arguments = (ins
    Tile_View:$view, Index:$row, Index:$column, Tile_Ring:$ring, Index:$slot, UnitAttr:$in_bounds,
    OptionalAttr<Tile_LayoutAttr>:$order, DefaultValuedAttr<I64Attr, "0">:$row_interleave);
  let assemblyFormat = [{
    $view `[` $row `,` $column `]` `,` $ring `[` $slot `]` attr-dict `:` type($view) `,` type($ring)
  }];
  let hasVerifier = 1;
}

def Tile_AsyncWaitOp : Tile_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a barrier for waves with async copies in flight";
  let description = [{
    All waves have arrived, and what they copied is in LDS, but for the last `pending` tiles of each of these rings (a
    number for each; none: all is there), which may be in flight; without rings no copy is waited for. What they loaded
    from LDS is in their registers, and what they stored is in LDS. With `keeps_reading` neither is waited for: nothing is
    written to the slots that they read, and no wave loads what was stored, before the next such op. AMD's chips wait for accesses in
    their order: `outstanding` says how many instructions (of tile.async_copy, tile.load and tile.store), at the least, stand after the
    last tile that is waited for, and may be in flight. tile-count-loads counts them; else all of memory's answers are
    waited for. Where each lane loads what it copied itself (laneCopyBytes, rings whose layouts are the same), it waits for itself
    alone.
  }];
  let arguments = (ins Variadic<Tile_Ring>:$rings, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$pending,
    DefaultValuedAttr<I64Attr, "0">:$outstanding, UnitAttr:$keeps_reading);
  let assemblyFormat = "(`for` $rings^ `:` type($rings))? attr-dict";
  let extraClassDeclaration = [{
    /// Tiles of one of the rings that may be on their way.
    int64_t countPending(unsigned ring) {
      return getPending().empty() ? 0 : getPending()[ring];
    }
  }];
  let hasVerifier = 1;
}

def Tile_SelectOp : Tile_Op<"select", [Pure]> {
  let summary = "select one of several tiles by a uniform index";
  let description = "How a loop iterates over tiles that stay in registers.";
  let arguments = (ins Index:$index, Variadic<Tile_AnyTile>:$tiles);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $index `of` $tiles attr-dict `:` type($tiles) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_FenceOp : Tile_Op<"fence", [MemoryEffects<[MemWrite]>]> {
  let summary = "a barrier for the instruction scheduler";
  let description = [{
    Of the machine code's order alone: nothing is waited for. Long straight-line code of one tile after the other keeps
    the order that it was written in, and is scheduled in short parts, in less time.
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a workgroup barrier that waits for no memory access";
  let description = [{
    All waves of the workgroup, or those of one half (`half`, 0 or 1), which is then a barrier ahead of the others, or after
    them: waves of the other half meet them at their next one. What goes through LDS or memory meanwhile is the business of
    tile.async_wait. AMD's chips count the waves that have come, wherever they are.
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<1>]>>:$half);
  let assemblyFormat = "(`half` $half^)? attr-dict";
}

def Tile_PriorityOp : Tile_Op<"priority", [MemoryEffects<[MemWrite]>]> {
  let summary = "set the wave's issue priority";
  let description = [{
    From here on, of this wave, on AMD's chips: 0, with which a kernel begins, to 3 (s_setprio). Of waves with the same
    level the older one goes first.
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<3>]>:$level);
  let assemblyFormat = "$level attr-dict";
}

def Tile_OptimizationBarrierOp : Tile_Op<"optimization_barrier", [MemoryEffects<[MemWrite]>, AllTypesMatch<["input", "result"]>]> {
  let summary = "a tile that optimizations know nothing of";
  let description = [{
    What was computed of the tile before this op is computed again after it, instead of being kept in registers that have
    no room for it.
  }];
  let arguments = (ins Tile_AnyTile:$input);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Tile_ReduceOrOp : Tile_Op<"reduce_or", [Pure]> {
  let summary = "is a condition true anywhere in this wave's part of the tile";
  let description = "The result is the same for all lanes of a wave, but may differ between waves.";
  let arguments = (ins Tile_AnyTile:$condition);
  let results = (outs I1:$result);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

def Tile_ScaledTruncOp : Tile_Op<"scaled_trunc", [Pure]> {
  let summary = "x / 2^(byte - 127) rounded to an 8-bit or 4-bit float by the target's instruction";
  let description = [{
    `scale` holds one E8M0 byte (i8, 1 to 254) a block; its layout is the input's, projected. One
    rounding, to nearest even; a quotient beyond the format's largest value is undefined, but in fp4, which
    saturates. fp4 codes are an i8 tile, those of two columns a byte, its layout the input's, projected.
    Only where the target has such conversions, and for blocks of two or more columns.
  }];
  let arguments = (ins Tile_AnyTile:$input, Tile_AnyTile:$scale);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $input `,` $scale attr-dict `:` type($input) `,` type($scale) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_MmaOp : Tile_Op<"mma", [Pure, AttrSizedOperandSegments, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "a matrix product of tiles, added to a tile";
  let description = [{
    result = a * b^T + accumulator: a is M x K, b is N x K, the accumulator M x N of f32, all kept as the intrinsic
    wants them (T20). Nothing crosses waves. An i8 operand is fp4 codes, two columns a byte.

    With scales each run of 32 elements along K is multiplied by its E8M0 byte (i8 tiles, M x K/32 and N x K/32), by
    the instruction. The scales may be of a longer K than the operands, in whole slices of them: `scale_slice` says which,
    and is counted anew on the side whose scales are of fewer.

    `in_order`: no instruction crosses the end of this product, and accesses of memory that stand before it, after
    the product before that has it, are issued between its instructions, among them `reads` of LDS; else a backend orders them anew.

    With `ahead` = n > 0, of this product and those before it, up to another one that has it or a barrier, each instruction's
    reads of LDS are issued n instructions before it.

    ```mlir
    %d = tile.mma %a, %b, %c <"f32_16x16x32_bf16"> : tensor<128x64xbf16, #a>, tensor<64x64xbf16, #b> -> tensor<128x64xf32, #c>
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$a, Tile_AnyTile:$b, Tile_AnyTile:$accumulator,
    Optional<Tile_AnyTile>:$scale_a, Optional<Tile_AnyTile>:$scale_b, Tile_MMAAttr:$intrinsic, UnitAttr:$in_order,
    DefaultValuedAttr<I64Attr, "0">:$scale_slice, DefaultValuedAttr<I64Attr, "0">:$reads,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$ahead);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`scales` `(` $scale_a^ `,` $scale_b `:` type($scale_a) `,` type($scale_b) `)`)?
    $intrinsic (`in_order` $in_order^)? attr-dict
    `:` type($a) `,` type($b) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TILE_OPS_TD
