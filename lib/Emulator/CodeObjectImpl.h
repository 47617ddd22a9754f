//===- CodeObjectImpl.h - a parsed code object ------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_CODEOBJECTIMPL_H
#define TE_EMULATOR_CODEOBJECTIMPL_H

#include "Chip.h"
#include "te/Emulator/Emulator.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <mutex>

namespace mlir::te::emu {

class Program;

/// What the loader of a real device takes from a kernel descriptor.
struct KernelDescriptor {
  uint64_t entry = 0; // virtual address in the image
  uint32_t ldsBytes = 0, scratchBytes = 0, kernargBytes = 0;
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0, preload = 0;
};

/// A 64-bit field of the image that holds (load address + value).
struct Relocation {
  uint64_t offset = 0, value = 0;
};

/// A name of the image: where it lies, in bytes from the image's begin.
struct Symbol {
  uint64_t address = 0, bytes = 0;
};

struct CodeObject::Impl {
  Impl();
  ~Impl();

  std::string name;
  const Chip *chip = nullptr;
  uint64_t id = 0;            // of this process, never used twice
  std::vector<uint8_t> file;  // as it was loaded
  std::vector<uint8_t> image; // the loaded segments, from virtual address 0
  uint64_t textBegin = 0, textEnd = 0; // the executable segment
  std::vector<Relocation> relocations;
  llvm::StringMap<Symbol> symbols;
  std::vector<KernelInfo> kernels;
  std::vector<KernelDescriptor> descriptors; // matching kernels

  /// The decoder's state with a0 at `accRow`; made when first asked for.
  llvm::Expected<Program *> getProgram(unsigned accRow) const;

private:
  mutable std::mutex mutex;
  mutable std::map<unsigned, std::unique_ptr<Program>> programs;
};

/// Fills `impl` from an ELF image (CodeObject::load's work).
llvm::Error parseCodeObject(llvm::ArrayRef<uint8_t> image,
                            CodeObject::Impl &impl);
/// Adds to `kernels` what the msgpack note `blob` says.
llvm::Error parseMetadata(llvm::StringRef blob,
                          std::vector<KernelInfo> &kernels);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_CODEOBJECTIMPL_H
