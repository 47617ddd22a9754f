//===- Manifest.cpp - reads and checks the manifest -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Manifest.h"
#include "JsonReader.h"

#include <algorithm>
#include <set>

using namespace mlir::te::rt;
using nlohmann::json;

static constexpr int64_t kVersion = 2;
/// The deepest expression that is read: the compiler's have a handful of
/// levels.
static constexpr unsigned kMaxDepth = 64;
static constexpr int64_t kMaxLanes = 1024; // a workgroup
static constexpr int64_t kMaxLds = 1 << 20;

static int findDim(const Entry &entry, const std::string &name) {
  auto it = std::find(entry.dims.begin(), entry.dims.end(), name);
  return it == entry.dims.end() ? -1 : int(it - entry.dims.begin());
}

static Expr readExpr(const JsonNode &node, const Entry &entry,
                     unsigned depth = 0) {
  Expr expr;
  if (node.isInteger()) {
    expr.value = node.getInteger(INT64_MIN, INT64_MAX);
    return expr;
  }
  if (node.isString()) {
    expr.dim = findDim(entry, node.getString());
    if (expr.dim < 0)
      node.fail("\"" + node.getString() + "\" is not a dimension of entry " +
                entry.name);
    return expr;
  }
  if (!node.isArray()) {
    node.fail("expected an integer, a dimension or [op, a, b]");
    return expr;
  }
  std::vector<JsonNode> items = node.getItems();
  if (items.size() != 3 || !items[0].isString()) {
    node.fail("expected [op, a, b], found an array of " +
              std::to_string(items.size()));
    return expr;
  }
  if (depth == kMaxDepth) {
    node.fail("more than " + std::to_string(kMaxDepth) +
              " operations deep, the most that is read");
    return expr;
  }
  expr.op = findExprOp(items[0].getString());
  if (!expr.op)
    items[0].fail("no operation \"" + items[0].getString() + "\"; there are " +
                  listExprOps());
  expr.operands = {readExpr(items[1], entry, depth + 1),
                   readExpr(items[2], entry, depth + 1)};
  return expr;
}

static std::vector<Expr> readShape(const JsonNode &node, const Entry &entry) {
  std::vector<Expr> shape;
  for (const JsonNode &item : node.getItems())
    shape.push_back(readExpr(item, entry));
  return shape;
}

/// "when", where the node has one.
static std::optional<Condition> readCondition(const JsonNode &node,
                                              const Entry &entry) {
  if (!node.has("when"))
    return std::nullopt;
  JsonNode when = node["when"];
  Condition condition;
  condition.size = readExpr(when["size"], entry);
  condition.least = when["least"].getInteger(0, INT64_MAX);
  if (when.has("most"))
    condition.most = when["most"].getInteger(condition.least, INT64_MAX);
  return condition;
}

static DType readDType(const JsonNode &node) {
  std::string name = node.getString();
  std::optional<DType> type = findDType(name);
  if (!type && !node.hasFailed())
    node.fail("unknown element type \"" + name + "\"");
  return type.value_or(DType::F32);
}

static Buffer readBuffer(const JsonNode &node, const Entry &entry) {
  static constexpr std::pair<const char *, BufferKind> kKinds[] = {
      {"argument", BufferKind::Argument},
      {"result", BufferKind::Result},
      {"workspace", BufferKind::Workspace},
      {"constant", BufferKind::Constant}};
  Buffer buffer{};
  std::string kind = node["kind"].getString();
  auto it =
      std::find_if(std::begin(kKinds), std::end(kKinds),
                   [&](const auto &known) { return kind == known.first; });
  if (it != std::end(kKinds))
    buffer.kind = it->second;
  else
    node["kind"].fail("expected argument, result, workspace or constant, "
                      "found \"" +
                      kind + "\"");
  buffer.name = node["name"].getNonEmptyString();
  buffer.type = readDType(node["dtype"]);
  buffer.shape = readShape(node["shape"], entry);
  if (buffer.kind == BufferKind::Constant)
    buffer.symbol = node["symbol"].getNonEmptyString();
  buffer.when = readCondition(node, entry);
  if (buffer.when && buffer.kind != BufferKind::Workspace)
    node["when"].fail("only a workspace has it");
  return buffer;
}

