//===- GemmPipeline.cpp - steps of a te.gemm that overlap -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of products whose elements lanes scale, and of blocks that are scaled in f32;
// others have the passes of docs/decisions/0034.
//
// With two stages there is no conversion: what the step after the next needs is
// read from memory, what the next one needs is put into LDS, and each part of a
// step is taken from there while the part before is multiplied. One barrier a
// step stands before its last product, which hides what is taken behind it. Of
// two parts a smaller side may be put behind the barrier, into the slot of the
// step that has been read. With `direct` loads and puts are tile.fetch, several
// steps ahead, and the barrier is tile.await. With `ping_pong` each part begins
// with a priority: of waves that share a SIMD the one that is behind goes
// first.
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
// A round of the loop is several steps where their number is known, and the
// last steps stand behind it, or all of them where they are few
// (GemmRounds.cpp, docs/decisions/0018).
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

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

/// Elements that are scaled next are those of this step. Without a branch,
/// where that is possible: it would part the instructions of a step.
void GemmEmitter::moveScales(GemmStream &stream, GemmStep step) {
  int64_t steps = stream.scaleSteps;
  if (stream.scalesComing) {
    auto isDue = [&](int64_t place) -> Value {
      return arith::CmpIOp::create(
          b, arith::CmpIPredicate::eq,
          arith::RemUIOp::create(b, step.number, index(steps)), index(place));
    };
    auto select = [&](Value condition, Value x, Value y) -> Value {
      return arith::SelectOp::create(b, ctx.splat(condition, x.getType()), x,
                                     y);
    };
    stream.scales = select(isDue(0), stream.scalesBehind, stream.scales);
    stream.scalesBehind =
        select(isDue(1), stream.scalesComing, stream.scalesBehind);
    stream.scalesComing = stream.side->readScaleGroup(
        getStart(steps, step.number, steps), steps, isDue(0));
    return;
  }
  emitEvery(steps, step, {&stream.scales, &stream.scalesBehind}, [&] {
    stream.scales = stream.scalesBehind;
    // LLVM would take bytes apart where they were loaded, and wait there.
    if (holdsLoads(step))
      stream.scales = HoldOp::create(b, stream.scales);
    if (step.mayHave(steps))
      stream.scalesBehind = stream.side->readScaleGroup(
          getStart(steps, step.number, steps), steps);
  });
}

/// All waves have read the slot that is filled next, and written the one that
/// is read next; the last `pending` steps that were fetched may be on their
/// way. With `keepsReading` the slot that is filled next is
/// another one.
void GemmEmitter::emitArrival(ArrayRef<GemmStream> streams, int64_t pending,
                              bool keepsReading) {
  SmallVector<Value> rings;
  for (const GemmStream &stream : streams)
    if (stream.isDirect)
      rings.push_back(stream.ring);
  if (rings.empty())
    gpu::BarrierOp::create(b);
  else
    AwaitOp::create(b, rings, pending, /*loads=*/0, keepsReading);
}

/// The same where A comes for two steps at once, in the second of the two that
/// are multiplied meanwhile, and the others each step.
void GemmEmitter::emitArrivalOfBoth(ArrayRef<GemmStream> streams, GemmStep step,
                                    bool puts) {
  std::optional<int64_t> place = step.modulo(streams.front().steps);
  bool frees = place.value_or(1) == 1;
  emitArrival(frees ? streams.drop_front() : streams,
              countPending(streams, step, /*most=*/1), place && !puts);
}

/// In front of a step's last part: what the next step needs is there.
void GemmEmitter::emitStepArrival(ArrayRef<GemmStream> streams, GemmStep step,
                                  bool puts) {
  const GemmStream &first = streams.front();
  if (first.steps > 1 && first.parts == 1)
    return emitArrivalOfBoth(streams, step, puts);
  if (first.steps == 1) {
    bool areLate = first.parts == 1 && first.fetchesLate;
    return emitArrival(streams,
                       countPending(streams, step, getStages() - 2 - areLate),
                       areLate && !puts);
  }
  std::optional<int64_t> place = step.modulo(first.steps);
  if (!place || *place == first.steps - 1)
    return emitArrival(streams, countPending(streams, step, first.slots - 2));
  // The next step has come with this one.
  emitArrival(streams, countPending(streams, step, first.slots - 1));
}

