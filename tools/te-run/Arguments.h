//===- Arguments.h - te-run: what raw mode gives a kernel -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads --buffer and --arg. An argument is bytes of the kernel's argument
// segment; those of buffers' addresses are filled in once these are known.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TOOLS_TE_RUN_ARGUMENTS_H
#define TE_TOOLS_TE_RUN_ARGUMENTS_H

#include "te/Emulator/Emulator.h"
#include "te/Runtime/HostTensor.h"
#include "te/Runtime/Result.h"

namespace mlir::te {

/// Device memory that the launches of one call share.
struct RawBuffer {
  std::string name;      // of a --buffer, or empty: no other argument has it
  std::string output;    // the file that it is written to in the end, or empty
  rt::HostTensor tensor; // without bytes: zeros
  uint64_t address = 0;  // on the device
};

/// One --arg.
struct RawArgument {
  enum Kind { Pointer, Value, Lds } kind = Value;
  std::vector<uint8_t> bytes; // little-endian
  /// Bytes from `offset` on hold the address of buffer number `buffer`.
  struct Patch {
    size_t offset, buffer;
  };
  std::vector<Patch> patches;
  uint32_t ldsBytes = 0; // Lds: what the kernel is given a pointer to
};

/// NAME=in:F.npy and the other forms of a buffer.
rt::Result<RawBuffer> parseBuffer(llvm::StringRef text);

/// Reads one --arg; a buffer of its own is added to `buffers`.
rt::Result<RawArgument> parseArgument(llvm::StringRef text,
                                      std::vector<RawBuffer> &buffers);

/// The metadata's arguments but for the hidden ones, which no --arg gives.
std::vector<emu::KernelArgument> getExplicit(const emu::KernelInfo &kernel);

/// "x: global_buffer, 8 bytes"
std::string describe(const emu::KernelArgument &argument);

/// Why `given` does not fit `kernel`, or an empty string where it does.
std::string findMismatch(const emu::KernelInfo &kernel,
                         llvm::ArrayRef<RawArgument> given);

} // namespace mlir::te

#endif // TE_TOOLS_TE_RUN_ARGUMENTS_H
