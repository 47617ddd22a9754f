//===- LdsPlaces.h - where in LDS things lie --------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_TILETOGPU_LDSPLACES_H
#define TE_LIB_CONVERSION_TILETOGPU_LDSPLACES_H

#include "Distribution.h"

namespace mlir::te {

/// Finds a place for all that lies in LDS; returns the bytes that takes.
int64_t placeInLds(tile::KernelOp kernel, KernelState &state);

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_TILETOGPU_LDSPLACES_H
