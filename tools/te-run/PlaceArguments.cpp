//===- PlaceArguments.cpp - te-run: where raw mode's arguments go -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments of a launch come either all in the kernel's order, or some of
// them by name (--arg=NAME=V) or by place (--kernarg=OFFSET:V). Here they are
// matched with what the kernel's metadata says.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

static bool isHidden(const emu::KernelArgument &argument) {
  return StringRef(argument.valueKind).starts_with("hidden_");
}

std::vector<emu::KernelArgument>
te::getExplicit(const emu::KernelInfo &kernel) {
  std::vector<emu::KernelArgument> arguments;
  llvm::copy_if(kernel.arguments, std::back_inserter(arguments),
                [](const auto &argument) { return !isHidden(argument); });
  return arguments;
}

std::string te::describe(const emu::KernelArgument &argument) {
  return llvm::formatv("{0}{1}{2}, {3} bytes", argument.name,
                       argument.name.empty() ? "" : ": ", argument.valueKind,
                       argument.size);
}

//===----------------------------------------------------------------------===//
// Kinds and sizes
//===----------------------------------------------------------------------===//

static std::string describeGiven(const RawArgument &given) {
  switch (given.kind) {
  case RawArgument::Pointer:
    return "a buffer's address";
  case RawArgument::Lds:
    return "LDS";
  case RawArgument::Value:
    break;
  }
  return "a value of " + std::to_string(given.bytes.size()) + " bytes";
}

static bool contains(const emu::KernelArgument &argument, uint64_t byte) {
  return byte >= argument.offset && byte - argument.offset < argument.size;
}

/// Kernels in assembler declare a pointer as a value, or as two of four bytes.
static bool takesPointer(const emu::KernelInfo &kernel,
                         const emu::KernelArgument &want) {
  if (want.valueKind == "global_buffer")
    return want.size == 8;
  for (uint64_t byte = want.offset; byte < uint64_t(want.offset) + 8; ++byte)
    for (const emu::KernelArgument &argument : kernel.arguments)
      if (contains(argument, byte) && argument.valueKind != "by_value")
        return false;
  return want.valueKind == "by_value" && (want.size == 4 || want.size == 8);
}

/// What `want` takes, where `have` is not that.
static std::string findRemedy(const emu::KernelInfo &kernel,
                              const emu::KernelArgument &want,
                              const RawArgument &have) {
  if (have.kind == RawArgument::Pointer && takesPointer(kernel, want))
    return "";
  if (want.valueKind == "global_buffer")
    return "in:, out:, inout:, tmp:, the name of a --buffer, or null";
  if (want.valueKind == "dynamic_shared_pointer")
    return have.kind == RawArgument::Lds && want.size == 4 ? "" : "lds:BYTES";
  if (want.valueKind == "by_value")
    return have.kind == RawArgument::Value && want.size == have.bytes.size()
               ? ""
               : suggestValue(want.size);
  return "a kernel whose arguments are buffers, values and LDS: raw mode gives "
         "no other kind";
}

/// Why `have`, which `flag` gives, does not fit `want`; empty where it does.
static std::string findMismatch(const emu::KernelInfo &kernel,
                                const emu::KernelArgument &want,
                                StringRef which, StringRef flag,
                                const RawArgument &have) {
  std::string remedy = findRemedy(kernel, want, have);
  if (remedy.empty())
    return "";
  return llvm::formatv("{0} of kernel {1} ({2}): {3} gives {4}; expected {5}",
                       which, kernel.name, describe(want), flag,
                       describeGiven(have), remedy);
}

//===----------------------------------------------------------------------===//
// In the kernel's order
//===----------------------------------------------------------------------===//

static rt::Failure failCount(const emu::KernelInfo &kernel,
                             ArrayRef<emu::KernelArgument> expected,
                             size_t given) {
  std::string text =
      llvm::formatv("kernel {0} takes {1} arguments, but there are {2} --arg "
                    "flags (with --arg=NAME=V or --kernarg=OFFSET:V the others "
                    "are 0):",
                    kernel.name, expected.size(), given);
  for (auto [index, argument] : llvm::enumerate(expected))
    text += llvm::formatv("\n  {0} {1}", index, describe(argument));
  return {text};
}

static rt::Result<std::vector<PlacedArgument>>
placeInOrder(const emu::KernelInfo &kernel, ArrayRef<std::string> flags,
             std::vector<RawBuffer> &buffers) {
  std::vector<PlacedArgument> placed;
  std::vector<emu::KernelArgument> expected = getExplicit(kernel);
  for (auto [index, text] : llvm::enumerate(flags)) {
    auto argument = parseArgument(text, buffers);
    if (!argument)
      return rt::Failure{"--arg=" + text + ": " + argument.error()};
    std::string which = "argument " + std::to_string(index);
    placed.push_back({which, "--arg=" + text, 0, 1, std::move(*argument)});
  }
  if (expected.size() != placed.size())
    return failCount(kernel, expected, placed.size());
  for (auto [want, have] : llvm::zip_equal(expected, placed)) {
    have.offset = want.offset;
    have.align = std::max(want.pointeeAlign, 1u);
    if (std::string wrong =
            findMismatch(kernel, want, have.name, "--arg", have.argument);
        !wrong.empty())
      return rt::Failure{wrong};
  }
  return placed;
}

//===----------------------------------------------------------------------===//
// By name and by place
//===----------------------------------------------------------------------===//

/// NAME of NAME=V, or empty: no other form has a = before its first colon.
static StringRef findName(StringRef text) {
  size_t end = text.find('=');
  if (end == StringRef::npos || text.take_front(end).contains(':'))
    return "";
  return text.take_front(end);
}

