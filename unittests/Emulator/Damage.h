//===- Damage.h - damaged code objects --------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_EMULATOR_DAMAGE_H
#define TE_UNITTESTS_EMULATOR_DAMAGE_H

#include "te/Emulator/Emulator.h"
#include "te/Emulator/Sanitizer.h"
#include "te/Emulator/Trace.h"

#include <random>

namespace mlir::te::emu::test {

/// A copy with a few bytes, bits or words changed, or its end cut off.
inline std::vector<uint8_t> damage(llvm::ArrayRef<uint8_t> image,
                                   std::mt19937 &random) {
  std::vector<uint8_t> damaged = image.vec();
  for (unsigned left = 1 + random() % 8; left; --left) {
    size_t at = random() % damaged.size();
    switch (random() % 8) {
    case 0: // headers
      damaged[at % std::min<size_t>(damaged.size(), 1024)] = random();
      break;
    case 1:
      damaged[at] ^= 1 << random() % 8;
      break;
    case 2: // a number that is too large
      for (size_t i = 0; i < 4 && at + i < damaged.size(); ++i)
        damaged[at + i] = 0xff;
      break;
    case 3: // an instruction from elsewhere
      for (size_t from = random() % damaged.size(), i = 0;
           i < 8 && std::max(from, at) + i < damaged.size(); ++i)
        damaged[at + i] = damaged[from + i];
      break;
    case 4:
      if (random() % 16 == 0)
        damaged.resize(std::max<size_t>(at, 1));
      break;
    default:
      damaged[at] = random();
    }
  }
  return damaged;
}

/// Loads `image`, counts its mnemonics, and launches one of its kernels, with
/// the sanitizer, recorded, or neither. All may fail; nothing may crash. True
/// where the image could be loaded.
inline bool runDamaged(llvm::ArrayRef<uint8_t> image, std::mt19937 &random) {
  auto object = CodeObject::load(image, "damaged");
  if (!object) {
    llvm::consumeError(object.takeError());
    return false;
  }
  if ((*object)->getKernels().empty())
    return true;
  bool sanitizes = random() % 2;
  DeviceMemory memory(sanitizes);
  Sanitizer sanitizer;
  std::vector<uint64_t> arguments;
  for (int k = 0; k < 8; ++k)
    arguments.push_back(memory.allocate(4096, "buffer"));
  size_t count = (*object)->getKernels().size();
  const KernelInfo &kernel = (*object)->getKernels()[random() % count];
  size_t bytes = 0;
  for (const KernelArgument &argument : kernel.arguments)
    if (!llvm::StringRef(argument.valueKind).starts_with("hidden_"))
      bytes = std::max<size_t>(bytes, argument.offset + argument.size);
  LaunchConfig config{{2, 1, 1}, {128, 1, 1}};
  config.explicitKernargs =
      llvm::ArrayRef<uint8_t>(reinterpret_cast<uint8_t *>(arguments.data()),
                              std::min<size_t>(bytes, 64));
  LaunchOptions options;
  options.threads = 1;
  options.maxWorkgroupInstructions = 1000;
  options.sanitizer = sanitizes ? &sanitizer : nullptr;
  TraceRequest request{{0, 1}, 8};
  Trace trace;
  if (!sanitizes && random() % 2) {
    options.profile = true;
    options.record = &request;
    options.trace = &trace;
  }
  llvm::consumeError(
      launch(**object, kernel, memory, config, options).takeError());
  llvm::consumeError((*object)->countMnemonics(kernel).takeError());
  for (const SanitizerReport &report : sanitizer.getReports())
    report.print(llvm::nulls());
  return true;
}

} // namespace mlir::te::emu::test

#endif // TE_UNITTESTS_EMULATOR_DAMAGE_H
