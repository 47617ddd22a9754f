//===- Instruction.h - a decoded instruction and its table row --*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding is done once: an Inst holds a pointer to its semantics and resolved
// operands. The semantics are rows of tables (Row), one table per file, keyed
// by the mnemonic without its encoding suffix.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_INSTRUCTION_H
#define TE_EMULATOR_INSTRUCTION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir::te::emu {

struct Inst;
struct Wave;
using ExecFn = void (*)(Wave &, const Inst &);

constexpr unsigned kLanes = 64;
/// Rows of the vector register file: 256 arch, 256 acc, and as many as the
/// widest operand has, so that no register number leaves the array.
constexpr unsigned kVectorRows = 512 + 32;
/// The row of a0. Where a kernel names v registers that its descriptor gives to
/// the accumulation registers, they are the same rows, and a0 is at
/// accum_offset.
constexpr unsigned kAccRow = 256;
/// Scalar operand numbers.
constexpr unsigned kVcc = 106, kM0 = 124, kExec = 126;

/// How a source is changed on its way in.
enum SourceMods : uint8_t {
  kNeg = 1,
  kAbs = 2,
  kHigh = 4, // op_sel: the upper 16 bits
  kSdwa = 8, // Source::select and kSext apply
  kSext = 16,
  kDpp = 32,
};

/// 0..127: scalar registers; 128..255: constants (255: the literal); 256..: row
/// (number - 256) of the vector register file.
struct Source {
  uint16_t number = 0;
  uint8_t mods = 0;
  uint8_t select = 6;
};
constexpr unsigned kLiteral = 255;
constexpr unsigned kFirstVector = 256;

enum class Class : uint8_t {
  Salu,
  Smem,
  Valu,
  Vmem,
  Lds,
  Mfma,
  Branch,
  Other,
};

enum class Format : uint8_t {
  Sop1,
  Sop2,
  Sopk,
  Sopc,
  Sopp,
  Smem,
  Vop1,
  Vop2,
  Vopc,
  Vop3,
  Vop3p,
  Ds,
  Flat,
  Mubuf,
  Mtbuf,
  Unknown,
};

/// What a row says of its instruction's operands, beyond the encoding.
enum RowFlags : uint16_t {
  kReadsDst = 1,       // the destination is the third source too (mac, fmac)
  kMadMK = 2,          // D = S0 * K + S1
  kMadAK = 4,          // D = S0 * S1 + K
  kCarryIn = 8,        // the third source is VCC where the encoding has none
  kKeepHigh = 16,      // 16-bit result: the destination's upper half is kept
  kAccDst = 32,        // v_accvgpr_write, v_accvgpr_mov
  kAccSrc = 64,        // v_accvgpr_read, v_accvgpr_mov
  kScalarDst = 128,    // a VALU instruction whose result is scalar
  kNoClamp = 256,      // what the clamp bit does here is not known
  kRawOpSel = 512,     // op_sel is not "the upper half": the row reads it
  kRawMods = 1024,     // neg, abs and omod bits are an operand (v_bitop3)
  kMatrix = 2048,      // VOP3P-MAI: accumulation registers, cbsz, abid, blgp
  kSparse = 4096,      // the third source is an index, and D is C too
  kPairs = 8192,       // sources are register pairs, op_sel picks words
  kMovesWords = 16384, // a row of pairs that op_sel_hi says nothing to
};

struct Row {
  const char *stem;
  ExecFn run;
  uint16_t flags = 0;
  uint16_t param = 0;
};

/// What only matrix instructions have.
struct MatrixFields {
  uint8_t cbsz = 0, abid = 0, blgp = 0;
  uint8_t passes = 0; // of the matrix core
  bool isScaled = false;
  uint8_t scaleByte[2] = {0, 0}; // of A's and B's scale registers
  uint16_t scale[2] = {0, 0};    // their operand numbers
};

struct Inst {
  ExecFn run = nullptr;
  const Inst *target = nullptr; // of a direct branch
  uint32_t word = 0;            // of the text segment: the slot's index
  uint32_t literal = 0;
  int32_t offset = 0;        // of memory, or the signed 16-bit immediate
  uint16_t dst = 0;          // vector row or scalar register
  uint16_t sdst = 0;         // scalar: carry out, compare result
  uint16_t data[2] = {0, 0}; // vector rows of data that memory takes
  Source src[3];
  uint16_t mnemonic = 0; // index of Program's names
  uint16_t flags = 0, param = 0;
  uint8_t words = 1;
  Class cls = Class::Other;
  Format format = Format::Unknown;
  // Output modifiers; `shaped` where any of them or a sub-dword destination
  // takes the slow way out.
  bool shaped = false, clamp = false, writesHigh = false;
  uint8_t omod = 0, bitop = 0;
  uint8_t dstSelect = 6, dstUnused = 0; // SDWA
  bool sdwa = false, dpp = false;
  bool boundCtrl = false;
  uint8_t rowMask = 15, bankMask = 15;
  uint16_t dppCtrl = 0;
  // VOP3P (op_sel, op_sel_hi, neg_lo, neg_hi: a bit a source); VOP3's op_sel.
  uint8_t opSel = 0, opSelHi = 7, negLo = 0, negHi = 0;
  bool plainPacked = true; // the four have their defaults
  // Memory.
  bool glc = false, sc1 = false, toLds = false, offen = false, idxen = false;
  bool hasVaddr = true, hasSaddr = false;
  uint8_t bufferFormat = 0; // MTBUF: data format, number format << 4
  uint8_t segment = 0;      // FLAT: 0 flat, 1 scratch, 2 global
  MatrixFields matrix;
};

