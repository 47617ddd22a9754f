//===- TuningDatabase.cpp - schedules that te-tune has found --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Schedule/TuningDatabase.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <mutex>
#include <string_view>

using namespace mlir;
using namespace mlir::te;
namespace json = llvm::json;

static constexpr int64_t kVersion = 2;

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

/// A type without its sizes.
static Type dropSizes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return type;
  SmallVector<int64_t> sizes(shaped.getRank(), ShapedType::kDynamic);
  return shaped.clone(sizes);
}

/// An op in a line: name, attributes that are no numbers of f32 (an epsilon
/// does not change what a schedule is good for), types.
static std::string describe(Operation *op) {
  std::string text = op->getName().getStringRef().str();
  llvm::raw_string_ostream os(text);
  for (NamedAttribute attribute : op->getAttrs()) {
    if (isa<FloatAttr>(attribute.getValue()))
      continue;
    os << " " << attribute.getName().getValue();
    if (!isa<UnitAttr>(attribute.getValue()))
      os << "=" << attribute.getValue();
  }
  os << " : ";
  llvm::interleaveComma(op->getOperandTypes(), os,
                        [&](Type type) { os << dropSizes(type); });
  os << " -> ";
  llvm::interleaveComma(op->getResultTypes(), os,
                        [&](Type type) { os << dropSizes(type); });
  return text;
}

RegionSignature te::getSignature(FusionOp fusion) {
  SmallVector<Operation *> ops = getRegionOps(fusion);
  TileDemand demand = getTileDemand(ops);
  RegionSignature signature;
  if (std::optional<ArrayRef<int64_t>> range = fusion.getRange())
    signature.range = range->vec();
  Operation *product = findProduct(ops);
  if (!product && demand.attention)
    product = demand.attention;
  if (product)
    signature.product = describe(product);
  for (Operation *op : ops)
    signature.ops += (signature.ops.empty() ? "" : "; ") + describe(op);
  auto add = [&](int64_t size) {
    signature.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  };
  add(demand.rows);
  add(demand.cols);
  if (product)
    add(demand.depth);
  return signature;
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

/// The least and the most of a range, as signatures have it.
static std::pair<int64_t, int64_t> getRange(ArrayRef<int64_t> range) {
  return {range.empty() ? 0 : range.front(),
          range.size() > 1 ? range.back() : INT64_MAX};
}

const TuningEntry *TuningDatabase::find(const RegionSignature &region) const {
  const TuningEntry *best = nullptr;
  auto [least, most] = getRange(region.range);
  for (const TuningGroup &group : groups)
    if (group.ops == region.ops)
      for (const TuningEntry &entry : group.entries) {
        auto range = getRange(entry.range);
        if (entry.sizes != region.sizes || range.first > least ||
            range.second < most)
          continue;
        if (!best ||
            range.second - range.first <
                getRange(best->range).second - getRange(best->range).first)
          best = &entry;
      }
  return best;
}

/// Which of the sizes a range is of: rows or, where these are known, K; or
/// none.
static int64_t *findRanged(MutableArrayRef<int64_t> sizes) {
  if (sizes.front() < 0)
    return &sizes.front();
  return sizes.size() > 2 && sizes.back() < 0 ? &sizes.back() : nullptr;
}

/// Sizes, with that which is to be expected in the range.
static std::vector<int64_t> getExpected(ArrayRef<int64_t> sizes,
                                        ArrayRef<int64_t> range) {
  std::vector<int64_t> expected = sizes.vec();
  if (int64_t *size = findRanged(expected))
    *size = range.size() > 1 ? getExpectedSize(range.front(), range.back())
                             : kUsualSize;
  return expected;
}

/// Doublings from one size to the other. One that is not known is near any.
static double getDistance(int64_t a, int64_t b) {
  if (a < 0 || b < 0)
    return a == b ? 0 : 1;
  return std::abs(std::log2(std::max<int64_t>(a, 1)) -
                  std::log2(std::max<int64_t>(b, 1)));
}

std::vector<NearEntry> TuningDatabase::findNear(const RegionSignature &region,
                                                double most) const {
  std::vector<NearEntry> found;
  for (const TuningGroup &group : groups) {
    bool isSame = group.ops == region.ops;
    if (!isSame && (region.product.empty() || group.product != region.product))
      continue;
    for (const TuningEntry &entry : group.entries) {
      if (entry.sizes.size() != region.sizes.size())
        continue;
      double distance = isSame ? 0 : 1;
      for (auto [a, b] : llvm::zip(getExpected(entry.sizes, entry.range),
                                   getExpected(region.sizes, region.range)))
        distance += getDistance(a, b);
      if (distance <= most)
        found.push_back({&entry, distance});
    }
  }
  llvm::stable_sort(found, [](const NearEntry &a, const NearEntry &b) {
    return a.distance < b.distance;
  });
  return found;
}

void TuningDatabase::insert(const RegionSignature &region,
                            const TuningEntry &entry) {
  auto group = llvm::find_if(groups, [&](const TuningGroup &other) {
    return other.ops == region.ops;
  });
  if (group == groups.end())
    group = groups.insert(group, {region.product, region.ops, {}});
  for (TuningEntry &other : group->entries)
    if (other.sizes == entry.sizes && other.range == entry.range) {
      other = entry;
      return;
    }
  group->entries.push_back(entry);
}

std::string te::printSizes(ArrayRef<int64_t> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      sizes, os,
      [&](int64_t size) { os << (size < 0 ? "?" : std::to_string(size)); },
      " x ");
  return text;
}

