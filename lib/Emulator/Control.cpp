//===- Control.cpp - SOPP and its like: branches, waits, MODE, the program
// counter ===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lanes.h"
#include "Program.h"

namespace mlir::te::emu {

static void runNothing(Wave &, const Inst &) {}
static void runEnd(Wave &wave, const Inst &) { wave.stop = Stop::End; }
static void runBarrier(Wave &wave, const Inst &) { wave.stop = Stop::Barrier; }
/// s_sleep lets the workgroup's other waves run: one of them may be what this
/// one polls.
static void runSleep(Wave &wave, const Inst &) { wave.stop = Stop::Yield; }

static void runTrap(Wave &wave, const Inst &inst) {
  if ((inst.offset & 0xff) == 3) // a debugger's: nobody listens
    return;
  wave.fail("the kernel trapped (s_trap " + llvm::Twine(inst.offset & 0xff) +
            "): an assertion or llvm.trap");
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

template <auto F> static void branchIf(Wave &wave, const Inst &inst) {
  if (F(wave))
    wave.pc = inst.target;
}

static uint64_t addressOf(const Wave &wave, const Inst *inst) {
  return wave.launch->codeBase + uint64_t(inst->word) * 4;
}

static void jumpTo(Wave &wave, uint64_t address) {
  uint64_t offset = address - wave.launch->codeBase;
  Program &program = *wave.launch->program;
  if (offset % 4 || offset / 4 >= program.getWords())
    return wave.fail("a jump to 0x" + llvm::Twine::utohexstr(address) +
                     ", which is outside the code");
  program.require(offset / 4);
  wave.pc = wave.launch->text + offset / 4;
}

static void runGetPc(Wave &wave, const Inst &inst) {
  wave.setScalar64(inst.sdst, addressOf(wave, wave.pc));
}
static void runSetPc(Wave &wave, const Inst &inst) {
  jumpTo(wave, readScalar(wave, inst, inst.src[0].number, Type::U64));
}
static void runSwapPc(Wave &wave, const Inst &inst) {
  uint64_t to = readScalar(wave, inst, inst.src[0].number, Type::U64);
  wave.setScalar64(inst.sdst, addressOf(wave, wave.pc));
  jumpTo(wave, to);
}
static void runCall(Wave &wave, const Inst &inst) {
  wave.setScalar64(inst.sdst, addressOf(wave, wave.pc));
  wave.pc = inst.target;
}

//===----------------------------------------------------------------------===//
// Hardware registers
//===----------------------------------------------------------------------===//

/// Their numbers in s_getreg and s_setreg.
enum HwReg : unsigned {
  kHwMode = 1,
  kHwStatus,
  kHwTraps,
  kHwId,
  kHwGpr,
  kHwLds,
  kHwIb = 7,
  kHwBases = 15,
  kHwXcc = 20
};

/// What s_getreg reads. A wave's place on the device is made up: the emulator
/// has no compute units, and what it answers depends on the workgroup only.
static uint32_t readHardware(const Wave &wave, unsigned id) {
  switch (id) {
  case kHwMode:
    return wave.mode;
  case kHwStatus: // SCC, EXECZ, VCCZ
    return wave.scc | (wave.exec() == 0) << 9 |
           (wave.scalar64(kVcc) == 0) << 10;
  case kHwId:
    return wave.index & 15;
  case kHwLds:
    return wave.ldsBytes / 512 << 12;
  case kHwBases: // the upper 16 bits of the apertures
    return uint32_t(kSharedBase >> 48 << 16 | kPrivateBase >> 48);
  case kHwXcc:
    return wave.workgroupIndex & 7;
  }
  return 0; // traps, queues: nothing is in them
}

struct HwField {
  unsigned id, offset, size;
  explicit HwField(const Inst &inst)
      : id(inst.offset & 63), offset(inst.offset >> 6 & 31),
        size((inst.offset >> 11 & 31) + 1) {}
  uint32_t mask() const {
    return size >= 32 ? ~0u : ((1u << size) - 1) << offset;
  }
};

bool namesKnownRegister(const Inst &inst, llvm::StringRef stem) {
  unsigned id = HwField(inst).id;
  if (stem.starts_with("s_setreg"))
    return id == kHwMode;
  return stem != "s_getreg_b32" || (id >= kHwMode && id <= kHwLds) ||
         id == kHwIb || id == kHwBases || id == kHwXcc;
}

static void runGetReg(Wave &wave, const Inst &inst) {
  HwField field(inst);
  uint32_t value = readHardware(wave, field.id);
  wave.sgpr[inst.sdst] = (value & field.mask()) >> field.offset;
}

static void setRegister(Wave &wave, const Inst &inst, uint32_t value) {
  HwField field(inst); // of MODE
  uint32_t mask = field.mask();
  wave.setMode((wave.mode & ~mask) | (value << field.offset & mask));
}
static void runSetReg(Wave &wave, const Inst &inst) {
  setRegister(wave, inst, wave.sgpr[inst.sdst]);
}
static void runSetRegImmediate(Wave &wave, const Inst &inst) {
  setRegister(wave, inst, inst.literal);
}

/// s_round_mode, s_denorm_mode's kin do not exist here; the index registers do.
static void runIndexOn(Wave &wave, const Inst &inst) {
  wave.sgpr[kM0] = (wave.sgpr[kM0] & 0xffff0f00) |
                   (readScalar32(wave, inst, 0) & 0xff) |
                   (inst.src[1].number & 15) << 12;
  wave.setMode(wave.mode | kModeGprIndex);
}
static void runIndexOff(Wave &wave, const Inst &) {
  wave.setMode(wave.mode & ~kModeGprIndex);
}
static void runIndexMode(Wave &wave, const Inst &inst) {
  wave.sgpr[kM0] = (wave.sgpr[kM0] & 0xffff0fff) | (inst.offset & 15) << 12;
}
static void runIndexValue(Wave &wave, const Inst &inst) {
  wave.sgpr[kM0] =
      (wave.sgpr[kM0] & 0xffffff00) | (readScalar32(wave, inst, 0) & 0xff);
}

/// VSKIP: vector instructions are skipped from here on, or no longer.
static void runSkip(Wave &wave, const Inst &inst) {
  bool skips =
      readScalar32(wave, inst, 0) >> (readScalar32(wave, inst, 1) & 31) & 1;
  wave.setMode((wave.mode & ~kModeSkip) | (skips ? kModeSkip : 0));
}

static const Row rows[] = {
    {"s_nop", runNothing},
    {"s_waitcnt", runNothing},
    {"s_sethalt", runNothing},
    {"s_setkill", runNothing},
    {"s_setprio", runNothing},
    {"s_sendmsg", runNothing},
    {"s_sendmsghalt", runNothing},
    {"s_icache_inv", runNothing},
    {"s_incperflevel", runNothing},
    {"s_decperflevel", runNothing},
    {"s_ttracedata", runNothing},
    {"s_wakeup", runNothing},
    {"s_sleep", runSleep},
    {"s_endpgm", runEnd},
    {"s_endpgm_saved", runEnd},
    {"s_endpgm_ordered_ps_done", runEnd},
    {"s_barrier", runBarrier},
    {"s_trap", runTrap},
    {"s_branch", branchIf<[](const Wave &) { return true; }>},
    {"s_cbranch_scc0", branchIf<[](const Wave &w) { return !w.scc; }>},
    {"s_cbranch_scc1", branchIf<[](const Wave &w) { return w.scc; }>},
    {"s_cbranch_vccz",
     branchIf<[](const Wave &w) { return w.scalar64(kVcc) == 0; }>},
    {"s_cbranch_vccnz",
     branchIf<[](const Wave &w) { return w.scalar64(kVcc) != 0; }>},
    {"s_cbranch_execz", branchIf<[](const Wave &w) { return w.exec() == 0; }>},
    {"s_cbranch_execnz", branchIf<[](const Wave &w) { return w.exec() != 0; }>},
    // No debugger is attached.
    {"s_cbranch_cdbgsys", runNothing},
    {"s_cbranch_cdbguser", runNothing},
    {"s_cbranch_cdbgsys_or_user", runNothing},
    {"s_cbranch_cdbgsys_and_user", runNothing},
    {"s_getpc_b64", runGetPc},
    {"s_setpc_b64", runSetPc},
    {"s_swappc_b64", runSwapPc},
    {"s_call_b64", runCall},
    {"s_getreg_b32", runGetReg},
    {"s_setreg_b32", runSetReg},
    {"s_setreg_imm32_b32", runSetRegImmediate},
    {"s_set_gpr_idx_on", runIndexOn},
    {"s_set_gpr_idx_off", runIndexOff},
    {"s_set_gpr_idx_mode", runIndexMode},
    {"s_set_gpr_idx_idx", runIndexValue},
    {"s_setvskip", runSkip},
};

llvm::ArrayRef<Row> getControlRows() { return rows; }

} // namespace mlir::te::emu
