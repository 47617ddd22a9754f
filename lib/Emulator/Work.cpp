//===- Work.cpp - how much each workgroup has to do -----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows waves through the code without running it: what runs is what branches
// depend on, mostly a few scalar instructions of a loop, and the others are
// counted. Nothing is stored, so that LDS reads as 0: workgroups are compared
// as if what depends on data went the same way in all of them.
//
//===----------------------------------------------------------------------===//
#include "Dispatch.h"

#include <bitset>

namespace mlir::te::emu {

/// Instructions that run for all workgroups together, and for one: where
/// branches need more (or wait for another workgroup), the work is not known.
/// The loops of a product of 16384 cubed take 20 million.
static constexpr uint64_t kMostSteps = 1 << 28, kMostStepsOfOne = 1 << 22;

namespace {

constexpr unsigned kScalars = 128 + 32, kScc = kScalars + kVectorRows;
using Registers = std::bitset<kScc + 1>;

/// What branches depend on.
class Slice {
public:
  /// Of the code that `entry` reaches.
  Slice(Program &program, uint32_t entry);
  /// False where that takes what cannot be followed so: scratch, atomics,
  /// registers by index, jumps through registers.
  bool isKnown() const { return known; }
  /// Runs the wave; issue slots of it, or none after a fault or where that
  /// takes more than one may, or than `steps`, which are left.
  std::optional<uint64_t> follow(Wave &wave, uint64_t &steps) const;

private:
  /// The next instruction that runs, and the slots up to it.
  struct Next {
    uint32_t word = 0;
    uint64_t slots = 0;
  };
  void findMasked(llvm::ArrayRef<Program::Listed> code);
  bool update(const Inst &inst);
  bool defines(const Effects &effects, const Registers &live) const;
  bool isAnswered(const Inst &inst) const;

  Program &program;
  bool known = true;
  std::vector<Registers> live; // before each word: read by what runs
  std::vector<bool> runs;
  std::vector<bool> masked; // what is written keeps lanes that are off
  std::vector<Next> next;
};

} // namespace

static unsigned number(const RegisterRange &range) {
  return range.first + (range.isVector ? kScalars : 0);
}

bool Slice::defines(const Effects &effects, const Registers &live) const {
  for (const RegisterRange &range : effects.defs)
    for (unsigned i = 0; i < range.count; ++i)
      if (live[number(range) + i])
        return true;
  return effects.writesScc && live[kScc];
}

/// Takes in what follows `inst`; true where that tells something new.
bool Slice::update(const Inst &inst) {
  const Effects &effects = program.getEffects(inst);
  bool ends = program.endsFlow(inst);
  Registers after;
  if (!ends)
    after |= live[inst.word + inst.words];
  if (inst.target)
    after |= live[inst.target->word];
  // EXEC is in the way of every vector instruction.
  bool isRun = ends || inst.cls == Class::Branch || effects.writesExec ||
               defines(effects, after);
  runs[inst.word] = isRun;
  if (isRun) {
    for (const RegisterRange &range : effects.defs)
      for (unsigned i = 0; i < range.count; ++i)
        if (!range.isVector || !masked[inst.word])
          after.reset(number(range) + i);
    if (effects.writesScc)
      after.reset(kScc);
    for (const RegisterRange &range : effects.uses)
      for (unsigned i = 0; i < range.count; ++i)
        after.set(number(range) + i);
    if (effects.readsScc)
      after.set(kScc);
  }
  bool isNew = after != live[inst.word];
  live[inst.word] = after;
  return isNew;
}

/// From where EXEC loses lanes to where it has them back: unless a branch goes
/// around all of it, which says by itself what is read after it.
void Slice::findMasked(llvm::ArrayRef<Program::Listed> code) {
  bool isMasked = false;
  for (const Program::Listed &listed : code) {
    const Inst &inst = program.getText()[listed.word];
    masked[listed.word] = isMasked;
    llvm::StringRef name = program.getMnemonic(inst);
    if (program.getEffects(inst).writesExec)
      isMasked = name != "s_or_b64" && name != "s_mov_b64";
    else if (name.starts_with("s_cbranch_exec"))
      isMasked = false;
  }
}

/// Whether one wave alone can run the instruction, and leave nothing after.
bool Slice::isAnswered(const Inst &inst) const {
  llvm::StringRef name = program.getMnemonic(inst);
  if (name.starts_with("s_set_gpr_idx") || name == "s_setvskip" ||
      name == "s_setpc_b64" || name == "s_swappc_b64" || name == "s_call_b64")
    return false;
  if (!runs[inst.word] || program.getEffects(inst).role != Role::Memory)
    return true;
  bool mayBeScratch = inst.format == Format::Flat && inst.segment != 2;
  return !mayBeScratch && !name.contains("atomic");
}

Slice::Slice(Program &program, uint32_t entry)
    : program(program), live(program.getWords() + 1),
      runs(program.getWords() + 1), masked(program.getWords() + 1),
      next(program.getWords() + 1) {
  std::vector<uint64_t> none(program.getWords());
  std::vector<Program::Listed> code = program.listCode(entry, none);
  const Inst *text = program.getText();
  findMasked(code);
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Program::Listed &listed : llvm::reverse(code))
      isNew |= update(text[listed.word]);
  }
  runs.back() = true; // off the end: a fault
  next.back() = {program.getWords(), 0};
  for (const Program::Listed &listed : llvm::reverse(code)) {
    const Inst &inst = text[listed.word];
    known &= isAnswered(inst);
    uint64_t slots = std::max<uint64_t>(1, inst.matrix.passes);
    next[listed.word] = {listed.word, slots};
    if (runs[listed.word])
      continue;
    Next then = next[inst.word + inst.words];
    next[listed.word] = {then.word, then.slots + slots};
  }
}

std::optional<uint64_t> Slice::follow(Wave &wave, uint64_t &steps) const {
  const Inst *text = program.getText();
  uint64_t slots = 0, last = steps - std::min(steps, kMostStepsOfOne);
  while (steps > last) {
    --steps;
    Next at = next[wave.pc->word];
    const Inst &inst = text[at.word];
    slots += at.slots;
    wave.pc = &inst + inst.words;
    inst.run(wave, inst);
    if (wave.stop == Stop::End)
      return slots;
    if (wave.stop == Stop::Fault)
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<uint64_t> measureWork(const CodeObject &object,
                                  const KernelInfo &kernel,
                                  DeviceMemory &memory,
                                  const LaunchConfig &config) {
  auto dispatch = Dispatch::create(object, kernel, memory, config, {});
  if (!dispatch) {
    llvm::consumeError(dispatch.takeError()); // the launch will say it
    return {};
  }
  Slice slice(*(*dispatch)->getContext().program,
              (*dispatch)->getEntry()->word);
  if (!slice.isKnown())
    return {};
  auto wave = std::make_unique<Wave>();
  MemoryCounters counters;
  wave->counters = &counters;
  std::vector<uint8_t> lds((*dispatch)->getLdsBytes());
  wave->lds = lds.data();
  wave->ldsBytes = lds.size();
  (*dispatch)->initialize(*wave, 0, 0);
  std::vector<uint64_t> work((*dispatch)->getWorkgroups());
  uint64_t steps = kMostSteps;
  for (auto [workgroup, slots] : llvm::enumerate(work)) {
    (*dispatch)->enter(*wave, workgroup, 0);
    auto found = slice.follow(*wave, steps);
    if (!found)
      return {};
    slots = *found;
  }
  return work;
}

} // namespace mlir::te::emu
