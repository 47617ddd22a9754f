//===- TileOps.cpp - verifiers and assembly of the tile ops ---------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::te::tile;

#define GET_OP_CLASSES
#include "te/Dialect/Tile/IR/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     StringRef target, int64_t waves, TypeRange argumentTypes) {
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("target", builder.getStringAttr(target));
  state.addAttribute("waves", builder.getI64IntegerAttr(waves));
  Block &body = state.addRegion()->emplaceBlock();
  for (Type type : argumentTypes)
    body.addArgument(type, state.location);
  ensureTerminator(*state.regions[0], builder, state.location);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, "sym_name", state.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  Region *body = state.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), state.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getSymName());
  printer << "(";
  llvm::interleaveComma(
      getBody().getArguments(), printer,
      [&](BlockArgument a) { printer.printRegionArgument(a); });
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"sym_name"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

LogicalResult KernelOp::verify() {
  if (getWaves() <= 0 || !llvm::isPowerOf2_64(getWaves()))
    return emitOpError() << "waves = " << getWaves()
                         << " is not a power of two (T4)";
  if (int64_t cluster = getCluster().value_or(1); cluster < 1)
    return emitOpError() << "cluster = " << cluster
                         << "; it is a number of workgroups, or left out (T23)";
  if (std::optional<int64_t> workgroups = getWorkgroups()) {
    if (*workgroups < 1)
      return emitOpError() << "workgroups = " << *workgroups
                           << " run the whole grid; take 1 or more, or leave "
                              "it out (T29)";
    if (getCluster())
      return emitOpError() << "workgroups = " << *workgroups
                           << " and cluster = " << *getCluster()
                           << ": a cluster's workgroups run one program each; "
                              "leave one of them out (T29)";
  }
  for (BlockArgument argument : getBody().getArguments()) {
    auto pointer = dyn_cast<MemRefType>(argument.getType());
    if (!argument.getType().isIndex() && !(pointer && pointer.getRank() == 0))
      return emitOpError() << "argument #" << argument.getArgNumber() << " is "
                           << argument.getType()
                           << "; a kernel takes rank-0 memrefs (pointers) and "
                              "index (sizes) (T5)";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

Value LaunchOp::getDynamicSize(OpResult result, int64_t dimension) {
  unsigned index = 0;
  for (OpResult other : getOperation()->getResults())
    for (auto [i, size] :
         llvm::enumerate(cast<ShapedType>(other.getType()).getShape())) {
      if (!ShapedType::isDynamic(size))
        continue;
      if (other == result && int64_t(i) == dimension)
        return getResultSizes()[index];
      ++index;
    }
  return {};
}

LogicalResult LaunchOp::verify() {
  int64_t dynamic = 0;
  for (Type type : getResultTypes())
    if (auto shaped = dyn_cast<ShapedType>(type))
      dynamic += shaped.getNumDynamicDims();
    else
      return emitOpError() << "results are tensors or !te.scaled, not " << type
                           << " (T6)";
  if (dynamic != int64_t(getResultSizes().size()))
    return emitOpError() << "the results have " << dynamic
                         << " dynamic dimensions, but shape(...) gives "
                         << getResultSizes().size() << " (T6)";
  if (getInits().size() > getNumResults())
    return emitOpError() << getInits().size() << " inits but "
                         << getNumResults()
                         << " results; each init becomes the "
                            "buffer of one of the last results (T6)";
  for (auto [init, result] :
       llvm::zip(getInits(), getResults().take_back(getInits().size())))
    if (init.getType() != result.getType())
      return emitOpError() << "an init of type " << init.getType()
                           << " cannot be the buffer of a result of type "
                           << result.getType() << " (T6)";
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) // a gpu.func once the kernels are distributed
    return success();
  size_t buffers = 0;
  auto count = [&](TypeRange types) {
    for (Type type : types)
      buffers += isa<ScaledType>(type) ? 2 : 1;
  };
  count(getInputs().getTypes());
  count(getResultTypes());
  std::optional<int64_t> gridX = getConstantIntValue(getGridX());
  if (int64_t cluster = kernel.getCluster().value_or(1);
      gridX && *gridX % cluster != 0)
    return emitOpError() << "a grid of " << *gridX
                         << " workgroups along x is no whole clusters of "
                         << cluster << " (T23)";
  size_t expected = kernel.getBody().getNumArguments();
  if (buffers + getSizes().size() != expected)
    return emitOpError() << "gives " << buffers << " buffers and "
                         << getSizes().size() << " sizes, but kernel "
                         << getKernel() << " takes " << expected
                         << " arguments (T7)";
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The op's tiles carry layouts; reports the first that does not.
static LogicalResult verifyTiles(Operation *op) {
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
    if (isa<TensorType>(type) && !isTile(type))
      return op->emitOpError() << type
                               << " has no #tile.layout; every tile says which "
                                  "lane holds what (T8)";
  return success();
}

/// T16: the numbers of a tile's rows.
static LogicalResult verifyRows(Operation *op, Type tile, Value rows,
                                bool hasOrder) {
  if (!rows)
    return success();
  LinearLayout layout = getLayout(tile);
  if (hasOrder || layout.getShape().size() != 2)
    return op->emitOpError() << "rows(..) goes with a tile of rank 2, and "
                                "with no order (T16)";
  LinearLayout expected = layout.project({1, layout.getShape()[1]});
  if (getElementTypeOrSelf(rows.getType()).isInteger(32) &&
      getLayout(rows.getType()) == expected)
    return success();
  return op->emitOpError() << "rows(..) is an i32 tile of one column, "
                              "the tile's layout projected; expected "
                           << LayoutAttr::get(op->getContext(), expected)
                           << " (T16)";
}

LogicalResult mlir::te::tile::verifyOrder(Operation *op, int64_t rank,
                                          std::optional<LayoutAttr> order) {
  if (!order)
    return success();
  LinearLayout unit = order->getLayout();
  if (unit.getShape().size() == 2 && rank == 2 &&
      unit.getNumRegisters() == unit.getNumElements() && unit.isPermutation() &&
      unit.getBases(LayoutInput::Lane).empty() &&
      unit.getBases(LayoutInput::Wave).empty())
    return success();
  return op->emitOpError() << "an order permutes the bits of a unit of a "
                              "matrix: register bits, each a single coordinate "
                              "bit, and neither lanes nor waves; this is "
                           << *order << " (T13)";
}

template <typename Op> static LogicalResult verifyAccess(Op op, Type tile) {
  if (failed(verifyTiles(op)) ||
      failed(verifyRows(op, tile, op.getRows(), bool(op.getOrder()))))
    return failure();
  int64_t interleave = op.getInterleave();
  if (interleave < 0 || (interleave > 0 && op.getOrder()))
    return op.emitOpError() << "interleave = " << interleave
                            << "; it is the length of a run, or 0, and does "
                               "not go with an order (T18)";
  return verifyOrder(op, cast<ShapedType>(tile).getRank(), op.getOrder());
}

LogicalResult mlir::te::tile::verifyRowInterleave(Operation *op, int64_t run,
                                                  bool hasOtherRows) {
  if (run == 0 || (llvm::isPowerOf2_64(run) && run > 0 && !hasOtherRows))
    return success();
  return op->emitOpError() << "row_interleave = " << run
                           << "; it is the length of a run, a power of two, "
                              "or 0, and goes neither with rows that are "
                              "given nor with an order (T18)";
}

LogicalResult LoadOp::verify() {
  if (failed(verifyRowInterleave(*this, getRowInterleave(),
                                 getRows() || getOrder())))
    return failure();
  return verifyAccess(*this, getResult().getType());
}

bool LoadOp::isCopy(int64_t bytes) {
  if (getRows() || getWindow() || getOrder() || getInterleave() > 0 ||
      getRowInterleave() > 0 || getFirstReplica() || !getColumnsInBounds())
    return false;
  int64_t run =
      std::min<int64_t>(getLayout(getType()).getContiguity(), getDivisible());
  return bytes > 0 &&
         run * getElementTypeOrSelf(getType()).getIntOrFloatBitWidth() ==
             8 * bytes;
}

int64_t PrefetchOp::getRowBytes() {
  MemRefType type = getView().getType();
  return type.getDimSize(1) * type.getElementTypeBitWidth() / 8;
}

LogicalResult PrefetchOp::verify() {
  if (getView().getType().isDynamicDim(1))
    return emitOpError(
        "rows whose length is not known are not asked for (T24)");
  if (getRows() > 0 && getBytes() > 0 && getRowBytes() > 0 &&
      getRowBytes() % getBytes() == 0)
    return success();
  return emitOpError() << getRows() << " rows of " << getRowBytes()
                       << " bytes are not asked for by " << getBytes()
                       << " bytes; each row is a whole number of these (T24)";
}

LogicalResult StoreOp::verify() {
  if (getSlice() < 0 || getSlice() >= getSlices())
    return emitOpError() << "slice " << getSlice() << " of " << getSlices()
                         << ": it is one of so many, from 0 on (T26)";
  return verifyAccess(*this, getValue().getType());
}

int64_t StoreOp::countAccesses() {
  LinearLayout layout = getLayout(getValue().getType());
  size_t lanes = layout.getBases(LayoutInput::Lane).size() +
                 layout.getBases(LayoutInput::Wave).size();
  bool isReplicated =
      layout.getNumRegisters() << lanes != layout.getNumElements();
  if (!getColumnsInBounds() || isReplicated || getRows() || getWindow() ||
      getOrder())
    return 0;
  int64_t run = std::min<int64_t>(layout.getContiguity(), getDivisible()),
          all = layout.getNumRegisters() / run;
  return all * int64_t(getSlice() + 1) / int64_t(getSlices()) -
         all * int64_t(getSlice()) / int64_t(getSlices());
}

LogicalResult StageOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  auto tile = getTile().getType();
  auto expected = MemRefType::get(
      cast<ShapedType>(tile).getShape(), getElementTypeOrSelf(tile),
      MemRefLayoutAttrInterface(),
      gpu::AddressSpaceAttr::get(getContext(), gpu::AddressSpace::Workgroup));
  if (getView().getType() != expected)
    return emitOpError() << "the view of a staged tile is " << expected
                         << ", but " << getView().getType()
                         << " is given (T19)";
  return success();
}

LogicalResult CoordinateOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  auto type = getResult().getType();
  if (type.getElementType().isInteger(32) &&
      int64_t(getDimension()) < type.getRank())
    return success();
  return emitOpError() << "a coordinate is i32, along one of the "
                       << type.getRank() << " dimensions; this is "
                       << type.getElementType() << " along dimension "
                       << getDimension() << " (T14)";
}

