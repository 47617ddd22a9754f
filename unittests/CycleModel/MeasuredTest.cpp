//===- MeasuredTest.cpp - next to micro-benchmarks of real chips
//-----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What others measured on an MI308X (gfx942, 80 CUs at 1.42 GHz; tingqli/pyhip)
// and the model are at most 10 % apart. Prints the table of
// docs/cycle-model.md.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

using namespace mlir::te;
using namespace mlir::te::cycle;
using namespace mlir::te::cycle::test;

static constexpr double kTolerance = 0.10;

namespace {
/// Clocks of a group of instructions; \p groups a round.
struct Row {
  const char *kernel, *what;
  double groups, clocks;
};
} // namespace

static void expectRows(const char *chip, unsigned block,
                       llvm::ArrayRef<Row> rows) {
  Kernels k("micro", chip);
  uint64_t out = k.allocate(1 << 16);
  for (const Row &row : rows)
    expectNear(std::string(chip) + " " + row.what,
               clocksEach(k, row.kernel, block, row.groups, 1, out), row.clocks,
               kTolerance);
}

/// An MFMA of 16 clocks, with factors of 8 bytes, and what stands after it in
/// the wave.
TEST(MeasuredGfx942, BesideAnMfma) {
  expectRows("gfx942", 256,
             {{"beside_add_3", "MFMA, 3 v_add_f32", 64, 16},
              {"beside_add_4", "MFMA, 4 v_add_f32", 64, 20},
              {"beside_pk_1", "MFMA, v_pk_add_f32", 64, 28},
              {"beside_pk_2", "MFMA, 2 v_pk_add_f32", 64, 32},
              {"beside_pk_4", "MFMA, 4 v_pk_add_f32", 64, 40},
              {"beside_exp_1", "MFMA, v_exp_f32", 64, 20},
              {"beside_exp_2", "MFMA, 2 v_exp_f32", 64, 36},
              {"beside_exp_4", "MFMA, 4 v_exp_f32", 64, 68},
              {"beside_two", "MFMA, MFMA, 3 v_add_f32, v_exp_f32", 32, 48},
              {"beside_each", "MFMA, 3 v_add_f32, MFMA, v_exp_f32", 32, 36},
              {"exp_and_add", "v_exp_f32, v_add_f32", 64, 20}});
}

/// Likewise, but of two waves of a SIMD: one has the MFMAs.
TEST(MeasuredGfx942, BesideAnMfmaOfAnotherWave) {
  expectRows("gfx942", 512,
             {{"other_add_3", "MFMA, 3 v_add_f32 of another wave", 256, 16},
              {"other_add_4", "MFMA, 4 v_add_f32 of another wave", 256, 20},
              {"other_exp_1", "MFMA, v_exp_f32 of another wave", 256, 20},
              {"other_exp_2", "MFMA, 2 v_exp_f32 of another wave", 256, 36},
              {"other_pk_1", "MFMA, v_pk_add_f32 of another wave", 256, 21},
              {"other_pk_2", "MFMA, 2 v_pk_add_f32 of another wave", 256, 26}});
}

/// Not measured: the rule for wider factors (LLVM issue 233721).
TEST(MeasuredGfx950, WiderFactors) {
  expectRows("gfx950", 256,
             {{"beside_16_bytes_add_2", "f16 MFMA, 2 v_add_f32", 64, 16},
              {"beside_16_bytes_add_3", "f16 MFMA, 3 v_add_f32", 64, 20},
              {"beside_32_bytes_add_5", "fp8 MFMA, 5 v_add_f32", 64, 32},
              {"beside_32_bytes_add_6", "fp8 MFMA, 6 v_add_f32", 64, 36}});
}

static constexpr unsigned kBlock = 1024;

/// \p bytes a lane and round, in TB/s.
static double measureStores(Kernels &k, const char *kernel, unsigned grid,
                            const Timing &timing, double bytes, double stride) {
  int rounds = 32;
  uint64_t lanes = uint64_t(grid) * kBlock * rounds;
  uint64_t out = k.allocate(uint64_t(lanes * stride));
  emu::Trace trace = k.trace(kernel, grid, kBlock, k.pack(out, rounds));
  Profile p = makeProfile(kernel, trace, k.target, timing);
  return lanes * bytes / p.seconds() / 1e12;
}

TEST(MeasuredGfx942, Stores) {
  Kernels k("micro", "gfx942");
  Timing timing = k.timing.withClock(1.42);
  auto measure = [&](const char *kernel, double bytes, double stride) {
    return measureStores(k, kernel, 80, timing, bytes, stride);
  };
  // 3.1 to 3.4 were measured.
  expectNear("stores of 80 CUs, TB/s", measure("store_flood", 16, 16), 3.25,
             kTolerance);
  expectNear("stores of 4 lanes x 4 bytes, TB/s",
             measure("store_pieces", 4, 16), 0.73, kTolerance);
}

class Measured : public ChipTest {};
TE_BOTH_CHIPS(Measured);

/// Packed bf16 atomics have a quarter of the bandwidth of stores.
TEST_P(Measured, Atomics) {
  Kernels k("micro", GetParam());
  auto measure = [&](const char *kernel) {
    return measureStores(k, kernel, k.target.computeUnits, k.timing, 4, 4);
  };
  expectNear(std::string(GetParam()) + " stores / atomics",
             measure("store_dwords") / measure("atomic_flood"), 4, kTolerance);
}
