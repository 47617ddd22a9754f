//===- Pipeline.cpp - the passes from te to rocdl -------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One linear list. The comment on each stage is the te-opt command that runs it
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
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::te;

static void addVerifier(OpPassManager &manager, StringRef level) {
  VerifyLevelPassOptions options;
  options.level = level.str();
  manager.addPass(createVerifyLevelPass(options));
}

void te::buildPipeline(OpPassManager &manager, const Target &target, Level from,
                       Level to) {
  auto covers = [&](Level level) { return from < level && level <= to; };
  if (from == Level::TE) {
    // te-opt --te-verify-level=level=te
    addVerifier(manager, "te");
  }
  if (covers(Level::Fused)) {
    // te-opt
    // --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))'
    FusePassOptions fuse;
    fuse.target = target.name.str();
    manager.addNestedPass<func::FuncOp>(createFusePass(fuse));
    // te-opt
    // --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx950}))'
    SchedulePassOptions options;
    options.target = target.name.str();
    manager.addNestedPass<func::FuncOp>(createSchedulePass(options));
    // te-opt --te-verify-level=level=fused
    addVerifier(manager, "fused");
  }
  if (covers(Level::Tile)) {
    // te-opt --te-to-tile
    manager.addPass(createTEToTilePass());
    // te-opt
    // --pass-pipeline='builtin.module(tile.kernel(tile-hoist-loads))'
    manager.addNestedPass<tile::KernelOp>(tile::createHoistLoadsPass());
    // te-opt --cse
    manager.addPass(createCSEPass());
    // te-opt --te-verify-level=level=tile
    addVerifier(manager, "tile");
  }
  if (covers(Level::GPU)) {
    // te-opt --tile-distribute
    manager.addPass(createTileDistributePass());
    // te-opt --canonicalize --cse
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    // te-opt --te-verify-level=level=gpu
    addVerifier(manager, "gpu");
  }
  if (covers(Level::ROCDL)) {
    // te-opt --te-gpu-to-amdgpu
    manager.addPass(createGPUToAMDGPUPass());
    // te-opt --lower-to-rocdl
    manager.addPass(createLowerToROCDLPass());
    // te-opt --te-verify-level=level=rocdl
    addVerifier(manager, "rocdl");
  }
}

std::optional<Level> te::parseLevel(StringRef name) {
  return llvm::StringSwitch<std::optional<Level>>(name)
      .Case("te", Level::TE)
      .Case("fused", Level::Fused)
      .Case("tile", Level::Tile)
      .Case("gpu", Level::GPU)
      .Case("rocdl", Level::ROCDL)
      .Case("llvm", Level::LLVM)
      .Case("asm", Level::Asm)
      .Case("hsaco", Level::HSACO)
      .Default(std::nullopt);
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the chip")};
  Option<std::string> to{
      *this, "to",
      llvm::cl::desc("the last level: te, fused, tile, gpu, rocdl"),
      llvm::cl::init("rocdl")};
};
} // namespace

void te::registerPipelines() {
  PassPipelineRegistration<PipelineOptions>(
      "te-pipeline", "te-compile's passes, from te to the given level",
      [](OpPassManager &manager, const PipelineOptions &options) {
        const Target *target = Target::lookup(options.target);
        std::optional<Level> to = parseLevel(options.to);
        if (!target || !to || *to > Level::ROCDL) {
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
