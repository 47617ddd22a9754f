//===- GemmLowering.cpp - te.gemm as tile code ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TileLoweringInterface of te.gemm: a loop over steps along K, each of which
// loads a tile of A and one of B and adds their product to the accumulators,
// then the epilogue of docs/spec.md on these. Operands are zero outside of
// their tensors, so ragged M, N and K need no other care.
//
//   %y = te.gemm %a, %b transpose_b bias(%v : ..) : ..
// ==>
//   %sum = scf.for %i = .. iter_args(%acc = 0) {
//     %p = tile.load %a[..]; %p' = tile.convert_layout %p
//     %q = tile.load %b[..]; %q' = tile.convert_layout %q
//     tile.mma %p', %q', %acc
//   }
//   arith on the result's layout
//
// Where scales change along K inside of a sum that the instruction does not
// scale, each block's partial sum is multiplied by both, and added in f32.
//
// With two stages there is no conversion: what the step after the next needs is
// read from memory, what the next one needs is put into LDS, and each part of a
// step is taken from there while the part before is multiplied. One barrier a
// step stands before its last product, which hides what is taken behind it.
// With `direct` loads and puts are tile.fetch, several steps ahead, and the
// barrier is tile.await.
//
//   %sum = scf.for %i = .. iter_args(%acc, %raw, %part) {
//     %part' = tile.take %ring[%i % 2, 16]
//     tile.put %raw, %ring[(%i + 1) % 2]; %raw' = tile.load ..[.. %i + 2]
//     %acc' = tile.mma %part, .., %acc in_order
//     gpu.barrier
//     %part'' = tile.take %ring[(%i + 1) % 2, 0]
//     %acc'' = tile.mma %part', .., %acc' in_order
//   }
//
// Limits: with one stage LDS holds one operand of one step; tile-prefetch-loads
// reads the next step's into registers meanwhile.
//
//===----------------------------------------------------------------------===//

#include "GemmScales.h"
#include "Lowerings.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace {
using Kind = GemmOperand::Kind;

/// What comes from memory step by step: a side's elements, or its scales.
struct Stream {
  const GemmOperand *side;
  Kind kind;
  int64_t parts;     // of a step, taken one after another
  int64_t steps = 1; // that are read at once
  bool isDirect = false;
  int64_t slots = 2;
  /// The one of several steps in which the next are put and read.
  int64_t turn = 0;
  Value ring = {};
  Value raw = {};  // what is put into LDS next, as it lies in memory
  Value part = {}; // what is multiplied next
  // Of elements that are scaled: the scales of what is put next and of so many
  // steps, those behind them, and what these have been.
  int64_t scaleSteps = 0;
  Value scales = {}, scalesBehind = {};
  GemmOperand::Seen seen = {};
  /// What one step hands on to the next.
  SmallVector<Value *> getCarried() {
    SmallVector<Value *> carried;
    for (Value *value : {isDirect ? nullptr : &raw, &part, &scales,
                         &scalesBehind, &seen.scale, &seen.element})
      if (value && *value)
        carried.push_back(value);
    return carried;
  }
};

/// A step along K; where it is known, its place in a round of the loop, which
/// begins with the first of steps whose scales are read at once.
struct Step {
  Value number;
  std::optional<int64_t> inRound = std::nullopt;
  int64_t round = 1;
  /// The number modulo so many, where the place tells.
  std::optional<int64_t> modulo(int64_t count) const {
    return inRound && round % count == 0
               ? std::optional<int64_t>(*inRound % count)
               : std::nullopt;
  }
};

