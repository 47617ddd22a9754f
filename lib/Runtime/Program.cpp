//===- Program.cpp - a compiled program, and how it runs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Program.h"
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

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

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

Result<std::vector<int64_t>>
mlir::te::rt::getBufferShape(const Entry &entry, const Buffer &buffer,
                             std::span<const int64_t> dims) {
  auto shape = evaluateShape(entry, buffer.shape, buffer.name, dims);
  if (!shape)
    return shape;
  const int64_t memory =
      int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  int64_t bytes = getInfo(buffer.type).bytes;
  bool isTooLarge = false;
  for (int64_t size : *shape)
    isTooLarge |= __builtin_mul_overflow(bytes, size, &bytes);
  // A size of 0 does not excuse the others: strides would overflow.
  if (isTooLarge || bytes > memory)
    return Failure{buffer.name + " of " + formatShape(*shape) + " " +
                   getInfo(buffer.type).name +
                   " does not fit in this machine's memory: it needs " +
                   (isTooLarge ? "more than 2^63" : std::to_string(bytes)) +
                   " bytes"};
  return shape;
}

Result<uint64_t> mlir::te::rt::getBufferBytes(const Entry &entry,
                                              const Buffer &buffer,
                                              std::span<const int64_t> dims) {
  auto shape = getBufferShape(entry, buffer, dims);
  if (!shape)
    return shape.takeFailure();
  uint64_t bytes = getInfo(buffer.type).bytes;
  for (int64_t size : *shape)
    bytes *= size;
  return bytes;
}

Result<HostTensor> mlir::te::rt::makeBuffer(const Entry &entry,
                                            const Buffer &buffer,
                                            std::span<const int64_t> dims,
                                            uint8_t fill) {
  auto shape = getBufferShape(entry, buffer, dims);
  if (!shape)
    return shape.takeFailure();
  if (Status status =
          checkMemory(*getBufferBytes(entry, buffer, dims), buffer.name);
      !status)
    return status.takeFailure();
  HostTensor tensor = HostTensor::zeros(buffer.type, std::move(*shape));
  std::fill(tensor.bytes.begin(), tensor.bytes.end(), fill);
  return tensor;
}

