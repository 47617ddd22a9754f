//===- Check.cpp - te_mlir._native: reference, sanitizer, profile -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Native.h"

#include "te/Dialect/TE/IR/TE.h"
#include "te/Driver/Compare.h"
#include "te/Driver/EmulatorDevice.h"
#include "te/Driver/Profiler.h"
#include "te/Driver/RandomInputs.h"
#include "te/Driver/Signature.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::python;

namespace {
/// An array of the caller: element type, shape, address.
using ArrayRefs =
    std::vector<std::tuple<std::string, std::vector<int64_t>, uint64_t>>;
using Arrays =
    std::vector<std::tuple<std::string, std::vector<int64_t>, py::bytes>>;
} // namespace

rt::HostTensor python::toHostTensor(const std::string &type,
                                    std::vector<int64_t> shape,
                                    uint64_t address) {
  auto dtype = rt::findDType(type);
  if (!dtype)
    throw RunFailure{"no element type " + type};
  rt::HostTensor tensor = rt::HostTensor::zeros(*dtype, std::move(shape));
  if (!tensor.bytes.empty())
    std::memcpy(tensor.bytes.data(), reinterpret_cast<const void *>(address),
                tensor.bytes.size());
  return tensor;
}

static std::vector<rt::HostTensor> toTensors(const ArrayRefs &arrays) {
  std::vector<rt::HostTensor> tensors;
  for (const auto &[type, shape, address] : arrays)
    tensors.push_back(toHostTensor(type, shape, address));
  return tensors;
}

static Arrays toArrays(llvm::ArrayRef<rt::HostTensor> tensors) {
  Arrays arrays;
  for (const rt::HostTensor &tensor : tensors)
    arrays.emplace_back(
        rt::getInfo(tensor.type).name, tensor.shape,
        py::bytes(reinterpret_cast<const char *>(tensor.bytes.data()),
                  tensor.bytes.size()));
  return arrays;
}

//===----------------------------------------------------------------------===//
// The reference
//===----------------------------------------------------------------------===//

/// An entry of a module with the sizes of its dimensions.
namespace {
struct Call {
  const Module &module;
  func::FuncOp function;
  const rt::Entry &entry;
  std::vector<int64_t> dims;

  Call(const Module &module, const std::string &name, std::vector<int64_t> dims)
      : module(module), function(module.find(name)),
        entry(module.getEntry(name)), dims(std::move(dims)) {}

  /// Arguments of these buffers; checked against the signature.
  std::vector<ref::TensorValue>
  makeArguments(std::vector<rt::HostTensor> buffers) const;
  std::vector<ref::TensorValue>
  interpret(llvm::ArrayRef<ref::TensorValue> arguments) const;
};
} // namespace

std::vector<ref::TensorValue>
Call::makeArguments(std::vector<rt::HostTensor> buffers) const {
  std::vector<ref::TensorValue> arguments;
  auto next = buffers.begin();
  for (const rt::Value &value : entry.arguments) {
    ref::TensorValue made;
    made.shape = check(rt::evaluateShape(entry, value.shape, value.name, dims));
    for (size_t index : value.buffers) {
      if (next == buffers.end())
        throw RunFailure{"entry " + entry.name + " takes more inputs"};
      check(rt::checkInput(entry, entry.buffers[index], dims, *next));
      made.buffers.push_back(std::move(*next++));
    }
    arguments.push_back(std::move(made));
  }
  return arguments;
}

std::vector<ref::TensorValue>
Call::interpret(llvm::ArrayRef<ref::TensorValue> arguments) const {
  DiagnosticCollector collector(module.getContext());
  auto results = ref::interpret(function, arguments);
  if (failed(results))
    collector.fail();
  return std::move(*results);
}

static std::vector<rt::HostTensor>
getBuffers(llvm::ArrayRef<ref::TensorValue> values) {
  std::vector<rt::HostTensor> buffers;
  for (const ref::TensorValue &value : values)
    buffers.insert(buffers.end(), value.buffers.begin(), value.buffers.end());
  return buffers;
}

