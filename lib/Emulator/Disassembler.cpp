//===- Disassembler.cpp - LLVM's MC layer, for one chip -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/TargetSelect.h"

namespace mlir::te::emu {

struct Disassembler::Impl {
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;

  void countRegisters(llvm::MCRegister reg, Result &result) const;
  void addEffect(llvm::MCRegister reg, bool isDef, unsigned accRow,
                 Effects &effects) const;
  Effects findEffects(const llvm::MCInst &inst, unsigned accRow) const;
  bool decodeLast(llvm::MCInst &inst, uint64_t &size,
                  llvm::ArrayRef<uint8_t> code, uint64_t address) const;
  unsigned findLatency(const llvm::MCInst &inst) const;
};

Disassembler::Disassembler() : impl(std::make_unique<Impl>()) {}
Disassembler::~Disassembler() = default;

static void initializeTarget() {
  static const bool once [[maybe_unused]] = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    return true;
  }();
}

llvm::Expected<std::unique_ptr<Disassembler>>
Disassembler::create(const Chip &chip) {
  initializeTarget();
  std::unique_ptr<Disassembler> made(new Disassembler());
  Impl &mc = *made->impl;
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(mc.triple, message);
  if (!target)
    return llvm::createStringError("this LLVM has no AMDGPU target: " +
                                   message);
  mc.registers.reset(target->createMCRegInfo(mc.triple));
  mc.assembly.reset(
      target->createMCAsmInfo(*mc.registers, mc.triple, mc.options));
  mc.instructions.reset(target->createMCInstrInfo());
  mc.subtarget.reset(target->createMCSubtargetInfo(mc.triple, chip.name, ""));
  mc.context = std::make_unique<llvm::MCContext>(
      mc.triple, mc.assembly.get(), mc.registers.get(), mc.subtarget.get());
  mc.disassembler.reset(
      target->createMCDisassembler(*mc.subtarget, *mc.context));
  mc.printer.reset(target->createMCInstPrinter(
      mc.triple, 0, *mc.assembly, *mc.instructions, *mc.registers));
  if (!mc.disassembler || !mc.printer)
    return llvm::createStringError("this LLVM has no AMDGPU disassembler");
  return made;
}

/// AMDGPU's register encodings: bits 0..7 the number, and one bit each for the
/// two vector files.
void Disassembler::Impl::countRegisters(llvm::MCRegister reg,
                                        Result &result) const {
  for (llvm::MCRegister part : registers->subregs_inclusive(reg)) {
    unsigned encoding = registers->getEncodingValue(part);
    unsigned next = (encoding & 0xff) + 1;
    if (encoding & 0x800)
      result.agprs = std::max(result.agprs, next);
    else if (encoding & 0x400)
      result.vgprs = std::max(result.vgprs, next);
  }
}

void Disassembler::Impl::addEffect(llvm::MCRegister reg, bool isDef,
                                   unsigned accRow, Effects &effects) const {
  llvm::StringRef name = registers->getName(reg);
  if (name == "SCC") {
    (isDef ? effects.writesScc : effects.readsScc) = true;
    return;
  }
  if (name.starts_with("EXEC")) {
    (isDef ? effects.writesExec : effects.readsExec) = true;
    return;
  }
  if (name == "MODE" || name.starts_with("FLAT_SCR"))
    return;
  unsigned first = registers->getEncodingValue(reg) & 0xff, last = first;
  for (llvm::MCRegister part : registers->subregs(reg))
    last = std::max<unsigned>(last, registers->getEncodingValue(part) & 0xff);
  if (name == "M0") // a pseudo register where it is implied
    first = last = kM0;
  unsigned encoding = registers->getEncodingValue(reg);
  bool isVector = encoding & 0xc00;
  if (!isVector && last >= 128) // constants
    return;
  RegisterRange range{uint16_t(first + (encoding & 0x800 ? accRow : 0)),
                      uint8_t(last - first + 1), isVector};
  (isDef ? effects.defs : effects.uses).push_back(range);
}

Effects Disassembler::Impl::findEffects(const llvm::MCInst &inst,
                                        unsigned accRow) const {
  Effects effects;
  const llvm::MCInstrDesc &desc = instructions->get(inst.getOpcode());
  for (unsigned i = 0; i < inst.getNumOperands(); ++i)
    if (inst.getOperand(i).isReg() && inst.getOperand(i).getReg())
      addEffect(inst.getOperand(i).getReg(), i < desc.getNumDefs(), accRow,
                effects);
  for (llvm::MCPhysReg reg : desc.implicit_uses())
    addEffect(reg, false, accRow, effects);
  for (llvm::MCPhysReg reg : desc.implicit_defs())
    addEffect(reg, true, accRow, effects);
  return effects;
}

unsigned Disassembler::Impl::findLatency(const llvm::MCInst &inst) const {
  const llvm::MCSchedModel &model = subtarget->getSchedModel();
  unsigned number = instructions->get(inst.getOpcode()).getSchedClass();
  const llvm::MCSchedClassDesc *desc = model.getSchedClassDesc(number);
  while (number && desc->isVariant()) {
    number = subtarget->resolveVariantSchedClass(
        number, &inst, instructions.get(), model.getProcessorID());
    desc = model.getSchedClassDesc(number);
  }
  if (!number || !desc->isValid())
    return 1;
  return std::max(1, model.computeInstrLatency(*subtarget, *desc));
}

//===----------------------------------------------------------------------===//
// Bytes that LLVM's decoder or printer takes without checking, and then does
// something undefined with. They are not instructions of these chips.
//===----------------------------------------------------------------------===//

static uint32_t fieldOf(uint32_t word, unsigned low, unsigned count) {
  return word >> low & ((1u << count) - 1);
}

