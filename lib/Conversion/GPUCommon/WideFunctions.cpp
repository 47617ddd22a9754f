//===- WideFunctions.cpp - functions of f32 that are computed in f64 ------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// powf, cbrt, erfc, the hyperbolic functions, their inverses, and the inverses
// of sine, cosine and tangent. In f64 nothing of f32 overflows, cancels or is a
// denormal number, so each is the formula of a textbook, good to 1e-9 before it
// is rounded. They cost tens of f64 instructions; what models compute for each
// element (exp, tanh, erf) is elsewhere.
//
// Zeros, Inf and NaN give what C's functions do (IEEE 754-2019, section 9.2).
//
//===----------------------------------------------------------------------===//

#include "WideFunctions.h"
#include "Emitter.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mlir::te;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi, kLn2 = std::numbers::ln2;
/// The bits of sqrt(1/2): mantissas are taken from there to sqrt(2).
constexpr int64_t kRootHalfBits = 0x3FE6A09E667F3BCD;
constexpr int64_t kExponentField = int64_t(0xFFF) << 52;
constexpr int64_t kExponentBias = 1023;
/// Beyond e^+-this, f32 is Inf or 0, and f64 neither.
constexpr double kLargestPower = 200;
/// Below this, functions are the first two terms of their series.
constexpr double kSmall = 1e-4;
/// (1 + x) e^(x^2) erfc(x) for x >= 0, in u = (x - 3) / (x + 3): Chebyshev
/// interpolation up to 10.6, where erfc underflows in f32; off by 7e-11.
constexpr double kErfc[] = {
    0.7160046047073536,     -0.2309273335689938,    0.0990207560568425,
    -0.010235362421580806,  -0.023803951736863158,  0.021957343685875475,
    -0.009750657499331586,  0.0016213038508149794,  0.0006478519222457035,
    -0.0003745384306690402, -3.110618509159137e-05, 5.9822993601878736e-05,
    1.3738831963050352e-05};

/// Arithmetic on f64 values of one shape.
struct Wide {
  Emitter &e;
  Value value;

  Wide(Emitter &e, Value value) : e(e), value(value) {}
  Wide(const Wide &) = default;
  Wide &operator=(const Wide &other) {
    value = other.value;
    return *this;
  }
  Wide number(double x) const { return {e, e.f64(x)}; }
  Wide abs() const { return {e, math::AbsFOp::create(e.b, value)}; }
  Wide sqrt() const { return {e, math::SqrtOp::create(e.b, value)}; }
  Wide floor() const { return {e, math::FloorOp::create(e.b, value)}; }
  Wide signOf(Wide other) const {
    return {e, math::CopySignOp::create(e.b, value, other.value)};
  }
  Value compare(arith::CmpFPredicate predicate, Wide other) const {
    return arith::CmpFOp::create(e.b, predicate, value, other.value);
  }
  Value isLess(double bound) const {
    return compare(arith::CmpFPredicate::OLT, number(bound));
  }
  Value isEqual(Wide other) const {
    return compare(arith::CmpFPredicate::OEQ, other);
  }
  Value isNaN() const { return compare(arith::CmpFPredicate::UNO, *this); }
  /// The sign bit, of zeros and NaN too.
  Value isSigned() const { return number(1).signOf(*this).isLess(0); }
  /// NaN stays.
  Wide clamp(double low, double high) const {
    Value least = arith::MaximumFOp::create(e.b, value, e.f64(low));
    return {e, arith::MinimumFOp::create(e.b, least, e.f64(high))};
  }
};
} // namespace

static Wide operator+(Wide a, Wide b) {
  return {a.e, a.e.make<arith::AddFOp>(a.value, b.value)};
}
static Wide operator-(Wide a, Wide b) {
  return {a.e, a.e.make<arith::SubFOp>(a.value, b.value)};
}
static Wide operator*(Wide a, Wide b) {
  return {a.e, a.e.make<arith::MulFOp>(a.value, b.value)};
}
static Wide operator/(Wide a, Wide b) {
  return {a.e, a.e.make<arith::DivFOp>(a.value, b.value)};
}
static Wide operator+(Wide a, double b) { return a + a.number(b); }
static Wide operator*(Wide a, double b) { return a * a.number(b); }
static Wide operator-(double a, Wide b) { return b.number(a) - b; }
static Wide operator/(double a, Wide b) { return b.number(a) / b; }

static Wide select(Value condition, Wide a, Wide b) {
  return {a.e, a.e.select(condition, a.value, b.value)};
}

/// c[0] + c[1] x + ...
static Wide polynomial(Wide x, ArrayRef<double> c) {
  Wide sum = x.number(c.back());
  for (double next : llvm::reverse(c.drop_back()))
    sum.value = x.e.fma(sum.value, x.value, x.e.f64(next));
  return sum;
}

