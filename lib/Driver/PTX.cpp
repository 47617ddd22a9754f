//===- PTX.cpp - the image of NVIDIA's chips ------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PTX.h"

#include "te/Conversion/Names.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::te;

//===----------------------------------------------------------------------===//
// Figures
//===----------------------------------------------------------------------===//

/// An instruction of the kernel names the value, by itself or in constants.
static bool isUsedIn(const llvm::Value &value, const llvm::Function &kernel) {
  return llvm::any_of(value.users(), [&](const llvm::User *user) {
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(user);
    return instruction ? instruction->getFunction() == &kernel
                       : isUsedIn(*user, kernel);
  });
}

/// Bytes of the shared variables of a kernel, and of what its launches add.
static uint32_t getSharedBytes(const llvm::Function &kernel) {
  constexpr unsigned kShared = 3;
  const llvm::DataLayout &layout = kernel.getDataLayout();
  uint32_t bytes = kernel.getFnAttributeAsParsedInteger(kDynamicLdsAttrName);
  for (const llvm::GlobalVariable &variable : kernel.getParent()->globals()) {
    if (variable.getAddressSpace() == kShared && isUsedIn(variable, kernel))
      bytes += layout.getTypeAllocSize(variable.getValueType());
  }
  return bytes;
}

std::vector<KernelFigures> mlir::te::readKernels(const llvm::Module &module) {
  const llvm::DataLayout &layout = module.getDataLayout();
  std::vector<KernelFigures> kernels;
  for (const llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    KernelFigures &kernel = kernels.emplace_back();
    kernel.name = function.getName().str();
    kernel.ldsBytes = getSharedBytes(function);
    for (const llvm::Argument &argument : function.args())
      kernel.kernargBytes =
          llvm::alignTo(kernel.kernargBytes,
                        layout.getABITypeAlign(argument.getType())) +
          layout.getTypeAllocSize(argument.getType());
    kernel.workgroupSize = 1;
    llvm::SmallVector<llvm::StringRef> sizes;
    function.getFnAttribute("nvvm.reqntid")
        .getValueAsString()
        .split(sizes, ',');
    for (llvm::StringRef size : sizes)
      if (unsigned number; !size.trim().getAsInteger(10, number))
        kernel.workgroupSize *= number;
  }
  return kernels;
}

/// A file of its own with this content, or none but a name; removed at the end.
static llvm::Expected<std::string> makeTemporary(llvm::StringRef suffix,
                                                 llvm::StringRef content) {
  llvm::SmallString<128> path;
  int descriptor = -1;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "te-kernels", suffix, descriptor, path))
    return llvm::createStringError(error, "cannot make a temporary file");
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << content;
  os.close();
  if (os.has_error()) {
    std::error_code error = os.error();
    os.clear_error();
    llvm::sys::fs::remove(path);
    return llvm::createStringError(error, "cannot write " + path);
  }
  return std::string(path);
}

