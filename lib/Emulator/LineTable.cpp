//===- LineTable.cpp - from addresses to source lines ---------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::emu {

struct LineTable::Impl {
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> context;
};

LineTable::LineTable(llvm::ArrayRef<uint8_t> file)
    : impl(std::make_unique<Impl>()) {
  llvm::MemoryBufferRef buffer(llvm::toStringRef(file), "");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) {
    llvm::consumeError(object.takeError());
    return;
  }
  impl->object = std::move(*object);
  // A damaged table is none: what it would say is only a convenience.
  auto ignore = [](llvm::Error error) {
    llvm::consumeError(std::move(error));
  };
  impl->context = llvm::DWARFContext::create(
      *impl->object, llvm::DWARFContext::ProcessDebugRelocations::Process,
      nullptr, "", ignore, ignore);
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
