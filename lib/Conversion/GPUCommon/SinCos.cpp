//===- SinCos.cpp - sine and cosine by instructions -----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU's own sine has an absolute error, and its argument is reduced in f32.
// Here quarter turns leave the angle in f64, by pi/2 in two parts. Angles of
// 2^30 and more, which a branch looks for, are multiplied by as many bits of
// 2/pi as matter (Payne and Hanek's reduction, in integers): the quarter turns
// that are left out are whole ones. The sine and the cosine of one value share
// all that.
//
//===----------------------------------------------------------------------===//

#include "SinCos.h"
#include "Emitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numbers>

using namespace mlir;
using namespace mlir::te;

namespace {
/// 2/pi: 32 zero bits, then those after the point.
constexpr uint32_t kTwoOverPi[] = {0,          0xA2F9836E, 0x4E441529,
                                   0xFC2757D1, 0xF534DDC0, 0xDB629599,
                                   0x3C439041, 0xFE5163AB};
/// Windows begin in one of so many words.
constexpr int64_t kFirstWords = 5;
/// The f32 exponent field of angles whose window begins at the table's start.
constexpr int64_t kLeastExponent = 120;

constexpr int64_t kSignBit = 0x80000000;
/// 2^30: as many quarter turns, and their products with what two f64 numbers
/// leave out of pi/2, keep 30 bits of the remainder of any f32 angle.
constexpr int64_t kLargeBits = 0x4E800000;
/// What rounds an f64 number to a whole one, whose low bits it then has.
constexpr double kRounding = 0x1.8p52;
/// pi/2 less the nearest f64 number.
constexpr double kHalfPiRest = 6.123233995736766e-17;
/// Below pi/4 the angle is its own remainder.
constexpr int64_t kQuarterPiBits = 0x3F490FDB;

// Least absolute error over [0, pi/4], z = r * r:
// sin r = r + r * z * S(z), cos r = 1 - z / 2 + z * z * C(z).
constexpr double kSine[] = {-0.166666641831398, 0.008332748897373676,
                            -0.00019587924180086702};
constexpr double kCosine[] = {0.0416666641831398, -0.001388830365613103,
                              2.4547965949750505e-05};

/// x = quarter * pi/2 + remainder; the quarter modulo 4, and the remainder
/// from -pi/4 to pi/4.
struct Reduced {
  Value quarter, remainder;
};
} // namespace

/// Word `word` of the window that begins in word `first` of the table.
static Value emitWord(Emitter &e, Value first, int64_t word) {
  Value result = e.i32(kTwoOverPi[word]);
  for (int64_t i = 1; i < kFirstWords; ++i)
    result =
        e.select(e.isAtLeast(first, i), e.i32(kTwoOverPi[i + word]), result);
  return result;
}

/// `bits` is |x|, at least pi/4. A turn is 2^64.
static Value emitRevolutions(Emitter &e, Value bits) {
  Value exponent = e.make<arith::ShRUIOp>(bits, e.i32(23));
  Value mantissa = e.make<arith::OrIOp>(
      e.make<arith::AndIOp>(bits, e.i32(0x7FFFFF)), e.i32(0x800000));
  Value skipped = e.make<arith::SubIOp>(exponent, e.i32(kLeastExponent));
  Value first = e.make<arith::ShRUIOp>(skipped, e.i32(5));
  Value words[4];
  for (auto [i, word] : llvm::enumerate(words))
    word = emitWord(e, first, i);
  // 96 bits of 2/pi, after those that only make whole turns: a funnel shift
  // takes its distance modulo 32.
  Value window[3];
  for (auto [i, part] : llvm::enumerate(window))
    part = e.wide(LLVM::FshlOp::create(e.b, words[i].getType(), words[i],
                                       words[i + 1], skipped));
  Value factor = e.wide(mantissa);
  auto times = [&](Value part) { return e.make<arith::MulIOp>(factor, part); };
  Value high = e.make<arith::ShLIOp>(times(window[0]), e.i64(32));
  Value low = e.make<arith::ShRUIOp>(times(window[2]), e.i64(32));
  return e.make<arith::AddIOp>(e.make<arith::AddIOp>(high, times(window[1])),
                               low);
}

/// Of any angle. NaN of Inf and NaN.
static Reduced emitLargeReduced(Emitter &e, Value x) {
  auto &b = e.b;
  Value all = arith::BitcastOp::create(b, e.type(b.getI32Type()), x);
  Value sign = e.make<arith::AndIOp>(all, e.i32(kSignBit));
  Value bits = e.make<arith::XOrIOp>(all, sign);
  Value revolutions = emitRevolutions(e, bits);
  // To the nearest quarter: from -2^63 to 2^63 is what is left of it.
  Value rest = e.make<arith::ShLIOp>(revolutions, e.i64(2));
  Value quarter = e.make<arith::ShRUIOp>(revolutions, e.i64(61));
  quarter = e.make<arith::ShRUIOp>(e.make<arith::AddIOp>(quarter, e.i64(1)),
                                   e.i64(1));
  quarter = arith::TruncIOp::create(b, e.type(b.getI32Type()), quarter);
  Value remainder = arith::SIToFPOp::create(b, e.type(b.getF64Type()), rest);
  remainder =
      e.make<arith::MulFOp>(remainder, e.f64(std::numbers::pi / 2 * 0x1p-64));
  remainder = arith::TruncFOp::create(b, x.getType(), remainder);
  Value isNegative = e.isSet(all, kSignBit);
  quarter =
      e.select(isNegative, e.make<arith::SubIOp>(e.i32(0), quarter), quarter);
  remainder =
      e.select(isNegative, arith::NegFOp::create(b, remainder), remainder);
  Value isSmall = e.isBelow(bits, kQuarterPiBits);
  return {e.select(isSmall, e.i32(0), quarter),
          e.fma(x, e.f32(0), e.select(isSmall, x, remainder))};
}

