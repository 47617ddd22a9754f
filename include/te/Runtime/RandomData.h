//===- RandomData.h - random inputs of timed runs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_RANDOMDATA_H
#define TE_RUNTIME_RANDOMDATA_H

#include "te/Runtime/HostTensor.h"

namespace mlir::te::rt {

/// Ordinary numbers, the same for the same seed, made fast enough for
/// gigabytes: a pattern of a million elements, again and again. Floats are
/// normal, codes between -2 and 2 and no NaN, E8M0 2^-8 to 2^8, integers 0 to
/// 15; a scalar f32 is 1, a noop flag (by its `name`) 0.
void fillRandom(const std::string &name, uint64_t seed, HostTensor &tensor);

} // namespace mlir::te::rt

#endif // TE_RUNTIME_RANDOMDATA_H
