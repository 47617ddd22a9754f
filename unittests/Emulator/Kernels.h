//===- Kernels.h - loads test kernels and runs them -------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_EMULATOR_KERNELS_H
#define TE_UNITTESTS_EMULATOR_KERNELS_H

#include "te/Emulator/Emulator.h"
#include "te/Emulator/Sanitizer.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cstring>

namespace mlir::te::emu::test {

inline std::string pathOf(const std::string &file, const std::string &chip) {
  return std::string(TE_KERNEL_DIR) + "/" + file + "." + chip + ".hsaco";
}

inline std::vector<uint8_t> readBytes(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_TRUE(bool(buffer)) << path;
  if (!buffer)
    return {};
  llvm::StringRef text = (*buffer)->getBuffer();
  return std::vector<uint8_t>(text.bytes_begin(), text.bytes_end());
}

/// One code object, its device memory and the arguments of the next launch.
class Session {
public:
  Session(const std::string &file, const std::string &chip) {
    auto loaded = CodeObject::load(readBytes(pathOf(file, chip)), file);
    if (loaded)
      object = std::move(*loaded);
    else
      ADD_FAILURE() << llvm::toString(loaded.takeError());
  }

  template <class T>
  uint64_t upload(const std::vector<T> &values, const char *name = "buffer") {
    uint64_t address = memory.allocate(values.size() * sizeof(T), name);
    auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
    memory.write(address, {bytes, values.size() * sizeof(T)});
    return address;
  }
  template <class T> std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> values(count);
    if (count)
      std::memcpy(values.data(), memory.view(address, count * sizeof(T)),
                  count * sizeof(T));
    return values;
  }

  template <class T> void put(T value) {
    arguments.resize((arguments.size() + sizeof(T) - 1) / sizeof(T) *
                     sizeof(T));
    arguments.resize(arguments.size() + sizeof(T));
    std::memcpy(&arguments[arguments.size() - sizeof(T)], &value, sizeof(T));
  }
  template <class... A> void setArguments(A... values) {
    arguments.clear();
    (put(values), ...);
  }

  llvm::Expected<LaunchStats> run(llvm::StringRef kernel, LaunchConfig config) {
    const KernelInfo *info = object ? object->findKernel(kernel) : nullptr;
    if (!info)
      return llvm::createStringError("no kernel " + kernel);
    config.explicitKernargs = arguments;
    options.sanitizer = sanitizes ? &sanitizer : nullptr;
    return launch(*object, *info, memory, config, options);
  }
  /// Runs a kernel that must succeed.
  LaunchStats expectRun(llvm::StringRef kernel, LaunchConfig config) {
    auto stats = run(kernel, config);
    if (stats)
      return *stats;
    ADD_FAILURE() << llvm::toString(stats.takeError());
    return {};
  }
  /// The message of a launch that must fail, without the sanitizer.
  std::string expectError(llvm::StringRef kernel, LaunchConfig config) {
    sanitizes = false;
    auto stats = run(kernel, config);
    if (!stats)
      return llvm::toString(stats.takeError());
    ADD_FAILURE() << kernel.str() << " was expected to fail";
    return "";
  }

  std::unique_ptr<CodeObject> object;
  /// Nothing that runs here may be a defect, unless a test says so.
  ~Session() {
    if (expectsDefects)
      return;
    for (const SanitizerReport &report : sanitizer.getReports()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      report.print(os);
      ADD_FAILURE() << text;
    }
  }

  DeviceMemory memory{/*shadowed=*/true};
  Sanitizer sanitizer;
  LaunchOptions options;
  bool sanitizes = true, expectsDefects = false;

private:
  std::vector<uint8_t> arguments;
};

/// Every test runs for each chip.
class ChipTest : public testing::TestWithParam<const char *> {};
#define TE_BOTH_CHIPS(SUITE)                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Chips, SUITE, testing::Values("gfx942", "gfx950"),                       \
      [](const auto &info) { return std::string(info.param); })

/// A fixed sequence of 32-bit numbers that covers edge cases first.
inline std::vector<uint32_t> makeBits(size_t count, uint32_t seed) {
  static constexpr uint32_t edges[] = {
      0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 0x80000001,
      0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff, 0x3f800000,
      0xbf800000, 0x7f7fffff, 0x00000100, 0x4b000000};
  std::vector<uint32_t> bits;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bits.push_back(i < 256 ? edges[(i * (seed % 7 + 1) + i / 16) % 16]
                           : uint32_t(state >> 32));
  }
  return bits;
}

} // namespace mlir::te::emu::test

#endif // TE_UNITTESTS_EMULATOR_KERNELS_H
