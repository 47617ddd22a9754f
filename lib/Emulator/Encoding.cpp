//===- Encoding.cpp - reads the fields of the GFX9 encodings --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts are those of AMD's "CDNA3" and "CDNA4" ISA documents, chapter
// "Microcode Formats".
//
//===----------------------------------------------------------------------===//
#include "Instruction.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::te::emu {

namespace {
/// The words of one instruction, and what reading them fills.
struct Reader {
  llvm::ArrayRef<uint32_t> code;
  unsigned flags, accRow;
  Inst &inst;

  uint32_t bits(unsigned word, unsigned low, unsigned count) const {
    return (code[word] >> low) & ((1u << count) - 1);
  }
  bool has(unsigned words) const { return code.size() >= words; }
  /// A source in the nine-bit field: constants and literals included.
  void source(unsigned k, uint32_t field) { inst.src[k].number = field; }
  void vector(unsigned k, uint32_t field) {
    inst.src[k].number = kFirstVector + field;
  }

  bool scalar(Format format);
  bool literal(unsigned at);
  bool memoryScalar();
  bool vop1or2(Format format);
  bool sdwa(Format format);
  bool dpp();
  bool vop3();
  bool vop3p();
  bool matrix();
  bool scales();
  bool ds();
  bool flat();
  bool mubuf();
  void implied();
};
} // namespace

static Format findFormat(uint32_t word) {
  switch (word >> 23) {
  case 0x17d:
    return Format::Sop1;
  case 0x17e:
    return Format::Sopc;
  case 0x17f:
    return Format::Sopp;
  case 0x1a7:
    return Format::Vop3p;
  }
  if (word >> 28 == 0xb)
    return Format::Sopk;
  if (word >> 30 == 2)
    return Format::Sop2;
  if (word >> 25 == 0x3f)
    return Format::Vop1;
  if (word >> 25 == 0x3e)
    return Format::Vopc;
  if (word >> 31 == 0)
    return Format::Vop2;
  switch (word >> 26) {
  case 0x30:
    return Format::Smem;
  case 0x34:
    return Format::Vop3;
  case 0x36:
    return Format::Ds;
  case 0x37:
    return Format::Flat;
  case 0x38:
    return Format::Mubuf;
  case 0x3a:
    return Format::Mtbuf;
  }
  return Format::Unknown;
}

/// The literal follows the instruction wherever a source asks for it.
bool Reader::literal(unsigned at) {
  for (Source &source : inst.src) {
    if (source.number != kLiteral)
      continue;
    if (!has(at + 1))
      return false;
    inst.literal = code[at];
  }
  return true;
}

bool Reader::scalar(Format format) {
  if (format != Format::Sopp && format != Format::Sopc)
    inst.sdst = inst.dst = bits(0, 16, 7);
  if (format == Format::Sopk || format == Format::Sopp) {
    inst.offset = int16_t(bits(0, 0, 16));
    if (inst.sdst == kLiteral || !has(2))
      return true;
    inst.literal = code[1]; // s_setreg_imm32_b32
    return true;
  }
  source(0, bits(0, 0, 8));
  if (format != Format::Sop1)
    source(1, bits(0, 8, 8));
  return literal(1);
}

bool Reader::memoryScalar() {
  if (!has(2))
    return false;
  inst.src[0].number = bits(0, 0, 6) * 2;
  inst.dst = bits(0, 6, 7);
  bool hasRegister = bits(0, 14, 1), hasImmediate = bits(0, 17, 1);
  inst.glc = bits(0, 16, 1);
  if (hasImmediate)
    inst.offset = llvm::SignExtend32<21>(bits(1, 0, 21));
  if (hasRegister || !hasImmediate) {
    inst.hasSaddr = true;
    inst.src[1].number = hasRegister ? bits(1, 25, 7) : bits(1, 0, 7);
  }
  return true;
}

