//===- Dispatch.cpp - kernel arguments and the first state of waves -------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Dispatch.h"

#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::te::emu {

namespace hsa = llvm::amdhsa;
using llvm::createStringError;
using llvm::formatv;

/// What a kernel that calls through pointers may use beyond its own frame.
static constexpr uint32_t kDynamicStackBytes = 16 << 10;

llvm::Expected<std::unique_ptr<Dispatch>>
Dispatch::create(const CodeObject &object, const KernelInfo &kernel,
                 DeviceMemory &memory, const LaunchConfig &config,
                 const LaunchOptions &options) {
  CodeObject::Impl &impl = object.getImpl();
  size_t index = &kernel - impl.kernels.data();
  if (index >= impl.kernels.size())
    return createStringError(
        formatv("kernel '{0}' is not one of this code object's", kernel.name));
  std::unique_ptr<Dispatch> made(
      new Dispatch(kernel, impl.descriptors[index], memory, config));
  if (llvm::Error error = made->check(impl))
    return error;
  if (options.sanitizer && !memory.getImpl().shadowed)
    return createStringError("the sanitizer needs device memory that was made "
                             "with DeviceMemory(/*shadowed=*/true)");
  LaunchContext &context = made->context;
  context.chip = impl.chip;
  uint32_t word = (made->descriptor.entry - impl.textBegin) / 4;
  // Hardware that preloads arguments enters after the code that would load
  // them.
  if (AMDHSA_BITS_GET(made->descriptor.preload,
                      hsa::KERNARG_PRELOAD_SPEC_LENGTH))
    word += 256 / 4;
  auto program = made->decode(impl, word);
  if (!program)
    return program.takeError();
  made->entry = (*program)->getText() + std::min(word, (*program)->getWords());
  auto image = memory.getImpl().load(impl);
  if (!image)
    return image.takeError();
  if (llvm::Error error = made->fillKernargs())
    return error;
  if (!made->writePacket())
    return createStringError("no host memory for the dispatch packet");
  made->textBegin = impl.textBegin;
  made->waves = llvm::divideCeil(
      uint64_t(config.block[0]) * config.block[1] * config.block[2], kLanes);
  made->ldsBytes = made->descriptor.ldsBytes + config.dynamicLdsBytes;
  context.memory = &memory.getImpl();
  context.program = *program;
  context.text = (*program)->getText();
  context.codeBase = *image + impl.textBegin;
  context.collect = options.collectStats;
  context.scratchBytes = made->descriptor.scratchBytes;
  if (made->descriptor.properties &
      hsa::KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK)
    context.scratchBytes += kDynamicStackBytes;
  return made;
}

Dispatch::~Dispatch() {
  for (uint64_t address : {kernargs, packet, queue})
    if (address)
      memory.free(address);
}

llvm::Error Dispatch::check(const CodeObject::Impl &object) const {
  uint64_t lanes = 1, groups = 1;
  for (unsigned i = 0; i < 3; ++i) {
    lanes *= config.block[i];
    groups = llvm::SaturatingMultiply<uint64_t>(groups, config.grid[i]);
    if (config.block[i] == 0 || config.block[i] > 1024 || lanes > 1024)
      return createStringError(formatv(
          "kernel '{0}': a workgroup of {1} x {2} x {3} lanes; expected "
          "1 to 1024 in all",
          kernel.name, config.block[0], config.block[1], config.block[2]));
  }
  if (groups > UINT32_MAX)
    return createStringError(
        formatv("kernel '{0}': a grid of {1} x {2} x {3} workgroups; expected "
                "less than 2^32 in all",
                kernel.name, config.grid[0], config.grid[1], config.grid[2]));
  if (kernel.maxWorkgroupSize && lanes > kernel.maxWorkgroupSize)
    return createStringError(
        formatv("kernel '{0}': a workgroup of {1} lanes, but the kernel was "
                "compiled for at most {2}",
                kernel.name, lanes, kernel.maxWorkgroupSize));
  uint64_t lds = uint64_t(descriptor.ldsBytes) + config.dynamicLdsBytes;
  if (lds > object.chip->ldsBytes)
    return createStringError(
        formatv("kernel '{0}': {1} bytes of LDS ({2} static, {3} dynamic), but "
                "{4} has {5}",
                kernel.name, lds, descriptor.ldsBytes, config.dynamicLdsBytes,
                object.chip->name, object.chip->ldsBytes));
  if (descriptor.scratchBytes > 1 << 22)
    return createStringError(
        formatv("kernel '{0}': {1} bytes of scratch a lane; expected at most 4 "
                "MiB",
                kernel.name, descriptor.scratchBytes));
  return llvm::Error::success();
}

