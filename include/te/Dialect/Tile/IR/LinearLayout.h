//===- LinearLayout.h - layouts as linear maps over bits --------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one layout concept of the tile level: a linear map over F2 from the bits
// of (register, lane, wave) to the coordinates of a tile, after "Linear
// Layouts" (arXiv 2505.23819). All sizes are powers of two, so a coordinate is
// a bit string: the row-major flat offset, the last dimension in its low bits.
// A basis is the flat offset that one input bit contributes; contributions
// combine by XOR. A zero basis means that the bit does not matter: the value is
// replicated over it.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TILE_IR_LINEARLAYOUT_H
#define TE_DIALECT_TILE_IR_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace mlir::te::tile {

enum class LayoutInput { Register = 0, Lane = 1, Wave = 2 };

class LinearLayout {
public:
  using Bases = llvm::SmallVector<int64_t, 8>;

  LinearLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> registers,
               llvm::ArrayRef<int64_t> lanes, llvm::ArrayRef<int64_t> waves);

  /// Row-major order over the last two dimensions' tile: `vector` consecutive
  /// elements a lane, then lanes along the last dimension and, once a row is
  /// full, along the rows; then registers along the rows as far as they must,
  /// and waves outermost. Lanes and waves that find nothing left to cover hold
  /// replicas. `together`: flat offsets of bits that registers hold in any
  /// case.
  static LinearLayout rowMajor(llvm::ArrayRef<int64_t> shape, int64_t vector,
                               unsigned laneBits, unsigned waveBits,
                               llvm::ArrayRef<int64_t> together = {});

  /// The same distribution of a tile whose elements follow one another as
  /// `order` says: a unit of a matrix (its registers, nothing else, hold it),
  /// whose register bit k is where bit k of the offset in memory comes from.
  /// Units are row-major. A vector is at most what is contiguous in memory.
  static LinearLayout inOrder(llvm::ArrayRef<int64_t> shape,
                              const LinearLayout &order, int64_t vector,
                              unsigned laneBits, unsigned waveBits);

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  llvm::ArrayRef<int64_t> getBases(LayoutInput input) const {
    return bases[unsigned(input)];
  }
  int64_t getNumRegisters() const { return int64_t(1) << bases[0].size(); }
  int64_t getNumElements() const;

  /// The flat offset that an input holds.
  int64_t apply(int64_t reg, int64_t lane, int64_t wave) const;
  /// The basis as one coordinate a dimension.
  llvm::SmallVector<int64_t> toCoordinates(int64_t flat) const;
  int64_t toFlat(llvm::ArrayRef<int64_t> coordinates) const;

  /// Every coordinate is kept by someone.
  bool isSurjective() const;
  /// Each basis is zero or a single bit, and no bit is named twice: lane and
  /// register bits only permute coordinate bits (all layouts but swizzles are
  /// so).
  bool isPermutation() const;

  /// Consecutive elements of the last dimension that a lane holds in
  /// consecutive registers, starting at a multiple of their count.
  int64_t getContiguity() const;

  /// The layout of a reduction over blocks of the given sizes (one a
  /// dimension): coordinates lose their low bits, registers that become
  /// replicas are dropped.
  LinearLayout project(llvm::ArrayRef<int64_t> block) const;
  /// Wave bits over which blocks extend.
  int64_t getWavesOfBlock(llvm::ArrayRef<int64_t> block) const;
  /// Consecutive elements that consecutive lanes hold, from lane 0 on; replicas
  /// may stand between them.
  int64_t getRunOfLanes() const;
  /// The layout of the transposed (rank 2) tile, registers reordered so that
  /// what is contiguous along the new last dimension comes first.
  LinearLayout transpose() const;
  /// The same, with registers that hold first what lies along the new first
  /// dimension: an operand's K, as instructions want it, where it lies along
  /// rows.
  LinearLayout transposeInOrder() const;
  /// The same tile with `vector` consecutive elements a lane (or as many as a
  /// row has): bits that other lanes hold change places with register bits.
  /// Where a bit is in no reach (a wave holds it), the vector stays as wide as
  /// it is.
  LinearLayout widen(int64_t vector) const;
  /// The same waves, each with its part in row-major order: `vector`
  /// consecutive elements a lane, lanes along the rest of a row and then the
  /// rows.
  LinearLayout withinWaves(int64_t vector) const;
  /// Who holds which place in memory, for a tile of a matrix that lies there in
  /// `order`: coordinates are a row of units, and the offset in that row. It
  /// has gaps where the tile is smaller than a unit.
  LinearLayout place(const LinearLayout &order) const;
  /// The same tile, its rows in runs of `run` (a power of two), each followed
  /// by as many that are not the tile's: gaps.
  LinearLayout spreadRows(int64_t run) const;
  /// Who reads what, where an instruction transposes what 16 lanes read, `size`
  /// elements each: element e of lane l comes from element l % size of lane
  /// e * 16 / size + l / size. Nothing where 16 lanes are no run of a row, or
  /// registers none of a column.
  std::optional<LinearLayout> beforeTranspose(int64_t size) const;
  /// The same coordinates in a larger tile, of which this is a corner.
  LinearLayout embed(llvm::ArrayRef<int64_t> shape) const;
  /// The register that holds, in lane 0 and wave 0, the given flat offset; or
  /// nothing where that is not register 0's lane and wave.
  std::optional<int64_t> findRegister(int64_t flat) const;

  bool operator==(const LinearLayout &other) const {
    return shape == other.shape && bases == other.bases;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<int64_t> shape;
  std::array<Bases, 3> bases;
};

