//===- Compile.cpp - from te IR to an artefact ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "te/Driver/Compile.h"
#include "Codegen.h"
#include "PTX.h"

#include "te/Conversion/Names.h"
#include "te/Dialect/TE/Transforms/Passes.h"
#include "te/Region/SharedKernels.h"
#include "te/Schedule/ResourceModel.h"
#include "te/Schedule/TuningDatabase.h"

#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Support/Timing.h"

#include <list>
#include <map>

using namespace mlir;
using namespace mlir::te;
namespace json = llvm::json;

static std::string printModule(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os);
  os << "\n";
  return text;
}

/// Why ops are not in the regions, each reason once.
static json::Array listNotFused(ArrayRef<FusionOp> regions) {
  llvm::SetVector<Attribute> reasons;
  for (FusionOp fusion : regions)
    if (ArrayAttr apart = fusion.getNotFusedAttr())
      reasons.insert_range(apart);
  json::Array listed;
  for (Attribute reason : reasons)
    listed.push_back(cast<StringAttr>(reason).getValue());
  return listed;
}

/// What ops of a region were made of, by passes that found them.
static json::Array listRaised(FusionOp fusion) {
  json::Array listed;
  for (Operation *op : getRegionOps(fusion))
    if (auto from = op->getAttrOfType<StringAttr>(kRaisedAttr))
      listed.push_back(
          (op->getName().getStringRef() + " from " + from.getValue()).str());
  return listed;
}

/// The ranges that the kernel is for; none where it is for all sizes.
static json::Array listRanges(ArrayRef<FusionOp> regions) {
  llvm::SetVector<Attribute> ranges;
  for (FusionOp fusion : regions)
    if (fusion.getRangeAttr())
      ranges.insert(fusion.getRangeAttr());
  std::vector<int64_t> sizes = getSignature(regions.front()).sizes;
  json::Array listed;
  for (Attribute range : ranges)
    listed.push_back(
        printRange(sizes, cast<DenseI64ArrayAttr>(range).asArrayRef()));
  return listed;
}

/// What --explain tells of a kernel, which computes `regions`.
static json::Object explain(ArrayRef<FusionOp> regions, const Target &target) {
  FusionOp fusion = regions.front();
  TileDemand demand = getRegionDemand(fusion);
  ScheduleAttr schedule = fusion.getScheduleAttr();
  ResourceEstimate resources = estimate(demand, schedule, target);
  json::Array ops;
  for (Operation *op : getRegionOps(fusion))
    ops.push_back(op->getName().getStringRef());
  std::string location;
  llvm::raw_string_ostream os(location);
  fusion.getLoc()->print(os);
  auto tuned = fusion->getAttrOfType<StringAttr>(kTunedAttr);
  auto isOwn = [&] {
    return fusion.getRange() ||
           chooseSchedule(fusion.getContext(), demand, target) == schedule;
  };
  std::string chosenBy = tuned     ? "te-tune, in " + tuned.str()
                         : isOwn() ? "te-schedule"
                                   : "the user";
  return json::Object{
      {"kernel", fusion.getKernel()},
      {"location", location},
      {"regions", int64_t(regions.size())},
      {"ranges", listRanges(regions)},
      {"ops", std::move(ops)},
      {"subkernels", int64_t(getSubkernels(getRegionOps(fusion)).size())},
      {"raised", listRaised(fusion)},
      {"not_fused", listNotFused(regions)},
      {"why", explainSchedule(demand, schedule, target)},
      {"chosen_by", chosenBy},
      {"tile", json::Array{schedule.getTile()[0], schedule.getTile()[1]}},
      {"waves", schedule.getWaves()},
      {"vector", schedule.getVector()},
      {"elements_per_lane", resources.elementsPerLane},
      {"estimated_vgprs", resources.vgprs},
      {"estimated_lds", resources.ldsBytes}};
}

/// What --explain tells: decided by te-fuse and te-schedule.
static json::Array explain(ModuleOp module, const Target &target) {
  json::Array decisions;
  for (const SmallVector<FusionOp> &regions : groupByKernel(module))
    decisions.push_back(explain(regions, target));
  return decisions;
}

namespace {
/// A row and a column.
using Place = std::pair<const void *, const void *>;

/// What a kernel's tiles touch of one buffer (or half of a wide one): each at a
/// place of its own; in a loop, what it touches there.
struct Touched {
  std::map<Place, int64_t> places;
  /// By what is added to the column; of a product, whose steps may stand in
  /// code, by the place.
  std::map<Place, int64_t> loops;
  int64_t getBytes(bool multiplies) const {
    int64_t outside = 0, inside = 0;
    for (auto &[place, bytes] : places)
      outside += bytes;
    for (auto &[shift, bytes] : loops)
      inside += bytes;
    // Steps before and after a product's loop are others than its own.
    return multiplies ? outside + inside : std::max(outside, inside);
  }
};
} // namespace