/// The code from `word` on, and the registers that the kernel has.
llvm::Expected<Program *> Dispatch::decode(const CodeObject::Impl &object,
                                           uint32_t word) {
  unsigned granules =
      AMDHSA_BITS_GET(descriptor.rsrc1,
                      hsa::COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) +
      1;
  unsigned total = granules * context.chip->vgprGranule;
  unsigned accOffset =
      (AMDHSA_BITS_GET(descriptor.rsrc3,
                       hsa::COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) +
       1) *
      4;
  context.vgprs = std::min({total, accOffset, 256u});
  context.agprs = std::min(total - std::min(total, accOffset), 256u);
  auto program = object.getProgram(kAccRow);
  if (!program)
    return program;
  Program::Registers used = (*program)->countRegisters(word);
  // One file: a v register above accum_offset is an accumulation register.
  if (used.vgprs > accOffset && total > accOffset) {
    context.vgprs = std::min(total, 256u);
    context.accRow = accOffset;
    program = object.getProgram(accOffset);
    if (!program)
      return program;
    (*program)->require(word);
  }
  context.checkRegisters =
      used.vgprs > context.vgprs || used.agprs > context.agprs;
  return program;
}

//===----------------------------------------------------------------------===//
// Kernel arguments
//===----------------------------------------------------------------------===//

/// Values of the hidden arguments; 0 for the services that nobody offers here
/// (printf, hostcall, heap, queues).
uint64_t Dispatch::hiddenValue(llvm::StringRef kind) const {
  static constexpr const char *axes[] = {"_x", "_y", "_z"};
  for (unsigned i = 0; i < 3; ++i) {
    if (!kind.ends_with(axes[i]))
      continue;
    llvm::StringRef stem = kind.drop_back(2);
    if (stem == "hidden_block_count")
      return config.grid[i];
    if (stem == "hidden_group_size")
      return config.block[i];
  }
  if (kind == "hidden_grid_dims")
    return config.grid[2] * config.block[2] > 1   ? 3
           : config.grid[1] * config.block[1] > 1 ? 2
                                                  : 1;
  if (kind == "hidden_dynamic_lds_size")
    return config.dynamicLdsBytes;
  if (kind == "hidden_private_base")
    return kPrivateBase >> 32;
  if (kind == "hidden_shared_base")
    return kSharedBase >> 32;
  if (kind == "hidden_queue_ptr")
    return queue;
  return 0;
}

llvm::Error Dispatch::fillKernargs() {
  uint64_t size = std::max(descriptor.kernargBytes, kernel.kernargBytes);
  uint64_t needed = 0;
  for (const KernelArgument &argument : kernel.arguments) {
    bool hidden = llvm::StringRef(argument.valueKind).starts_with("hidden_");
    uint64_t end = uint64_t(argument.offset) + argument.size;
    if (end > size)
      return createStringError(formatv(
          "kernel '{0}': argument '{1}' at byte {2} does not fit in its "
          "{3} bytes of kernel arguments",
          kernel.name, argument.name, argument.offset, size));
    if (!hidden)
      needed = std::max(needed, end);
  }
  uint64_t given = config.explicitKernargs.size();
  if (given < needed || given > size)
    return createStringError(formatv(
        "kernel '{0}': {1} bytes of arguments; expected {2}{3}", kernel.name,
        given, needed, needed == size ? "" : formatv(" (to {0})", size).str()));
  if (size > 1 << 20)
    return createStringError(formatv("kernel '{0}': {1} bytes of arguments; "
                                     "expected at most 1 MiB",
                                     kernel.name, size));
  queue = memory.allocate(256, "queue");
  // The compiler widens loads up to the segment's alignment.
  kernargs = memory.allocate(llvm::alignTo(size, 16), "kernel arguments");
  uint8_t *host = memory.view(kernargs, size);
  if (!host || !queue)
    return createStringError("no host memory for the kernel's arguments");
  memory.getImpl().define(kernargs, llvm::alignTo(size, 16));
  memory.getImpl().define(queue, 256);
  if (given)
    std::memcpy(host, config.explicitKernargs.data(), given);
  for (const KernelArgument &argument : kernel.arguments) {
    if (!llvm::StringRef(argument.valueKind).starts_with("hidden_"))
      continue;
    uint64_t value = hiddenValue(argument.valueKind);
    std::memcpy(host + argument.offset, &value,
                std::min<uint32_t>(argument.size, 8));
  }
  return llvm::Error::success();
}

