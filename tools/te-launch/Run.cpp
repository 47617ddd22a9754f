//===- Run.cpp - te-launch: one run -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run.h"
#include "te/Runtime/File.h"
#include "te/Runtime/Npy.h"
#include "te/Runtime/RandomData.h"

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir::te;
using namespace mlir::te::rt;

Status Runner::load(const std::string &path) {
  if (code && path == file)
    return {};
  code.reset();
  auto image = readFile(path);
  if (!image)
    return image.takeFailure();
  auto made = Program::create(std::move(*image));
  if (!made)
    return Failure{path + ": " + made.error()};
  program = std::move(*made);
  auto loaded = program->load(device);
  if (!loaded)
    return Failure{path + ": " + loaded.error()};
  code.emplace(std::move(*loaded));
  file = path;
  return {};
}

Result<const Entry *> Runner::findEntry(const std::string &name) const {
  const std::vector<Entry> &entries = program->getManifest().entries;
  if (name.empty() && entries.size() == 1)
    return &entries[0];
  if (const Entry *entry = program->getManifest().findEntry(name))
    return entry;
  std::string names;
  for (const Entry &entry : entries)
    names += (names.empty() ? "" : ", ") + entry.name;
  return Failure{
      file + ": " +
      (name.empty() ? "which entry? Give --entry=NAME" : "no entry " + name) +
      "; there are: " + names};
}

//===----------------------------------------------------------------------===//
// Inputs and results
//===----------------------------------------------------------------------===//

