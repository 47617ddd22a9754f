//===- Metadata.cpp - the kernels of a code object's msgpack note ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads through msgpack::Reader: msgpack::Document aborts on maps whose keys
// are not scalars, and a damaged file may hold such.
//
//===----------------------------------------------------------------------===//
#include "CodeObjectImpl.h"

#include "llvm/BinaryFormat/MsgPackReader.h"

namespace mlir::te::emu {

namespace msgpack = llvm::msgpack;

namespace {
/// A parsed value: what is neither number, string, list nor map stays empty.
struct Value {
  enum Kind { Other, Number, String, List, Map } kind = Other;
  uint64_t number = 0;
  llvm::StringRef string;
  llvm::StringRef key;      // of an item of a map
  std::vector<Value> items; // of a list, or of a map where keys are strings

  const Value *find(llvm::StringRef key, Kind wanted) const;
  uint32_t getNumber(llvm::StringRef key) const {
    const Value *value = find(key, Number);
    return value ? std::min<uint64_t>(value->number, UINT32_MAX) : 0;
  }
  std::string getString(llvm::StringRef key) const {
    const Value *value = find(key, String);
    return value ? value->string.str() : "";
  }
};
} // namespace

const Value *Value::find(llvm::StringRef key, Kind wanted) const {
  for (const Value &item : items)
    if (item.key == key && item.kind == wanted)
      return &item;
  return nullptr;
}

/// Deeper than any real note; keeps a hostile one from taking the stack.
static constexpr unsigned kMaxDepth = 16;

/// False where the bytes end or are not msgpack.
static bool readValue(msgpack::Reader &reader, Value &value, unsigned depth) {
  msgpack::Object object;
  auto read = reader.read(object);
  if (!read) {
    llvm::consumeError(read.takeError());
    return false;
  }
  if (!*read || depth > kMaxDepth)
    return false;
  switch (object.Kind) {
  case msgpack::Type::UInt:
    value.kind = Value::Number;
    value.number = object.UInt;
    return true;
  case msgpack::Type::Int:
    value.kind = object.Int >= 0 ? Value::Number : Value::Other;
    value.number = object.Int;
    return true;
  case msgpack::Type::String:
    value.kind = Value::String;
    value.string = object.Raw;
    return true;
  case msgpack::Type::Array:
    value.kind = Value::List;
    for (size_t i = 0; i < object.Length; ++i)
      if (!readValue(reader, value.items.emplace_back(), depth + 1))
        return false;
    return true;
  case msgpack::Type::Map:
    value.kind = Value::Map;
    for (size_t i = 0; i < object.Length; ++i) {
      Value key, field;
      if (!readValue(reader, key, depth + 1) ||
          !readValue(reader, field, depth + 1))
        return false;
      if (key.kind != Value::String)
        continue;
      field.key = key.string;
      value.items.push_back(std::move(field));
    }
    return true;
  default:
    return true;
  }
}

/// Missing keys and values of another type read as 0 or empty: the note is a
/// description, and only what a launch needs is insisted upon.
static KernelInfo readKernel(const Value &map) {
  KernelInfo info;
  info.name = map.getString(".name");
  info.vgprs = map.getNumber(".vgpr_count");
  info.agprs = map.getNumber(".agpr_count");
  info.sgprs = map.getNumber(".sgpr_count");
  info.vgprSpills = map.getNumber(".vgpr_spill_count");
  info.sgprSpills = map.getNumber(".sgpr_spill_count");
  info.ldsBytes = map.getNumber(".group_segment_fixed_size");
  info.scratchBytes = map.getNumber(".private_segment_fixed_size");
  info.kernargBytes = map.getNumber(".kernarg_segment_size");
  info.maxWorkgroupSize = map.getNumber(".max_flat_workgroup_size");
  if (const Value *arguments = map.find(".args", Value::List))
    for (const Value &argument : arguments->items)
      info.arguments.push_back(
          {argument.getString(".name"), argument.getString(".value_kind"),
           argument.getNumber(".offset"), argument.getNumber(".size"),
           argument.getNumber(".pointee_align")});
  return info;
}

llvm::Error parseMetadata(llvm::StringRef blob,
                          std::vector<KernelInfo> &kernels) {
  auto bad = [](const char *what) {
    return llvm::createStringError(
        "the NT_AMDGPU_METADATA note %s; expected a msgpack map with "
        "'amdhsa.kernels' (code object v3 or later)",
        what);
  };
  msgpack::Reader reader(blob);
  Value root;
  if (!readValue(reader, root, 0))
    return bad("is not valid msgpack");
  const Value *list = root.find("amdhsa.kernels", Value::List);
  if (!list)
    return bad("has no list 'amdhsa.kernels'");
  for (const Value &map : list->items) {
    kernels.push_back(readKernel(map));
    if (kernels.back().name.empty())
      return bad("has a kernel without '.name'");
  }
  return llvm::Error::success();
}

} // namespace mlir::te::emu