/// Emits the product.
class GemmEmitter {
public:
  GemmEmitter(TileContext &ctx, GemmOp op, const GemmPlan &plan)
      : ctx(ctx), b(ctx.b), op(op), plan(plan), left(ctx, op, plan, MMASide::A),
        right(ctx, op, plan, MMASide::B),
        type(getTileType(ctx.b.getF32Type(), ctx.b.getContext(),
                         ctx.getLoadLayout())) {}
  Value emitProduct();

private:
  void bindSteps();
  Value emitSteps();
  Value emitPipelinedSteps();
  SmallVector<Stream> makeStreams();
  Value getStart(int64_t count, Value i, int64_t ahead);
  void read(Stream &stream, Value i, int64_t ahead);
  void startScales(Stream &stream, Value zero);
  void moveScales(Stream &stream, Step step);
  void restore(MutableArrayRef<Stream> streams, ValueRange values);
  Value emitChecked(Value sum, ArrayRef<GemmOperand::Seen> seen);
  void put(Stream &stream, Value slot, Value number);
  void take(Stream &stream, Step step, int64_t part);
  void move(Stream &stream, Step step);
  void emitEvery(int64_t count, Step step, ArrayRef<Value *> values,
                 function_ref<void()> change);
  Value getSlot(const Stream &stream, Step step, int64_t ahead = 0);
  void fetchAll(MutableArrayRef<Stream> streams, Step step, int64_t ahead);
  void emitArrival(ArrayRef<Stream> streams, int64_t pending,
                   int64_t loads = 0);
  int64_t countLoads(ArrayRef<Stream> streams, Step step);
  Value emitPart(MutableArrayRef<Stream> streams, int64_t part, Step step,
                 Value sum);
  SmallVector<Value> emitStep(MutableArrayRef<Stream> streams, Step step,
                              ValueRange carried);
  int64_t chooseRound(ArrayRef<Stream> streams);
  Value emitMma(ArrayRef<Value> sides, ArrayRef<Value> scales, Value sum,
                bool inOrder = false, int64_t part = 0, int64_t reads = 0);
  Value emitScaled(ArrayRef<Value> scales, Value partial);
  Value emitSum(Value sum, ArrayRef<Value> scales,
                function_ref<Value(Value)> addProducts);
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Step getNext(Step step, int64_t ahead) {
    step.number = b.createOrFold<arith::AddIOp>(step.number, index(ahead));
    if (step.inRound)
      *step.inRound += ahead;
    return step;
  }
  int64_t getStep() const { return ctx.schedule.getMatmul().getK(); }
  int64_t getStages() const { return ctx.schedule.getMatmul().getStages(); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value spread(Value line) { return ctx.broadcast(line, getLayout(type)); }
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
  GemmOperand left, right;
  Type type;        // of the accumulators
  Value steps;      // along K, of this workgroup's piece
  Value first = {}; // of these; null: 0
};
} // namespace

/// A block's sum times the scales of both sides.
Value GemmEmitter::emitScaled(ArrayRef<Value> scales, Value partial) {
  if (!left.isE8M0())
    return multiply(multiply(partial, spread(scales[0])), spread(scales[1]));
  return emitScaledBlock(ctx, partial, scales[0], scales[1]);
}

Value GemmEmitter::emitMma(ArrayRef<Value> sides, ArrayRef<Value> scales,
                           Value sum, bool inOrder, int64_t part,
                           int64_t reads) {
  bool areScaled = plan.scales == GemmPlan::Scales::Instruction;
  return MmaOp::create(
      b, type, sides[0], sides[1], sum, areScaled ? scales[0] : Value(),
      areScaled ? scales[1] : Value(),
      MMAAttr::get(b.getContext(), ctx.schedule.getMatmul().getMma()), inOrder,
      /*scale_part=*/areScaled ? part : 0, reads);
}

/// The sum and a step's products; of a block that is scaled, once they are all
/// in one.
Value GemmEmitter::emitSum(Value sum, ArrayRef<Value> scales,
                           function_ref<Value(Value)> addProducts) {
  if (plan.scales != GemmPlan::Scales::Blocks)
    return addProducts(sum);
  Value partial = addProducts(ctx.constant(type, 0.0));
  return arith::AddFOp::create(b, sum, emitScaled(scales, partial));
}

