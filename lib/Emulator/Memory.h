//===- Memory.h - allocations of the emulated device ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_MEMORY_H
#define TE_EMULATOR_MEMORY_H

#include "Shadow.h"
#include "te/Emulator/Emulator.h"

#include <mutex>

namespace mlir::te::emu {

/// Device addresses begin at a fixed number and are never used twice, so that
/// runs repeat and a stale pointer is seen. They lie above those of the host,
/// which adopted memory keeps.
constexpr uint64_t kFirstAddress = 0x800000000000;
/// Least distance between allocations.
constexpr uint64_t kGuardBytes = 64 << 10;
/// Freed allocations that messages know.
constexpr size_t kMostFreed = 1024;
/// High halves of the flat apertures of LDS and of private memory.
constexpr uint64_t kSharedBase = 0x0001000000000000;
constexpr uint64_t kPrivateBase = 0x0002000000000000;

struct Allocation {
  uint64_t begin = 0, end = 0; // device addresses
  uint8_t *host = nullptr;
  std::string name;
  std::unique_ptr<Shadow> shadow; // where the memory is for the sanitizer
  bool isAdopted = false;         // the host memory is the caller's

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
};

/// Not thread-safe but for what says so: a launch only reads.
struct DeviceMemory::Impl {
  std::vector<Allocation> allocations; // by address
  uint64_t next = kFirstAddress;
  std::vector<Allocation> freed;       // without bytes, by age
  std::map<uint64_t, uint64_t> images; // code object's id -> its address
  bool shadowed = false;
  std::mutex mutex;

  ~Impl();
  uint64_t allocate(uint64_t bytes, llvm::StringRef name);
  bool adopt(uint8_t *host, uint64_t bytes, llvm::StringRef name,
             bool isWritten);
  /// Adds an allocation at its place among the others.
  void insert(Allocation allocation);
  /// The address of a code object's image, which is loaded if it is not yet.
  llvm::Expected<uint64_t> load(const CodeObject::Impl &object);
  /// A new launch: accesses so far are ordered before it.
  void forgetAccesses();
  /// Says that [address, address + bytes) has been written.
  void define(uint64_t address, uint64_t bytes);
  /// The allocation that `address` was in until it was freed, or null.
  const Allocation *findFreed(uint64_t address) const;
  bool free(uint64_t address);
  /// The allocation that holds all of [address, address + bytes), or null.
  const Allocation *find(uint64_t address, uint64_t bytes) const;
  /// "12 bytes past the end of 'x' (4096 bytes at 0x...)", for messages.
  std::string describe(uint64_t address) const;
};

} // namespace mlir::te::emu

#endif // TE_EMULATOR_MEMORY_H
