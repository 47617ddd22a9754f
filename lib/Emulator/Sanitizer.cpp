//===- Sanitizer.cpp - reports ----------------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Emulator/Sanitizer.h"
#include "SanitizedLaunch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <mutex>
#include <tuple>

namespace mlir::te::emu {

llvm::StringRef getName(Defect kind) {
  static constexpr const char *names[] = {
      "out-of-bounds",      "use-after-free", "misaligned",
      "uninitialized",      "race",           "missing-wait",
      "barrier-divergence", "deadlock",       "order-dependence"};
  return names[unsigned(kind)];
}

//===----------------------------------------------------------------------===//
// SanitizerReport
//===----------------------------------------------------------------------===//

static void printPlace(llvm::raw_ostream &os, const SanitizerPlace &place) {
  if (!place.workgroup.empty())
    os << "workgroup " << place.workgroup << ", ";
  if (place.wave >= 0)
    os << "wave " << place.wave << ", ";
  os << "pc " << llvm::format_hex(place.pc, 0) << ": " << place.instruction;
  if (!place.location.empty())
    os << "  [" << place.location << "]";
  os << "\n";
}

void SanitizerReport::print(llvm::raw_ostream &os) const {
  os << getName(kind) << " in kernel '" << kernel << "'";
  if (lane >= 0)
    os << ", lane " << lane;
  os << ": " << message << "\n    at ";
  printPlace(os, place);
  if (!other)
    return;
  os << "    and ";
  printPlace(os, *other);
}

static llvm::json::Object toObject(const SanitizerPlace &place) {
  llvm::json::Object object{{"pc", place.pc},
                            {"instruction", place.instruction}};
  if (!place.location.empty())
    object["location"] = place.location;
  if (!place.workgroup.empty())
    object["workgroup"] = place.workgroup;
  if (place.wave >= 0)
    object["wave"] = place.wave;
  return object;
}

llvm::json::Object SanitizerReport::toJSON() const {
  llvm::json::Object object{{"kind", getName(kind)},
                            {"kernel", kernel},
                            {"message", message},
                            {"place", toObject(place)}};
  if (lane >= 0)
    object["lane"] = lane;
  if (other)
    object["other"] = toObject(*other);
  return object;
}

//===----------------------------------------------------------------------===//
// Sanitizer
//===----------------------------------------------------------------------===//

using Places = std::tuple<Defect, std::string, uint64_t, uint64_t>;

static Places getPlaces(const Sanitizer::Key &key) {
  // A race is the same from either side.
  bool swapped = key.kind == Defect::Race && key.otherPc < key.pc;
  return {key.kind, key.kernel, swapped ? key.otherPc : key.pc,
          swapped ? key.pc : key.otherPc};
}

struct Sanitizer::Impl {
  struct Found {
    Site site;
    size_t serial; // time within a workgroup
    SanitizerReport report;
  };
  std::mutex mutex;
  std::map<Places, Found> found;
  unsigned launches = 0;
  size_t serial = 0;

  bool isWanted(const Places &places, Site site) const {
    auto known = found.find(places);
    return known == found.end() || site < known->second.site;
  }
};

Sanitizer::Sanitizer() : impl(std::make_unique<Impl>()) {}
Sanitizer::~Sanitizer() = default;

std::vector<SanitizerReport> Sanitizer::getReports() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  std::vector<const Impl::Found *> ordered;
  for (const auto &[places, found] : impl->found)
    ordered.push_back(&found);
  llvm::sort(ordered, [](const Impl::Found *a, const Impl::Found *b) {
    return std::tie(a->site, a->serial) < std::tie(b->site, b->serial);
  });
  std::vector<SanitizerReport> reports;
  for (const Impl::Found *found : ordered)
    reports.push_back(found->report);
  return reports;
}

unsigned Sanitizer::beginLaunch() {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->launches++;
}

bool Sanitizer::isWanted(const Key &key, Site site) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->isWanted(getPlaces(key), site);
}

void Sanitizer::add(const Key &key, Site site, SanitizerReport report) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  Places places = getPlaces(key);
  if (impl->isWanted(places, site)) // another thread may have been here
    impl->found.insert_or_assign(
        places, Impl::Found{site, impl->serial++, std::move(report)});
}

//===----------------------------------------------------------------------===//
// SanitizedLaunch
//===----------------------------------------------------------------------===//

SanitizedLaunch::SanitizedLaunch(Sanitizer &sanitizer, const Dispatch &dispatch)
    : sanitizer(sanitizer), dispatch(dispatch),
      number(sanitizer.beginLaunch()) {}

uint64_t SanitizedLaunch::addressOf(uint32_t word) const {
  return dispatch.getTextBegin() + uint64_t(word) * 4;
}

SanitizerPlace SanitizedLaunch::describe(const Side &side) const {
  SanitizerPlace place;
  Program &program = *dispatch.getContext().program;
  place.pc = addressOf(side.word);
  place.instruction = program.disassemble(side.word);
  place.location = program.locate(side.word);
  place.wave = side.wave;
  if (side.workgroup >= 0)
    place.workgroup = dispatch.nameWorkgroup(side.workgroup);
  return place;
}

void SanitizedLaunch::report(Defect kind, const Wave &wave, const Inst &inst,
                             int lane, const llvm::Twine &message,
                             std::optional<Side> other) {
  bool isKnown = other && other->word != Cell::kUnknownPc;
  // Each place that reads a value that nothing wrote is one; each pair of a
  // race.
  uint64_t otherPc = isKnown ? addressOf(other->word) : 0;
  Sanitizer::Key key{kind, dispatch.getKernel().name, addressOf(inst.word),
                     otherPc};
  Sanitizer::Site site{number, wave.workgroupIndex};
  if (!sanitizer.isWanted(key, site))
    return;
  SanitizerReport report;
  report.kind = kind;
  report.kernel = dispatch.getKernel().name;
  report.place =
      describe({inst.word, int(wave.index), int64_t(wave.workgroupIndex)});
  if (isKnown)
    report.other = describe(*other);
  report.lane = lane;
  report.message = message.str();
  sanitizer.add(key, site, std::move(report));
}

} // namespace mlir::te::emu