/// T9: `small` is `large` projected over `block`.
static LogicalResult verifyProjection(Operation *op, Type large, Type small,
                                      ArrayRef<int64_t> block) {
  LinearLayout layout = getLayout(large);
  for (auto [i, b] : llvm::enumerate(block))
    if (b <= 0 || !llvm::isPowerOf2_64(b) || layout.getShape()[i] % b != 0)
      return op->emitOpError()
             << "block size " << b << " of dimension " << i
             << " is not a power of two that divides the tile's "
             << layout.getShape()[i] << " (T9)";
  LinearLayout expected = layout.project(block);
  if (expected == getLayout(small))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "the blocks' layout must be the elements' "
                               "layout, projected; expected ";
  return diag << LayoutAttr::get(op->getContext(), expected) << " (T9)";
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  if (int64_t(getBlock().size()) != getInput().getType().getRank())
    return emitOpError() << "one block size for each of the "
                         << getInput().getType().getRank()
                         << " dimensions (T9)";
  LinearLayout from = getLayout(getInput().getType()),
               to = getLayout(getResult().getType());
  if (getKind() == ReduceKind::Nibbles &&
      (!getInput().getType().getElementType().isInteger(8) ||
       llvm::product_of(getBlock()) != 2 || from.getWavesOfBlock(getBlock())))
    return emitOpError(
        "nibbles are two neighbouring i8 codes that one wave holds (T9)");
  bool isValid = llvm::all_of(getBlock(), llvm::isPowerOf2_64);
  if (isValid && from.getWavesOfBlock(getBlock()) &&
      to.getShape() == from.project(getBlock()).getShape())
    return success();
  return verifyProjection(*this, getInput().getType(), getResult().getType(),
                          getBlock());
}

