//===- Pipeline.cpp - the passes from te to rocdl or nvvm -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One linear list, but for its end, where a backend has passes of its own. The
// comment on each stage is the te-opt command that runs it
// alone.
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/Passes.h"
#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Dialect/Tile/IR/Tile.h"
#include "te/Dialect/Tile/Transforms/Passes.h"
#include "te/Driver/Compile.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::te;

static void addVerifier(OpPassManager &manager, StringRef level) {
  VerifyLevelPassOptions options;
  options.level = level.str();
  manager.addPass(createVerifyLevelPass(options));
}

void te::buildPipeline(OpPassManager &manager, const Target &target, Level from,
                       Level to, const ScheduleOptions &schedules) {
  auto covers = [&](Level level) { return from < level && level <= to; };
  if (from == Level::TE) {
    // te-opt --te-verify-level=level=te
    addVerifier(manager, "te");
  }
  if (covers(Level::Fused)) {
    // te-opt --pass-pipeline=
    // 'builtin.module(func.func(te-raise-attention{target=gfx950}))'
    RaiseAttentionPassOptions raise;
    raise.target = target.name.str();
    manager.addNestedPass<func::FuncOp>(createRaiseAttentionPass(raise));
    // te-opt
    // --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))'
    FusePassOptions fuse;
    fuse.target = target.name.str();
    manager.addNestedPass<func::FuncOp>(createFusePass(fuse));
    // te-opt --te-share-kernels
    manager.addPass(createShareKernelsPass());
    // te-opt --pass-pipeline=
    // 'builtin.module(func.func(te-schedule{target=gfx950 use-shipped
    // ranges=16,128,1024}))'
    SchedulePassOptions options;
    options.target = target.name.str();
    options.tuningDb = schedules.tuningDb;
    options.useShipped = true;
    options.ranges.assign(schedules.ranges.begin(), schedules.ranges.end());
    manager.addNestedPass<func::FuncOp>(createSchedulePass(options));
    // te-opt --te-verify-level=level=fused
    addVerifier(manager, "fused");
  }
  if (covers(Level::Tile)) {
    // te-opt --pass-pipeline='builtin.module(func.func(te-split-k))'
    manager.addNestedPass<func::FuncOp>(createSplitKPass());
    // te-opt --te-to-tile
    manager.addPass(createTEToTilePass());
    // te-opt --tile-persistent-workgroups
    manager.addPass(tile::createPersistentWorkgroupsPass());
    // te-opt
    // --pass-pipeline='builtin.module(tile.kernel(tile-hoist-loads))'
    manager.addNestedPass<tile::KernelOp>(tile::createHoistLoadsPass());
    // te-opt
    // --pass-pipeline='builtin.module(tile.kernel(tile-prefetch-loads))'
    manager.addNestedPass<tile::KernelOp>(tile::createPrefetchLoadsPass());
    // te-opt --cse
    manager.addPass(createCSEPass());
    // te-opt
    // --pass-pipeline='builtin.module(tile.kernel(tile-stage-operands))'
    manager.addNestedPass<tile::KernelOp>(tile::createStageOperandsPass());
    // te-opt
    // --pass-pipeline='builtin.module(tile.kernel(tile-split-products))'
    manager.addNestedPass<tile::KernelOp>(tile::createSplitProductsPass());
    // te-opt --pass-pipeline='builtin.module(tile.kernel(tile-pipeline))'
    manager.addNestedPass<tile::KernelOp>(tile::createPipelinePass());
    // te-opt --pass-pipeline='builtin.module(tile.kernel(tile-ping-pong))'
    manager.addNestedPass<tile::KernelOp>(tile::createPingPongPass());
    // te-opt --pass-pipeline='builtin.module(tile.kernel(tile-interleave))'
    manager.addNestedPass<tile::KernelOp>(tile::createInterleavePass());
    // te-opt --pass-pipeline='builtin.module(tile.kernel(tile-unroll))'
    manager.addNestedPass<tile::KernelOp>(tile::createUnrollPass());
    // te-opt
    // --pass-pipeline='builtin.module(tile.kernel(tile-delay-stores))'
    manager.addNestedPass<tile::KernelOp>(tile::createDelayStoresPass());
    // te-opt --cse
    manager.addPass(createCSEPass());
    // te-opt
    // --pass-pipeline='builtin.module(tile.kernel(tile-count-loads))'
    manager.addNestedPass<tile::KernelOp>(tile::createCountLoadsPass());
    // te-opt --te-verify-level=level=tile
    addVerifier(manager, "tile");
  }
  if (covers(Level::GPU)) {
    // te-opt --tile-distribute
    manager.addPass(createTileDistributePass());
    // te-opt --te-split-carried
    manager.addPass(createSplitCarriedPass());
    // te-opt --te-forward-slices
    manager.addPass(createForwardSlicesPass());
    // te-opt --cse --canonicalize --cse
    manager.addPass(createCSEPass()); // seven of eight ops: all tiles' indices
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    // te-opt --te-embed-constants
    manager.addPass(createEmbedConstantsPass());
    // te-opt --te-verify-level=level=gpu
    addVerifier(manager, "gpu");
  }
  if (!covers(Level::Native))
    return;
  switch (target.backend) {
  case BackendKind::AMDGPU:
    // te-opt --te-unpack-arithmetic
    manager.addPass(createUnpackArithmeticPass());
    // te-opt --te-gpu-to-amdgpu
    manager.addPass(createGPUToAMDGPUPass());
    // te-opt --lower-to-rocdl
    manager.addPass(createLowerToROCDLPass());
    break;
  case BackendKind::NVPTX:
    // te-opt --te-gpu-to-nvvm
    manager.addPass(createGPUToNVVMPass());
    // te-opt --lower-to-nvvm
    manager.addPass(createLowerToNVVMPass());
    break;
  }
  // te-opt --te-verify-level=level=rocdl (or nvvm)
  addVerifier(manager, getName(Level::Native, target));
}

