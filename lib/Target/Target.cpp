//===- Target.cpp - the chips ---------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Target/Target.h"
#include "te/Target/Timing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::te;

/// Two workgroups of eight waves of 64 lanes, the least that a CU should hold,
/// keep as much in flight as it can.
static constexpr unsigned kAMDTileBytes = kBytesInFlight / (2 * 8 * 64);

static constexpr llvm::StringRef kGfx942MMAs[] = {
    "f32_16x16x4_f32",       "f32_32x32x2_f32",      "f32_16x16x16_f16",
    "f32_32x32x8_f16",       "f32_16x16x16_bf16",    "f32_32x32x8_bf16",
    "f32_16x16x32_fp8_fnuz", "f32_32x32x16_fp8_fnuz"};
static constexpr llvm::StringRef kGfx950MMAs[] = {"f32_16x16x4_f32",
                                                  "f32_32x32x2_f32",
                                                  "f32_16x16x32_f16",
                                                  "f32_32x32x16_f16",
                                                  "f32_16x16x16_f16",
                                                  "f32_32x32x8_f16",
                                                  "f32_16x16x32_bf16",
                                                  "f32_32x32x16_bf16",
                                                  "f32_16x16x16_bf16",
                                                  "f32_32x32x8_bf16",
                                                  "f32_16x16x32_fp8",
                                                  "f32_32x32x16_fp8",
                                                  "scale_f32_16x16x128_f8f6f4",
                                                  "scale_f32_32x32x64_f8f6f4"};