/// How a value gets from one layout to another, from cheap to dear.
enum class ConversionKind {
  Registers, // lanes keep their elements: registers are renamed
  Lanes,     // pairs of a lane bit and a register bit change places: DPP and
             // friends
  Shared,    // through LDS
};

struct LayoutConversion {
  ConversionKind kind;
  /// Lanes: the lane bit, and the register bit (of the source) that it is
  /// swapped with.
  llvm::SmallVector<std::pair<unsigned, unsigned>> swaps;
};

/// The cheapest way from `source` to `target`; both surjective on the same
/// shape.
LayoutConversion analyzeConversion(const LinearLayout &source,
                                   const LinearLayout &target);

/// An address map in LDS for a trip from one layout to another: flat offset to
/// element address, linear over bits, chosen so that both sides move vectors of
/// `vectorElements` and neither has a bank conflict, where that is possible.
class SharedLayout {
public:
  /// LDS moves at most so much of a lane at once.
  static constexpr int64_t kMostVectorBytes = 16;
  /// `elementBytes`: a power of two up to 8. `banks`: banks of 4 bytes. Where
  /// the tile would take more than `mostBytes`, it goes in segments, as far as
  /// bits are registers' on both sides.
  SharedLayout(const LinearLayout &source, const LinearLayout &target,
               int64_t elementBytes, unsigned banks,
               int64_t mostBytes = std::numeric_limits<int64_t>::max())
      : SharedLayout(source, target, elementBytes, banks, mostBytes,
                     kMostVectorBytes, /*runBytes=*/0) {}
  /// The same, with vectors of at most `vectorBytes`, of which the source's
  /// registers hold `runBytes` side by side.
  SharedLayout(const LinearLayout &source, const LinearLayout &target,
               int64_t elementBytes, unsigned banks, int64_t mostBytes,
               int64_t vectorBytes, int64_t runBytes);
  /// The flat offsets of the segments, which follow one another in the same
  /// place (one, 0, where the tile goes at once); and which one an offset is
  /// in.
  llvm::SmallVector<int64_t> getSegments() const;
  int64_t getSegment(int64_t flat) const { return flat & segmentMask; }
  /// Bytes of a segment.
  int64_t getBytes() const;
  int64_t getVectorElements() const { return int64_t(1) << vectorBits.size(); }
  /// Consecutive elements of the source that lie side by side: a vector, or
  /// several of them.
  int64_t getRunElements() const { return int64_t(1) << runBits; }
  /// The element address of a flat offset.
  int64_t address(int64_t flat) const;
  /// Who writes what where each wave writes consecutive vectors of LDS, one a
  /// lane, which go there from memory: waves follow one another, then comes the
  /// next vector of each. Nothing where vectors are not `bytes` long and
  /// consecutive in the tile's rows, where the tile has none for every lane, or
  /// where lanes do not move by the same way from each vector to its next.
  std::optional<LinearLayout> getStreaming(llvm::ArrayRef<int64_t> shape,
                                           int64_t bytes, unsigned laneBits,
                                           unsigned waveBits) const;
  /// Cycles beyond the least possible that one vector access of a whole wave
  /// takes when it follows `layout`: the model of te::Target's banks.
  int64_t conflicts(const LinearLayout &layout) const;
  /// The registers of `layout`, in the order in which consecutive elements lie
  /// in LDS: vector v is order[v * vectorElements ...].
  llvm::SmallVector<int64_t> registerOrder(const LinearLayout &layout) const;

private:
  llvm::SmallVector<int64_t> columns; // address contribution of each flat bit
  llvm::SmallVector<unsigned> vectorBits; // flat bits inside one vector
  unsigned runBits;                       // address bits inside one run
  int64_t segmentMask = 0;                // flat bits that segments differ in
  int64_t elementBytes;
  unsigned banks;
};

} // namespace mlir::te::tile

#endif // TE_DIALECT_TILE_IR_LINEARLAYOUT_H