/// What is added to a workgroup's column: of a wide result's second half.
static Place getShift(Value column) {
  auto sum = column.getDefiningOp<arith::AddIOp>();
  bool isShifted = sum && !sum.getRhs().getDefiningOp<arith::MulIOp>();
  return {nullptr, isShifted ? sum.getRhs().getAsOpaquePointer() : nullptr};
}

/// How often an op runs: the product of the known trip counts around it.
static int64_t getTrips(Operation *op) {
  int64_t trips = 1;
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>())
    if (std::optional<APInt> count = loop.getStaticTripCount())
      trips *= std::max<int64_t>(count->getSExtValue(), 1);
  return trips;
}

/// What a copy reads: a slot of slots x rows x columns.
static ShapedType getSlotType(tile::AsyncCopyOp copy) {
  auto ring = cast<ShapedType>(copy.getRing().getType());
  return RankedTensorType::get(ring.getShape().drop_front(),
                               ring.getElementType());
}

/// True where a workgroup that computes one tile after the other stores the one
/// before: the last one's store, after the loop, stands for all.
static bool isOfTileBefore(tile::StoreOp store) {
  return isa<BlockArgument>(store.getValue());
}

/// Bytes of one workgroup whose tiles are whole, read off the loads and stores
/// of a kernel.
static TileTraffic measureTraffic(tile::KernelOp kernel) {
  TileTraffic traffic;
  traffic.kernel = kernel.getSymName();
  llvm::DenseMap<std::pair<Value, void *>, Touched> touched;
  bool multiplies =
      kernel.walk([](tile::MmaOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  auto buffer = [](Value view) -> std::pair<Value, void *> {
    auto cast = view.getDefiningOp<memref::ReinterpretCastOp>();
    if (!cast)
      return {view, nullptr};
    return {cast.getSource(), cast.getMixedOffsets().front().getOpaqueValue()};
  };
  auto add = [&](Operation *op, ShapedType type, Value view, Value row,
                 Value col, int64_t &total) {
    int64_t bytes = getTrips(op) * type.getNumElements() *
                    std::max(1u, type.getElementTypeBitWidth() / 8);
    total += bytes;
    Touched &own = touched[buffer(view)];
    Place exact = {row.getAsOpaquePointer(), col.getAsOpaquePointer()};
    bool isLoop = op->getParentOfType<scf::ForOp>() != nullptr;
    int64_t &share = !isLoop ? own.places[exact]
                             : own.loops[multiplies ? exact : getShift(col)];
    share = std::max(share, bytes);
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      add(op, load.getType(), load.getView(), load.getRow(), load.getColumn(),
          traffic.loadBytes);
    else if (auto copy = dyn_cast<tile::AsyncCopyOp>(op))
      add(op, getSlotType(copy), copy.getView(), copy.getRow(),
          copy.getColumn(), traffic.loadBytes);
    else if (auto store = dyn_cast<tile::StoreOp>(op);
             store && !isOfTileBefore(store))
      add(op, cast<ShapedType>(store.getValue().getType()), store.getView(),
          store.getRow(), store.getColumn(), traffic.storeBytes);
  });
  for (auto &[view, own] : touched)
    traffic.leastBytes += own.getBytes(multiplies);
  return traffic;
}

/// The manifest's "kernels". Registers that nothing has counted are 0, and
/// spills left out.
static json::Array describeKernels(ArrayRef<KernelFigures> figures) {
  json::Array kernels;
  for (const KernelFigures &kernel : figures) {
    json::Object entry{{"name", kernel.name},
                       {"vgprs", kernel.vgprs.value_or(0)},
                       {"agprs", kernel.agprs.value_or(0)},
                       {"sgprs", kernel.sgprs.value_or(0)},
                       {"lds", kernel.ldsBytes},
                       {"scratch", kernel.scratchBytes.value_or(0)},
                       {"kernarg_bytes", kernel.kernargBytes}};
    if (kernel.vgprSpills)
      entry["vgpr_spills"] = *kernel.vgprSpills;
    if (kernel.sgprSpills)
      entry["sgpr_spills"] = *kernel.sgprSpills;
    kernels.push_back(std::move(entry));
  }
  return kernels;
}

namespace {
/// The steps of one compilation.
struct Compilation {
  ModuleOp module;
  const CompileOptions &options;
  TimingScope &timing;
  Artifact artifact;
  /// Kept to the end: timers are told apart by the addresses of their passes.
  std::list<PassManager> managers;

  LogicalResult runPasses(Level from, Level to) {
    PassManager &manager = managers.emplace_back(module.getContext());
    if (options.timing)
      manager.enableTiming(timing);
    (void)applyPassManagerCLOptions(manager);
    buildPipeline(manager, *options.target, from, std::min(to, Level::Native),
                  options.schedules);
    // A level's result is verified, what its passes hand on is not.
    manager.enableVerifier(false);
    return success(succeeded(manager.run(module)) && succeeded(verify(module)));
  }
  LogicalResult fail(llvm::Error error) {
    return module.emitError(llvm::toString(std::move(error)));
  }
  LogicalResult addLineTables();
  LogicalResult generateCode();
  LogicalResult finish(json::Value manifest);
  LogicalResult run();
};
} // namespace

LogicalResult Compilation::finish(json::Value manifest) {
  TimingScope link = timing.nest("link");
  std::string code = std::move(artifact.text);
  artifact.text.clear();
  bool isPTX = options.target->backend == BackendKind::NVPTX;
  if (!isPTX) {
    auto linked = linkCodeObject(code);
    if (!linked)
      return fail(linked.takeError());
    code = std::move(*linked);
    auto figures = readCodeObject(code);
    if (!figures)
      return fail(figures.takeError());
    artifact.kernels = std::move(*figures);
  } else if (!options.ptxas.empty()) {
    if (llvm::Error error =
            assemblePTX(options.ptxas, code, *options.target, artifact.kernels))
      return fail(std::move(error));
  }
  manifest.getAsObject()->try_emplace("kernels",
                                      describeKernels(artifact.kernels));
  std::string text;
  llvm::raw_string_ostream(text) << manifest;
  auto binary = isPTX ? addManifestComment(code, text)
                      : addSection(code, ".te.manifest", text);
  if (!binary)
    return fail(binary.takeError());
  artifact.binary = std::move(*binary);
  artifact.manifest = std::move(manifest);
  return success();
}

LogicalResult Compilation::addLineTables() {
  PassManager &manager = managers.emplace_back(module.getContext());
  LLVM::DIScopeForLLVMFuncOpPassOptions scope;
  scope.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
  manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scope));
  return manager.run(module);
}

