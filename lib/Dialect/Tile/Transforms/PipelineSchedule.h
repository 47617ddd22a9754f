//===- PipelineSchedule.h - what of a loop overlaps -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which stage of the pipeline each op of a loop's body belongs to, and in which
// order those of all stages stand in an iteration. There are two kinds:
// AlternatingSchedule, where products and vector work on them alternate, and
// ProductSchedule, where all products add to what the loop carries.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_DIALECT_TILE_TRANSFORMS_PIPELINESCHEDULE_H
#define TE_LIB_DIALECT_TILE_TRANSFORMS_PIPELINESCHEDULE_H

#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::te::tile {

class PipelineSchedule {
public:
  /// The kind that suits the loop, which has `slots` in LDS of what comes
  /// straight from memory.
  static std::unique_ptr<PipelineSchedule> create(scf::ForOp loop,
                                                  int64_t slots);
  virtual ~PipelineSchedule() = default;

  /// Stages count from 0; addresses have a copy in each stage that needs them.
  /// Fails, with an error, where the loop's ops have no such order.
  LogicalResult compute();
  std::vector<std::pair<Operation *, unsigned>> get() const { return order; }
  /// Iterations that are under way at once, less one.
  int64_t countAhead() const {
    return llvm::max_element(order, llvm::less_second())->second;
  }
  /// Iterations after which all that alternate is in its first place again.
  virtual int64_t countCopies() const = 0;
  /// The last iterations may stand after the loop, where they ask memory for
  /// nothing that is not there, unless that is too much code.
  virtual bool mayPeel() const = 0;

protected:
  explicit PipelineSchedule(scf::ForOp loop) : loop(loop) {}
  /// Where an op stands: its stage (any numbers), the product that it stands in
  /// front of, and its place among such ops.
  struct Place {
    int64_t stage, product = 0, rank = 0;
    bool operator<(const Place &other) const {
      return std::tie(product, rank) < std::tie(other.product, other.rank);
    }
  };
  /// Called for each op from the last to the first, but for addresses.
  virtual Place choose(Operation *op) = 0;
  virtual LogicalResult prepare() { return success(); }
  /// What follows from what the loop carries is not computed for iterations
  /// that do not exist: its stage is this one.
  virtual int64_t getLastStage() const = 0;

  Operation *getInBody(Operation *op) const {
    scf::ForOp of = loop;
    return of.getBody()->findAncestorOpInBlock(*op);
  }
  /// The earliest stage of the op's users.
  int64_t getStageOfUsers(Operation *op) const;

  scf::ForOp loop;
  SmallVector<Operation *> products;
  DenseSet<Operation *> late; // follows from what the loop carries, or products
  DenseMap<Operation *, Place> places;

private:
  bool isAddress(Operation *op);
  void cloneAddresses();
  void sort();

  DenseSet<Operation *> addresses;
  std::vector<std::pair<Operation *, unsigned>> order;
};

/// What follows from what the loop carries, or works on a product that does
/// not.
DenseSet<Operation *> findLate(scf::ForOp loop);

std::unique_ptr<PipelineSchedule> makeAlternatingSchedule(scf::ForOp loop,
                                                          int64_t slots);
std::unique_ptr<PipelineSchedule> makeProductSchedule(scf::ForOp loop);

} // namespace mlir::te::tile

#endif // TE_LIB_DIALECT_TILE_TRANSFORMS_PIPELINESCHEDULE_H