LogicalResult ClusterReduceOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult ClusterReduceOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  auto kernel = (*this)->getParentOfType<KernelOp>();
  if (kernel && kernel.getCluster().value_or(1) == 1)
    return emitOpError("the kernel's workgroups form no clusters; give it "
                       "cluster, or leave the op out (T23)");
  if (getKind() != ReduceKind::Add && getKind() != ReduceKind::MaxNum)
    return emitOpError("numbers are added, or their maximum is taken (T23)");
  if (getInputs().empty())
    return emitOpError("it combines one tile or more (T23)");
  for (Type type : getInputs().getTypes())
    if (auto tile = cast<RankedTensorType>(type);
        tile != getInputs().front().getType() || tile.getRank() != 2 ||
        tile.getDimSize(1) != 1 || !tile.getElementType().isF32())
      return emitOpError() << type
                           << " is no tile of one column of f32, alike for "
                              "all that are combined together (T23)";
  return success();
}

/// T9 for a tile of elements and a tile of their blocks.
static LogicalResult verifyBlocks(Operation *op, RankedTensorType large,
                                  RankedTensorType small) {
  if (large.getRank() != small.getRank())
    return op->emitOpError() << "elements and blocks have the same rank (T9)";
  SmallVector<int64_t> block;
  for (auto [l, s] : llvm::zip_equal(large.getShape(), small.getShape()))
    block.push_back(s == 0 ? 0 : l / s);
  return verifyProjection(op, large, small, block);
}