Value GemmEmitter::emitSteps() {
  bool scalesElements = plan.scales == GemmPlan::Scales::Elements;
  SmallVector<Value> start = {ctx.constant(type, 0.0)};
  std::array<GemmOperand::Seen, 2> seen;
  auto forSeen = [&](function_ref<void(Value &)> visit) {
    for (GemmOperand::Seen &each : seen)
      for (Value *value : {&each.scale, &each.element})
        if (*value)
          visit(*value);
  };
  if (scalesElements)
    seen = {left.makeSeen(), right.makeSeen()};
  forSeen([&](Value &value) { start.push_back(value); });
  auto emitStep = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    ValueRange rest = carried.drop_front();
    forSeen([&](Value &value) {
      value = rest.front();
      rest = rest.drop_front();
    });
    Value k = emitK(i);
    SmallVector<Value> elements, scales;
    for (auto [side, ofSide] :
         llvm::zip_equal(std::array{&left, &right}, seen)) {
      Value raw = side->read(Kind::Elements, k);
      if (scalesElements)
        raw = side->scaleElements(
            raw,
            side->getScaleBytes(side->readScaleGroup(k, /*steps=*/1),
                                /*steps=*/1, index(0)),
            ofSide);
      else
        raw = side->finish(Kind::Elements, raw);
      elements.push_back(side->convert(raw));
      if (plan.scales == GemmPlan::Scales::Instruction)
        scales.push_back(side->loadScales(k));
      else if (plan.scales == GemmPlan::Scales::Blocks)
        scales.push_back(side->loadBlockScale(k));
    }
    SmallVector<Value> next = {emitSum(carried.front(), scales, [&](Value sum) {
      return emitMma(elements, scales, sum);
    })};
    forSeen([&](Value &value) { next.push_back(value); });
    return next;
  };
  scf::ForOp loop = ctx.loop(steps, start, emitStep);
  ctx.markPrefetched(loop);
  if (!scalesElements)
    return loop.getResult(0);
  ValueRange results = loop.getResults().drop_front();
  forSeen([&](Value &value) {
    value = results.front();
    results = results.drop_front();
  });
  return emitChecked(loop.getResult(0), seen);
}

Value GemmEmitter::emitChecked(Value sum, ArrayRef<GemmOperand::Seen> seen) {
  return emitCheckedSum(
      ctx, {&left, &right}, seen, sum, steps, [&](Value i) { return emitK(i); },
      [&](ArrayRef<Value> elements, Value held) {
        return emitMma(elements, /*scales=*/{}, held);
      });
}

/// A's elements and B's, then the scales of both where a step has its own.
SmallVector<Stream> GemmEmitter::makeStreams() {
  int64_t parts = getStep() / MMA::lookup(ctx.schedule.getMatmul().getMma())->k;
  SmallVector<Stream> streams;
  for (const GemmOperand *side : {&left, &right})
    streams.push_back({side, Kind::Elements, parts, /*steps=*/1,
                       side->isDirect(),
                       /*slots=*/side->isDirect() ? getStages() : 2});
  if (plan.scales == GemmPlan::Scales::Elements)
    for (Stream &stream : streams)
      stream.scaleSteps = stream.side->getGroupSteps();
  if (plan.scales == GemmPlan::Scales::Instruction ||
      plan.scales == GemmPlan::Scales::Blocks)
    for (const GemmOperand *side : {&left, &right}) {
      streams.push_back(
          {side, Kind::Scales, /*parts=*/1, side->getScaleSteps()});
      // Late, when what was read has had the other steps' time to come; not
      // both in one step, as memory serves only so many at once.
      int64_t before = side == &left ? 1 : 2;
      streams.back().turn = std::max<int64_t>(streams.back().steps - before, 0);
    }
  return streams;
}

/// The most steps that one of them reads at once.
static int64_t getLongest(ArrayRef<Stream> streams) {
  int64_t steps = 1;
  for (const Stream &stream : streams)
    steps = std::max({steps, stream.steps, stream.scaleSteps});
  return steps;
}

