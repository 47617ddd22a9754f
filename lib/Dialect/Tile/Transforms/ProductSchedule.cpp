//===- ProductSchedule.cpp - products that add to what a loop carries -----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every product adds to what the loop carries, so one follows the other, and
// what one multiplies is taken from LDS next to the one before. Time counts in
// products: product p of iteration i is at i * n + p, of n. An iteration may
// use several tiles of a ring, one after the other.
//
//   position        what                                       of tile
//   start - 1       tile.async_wait: it is there, and all waves     t
//                   have read the one before it
//                   tile.local_load of its first part
//                   tile.async_copy to the slot that is free        t + slots -
//                   1
//   start           tile.local_store to the same slot, and the load
//                   of what is stored next
//
// where start is that of the first product that needs tile t. One operand is
// copied or stored a product after the other: memory and LDS serve only so
// much at once.
//
//===----------------------------------------------------------------------===//

#include "PipelineSchedule.h"
#include "Products.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::te::tile;

/// Matrix instructions after a loop, and in it where it is unrolled: more take
/// long to compile, and registers are short.
static constexpr int64_t kMostAfterLoop = 128, kMostInLoop = 256;

namespace {
/// The tiles of a ring that an iteration uses.
struct RingUse {
  int64_t slots;
  SmallVector<Value> tiles;    // as the slots that they are in
  SmallVector<int64_t> starts; // the first product that needs each
};

class ProductSchedule : public PipelineSchedule {
public:
  explicit ProductSchedule(scf::ForOp loop);
  int64_t countCopies() const override;
  bool mayPeel() const override;

protected:
  Place choose(Operation *op) override;
  LogicalResult prepare() override;
  int64_t getLastStage() const override { return 0; }

private:
  enum Rank {
    LocalLoads,
    LocalStores,
    Loads,
    Barrier,
    RareLoads,
    Fence,
    First,
    Copies,
    Product,
    Behind
  };

  int64_t count() const { return numbers.empty() ? 0 : last + 1; }
  Place at(int64_t position, Rank rank) const {
    return {llvm::divideFloorSigned(position, count()),
            position - llvm::divideFloorSigned(position, count()) * count(),
            rank};
  }
  void findRings();
  void findLocalStores();
  void findResults();
  int64_t countAlone() const;
  std::optional<int64_t> findProduct(Operation *op) const;
  int64_t getStart(const RingUse &ring, int64_t tile) const;
  int64_t getNumber(const RingUse &ring, Value slot) const {
    return llvm::find(ring.tiles, slot) - ring.tiles.begin();
  }
  /// Once in several barriers.
  bool isRare(Value ring) const {
    return int64_t(rings.find(ring)->second.tiles.size()) * between < count();
  }
  SmallVector<Value> getAlike(Value ring) const;
  int64_t getPeriod(Value ring) const;
  int64_t getPosition(LocalStoreOp localStore) const;
  int64_t getPosition(AsyncCopyOp copy) const;
  static bool isWorkedOn(LocalStoreOp localStore);
  Place placeAsyncWait(AsyncWaitOp wait) const;
  Place placeLocalStore(LocalStoreOp localStore) const;
  Place placeLoad(LoadOp load);

  DenseMap<Operation *, int64_t> numbers;      // of products
  int64_t last = 0;                            // of these
  DenseMap<Operation *, int64_t> lastProducts; // that an op follows from
  DenseMap<Value, RingUse> rings;
  SmallVector<Value> copied, filled; // rings, in order
  /// What an op's results are stored by: the first position; the op, if there
  /// is one only.
  struct FedStores {
    LocalStoreOp only;
    int64_t position;
  };
  DenseMap<Operation *, FedStores> localStores;
  DenseMap<Operation *, LoadOp> fenced; // what a fence of prepare stands after
  int64_t instructions;                 // of an iteration
  int64_t alone;                        // iterations that need no loop
  int64_t between;                      // products from barrier to barrier
};
} // namespace

ProductSchedule::ProductSchedule(scf::ForOp loop)
    : PipelineSchedule(loop), instructions(countInstructions(loop)) {
  for (auto mma : loop.getBody()->getOps<MmaOp>()) {
    // Those that share an operand are one.
    bool isNext =
        !products.empty() && mma.getA() != cast<MmaOp>(products.back()).getA();
    numbers[mma] = last += isNext;
    products.push_back(mma);
  }
  findResults();
  findRings();
  alone = countAlone();
}

