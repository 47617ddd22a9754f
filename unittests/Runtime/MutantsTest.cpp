//===- MutantsTest.cpp - damaged manifests and arrays -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes are, reading them gives a value or an error with a text.
// Each run draws others; many: TERuntimeTests --gtest_filter=Mutants.*
// --gtest_repeat=100.
//
//===----------------------------------------------------------------------===//
#include "TestElf.h"
#include "te/Runtime/Manifest.h"
#include "te/Runtime/Npy.h"
#include "te/Runtime/Program.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::te::rt;

static constexpr unsigned kMutants = 1000;

namespace {
class Mutants : public testing::Test {
protected:
  void SetUp() override {
    seed = std::random_device()();
    random.seed(seed);
  }
  size_t draw(size_t below) { return random() % below; }

  /// A few of: a byte, a bit, bytes gone, bytes twice, a number that is extreme
  /// in place of a digit.
  std::string damage(std::string text) {
    static const std::string extremes[] = {
        "-1", "0", "9223372036854775807", "4294967296", "1e400", "null", "[]"};
    for (size_t changes = 1 + draw(3); changes && !text.empty(); --changes) {
      size_t at = draw(text.size());
      switch (draw(5)) {
      case 0:
        text[at] = char(draw(256));
        break;
      case 1:
        text[at] ^= char(1 << draw(8));
        break;
      case 2:
        text.erase(at, 1 + draw(16));
        break;
      case 3:
        text.insert(at, text.substr(at, 1 + draw(16)));
        break;
      case 4:
        if (size_t digit = text.find_first_of("0123456789", at);
            digit != std::string::npos)
          text.replace(digit, 1, extremes[draw(std::size(extremes))]);
        break;
      }
    }
    return text;
  }

  uint32_t seed;
  std::mt19937 random;
};
} // namespace

TEST_F(Mutants, Manifests) {
  unsigned valid = 0;
  for (unsigned i = 0; i < kMutants; ++i) {
    auto manifest = Manifest::parse(damage(kManifest));
    if (!manifest) {
      EXPECT_FALSE(manifest.error().empty()) << "seed " << seed;
      continue;
    }
    // What is valid can be described and asked for sizes.
    ++valid;
    for (const Entry &entry : manifest->entries) {
      EXPECT_FALSE(describe(entry).empty());
      std::vector<int64_t> dims(entry.dims.size(), int64_t(draw(1 << 20)));
      for (const Buffer &buffer : entry.buffers)
        if (auto bytes = getBufferBytes(entry, buffer, dims); !bytes)
          EXPECT_FALSE(bytes.error().empty()) << "seed " << seed;
    }
  }
  EXPECT_GT(valid, 0u) << "seed " << seed;
  EXPECT_LT(valid, kMutants) << "seed " << seed;
}

TEST_F(Mutants, Arrays) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(117, ' ');
  header += '\n';
  std::string file = std::string("\x93NUMPY\1\0", 8) + char(header.size()) +
                     '\0' + header + std::string(24, '\1');
  unsigned valid = 0;
  for (unsigned i = 0; i < kMutants; ++i) {
    std::string text = damage(file);
    auto tensor =
        parseNpy({reinterpret_cast<const uint8_t *>(text.data()), text.size()},
                 DType::F32);
    if (!tensor) {
      EXPECT_FALSE(tensor.error().empty()) << "seed " << seed;
      continue;
    }
    ++valid;
    size_t count = 1;
    for (int64_t size : tensor->shape)
      count *= size;
    EXPECT_EQ(tensor->bytes.size(), 4 * count) << "seed " << seed;
  }
  EXPECT_GT(valid, 0u) << "seed " << seed;
  EXPECT_LT(valid, kMutants) << "seed " << seed;
}
