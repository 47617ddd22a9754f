//===- ManifestWriter.cpp - host functions as a manifest ------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host side of a program is a list of launches over buffers whose sizes are
// expressions of the dynamic dimensions. This file reads it off the functions;
// the format is docs/manifest.md, its reader is te/Runtime/Manifest.h.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "HostCode.h"

#include "te/Conversion/Names.h"
#include "te/Dialect/TE/IR/Names.h"
#include "te/Dialect/TE/IR/TE.h"
#include "te/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::te;
namespace json = llvm::json;

namespace {
/// One function on its way to an entry.
class EntryWriter {
public:
  EntryWriter(func::FuncOp func, const Target &target,
              const std::optional<SymbolTable> &kernels)
      : func(func), target(target), kernels(kernels) {}
  FailureOr<json::Value> write();

private:
  LogicalResult nameArguments();
  FailureOr<json::Value> expression(Value value);
  FailureOr<json::Value> sizeOf(Value value, int64_t dim);
  FailureOr<json::Array> shapeOf(Value value);
  json::Value storage(ArrayRef<ScaledType::StorageDim> dims,
                      const json::Array &shape);
  FailureOr<json::Array> addBuffers(Value value, StringRef kind,
                                    StringRef name);
  LogicalResult addConstant(arith::ConstantOp op);
  LogicalResult addResults(func::ReturnOp op);
  LogicalResult addWorkspace(Value value) {
    return failure(failed(
        addBuffers(value, "workspace", "ws" + std::to_string(workspaces++))));
  }
  LogicalResult addWorkspaces(tile::LaunchOp launch);
  LogicalResult addLaunch(tile::LaunchOp launch);
  LogicalResult addBranches(scf::IfOp op);
  LogicalResult addBlock(Block &block);
  FailureOr<std::optional<json::Value>> getCondition();
  /// `to` has the buffers of `from`: a copy first, for the map may grow.
  void copyBuffers(Value to, Value from) {
    SmallVector<int64_t> ids = bufferIds.lookup(from);
    bufferIds[to] = std::move(ids);
  }
  json::Object describe(Value value, StringRef name, json::Array shape,
                        json::Array ids);

  func::FuncOp func;
  const Target &target;
  const std::optional<SymbolTable> &kernels; // none: there is no kernel
  SmallVector<std::string> argumentNames;
  /// The name, or the known size, of each dynamic dimension of an argument.
  llvm::DenseMap<std::pair<Value, int64_t>, json::Value> dimSizes;
  llvm::DenseMap<Value, SmallVector<int64_t>> bufferIds;
  json::Array dims, buffers, arguments, results, steps;
  unsigned workspaces = 0;
  LaunchRange when; // of the block that is read
};
} // namespace