/// What depends on products, and after which one. Other things that the loop
/// carries are worked on where the loads that they follow from are.
void ProductSchedule::findResults() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    std::optional<int64_t> last;
    for (Value operand : op.getOperands())
      if (auto it = lastProducts.find(operand.getDefiningOp());
          it != lastProducts.end())
        last = std::max(last, std::optional(it->second));
    if (isa<MmaOp>(op))
      last = numbers.lookup(&op);
    if (!last)
      continue;
    lastProducts[&op] = *last;
    late.insert(&op);
  }
}

/// Iterations, where they are so few that they need no loop, and a backend
/// cannot ask for all of them at once: what is copied waits for its slot, and
/// what is kept until it is its time. Else 0.
int64_t ProductSchedule::countAlone() const {
  scf::ForOp of = loop;
  std::optional<APInt> all = of.getStaticTripCount();
  bool areSeparate =
      !copied.empty() || !of.getBody()->getOps<OptimizationBarrierOp>().empty();
  return areSeparate && all &&
                 all->getSExtValue() * instructions <= kMostAfterLoop
             ? all->getSExtValue()
             : 0;
}

LogicalResult ProductSchedule::prepare() {
  for (Operation &op : *loop.getBody()) {
    auto checkSlot = [&](Value value, Value slot) -> LogicalResult {
      auto ring = rings.find(value);
      if (ring != rings.end() && llvm::is_contained(ring->second.tiles, slot))
        return success();
      return op.emitOpError(
          "tile-pipeline: no product of this iteration localLoads "
          "from this slot; localLoad from it by the same value");
    };
    auto copy = dyn_cast<AsyncCopyOp>(op);
    auto localStore = dyn_cast<LocalStoreOp>(op);
    if ((copy && failed(checkSlot(copy.getRing(), copy.getSlot()))) ||
        (localStore &&
         failed(checkSlot(localStore.getRing(), localStore.getSlot()))))
      return failure();
  }
  findLocalStores();
  // What is copied next to a load is asked for after it: waits count on that.
  for (auto load : llvm::make_early_inc_range(loop.getBody()->getOps<LoadOp>()))
    if (localStores.contains(load) && placeLoad(load).rank == RareLoads) {
      OpBuilder b(load.getContext());
      b.setInsertionPointAfter(load);
      fenced[FenceOp::create(b, load.getLoc())] = load;
    }
  return success();
}

void ProductSchedule::findRings() {
  for (auto localLoad : loop.getBody()->getOps<LocalLoadOp>()) {
    std::optional<int64_t> product = findProduct(localLoad);
    if (!product)
      continue;
    auto [it, isNew] = rings.try_emplace(localLoad.getRing());
    RingUse &ring = it->second;
    ring.slots = cast<MemRefType>(localLoad.getRing().getType()).getDimSize(0);
    int64_t number = getNumber(ring, localLoad.getSlot());
    if (number == int64_t(ring.tiles.size())) {
      ring.tiles.push_back(localLoad.getSlot());
      ring.starts.push_back(*product);
    }
    ring.starts[number] = std::min(ring.starts[number], *product);
  }
  size_t most = 1;
  for (Operation &op : *loop.getBody()) {
    auto note = [&](Value ring, SmallVectorImpl<Value> &seen) {
      if (!llvm::is_contained(seen, ring))
        seen.push_back(ring);
    };
    if (auto copy = dyn_cast<AsyncCopyOp>(op))
      note(copy.getRing(), copied);
    else if (auto localStore = dyn_cast<LocalStoreOp>(op))
      note(localStore.getRing(), filled);
  }
  for (const auto &[value, ring] : rings)
    most = std::max(most, ring.tiles.size());
  between = std::max<int64_t>(count() / most, 1);
  // What is for the sum of a step comes by its first product's barrier.
  for (auto &[value, ring] : rings)
    for (int64_t &start : ring.starts)
      start -= start % between;
}

/// The number of the first product that needs what is loaded, itself or for
/// what works on it.
std::optional<int64_t> ProductSchedule::findProduct(Operation *op) const {
  std::optional<int64_t> first;
  for (Operation *user : op->getUsers()) {
    std::optional<int64_t> own;
    if (auto late = lastProducts.find(user); late != lastProducts.end())
      own = late->second;
    else if (!user->hasTrait<OpTrait::IsTerminator>())
      own = findProduct(user);
    if (own && (!first || *own < *first))
      first = own;
  }
  return first;
}

