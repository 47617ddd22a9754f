//===- GemmPipeline.cpp - steps of a te.gemm that overlap -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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
// A round of the loop is several steps where their number is known
// (docs/decisions/0018).
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// A's elements and B's, then the scales of both where a step has its own.
SmallVector<GemmStream> GemmEmitter::makeStreams() {
  int64_t parts = getStep() / MMA::lookup(ctx.schedule.getMatmul().getMma())->k;
  SmallVector<GemmStream> streams;
  SmallVector<const GemmOperand *> sides = getSides();
  for (const GemmOperand *side : sides) {
    bool isDirect = side->isDirect();
    int64_t fetched = side->getFetchSteps();
    streams.push_back({side, Kind::Elements, parts, fetched, isDirect,
                       /*slots=*/isDirect ? getStages() / fetched : 2});
    // One side behind the other: memory's queues do not hold a whole step.
    streams.back().fetchesLate = side != &left && left.isDirect() && isDirect &&
                                 getStages() > 2 && parts > 1;
  }
  // Both late, where the last reads of a step of one part would be waited for,
  // and a step less is time enough: the slots that they read are free then.
  if (parts == 1 && getStages() > 3 &&
      llvm::all_of(sides, [](auto *side) { return side->hidesMemory(); }))
    for (GemmStream &stream : streams)
      stream.fetchesLate = true;
  for (GemmStream &stream : streams)
    if (stream.side->scalesElements())
      stream.scaleSteps = stream.side->getGroupSteps();
  if (plan.scales == GemmPlan::Scales::Instruction ||
      plan.scales == GemmPlan::Scales::Blocks)
    for (auto [number, side] : llvm::enumerate(sides)) {
      streams.push_back(
          {side, Kind::Scales, /*parts=*/1, side->getScaleSteps()});
      // Late, when what was read has had the other steps' time to come; not
      // both in one step, as memory serves only so many at once.
      // Not first in a round: the backend would wait for all that is under way,
      // as it would have to before the first round.
      int64_t many = streams.back().steps;
      streams.back().turn = std::max<int64_t>(many - 1 - int64_t(number),
                                              std::min<int64_t>(many - 1, 1));
    }
  return streams;
}