bool Reader::sdwa(Format format) {
  if (!has(2))
    return false;
  inst.sdwa = true;
  auto read = [&](unsigned k, unsigned number, unsigned at, bool scalar) {
    Source &source = inst.src[k];
    if (k == 0)
      source.number = scalar ? number : kFirstVector + number;
    else if (scalar)
      source.number -= kFirstVector;
    source.select = bits(1, at, 3);
    source.mods |= (source.select != 6 ? kSdwa : 0) |
                   (bits(1, at + 3, 1) ? kSext | kSdwa : 0) |
                   (bits(1, at + 4, 1) ? kNeg : 0) |
                   (bits(1, at + 5, 1) ? kAbs : 0);
  };
  read(0, bits(1, 0, 8), 16, bits(1, 23, 1));
  if (format != Format::Vop1)
    read(1, 0, 24, bits(1, 31, 1));
  if (format == Format::Vopc) {
    if (bits(1, 15, 1))
      inst.sdst = inst.dst = bits(1, 8, 7);
    return true;
  }
  inst.dstSelect = bits(1, 8, 3);
  inst.dstUnused = bits(1, 11, 2);
  inst.clamp = bits(1, 13, 1);
  inst.omod = bits(1, 14, 2);
  inst.shaped = inst.dstSelect != 6 || inst.clamp || inst.omod;
  return true;
}

bool Reader::dpp() {
  if (!has(2))
    return false;
  inst.dpp = true;
  inst.src[0].number = kFirstVector + bits(1, 0, 8);
  inst.src[0].mods =
      kDpp | (bits(1, 20, 1) ? kNeg : 0) | (bits(1, 21, 1) ? kAbs : 0);
  inst.src[1].mods = (bits(1, 22, 1) ? kNeg : 0) | (bits(1, 23, 1) ? kAbs : 0);
  inst.dppCtrl = bits(1, 8, 9);
  inst.boundCtrl = bits(1, 19, 1);
  inst.bankMask = bits(1, 24, 4);
  inst.rowMask = bits(1, 28, 4);
  return true;
}

bool Reader::vop1or2(Format format) {
  source(0, bits(0, 0, 9));
  if (format != Format::Vop1)
    vector(1, bits(0, 9, 8));
  inst.sdst = kVcc;
  inst.dst = format == Format::Vopc ? kVcc : bits(0, 17, 8);
  if (flags & kCarryIn)
    inst.src[2].number = kVcc;
  if (inst.src[0].number == 249)
    return sdwa(format);
  if (inst.src[0].number == 250)
    return dpp();
  if (flags & (kMadMK | kMadAK)) {
    if (!has(2))
      return false;
    inst.literal = code[1];
    inst.src[2] = inst.src[1];
    inst.src[flags & kMadMK ? 1 : 2] = Source{kLiteral};
    return true;
  }
  return literal(1);
}

bool Reader::vop3() {
  if (!has(2))
    return false;
  inst.dst = bits(0, 0, 8);
  // VOP3B has a scalar destination where VOP3A has op_sel and abs.
  bool isB = flags & kScalarDst && flags & kKeepHigh;
  inst.sdst = bits(0, 8, 7);
  uint32_t abs = isB ? 0 : bits(0, 8, 3), neg = bits(1, 29, 3);
  inst.opSel = isB ? 0 : bits(0, 11, 4);
  inst.clamp = bits(0, 15, 1);
  inst.omod = bits(1, 27, 2);
  source(0, bits(1, 0, 9));
  source(1, bits(1, 9, 9));
  source(2, bits(1, 18, 9));
  if (flags & kRawMods) {
    inst.bitop = inst.omod << 6 | abs << 3 | neg;
    abs = neg = inst.omod = 0;
  }
  for (unsigned k = 0; k < 3; ++k)
    inst.src[k].mods =
        (neg >> k & 1 ? kNeg : 0) | (abs >> k & 1 ? kAbs : 0) |
        (!(flags & kRawOpSel) && inst.opSel >> k & 1 ? kHigh : 0);
  inst.writesHigh = !(flags & kRawOpSel) && inst.opSel & 8;
  inst.shaped = inst.clamp || inst.omod || inst.writesHigh;
  return literal(2);
}

