//===- Grouping.h - which ops of a block will be one region -----*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te-fuse's decisions. Ops come in the order of the program, and what is done
// for one does not grow with the length of the program: tables lead from a
// tensor to the groups that compute and read it, and a search for ops between
// leaves out what nothing later leads to.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TE_TRANSFORMS_GROUPING_H
#define TE_LIB_DIALECT_TE_TRANSFORMS_GROUPING_H

#include "Prologues.h"

#include "te/Region/SharedKernels.h"

#include <set>

namespace mlir::te {

/// Ops that will be one region, in the order of the program.
struct Group {
  SmallVector<Operation *> ops;
  SetVector<StringAttr> notFused; // why others that it is tied to are not here
};

/// The groups of one block.
class Grouping {
public:
  /// Without a target, limits are not looked at.
  Grouping(Block &block, const Target *target);

  /// In the order of their last ops.
  std::vector<Group> takeGroups();
  const Prologues &getPrologues() const { return prologues; }
  /// Ops of the regions that were tried, and that were looked at for others
  /// between: what grouping costs.
  uint64_t numTried = 0, numSearched = 0;

private:
  using Ids = std::set<unsigned, std::greater<unsigned>>; // latest first

  void add(Operation *op);
  void place(ArrayRef<Operation *> ops);
  void addTies(Operation *op, unsigned before, Ids &tied);
  ArrayRef<Operation *> getGroup(Operation *const &op) const;
  std::optional<std::string> whyBetween(ArrayRef<Operation *> ops);
  std::optional<std::string> whyNotFused(ArrayRef<Operation *> ops);

  const Target *target;
  RegionAnswers answers; // of regions with a te.gemm
  Prologues prologues;
  std::vector<Group> groups; // by number; empty where another took it in
  llvm::DenseMap<Operation *, unsigned> groupOf;
  llvm::DenseMap<Value, SmallVector<unsigned>> readers; // of a large tensor
  SmallVector<unsigned> columnOps; // groups of ops that need whole columns
  llvm::DenseMap<Operation *, unsigned> positions; // in the block
  /// Of the ops seen so far: the last position of an op that it depends on, or
  /// that is computed together with such a one.
  llvm::DenseMap<Operation *, unsigned> latest;
  unsigned effort = 0; // ops looked at for the one that is added
};

} // namespace mlir::te

#endif // TE_LIB_DIALECT_TE_TRANSFORMS_GROUPING_H
