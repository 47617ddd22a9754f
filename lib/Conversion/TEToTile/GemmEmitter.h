//===- GemmEmitter.h - the product of a te.gemm, step by step ---*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TETOTILE_GEMMEMITTER_H
#define TE_LIB_CONVERSION_TETOTILE_GEMMEMITTER_H

#include "GemmScales.h"

namespace mlir::te {

/// What comes from memory step by step: a side's elements, or its scales.
struct GemmStream {
  const GemmOperand *side;
  GemmOperand::Kind kind;
  int64_t parts;     // of a step, taken one after another
  int64_t steps = 1; // that are read, or fetched, at once
  bool isDirect = false;
  int64_t slots = 2;
  bool fetchesLate = false; // in the step behind the one that frees the slot
  /// The one of several steps in which the next are put into LDS, and the one
  /// in which they are read: the same, and they are the next after these, or,
  /// `isInRound`, one in front of it.
  int64_t turn = 0, readTurn = 0;
  bool isInRound = false;
  /// The step's barrier, not in front of it; of elements those of the step
  /// after the next, as the barrier frees this step's slot.
  bool putsBehind = false;
  Value ring = {};
  Value raw = {};    // what is put into LDS next, as it lies in memory
  Value behind = {}; // what follows it, where that is read before it has come
  // Where each of them begins along K, if padding must be dropped from it.
  Value rawAt = {}, behindAt = {};
  Value part = {}; // what is multiplied next
  // Of elements that are scaled: the scales of what is put next and of so many
  // steps (0: of all), those behind them, and what these have been.
  int64_t scaleSteps = 0;
  Value scales = {}, scalesBehind = {};
  Value scalesComing = {}; // read in the step before, if they were due
  GemmOperand::Seen seen = {};
  /// What one step hands on to the next.
  SmallVector<Value *> getCarried() {
    SmallVector<Value *> carried;
    for (Value *value :
         {isDirect ? nullptr : &raw, isDirect ? nullptr : &rawAt, &part,
          &scales, &scalesBehind, &scalesComing, &seen.scale, &seen.element})
      if (value && *value)
        carried.push_back(value);
    return carried;
  }
};

/// The most steps that one of them reads at once.
int64_t getLongest(ArrayRef<GemmStream> streams);

/// A step along K; where it is known, its place in a round of the loop, which
/// begins with the first of steps whose scales are read at once, or among all
/// steps (`round` is 0).
struct GemmStep {
  Value number;
  std::optional<int64_t> inRound = std::nullopt;
  int64_t round = 1;
  /// Steps behind this one, where they are known.
  std::optional<int64_t> left = std::nullopt;
  /// The number modulo so many, where the place tells.
  std::optional<int64_t> modulo(int64_t count) const {
    return inRound && round % count == 0
               ? std::optional<int64_t>(*inRound % count)
               : std::nullopt;
  }
  /// There is a step so far behind it, or there may be.
  bool mayHave(int64_t ahead) const { return !left || ahead <= *left; }
};

/// Emits the product, or those of one tile of A and several of B.
class GemmEmitter {
public:
  /// `columns`: for each tile of B, the context that has its columns.
  GemmEmitter(TileContext &ctx, MutableArrayRef<TileContext> columns, GemmOp op,
              const GemmPlan &plan)
      : ctx(ctx), b(ctx.b), op(op), plan(plan),
        left(ctx, op, plan, tile::MMASide::A),
        type(tile::getTileType(ctx.b.getF32Type(), ctx.b.getContext(),
                               ctx.getLoadLayout())) {
    for (TileContext &mine : columns)
      rights.emplace_back(mine, op, plan, tile::MMASide::B);
  }
  SmallVector<Value> emitProducts();

private:
  using Kind = GemmOperand::Kind;
  /// What scales elements, and sums of blocks, is still emitted step by step.
  bool usesPasses() const {
    return plan.scales != GemmPlan::Scales::Blocks &&
           llvm::none_of(getSides(), [](const GemmOperand *side) {
             return side->scalesElements();
           });
  }
  void bindSteps();
  void bindRest();
  SmallVector<Value> emitSteps();
  SmallVector<Value> emitPipelinedSteps();
  SmallVector<GemmStream> makeStreams();
  Value getStart(int64_t count, Value i, int64_t ahead);
  void read(GemmStream &stream, Value i, int64_t ahead);
  void readBehind(GemmStream &stream, Value i, int64_t ahead);
  bool hasFewSums() const;
  void planTurns(MutableArrayRef<GemmStream> streams, int64_t round);
  void startScales(GemmStream &stream, Value zero);
  void moveScales(GemmStream &stream, GemmStep step);
  void restore(MutableArrayRef<GemmStream> streams, ValueRange values);
  void check(MutableArrayRef<Value> sums, ArrayRef<GemmOperand::Seen> seen);
  void put(GemmStream &stream, Value slot, Value number);
  void take(GemmStream &stream, GemmStep step, int64_t part);
  void takeAll(MutableArrayRef<GemmStream> streams, GemmStep step,
               int64_t part);
  void hold(GemmStream &stream, GemmStep step);
  void move(GemmStream &stream, GemmStep step);
  void readInTurn(GemmStream &stream, GemmStep step);
  void emitEvery(int64_t count, GemmStep step, ArrayRef<Value *> values,
                 function_ref<void()> change);
  Value getSlot(const GemmStream &stream, GemmStep step, int64_t ahead = 0);
  void fetch(GemmStream &stream, GemmStep step, int64_t ahead);
  void fetchInTurn(GemmStream &stream, GemmStep step);
  void emitArrival(ArrayRef<GemmStream> streams, int64_t pending,
                   bool keepsReading = false);
  bool spreadsScaling(ArrayRef<GemmStream> streams);
  void emitArrivalOfBoth(ArrayRef<GemmStream> streams, GemmStep step,
                         bool puts);
  void emitStepArrival(ArrayRef<GemmStream> streams, GemmStep step, bool puts);
  void emitScalesAtOnce(GemmStream &stream, GemmStep step);
  int64_t countPending(ArrayRef<GemmStream> streams, GemmStep step,
                       int64_t most);
  void emitTurn(int64_t part, int64_t parts);
  bool refillsHalfApart(int64_t parts);
  void emitPart(MutableArrayRef<GemmStream> streams, int64_t part,
                GemmStep step, MutableArrayRef<Value> sums);
  SmallVector<Value> emitStep(MutableArrayRef<GemmStream> streams,
                              GemmStep step, ValueRange carried);
  int64_t countProducts();
  int64_t getProductClocks();
  bool mayStandAlone(ArrayRef<GemmStream> streams, int64_t count);
  int64_t chooseRound(ArrayRef<GemmStream> streams);
  int64_t countBehind(ArrayRef<GemmStream> streams, int64_t round);
  void emitFirstSteps(MutableArrayRef<GemmStream> streams, GemmStep before);
  /// To each sum, what its tile of B adds: `sides` and `scales` are A's and
  /// each tile of B's.
  void emitMmas(ArrayRef<Value> sides, ArrayRef<Value> scales,
                MutableArrayRef<Value> sums, bool inOrder = false,
                int64_t part = 0, int64_t reads = 0);
  void scaleSums(MutableArrayRef<Value> sums);
  void emitSums(MutableArrayRef<Value> sums, ArrayRef<Value> scales,
                function_ref<void(MutableArrayRef<Value>)> addProducts);
  /// A, and the tiles of B.
  SmallVector<const GemmOperand *> getSides() const {
    SmallVector<const GemmOperand *> sides = {&left};
    for (const GemmOperand &right : rights)
      sides.push_back(&right);
    return sides;
  }
  SmallVector<Value> getZeros() {
    return SmallVector<Value>(rights.size(), ctx.constant(type, 0.0));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  GemmStep getNext(GemmStep step, int64_t ahead) {
    step.number = b.createOrFold<arith::AddIOp>(step.number, index(ahead));
    if (step.inRound)
      *step.inRound += ahead;
    if (step.left)
      *step.left -= ahead;
    return step;
  }
  /// In a round of several steps, what is loaded is worked on in the step that
  /// needs it.
  bool holdsLoads(GemmStep step) const {
    return plan.scales == GemmPlan::Scales::Elements &&
           step.inRound.has_value();
  }
  int64_t getStep() const { return ctx.schedule.getMatmul().getK(); }
  /// The workgroup computes one tile after another.
  bool walksTiles() const { return ctx.schedule.getWorkgroups() > 0; }
  int64_t getStages() const { return ctx.schedule.getMatmul().getStages(); }
  /// Where step `i` of the piece begins.
  Value emitK(Value i) {
    if (first)
      i = b.createOrFold<arith::AddIOp>(first, i);
    return b.createOrFold<arith::MulIOp>(i, index(getStep()));
  }

  TileContext &ctx;
  ImplicitLocOpBuilder &b;
  GemmOp op;
  const GemmPlan &plan;
  GemmOperand left;
  std::vector<GemmOperand> rights;
  Type type;                         // of the accumulators of one tile of B
  Value steps;                       // along K, of this workgroup's piece
  std::optional<int64_t> knownSteps; // as many, or what divides them
  Value first = {};                  // of these; null: 0
  bool isSpread = false;             // see spreadsScaling
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TETOTILE_GEMMEMITTER_H
