//===- VerifyLevel.cpp - te-verify-level ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The normal-form verifier of each level: a table of what may stand where. Of
// the te level also what only a program as a whole has (VerifyProgram.h).
//   te-opt --te-verify-level=level=tile
//
// Limits: it looks at dialects and ops, and at the types of elementwise ones
// (L1); op verifiers look at the others.
//
//===----------------------------------------------------------------------===//

#include "VerifyProgram.h"

#include "te/Dialect/TE/IR/Elementwise.h"
#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_VERIFYLEVELPASS
#include "te/Dialect/TE/Transforms/Passes.h.inc"
} // namespace mlir::te

namespace {
/// One level: the dialects that host code (functions) and kernels may use, the
/// ops of them that have gone by then, and what brings the IR there. What
/// computes on tiles, of any dialect, is in host code until there are kernels.
struct Level {
  StringRef name;
  SmallVector<StringRef> hostDialects;
  SmallVector<StringRef> kernelDialects;
  SmallVector<StringRef> goneOps;
  StringRef madeBy;
};
} // namespace

static ArrayRef<Level> getLevels() {
  static const Level levels[] = {
      {"te",
       {"builtin", "func", "te", "tensor", "arith", "math", "scf"},
       {},
       {},
       "the input"},
      {"fused",
       {"builtin", "func", "te", "tensor", "arith", "math", "scf"},
       {},
       {},
       "te-fuse and te-schedule"},
      {"tile",
       {"builtin", "func", "tile", "tensor", "arith", "te", "scf"},
       {"tile", "arith", "math", "scf", "tensor", "memref", "gpu"},
       {"te.fusion", "te.yield"},
       "te-to-tile"},
      {"gpu",
       {"builtin", "func", "tile", "tensor", "arith", "te", "scf"},
       {"gpu", "arith", "math", "scf", "vector", "memref", "amdgpu", "rocdl",
        "nvvm", "llvm"},
       {"tile.kernel", "gpu.launch_func"},
       "tile-distribute"},
      {"rocdl",
       {"builtin", "func", "tile", "tensor", "arith", "te", "scf"},
       {"llvm", "rocdl"},
       {"tile.kernel"},
       "lower-to-rocdl"},
      {"nvvm",
       {"builtin", "func", "tile", "tensor", "arith", "te", "scf"},
       {"llvm", "nvvm"},
       {"tile.kernel"},
       "lower-to-nvvm"}};
  return levels;
}

/// The kernel container that `op` is inside of, or is: null for host code.
static Operation *getKernelParent(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<tile::KernelOp, gpu::GPUModuleOp>(parent))
      return parent;
  return nullptr;
}

namespace {
struct VerifyLevelPass : te::impl::VerifyLevelPassBase<VerifyLevelPass> {
  using VerifyLevelPassBase::VerifyLevelPassBase;

  void runOnOperation() override {
    const Level *it = llvm::find_if(
        getLevels(), [&](const Level &l) { return l.name == level; });
    if (it == getLevels().end()) {
      getOperation()->emitError()
          << "te-verify-level: unknown level '" << level
          << "'; it is te, fused, tile, gpu, rocdl or nvvm";
      return signalPassFailure();
    }
    if (level == "te") {
      WalkResult whole = getOperation()->walk(
          [](func::FuncOp func) { return WalkResult(verifyProgram(func)); });
      if (whole.wasInterrupted())
        return signalPassFailure();
    }
    // Outside in: the error names the outermost op.
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          return check(op, *it) ? WalkResult::advance()
                                : WalkResult::interrupt();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  bool check(Operation *op, const Level &level) {
    // Containers may stand next to the host code of the levels that have them.
    bool container = isa<tile::KernelOp, gpu::GPUModuleOp>(op);
    bool inKernel = getKernelParent(op) != nullptr;
    StringRef dialect = op->getName().getDialectNamespace();
    bool legal =
        isa<IterationSpaceInterface>(op)
            ? !inKernel && level.kernelDialects.empty()
            : llvm::is_contained(inKernel || container ? level.kernelDialects
                                                       : level.hostDialects,
                                 dialect) &&
                  !llvm::is_contained(level.goneOps,
                                      op->getName().getStringRef());
    if (container && (level.name == "rocdl" || level.name == "nvvm"))
      legal = isa<gpu::GPUModuleOp>(op);
    // Host code has branches, which te-schedule makes, and no loops.
    if (dialect == "scf" && !inKernel)
      legal = isa<scf::IfOp, scf::YieldOp>(op);
    bool inBranch = op->getParentOfType<scf::IfOp>() && !inKernel;
    bool unwrapped = (level.name == "fused" || inBranch) &&
                     isa<TileLoweringInterface>(op) &&
                     !op->getParentOfType<FusionOp>();
    if (std::optional<std::string> why =
            inKernel ? std::nullopt : whyNotElementwise(op)) {
      op->emitError() << *why;
      return false;
    }
    if (legal && !unwrapped)
      return true;
    if (inBranch && unwrapped) {
      op->emitError() << "'" << op->getName()
                      << "' stands in a branch, where te-fuse does not look; "
                         "move it into a te.fusion there, or outside";
      return false;
    }
    op->emitError() << "'" << op->getName() << "' does not belong "
                    << (inKernel ? "in a kernel" : "in host code") << " at the "
                    << level.name << " level, which " << level.madeBy
                    << (level.name == "te" ? " is written in"
                                           : " should have made");
    return false;
  }
};
} // namespace
