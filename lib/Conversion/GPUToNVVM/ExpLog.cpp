//===- ExpLog.cpp - exponentials and logarithms ---------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVPTX has 2^x (ex2.approx, 2 ulp, denormals kept) and no logarithm that is
// good near 1. An exponential is 2^(x log2 e) times what rounding left out of
// that product; a logarithm takes the exponent's bits apart and a polynomial.
//
//===----------------------------------------------------------------------===//

#include "ExpLog.h"

#include "../GPUCommon/Emitter.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::te;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kLn2 = std::numbers::ln2, kLog2E = std::numbers::log2e;
/// The bits of sqrt(1/2): mantissas are taken from there to sqrt(2).
constexpr int64_t kRootHalf = 0x3F3504F3;
constexpr int64_t kExponentField = 0xFF800000;
/// What makes a normal number of a denormal one: 2^24.
constexpr int64_t kShift = 24;
/// log(1 + f) = f - f^2 / 2 + f^3 P(f), least relative error over the
/// mantissas.
constexpr double kLog[] = {0.33333331346511841, -0.25000822544097900,
                           0.20001226663589478, -0.16623355448246002,
                           0.14201770722866058, -0.13160216808319092,
                           0.12761501967906952, -0.076343104243278503};
} // namespace

/// e^x.
static Value emitExp(Emitter &e, Value x) {
  double high = float(kLog2E);
  Value power = e.make<arith::MulFOp>(x, e.f32(high));
  Value raised = math::Exp2Op::create(e.b, power);
  Value left = e.fma(x, e.f32(high), e.make<arith::NegFOp>(power));
  left = e.fma(x, e.f32(kLog2E - high), left);
  // Where the power is infinite, anything but zero, infinite or NaN.
  left = e.make<arith::MaxNumFOp>(e.make<arith::MinNumFOp>(left, e.f32(1)),
                                  e.f32(-1));
  return e.make<arith::MulFOp>(raised, e.fma(left, e.f32(kLn2), e.f32(1)));
}

/// The natural logarithm over ln(base).
static Value emitLog(Emitter &e, Value x, double lnBase) {
  auto &b = e.b;
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, predicate, x, e.f32(bound));
  };
  Type i32 = e.type(b.getI32Type()), f32 = x.getType();
  Value isTiny = compare(arith::CmpFPredicate::OLT, 0x1p-126);
  Value scaled = e.select(isTiny, e.make<arith::MulFOp>(x, e.f32(0x1p24)), x);
  Value bits = arith::BitcastOp::create(b, i32, scaled);
  Value from = e.make<arith::SubIOp>(bits, e.i32(kRootHalf));
  Value exponent = e.make<arith::ShRSIOp>(from, e.i32(23));
  exponent = e.make<arith::SubIOp>(exponent,
                                   e.select(isTiny, e.i32(kShift), e.i32(0)));
  Value mantissa = arith::BitcastOp::create(
      b, f32,
      e.make<arith::SubIOp>(
          bits, e.make<arith::AndIOp>(from, e.i32(kExponentField))));
  Value f = e.make<arith::SubFOp>(mantissa, e.f32(1));
  Value square = e.make<arith::MulFOp>(f, f), sum = e.f32(kLog[7]);
  for (int64_t i = 6; i >= 0; --i)
    sum = e.fma(sum, f, e.f32(kLog[i]));
  // f is exact; what is added to it is small.
  Value rest = e.fma(e.make<arith::MulFOp>(square, f), sum,
                     e.make<arith::MulFOp>(square, e.f32(-0.5)));
  Value whole = arith::SIToFPOp::create(b, f32, exponent);
  double high = 0x1.62ep-1; // whole * high is exact
  rest = e.fma(whole, e.f32(kLn2 - high), rest);
  Value log = e.fma(whole, e.f32(high), e.make<arith::AddFOp>(f, rest));
  if (lnBase != 1)
    log = e.make<arith::MulFOp>(log, e.f32(1 / lnBase));
  Value isFinite = compare(arith::CmpFPredicate::OLT, kInf);
  log = e.select(isFinite, log, x); // Inf and NaN
  Value isNegative = compare(arith::CmpFPredicate::OLT, 0);
  log = e.select(isNegative, e.f32(std::numeric_limits<double>::quiet_NaN()),
                 log);
  return e.select(compare(arith::CmpFPredicate::OEQ, 0), e.f32(-kInf), log);
}

namespace {
/// Replaces a function of one f32.
template <typename Op> struct Expand : OpRewritePattern<Op> {
  using Emit = Value (*)(Emitter &, Value);
  Expand(MLIRContext *context, Emit emit)
      : OpRewritePattern<Op>(context), emit(emit) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Emitter emitter(b, op.getType());
    rewriter.replaceOp(op, emit(emitter, op.getOperand()));
    return success();
  }
  Emit emit;
};
} // namespace

void te::populateExpLogPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expand<math::ExpOp>>(context, emitExp);
  patterns.add<Expand<math::LogOp>>(
      context, [](Emitter &e, Value x) { return emitLog(e, x, 1); });
  patterns.add<Expand<math::Log2Op>>(
      context, [](Emitter &e, Value x) { return emitLog(e, x, kLn2); });
  patterns.add<Expand<math::Log10Op>>(context, [](Emitter &e, Value x) {
    return emitLog(e, x, std::numbers::ln10);
  });
}
