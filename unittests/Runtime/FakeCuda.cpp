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

static bool isStarted = false;
static void *retained = nullptr, *current = nullptr;
static unsigned sharedBytes = 48 * 1024;

/// CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_INVALID_CONTEXT.
static int checkContext() { return !isStarted ? 3 : current ? 0 : 201; }

extern "C" {
int cuInit(unsigned flags) {
  isStarted = true;
  return flags == 0 ? fake::Ok : fake::InvalidValue;
}
int cuDeviceGetCount(int *count) {
  *count = 1;
  return isStarted ? 0 : 3;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = 7;
  return ordinal == 0 ? fake::Ok : 101;
}
int cuDeviceGetName(char *name, int length, int device) {
  std::strncpy(name, "Fake H200", length);
  return device == 7 ? fake::Ok : 101;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : 0;
  return device == 7 && (attribute == 75 || attribute == 76)
             ? fake::Ok
             : fake::InvalidValue;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = retained = &isStarted;
  return device == 7 ? fake::Ok : 101;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  retained = current = nullptr;
  return 0;
}
int cuCtxSetCurrent(void *context) {
  current = context;
  return context == retained ? 0 : 201;
}
int cuCtxSynchronize() { return checkContext(); }
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (bytes == 0)
    return fake::InvalidValue;
  *address = fake::allocate(bytes);
  return checkContext();
}
int cuMemFree_v2(uint64_t address) {
  fake::release(address);
  return checkContext();
}
int cuMemcpyHtoD_v2(void *target, const void *source, size_t bytes) {
  return fake::copy(target, source, bytes);
}
int cuMemcpyDtoH_v2(void *target, const void *source, size_t bytes) {
  return fake::copy(target, source, bytes);
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
  *module = new char;
  return std::strstr(text, ".target sm_90a") ? checkContext() : 209;
}
int cuModuleUnload(void *module) {
  delete static_cast<char *>(module);
  return 0;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return std::strcmp(name, "quantize_0") == 0 ? fake::Ok : fake::NotFound;
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, void *module,
                         const char *name) {
  return fake::getGlobal(address, bytes, module, name);
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  if (attribute != 8 || value > 227 * 1024)
    return fake::InvalidValue;
  sharedBytes = value;
  return 0;
}
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned shared, void *, void **, void **extra) {
  if (shared > sharedBytes)
    return fake::InvalidValue;
  return fake::launch(extra, nullptr);
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