/// Of waves that share a SIMD the one that is behind goes first: parts count
/// from the barrier, which stands in front of the last one's second product.
void GemmEmitter::emitTurn(int64_t part, int64_t parts) {
  constexpr int64_t levels = 4;
  int64_t ahead = (part + 1) % parts;
  PriorityOp::create(b, levels - 1 - ahead * levels / parts);
}

/// Waves that take turns ask for the same within a part or two: for no more
/// than memory's queues and LDS have time for meanwhile, if the second side has
/// its turn half a step behind the first, where that is the larger one or parts
/// are short.
bool GemmEmitter::refillsHalfApart(int64_t parts) {
  constexpr int64_t few = 4; // products of a wave
  return ctx.schedule.getMatmul().getPingPong() &&
         (left.getOuter() > rights.front().getOuter() ||
          countProducts() < few * parts * ctx.schedule.getWaves());
}

/// Products of one part of a step; meanwhile the streams move on.
void GemmEmitter::emitPart(MutableArrayRef<GemmStream> streams, int64_t part,
                           GemmStep step, MutableArrayRef<Value> sums) {
  // One side after the other, where there are parts before the barrier; as late
  // as that is, where vector instructions may come before.
  int64_t parts = streams.front().parts;
  int64_t lastRefill = parts <= 2                ? 0
                       : isSpread                ? parts - 2
                       : refillsHalfApart(parts) ? parts / 2
                                                 : 1;
  SmallVector<Value> current = llvm::map_to_vector(
      streams, [](const GemmStream &stream) { return stream.part; });
  if (ctx.schedule.getMatmul().getPingPong())
    emitTurn(part, parts);
  takeAll(streams, step, part + 1);
  for (auto [number, stream] : llvm::enumerate(streams))
    if (holdsLoads(step) && part == std::min<int64_t>(number, lastRefill))
      hold(stream, step);
  for (auto [number, stream] : llvm::enumerate(streams))
    if (!stream.isDirect && stream.steps == 1 && !stream.putsBehind &&
        part == (isSpread || number % 2 ? lastRefill : 0))
      move(stream, step);
  auto isItsTurn = [&](const GemmStream &stream, int64_t turn,
                       int64_t inPart = 0) {
    return part == inPart && stream.kind == Kind::Scales && stream.steps > 1 &&
           step.modulo(stream.steps) == turn;
  };
  auto putInTurn = [&](bool isBehind) {
    for (GemmStream &stream : streams)
      if (stream.putsBehind == isBehind && isItsTurn(stream, stream.turn) &&
          step.mayHave(stream.steps - stream.turn)) {
        put(stream, getSlot(stream, step, /*ahead=*/1), step.number);
        if (stream.isInRound)
          stream.raw = stream.rawAt = {};
      }
  };
  putInTurn(/*isBehind=*/false);
  if (part == parts - 1 && step.mayHave(1)) {
    // A's slot is filled next: all waves have read it.
    if (GemmStream &a = streams.front();
        a.steps > 1 && parts == 1 && step.modulo(a.steps) == a.steps - 1)
      current.front() = HoldOp::create(b, current.front());
    // What a wave puts is there when it has multiplied what it takes next: in
    // front of the barrier after the next; what it puts behind a barrier, one
    // later, as it may come behind what it takes in that step.
    bool puts = llvm::any_of(streams, [&](const GemmStream &stream) {
      std::optional<int64_t> place = step.modulo(stream.steps);
      if (stream.isDirect || stream.steps == 1 || !place)
        return !stream.isDirect;
      return stream.putsBehind
                 ? *place == stream.steps - 1 && stream.turn + 3 >= stream.steps
                 : *place == stream.turn && stream.turn + 2 >= stream.steps;
    });
    emitStepArrival(streams, step, puts);
    takeAll(streams, getNext(step, 1), /*part=*/0);
    // Behind the barrier, among products: where a step is one part there are
    // none in front of it.
    putInTurn(/*isBehind=*/true);
    for (GemmStream &stream : streams)
      if (stream.kind == Kind::Elements && stream.putsBehind)
        move(stream, step);
  }
  for (GemmStream &stream : streams)
    if (stream.isDirect && part == (stream.fetchesLate ? 0 : parts - 1))
      fetchInTurn(stream, step);
  // Loads come in order: where elements go through registers, the next step
  // waits for this step's, but not for scales that stand behind these.
  bool areDirect = llvm::any_of(
      streams, [](const GemmStream &stream) { return stream.isDirect; });
  for (GemmStream &stream : streams)
    if (isItsTurn(stream, stream.readTurn, areDirect ? 0 : parts - 1))
      readInTurn(stream, step);
  int64_t reads = 0;
  for (const GemmStream &stream : streams)
    if (part == parts - 1 ? step.mayHave(1) : part + 1 < stream.parts)
      reads += stream.side->countReads(stream.ring);
  ArrayRef<Value> sides(current);
  size_t operands = 1 + rights.size();
  emitMmas(sides.take_front(operands), sides.drop_front(operands), sums,
           /*inOrder=*/true, part, reads);
  // Between two parts, where a branch parts nothing else, and long before what
  // is loaded later is waited for.
  if (part == lastRefill)
    for (GemmStream &stream : streams)
      if (stream.scaleSteps && step.mayHave(2))
        moveScales(stream, getNext(step, 2));
}

