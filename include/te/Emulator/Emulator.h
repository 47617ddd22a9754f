//===- Emulator.h - runs AMDGPU code objects on the CPU ---------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public face of the emulator: a code object's kernels, the device memory
// they see, and a launch. It depends on LLVM only (no MLIR), and knows nothing
// of te-mlir's compiler: it runs any code object of a chip that it knows.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_EMULATOR_H
#define TE_EMULATOR_EMULATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mlir::te::emu {

/// One explicit or hidden argument as the code object's metadata names it.
struct KernelArgument {
  std::string name;      // empty where the metadata has none
  std::string valueKind; // "global_buffer", "by_value", "hidden_..."
  uint32_t offset = 0;   // bytes into the kernarg segment
  uint32_t size = 0;     // bytes
  /// Alignment of what a "dynamic_shared_pointer" points to; 0: none is said.
  uint32_t pointeeAlign = 0;
};

/// What the kernel descriptor and the metadata say of one kernel.
struct KernelInfo {
  std::string name;
  uint32_t vgprs = 0, agprs = 0, sgprs = 0; // as the metadata counts them
  uint32_t vgprSpills = 0, sgprSpills = 0;
  uint32_t ldsBytes = 0;     // static, a workgroup
  uint32_t scratchBytes = 0; // a lane
  uint32_t kernargBytes = 0;
  uint32_t maxWorkgroupSize = 0;
  std::vector<KernelArgument> arguments;
};

/// A loaded code object: parsed, its kernels known, not yet decoded.
class CodeObject {
public:
  ~CodeObject();
  /// Reads an ELF image. Errors (not an ELF, truncated, not AMDGPU, a chip that
  /// the emulator does not know, no kernel metadata) say what was found and
  /// what was expected.
  static llvm::Expected<std::unique_ptr<CodeObject>>
  load(llvm::ArrayRef<uint8_t> image, llvm::StringRef name);

  llvm::StringRef getChip() const; // "gfx950"
  llvm::ArrayRef<KernelInfo> getKernels() const;
  const KernelInfo *findKernel(llvm::StringRef name) const;
  /// Static count of each mnemonic in a kernel's code, up to its end.
  llvm::Expected<std::map<std::string, uint64_t>>
  countMnemonics(const KernelInfo &kernel) const;
  /// Likewise of the instructions that the emulator has no semantics for:
  /// reaching one ends a launch. Code that is reached only through pointers in
  /// memory is not looked at.
  llvm::Expected<std::map<std::string, uint64_t>>
  countMissing(const KernelInfo &kernel) const;

  struct Impl;
  Impl &getImpl() const { return *impl; }

private:
  CodeObject();
  std::unique_ptr<Impl> impl;
};

/// Device memory: named allocations at addresses of their own. An access that
/// is not wholly inside one allocation is an error of the launch that makes it.
/// One launch at a time; nothing is allocated or freed while it runs. A code
/// object's image is loaded at its first launch here and stays until unload(),
/// its global variables too.
class DeviceMemory {
public:
  /// `shadowed`: keeps what the sanitizer has to know of each byte, for about
  /// five times the memory that is touched.
  explicit DeviceMemory(bool shadowed = false);
  ~DeviceMemory();
  /// Reserves `bytes` (0 is legal) at a 256-byte-aligned address; allocations
  /// never touch one another, so that an overrun by any small distance is seen.
  /// The bytes are 0. Returns 0 where the host has not that much memory.
  uint64_t allocate(uint64_t bytes, llvm::StringRef name);
  /// Makes [host, host + bytes) of this process an allocation at that same
  /// address; it stays the caller's. `isWritten`: the sanitizer knows the bytes
  /// as written. False where there is an allocation already, or no such memory.
  bool adopt(uint8_t *host, uint64_t bytes, llvm::StringRef name,
             bool isWritten);
  /// False where `address` is not the start of a live allocation.
  bool free(uint64_t address);
  /// Copies to [address, ...); false where that is not inside one live
  /// allocation. The sanitizer knows the bytes as written.
  bool write(uint64_t address, llvm::ArrayRef<uint8_t> bytes);
  /// The host view of [address, address + bytes), or null where that is not
  /// inside one live allocation. What is written through it stays "never
  /// written" for the sanitizer.
  uint8_t *view(uint64_t address, uint64_t bytes);
  /// Where a global variable of `object` lies here, and its bytes; the image is
  /// loaded if it is not yet. Fails where the object has no such symbol, or the
  /// host not the memory.
  llvm::Expected<std::pair<uint64_t, uint64_t>>
  findGlobal(const CodeObject &object, llvm::StringRef symbol);
  /// Frees the object's image, if it was loaded here.
  void unload(const CodeObject &object);

  struct Impl;
  Impl &getImpl() { return *impl; }

private:
  std::unique_ptr<Impl> impl;
};

struct LaunchConfig {
  std::array<uint32_t, 3> grid = {1, 1, 1};  // workgroups
  std::array<uint32_t, 3> block = {1, 1, 1}; // lanes ("work-items")
  uint32_t dynamicLdsBytes = 0;
  llvm::ArrayRef<uint8_t> explicitKernargs = {}; // the segment's explicit part
};

