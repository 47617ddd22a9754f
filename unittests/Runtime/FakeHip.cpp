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

extern "C" {
int hipGetDeviceCount(int *count) {
  *count = 1;
  return 0;
}
int hipSetDevice(int device) { return device == 0 ? 0 : 101; }
int hipGetDevicePropertiesR0600(void *properties, int) {
  auto *bytes = static_cast<char *>(properties);
  std::strcpy(bytes, "Fake Instinct");
  std::strcpy(bytes + 1160, "gfx950:sramecc+:xnack-");
  return 0;
}
int hipMalloc(uint64_t *address, size_t bytes) {
  *address = fake::allocate(bytes);
  return 0;
}
int hipFree(uint64_t address) {
  fake::release(address);
  return 0;
}
int hipMemcpyHtoD(void *target, const void *source, size_t bytes) {
  return fake::copy(target, source, bytes);
}
int hipMemcpyDtoH(void *target, const void *source, size_t bytes) {
  return fake::copy(target, source, bytes);
}
int hipModuleLoadData(void **module, const void *image) {
  *module = const_cast<void *>(image);
  return 0;
}
int hipModuleUnload(void *) { return 0; }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return std::strcmp(name, "quantize_0") == 0 ? fake::Ok : fake::NotFound;
}
int hipModuleGetGlobal(uint64_t *address, size_t *bytes, void *module,
                       const char *name) {
  return fake::getGlobal(address, bytes, module, name);
}
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, unsigned, void *, void **,
                          void **extra) {
  return fake::launch(extra, reinterpret_cast<void *>(3));
}
int hipDeviceSynchronize() { return 0; }
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