/// Where the `count` steps begin that are `ahead` of `i`; behind the last ones
/// these are read again, and not used.
Value GemmEmitter::getStart(int64_t count, Value i, int64_t ahead) {
  Value last = arith::MaxSIOp::create(
      b, b.createOrFold<arith::SubIOp>(steps, index(count)), index(0));
  Value at = b.createOrFold<arith::AddIOp>(i, index(ahead));
  // Steps are fewer than 2^31; scalar units compare 32 bits.
  auto cast = [&](Type type, Value value) {
    return b.createOrFold<arith::IndexCastOp>(type, value);
  };
  Value least = b.createOrFold<arith::MinSIOp>(cast(b.getI32Type(), at),
                                               cast(b.getI32Type(), last));
  return emitK(cast(b.getIndexType(), least));
}

void GemmEmitter::read(Stream &stream, Value i, int64_t ahead) {
  stream.raw = stream.side->read(stream.kind, getStart(stream.steps, i, ahead),
                                 stream.steps);
}

/// The same of all that goes straight to LDS, to the slots of that step.
void GemmEmitter::fetchAll(MutableArrayRef<Stream> streams, Step step,
                           int64_t ahead) {
  for (Stream &stream : streams)
    if (stream.isDirect)
      stream.side->fetch(getStart(stream.steps, step.number, ahead),
                         stream.ring, stream.slots,
                         getSlot(stream, step, ahead));
}

/// Puts what is step `number`'s.
void GemmEmitter::put(Stream &stream, Value slot, Value number) {
  Value tile = stream.scales
                   ? stream.side->scaleElements(
                         stream.raw,
                         stream.side->getScaleBytes(stream.scales,
                                                    stream.scaleSteps, number),
                         stream.seen)
                   : stream.side->finish(stream.kind, stream.raw);
  if (!stream.ring)
    stream.ring =
        stream.side->makeRing(stream.kind, tile.getType(), stream.slots);
  PutOp::create(b, tile, stream.ring, slot);
}

/// The slot of what a step is in, or of so many behind it.
Value GemmEmitter::getSlot(const Stream &stream, Step step, int64_t ahead) {
  if (std::optional<int64_t> place = step.modulo(stream.steps * stream.slots))
    return index((*place / stream.steps + ahead) % stream.slots);
  Value number =
      b.createOrFold<arith::DivUIOp>(step.number, index(stream.steps));
  number = b.createOrFold<arith::AddIOp>(number, index(ahead % stream.slots));
  return b.createOrFold<arith::RemUIOp>(number, index(stream.slots));
}

void GemmEmitter::take(Stream &stream, Step step, int64_t part) {
  std::optional<int64_t> place = step.modulo(stream.steps);
  Value first =
      place ? index(*place)
            : b.createOrFold<arith::RemUIOp>(step.number, index(stream.steps));
  Value inSlot = b.createOrFold<arith::MulIOp>(first, index(stream.parts));
  stream.part =
      stream.side->take(stream.kind, stream.ring, getSlot(stream, step),
                        b.createOrFold<arith::AddIOp>(inSlot, index(part)));
}

/// What was read goes into the slot that is free, and the next is read.
void GemmEmitter::move(Stream &stream, Step step) {
  put(stream, getSlot(stream, step, /*ahead=*/1),
      b.createOrFold<arith::AddIOp>(step.number, index(1)));
  read(stream, step.number, 2 * stream.steps);
}

/// `change` gives these values others, once in so many steps.
void GemmEmitter::emitEvery(int64_t count, Step step, ArrayRef<Value *> values,
                            function_ref<void()> change) {
  if (count == 1)
    return change();
  if (std::optional<int64_t> place = step.modulo(count)) {
    if (*place == 0)
      change();
    return;
  }
  auto get = [&] {
    return llvm::map_to_vector(values, [](Value *value) { return *value; });
  };
  SmallVector<Value> old = get();
  Value isDue = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::RemUIOp::create(b, step.number, index(count)), index(0));
  auto branch = scf::IfOp::create(b, TypeRange(ValueRange(old)), isDue,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    change();
    scf::YieldOp::create(b, get());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, old);
  }
  for (auto [value, result] : llvm::zip_equal(values, branch.getResults()))
    *value = result;
}

