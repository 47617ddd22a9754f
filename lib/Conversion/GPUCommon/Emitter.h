//===- Emitter.h - bits and numbers of one shape ----------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_CONVERSION_GPUCOMMON_EMITTER_H
#define TE_LIB_CONVERSION_GPUCOMMON_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::te {

/// Builders for values of one shape.
class Emitter {
public:
  Emitter(ImplicitLocOpBuilder &b, Type shape) : b(b), shape(shape) {}

  Type type(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(Type element, TypedAttr value) {
    auto vector = dyn_cast<VectorType>(shape);
    return arith::ConstantOp::create(
        b,
        vector ? DenseElementsAttr::get(vector.clone(element), value) : value);
  }
  Value i32(int64_t value) {
    return constant(b.getI32Type(), b.getI32IntegerAttr(int32_t(value)));
  }
  Value i64(int64_t value) {
    return constant(b.getI64Type(), b.getI64IntegerAttr(value));
  }
  Value f32(double value) {
    return constant(b.getF32Type(), b.getF32FloatAttr(value));
  }
  Value f64(double value) {
    return constant(b.getF64Type(), b.getF64FloatAttr(value));
  }
  template <typename Op, typename... Values> Value make(Values... values) {
    return Op::create(b, values...);
  }
  Value isSet(Value x, int64_t bits) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                 make<arith::AndIOp>(x, i32(bits)), i32(0));
  }
  Value isBelow(Value x, int64_t bound) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, i32(bound));
  }
  Value isAtLeast(Value x, int64_t bound) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::uge, x, i32(bound));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value wide(Value x) {
    return arith::ExtUIOp::create(b, type(b.getI64Type()), x);
  }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }

  ImplicitLocOpBuilder &b;

private:
  Type shape;
};

} // namespace mlir::te

#endif // TE_LIB_CONVERSION_GPUCOMMON_EMITTER_H
