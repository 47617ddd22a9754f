//===- Compile.h - from te IR to an artefact --------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler as a library: what te-compile and te-run call.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_COMPILE_H
#define TE_DRIVER_COMPILE_H

#include "te/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::te {

/// The levels of the pipeline, in order; each is what its name says. Native is
/// the backend's dialect, rocdl or nvvm; Image what a device loads: an HSACO,
/// or PTX with its manifest in front.
enum class Level { TE, Fused, Tile, GPU, Native, LLVM, Asm, Image };

/// Bytes that a workgroup of whole tiles moves, read off the tile level.
struct TileTraffic {
  std::string kernel;
  int64_t loadBytes = 0, storeBytes = 0; // what tile.load and tile.store touch
  int64_t leastBytes = 0;                // each element of each buffer once
};

/// What a compiled kernel uses. Registers and spills are known where a tool
/// told them: of PTX, whose registers ptxas allocates, only by that.
struct KernelFigures {
  std::string name;
  std::optional<uint32_t> vgprs, agprs,
      sgprs; // registers of a lane (of a wave)
  std::optional<uint32_t> vgprSpills, sgprSpills;
  std::optional<uint32_t> scratchBytes; // a lane
  uint32_t ldsBytes = 0, kernargBytes = 0, workgroupSize = 0;
};

/// One compilation's product.
struct Artifact {
  std::string text;   // the IR, LLVM IR or assembly of the level asked for
  std::string binary; // the image: an HSACO or PTX, with its manifest
  llvm::json::Value manifest = nullptr;
  std::vector<KernelFigures> kernels; // those of the image
  std::vector<TileTraffic> traffic;   // a kernel each, in order
  llvm::json::Array decisions;        // what --explain tells, a kernel each,
                                      // where it is asked for
};

/// Where te-schedule's choices come from.
struct ScheduleOptions {
  /// Schedules that te-tune found: a file, or empty for none but the compiler's
  /// own.
  std::string tuningDb;
  /// Regions with an unknown number of rows have kernels for ranges of it: the
  /// most rows of each but the last, rising. Empty: one kernel for all.
  std::vector<int64_t> ranges = {16, 128, 1024};
};

struct CompileOptions {
  const Target *target = nullptr;
  Level level = Level::Image;
  /// The program that assembles PTX, for its figures; empty: they stay unknown.
  std::string ptxas;
  ScheduleOptions schedules;
  /// The artefact has its decisions: each schedule is chosen once more.
  bool explain = false;
  /// Debug information that leads from machine code to lines of the IR.
  bool lineTables = false;
  /// Where --timing's tree hangs; null for none.
  TimingScope *timing = nullptr;
};

/// Parses and verifies te IR; diagnostics go to the context's handler.
OwningOpRef<ModuleOp>
parseModule(const std::shared_ptr<llvm::SourceMgr> &sources,
            MLIRContext &context);

/// Compiles `module` (which is consumed: lowered in place). Failures are
/// diagnosed with a location.
FailureOr<Artifact> compile(ModuleOp module, const CompileOptions &options);

/// The passes from one level to the next, for te-opt and the driver alike.
void buildPipeline(OpPassManager &manager, const Target &target, Level from,
                   Level to, const ScheduleOptions &schedules = {});
/// Registers --te-pipeline="target=... to=..." with te-opt.
void registerPipelines();

/// The names of levels as --emit spells them; nothing for one that the target
/// does not have.
std::optional<Level> parseLevel(llvm::StringRef name, const Target &target);
/// "te, fused, ..., asm or hsaco".
std::string listLevels(const Target &target);
/// How the level is spelt for this target.
llvm::StringRef getName(Level level, const Target &target);

/// Gives `file` its new content, as rt::writeFile; "-" is the standard output.
llvm::Error writeOutput(llvm::StringRef file, llvm::StringRef content);

} // namespace mlir::te

#endif // TE_DRIVER_COMPILE_H
