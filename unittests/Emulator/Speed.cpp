//===- Speed.cpp - prints how fast the emulator runs ----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program, not a test: figures depend on the machine. The best of three runs;
// the last column says how many times longer the sanitizer makes it.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

static LaunchStats runBest(Session &session, const char *kernel,
                           LaunchConfig config, bool sanitizes) {
  LaunchStats best;
  session.sanitizes = sanitizes;
  for (int run = 0; run < 3; ++run) {
    LaunchStats stats = session.expectRun(kernel, config);
    if (!run || stats.seconds < best.seconds)
      best = stats;
  }
  return best;
}

/// One line: without the sanitizer, and how many times longer with it.
static void measure(const char *what, Session &session, const char *kernel,
                    LaunchConfig config) {
  LaunchStats stats = runBest(session, kernel, config, false);
  LaunchStats sanitized = runBest(session, kernel, config, true);
  auto rate = [&](uint64_t count) {
    return double(count) / stats.seconds / 1e6;
  };
  llvm::outs() << llvm::formatv(
      "| {0,-28} | {1,7:F2} | {2,8:F2} | {3,5:F2} | {4,9:F2} |\n", what,
      rate(stats.instructions), rate(stats.byClass["mfma"]), stats.seconds,
      sanitized.seconds / stats.seconds);
}

/// A bf16 of small magnitude.
static std::vector<uint16_t> makeValues(size_t count) {
  std::vector<uint16_t> values;
  for (uint32_t bits : makeBits(count, 11))
    values.push_back((bits & 0x80ff) | 0x3e00);
  return values;
}
static float valueOf(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

/// One entry in 97 of the product, against a sum in double.
static bool isProduct(const std::vector<float> &d,
                      const std::vector<uint16_t> &a,
                      const std::vector<uint16_t> &b, size_t n) {
  for (size_t at = 0; at < n * n; at += 97) {
    double sum = 0, magnitude = 0;
    for (size_t k = 0; k < n; ++k) {
      double product =
          double(valueOf(a[at / n * n + k])) * valueOf(b[at % n * n + k]);
      sum += product;
      magnitude += std::abs(product);
    }
    if (!(std::abs(d[at] - sum) <= magnitude * n * 0x1p-24))
      return false;
  }
  return true;
}

int main() {
  const char *chip = "gfx942";
  llvm::outs() << "| kernel                       |     M/s | MFMA M/s |     s "
                  "| sanitized |\n| --- | --- | --- | --- | --- |\n";
  {
    Session s("speed", chip);
    s.setArguments(s.upload(makeBits(64, 3)),
                   s.upload(std::vector<float>(64 * 64)), int(20000));
    measure("f32 and integer arithmetic", s, "vector",
            {{64, 1, 1}, {64, 1, 1}});
  }
  {
    Session s("speed", chip);
    auto in = makeValues(64 * 8);
    s.setArguments(s.upload(in), s.upload(in),
                   s.upload(std::vector<float>(16 * 64 * 16)), int(4000));
    measure("v_mfma_f32_32x32x8_bf16", s, "matrix", {{16, 1, 1}, {64, 1, 1}});
  }
  const size_t n = 1024;
  Session s("speed", chip);
  auto a = makeValues(n * n), b = makeValues(n * n);
  uint64_t d = s.upload(std::vector<float>(n * n, NAN));
  s.setArguments(s.upload(a), s.upload(b), d, int(n), int(n));
  measure("bf16 GEMM, 1024^3", s, "gemm", {{n / 128, n / 128, 1}, {256, 1, 1}});
  if (isProduct(s.download<float>(d, n * n), a, b, n))
    return 0;
  llvm::errs() << "the GEMM's result is wrong\n";
  return 1;
}
