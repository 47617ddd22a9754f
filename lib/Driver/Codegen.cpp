//===- Codegen.cpp - from rocdl or nvvm to an image -----------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM IR, its optimization, machine code and the link, all in this process.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "te/Conversion/Names.h"
#include "te/Emulator/Emulator.h"
#include "te/Runtime/File.h"

#include "lld/Common/Driver.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <limits>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::te;

bool te::setBackendFlags() {
  // A branch that all lanes take alike stays one: else both sides are laid out
  // one after the other, and what both read is live in both.
  static bool isSet = [] {
    auto &flags = llvm::cl::getRegisteredOptions();
    auto it = flags.find("structurizecfg-skip-uniform-regions");
    return it != flags.end() &&
           !it->second->addOccurrence(0, it->first, "true");
  }();
  return isSet;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
te::createTargetMachine(const Target &target) {
  if (!setBackendFlags())
    return llvm::createStringError(
        "this LLVM cannot be told to keep uniform branches; te-mlir is for "
        "LLVM 22");
  static bool initialized = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple(target.triple);
  std::string message;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!backend)
    return llvm::createStringError(message);
  // The PTX that has st.async, of CUDA 12.1.
  bool isPTX = target.backend == BackendKind::NVPTX;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.name, isPTX ? "+ptx81" : "", llvm::TargetOptions(),
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// A call that reads what a pointer points to, at the most: a prefetch.
static bool onlyReads(const llvm::Use &use) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  return call && call->isDataOperand(&use) &&
         call->onlyReadsMemory(call->getDataOperandNo(&use)) &&
         call->doesNotCapture(call->getDataOperandNo(&use));
}

/// The loads through a pointer; nothing where something else uses it too, but
/// to read.
static std::optional<llvm::SmallVector<llvm::LoadInst *>>
getOnlyLoads(llvm::Value *pointer) {
  llvm::SmallVector<llvm::LoadInst *> loads;
  llvm::SmallVector<llvm::Value *> work{pointer};
  while (!work.empty())
    for (llvm::Use &use : work.pop_back_val()->uses()) {
      llvm::User *user = use.getUser();
      if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
        loads.push_back(load);
      else if (llvm::isa<llvm::GetElementPtrInst>(user))
        work.push_back(user);
      else if (!onlyReads(use))
        return std::nullopt;
    }
  return loads;
}

/// Marks what a kernel reads of buffers that it does not write: the backend may
/// take the scalar unit for it, or a read-only cache.
static void markInvariantLoads(llvm::Function &kernel) {
  for (llvm::Argument &argument : kernel.args()) {
    if (!argument.hasNoAliasAttr())
      continue;
    if (auto loads = getOnlyLoads(&argument))
      for (llvm::LoadInst *load : *loads)
        load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                          llvm::MDNode::get(kernel.getContext(), {}));
  }
}

static bool accessesLDS(llvm::Instruction &inst) {
  llvm::Value *pointer = llvm::getLoadStorePointerOperand(&inst);
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst))
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::amdgcn_ds_read_tr8_b64:
    case llvm::Intrinsic::amdgcn_ds_read_tr16_b64:
      pointer = call->getArgOperand(0);
      break;
    default:
      break;
    }
  return pointer && pointer->getType()->getPointerAddressSpace() ==
                        llvm::AMDGPUAS::LOCAL_ADDRESS;
}

/// Adds to what an instruction has of a kind.
static void addScopes(llvm::Instruction &inst, unsigned kind,
                      llvm::MDNode *scopes) {
  inst.setMetadata(kind,
                   llvm::MDNode::concatenate(inst.getMetadata(kind), scopes));
}

