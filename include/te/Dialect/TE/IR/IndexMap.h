//===- IndexMap.h - which iterators number a value's dimensions -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op that can be in a region computes over an iteration space, as upstream's
// structured ops do. Each iterator has a letter; m and n are the rows and
// columns of the tiles that the op makes. A map says for a value of the op
// which iterator numbers each dimension, in einops' notation:
//
//   te.rms_norm   x: mn (and mr), gamma: n -> result: mn, rsigma: m
//   te.gemm       a: mk, b: kn, bias: n -> result: mn
//
// An iterator that is in no result's map is a reduction. Leading dimensions of
// a tensor that no letter stands for count with the first one, as Transformer
// Engine flattens (d0, d1, .., K) to M x K.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DIALECT_TE_IR_INDEXMAP_H
#define TE_DIALECT_TE_IR_INDEXMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir::te {

class IndexMap {
public:
  /// Read or written anywhere: tables, offsets of sequences.
  IndexMap() = default;
  /// `text`: the map; after a space a second one, where elements are read so
  /// too, before any result is known ("mn mr": whole rows).
  IndexMap(llvm::StringRef text);
  IndexMap(const char *text) : IndexMap(llvm::StringRef(text)) {}

  /// An element of the op's tiles.
  bool isTile() const { return dims == "mn"; }
  /// Two tiles side by side, h numbers them: as of a gated activation.
  bool isHalves() const { return dims == "m(hn)"; }
  /// One number a row: the shape without its last dimension.
  bool isRow() const { return dims == "m"; }
  bool isColumn() const { return dims == "n"; }
  bool isHalvesColumn() const { return dims == "(hn)"; }
  /// One number a column, of one tile or of two.
  bool isPerColumn() const { return isColumn() || isHalvesColumn(); }
  bool isScalar() const { return dims == ""; }
  /// A run of a tile's elements in row-major order, from an offset on.
  bool isRun() const { return dims == "(mn)"; }
  /// S x M x N: S partial sums of each element of a tile.
  bool isPartialSums() const { return dims == "smn"; }
  /// An element of a tile of one of many matrices, which other iterators
  /// number, in any order of dimensions.
  bool isTileOfMany() const;
  /// The dimension that an iterator numbers; of a tensor whose leading
  /// dimensions count as one, all of these are the first.
  std::optional<unsigned> find(char iterator) const;
  /// The iterators, where each numbers one dimension of a tensor of this rank.
  std::optional<llvm::StringRef> getIterators(size_t rank) const;
  /// What an op inserts into a larger tensor, at an offset; or that tensor.
  bool isInserted() const { return dims == "+"; }

  /// Elements of whole rows, or of whole columns, are read before the op's
  /// tiles are known.
  bool readsWholeRows() const { return reduced == "mr"; }
  bool readsWholeColumns() const { return reduced.starts_with("r"); }

  bool hasSameDims(IndexMap other) const { return dims == other.dims; }

private:
  llvm::StringRef dims = "*", reduced;
};

/// Of an op's ODS operands or results, with the map of each: that of number
/// `index`. `getRange`: where a group begins, and how many it has.
IndexMap
lookupMap(llvm::ArrayRef<llvm::StringLiteral> maps, unsigned index,
          llvm::function_ref<std::pair<unsigned, unsigned>(unsigned)> getRange);

} // namespace mlir::te

#endif // TE_DIALECT_TE_IR_INDEXMAP_H