/// The coefficients 1 / (2 i + 1), with signs that alternate or do not: the
/// series of atan and atanh, over x^2.
static SmallVector<double> getOddReciprocals(unsigned count, double sign) {
  SmallVector<double> c;
  for (unsigned i = 0; i < count; ++i)
    c.push_back((i % 2 ? sign : 1) / (2 * i + 1));
  return c;
}

/// 1 / n! for n = first, first + step, ...
static SmallVector<double> getInverseFactorials(unsigned first, unsigned step,
                                                unsigned count) {
  SmallVector<double> c;
  double term = 1;
  for (unsigned n = 0; c.size() < count; term /= ++n)
    if (n >= first && (n - first) % step == 0)
      c.push_back(term);
  return c;
}

namespace wide {
/// ln(x), of x that f32 has or near to it: -Inf of 0, NaN below.
static Wide log(Wide x) {
  Emitter &e = x.e;
  Type i64 = e.type(e.b.getI64Type());
  Value bits = arith::BitcastOp::create(e.b, i64, x.value);
  Value from = e.make<arith::SubIOp>(bits, e.i64(kRootHalfBits));
  Value exponent = e.make<arith::ShRSIOp>(from, e.i64(52));
  Value mantissa = e.make<arith::SubIOp>(
      bits, e.make<arith::AndIOp>(from, e.i64(kExponentField)));
  Wide m{e, arith::BitcastOp::create(e.b, x.value.getType(), mantissa)};
  Wide s = (m + -1) / (m + 1);
  Wide power{e, arith::SIToFPOp::create(e.b, x.value.getType(), exponent)};
  Wide result =
      power * kLn2 + s * 2 * polynomial(s * s, getOddReciprocals(8, 1));
  result = select(x.isLess(kInf), result, x); // Inf and NaN
  result = select(x.isLess(0),
                  x.number(std::numeric_limits<double>::quiet_NaN()), result);
  return select(x.isEqual(x.number(0)), x.number(-kInf), result);
}

/// e^x.
static Wide exp(Wide x) {
  Emitter &e = x.e;
  x = x.clamp(-kLargestPower, kLargestPower);
  Wide n{e, math::RoundEvenOp::create(e.b, (x * std::numbers::log2e).value)};
  Wide r{e, e.fma(n.value, e.f64(-kLn2), x.value)};
  Wide result = polynomial(r, getInverseFactorials(0, 1, 10));
  Value exponent = arith::FPToSIOp::create(
      e.b, e.type(e.b.getI64Type()), select(x.isNaN(), x.number(0), n).value);
  exponent = e.make<arith::ShLIOp>(
      e.make<arith::AddIOp>(exponent, e.i64(kExponentBias)), e.i64(52));
  return result *
         Wide{e, arith::BitcastOp::create(e.b, x.value.getType(), exponent)};
}

/// The angle of (x, y), both not negative, or NaN.
static Wide angle(Wide y, Wide x) {
  Value isSteep = y.compare(arith::CmpFPredicate::OGT, x);
  Wide ratio = select(isSteep, x, y) / select(isSteep, y, x);
  // 0 / 0, and Inf / Inf.
  ratio =
      select(y.isEqual(x),
             select(x.isEqual(x.number(0)), x.number(0), x.number(1)), ratio);
  // To an eighth of a turn: tan(a - pi/4) = (tan a - 1) / (tan a + 1).
  constexpr double kTanEighthPi = std::numbers::sqrt2 - 1;
  Value isWide =
      ratio.compare(arith::CmpFPredicate::OGT, ratio.number(kTanEighthPi));
  Wide t = select(isWide, (ratio + -1) / (ratio + 1), ratio);
  Wide a = t * polynomial(t * t, getOddReciprocals(13, -1));
  a = select(isWide, a + kPi / 4, a);
  return select(isSteep, kPi / 2 - a, a);
}

static Wide atan2(Wide y, Wide x) {
  Wide a = angle(y.abs(), x.abs());
  return select(x.isSigned(), kPi - a, a).signOf(y);
}

static Wide asin(Wide x) { return atan2(x, ((1 - x) * (x + 1)).sqrt()); }
static Wide acos(Wide x) { return atan2(((1 - x) * (x + 1)).sqrt(), x); }
static Wide atan(Wide x) { return atan2(x, x.number(1)); }

static Wide sinh(Wide x) {
  Wide a = x.abs(), e = exp(a);
  Wide series = a * polynomial(a * a, getInverseFactorials(1, 2, 7));
  return select(a.isLess(1), series, (e - 1 / e) * 0.5).signOf(x);
}
static Wide cosh(Wide x) {
  Wide e = exp(x.abs());
  return (e + 1 / e) * 0.5;
}

static Wide asinh(Wide x) {
  Wide a = x.abs(), square = a * a;
  Wide series = a - a * square * (1. / 6);
  return select(a.isLess(kSmall), series, log(a + (square + 1).sqrt()))
      .signOf(x);
}
// Both roots, so that it is NaN for every x below 1.
static Wide acosh(Wide x) { return log(x + (x + -1).sqrt() * (x + 1).sqrt()); }
static Wide atanh(Wide x) {
  Wide a = x.abs();
  Wide series = a + a * a * a * (1. / 3);
  return select(a.isLess(kSmall), series, log((a + 1) / (1 - a)) * 0.5)
      .signOf(x);
}

static Wide cbrt(Wide x) { return exp(log(x.abs()) * (1. / 3)).signOf(x); }

static Wide erfc(Wide x) {
  Wide a = x.abs();
  // Both ends of u's range, so that Inf is 0.
  Wide near = a.clamp(0, 11);
  Wide result = exp(near * near * -1.) *
                polynomial((near + -3) / (near + 3), kErfc) / (near + 1);
  return select(x.isLess(0), 2 - result, result);
}

static Wide pow(Wide x, Wide y) {
  Wide a = x.abs();
  // Where |x| is 1, so is the result, of y = Inf too.
  Value isOne = a.isEqual(a.number(1));
  Wide power = select(isOne, select(y.isNaN(), y, y.number(0)), log(a) * y);
  Wide result = exp(power);
  Wide half = y * 0.5;
  Value isWhole = y.floor().isEqual(y);
  Value isOdd = arith::AndIOp::create(
      x.e.b, isWhole, half.floor().compare(arith::CmpFPredicate::ONE, half));
  result = select(arith::AndIOp::create(x.e.b, isOdd, x.isSigned()),
                  result * -1., result);
  // A negative number, but not -Inf, to a power that is not whole.
  Value isNone = arith::AndIOp::create(
      x.e.b,
      arith::AndIOp::create(
          x.e.b, x.isLess(0),
          x.compare(arith::CmpFPredicate::OGT, x.number(-kInf))),
      y.floor().compare(arith::CmpFPredicate::ONE, y));
  result = select(isNone, x.number(std::numeric_limits<double>::quiet_NaN()),
                  result);
  // 1 to any power, and any number to the power 0, NaN too.
  result = select(x.isEqual(x.number(1)), x.number(1), result);
  return select(y.isEqual(y.number(0)), y.number(1), result);
}
} // namespace wide

