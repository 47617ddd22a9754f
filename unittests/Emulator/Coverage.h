//===- Coverage.h - what the chips have, and what has a row -----*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_UNITTESTS_EMULATOR_COVERAGE_H
#define TE_UNITTESTS_EMULATOR_COVERAGE_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <set>
#include <string>

namespace mlir::te::emu::test {

/// Chips that have a mnemonic (without its encoding suffix): bit 0 gfx942, bit
/// 1 gfx950.
using Mnemonics = std::map<std::string, unsigned>;

/// Every mnemonic that LLVM's disassembler knows for the chips: each opcode of
/// each encoding is decoded with many fillings of its other fields.
const Mnemonics &listMnemonics();

/// The rows (those of a chip's mnemonics) that no kernel's code has in the
/// .hsaco files of a directory.
std::set<std::string> listUnreached(llvm::StringRef directory);

} // namespace mlir::te::emu::test

#endif // TE_UNITTESTS_EMULATOR_COVERAGE_H
