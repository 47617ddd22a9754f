//===- TEAttrs.td - attributes of the te dialect ----------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_ATTRS_TD
#define TE_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "te/Dialect/TE/IR/TEBase.td"

class TE_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::te";
  let genSpecializedAttr = 0;
}

/// An attribute of such a value, whose parser says what there is.
class TE_EnumAttr<EnumInfo info, string name> : EnumAttr<TE_Dialect, info, name> {
  let assemblyFormat = "custom<Enum>($value)";
}

def TE_Granularity : TE_Enum<"Granularity", "what shares one scale", [
  I32EnumAttrCase<"Tensor", 0, "tensor">,
  I32EnumAttrCase<"Row", 1, "row">,
  I32EnumAttrCase<"Block", 2, "block">]>;

def TE_ScaleRounding : TE_Enum<"ScaleRounding", "how amax becomes a scale", [
  I32EnumAttrCase<"Nearest", 0, "nearest">,
  I32EnumAttrCase<"Pow2", 1, "pow2">,
  I32EnumAttrCase<"RCeil", 2, "rceil">,
  I32EnumAttrCase<"Floor", 3, "floor">,
  I32EnumAttrCase<"Even", 4, "even">,
  I32EnumAttrCase<"Ceil", 5, "ceil">]>;

def TE_Ties : TE_Enum<"Ties", "where an fp4 cast sends exact ties", [
  I32EnumAttrCase<"Even", 0, "even">,
  I32EnumAttrCase<"Away", 1, "away">]>;

def TE_ScaleLayout : TE_Enum<"ScaleLayout", "order of the scales in memory", [
  I32EnumAttrCase<"Linear", 0, "linear">,
  I32EnumAttrCase<"Blocked32x4x4", 1, "blocked_32x4x4">,
  I32EnumAttrCase<"E8M0Shuffle", 2, "e8m0_shuffle">]>;

def TE_DataLayout : TE_Enum<"DataLayout", "order of the data in memory", [
  I32EnumAttrCase<"Linear", 0, "linear">,
  I32EnumAttrCase<"Transposed", 1, "transposed">,
  I32EnumAttrCase<"Shuffle16x16", 2, "shuffle_16x16">]>;

def TE_Scope : TE_Enum<"Scope", "what blocks and orders in memory are of", [
  I32EnumAttrCase<"Tensor", 0, "tensor">,
  I32EnumAttrCase<"Matrix", 1, "matrix">]>;

def TE_ActivationKind : TE_Enum<"ActivationKind", "an activation function", [
  I32EnumAttrCase<"Gelu", 0, "gelu">,
  I32EnumAttrCase<"QGelu", 1, "qgelu">,
  I32EnumAttrCase<"Silu", 2, "silu">,
  I32EnumAttrCase<"Relu", 3, "relu">,
  I32EnumAttrCase<"SRelu", 4, "srelu">]>;
def TE_ActivationKindAttr
    : TE_EnumAttr<TE_ActivationKind, "activation_kind">;

def TE_GatedKind : TE_Enum<"GatedKind", "what a gated activation makes of its gate", [
  I32EnumAttrCase<"Glu", 0, "glu">,
  I32EnumAttrCase<"GeGlu", 1, "geglu">,
  I32EnumAttrCase<"QGeGlu", 2, "qgeglu">,
  I32EnumAttrCase<"ReGlu", 3, "reglu">,
  I32EnumAttrCase<"SReGlu", 4, "sreglu">,
  I32EnumAttrCase<"SwiGlu", 5, "swiglu">,
  I32EnumAttrCase<"ClampedSwiGlu", 6, "clamped_swiglu">,
  I32EnumAttrCase<"SiTuGlu", 7, "situglu">]>;
def TE_GatedKindAttr : TE_EnumAttr<TE_GatedKind, "gated_kind">;

def TE_SequenceFormat : TE_Enum<"SequenceFormat",
    "which dimension is sequence (or all tokens), batch, head, column", [
  I32EnumAttrCase<"SBHD", 0, "sbhd">,
  I32EnumAttrCase<"BSHD", 1, "bshd">,
  I32EnumAttrCase<"THD", 2, "thd">]>;
def TE_SequenceFormatAttr
    : TE_EnumAttr<TE_SequenceFormat, "sequence_format">;

def TE_AttentionFormat : TE_Enum<"AttentionFormat",
    "the order of sequence, batch, head and column", [
  I32EnumAttrCase<"SBHD", 0, "sbhd">,
  I32EnumAttrCase<"BSHD", 1, "bshd">,
  I32EnumAttrCase<"BHSD", 2, "bhsd">]>;
def TE_AttentionFormatAttr
    : TE_EnumAttr<TE_AttentionFormat, "attention_format">;

def TE_AmaxAlgorithm : TE_Enum<"AmaxAlgorithm", "the amax that a delayed scale is computed from", [
  I32EnumAttrCase<"Max", 0, "max">,
  I32EnumAttrCase<"MostRecent", 1, "most_recent">]>;
