//===- Signature.cpp - a te function as an entry's arguments and results -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/Signature.h"
#include "te/Dialect/TE/IR/Names.h"
#include "te/Dialect/TE/IR/TE.h"
#include "te/Reference/Interpreter.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::te;

namespace {
/// Gives dynamic dimensions their names, and the entry its list of them.
class Dimensions {
public:
  Dimensions(func::FuncOp function, rt::Entry &entry)
      : function(function), entry(entry) {}

  /// Learns the static sizes of names, so that a dynamic dimension of the same
  /// name is that size.
  void addStatic(unsigned argument, ShapedType type);
  rt::Expr getSize(unsigned argument, const std::string &name, ShapedType type,
                   unsigned axis);

private:
  /// The name that te.dims gives, or nothing.
  StringRef getGivenName(unsigned argument, unsigned axis) {
    auto names = function.getArgAttrOfType<ArrayAttr>(argument, "te.dims");
    return names ? cast<StringAttr>(names[axis]).getValue() : StringRef();
  }

  func::FuncOp function;
  rt::Entry &entry;
  llvm::StringMap<int64_t> staticSizes;
};
} // namespace

static rt::Expr makeConstant(int64_t value) {
  rt::Expr expr;
  expr.value = value;
  return expr;
}

static bool isConstant(const rt::Expr &expr) {
  return expr.operands.empty() && expr.dim < 0;
}

/// op(a, b), folded where both are constants.
static rt::Expr apply(const char *op, rt::Expr a, rt::Expr b) {
  rt::Expr expr;
  expr.op = rt::findExprOp(op);
  bool isFoldable = isConstant(a) && isConstant(b);
  expr.operands = {std::move(a), std::move(b)};
  if (!isFoldable)
    return expr;
  auto value = expr.evaluate({});
  return value ? makeConstant(*value) : expr;
}

void Dimensions::addStatic(unsigned argument, ShapedType type) {
  for (unsigned axis = 0; axis < type.getRank(); ++axis)
    if (StringRef name = getGivenName(argument, axis);
        !name.empty() && !type.isDynamicDim(axis))
      staticSizes[name] = type.getDimSize(axis);
}

rt::Expr Dimensions::getSize(unsigned argument, const std::string &name,
                             ShapedType type, unsigned axis) {
  if (!type.isDynamicDim(axis))
    return makeConstant(type.getDimSize(axis));
  std::string dim = getGivenName(argument, axis).str();
  if (auto it = staticSizes.find(dim); it != staticSizes.end())
    return makeConstant(it->second);
  if (dim.empty())
    dim = name + "." + std::to_string(axis);
  rt::Expr expr;
  auto it = llvm::find(entry.dims, dim);
  expr.dim = it - entry.dims.begin();
  if (it == entry.dims.end())
    entry.dims.push_back(dim);
  return expr;
}

static std::vector<rt::Expr>
evaluateStorage(ArrayRef<ScaledType::StorageDim> dims,
                const std::vector<rt::Expr> &shape) {
  std::vector<rt::Expr> sizes;
  for (const ScaledType::StorageDim &dim : dims) {
    rt::Expr size = makeConstant(1);
    for (unsigned i = 0; i < dim.numDims; ++i) {
      const rt::Expr &factor = shape[dim.firstDim + i];
      size = i == 0 ? factor : apply("mul", std::move(size), factor);
    }
    if (dim.divisor != 1)
      size = apply("ceildiv", std::move(size), makeConstant(dim.divisor));
    if (dim.multiple != 1)
      size = apply("roundup", std::move(size), makeConstant(dim.multiple));
    sizes.push_back(std::move(size));
  }
  return sizes;
}

/// Adds the buffers of an argument to the entry.
static LogicalResult addBuffers(func::FuncOp function, Type type,
                                rt::Value &value, rt::Entry &entry) {
  auto add = [&](const std::string &name, Type element,
                 std::vector<rt::Expr> shape) {
    value.buffers.push_back(entry.buffers.size());
    entry.buffers.push_back({rt::BufferKind::Argument, name,
                             *ref::getDType(element), std::move(shape)});
  };
  if (auto scaled = dyn_cast<ScaledType>(type)) {
    add(value.name + ".data", scaled.getElementType(),
        evaluateStorage(scaled.getDataStorage(), value.shape));
    add(value.name + ".scale", scaled.getScaling().getScaleType(),
        evaluateStorage(scaled.getScaleStorage(), value.shape));
    return success();
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !ref::getDType(tensor.getElementType()))
    return function.emitError()
           << "argument " << value.name << " has type " << type
           << ", expected a ranked tensor or !te.scaled";
  add(value.name, tensor.getElementType(), value.shape);
  return success();
}

static std::string getName(Attribute given, StringRef prefix, unsigned index) {
  if (auto name = dyn_cast_or_null<StringAttr>(given))
    return name.str();
  return (prefix + Twine(index)).str();
}

static std::string printType(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

FailureOr<rt::Entry> te::getSignature(func::FuncOp function) {
  if (failed(verifyResultNames(function)))
    return failure();
  rt::Entry entry;
  entry.name = function.getName().str();
  Dimensions dimensions(function, entry);
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      dimensions.addStatic(index, shaped);
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    rt::Value value;
    value.name = getName(function.getArgAttr(index, "te.name"), "arg", index);
    value.type = printType(type);
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (unsigned axis = 0; axis < shaped.getRank(); ++axis)
        value.shape.push_back(
            dimensions.getSize(index, value.name, shaped, axis));
    if (failed(addBuffers(function, type, value, entry)))
      return failure();
    entry.arguments.push_back(std::move(value));
  }
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    rt::Value value;
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasRank())
      return function.emitError() << "result #" << index << " has type " << type
                                  << ", expected a ranked tensor or !te.scaled";
    value.name = getResultName(function, index);
    value.type = printType(type);
    entry.results.push_back(std::move(value));
  }
  return entry;
}

llvm::StringMap<ArgumentRole> te::getArgumentRoles(func::FuncOp function,
                                                   const rt::Entry &entry) {
  llvm::StringMap<ArgumentRole> roles;
  auto add = [&](Value value, ArgumentRole role) {
    auto argument = dyn_cast_or_null<BlockArgument>(value);
    if (argument && argument.getOwner() == &function.getBody().front() &&
        argument.getArgNumber() < entry.arguments.size())
      roles[entry.arguments[argument.getArgNumber()].name] = role;
  };
  function.walk([&](Operation *op) {
    if (auto quantize = dyn_cast<QuantizeOp>(op)) {
      add(quantize.getNoop(), ArgumentRole::Noop);
      add(quantize.getRng(), ArgumentRole::RandomState);
    }
    if (auto amax = dyn_cast<AmaxOp>(op))
      add(amax.getNoop(), ArgumentRole::Noop);
    if (auto rope = dyn_cast<RopeOp>(op))
      add(rope.getCuSeqlens(), ArgumentRole::Offsets);
    if (auto rope = dyn_cast<RopeBwdOp>(op))
      add(rope.getCuSeqlens(), ArgumentRole::Offsets);
  });
  return roles;
}
