//===- Raw.cpp - te-run: one kernel of any code object -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raw mode (--kernel): no manifest is needed. The kernel's metadata says what
// arguments it takes; --arg flags give them in that order, and the device fills
// the hidden ones.
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include "te/Runtime/Npy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;

/// A buffer that is larger is a mistyped shape.
static constexpr int64_t kMostBytes = int64_t(1) << 36;

namespace {
/// One --arg.
struct Argument {
  bool isBuffer = false;
  std::string output; // the file that a buffer is written to, or empty
  rt::HostTensor tensor;
  uint64_t address = 0; // of the buffer on the device
  uint64_t bits = 0;    // a scalar's
  unsigned bytes = 8;   // in the kernel's arguments
};
} // namespace

static constexpr const char *kForms =
    "in:F.npy, out:DTYPE[SHAPE]:F.npy, inout:F.npy:G.npy, i32:V, i64:V, f32:V "
    "or f64:V";

static rt::Failure malformed(StringRef text, const llvm::Twine &why) {
  return {("--arg=" + text + ": " + why).str()};
}

template <typename T>
static bool readInteger(StringRef text, unsigned bytes, uint64_t &bits) {
  T value;
  if (text.getAsInteger(0, value))
    return false;
  bits = uint64_t(value) & (~uint64_t(0) >> (64 - 8 * bytes));
  return true;
}

/// i32:V and its kin. Integers may be negative, or unsigned up to the width.
static rt::Result<Argument> parseScalar(StringRef text, StringRef kind,
                                        StringRef value) {
  Argument argument;
  argument.bytes = kind.ends_with("32") ? 4 : 8;
  bool isRead = false;
  if (kind.starts_with("i")) {
    isRead = argument.bytes == 4
                 ? readInteger<int32_t>(value, 4, argument.bits) ||
                       readInteger<uint32_t>(value, 4, argument.bits)
                 : readInteger<int64_t>(value, 8, argument.bits) ||
                       readInteger<uint64_t>(value, 8, argument.bits);
  } else {
    double number = 0;
    isRead = !value.getAsDouble(number);
    argument.bits = argument.bytes == 4
                        ? llvm::bit_cast<uint32_t>(float(number))
                        : llvm::bit_cast<uint64_t>(number);
  }
  if (!isRead)
    return malformed(text, "'" + value + "' is no " + kind);
  return argument;
}

/// DTYPE[SHAPE]:F.npy. The buffer starts as zeros.
static rt::Result<Argument> parseOutput(StringRef text, StringRef rest) {
  auto [declared, path] = rest.split("]:");
  auto [name, sizes] = declared.split('[');
  auto type = rt::findDType(name.str());
  if (path.empty() || !rest.contains('['))
    return malformed(text, "expected out:DTYPE[SHAPE]:F.npy, for example "
                           "out:f32[16,16]:d.npy");
  if (!type)
    return malformed(text, "no element type '" + name +
                               "'; there are f32, f16, bf16, i8, i32, i64, "
                               "f8E4M3FN, f8E5M2, f8E8M0FNU, f4E2M1FN...");
  SmallVector<StringRef> parts;
  sizes.split(parts, ',', -1, /*KeepEmpty=*/false);
  std::vector<int64_t> shape;
  int64_t bytes = rt::getInfo(*type).bytes;
  for (StringRef part : parts) {
    int64_t size;
    if (part.trim().getAsInteger(10, size) || size < 0 ||
        llvm::MulOverflow(bytes, size, bytes) || bytes > kMostBytes)
      return malformed(text, "shape [" + sizes +
                                 "]: expected sizes with commas, 64 GiB at "
                                 "most in all");
    shape.push_back(size);
  }
  Argument argument;
  argument.isBuffer = true;
  argument.tensor = rt::HostTensor::zeros(*type, std::move(shape));
  argument.output = path.str();
  return argument;
}

