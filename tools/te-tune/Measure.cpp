//===- Measure.cpp - te-tune: the time of one schedule --------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Measure.h"

#include "te/Driver/Compile.h"
#include "te/Driver/Profiler.h"
#include "te/Driver/Signature.h"
#include "te/Runtime/RandomData.h"
#include "te/Runtime/Timer.h"
#include "te/Target/Timing.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::te;

/// The region's function alone, with the schedule in it.
static OwningOpRef<ModuleOp> specialize(const TunedRegion &region,
                                        ScheduleAttr schedule) {
  OwningOpRef<ModuleOp> module(ModuleOp(region.module).clone());
  for (auto function :
       llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (function.getName() != region.function)
      function.erase();
  module->walk([&](FusionOp fusion) {
    if (llvm::is_contained(region.kernels, fusion.getKernel()))
      fusion.setScheduleAttr(schedule);
  });
  return module;
}

/// The image, or why there is none.
static rt::Result<rt::Program> compileQuietly(ModuleOp module,
                                              const Target &target) {
  std::string why;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &found) {
    if (why.empty() && found.getSeverity() == DiagnosticSeverity::Error)
      why = found.str();
  });
  CompileOptions options;
  options.target = &target;
  auto artifact = te::compile(module, options);
  if (failed(artifact))
    return rt::Failure{why.empty() ? "it does not compile" : why};
  StringRef image = artifact->binary;
  return rt::Program::create({image.bytes_begin(), image.bytes_end()});
}

/// `sizes` has those of other functions too.
static rt::Result<std::vector<int64_t>> bindOwn(const rt::Entry &entry,
                                                const Sizes &sizes) {
  Sizes own;
  for (auto &[name, size] : sizes)
    if (llvm::is_contained(entry.dims, name))
      own[name] = size;
  return rt::bindDims(entry, own, {});
}

/// True where the step is one of the region's kernels, or sums up or begins
/// what these compute.
static bool isOf(const TunedRegion &region, StringRef kernel) {
  for (StringRef suffix : {"_sum", "_partial", "_zero"})
    if (llvm::is_contained(region.kernels, kernel.ends_with(suffix)
                                               ? kernel.drop_back(suffix.size())
                                               : kernel))
      return true;
  return false;
}

/// Repeats of a timed run: the median of so many is steady.
static constexpr unsigned kRepeats = 20;

rt::Result<double> Meter::timeOnDevice(const rt::Program &program,
                                       const rt::Entry &entry,
                                       ArrayRef<int64_t> dims) const {
  auto code = program.load(*device);
  if (!code)
    return code.takeFailure();
  std::vector<rt::HostTensor> inputs;
  for (size_t index : rt::getBuffersOf(entry.arguments)) {
    auto tensor = rt::makeBuffer(entry, entry.buffers[index], dims, 0);
    if (!tensor)
      return tensor.takeFailure();
    rt::fillRandom(entry.buffers[index].name, index, *tensor);
    inputs.push_back(std::move(*tensor));
  }
  auto instance = rt::Instance::create(*code, entry, dims, inputs);
  if (!instance)
    return instance.takeFailure();
  if (rt::Status status = instance->launch(); !status)
    return status.takeFailure();
  if (rt::Status status = device->synchronize(); !status)
    return status.takeFailure();
  rt::TimeOptions options;
  options.repeat = kRepeats;
  auto times = rt::timeRuns(*device, *code, entry, dims, inputs,
                            std::move(*instance), options);
  if (!times)
    return times.takeFailure();
  const Timing *timing = Timing::lookup(target.name);
  constexpr double kNanoseconds = 1e9;
  return times->getMedian() *
         (timing ? timing->peakGHz * kNanoseconds : kNanoseconds);
}

