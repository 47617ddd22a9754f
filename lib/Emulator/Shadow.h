//===- Shadow.h - what the sanitizer knows of memory ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shadow has, for a range of memory, a byte a byte that says whether it was
// ever written, and two cells a dword: who read it last and who wrote it last.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_SHADOW_H
#define TE_EMULATOR_SHADOW_H

#include "llvm/Support/Endian.h"

#include <atomic>
#include <cstdint>
#include <cstring>

#include <sys/mman.h>

namespace mlir::te::emu {

/// One side of a race: an access to (some bytes of) a dword, in 64 bits. 0 is
/// none. Fields that are cut off (workgroup, epoch) can hide a race; they
/// cannot make one up but after 2^13 barriers.
struct Cell {
  uint32_t bytes = 0; // a bit each
  bool atomic = false;
  bool unwaited = false; // in flight beyond a barrier
  bool several = false;  // reads: of more waves of the workgroup than this one
  bool spread = false;   // reads: of more workgroups than this one
  uint32_t wave = 0;     // in its workgroup, 0..15
  uint32_t pc = 0;       // the instruction's slot; kUnknownPc: further on
  uint32_t epoch = 0;    // barriers that the workgroup has passed
  uint32_t workgroup = 0;

  static constexpr uint32_t kUnknownPc = 0x3ffff;
  static constexpr uint32_t kEpochs = 1 << 13, kWorkgroups = 1 << 21;

  static Cell unpack(uint64_t word) {
    return {uint32_t(word & 15),
            bool(word >> 4 & 1),
            bool(word >> 5 & 1),
            bool(word >> 6 & 1),
            bool(word >> 7 & 1),
            uint32_t(word >> 8 & 15),
            uint32_t(word >> 12 & 0x3ffff),
            uint32_t(word >> 30 & (kEpochs - 1)),
            uint32_t(word >> 43)};
  }
  uint64_t pack() const {
    return bytes | uint64_t(atomic) << 4 | uint64_t(unwaited) << 5 |
           uint64_t(several) << 6 | uint64_t(spread) << 7 |
           uint64_t(wave) << 8 |
           uint64_t(pc < kUnknownPc ? pc : kUnknownPc) << 12 |
           uint64_t(epoch % kEpochs) << 30 |
           uint64_t(workgroup % kWorkgroups) << 43;
  }
};
/// What two words of the same wave in the same epoch share.
constexpr uint64_t kOwnerMask = ~uint64_t(0) << 30 | 15 << 8;
/// Likewise for its workgroup.
constexpr uint64_t kWorkgroupMask = ~uint64_t(0) << 43;

/// Host memory that is zero, and takes room only where it is touched: in large
/// pages, because a shadow is touched all over.
template <class T> class Zeros {
public:
  explicit Zeros(uint64_t count) : bytes((count + 1) * sizeof(T)) {
    void *made = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
      return;
    data = static_cast<T *>(made);
    madvise(made, bytes, MADV_HUGEPAGE);
  }
  ~Zeros() {
    if (data)
      munmap(data, bytes);
  }
  Zeros(const Zeros &) = delete;
  Zeros &operator=(const Zeros &) = delete;
  /// Zero again.
  void clear() {
    if (!data)
      return;
    madvise(data, bytes, MADV_DONTNEED);
  }
  explicit operator bool() const { return data; }
  T *get() const { return data; }

private:
  uint64_t bytes;
  T *data = nullptr;
};

/// Thread-safe as memory itself is: bytes and cells one by one.
class Shadow {
public:
  explicit Shadow(uint64_t bytes)
      : bytes(bytes), written(bytes), cells((bytes / 4 + 1) * 2) {}
  bool isValid() const { return written && cells; }

  /// True where all of [offset, offset + count) has been written.
  bool isDefined(uint64_t offset, uint64_t count) const {
    if (allDefined.load(std::memory_order_relaxed))
      return true;
    const uint8_t *at = written.get() + offset;
    constexpr uint64_t kEight = 0x0101010101010101;
    uint64_t all = kEight;
    for (; count >= 8; count -= 8, at += 8)
      all &= llvm::support::endian::read64le(at);
    for (uint64_t i = 0; i < count; ++i)
      all &= at[i] * kEight;
    return all == kEight;
  }
  void define(uint64_t offset, uint64_t count) {
    if (offset == 0 && count == bytes)
      allDefined.store(true, std::memory_order_relaxed);
    if (!allDefined.load(std::memory_order_relaxed))
      std::memset(written.get() + offset, 1, count);
  }
  void undefine(uint64_t offset) {
    if (allDefined.load(std::memory_order_relaxed)) {
      std::memset(written.get(), 1, bytes);
      allDefined.store(false, std::memory_order_relaxed);
    }
    written.get()[offset] = 0;
  }
  void undefineAll() {
    allDefined.store(false, std::memory_order_relaxed);
    std::memset(written.get(), 0, bytes);
  }

  /// Cells of dword `index`: side by side, for both are looked at together.
  uint64_t *getRead(uint64_t index) { return cells.get() + index * 2; }
  uint64_t *getWrite(uint64_t index) { return cells.get() + index * 2 + 1; }
  /// A new launch: what came before is ordered.
  void forget() { cells.clear(); }

private:
  uint64_t bytes;
  std::atomic<bool> allDefined{false};
  Zeros<uint8_t> written;
  Zeros<uint64_t> cells;
};

} // namespace mlir::te::emu

#endif // TE_EMULATOR_SHADOW_H
