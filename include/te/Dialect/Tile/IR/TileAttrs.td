//===- TileAttrs.td - attributes of the tile dialect ------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ATTRS_TD
#define TILE_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mlir::te::tile";
  let summary = "Block level: one workgroup's program on tiles kept in registers";
  let description = [{
    A `tile.kernel` is the program of one workgroup. Its tiles are upstream tensors whose
    encoding, `#tile.layout`, says which lane holds what; `arith`, `math` and `scf` work on
    them as they are. A tile's sizes are powers of two; ragged edges are masked by the loads and
    stores, which know their buffer's extent.
  }];
  let dependentDialects = [
    "arith::ArithDialect", "memref::MemRefDialect", "scf::SCFDialect",
    "gpu::GPUDialect", "tensor::TensorDialect", "math::MathDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "a linear map from (register, lane, wave) bits to tile coordinates";
  let description = [{
    Each basis is the coordinate that one bit of the register number, lane number or wave
    number contributes; contributions combine by XOR. A zero basis is a replica.

    ```mlir
    // 4 x 16 elements over 8 lanes: 4 consecutive elements a lane, 4 lanes a row
    tensor<4x16xf32, #tile.layout<shape = [4, 16],
        register = [[0, 1], [0, 2], [2, 0]], lane = [[0, 4], [0, 8], [1, 0]], wave = []>>
    ```
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    ArrayRefParameter<"int64_t">:$registers,
    ArrayRefParameter<"int64_t">:$lanes,
    ArrayRefParameter<"int64_t">:$waves);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static LayoutAttr get(MLIRContext *context, const LinearLayout &layout);
    LinearLayout getLayout() const {
      return LinearLayout(getShape(), getRegisters(), getLanes(), getWaves());
    }
  }];
}

def Tile_MMAAttr : AttrDef<Tile_Dialect, "MMA"> {
  let mnemonic = "mma";
  let summary = "a matrix instruction, by its name in te/Target/MMA.h";
  let description = [{
    It says which elements it takes, and which lane holds what of its operands and result.

    ```mlir
    #tile.mma<"f32_16x16x32_bf16">
    ```
  }];
  let parameters = (ins StringRefParameter<"name">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Its description; there is one.
    const ::mlir::te::MMA &getMMA() const;
  }];
}

def Tile_StagingAttr : AttrDef<Tile_Dialect, "Staging"> {
  let mnemonic = "staging";
  let summary = "how the operands of a loop's products go through LDS";
  let description = [{
    Of an `scf.for`, as its attribute `tile.staging`, for tile-stage-operands and tile-pipeline: LDS has `slots` tiles of
    each operand, two or more, all but one of them on their way from memory. With `direct` tiles go there without
    registers, where lanes can load them so; what goes through registers has two slots. With `unroll` the pipelined loop is unrolled by the slots, whose places are constants
    then: of loops that run long.

    ```mlir
    #tile.staging<slots = 3, direct = true, unroll = true>
    ```
  }];
  let parameters = (ins "int64_t":$slots, DefaultValuedParameter<"bool", "false">:$direct,
    DefaultValuedParameter<"bool", "false">:$unroll);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::te::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceKind : Tile_Enum<"ReduceKind", "what a reduction combines with", [
  I32EnumAttrCase<"MaxNum", 0, "maxnum">,
  I32EnumAttrCase<"Add", 1, "add">,
  I32EnumAttrCase<"Or", 2, "or">,
  I32EnumAttrCase<"Nibbles", 3, "nibbles">]>;
def Tile_ReduceKindAttr : EnumAttr<Tile_Dialect, Tile_ReduceKind, "reduce_kind">;

#endif // TILE_ATTRS_TD
