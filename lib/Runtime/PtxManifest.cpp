//===- PtxManifest.cpp - finds the manifest in PTX -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Manifest.h"

#include <algorithm>

using namespace mlir::te::rt;

static constexpr std::string_view kBegin = "// te.manifest begin",
                                  kEnd = "// te.manifest end", kComment = "// ";

static Failure damaged(size_t line, const std::string &what) {
  return {"damaged PTX: line " + std::to_string(line) + what +
          "; compile the program again"};
}

/// Takes the first line off `text`, without its end.
static std::string_view takeLine(std::string_view &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

static std::string_view asText(std::span<const uint8_t> image) {
  return {reinterpret_cast<const char *>(image.data()), image.size()};
}

bool mlir::te::rt::isPtx(std::span<const uint8_t> image) {
  return asText(image).starts_with(kBegin);
}

Result<std::string>
mlir::te::rt::findPtxManifest(std::span<const uint8_t> image) {
  std::string_view text = asText(image);
  if (takeLine(text) != kBegin)
    return Failure{"neither a code object (HSACO) nor PTX that te-compile "
                   "made, which begins with '" +
                   std::string(kBegin) + "'"};
  std::string json;
  for (size_t number = 2; !text.empty(); ++number) {
    std::string_view line = takeLine(text);
    if (line == kEnd)
      return json;
    if (!line.starts_with(kComment))
      return damaged(number, " is inside the manifest, but does not begin with "
                             "'// '");
    bool isAscii = std::all_of(line.begin(), line.end(),
                               [](char c) { return uint8_t(c) < 0x80; });
    if (!isAscii)
      return damaged(number, " of the manifest has a byte that is not ASCII");
    json += line.substr(kComment.size());
    json += '\n';
  }
  return Failure{"damaged PTX: its manifest does not end, for there is no line "
                 "'" +
                 std::string(kEnd) + "'; compile the program again"};
}
