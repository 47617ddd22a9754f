//===- Sizes.cpp - what the sizes of a run's dimensions determine -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Sizes.h"
#include "te/Runtime/File.h"

#include <algorithm>
#include <unistd.h>

using namespace mlir::te::rt;

std::vector<size_t>
mlir::te::rt::getBuffersOf(const std::vector<Value> &values) {
  std::vector<size_t> buffers;
  for (const Value &value : values)
    buffers.insert(buffers.end(), value.buffers.begin(), value.buffers.end());
  return buffers;
}

namespace {
/// The sizes known so far, and who said so.
struct Binder {
  const Entry &entry;
  std::vector<int64_t> sizes;
  std::vector<std::string> sources; // empty: not known yet

  Status bind(int dim, int64_t size, const std::string &source) {
    const std::string &name = entry.dims[dim];
    if (size < 0)
      return Failure{"dimension " + name + " cannot be " +
                     std::to_string(size) + " (" + source + ")"};
    if (!sources[dim].empty() && sizes[dim] != size)
      return Failure{"dimension " + name + " is " + std::to_string(sizes[dim]) +
                     " by " + sources[dim] + ", but " + std::to_string(size) +
                     " by " + source};
    sizes[dim] = size;
    sources[dim] = source;
    return {};
  }
};
} // namespace

static std::string joinDims(const Entry &entry) {
  std::string text;
  for (const std::string &dim : entry.dims)
    text += (text.empty() ? "" : ", ") + dim;
  return text.empty() ? "none" : text;
}

Status mlir::te::rt::checkDims(const Entry &entry,
                               std::span<const int64_t> dims) {
  if (dims.size() != entry.dims.size())
    return Failure{"entry " + entry.name + " has " +
                   std::to_string(entry.dims.size()) + " dimensions (" +
                   joinDims(entry) + "), but " + std::to_string(dims.size()) +
                   " sizes are given"};
  for (size_t i = 0; i < dims.size(); ++i)
    if (dims[i] < 0)
      return Failure{"dimension " + entry.dims[i] + " cannot be " +
                     std::to_string(dims[i])};
  return {};
}

static Status bindGiven(Binder &binder,
                        const std::map<std::string, int64_t> &given) {
  const Entry &entry = binder.entry;
  for (const auto &[name, size] : given) {
    auto it = std::find(entry.dims.begin(), entry.dims.end(), name);
    if (it == entry.dims.end())
      return Failure{"--dim=" + name + ": entry " + entry.name +
                     " has no such dimension; it has " + joinDims(entry)};
    if (Status status =
            binder.bind(it - entry.dims.begin(), size, "--dim=" + name);
        !status)
      return status;
  }
  return {};
}

static std::string formatShape(const Entry &entry,
                               const std::vector<Expr> &shape) {
  std::string text;
  for (const Expr &size : shape)
    text += (text.empty() ? "" : " x ") + size.format(entry.dims);
  return text.empty() ? "scalar" : text;
}

static Status bindInput(Binder &binder, const Buffer &buffer,
                        const HostTensor &input) {
  if (input.shape.size() != buffer.shape.size())
    return Failure{"argument " + buffer.name + " has " +
                   std::to_string(input.shape.size()) + " dimensions (" +
                   formatShape(input.shape) + "), expected " +
                   std::to_string(buffer.shape.size()) + " (" +
                   ::formatShape(binder.entry, buffer.shape) + ")"};
  for (size_t axis = 0; axis < input.shape.size(); ++axis)
    if (int dim = buffer.shape[axis].dim; dim >= 0)
      if (Status status = binder.bind(dim, input.shape[axis],
                                      "axis " + std::to_string(axis) +
                                          " of argument " + buffer.name);
          !status)
        return status;
  return {};
}

Result<std::vector<int64_t>>
mlir::te::rt::bindDims(const Entry &entry,
                       const std::map<std::string, int64_t> &given,
                       std::span<const HostTensor *const> inputs) {
  size_t count = entry.dims.size();
  Binder binder{entry, std::vector<int64_t>(count),
                std::vector<std::string>(count)};
  if (Status status = bindGiven(binder, given); !status)
    return status.takeFailure();
  std::vector<size_t> buffers = getBuffersOf(entry.arguments);
  for (size_t i = 0; i < inputs.size() && i < buffers.size(); ++i)
    if (inputs[i])
      if (Status status =
              bindInput(binder, entry.buffers[buffers[i]], *inputs[i]);
          !status)
        return status.takeFailure();
  for (size_t i = 0; i < count; ++i)
    if (binder.sources[i].empty())
      return Failure{
          "the size of dimension " + entry.dims[i] +
          " is not known: no input has it; give --dim=" + entry.dims[i] + "=N"};
  return binder.sizes;
}

Result<std::vector<int64_t>>
mlir::te::rt::evaluateShape(const Entry &entry, const std::vector<Expr> &shape,
                            const std::string &what,
                            std::span<const int64_t> dims) {
  std::vector<int64_t> sizes;
  for (const Expr &expr : shape) {
    Result<int64_t> size = expr.evaluate(dims);
    if (!size)
      return Failure{"the shape of " + what + ": " + size.error()};
    if (*size < 0)
      return Failure{"the shape of " + what + ": " + expr.format(entry.dims) +
                     " is " + std::to_string(*size)};
    sizes.push_back(*size);
  }
  return sizes;
}

