//===- RandomInputs.h - inputs for programs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random contents for a program's arguments: the same for the same seed on
// every machine.
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_RANDOMINPUTS_H
#define TE_DRIVER_RANDOMINPUTS_H

#include "te/Reference/Interpreter.h"

#include <cstdint>

namespace mlir::te {

enum class Distribution { Mixed, Normal, Uniform };

struct RandomSpec {
  uint64_t seed = 0;
  Distribution distribution = Distribution::Mixed;
};

/// What an argument is for, where not any contents will do.
enum class ArgumentRole {
  Plain,
  Noop,       // a noop flag: 0
  Offsets,    // cu_seqlens: from 0, in steps of 0 to 112 by 16
  RandomState // seed and offset of stochastic rounding: any bits
};

/// What each distribution holds, for --help.
extern const char *const kRandomInputsHelp;

/// Fills the buffers of an argument of `type` (as ref::makeValue made them).
/// `index` is the argument's number, so that arguments of one seed differ.
void fillRandom(Type type, ArgumentRole role, unsigned index,
                const RandomSpec &data, const RandomSpec &scales,
                ref::TensorValue &value);

} // namespace mlir::te

#endif // TE_DRIVER_RANDOMINPUTS_H
