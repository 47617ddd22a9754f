//===- JoinExchanges.cpp - fewer waits of a cluster's workgroups ----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Outliner.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

/// The two as one, in the place of the first; null where the second waits for
/// the first.
static ClusterReduceOp join(IRRewriter &rewriter, ClusterReduceOp first,
                            ClusterReduceOp second) {
  if (first.getKind() != second.getKind() ||
      first.getInputs().getTypes().front() !=
          second.getInputs().getTypes().front() ||
      failed(moveValueDefinitions(rewriter, second.getInputs(), first)))
    return {};
  SmallVector<Value> inputs(first.getInputs());
  llvm::append_range(inputs, second.getInputs());
  rewriter.setInsertionPoint(first);
  auto both = ClusterReduceOp::create(rewriter, first.getLoc(), first.getKind(),
                                      inputs);
  size_t count = first.getNumResults();
  rewriter.replaceOp(first, both.getResults().take_front(count));
  rewriter.replaceOp(second, both.getResults().drop_front(count));
  return both;
}

void te::joinExchanges(KernelOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  llvm::MapVector<Block *, SmallVector<ClusterReduceOp>> found;
  kernel.walk([&](ClusterReduceOp op) { found[op->getBlock()].push_back(op); });
  for (auto &[block, ops] : found) {
    ClusterReduceOp first;
    for (ClusterReduceOp op : ops) {
      ClusterReduceOp both =
          first ? join(rewriter, first, op) : ClusterReduceOp();
      first = both ? both : op;
    }
  }
}
