//===- Kernels.h - profiles test kernels ------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_CYCLEMODEL_KERNELS_H
#define TE_UNITTESTS_CYCLEMODEL_KERNELS_H

#include "te/CycleModel/CycleModel.h"
#include "te/Emulator/Emulator.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cstring>

namespace mlir::te::cycle::test {

/// A code object and its device memory.
class Kernels {
public:
  Kernels(const std::string &file, const std::string &chip)
      : target(*Target::lookup(chip)), timing(*Timing::lookup(chip)) {
    std::string path = TE_KERNEL_DIR "/" + file + "." + chip + ".hsaco";
    auto buffer = llvm::MemoryBuffer::getFile(path);
    EXPECT_TRUE(bool(buffer)) << path;
    llvm::StringRef text = (*buffer)->getBuffer();
    auto loaded =
        emu::CodeObject::load({text.bytes_begin(), text.bytes_end()}, file);
    EXPECT_TRUE(bool(loaded));
    object = std::move(*loaded);
  }

  uint64_t allocate(uint64_t bytes) { return memory.allocate(bytes, "buffer"); }

  /// Arguments of a kernel: addresses are uint64_t, sizes int.
  template <class... A> static std::vector<uint8_t> pack(A... values) {
    std::vector<uint8_t> bytes;
    auto put = [&](auto value) {
      bytes.resize(llvm::alignTo(bytes.size(), sizeof(value)) + sizeof(value));
      std::memcpy(&bytes[bytes.size() - sizeof(value)], &value, sizeof(value));
    };
    (put(values), ...);
    return bytes;
  }

  emu::Trace trace(const std::string &kernel, uint32_t grid, uint32_t block,
                   const std::vector<uint8_t> &arguments, unsigned threads = 0,
                   bool all = false) {
    const emu::KernelInfo *info = object->findKernel(kernel);
    EXPECT_TRUE(info) << kernel;
    emu::LaunchConfig config{{grid, 1, 1}, {block, 1, 1}};
    config.explicitKernargs = arguments;
    std::vector<uint64_t> work =
        emu::measureWork(*object, *info, memory, config);
    emu::TraceRequest request =
        chooseWorkgroups(target, timing, info->vgprs, info->ldsBytes,
                         llvm::divideCeil(block, 64), grid, work);
    if (all)
      request.workgroups =
          findBusiestUnit(target, timing, /*held=*/1, grid, work).workgroups;
    emu::Trace made;
    emu::LaunchOptions options;
    options.profile = true;
    options.threads = threads;
    options.record = &request;
    options.trace = &made;
    auto stats = emu::launch(*object, *info, memory, config, options);
    EXPECT_TRUE(bool(stats)) << llvm::toString(stats.takeError());
    made.work = std::move(work);
    return made;
  }
  Profile profile(const std::string &kernel, uint32_t grid, uint32_t block,
                  const std::vector<uint8_t> &arguments,
                  const SimulationOptions &options = {}, bool all = false) {
    return makeProfile(
        kernel, trace(kernel, grid, block, arguments, /*threads=*/0, all),
        target, timing, options);
  }

  const Target &target;
  const Timing &timing;
  std::unique_ptr<emu::CodeObject> object;
  emu::DeviceMemory memory;
};

/// A figure of the model next to a published one, as a row of a table; they
/// differ by at most a part of \p tolerance.
inline void expectNear(const std::string &what, double model, double published,
                       double tolerance) {
  double error = model / published - 1;
  llvm::outs() << llvm::formatv("| {0} | {1:f2} | {2:f2} | {3:f1} % |\n", what,
                                published, model, 100 * error);
  EXPECT_LE(std::abs(error), tolerance)
      << what << ": " << model << ", published " << published;
}

/// Single pipes are within 5 % of what is documented.
inline void expectClocks(const std::string &what, double clocks,
                         double documented) {
  expectNear(what, clocks, documented, 0.05);
}

constexpr int kLoopRounds = 16;

/// Runs a kernel with n rounds, and with twice as many: what those take more,
/// for each of \p count instructions of the loop, each of \p waves.
template <class... A>
double clocksEach(Kernels &k, const char *kernel, unsigned block, double count,
                  double waves, A... arguments) {
  auto run = [&](int rounds) {
    return double(
        k.profile(kernel, 1, block, k.pack(arguments..., rounds)).cu.clocks);
  };
  return (run(2 * kLoopRounds) - run(kLoopRounds)) /
         (kLoopRounds * count * waves);
}

/// Every test runs for each chip.
class ChipTest : public testing::TestWithParam<const char *> {};
#define TE_BOTH_CHIPS(SUITE)                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Chips, SUITE, testing::Values("gfx942", "gfx950"),                       \
      [](const auto &info) { return std::string(info.param); })

} // namespace mlir::te::cycle::test

#endif // TE_UNITTESTS_CYCLEMODEL_KERNELS_H
