//===- Target.h - what a chip offers ----------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description a chip: passes ask it for properties and never for its name.
// Figures are those of spec/amd_hardware.md.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TARGET_TARGET_H
#define TE_TARGET_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace mlir::te {

/// What the fp8 conversion instructions read and write.
enum class FP8Encoding { FNUZ, OCP };

struct Target {
  llvm::StringRef name;   // the processor's name in LLVM: "gfx950"
  llvm::StringRef triple; // LLVM target triple
  unsigned gfxMajor, gfxMinor, gfxStepping;

  unsigned waveSize; // lanes
  unsigned maxWavesPerWorkgroup;
  unsigned simdsPerCU, maxWavesPerSIMD;
  unsigned vgprsPerLane; // architected + accumulation, of one wave at the least
                         // occupancy
  unsigned vgprsAddressable; // architected VGPRs that one kernel can name
  unsigned vgprGranule, sgprsMax;
  unsigned ldsBytes, ldsBanks, ldsGranule; // a CU; banks are 4 bytes wide
  unsigned computeUnits;
  unsigned maxAccessBytes; // widest global or LDS access of one lane
  FP8Encoding fp8;
  bool hasScaledConversions; // v_cvt_scalef32_*
  bool hasBufferAccesses;    // whose resource bounds them: zero outside

  /// Waves that a SIMD holds at once, for a kernel with these resources; at
  /// least 1 where the kernel fits at all, else 0.
  unsigned occupancy(unsigned vgprs, unsigned ldsBytesPerWorkgroup,
                     unsigned wavesPerWorkgroup) const;

  /// The description of a chip by name, or null.
  static const Target *lookup(llvm::StringRef name);
  static llvm::ArrayRef<Target> all();
  /// The same, as an error that lists the chips that there are.
  static llvm::Expected<const Target *> get(llvm::StringRef name);
};

} // namespace mlir::te

#endif // TE_TARGET_TARGET_H