/// Registers that an instruction names or implies, as LLVM's tables say: rows
/// of the vector register file, or scalar registers.
struct RegisterRange {
  uint16_t first = 0;
  uint8_t count = 0;
  bool isVector = false;
};
/// What the sanitizer has to do about an instruction, beyond its operands.
enum class Role : uint8_t {
  Compute,  // registers to registers
  Memory,   // loads, stores, atomics
  Exchange, // ds_permute and its kin: no memory, but waited for as LDS
  Control,  // branches and jumps
  Barrier,
  Wait,       // s_waitcnt
  WriteBack,  // buffer_wbl2: what was stored becomes visible to the device
  Invalidate, // buffer_inv: what the device wrote becomes visible
  Nothing,
};
/// MODE is left out, and EXEC is no use or def: every instruction depends on
/// them.
struct Effects {
  llvm::SmallVector<RegisterRange, 4> uses, defs;
  bool readsScc = false, writesScc = false;
  bool readsExec = false, writesExec = false;
  bool allLanes = false; // EXEC does not say which lanes are read and written
  bool high = false;     // d16_hi: the upper half of the data
  Role role = Role::Compute;
};
/// s_waitcnt: how many operations may be left of each counter.
struct WaitCounts {
  unsigned vm, lgkm;
};
/// The most that the counters hold: s_waitcnt's fields without a bit cleared.
constexpr WaitCounts kMostCounted = {63, 15};
inline WaitCounts readWait(const Inst &wait) {
  uint32_t mask = uint16_t(wait.offset);
  return {(mask & 15) | (mask >> 14 & 3) << 4, mask >> 8 & 15};
}
/// Adds to what LLVM's tables say of `inst` what only its mnemonic tells.
void completeEffects(const Inst &inst, llvm::StringRef stem, Effects &effects);

/// The tables, one a file.
llvm::ArrayRef<Row> getScalarRows();
llvm::ArrayRef<Row> getScalarCompareRows();
llvm::ArrayRef<Row> getControlRows();
llvm::ArrayRef<Row> getScalarMemoryRows();
llvm::ArrayRef<Row> getIntegerRows();
llvm::ArrayRef<Row> getWideIntegerRows();
llvm::ArrayRef<Row> getFloatRows();
llvm::ArrayRef<Row> getHalfRows();
llvm::ArrayRef<Row> getDoubleRows();
llvm::ArrayRef<Row> getPackedRows();
llvm::ArrayRef<Row> getCompareRows();
llvm::ArrayRef<Row> getConvertRows();
llvm::ArrayRef<Row> getFp8Rows();
llvm::ArrayRef<Row> getScaledConvertRows();
llvm::ArrayRef<Row> getWideConvertRows();
llvm::ArrayRef<Row> getSpecialRows();
llvm::ArrayRef<Row> getCrossLaneRows();
llvm::ArrayRef<Row> getTypedBufferRows();
llvm::ArrayRef<Row> getGlobalRows();
llvm::ArrayRef<Row> getBufferRows();
llvm::ArrayRef<Row> getAtomicRows();
llvm::ArrayRef<Row> getLdsRows();
llvm::ArrayRef<Row> getLdsAtomicRows();
llvm::ArrayRef<Row> getMatrixRows();

/// All of them; named after their files.
struct Table {
  const char *name;
  llvm::ArrayRef<Row> rows;
};
llvm::ArrayRef<Table> getTables();

/// The row of a mnemonic without its encoding suffix, or null.
const Row *findRow(llvm::StringRef stem);

/// Fills everything of `inst` that the encoding says (all but run, target and
/// mnemonic). `code` holds the instruction's words, `accRow` is the row of a0.
/// False where the encoding is none that this emulator reads.
bool readEncoding(llvm::ArrayRef<uint32_t> code, const Row *row,
                  unsigned accRow, Inst &inst);
/// Whether s_getreg or s_setreg names a register that the emulator has.
bool namesKnownRegister(const Inst &inst, llvm::StringRef stem);
/// The class that LaunchStats counts an instruction under.
Class classify(Format format, llvm::StringRef stem);
llvm::StringRef getClassName(Class cls);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_INSTRUCTION_H