/// Of an angle below 2^30.
static Reduced emitSmallReduced(Emitter &e, Value x) {
  auto &b = e.b;
  Value wide = arith::ExtFOp::create(b, e.type(b.getF64Type()), x);
  Value rounded = e.fma(wide, e.f64(2 / std::numbers::pi), e.f64(kRounding));
  Value quarters = e.make<arith::SubFOp>(rounded, e.f64(kRounding));
  Value bits = arith::BitcastOp::create(b, e.type(b.getI64Type()), rounded);
  Value rest = e.fma(quarters, e.f64(-std::numbers::pi / 2), wide);
  rest = e.fma(quarters, e.f64(-kHalfPiRest), rest);
  return {arith::TruncIOp::create(b, e.type(b.getI32Type()), bits),
          arith::TruncFOp::create(b, x.getType(), rest)};
}

static Reduced emitReduced(Emitter &e, Value x) {
  auto &b = e.b;
  Value bits = arith::BitcastOp::create(b, e.type(b.getI32Type()), x);
  bits = e.make<arith::AndIOp>(bits, e.i32(~kSignBit));
  if (isa<VectorType>(bits.getType()))
    bits = vector::ReductionOp::create(b, vector::CombiningKind::MAXUI, bits);
  Value isLarge = arith::CmpIOp::create(
      b, arith::CmpIPredicate::uge, bits,
      arith::ConstantIntOp::create(b, b.getI32Type(), kLargeBits));
  auto branch = scf::IfOp::create(
      b, TypeRange{e.type(b.getI32Type()), x.getType()}, isLarge,
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto emit = [&](Block &block, auto reduce) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&block);
    Reduced reduced = reduce(e, x);
    scf::YieldOp::create(b, ValueRange{reduced.quarter, reduced.remainder});
  };
  emit(branch.getThenRegion().front(), emitLargeReduced);
  emit(branch.getElseRegion().front(), emitSmallReduced);
  return {branch.getResult(0), branch.getResult(1)};
}

/// The sine and the cosine of an f32 value.
static std::pair<Value, Value> emitSinCos(Emitter &e, Value x) {
  auto &b = e.b;
  Type i32 = e.type(b.getI32Type()), f32 = x.getType();
  auto [quarter, r] = emitReduced(e, x);
  Value z = e.make<arith::MulFOp>(r, r);
  auto polynomial = [&](ArrayRef<double> c) {
    Value sum = e.fma(z, e.f32(c[2]), e.f32(c[1]));
    return e.fma(sum, z, e.f32(c[0]));
  };
  Value sine = e.fma(e.make<arith::MulFOp>(r, z), polynomial(kSine), r);
  Value cosine = e.fma(e.make<arith::MulFOp>(z, z), polynomial(kCosine),
                       e.fma(z, e.f32(-0.5), e.f32(1)));
  // Odd quarters exchange the two; two bits of the quarter are their signs.
  Value isOdd = e.isSet(quarter, 1);
  auto finish = [&](Value value, Value quarter) -> Value {
    Value flip = e.make<arith::ShLIOp>(e.make<arith::AndIOp>(quarter, e.i32(2)),
                                       e.i32(30));
    Value flipped =
        e.make<arith::XOrIOp>(arith::BitcastOp::create(b, i32, value), flip);
    return arith::BitcastOp::create(b, f32, flipped);
  };
  Value next = e.make<arith::AddIOp>(quarter, e.i32(1));
  return {finish(e.select(isOdd, cosine, sine), quarter),
          finish(e.select(isOdd, sine, cosine), next)};
}

void te::expandSinCos(gpu::GPUModuleOp module) {
  // By operand and block; the first op stands before the others.
  llvm::MapVector<std::pair<Value, Block *>, SmallVector<Operation *>> groups;
  module.walk([&](Operation *op) {
    if (isa<math::SinOp, math::CosOp>(op) &&
        getElementTypeOrSelf(op->getOperand(0).getType()).isF32())
      groups[{op->getOperand(0), op->getBlock()}].push_back(op);
  });
  for (auto &[key, ops] : groups) {
    ImplicitLocOpBuilder b(ops.front()->getLoc(), ops.front());
    Emitter emitter(b, key.first.getType());
    auto [sine, cosine] = emitSinCos(emitter, key.first);
    for (Operation *op : ops) {
      op->getResult(0).replaceAllUsesWith(isa<math::SinOp>(op) ? sine : cosine);
      op->erase();
    }
  }
}
