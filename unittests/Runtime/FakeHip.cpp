//===- FakeHip.cpp - a HIP library that runs nothing -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for libamdhip64.so: see FakeGpu.h.
//
//===----------------------------------------------------------------------===//
#include "FakeGpu.h"

/// The calling thread's.
static thread_local int current = 0;

extern "C" {
int hipGetDeviceCount(int *count) {
  *count = fake::kDevices;
  return 0;
}
int hipGetDevice(int *device) {
  *device = current;
  return 0;
}
int hipSetDevice(int device) {
  if (device < 0 || device >= fake::kDevices)
    return fake::InvalidDevice;
  current = device;
  return 0;
}
int hipGetDevicePropertiesR0600(void *properties, int device) {
  auto *bytes = static_cast<char *>(properties);
  std::strcpy(bytes, "Fake Instinct");
  std::strcpy(bytes + 1160, "gfx950:sramecc+:xnack-");
  return device < fake::kDevices ? fake::Ok : fake::InvalidDevice;
}
int hipMalloc(uint64_t *address, size_t bytes) {
  return fake::allocate(address, bytes);
}
int hipFree(uint64_t address) { return fake::release(address); }
int hipMemcpyHtoD(void *target, const void *source, size_t bytes) {
  return fake::copy("in", target, source, bytes);
}
int hipMemcpyDtoH(void *target, const void *source, size_t bytes) {
  return fake::copy("out", target, source, bytes);
}
int hipModuleLoadData(void **module, const void *) {
  return fake::load(module, current);
}
int hipModuleUnload(void *module) { return fake::unload(module, current); }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  return fake::getFunction(function, module, name);
}
int hipModuleGetGlobal(uint64_t *address, size_t *bytes, void *module,
                       const char *name) {
  return fake::getGlobal(address, bytes, module, name);
}
int hipModuleLaunchKernel(void *function, unsigned blocks, unsigned, unsigned,
                          unsigned, unsigned, unsigned, unsigned, void *stream,
                          void **, void **extra) {
  return fake::launch(function, current, blocks, stream, extra,
                      reinterpret_cast<void *>(3));
}
int hipDeviceSynchronize() { return fake::synchronize(); }
int hipDrvGetErrorString(int error, const char **text) {
  *text = fake::getErrorString(error);
  return 0;
}
int hipEventCreateWithFlags(void **event, unsigned) {
  return fake::createEvent(event);
}
int hipEventRecord(void *event, void *) { return fake::recordEvent(event); }
int hipEventElapsedTime(float *milliseconds, void *start, void *end) {
  return fake::getElapsed(milliseconds, start, end);
}
int hipEventDestroy(void *event) { return fake::destroyEvent(event); }
}