def TE_AmaxAlgorithmAttr
    : TE_EnumAttr<TE_AmaxAlgorithm, "amax_algorithm">;

def TE_SweepKind : TE_Enum<"SweepKind",
    "how a workgroup goes along rows that are wider than its tile", [
  I32EnumAttrCase<"None", 0, "none">,
  I32EnumAttrCase<"Keep", 1, "keep">,
  I32EnumAttrCase<"Reread", 2, "reread">]>;

class TE_Attr<string name, string attrMnemonic> : AttrDef<TE_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genMnemonicAlias = 1;
}

def TE_ScalingAttr : TE_Attr<"Scaling", "scaling"> {
  let summary = "the quantization scheme of a scaled tensor";
  let description = [{
    `granularity` is one scale for the `tensor`, one a `row`, or one a `block = [R, C]`
    of the tensor flattened to M x K (the last dimension is K). Defaults, left out
    when printed: `rounding = nearest` for f32 scales and `rceil` for E8M0,
    `ties = even`, `scale_layout = linear`, `data_layout = linear`, `per = tensor`. With `per = matrix` each matrix of the
    last two dimensions, an expert's weights, is a tensor of its own: no block lies in two, and each is stored by itself.

    ```mlir
    #te.scaling<tensor, scale = f32>
    #te.scaling<block = [1, 32], scale = f8E8M0FNU>
    #te.scaling<block = [128, 1], scale = f32, rounding = pow2, data_layout = transposed>
    ```
  }];
  let parameters = (ins
    "Granularity":$granularity,
    "int64_t":$blockRows,
    "int64_t":$blockCols,
    "Type":$scaleType,
    "ScaleRounding":$rounding,
    "Ties":$ties,
    "ScaleLayout":$scaleLayout,
    "DataLayout":$dataLayout,
    "Scope":$scope);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isE8M0() const;
    bool isBlock() const { return getGranularity() == Granularity::Block; }
    bool isTransposed() const { return getDataLayout() == DataLayout::Transposed; }
    /// True where one scale covers elements along dim 0 (and not along K), or the data
    /// is stored transposed: what Transformer Engine calls the columnwise copy.
    bool isColumnwise() const;
    /// True where one scale is for all, or for a square: the transposed copy has the same codes.
    bool isSquare() const {
      return getGranularity() == Granularity::Tensor || (isBlock() && getBlockRows() == getBlockCols());
    }
    /// True where each matrix of the last two dimensions is a tensor of its own.
    bool isPerMatrix() const { return getScope() == Scope::Matrix; }
    /// The same scheme in another order in memory.
    ScalingAttr withLayouts(ScaleLayout scaleLayout, DataLayout dataLayout) const;
    /// "MXFP8", "FP8 per tensor", ...: for messages.
    std::string describe() const;
  }];
}

def TE_MatmulAttr : TE_Attr<"Matmul", "matmul"> {
  let genMnemonicAlias = 0; // it stands in its schedule
  let summary = "what one step of a product computes";
  let description = [{
    `mma` names the matrix instruction (docs/spec.md has those of each chip). A step sums over `k` elements of K. The
    workgroup's waves are `waves = [m, n]` of them along the tile's rows and columns.
  }];
  let parameters = (ins
    StringRefParameter<"matrix instruction">:$mma,
    "int64_t":$k,
    ArrayRefParameter<"int64_t">:$waves);
  let assemblyFormat = "`<` $mma `,` `k` `=` $k `,` `waves` `=` `[` $waves `]` `>`";
  let genVerifyDecl = 1;
}