/// What goes straight to LDS is waited for by the kernel itself
/// (tile.async_wait): the backend need not do so before each other access
/// of LDS.
static void separateDirectLoads(llvm::Function &kernel) {
  llvm::SmallVector<llvm::Instruction *> direct, others;
  for (llvm::Instruction &inst : llvm::instructions(kernel)) {
    auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst);
    if (call && call->getIntrinsicID() ==
                    llvm::Intrinsic::amdgcn_raw_ptr_buffer_load_lds)
      direct.push_back(&inst);
    else if (accessesLDS(inst))
      others.push_back(&inst);
  }
  if (direct.empty())
    return;
  llvm::MDBuilder builder(kernel.getContext());
  llvm::MDNode *domain = builder.createAnonymousAliasScopeDomain();
  llvm::MDNode *scopes = llvm::MDNode::get(
      kernel.getContext(), builder.createAnonymousAliasScope(domain));
  for (llvm::Instruction *inst : direct)
    inst->setMetadata(llvm::LLVMContext::MD_alias_scope, scopes);
  for (llvm::Instruction *inst : others)
    addScopes(*inst, llvm::LLVMContext::MD_noalias, scopes);
}

/// Reads that transpose are of slots that are apart, and have no place in MLIR
/// to say that of what is written there (SharedAccess.cpp).
static void separateTransposed(llvm::Function &kernel) {
  llvm::MDNode *scopes = nullptr;
  for (llvm::Instruction &inst : llvm::instructions(kernel))
    if (llvm::isa<llvm::StoreInst>(inst) && accessesLDS(inst) && !scopes)
      scopes = inst.getMetadata(llvm::LLVMContext::MD_alias_scope);
  for (llvm::Instruction &inst : llvm::instructions(kernel))
    if (scopes && llvm::isa<llvm::IntrinsicInst>(inst) && accessesLDS(inst))
      addScopes(inst, llvm::LLVMContext::MD_noalias, scopes);
}

/// Kernels arrive unrolled, without calls or memory to promote: what is left to
/// do is local, but that loops test at their end, so that what they carry keeps
/// its registers. The default O2 pipeline takes three times as long for the
/// same machine code (docs/decisions/0003).
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  // Vectors of one element become scalars, and longer ones stay: SelectionDAG
  // takes a zext of <1 x i32> to a BUILD_VECTOR and back without end. Once more
  // at the end, as InstCombine makes some of bitcasts.
  llvm::ScalarizerPassOptions oneElement;
  oneElement.ScalarizeMinBits = std::numeric_limits<unsigned>::max();
  oneElement.ScalarizeLoadStore = true;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ScalarizerPass(oneElement));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ScalarizerPass(oneElement));
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      passes.run(function, functions);
      markInvariantLoads(function);
      separateDirectLoads(function);
      separateTransposed(function);
    }
}

llvm::Expected<std::unique_ptr<llvm::Module>>
te::translateToLLVM(gpu::GPUModuleOp kernels, llvm::LLVMContext &context,
                    const Target &target, llvm::TargetMachine &machine,
                    TimingScope &timing) {
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(kernels, context, "te-mlir");
  if (!module)
    return llvm::createStringError("translation to LLVM IR failed");
  module->setTargetTriple(machine.getTargetTriple());
  module->setDataLayout(machine.createDataLayout());
  // Code object version 5: what ROCm 5.7 and later load.
  if (target.backend == BackendKind::AMDGPU)
    module->addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                          500);
  TimingScope scope = timing.nest("LLVM optimization");
  optimize(*module, machine);
  return module;
}

namespace {
/// Keeps the scheduler after register allocation from kernels whose order
/// stays. It would find the same places for a loop's instructions once more:
/// a fifth of a compile.
class KeptOrders : public llvm::OptPassGate {
public:
  explicit KeptOrders(const llvm::Module &module) {
    for (const llvm::Function &function : module)
      if (function.hasFnAttribute(kKeepsOrderAttrName))
        units.insert(("function (" + function.getName() + ")").str());
  }
  bool isEnabled() const override { return !units.empty(); }
  bool shouldRunPass(llvm::StringRef pass,
                     llvm::StringRef unit) const override {
    return !units.contains(unit) || pass != scheduler->getPassArgument();
  }

private:
  llvm::StringSet<> units;
  const llvm::PassInfo *scheduler =
      llvm::PassRegistry::getPassRegistry()->getPassInfo(
          &llvm::PostMachineSchedulerID);
};
} // namespace