/// Where a step's place is not known: the next scales are put, in one of
/// several steps, and read, now or so many steps ago.
void GemmEmitter::emitScalesAtOnce(GemmStream &stream, GemmStep step) {
  auto putNext = [&] {
    put(stream, getSlot(stream, step, /*ahead=*/1), step.number);
  };
  if (!stream.isInRound) {
    SmallVector<Value *> values = {&stream.raw};
    if (stream.rawAt)
      values.push_back(&stream.rawAt);
    return emitEvery(stream.steps, step, values, [&] {
      putNext();
      read(stream, step.number, 2 * stream.steps);
    });
  }
  emitEvery(stream.steps, step, {}, [&] {
    read(stream, step.number, stream.steps);
    putNext();
  });
  stream.raw = stream.rawAt = {};
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
      emitScalesAtOnce(stream, step);
  SmallVector<Value> next(carried.take_front(rights.size()));
  emitSums(next, scales, [&](MutableArrayRef<Value> sums) {
    for (int64_t part = 0; part < streams.front().parts; ++part)
      emitPart(streams, part, step, sums);
  });
  // What scales the next step's elements does not come before their loads have
  // had this step's last products to arrive.
  if (holdsLoads(step))
    FenceOp::create(b);
  for (GemmStream &stream : streams)
    for (Value *value : stream.getCarried())
      next.push_back(*value);
  return next;
}

