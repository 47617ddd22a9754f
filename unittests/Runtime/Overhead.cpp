//===- Overhead.cpp - prints what a call costs the host -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program, not a test: figures depend on the machine. Calls go through the C
// interface to a stand-in for HIP that launches nothing (FakeHip.cpp): query,
// bind and run, and run alone, of programs with 1, 4 and 16 kernels. The least
// mean of ten series.
//
//===----------------------------------------------------------------------===//
#include "TestElf.h"
#include "te/Runtime/te_runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace mlir::te::rt;

static void check(te_status status) {
  if (status == TE_OK)
    return;
  std::fprintf(stderr, "te-runtime-overhead: error: %s\n", te_last_error());
  std::exit(1);
}

/// The manifest of TestElf.h, its step `kernels` times.
static std::string makeManifest(int kernels) {
  std::string text = kManifest;
  size_t begin = text.find(R"({"kernel": )"), end = text.find("]}],\n \"ker");
  std::string step = text.substr(begin, end - begin);
  for (int i = 1; i < kernels; ++i)
    text.insert(begin, step + ",\n");
  return text;
}

/// Microseconds that `work` takes.
template <typename Work> static double measure(Work work) {
  constexpr int kSeries = 10, kCalls = 2000;
  double least = 1e9;
  for (int series = 0; series < kSeries; ++series) {
    auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < kCalls; ++call)
      work();
    std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count() / kCalls);
  }
  return least;
}

alignas(256) static uint8_t x[256], noop[256], data[256], scales[512],
    work[256];

static void measureProgram(te_device *device, int kernels) {
  std::vector<uint8_t> image = makeElf(".te.manifest", makeManifest(kernels));
  te_program *program;
  check(te_program_load(device, image.data(), image.size(), &program));
  const te_entry *entry = te_program_entry(program, 0);
  const int64_t dims[] = {1, 1};
  const te_memory arguments[] = {{x, 2}, {noop, 4}};
  const te_memory results[] = {{data, 1}, {scales, 512}};
  auto bind = [&] {
    uint64_t argumentBytes[2], resultBytes[2];
    te_workspace_size needed;
    check(te_query(entry, dims, 2, argumentBytes, resultBytes, &needed));
    te_binding *binding;
    check(te_bind(entry, dims, 2, arguments, 2, results, 2,
                  {work, needed.bytes}, &binding));
    return binding;
  };
  double whole = measure([&] {
    te_binding *binding = bind();
    check(te_run(binding, nullptr));
    te_binding_free(binding);
  });
  te_binding *binding = bind();
  double run = measure([&] { check(te_run(binding, nullptr)); });
  te_binding_free(binding);
  te_program_free(program);
  std::printf("| %7d | %21.2f | %8.2f | %9d |\n", kernels, whole, run,
              10 + 3 * kernels);
}

/// The artefacts, for benchmarks/python_calls.py.
static void save(const std::string &folder) {
  for (int kernels : {1, 4, 16}) {
    std::vector<uint8_t> image = makeElf(".te.manifest", makeManifest(kernels));
    std::ofstream(folder + "/" + std::to_string(kernels) + ".hsaco",
                  std::ios::binary)
        .write(reinterpret_cast<const char *>(image.data()), image.size());
  }
}

int main(int argc, char **argv) {
  if (argc == 2) {
    save(argv[1]);
    return 0;
  }
  te_device *device;
  check(te_device_open("hip", 0, TE_FAKE_HIP, &device));
  std::printf("| kernels | query, bind, run (us) | run (us) | bar (us) |\n"
              "| ------: | --------------------: | -------: | -------: |\n");
  for (int kernels : {1, 4, 16})
    measureProgram(device, kernels);
  te_device_free(device);
  return 0;
}