bool Reader::vop3p() {
  if (!has(2))
    return false;
  inst.dst = bits(0, 0, 8);
  inst.negHi = bits(0, 8, 3);
  inst.opSel = bits(0, 11, 3);
  inst.opSelHi = bits(0, 14, 1) << 2 | bits(1, 27, 2);
  inst.clamp = bits(0, 15, 1);
  inst.negLo = bits(1, 29, 3);
  inst.plainPacked =
      !inst.negHi && !inst.negLo && !inst.opSel && inst.opSelHi == 7;
  inst.shaped = inst.clamp;
  source(0, bits(1, 0, 9));
  source(1, bits(1, 9, 9));
  source(2, bits(1, 18, 9));
  return literal(2);
}

/// Four words: the scales come first, in the form of VOP3P.
bool Reader::scales() {
  if (!has(4))
    return false;
  inst.matrix.isScaled = true;
  for (unsigned k = 0; k < 2; ++k) {
    inst.matrix.scale[k] = bits(1, 9 * k, 9);
    inst.matrix.scaleByte[k] = bits(1, 27 + k, 1) << 1 | bits(0, 11 + k, 1);
    if (inst.matrix.scale[k] == kLiteral)
      return false;
  }
  code = code.drop_front(2);
  return true;
}

/// A, B: general vector registers or accumulation ones each; C and D together.
bool Reader::matrix() {
  if (!has(2) || (has(3) && !scales()))
    return false;
  inst.matrix.cbsz = bits(0, 8, 3);
  inst.matrix.abid = bits(0, 11, 4);
  inst.matrix.blgp = bits(1, 29, 3);
  unsigned acc = bits(0, 15, 1) ? accRow : 0;
  inst.dst = acc + bits(0, 0, 8);
  source(0, bits(1, 0, 9) + (bits(1, 27, 1) ? accRow : 0));
  source(1, bits(1, 9, 9) + (bits(1, 28, 1) ? accRow : 0));
  uint32_t addend = bits(1, 18, 9);
  bool isVector = bits(1, 8, 1) && bits(1, 17, 1);
  if (flags & kSparse) {
    source(2, addend);
    return isVector && addend >= kFirstVector;
  }
  source(2, addend + (addend >= kFirstVector ? acc : 0));
  return isVector && addend != kLiteral;
}

bool Reader::ds() {
  if (!has(2) || bits(0, 16, 1)) // GDS does not exist on these chips
    return false;
  unsigned acc = bits(0, 25, 1) ? accRow : 0;
  inst.offset = bits(0, 0, 16);
  vector(0, bits(1, 0, 8));
  inst.data[0] = acc + bits(1, 8, 8);
  inst.data[1] = acc + bits(1, 16, 8);
  inst.dst = acc + bits(1, 24, 8);
  return true;
}

bool Reader::flat() {
  if (!has(2))
    return false;
  unsigned acc = bits(1, 23, 1) ? accRow : 0;
  inst.segment = bits(0, 14, 2);
  inst.offset = inst.segment ? llvm::SignExtend32<13>(bits(0, 0, 13))
                             : int32_t(bits(0, 0, 12));
  inst.glc = bits(0, 16, 1);
  inst.sc1 = bits(0, 25, 1);
  vector(0, bits(1, 0, 8));
  inst.data[0] = acc + bits(1, 8, 8);
  inst.src[1].number = bits(1, 16, 7);
  inst.hasSaddr = inst.segment && inst.src[1].number != 0x7f;
  inst.hasVaddr = inst.segment != 1 || bits(0, 13, 1);
  inst.dst = acc + bits(1, 24, 8);
  return inst.segment != 3;
}

/// MTBUF names a format where MUBUF has flags and more operations.
bool Reader::mubuf() {
  if (!has(2))
    return false;
  unsigned acc = bits(1, 23, 1) ? accRow : 0;
  inst.offset = bits(0, 0, 12);
  inst.offen = bits(0, 12, 1);
  inst.idxen = bits(0, 13, 1);
  inst.glc = bits(0, 14, 1);
  inst.sc1 = bits(0, 15, 1);
  if (inst.format == Format::Mtbuf)
    inst.bufferFormat = bits(0, 19, 7);
  else
    inst.toLds = bits(0, 16, 1);
  vector(0, bits(1, 0, 8));
  inst.dst = inst.data[0] = acc + bits(1, 8, 8);
  inst.src[1].number = bits(1, 16, 5) * 4; // the resource
  inst.src[2].number = bits(1, 24, 8);     // the scalar offset
  return true;
}

