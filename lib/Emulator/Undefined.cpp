//===- Undefined.cpp - the sanitizer: values that nothing has written -----===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading a register without a value is no defect by itself: compilers copy
// halves of pairs and pad tuples. It becomes one where the value decides
// something: an address, a branch, EXEC, what is stored to device memory. Until
// then undefined bits are followed. How an instruction spreads them is not
// tabulated: it runs again with other values in their place, and result bits
// that change are undefined.
//
//===----------------------------------------------------------------------===//
#include "WaveShadow.h"

namespace mlir::te::emu {

//===----------------------------------------------------------------------===//
// RegisterShadow
//===----------------------------------------------------------------------===//

/// Scalar registers from here on are the system's (trap handler, EXEC).
static constexpr unsigned kFirstSystem = 108;

void RegisterShadow::reset(const LaunchContext &launch, unsigned set,
                           uint64_t exec) {
  std::fill(std::begin(defined), std::end(defined), 0);
  std::fill(std::begin(origins), std::end(origins), kNever);
  std::memset(bits, 0xff, launch.vgprs * sizeof(bits[0]));
  std::memset(bits[launch.accRow], 0xff, launch.agprs * sizeof(bits[0]));
  defined[0] = exec;
  for (unsigned number = 0; number < std::size(scalars); ++number) {
    bool isSet = number < set || (number >= kFirstSystem && number != kM0);
    scalars[number] = isSet ? 0 : ~0u;
    scalarOrigins[number] = kNever;
  }
  scc = true;
  sccOrigin = kNever;
}

void RegisterShadow::setVector(unsigned row, unsigned lane, uint32_t undefined,
                               uint32_t origin) {
  uint64_t bit = uint64_t(1) << lane;
  defined[row] = undefined ? defined[row] & ~bit : defined[row] | bit;
  bits[row][lane] = undefined;
  if (undefined)
    origins[row] = origin;
}

void RegisterShadow::getUndefined(unsigned row, uint32_t *out) const {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out[lane] = defined[row] >> lane & 1 ? 0 : bits[row][lane];
}

void RegisterShadow::setLanes(unsigned row, uint64_t lanes,
                              const uint32_t *undefined, uint32_t origin) {
  uint32_t any = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    any |= undefined[lane];
  if (!any) {
    defined[row] |= lanes;
    return;
  }
  forLanes(lanes, [&](unsigned lane) {
    setVector(row, lane, undefined[lane], origin);
  });
}

void RegisterShadow::setScalar(unsigned number, uint32_t undefined,
                               uint32_t origin) {
  scalars[number] = undefined;
  if (undefined)
    scalarOrigins[number] = origin;
}

//===----------------------------------------------------------------------===//
// Computing
//===----------------------------------------------------------------------===//

bool WaveShadow::readsUndefined(const Inst &inst,
                                const Effects &effects) const {
  uint64_t lanes = effects.allLanes ? ~uint64_t(0) : wave.exec();
  for (const RegisterRange &range : effects.uses)
    for (unsigned i = 0; i < range.count; ++i) {
      unsigned number = range.first + i;
      if (range.isVector ? (lanes & ~registers.definedLanes(number)) != 0
                         : registers.scalar(number) != 0)
        return true;
    }
  return effects.readsScc && registers.scc;
}

/// All that `inst` writes has values now.
void WaveShadow::defineResults(const Inst &inst, const Effects &effects) {
  uint64_t lanes = effects.allLanes ? ~uint64_t(0)
                   : inst.dpp       ? wave.writeMask
                                    : wave.exec();
  for (const RegisterRange &range : effects.defs)
    for (unsigned i = 0; i < range.count; ++i) {
      if (range.isVector)
        registers.defineVector(range.first + i, lanes);
      else
        registers.setScalar(range.first + i, 0, 0);
    }
  if (effects.writesScc)
    registers.scc = false;
}

void WaveShadow::defineIndexed(const Inst &inst, unsigned row) {
  for (const RegisterRange &range : wave.launch->program->getEffects(inst).defs)
    for (unsigned i = 0; range.isVector && i < range.count; ++i)
      registers.defineVector(row + i, wave.exec());
}

void WaveShadow::runCompute(const Inst &inst, const Effects &effects) {
  if (LLVM_UNLIKELY(readsUndefined(inst, effects)))
    return runAgain(inst, effects);
  uint64_t exec = wave.exec(); // it may write EXEC itself
  inst.run(wave, inst);
  if (LLVM_UNLIKELY(effects.writesExec)) {
    uint64_t now = wave.exec();
    wave.setScalar64(kExec, exec);
    defineResults(inst, effects);
    wave.setScalar64(kExec, now);
    return;
  }
  defineResults(inst, effects);
}

namespace {
/// The part of a wave's state that computing changes: of the registers those
/// that an instruction names.
struct State {
  llvm::SmallVector<uint32_t, 1024> rows;
  uint32_t sgpr[128 + 32];
  bool scc;
  uint32_t mode;

