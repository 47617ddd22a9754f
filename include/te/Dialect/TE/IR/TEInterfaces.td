//===- TEInterfaces.td - how a te op becomes tile code ----*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_INTERFACES_TD
#define TE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def TE_IterationSpaceInterface : OpInterface<"IterationSpaceInterface"> {
  let cppNamespace = "::mlir::te";
  let description = [{
    What an op iterates over, and how its values lie in that: see IndexMap.h. Whether ops share a kernel, what their tiles
    ask for, and the sizes of results follow from it. An elementwise op of upstream's dialects, which does not have
    it, has the map `mn` for each value.
  }];
  let methods = [
    InterfaceMethod<"The map of an operand.", "::mlir::te::IndexMap", "getOperandMap", (ins "unsigned":$index)>,
    InterfaceMethod<"The map of a result.", "::mlir::te::IndexMap", "getResultMap", (ins "unsigned":$index)>,
    InterfaceMethod<
      "M and N of the tensor that an operand is a run of (`(mn)`).",
      "std::pair<int64_t, int64_t>", "getWholeSizes", (ins), [{}], [{ return {0, 0}; }]>,
    InterfaceMethod<
      "Of an op that reads whole rows: how many numbers a row its tiles wait for, at once or one after another.",
      "unsigned", "countRowNumbers", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<
      "Of an op that reads whole rows: how often they wait, one time after another.",
      "unsigned", "countRowWaits", (ins), [{}], [{ return 1; }]>,
    InterfaceMethod<
      "Of an op that reads whole rows: elements read others of their row, so one tile holds it.",
      "bool", "mixesRow", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      "Bytes of LDS for each element of the tile, at most, for what the op exchanges between waves.",
      "unsigned", "getExchangedBytes", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<
      "The flag that makes the op leave its results' buffers as they are, or null.",
      "::mlir::Value", "getNoopFlag", (ins), [{}], [{ return {}; }]>
  ];
}

class TE_IndexMaps<string method, string kind, list<string> maps> {
  code definition = [{
    ::mlir::te::IndexMap $cppClass::}] # method # [{(unsigned index) {
      static constexpr ::llvm::StringLiteral maps[] = {"}] # !interleave(maps, "\", \"") # [{"};
      return ::mlir::te::lookupMap(maps, index, [&](unsigned group) { return getODS}] # kind # [{IndexAndLength(group); });
    }
  }];
}
/// The maps of an op's operands and results, in the order of ODS; of optional and variadic ones, that of each.
class TE_IterationSpace<list<string> operands, list<string> results, list<string> overridden = []>
    : TraitList<[
        DeclareOpInterfaceMethods<TE_IterationSpaceInterface, overridden>,
        NativeOpTrait<"DeclaresIndexMaps", [], [{}],
          TE_IndexMaps<"getOperandMap", "Operand", operands>.definition #
          TE_IndexMaps<"getResultMap", "Result", results>.definition>]>;
/// Of one whose maps depend on its attributes: C++ has them (IterationSpaces.cpp).
class TE_ComputedIterationSpace<list<string> overridden = []>
    : DeclareOpInterfaceMethods<TE_IterationSpaceInterface, overridden>;

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
      (ins "::mlir::te::TileContext &":$context)>
  ];
}

#endif // TE_INTERFACES_TD