/// The element type of a buffer: a bit is stored as a byte.
static Type getStored(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Names of arguments (te.name, or argN) and of their dynamic dimensions
/// (te.dims, or ARGUMENT.AXIS). A name that is static in any argument is that
/// size everywhere.
LogicalResult EntryWriter::nameArguments() {
  auto dimName = [&](unsigned argument, int64_t axis) {
    auto names = func.getArgAttrOfType<ArrayAttr>(argument, "te.dims");
    return names ? cast<StringAttr>(names[axis]).str()
                 : argumentNames[argument] + "." + std::to_string(axis);
  };
  llvm::StringMap<int64_t> known;
  for (BlockArgument argument : func.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto shaped = dyn_cast<ShapedType>(argument.getType());
    if (!shaped || !shaped.hasRank())
      return func.emitError()
             << "argument #" << index << " of @" << func.getSymName() << " is "
             << argument.getType()
             << "; a program's arguments are ranked tensors and "
                "!te.scaled";
    auto name = func.getArgAttrOfType<StringAttr>(index, "te.name");
    argumentNames.push_back(name ? name.str() : "arg" + std::to_string(index));
    for (auto [i, size] : llvm::enumerate(shaped.getShape()))
      if (!ShapedType::isDynamic(size))
        known[dimName(index, i)] = size;
  }
  for (BlockArgument argument : func.getArguments()) {
    auto shaped = cast<ShapedType>(argument.getType());
    for (int64_t i = 0; i < shaped.getRank(); ++i) {
      if (!shaped.isDynamicDim(i))
        continue;
      std::string dim = dimName(argument.getArgNumber(), i);
      if (auto it = known.find(dim); it != known.end()) {
        dimSizes.insert({{argument, i}, json::Value(it->second)});
        continue;
      }
      dimSizes.insert({{argument, i}, json::Value(dim)});
      if (!llvm::is_contained(dims, json::Value(dim)))
        dims.push_back(dim);
    }
  }
  return success();
}

/// An index computed from dynamic dimensions, as an expression.
FailureOr<json::Value> EntryWriter::expression(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return json::Value(constant.getInt());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_if_present<DimOp>(op))
    return sizeOf(dim.getInput(), dim.getDimension());
  static const llvm::StringMap<StringRef> names = {
      {"arith.addi", "add"},       {"arith.subi", "sub"},
      {"arith.muli", "mul"},       {"arith.ceildivui", "ceildiv"},
      {"arith.divui", "floordiv"}, {"arith.remui", "mod"},
      {"arith.maxui", "max"},      {"arith.minui", "min"}};
  auto it = op ? names.find(op->getName().getStringRef()) : names.end();
  if (it == names.end()) {
    emitError(value.getLoc())
        << "a size is computed by '"
        << (op ? op->getName().getStringRef() : "an argument")
        << "', which a manifest has no expression for";
    return failure();
  }
  FailureOr<json::Value> left = expression(op->getOperand(0));
  FailureOr<json::Value> right = expression(op->getOperand(1));
  if (failed(left) || failed(right))
    return failure();
  return json::Value(
      json::Array{it->second, std::move(*left), std::move(*right)});
}

/// A size of an argument, of a launch's result, or of a reshape of these.
FailureOr<json::Value> EntryWriter::sizeOf(Value value, int64_t dim) {
  auto shaped = cast<ShapedType>(value.getType());
  if (!shaped.isDynamicDim(dim))
    return json::Value(shaped.getDimSize(dim));
  if (auto it = dimSizes.find({value, dim}); it != dimSizes.end())
    return json::Value(it->second);
  if (auto launch = value.getDefiningOp<tile::LaunchOp>())
    return expression(launch.getDynamicSize(cast<OpResult>(value), dim));
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return expression(cast<Value>(expand.getMixedOutputShape()[dim]));
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    return sizeOf(cast.getSource(), dim);
  if (auto branches = value.getDefiningOp<scf::IfOp>())
    return sizeOf(branches.thenYield().getOperand(
                      cast<OpResult>(value).getResultNumber()),
                  dim);
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse) {
    emitError(value.getLoc()) << "the size of dimension " << dim
                              << " of a tensor that no kernel makes is used";
    return failure();
  }
  json::Value product = 1;
  ReassociationIndices group = collapse.getReassociationIndices()[dim];
  for (int64_t i : group) {
    FailureOr<json::Value> size = sizeOf(collapse.getSrc(), i);
    if (failed(size))
      return failure();
    product = product == json::Value(1)
                  ? std::move(*size)
                  : json::Value(json::Array{"mul", std::move(product),
                                            std::move(*size)});
  }
  return product;
}

FailureOr<json::Array> EntryWriter::shapeOf(Value value) {
  json::Array shape;
  for (int64_t i = 0; i < cast<ShapedType>(value.getType()).getRank(); ++i) {
    FailureOr<json::Value> size = sizeOf(value, i);
    if (failed(size))
      return failure();
    shape.push_back(std::move(*size));
  }
  return shape;
}