/// Interprets an entry; its results go where \p outputs say.
static void runReference(const Module &module, const std::string &name,
                         const std::vector<int64_t> &dims,
                         const ArrayRefs &inputs, const ArrayRefs &outputs) {
  py::gil_scoped_release release;
  Call call(module, name, dims);
  auto results =
      getBuffers(call.interpret(call.makeArguments(toTensors(inputs))));
  if (results.size() != outputs.size())
    throw RunFailure{"entry " + name + " gives " +
                     std::to_string(results.size()) + " arrays, found " +
                     std::to_string(outputs.size())};
  for (const auto &[result, output] : llvm::zip_equal(results, outputs)) {
    const auto &[dtype, shape, address] = output;
    if (result.shape != shape)
      throw RunFailure{"the reference's result has another shape than the "
                       "kernel's; this is a defect of te-mlir"};
    llvm::copy(result.bytes, reinterpret_cast<uint8_t *>(address));
  }
}

static py::dict describeComparison(const rt::Comparison &comparison) {
  py::dict made;
  made["name"] = comparison.name;
  made["dtype"] = rt::getInfo(comparison.type).name;
  made["shape"] = comparison.shape;
  made["tolerance"] = rt::format(comparison.tolerance);
  made["elements"] = comparison.elements;
  made["mismatches"] = comparison.mismatches;
  made["outliers"] = comparison.outliers;
  made["unspecified"] = comparison.unspecified;
  made["differences"] = comparison.differences;
  made["worst_absolute"] = comparison.worstAbsolute;
  made["worst_relative"] = comparison.worstRelative;
  made["worst_ulps"] = comparison.worstUlps;
  made["passed"] = rt::isPass({comparison});
  made["text"] = rt::formatComparisons({comparison});
  return made;
}

/// Results next to the reference's: one comparison a buffer.
static py::list compareWithReference(const Module &module,
                                     const std::string &name,
                                     const std::vector<int64_t> &dims,
                                     const ArrayRefs &inputs,
                                     const ArrayRefs &found) {
  std::vector<rt::Comparison> comparisons;
  {
    py::gil_scoped_release release;
    Call call(module, name, dims);
    auto expected = call.interpret(call.makeArguments(toTensors(inputs)));
    // Results have no buffers in a module's signature: names are the values'.
    rt::Entry named = call.entry;
    for (rt::Value &value : named.results) {
      bool isScaled = isa<ScaledType>(
          call.function.getResultTypes()[&value - named.results.data()]);
      for (const char *part : {".data", ".scale"}) {
        value.buffers.push_back(named.buffers.size());
        rt::Buffer &buffer = named.buffers.emplace_back();
        buffer.kind = rt::BufferKind::Result;
        buffer.name = value.name + (isScaled ? part : "");
        if (!isScaled)
          break;
      }
    }
    comparisons =
        check(compareResults(call.function, named, toTensors(found), expected));
  }
  py::list list;
  for (const rt::Comparison &comparison : comparisons)
    list.append(describeComparison(comparison));
  return list;
}

//===----------------------------------------------------------------------===//
// Random inputs
//===----------------------------------------------------------------------===//

static Distribution parseDistribution(const std::string &name) {
  if (name == "mixed")
    return Distribution::Mixed;
  if (name == "normal")
    return Distribution::Normal;
  if (name == "uniform")
    return Distribution::Uniform;
  throw RunFailure{"no distribution " + name +
                   "; there are mixed, normal and uniform"};
}

/// What te-run gives an entry without --input.
static Arrays makeRandomInputs(const Module &module, const std::string &name,
                               const std::vector<int64_t> &dims, uint64_t seed,
                               const std::string &distribution) {
  std::vector<rt::HostTensor> buffers;
  {
    py::gil_scoped_release release;
    Call call(module, name, dims);
    RandomSpec spec{seed, parseDistribution(distribution)};
    auto roles = getArgumentRoles(call.function, call.entry);
    for (auto [index, value] : llvm::enumerate(call.entry.arguments)) {
      Type type = call.function.getArgumentTypes()[index];
      auto shape = check(
          rt::evaluateShape(call.entry, value.shape, value.name, call.dims));
      DiagnosticCollector collector(module.getContext());
      auto made = ref::makeValue(call.function.getLoc(), type, shape, 0);
      if (failed(made))
        collector.fail();
      fillRandom(type, roles.lookup(value.name), index, spec, spec, *made);
      buffers.insert(buffers.end(), made->buffers.begin(), made->buffers.end());
    }
  }
  return toArrays(buffers);
}

//===----------------------------------------------------------------------===//
// The emulator's tools
//===----------------------------------------------------------------------===//

