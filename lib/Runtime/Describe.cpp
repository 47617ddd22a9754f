//===- Describe.cpp - a manifest for a person -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Manifest.h"
#include "te/Runtime/Text.h"

using namespace mlir::te::rt;

template <typename Items, typename Format>
static std::string join(const Items &items, Format format) {
  std::string text;
  for (const auto &item : items)
    text += (text.empty() ? "" : ", ") + format(item);
  return text;
}

static std::string describeValues(const Entry &entry, const char *what,
                                  const std::vector<Value> &values) {
  auto formatSize = [&](const Expr &size) { return size.format(entry.dims); };
  std::string text;
  for (const Value &value : values) {
    text +=
        std::string("  ") + what + " " + value.name + " : " + value.type + "\n";
    for (size_t index : value.buffers) {
      const Buffer &buffer = entry.buffers[index];
      const DTypeInfo &type = getInfo(buffer.type);
      text += "    " + buffer.name + ": " + type.name + " [" +
              join(buffer.shape, formatSize) + "], .npy type " + type.npy +
              "\n";
    }
  }
  return text;
}

std::string mlir::te::rt::describe(const Entry &entry) {
  auto formatSize = [&](const Expr &size) { return size.format(entry.dims); };
  auto formatNumber = [](uint32_t size) { return std::to_string(size); };
  auto same = [](const std::string &name) { return name; };
  std::string text = "entry " + entry.name + "\n  dimensions: " +
                     (entry.dims.empty() ? "none" : join(entry.dims, same)) +
                     "\n" + describeValues(entry, "argument", entry.arguments) +
                     describeValues(entry, "result", entry.results);
  for (const Step &step : entry.steps)
    text +=
        "  launches " + step.kernel + ": grid [" + join(step.grid, formatSize) +
        "], block [" + join(step.block, formatNumber) + "]" +
        (step.when ? ", where " + step.when->format(entry.dims) : "") + "\n";
  return text;
}

std::string mlir::te::rt::describe(const Kernel &kernel) {
  return printText("kernel %s: %u VGPR, %u AGPR, %u SGPR, %u bytes of LDS a "
                   "workgroup, %u bytes of scratch a lane\n",
                   kernel.name.c_str(), kernel.vgprs, kernel.agprs,
                   kernel.sgprs, kernel.lds, kernel.scratch);
}