/// Storage sizes over a logical shape, as expressions.
json::Value EntryWriter::storage(ArrayRef<ScaledType::StorageDim> storageDims,
                                 const json::Array &shape) {
  json::Array sizes;
  for (const ScaledType::StorageDim &dim : storageDims) {
    json::Value size = 1;
    for (unsigned i = 0; i < dim.numDims; ++i)
      size = i ? json::Value(json::Array{"mul", std::move(size),
                                         shape[dim.firstDim + i]})
               : shape[dim.firstDim + i];
    if (dim.divisor > 1)
      size = json::Array{"ceildiv", std::move(size), dim.divisor};
    if (dim.multiple > 1)
      size = json::Array{"roundup", std::move(size), dim.multiple};
    sizes.push_back(std::move(size));
  }
  return sizes;
}

/// When what the block has is needed; nothing where it always is.
FailureOr<std::optional<json::Value>> EntryWriter::getCondition() {
  if (!when.size)
    return std::optional<json::Value>();
  FailureOr<json::Value> size = expression(when.size);
  if (failed(size))
    return failure();
  json::Object made{{"size", std::move(*size)}, {"least", when.least}};
  if (when.most != INT64_MAX)
    made["most"] = when.most;
  return std::optional<json::Value>(std::move(made));
}

/// The buffers of a value: its data, then its scales.
FailureOr<json::Array> EntryWriter::addBuffers(Value value, StringRef kind,
                                               StringRef name) {
  FailureOr<json::Array> shape = shapeOf(value);
  FailureOr<std::optional<json::Value>> condition = getCondition();
  if (failed(shape) || failed(condition))
    return failure();
  json::Array ids;
  auto add = [&](const Twine &bufferName, Type dtype, json::Value bufferShape) {
    int64_t id = buffers.size();
    bufferIds[value].push_back(id);
    ids.push_back(id);
    json::Object made{{"kind", kind},
                      {"name", bufferName.str()},
                      {"dtype", typeText(dtype)},
                      {"shape", std::move(bufferShape)}};
    if (*condition)
      made["when"] = **condition;
    buffers.push_back(std::move(made));
  };
  if (auto scaled = dyn_cast<ScaledType>(value.getType())) {
    add(name + ".data", scaled.getElementType(),
        storage(scaled.getDataStorage(), *shape));
    add(name + ".scale", scaled.getScaling().getScaleType(),
        storage(scaled.getScaleStorage(), *shape));
  } else {
    add(name, getStored(getElementTypeOrSelf(value.getType())),
        json::Array(*shape));
  }
  return ids;
}

json::Object EntryWriter::describe(Value value, StringRef name,
                                   json::Array shape, json::Array ids) {
  return json::Object{{"name", name.str()},
                      {"type", typeText(value.getType())},
                      {"shape", std::move(shape)},
                      {"buffers", std::move(ids)}};
}

/// A constant that launches read: data of the code object.
LogicalResult EntryWriter::addConstant(arith::ConstantOp op) {
  auto symbol = op->getAttrOfType<StringAttr>(kSymbolAttrName);
  if (!symbol)
    return success();
  if (failed(addBuffers(op.getResult(), "constant", symbol)))
    return failure();
  buffers.back().getAsObject()->try_emplace("symbol", symbol.getValue());
  return success();
}

LogicalResult EntryWriter::addResults(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (!shaped || !shaped.hasRank())
      return op.emitError() << "result #" << i << " of @" << func.getSymName()
                            << " is " << value.getType()
                            << "; a program's results are ranked tensors and "
                               "!te.scaled";
    std::string name = getResultName(func, i);
    Value owner = getBufferOwner(value);
    if (isa<BlockArgument>(owner) || bufferIds.contains(owner))
      return op.emitError()
             << "result #" << i << " of @" << func.getSymName() << " is "
             << (isa<BlockArgument>(owner) ? "an argument, unchanged"
                                           : "returned twice")
             << "; each result is a buffer of its own: return what "
                "an op computed, once, or a te.copy";
    FailureOr<json::Array> ids = addBuffers(value, "result", name);
    if (failed(ids))
      return failure();
    copyBuffers(owner, value);
    results.push_back(describe(value, name, *shapeOf(value), std::move(*ids)));
  }
  return success();
}

