//===- WriteCoverage.cpp - docs/reference/emulator.md ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without arguments: the page, to standard output. With a directory: the rows
// that no kernel of its code objects has.
//
//===----------------------------------------------------------------------===//
#include "Coverage.h"
#include "Instruction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <vector>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

static void printList(const char *title,
                      const std::vector<std::string> &names) {
  if (names.empty())
    return;
  llvm::outs() << title << " (" << names.size() << "): ";
  llvm::interleave(
      names, llvm::outs(),
      [](const std::string &name) { llvm::outs() << "`" << name << "`"; }, " ");
  llvm::outs() << "\n\n";
}

/// The names that `keep` takes, by chips.
template <class Keep> static unsigned printByChip(Keep keep) {
  std::vector<std::string> byChips[4];
  unsigned count = 0;
  for (auto &[name, chips] : listMnemonics())
    if (keep(name)) {
      byChips[chips].push_back(name);
      ++count;
    }
  printList("Both chips", byChips[3]);
  printList("gfx942", byChips[1]);
  printList("gfx950", byChips[2]);
  return count;
}

static void printPage() {
  unsigned modelled = 0;
  for (auto &[name, chips] : listMnemonics())
    modelled += findRow(name) != nullptr;
  llvm::outs() << "<!-- Written by te-emulator-coverage (make docs); don't "
                  "edit -->\n\n# Instructions of the emulator\n\n"
               << "LLVM disassembles " << listMnemonics().size()
               << " mnemonics for gfx942 and gfx950 (encoding suffixes left "
                  "out); "
               << modelled << " have a row in the emulator's tables.\n\n";
  for (const Table &table : getTables()) {
    llvm::outs() << "## " << table.name << "\n\n";
    std::set<llvm::StringRef> names;
    for (const Row &row : table.rows)
      names.insert(row.stem);
    printByChip([&](llvm::StringRef name) { return names.count(name); });
  }
  llvm::outs() << "## No row\n\nReaching one of these ends a launch with an "
                  "error that names it. They are branch stacks that compilers "
                  "no longer use, what only privileged code may do, scalar "
                  "accesses to scratch, graphics, and the first half of a "
                  "scaled MFMA by itself.\n\n";
  printByChip([](llvm::StringRef name) { return !findRow(name); });
}

int main(int argc, char **argv) {
  if (argc < 2)
    printPage();
  else
    for (const std::string &name : listUnreached(argv[1]))
      llvm::outs() << name << "\n";
  return 0;
}