static rt::Result<Argument> parseArgument(StringRef text) {
  auto [kind, rest] = text.split(':');
  if (kind == "i32" || kind == "i64" || kind == "f32" || kind == "f64")
    return parseScalar(text, kind, rest);
  if (kind == "out")
    return parseOutput(text, rest);
  if ((kind != "in" && kind != "inout") || rest.empty())
    return malformed(text, llvm::Twine("expected ") + kForms);
  auto [from, to] =
      kind == "inout" ? rest.split(':') : std::pair(rest, StringRef());
  if (kind == "inout" && to.empty())
    return malformed(text, "expected inout:F.npy:G.npy");
  auto tensor = rt::readNpy(from.str());
  if (!tensor)
    return malformed(text, tensor.error());
  Argument argument;
  argument.isBuffer = true;
  argument.tensor = std::move(*tensor);
  argument.output = to.str();
  return argument;
}

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

/// The arguments that the caller gives.
static std::vector<emu::KernelArgument>
getExplicit(const emu::KernelInfo &kernel) {
  std::vector<emu::KernelArgument> arguments;
  for (const emu::KernelArgument &argument : kernel.arguments)
    if (!StringRef(argument.valueKind).starts_with("hidden_"))
      arguments.push_back(argument);
  return arguments;
}

static std::string describe(const emu::KernelArgument &argument) {
  return llvm::formatv("{0}{1}{2}, {3} bytes", argument.name,
                       argument.name.empty() ? "" : ": ", argument.valueKind,
                       argument.size);
}

/// An empty string where `given` fits.
static std::string findMismatch(const emu::KernelInfo &kernel,
                                ArrayRef<Argument> given) {
  auto expected = getExplicit(kernel);
  if (expected.size() != given.size()) {
    std::string text =
        llvm::formatv("kernel {0} takes {1} arguments, but there are {2} --arg "
                      "flags:",
                      kernel.name, expected.size(), given.size());
    for (auto [index, argument] : llvm::enumerate(expected))
      text += llvm::formatv("\n  {0} {1}", index, describe(argument));
    return text;
  }
  for (auto [index, want, have] : llvm::enumerate(expected, given)) {
    bool isBuffer = want.valueKind == "global_buffer";
    if (!isBuffer && want.valueKind != "by_value")
      return llvm::formatv("argument {0} of kernel {1} ({2}): raw mode gives "
                           "buffers and scalars only",
                           index, kernel.name, describe(want));
    if (isBuffer != have.isBuffer || want.size != have.bytes)
      return llvm::formatv(
          "argument {0} of kernel {1} ({2}): --arg gives {3} of {4} bytes; "
          "expected {5}",
          index, kernel.name, describe(want),
          have.isBuffer ? "a buffer's address" : "a scalar", have.bytes,
          isBuffer         ? "in:, out: or inout:"
          : want.size == 4 ? "i32: or f32:"
          : want.size == 8 ? "i64: or f64:"
                           : "a size that raw mode cannot give");
  }
  return "";
}

/// Gives the kernel's buffers addresses and contents.
static rt::Status upload(rt::Device &device, MutableArrayRef<Argument> given) {
  for (auto [index, argument] : llvm::enumerate(given)) {
    if (!argument.isBuffer)
      continue;
    auto address = device.allocate(argument.tensor.bytes.size(),
                                   "argument " + std::to_string(index));
    if (!address)
      return address.takeFailure();
    argument.address = argument.bits = *address;
    if (auto status = device.copyToDevice(*address, argument.tensor.bytes);
        !status)
      return status;
  }
  return {};
}

static std::vector<uint8_t> makeKernargs(const emu::KernelInfo &kernel,
                                         ArrayRef<Argument> given) {
  std::vector<uint8_t> kernargs;
  for (auto [place, argument] : llvm::zip_equal(getExplicit(kernel), given)) {
    kernargs.resize(
        std::max<size_t>(kernargs.size(), place.offset + place.size));
    uint8_t bytes[8];
    llvm::support::endian::write64le(bytes, argument.bits);
    std::copy_n(bytes, argument.bytes, kernargs.begin() + place.offset);
  }
  return kernargs;
}

