//===- ForwardSlices.cpp - te-forward-slices ------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a lane holds of a tile is one vector, made of what it loads
// and computes, and split into elements again for what it multiplies and
// stores. After tile-distribute each use gets its elements from where they were
// made:
//   te-opt --te-forward-slices
//
//   %1 = vector.insert_strided_slice %a, %0 {offsets = [0]} : 2 into 4
//   %2 = vector.insert_strided_slice %b, %1 {offsets = [2]} : 2 into 4
//   %3 = vector.extract_strided_slice %2 {offsets = [2]} : 4 to 2
//   use %3
// ==>
//   use %b
//
// LLVM would find that too, a mask of hundreds of elements at a time: in a
// te.gemm that took a quarter of te-compile's time.
//
// Limits: vectors of one dimension, moved by whole registers of 32 bits; bytes
// that change places inside of a register stay vector.shuffle.
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_FORWARDSLICESPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

constexpr unsigned kRegisterBits = 32;

namespace {
/// Elements side by side of a vector; of none where they do not matter.
struct Run {
  Value base;
  int64_t offset, size;
};
using Runs = SmallVector<Run>;

/// Where the elements of vectors come from, and their vectors made from there.
class Forwarder {
public:
  void run(gpu::GPUFuncOp func);

private:
  /// The runs of a vector: itself where nothing better is known.
  Runs get(Value vector) const;
  std::optional<Runs> trace(Operation *op) const;
  Value assemble(OpBuilder &builder, Location loc, Runs runs) const;
  void replace(Operation *op);

  llvm::DenseMap<Value, Runs> known;
};
} // namespace

static VectorType getRow(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type && type.getRank() == 1 && !type.isScalable() &&
                 type.getElementType().isIntOrFloat()
             ? type
             : VectorType();
}

/// Moves elements of vectors of one dimension, and does nothing else.
static bool isMove(Operation *op) {
  return isa_and_present<vector::InsertStridedSliceOp,
                         vector::ExtractStridedSliceOp, vector::ShuffleOp>(
             op) &&
         llvm::all_of(op->getOperands(), getRow) && getRow(op->getResult(0));
}

static void append(Runs &runs, Run next) {
  if (!runs.empty() && runs.back().base == next.base &&
      (!next.base || runs.back().offset + runs.back().size == next.offset))
    runs.back().size += next.size;
  else
    runs.push_back(next);
}

static void appendSlice(Runs &runs, ArrayRef<Run> source, int64_t offset,
                        int64_t size) {
  for (const Run &run : source) {
    int64_t first = std::max<int64_t>(offset, 0);
    int64_t last = std::min(offset + size, run.size);
    if (first < last)
      append(runs, {run.base, run.offset + first, last - first});
    offset -= run.size;
  }
}

Runs Forwarder::get(Value vector) const {
  auto it = known.find(vector);
  if (it != known.end())
    return it->second;
  return {{vector, 0, getRow(vector).getNumElements()}};
}

/// The runs of a move's result; none where one is not of whole registers.
std::optional<Runs> Forwarder::trace(Operation *op) const {
  Runs runs;
  int64_t all = getRow(op->getResult(0)).getNumElements();
  auto getOffset = [](ArrayAttr offsets) {
    return cast<IntegerAttr>(offsets[0]).getInt();
  };
  if (auto insert = dyn_cast<vector::InsertStridedSliceOp>(op)) {
    Runs into = get(insert.getDest()), part = get(insert.getValueToStore());
    int64_t offset = getOffset(insert.getOffsets());
    int64_t end = offset + getRow(insert.getValueToStore()).getNumElements();
    appendSlice(runs, into, 0, offset);
    appendSlice(runs, part, 0, end - offset);
    appendSlice(runs, into, end, all - end);
  } else if (auto extract = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    appendSlice(runs, get(extract.getSource()), getOffset(extract.getOffsets()),
                all);
  } else {
    auto shuffle = cast<vector::ShuffleOp>(op);
    Runs first = get(shuffle.getV1()), second = get(shuffle.getV2());
    int64_t size = getRow(shuffle.getV1()).getNumElements();
    for (int64_t index : shuffle.getMask())
      if (index < 0)
        append(runs, {Value(), 0, 1});
      else
        appendSlice(runs, index < size ? first : second,
                    index < size ? index : index - size, 1);
  }
  int64_t bits = getRow(op->getResult(0)).getElementTypeBitWidth();
  for (const Run &run : runs)
    if (run.size * bits % kRegisterBits || run.offset * bits % kRegisterBits)
      return std::nullopt;
  return runs;
}