LogicalResult Compilation::generateCode() {
  auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(kKernelModule);
  if (!kernels)
    return module.emitError(
        "there is no te op to compile: no function computes anything");
  auto machine = createTargetMachine(*options.target);
  if (!machine)
    return fail(machine.takeError());
  llvm::LLVMContext context;
  TimingScope translate = timing.nest("translate to LLVM IR");
  auto llvmModule =
      translateToLLVM(kernels, context, *options.target, **machine, translate);
  translate.stop();
  if (!llvmModule)
    return fail(llvmModule.takeError());
  if (options.level == Level::LLVM) {
    llvm::raw_string_ostream(artifact.text) << **llvmModule;
    return success();
  }
  bool isPTX = options.target->backend == BackendKind::NVPTX;
  if (isPTX)
    artifact.kernels = readKernels(**llvmModule);
  TimingScope codegen = timing.nest("machine code");
  auto code = emitMachineCode(**llvmModule, **machine,
                              isPTX || options.level == Level::Asm);
  codegen.stop();
  if (!code)
    return fail(code.takeError());
  artifact.text = std::move(*code); // or an object, until it is linked
  return success();
}

LogicalResult Compilation::run() {
  std::string source = printModule(module);
  Level level = options.level;
  if (failed(runPasses(Level::TE, std::min(level, Level::Fused))))
    return failure();
  if (options.explain && level >= Level::Fused)
    artifact.decisions = explain(module, *options.target);
  if (level >= Level::Tile) {
    if (failed(runPasses(Level::Fused, Level::Tile)))
      return failure();
    for (auto kernel : module.getOps<tile::KernelOp>())
      artifact.traffic.push_back(measureTraffic(kernel));
  }
  if (level >= Level::GPU &&
      failed(runPasses(Level::Tile, std::min(level, Level::GPU))))
    return failure();
  json::Value manifest = nullptr;
  if (level == Level::Image) {
    FailureOr<json::Value> built =
        buildManifest(module, *options.target, source);
    if (failed(built))
      return failure();
    manifest = std::move(*built);
  }
  if (level >= Level::Native && failed(runPasses(Level::GPU, Level::Native)))
    return failure();
  if (level <= Level::Native) {
    artifact.text = printModule(module);
    return success();
  }
  if ((options.lineTables && failed(addLineTables())) || failed(generateCode()))
    return failure();
  return level == Level::Image ? finish(std::move(manifest)) : success();
}

FailureOr<Artifact> te::compile(ModuleOp module,
                                const CompileOptions &options) {
  TimingScope none;
  Compilation compilation{
      module, options, options.timing ? *options.timing : none, {}, {}};
  if (failed(compilation.run()))
    return failure();
  return std::move(compilation.artifact);
}
