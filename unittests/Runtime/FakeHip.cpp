//===- FakeHip.cpp - a HIP library that runs nothing -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for libamdhip64.so in HipDeviceTest: memory is the host's, a
// "module" is its image, and the one kernel adds 1 to each byte of a buffer:
// its arguments are the buffer and the count of bytes.
//
//===----------------------------------------------------------------------===//
#include <cstdint>
#include <cstdlib>
#include <cstring>

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
int hipMalloc(void **pointer, size_t bytes) {
  *pointer = std::malloc(bytes);
  return 0;
}
int hipFree(void *pointer) {
  std::free(pointer);
  return 0;
}
int hipMemcpy(void *target, const void *source, size_t bytes, int) {
  if (bytes)
    std::memcpy(target, source, bytes);
  return 0;
}
int hipModuleLoadData(void **module, const void *image) {
  *module = const_cast<void *>(image);
  return 0;
}
int hipModuleUnload(void *) { return 0; }
int hipModuleGetFunction(void **function, void *module, const char *name) {
  *function = module;
  return std::strcmp(name, "quantize_0") == 0 ? 0 : 500;
}
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned,
                          unsigned, unsigned, unsigned, void *, void **,
                          void **extra) {
  struct Arguments {
    uint8_t *input, *output;
    int32_t m;
    uint8_t *workspace;
    float half;
    int64_t count;
  };
  const auto *arguments = static_cast<Arguments *>(extra[1]);
  if (*static_cast<size_t *>(extra[3]) != sizeof(Arguments) ||
      arguments->half != 0.5f)
    return 1;
  for (int64_t i = 0; i < arguments->count; ++i)
    arguments->output[i] = arguments->input[2 * i] + arguments->m;
  return 0;
}
int hipDeviceSynchronize() { return 0; }
const char *hipGetErrorString(int error) {
  return error == 500 ? "named symbol not found" : "invalid argument";
}
}