void GemmEmitter::restore(MutableArrayRef<Stream> streams, ValueRange values) {
  for (Stream &stream : streams)
    for (Value *value : stream.getCarried()) {
      *value = values.front();
      values = values.drop_front();
    }
}

void GemmEmitter::startScales(Stream &stream, Value zero) {
  auto readGroup = [&](int64_t ahead) {
    return stream.side->readScaleGroup(getStart(stream.scaleSteps, zero, ahead),
                                       stream.scaleSteps);
  };
  stream.scales = readGroup(0);
  stream.scalesBehind = readGroup(stream.scaleSteps);
  stream.seen = stream.side->makeSeen();
}

/// Elements that are scaled next are those of this step.
void GemmEmitter::moveScales(Stream &stream, Step step) {
  int64_t steps = stream.scaleSteps;
  emitEvery(steps, step, {&stream.scales, &stream.scalesBehind}, [&] {
    stream.scales = stream.scalesBehind;
    stream.scalesBehind =
        stream.side->readScaleGroup(getStart(steps, step.number, steps), steps);
  });
}

/// All waves have read the slot that is filled next, and written the one that
/// is read next; the last `pending` steps that were fetched may be on their
/// way, and so many loads.
void GemmEmitter::emitArrival(ArrayRef<Stream> streams, int64_t pending,
                              int64_t loads) {
  SmallVector<Value> rings;
  for (const Stream &stream : streams)
    if (stream.isDirect)
      rings.push_back(stream.ring);
  if (rings.empty())
    gpu::BarrierOp::create(b);
  else
    AwaitOp::create(b, rings, pending, loads);
}

/// Loads of scales, at the least, that stand behind what this step waits for:
/// those of the steps whose fetches are under way, and its own in front of the
/// barrier.
int64_t GemmEmitter::countLoads(ArrayRef<Stream> streams, Step step) {
  int64_t loads = 0;
  for (const Stream &stream : streams) {
    std::optional<int64_t> place = step.modulo(stream.steps);
    if (stream.steps == 1 || !place)
      continue;
    int64_t ago = (*place + stream.steps - stream.turn) % stream.steps;
    if (ago <= getStages() - 2 && (ago > 0 || streams.front().parts > 1))
      loads += stream.side->countScaleLoads();
  }
  return loads;
}

/// Products of one part of a step; meanwhile the streams move on.
Value GemmEmitter::emitPart(MutableArrayRef<Stream> streams, int64_t part,
                            Step step, Value sum) {
  int64_t parts = streams.front().parts, lastRefill = parts > 2 ? 1 : 0;
  SmallVector<Value> current = llvm::map_to_vector(
      streams, [](const Stream &stream) { return stream.part; });
  for (Stream &stream : streams)
    if (part + 1 < stream.parts)
      take(stream, step, part + 1);
  // One side after the other, where there are parts before the barrier.
  for (auto [number, stream] : llvm::enumerate(streams))
    if (!stream.isDirect && stream.steps == 1 &&
        part == std::min<int64_t>(number % 2, lastRefill))
      move(stream, step);
  auto isItsTurn = [&](const Stream &stream) {
    return part == 0 && stream.steps > 1 &&
           step.modulo(stream.steps) == stream.turn;
  };
  for (Stream &stream : streams)
    if (isItsTurn(stream))
      put(stream, getSlot(stream, step, /*ahead=*/1), step.number);
  if (part == parts - 1) {
    emitArrival(streams, getStages() - 2, countLoads(streams, step));
    Step next = getNext(step, 1);
    for (Stream &stream : streams)
      take(stream, next, 0);
    fetchAll(streams, step, getStages());
  }
  for (Stream &stream : streams)
    if (isItsTurn(stream))
      read(stream, step.number, 2 * stream.steps - stream.turn);
  int64_t reads = 0;
  for (const Stream &stream : streams)
    if (part == parts - 1 || part + 1 < stream.parts)
      reads += stream.side->countReads(stream.ring);
  ArrayRef<Value> sides(current);
  sum = emitMma(sides.take_front(2), sides.drop_front(2), sum,
                /*inOrder=*/true, part, reads);
  // Between two parts, where a branch parts nothing else, and long before what
  // is loaded later is waited for.
  if (part == lastRefill)
    for (Stream &stream : streams)
      if (stream.scales)
        moveScales(stream, getNext(step, 2));
  return sum;
}

