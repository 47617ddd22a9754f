//===- FakeGpu.h - what the stand-in GPU libraries share -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two devices, whose memory is the host's. The kernel quantize_0 of TestElf.h's
// program writes the low byte of each 16-bit input element plus M; quantize_1
// fails. Code of a device runs only where that is the calling thread's device.
// Events are a millisecond apart for each launch between them. Included once a
// library: te_fake_start_log() and te_fake_take_log() tell tests what was
// called.
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_RUNTIME_FAKEGPU_H
#define TE_UNITTESTS_RUNTIME_FAKEGPU_H

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace fake {
enum Error : int {
  Ok = 0,
  InvalidValue = 1,
  InvalidDevice = 101,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
  LaunchFailed = 719
};
constexpr int kDevices = 2;

inline const char *getErrorString(int error) {
  switch (error) {
  case InvalidDevice:
    return "invalid device ordinal";
  case InvalidPtx:
    return "a PTX JIT compilation failed";
  case InvalidHandle:
    return "invalid resource handle";
  case NotFound:
    return "named symbol not found";
  case LaunchFailed:
    return "unspecified launch failure";
  default:
    return "invalid argument";
  }
}

//===----------------------------------------------------------------------===//
// What was called
//===----------------------------------------------------------------------===//

inline std::atomic<bool> isLogging{false};
inline std::mutex logMutex; // what follows
inline std::string logged, taken;
inline uint64_t workspaces[2] = {}; // of the last two launches

[[gnu::format(printf, 1, 2)]] inline void log(const char *format, ...) {
  if (!isLogging)
    return;
  char line[256];
  va_list args;
  va_start(args, format);
  std::vsnprintf(line, sizeof(line), format, args);
  va_end(args);
  std::lock_guard lock(logMutex);
  logged += line + std::string("\n");
}

//===----------------------------------------------------------------------===//
// Memory and code
//===----------------------------------------------------------------------===//

inline int allocate(uint64_t *address, size_t bytes) {
  log("allocate %zu", bytes);
  *address = reinterpret_cast<uint64_t>(
      std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return bytes ? Ok : InvalidValue;
}
inline int release(uint64_t address) {
  log("free");
  std::free(reinterpret_cast<void *>(address));
  return Ok;
}
inline int copy(const char *direction, void *target, const void *source,
                size_t bytes) {
  log("copy %s %zu", direction, bytes);
  std::memcpy(target, source, bytes);
  return Ok;
}

struct Function {
  const char *name;
  int device;
};
/// The one global variable is te_constant_0.
struct Module {
  int device;
  char constant[4];
  Function functions[2];
};

inline int load(void **module, int device) {
  log("load on device %d", device);
  *module =
      new Module{device, {}, {{"quantize_0", device}, {"quantize_1", device}}};
  return Ok;
}
inline int unload(void *module, int device) {
  log("unload");
  bool isHere = static_cast<Module *>(module)->device == device;
  delete static_cast<Module *>(module);
  return isHere ? Ok : InvalidHandle;
}
inline int getFunction(void **function, void *module, const char *name) {
  log("find %s", name);
  for (Function &known : static_cast<Module *>(module)->functions)
    if (std::strcmp(name, known.name) == 0) {
      *function = &known;
      return Ok;
    }
  return NotFound;
}
inline int getGlobal(uint64_t *address, size_t *bytes, void *module,
                     const char *name) {
  log("find %s", name);
  if (std::strcmp(name, "te_constant_0") != 0)
    return NotFound;
  *address =
      reinterpret_cast<uint64_t>(static_cast<Module *>(module)->constant);
  *bytes = 4;
  return Ok;
}

//===----------------------------------------------------------------------===//
// Launches and time
//===----------------------------------------------------------------------===//

/// Launches so far.
inline std::atomic<int64_t> launches{0};

inline int launch(void *handle, int device, unsigned blocks, void *stream,
                  void **extra, void *end) {
  struct Arguments {
    uint8_t *input, *output;
    int32_t m;
    uint8_t *workspace;
    float half;
    int64_t count;
  };
  const auto *function = static_cast<Function *>(handle);
  const auto *arguments = static_cast<Arguments *>(extra[1]);
  log("launch %s of %u blocks on device %d, stream %llx", function->name,
      blocks, device, (unsigned long long)reinterpret_cast<uintptr_t>(stream));
  if (isLogging) {
    std::lock_guard lock(logMutex);
    workspaces[0] = workspaces[1];
    workspaces[1] = reinterpret_cast<uint64_t>(arguments->workspace);
  }
  if (function->device != device)
    return InvalidHandle;
  if (std::strcmp(function->name, "quantize_1") == 0)
    return LaunchFailed;
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

inline int synchronize() {
  log("synchronize");
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

extern "C" {
/// Calls from here on are logged.
void te_fake_start_log() { fake::isLogging = true; }
/// A line a call so far, and ends the log; good until the next time.
const char *te_fake_take_log() {
  fake::isLogging = false;
  std::lock_guard lock(fake::logMutex);
  fake::taken.swap(fake::logged);
  fake::logged.clear();
  return fake::taken.c_str();
}
/// The workspaces of the last two launches that were logged.
const uint64_t *te_fake_get_workspaces() { return fake::workspaces; }
}

#endif // TE_UNITTESTS_RUNTIME_FAKEGPU_H
