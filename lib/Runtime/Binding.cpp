//===- Binding.cpp - a program on a device and its memory -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Binding.h"
#include "te/Runtime/Text.h"

#include <algorithm>

using namespace mlir::te::rt;

Status LoadedCode::find(const Manifest &manifest) {
  std::map<std::string, uint32_t> mostLds; // of each kernel
  for (const Entry &entry : manifest.entries) {
    for (const Step &step : entry.steps)
      mostLds[step.kernel] = std::max(mostLds[step.kernel], step.dynamicLds);
    for (const Buffer &buffer : entry.buffers) {
      if (buffer.kind != BufferKind::Constant)
        continue;
      auto global = device.findGlobal(*module, buffer.symbol);
      if (!global)
        return global.takeFailure();
      globals[buffer.symbol] = *global;
    }
  }
  for (const auto &[name, lds] : mostLds) {
    auto kernel = device.findKernel(*module, name, lds);
    if (!kernel)
      return kernel.takeFailure();
    kernels[name] = *kernel;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The caller's memory
//===----------------------------------------------------------------------===//

/// What is wrong with memory for `bytes` bytes, to follow its name; empty
/// where nothing is.
static std::string findProblem(Memory memory, uint64_t bytes,
                               uint64_t alignment) {
  if (memory.bytes < bytes)
    return " is given " + std::to_string(memory.bytes) + " bytes, but needs " +
           std::to_string(bytes);
  if (memory.address == 0 && memory.bytes)
    return " is given the address 0, but needs memory of " +
           std::to_string(bytes) + " bytes";
  if (bytes && memory.address % alignment)
    return printText(" is given the address 0x%llx, but needs a multiple of %u",
                     (unsigned long long)memory.address, unsigned(alignment));
  return "";
}

/// Fails where the memory cannot be the buffer of `bytes` bytes.
static Status checkBuffer(const Entry &entry, const Buffer &buffer,
                          std::span<const int64_t> dims, uint64_t bytes,
                          Memory memory) {
  std::string problem = findProblem(memory, bytes, kBufferAlignment);
  if (problem.empty())
    return {};
  const char *kind = buffer.kind == BufferKind::Argument ? "argument "
                     : buffer.kind == BufferKind::Result ? "result "
                                                         : "workspace ";
  auto shape = evaluateShape(entry, buffer.shape, buffer.name, dims);
  return Failure{kind + buffer.name + " (" +
                 (shape ? formatShape(*shape) + " " : "") +
                 getInfo(buffer.type).name + ")" + problem};
}

/// Fails where a buffer that kernels write shares memory with another one: they
/// assume that no buffers overlap.
static Status checkOverlaps(std::vector<Region> regions) {
  std::sort(
      regions.begin(), regions.end(),
      [](const Region &a, const Region &b) { return a.address < b.address; });
  // Of what lies before: what ends last, and likewise of what is written.
  const Region *any = nullptr, *written = nullptr;
  auto end = [](const Region *region) {
    return region ? region->address + region->bytes : 0;
  };
  for (const Region &region : regions) {
    const Region *other = region.isInput ? written : any;
    if (end(other) > region.address)
      return Failure{std::string(region.name) + " and " +
                     std::string(other->name) +
                     " overlap; results and the workspace need memory of "
                     "their own"};
    if (end(&region) > end(any))
      any = &region;
    if (!region.isInput && end(&region) > end(written))
      written = &region;
  }
  return {};
}

Status Binding::place(const LoadedCode &code, const Entry &entry,
                      std::span<const int64_t> dims,
                      std::span<const Memory> buffers) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Buffer &buffer = entry.buffers[i];
    auto bytes = getBufferBytes(entry, buffer, dims);
    if (!bytes)
      return bytes.takeFailure();
    if (buffer.kind == BufferKind::Constant) {
      const Global &global = code.globals.at(buffer.symbol);
      if (global.bytes < *bytes)
        return Failure{"constant " + buffer.symbol + " has " +
                       std::to_string(global.bytes) +
                       " bytes in the code, but " + std::to_string(*bytes) +
                       " in the manifest; compile the program again"};
      addresses.push_back(global.address);
      continue;
    }
    if (Status status = checkBuffer(entry, buffer, dims, *bytes, buffers[i]);
        !status)
      return status;
    addresses.push_back(buffers[i].address);
    if (*bytes)
      regions.push_back({buffers[i].address, *bytes, buffer.name,
                         buffer.kind == BufferKind::Argument});
  }
  return checkOverlaps(regions);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

template <typename T>
static void storeArg(std::span<uint8_t> bytes, uint32_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

static Status packArg(const KernelArg &arg, std::span<const uint64_t> addresses,
                      std::span<const int64_t> dims,
                      std::span<uint8_t> kernargs) {
  if (arg.kind == KernelArgKind::Buffer) {
    storeArg<uint64_t>(kernargs, arg.offset, addresses[arg.buffer]);
    return {};
  }
  if (arg.kind == KernelArgKind::F32) {
    storeArg<float>(kernargs, arg.offset, arg.number);
    return {};
  }
  Result<int64_t> value = arg.value.evaluate(dims);
  if (!value)
    return value.takeFailure();
  if (arg.kind == KernelArgKind::I64)
    storeArg<int64_t>(kernargs, arg.offset, *value);
  else if (*value != int32_t(*value))
    return Failure{"an i32 argument would be " + std::to_string(*value)};
  else
    storeArg<int32_t>(kernargs, arg.offset, int32_t(*value));
  return {};
}

/// Nothing is launched where a size is 0.
static Result<std::array<uint32_t, 3>>
evaluateGrid(const Entry &entry, const Step &step,
             std::span<const int64_t> dims) {
  std::array<uint32_t, 3> grid{};
  for (unsigned i = 0; i < 3; ++i) {
    Result<int64_t> size = step.grid[i].evaluate(dims);
    if (!size)
      return Failure{"kernel " + step.kernel + ": " + size.error()};
    if (*size < 0 || *size > INT32_MAX)
      return Failure{"kernel " + step.kernel + ": a grid of " +
                     std::to_string(*size) + " workgroups (" +
                     step.grid[i].format(entry.dims) + "); a launch has 0 to " +
                     std::to_string(INT32_MAX)};
    grid[i] = uint32_t(*size);
    if (*size == 0)
      break;
  }
  return grid;
}

Status Binding::packStep(const LoadedCode &code, const Entry &entry,
                         const Step &step, std::span<const int64_t> dims,
                         std::span<uint8_t> bytes) {
  Result<bool> happens = step.happens(dims);
  if (!happens)
    return Failure{"kernel " + step.kernel + ": " + happens.error()};
  if (!*happens)
    return {};
  auto grid = evaluateGrid(entry, step, dims);
  if (!grid)
    return grid.takeFailure();
  if (std::count(grid->begin(), grid->end(), 0u))
    return {};
  for (const KernelArg &arg : step.args)
    if (Status status = packArg(arg, addresses, dims, bytes); !status)
      return Failure{"kernel " + step.kernel + ": " + status.error()};
  launches.push_back({*code.module, code.kernels.at(step.kernel), step.kernel,
                      *grid, step.block, step.dynamicLds, bytes});
  return device->checkLaunch(launches.back());
}

/// The launches, whose arguments lie one after another in `kernargs`.
Status Binding::pack(const LoadedCode &code, const Entry &entry,
                     std::span<const int64_t> dims) {
  constexpr size_t kAlign = 8;
  size_t bytes = 0;
  for (const Step &step : entry.steps)
    bytes += (step.kernargBytes + kAlign - 1) / kAlign * kAlign;
  kernargs.resize(bytes);
  launches.reserve(entry.steps.size());
  size_t at = 0;
  for (const Step &step : entry.steps) {
    if (Status status =
            packStep(code, entry, step, dims,
                     std::span(kernargs).subspan(at, step.kernargBytes));
        !status)
      return status;
    at += (step.kernargBytes + kAlign - 1) / kAlign * kAlign;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Making a binding
//===----------------------------------------------------------------------===//

Result<Binding> Binding::create(const LoadedCode &code, const Entry &entry,
                                std::span<const int64_t> dims,
                                std::span<const Memory> buffers) {
  if (Status status = checkDims(entry, dims); !status)
    return status.takeFailure();
  Binding binding(code.getDevice());
  if (Status status = binding.place(code, entry, dims, buffers); !status)
    return status.takeFailure();
  if (Status status = binding.pack(code, entry, dims); !status)
    return status.takeFailure();
  return binding;
}

/// Gives the buffers of arguments (or results) what the caller has for them.
static Status assign(const Entry &entry, const char *kind,
                     const std::vector<Value> &values,
                     std::span<const Memory> given,
                     std::vector<Memory> &buffers) {
  size_t count = 0;
  std::string names;
  for (const Value &value : values)
    for (size_t index : value.buffers) {
      if (count < given.size())
        buffers[index] = given[count];
      ++count;
    }
  if (count == given.size())
    return {};
  for (size_t index : getBuffersOf(values))
    names += (names.empty() ? "" : ", ") + entry.buffers[index].name;
  return Failure{"entry " + entry.name + " has " + std::to_string(count) + " " +
                 kind + " buffers (" + names + "), but " +
                 std::to_string(given.size()) + " are given"};
}

/// Puts the workspace's buffers one after another.
static Status assignWorkspace(const Entry &entry, std::span<const int64_t> dims,
                              Memory workspace, std::vector<Memory> &buffers) {
  auto sizes = query(entry, dims);
  if (!sizes)
    return sizes.takeFailure();
  std::string problem =
      findProblem(workspace, sizes->workspace, kWorkspaceAlignment);
  if (!problem.empty())
    return Failure{"the workspace of entry " + entry.name + problem};
  uint64_t at = workspace.address;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (entry.buffers[i].kind != BufferKind::Workspace)
      continue;
    auto bytes = getBufferBytes(entry, entry.buffers[i], dims);
    if (!bytes)
      return bytes.takeFailure();
    buffers[i] = {at, *bytes};
    at += alignWorkspace(*bytes);
  }
  return {};
}

Result<Binding> Binding::create(const LoadedCode &code, const Entry &entry,
                                std::span<const int64_t> dims,
                                std::span<const Memory> arguments,
                                std::span<const Memory> results,
                                Memory workspace) {
  std::vector<Memory> buffers(entry.buffers.size());
  if (Status status =
          assign(entry, "argument", entry.arguments, arguments, buffers);
      !status)
    return status.takeFailure();
  if (Status status = assign(entry, "result", entry.results, results, buffers);
      !status)
    return status.takeFailure();
  if (Status status = assignWorkspace(entry, dims, workspace, buffers); !status)
    return status.takeFailure();
  return create(code, entry, dims, buffers);
}