LogicalResult BroadcastOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  return verifyBlocks(*this, getResult().getType(), getInput().getType());
}

LogicalResult ScaledTruncOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  auto elements = getInput().getType(), scales = getScale().getType();
  LinearLayout expected = getLayout(elements);
  if (getResult().getType().getElementType().isInteger(8))
    expected = expected.project({1, 2});
  if (getLayout(getResult().getType()) != expected)
    return emitOpError() << "input and result have the same layout (of "
                            "fp4 codes, two columns a byte: projected) (T12)";
  if (!scales.getElementType().isInteger(8) ||
      elements.getShape().back() < 2 * scales.getShape().back())
    return emitOpError() << "scales are i8 (E8M0 bytes), one for two or more "
                            "columns (T12)";
  return verifyBlocks(*this, elements, scales);
}

LogicalResult ExchangeOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  auto type = getInput().getType();
  int64_t dimension = getDimension(), stride = getStride();
  if (dimension < 0 || dimension >= type.getRank() || stride <= 0 ||
      stride >= type.getDimSize(dimension))
    return emitOpError() << "no partner is " << stride
                         << " away along dimension " << dimension
                         << "; give a stride below the tile's size (T15)";
  if (getLayout(type).isPermutation())
    return success();
  return emitOpError() << "each basis of the tile's layout must be a "
                          "single coordinate bit, or zero (T15)";
}

LogicalResult SelectOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  if (getTiles().empty())
    return emitOpError("there is nothing to pick from (T17)");
  for (Type type : getTiles().getTypes())
    if (type != getType())
      return emitOpError() << "picks a " << getType() << " from a " << type
                           << "; all tiles have the result's type (T17)";
  return success();
}

LogicalResult TransposeOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  if (getInput().getType().getRank() != 2)
    return emitOpError() << "a transposed tile has rank 2, not "
                         << getInput().getType().getRank() << " (T10)";
  LinearLayout expected = getLayout(getInput().getType()).transpose();
  if (getLayout(getResult().getType()) == expected)
    return success();
  return emitOpError() << "the result's layout must be the input's, "
                          "transposed, its registers in order; expected "
                       << LayoutAttr::get(getContext(), expected) << " (T10)";
}

LogicalResult ConvertLayoutOp::verify() {
  if (failed(verifyTiles(*this)))
    return failure();
  if (getInput().getType().getShape() != getResult().getType().getShape() ||
      getElementTypeOrSelf(getInput().getType()) !=
          getElementTypeOrSelf(getResult().getType()))
    return emitOpError() << "only the layout may change (T11)";
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  return getInput().getType() == getResult().getType() ? getInput()
                                                       : OpFoldResult();
}
