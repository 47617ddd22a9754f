//===- CoverageTest.cpp - every row runs in some test ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Coverage.h"
#include "Instruction.h"

#include "gtest/gtest.h"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

/// Rows that no kernel has, with the reason.
static const std::set<std::string> excused = {};

TEST(Coverage, EveryRowIsInATestKernel) {
  EXPECT_EQ(listUnreached(TE_KERNEL_DIR), excused);
}

/// A row that no chip's disassembler knows cannot run.
TEST(Coverage, EveryRowIsAnInstruction) {
  for (const Table &table : getTables())
    for (const Row &row : table.rows)
      EXPECT_TRUE(listMnemonics().count(row.stem))
          << row.stem << " in " << table.name;
}

/// What has no row: a change here is a change of docs/reference/emulator.md.
TEST(Coverage, FewInstructionsHaveNoRow) {
  unsigned without = 0;
  for (auto &[name, chips] : listMnemonics())
    without += !findRow(name);
  EXPECT_EQ(without, 13u);
}
