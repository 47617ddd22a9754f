//===- Effects.cpp - what an instruction's mnemonic says to the sanitizer -===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Instruction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::te::emu {

static Role findRole(const Inst &inst, llvm::StringRef stem) {
  Role special =
      llvm::StringSwitch<Role>(stem)
          .Cases({"ds_permute_b32", "ds_bpermute_b32", "ds_swizzle_b32"},
                 Role::Exchange)
          .Case("s_barrier", Role::Barrier)
          .Case("s_waitcnt", Role::Wait)
          .Cases({"buffer_wbl2", "buffer_wbinvl1", "buffer_wbinvl1_vol"},
                 Role::WriteBack)
          .Cases({"buffer_inv", "buffer_invl2"}, Role::Invalidate)
          .Cases({"ds_nop", "s_dcache_inv", "s_dcache_inv_vol", "s_dcache_wb",
                  "s_dcache_wb_vol", "s_dcache_discard", "s_dcache_discard_x2",
                  "s_atc_probe", "s_atc_probe_buffer"},
                 Role::Nothing)
          .Default(Role::Compute);
  if (special != Role::Compute)
    return special;
  switch (inst.format) {
  case Format::Smem:
  case Format::Ds:
  case Format::Flat:
  case Format::Mubuf:
  case Format::Mtbuf:
    return Role::Memory;
  case Format::Sopp:
    return inst.cls == Class::Branch ? Role::Control : Role::Nothing;
  default:
    return inst.cls == Class::Branch ? Role::Control : Role::Compute;
  }
}

void completeEffects(const Inst &inst, llvm::StringRef stem, Effects &effects) {
  effects.role = findRole(inst, stem);
  effects.high = stem.ends_with("_d16_hi");
  effects.allLanes =
      inst.cls == Class::Mfma ||
      llvm::StringSwitch<bool>(stem)
          .Cases({"v_readlane_b32", "v_writelane_b32", "v_swap_b32",
                  "v_permlane16_swap_b32", "v_permlane32_swap_b32"},
                 true)
          .Default(false);
  // LLVM's tables have the M0 of older chips with every access to LDS.
  bool usesM0 = llvm::StringSwitch<bool>(stem)
                    .Cases({"ds_read_addtid_b32", "ds_write_addtid_b32",
                            "ds_append", "ds_consume"},
                           true)
                    .Default(inst.format != Format::Ds);
  if (!usesM0)
    llvm::erase_if(effects.uses, [](const RegisterRange &range) {
      return !range.isVector && range.first == kM0;
    });
  // A result that leaves a part of its register as it was reads it.
  bool keepsPart = inst.writesHigh || (inst.sdwa && inst.dstUnused == 2) ||
                   (inst.flags & kKeepHigh && !(inst.flags & kScalarDst)) ||
                   stem == "v_writelane_b32";
  if (keepsPart)
    effects.uses.append(effects.defs.begin(), effects.defs.end());
}

} // namespace mlir::te::emu