Status mlir::te::rt::checkInput(const Entry &entry, const Buffer &buffer,
                                std::span<const int64_t> dims,
                                const HostTensor &input) {
  auto shape = evaluateShape(entry, buffer.shape, buffer.name, dims);
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

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

template <typename T>
static void storeArg(std::vector<uint8_t> &bytes, uint32_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

Result<std::vector<uint8_t>> Instance::packKernargs(const Step &step) const {
  std::vector<uint8_t> bytes(step.kernargBytes);
  for (const KernelArg &arg : step.args) {
    if (arg.kind == KernelArgKind::Buffer) {
      storeArg<uint64_t>(bytes, arg.offset, addresses[arg.buffer]);
      continue;
    }
    if (arg.kind == KernelArgKind::F32) {
      storeArg<float>(bytes, arg.offset, arg.number);
      continue;
    }
    Result<int64_t> value = arg.value.evaluate(dims);
    if (!value)
      return value.takeFailure();
    if (arg.kind == KernelArgKind::I64)
      storeArg<int64_t>(bytes, arg.offset, *value);
    else if (*value != int32_t(*value))
      return Failure{"an i32 argument would be " + std::to_string(*value)};
    else
      storeArg<int32_t>(bytes, arg.offset, int32_t(*value));
  }
  return bytes;
}

Status Instance::launchStep(const Step &step) const {
  Launch launch{code.getModule(), step.kernel,     {},
                step.block,       step.dynamicLds, {}};
  for (unsigned i = 0; i < 3; ++i) {
    Result<int64_t> size = step.grid[i].evaluate(dims);
    if (!size)
      return size.takeFailure();
    if (*size < 0 || *size > INT32_MAX)
      return Failure{"kernel " + step.kernel + ": a grid of " +
                     std::to_string(*size) + " workgroups (" +
                     step.grid[i].format(entry.dims) + "); a launch has 0 to " +
                     std::to_string(INT32_MAX)};
    launch.grid[i] = *size;
    if (*size == 0)
      return {};
  }
  auto kernargs = packKernargs(step);
  if (!kernargs)
    return Failure{"kernel " + step.kernel + ": " + kernargs.error()};
  launch.kernargs = *kernargs;
  return code.getDevice().launch(launch);
}

Status Instance::launch() const {
  for (const Step &step : entry.steps)
    if (Status status = launchStep(step); !status)
      return status;
  return {};
}

Instance::~Instance() {
  for (size_t i = 0; i < addresses.size(); ++i)
    if (entry.buffers[i].kind != BufferKind::Constant)
      code.getDevice().free(addresses[i]);
}

/// Allocates the buffer; copies its input, or poison. A constant lies where the
/// code was loaded.
Status Instance::fillBuffer(size_t index, const HostTensor *input,
                            const RunOptions &options) {
  Device &device = code.getDevice();
  const Buffer &buffer = entry.buffers[index];
  bool isLeft = !options.hasContents && (!input || input->bytes.empty());
  auto shape = getBufferShape(entry, buffer, dims);
  if (!shape)
    return shape.takeFailure();
  HostTensor poisoned;
  poisoned.type = buffer.type;
  poisoned.shape = std::move(*shape);
  uint64_t bytes = getInfo(buffer.type).bytes * poisoned.getNumUnits();
  bool isConstant = buffer.kind == BufferKind::Constant;
  auto address = isConstant
                     ? device.findGlobal(code.getModule(), buffer.symbol, bytes)
                     : device.allocate(bytes, buffer.name);
  if (!address)
    return address.takeFailure();
  addresses.push_back(*address);
  if (isLeft || isConstant)
    return {};
  if (input)
    return device.copyToDevice(*address, input->bytes);
  if (Status status = checkMemory(bytes, buffer.name); !status)
    return status;
  poisoned.bytes.assign(bytes, options.poison);
  return device.poison(*address, poisoned.bytes);
}

Status Instance::fill(std::span<const HostTensor> inputs,
                      const RunOptions &options) {
  std::vector<const HostTensor *> inputOf(entry.buffers.size());
  std::vector<size_t> arguments = getBuffersOf(entry.arguments);
  if (inputs.size() != arguments.size())
    return Failure{"entry " + entry.name + " takes " +
                   std::to_string(arguments.size()) + " inputs, found " +
                   std::to_string(inputs.size())};
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputOf[arguments[i]] = &inputs[i];
    if (Status status =
            checkInput(entry, entry.buffers[arguments[i]], dims, inputs[i]);
        !status)
      return status;
  }
  for (size_t i = 0; i < entry.buffers.size(); ++i)
    if (Status status = fillBuffer(i, inputOf[i], options); !status)
      return status;
  return {};
}

Result<Instance> Instance::create(const LoadedCode &code, const Entry &entry,
                                  std::span<const int64_t> dims,
                                  std::span<const HostTensor> inputs,
                                  const RunOptions &options) {
  Instance instance(code, entry, dims);
  if (Status status = instance.fill(inputs, options); !status)
    return status.takeFailure();
  return instance;
}

Status Instance::read(std::vector<HostTensor> &outputs) const {
  Device &device = code.getDevice();
  if (Status status = device.synchronize(); !status)
    return status;
  outputs.clear();
  for (size_t index : getBuffersOf(entry.results)) {
    auto output = makeBuffer(entry, entry.buffers[index], dims, 0);
    if (!output)
      return output.takeFailure();
    if (Status status = device.copyFromDevice(output->bytes, addresses[index]);
        !status)
      return status;
    outputs.push_back(std::move(*output));
  }
  return {};
}

Result<Program> Program::create(std::vector<uint8_t> image) {
  auto manifest = Manifest::read(image);
  if (!manifest)
    return manifest.takeFailure();
  Program program;
  program.image = std::move(image);
  program.manifest = std::move(*manifest);
  return program;
}

Result<LoadedCode> Program::load(Device &device) const {
  if (Status status = device.checkTarget(manifest.target); !status)
    return status.takeFailure();
  auto module = device.load(image);
  if (!module)
    return module.takeFailure();
  return LoadedCode(device, *module);
}

Status Program::run(Device &device, const Entry &entry,
                    std::span<const int64_t> dims,
                    std::span<const HostTensor> inputs,
                    std::vector<HostTensor> &outputs,
                    const RunOptions &options) const {
  auto code = load(device);
  if (!code)
    return code.takeFailure();
  auto instance = Instance::create(*code, entry, dims, inputs, options);
  if (!instance)
    return instance.takeFailure();
  if (Status status = instance->launch(); !status || !options.hasContents)
    return status;
  return instance->read(outputs);
}
