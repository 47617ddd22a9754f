//===- Arguments.h - te-run: what raw mode gives a kernel -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads --buffer, --arg and --kernarg. An argument is bytes of the kernel's
// argument segment; those of buffers' addresses are filled in once these are
// known.
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

/// What one flag gives.
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

/// Its place in the kernel's argument segment.
struct PlacedArgument {
  std::string name; // in messages: "argument 3"
  std::string flag; // that gives it
  uint32_t offset = 0;
  uint32_t align = 1; // of LDS that it points to
  RawArgument argument;

  uint64_t getEnd() const { return uint64_t(offset) + argument.bytes.size(); }
};

/// Reads an argument's value; a buffer of its own is added to `buffers`.
rt::Result<RawArgument> parseArgument(llvm::StringRef text,
                                      std::vector<RawBuffer> &buffers);

/// The metadata's arguments but for the hidden ones, which no --arg gives.
std::vector<emu::KernelArgument> getExplicit(const emu::KernelInfo &kernel);

/// "x: global_buffer, 8 bytes"
std::string describe(const emu::KernelArgument &argument);

/// What a flag can give for a value of `bytes`.
std::string suggestValue(uint32_t bytes);

/// PlaceArguments.cpp: what the --arg and --kernarg flags of a launch give
/// `kernel`; what none gives is 0.
rt::Result<std::vector<PlacedArgument>> placeArguments(
    const emu::KernelInfo &kernel, llvm::ArrayRef<std::string> arguments,
    llvm::ArrayRef<std::string> kernargs, std::vector<RawBuffer> &buffers);

} // namespace mlir::te

#endif // TE_TOOLS_TE_RUN_ARGUMENTS_H
