//===- Backends.h - devices by stand-in libraries, for tests -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_RUNTIME_BACKENDS_H
#define TE_UNITTESTS_RUNTIME_BACKENDS_H

#include "TestElf.h"
#include "te/Runtime/Gpu.h"
#include "te/Runtime/Program.h"
#include "gtest/gtest.h"

namespace mlir::te::rt {

/// A stand-in library, and a program for its chip.
struct Backend {
  const char *name, *chip, *other, *device;
  Result<std::unique_ptr<Device>> (*open)(int ordinal);
  const char *library;

  Program make(const std::string &from = "", const std::string &to = "",
               const std::string &otherFrom = "",
               const std::string &otherTo = "") const {
    std::string text = kManifest;
    auto replace = [&](const std::string &from, const std::string &to) {
      text.replace(text.find(from), from.size(), to);
    };
    replace("gfx950", chip);
    if (!from.empty())
      replace(from, to);
    if (!otherFrom.empty())
      replace(otherFrom, otherTo);
    bool isCuda = std::string(name) == "Cuda";
    auto program =
        Program::create(isCuda ? makePtx(text) : makeElf(".te.manifest", text));
    EXPECT_TRUE(bool(program)) << program.error();
    return std::move(*program);
  }
};

inline const Backend kBackends[] = {
    {"Hip", "gfx950", "gfx942", "hip: Fake Instinct (gfx950:sramecc+:xnack-)",
     [](int ordinal) { return openHipDevice(ordinal, TE_FAKE_HIP); },
     TE_FAKE_HIP},
    {"Cuda", "sm_90a", "sm_100a", "cuda: Fake H200 (sm_90)",
     [](int ordinal) { return openCudaDevice(ordinal, TE_FAKE_CUDA); },
     TE_FAKE_CUDA},
};

} // namespace mlir::te::rt

#endif // TE_UNITTESTS_RUNTIME_BACKENDS_H
