//===- Session.h - one run of te-run, step by step -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session loads a program, gives it inputs, runs it on a device and in the
// reference, and judges the results. Each step returns whether the next may
// follow; where not, the reason has been printed and the exit code is set.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_RUN_SESSION_H
#define TE_TOOLS_TE_RUN_SESSION_H

#include "te/CycleModel/CycleModel.h"
#include "te/Driver/EmulatorDevice.h"
#include "te/Driver/RandomInputs.h"
#include "te/Reference/Interpreter.h"
#include "te/Runtime/Npy.h"
#include "te/Runtime/Program.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>

namespace mlir::te {

enum class DeviceKind { Any, Emulator, Reference, Hip, Cuda };
enum class StatsKind { None, Text, Json };

/// Raw mode: a --kernel and the flags that belong to it.
struct LaunchFlags {
  std::string kernel, grid, block, lds;
  std::vector<std::string> arguments; // --arg, in order or by name
  std::vector<std::string> kernargs;  // --kernarg
};

struct RunFlags {
  std::string file, target, tuningDb, variants, entry;
  // Raw mode.
  std::vector<LaunchFlags> launches;
  std::vector<std::string> buffers;
  DeviceKind device = DeviceKind::Any;
  std::vector<std::string> inputs, outputs;
  std::map<std::string, int64_t> dims;
  bool check = false, list = false, sanitize = false;
  StatsKind stats = StatsKind::None;
  std::optional<std::string> annotate; // a file; "" or "-": standard output
  std::vector<std::string> profiles;   // likewise, one a format
  bool compare = false;                // profiles are for main()
  bool sample = false;                 // profiles of a few workgroups' run
  std::optional<double> clockGHz;      // of profiles; none: the peak
  uint64_t maxInstructions = 0;        // of a workgroup; 0: no limit
  std::string save, results;           // folders
};

class Session {
public:
  enum ExitCode { Ok = 0, Failed = 1, BadInput = 2 };

  /// `sources` is what the context's diagnostics refer to.
  Session(const RunFlags &flags, MLIRContext &context,
          std::shared_ptr<llvm::SourceMgr> sources)
      : flags(flags), context(context), sources(std::move(sources)) {}
  ExitCode run();
  /// With --profile or --compare: of each launch, in order.
  llvm::ArrayRef<cycle::Profile> getProfiles() const { return profiles; }

private:
  ExitCode runProgram();
  bool fail(ExitCode code, const llvm::Twine &message);

  // Load.cpp: the program.
  bool load();
  bool loadCodeObject(std::vector<uint8_t> image);
  bool parseSource(llvm::StringRef text, llvm::StringRef name);
  bool compile();
  bool openDevice();
  bool isGpuWanted() const {
    return flags.device == DeviceKind::Hip || flags.device == DeviceKind::Cuda;
  }
  bool checkDevice();
  bool checkClock();
  void useEmulator();
  bool selectEntry();
  bool findFunction();
  bool needsReference() const {
    return flags.check || flags.device == DeviceKind::Reference ||
           !flags.save.empty();
  }

  // Raw.cpp: kernels of any code object.
  std::unique_ptr<emu::CodeObject> openRaw(llvm::ArrayRef<uint8_t> image);
  bool runRaw(llvm::ArrayRef<uint8_t> image);
  bool listRaw(llvm::ArrayRef<uint8_t> image);

  // Inputs.cpp: the arguments.
  bool readInputs();
  bool makeInputs();
  bool hasMemory();
  bool fillArgument(size_t index, size_t firstBuffer);
  bool isLeftEmpty(Type type, const rt::Value &value, size_t firstBuffer);

  // Case.cpp: runs on machines without te-run.
  bool saveCase();
  bool readResults();

  // Session.cpp: running and judging.
  void list() const;
  bool runOnDevice();
  bool runReference();
  bool writeOutputs();
  bool check();
  void reportDefects();

  // Profile.cpp
  bool isProfiled() const { return flags.compare || !flags.profiles.empty(); }
  void makeProfiles();
  bool printProfiles();

  // Stats.cpp
  bool printFindings();
  void printStats() const;
  llvm::json::Object getStats() const;

  const RunFlags &flags;
  MLIRContext &context;
  std::shared_ptr<llvm::SourceMgr> sources;
  ExitCode exitCode = Ok;

  OwningOpRef<ModuleOp> module;       // the te-level source, where it is needed
  func::FuncOp function;              // the entry in it
  std::optional<rt::Program> program; // none for --device=reference on MLIR
  rt::Entry entry;
  emu::Sanitizer sanitizer; // with --sanitize
  std::unique_ptr<rt::Device> device;
  EmulatorDevice *emulator = nullptr; // the device, where it is that

  /// An --input for each argument buffer: random, or a file whose header is
  /// read.
  struct Input {
    std::optional<RandomSpec> random = RandomSpec();
    rt::NpyFile file;
  };
  std::vector<Input> inputs;
  std::vector<int64_t> dims;
  std::vector<ref::TensorValue> arguments;
  std::vector<rt::HostTensor> outputs;
  std::vector<ref::TensorValue> expected; // by the reference
  double seconds = 0;                     // host wall time of the run
  bool hasRun = false;                    // to its end, on a device
  bool isRaw = false; // load() has done what was asked, without a manifest
  std::string chip;   // raw mode: the code object's
  std::vector<cycle::Profile> profiles;
};

/// --annotate: the launches' code with its figures, a kernel once.
void printAnnotated(llvm::raw_ostream &os,
                    llvm::ArrayRef<EmulatedLaunch> launches);

/// Lines of --list: what would stop the kernel in the emulator.
void listMissing(llvm::raw_ostream &os, const emu::CodeObject &object,
                 const emu::KernelInfo &kernel);

/// Runs `step` and gives its host wall time.
template <typename Step> double timeSeconds(Step step) {
  auto start = std::chrono::steady_clock::now();
  step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

} // namespace mlir::te

#endif // TE_TOOLS_TE_RUN_SESSION_H