namespace {
/// Replaces a function of one or two f32.
template <typename Op, auto function> struct Widen : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Emitter e(b, op.getType());
    auto widen = [&](unsigned i) {
      return Wide{e, arith::ExtFOp::create(b, e.type(b.getF64Type()),
                                           op->getOperand(i))};
    };
    Wide result{e, Value()};
    if constexpr (std::is_invocable_v<decltype(function), Wide, Wide>)
      result = function(widen(0), widen(1));
    else
      result = function(widen(0));
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(),
                                                 result.value);
    return success();
  }
};

/// tan x = sin x / cos x, which share their reduction.
struct ExpandTan : OpRewritePattern<math::TanOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<arith::DivFOp>(
        op, math::SinOp::create(b, op.getOperand()),
        math::CosOp::create(b, op.getOperand()));
    return success();
  }
};

/// The bounds of a clamp are numbers; NaN stays.
struct ExpandClamp : OpRewritePattern<math::ClampFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ClampFOp op,
                                PatternRewriter &rewriter) const override {
    Value least = arith::MaximumFOp::create(rewriter, op.getLoc(),
                                            op.getValue(), op.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, least, op.getMax());
    return success();
  }
};
} // namespace

void te::populateWideFunctionPatterns(RewritePatternSet &patterns) {
  patterns
      .add<Widen<math::PowFOp, wide::pow>, Widen<math::Atan2Op, wide::atan2>,
           Widen<math::AtanOp, wide::atan>, Widen<math::AsinOp, wide::asin>,
           Widen<math::AcosOp, wide::acos>, Widen<math::SinhOp, wide::sinh>,
           Widen<math::CoshOp, wide::cosh>, Widen<math::AsinhOp, wide::asinh>,
           Widen<math::AcoshOp, wide::acosh>, Widen<math::AtanhOp, wide::atanh>,
           Widen<math::CbrtOp, wide::cbrt>, Widen<math::ErfcOp, wide::erfc>,
           ExpandTan, ExpandClamp>(patterns.getContext());
}
