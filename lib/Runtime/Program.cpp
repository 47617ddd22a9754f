//===- Program.cpp - a compiled program, and how it runs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Program.h"
#include "te/Runtime/File.h"

using namespace mlir::te::rt;

Instance::~Instance() {
  for (const Memory &buffer : buffers)
    if (buffer.address)
      code.getDevice().free(buffer.address);
}

/// Allocates the buffer; copies its input, or poison. A constant lies where the
/// code was loaded.
Status Instance::fillBuffer(size_t index, const HostTensor *input,
                            const RunOptions &options) {
  Device &device = code.getDevice();
  const Buffer &buffer = entry.buffers[index];
  if (buffer.kind == BufferKind::Constant)
    return {};
  bool isLeft = !options.hasContents && (!input || input->bytes.empty());
  auto shape = getBufferShape(entry, buffer, dims);
  if (!shape)
    return shape.takeFailure();
  uint64_t bytes = *getBufferBytes(entry, buffer, dims);
  auto address = device.allocate(bytes, buffer.name);
  if (!address)
    return address.takeFailure();
  buffers[index] = {*address, bytes};
  if (isLeft)
    return {};
  if (input)
    return device.copyToDevice(*address, input->bytes);
  if (Status status = checkMemory(bytes, buffer.name); !status)
    return status;
  return device.poison(*address, std::vector<uint8_t>(bytes, options.poison));
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
  buffers.resize(entry.buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i)
    if (Status status = fillBuffer(i, inputOf[i], options); !status)
      return status;
  auto bound = Binding::create(code, entry, dims, buffers);
  if (!bound)
    return bound.takeFailure();
  binding = std::move(*bound);
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
    if (Status status =
            device.copyFromDevice(output->bytes, buffers[index].address);
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
  LoadedCode code(device, *module);
  if (Status status = code.find(manifest); !status)
    return status.takeFailure();
  return code;
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