  static void forRows(const Effects &effects,
                      llvm::function_ref<void(unsigned row)> body) {
    for (auto *list : {&effects.uses, &effects.defs})
      for (const RegisterRange &range : *list)
        for (unsigned i = 0; range.isVector && i < range.count; ++i)
          body(range.first + i);
  }
  static State save(Wave &wave, const Effects &effects) {
    State state;
    forRows(effects, [&](unsigned row) {
      state.rows.append(wave.vgpr[row], wave.vgpr[row] + kLanes);
    });
    std::memcpy(state.sgpr, wave.sgpr, sizeof(state.sgpr));
    state.scc = wave.scc;
    state.mode = wave.mode;
    return state;
  }
  void restore(Wave &wave, const Effects &effects) const {
    const uint32_t *from = rows.data();
    forRows(effects, [&](unsigned row) {
      std::memcpy(wave.vgpr[row], from, sizeof(wave.vgpr[row]));
      from += kLanes;
    });
    std::memcpy(wave.sgpr, sgpr, sizeof(sgpr));
    wave.scc = scc;
    wave.setMode(mode);
  }
};

/// Values for undefined bits. Comparing with another operand is common, so that
/// this operand's value is among them.
enum Fill { Ones, NegatedOnes, Other, OtherPlusOne, Alternating, Scrambled };
constexpr unsigned kFills = Scrambled + 1;
} // namespace

static uint32_t fillValue(unsigned fill, uint32_t other, unsigned salt) {
  switch (fill) {
  case Ones:
    return ~0u;
  case NegatedOnes:
    return 0;
  case Other:
    return other;
  case OtherPlusOne:
    return other + 1;
  case Alternating:
    return 0x55555555;
  }
  return (salt + 1) * 0x9e3779b9u ^ 0x3f800000u;
}

/// Puts other values in the place of undefined bits of a row. `other`: that of
/// another operand.
static void perturbRow(uint32_t *row, const uint32_t *undefined,
                       const uint32_t *other, unsigned fill) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    row[lane] = (row[lane] & ~undefined[lane]) |
                (fillValue(fill, other[lane], lane) & undefined[lane]);
}

/// Puts other values in the place of undefined bits of what `effects` reads.
static void perturb(Wave &wave, const RegisterShadow &registers,
                    const Effects &effects, unsigned fill) {
  auto uses = llvm::ArrayRef(effects.uses);
  for (unsigned k = 0; k < uses.size(); ++k) {
    const RegisterRange &range = uses[k], &next = uses[(k + 1) % uses.size()];
    for (unsigned i = 0; i < range.count; ++i) {
      unsigned number = range.first + i;
      unsigned at = next.first + std::min<unsigned>(i, next.count - 1);
      uint32_t other[kLanes];
      if (next.isVector)
        std::copy_n(wave.vgpr[at], kLanes, other);
      else
        std::fill_n(other, kLanes, wave.sgpr[at]);
      if (range.isVector) {
        if (!~registers.definedLanes(number))
          continue;
        uint32_t undefined[kLanes];
        registers.getUndefined(number, undefined);
        perturbRow(wave.vgpr[number], undefined, other, fill);
      } else {
        uint32_t bits = registers.scalar(number);
        wave.sgpr[number] = (wave.sgpr[number] & ~bits) |
                            (fillValue(fill, other[0], number) & bits);
      }
    }
  }
  if (effects.readsScc && registers.scc)
    wave.scc = fill & 1;
}

/// Where the undefined bits that `effects` reads come from.
static uint32_t findOrigin(const RegisterShadow &registers,
                           const Effects &effects, uint64_t lanes) {
  uint32_t origin = RegisterShadow::kNever;
  for (const RegisterRange &range : effects.uses)
    for (unsigned i = 0; i < range.count; ++i) {
      unsigned number = range.first + i;
      bool undefined = range.isVector
                           ? (lanes & ~registers.definedLanes(number)) != 0
                           : registers.scalar(number) != 0;
      uint32_t from = range.isVector ? registers.originOfVector(number)
                                     : registers.originOfScalar(number);
      if (undefined && origin == RegisterShadow::kNever)
        origin = from;
    }
  if (effects.readsScc && registers.scc && origin == RegisterShadow::kNever)
    origin = registers.sccOrigin;
  return origin;
}

