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

namespace mlir::te {

/// A launch that has run.
struct EmulatedLaunch {
  emu::KernelInfo kernel;
  emu::LaunchStats stats;
  std::string chip;
  emu::Trace trace; // where launches are recorded
};

/// Runs code objects of every chip that the emulator knows.
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

  /// Later launches fill LaunchStats::profile and what goes with it.
  void setProfiling(bool on) { isProfiling = on; }

  /// Which workgroups of a launch to record; `work` as emu::measureWork has it.
  using Chooser = std::function<emu::TraceRequest(
      llvm::StringRef chip, const emu::KernelInfo &, const emu::LaunchConfig &,
      llvm::ArrayRef<uint64_t>)>;
  /// Later launches are profiled, and fill EmulatedLaunch::trace. Not with a
  /// sanitizer.
  void setRecording(Chooser chooser) {
    isProfiling = true;
    choose = std::move(chooser);
  }

  /// What has been launched, in order.
  llvm::ArrayRef<EmulatedLaunch> getLaunches() const { return launches; }

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
  rt::Result<uint64_t> findGlobal(uint64_t module, const std::string &symbol,
                                  uint64_t bytes) override;
  rt::Status launch(const rt::Launch &launch) override;
  rt::Status synchronize() override { return {}; }

private:
  Progress progress;
  emu::Sanitizer *sanitizer;
  emu::DeviceMemory memory;
  std::vector<std::unique_ptr<emu::CodeObject>> modules; // handle - 1
  std::vector<EmulatedLaunch> launches;
  bool isProfiling = false;
  uint64_t maxInstructions = 0;
  Chooser choose;
};

} // namespace mlir::te

#endif // TE_DRIVER_EMULATORDEVICE_H
