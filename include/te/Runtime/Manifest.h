//===- Manifest.h - what a compiled program says of itself -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest, version 2: JSON in the section .te.manifest of the code object,
// or in the comments that PTX begins with (docs/manifest.md). It names the
// entries, their buffers, and the kernel launches of each, with sizes as
// expressions of the dynamic dimensions. A Manifest that exists is valid: every
// index is in range and every expression well formed.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_MANIFEST_H
#define TE_RUNTIME_MANIFEST_H

#include "te/Runtime/Expr.h"
#include "te/Runtime/HostTensor.h"

#include <array>
#include <map>
#include <optional>
#include <span>

namespace mlir::te::rt {

enum class BufferKind { Argument, Result, Workspace, Constant };

/// Some values of a size: of launches that are for these alone, and of what
/// they alone need.
struct Condition {
  Expr size;
  int64_t least = 0, most = INT64_MAX;

  Result<bool> holds(std::span<const int64_t> dims) const;
  /// "M is 17 to 128".
  std::string format(std::span<const std::string> dimNames) const;
};

struct Buffer {
  BufferKind kind;
  std::string name;
  DType type;
  std::vector<Expr> shape; // of the storage: bytes along fp4's last dimension
  std::string symbol = {}; // Constant: of the code object, which has the data
  std::optional<Condition> when = {}; // Workspace: has no elements otherwise
};

/// An argument or a result as the program's signature has it. A scaled tensor
/// has two buffers: data, then scales.
struct Value {
  std::string name;
  std::string type; // as MLIR prints it
  std::vector<Expr> shape;
  std::vector<size_t> buffers;
};

enum class KernelArgKind { Buffer, I64, I32, F32 };

struct KernelArg {
  KernelArgKind kind;
  size_t buffer = 0;   // Buffer: index into the entry's buffers
  Expr value;          // I64, I32
  float number = 0;    // F32
  uint32_t offset = 0; // into the kernel's argument segment
};

/// One kernel launch. Nothing is launched where a grid size is 0, or `when`
/// does not hold.
struct Step {
  std::string kernel;
  std::array<Expr, 3> grid;      // workgroups
  std::array<uint32_t, 3> block; // lanes
  uint32_t dynamicLds;           // bytes
  std::vector<KernelArg> args;
  uint32_t kernargBytes; // up to the end of the last argument
  std::optional<Condition> when;

  /// Whether `when` holds, where there is one.
  Result<bool> happens(std::span<const int64_t> dims) const {
    return when ? when->holds(dims) : Result<bool>(true);
  }
};

struct Entry {
  std::string name;
  std::vector<std::string> dims;
  std::vector<Buffer> buffers;
  std::vector<Value> arguments, results;
  std::vector<Step> steps;
};

struct Kernel {
  std::string name;
  uint32_t vgprs, sgprs, agprs; // registers a lane (or wave, for sgprs)
  uint32_t lds;                 // bytes a workgroup
  uint32_t scratch;             // bytes a lane
  uint32_t kernargBytes;
};

struct Manifest {
  std::string producer, target;
  std::string source; // the te-level MLIR module
  std::vector<Entry> entries;
  std::vector<Kernel> kernels;

  /// An error has the path of the field: "entries[0].steps[1].grid[0]: ...".
  static Result<Manifest> parse(std::string_view json);
  /// Finds it in an ELF image or in PTX, and parses it.
  static Result<Manifest> read(std::span<const uint8_t> image);

  const Entry *findEntry(std::string_view name) const;
  const Kernel *findKernel(std::string_view name) const;
};

/// Lines for a person: an entry's dimensions, buffers and launches; a kernel's
/// resources.
std::string describe(const Entry &entry);
std::string describe(const Kernel &kernel);

/// The contents of a section of a little-endian ELF64 file. Every offset is
/// checked against the image.
Result<std::span<const uint8_t>> findElfSection(std::span<const uint8_t> image,
                                                std::string_view name);

/// True where the image begins as an ELF file does.
bool isElf(std::span<const uint8_t> image);

/// True where the image begins as PTX of te-compile does.
bool isPtx(std::span<const uint8_t> image);

/// The manifest of PTX: JSON, from the comments that it begins with.
Result<std::string> findPtxManifest(std::span<const uint8_t> image);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_MANIFEST_H