/// Runs of vectors that are registers' bits: runs of those, where each is.
static std::optional<Runs> lookThroughBitcasts(ArrayRef<Run> runs,
                                               Type &element) {
  Runs sources;
  Type found;
  for (Run run : runs) {
    if (run.base) {
      auto cast = run.base.getDefiningOp<vector::BitCastOp>();
      VectorType type = cast ? getRow(cast.getSource()) : VectorType();
      if (!type || type.getElementTypeBitWidth() != kRegisterBits ||
          (found && found != type.getElementType()))
        return std::nullopt;
      found = type.getElementType();
      run.base = cast.getSource();
    }
    int64_t bits = element.getIntOrFloatBitWidth();
    sources.push_back({run.base, run.offset * bits / kRegisterBits,
                       run.size * bits / kRegisterBits});
  }
  if (!found)
    return std::nullopt;
  element = found;
  return sources;
}

/// Zero bits: not every format has a zero.
static Value makeZeros(OpBuilder &builder, Location loc, VectorType type) {
  auto bits = type.clone(builder.getIntegerType(type.getElementTypeBitWidth()));
  Value zeros =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(bits));
  return bits == type ? zeros
                      : vector::BitCastOp::create(builder, loc, type, zeros);
}

Value Forwarder::assemble(OpBuilder &builder, Location loc, Runs runs) const {
  Type element;
  int64_t all = 0;
  for (const Run &run : runs) {
    all += run.size;
    if (run.base)
      element = getRow(run.base).getElementType();
  }
  auto result = VectorType::get({all}, element);
  if (element.getIntOrFloatBitWidth() < kRegisterBits)
    if (auto sources = lookThroughBitcasts(runs, element))
      return vector::BitCastOp::create(
          builder, loc, result, assemble(builder, loc, std::move(*sources)));
  SmallVector<Value> parts;
  for (const Run &run : runs) {
    auto type = VectorType::get({run.size}, element);
    if (!run.base)
      parts.push_back(makeZeros(builder, loc, type));
    else if (run.base.getType() == type)
      parts.push_back(run.base);
    else
      parts.push_back(vector::ExtractStridedSliceOp::create(
          builder, loc, run.base, run.offset, run.size, 1));
  }
  if (parts.size() == 1)
    return parts[0];
  Value whole = makeZeros(builder, loc, result);
  int64_t offset = 0;
  for (auto [run, part] : llvm::zip_equal(runs, parts)) {
    if (run.base)
      whole = vector::InsertStridedSliceOp::create(builder, loc, part, whole,
                                                   offset, 1);
    offset += run.size;
  }
  return whole;
}

/// Has a move's result made from its runs, where something else takes it and
/// moves lie between.
void Forwarder::replace(Operation *op) {
  Value moved = op->getResult(0);
  const Runs &runs = known.find(moved)->second;
  auto isKnown = [&](Value value) { return known.contains(value); };
  auto isOther = [&](OpOperand &use) {
    return !llvm::any_of(use.getOwner()->getResults(), isKnown);
  };
  if (llvm::none_of(moved.getUses(), isOther) ||
      llvm::none_of(op->getOperands(), isKnown) ||
      llvm::all_of(runs, [](const Run &run) { return !run.base; }))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Value made = assemble(builder, op->getLoc(), runs);
  moved.replaceUsesWithIf(made, isOther);
}

void Forwarder::run(gpu::GPUFuncOp func) {
  SmallVector<Operation *> moves;
  func.walk([&](Operation *op) {
    if (!isMove(op))
      return;
    if (std::optional<Runs> runs = trace(op)) {
      known[op->getResult(0)] = std::move(*runs);
      moves.push_back(op);
    }
  });
  for (Operation *op : moves)
    replace(op);
  for (Operation *op : llvm::reverse(moves))
    if (op->use_empty())
      op->erase();
}

namespace {
struct ForwardSlicesPass : te::impl::ForwardSlicesPassBase<ForwardSlicesPass> {
  void runOnOperation() override {
    getOperation().walk([](gpu::GPUFuncOp func) { Forwarder().run(func); });
  }
};
} // namespace
