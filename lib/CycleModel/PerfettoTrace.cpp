//===- PerfettoTrace.cpp - a profile as a timeline ------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chrome's trace format, which Perfetto opens: a process of waves (a track a
// wave slot of a SIMD) and one of units for each launch.
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::cycle {

using llvm::json::Object;

/// Slots of a SIMD that the numbers of tracks leave room for.
static constexpr unsigned kSlots = 64;

namespace {
class Writer {
public:
  Writer(llvm::raw_ostream &os, const Profile &profile, unsigned launch)
      : os(os), profile(profile), waves(2 * launch + 1), units(2 * launch + 2) {
  }
  void nameProcesses();
  void write(const Span &span);

private:
  void event(Object object) {
    os << (isFirst ? "" : ",\n") << llvm::json::Value(std::move(object));
    isFirst = false;
  }
  void name(const char *what, unsigned process, unsigned track,
            const std::string &name) {
    event(Object{{"ph", "M"},
                 {"name", what},
                 {"pid", process},
                 {"tid", track},
                 {"args", Object{{"name", name}}}});
  }
  void complete(const Span &span, unsigned process, unsigned track,
                llvm::StringRef label);
  void flight(const Span &span);

  llvm::raw_ostream &os;
  const Profile &profile;
  unsigned waves, units;
  uint64_t flights = 0;

public:
  bool isFirst = true;
};
} // namespace

static const char *const kUnitNames[] = {"MFMA", "VALU", "LDS"};

void Writer::nameProcesses() {
  name("process_name", waves, 0, profile.kernel + ": waves");
  name("process_name", units, 0, profile.kernel + ": units");
  for (unsigned simd = 0; simd < profile.target->simdsPerCU; ++simd) {
    for (unsigned slot = 0; slot < profile.residency.wavesPerSIMD; ++slot)
      name("thread_name", waves, simd * kSlots + slot,
           llvm::formatv("SIMD {0}, wave slot {1}", simd, slot));
    for (unsigned unit = 0; unit < std::size(kUnitNames); ++unit)
      name("thread_name", units, unit * kSlots + simd,
           llvm::formatv("{0} {1}", kUnitNames[unit], simd));
  }
}

void Writer::complete(const Span &span, unsigned process, unsigned track,
                      llvm::StringRef label) {
  const emu::TracedInstruction &inst = profile.instructions[span.instruction];
  event(Object{{"ph", "X"},
               {"name", label},
               {"pid", process},
               {"tid", track},
               {"ts", span.begin},
               {"dur", span.end - span.begin},
               {"args", Object{{"pc", llvm::formatv("{0:x}", inst.pc).str()},
                               {"instruction", inst.text},
                               {"source", inst.source},
                               {"wave", span.wave}}}});
}

/// Operations of memory overlap: pairs of events.
void Writer::flight(const Span &span) {
  const emu::TracedInstruction &inst = profile.instructions[span.instruction];
  ++flights;
  for (auto [phase, at] :
       {std::pair("b", span.begin), std::pair("e", span.end)})
    event(Object{{"ph", phase},
                 {"cat", "memory"},
                 {"id", flights},
                 {"name", inst.text},
                 {"pid", units},
                 {"tid", 3 * kSlots},
                 {"ts", at}});
}

void Writer::write(const Span &span) {
  llvm::StringRef text = profile.instructions[span.instruction].text;
  llvm::StringRef mnemonic = text.split(' ').first;
  switch (span.lane) {
  case Span::Issue:
    return complete(span, waves, span.simd * kSlots + span.slot, mnemonic);
  case Span::Stalled:
    return complete(span, waves, span.simd * kSlots + span.slot,
                    getStallName(span.stall));
  case Span::Mfma:
  case Span::Valu:
    return complete(span, units, (span.lane == Span::Valu) * kSlots + span.simd,
                    mnemonic);
  case Span::Lds: // by port: the first of its SIMDs
    return complete(span, units,
                    2 * kSlots + span.simd * profile.timing.ldsPorts /
                                     profile.target->simdsPerCU,
                    mnemonic);
  case Span::Memory:
    return flight(span);
  }
}

void printTrace(llvm::raw_ostream &os, llvm::ArrayRef<Profile> profiles) {
  os << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"one microsecond "
        "here is one clock of the compute unit\"},\"traceEvents\":[\n";
  for (unsigned launch = 0; launch < profiles.size(); ++launch) {
    Writer writer(os, profiles[launch], launch);
    writer.isFirst = launch == 0;
    writer.nameProcesses();
    for (const Span &span : profiles[launch].cu.spans)
      writer.write(span);
  }
  os << "\n]}\n";
}

} // namespace mlir::te::cycle