/// The one argument of this name.
static rt::Result<emu::KernelArgument>
findArgument(const emu::KernelInfo &kernel, StringRef name) {
  std::vector<emu::KernelArgument> all = getExplicit(kernel);
  SmallVector<std::string> offsets;
  llvm::SetVector<StringRef> names;
  const emu::KernelArgument *found = nullptr;
  for (const emu::KernelArgument &argument : all) {
    names.insert(argument.name);
    if (argument.name != name)
      continue;
    found = &argument;
    offsets.push_back(std::to_string(argument.offset));
  }
  if (offsets.size() == 1)
    return *found;
  if (offsets.empty())
    return rt::Failure{("kernel " + kernel.name + " has no argument " + name +
                        "; there are: " + llvm::join(names, ", "))
                           .str()};
  return rt::Failure{llvm::formatv(
      "kernel {0} has {1} arguments {2}, at bytes {3}; give one by its place: "
      "--kernarg={4}:V",
      kernel.name, offsets.size(), name, llvm::join(offsets, ", "),
      offsets.front())};
}

static rt::Result<PlacedArgument> placeByName(const emu::KernelInfo &kernel,
                                              StringRef text,
                                              std::vector<RawBuffer> &buffers) {
  StringRef name = findName(text);
  std::string flag = ("--arg=" + text).str();
  if (name.empty())
    return rt::Failure{
        flag + ": expected NAME=V, as others are given by name or by place; "
               "--arg flags in the kernel's order do not go with those"};
  auto want = findArgument(kernel, name);
  if (!want)
    return rt::Failure{flag + ": " + want.error()};
  auto argument = parseArgument(text.drop_front(name.size() + 1), buffers);
  if (!argument)
    return rt::Failure{flag + ": " + argument.error()};
  std::string which = ("argument " + name).str();
  if (std::string wrong = findMismatch(kernel, *want, which, flag, *argument);
      !wrong.empty())
    return rt::Failure{wrong};
  return PlacedArgument{which, flag, want->offset,
                        std::max(want->pointeeAlign, 1u), std::move(*argument)};
}

/// LDS that no metadata says the alignment of: that of the widest access.
static constexpr uint32_t kWidestAccess = 16;

static rt::Result<PlacedArgument>
placeByOffset(StringRef text, std::vector<RawBuffer> &buffers) {
  auto [offset, value] = text.split(':');
  std::string flag = ("--kernarg=" + text).str();
  uint32_t at = 0;
  if (offset.getAsInteger(0, at) || value.empty())
    return rt::Failure{flag + ": expected OFFSET:V, for example 16:i32:7 or "
                              "0x40:in:x.npy"};
  auto argument = parseArgument(value, buffers);
  if (!argument)
    return rt::Failure{flag + ": " + argument.error()};
  return PlacedArgument{"argument at byte " + std::to_string(at), flag, at,
                        kWidestAccess, std::move(*argument)};
}

/// Every byte of the segment is given once at most, and is the caller's.
static std::string findOverlap(const emu::KernelInfo &kernel,
                               ArrayRef<PlacedArgument> placed) {
  uint64_t bytes = kernel.kernargBytes;
  for (const emu::KernelArgument &argument : kernel.arguments)
    bytes =
        std::max<uint64_t>(bytes, uint64_t(argument.offset) + argument.size);
  SmallVector<const PlacedArgument *> sorted;
  for (const PlacedArgument &argument : placed)
    sorted.push_back(&argument);
  llvm::stable_sort(sorted,
                    [](auto *a, auto *b) { return a->offset < b->offset; });
  const PlacedArgument *before = nullptr;
  for (const PlacedArgument *argument : sorted) {
    uint64_t first = argument->offset, last = argument->getEnd() - 1;
    if (last >= bytes)
      return llvm::formatv("{0}: it ends at byte {1}, but kernel {2} has {3} "
                           "bytes of arguments",
                           argument->flag, last + 1, kernel.name, bytes);
    if (before && first < before->getEnd())
      return llvm::formatv(
          "{0}: bytes {1} to {2} are given by {3}, too", argument->flag, first,
          std::min(last + 1, before->getEnd()) - 1, before->flag);
    for (const emu::KernelArgument &other : kernel.arguments)
      if (isHidden(other) && first < uint64_t(other.offset) + other.size &&
          other.offset <= last)
        return llvm::formatv("{0}: byte {1} is of the hidden argument {2}, "
                             "which the device fills",
                             argument->flag,
                             std::max<uint64_t>(first, other.offset),
                             other.valueKind);
    before = argument;
  }
  return "";
}

rt::Result<std::vector<PlacedArgument>> te::placeArguments(
    const emu::KernelInfo &kernel, ArrayRef<std::string> arguments,
    ArrayRef<std::string> kernargs, std::vector<RawBuffer> &buffers) {
  bool hasNames = llvm::any_of(arguments, [](const std::string &text) {
    return !findName(text).empty();
  });
  if (!hasNames && kernargs.empty())
    return placeInOrder(kernel, arguments, buffers);
  std::vector<PlacedArgument> placed;
  for (const std::string &text : arguments) {
    auto argument = placeByName(kernel, text, buffers);
    if (!argument)
      return argument.takeFailure();
    placed.push_back(std::move(*argument));
  }
  for (const std::string &text : kernargs) {
    auto argument = placeByOffset(text, buffers);
    if (!argument)
      return argument.takeFailure();
    placed.push_back(std::move(*argument));
  }
  if (std::string wrong = findOverlap(kernel, placed); !wrong.empty())
    return rt::Failure{wrong};
  return placed;
}
