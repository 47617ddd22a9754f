//===- SearchLog.cpp - what te-tune has tried -----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchLog.h"

#include "te/Schedule/TuningDatabase.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::te;
namespace json = llvm::json;

static constexpr int64_t kVersion = 1;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

std::string te::getRegionText(FusionOp fusion) {
  OpBuilder b(fusion.getContext());
  Location loc = b.getUnknownLoc();
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      loc, "region",
      b.getFunctionType(fusion.getOperandTypes(), fusion.getResultTypes()));
  Block *body = function->addEntryBlock();
  IRMapping mapping;
  mapping.map(fusion.getInputs(), body->getArguments());
  b.setInsertionPointToEnd(body);
  auto copy = cast<FusionOp>(b.clone(*fusion, mapping));
  copy->setDiscardableAttrs(DictionaryAttr::get(fusion.getContext()));
  copy.setKernel("");
  copy.removeScheduleAttr();
  copy.removeNotFusedAttr();
  func::ReturnOp::create(b, loc, copy.getResults());
  std::string text;
  llvm::raw_string_ostream os(text);
  function->print(os, OpPrintingFlags().useLocalScope());
  return text;
}

std::string te::getRegionKey(StringRef text) {
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

std::string te::getCompilerVersion() {
  return "te-mlir " TE_VERSION ", LLVM " LLVM_VERSION_STRING;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace mlir::te {
static bool fromJSON(const json::Value &value, TriedSchedule &tried,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("schedule", tried.schedule) &&
         map.map("least", tried.least) && map.map("clocks", tried.clocks) &&
         map.mapOptional("why", tried.why);
}

static bool fromJSON(const json::Value &value, SearchRecord &entry,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("key", entry.key) && map.map("target", entry.target) &&
         map.map("compiler", entry.compiler) &&
         map.map("region", entry.region) && map.map("sizes", entry.sizes) &&
         map.map("how", entry.how) && map.map("schedule", entry.schedule) &&
         map.map("clocks", entry.clocks) &&
         map.map("default_schedule", entry.defaultSchedule) &&
         map.map("default_clocks", entry.defaultClocks) &&
         map.map("complete", entry.isComplete) && map.map("tried", entry.tried);
}

static bool fromJSON(const json::Value &value, SearchLog &log,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t version = 0;
  if (!map || !map.map("te_tune_log", version))
    return false;
  if (version != kVersion) {
    path.field("te_tune_log").report("expected version 1");
    return false;
  }
  return map.map("records", log.records);
}

static json::Value toJSON(const TriedSchedule &tried) {
  json::Object object{{"schedule", tried.schedule},
                      {"least", tried.least},
                      {"clocks", tried.clocks}};
  if (!tried.why.empty())
    object["why"] = tried.why;
  return object;
}

static json::Value toJSON(const SearchRecord &entry) {
  return json::Object{{"key", entry.key},
                      {"target", entry.target},
                      {"compiler", entry.compiler},
                      {"region", entry.region},
                      {"sizes", toJSON(entry.sizes)},
                      {"how", entry.how},
                      {"schedule", entry.schedule},
                      {"clocks", entry.clocks},
                      {"default_schedule", entry.defaultSchedule},
                      {"default_clocks", entry.defaultClocks},
                      {"complete", entry.isComplete},
                      {"tried", json::Array(entry.tried)}};
}
} // namespace mlir::te

llvm::Expected<SearchLog> SearchLog::load(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "search log " + path + ": " +
                                       buffer.getError().message());
  auto value = json::parse((*buffer)->getBuffer());
  if (!value)
    return llvm::createStringError(
        "search log " + path +
        ": no JSON, or not all of it: " + llvm::toString(value.takeError()));
  SearchLog log;
  json::Path::Root root("the log");
  if (!fromJSON(*value, log, root))
    return llvm::createStringError(
        "search log " + path +
        ": not as te-tune writes it; delete it to start again: " +
        llvm::toString(root.getError()));
  return log;
}

std::string SearchLog::print() const {
  json::Array all;
  for (const SearchRecord &entry : records)
    all.push_back(toJSON(entry));
  json::Value value =
      json::Object{{"te_tune_log", kVersion}, {"records", std::move(all)}};
  return llvm::formatv("{0:2}\n", value);
}
