//===- Program.h - the decoded code of a code object ------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_PROGRAM_H
#define TE_EMULATOR_PROGRAM_H

#include "CodeObjectImpl.h"
#include "Instruction.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/StringMap.h"

#include <atomic>

namespace mlir::te::emu {

/// LLVM's disassembler for one chip (hides the MC classes).
class Disassembler {
public:
  static llvm::Expected<std::unique_ptr<Disassembler>> create(const Chip &chip);
  ~Disassembler();
  struct Result {
    unsigned bytes = 0;            // 0: not an instruction
    std::string text;              // "v_add_f32_e32 v0, v1, v2"
    unsigned vgprs = 0, agprs = 0; // one more than the highest named
    Effects effects;
    unsigned latency = 1; // issue slots, by LLVM's scheduling model
  };
  /// `accRow`: the row of a0, for the effects.
  Result decode(llvm::ArrayRef<uint8_t> code, uint64_t address,
                unsigned accRow = kAccRow);

private:
  Disassembler();
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// The debug information of a code object (hides the DWARF classes).
class LineTable {
public:
  explicit LineTable(llvm::ArrayRef<uint8_t> file);
  ~LineTable();
  /// "file:line:column", or empty.
  std::string find(uint64_t address) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// A slot per word of the text segment. Slots are filled by following the
/// control flow from an entry; what an indirect jump reaches is added when it
/// is first taken.
class Program {
public:
  static llvm::Expected<std::unique_ptr<Program>>
  create(const CodeObject::Impl &object, unsigned accRow);

  /// Makes everything that control flow reaches from `word` runnable.
  /// Thread-safe, and cheap when asked again.
  void require(uint32_t word);
  const Inst *getText() const { return slots.data(); }
  uint32_t getWords() const { return known.size(); }
  llvm::StringRef getMnemonic(const Inst &inst) const {
    return names[inst.mnemonic];
  }
  /// Text of the instruction at `word`. Thread-safe.
  std::string disassemble(uint32_t word) { return describe(word).text; }
  /// And in how many issue slots LLVM's scheduling model has its result.
  struct Description {
    std::string text;
    unsigned latency = 1;
  };
  Description describe(uint32_t word);
  /// "file:line:column" of the instruction at `word` where the object has debug
  /// information, or empty. Thread-safe.
  std::string locate(uint32_t word);
  /// Static counts of what `word` reaches.
  std::map<std::string, uint64_t> countMnemonics(uint32_t word);
  /// Likewise of what has no semantics.
  std::map<std::string, uint64_t> countMissing(uint32_t word);
  /// What `word` reaches and what was executed, in the order of addresses.
  struct Listed {
    uint32_t word;
    bool startsBlock; // a basic block
  };
  std::vector<Listed> listCode(uint32_t word,
                               llvm::ArrayRef<uint64_t> executions);
  /// How many vector registers the code that `word` reaches names.
  struct Registers {
    uint16_t vgprs = 0, agprs = 0;
  };
  Registers countRegisters(uint32_t word);
  Registers getRegisters(const Inst &inst) const {
    return registers[inst.word];
  }
  const Effects &getEffects(const Inst &inst) const {
    return effects[inst.word];
  }
  /// The next word is not what runs after `inst`.
  bool endsFlow(const Inst &inst) const;

private:
  Program(const CodeObject::Impl &object, unsigned accRow)
      : object(object), accRow(accRow) {}
  void decodeAt(uint32_t word);
  llvm::ArrayRef<uint8_t> bytesAt(uint32_t word) const;
  const Inst *findTarget(const Inst &inst) const;
  std::optional<uint32_t> findTakenAddress(const Inst &inst) const;
  void pushSuccessors(const Inst &inst,
                      llvm::SmallVectorImpl<uint32_t> &work) const;
  llvm::SmallVector<uint32_t> reach(uint32_t word);

  const CodeObject::Impl &object;
  const unsigned accRow; // of a0
  std::unique_ptr<Disassembler> disassembler;
  std::unique_ptr<LineTable> lines; // made when first asked for
  std::mutex mutex;
  std::vector<Inst> slots;
  llvm::BitVector known;
  std::unique_ptr<std::atomic<bool>[]> ready; // required before, and done
  std::vector<Registers> registers;           // of each slot
  std::vector<Effects> effects;               // of each slot
  std::vector<std::string> names;
  llvm::StringMap<uint16_t> nameIndex;
};

/// "v_add_f32_e32" -> "v_add_f32".
llvm::StringRef stripEncoding(llvm::StringRef mnemonic);

} // namespace mlir::te::emu

#endif // TE_EMULATOR_PROGRAM_H