/// Of any tile, those of other iterations too.
int64_t ProductSchedule::getStart(const RingUse &ring, int64_t tile) const {
  int64_t tiles = ring.tiles.size(),
          iteration = llvm::divideFloorSigned(tile, tiles);
  return iteration * count() + ring.starts[tile - iteration * tiles];
}

int64_t ProductSchedule::getPosition(AsyncCopyOp copy) const {
  const RingUse &ring = rings.find(copy.getRing())->second;
  int64_t tile = getNumber(ring, copy.getSlot());
  bool isLate =
      ring.slots > 2 && between > 1 && copy.getRing() != copied.front();
  return getStart(ring, tile - ring.slots + 1) - 1 + isLate;
}

/// Rings that are filled alike, in order: once in several barriers, or at each.
SmallVector<Value> ProductSchedule::getAlike(Value ring) const {
  return llvm::filter_to_vector(
      filled, [&](Value other) { return isRare(other) == isRare(ring); });
}

/// Products from where one of the rings that are filled once in several
/// barriers is filled to where the next one is: all have their share of these.
int64_t ProductSchedule::getPeriod(Value ring) const {
  int64_t period = count() / int64_t(rings.find(ring)->second.tiles.size());
  return period / between / int64_t(getAlike(ring).size()) * between;
}

int64_t ProductSchedule::getPosition(LocalStoreOp localStore) const {
  const RingUse &ring = rings.find(localStore.getRing())->second;
  int64_t tile = getNumber(ring, localStore.getSlot()),
          start = getStart(ring, tile),
          free = getStart(ring, tile - ring.slots + 1);
  SmallVector<Value> alike = getAlike(localStore.getRing());
  int64_t number = llvm::find(alike, localStore.getRing()) - alike.begin();
  if (isRare(localStore.getRing()))
    return std::max(start - between -
                        number *
                            std::max(getPeriod(localStore.getRing()), between),
                    free);
  // Work on what is stored stands between the products of the barrier's
  // interval.
  int64_t latest = std::max<int64_t>(between - 2, 0);
  return start - between +
         (isWorkedOn(localStore) ? latest : std::min(latest, number));
}

bool ProductSchedule::isWorkedOn(LocalStoreOp localStore) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) {
    return op->getBlock() == localStore->getBlock();
  };
  return succeeded(getBackwardSlice(localStore.getTile(), &slice, options)) &&
         llvm::any_of(slice, llvm::IsaPred<OptimizationBarrierOp>);
}

/// Where what an op computes is stored into LDS; where it is not, after what it
/// follows from.
void ProductSchedule::findLocalStores() {
  for (Operation &op : llvm::reverse(loop.getBody()->without_terminator())) {
    if (auto localStore = dyn_cast<LocalStoreOp>(op)) {
      localStores[&op] = {localStore, getPosition(localStore)};
      continue;
    }
    if (llvm::none_of(op.getResultTypes(), isTile))
      continue;
    for (Operation *user : op.getUsers()) {
      auto it = localStores.find(getInBody(user));
      if (it == localStores.end() || late.contains(&op))
        continue;
      FedStores fed = it->second;
      auto [own, isNew] = localStores.try_emplace(&op, fed);
      own->second.position = std::min(own->second.position, fed.position);
      if (own->second.only != fed.only)
        own->second.only = LocalStoreOp();
    }
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (localStores.contains(&op) || late.contains(&op) || isa<LoadOp>(op))
      continue;
    for (Value operand : op.getOperands())
      if (auto it = localStores.find(operand.getDefiningOp());
          it != localStores.end()) {
        FedStores fed = it->second;
        auto [own, isNew] = localStores.try_emplace(&op, fed);
        own->second.position = std::max(own->second.position, fed.position);
      }
  }
}

/// Before what is taken of the tile that was copied, or stored, last.
ProductSchedule::Place ProductSchedule::placeAsyncWait(AsyncWaitOp wait) const {
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    auto copy = dyn_cast<AsyncCopyOp>(op);
    auto localStore = dyn_cast<LocalStoreOp>(op);
    Value ring, slot;
    if (copy && llvm::is_contained(wait.getRings(), copy.getRing()))
      std::tie(ring, slot) = std::pair(copy.getRing(), copy.getSlot());
    else if (localStore && wait.getRings().empty())
      std::tie(ring, slot) =
          std::pair(localStore.getRing(), localStore.getSlot());
    else
      continue;
    const RingUse &use = rings.find(ring)->second;
    return at(getStart(use, getNumber(use, slot)) - 1, Barrier);
  }
  return at(count() - 1, Barrier);
}