/// SDWA with a reserved value in a field that names a part of a register.
static bool hasReservedPart(uint32_t first, uint32_t second) {
  if (first >> 31 || (first & 0x1ff) != 0xf9)
    return false;
  bool isUnary = first >> 25 == 0x3f, isCompare = first >> 25 == 0x3e;
  return fieldOf(second, 16, 3) == 7 ||
         (!isUnary && fieldOf(second, 24, 3) == 7) ||
         (!isCompare &&
          (fieldOf(second, 8, 3) == 7 || fieldOf(second, 11, 2) == 3));
}

/// A literal in an encoding of 64 bits.
static bool hasWideLiteral(uint32_t first, uint32_t second) {
  unsigned format = first >> 26, opcode = fieldOf(first, 16, 10);
  if (format == 0x38 || format == 0x3a) // MUBUF, MTBUF: the scalar offset
    return second >> 24 == 0xff;
  if (format != 0x34) // VOP3, VOP3P
    return false;
  bool isScalar = opcode < 0x100 || opcode == 0x142 || opcode == 0x289;
  bool isLiteral = isScalar && (first & 0xff) == 0xff;
  for (unsigned low : {0, 9, 18})
    isLiteral |= fieldOf(second, low, 9) == 0xff;
  return isLiteral;
}

/// f8f6f4 of scalar registers or constants.
static bool hasScalarMatrix(uint32_t first, uint32_t second) {
  unsigned opcode = first >> 16;
  return (opcode == 0xd3ad || opcode == 0xd3ae) &&
         (second & 0x20100) != 0x20100;
}

static bool isDangerous(llvm::ArrayRef<uint8_t> code) {
  auto word = [&](unsigned i) {
    return code.size() >= i * 4 + 4
               ? llvm::support::endian::read32le(&code[i * 4])
               : 0;
  };
  // Four words: the scales, then the product.
  bool isScaled = word(0) >> 16 == 0xd3ac;
  return hasReservedPart(word(0), word(1)) ||
         hasWideLiteral(word(0), word(1)) ||
         hasScalarMatrix(word(0), word(1)) ||
         (isScaled && hasScalarMatrix(word(2), word(3)));
}

//===----------------------------------------------------------------------===//
// f8f6f4 of the last registers. LLVM's decoder takes each operand for eight of
// them before it looks at the format, and so refuses v[252:255], which is a
// whole operand in fp4; where scales come before, it decodes them alone.
//===----------------------------------------------------------------------===//

/// The register tuple of the same class, so many registers later.
static llvm::MCRegister findLater(const llvm::MCRegisterInfo &registers,
                                  llvm::MCRegister reg, unsigned count) {
  unsigned encoding = registers.getEncodingValue(reg) + count;
  for (const llvm::MCRegisterClass &all : registers.regclasses())
    if (all.contains(reg))
      for (llvm::MCPhysReg other : all)
        if (registers.getEncodingValue(other) == encoding)
          return other;
  return {};
}

/// Decodes with the operands four registers earlier, and moves them back.
bool Disassembler::Impl::decodeLast(llvm::MCInst &inst, uint64_t &size,
                                    llvm::ArrayRef<uint8_t> code,
                                    uint64_t address) const {
  constexpr unsigned kEarlier = 4, kLast = 256 - 8;
  auto isProduct = [&](size_t at) {
    return code.size() >= at + 8 && code[at + 3] == 0xd3 &&
           (code[at + 2] == 0xad || code[at + 2] == 0xae);
  };
  size_t product = isProduct(0) ? 0 : 8;
  if (!isProduct(product))
    return false;
  llvm::SmallVector<uint8_t, 16> moved(code.take_front(product + 8));
  uint32_t word = llvm::support::endian::read32le(&moved[product + 4]);
  bool isLast[] = {fieldOf(word, 0, 8) > kLast, fieldOf(word, 9, 8) > kLast};
  if (!isLast[0] && !isLast[1])
    return false;
  word -= (isLast[0] ? kEarlier : 0) + (isLast[1] ? kEarlier << 9 : 0);
  llvm::support::endian::write32le(&moved[product + 4], word);
  if (disassembler->getInstruction(inst, size, moved, address, llvm::nulls()) !=
          llvm::MCDisassembler::Success ||
      inst.getNumOperands() < 3)
    return false;

  for (unsigned i : {0, 1}) {
    llvm::MCOperand &operand = inst.getOperand(i + 1);
    if (!isLast[i])
      continue;
    llvm::MCRegister later =
        operand.isReg() ? findLater(*registers, operand.getReg(), kEarlier)
                        : llvm::MCRegister();
    if (!later)
      return false;
    operand.setReg(later);
  }
  return true;
}

Disassembler::Result Disassembler::decode(llvm::ArrayRef<uint8_t> code,
                                          uint64_t address, unsigned accRow) {
  Result result;
  if (isDangerous(code))
    return result;
  llvm::MCInst inst;
  uint64_t size = 0;
  bool isDecoded = impl->decodeLast(inst, size, code, address);
  if (!isDecoded) {
    inst.clear();
    isDecoded = impl->disassembler->getInstruction(inst, size, code, address,
                                                   llvm::nulls()) ==
                llvm::MCDisassembler::Success;
  }
  if (!isDecoded || size == 0 || size > code.size())
    return result;
  result.bytes = size;
  llvm::raw_string_ostream stream(result.text);
  impl->printer->printInst(&inst, address, "", *impl->subtarget, stream);
  result.text = llvm::StringRef(result.text).trim().str();
  for (const llvm::MCOperand &operand : inst)
    if (operand.isReg() && operand.getReg())
      impl->countRegisters(operand.getReg(), result);
  result.effects = impl->findEffects(inst, accRow);
  result.latency = impl->findLatency(inst);
  return result;
}

} // namespace mlir::te::emu
