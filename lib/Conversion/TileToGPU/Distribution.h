//===- Distribution.h - from tiles to the vectors of one lane ---*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the patterns of tile-distribute share: the kernel being distributed, who
// this lane is, the LDS buffer, and coordinates computed from layouts.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TILETOGPU_DISTRIBUTION_H
#define TE_LIB_CONVERSION_TILETOGPU_DISTRIBUTION_H

#include "te/Conversion/Names.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Target/Target.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::te {

/// Where an op's data go from wave to wave, in bytes, and whether others may
/// still read there: a barrier in front.
struct SharedScratch {
  int64_t place = 0;
  bool waits = true;
};

/// The kernel that patterns work on. LDS is one buffer, used by one op after
/// another.
struct KernelState {
  const Target *target = nullptr;
  int64_t waves = 1;
  int64_t cluster = 1;                      // workgroups
  int64_t exchangePlace = 0, slotBytes = 0; // of tile.cluster_reduce, in LDS
  Value exchanges;                          // memref<i32>: how many there were
  Value lane, wave;                         // i32
  Value lds; // memref<?xi8, workgroup>: null where no op needs any
  llvm::DenseMap<Operation *, int64_t> places;        // where in LDS, in bytes
  bool hasRings = false;                              // there is a tile.ring
  llvm::DenseMap<Operation *, SharedScratch> scratch; // see assignScratch
  // See countVectorWork and countProductsBefore.
  llvm::DenseMap<Operation *, int64_t> vectorWork, productsBefore;
  /// What stands between a product and the one before: instructions that write
  /// to LDS, those of them that come last, elements that are transposed for
  /// that, and a barrier, which all writes may stand after; and stores.
  struct Front {
    int64_t writes = 0, lastWrites = 0, stores = 0;
    bool transposes = false, hasBarrier = false, isAfterBarrier = false;
  };
  llvm::DenseMap<Operation *, Front> fronts;
  /// See spreadVectorWork: products that vector instructions of a later one may
  /// stand next to, of these the last before a barrier that the later one
  /// stands after, and, for that one, the reads and instructions of each.
  llvm::DenseSet<Operation *> spread, spreadOverBarrier;
  struct Part {
    int64_t reads, vectorWork;
    Front front = {}; // of a part that nothing else is spread over
  };
  llvm::DenseMap<Operation *, SmallVector<Part>> partsBefore;
  llvm::DenseMap<Operation *, SmallVector<int64_t>> runs; // see getReadsOfRun
  llvm::DenseSet<Operation *> rare;                       // see isRare
  llvm::DenseSet<Operation *> alike;                      // see readsSameRows
  /// tile.convert_layout that lanes could do among themselves, with more work.
  llvm::DenseSet<Operation *> throughLds;
};

/// How a tile.convert_layout goes through LDS: in chunks where it would take
/// more than half of it.
tile::SharedLayout getSharedLayout(const tile::LinearLayout &from,
                                   const tile::LinearLayout &to,
                                   int64_t elementBytes, const Target &target);

/// Bytes of LDS that distributing `op` takes; 0 for ops that stay inside a
/// wave.
int64_t getLdsBytes(Operation *op, const Target &target, int64_t waves);

/// True where data go from one wave to another: a barrier is between.
bool crossesWaves(const tile::LinearLayout &from, const tile::LinearLayout &to);

/// Gives each op that needs LDS one of these areas (SharedScratch.cpp).
void assignScratch(Block &block, KernelState &state, int64_t areaBytes,
                   unsigned areas);
/// The op's data go through LDS.
bool passesLds(Operation *op, const KernelState &state);
/// Next to rings: waves that exchange what they computed meet before they do
/// that, at once after what else was in LDS. So one stores while another one
/// computes; else all compute, and then all store.
void meetEarly(tile::ConvertLayoutOp op, KernelState &state);

/// Gives the exchanges of a cluster's workgroups their place in LDS, from `end`
/// on; its end.
int64_t placeExchanges(tile::KernelOp kernel, KernelState &state, int64_t end);
/// Where there are any: what all workgroups do before the first.
void beginExchanges(gpu::GPUFuncOp func, KernelState &state);

/// Reads of LDS of each instruction of the product, and of those before it
/// up to a barrier or one that has `ahead` too.
SmallVector<int64_t> getReadsOfRun(tile::MmaOp last, const Target &target);

/// About how many vector instructions the ops on tiles take that stand between
/// this product and the one before: those of two elements are often one.
int64_t countVectorWork(tile::MmaOp op);
/// What else stands there.
KernelState::Front getFront(tile::MmaOp op, const Target &target);
/// Where all of it stands before the last of several products, with no
/// barrier between these: it comes between the instructions of all of them,
/// and, where lanes transpose elements, up to the middle of the product after
/// the barrier, which is only then waited for: transposed elements are written
/// to LDS in many chunks. What is chosen for the instructions of a product is
/// taken from before it, so the last one says it for all.
void spreadVectorWork(Block &block, KernelState &state);
/// Products before one that is in order, after the one before that is.
int64_t countProductsBefore(tile::MmaOp op);

/// True for a tile.load or tile.local_store that stands among many products, no
/// other of its view or ring next to it: what a loop keeps in registers for it
/// costs them more than computing it again.
bool isRare(Operation *op);

