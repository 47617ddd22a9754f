//===- GemmRounds.cpp - steps of a te.gemm that make a round --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many steps are a round of a pipelined loop, which ones have no loop, and
// whether what scales elements stands among all products of a step
// (docs/decisions/0018). GemmPipeline.cpp emits them.
//
//===----------------------------------------------------------------------===//

#include "GemmEmitter.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// Matrix instructions of a step, of all waves.
int64_t GemmEmitter::countProducts() {
  const MMA &mma = *MMA::lookup(ctx.schedule.getMatmul().getMma());
  return rights.size() * cast<ShapedType>(type).getNumElements() * getStep() /
         (mma.size * mma.size * mma.k);
}

/// What one matrix core would take for all of them.
int64_t GemmEmitter::getProductClocks() {
  const MMA &mma = *MMA::lookup(ctx.schedule.getMatmul().getMma());
  return countProducts() *
         mma.getCycles(*getMMAFormat(plan.a), *getMMAFormat(plan.b));
}

/// What scales elements comes between all products in front of a step's
/// barrier, unless it takes longer than a step's products, or has a branch in
/// it.
bool GemmEmitter::spreadsScaling(ArrayRef<GemmStream> streams) {
  if (plan.scales != GemmPlan::Scales::Elements ||
      !llvm::all_of(streams, [](const GemmStream &stream) {
        return stream.scaleSteps == 1 ||
               stream.side->readsIfDue(stream.scaleSteps);
      }))
    return false;
  constexpr int64_t perElement = 4, clocksOfTurn = 4;
  int64_t elements = 0;
  for (const GemmStream &stream : streams)
    elements += stream.side->getOuter() * getStep();
  return elements / ctx.target.waveSize * perElement * clocksOfTurn <=
         getProductClocks();
}

/// Where tiles are computed one after another, a loop has so many rounds at the
/// least, the last one in code that has none.
static constexpr int64_t kLeastRoundsOfTile = 4;

/// Of the matrix cores in a round, where steps are short: its branch takes 32.
static constexpr int64_t kLeastRoundClocks = 4096;

/// Steps of a round of the loop. What is taken next would be copied to where it
/// is multiplied from, unless two parts take turns; a round of as many steps as
/// are read at once has no branches, and where it goes once through all slots
/// their places are constants; but conversions need the registers, unless they
/// are spread between all products and lanes do not turn what they read.
int64_t GemmEmitter::chooseRound(ArrayRef<GemmStream> streams) {
  std::optional<int64_t> known = knownSteps;
  if (known && getConstantIntValue(steps) && *known <= kMostStepsInRound &&
      mayStandAlone(streams, *known))
    return *known;
  auto isGood = [&](int64_t round) {
    return known && *known > round && round <= kMostStepsInRound &&
           (!walksTiles() || *known >= kLeastRoundsOfTile * round);
  };
  int64_t turns = streams.front().parts % 2 == 0 ? 1 : 2;
  int64_t longest = std::max(turns, getLongest(streams)),
          whole = std::lcm(longest, getStages());
  if (plan.scales == GemmPlan::Scales::Elements) {
    // That places in LDS are constants is all that is gained; fp4's loop is no
    // faster so.
    bool isGain = isSpread && llvm::all_of(streams, [](auto &stream) {
                    return stream.seen.element;
                  });
    for (int64_t round : {isGain ? getStages() : turns, turns})
      if (isGood(round) && *known % round == 0)
        return round;
    return 1;
  }
  if (isGood(longest) && *known % longest == 0 &&
      (!isGood(whole) || (longest > turns && *known % whole)))
    return longest;
  // A branch takes its share of a round of short steps.
  int64_t cores =
      std::min<int64_t>(ctx.schedule.getWaves(), ctx.target.simdsPerCU);
  while (isGood(2 * whole) && *known % (2 * whole) == 0 &&
         whole * getProductClocks() < kLeastRoundClocks * cores)
    whole *= 2;
  // Steps that are left have a loop of their own.
  return isGood(whole) ? whole : isGood(turns) ? turns : 1;
}

/// A wave's products in code that has no loop, where steps are few and elements
/// come straight to LDS, so that those which are not there would be many;
/// elsewhere kMostProductsAlone. They take time to compile.
static constexpr int64_t kFewSteps = 32;

/// So many steps stand one behind the other, all of them or, where elements
/// come straight to LDS, the last ones: they ask for nothing that is not there,
/// but their code is longer.
bool GemmEmitter::mayStandAlone(ArrayRef<GemmStream> streams, int64_t count) {
  int64_t products = count * countProducts() / ctx.schedule.getWaves(),
          all = *getConstantIntValue(steps);
  bool areDirect = llvm::all_of(streams, [](const GemmStream &stream) {
    return stream.isDirect || stream.kind == Kind::Scales;
  });
  // The tile before is stored among them.
  if (walksTiles())
    return products <=
           getMostBesideStores(ctx.schedule.getMatmul(), count == all);
  if (!areDirect)
    return count == all && products <= kMostProductsAlone;
  return products <=
         (all <= kFewSteps ? kMostProductsOfFew : kMostProductsAlone);
}

/// The last steps, which have no loop: those that are no whole round, and a
/// round; as many as may be where the tile before is stored among them.
int64_t GemmEmitter::countBehind(ArrayRef<GemmStream> streams, int64_t round) {
  std::optional<int64_t> all = getConstantIntValue(steps);
  if (!all || *all < round || (round == 1 && *all > 1))
    return 0;
  int64_t behind = round + *all % round;
  if (!mayStandAlone(streams, behind))
    return 0;
  while (walksTiles() && kPartsOfTile * (behind + round) <= *all &&
         mayStandAlone(streams, behind + round))
    behind += round;
  return behind;
}
