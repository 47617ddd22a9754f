//===- Case.cpp - te-run: runs on other machines -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Dialect/TE/IR/TE.h"
#include "te/Driver/Tolerance.h"
#include "te/Runtime/File.h"
#include "te/Runtime/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;

/// Flags of te-launch for the tolerance of a result; "" where it is exact.
/// Codes of approximate values may be a step off; --check --results judges
/// those that are not, by what data and scales stand for together.
static std::string getToleranceFlags(const rt::Entry &entry,
                                     const rt::Value &value, Type type,
                                     const rt::Tolerance &tolerance) {
  if (tolerance.isExact())
    return "";
  std::string flags;
  for (size_t index : value.buffers)
    flags += isa<ScaledType>(type)
                 ? llvm::formatv(" --tolerance={0}:0,0,0,1",
                                 entry.buffers[index].name)
                       .str()
                 : llvm::formatv(" --tolerance={0}:{1:e},{2:e},{3:e}",
                                 entry.buffers[index].name, tolerance.atol,
                                 tolerance.rtol, tolerance.slack)
                       .str();
  return flags;
}

/// --save: what te-launch needs for this run, with its flags in the file
/// `flags`.
bool Session::saveCase() {
  if (std::error_code error = llvm::sys::fs::create_directories(flags.save))
    return fail(Failed, "--save=" + flags.save + ": " + error.message());
  std::string line = "--entry=" + entry.name;
  for (auto [name, size] : llvm::zip_equal(entry.dims, dims))
    line += llvm::formatv(" --dim={0}={1}", name, size);
  auto write = [&](const std::string &name, const rt::HostTensor &tensor) {
    auto status = rt::writeNpy(flags.save + "/" + name + ".npy", tensor);
    return status || fail(Failed, status.error());
  };
  auto buffers = rt::getBuffersOf(entry.arguments);
  auto next = buffers.begin();
  for (const ref::TensorValue &argument : arguments)
    for (const rt::HostTensor &tensor : argument.buffers) {
      std::string name = "in." + entry.buffers[*next++].name;
      if (!write(name, tensor))
        return false;
      line += " --input=" + flags.save + "/" + name + ".npy";
    }
  line += " --expect=" + flags.save;
  auto tolerances = getTolerances(function);
  for (auto [value, result, type, tolerance] : llvm::zip_equal(
           entry.results, expected, function.getResultTypes(), tolerances)) {
    for (auto [index, tensor] :
         llvm::zip_equal(value.buffers, result.buffers)) {
      const std::string &name = entry.buffers[index].name;
      if (!write(name, tensor))
        return false;
      rt::HostTensor mask = tensor;
      mask.bytes = tensor.unspecified;
      if (!mask.bytes.empty() && !write(name + ".mask", mask))
        return false;
    }
    line += getToleranceFlags(entry, value, type, tolerance);
  }
  auto status = rt::writeFile(flags.save + "/flags", {line, "\n"});
  return status || fail(Failed, "--save: " + status.error());
}

/// --results: what the program computed elsewhere.
bool Session::readResults() {
  for (size_t index : rt::getBuffersOf(entry.results)) {
    const rt::Buffer &buffer = entry.buffers[index];
    std::string path = flags.results + "/" + buffer.name + ".npy";
    auto tensor = rt::readNpy(path, buffer.type);
    if (!tensor)
      return fail(BadInput, "--results: " + tensor.error());
    auto shape = rt::getBufferShape(entry, buffer, dims);
    if (!shape || *shape != tensor->shape)
      return fail(BadInput, "--results: " + path + " has shape " +
                                rt::formatShape(tensor->shape) +
                                ", but the result's is " +
                                (shape ? rt::formatShape(*shape) : ""));
    outputs.push_back(std::move(*tensor));
  }
  return true;
}