std::string te::printRange(ArrayRef<int64_t> sizes, ArrayRef<int64_t> range) {
  std::string least = std::to_string(range.front()), to;
  if (range.size() > 1)
    to = " to " + std::to_string(range.back());
  if (sizes.front() >= 0)
    return "K from " + least + to;
  return least + (to.empty() ? " rows or more" : to + " rows");
}

bool TuningDatabase::isBetter(const TuningEntry &entry,
                              const TuningEntry &old) {
  return entry.how == old.how ? entry.clocks < old.clocks
                              : entry.how != kModelled;
}

std::vector<std::string> TuningDatabase::merge(const TuningDatabase &other) {
  std::vector<std::string> changes;
  for (const TuningGroup &group : other.groups)
    for (const TuningEntry &entry : group.entries) {
      RegionSignature region{group.product, group.ops, entry.sizes,
                             entry.range};
      const TuningEntry *old = find(region);
      std::string what = group.ops + ", " + printSizes(entry.sizes) + ": ";
      if (!old || old->range != entry.range)
        changes.push_back(what + "new");
      else if (isBetter(entry, *old))
        changes.push_back(
            what + llvm::formatv("{0:f0} clocks ({1}), were {2:f0} ({3})",
                                 entry.clocks, entry.how, old->clocks, old->how)
                       .str());
      else
        continue;
      insert(region, entry);
    }
  return changes;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace mlir::te {
static bool fromJSON(const json::Value &value, TuningEntry &entry,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("sizes", entry.sizes) &&
         map.map("schedule", entry.schedule) &&
         map.mapOptional("range", entry.range) &&
         map.map("clocks", entry.clocks) && map.mapOptional("how", entry.how) &&
         map.mapOptional("timed", entry.timed);
}

static bool fromJSON(const json::Value &value, TuningGroup &group,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.mapOptional("product", group.product) &&
         map.map("ops", group.ops) && map.map("entries", group.entries);
}

static bool fromJSON(const json::Value &value, TuningDatabase &database,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t version = 0;
  if (!map || !map.map("te_tuning_database", version))
    return false;
  if (version != kVersion) {
    path.field("te_tuning_database")
        .report(
            version > kVersion
                ? llvm::StringLiteral("expected version 2; a newer te-tune "
                                      "wrote this one, use its compiler")
                : llvm::StringLiteral("expected version 2; run te-tune again"));
    return false;
  }
  return map.map("target", database.target) &&
         map.map("regions", database.groups);
}
} // namespace mlir::te

json::Value te::toJSON(ArrayRef<std::map<std::string, int64_t>> sizes) {
  json::Array all;
  for (auto &each : sizes) {
    json::Object object;
    for (auto &[name, size] : each)
      object[name] = size;
    all.push_back(std::move(object));
  }
  return all;
}

static std::string quote(StringRef text) {
  return llvm::formatv("{0}", json::Value(text));
}

/// A line for each entry, so that a change to one is a change to a line.
static void print(llvm::raw_ostream &os, const TuningEntry &entry) {
  os << "   {\"sizes\": [";
  llvm::interleaveComma(entry.sizes, os);
  if (!entry.range.empty()) {
    os << "], \"range\": [";
    llvm::interleaveComma(entry.range, os);
  }
  os << "], \"clocks\": " << llvm::formatv("{0:f0}", entry.clocks)
     << ", \"schedule\": " << quote(entry.schedule);
  if (entry.how != kModelled)
    os << ", \"how\": " << quote(entry.how);
  if (!entry.timed.empty())
    os << ", \"timed\": " << llvm::formatv("{0}", toJSON(entry.timed));
  os << "}";
}

std::string TuningDatabase::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "{\"te_tuning_database\": " << kVersion
     << ", \"target\": " << quote(target) << ",\n \"regions\": [";
  llvm::interleave(
      groups, os,
      [&](const TuningGroup &group) {
        os << "\n  {\"product\": " << quote(group.product)
           << ",\n   \"ops\": " << quote(group.ops) << ",\n   \"entries\": [\n";
        llvm::interleave(
            group.entries, os,
            [&](const TuningEntry &entry) { ::print(os, entry); }, ",\n");
        os << "]}";
      },
      ",");
  os << "]}\n";
  return text;
}