/// Why a launch cannot have so many workgroups, as far as they are known.
static std::optional<std::string>
findGridViolation(const Target &target,
                  std::array<std::optional<int64_t>, 2> grid, int64_t lanes) {
  // An AQL packet counts a dimension's lanes in 32 bits; CUDA has 31 bits of
  // workgroups along x, and 16 along y.
  std::array<int64_t, 2> most = {UINT32_MAX / lanes, UINT32_MAX};
  if (target.backend == BackendKind::NVPTX)
    most = {INT32_MAX, UINT16_MAX};
  for (unsigned i = 0; i < 2; ++i)
    if (grid[i] && (*grid[i] < 0 || *grid[i] > most[i]))
      return " has " + std::to_string(*grid[i]) + " workgroups along " +
             "xy"[i] + ", but a launch on " + target.name.str() +
             " has at most " + std::to_string(most[i]) +
             "; compute it in parts, or by larger tiles";
  return std::nullopt;
}

LogicalResult EntryWriter::addLaunch(tile::LaunchOp launch) {
  json::Array args;
  auto pass = [&](Value value) {
    for (int64_t id : bufferIds[getBufferOwner(value)])
      args.push_back(json::Object{{"buffer", id}});
  };
  llvm::for_each(launch.getInputs(), pass);
  llvm::for_each(launch.getResults(), pass);
  for (Value size : launch.getSizes()) {
    FailureOr<json::Value> value = expression(size);
    if (failed(value))
      return failure();
    args.push_back(json::Object{{"i64", std::move(*value)}});
  }
  FailureOr<json::Value> x = expression(launch.getGridX()),
                         y = expression(launch.getGridY());
  if (failed(x) || failed(y))
    return failure();
  Operation *kernel = kernels ? kernels->lookup(launch.getKernel()) : nullptr;
  auto block =
      kernel ? kernel->getAttrOfType<DenseI32ArrayAttr>("known_block_size")
             : DenseI32ArrayAttr();
  if (!block && kernel)
    block =
        kernel->getAttrOfType<DenseI32ArrayAttr>("rocdl.reqd_work_group_size");
  if (!block)
    return launch.emitError()
           << "kernel @" << launch.getKernel() << " has no workgroup size";
  if (std::optional<std::string> why =
          findGridViolation(target,
                            {getConstantIntValue(launch.getGridX()),
                             getConstantIntValue(launch.getGridY())},
                            block[0]))
    return launch.emitError() << "kernel @" << launch.getKernel() << *why;
  auto lds = kernel->getAttrOfType<IntegerAttr>(kDynamicLdsAttrName);
  json::Object step{{"kernel", launch.getKernel()},
                    {"grid", json::Array{std::move(*x), std::move(*y), 1}},
                    {"block", json::Array{block[0], block[1], block[2]}},
                    {"dynamic_lds", lds ? lds.getInt() : 0},
                    {"args", std::move(args)}};
  FailureOr<std::optional<json::Value>> condition = getCondition();
  if (failed(condition))
    return failure();
  if (*condition)
    step["when"] = **condition;
  steps.push_back(std::move(step));
  return success();
}

/// A launch's results, where they have no buffers yet.
LogicalResult EntryWriter::addWorkspaces(tile::LaunchOp launch) {
  unsigned fresh = launch.getNumResults() - launch.getInits().size();
  for (auto [i, result] : llvm::enumerate(launch.getResults())) {
    if (bufferIds.contains(result))
      continue;
    if (i >= fresh)
      copyBuffers(result, launch.getInits()[i - fresh]);
    else if (failed(addWorkspace(result)))
      return failure();
  }
  return success();
}

