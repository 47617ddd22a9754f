//===- Target.h - what a chip offers ----------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One description a chip: passes ask it for properties and never for its name.
// Figures are those of AMD's ISA guides and of NVIDIA's CUDA C++
// Programming Guide, compute capability 9.0. Names are AMD's: a wave is a warp,
// a workgroup a block, LDS shared memory, a CU a SM, a SIMD one of its four
// partitions, a VGPR a register of a thread.
//
//===----------------------------------------------------------------------===//
#ifndef TE_TARGET_TARGET_H
#define TE_TARGET_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace mlir::te {

/// What the fp8 conversion instructions read and write.
enum class FP8Encoding { FNUZ, OCP };

/// Whose intrinsics and artefact kernels become: ROCDL and one HSACO, or NVVM
/// and one file of PTX.
enum class BackendKind { AMDGPU, NVPTX };

/// What only AMD's chips have.
struct AMDProperties {
  unsigned isaMajor, isaMinor, isaStepping; // gfx950: 9, 5, 0
  unsigned sgprsMax;
  unsigned directLoadBytes; // widest load of one lane straight to LDS
  unsigned
      transposedReadBytes; // of one lane from LDS, where 16 lanes transpose
                           // 1- or 2-byte elements; 0: there is none
  bool hasRowSwaps; // rows of 16 or 32 lanes change places by an instruction
  llvm::ArrayRef<llvm::StringRef> mmas; // its matrix instructions (MMA.h)
};

struct Target {
  llvm::StringRef name;   // the processor's name in LLVM: "gfx950"
  llvm::StringRef triple; // LLVM target triple
  BackendKind backend;
  std::optional<AMDProperties> amd; // where the backend is AMDGPU
  llvm::StringRef deviceScope; // LLVM's name of atomics of the whole device

  unsigned waveSize; // lanes
  unsigned maxWavesPerWorkgroup;
  unsigned simdsPerCU, maxWavesPerSIMD;
  unsigned vgprsPerLane; // architected + accumulation, of one wave at the least
                         // occupancy
  unsigned vgprsAddressable; // architected VGPRs that one kernel can name
  unsigned vgprGranule;
  unsigned ldsBytes, ldsBanks, ldsGranule; // a CU; banks are 4 bytes wide
  unsigned ldsBytesPerWorkgroup;           // that a workgroup can have
  unsigned
      ldsBytesDeclared; // by a kernel, at the most: more comes with a launch
  unsigned ldsReserved; // of a CU, by each workgroup for itself
  unsigned computeUnits;
  unsigned maxClusterWorkgroups; // that write to each other's LDS: 1: none
  unsigned maxAccessBytes;       // widest global or LDS access of one lane
  unsigned laneCopyBytes;   // of a lane, from memory to any place in LDS, which
                            // no register and no cache of the CU holds; 0: none
  unsigned l2PrefetchBytes; // an instruction asks L2 for a multiple of so many,
                            // aligned as much; 0: there is none
  unsigned fp4StoreBytes;   // of a lane: fewer are joined with others'
  bool hasUnalignedAccesses; // of global memory, as wide
  FP8Encoding fp8;
  bool hasBF16Conversions;   // from f32, by an instruction
  bool hasScaledConversions; // fp8 and fp4 by a block's scale
  bool hasBufferAccesses;    // whose resource bounds them: zero outside
  bool hasRegisterIndexing;  // by a number that is known at run time
  bool hasPackedBF16;        // arithmetic of bf16, two at once
  // What memory-bound kernels prefer: waves of a workgroup; bytes of a tile
  // that a lane holds of the wider of input and output, the same of all that is
  // read where nothing ties the tile to rows, and where waves meet for the
  // scales of both halves of a gradient; whether workgroups that fill the chip
  // go down the rows (so that gamma is read once) or each has rows of its
  // own; whether loops over tiles read one ahead; whether the scales of all of
  // a tensor's copies come before the codes of the first; bytes a CU that L2 is
  // asked for ahead of the rows that are waited for. Of sm_90a measured
  // (docs/h200.md), else by the cycle model, so that waves, not lanes, keep 32
  // KiB a CU in flight.
  unsigned workgroupWaves, tileBytesPerLane, freeBytesPerLane,
      halvesBytesPerLane, aheadBytes;
  bool prefersPersistent, prefetchesTiles, scalesFirst;

  /// Waves that a SIMD holds at once, for a kernel with these resources; at
  /// least 1 where the kernel fits at all, else 0.
  unsigned occupancy(unsigned vgprs, unsigned ldsOfWorkgroup,
                     unsigned wavesPerWorkgroup) const;

  /// The description of a chip by name, or null.
  static const Target *lookup(llvm::StringRef name);
  static llvm::ArrayRef<Target> all();
  /// "gfx942, gfx950, ...".
  static std::string listNames();
  /// The same, as an error that lists the chips that there are.
  static llvm::Expected<const Target *> get(llvm::StringRef name);
};

} // namespace mlir::te

#endif // TE_TARGET_TARGET_H