llvm::Expected<TuningDatabase> TuningDatabase::parse(StringRef text,
                                                     StringRef name) {
  auto value = json::parse(text);
  if (!value)
    return llvm::createStringError(
        "tuning database " + name +
        ": no JSON, or not all of it: " + llvm::toString(value.takeError()));
  TuningDatabase database;
  database.name = name.str();
  json::Path::Root root("the database");
  if (!fromJSON(*value, database, root))
    return llvm::createStringError(
        "tuning database " + name +
        ": not as te-tune writes it: " + llvm::toString(root.getError()));
  return database;
}

llvm::Expected<TuningDatabase> TuningDatabase::load(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "tuning database " + path + ": " +
                                       buffer.getError().message());
  return parse((*buffer)->getBuffer(), path);
}

namespace {
struct ShippedFile {
  const char *target;
  std::string_view text;
};
} // namespace

using namespace std::string_view_literals; // whose length is not counted
static constexpr ShippedFile shippedFiles[] = {
#include "ShippedSchedules.inc"
};

const TuningDatabase *
TuningDatabase::getShipped(StringRef target, const RegionSignature &region) {
  const ShippedFile *file =
      llvm::find_if(shippedFiles, [&](const ShippedFile &each) {
        return each.target == target;
      });
  auto mentions = [&](const std::string &line) {
    return !line.empty() && StringRef(file->text).contains(quote(line));
  };
  if (file == std::end(shippedFiles) ||
      (!mentions(region.ops) && !mentions(region.product)))
    return nullptr;
  // No std::call_once: its thread-local storage keeps dlopen from loading the
  // Python module.
  static std::mutex mutex;
  static std::optional<TuningDatabase> databases[std::size(shippedFiles)];
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<TuningDatabase> &database = databases[file - shippedFiles];
  if (!database)
    database = llvm::cantFail(parse(
        file->text, std::string("share/schedules/") + file->target + ".json"));
  return &*database;
}
