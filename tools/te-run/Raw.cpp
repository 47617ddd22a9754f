//===- Raw.cpp - te-run: kernels of any code object -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raw mode (--kernel): no manifest is needed. The kernel's metadata says what
// arguments it takes; --arg and --kernarg flags give them, and the device fills
// the hidden ones. Several kernels run in the order of their --kernel flags and
// share the --buffer ones.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "Session.h"

#include "te/Runtime/Npy.h"
#include "te/Target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// A launch, checked against the kernel's metadata.
struct RawLaunch {
  rt::Launch launch{};
  const emu::KernelInfo *kernel = nullptr;
  std::vector<PlacedArgument> arguments;
};
/// What the flags ask for.
struct Plan {
  std::vector<RawBuffer> buffers;
  std::vector<RawLaunch> launches;
};
} // namespace

/// X[,Y[,Z]], each at least 1.
static bool parseSizes(StringRef text, std::array<uint32_t, 3> &sizes) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  sizes = {1, 1, 1};
  if (parts.size() > 3)
    return false;
  for (auto [part, size] : llvm::zip(parts, sizes))
    if (part.trim().getAsInteger(10, size) || size == 0)
      return false;
  return true;
}

static std::string joinKernels(const emu::CodeObject &object) {
  return llvm::join(llvm::map_range(object.getKernels(),
                                    [](const emu::KernelInfo &kernel) {
                                      return kernel.name;
                                    }),
                    ", ");
}

/// Puts the LDS that the arguments point to after the kernel's own, one after
/// another; returns where it ends.
static uint64_t placeLds(const emu::KernelInfo &kernel,
                         MutableArrayRef<PlacedArgument> arguments) {
  uint64_t end = kernel.ldsBytes;
  for (PlacedArgument &placed : arguments) {
    RawArgument &argument = placed.argument;
    if (argument.kind != RawArgument::Lds)
      continue;
    end = llvm::alignTo(end, placed.align);
    llvm::support::endian::write32le(argument.bytes.data(), end);
    end += argument.ldsBytes;
  }
  return end;
}

/// Reads one launch's flags; it lacks module, kernel and kernargs.
static rt::Result<RawLaunch> planLaunch(const LaunchFlags &flags,
                                        const emu::CodeObject &object,
                                        std::vector<RawBuffer> &buffers) {
  RawLaunch planned;
  planned.kernel = object.findKernel(flags.kernel);
  if (!planned.kernel)
    return rt::Failure{"no kernel " + flags.kernel +
                       "; there are: " + joinKernels(object)};
  const emu::KernelInfo &kernel = *planned.kernel;
  planned.launch.name = kernel.name;
  if (!parseSizes(flags.grid, planned.launch.grid))
    return rt::Failure{"--grid=" + flags.grid +
                       ": expected X,Y,Z, the workgroups"};
  if (!parseSizes(flags.block, planned.launch.block))
    return rt::Failure{"--block=" + flags.block +
                       ": expected X,Y,Z, the lanes of a workgroup"};
  uint32_t lds = 0;
  if (!flags.lds.empty() && StringRef(flags.lds).getAsInteger(0, lds))
    return rt::Failure{"--lds=" + flags.lds +
                       ": expected bytes of dynamic LDS, for example 1024"};
  auto arguments =
      placeArguments(kernel, flags.arguments, flags.kernargs, buffers);
  if (!arguments)
    return arguments.takeFailure();
  planned.arguments = std::move(*arguments);
  uint64_t dynamic =
      placeLds(kernel, planned.arguments) - kernel.ldsBytes + lds;
  // A device refuses what is too much, and far less than this is.
  planned.launch.dynamicLds = std::min<uint64_t>(dynamic, UINT32_MAX);
  return planned;
}

static rt::Result<Plan> makePlan(const RunFlags &flags,
                                 const emu::CodeObject &object) {
  Plan plan;
  for (const std::string &text : flags.buffers) {
    auto buffer = parseBuffer(text);
    if (!buffer)
      return buffer.takeFailure();
    if (llvm::any_of(plan.buffers, [&](const RawBuffer &other) {
          return other.name == buffer->name;
        }))
      return rt::Failure{"--buffer=" + text + ": there is another buffer " +
                         buffer->name};
    plan.buffers.push_back(std::move(*buffer));
  }
  for (const LaunchFlags &launch : flags.launches) {
    auto planned = planLaunch(launch, object, plan.buffers);
    if (!planned)
      return planned.takeFailure();
    plan.launches.push_back(std::move(*planned));
  }
  return plan;
}

/// Names a buffer in messages: by its own name, or by the argument it is made
/// for.
static std::string nameBuffer(const Plan &plan, size_t buffer) {
  if (!plan.buffers[buffer].name.empty())
    return "buffer " + plan.buffers[buffer].name;
  for (const RawLaunch &planned : plan.launches)
    for (const PlacedArgument &placed : planned.arguments)
      for (const RawArgument::Patch &patch : placed.argument.patches)
        if (patch.buffer == buffer)
          return placed.name + (plan.launches.size() > 1
                                    ? " of " + planned.kernel->name
                                    : "");
  return "buffer";
}

