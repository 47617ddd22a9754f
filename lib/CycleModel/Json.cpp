//===- Json.cpp - a profile for programs ----------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/cycle-model.md lists the fields.
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::te::cycle {

using llvm::json::Array;
using llvm::json::Object;

static Object toObject(const StallClocks &stalls) {
  Object object;
  for (size_t i = 0; i < kStalls; ++i)
    if (stalls[i])
      object[getStallKey(Stall(i))] = stalls[i];
  return object;
}

static std::string formatPc(const Profile &p, uint32_t instruction) {
  return llvm::formatv("{0:x}", p.instructions[instruction].pc);
}

static Object getGrid(const Profile &p) {
  return Object{
      {"workgroups", p.gridWorkgroups},
      {"waves_per_workgroup", p.wavesPerWorkgroup},
      {"clocks", p.gridClocks},
      {"draws", p.draws},
      {"least_clocks", p.leastGridClocks},
      {"most_clocks", p.mostGridClocks},
      {"seconds", p.seconds()},
      {"clock_ghz", p.timing.clockGHz},
      {"compute_units", p.target->computeUnits},
      {"active_compute_units", p.activeCUs},
      {"workgroups_of_busiest_unit", int64_t(p.busiestUnit.workgroups.size())},
      {"batches", p.batches},
      {"fill", p.busiestUnit.fill}};
}

static Object getMfma(const Profile &p) {
  Object mfma{{"busy", p.mfmaShare()}, {"clocks", p.cu.mfmaClocks}};
  if (p.hasSteadyLoop())
    mfma["loop"] = Object{{"first_pc", formatPc(p, p.cu.loop->first)},
                          {"last_pc", formatPc(p, p.cu.loop->last)},
                          {"clocks", p.cu.loopClocks},
                          {"iterations", p.cu.loopIterations},
                          {"busy", p.loopMfmaShare()}};
  else if (p.cu.loopClocks)
    mfma["middle"] =
        Object{{"clocks", p.cu.loopClocks}, {"busy", p.loopMfmaShare()}};
  return mfma;
}

static llvm::json::Value getRoofline(const Profile &p) {
  auto at = p.roofline();
  if (!at)
    return nullptr;
  return Object{{"unit", at->unit},
                {"flops_per_byte", at->flopsPerByte},
                {"flops_per_second", at->flopsPerSecond},
                {"peak_flops_per_second", at->peak},
                {"roof_flops_per_second", at->roof()},
                {"bound", at->isMemoryBound() ? "memory" : at->unit}};
}

static Object getInstruction(const Profile &p, size_t i) {
  const emu::TracedInstruction &inst = p.instructions[i];
  const InstructionTime &time = p.cu.instructionTimes[i];
  Object object{{"pc", formatPc(p, i)},
                {"text", inst.text},
                {"executions", time.executions},
                {"issue_clocks", time.issue},
                {"stall_clocks", time.getStalled()}};
  if (!inst.source.empty())
    object["source"] = inst.source;
  if (time.getStalled())
    object["stalls"] = toObject(time.stalls);
  return object;
}

Object Profile::toJSON() const {
  Array list;
  for (size_t i = 0; i < instructions.size(); ++i)
    list.push_back(getInstruction(*this, i));
  auto largest = largestStall();
  return Object{
      {"kernel", kernel},
      {"target", target->name},
      {"grid", getGrid(*this)},
      {"workgroup_clocks", workgroupClocks},
      {"occupancy", Object{{"workgroups", residency.workgroups},
                           {"waves_per_simd", residency.wavesPerSIMD},
                           {"limit", residency.limit},
                           {"registers", registers},
                           {"lds_bytes", ldsBytes}}},
      {"simulated", Object{{"workgroups", cu.workgroupEnds.size()},
                           {"waves", cu.waves},
                           {"instructions", cu.instructions},
                           {"clocks", cu.clocks},
                           {"wave_clocks", cu.residentClocks}}},
      {"mfma", getMfma(*this)},
      {"valu", Object{{"busy", valuShare()}}},
      {"lds", Object{{"busy", ldsShare()},
                     {"bytes", cu.ldsBytes},
                     {"bank_clocks", cu.ldsBankClocks},
                     {"port_read_clocks", cu.ldsReadClocks},
                     {"port_write_clocks", cu.ldsWriteClocks},
                     {"conflict_clocks", cu.ldsConflictClocks}}},
      {"memory",
       Object{{"address_unit_busy", addressShare()},
              {"share_of_achievable", memoryShare()},
              {"bytes_per_second", bytesPerSecond()},
              {"achievable_bytes_per_second", timing.memoryBandwidth},
              {"memory_bytes", cu.memoryBytes},
              {"l2_bytes", cu.l2Bytes},
              {"useful_bytes", cu.usefulBytes},
              {"l2_footprint_bytes", footprintOfL2()
                                         ? llvm::json::Value(*footprintOfL2())
                                         : llvm::json::Value(nullptr)},
              {"grid_first_bytes", isSample ? llvm::json::Value(nullptr)
                                            : llvm::json::Value(askedFirst)},
              {"exceeds_l2", exceedsL2()}}},
      {"roofline", getRoofline(*this)},
      {"code", Object{{"loop_bytes", loopBytes()},
                      {"instruction_cache_bytes", timing.instructionCache}}},
      {"busiest", Object{{"unit", busiest().unit}, {"share", busiest().share}}},
      {"issue_clocks", cu.issueClocks},
      {"stalls", toObject(cu.stalls)},
      {"largest_stall",
       largest ? llvm::json::Value(getStallKey(*largest)) : nullptr},
      {"instructions", std::move(list)}};
}

} // namespace mlir::te::cycle