void WaveShadow::runAgain(const Inst &inst, const Effects &effects) {
  uint64_t exec = wave.exec();
  uint64_t lanes = effects.allLanes ? ~uint64_t(0) : exec;
  uint32_t origin = findOrigin(registers, effects, lanes);
  State before = State::save(wave, effects);
  inst.run(wave, inst);
  if (wave.stop == Stop::Fault)
    return;
  if (inst.dpp)
    lanes = wave.writeMask;
  State first = State::save(wave, effects);
  llvm::SmallVector<uint32_t, 1024> changed(first.rows.size(), 0);
  uint32_t changedScalars[128 + 32] = {};
  bool changedScc = false;
  for (unsigned fill = 0; fill < kFills; ++fill) {
    before.restore(wave, effects);
    perturb(wave, registers, effects, fill);
    inst.run(wave, inst);
    State again = State::save(wave, effects);
    for (size_t i = 0; i < changed.size(); ++i)
      changed[i] |= again.rows[i] ^ first.rows[i];
    for (unsigned i = 0; i < std::size(changedScalars); ++i)
      changedScalars[i] |= again.sgpr[i] ^ first.sgpr[i];
    changedScc |= again.scc != first.scc;
    if (wave.stop == Stop::Fault) { // only with the other values
      wave.stop = Stop::None;
      wave.fault.clear();
    }
  }
  first.restore(wave, effects);
  // The rows come in forRows' order: uses first, then defs.
  size_t at = 0;
  for (const RegisterRange &range : effects.uses)
    at += range.isVector ? range.count * kLanes : 0;
  for (const RegisterRange &range : effects.defs)
    for (unsigned i = 0; i < range.count; ++i) {
      if (!range.isVector) {
        registers.setScalar(range.first + i, changedScalars[range.first + i],
                            origin);
        continue;
      }
      registers.setLanes(range.first + i, lanes, &changed[at], origin);
      at += kLanes;
    }
  if (effects.writesScc) {
    registers.scc = changedScc;
    registers.sccOrigin = origin;
  }
  if (effects.writesExec &&
      (changedScalars[kExec] || changedScalars[kExec + 1]))
    reportUndefined(inst, -1, origin, "decides which lanes run (EXEC)");
}

//===----------------------------------------------------------------------===//
// Where it matters
//===----------------------------------------------------------------------===//

void WaveShadow::checkControl(const Inst &inst, const Effects &effects) {
  if (effects.readsScc && registers.scc) {
    reportUndefined(inst, -1, registers.sccOrigin, "decides a branch (SCC)");
    registers.scc = false;
  }
  // Branches ask whether VCC is 0: one bit that is set and defined answers.
  uint64_t known = 0, unknown = 0;
  for (const RegisterRange &range : effects.uses)
    for (unsigned i = 0; i < range.count && !range.isVector; ++i) {
      unsigned number = range.first + i;
      known |= wave.sgpr[number] & ~registers.scalar(number);
      unknown |= registers.scalar(number);
    }
  bool asksVcc = inst.format == Format::Sopp;
  if (!unknown || (asksVcc && known))
    return;
  reportUndefined(inst, -1, findOrigin(registers, effects, 0),
                  asksVcc ? "decides a branch (VCC)"
                          : "is the address of a jump");
  for (const RegisterRange &range : effects.uses)
    for (unsigned i = 0; i < range.count && !range.isVector; ++i)
      registers.setScalar(range.first + i, 0, 0);
}

/// Where an undefined value comes from, in words.
static std::string describeOrigin(const Wave &wave, uint32_t origin) {
  if (origin == RegisterShadow::kNever)
    return "a register that nothing has written";
  const Inst &load = wave.launch->text[origin];
  return std::string(load.cls == Class::Lds    ? "LDS"
                     : load.cls == Class::Smem ? "global memory"
                     : load.segment == 1       ? "scratch memory"
                                               : "memory") +
         " that nothing has written";
}

void WaveShadow::reportUndefined(const Inst &inst, int lane, uint32_t origin,
                                 const llvm::Twine &use) {
  std::optional<SanitizedLaunch::Side> other;
  if (origin != RegisterShadow::kNever)
    other = SanitizedLaunch::Side{origin, int(wave.index), wave.workgroupIndex};
  launch.report(Defect::Uninitialized, wave, inst, lane,
                "an uninitialized value " + use + "; it comes from " +
                    describeOrigin(wave, origin),
                other);
}

} // namespace mlir::te::emu
