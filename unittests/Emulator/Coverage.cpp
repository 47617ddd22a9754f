//===- Coverage.cpp - what the chips have, and what has a row -------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Coverage.h"

#include "Program.h"
#include "te/Emulator/Emulator.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <random>

namespace mlir::te::emu::test {

namespace {
/// Where an encoding has its opcode: bits [low, low + count) of the first word;
/// the bits of `fixed` are `prefix`.
struct Encoding {
  uint32_t fixed, prefix;
  unsigned low, count;
};
} // namespace

static constexpr Encoding encodings[] = {
    {0xff800000, 0xbe800000, 8, 8},   // SOP1
    {0xff800000, 0xbf000000, 16, 7},  // SOPC
    {0xff800000, 0xbf800000, 16, 7},  // SOPP
    {0xf0000000, 0xb0000000, 23, 5},  // SOPK
    {0xc0000000, 0x80000000, 23, 7},  // SOP2
    {0xfc000000, 0xc0000000, 18, 8},  // SMEM
    {0xfe000000, 0x7e000000, 9, 8},   // VOP1
    {0xfe000000, 0x7c000000, 17, 8},  // VOPC
    {0x80000000, 0x00000000, 25, 6},  // VOP2
    {0xfc000000, 0xd0000000, 16, 10}, // VOP3, VOP3P
    {0xfc000000, 0xd8000000, 17, 8},  // DS
    {0xfc00c000, 0xdc000000, 18, 7},  // FLAT
    {0xfc00c000, 0xdc004000, 18, 7},  // SCRATCH
    {0xfc00c000, 0xdc008000, 18, 7},  // GLOBAL
    {0xfc000000, 0xe0000000, 18, 7},  // MUBUF
    {0xfc000000, 0xe8000000, 15, 4},  // MTBUF
    {0xfc000000, 0xf0000000, 18, 7},  // MIMG
    {0xfc000000, 0xd4000000, 16, 2},  // VINTRP
    {0xfc000000, 0xc4000000, 4, 2},   // EXP
};

/// The words of try `number`: zeros, anything, few bits, or vector registers at
/// multiples of four.
static void fill(std::array<uint32_t, 5> &words, unsigned number,
                 std::mt19937 &random) {
  for (uint32_t &word : words)
    word = number == 0       ? 0
           : number % 4 == 1 ? random() & 0x04020100
           : number % 4 == 2 ? random() & 0x3c1e0e0e
                             : uint32_t(random());
  if (number % 4 == 3 && number % 8 == 3)
    words[0] &= 12;
  if (number % 4 == 3)
    for (unsigned word : {1, 3}) {
      words[word] = 0;
      for (unsigned low : {0, 9, 18})
        words[word] |= (256 | (random() & 12)) << low;
    }
}

static void sweep(const Chip &chip, unsigned bit, Mnemonics &found) {
  constexpr unsigned tries = 64;
  auto disassembler = llvm::cantFail(Disassembler::create(chip));
  std::mt19937 random(1);
  for (const Encoding &encoding : encodings)
    for (uint32_t opcode = 0; opcode >> encoding.count == 0; ++opcode)
      for (unsigned number = 0; number < tries; ++number) {
        std::array<uint32_t, 5> words;
        fill(words, number, random);
        uint32_t field = ((1u << encoding.count) - 1) << encoding.low;
        words[0] = (words[0] & ~encoding.fixed & ~field) | encoding.prefix |
                   opcode << encoding.low;
        // The first half of a scaled product: with the second, or alone.
        if (words[0] >> 16 == 0xd3ac && number % 4 == 3) {
          words[0] &= 0xffff0000;
          words[1] &= 0x3ffff;
          words[2] = (0xd3ad + number / 4 % 2) << 16 | 0x800;
        }
        llvm::ArrayRef<uint8_t> bytes(
            reinterpret_cast<const uint8_t *>(words.data()), sizeof(words));
        auto result = disassembler->decode(bytes, 0);
        if (result.bytes)
          found[stripEncoding(
                    llvm::StringRef(result.text).take_until([](char c) {
                      return c == ' ' || c == '\t';
                    }))
                    .str()] |= bit;
      }
}

const Mnemonics &listMnemonics() {
  static const Mnemonics all = [] {
    Mnemonics found;
    sweep(*findChip(llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX942), 1, found);
    sweep(*findChip(llvm::ELF::EF_AMDGPU_MACH_AMDGCN_GFX950), 2, found);
    return found;
  }();
  return all;
}

/// Adds what the kernels of one file have.
static void addReached(llvm::StringRef path, std::set<std::string> &reached) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return;
  llvm::StringRef bytes = (*buffer)->getBuffer();
  auto object = llvm::cantFail(
      CodeObject::load({bytes.bytes_begin(), bytes.size()}, path));
  for (const KernelInfo &kernel : object->getKernels())
    for (auto &[name, count] : llvm::cantFail(object->countMnemonics(kernel)))
      reached.insert(name);
}

std::set<std::string> listUnreached(llvm::StringRef directory) {
  std::set<std::string> reached, unreached;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(directory, error), end;
       at != end && !error; at.increment(error))
    if (llvm::StringRef(at->path()).ends_with(".hsaco"))
      addReached(at->path(), reached);
  for (auto &[name, chips] : listMnemonics())
    if (findRow(name) && !reached.count(name))
      unreached.insert(name);
  return unreached;
}

} // namespace mlir::te::emu::test
