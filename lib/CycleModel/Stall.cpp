//===- Stall.cpp - reasons, in words --------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

namespace mlir::te::cycle {

namespace {
struct Row {
  const char *key, *name, *remedy;
};
} // namespace

/// In the order of Stall.
static constexpr Row kRows[] = {
    {"mfma_busy", "MFMA busy",
     "the matrix cores are the limit: use a denser format or shape"},
    {"mfma_dependency", "MFMA dependency",
     "interleave sums into other registers, or have more waves"},
    {"valu_busy", "VALU busy",
     "the vector units are the limit: fewer or packed vector instructions"},
    {"valu_dependency", "VALU dependency",
     "place independent instructions after slow ones (exp, rcp, cvt)"},
    {"lds_latency", "LDS latency",
     "issue LDS reads earlier, or have more waves"},
    {"lds_bandwidth", "LDS bandwidth",
     "larger tiles of registers read LDS less often"},
    {"lds_conflict", "LDS bank conflicts", "swizzle or pad the LDS layout"},
    {"address_unit", "vector memory addresses",
     "coalesce: neighbouring lanes, 16 bytes each"},
    {"in_flight", "bytes in flight",
     "the CU has asked for all that it can: fewer bytes"},
    {"l1_latency", "L1 latency", "issue loads earlier, or have more waves"},
    {"l2_latency", "L2 latency", "issue loads earlier, or have more waves"},
    {"memory_latency", "memory latency",
     "prefetch, or have more loads in flight"},
    {"l2_bandwidth", "L2 bandwidth", "larger tiles read L2 less often"},
    {"memory_bandwidth", "memory bandwidth",
     "memory is the limit: fewer bytes"},
    {"store_latency", "store latency",
     "do not wait for stores before they are needed"},
    {"scalar_latency", "scalar load latency", "issue scalar loads earlier"},
    {"barrier", "barrier",
     "balance the waves of a workgroup, or have fewer barriers"},
    {"branch", "branch", "unroll"},
    {"nop", "s_nop or s_sleep", "place independent instructions there"},
    {"arbitration", "issue arbitration", "fewer instructions of that unit"},
};
static_assert(std::size(kRows) == kStalls);

llvm::StringRef getStallName(Stall stall) { return kRows[size_t(stall)].name; }
llvm::StringRef getStallKey(Stall stall) { return kRows[size_t(stall)].key; }
llvm::StringRef getStallRemedy(Stall stall) {
  return kRows[size_t(stall)].remedy;
}

uint64_t InstructionTime::getStalled() const {
  uint64_t sum = 0;
  for (uint64_t clocks : stalls)
    sum += clocks;
  return sum;
}

} // namespace mlir::te::cycle
