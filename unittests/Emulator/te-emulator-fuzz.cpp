//===- te-emulator-fuzz.cpp - many damaged code objects -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// te-emulator-fuzz COUNT SEED FILE...: damages the files in turn, COUNT times
// in all, loads and runs what is left. To be built with the preset "asserts"
// (address and undefined-behaviour sanitizers); a crash names its round, which
// `te-emulator-fuzz 1 SEED+ROUND FILE` repeats.
//
//===----------------------------------------------------------------------===//
#include "Damage.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

int main(int argc, char **argv) {
  unsigned count, seed;
  if (argc < 4 || llvm::StringRef(argv[1]).getAsInteger(10, count) ||
      llvm::StringRef(argv[2]).getAsInteger(10, seed)) {
    llvm::errs() << "usage: te-emulator-fuzz COUNT SEED FILE...\n";
    return 2;
  }
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> files;
  for (int i = 3; i < argc; ++i) {
    auto file = llvm::MemoryBuffer::getFile(argv[i]);
    if (!file || (*file)->getBufferSize() == 0) {
      llvm::errs() << argv[i] << ": cannot be read\n";
      return 2;
    }
    files.push_back(std::move(*file));
  }
  unsigned loaded = 0;
  for (unsigned round = 0; round < count; ++round) {
    std::mt19937 random(seed + round);
    unsigned index = count == 1 ? 0 : round % files.size();
    // For whoever looks at a crash: the last line is its round.
    if (round % 1000 == 0 || count == 1)
      llvm::errs() << "round " << round << "\n";
    llvm::StringRef content = files[index]->getBuffer();
    auto damaged = damage({content.bytes_begin(), content.bytes_end()}, random);
    loaded += runDamaged(damaged, random);
  }
  llvm::outs() << count << " damaged code objects, " << loaded
               << " of them loaded, no crash\n";
  return 0;
}
