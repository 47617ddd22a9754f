//===- Program.cpp - decodes what control flow reaches --------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "Matrix.h"
#include "Wave.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"

namespace mlir::te::emu {

llvm::StringRef stripEncoding(llvm::StringRef mnemonic) {
  for (const char *suffix : {"_dpp", "_sdwa", "_e32", "_e64"})
    mnemonic.consume_back(suffix);
  return mnemonic;
}

static void runUnknown(Wave &wave, const Inst &inst) {
  wave.fail(
      "no semantics for this instruction: the emulator has no row for it, or "
      "none with these operands");
}
static void runUndecodable(Wave &wave, const Inst &inst) {
  wave.fail("these bytes are not an instruction of the chip");
}

llvm::ArrayRef<Table> getTables() {
  static const Table tables[] = {
      {"Scalar", getScalarRows()},
      {"ScalarCompare", getScalarCompareRows()},
      {"Control", getControlRows()},
      {"ScalarMemory", getScalarMemoryRows()},
      {"Integer", getIntegerRows()},
      {"WideInteger", getWideIntegerRows()},
      {"Float", getFloatRows()},
      {"Half", getHalfRows()},
      {"Double", getDoubleRows()},
      {"Packed", getPackedRows()},
      {"Compare", getCompareRows()},
      {"Convert", getConvertRows()},
      {"Fp8", getFp8Rows()},
      {"ScaledConvert", getScaledConvertRows()},
      {"WideConvert", getWideConvertRows()},
      {"Special", getSpecialRows()},
      {"CrossLane", getCrossLaneRows()},
      {"Matrix", getMatrixRows()},
      {"Lds", getLdsRows()},
      {"LdsAtomic", getLdsAtomicRows()},
      {"Global", getGlobalRows()},
      {"Buffer", getBufferRows()},
      {"TypedBuffer", getTypedBufferRows()},
      {"Atomic", getAtomicRows()},
  };
  return tables;
}

const Row *findRow(llvm::StringRef stem) {
  static const llvm::StringMap<const Row *> rows = [] {
    llvm::StringMap<const Row *> map;
    for (const Table &table : getTables())
      for (const Row &row : table.rows)
        map[row.stem] = &row;
    return map;
  }();
  auto found = rows.find(stem);
  return found == rows.end() ? nullptr : found->second;
}

llvm::Expected<std::unique_ptr<Program>>
Program::create(const CodeObject::Impl &object, unsigned accRow) {
  auto disassembler = Disassembler::create(*object.chip);
  if (!disassembler)
    return disassembler.takeError();
  std::unique_ptr<Program> made(new Program(object, accRow));
  made->disassembler = std::move(*disassembler);
  uint32_t words = (object.textEnd - object.textBegin) / 4;
  // One slot more stops a wave that runs off the end.
  made->slots.resize(words + 1);
  for (uint32_t word = 0; word <= words; ++word) {
    made->slots[word].word = word;
    made->slots[word].run = runUndecodable;
  }
  made->known.resize(words);
  made->registers.resize(words + 1);
  made->effects.resize(words + 1);
  made->ready = std::make_unique<std::atomic<bool>[]>(words);
  made->names.push_back("(undecodable)");
  return made;
}

llvm::ArrayRef<uint8_t> Program::bytesAt(uint32_t word) const {
  return llvm::ArrayRef<uint8_t>(object.image)
      .slice(object.textBegin, object.textEnd - object.textBegin)
      .drop_front(uint64_t(word) * 4);
}

void Program::decodeAt(uint32_t word) {
  Inst &inst = slots[word];
  llvm::ArrayRef<uint8_t> bytes = bytesAt(word);
  auto result = disassembler->decode(
      bytes, object.textBegin + uint64_t(word) * 4, accRow);
  if (result.bytes < 4 || result.bytes % 4 || result.bytes > 20)
    return;
  llvm::StringRef stem =
      stripEncoding(llvm::StringRef(result.text).take_until([](char c) {
        return c == ' ' || c == '\t';
      }));
  auto [name, fresh] = nameIndex.try_emplace(stem, uint16_t(names.size()));
  if (fresh)
    names.push_back(stem.str());
  llvm::SmallVector<uint32_t, 5> code;
  for (unsigned i = 0; i < result.bytes; i += 4)
    code.push_back(llvm::support::endian::read32le(&bytes[i]));
  const Row *row = findRow(stem);
  bool read =
      readEncoding(code, row, accRow, inst) && namesKnownRegister(inst, stem);
  inst.words = code.size();
  inst.mnemonic = name->second;
  inst.cls = classify(inst.format, stem);
  if (inst.flags & kMatrix)
    inst.matrix.passes = countPasses(inst, *object.chip);
  inst.run = row && read ? row->run : runUnknown;
  registers[word] = {uint16_t(result.vgprs), uint16_t(result.agprs)};
  completeEffects(inst, stem, result.effects);
  effects[word] = std::move(result.effects);
}

const Inst *Program::findTarget(const Inst &inst) const {
  llvm::StringRef name = names[inst.mnemonic];
  bool isBranch = inst.format == Format::Sopp && inst.cls == Class::Branch;
  if (!isBranch && name != "s_call_b64")
    return nullptr;
  int64_t target = int64_t(inst.word) + 1 + inst.offset;
  return &slots[target >= 0 && target < getWords() ? target : getWords()];
}

/// s_getpc_b64 and s_add_u32 after it: how code takes the address of code near
/// it, mostly to call that.
std::optional<uint32_t> Program::findTakenAddress(const Inst &inst) const {
  if (names[inst.mnemonic] != "s_add_u32" || !inst.word ||
      inst.src[1].number != kLiteral)
    return std::nullopt;
  const Inst &before = slots[inst.word - 1];
  int64_t target =
      int64_t(inst.word) * 4 + llvm::SignExtend64<32>(inst.literal);
  bool takes = names[before.mnemonic] == "s_getpc_b64" &&
               before.sdst == inst.sdst && target >= 0 && target % 4 == 0 &&
               target / 4 < getWords();
  return takes ? std::optional<uint32_t>(target / 4) : std::nullopt;
}

bool Program::endsFlow(const Inst &inst) const {
  llvm::StringRef name = names[inst.mnemonic];
  // After llvm.trap (s_trap 2) the compiler puts nothing of this function.
  bool traps = name == "s_trap" && inst.offset == 2;
  return name == "s_branch" || name.starts_with("s_endpgm") ||
         name == "s_setpc_b64" || traps || !inst.mnemonic;
}

void Program::pushSuccessors(const Inst &inst,
                             llvm::SmallVectorImpl<uint32_t> &work) const {
  if (inst.target)
    work.push_back(inst.target->word);
  if (auto taken = findTakenAddress(inst))
    work.push_back(*taken);
  if (!endsFlow(inst))
    work.push_back(inst.word + inst.words);
}

void Program::require(uint32_t word) {
  if (word >= known.size() || ready[word].load(std::memory_order_acquire))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  llvm::SmallVector<uint32_t> work{word};
  while (!work.empty()) {
    uint32_t at = work.pop_back_val();
    if (at >= known.size() || known[at])
      continue;
    known.set(at);
    decodeAt(at);
    slots[at].target = findTarget(slots[at]);
    pushSuccessors(slots[at], work);
  }
  ready[word].store(true, std::memory_order_release);
}

Program::Description Program::describe(uint32_t word) {
  std::lock_guard<std::mutex> lock(mutex);
  if (word >= known.size())
    return {"(past the end of the code)"};
  auto result = disassembler->decode(bytesAt(word),
                                     object.textBegin + uint64_t(word) * 4);
  if (!result.bytes)
    return {"(not an instruction)"};
  return {result.text, result.latency};
}

std::string Program::locate(uint32_t word) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!lines)
    lines = std::make_unique<LineTable>(object.file);
  return lines->find(object.textBegin + uint64_t(word) * 4);
}

