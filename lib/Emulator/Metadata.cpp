//===- Metadata.cpp - the kernels of a code object's msgpack note ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CodeObjectImpl.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"

namespace mlir::te::emu {

namespace msgpack = llvm::msgpack;

/// Missing keys and values of another type read as the default: the note is
/// a description, and only what a launch needs is insisted upon.
static msgpack::DocNode *lookup(msgpack::MapDocNode &map, llvm::StringRef key) {
  auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

static uint32_t readNumber(msgpack::MapDocNode &map, llvm::StringRef key) {
  msgpack::DocNode *node = lookup(map, key);
  if (!node)
    return 0;
  if (node->getKind() == msgpack::Type::UInt)
    return std::min<uint64_t>(node->getUInt(), UINT32_MAX);
  if (node->getKind() == msgpack::Type::Int && node->getInt() >= 0)
    return std::min<int64_t>(node->getInt(), UINT32_MAX);
  return 0;
}

static std::string readString(msgpack::MapDocNode &map, llvm::StringRef key) {
  msgpack::DocNode *node = lookup(map, key);
  return node && node->isString() ? node->getString().str() : "";
}

static KernelInfo readKernel(msgpack::MapDocNode &map) {
  KernelInfo info;
  info.name = readString(map, ".name");
  info.vgprs = readNumber(map, ".vgpr_count");
  info.agprs = readNumber(map, ".agpr_count");
  info.sgprs = readNumber(map, ".sgpr_count");
  info.vgprSpills = readNumber(map, ".vgpr_spill_count");
  info.sgprSpills = readNumber(map, ".sgpr_spill_count");
  info.ldsBytes = readNumber(map, ".group_segment_fixed_size");
  info.scratchBytes = readNumber(map, ".private_segment_fixed_size");
  info.kernargBytes = readNumber(map, ".kernarg_segment_size");
  info.maxWorkgroupSize = readNumber(map, ".max_flat_workgroup_size");
  msgpack::DocNode *arguments = lookup(map, ".args");
  if (!arguments || !arguments->isArray())
    return info;
  for (msgpack::DocNode &node : arguments->getArray()) {
    if (!node.isMap())
      continue;
    msgpack::MapDocNode &argument = node.getMap();
    info.arguments.push_back(
        {readString(argument, ".name"), readString(argument, ".value_kind"),
         readNumber(argument, ".offset"), readNumber(argument, ".size")});
  }
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
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false))
    return bad("is not valid msgpack");
  if (!document.getRoot().isMap())
    return bad("is not a map");
  msgpack::DocNode *list =
      lookup(document.getRoot().getMap(), "amdhsa.kernels");
  if (!list || !list->isArray())
    return bad("has no list 'amdhsa.kernels'");
  for (msgpack::DocNode &node : list->getArray()) {
    if (!node.isMap())
      return bad("has a kernel that is not a map");
    KernelInfo info = readKernel(node.getMap());
    if (info.name.empty())
      return bad("has a kernel without '.name'");
    kernels.push_back(std::move(info));
  }
  return llvm::Error::success();
}

} // namespace mlir::te::emu
