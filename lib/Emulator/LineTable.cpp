//===- LineTable.cpp - from addresses to source lines ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::emu {

struct LineTable::Impl {
  std::unique_ptr<llvm::DWARFContext> context;
};

using Sections = llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>>;

/// The debug sections of an ELF file, by name without the dot. LLVM's own way
/// from a file to a DWARFContext believes what sizes compressed sections claim.
static Sections findSections(llvm::ArrayRef<uint8_t> file) {
  Sections sections;
  auto elf = llvm::object::ELF64LEFile::create(llvm::toStringRef(file));
  auto headers = elf ? elf->sections() : elf.takeError();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return sections;
  }
  for (const auto &header : *headers) {
    auto name = elf->getSectionName(header);
    auto content = elf->getSectionContents(header);
    if (!name || !content) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(content.takeError());
      continue;
    }
    if (name->consume_front(".debug_") &&
        !(header.sh_flags & llvm::ELF::SHF_COMPRESSED))
      sections[("debug_" + *name).str()] = llvm::MemoryBuffer::getMemBuffer(
          llvm::toStringRef(*content), *name, /*RequiresNullTerminator=*/false);
  }
  return sections;
}

/// A damaged table is none: what it would say is only a convenience.
static void ignore(llvm::Error error) { llvm::consumeError(std::move(error)); }

LineTable::LineTable(llvm::ArrayRef<uint8_t> file)
    : impl(std::make_unique<Impl>()) {
  Sections sections = findSections(file);
  if (sections.contains("debug_line"))
    impl->context = llvm::DWARFContext::create(
        sections, /*AddrSize=*/8, /*isLittleEndian=*/true, ignore, ignore);
}

LineTable::~LineTable() = default;

std::string LineTable::find(uint64_t address) const {
  if (!impl->context)
    return "";
  using Kind = llvm::DILineInfoSpecifier::FileLineInfoKind;
  auto info = impl->context->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection},
      llvm::DILineInfoSpecifier(Kind::RawValue));
  if (!info || !info->Line)
    return "";
  return llvm::formatv("{0}:{1}:{2}", info->FileName, info->Line, info->Column);
}

} // namespace mlir::te::emu
