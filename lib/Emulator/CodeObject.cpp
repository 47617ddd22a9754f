//===- CodeObject.cpp - reads an AMDGPU ELF -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeObjectImpl.h"
#include "Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <cstring>

namespace mlir::te::emu {

using llvm::createStringError;
using llvm::formatv;
using llvm::object::ELF64LE;
using Elf = llvm::object::ELFFile<ELF64LE>;

/// Far above any code object's needs: keeps a hostile header from taking the
/// host's memory.
static constexpr uint64_t kMaxImageBytes = 1 << 28;

CodeObject::CodeObject() : impl(std::make_unique<Impl>()) {}
CodeObject::~CodeObject() = default;
CodeObject::Impl::~Impl() = default;
CodeObject::Impl::Impl() {
  static std::atomic<uint64_t> ids{1};
  id = ids++;
}

llvm::StringRef CodeObject::getChip() const { return impl->chip->name; }
llvm::ArrayRef<KernelInfo> CodeObject::getKernels() const {
  return impl->kernels;
}
const KernelInfo *CodeObject::findKernel(llvm::StringRef name) const {
  auto found = llvm::find_if(
      impl->kernels, [&](const KernelInfo &k) { return k.name == name; });
  return found == impl->kernels.end() ? nullptr : &*found;
}

llvm::Expected<Program *> CodeObject::Impl::getProgram(unsigned accRow) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Program> &program = programs[accRow];
  if (!program) {
    auto made = Program::create(*this, accRow);
    if (!made)
      return made.takeError();
    program = std::move(*made);
  }
  return program.get();
}

static llvm::Error checkHeader(const Elf::Elf_Ehdr &header, const Chip *&chip) {
  namespace elf = llvm::ELF;
  if (header.e_machine != elf::EM_AMDGPU)
    return createStringError(
        formatv("an ELF for machine {0}; expected AMDGPU ({1}), an HSACO",
                uint16_t(header.e_machine), uint16_t(elf::EM_AMDGPU)));
  if (header.e_ident[elf::EI_OSABI] != elf::ELFOSABI_AMDGPU_HSA)
    return createStringError(
        formatv("an AMDGPU ELF of OS ABI {0}; expected {1} (amdhsa)",
                unsigned(header.e_ident[elf::EI_OSABI]),
                unsigned(elf::ELFOSABI_AMDGPU_HSA)));
  unsigned abi = header.e_ident[elf::EI_ABIVERSION];
  if (abi < elf::ELFABIVERSION_AMDGPU_HSA_V4 ||
      abi > elf::ELFABIVERSION_AMDGPU_HSA_V6)
    return createStringError(
        formatv("a code object of ABI version {0}; expected version 4, 5 or 6 "
                "(ABI {1} to {2})",
                abi, unsigned(elf::ELFABIVERSION_AMDGPU_HSA_V4),
                unsigned(elf::ELFABIVERSION_AMDGPU_HSA_V6)));
  if (header.e_type != elf::ET_DYN)
    return createStringError(
        formatv("an ELF of type {0}; expected a linked code object (ET_DYN, "
                "{1}): link it with ld.lld -shared",
                uint16_t(header.e_type), uint16_t(elf::ET_DYN)));
  uint32_t machine = header.e_flags & elf::EF_AMDGPU_MACH;
  chip = findChip(machine);
  if (!chip)
    return createStringError(formatv(
        "a code object for AMDGPU machine {0:x}; the emulator knows {1}",
        machine, listChips()));
  return llvm::Error::success();
}