namespace {
struct LevelName {
  StringRef name;
  Level level;
  std::optional<BackendKind> only;
};
constexpr LevelName kLevels[] = {
    {"te", Level::TE, std::nullopt},
    {"fused", Level::Fused, std::nullopt},
    {"tile", Level::Tile, std::nullopt},
    {"gpu", Level::GPU, std::nullopt},
    {"rocdl", Level::Native, BackendKind::AMDGPU},
    {"nvvm", Level::Native, BackendKind::NVPTX},
    {"llvm", Level::LLVM, std::nullopt},
    {"asm", Level::Asm, std::nullopt},
    {"hsaco", Level::Image, BackendKind::AMDGPU},
    {"ptx", Level::Image, BackendKind::NVPTX},
};
} // namespace

static auto getLevels(const Target &target) {
  return llvm::make_filter_range(kLevels, [&](const LevelName &level) {
    return !level.only || *level.only == target.backend;
  });
}

std::optional<Level> te::parseLevel(StringRef name, const Target &target) {
  for (const LevelName &level : getLevels(target))
    if (level.name == name)
      return level.level;
  return std::nullopt;
}

StringRef te::getName(Level level, const Target &target) {
  for (const LevelName &candidate : getLevels(target))
    if (candidate.level == level)
      return candidate.name;
  return "";
}

std::string te::listLevels(const Target &target) {
  std::string names;
  for (const LevelName &level : getLevels(target)) {
    if (!names.empty())
      names += level.level == Level::Image ? " or " : ", ";
    names += level.name;
  }
  return names;
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the chip")};
  Option<std::string> to{
      *this, "to",
      llvm::cl::desc("the last level: te, fused, tile, gpu, rocdl or nvvm (the "
                     "target's, where it is left out)")};
};
} // namespace

void te::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "te-pipeline", "te-compile's passes, from te to the given level",
      [](OpPassManager &manager, const PipelineOptions &options) {
        const Target *target = Target::lookup(options.target);
        std::optional<Level> to = Level::Native;
        if (target && !options.to.empty())
          to = parseLevel(options.to, *target);
        if (!target || !to || *to > Level::Native) {
          // An unknown chip is te-schedule's error to make, with a location.
          SchedulePassOptions schedule;
          schedule.target = options.target;
          manager.addNestedPass<func::FuncOp>(createSchedulePass(schedule));
          VerifyLevelPassOptions level;
          level.level = options.to;
          manager.addPass(createVerifyLevelPass(level));
          return;
        }
        buildPipeline(manager, *target, Level::TE, *to);
      });
}