/// What stands in front of the loop: the first steps are asked for, and the
/// first one is there.
void GemmEmitter::emitFirstSteps(MutableArrayRef<GemmStream> streams,
                                 GemmStep before) {
  Value zero = index(0);
  // Without a loop LLVM would wait for a step's elements in front of what it
  // loads next: scales, and the step behind.
  auto loadFirst = [&] {
    if (before.left && plan.scales == GemmPlan::Scales::Elements)
      FenceOp::create(b);
  };
  loadFirst();
  // What is put next is read early: scales in front of what is fetched where
  // there is no loop, else behind it, as the first steps' waits count on that.
  bool areDirect = llvm::any_of(
      streams, [](const GemmStream &stream) { return stream.isDirect; });
  auto readsNext = [&](const GemmStream &stream, bool isEarly) {
    return !stream.isDirect && !stream.isInRound &&
           before.mayHave(stream.steps + 1) &&
           isEarly ==
               (!areDirect || (stream.kind == Kind::Scales && before.left));
  };
  for (GemmStream &stream : streams)
    if (readsNext(stream, /*isEarly=*/true))
      readBehind(stream, zero, stream.steps);
  bool isLate = false;
  for (int64_t step = 0; step < getStages(); ++step)
    for (GemmStream &stream : streams) {
      int64_t slot = step / stream.steps;
      bool isFirstLate = stream.fetchesLate && slot + 1 == stream.slots;
      if (stream.isDirect && step % stream.steps == 0 && !isFirstLate &&
          before.mayHave(step + 1))
        fetch(stream, {zero}, slot);
      isLate |= stream.isDirect && isFirstLate;
    }
  loadFirst();
  for (GemmStream &stream : streams) {
    if (stream.isDirect)
      continue;
    put(stream, zero, zero);
    if (stream.isInRound || stream.behind) {
      stream.raw = std::exchange(stream.behind, {});
      stream.rawAt = std::exchange(stream.behindAt, {});
    }
    if (stream.kind == Kind::Elements && stream.putsBehind &&
        before.mayHave(2)) {
      put(stream, getSlot(stream, {zero}, /*ahead=*/1), index(1));
      if (before.mayHave(3))
        read(stream, zero, 2);
    }
  }
  const GemmStream &first = streams.front();
  bool comeApart = first.steps > 1 && first.parts == 1;
  emitArrival(streams,
              countPending(streams, before,
                           comeApart ? 1
                                     : getStages() / left.getFetchSteps() - 1 -
                                           isLate));
  for (GemmStream &stream : streams) {
    if (readsNext(stream, /*isEarly=*/false))
      read(stream, zero, stream.steps);
    if (!stream.isDirect && stream.scaleSteps == 1 && before.mayHave(2))
      moveScales(stream, {index(1)});
  }
  // Not due yet; behind the others, as in the loop: the backend counts what
  // stands behind a load on both ways.
  for (GemmStream &stream : streams)
    if (isSpread && stream.scaleSteps > 1 &&
        before.round % stream.scaleSteps != 0)
      stream.scalesComing = stream.side->readScaleGroup(
          getStart(stream.scaleSteps, zero, 0), stream.scaleSteps,
          arith::ConstantIntOp::create(b, b.getI1Type(), 0));
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
  isSpread = spreadsScaling(streams);
  int64_t round = chooseRound(streams), behind = countBehind(streams, round);
  bool isWhole = round > 1 && round % getLongest(streams) == 0;
  // Steps behind the loop know how many are left.
  std::optional<int64_t> all = getConstantIntValue(steps);
  bool isOnly = behind > 0 && behind == all;
  planTurns(streams, isWhole ? round : 1);
  int64_t places = isOnly ? 0 : round;
  GemmStep before = {zero, -1, places, isOnly ? all : std::optional<int64_t>()};
  emitFirstSteps(streams, before);
  SmallVector<Value> values = getZeros();
  for (GemmStream &stream : streams) {
    take(stream, {zero}, 0);
    for (Value *value : stream.getCarried())
      values.push_back(*value);
  }

  auto emitSteps = [&](Value first, int64_t count, bool areLast,
                       SmallVector<Value> values) {
    for (int64_t step = 0; step < count; ++step)
      values = emitStep(
          streams,
          {b.createOrFold<arith::AddIOp>(first, index(step)),
           round > 1 || isOnly ? std::optional(step) : std::nullopt, places,
           areLast ? std::optional(count - 1 - step) : std::nullopt},
          values);
    return values;
  };
  Value rounds = b.createOrFold<arith::DivUIOp>(
            behind ? index(*all - behind) : steps, index(round)),
        done = b.createOrFold<arith::MulIOp>(rounds, index(round));
  if (!isOnly)
    values = ctx.loop(rounds, values,
                      [&](Value i, ValueRange carried) {
                        return emitSteps(
                            b.createOrFold<arith::MulIOp>(i, index(round)),
                            round, /*areLast=*/false, carried);
                      })
                 .getResults();
  values = emitSteps(done, behind, /*areLast=*/true, values);
  if (!behind && round > 1 && *knownSteps % round != 0)
    values = ctx.loop(b.createOrFold<arith::SubIOp>(steps, done), values,
                      [&](Value i, ValueRange carried) {
                        return emitStep(
                            streams, {b.createOrFold<arith::AddIOp>(done, i)},
                            carried);
                      })
                 .getResults();
  if (ctx.schedule.getMatmul().getPingPong())
    PriorityOp::create(b, 0);
  SmallVector<Value> sums(ArrayRef(values).take_front(rights.size()));
  // What was fetched behind the last step must not land in LDS later on.
  if (llvm::any_of(streams, [](const GemmStream &s) { return s.isDirect; }))
    emitArrival(streams, /*pending=*/0);
  if (plan.scales == GemmPlan::Scales::Elements) {
    restore(streams, ArrayRef(values).drop_front(rights.size()));
    check(sums, llvm::map_to_vector(streams, [](const GemmStream &stream) {
            return stream.seen;
          }));
  }
  return sums;
}