/// Operands that the encoding does not show.
void Reader::implied() {
  if (flags & kReadsDst)
    inst.src[2] = Source{uint16_t(kFirstVector + inst.dst)};
  if (flags & kAccDst)
    inst.dst += accRow;
  if (flags & kAccSrc && inst.src[0].number >= kFirstVector)
    inst.src[0].number += accRow;
}

/// Operands that no row of their kind reads right.
static bool hasUnknownOperands(const Inst &inst) {
  if (inst.clamp && inst.flags & kNoClamp)
    return true;
  // Of the constant 0 (128) both words are 0, however it is widened.
  unsigned high = inst.opSel | (inst.flags & kMovesWords ? 0 : inst.opSelHi);
  for (unsigned k = 0; inst.flags & kPairs && k < 3; ++k)
    if (high >> k & 1 && inst.src[k].number > 128 &&
        inst.src[k].number < kFirstVector)
      return true;
  return false;
}

bool readEncoding(llvm::ArrayRef<uint32_t> code, const Row *row,
                  unsigned accRow, Inst &inst) {
  if (code.empty())
    return false;
  inst.format = findFormat(code[0]);
  inst.words = code.size();
  inst.flags = row ? row->flags : 0;
  inst.param = row ? row->param : 0;
  Reader reader{code, inst.flags, accRow, inst};
  bool read = false;
  switch (inst.format) {
  case Format::Sop1:
  case Format::Sop2:
  case Format::Sopk:
  case Format::Sopc:
  case Format::Sopp:
    read = reader.scalar(inst.format);
    break;
  case Format::Smem:
    read = reader.memoryScalar();
    break;
  case Format::Vop1:
  case Format::Vop2:
  case Format::Vopc:
    read = reader.vop1or2(inst.format);
    break;
  case Format::Vop3:
    read = reader.vop3();
    break;
  case Format::Vop3p:
    read = reader.flags & kMatrix ? reader.matrix() : reader.vop3p();
    break;
  case Format::Ds:
    read = reader.ds();
    break;
  case Format::Flat:
    read = reader.flat();
    break;
  case Format::Mubuf:
  case Format::Mtbuf:
    read = reader.mubuf();
    break;
  case Format::Unknown:
    return false;
  }
  reader.implied();
  // A VALU instruction's scalar result has to be a scalar register.
  bool isVop3b = inst.flags & kKeepHigh;
  if (inst.flags & kScalarDst && !isVop3b && inst.dst >= 128)
    return false;
  return read && !hasUnknownOperands(inst);
}

Class classify(Format format, llvm::StringRef stem) {
  switch (format) {
  case Format::Smem:
    return Class::Smem;
  case Format::Ds:
    return Class::Lds;
  case Format::Flat:
  case Format::Mubuf:
  case Format::Mtbuf:
    return Class::Vmem;
  case Format::Vop1:
  case Format::Vop2:
  case Format::Vopc:
  case Format::Vop3:
  case Format::Vop3p:
    return stem.starts_with("v_mfma") || stem.starts_with("v_smfmac")
               ? Class::Mfma
               : Class::Valu;
  case Format::Sopp:
    return stem.starts_with("s_branch") || stem.starts_with("s_cbranch")
               ? Class::Branch
               : Class::Other;
  case Format::Unknown:
    return Class::Other;
  default:
    break;
  }
  bool jumps = llvm::StringSwitch<bool>(stem)
                   .Cases({"s_setpc_b64", "s_swappc_b64", "s_call_b64"}, true)
                   .Default(false);
  return jumps ? Class::Branch : Class::Salu;
}

llvm::StringRef getClassName(Class cls) {
  static constexpr const char *names[] = {"salu", "smem", "valu",   "vmem",
                                          "lds",  "mfma", "branch", "other"};
  return names[unsigned(cls)];
}

} // namespace mlir::te::emu