/// The launches of both branches write the results' buffers.
LogicalResult EntryWriter::addBranches(scf::IfOp op) {
  for (OpResult result : op->getResults())
    if (!bufferIds.contains(result) && failed(addWorkspace(result)))
      return failure();
  for (Region *branch : {&op.getThenRegion(), &op.getElseRegion()}) {
    if (branch->empty())
      continue;
    Block &block = branch->front();
    for (auto [result, yielded] : llvm::zip_equal(
             op->getResults(), block.getTerminator()->getOperands())) {
      Value owner = getBufferOwner(yielded);
      if (owner.getParentBlock() != &block || bufferIds.contains(owner))
        return op.emitError() << "result #" << result.getResultNumber()
                              << " is not computed in each of the branches";
      copyBuffers(owner, result);
    }
    LaunchRange before = when;
    if (failed(narrow(when, op.getCondition(), branch == &op.getThenRegion())))
      return op.emitError("launches are chosen by one size, compared with "
                          "constants; this condition is another one");
    if (failed(addBlock(block)))
      return failure();
    when = before;
  }
  return success();
}

LogicalResult EntryWriter::addBlock(Block &block) {
  // A value that a later launch takes over has that launch's buffer.
  for (Operation &op : llvm::reverse(block))
    if (auto launch = dyn_cast<tile::LaunchOp>(op))
      for (auto [init, result] :
           llvm::zip(launch.getInits(),
                     launch.getResults().take_back(launch.getInits().size())))
        if (bufferIds.contains(result))
          copyBuffers(init, result);
  for (Operation &op : block) {
    if (auto branches = dyn_cast<scf::IfOp>(op);
        branches && failed(addBranches(branches)))
      return failure();
    auto launch = dyn_cast<tile::LaunchOp>(op);
    if (launch && (failed(addWorkspaces(launch)) || failed(addLaunch(launch))))
      return failure();
  }
  return success();
}

FailureOr<json::Value> EntryWriter::write() {
  if (failed(nameArguments()))
    return failure();
  for (BlockArgument argument : func.getArguments()) {
    StringRef name = argumentNames[argument.getArgNumber()];
    FailureOr<json::Array> ids = addBuffers(argument, "argument", name);
    if (failed(ids))
      return failure();
    arguments.push_back(
        describe(argument, name, *shapeOf(argument), std::move(*ids)));
  }
  Block &body = func.getBody().front();
  WalkResult isSound =
      func.walk([](Operation *op) { return WalkResult(verifyHostOp(op)); });
  if (isSound.wasInterrupted())
    return failure();
  for (auto constant : body.getOps<arith::ConstantOp>())
    if (failed(addConstant(constant)))
      return failure();
  if (failed(addResults(cast<func::ReturnOp>(body.getTerminator()))) ||
      failed(addBlock(body)))
    return failure();
  return json::Value(json::Object{{"name", func.getSymName()},
                                  {"dims", std::move(dims)},
                                  {"buffers", std::move(buffers)},
                                  {"arguments", std::move(arguments)},
                                  {"results", std::move(results)},
                                  {"steps", std::move(steps)}});
}

FailureOr<json::Value> te::buildManifest(ModuleOp module, const Target &target,
                                         StringRef source) {
  json::Array entries;
  auto kernelModule = module.lookupSymbol<gpu::GPUModuleOp>(kKernelModule);
  std::optional<SymbolTable> kernels;
  if (kernelModule)
    kernels.emplace(kernelModule);
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal())
      continue;
    FailureOr<json::Value> entry = EntryWriter(func, target, kernels).write();
    if (failed(entry))
      return failure();
    entries.push_back(std::move(*entry));
  }
  return json::Value(json::Object{{"te_manifest", 2},
                                  {"producer", "te-mlir " TE_VERSION},
                                  {"target", target.name},
                                  {"source", source.str()},
                                  {"entries", std::move(entries)}});
}