/// JSON, as te-run --profile writes it. Without inputs of a sample of the grid.
static std::string profileEntry(const std::string &image,
                                const std::string &name,
                                const std::vector<int64_t> &dims,
                                const ArrayRefs &inputs, bool isSample,
                                std::optional<double> clock) {
  rt::Program program =
      check(rt::Program::create({image.begin(), image.end()}));
  const rt::Entry *entry = program.getManifest().findEntry(name);
  const std::string &chip = program.getManifest().target;
  const Target *target = Target::lookup(chip);
  const Timing *timing = Timing::lookup(chip);
  if (!entry)
    throw RunFailure{"the program has no entry " + name};
  if (!target || !timing)
    throw RunFailure{"the cycle model does not know " + chip};
  if (clock && (*clock <= 0 || *clock > timing->peakGHz))
    throw RunFailure{llvm::formatv("a clock of {0} GHz; {1} has above 0 and up "
                                   "to {2}",
                                   *clock, chip, timing->peakGHz)};
  EmulatorDevice device;
  device.setRecording([&](llvm::StringRef chip, const emu::KernelInfo &kernel,
                          const emu::LaunchConfig &config,
                          llvm::ArrayRef<uint64_t> work) {
    emu::TraceRequest request = chooseRecorded(chip, kernel, config, work);
    request.isSample = isSample && !request.workgroups.empty();
    return request;
  });
  rt::RunOptions options;
  options.hasContents = !isSample;
  std::vector<rt::HostTensor> outputs, tensors = toTensors(inputs);
  if (isSample) // shapes alone
    for (size_t index : rt::getBuffersOf(entry->arguments)) {
      const rt::Buffer &buffer = entry->buffers[index];
      rt::HostTensor &tensor = tensors.emplace_back();
      tensor.type = buffer.type;
      tensor.shape = check(rt::getBufferShape(*entry, buffer, dims));
    }
  check(program.run(device, *entry, dims, tensors, outputs, options));
  std::vector<cycle::Profile> profiles;
  Timing clocked = timing->withClock(clock.value_or(timing->peakGHz));
  for (const EmulatedLaunch &launch : device.getLaunches())
    profiles.push_back(
        cycle::makeProfile(launch.kernel.name, launch.trace, *target, clocked));
  return llvm::formatv("{0}", toJson(profiles));
}

/// The defects that the sanitizer finds, and the results.
static py::tuple sanitizeEntry(const std::string &image,
                               const std::string &name,
                               const std::vector<int64_t> &dims,
                               const ArrayRefs &inputs) {
  std::vector<std::string> defects;
  std::vector<rt::HostTensor> outputs;
  {
    py::gil_scoped_release release;
    rt::Program program =
        check(rt::Program::create({image.begin(), image.end()}));
    const rt::Entry *entry = program.getManifest().findEntry(name);
    if (!entry)
      throw RunFailure{"the program has no entry " + name};
    emu::Sanitizer sanitizer;
    EmulatorDevice device(nullptr, &sanitizer);
    rt::Status status =
        program.run(device, *entry, dims, toTensors(inputs), outputs);
    for (const emu::SanitizerReport &report : sanitizer.getReports()) {
      llvm::raw_string_ostream os(defects.emplace_back());
      report.print(os);
    }
    if (!status && defects.empty())
      check(status);
  }
  return py::make_tuple(defects, toArrays(outputs));
}

void python::bindCheck(py::module_ &m) {
  m.def("reference", &runReference, py::arg("module"), py::arg("entry"),
        py::arg("dims"), py::arg("inputs"), py::arg("outputs"));
  m.def("compare", &compareWithReference, py::arg("module"), py::arg("entry"),
        py::arg("dims"), py::arg("inputs"), py::arg("found"));
  m.def("random_inputs", &makeRandomInputs, py::arg("module"), py::arg("entry"),
        py::arg("dims"), py::arg("seed"), py::arg("distribution"));
  m.def("profile", &profileEntry, py::arg("image"), py::arg("entry"),
        py::arg("dims"), py::arg("inputs"), py::arg("sample"), py::arg("clock"),
        py::call_guard<py::gil_scoped_release>());
  m.def("sanitize", &sanitizeEntry, py::arg("image"), py::arg("entry"),
        py::arg("dims"), py::arg("inputs"));
}