llvm::SmallVector<uint32_t> Program::reach(uint32_t word) {
  llvm::SmallVector<uint32_t> reached, work{word};
  llvm::BitVector seen(known.size());
  while (!work.empty()) {
    uint32_t at = work.pop_back_val();
    if (at >= seen.size() || seen[at])
      continue;
    seen.set(at);
    reached.push_back(at);
    pushSuccessors(slots[at], work);
  }
  return reached;
}

std::vector<Program::Listed>
Program::listCode(uint32_t word, llvm::ArrayRef<uint64_t> executions) {
  std::lock_guard<std::mutex> lock(mutex);
  llvm::BitVector listed(known.size()), starts(known.size() + 1);
  for (uint32_t at : reach(word))
    listed.set(at);
  for (uint32_t at = 0; at < known.size(); ++at)
    if (executions[at])
      listed.set(at);
  starts.set(word);
  for (uint32_t at : listed.set_bits())
    if (const Inst *target = slots[at].target)
      starts.set(target->word);
  std::vector<Listed> code;
  const Inst *before = nullptr;
  for (uint32_t at : listed.set_bits()) {
    bool follows = before && before->word + before->words == at &&
                   before->cls != Class::Branch;
    code.push_back({at, starts[at] || !follows});
    before = &slots[at];
  }
  return code;
}

std::map<std::string, uint64_t> Program::countMnemonics(uint32_t word) {
  require(word);
  std::lock_guard<std::mutex> lock(mutex);
  std::map<std::string, uint64_t> counts;
  for (uint32_t at : reach(word))
    ++counts[names[slots[at].mnemonic]];
  return counts;
}

std::map<std::string, uint64_t> Program::countMissing(uint32_t word) {
  require(word);
  std::lock_guard<std::mutex> lock(mutex);
  std::map<std::string, uint64_t> counts;
  for (uint32_t at : reach(word))
    if (slots[at].run == runUnknown || slots[at].run == runUndecodable)
      ++counts[names[slots[at].mnemonic]];
  return counts;
}

Program::Registers Program::countRegisters(uint32_t word) {
  require(word);
  std::lock_guard<std::mutex> lock(mutex);
  Registers most;
  for (uint32_t at : reach(word)) {
    most.vgprs = std::max(most.vgprs, registers[at].vgprs);
    most.agprs = std::max(most.agprs, registers[at].agprs);
  }
  return most;
}

} // namespace mlir::te::emu