/// Gives the buffers addresses and contents; zeros only where they matter.
static rt::Status upload(rt::Device &device, Plan &plan, bool hasZeros) {
  for (auto [index, buffer] : llvm::enumerate(plan.buffers)) {
    rt::HostTensor &tensor = buffer.tensor;
    uint64_t bytes = tensor.getNumUnits() * rt::getInfo(tensor.type).bytes;
    auto address = device.allocate(bytes, nameBuffer(plan, index));
    if (!address)
      return address.takeFailure();
    buffer.address = *address;
    if (hasZeros)
      tensor.bytes.resize(bytes);
    if (auto status = device.copyToDevice(*address, buffer.tensor.bytes);
        !status)
      return status;
  }
  return {};
}

/// The arguments' part of the kernel's segment: 0 where no flag says more.
static std::vector<uint8_t> makeKernargs(const RawLaunch &planned,
                                         ArrayRef<RawBuffer> buffers) {
  uint64_t bytes = 0;
  for (const emu::KernelArgument &argument : getExplicit(*planned.kernel))
    bytes =
        std::max<uint64_t>(bytes, uint64_t(argument.offset) + argument.size);
  for (const PlacedArgument &placed : planned.arguments)
    bytes = std::max(bytes, placed.getEnd());
  std::vector<uint8_t> kernargs(bytes);
  for (const PlacedArgument &placed : planned.arguments) {
    uint8_t *to = kernargs.data() + placed.offset;
    llvm::copy(placed.argument.bytes, to);
    for (const RawArgument::Patch &patch : placed.argument.patches)
      llvm::support::endian::write64le(to + patch.offset,
                                       buffers[patch.buffer].address);
  }
  return kernargs;
}

static rt::Status runLaunches(rt::Device &device, uint64_t module, Plan &plan) {
  for (RawLaunch &planned : plan.launches) {
    auto kernargs = makeKernargs(planned, plan.buffers);
    auto kernel = device.findKernel(module, planned.kernel->name,
                                    planned.launch.dynamicLds);
    if (!kernel)
      return kernel.takeFailure();
    planned.launch.module = module;
    planned.launch.kernel = *kernel;
    planned.launch.kernargs = kernargs;
    if (auto status = device.launch({&planned.launch, 1}, {}, 0); !status)
      return status;
  }
  if (auto status = device.synchronize(); !status)
    return status;
  for (RawBuffer &buffer : plan.buffers)
    if (!buffer.output.empty())
      if (auto status =
              device.copyFromDevice(buffer.tensor.bytes, buffer.address);
          !status)
        return status;
  return {};
}

/// The code object; null, and a failure, where it is none or for another chip
/// than --target says.
std::unique_ptr<emu::CodeObject> Session::openRaw(ArrayRef<uint8_t> image) {
  auto object = emu::CodeObject::load(image, flags.file);
  if (!object) {
    fail(BadInput, llvm::toString(object.takeError()));
    return nullptr;
  }
  chip = (*object)->getChip().str();
  if (flags.target.empty() || flags.target == chip)
    return std::move(*object);
  auto target = Target::get(flags.target);
  fail(BadInput, target ? flags.file + ": compiled for " + chip +
                              ", but --target=" + flags.target +
                              " is given; drop it"
                        : "--target: " + llvm::toString(target.takeError()));
  return nullptr;
}

bool Session::runRaw(ArrayRef<uint8_t> image) {
  std::unique_ptr<emu::CodeObject> object = openRaw(image);
  if (!object || !checkClock())
    return false;
  auto plan = makePlan(flags, *object);
  if (!plan)
    return fail(BadInput, flags.file + ": " + plan.error());
  if (flags.sample && llvm::any_of(plan->buffers, [](const RawBuffer &buffer) {
        return !buffer.output.empty();
      }))
    return fail(BadInput, "--sample computes no results: give buffers as in: "
                          "or tmp:");
  SmallVector<StringRef> names;
  for (const LaunchFlags &launch : flags.launches)
    names.push_back(launch.kernel);
  entry.name = llvm::join(names, ", ");
  if (flags.device == DeviceKind::Any && !device->checkTarget(chip))
    useEmulator();
  auto module = device->load(image);
  if (!module)
    return fail(Failed, module.error());
  if (auto status = upload(*device, *plan, !flags.sample); !status)
    return fail(Failed, status.error());
  rt::Status ran;
  seconds = timeSeconds([&] { ran = runLaunches(*device, *module, *plan); });
  if (!ran)
    return fail(Failed, flags.file + ": " + ran.error());
  hasRun = true;
  for (RawBuffer &buffer : plan->buffers)
    if (!buffer.output.empty())
      if (auto status = rt::writeNpy(buffer.output, buffer.tensor); !status)
        return fail(Failed, status.error());
  return printFindings();
}

bool Session::listRaw(ArrayRef<uint8_t> image) {
  std::unique_ptr<emu::CodeObject> object = openRaw(image);
  if (!object)
    return false;
  llvm::raw_ostream &os = llvm::outs();
  os << "target " << chip << ", no manifest\n";
  for (const emu::KernelInfo &kernel : object->getKernels()) {
    os << rt::describe(rt::Kernel{kernel.name, kernel.vgprs, kernel.sgprs,
                                  kernel.agprs, kernel.ldsBytes,
                                  kernel.scratchBytes, kernel.kernargBytes});
    auto arguments = getExplicit(kernel);
    for (auto [index, argument] : llvm::enumerate(arguments))
      os << "  argument " << index << " " << describe(argument) << " at "
         << argument.offset << "\n";
    if (size_t hidden = kernel.arguments.size() - arguments.size())
      os << "  " << hidden << " hidden arguments\n";
    listMissing(os, *object, kernel);
  }
  return true;
}
