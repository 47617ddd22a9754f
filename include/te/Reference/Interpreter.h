//===- Interpreter.h - runs te functions on host tensors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The oracle: a function of the te level, op by op, with the arithmetic of this
// library and none of the compiler's. Errors are MLIR diagnostics at the op
// that caused them.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REFERENCE_INTERPRETER_H
#define TE_REFERENCE_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "te/Reference/Quantize.h"

namespace mlir::te {
class ScaledType;
class ScalingAttr;
} // namespace mlir::te

namespace mlir::te::ref {

/// The value of an argument, a result or anything between: its logical shape
/// and its buffers, one for a tensor or an index (rank 0, I64), data and scales
/// for !te.scaled.
struct TensorValue {
  std::vector<int64_t> shape;
  std::vector<HostTensor> buffers;
};

struct InterpreterOptions {
  /// What every byte of a result holds before anything is written: an op whose
  /// noop flag is 1.0 leaves it there.
  uint8_t poison = 0xA5;
};

/// Nothing where a buffer cannot have that element type.
std::optional<DType> getDType(Type elementType);
Scaling getScaling(ScalingAttr attr);

/// The value of an argument of `type` with that logical shape: its buffers'
/// shapes, and every byte set to `fill`. Fails, with a diagnostic at `loc`,
/// where the type cannot have that shape.
FailureOr<TensorValue> makeValue(Location loc, Type type,
                                 ArrayRef<int64_t> shape, uint8_t fill);

/// The results, with the bits that no rule determines marked as unspecified.
FailureOr<std::vector<TensorValue>>
interpret(func::FuncOp function, ArrayRef<TensorValue> arguments,
          const InterpreterOptions &options = {});

} // namespace mlir::te::ref

#endif // TE_REFERENCE_INTERPRETER_H