/// One after the other, before the first products.
ProductSchedule::Place
ProductSchedule::placeLocalStore(LocalStoreOp localStore) const {
  const RingUse &ring = rings.find(localStore.getRing())->second;
  int64_t start = getStart(ring, getNumber(ring, localStore.getSlot())),
          number = llvm::find(filled, localStore.getRing()) - filled.begin();
  return at(start - between +
                std::min(number, std::max<int64_t>(between - 2, 0)),
            LocalStores);
}

/// After what the tile before it, of the same ring, is stored by; of several
/// tiles, those of the iteration before. Where rings alternate, no earlier
/// than the ring before is filled, if what is copied has no longer time to
/// come: one of them has registers.
ProductSchedule::Place ProductSchedule::placeLoad(LoadOp load) {
  auto fed = localStores.find(load);
  if (fed == localStores.end())
    return {getStageOfUsers(load) - 1, 0, Loads};
  int64_t period = count();
  bool spreadsOut = false;
  if (LocalStoreOp localStore = fed->second.only) {
    const RingUse &ring = rings.find(localStore.getRing())->second;
    int64_t tile = getNumber(ring, localStore.getSlot());
    period = getStart(ring, tile) - getStart(ring, tile - 1);
    if (isRare(localStore.getRing()) && !copied.empty()) {
      int64_t ringPeriod = getPeriod(localStore.getRing()) - between;
      spreadsOut =
          ringPeriod >= between * rings.find(copied.front())->second.slots;
      period = spreadsOut ? ringPeriod : period;
    }
  }
  return at(fed->second.position - period, spreadsOut ? RareLoads : Loads);
}

ProductSchedule::Place ProductSchedule::choose(Operation *op) {
  if (isa<MmaOp>(op))
    return at(numbers.lookup(op), Product);
  if (auto wait = dyn_cast<AsyncWaitOp>(op))
    return placeAsyncWait(wait);
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return at(getPosition(copy), Copies);
  if (auto load = dyn_cast<LoadOp>(op))
    return placeLoad(load);
  if (LoadOp load = fenced.lookup(op)) {
    Place place = placeLoad(load);
    place.rank = Fence;
    return place;
  }
  auto fed = localStores.find(op);
  if (isa<OptimizationBarrierOp>(op) && fed != localStores.end() &&
      fed->second.only)
    return placeLocalStore(fed->second.only);
  if (isa<LocalLoadOp, TransposeOp, ConvertLayoutOp, BroadcastOp>(op))
    if (std::optional<int64_t> product = findProduct(op)) {
      int64_t position = *product - 1;
      return at(position, (position + 1) % between == 0 ? First : LocalLoads);
    }
  if (auto it = lastProducts.find(op); it != lastProducts.end())
    return at(it->second, Behind);
  if (fed != localStores.end())
    return at(fed->second.position, LocalStores);
  // Before the first of its users.
  return {getStageOfUsers(op), std::numeric_limits<int64_t>::max()};
}

/// All rings are at their first slots again, but for those that are filled
/// seldom, and what is taken ahead where it was taken at first; unless that is
/// much code.
int64_t ProductSchedule::countCopies() const {
  int64_t copies = 1 + count() % 2;
  for (const auto &[value, ring] : rings)
    if (!isRare(value) || llvm::is_contained(copied, value))
      copies =
          std::lcm(copies, ring.slots / std::gcd<int64_t>(ring.slots,
                                                          ring.tiles.size()));
  if (alone)
    return std::max(alone, copies);
  return copies * instructions <= kMostInLoop ? copies : 1;
}

bool ProductSchedule::mayPeel() const {
  scf::ForOp of = loop;
  std::optional<APInt> iterations = of.getStaticTripCount();
  if (!iterations || getConstantIntValue(of.getLowerBound()) != 0 ||
      getConstantIntValue(of.getStep()) != 1 ||
      iterations->getSExtValue() <= countAhead())
    return false;
  // Else most of their steps still ask for others.
  return countAhead() * instructions <= kMostAfterLoop &&
         llvm::all_of(rings, [](const auto &ring) {
           return int64_t(ring.second.tiles.size()) <= ring.second.slots;
         });
}

std::unique_ptr<PipelineSchedule>
te::tile::makeProductSchedule(scf::ForOp loop) {
  return std::make_unique<ProductSchedule>(loop);
}