static rt::Status runKernel(rt::Device &device, rt::Launch launch,
                            MutableArrayRef<Argument> given) {
  if (auto status = device.launch(launch); !status)
    return status;
  if (auto status = device.synchronize(); !status)
    return status;
  for (Argument &argument : given)
    if (!argument.output.empty())
      if (auto status =
              device.copyFromDevice(argument.tensor.bytes, argument.address);
          !status)
        return status;
  return {};
}

static std::string joinKernels(const emu::CodeObject &object) {
  return llvm::join(llvm::map_range(object.getKernels(),
                                    [](const emu::KernelInfo &kernel) {
                                      return kernel.name;
                                    }),
                    ", ");
}

/// Reads the flags against the metadata; the launch lacks module and kernargs.
static rt::Result<rt::Launch> prepare(const RunFlags &flags,
                                      const emu::CodeObject &object,
                                      std::vector<Argument> &given) {
  const emu::KernelInfo *kernel = object.findKernel(flags.kernel);
  if (!kernel)
    return rt::Failure{flags.file + ": no kernel " + flags.kernel +
                       "; there are: " + joinKernels(object)};
  rt::Launch launch{};
  launch.kernel = kernel->name;
  if (!parseSizes(flags.grid, launch.grid))
    return rt::Failure{"--grid=" + flags.grid +
                       ": expected X,Y,Z, the workgroups"};
  if (!parseSizes(flags.block, launch.block))
    return rt::Failure{"--block=" + flags.block +
                       ": expected X,Y,Z, the lanes of a workgroup"};
  for (const std::string &text : flags.arguments) {
    auto argument = parseArgument(text);
    if (!argument)
      return argument.takeFailure();
    given.push_back(std::move(*argument));
  }
  if (std::string mismatch = findMismatch(*kernel, given); !mismatch.empty())
    return rt::Failure{mismatch};
  return launch;
}

bool Session::runRaw(ArrayRef<uint8_t> image) {
  auto object = emu::CodeObject::load(image, flags.file);
  if (!object)
    return fail(BadInput, llvm::toString(object.takeError()));
  chip = (*object)->getChip().str();
  std::vector<Argument> given;
  auto launch = prepare(flags, **object, given);
  if (!launch)
    return fail(BadInput, launch.error());
  entry.name = flags.kernel;
  if (flags.device == DeviceKind::Any && !device->checkTarget(chip))
    useEmulator();
  auto module = device->load(image);
  if (!module)
    return fail(Failed, module.error());
  if (auto status = upload(*device, given); !status)
    return fail(Failed, status.error());
  auto kernargs = makeKernargs(*(*object)->findKernel(flags.kernel), given);
  launch->module = *module;
  launch->kernargs = kernargs;
  rt::Status ran;
  seconds = timeSeconds([&] { ran = runKernel(*device, *launch, given); });
  if (!ran)
    return fail(Failed, flags.file + ": " + ran.error());
  for (Argument &argument : given)
    if (!argument.output.empty())
      if (auto status = rt::writeNpy(argument.output, argument.tensor); !status)
        return fail(Failed, status.error());
  if (flags.stats != StatsKind::None)
    printStats();
  return true;
}

bool Session::listRaw(ArrayRef<uint8_t> image) {
  auto object = emu::CodeObject::load(image, flags.file);
  if (!object)
    return fail(BadInput, llvm::toString(object.takeError()));
  llvm::raw_ostream &os = llvm::outs();
  os << "target " << (*object)->getChip() << ", no manifest\n";
  for (const emu::KernelInfo &kernel : (*object)->getKernels()) {
    listKernel(os, kernel.name, kernel.vgprs, kernel.agprs, kernel.sgprs,
               kernel.ldsBytes, kernel.scratchBytes);
    auto arguments = getExplicit(kernel);
    for (auto [index, argument] : llvm::enumerate(arguments))
      os << "  argument " << index << " " << describe(argument) << "\n";
    if (size_t hidden = kernel.arguments.size() - arguments.size())
      os << "  " << hidden << " hidden arguments\n";
  }
  return true;
}