def TE_PipelineAttr : TE_Attr<"Pipeline", "pipeline"> {
  let genMnemonicAlias = 0; // it stands in its schedule
  let summary = "the software pipeline of a product's loop over K";
  let description = [{
    `stages`: steps that LDS has room for. With 1, the default, a step is loaded, then multiplied. With 2 one is written
    while the other is read. With `direct_to_lds` what is not converted goes from memory straight to LDS, which has room
    for 2 to 8 steps then. With `ping_pong` one of the waves that share a SIMD multiplies while another waits for LDS:
    the one that is further back in its step has priority.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "1">:$stages,
    DefaultValuedParameter<"bool", "false">:$direct_to_lds,
    DefaultValuedParameter<"bool", "false">:$ping_pong);
  let builders = [AttrBuilder<(ins), [{ return $_get($_ctxt, 1, false, false); }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TE_GridAttr : TE_Attr<"Grid", "grid"> {
  let genMnemonicAlias = 0; // it stands in its schedule
  let summary = "which tiles a workgroup computes, and how many workgroups there are";
  let description = [{
    What is left out has its default: a workgroup for each tile.

    - `row_tiles = n` (1): a workgroup computes n tiles, downwards. Sums over all rows stay in its registers meanwhile.
    - `workgroups = n` (0, as many as there are tiles): at most n persistent workgroups, each of which goes on n tiles
      further down. What is read once a column stays in registers meanwhile.
    - `row_split = n` (1): n workgroups share a row, each a run of its tiles. Kernels of their own compute what is
      computed over the row, first for each run, then for the row.
    - `cluster = n` (1): n neighbouring workgroups have a row together, a tile each, and exchange what is computed over it
      in one kernel, on chips whose workgroups form clusters. With `sweep` each goes along its share of the row's tiles.
    - `split_k = n` (1): K is cut into n splits of whole steps. One kernel makes f32 partial sums; a second adds these up in
      a fixed order, and computes the rest of the region (`te-split-k`).
    - `whole_rows = n` (0), with `split_k`: only the rows after the first n are split, those of the last wave of tiles,
      which does not fill the compute units. The first kernel finishes the others.
    - `group_m = n` (0, tiles row by row): each XCD computes a run of neighbouring tiles, of n rows of tiles column by
      column, so that its L2 serves what they share.
    - `residents = n` (0, as many as fit): a compute unit has at most n workgroups at once, by the LDS of each. Fewer
      streams are what memory likes, where L2 has what they wait for.
    - `l2_prefetch_distance = n`, `l2_prefetch_bytes = b` (0), on chips that can: a workgroup asks L2 for what the one n
      further on loads, b bytes with one instruction.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "1">:$row_tiles,
    DefaultValuedParameter<"int64_t", "0">:$workgroups,
    DefaultValuedParameter<"int64_t", "1">:$row_split,
    DefaultValuedParameter<"int64_t", "1">:$cluster,
    DefaultValuedParameter<"int64_t", "1">:$split_k,
    DefaultValuedParameter<"int64_t", "0">:$whole_rows,
    DefaultValuedParameter<"int64_t", "0">:$group_m,
    DefaultValuedParameter<"int64_t", "0">:$residents,
    DefaultValuedParameter<"int64_t", "0">:$l2_prefetch_distance,
    DefaultValuedParameter<"int64_t", "0">:$l2_prefetch_bytes);
  let builders = [AttrBuilder<(ins CArg<"const Grid &", "{}">:$grid)>];
  let extraClassDeclaration = [{
    /// All of it, to change some.
    Grid toGrid() const;
  }];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TE_ScheduleAttr : TE_Attr<"Schedule", "schedule"> {
  let summary = "how one te.fusion region becomes one kernel";
  let description = [{
    `target`: the chip the choice was made for. `tile = [rows, cols]`: the elements of the flattened M x K tensor, or of a
    product's result, that one workgroup computes at once; both are powers of two. `waves`: waves a workgroup. `vector`:
    elements of the input that one lane loads at once.

    `sweep`: the workgroup goes along its rows, tile after tile, first for what is computed over each row, then for the
    results; in between the rows stay in registers, or LDS (`keep`), or are read again (`reread`).
    `matmul`, of a region with a product: what a step of it computes. `pipeline`: how steps overlap. `grid`: which tiles a
    workgroup computes. `without = ["tile-interleave", ..]`: passes on tile loops that leave this kernel as it is.

    ```mlir
    #te.schedule<"gfx950", tile = [256, 256], waves = 8, vector = 8, matmul = <"f32_32x32x16_bf16", k = 64, waves = [2, 4]>, pipeline = <stages = 3, direct_to_lds = true>, grid = <split_k = 2, group_m = 8>>
    ```

    Chosen by `te-schedule`, or written by the user and then only checked.
  }];
  let parameters = (ins
    StringRefParameter<"target chip">:$target,
    ArrayRefParameter<"int64_t">:$tile,
    "int64_t":$waves,
    "int64_t":$vector,
    DefaultValuedParameter<"::mlir::te::SweepKind",
                           "::mlir::te::SweepKind::None">:$sweep,
    OptionalParameter<"::mlir::te::MatmulAttr">:$matmul,
    DefaultValuedParameter<"::mlir::te::PipelineAttr",
                           "PipelineAttr::get($_ctxt)">:$pipeline,
    DefaultValuedParameter<"::mlir::te::GridAttr",
                           "GridAttr::get($_ctxt)">:$grid,
    OptionalParameter<"::mlir::ArrayAttr">:$without);
  let builders = [
    AttrBuilder<(ins "StringRef":$target, "ArrayRef<int64_t>":$tile,
      "int64_t":$waves, "int64_t":$vector,
      CArg<"SweepKind", "SweepKind::None">:$sweep,
      CArg<"const Grid &", "{}">:$grid)>,
    AttrBuilder<(ins "StringRef":$target, "ArrayRef<int64_t>":$tile,
      "int64_t":$vector, "MatmulAttr":$matmul, "PipelineAttr":$pipeline,
      CArg<"const Grid &", "{}">:$grid)>];
  let extraClassDeclaration = [{
    /// The same, but for a part of it.
    ScheduleAttr withTile(ArrayRef<int64_t> tile) const;
    ScheduleAttr withGrid(const Grid &grid) const;
  }];
  let assemblyFormat = [{
    `<` $target `,` `tile` `=` `[` $tile `]` `,`
        struct($waves, $vector, $sweep, $matmul, $pipeline, $grid, $without) `>`
  }];
  let genVerifyDecl = 1;
}

#endif // TE_ATTRS_TD