/// The arguments or the results: together they use each buffer of `kind` once.
static std::vector<Value> readValues(const JsonNode &node, const Entry &entry,
                                     BufferKind kind) {
  std::vector<Value> values;
  std::vector<bool> isUsed(entry.buffers.size());
  for (const JsonNode &item : node.getItems()) {
    Value value{item["name"].getNonEmptyString(),
                item["type"].getString(),
                readShape(item["shape"], entry),
                {}};
    std::vector<JsonNode> buffers = item["buffers"].getItems();
    if (buffers.empty() || buffers.size() > 2)
      item["buffers"].fail("expected one buffer, or data and scales; found " +
                           std::to_string(buffers.size()));
    for (const JsonNode &index : buffers) {
      size_t buffer = index.getInteger(0, int64_t(entry.buffers.size()) - 1);
      if (index.hasFailed())
        return values;
      if (entry.buffers[buffer].kind != kind || isUsed[buffer])
        index.fail("buffer " + entry.buffers[buffer].name +
                   (isUsed[buffer] ? " is used twice" : " is of another kind"));
      isUsed[buffer] = true;
      value.buffers.push_back(buffer);
    }
    values.push_back(std::move(value));
  }
  for (size_t i = 0; i < isUsed.size(); ++i)
    if (entry.buffers[i].kind == kind && !isUsed[i])
      node.fail("buffer " + entry.buffers[i].name + " belongs to none of them");
  return values;
}

static KernelArg readKernelArg(const JsonNode &node, const Entry &entry) {
  KernelArg arg{};
  auto [kind, value] = node.getOnlyMember();
  if (kind == "buffer") {
    arg.kind = KernelArgKind::Buffer;
    arg.buffer = value.getInteger(0, int64_t(entry.buffers.size()) - 1);
  } else if (kind == "i64" || kind == "i32") {
    arg.kind = kind == "i64" ? KernelArgKind::I64 : KernelArgKind::I32;
    arg.value = readExpr(value, entry);
  } else if (kind == "f32") {
    arg.kind = KernelArgKind::F32;
    arg.number = float(value.getNumber());
  } else {
    node.fail("expected buffer, i64, i32 or f32, found \"" + kind + "\"");
  }
  return arg;
}

static uint32_t getBytes(KernelArgKind kind) {
  return kind == KernelArgKind::Buffer || kind == KernelArgKind::I64 ? 8 : 4;
}

static void readKernelArgs(const JsonNode &node, const Entry &entry,
                           const Kernel &kernel, Step &step) {
  for (const JsonNode &item : node.getItems()) {
    KernelArg arg = readKernelArg(item, entry);
    uint32_t bytes = getBytes(arg.kind);
    arg.offset = (step.kernargBytes + bytes - 1) / bytes * bytes;
    step.kernargBytes = arg.offset + bytes;
    step.args.push_back(std::move(arg));
  }
  if (step.kernargBytes > kernel.kernargBytes)
    node.fail("the arguments take " + std::to_string(step.kernargBytes) +
              " bytes, but kernel " + kernel.name + " reads " +
              std::to_string(kernel.kernargBytes));
}

static Step readStep(const JsonNode &node, const Entry &entry,
                     const Manifest &manifest) {
  Step step{};
  step.kernel = node["kernel"].getNonEmptyString();
  const Kernel *kernel = manifest.findKernel(step.kernel);
  if (!kernel) {
    node["kernel"].fail("no kernel " + step.kernel + " in kernels");
    return step;
  }
  std::vector<JsonNode> grid = node["grid"].getItems();
  std::vector<JsonNode> block = node["block"].getItems();
  if (grid.size() != 3 || block.size() != 3) {
    node.fail("expected three sizes in grid and in block, found " +
              std::to_string(grid.size()) + " and " +
              std::to_string(block.size()));
    return step;
  }
  int64_t lanes = 1;
  for (unsigned i = 0; i < 3; ++i) {
    step.grid[i] = readExpr(grid[i], entry);
    step.block[i] = block[i].getInteger(1, kMaxLanes);
    lanes *= step.block[i];
  }
  if (lanes > kMaxLanes)
    node["block"].fail(std::to_string(lanes) + " lanes, at most " +
                       std::to_string(kMaxLanes) + " fit in a workgroup");
  step.dynamicLds = node["dynamic_lds"].getInteger(0, kMaxLds);
  readKernelArgs(node["args"], entry, *kernel, step);
  step.when = readCondition(node, entry);
  return step;
}

