//===- GemmStreams.cpp - what a te.gemm reads step by step ----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements and scales of both sides on their way from memory to LDS, and from
// there to the instructions: which step reads, fetches and puts what, and how
// many loads stand behind others. GemmPipeline.cpp has the steps.
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

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
  // and a step less is time enough: the slots that they read are free then. But
  // not what comes for two steps.
  if (parts == 1 && getStages() > 3 &&
      llvm::all_of(sides, [](auto *side) { return side->hidesMemory(); }))
    for (GemmStream &stream : streams)
      stream.fetchesLate = stream.steps == 1;
  // Of two parts one has the barrier, and the other would have all writes to
  // LDS beside as many reads: a smaller side's stand behind the barrier.
  int64_t rows = left.getOuter(), columns = 0;
  for (const GemmOperand &right : rights)
    columns += right.getOuter();
  if (parts == 2 && rows != columns &&
      ctx.schedule.getWaves() > ctx.target.simdsPerCU &&
      llvm::none_of(streams, [](const GemmStream &stream) {
        return stream.isDirect || stream.side->scalesElements();
      }))
    for (GemmStream &stream : streams)
      if ((stream.side == &left) == (rows < columns))
        stream.putsBehind = true;
  for (GemmStream &stream : streams)
    if (stream.side->scalesElements())
      stream.scaleSteps = stream.side->getGroupSteps();
  if (plan.scales == GemmPlan::Scales::Instruction ||
      plan.scales == GemmPlan::Scales::Blocks)
    for (const GemmOperand *side : sides)
      streams.push_back(
          {side, Kind::Scales, /*parts=*/1, side->getScaleSteps()});
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

void GemmEmitter::read(GemmStream &stream, Value i, int64_t ahead) {
  Value at = getStart(stream.steps, i, ahead);
  stream.raw = stream.side->read(stream.kind, at, stream.steps);
  if (stream.side->mayHavePadding(stream.kind))
    stream.rawAt = at;
}

/// While what was read before is still to be put.
void GemmEmitter::readBehind(GemmStream &stream, Value i, int64_t ahead) {
  Value raw = stream.raw, at = stream.rawAt;
  read(stream, i, ahead);
  stream.behind = std::exchange(stream.raw, raw);
  stream.behindAt = std::exchange(stream.rawAt, at);
}

/// They take a quarter of the registers at the most.
bool GemmEmitter::hasFewSums() const {
  int64_t lanes = ctx.schedule.getWaves() * ctx.target.waveSize,
          sums = rights.size() * cast<ShapedType>(type).getNumElements(),
          perSIMD = llvm::divideCeil(ctx.schedule.getWaves(),
                                     int64_t(ctx.target.simdsPerCU));
  return 4 * perSIMD * sums <= lanes * int64_t(ctx.target.vgprsPerLane);
}

/// The steps of a round in which scales are read, and put into LDS.
void GemmEmitter::planTurns(MutableArrayRef<GemmStream> streams,
                            int64_t round) {
  constexpr int64_t ofLatency = 2; // steps, at the least
  auto scales = llvm::make_filter_range(streams, [](const GemmStream &stream) {
    return stream.kind == Kind::Scales;
  });
  int64_t sides = llvm::range_size(scales);
  for (auto [number, stream] : llvm::enumerate(scales)) {
    int64_t many = stream.steps, mine = many / sides;
    // One side behind the other, and put soon, where steps of one part have
    // fragments of two of them in registers: there is no room for both.
    stream.isInRound = streams.front().parts == 1 && round % many == 0 &&
                       mine - 2 >= ofLatency;
    if (stream.isInRound) {
      stream.readTurn = number * mine;
      // Among products, where sums leave the registers for that.
      stream.putsBehind = hasFewSums();
      stream.turn =
          stream.readTurn + std::max(mine - 3 - stream.putsBehind, ofLatency);
      continue;
    }
    // Late, when what was read has had the other steps' time to come; not
    // both in one step, as memory serves only so many at once.
    // Not first in a round: the backend would wait for all that is under way,
    // as it would have to before the first round.
    stream.turn = stream.readTurn =
        std::max<int64_t>(many - 1 - number, std::min<int64_t>(many - 1, 1));
  }
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
  if (!step.mayHave(ahead * stream.steps - turn))
    return;
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
  Value raw = stream.raw;
  if (stream.rawAt)
    raw = stream.side->dropPadding(stream.kind, raw, stream.rawAt);
  Value tile = !scales ? stream.side->finish(stream.kind, raw)
               : plan.scales == GemmPlan::Scales::Elements
                   ? stream.side->scaleElements(raw, scales, stream.seen)
                   : stream.side->dequantize(raw, scales, stream.rawAt);
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

/// A part of each side. The first products want some fragments of the side that
/// has more, and all of the other, which comes first then. Not beside what
/// scales elements, nor where a step is one part: these gain nothing.
void GemmEmitter::takeAll(MutableArrayRef<GemmStream> streams, GemmStep step,
                          int64_t part) {
  ArrayRef<int64_t> waves = ctx.schedule.getMatmul().getWaves();
  auto order =
      llvm::map_to_vector(streams, [](GemmStream &stream) { return &stream; });
  if (streams.front().parts > 1 && plan.scales != GemmPlan::Scales::Elements &&
      left.getOuter() / waves[0] > rights.front().getOuter() / waves[1])
    std::rotate(order.begin(), order.begin() + 1,
                order.begin() + 1 + rights.size());
  for (GemmStream *stream : order)
    if (part < stream->parts)
      take(*stream, step, part);
}

/// What was read is waited for here: LLVM would take elements apart where they
/// were loaded, and wait there. Without a loop, which would have to copy it,
/// the next is asked for before.
void GemmEmitter::hold(GemmStream &stream, GemmStep step) {
  if (step.left && step.mayHave(2))
    readBehind(stream, step.number, 2);
  stream.raw = HoldOp::create(b, stream.raw);
}

/// What was read goes into the slot that is free, and the next is read.
void GemmEmitter::move(GemmStream &stream, GemmStep step) {
  int64_t ahead = 1 + stream.putsBehind;
  if (step.mayHave(ahead))
    put(stream, getSlot(stream, step, ahead),
        b.createOrFold<arith::AddIOp>(step.number, index(ahead)));
  if (stream.behind) {
    stream.raw = std::exchange(stream.behind, {});
    stream.rawAt = std::exchange(stream.behindAt, {});
  } else if (step.mayHave(ahead + 1))
    read(stream, step.number, ahead + 1);
}

/// The first step of the scales that are read in a step of their turn, from
/// that on.
static int64_t getScalesAhead(const GemmStream &stream) {
  return (stream.isInRound ? 1 : 2) * stream.steps - stream.readTurn;
}

/// Scales that are read in this step.
void GemmEmitter::readInTurn(GemmStream &stream, GemmStep step) {
  if (int64_t ahead = getScalesAhead(stream); step.mayHave(ahead))
    read(stream, step.number, ahead);
}

/// Tiles that may be on their way when the step behind this one is there, of
/// each stream that is fetched, and so many at the most: those behind it.
int64_t GemmEmitter::countPending(ArrayRef<GemmStream> streams, GemmStep step,
                                  int64_t most) {
  if (!step.left)
    return most;
  for (const GemmStream &stream : streams) {
    if (!stream.isDirect)
      continue;
    std::optional<int64_t> place = getNext(step, 1).modulo(stream.steps);
    int64_t behind = *step.left - stream.steps + place.value_or(0);
    most = std::clamp<int64_t>(behind / stream.steps, 0, most);
  }
  return most;
}
