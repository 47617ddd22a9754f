//===- Inputs.cpp - te-run: the arguments -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Dialect/TE/IR/TE.h"
#include "te/Driver/Signature.h"
#include "te/Runtime/File.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// random:SEED[:normal|uniform]; nothing where it is malformed.
static std::optional<RandomSpec> parseRandom(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, ':');
  RandomSpec spec;
  if (parts.size() < 2 || parts.size() > 3 ||
      parts[1].getAsInteger(10, spec.seed))
    return std::nullopt;
  if (parts.size() == 3) {
    if (parts[2] == "normal")
      spec.distribution = Distribution::Normal;
    else if (parts[2] == "uniform")
      spec.distribution = Distribution::Uniform;
    else
      return std::nullopt;
  }
  return spec;
}

/// Reads the files among the inputs; those that are not given stay random:0.
bool Session::readInputs() {
  std::vector<size_t> buffers = rt::getBuffersOf(entry.arguments);
  if (flags.inputs.size() > buffers.size())
    return fail(BadInput, llvm::Twine(flags.inputs.size()) +
                              " --input flags, but entry " + entry.name +
                              " takes " + llvm::Twine(buffers.size()) +
                              "; see --list");
  inputs.resize(buffers.size());
  for (auto [index, text] : llvm::enumerate(flags.inputs)) {
    const rt::Buffer &buffer = entry.buffers[buffers[index]];
    Input &input = inputs[index];
    if (StringRef(text).starts_with("random:")) {
      input.random = parseRandom(text);
      if (!input.random)
        return fail(BadInput, "--input=" + text +
                                  ": expected random:SEED, "
                                  "random:SEED:normal or random:SEED:uniform");
      continue;
    }
    auto file = rt::NpyFile::open(text, buffer.type);
    if (!file)
      return fail(BadInput, "argument " + buffer.name + ": " + file.error());
    input.random.reset();
    input.file = std::move(*file);
  }
  return true;
}

/// --sample: floats have any value, and take no memory. Integers may say how
/// far a loop goes.
bool Session::isLeftEmpty(Type type, const rt::Value &value, size_t first) {
  if (getElementTypeOrSelf(type).isInteger())
    return false;
  for (size_t offset = 0; offset < value.buffers.size(); ++offset)
    if (!inputs[first + offset].random)
      return false;
  ref::TensorValue made;
  for (size_t index : value.buffers) {
    const rt::Buffer &buffer = entry.buffers[index];
    auto shape = rt::getBufferShape(entry, buffer, dims);
    if (!shape)
      return false; // makeInputs() has said why
    rt::HostTensor &tensor = made.buffers.emplace_back();
    tensor.type = buffer.type;
    tensor.shape = std::move(*shape);
  }
  arguments.push_back(std::move(made));
  return true;
}

/// Makes argument `index`, whose first buffer is input `first`.
bool Session::fillArgument(size_t index, size_t first) {
  const rt::Value &value = entry.arguments[index];
  auto shape = rt::evaluateShape(entry, value.shape, value.name, dims);
  Type type = parseType(value.type, &context);
  if (shape && type && flags.sample && isLeftEmpty(type, value, first))
    return true;
  if (!shape || !type)
    return fail(BadInput, !shape ? shape.error()
                                 : "argument " + value.name +
                                       " has the malformed type " + value.type);
  auto made = ref::makeValue(UnknownLoc::get(&context), type, *shape, 0);
  if (failed(made))
    return fail(BadInput, "argument " + value.name + " cannot be made");
  if (made->buffers.size() != value.buffers.size())
    return fail(BadInput, "argument " + value.name + " of type " + value.type +
                              " has " + llvm::Twine(made->buffers.size()) +
                              " buffers, but the manifest says " +
                              llvm::Twine(value.buffers.size()));
  const Input &data = inputs[first];
  const Input &scales = inputs[first + made->buffers.size() - 1];
  if (data.random || scales.random) {
    auto role = value.name == "noop" ? ArgumentRole::Noop : ArgumentRole::Plain;
    if (function && role == ArgumentRole::Plain)
      role = getArgumentRoles(function, entry).lookup(value.name);
    fillRandom(type, role, index, data.random.value_or(RandomSpec()),
               scales.random.value_or(RandomSpec()), *made);
  }
  for (auto [offset, buffer] : llvm::enumerate(made->buffers)) {
    const rt::Buffer &declared = entry.buffers[value.buffers[offset]];
    Input &input = inputs[first + offset];
    const rt::HostTensor &given =
        input.random ? buffer : input.file.getHeader();
    if (auto status = rt::checkInput(entry, declared, dims, given); !status)
      return fail(BadInput, status.error());
    if (input.random)
      continue;
    auto tensor = input.file.read();
    if (!tensor)
      return fail(BadInput,
                  "argument " + declared.name + ": " + tensor.error());
    buffer = std::move(*tensor);
  }
  arguments.push_back(std::move(*made));
  return true;
}

/// Memory for arguments and results on the host, and for all buffers in the
/// emulator and in the reference: the least that a run takes. --sample leaves
/// most of it out.
bool Session::hasMemory() {
  uint64_t bytes = 0;
  for (const rt::Buffer &buffer : entry.buffers) {
    auto shape = rt::getBufferShape(entry, buffer, dims);
    if (!shape)
      return fail(BadInput, shape.error());
    uint64_t size = *rt::getBufferBytes(entry, buffer, dims);
    bool isOnHost = buffer.kind != rt::BufferKind::Workspace;
    int copies = isOnHost + (emulator != nullptr) + needsReference();
    for (; copies; --copies)
      bytes = llvm::SaturatingAdd(bytes, size);
  }
  if (flags.sample)
    return true;
  auto status = rt::checkMemory(bytes, flags.file + ": entry " + entry.name);
  return status || fail(BadInput, status.error());
}

bool Session::makeInputs() {
  std::vector<const rt::HostTensor *> known;
  for (const Input &input : inputs)
    known.push_back(input.random ? nullptr : &input.file.getHeader());
  auto bound = rt::bindDims(entry, flags.dims, known);
  if (!bound)
    return fail(BadInput, bound.error());
  dims = std::move(*bound);
  if (!hasMemory())
    return false;
  size_t first = 0;
  for (size_t index = 0; index < entry.arguments.size(); ++index) {
    if (!fillArgument(index, first))
      return false;
    first += entry.arguments[index].buffers.size();
  }
  std::vector<size_t> buffers = rt::getBuffersOf(entry.arguments);
  for (auto [input, buffer] : llvm::zip_equal(inputs, buffers))
    if (input.random && !flags.sample)
      llvm::errs() << "te-run: " << entry.buffers[buffer].name
                   << " is random, seed " << input.random->seed << "\n";
  return true;
}