/// What one instruction did in a launch, or several of them together.
struct InstructionCounts {
  uint64_t executions = 0; // wave-instructions
  /// Active lanes of VALU, vector memory and LDS instructions, and the most
  /// there could be.
  uint64_t lanes = 0, mostLanes = 0;
  uint64_t mfmaPasses = 0;
  uint64_t globalBytes = 0; // useful: lanes x width; atomics too
  /// 64-byte and 128-byte lines that each vector load or store touched, in
  /// bytes.
  uint64_t lineBytes = 0, wideLineBytes = 0;
  uint64_t l2Bytes = 0; // see LaunchStats
  uint64_t scalarLoadBytes = 0;
  uint64_t ldsBytes = 0, ldsConflictCycles = 0;
  uint64_t scratchAccesses = 0;

  void operator+=(const InstructionCounts &other);
  llvm::json::Object toJSON() const;
};

/// An instruction of the kernel's code, run or not.
struct ProfiledInstruction {
  uint64_t pc = 0; // in the file's own addresses, as disassemblers have it
  std::string text;
  std::string source;       // "file:line:column", or empty
  std::string className;    // as in LaunchStats
  bool startsBlock = false; // a basic block
  InstructionCounts counts;
};

/// The first basic block of a profile, which is not empty.
llvm::ArrayRef<ProfiledInstruction>
takeBlock(llvm::ArrayRef<ProfiledInstruction> profile);

/// What a launch did, counted while it ran. All figures are exact counts of the
/// emulated run, and the same on every run. Classes: "salu", "smem", "valu",
/// "vmem", "lds", "mfma", "branch", "other" (waits, barriers, s_endpgm...).
struct LaunchStats {
  uint64_t workgroups = 0, waves = 0;
  uint64_t instructions = 0;                  // wave-instructions
  std::map<std::string, uint64_t> byClass;    // wave-instructions
  std::map<std::string, uint64_t> byMnemonic; // wave-instructions
  uint64_t valuLanes = 0;  // active lanes of VALU instructions
  uint64_t mfmaPasses = 0; // of four cycles, that matrix cores are busy
  uint64_t globalLoadBytes = 0, globalStoreBytes = 0; // useful: lanes x width
  uint64_t globalAtomicBytes = 0;
  /// 64-byte lines that each vector memory instruction touched, in bytes.
  uint64_t globalLoadLineBytes = 0, globalStoreLineBytes = 0;
  /// Vector memory instructions' wave-instructions by bytes a lane (1, 2, 4, 8,
  /// 12, 16).
  std::map<unsigned, uint64_t> globalLoadsByWidth, globalStoresByWidth;
  uint64_t scalarLoadBytes = 0;
  uint64_t ldsAccesses = 0; // wave-instructions
  uint64_t ldsBytes = 0;
  uint64_t ldsConflictCycles =
      0; // beyond the least possible, for the chip's banks
  uint64_t scratchAccesses = 0; // wave-instructions (spills and private arrays)
  /// With LaunchOptions::profile only: 128-byte lines as above; what vector
  /// memory instructions ask of L2, by the model in docs/emulator.md; and every
  /// instruction, in the order of addresses. Launches of different code that
  /// are added have no list.
  uint64_t globalLoadWideLineBytes = 0, globalStoreWideLineBytes = 0;
  uint64_t l2LoadBytes = 0, l2StoreBytes = 0, l2AtomicBytes = 0;
  std::vector<ProfiledInstruction> profile;
  double seconds = 0; // host wall time: the one figure that is not exact

  void operator+=(const LaunchStats &other);
  /// The profile as one object a basic block.
  llvm::json::Object toJSON() const;
};

class Sanitizer;
struct Trace;
struct TraceRequest;

struct LaunchOptions {
  bool collectStats = true;
  bool profile = false; // with collectStats: its slower figures too
  /// With profile, without a sanitizer: records workgroups into `trace`.
  const TraceRequest *record = nullptr;
  Trace *trace = nullptr;
  unsigned threads = 0; // 0: every core
  /// A workgroup that runs more wave-instructions than this ends the launch
  /// with an error. 0: no limit.
  uint64_t maxWorkgroupInstructions = 0;
  /// Looks for defects; needs shadowed memory.
  Sanitizer *sanitizer = nullptr;
  /// The launch ends with an error soon after this becomes true.
  const std::atomic<bool> *interrupted = nullptr;
  /// Called now and then, from one thread at a time, with the share done
  /// (0..1).
  llvm::function_ref<void(double)> progress = nullptr;
};

/// How much each workgroup of a launch has to do, without running it: issue
/// issue slots of its first wave, matrix instructions by their passes. Empty
/// where branches depend on what the launch itself computes, or take too long
/// to follow.
std::vector<uint64_t> measureWork(const CodeObject &object,
                                  const KernelInfo &kernel,
                                  DeviceMemory &memory,
                                  const LaunchConfig &config);

/// Runs `kernel` to its end. An error names kernel, workgroup, wave, pc,
/// disassembly, lane and address as far as they apply, and the nearest
/// allocation for an access out of bounds.
llvm::Expected<LaunchStats>
launch(const CodeObject &object, const KernelInfo &kernel, DeviceMemory &memory,
       const LaunchConfig &config, const LaunchOptions &options = {});

} // namespace mlir::te::emu

#endif // TE_EMULATOR_EMULATOR_H