static llvm::Error readSegments(const Elf &elf, CodeObject::Impl &impl) {
  auto headers = elf.program_headers();
  if (!headers)
    return headers.takeError();
  for (const Elf::Elf_Phdr &header : *headers) {
    if (header.p_type != llvm::ELF::PT_LOAD)
      continue;
    // What the file has the bytes of may be large.
    uint64_t most = kMaxImageBytes + elf.getBufSize();
    if (header.p_vaddr > most || header.p_memsz > most ||
        header.p_filesz > header.p_memsz)
      return createStringError(
          formatv("a segment of {0} bytes ({1} in the file) at {2:x}; expected "
                  "at most {3} bytes in all",
                  uint64_t(header.p_memsz), uint64_t(header.p_filesz),
                  uint64_t(header.p_vaddr), most));
    if (header.p_offset > elf.getBufSize() ||
        header.p_filesz > elf.getBufSize() - header.p_offset)
      return createStringError(
          formatv("a segment at file offset {0} of {1} bytes in a file of {2}: "
                  "the file is truncated",
                  uint64_t(header.p_offset), uint64_t(header.p_filesz),
                  elf.getBufSize()));
    uint64_t end = header.p_vaddr + header.p_memsz;
    if (impl.image.size() < end)
      impl.image.resize(end);
    if (header.p_filesz)
      std::memcpy(impl.image.data() + header.p_vaddr,
                  elf.base() + header.p_offset, header.p_filesz);
    if (!(header.p_flags & llvm::ELF::PF_X))
      continue;
    if (impl.textEnd)
      return createStringError("two executable segments; expected one");
    impl.textBegin = header.p_vaddr;
    impl.textEnd = header.p_vaddr + (header.p_memsz & ~uint64_t(3));
    if (impl.textBegin % 4)
      return createStringError("the executable segment is not aligned to 4");
  }
  if (!impl.textEnd)
    return createStringError("no executable segment; expected a linked HSACO");
  return llvm::Error::success();
}

static llvm::Error readNotes(const Elf &elf, CodeObject::Impl &impl) {
  auto headers = elf.program_headers();
  if (!headers)
    return headers.takeError();
  for (const Elf::Elf_Phdr &header : *headers) {
    if (header.p_type != llvm::ELF::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    llvm::Error bad = llvm::Error::success();
    for (const auto &note : elf.notes(header, error)) {
      if (bad || note.getName() != "AMDGPU" ||
          note.getType() != llvm::ELF::NT_AMDGPU_METADATA)
        continue;
      llvm::StringRef blob =
          note.getDescAsStringRef(std::max<size_t>(header.p_align, 4));
      bad = parseMetadata(blob, impl.kernels);
    }
    if (error || bad)
      return llvm::joinErrors(std::move(error), std::move(bad));
  }
  if (impl.kernels.empty())
    return createStringError(
        "no kernel metadata (a note of type NT_AMDGPU_METADATA that lists "
        "kernels); expected a code object of version 4, 5 or 6");
  return llvm::Error::success();
}

/// The defined dynamic symbols.
static llvm::Expected<llvm::StringMap<Symbol>> readSymbols(const Elf &elf) {
  llvm::StringMap<Symbol> symbols;
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const Elf::Elf_Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    auto names = elf.getStringTableForSymtab(section, *sections);
    if (!names)
      return names.takeError();
    auto table = elf.symbols(&section);
    if (!table)
      return table.takeError();
    for (const Elf::Elf_Sym &symbol : *table) {
      auto name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      if (symbol.st_shndx != llvm::ELF::SHN_UNDEF)
        symbols[*name] = {symbol.st_value, symbol.st_size};
    }
  }
  return symbols;
}

static llvm::Error readRelocations(const Elf &elf, CodeObject::Impl &impl) {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const Elf::Elf_Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA ||
        !(section.sh_flags & llvm::ELF::SHF_ALLOC))
      continue;
    auto entries = elf.relas(section);
    if (!entries)
      return entries.takeError();
    for (const Elf::Elf_Rela &entry : *entries) {
      uint32_t type = entry.getType(false);
      if (type != llvm::ELF::R_AMDGPU_RELATIVE64)
        return createStringError(formatv(
            "a dynamic relocation of type {0}; the emulator knows "
            "R_AMDGPU_RELATIVE64 ({1}): define every symbol and hide it",
            type, uint32_t(llvm::ELF::R_AMDGPU_RELATIVE64)));
      if (entry.r_offset > impl.image.size() ||
          impl.image.size() - entry.r_offset < 8)
        return createStringError("a relocation lies outside every segment");
      impl.relocations.push_back({entry.r_offset, uint64_t(entry.r_addend)});
    }
  }
  return llvm::Error::success();
}

