//===- Target.cpp - the chips ---------------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir::te;

static const Target kTargets[] = {
    {.name = "gfx942",
     .triple = "amdgcn-amd-amdhsa",
     .gfxMajor = 9,
     .gfxMinor = 4,
     .gfxStepping = 2,
     .waveSize = 64,
     .maxWavesPerWorkgroup = 16,
     .simdsPerCU = 4,
     .maxWavesPerSIMD = 8,
     .vgprsPerLane = 512,
     .vgprsAddressable = 256,
     .vgprGranule = 8,
     .sgprsMax = 102,
     .ldsBytes = 64 << 10,
     .ldsBanks = 32,
     .ldsGranule = 512,
     .computeUnits = 304,
     .maxAccessBytes = 16,
     .fp8 = FP8Encoding::FNUZ,
     .hasScaledConversions = false,
     .hasBufferAccesses = true},
    {.name = "gfx950",
     .triple = "amdgcn-amd-amdhsa",
     .gfxMajor = 9,
     .gfxMinor = 5,
     .gfxStepping = 0,
     .waveSize = 64,
     .maxWavesPerWorkgroup = 16,
     .simdsPerCU = 4,
     .maxWavesPerSIMD = 8,
     .vgprsPerLane = 512,
     .vgprsAddressable = 256,
     .vgprGranule = 8,
     .sgprsMax = 102,
     .ldsBytes = 160 << 10,
     .ldsBanks = 64,
     .ldsGranule = 1280,
     .computeUnits = 256,
     .maxAccessBytes = 16,
     .fp8 = FP8Encoding::OCP,
     .hasScaledConversions = true,
     .hasBufferAccesses = true},
};

llvm::ArrayRef<Target> Target::all() { return kTargets; }

const Target *Target::lookup(llvm::StringRef name) {
  const Target *it = llvm::find_if(
      kTargets, [&](const Target &target) { return target.name == name; });
  return it == std::end(kTargets) ? nullptr : it;
}

llvm::Expected<const Target *> Target::get(llvm::StringRef name) {
  if (const Target *target = lookup(name))
    return target;
  std::string names = llvm::join(
      llvm::map_range(kTargets, [](const Target &t) { return t.name.str(); }),
      ", ");
  return llvm::createStringError("unknown target '" + name +
                                 "'; te-mlir compiles for " + names);
}

unsigned Target::occupancy(unsigned vgprs, unsigned ldsBytesPerWorkgroup,
                           unsigned wavesPerWorkgroup) const {
  unsigned rounded = llvm::alignTo(std::max(vgprs, 1u), vgprGranule);
  unsigned waves = std::min(maxWavesPerSIMD, vgprsPerLane / rounded);
  if (ldsBytesPerWorkgroup) {
    unsigned lds = llvm::alignTo(ldsBytesPerWorkgroup, ldsGranule);
    unsigned workgroups = ldsBytes / lds;
    waves = std::min<unsigned>(
        waves, llvm::divideCeil(workgroups * wavesPerWorkgroup, simdsPerCU));
  }
  return waves;
}
