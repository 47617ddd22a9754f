//===- Dispatch.h - one launch: its memory, its waves' first state -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_DISPATCH_H
#define TE_EMULATOR_DISPATCH_H

#include "CodeObjectImpl.h"
#include "Program.h"
#include "Wave.h"

namespace mlir::te::emu {

/// Everything of a launch that its workgroups share. Owns the allocations made
/// for it (kernel arguments, dispatch packet).
class Dispatch {
public:
  static llvm::Expected<std::unique_ptr<Dispatch>>
  create(const CodeObject &object, const KernelInfo &kernel,
         DeviceMemory &memory, const LaunchConfig &config,
         const LaunchOptions &options);
  ~Dispatch();

  uint64_t getWorkgroups() const;
  unsigned getWaves() const { return waves; } // a workgroup
  uint32_t getLdsBytes() const { return ldsBytes; }
  const LaunchContext &getContext() const { return context; }
  const KernelInfo &getKernel() const { return kernel; }
  const Inst *getEntry() const { return entry; }
  /// Where the text segment begins in the file's own addresses.
  uint64_t getTextBegin() const { return textBegin; }
  /// "(1, 0, 0)".
  std::string nameWorkgroup(uint64_t workgroup) const;
  /// Sets registers and program counter as the hardware does; returns how many
  /// scalar registers that were.
  unsigned initialize(Wave &wave, uint64_t workgroup, unsigned index) const;
  /// The same, but what the hardware does not set stays as it is.
  unsigned enter(Wave &wave, uint64_t workgroup, unsigned index) const;

private:
  Dispatch(const KernelInfo &kernel, const KernelDescriptor &descriptor,
           DeviceMemory &memory, const LaunchConfig &config)
      : kernel(kernel), descriptor(descriptor), memory(memory), config(config) {
  }
  llvm::Error check(const CodeObject::Impl &object) const;
  llvm::Expected<Program *> decode(const CodeObject::Impl &object,
                                   uint32_t word);
  llvm::Error fillKernargs();
  uint64_t hiddenValue(llvm::StringRef kind) const;
  bool writePacket();
  unsigned setUserRegisters(Wave &wave) const;
  std::array<uint32_t, 3> coordinates(uint64_t workgroup) const;

  const KernelInfo &kernel;
  const KernelDescriptor &descriptor;
  DeviceMemory &memory;
  LaunchConfig config;
  LaunchContext context;
  uint64_t kernargs = 0, packet = 0, queue = 0;
  const Inst *entry = nullptr;
  uint64_t textBegin = 0;
  unsigned waves = 0;
  uint32_t ldsBytes = 0;
};

/// Adds what the counters of one thread say. `counts` holds an execution count
/// a slot.
void addCounts(LaunchStats &stats, const Program &program,
               llvm::ArrayRef<uint64_t> counts, const MemoryCounters &memory);

/// What this build needs and the processor lacks, or null.
const char *findMissingHostFeature();

} // namespace mlir::te::emu

#endif // TE_EMULATOR_DISPATCH_H
