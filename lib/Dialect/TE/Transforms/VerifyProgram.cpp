//===- VerifyProgram.cpp - what a whole program keeps to ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyProgram.h"

#include "te/Dialect/TE/IR/Names.h"
#include "te/Dialect/TE/IR/TE.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;

/// Bytes of the 47 bits of address that a process has next to a GPU, which
/// shares them. Sizes and products of two of them are far from overflow.
static constexpr int64_t kMaxBytes = int64_t(1) << 47;

/// A4: a function's name is a program's, in its manifest and on command lines.
static LogicalResult verifyFunctionName(func::FuncOp func) {
  StringRef name = func.getSymName();
  bool isPlain = llvm::none_of(
      name, [](char c) { return llvm::isASCII(c) && !llvm::isPrint(c); });
  if (!name.empty() && llvm::json::isUTF8(name) && isPlain)
    return success();
  return func.emitError() << "the function's name is " << func.getSymNameAttr()
                          << "; it is not empty, is UTF-8, and has no control "
                             "characters (A4)";
}

/// M2: known dimensions alone make no tensor larger than memory.
static LogicalResult verifySize(Location loc, const Twine &what, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  Type element = getElementTypeOrSelf(type);
  if (!shaped || !shaped.hasRank() || !element.isIntOrFloat())
    return success();
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), CHAR_BIT);
  for (int64_t size : shaped.getShape())
    if (!ShapedType::isDynamic(size) && size != 0 &&
        (llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxBytes))
      return emitError(loc)
             << what << " is " << type << ", whose known sizes make "
             << "more than 2^47 bytes; no GPU addresses so many (M2)";
  return success();
}

static LogicalResult verifySizes(Operation *op) {
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verifySize(op->getLoc(), "result #" + Twine(i), type)))
      return failure();
  return success();
}

/// M3: what is known of a slice lies in the tensor.
static LogicalResult verifySlice(OffsetSizeAndStrideOpInterface slice,
                                 RankedTensorType whole) {
  for (int64_t i = 0; i < whole.getRank(); ++i) {
    auto offset = getConstantIntValue(slice.getMixedOffsets()[i]),
         size = getConstantIntValue(slice.getMixedSizes()[i]),
         stride = getConstantIntValue(slice.getMixedStrides()[i]);
    int64_t extent = whole.getDimSize(i), last;
    if (!offset || !size)
      continue;
    bool isIn = *offset >= 0 && *size >= 0;
    if (isIn && stride && *size > 0 && !ShapedType::isDynamic(extent))
      isIn = !llvm::MulOverflow(*size - 1, *stride, last) &&
             !llvm::AddOverflow(last, *offset, last) && last >= 0 &&
             last < extent;
    if (!isIn)
      return slice->emitError()
             << "a slice of " << *size << " elements from " << *offset
             << " on, in dimension " << i << " of " << whole
             << ", is not inside of it (M3)";
  }
  return success();
}

static LogicalResult verifySlices(Operation *op) {
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op))
    return verifySlice(extract, extract.getSourceType());
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    return verifySlice(insert, insert.getDestType());
  return success();
}

LogicalResult te::verifyProgram(func::FuncOp func) {
  if (failed(verifyFunctionName(func)) || failed(verifyResultNames(func)))
    return failure();
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (failed(verifySize(func.getLoc(), "argument #" + Twine(i), type)))
      return failure();
  return failure(func.walk([](Operation *op) {
                       return WalkResult(success(succeeded(verifySizes(op)) &&
                                                 succeeded(verifySlices(op))));
                     })
                     .wasInterrupted());
}
