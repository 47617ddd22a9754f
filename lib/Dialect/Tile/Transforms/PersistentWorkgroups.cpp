//===- PersistentWorkgroups.cpp - few workgroups run a grid's programs ----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tile-persistent-workgroups: a kernel with `workgroups = n` becomes a loop
// over the grid that its launches ask for, and they ask for n workgroups.
// Right after te-to-tile, so that the passes on loops see the loop:
// tile-delay-stores overlaps what one iteration stores with the next one.
//
//   tile.kernel @k {workgroups = 256} {     tile.kernel @k(.., %columns, %all)
//   {
//     %x = gpu.block_id x                     %id = gpu.block_id x
//     %y = gpu.block_id y                     scf.for %i = %id to %all step 256
//     { program of (%x, %y)            ==>        %x = %i mod %columns
//   }                                           %y = %i / %columns
//   tile.launch @k grid(%gx, %gy)               program of (%x, %y)
//                                               gpu.barrier
//                                             } {tile.delay}
//                                           }
//                                           tile.launch @k grid(min(%gx * %gy,
//                                           256), 1)
//
// Sizes of a grid that all launches share are constants, others arguments.
// What stands before the first use of a block's number stays before the loop.
//
// Limits: no clusters (T29), whose numbers are other ops.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_PERSISTENTWORKGROUPSPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

namespace {
/// A kernel's own numbers, and what asks for them.
struct Program {
  KernelOp kernel;
  SmallVector<LaunchOp> launches;
  SmallVector<gpu::BlockIdOp> ids;
};
} // namespace

/// The block that holds the ops that use the kernel's numbers, or what they
/// are in.
static Block *findCommonBlock(const Program &program) {
  SmallVector<Operation *> users;
  for (gpu::BlockIdOp id : program.ids)
    llvm::append_range(users, id->getUsers());
  if (users.empty())
    return nullptr;
  Block *block = users.front()->getBlock();
  while (!llvm::all_of(users, [&](Operation *user) {
    return block->findAncestorOpInBlock(*user);
  }))
    block = block->getParentOp()->getBlock();
  return block;
}

/// Moves the ops of `block` from the first user of a number on into a loop.
static scf::ForOp wrapInLoop(const Program &program, Block &block, Value first,
                             Value end, Value step) {
  Operation *begin = nullptr;
  for (gpu::BlockIdOp id : program.ids)
    for (Operation *user : id->getUsers())
      if (Operation *op = block.findAncestorOpInBlock(*user);
          !begin || op->isBeforeInBlock(begin))
        begin = op;
  OpBuilder b(begin);
  auto loop = scf::ForOp::create(b, begin->getLoc(), first, end, step);
  Block *body = loop.getBody();
  body->getOperations().splice(body->without_terminator().end(),
                               block.getOperations(), begin->getIterator(),
                               block.getTerminator()->getIterator());
  return loop;
}

/// A size that the kernel knows: the constant that all launches have, or a new
/// argument.
static Value passSize(ImplicitLocOpBuilder &b, const Program &program,
                      function_ref<Value(LaunchOp)> get) {
  std::optional<int64_t> known;
  for (LaunchOp launch : program.launches) {
    std::optional<int64_t> size = getConstantIntValue(get(launch));
    if (!size || (known && *known != *size)) {
      for (LaunchOp other : program.launches)
        other.getSizesMutable().append(get(other));
      KernelOp kernel = program.kernel;
      return kernel.getBody().front().addArgument(b.getIndexType(), b.getLoc());
    }
    known = size;
  }
  return arith::ConstantIndexOp::create(b, known.value_or(0));
}

static void makePersistent(const Program &program, int64_t workgroups) {
  KernelOp kernel = program.kernel;
  kernel.removeWorkgroupsAttr();
  Block *block = findCommonBlock(program);
  if (!block)
    return;
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
  auto count = [&](LaunchOp launch) {
    b.setInsertionPoint(launch);
    return b.createOrFold<arith::MulIOp>(launch.getGridX(), launch.getGridY());
  };
  DenseMap<LaunchOp, Value> counts;
  for (LaunchOp launch : program.launches)
    counts[launch] = count(launch);
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value columns = passSize(b, program,
                           [](LaunchOp launch) { return launch.getGridX(); }),
        all = passSize(b, program,
                       [&](LaunchOp launch) { return counts[launch]; }),
        step = b.createOrFold<arith::MinUIOp>(
            all, arith::ConstantIndexOp::create(b, workgroups)),
        first = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  scf::ForOp loop = wrapInLoop(program, *block, first, all, step);
  b.setInsertionPointToStart(loop.getBody());
  Value number = loop.getInductionVar(),
        x = arith::RemUIOp::create(b, number, columns),
        y = arith::DivUIOp::create(b, number, columns);
  for (gpu::BlockIdOp id : program.ids) {
    id.replaceAllUsesWith(id.getDimension() == gpu::Dimension::x ? x : y);
    id.erase();
  }
  // LDS is the next iteration's from here on.
  b.setInsertionPoint(loop.getBody()->getTerminator());
  gpu::BarrierOp::create(b);
  loop->setAttr(DelayStoresMarker, b.getUnitAttr());

  for (LaunchOp launch : program.launches) {
    b.setInsertionPoint(launch);
    launch.getGridXMutable().assign(b.createOrFold<arith::MinUIOp>(
        counts[launch], arith::ConstantIndexOp::create(b, workgroups)));
    launch.getGridYMutable().assign(arith::ConstantIndexOp::create(b, 1));
  }
}

namespace {
struct PersistentWorkgroupsPass
    : public te::tile::impl::PersistentWorkgroupsPassBase<
          PersistentWorkgroupsPass> {
  using PersistentWorkgroupsPassBase::PersistentWorkgroupsPassBase;

  void runOnOperation() override {
    llvm::MapVector<StringRef, Program> programs;
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (kernel.getWorkgroups() && !isLeftOut(kernel, *this))
        programs[kernel.getSymName()].kernel = kernel;
    getOperation().walk([&](LaunchOp launch) {
      if (auto it = programs.find(launch.getKernel()); it != programs.end())
        it->second.launches.push_back(launch);
    });
    for (Program &program : llvm::make_second_range(programs)) {
      program.kernel.walk(
          [&](gpu::BlockIdOp id) { program.ids.push_back(id); });
      makePersistent(program, *program.kernel.getWorkgroups());
    }
  }
};
} // namespace