static const Target kTargets[] = {
    {.name = "gfx942",
     .triple = "amdgcn-amd-amdhsa",
     .backend = BackendKind::AMDGPU,
     .amd = AMDProperties{.isaMajor = 9,
                          .isaMinor = 4,
                          .isaStepping = 2,
                          .sgprsMax = 102,
                          .directLoadBytes = 4,
                          .transposedReadBytes = 0,
                          .hasRowSwaps = false,
                          .mmas = kGfx942MMAs},
     .deviceScope = "agent",
     .waveSize = 64,
     .maxWavesPerWorkgroup = 16,
     .simdsPerCU = 4,
     .maxWavesPerSIMD = 8,
     .vgprsPerLane = 512,
     .vgprsAddressable = 256,
     .vgprGranule = 8,
     .ldsBytes = 64 << 10,
     .ldsBanks = 32,
     .ldsGranule = 512,
     .ldsBytesPerWorkgroup = 64 << 10,
     .ldsBytesDeclared = 64 << 10,
     .ldsReserved = 0,
     .computeUnits = 304,
     .maxClusterWorkgroups = 1,
     .maxAccessBytes = 16,
     .laneCopyBytes = 0,
     .l2PrefetchBytes = 0,
     .fp4StoreBytes = 16,
     .hasUnalignedAccesses = true,
     .fp8 = FP8Encoding::FNUZ,
     .hasBF16Conversions = false,
     .hasScaledConversions = false,
     .hasBufferAccesses = true,
     .hasRegisterIndexing = true,
     .hasPackedBF16 = false,
     .workgroupWaves = 8,
     .tileBytesPerLane = kAMDTileBytes,
     .freeBytesPerLane = kAMDTileBytes,
     .halvesBytesPerLane = kAMDTileBytes / 4,
     .aheadBytes = 0,
     .prefersPersistent = true,
     .prefetchesTiles = false,
     .scalesFirst = false},
    {.name = "gfx950",
     .triple = "amdgcn-amd-amdhsa",
     .backend = BackendKind::AMDGPU,
     .amd = AMDProperties{.isaMajor = 9,
                          .isaMinor = 5,
                          .isaStepping = 0,
                          .sgprsMax = 102,
                          .directLoadBytes = 16,
                          .transposedReadBytes = 8,
                          .hasRowSwaps = true,
                          .mmas = kGfx950MMAs},
     .deviceScope = "agent",
     .waveSize = 64,
     .maxWavesPerWorkgroup = 16,
     .simdsPerCU = 4,
     .maxWavesPerSIMD = 8,
     .vgprsPerLane = 512,
     .vgprsAddressable = 256,
     .vgprGranule = 8,
     .ldsBytes = 160 << 10,
     .ldsBanks = 64,
     .ldsGranule = 1280,
     .ldsBytesPerWorkgroup = 160 << 10,
     .ldsBytesDeclared = 160 << 10,
     .ldsReserved = 0,
     .computeUnits = 256,
     .maxClusterWorkgroups = 1,
     .maxAccessBytes = 16,
     .laneCopyBytes = 0,
     .l2PrefetchBytes = 0,
     .fp4StoreBytes = 16,
     .hasUnalignedAccesses = true,
     .fp8 = FP8Encoding::OCP,
     .hasBF16Conversions = true,
     .hasScaledConversions = true,
     .hasBufferAccesses = true,
     .hasRegisterIndexing = true,
     .hasPackedBF16 = false,
     .workgroupWaves = 8,
     .tileBytesPerLane = kAMDTileBytes,
     .freeBytesPerLane = kAMDTileBytes,
     .halvesBytesPerLane = kAMDTileBytes / 4,
     .aheadBytes = 0,
     .prefersPersistent = true,
     .prefetchesTiles = false,
     .scalesFirst = false},
    {.name = "sm_90a",
     .triple = "nvptx64-nvidia-cuda",
     .backend = BackendKind::NVPTX,
     .amd = std::nullopt,
     .deviceScope = "device",
     .waveSize = 32,
     .maxWavesPerWorkgroup = 32,
     .simdsPerCU = 4,
     .maxWavesPerSIMD = 16,
     .vgprsPerLane = 512,
     .vgprsAddressable = 255,
     .vgprGranule = 8,
     .ldsBytes = 228 << 10,
     .ldsBanks = 32,
     .ldsGranule = 128,
     .ldsBytesPerWorkgroup = 227 << 10,
     .ldsBytesDeclared = 48 << 10,
     .ldsReserved = 1 << 10,
     .computeUnits = 132,
     .maxClusterWorkgroups = 8,
     .maxAccessBytes = 16,
     .laneCopyBytes = 16,
     .l2PrefetchBytes = 16,
     .fp4StoreBytes = 4,
     .hasUnalignedAccesses = false,
     .fp8 = FP8Encoding::OCP,
     .hasBF16Conversions = true,
     .hasScaledConversions = false,
     .hasBufferAccesses = false,
     .hasRegisterIndexing = false,
     .hasPackedBF16 = true,
     .workgroupWaves = 4,
     .tileBytesPerLane = 64,
     .freeBytesPerLane = 128,
     .halvesBytesPerLane = 32,
     .aheadBytes = 8 << 10,
     .prefersPersistent = false,
     .prefetchesTiles = true,
     .scalesFirst = true},
};

llvm::ArrayRef<Target> Target::all() { return kTargets; }

const Target *Target::lookup(llvm::StringRef name) {
  const Target *it = llvm::find_if(
      kTargets, [&](const Target &target) { return target.name == name; });
  return it == std::end(kTargets) ? nullptr : it;
}

std::string Target::listNames() {
  return llvm::join(
      llvm::map_range(kTargets, [](const Target &t) { return t.name; }), ", ");
}

llvm::Expected<const Target *> Target::get(llvm::StringRef name) {
  if (const Target *target = lookup(name))
    return target;
  return llvm::createStringError("unknown target '" + name +
                                 "'; te-mlir compiles for " + listNames());
}

unsigned Target::occupancy(unsigned vgprs, unsigned ldsOfWorkgroup,
                           unsigned wavesPerWorkgroup) const {
  unsigned rounded = llvm::alignTo(std::max(vgprs, 1u), vgprGranule);
  unsigned waves = std::min(maxWavesPerSIMD, vgprsPerLane / rounded);
  if (ldsOfWorkgroup) {
    unsigned lds = llvm::alignTo(ldsOfWorkgroup + ldsReserved, ldsGranule);
    unsigned workgroups = ldsBytes / lds;
    waves = std::min<unsigned>(
        waves, llvm::divideCeil(workgroups * wavesPerWorkgroup, simdsPerCU));
  }
  return waves;
}