/// The inputs that are files, in order.
static Result<std::vector<HostTensor>>
readInputs(const Entry &entry, const std::vector<std::string> &paths) {
  std::vector<size_t> buffers = getBuffersOf(entry.arguments);
  if (paths.size() > buffers.size())
    return Failure{std::to_string(paths.size()) + " --input flags, but entry " +
                   entry.name + " takes " + std::to_string(buffers.size()) +
                   "; see --list"};
  std::vector<HostTensor> inputs;
  for (size_t i = 0; i < paths.size(); ++i) {
    const Buffer &buffer = entry.buffers[buffers[i]];
    auto tensor = readNpy(paths[i], buffer.type);
    if (!tensor)
      return Failure{"argument " + buffer.name + ": " + tensor.error()};
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

/// Adds random ones after those that are given.
static Status addRandom(const Entry &entry, const std::vector<int64_t> &dims,
                        uint64_t seed, std::vector<HostTensor> &inputs) {
  std::vector<size_t> buffers = getBuffersOf(entry.arguments);
  for (size_t i = inputs.size(); i < buffers.size(); ++i) {
    const Buffer &buffer = entry.buffers[buffers[i]];
    auto tensor = makeBuffer(entry, buffer, dims, 0);
    if (!tensor)
      return tensor.takeFailure();
    fillRandom(buffer.name, seed + i, *tensor);
    inputs.push_back(std::move(*tensor));
  }
  return {};
}

static Result<Comparison> compareWithFile(const RunFlags &flags,
                                          const Buffer &buffer,
                                          const HostTensor &found) {
  std::string path = flags.expect + "/" + buffer.name;
  auto expected = readNpy(path + ".npy", buffer.type);
  if (!expected)
    return Failure{"--expect: " + expected.error()};
  if (expected->shape != found.shape)
    return Failure{"--expect: " + path + ".npy has shape " +
                   formatShape(expected->shape) + ", but the result's is " +
                   formatShape(found.shape)};
  std::string maskPath = path + ".mask.npy";
  if (access(maskPath.c_str(), F_OK) == 0) {
    auto mask = readNpy(maskPath, buffer.type);
    if (!mask)
      return Failure{"--expect: " + mask.error()};
    if (mask->shape != found.shape)
      return Failure{"--expect: " + maskPath + " has shape " +
                     formatShape(mask->shape) + ", but the result's is " +
                     formatShape(found.shape)};
    expected->unspecified = std::move(mask->bytes);
  }
  auto tolerance = flags.tolerances.find(buffer.name);
  if (tolerance == flags.tolerances.end())
    tolerance = flags.tolerances.find("");
  return compare(buffer.name, found, *expected,
                 tolerance == flags.tolerances.end() ? Tolerance()
                                                     : tolerance->second);
}

static Status useResults(const RunFlags &flags, const Entry &entry,
                         const std::vector<HostTensor> &results,
                         std::vector<Comparison> &comparisons) {
  std::vector<size_t> buffers = getBuffersOf(entry.results);
  if (flags.outputs.size() > buffers.size())
    return Failure{std::to_string(flags.outputs.size()) +
                   " --output flags, but entry " + entry.name + " has " +
                   std::to_string(buffers.size()) +
                   " result buffers; see --list"};
  for (size_t i = 0; i < flags.outputs.size(); ++i)
    if (Status status = writeNpy(flags.outputs[i], results[i]); !status)
      return status;
  if (!flags.save.empty())
    (void)mkdir(flags.save.c_str(), 0755); // writing says what is wrong
  for (size_t i = 0; i < results.size() && !flags.save.empty(); ++i)
    if (Status status =
            writeNpy(flags.save + "/" + entry.buffers[buffers[i]].name + ".npy",
                     results[i]);
        !status)
      return status;
  for (const auto &[name, tolerance] : flags.tolerances) {
    bool isKnown = name.empty();
    for (size_t buffer : buffers)
      isKnown |= entry.buffers[buffer].name == name;
    if (!isKnown)
      return Failure{"--tolerance: entry " + entry.name + " has no result " +
                     name + "; see --list"};
  }
  for (size_t i = 0; i < results.size() && !flags.expect.empty(); ++i) {
    auto comparison =
        compareWithFile(flags, entry.buffers[buffers[i]], results[i]);
    if (!comparison)
      return comparison.takeFailure();
    comparisons.push_back(std::move(*comparison));
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Status Runner::runEntry(const RunFlags &flags, const Entry &entry,
                        const std::vector<int64_t> &dims,
                        const std::vector<HostTensor> &inputs, Report &report) {
  auto bytes = countLeastBytes(entry, dims);
  if (!bytes)
    return bytes.takeFailure();
  report.leastBytes = *bytes;
  auto instance = Instance::create(*code, entry, dims, inputs);
  if (!instance)
    return instance.takeFailure();
  if (Status status = instance->launch(); !status)
    return status;
  // A fault of a kernel shows here.
  if (Status status = device.synchronize(); !status)
    return status;
  bool isUsed =
      !flags.outputs.empty() || !flags.expect.empty() || !flags.save.empty();
  std::vector<HostTensor> results;
  if (isUsed)
    if (Status status = instance->read(results); !status)
      return status;
  if (Status status = useResults(flags, entry, results, report.comparisons);
      !status)
    return status;
  if (!flags.isTimed)
    return {};
  auto times = timeRuns(device, *code, entry, dims, inputs,
                        std::move(*instance), flags.timing);
  if (!times)
    return times.takeFailure();
  report.times = std::move(*times);
  return {};
}

Result<Report> Runner::run(const RunFlags &flags) {
  if (Status status = load(flags.file); !status)
    return status.takeFailure();
  auto found = findEntry(flags.entry);
  if (!found)
    return found.takeFailure();
  const Entry &entry = **found;
  auto inputs = readInputs(entry, flags.inputs);
  if (!inputs)
    return inputs.takeFailure();
  std::vector<const HostTensor *> known;
  for (const HostTensor &input : *inputs)
    known.push_back(&input);
  auto dims = bindDims(entry, flags.dims, known);
  if (!dims)
    return dims.takeFailure();
  if (Status status = addRandom(entry, *dims, flags.seed, *inputs); !status)
    return status.takeFailure();
  Report report;
  report.file = flags.file;
  report.entry = entry.name;
  for (size_t i = 0; i < dims->size(); ++i)
    report.dims[entry.dims[i]] = (*dims)[i];
  if (Status status = runEntry(flags, entry, *dims, *inputs, report); !status)
    return status.takeFailure();
  return report;
}
