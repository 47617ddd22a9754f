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

/// Every test runs for each chip.
class ChipTest : public testing::TestWithParam<const char *> {};
#define TE_BOTH_CHIPS(SUITE)                                                   \
  INSTANTIATE_TEST_SUITE_P(                                                    \
      Chips, SUITE, testing::Values("gfx942", "gfx950"),                       \
      [](const auto &info) { return std::string(info.param); })

} // namespace mlir::te::cycle::test

#endif // TE_UNITTESTS_CYCLEMODEL_KERNELS_H
