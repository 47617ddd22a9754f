//===- FakeCuda.cpp - a CUDA driver that runs nothing -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for libcuda.so.1: see FakeGpu.h. Calls out of order fail as the
// driver's do; PTX in which "syntax error" stands does not compile. Dynamic
// shared memory above 48 KiB must have been asked for.
//
//===----------------------------------------------------------------------===//
#include "FakeGpu.h"

#include <vector>

static std::atomic<bool> isStarted{false};
static std::atomic<unsigned> sharedBytes{48 * 1024};
/// The primary contexts, by how often they are retained. Device handles are not
/// ordinals.
static std::atomic<int> retained[fake::kDevices];
constexpr int kFirstDevice = 7;
/// The calling thread's; the last one is current.
static thread_local std::vector<void *> contexts;

static int getDeviceOf(void *context) {
  auto *counter = static_cast<std::atomic<int> *>(context);
  bool isOne = counter >= retained && counter < retained + fake::kDevices;
  return isOne && *counter > 0 ? int(counter - retained) : -1;
}
/// The current context's, or -1.
static int getCurrent() {
  return contexts.empty() ? -1 : getDeviceOf(contexts.back());
}
static bool isDevice(int device) {
  return device >= kFirstDevice && device < kFirstDevice + fake::kDevices;
}
/// CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT.
static int checkContext() {
  return !isStarted ? 3 : getCurrent() >= 0 ? 0 : 201;
}

extern "C" {
int cuInit(unsigned flags) {
  isStarted = true;
  return flags == 0 ? fake::Ok : fake::InvalidValue;
}
int cuDeviceGetCount(int *count) {
  *count = fake::kDevices;
  return isStarted ? 0 : 3;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = kFirstDevice + ordinal;
  return isDevice(*device) ? fake::Ok : fake::InvalidDevice;
}
int cuDeviceGetName(char *name, int length, int device) {
  std::strncpy(name, "Fake H200", length);
  return isDevice(device) ? fake::Ok : fake::InvalidDevice;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : 0;
  return isDevice(device) && (attribute == 75 || attribute == 76)
             ? fake::Ok
             : fake::InvalidValue;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  if (!isDevice(device))
    return fake::InvalidDevice;
  *context = &retained[device - kFirstDevice];
  ++retained[device - kFirstDevice];
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  return --retained[device - kFirstDevice] < 0 ? 201 : 0;
}
int cuCtxPushCurrent_v2(void *context) {
  contexts.push_back(context);
  return getDeviceOf(context) >= 0 ? 0 : 201;
}
int cuCtxPopCurrent_v2(void **context) {
  if (contexts.empty())
    return 201;
  *context = contexts.back();
  contexts.pop_back();
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return 0;
}
int cuCtxSynchronize() {
  fake::synchronize();
  return checkContext();
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  int error = checkContext();
  return error ? error : fake::allocate(address, bytes);
}
int cuMemFree_v2(uint64_t address) {
  fake::release(address);
  return checkContext();
}
int cuMemcpyHtoD_v2(void *target, const void *source, size_t bytes) {
  fake::copy("in", target, source, bytes);
  return checkContext();
}
int cuMemcpyDtoH_v2(void *target, const void *source, size_t bytes) {
  fake::copy("out", target, source, bytes);
  return checkContext();
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  const char *text = static_cast<const char *>(image);
  if (std::strstr(text, "syntax error")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == 5)
        std::strcpy(static_cast<char *>(values[i]),
                    "ptxas application ptx input, line 9; fatal");
    return fake::InvalidPtx;
  }
  if (!std::strstr(text, ".target sm_90a"))
    return 209;
  int error = checkContext();
  return error ? error : fake::load(module, getCurrent());
}
int cuModuleUnload(void *module) { return fake::unload(module, getCurrent()); }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  return fake::getFunction(function, module, name);
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module,
                         const char *name) {
  return fake::getGlobal(address, bytes, module, name);
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  if (attribute != 8 || value > 227 * 1024)
    return fake::InvalidValue;
  fake::log("shared memory %d", value);
  sharedBytes = value;
  return 0;
}
int cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned,
                   unsigned, unsigned, unsigned, unsigned shared, void *stream,
                   void **, void **extra) {
  if (shared > sharedBytes)
    return fake::InvalidValue;
  return fake::launch(function, getCurrent(), blocks, stream, extra, nullptr);
}
int cuGetErrorString(int error, const char **text) {
  *text = error < 1000 ? fake::getErrorString(error) : nullptr;
  return 0;
}
int cuEventCreate(void **event, unsigned) { return fake::createEvent(event); }
int cuEventRecord(void *event, void *) { return fake::recordEvent(event); }
int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  return fake::getElapsed(milliseconds, start, end);
}
int cuEventDestroy_v2(void *event) { return fake::destroyEvent(event); }
}
