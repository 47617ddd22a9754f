//===- Quantize.h - quantize and dequantize whole tensors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What te.quantize, te.dequantize, te.relayout, te.transpose and te.amax
// compute, on host tensors.
//
//===----------------------------------------------------------------------===//
#ifndef TE_REFERENCE_QUANTIZE_H
#define TE_REFERENCE_QUANTIZE_H

#include "te/Reference/Layouts.h"
#include "te/Reference/Philox.h"

#include <optional>

namespace mlir::te::ref {

/// A scaled tensor as it is stored. `data` marks as unspecified the fp4
/// elements that were NaN and every element under a scale of 0xFF.
struct ScaledTensor {
  HostTensor data, scales;
};

struct QuantizeOptions {
  /// Delayed scaling: the factor on the way in (tensor granularity only). Where
  /// it is not given, the tensor's own amax decides.
  std::optional<float> scale;
  /// Current scaling: that amax, where it is given (tensor granularity only).
  std::optional<float> amax;
  std::optional<RandomState> random; // stochastic rounding (fp4 only)
  float epsilon = 0;                 // the least amax of f32 scales
};

/// max |x| with fmax's rule: NaN elements are ignored, 0 of an empty tensor.
float computeAmax(const HostTensor &x);

/// `x` is bf16, f16 or f32, of any shape. Fails where the scaling's data layout
/// does not fit the shape.
llvm::Expected<ScaledTensor> quantize(const HostTensor &x, DType element,
                                      const Scaling &scaling,
                                      const QuantizeOptions &options = {});

/// Lays out a scale (a code for E8M0) for each block of the grid, with padding.
HostTensor layOutScales(llvm::ArrayRef<double> stored, const ScaleGrid &grid,
                        const Scaling &scaling, DType element);

/// `shape` is the logical shape. Fails where a buffer has not the size that the
/// shape and the scaling ask for.
llvm::Expected<HostTensor> dequantize(const ScaledTensor &tensor, DType element,
                                      const Scaling &scaling,
                                      llvm::ArrayRef<int64_t> shape,
                                      DType resultType);

/// The same values, unrounded: code times scale.
llvm::Expected<std::vector<double>> getValues(const ScaledTensor &tensor,
                                              DType element,
                                              const Scaling &scaling,
                                              llvm::ArrayRef<int64_t> shape);

/// The same codes and scales as `to` stores them, which differs from `from` in
/// its layouts only. Fails as `dequantize` does.
llvm::Expected<ScaledTensor> relayout(const ScaledTensor &tensor, DType element,
                                      const Scaling &from, const Scaling &to,
                                      llvm::ArrayRef<int64_t> shape);

} // namespace mlir::te::ref

#endif // TE_REFERENCE_QUANTIZE_H