SmallVector<Value> GemmEmitter::emitStep(MutableArrayRef<Stream> streams,
                                         Step step, ValueRange carried) {
  restore(streams, carried.drop_front());
  SmallVector<Value> scales;
  for (const Stream &stream : streams.drop_front(2))
    scales.push_back(stream.part);
  // A branch among the instructions of a part would keep them in their order.
  for (Stream &stream : streams)
    if (stream.steps > 1 && !step.modulo(stream.steps))
      emitEvery(stream.steps, step, {&stream.raw}, [&] {
        put(stream, getSlot(stream, step, /*ahead=*/1), step.number);
        read(stream, step.number, 2 * stream.steps);
      });
  SmallVector<Value> next = {emitSum(carried.front(), scales, [&](Value sum) {
    for (int64_t part = 0; part < streams.front().parts; ++part)
      sum = emitPart(streams, part, step, sum);
    return sum;
  })};
  for (Stream &stream : streams)
    for (Value *value : stream.getCarried())
      next.push_back(*value);
  return next;
}

/// Steps of a round of the loop. What is taken next would be copied to where it
/// is multiplied from, unless two parts take turns; a round of as many steps as
/// are read at once has no branches, and where it goes once through all slots
/// their places are constants; but conversions need the registers.
int64_t GemmEmitter::chooseRound(ArrayRef<Stream> streams) {
  std::optional<int64_t> known = getConstantIntValue(steps);
  int64_t turns = streams.front().parts % 2 == 0 ? 1 : 2;
  SmallVector<int64_t> rounds = {turns};
  if (plan.scales != GemmPlan::Scales::Elements) {
    int64_t longest = std::max(turns, getLongest(streams));
    rounds = {std::lcm(longest, getStages()), longest, turns};
  }
  for (int64_t round : rounds)
    if (known && *known % round == 0 && *known > round &&
        round <= kMostStepsInRound)
      return round;
  return 1;
}

Value GemmEmitter::emitPipelinedSteps() {
  SmallVector<Stream> streams = makeStreams();
  Value zero = index(0);
  for (Stream &stream : streams) {
    if (!stream.isDirect)
      read(stream, zero, 0);
    if (stream.scaleSteps)
      startScales(stream, zero);
  }
  for (int64_t step = 0; step < getStages(); ++step)
    fetchAll(streams, {zero}, step);
  for (Stream &stream : streams)
    if (!stream.isDirect)
      put(stream, zero, zero);
  emitArrival(streams, getStages() - 1);
  // Behind all fetches: the first steps' waits count on that.
  for (Stream &stream : streams)
    if (!stream.isDirect) {
      read(stream, zero, stream.steps);
      if (stream.scaleSteps == 1)
        moveScales(stream, {index(1)});
    }
  SmallVector<Value> start = {ctx.constant(type, 0.0)};
  for (Stream &stream : streams) {
    take(stream, {zero}, 0);
    for (Value *value : stream.getCarried())
      start.push_back(*value);
  }

  int64_t round = chooseRound(streams);
  bool isWhole = round > 1 && round % getLongest(streams) == 0;
  auto emitRound = [&](Value i, ValueRange carried) -> SmallVector<Value> {
    Value first = b.createOrFold<arith::MulIOp>(i, index(round));
    SmallVector<Value> values(carried);
    for (int64_t step = 0; step < round; ++step)
      values = emitStep(streams,
                        {b.createOrFold<arith::AddIOp>(first, index(step)),
                         isWhole ? std::optional<int64_t>(step) : std::nullopt,
                         round},
                        values);
    return values;
  };
  Value rounds = b.createOrFold<arith::DivUIOp>(steps, index(round));
  ValueRange results = ctx.loop(rounds, start, emitRound).getResults();
  Value sum = results.front();
  // What was fetched behind the last step must not land in LDS later on.
  if (llvm::any_of(streams, [](const Stream &s) { return s.isDirect; }))
    emitArrival(streams, /*pending=*/0);
  if (plan.scales != GemmPlan::Scales::Elements)
    return sum;
  restore(streams, results.drop_front());
  return emitChecked(sum, {streams[0].seen, streams[1].seen});
}