static llvm::Error readDescriptor(const KernelInfo &info, uint64_t address,
                                  CodeObject::Impl &impl) {
  namespace hsa = llvm::amdhsa;
  hsa::kernel_descriptor_t raw;
  if (address > impl.image.size() || impl.image.size() - address < sizeof(raw))
    return createStringError(
        formatv("kernel '{0}': its descriptor at {1:x} lies outside every "
                "segment",
                info.name, address));
  std::memcpy(&raw, impl.image.data() + address, sizeof(raw));
  KernelDescriptor out;
  out.entry = address + raw.kernel_code_entry_byte_offset;
  out.ldsBytes = raw.group_segment_fixed_size;
  out.scratchBytes = raw.private_segment_fixed_size;
  out.kernargBytes = raw.kernarg_size;
  out.rsrc1 = raw.compute_pgm_rsrc1;
  out.rsrc2 = raw.compute_pgm_rsrc2;
  out.rsrc3 = raw.compute_pgm_rsrc3;
  out.properties = raw.kernel_code_properties;
  out.preload = raw.kernarg_preload;
  if (out.entry < impl.textBegin || out.entry >= impl.textEnd || out.entry % 4)
    return createStringError(formatv(
        "kernel '{0}': its entry {1:x} is not in the executable segment "
        "[{2:x}, {3:x})",
        info.name, out.entry, impl.textBegin, impl.textEnd));
  impl.descriptors.push_back(out);
  return llvm::Error::success();
}

llvm::Error parseCodeObject(llvm::ArrayRef<uint8_t> image,
                            CodeObject::Impl &impl) {
  if (image.size() < sizeof(Elf::Elf_Ehdr) ||
      std::memcmp(image.data(), llvm::ELF::ElfMagic, 4) != 0)
    return createStringError(
        formatv("not an ELF file ({0} bytes); expected an AMDGPU code object",
                image.size()));
  if (image[llvm::ELF::EI_CLASS] != llvm::ELF::ELFCLASS64 ||
      image[llvm::ELF::EI_DATA] != llvm::ELF::ELFDATA2LSB)
    return createStringError("not a 64-bit little-endian ELF; expected an "
                             "AMDGPU code object");
  auto elf = Elf::create(llvm::toStringRef(image));
  if (!elf)
    return elf.takeError();
  if (llvm::Error error = checkHeader(elf->getHeader(), impl.chip))
    return error;
  if (llvm::Error error = readSegments(*elf, impl))
    return error;
  if (llvm::Error error = readNotes(*elf, impl))
    return error;
  if (llvm::Error error = readRelocations(*elf, impl))
    return error;
  auto symbols = readSymbols(*elf);
  if (!symbols)
    return symbols.takeError();
  impl.symbols = std::move(*symbols);
  for (const KernelInfo &info : impl.kernels) {
    auto found = impl.symbols.find(info.name + ".kd");
    if (found == impl.symbols.end())
      return createStringError(
          formatv("kernel '{0}' is in the metadata, but the symbol '{0}.kd' of "
                  "its descriptor is missing",
                  info.name));
    if (llvm::Error error = readDescriptor(info, found->second.address, impl))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<CodeObject>>
CodeObject::load(llvm::ArrayRef<uint8_t> image, llvm::StringRef name) {
  std::unique_ptr<CodeObject> object(new CodeObject());
  object->impl->name = name.str();
  object->impl->file = image.vec(); // aligned, as LLVM's ELF reader wants it
  if (llvm::Error error = parseCodeObject(object->impl->file, *object->impl))
    return createStringError("'" + name +
                             "': " + llvm::toString(std::move(error)));
  return object;
}

} // namespace mlir::te::emu