/// Why a buffer is too large; `need` is what it needs.
static Failure failSize(const Buffer &buffer, const std::vector<int64_t> &shape,
                        const std::string &need) {
  return {buffer.name + " of " + formatShape(shape) + " " +
          getInfo(buffer.type).name +
          " does not fit in this machine's memory: it needs " + need +
          " bytes"};
}

static Result<uint64_t> countBytes(const Buffer &buffer,
                                   const std::vector<int64_t> &shape) {
  int64_t bytes = getInfo(buffer.type).bytes;
  // A size of 0 does not excuse the others: strides would overflow.
  bool isTooLarge = false;
  for (int64_t size : shape)
    isTooLarge |= __builtin_mul_overflow(bytes, size, &bytes);
  if (isTooLarge)
    return failSize(buffer, shape, "more than 2^63");
  return uint64_t(bytes);
}

/// Nothing but zeros where the run does not need the buffer.
static Result<std::vector<int64_t>>
getNeededShape(const Entry &entry, const Buffer &buffer,
               std::span<const int64_t> dims) {
  if (buffer.when) {
    Result<bool> isNeeded = buffer.when->holds(dims);
    if (!isNeeded)
      return Failure{buffer.name + ": " + isNeeded.error()};
    if (!*isNeeded)
      return std::vector<int64_t>(buffer.shape.size());
  }
  return evaluateShape(entry, buffer.shape, buffer.name, dims);
}

Result<uint64_t> mlir::te::rt::getBufferBytes(const Entry &entry,
                                              const Buffer &buffer,
                                              std::span<const int64_t> dims) {
  auto shape = getNeededShape(entry, buffer, dims);
  if (!shape)
    return shape.takeFailure();
  return countBytes(buffer, *shape);
}

Result<std::vector<int64_t>>
mlir::te::rt::getBufferShape(const Entry &entry, const Buffer &buffer,
                             std::span<const int64_t> dims) {
  auto shape = getNeededShape(entry, buffer, dims);
  if (!shape)
    return shape;
  auto bytes = countBytes(buffer, *shape);
  if (!bytes)
    return bytes.takeFailure();
  const uint64_t memory =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (*bytes > memory)
    return failSize(buffer, *shape, std::to_string(*bytes));
  return shape;
}

Result<HostTensor> mlir::te::rt::makeBuffer(const Entry &entry,
                                            const Buffer &buffer,
                                            std::span<const int64_t> dims,
                                            uint8_t fill) {
  auto shape = getBufferShape(entry, buffer, dims);
  if (!shape)
    return shape.takeFailure();
  if (Status status = checkMemory(*countBytes(buffer, *shape), buffer.name);
      !status)
    return status.takeFailure();
  HostTensor tensor = HostTensor::zeros(buffer.type, std::move(*shape));
  std::fill(tensor.bytes.begin(), tensor.bytes.end(), fill);
  return tensor;
}

Status mlir::te::rt::checkInput(const Entry &entry, const Buffer &buffer,
                                std::span<const int64_t> dims,
                                const HostTensor &input) {
  auto shape = getNeededShape(entry, buffer, dims);
  if (!shape)
    return shape.takeFailure();
  if (input.type != buffer.type)
    return Failure{"argument " + buffer.name + " has element type " +
                   getInfo(input.type).name + ", expected " +
                   getInfo(buffer.type).name};
  if (input.shape != *shape)
    return Failure{"argument " + buffer.name + " has shape " +
                   formatShape(input.shape) + ", expected " +
                   formatShape(*shape) + " (" +
                   ::formatShape(entry, buffer.shape) + ")"};
  return {};
}

static Status addBytes(const Entry &entry, const std::vector<Value> &values,
                       std::span<const int64_t> dims,
                       std::vector<uint64_t> &bytes) {
  for (const Value &value : values)
    for (size_t buffer : value.buffers) {
      auto size = getBufferBytes(entry, entry.buffers[buffer], dims);
      if (!size)
        return size.takeFailure();
      bytes.push_back(*size);
    }
  return {};
}

Result<Sizes> mlir::te::rt::query(const Entry &entry,
                                  std::span<const int64_t> dims) {
  if (Status status = checkDims(entry, dims); !status)
    return status.takeFailure();
  Sizes sizes;
  if (Status status = addBytes(entry, entry.arguments, dims, sizes.arguments);
      !status)
    return status.takeFailure();
  if (Status status = addBytes(entry, entry.results, dims, sizes.results);
      !status)
    return status.takeFailure();
  for (const Buffer &buffer : entry.buffers) {
    if (buffer.kind != BufferKind::Workspace)
      continue;
    auto bytes = getBufferBytes(entry, buffer, dims);
    if (!bytes)
      return bytes.takeFailure();
    if (__builtin_add_overflow(sizes.workspace, alignWorkspace(*bytes),
                               &sizes.workspace))
      return Failure{"the workspace of entry " + entry.name +
                     " needs more than 2^64 bytes"};
  }
  return sizes;
}
