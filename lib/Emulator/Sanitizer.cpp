//===- Sanitizer.cpp - reports ----------------------------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Emulator/Sanitizer.h"
#include "SanitizedLaunch.h"

#include "llvm/Support/FormatVariadic.h"

#include <set>

namespace mlir::te::emu {

llvm::StringRef getName(Defect kind) {
  static constexpr const char *names[] = {
      "out-of-bounds", "use-after-free",     "misaligned",
      "uninitialized", "race",               "missing-wait",
      "barrier-divergence", "deadlock", "order-dependence"};
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

struct Sanitizer::Impl {
  std::mutex mutex;
  std::set<std::tuple<Defect, std::string, uint64_t, uint64_t>> seen;
  std::vector<SanitizerReport> reports;
};

Sanitizer::Sanitizer() : impl(std::make_unique<Impl>()) {}
Sanitizer::~Sanitizer() = default;

llvm::ArrayRef<SanitizerReport> Sanitizer::getReports() const {
  return impl->reports;
}

bool Sanitizer::isNew(Defect kind, llvm::StringRef kernel, uint64_t pc,
                      uint64_t otherPc) {
  // A race is the same from either side.
  if (kind == Defect::Race && otherPc < pc)
    std::swap(pc, otherPc);
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->seen.insert({kind, kernel.str(), pc, otherPc}).second;
}

void Sanitizer::add(SanitizerReport report) {
  std::lock_guard<std::mutex> lock(impl->mutex);
  impl->reports.push_back(std::move(report));
}

//===----------------------------------------------------------------------===//
// SanitizedLaunch
//===----------------------------------------------------------------------===//

SanitizedLaunch::SanitizedLaunch(Sanitizer &sanitizer,
                                 const Dispatch &dispatch)
    : sanitizer(sanitizer), dispatch(dispatch) {}

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
  if (!sanitizer.isNew(kind, dispatch.getKernel().name, addressOf(inst.word),
                       otherPc))
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
  sanitizer.add(std::move(report));
}

} // namespace mlir::te::emu
