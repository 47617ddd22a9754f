//===- ElfSection.cpp - finds a section of an ELF file -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Manifest.h"

#include <elf.h>

using namespace mlir::te::rt;
using Image = std::span<const uint8_t>;

/// Reads a T at `offset`; false where that is not inside the image.
template <typename T>
static bool readAt(Image image, uint64_t offset, T &value) {
  if (offset > image.size() || image.size() - offset < sizeof(T))
    return false;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return true;
}

static Failure damaged(const std::string &what) {
  return {"damaged ELF file: " + what + "; compile the program again"};
}

static Result<Image> contentsOf(Image image, const Elf64_Shdr &section,
                                const std::string &name) {
  if (section.sh_type == SHT_NOBITS)
    return damaged("section " + name + " has no contents");
  if (section.sh_offset > image.size() ||
      image.size() - section.sh_offset < section.sh_size)
    return damaged("section " + name + " ends beyond the file's " +
                   std::to_string(image.size()) + " bytes");
  return image.subspan(section.sh_offset, section.sh_size);
}

bool mlir::te::rt::isElf(Image image) {
  return image.size() >= SELFMAG &&
         std::memcmp(image.data(), ELFMAG, SELFMAG) == 0;
}

static Status readHeader(Image image, Elf64_Ehdr &header) {
  if (!isElf(image))
    return Failure{"not an ELF file; expected a code object (HSACO)"};
  if (!readAt(image, 0, header))
    return damaged("it ends inside the file header");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Failure{"an ELF file, but not of 64 bits and little-endian as a "
                   "code object (HSACO) is"};
  if (header.e_shoff == 0)
    return damaged("it has no section headers");
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    return damaged("section headers of " + std::to_string(header.e_shentsize) +
                   " bytes, expected " + std::to_string(sizeof(Elf64_Shdr)));
  return {};
}

Result<Image> mlir::te::rt::findElfSection(Image image, std::string_view name) {
  Elf64_Ehdr header;
  if (Status status = readHeader(image, header); !status)
    return status.takeFailure();
  // Bounded by 16 bits; code objects have a few dozen sections.
  auto readSection = [&](uint64_t index, Elf64_Shdr &section) {
    uint64_t offset;
    return !__builtin_add_overflow(header.e_shoff, index * sizeof(Elf64_Shdr),
                                   &offset) &&
           readAt(image, offset, section);
  };
  Elf64_Shdr names;
  if (header.e_shstrndx >= header.e_shnum ||
      !readSection(header.e_shstrndx, names))
    return damaged("no section with the section names");
  Result<Image> strings = contentsOf(image, names, "of names");
  if (!strings)
    return strings;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!readSection(i, section))
      return damaged("section header " + std::to_string(i) +
                     " lies beyond the file's end");
    if (section.sh_name >= strings->size())
      return damaged("the name of section " + std::to_string(i) +
                     " lies beyond the section names");
    Image tail = strings->subspan(section.sh_name);
    // The name, with its terminator.
    if (tail.size() > name.size() && tail[name.size()] == 0 &&
        std::memcmp(tail.data(), name.data(), name.size()) == 0)
      return contentsOf(image, section, std::string(name));
  }
  return Failure{"no section " + std::string(name) +
                 ": the code object was not made by te-compile"};
}
