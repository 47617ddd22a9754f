//===- EmulatorDevice.h - the emulator as a device of the runtime -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_EMULATORDEVICE_H
#define TE_DRIVER_EMULATORDEVICE_H

#include "te/Emulator/Emulator.h"
#include "te/Emulator/Sanitizer.h"
#include "te/Emulator/Trace.h"
#include "te/Runtime/Device.h"

#include <functional>
#include <mutex>

namespace mlir::te {

/// A launch that has run.
struct EmulatedLaunch {
  emu::KernelInfo kernel;
  emu::LaunchStats stats;
  std::string chip;
  emu::Trace trace; // where launches are recorded
};

/// Runs code objects of every chip that the emulator knows. Launches run one at
/// a time, on every core; a stream means nothing. Memory of the host is used
/// where it lies; a result or workspace there begins undefined for the
/// sanitizer.
class EmulatorDevice : public rt::Device {
public:
  using Progress = std::function<void(llvm::StringRef kernel, double share)>;
  /// `progress` is called now and then during a launch. With `sanitizer`,
  /// launches look for defects and report them there.
  explicit EmulatorDevice(Progress progress = nullptr,
                          emu::Sanitizer *sanitizer = nullptr)
      : progress(std::move(progress)), sanitizer(sanitizer),
        memory(/*shadowed=*/sanitizer != nullptr) {}

  /// Later launches end with an error where a workgroup runs more
  /// wave-instructions; 0: no limit.
  void setMaxInstructions(uint64_t most) { maxInstructions = most; }

  /// From another thread: launches end with an error for as long as this is on.
  void setInterrupted(bool on) { interrupted = on; }

  /// Later launches are counted, LaunchStats::profile and what goes with it
  /// too, and kept for getLaunches().
  void setProfiling() { isProfiling = true; }

  /// Which workgroups of a launch to record; the work is emu::measureWork's.
  using Chooser = std::function<emu::TraceRequest(
      llvm::StringRef chip, const emu::KernelInfo &, const emu::LaunchConfig &,
      llvm::ArrayRef<uint64_t>)>;
  /// Like setProfiling(), and EmulatedLaunch::trace is filled. Not with a
  /// sanitizer.
  void setRecording(Chooser chooser) {
    setProfiling();
    choose = std::move(chooser);
  }

  /// What was kept, in order. Not while a launch runs.
  llvm::ArrayRef<EmulatedLaunch> getLaunches() const { return kept; }

  std::string getName() const override { return "emulator"; }
  std::string getChip() const override { return ""; }
  rt::Status checkTarget(const std::string &target) const override;
  rt::Result<uint64_t> allocate(uint64_t bytes,
                                const std::string &name) override;
  void free(uint64_t address) override;
  rt::Status copyToDevice(uint64_t address,
                          std::span<const uint8_t> source) override;
  rt::Status poison(uint64_t address, std::span<const uint8_t> source) override;
  rt::Status copyFromDevice(std::span<uint8_t> target,
                            uint64_t address) override;
  rt::Result<uint64_t> load(std::span<const uint8_t> image) override;
  void unload(uint64_t module) override;
  rt::Result<uint64_t> findKernel(uint64_t module, const std::string &name,
                                  uint32_t dynamicLds) override;
  rt::Result<rt::Global> findGlobal(uint64_t module,
                                    const std::string &symbol) override;
  rt::Status launch(std::span<const rt::Launch> launches,
                    std::span<const rt::Region> memory,
                    uint64_t stream) override;
  rt::Status synchronize() override { return {}; }

private:
  rt::Status adopt(std::vector<rt::Region> regions,
                   std::vector<uint64_t> &adopted);
  rt::Status launchOne(const rt::Launch &launch);

  Progress progress;
  emu::Sanitizer *sanitizer;
  std::mutex mutex; // what follows
  emu::DeviceMemory memory;
  /// By handles, their addresses; those of kernels are KernelInfo's.
  std::map<uint64_t, std::unique_ptr<emu::CodeObject>> modules;
  std::vector<EmulatedLaunch> kept;
  bool isProfiling = false;
  std::atomic<bool> interrupted = false;
  uint64_t maxInstructions = 0;
  Chooser choose;
};

} // namespace mlir::te

#endif // TE_DRIVER_EMULATORDEVICE_H