/// hsa_kernel_dispatch_packet_t, as the HSA runtime specification lays it out.
bool Dispatch::writePacket() {
  packet = memory.allocate(64, "dispatch packet");
  uint8_t *host = memory.view(packet, 64);
  if (!host)
    return false;
  memory.getImpl().define(packet, 64);
  namespace endian = llvm::support::endian;
  endian::write16le(host + 2, 3); // dimensions
  for (unsigned i = 0; i < 3; ++i) {
    endian::write16le(host + 4 + 2 * i, config.block[i]);
    endian::write32le(host + 12 + 4 * i, config.grid[i] * config.block[i]);
  }
  endian::write32le(host + 24, descriptor.scratchBytes);
  endian::write32le(host + 28, descriptor.ldsBytes + config.dynamicLdsBytes);
  endian::write64le(host + 40, kernargs);
  return true;
}

//===----------------------------------------------------------------------===//
// Waves
//===----------------------------------------------------------------------===//

uint64_t Dispatch::getWorkgroups() const {
  return uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
}

std::array<uint32_t, 3> Dispatch::coordinates(uint64_t workgroup) const {
  uint64_t x = config.grid[0], y = config.grid[1];
  return {uint32_t(workgroup % x), uint32_t(workgroup / x % y),
          uint32_t(workgroup / (x * y))};
}

std::string Dispatch::nameWorkgroup(uint64_t workgroup) const {
  auto at = coordinates(workgroup);
  return formatv("({0}, {1}, {2})", at[0], at[1], at[2]);
}

/// Returns the number of user SGPRs, in the order of the AMDGPU backend's
/// "Initial Kernel Execution State".
unsigned Dispatch::setUserRegisters(Wave &wave) const {
  unsigned next = 0;
  auto put64 = [&](uint16_t property, uint64_t value) {
    if (!(descriptor.properties & property))
      return;
    wave.setScalar64(next, value);
    next += 2;
  };
  if (descriptor.properties &
      hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER)
    next += 4; // unused: scratch is architected on these chips
  put64(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR, packet);
  put64(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR, queue);
  put64(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR, kernargs);
  put64(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID, 0);
  put64(hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT, 0);
  if (descriptor.properties &
      hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE)
    wave.sgpr[next++] = descriptor.scratchBytes;
  unsigned length =
      AMDHSA_BITS_GET(descriptor.preload, hsa::KERNARG_PRELOAD_SPEC_LENGTH);
  uint64_t offset =
      AMDHSA_BITS_GET(descriptor.preload, hsa::KERNARG_PRELOAD_SPEC_OFFSET) * 4;
  for (unsigned i = 0; i < length && next < 32; ++i, offset += 4)
    if (const uint8_t *host = memory.view(kernargs + offset, 4))
      wave.sgpr[next++] = llvm::support::endian::read32le(host);
  unsigned declared = AMDHSA_BITS_GET(
      descriptor.rsrc2, hsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
  return std::max(next, declared);
}

unsigned Dispatch::initialize(Wave &wave, uint64_t workgroup,
                              unsigned index) const {
  std::memset(wave.vgpr, 0, context.vgprs * sizeof(wave.vgpr[0]));
  std::memset(wave.vgpr[context.accRow], 0,
              context.agprs * sizeof(wave.vgpr[0]));
  std::memset(wave.sgpr, 0, sizeof(wave.sgpr));
  std::fill(wave.scratch.begin(), wave.scratch.end(), 0);
  return enter(wave, workgroup, index);
}

unsigned Dispatch::enter(Wave &wave, uint64_t workgroup, unsigned index) const {
  wave.index = index;
  wave.workgroupIndex = workgroup;
  wave.scc = false;
  wave.clock = 0;
  wave.stop = Stop::None;
  wave.pc = entry;
  wave.recent = nullptr;
  wave.launch = &context;
  uint32_t rsrc1 = descriptor.rsrc1, rsrc2 = descriptor.rsrc2;
  wave.setMode(
      (rsrc1 >> hsa::COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32_SHIFT & 0xff) |
      (rsrc1 & hsa::COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP
           ? kModeDx10Clamp
           : 0) |
      (rsrc1 & hsa::COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE ? kModeIeee
                                                                  : 0) |
      (rsrc1 & hsa::COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL ? kModeFp16Overflow
                                                          : 0));
  unsigned next = setUserRegisters(wave);
  auto at = coordinates(workgroup);
  for (unsigned i = 0; i < 3; ++i)
    if (rsrc2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X << i)
      wave.sgpr[next++] = at[i];
  if (rsrc2 & hsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO)
    wave.sgpr[next++] = waves;
  uint32_t bx = config.block[0], by = config.block[1];
  uint32_t lanes = bx * by * config.block[2], first = index * kLanes;
  uint64_t exec = 0;
  for (unsigned lane = 0; lane < kLanes && first + lane < lanes; ++lane) {
    uint32_t item = first + lane;
    wave.vgpr[0][lane] =
        item % bx | (item / bx % by) << 10 | item / (bx * by) << 20;
    exec |= uint64_t(1) << lane;
  }
  wave.setScalar64(kExec, exec);
  return next;
}

} // namespace mlir::te::emu
