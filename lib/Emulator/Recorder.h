//===- Recorder.h - records a launch's workgroups ---------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// runWave gives each instruction of a recorded wave to its WaveRecorder. The
// plain path has no part in this.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_RECORDER_H
#define TE_EMULATOR_RECORDER_H

#include "Dispatch.h"
#include "te/Emulator/Trace.h"

namespace mlir::te::emu {

/// Of one wave. Events name words of the text segment until the trace is done.
struct WaveRecorder {
  std::vector<TraceEvent> *events = nullptr;
  uint64_t maxEvents = 0;
  MemoryCounters facts; // of the running memory instruction

  /// False, and a fault, where the wave has run too long.
  bool record(Wave &wave, const Inst &inst);
  /// The same of a memory instruction that has just run and counted `facts`.
  bool recordMemory(Wave &wave, const Inst &inst);
};

/// Instructions of a wave, counted from its start.
struct Window {
  uint64_t begin = 0, end = 0;
};
/// For each wave of a recorded workgroup: a few iterations of the loop that it
/// spends most loads in, or all its instructions where no load runs twice.
std::vector<Window> findIterations(const TracedWorkgroup &workgroup);

/// Completes a trace whose workgroups are recorded: describes the instructions
/// that ran, and numbers them.
void finishTrace(Trace &trace, const Dispatch &dispatch);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_RECORDER_H
