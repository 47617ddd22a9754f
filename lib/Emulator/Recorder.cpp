//===- Recorder.cpp - records a launch's workgroups -----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Recorder.h"
#include "Matrix.h"
#include "Profile.h"

#include "llvm/ADT/StringSwitch.h"

namespace mlir::te::emu {

bool WaveRecorder::record(Wave &wave, const Inst &inst) {
  if (events->size() >= maxEvents) {
    wave.fail("the wave has run " + llvm::Twine(maxEvents) +
              " instructions, the most that are recorded; profile a smaller "
              "problem");
    return false;
  }
  events->push_back({});
  events->back().instruction = inst.word;
  if (inst.cls == Class::Valu)
    events->back().lanes = llvm::popcount(wave.exec());
  return true;
}

/// A row of LDS banks is what they give in one clock.
static uint16_t countRows(const Wave &wave, const MemoryCounters &facts) {
  if (facts.ldsRows)
    return facts.ldsRows;
  // An exchange (ds_bpermute): four bytes a lane.
  return kLanes / wave.launch->chip->ldsBanks;
}

bool WaveRecorder::recordMemory(Wave &wave, const Inst &inst) {
  if (!record(wave, inst))
    return false;
  TraceEvent &event = events->back();
  if (inst.cls == Class::Lds) {
    event.bytes = facts.ldsBytes;
    event.ldsRows = countRows(wave, facts);
    event.ldsConflicts = facts.ldsConflicts;
    return true;
  }
  event.bytes = facts.loadBytes + facts.storeBytes + facts.atomicBytes;
  event.lines = facts.wideLoadLines + facts.wideStoreLines;
  event.missed = facts.l2LoadBytes / LineCache::kLineBytes;
  event.fresh = facts.freshLines;
  event.stored = (facts.l2StoreBytes + facts.l2AtomicBytes) / 64;
  if (facts.scratchAccesses) {
    // A lane's scratch is interleaved with its neighbours': whole lines.
    unsigned lanes = llvm::popcount(wave.exec());
    event.bytes = lanes * 4;
    event.lines = event.missed = event.fresh =
        llvm::divideCeil(lanes * 4, LineCache::kLineBytes);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// Of a loop: at least, and at most where its steps read small parts of lines
/// (16 bytes of each).
static constexpr size_t kIterations = 2, kMostIterations = 8;

/// Rounds in which a load reads whole lines.
static size_t countIterationsOfLine(const TraceEvent &load) {
  return llvm::divideCeil(load.lines * LineCache::kLineBytes,
                          std::max<uint64_t>(load.bytes, 1));
}

/// From one run of the hottest load to another one, all loads of its loop run
/// equally often; where it is long, after as many iterations again, in which it
/// asks for what it asks for once (scales).
static Window findIterations(llvm::ArrayRef<TraceEvent> events) {
  llvm::DenseMap<uint32_t, std::vector<uint64_t>> runs; // of each load
  const std::vector<uint64_t> *hottest = nullptr;
  for (auto [index, event] : llvm::enumerate(events))
    if (event.lines && !event.stored)
      runs[event.instruction].push_back(index);
  for (const TraceEvent &event : events) // in the order of the run
    if (auto found = runs.find(event.instruction);
        found != runs.end() &&
        (!hottest || found->second.size() > hottest->size()))
      hottest = &found->second;
  if (!hottest || hottest->size() < 2)
    return {0, events.size()};
  size_t iterations = kIterations, last = hottest->size() - 1;
  for (const auto &[instruction, found] : runs)
    if (found.size() == hottest->size())
      iterations =
          std::max(iterations, countIterationsOfLine(events[found.front()]));
  iterations = std::min(iterations, kMostIterations);
  if (last < 2 * iterations)
    return {hottest->front(), (*hottest)[std::min(2 * iterations, last)]};
  return {(*hottest)[iterations], (*hottest)[2 * iterations]};
}

std::vector<Window> findIterations(const TracedWorkgroup &workgroup) {
  std::vector<Window> windows;
  for (const std::vector<TraceEvent> &events : workgroup.waves)
    windows.push_back(findIterations(events));
  return windows;
}

//===----------------------------------------------------------------------===//
// What the encoding tells
//===----------------------------------------------------------------------===//

static Control findControl(llvm::StringRef stem) {
  return llvm::StringSwitch<Control>(stem)
      .Case("s_waitcnt", Control::Wait)
      .Case("s_barrier", Control::Barrier)
      .Cases({"s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done"},
             Control::End)
      .Case("s_nop", Control::Nop)
      .Case("s_sleep", Control::Sleep)
      .Case("s_setprio", Control::Priority)
      .Default(Control::None);
}

static Unit findUnit(Class cls) {
  switch (cls) {
  case Class::Salu:
    return Unit::Salu;
  case Class::Smem:
    return Unit::Smem;
  case Class::Valu:
    return Unit::Valu;
  case Class::Vmem:
    return Unit::Vmem;
  case Class::Lds:
    return Unit::Lds;
  case Class::Mfma:
    return Unit::Mfma;
  case Class::Branch:
    return Unit::Branch;
  case Class::Other:
    return Unit::Internal;
  }
  return Unit::Internal;
}

static unsigned amountOf(const Inst &inst, Control control) {
  unsigned immediate = uint16_t(inst.offset);
  switch (control) {
  case Control::Nop:
    return immediate & 15;
  case Control::Sleep:
    return immediate & 127;
  case Control::Priority:
    return immediate & 3;
  default:
    return 0;
  }
}

static void describeMatrix(const Inst &inst, TracedInstruction &made) {
  const MatrixShape &shape = getMatrixShapes()[inst.param];
  made.passes = inst.matrix.passes;
  made.flops =
      uint64_t(2) * shape.size * shape.size * shape.depth * shape.blocks;
  unsigned c = shape.isSparse ? inst.dst + kFirstVector : inst.src[2].number;
  if (c >= kFirstVector)
    made.accumulator = c - kFirstVector;
}

/// As AMD's profilers count: a fused multiply-add is two, a transcendental
/// function one; comparisons, minima, conversions and moves are none.
static void describeVector(llvm::StringRef stem, TracedInstruction &made) {
  struct Flops {
    uint8_t lane, most;
  };
  constexpr Flops kPlain{1, 2}, kFused{2, 2}, kPacked{2, 4}, kPackedFused{4, 4};
  auto [lane, most] =
      llvm::StringSwitch<Flops>(stem)
          .Cases({"v_add_f16", "v_add_f32", "v_add_f64", "v_sub_f16",
                  "v_sub_f32", "v_subrev_f16", "v_subrev_f32", "v_mul_f16",
                  "v_mul_f32", "v_mul_f64", "v_mul_legacy_f32"},
                 kPlain)
          .Cases({"v_rcp_f16",        "v_rcp_f32",  "v_rcp_f64",
                  "v_rcp_iflag_f32",  "v_rsq_f16",  "v_rsq_f32",
                  "v_rsq_f64",        "v_sqrt_f16", "v_sqrt_f32",
                  "v_sqrt_f64",       "v_exp_f16",  "v_exp_f32",
                  "v_exp_legacy_f32", "v_log_f16",  "v_log_f32",
                  "v_log_legacy_f32", "v_sin_f16",  "v_sin_f32",
                  "v_cos_f16",        "v_cos_f32"},
                 kPlain)
          .Cases({"v_fma_f16", "v_fma_legacy_f16", "v_fma_f32", "v_fma_f64",
                  "v_fmac_f32", "v_fmac_f64", "v_fmamk_f32", "v_fmaak_f32",
                  "v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16",
                  "v_mac_f16", "v_mad_f16", "v_mad_legacy_f16", "v_madmk_f16",
                  "v_madak_f16", "v_div_fmas_f32", "v_div_fmas_f64"},
                 kFused)
          .Cases(
              {"v_pk_add_f16", "v_pk_mul_f16", "v_pk_add_f32", "v_pk_mul_f32"},
              kPacked)
          .Cases({"v_pk_fma_f16", "v_pk_fmac_f16", "v_pk_fma_f32",
                  "v_dot2_f32_f16", "v_dot2_f32_bf16", "v_dot2c_f32_f16",
                  "v_dot2c_f32_bf16"},
                 kPackedFused)
          .Default({0, 0});
  made.laneFlops = lane;
  made.mostLaneFlops = most;
  bool isPackedF32 = stem.starts_with("v_pk_") && stem.ends_with("_f32");
  made.waitsForMatrix = isPackedF32 || stem.starts_with("v_dot");
  made.isTranscendental =
      llvm::StringSwitch<bool>(stem.rsplit('_').first)
          .Cases({"v_rcp", "v_rcp_iflag", "v_rsq", "v_sqrt", "v_exp",
                  "v_exp_legacy", "v_log", "v_log_legacy", "v_sin", "v_cos"},
                 !stem.ends_with("_f64"))
          .Default(false);
}

/// Of the vector registers that it reads, A and B come first.
static void describeFactors(TracedInstruction &made) {
  constexpr unsigned kRegisterBytes = 4;
  made.firstFactorBytes = made.uses.front().count * kRegisterBytes;
  for (const TracedRows &rows : llvm::ArrayRef(made.uses).take_front(2))
    made.widerFactorBytes =
        std::max<unsigned>(made.widerFactorBytes, rows.count * kRegisterBytes);
}

static TracedInstruction describe(Program &program, const Inst &inst,
                                  uint64_t textBegin) {
  TracedInstruction made;
  llvm::StringRef stem = program.getMnemonic(inst);
  made.pc = textBegin + uint64_t(inst.word) * 4;
  auto [text, latency] = program.describe(inst.word);
  made.text = std::move(text);
  made.latency = latency;
  made.source = program.locate(inst.word);
  made.unit = findUnit(inst.cls);
  made.control = findControl(stem);
  made.amount = amountOf(inst, made.control);
  if (made.control == Control::Wait) {
    WaitCounts left = readWait(inst);
    made.vmLeft = left.vm;
    made.lgkmLeft = left.lgkm;
  }
  made.toLds = inst.toLds;
  made.isAtomic = made.unit == Unit::Vmem && stem.contains("_atomic_");
  made.isFlat = inst.format == Format::Flat && inst.segment == 0;
  if (inst.flags & kMatrix)
    describeMatrix(inst, made);
  if (inst.cls == Class::Valu)
    describeVector(stem, made);
  const Effects &effects = program.getEffects(inst);
  for (const RegisterRange &range : effects.uses)
    if (range.isVector)
      made.uses.push_back({range.first, range.count});
  for (const RegisterRange &range : effects.defs)
    if (range.isVector)
      made.defs.push_back({range.first, range.count});
  if (made.unit == Unit::Mfma && !made.uses.empty())
    describeFactors(made);
  return made;
}

void finishTrace(Trace &trace, const Dispatch &dispatch) {
  const LaunchContext &context = dispatch.getContext();
  Program &program = *context.program;
  trace.gridWorkgroups = dispatch.getWorkgroups();
  trace.wavesPerWorkgroup = dispatch.getWaves();
  trace.registers = context.vgprs + context.agprs;
  trace.ldsBytes = dispatch.getLdsBytes();
  std::vector<uint32_t> number(program.getWords() + 1, UINT32_MAX);
  auto forEvents = [&](auto body) {
    for (TracedWorkgroup &workgroup : trace.workgroups)
      for (auto &events : workgroup.waves)
        for (TraceEvent &event : events)
          body(event.instruction);
  };
  forEvents([&](uint32_t word) { number[word] = 0; });
  for (uint32_t word = 0; word < number.size(); ++word) {
    if (number[word] == UINT32_MAX)
      continue;
    number[word] = trace.instructions.size();
    trace.instructions.push_back(
        describe(program, context.text[word], dispatch.getTextBegin()));
  }
  forEvents([&](uint32_t &word) { word = number[word]; });
}

} // namespace mlir::te::emu