static Entry readEntry(const JsonNode &node, const Manifest &manifest) {
  Entry entry;
  entry.name = node["name"].getNonEmptyString();
  for (const JsonNode &dim : node["dims"].getItems()) {
    std::string name = dim.getNonEmptyString();
    if (findDim(entry, name) >= 0)
      dim.fail("dimension " + name + " is named twice");
    entry.dims.push_back(std::move(name));
  }
  for (const JsonNode &buffer : node["buffers"].getItems())
    entry.buffers.push_back(readBuffer(buffer, entry));
  entry.arguments = readValues(node["arguments"], entry, BufferKind::Argument);
  entry.results = readValues(node["results"], entry, BufferKind::Result);
  for (const JsonNode &step : node["steps"].getItems())
    entry.steps.push_back(readStep(step, entry, manifest));
  return entry;
}

static Kernel readKernel(const JsonNode &node) {
  auto count = [&](const char *key) {
    return uint32_t(node[key].getInteger(0, UINT32_MAX));
  };
  return {node["name"].getNonEmptyString(),
          count("vgprs"),
          count("sgprs"),
          count("agprs"),
          count("lds"),
          count("scratch"),
          count("kernarg_bytes")};
}

static void readManifest(const JsonNode &root, Manifest &manifest) {
  int64_t version = root["te_manifest"].getInteger(0, INT64_MAX);
  if (version != kVersion)
    root["te_manifest"].fail("version " + std::to_string(version) +
                             ", but this program reads version " +
                             std::to_string(kVersion) +
                             "; compile again with its te-compile");
  manifest.producer = root["producer"].getString();
  manifest.target = root["target"].getNonEmptyString();
  manifest.source = root["source"].getString();
  for (const JsonNode &node : root["kernels"].getItems()) {
    Kernel kernel = readKernel(node);
    if (manifest.findKernel(kernel.name))
      node["name"].fail("kernel " + kernel.name + " is there twice");
    manifest.kernels.push_back(std::move(kernel));
  }
  for (const JsonNode &node : root["entries"].getItems()) {
    Entry entry = readEntry(node, manifest);
    if (manifest.findEntry(entry.name))
      node["name"].fail("entry " + entry.name + " is there twice");
    manifest.entries.push_back(std::move(entry));
  }
}

Result<bool> Condition::holds(std::span<const int64_t> dims) const {
  Result<int64_t> value = size.evaluate(dims);
  if (!value)
    return value.takeFailure();
  return *value >= least && *value <= most;
}

std::string Condition::format(std::span<const std::string> dimNames) const {
  std::string text = size.format(dimNames) + " is " + std::to_string(least);
  return most == INT64_MAX ? text + " or more"
                           : text + " to " + std::to_string(most);
}

Result<Manifest> Manifest::parse(std::string_view text) {
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    return Failure{"the manifest is not JSON; compile the program again"};
  std::string error;
  Manifest manifest;
  readManifest(JsonNode(&document, "", error), manifest);
  if (!error.empty())
    return Failure{"invalid manifest: " + error};
  return manifest;
}

Result<Manifest> Manifest::read(std::span<const uint8_t> image) {
  if (!isElf(image)) {
    auto text = findPtxManifest(image);
    if (!text)
      return text.takeFailure();
    return parse(*text);
  }
  auto section = findElfSection(image, ".te.manifest");
  if (!section)
    return section.takeFailure();
  return parse(
      {reinterpret_cast<const char *>(section->data()), section->size()});
}

template <typename T>
static const T *findByName(const std::vector<T> &items, std::string_view name) {
  for (const T &item : items)
    if (item.name == name)
      return &item;
  return nullptr;
}

const Entry *Manifest::findEntry(std::string_view name) const {
  return findByName(entries, name);
}
const Kernel *Manifest::findKernel(std::string_view name) const {
  return findByName(kernels, name);
}