int64_t te::getLongest(ArrayRef<GemmStream> streams) {
  int64_t steps = 1;
  for (const GemmStream &stream : streams)
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

/// Instructions that a load is at the least: those that mask columns may be
/// fewer, and those that follow an order may be joined.
static int64_t countInstructions(LoadOp load, const Target &target) {
  // Rows that are an unknown number apart are not read by way of a buffer, and
  // LLVM takes other loads out of a loop that they do not change in.
  auto view = cast<MemRefType>(load.getView().getType());
  if (ShapedType::isDynamic(view.getStridesAndOffset().first.front()))
    return 0;
  LinearLayout layout = getLayout(load.getType());
  if (std::optional<LayoutAttr> order = load.getOrder())
    layout = layout.place(order->getLayout());
  int64_t most = target.maxAccessBytes * 8 /
                 load.getType().getElementType().getIntOrFloatBitWidth(),
          count =
              layout.getNumRegisters() / std::min(layout.getContiguity(), most);
  return load.getColumnsInBounds() && (!load.getOrder() || count == 1) ? count
                                                                       : 0;
}

void GemmEmitter::read(GemmStream &stream, Value i, int64_t ahead) {
  stream.raw = stream.side->read(stream.kind, getStart(stream.steps, i, ahead),
                                 stream.steps);
  auto load = stream.raw.getDefiningOp<LoadOp>();
  if (stream.kind == Kind::Scales)
    stream.loads = load ? countInstructions(load, ctx.target) : 0;
}

/// The same of what goes straight to LDS, to the slot that is so many behind
/// this step's.
void GemmEmitter::fetch(GemmStream &stream, GemmStep step, int64_t ahead) {
  int64_t inSlot = step.modulo(stream.steps).value_or(0);
  stream.side->fetch(
      getStart(stream.steps, step.number, ahead * stream.steps - inSlot),
      stream.ring, stream.slots, getSlot(stream, step, ahead));
}

/// In a step whose last reads free a slot, or in the one behind it.
void GemmEmitter::fetchInTurn(GemmStream &stream, GemmStep step) {
  int64_t ahead = stream.slots - stream.fetchesLate,
          turn = stream.fetchesLate ? 0 : stream.steps - 1;
  auto emit = [&] {
    GemmStep first = step;
    if (stream.steps > 1 && !step.modulo(stream.steps))
      first.number =
          arith::SubIOp::create(b, step.number, index(turn)).getResult();
    fetch(stream, first, ahead);
  };
  if (std::optional<int64_t> place = step.modulo(stream.steps);
      place || stream.steps == 1) {
    if (place.value_or(0) == turn)
      emit();
    return;
  }
  Value isDue = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::RemUIOp::create(b, step.number, index(stream.steps)), index(turn));
  auto branch = scf::IfOp::create(b, isDue, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  emit();
}

/// Puts what is step `number`'s.
void GemmEmitter::put(GemmStream &stream, Value slot, Value number) {
  Value scales =
      stream.scales
          ? stream.side->getScaleBytes(stream.scales, stream.scaleSteps, number)
          : Value();
  Value tile = !scales ? stream.side->finish(stream.kind, stream.raw)
               : plan.scales == GemmPlan::Scales::Elements
                   ? stream.side->scaleElements(stream.raw, scales, stream.seen)
                   : stream.side->dequantize(stream.raw, scales);
  if (!stream.ring)
    stream.ring =
        stream.side->makeRing(stream.kind, tile.getType(), stream.slots);
  PutOp::create(b, tile, stream.ring, slot);
}

/// The slot of what a step is in, or of so many behind it.
Value GemmEmitter::getSlot(const GemmStream &stream, GemmStep step,
                           int64_t ahead) {
  if (std::optional<int64_t> place = step.modulo(stream.steps * stream.slots))
    return index((*place / stream.steps + ahead) % stream.slots);
  Value number =
      b.createOrFold<arith::DivUIOp>(step.number, index(stream.steps));
  number = b.createOrFold<arith::AddIOp>(number, index(ahead % stream.slots));
  return b.createOrFold<arith::RemUIOp>(number, index(stream.slots));
}

void GemmEmitter::take(GemmStream &stream, GemmStep step, int64_t part) {
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
void GemmEmitter::move(GemmStream &stream, GemmStep step) {
  put(stream, getSlot(stream, step, /*ahead=*/1),
      b.createOrFold<arith::AddIOp>(step.number, index(1)));
  read(stream, step.number, 2 * stream.steps);
}

/// `change` gives these values others, once in so many steps.
void GemmEmitter::emitEvery(int64_t count, GemmStep step,
                            ArrayRef<Value *> values,
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

void GemmEmitter::restore(MutableArrayRef<GemmStream> streams,
                          ValueRange values) {
  for (GemmStream &stream : streams)
    for (Value *value : stream.getCarried()) {
      *value = values.front();
      values = values.drop_front();
    }
}

void GemmEmitter::startScales(GemmStream &stream, Value zero) {
  auto readGroup = [&](int64_t ahead) {
    return stream.side->readScaleGroup(getStart(stream.scaleSteps, zero, ahead),
                                       stream.scaleSteps);
  };
  stream.scales = readGroup(0);
  if (stream.scaleSteps)
    stream.scalesBehind = readGroup(stream.scaleSteps);
  if (plan.scales == GemmPlan::Scales::Elements)
    stream.seen = stream.side->makeSeen();
}

/// Elements that are scaled next are those of this step.
void GemmEmitter::moveScales(GemmStream &stream, GemmStep step) {
  int64_t steps = stream.scaleSteps;
  emitEvery(steps, step, {&stream.scales, &stream.scalesBehind}, [&] {
    stream.scales = stream.scalesBehind;
    stream.scalesBehind =
        stream.side->readScaleGroup(getStart(steps, step.number, steps), steps);
  });
}

/// All waves have read the slot that is filled next, and written the one that
/// is read next; the last `pending` steps that were fetched may be on their
/// way, and so many loads. With `keepsReading` the slot that is filled next is
/// another one.
void GemmEmitter::emitArrival(ArrayRef<GemmStream> streams, int64_t pending,
                              int64_t loads, bool keepsReading) {
  SmallVector<Value> rings;
  for (const GemmStream &stream : streams)
    if (stream.isDirect)
      rings.push_back(stream.ring);
  if (rings.empty())
    gpu::BarrierOp::create(b);
  else
    AwaitOp::create(b, rings, pending, loads, keepsReading);
}

/// Loads of scales, at the least, that stand behind what this step waits for:
/// those of the steps whose fetches are under way, and its own in front of the
/// barrier.
int64_t GemmEmitter::countLoads(ArrayRef<GemmStream> streams, GemmStep step) {
  int64_t loads = 0;
  for (const GemmStream &stream : streams) {
    std::optional<int64_t> place = step.modulo(stream.steps);
    if (stream.kind == Kind::Elements || stream.steps == 1 || !place)
      continue;
    int64_t ago = (*place + stream.steps - stream.turn) % stream.steps;
    bool isLate = llvm::any_of(
        streams, [](const GemmStream &direct) { return direct.fetchesLate; });
    int64_t fetched = streams.front().steps;
    int64_t most =
        fetched > 1 ? getStages() - fetched - 2 : getStages() - 2 - isLate;
    if (ago <= most && (ago > 0 || streams.front().parts > 1))
      loads += stream.loads;
  }
  return loads;
}

/// In front of a step's last part: what the next step needs is there.
void GemmEmitter::emitStepArrival(ArrayRef<GemmStream> streams, GemmStep step,
                                  bool puts) {
  const GemmStream &first = streams.front();
  if (first.steps == 1) {
    bool areLate = first.parts == 1 && first.fetchesLate;
    return emitArrival(streams, getStages() - 2 - areLate,
                       countLoads(streams, step), areLate && !puts);
  }
  std::optional<int64_t> place = step.modulo(first.steps);
  if (!place || *place == first.steps - 1)
    return emitArrival(streams, first.slots - 2, countLoads(streams, step));
  // The next step has come with this one.
  int64_t loads = 0;
  for (const GemmStream &stream : streams)
    loads += stream.loads;
  emitArrival(streams, first.slots - 1, loads);
}

/// Products of one part of a step; meanwhile the streams move on.
void GemmEmitter::emitPart(MutableArrayRef<GemmStream> streams, int64_t part,
                           GemmStep step, MutableArrayRef<Value> sums) {
  int64_t parts = streams.front().parts, lastRefill = parts > 2 ? 1 : 0;
  SmallVector<Value> current = llvm::map_to_vector(
      streams, [](const GemmStream &stream) { return stream.part; });
  for (GemmStream &stream : streams)
    if (part + 1 < stream.parts)
      take(stream, step, part + 1);
  // One side after the other, where there are parts before the barrier.
  for (auto [number, stream] : llvm::enumerate(streams))
    if (!stream.isDirect && stream.steps == 1 &&
        part == std::min<int64_t>(number % 2, lastRefill))
      move(stream, step);
  auto isItsTurn = [&](const GemmStream &stream) {
    return part == 0 && stream.kind == Kind::Scales && stream.steps > 1 &&
           step.modulo(stream.steps) == stream.turn;
  };
  for (GemmStream &stream : streams)
    if (isItsTurn(stream))
      put(stream, getSlot(stream, step, /*ahead=*/1), step.number);
  if (part == parts - 1) {
    bool puts = llvm::any_of(streams, [&](const GemmStream &stream) {
      bool isKnown = stream.steps > 1 && step.modulo(stream.steps);
      return !stream.isDirect && (!isKnown || isItsTurn(stream));
    });
    emitStepArrival(streams, step, puts);
    GemmStep next = getNext(step, 1);
    for (GemmStream &stream : streams)
      take(stream, next, 0);
  }
  for (GemmStream &stream : streams)
    if (stream.isDirect && part == (stream.fetchesLate ? 0 : parts - 1))
      fetchInTurn(stream, step);
  for (GemmStream &stream : streams)
    if (isItsTurn(stream))
      read(stream, step.number, 2 * stream.steps - stream.turn);
  int64_t reads = 0;
  for (const GemmStream &stream : streams)
    if (part == parts - 1 || part + 1 < stream.parts)
      reads += stream.side->countReads(stream.ring);
  ArrayRef<Value> sides(current);
  size_t operands = 1 + rights.size();
  emitMmas(sides.take_front(operands), sides.drop_front(operands), sums,
           /*inOrder=*/true, part, reads);
  // Between two parts, where a branch parts nothing else, and long before what
  // is loaded later is waited for.
  if (part == lastRefill)
    for (GemmStream &stream : streams)
      if (stream.scaleSteps)
        moveScales(stream, getNext(step, 2));
}

SmallVector<Value> GemmEmitter::emitStep(MutableArrayRef<GemmStream> streams,
                                         GemmStep step, ValueRange carried) {
  restore(streams, carried.drop_front(rights.size()));
  SmallVector<Value> scales;
  for (const GemmStream &stream : streams.drop_front(1 + rights.size()))
    scales.push_back(stream.part);
  // A branch among the instructions of a part would keep them in their order.
  for (GemmStream &stream : streams)
    if (stream.kind == Kind::Scales && stream.steps > 1 &&
        !step.modulo(stream.steps))
      emitEvery(stream.steps, step, {&stream.raw}, [&] {
        put(stream, getSlot(stream, step, /*ahead=*/1), step.number);
        read(stream, step.number, 2 * stream.steps);
      });
  SmallVector<Value> next(carried.take_front(rights.size()));
  emitSums(next, scales, [&](MutableArrayRef<Value> sums) {
    for (int64_t part = 0; part < streams.front().parts; ++part)
      emitPart(streams, part, step, sums);
  });
  for (GemmStream &stream : streams)
    for (Value *value : stream.getCarried())
      next.push_back(*value);
  return next;
}

/// Steps of a round of the loop. What is taken next would be copied to where it
/// is multiplied from, unless two parts take turns; a round of as many steps as
/// are read at once has no branches, and where it goes once through all slots
/// their places are constants; but conversions need the registers.
int64_t GemmEmitter::chooseRound(ArrayRef<GemmStream> streams) {
  std::optional<int64_t> known = knownSteps;
  auto isGood = [&](int64_t round) {
    return known && *known > round && round <= kMostStepsInRound;
  };
  int64_t turns = streams.front().parts % 2 == 0 ? 1 : 2;
  if (plan.scales == GemmPlan::Scales::Elements)
    return isGood(turns) && *known % turns == 0 ? turns : 1;
  int64_t longest = std::max(turns, getLongest(streams)),
          whole = std::lcm(longest, getStages());
  if (isGood(longest) && *known % longest == 0 &&
      (!isGood(whole) || (longest > turns && *known % whole)))
    return longest;
  // Steps that are left have a loop of their own.
  return isGood(whole) ? whole : isGood(turns) ? turns : 1;
}

SmallVector<Value> GemmEmitter::emitPipelinedSteps() {
  SmallVector<GemmStream> streams = makeStreams();
  Value zero = index(0);
  for (GemmStream &stream : streams) {
    if (!stream.isDirect)
      read(stream, zero, 0);
    if (stream.kind == Kind::Elements && stream.side->scalesElements())
      startScales(stream, zero);
  }
  bool isLate = false;
  int64_t slots = getStages() / left.getFetchSteps();
  for (int64_t slot = 0; slot < slots; ++slot)
    for (GemmStream &stream : streams) {
      bool isFirstLate = stream.fetchesLate && slot + 1 == slots;
      if (stream.isDirect && !isFirstLate)
        fetch(stream, {zero}, slot);
      isLate |= isFirstLate;
    }
  for (GemmStream &stream : streams)
    if (!stream.isDirect)
      put(stream, zero, zero);
  emitArrival(streams, slots - 1 - isLate);
  // Behind all fetches: the first steps' waits count on that.
  for (GemmStream &stream : streams)
    if (!stream.isDirect) {
      read(stream, zero, stream.steps);
      if (stream.scaleSteps == 1)
        moveScales(stream, {index(1)});
    }
  SmallVector<Value> start = getZeros();
  for (GemmStream &stream : streams) {
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
  Value done = b.createOrFold<arith::MulIOp>(rounds, index(round)),
        rest = b.createOrFold<arith::SubIOp>(steps, done);
  if (round > 1 && *knownSteps % round != 0)
    results = ctx.loop(rest, results,
                       [&](Value i, ValueRange carried) {
                         return emitStep(
                             streams, {b.createOrFold<arith::AddIOp>(done, i)},
                             carried);
                       })
                  .getResults();
  SmallVector<Value> sums(results.take_front(rights.size()));
  // What was fetched behind the last step must not land in LDS later on.
  if (llvm::any_of(streams, [](const GemmStream &s) { return s.isDirect; }))
    emitArrival(streams, /*pending=*/0);
  if (plan.scales == GemmPlan::Scales::Elements) {
    restore(streams, results.drop_front(rights.size()));
    check(sums, llvm::map_to_vector(streams, [](const GemmStream &stream) {
            return stream.seen;
          }));
  }
  return sums;
}