rt::Result<double> Meter::time(const TunedRegion &region,
                               const rt::Program &program,
                               const Sizes &sizes) const {
  const rt::Entry *entry = program.getManifest().findEntry(region.function);
  if (!entry)
    return rt::Failure{"there is no entry " + region.function};
  auto dims = bindOwn(*entry, sizes);
  if (!dims)
    return dims.takeFailure();
  rt::Entry own = *entry; // its kernels alone
  std::erase_if(own.steps, [&](const rt::Step &step) {
    auto happens = step.happens(*dims);
    return !isOf(region, step.kernel) || !happens || !*happens;
  });
  if (own.steps.empty())
    return 0.;
  if (device)
    return timeOnDevice(program, own, *dims);
  auto profiles = profileSample(program, own, *dims);
  if (!profiles)
    return profiles.takeFailure();
  return getTotals(*profiles).first;
}

TriedSchedule Meter::measure(const TunedRegion &region, ScheduleAttr schedule,
                             ArrayRef<Sizes> sizes) const {
  TriedSchedule tried;
  llvm::raw_string_ostream(tried.schedule) << schedule;
  OwningOpRef<ModuleOp> module = specialize(region, schedule);
  auto program = compileQuietly(*module, target);
  if (!program) {
    tried.why = program.error();
    return tried;
  }
  double clocks = 0;
  for (const Sizes &each : sizes) {
    auto found = time(region, *program, each);
    if (!found) {
      tried.why = found.error();
      return tried;
    }
    clocks += *found;
  }
  if (clocks > 0)
    tried.clocks = clocks;
  else
    tried.why = "its kernel is not launched for these sizes";
  return tried;
}

rt::Result<llvm::StringSet<>>
te::findLaunched(ModuleOp module, const Target &target, ArrayRef<Sizes> sizes) {
  OwningOpRef<ModuleOp> copy(module.clone());
  auto program = compileQuietly(*copy, target);
  if (!program)
    return program.takeFailure();
  llvm::StringSet<> launched;
  for (const rt::Entry &entry : program->getManifest().entries)
    for (const Sizes &each : sizes) {
      auto dims = bindOwn(entry, each);
      if (!dims)
        return dims.takeFailure();
      for (const rt::Step &step : entry.steps) {
        auto happens = step.happens(*dims);
        if (happens && *happens)
          launched.insert(step.kernel);
      }
    }
  return launched;
}

rt::Result<TileDemand> te::bindDemand(const TunedRegion &region,
                                      const Sizes &sizes) {
  FusionOp fusion = region.fusion;
  auto function = fusion->getParentOfType<func::FuncOp>();
  auto entry = getSignature(function);
  if (failed(entry))
    return rt::Failure{"the signature of " + region.function + " is not sound"};
  auto dims = bindOwn(*entry, sizes);
  if (!dims)
    return dims.takeFailure();
  TileDemand made = region.demand;
  if (!made.gemm)
    return made;
  // Of an operand that comes from an argument of the function; else 1.
  auto getShape = [&](Value operand) {
    SmallVector<int64_t> shape(cast<ShapedType>(operand.getType()).getShape());
    std::vector<int64_t> known;
    if (auto argument = dyn_cast<BlockArgument>(operand)) {
      auto outer =
          dyn_cast<BlockArgument>(fusion.getInputs()[argument.getArgNumber()]);
      if (outer && outer.getOwner() == &function.getBody().front()) {
        const rt::Value &value = entry->arguments[outer.getArgNumber()];
        if (auto found =
                rt::evaluateShape(*entry, value.shape, value.name, *dims))
          known = *found;
      }
    }
    for (auto [axis, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        size = axis < known.size() ? known[axis] : 1;
    return shape;
  };
  GemmOp gemm = made.gemm;
  auto a = getShape(gemm.getA()), b = getShape(gemm.getB());
  made.depth = a[gemm.getKDimA()];
  made.cols = b[2 * b.size() - 3 - gemm.getKDimB()] / made.products;
  made.rows = a[2 * a.size() - 3 - gemm.getKDimA()];
  if (!gemm.isBatched())
    for (int64_t lead : ArrayRef(a).drop_back(2))
      made.rows *= lead;
  return made;
}