/// All of K, or this workgroup's piece of it. Pieces are alike but for one
/// unit; a unit is as many steps as a lane reads the scales of at once.
void GemmEmitter::bindSteps() {
  auto divide = [&](Value x, int64_t by) {
    return b.createOrFold<arith::DivUIOp>(
        b.createOrFold<arith::AddIOp>(x, index(by - 1)), index(by));
  };
  steps = divide(ctx.getDim(op.getA(), op.getKDimA()), getStep());
  if (!op.getPieces())
    return;
  int64_t unit = getLongest(makeStreams());
  int64_t pieces = *op.getPieces();
  Value units = divide(steps, unit);
  auto begin = [&](Value piece) {
    Value number = b.createOrFold<arith::DivUIOp>(
        b.createOrFold<arith::MulIOp>(piece, units), index(pieces));
    return b.createOrFold<arith::MulIOp>(number, index(unit));
  };
  std::optional<int64_t> known = getConstantIntValue(units);
  if (known && *known % pieces == 0) {
    steps = index(*known / pieces * unit);
    first = b.createOrFold<arith::MulIOp>(ctx.matrix, steps);
    return;
  }
  first = begin(ctx.matrix);
  Value end = begin(b.createOrFold<arith::AddIOp>(ctx.matrix, index(1)));
  steps = arith::SubIOp::create(b, end, first);
}

Value GemmEmitter::emitProduct() {
  bindSteps();
  Value sum = ctx.schedule.getMatmul().getStages() > 1 ? emitPipelinedSteps()
                                                       : emitSteps();
  if (plan.scales == GemmPlan::Scales::Sum)
    sum = right.scaleSum(left.scaleSum(sum));
  return sum;
}

namespace {
struct GemmLowering
    : TileLoweringInterface::ExternalModel<GemmLowering, GemmOp> {
  Extent getOperandExtent(Operation *operation, unsigned index) const {
    auto op = cast<GemmOp>(operation);
    auto is = [&](OperandRange group) {
      unsigned first = group.getBeginOperandIndex();
      return index >= first && index < first + group.size();
    };
    if (index < 2)
      return Extent::Table;
    return is(op.getODSOperands(2)) ? Extent::Column : Extent::Tile;
  }
  Extent getResultExtent(Operation *operation, unsigned index) const {
    auto op = cast<GemmOp>(operation);
    if (op->getResult(index) == op.getBiasGrad())
      return Extent::Table;
    return op.getPieces() ? Extent::Pieces : Extent::Tile;
  }
  LogicalResult lowerToTile(Operation *operation, TileContext &ctx) const {
    auto op = cast<GemmOp>(operation);
    std::string why;
    std::optional<GemmPlan> plan = planGemm(op, ctx.target, why);
    if (!plan)
      return op.emitError() << why;
    if (!ctx.schedule.getMatmul())
      return op.emitError("H14: the region's schedule does not say how te.gemm "
                          "is computed; run te-schedule");
    Value v =
        emitGemmEpilogue(ctx, op, GemmEmitter(ctx, op, *plan).emitProduct());
    ctx.define(op.getResult(),
               ctx.round(v, op.getResult().getType().getElementType()));
    return success();
  }
};
} // namespace

void te::attachGemmLowering(MLIRContext *context) {
  GemmOp::attachInterface<GemmLowering>(*context);
}
