//===- FakeGpu.h - what the stand-in GPU libraries share -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is the host's, a "module" is a copy of its image, and the one kernel,
// quantize_0 of TestElf.h's program, writes the low byte of each 16-bit
// input element plus M. Events are a millisecond apart for each launch between
// them.
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_RUNTIME_FAKEGPU_H
#define TE_UNITTESTS_RUNTIME_FAKEGPU_H

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace fake {
enum Error : int { Ok = 0, InvalidValue = 1, InvalidPtx = 218, NotFound = 500 };

inline const char *getErrorString(int error) {
  switch (error) {
  case InvalidPtx:
    return "a PTX JIT compilation failed";
  case NotFound:
    return "named symbol not found";
  default:
    return "invalid argument";
  }
}

inline uint64_t allocate(size_t bytes) {
  return reinterpret_cast<uint64_t>(std::malloc(bytes));
}
inline void release(uint64_t address) {
  std::free(reinterpret_cast<void *>(address));
}
inline int copy(void *target, const void *source, size_t bytes) {
  std::memcpy(target, source, bytes);
  return Ok;
}

/// The one global variable, te_constant_0: four bytes where the module lies.
inline int getGlobal(uint64_t *address, size_t *bytes, void *module,
                     const char *name) {
  if (std::strcmp(name, "te_constant_0") != 0)
    return NotFound;
  *address = reinterpret_cast<uint64_t>(module);
  *bytes = 4;
  return Ok;
}

/// Launches so far.
inline int64_t launches = 0;

inline int launch(void **extra, void *end) {
  struct Arguments {
    uint8_t *input, *output;
    int32_t m;
    uint8_t *workspace;
    float half;
    int64_t count;
  };
  const auto *arguments = static_cast<Arguments *>(extra[1]);
  if (extra[0] != reinterpret_cast<void *>(1) ||
      extra[2] != reinterpret_cast<void *>(2) || extra[4] != end ||
      *static_cast<size_t *>(extra[3]) != sizeof(Arguments) ||
      arguments->half != 0.5f)
    return InvalidValue;
  for (int64_t i = 0; i < arguments->count; ++i)
    arguments->output[i] = arguments->input[2 * i] + arguments->m;
  ++launches;
  return Ok;
}

inline int createEvent(void **event) {
  *event = new int64_t(-1);
  return Ok;
}
inline int recordEvent(void *event) {
  *static_cast<int64_t *>(event) = launches;
  return Ok;
}
inline int getElapsed(float *milliseconds, void *start, void *end) {
  *milliseconds = *static_cast<int64_t *>(end) - *static_cast<int64_t *>(start);
  return Ok;
}
inline int destroyEvent(void *event) {
  delete static_cast<int64_t *>(event);
  return Ok;
}
} // namespace fake

#endif // TE_UNITTESTS_RUNTIME_FAKEGPU_H