llvm::Expected<std::string> te::emitMachineCode(llvm::Module &module,
                                                llvm::TargetMachine &machine,
                                                bool assembly) {
  llvm::SmallString<0> code;
  llvm::raw_svector_ostream os(code);
  llvm::legacy::PassManager manager;
  auto kind = assembly ? llvm::CodeGenFileType::AssemblyFile
                       : llvm::CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(manager, os, nullptr, kind))
    return llvm::createStringError("the backend cannot emit this kind of file");
  KeptOrders gate(module);
  llvm::LLVMContext &context = module.getContext();
  llvm::OptPassGate &before = context.getOptPassGate();
  context.setOptPassGate(gate);
  manager.run(module);
  context.setOptPassGate(before);
  return std::string(code);
}

llvm::Expected<std::string> te::linkCodeObject(llvm::StringRef object) {
  llvm::SmallString<128> input, output;
  int descriptor = -1;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "te-kernels", "o", descriptor, input))
    return llvm::createStringError(error, "cannot make a temporary file");
  auto cleanInput = llvm::scope_exit([&] { llvm::sys::fs::remove(input); });
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << object;
    os.close();
    if (os.has_error()) {
      std::error_code error = os.error();
      os.clear_error();
      return llvm::createStringError(error, "cannot write " + input);
    }
  }
  output = input;
  output += ".hsaco";
  auto cleanOutput = llvm::scope_exit([&] { llvm::sys::fs::remove(output); });

  std::string messages;
  llvm::raw_string_ostream os(messages);
  const char *arguments[] = {"ld.lld",      "-shared", "--threads=1",
                             input.c_str(), "-o",      output.c_str()};
  lld::Result result =
      lld::lldMain(arguments, os, os, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return llvm::createStringError("lld failed: " + messages);
  auto linked = llvm::MemoryBuffer::getFile(output);
  if (!linked)
    return llvm::createStringError(linked.getError(),
                                   "cannot read what lld wrote");
  return (*linked)->getBuffer().str();
}

llvm::Expected<std::string> te::addSection(llvm::StringRef codeObject,
                                           llvm::StringRef name,
                                           llvm::StringRef content) {
  auto input = llvm::object::ELFObjectFileBase::createELFObjectFile(
      llvm::MemoryBufferRef(codeObject, "code object"));
  if (!input)
    return input.takeError();
  llvm::objcopy::ConfigManager config;
  config.Common.AddSection.emplace_back(
      name, llvm::MemoryBuffer::getMemBuffer(content, name, false));
  llvm::SmallString<0> output;
  llvm::raw_svector_ostream os(output);
  if (llvm::Error error =
          llvm::objcopy::executeObjcopyOnBinary(config, **input, os))
    return std::move(error);
  return std::string(output);
}

llvm::Expected<std::vector<KernelFigures>>
te::readCodeObject(llvm::StringRef codeObject) {
  auto object = emu::CodeObject::load(
      {reinterpret_cast<const uint8_t *>(codeObject.data()), codeObject.size()},
      "the compiled kernels");
  if (!object)
    return object.takeError();
  std::vector<KernelFigures> kernels;
  for (const emu::KernelInfo &kernel : (*object)->getKernels())
    kernels.push_back({kernel.name, kernel.vgprs, kernel.agprs, kernel.sgprs,
                       kernel.vgprSpills, kernel.sgprSpills,
                       kernel.scratchBytes, kernel.ldsBytes,
                       kernel.kernargBytes, kernel.maxWorkgroupSize});
  return kernels;
}

llvm::Error te::writeOutput(llvm::StringRef file, llvm::StringRef content) {
  if (file == "-") { // the tool's end says where that fails
    llvm::outs() << content;
    return llvm::Error::success();
  }
  rt::Status status = rt::writeFile(file.str(), {content});
  return status ? llvm::Error::success()
                : llvm::createStringError(status.error());
}