/// What stands before `unit` in ptxas's line, a number; nothing if none does.
static std::optional<uint32_t> findFigure(llvm::StringRef line,
                                          llvm::StringRef unit) {
  size_t at = line.find(unit);
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef before = line.take_front(at).rtrim();
  llvm::StringRef digits = before.take_back(
      before.size() - before.find_last_not_of("0123456789") - 1);
  uint32_t number;
  if (digits.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// Reads what --verbose tells, kernel by kernel.
static void readVerbose(llvm::StringRef output,
                        llvm::MutableArrayRef<KernelFigures> kernels) {
  KernelFigures *kernel = nullptr;
  for (llvm::StringRef line : llvm::split(output, '\n')) {
    if (line.contains("Compiling entry function") ||
        line.contains("Function properties for")) {
      auto *it = llvm::find_if(kernels, [&](const KernelFigures &candidate) {
        return line.contains("'" + candidate.name + "'") ||
               line.ends_with(" " + candidate.name);
      });
      kernel = it == kernels.end() ? nullptr : &*it;
    }
    if (!kernel)
      continue;
    if (auto bytes = findFigure(line, "bytes stack frame"))
      kernel->scratchBytes = bytes;
    if (auto bytes = findFigure(line, "bytes spill stores"))
      kernel->vgprSpills = *bytes / 4;
    if (auto count = findFigure(line, "registers"))
      kernel->vgprs = count;
    if (auto bytes = findFigure(line, "bytes smem"))
      kernel->ldsBytes = std::max(kernel->ldsBytes, *bytes);
  }
}

llvm::Error
mlir::te::assemblePTX(llvm::StringRef ptxas, llvm::StringRef ptx,
                      const Target &target,
                      llvm::MutableArrayRef<KernelFigures> kernels) {
  std::string files[3];
  auto clean = llvm::scope_exit([&] {
    for (const std::string &file : files)
      if (!file.empty())
        llvm::sys::fs::remove(file);
  });
  const std::pair<const char *, llvm::StringRef> contents[] = {
      {"ptx", ptx}, {"cubin", ""}, {"log", ""}};
  for (auto [file, content] : llvm::zip_equal(files, contents)) {
    auto made = makeTemporary(content.first, content.second);
    if (!made)
      return made.takeError();
    file = std::move(*made);
  }
  std::string arch = ("-arch=" + target.name).str(), message;
  llvm::StringRef arguments[] = {ptxas, arch,     "--verbose",
                                 "-o",  files[1], files[0]};
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, files[2],
                                                files[2]};
  int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                       redirects, /*SecondsToWait=*/0,
                                       /*MemoryLimit=*/0, &message);
  auto output = llvm::MemoryBuffer::getFile(files[2]);
  llvm::StringRef text = output ? (*output)->getBuffer() : llvm::StringRef();
  if (code != 0)
    return llvm::createStringError(
        ptxas + " failed: " + (message.empty() ? text.trim() : message));
  readVerbose(text, kernels);
  return llvm::Error::success();
}

/// The lines of a kernel's body, trimmed.
static llvm::SmallVector<llvm::StringRef> getBody(llvm::StringRef ptx,
                                                  llvm::StringRef kernel) {
  llvm::SmallVector<llvm::StringRef> body;
  bool isInside = false, isBody = false;
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    if (line.contains((".entry " + kernel + "(").str()))
      isInside = true;
    else if (isInside && line.starts_with("{"))
      isBody = true;
    else if (isBody && line.starts_with("}"))
      break;
    else if (isBody)
      body.push_back(line.trim());
  }
  return body;
}

std::map<std::string, uint64_t>
mlir::te::countInstructions(llvm::StringRef ptx, llvm::StringRef kernel) {
  std::map<std::string, uint64_t> counts;
  for (llvm::StringRef line : getBody(ptx, kernel)) {
    line = line.take_until([](char c) { return c == '/'; }).rtrim();
    if (line.starts_with("@")) // a predicate
      line = line.split(' ').second.ltrim();
    bool isCode =
        !line.empty() && llvm::isAlpha(line.front()) && line.ends_with(";");
    if (isCode)
      ++counts[line.take_until(
                       [](char c) { return llvm::isSpace(c) || c == ';'; })
                   .str()];
  }
  return counts;
}

//===----------------------------------------------------------------------===//
// The manifest
//===----------------------------------------------------------------------===//

/// JSON that is ASCII only: other characters stand in strings, where UTF-16's
/// units may be written as numbers.
static llvm::Expected<std::string> escape(llvm::StringRef json) {
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  while (!json.empty()) {
    llvm::StringRef plain =
        json.take_while([](char c) { return llvm::isASCII(c); });
    llvm::StringRef other =
        json.drop_front(plain.size()).take_until([](char c) {
          return llvm::isASCII(c);
        });
    os << plain;
    json = json.drop_front(plain.size() + other.size());
    llvm::SmallVector<llvm::UTF16, 16> units;
    if (!llvm::convertUTF8ToUTF16String(other, units))
      return llvm::createStringError(
          "the manifest has bytes that are not UTF-8");
    for (llvm::UTF16 unit : units)
      os << llvm::format("\\u%04x", unsigned(unit));
  }
  return escaped;
}

llvm::Expected<std::string>
mlir::te::addManifestComment(llvm::StringRef ptx, llvm::StringRef manifest) {
  auto escaped = escape(manifest);
  if (!escaped)
    return escaped.takeError();
  std::string image = "// te.manifest begin\n";
  for (llvm::StringRef line : llvm::split(*escaped, '\n'))
    image += ("// " + line + "\n").str();
  image += "// te.manifest end\n";
  return image + ptx.str();
}
