//===- TEInterfaces.td - how a te op becomes tile code ----*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_INTERFACES_TD
#define TE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TE_TileLoweringInterface : OpInterface<"TileLoweringInterface"> {
  let cppNamespace = "::mlir::te";
  let description = [{
    How a te op becomes block-level code. A fused region is lowered op by op: each reads
    its operands as tiles (values in registers) from the context and defines its results
    there, so nothing between two ops of a region goes through memory. The models are
    attached by the te-to-tile conversion, so that the dialect knows no tile code.
  }];
  let methods = [
    InterfaceMethod<
      "Emits the op's tile code for one workgroup.",
      "::llvm::LogicalResult", "lowerToTile",
      (ins "::mlir::te::TileContext &":$context)>,
    InterfaceMethod<
      "How an operand lies in the M x K extent that the op's tiles walk over.",
      "::mlir::te::Extent", "getOperandExtent", (ins "unsigned":$index)>,
    InterfaceMethod<
      "How a result lies in that extent.",
      "::mlir::te::Extent", "getResultExtent", (ins "unsigned":$index)>,
    InterfaceMethod<
      "A workgroup must hold whole rows: something is computed over each.",
      "bool", "needsWholeRows", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "A workgroup walks down all rows of its columns, in a loop that the op emits: something is "
      "computed over each column, and complete in this kernel.",
      "bool", "needsWholeColumns", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "M and K of the matrix that a shard among the operands is a part of.",
      "std::pair<int64_t, int64_t>", "getShardedExtents", (ins), [{}], [{ return {0, 0}; }]>,
    InterfaceMethod<
      "Of an op that needs whole rows: its tiles depend on what is computed over them.",
      "bool", "readsRowStatistics", (ins), [{}], [{ return true; }]>,
    InterfaceMethod<
      "Of an op that needs whole rows: how many numbers a row they wait for, at once or one after another.",
      "unsigned", "countRowNumbers", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<
      "Of an op that needs whole rows: how often they wait, one time after another.",
      "unsigned", "countRowWaits", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<
      "Of an op that needs whole rows: an operand's tile is read for the results only, not for what is "
      "computed over the rows.",
      "bool", "readsForResults", (ins "unsigned":$index), [{}], [{ return false; }]>,
    InterfaceMethod<
      "Of an op that needs whole rows: elements read others of their row, so one tile holds it.",
      "bool", "mixesRow", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "Bytes of LDS for each element of the tile, at most, for what the op exchanges between waves.",
      "unsigned", "getExchangedBytes", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<
      "The flag that makes the op leave its results' buffers as they are, or null.",
      "::mlir::Value", "getNoopFlag", (ins), [{}], [{ return {}; }]>
  ];
}

#endif // TE_INTERFACES_TD
