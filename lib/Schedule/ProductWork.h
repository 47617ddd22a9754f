//===- ProductWork.h - what a step of a product asks for --------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes, lines and instructions, without clocks: Roofline.h makes these of
// them.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_PRODUCTWORK_H
#define TE_LIB_SCHEDULE_PRODUCTWORK_H

#include "te/Schedule/ResourceModel.h"
#include "te/Target/Timing.h"

#include <cmath>

namespace mlir::te {

/// An extent; one that is not known counts as a usual size.
double getSize(int64_t extent);
/// Bytes of one of an operand's elements.
double getOperandBytes(Value operand);

/// The workgroups of a product: splits of K and tiles down the rows, and tiles
/// along the columns.
struct ProductGrid {
  double columns, rows, splits;
  ProductGrid(const TileDemand &demand, ScheduleAttr schedule);
  double getCount() const { return columns * rows * splits; }
  /// Those of rows that are not cut into splits, which come first.
  ProductGrid getWhole(ScheduleAttr schedule) const;
  /// Those of the other rows.
  ProductGrid getRest(ScheduleAttr schedule) const;
};

/// What a workgroup's step loads of one operand, and does with it.
struct OperandWork {
  double bytes = 0;   // elements and scales
  double asked = 0;   // bytes of whole cache lines that L1 does not have
  double share = 0;   // of the bytes that memory serves, L2 having the others
  double inLds = 0;   // bytes of it, as the instruction takes them
  double readers = 0; // waves that read each of these
  double work = 0;    // vector instructions of a lane, all elements together
  bool isDirect = false; // straight to LDS
  double copySteps = 1;  // of which so many come at once
};

struct ProductWork {
  std::array<OperandWork, 2> operands;
  Type a, b;            // elements that the instruction takes
  double products;      // matrix instructions
  double steps;         // of one split of K
  double sums;          // vector instructions on partial sums, as `work`
  double scales;        // the same on the result, for scales of its blocks
  double written, read; // bytes of the results of a tile, and of what these
                        // read next to the product
  double scaleSteps = INFINITY; // whose scales an instruction takes from
                                // registers, and are read at once
  int64_t residents;            // workgroups that a compute unit has room for
  bool prefetches;              // loops of one stage load a step ahead
};

/// Workgroups that a compute unit holds at once, by registers and LDS. `plan`:
/// of a te.gemm.
int64_t countResidents(const TileDemand &demand, const GemmPlan *plan,
                       ScheduleAttr schedule, const Target &target);

/// None where the target has no instruction for the product.
std::optional<ProductWork> getProductWork(const TileDemand &demand,
                                          ScheduleAttr schedule,
                                          const ProductGrid &grid,
                                          const Target &target,
                                          const Timing &timing);

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_PRODUCTWORK_H
