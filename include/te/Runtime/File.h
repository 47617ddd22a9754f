//===- File.h - reading and writing files -----------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How all tools write what a user names. A regular file gets its new content as
// a whole or not at all, and keeps its permissions; a new one has those that
// the umask leaves. Symbolic links are followed. Into a device, a pipe or a
// file that a shell has opened (/dev/stdout) it is written as it comes.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_FILE_H
#define TE_RUNTIME_FILE_H

#include "te/Runtime/Result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::te::rt {

/// Messages begin with the file's name. The content is that of `parts`, one
/// after the other.
Status writeFile(const std::string &path,
                 const std::vector<std::string_view> &parts);

/// Messages begin with the file's name.
Result<std::vector<uint8_t>> readFile(const std::string &path);

/// Whether so many bytes of memory can be had; where not, how many `what`, such
/// as "the program's tensors", needs.
Status checkMemory(uint64_t bytes, const std::string &what);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_FILE_H