/// True for a tile.load or tile.async_copy of a loop over tiles that have the
/// same rows of it, in other columns: a step of a product whose K goes down
/// there.
bool readsSameRows(Operation *op);
/// The lane's number, computed `behind` a value (i32), which a loop changes,
/// and which is the same for all lanes, or not.
Value emitLaneAfter(ImplicitLocOpBuilder &b, Value behind, bool isUniform);

/// Where the partners of a tile.exchange are in another register or another
/// lane of the wave: the basis that tells them apart. Else they meet in LDS.
std::optional<int64_t> getPartnerBasis(tile::ExchangeOp op);

/// A vector of the registers that a tile's layout gives one lane.
VectorType getDistributedType(Type tileType);

/// Bytes of one element in memory (at least 1).
int64_t getElementBytes(Type type);

/// XOR over the set bits of `value` (i32) of the matching column, each zero or
/// a power of two.
Value emitLinearMap(ImplicitLocOpBuilder &b, Value value,
                    ArrayRef<int64_t> columns);
/// The same for columns of any value.
Value emitXorMap(ImplicitLocOpBuilder &b, Value value,
                 ArrayRef<int64_t> columns);
/// Of a byte (i32) of LDS, in the address space of NVVM.
Value emitSharedPointer(ImplicitLocOpBuilder &b, const KernelState &state,
                        Value byte);
/// This lane's row and column at register 0, as index.
std::pair<Value, Value> emitLaneCoordinates(ImplicitLocOpBuilder &b,
                                            const KernelState &state,
                                            const tile::LinearLayout &layout);
/// The register of `small` that holds the block of each register of `large`.
SmallVector<int64_t> matchBlocks(const tile::LinearLayout &large,
                                 const tile::LinearLayout &small);
/// i1: this lane holds the first replica of its elements; null where there are
/// none. Without `lanes` those of other waves only are looked at.
Value emitIsOwner(ImplicitLocOpBuilder &b, const KernelState &state,
                  const tile::LinearLayout &layout, bool lanes = true);

/// Calls `body` where this lane holds the first replica of its elements.
void emitByOwner(ImplicitLocOpBuilder &b, const KernelState &state,
                 const tile::LinearLayout &layout, function_ref<void()> body);

/// Two numbers, or vectors of them, as a reduction has it.
Value emitCombine(ImplicitLocOpBuilder &b, tile::ReduceKind kind, Value x,
                  Value y);
Value emitI32(ImplicitLocOpBuilder &b, int64_t value);
Value toIndex(ImplicitLocOpBuilder &b, Value i32);
/// vector.shuffle of one source.
Value emitSelectElements(ImplicitLocOpBuilder &b, Value vector,
                         ArrayRef<int64_t> picks);
/// The same; bytes by the chip's instruction for it, where they fill registers.
Value emitPermuted(ImplicitLocOpBuilder &b, const KernelState &state,
                   Value vector, ArrayRef<int64_t> picks);
/// An i32 of any four bytes of a vector's registers, by that instruction.
Value emitPickedBytes(ImplicitLocOpBuilder &b, BackendKind backend,
                      Value vector, std::array<int64_t, 4> bytes);
/// The value's bits as a vector of another element type.
Value emitVectorBitcast(ImplicitLocOpBuilder &b, Value vector,
                        Type elementType);
/// A vector as i32 registers, the last one filled up; and back.
Value emitWords(ImplicitLocOpBuilder &b, Value vector);
Value emitFromWords(ImplicitLocOpBuilder &b, Value words, VectorType type);
/// i1: that the lane's number has this bit.
Value hasLaneBit(ImplicitLocOpBuilder &b, const KernelState &state,
                 int64_t bit);
/// A vector exchanged with lane ^ mask, through 32-bit registers.
Value emitShuffleXor(ImplicitLocOpBuilder &b, const KernelState &state,
                     Value vector, int64_t mask);

/// The barrier before a use of scratch, where it needs one.
void emitWait(ImplicitLocOpBuilder &b, SharedScratch scratch);
/// LDS access of `vector` (i8 vectors inside) at a byte address.
void emitLdsStore(ImplicitLocOpBuilder &b, const KernelState &state,
                  Value vector, Value byteAddress);
Value emitLdsLoad(ImplicitLocOpBuilder &b, const KernelState &state,
                  VectorType type, Value byteAddress);

/// A pattern that knows the kernel it works in.
template <typename Op> struct TilePattern : OpConversionPattern<Op> {
  TilePattern(const TypeConverter &types, MLIRContext *context,
              const KernelState &state)
      : OpConversionPattern<Op>(types, context), state(state) {}
  const KernelState &state;
};

void populateMemoryPatterns(RewritePatternSet &patterns,
                            const TypeConverter &types,
                            const KernelState &state);
void populatePrefetchPatterns(RewritePatternSet &patterns,
                              const TypeConverter &types,
                              const KernelState &state);
void populateReducePatterns(RewritePatternSet &patterns,
                            const TypeConverter &types,
                            const KernelState &state);
void populateCrossLanePatterns(RewritePatternSet &patterns,
                               const TypeConverter &types,
                               const KernelState &state);
void populateClusterPatterns(RewritePatternSet &patterns,
                             const TypeConverter &types,
                             const KernelState &state);
void populateRingPatterns(RewritePatternSet &patterns,
                          const TypeConverter &types, const KernelState &state);
void populateMmaPatterns(RewritePatternSet &patterns,
                         const TypeConverter &types, const KernelState &state);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TILETOGPU_DISTRIBUTION_H
