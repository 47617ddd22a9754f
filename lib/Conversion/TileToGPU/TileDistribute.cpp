//===- TileDistribute.cpp - tile-distribute -------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each tile.kernel becomes a gpu.func of gpu.module @kernels, after te-to-tile:
//   te-opt --tile-distribute
//
//   tile.kernel @f(...) { %c = arith.mulf %a, %b : tensor<32x512xf32, #layout>
//   }
// ==>
//   gpu.func @f(...) kernel { %c = arith.mulf %a, %b : vector<64xf32> }
//
// Elementwise ops keep their form, tiles becoming vectors of the registers that
// the layout gives a lane. Patterns for what leaves a lane are in Memory.cpp
// and CrossLane.cpp.
//
// Limits: layouts are permutations of bits (no XOR within a basis).
//
//===----------------------------------------------------------------------===//

#include "LdsPlaces.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

namespace mlir::te {
#define GEN_PASS_DEF_TILEDISTRIBUTEPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

namespace {
/// Elementwise ops on tiles: the same op on vectors.
struct ElementwisePattern : ConversionPattern {
  ElementwisePattern(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
      return rewriter.notifyMatchFailure(op, "not elementwise");
    Type type = getTypeConverter()->convertType(op->getResult(0).getType());
    Operation *converted =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        type, op->getAttrs());
    rewriter.replaceOp(op, converted);
    return success();
  }
};

struct ConstantPattern : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat)
      return op.emitError("a constant tile must be a splat");
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
};

struct SplatPattern : OpConversionPattern<tensor::SplatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(
        op, getTypeConverter()->convertType(op.getType()), adaptor.getInput());
    return success();
  }
};

/// Each register is one of a vector of its own, which the index selects from.
struct SelectPattern : TilePattern<SelectOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = getDistributedType(op.getType());
    // Extracted where the tiles are made: in the loop that picks, LLVM would
    // make a shuffle of all tiles of each word, and be long about them.
    SmallVector<SmallVector<Value>> words;
    VectorType wordsType;
    for (Value tile : adaptor.getTiles()) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointAfterValue(tile);
      Value all = emitWords(b, tile);
      wordsType = cast<VectorType>(all.getType());
      SmallVector<Value> &each = words.emplace_back();
      for (int64_t i = 0; i < wordsType.getNumElements(); ++i)
        each.push_back(vector::ExtractOp::create(b, all, i));
    }
    auto column = VectorType::get({int64_t(words.size())}, b.getI32Type());
    SmallVector<Value> picked;
    for (int64_t i = 0; i < wordsType.getNumElements(); ++i) {
      SmallVector<Value> choices = llvm::map_to_vector(
          words, [&](ArrayRef<Value> each) { return each[i]; });
      Value from = vector::FromElementsOp::create(b, column, choices);
      picked.push_back(
          vector::ExtractOp::create(b, from, OpFoldResult(op.getIndex())));
    }
    rewriter.replaceOp(
        op, emitFromWords(
                b, vector::FromElementsOp::create(b, wordsType, picked), type));
    return success();
  }
};

struct FencePattern : TilePattern<FenceOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(FenceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (state.target->amd)
      amdgpu::SchedBarrierOp::create(rewriter, op.getLoc(),
                                     amdgpu::sched_barrier_opt_enum::none);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Not the barrier of the gpu dialect: its fences would wait for loads.
struct BarrierPattern : TilePattern<tile::BarrierOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(tile::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!state.target->amd)
      return op.emitOpError() << "waves of " << state.target->name
                              << " meet by name; use gpu.barrier (T28)";
    if (state.waves % 2 != 0 && op.getHalf())
      return op.emitOpError()
             << state.waves
             << " waves have no halves; use an even number (T28)";
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto none = amdgpu::sched_barrier_opt_enum::none;
    amdgpu::SchedBarrierOp::create(b, none);
    if (std::optional<uint64_t> half = op.getHalf()) {
      Value isMine = arith::CmpIOp::create(
          b, *half ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ult,
          state.wave, emitI32(b, state.waves / 2));
      auto branch = scf::IfOp::create(b, isMine, /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
      ROCDL::SBarrierOp::create(b);
      b.setInsertionPointAfter(branch);
    } else {
      ROCDL::SBarrierOp::create(b);
    }
    amdgpu::SchedBarrierOp::create(b, none);
    rewriter.eraseOp(op);
    return success();
  }
};

struct PriorityPattern : TilePattern<PriorityOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(PriorityOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!state.target->amd)
      return op.emitOpError() << "waves of " << state.target->name
                              << " have no priorities; leave it out (T25)";
    rewriter.replaceOpWithNewOp<ROCDL::SetPrioOp>(op, uint16_t(op.getLevel()));
    return success();
  }
};

/// These words (i32), in registers, after one wait for all that load them.
static SmallVector<Value> emitKept(ImplicitLocOpBuilder &b, bool isAMD,
                                   ArrayRef<Value> words) {
  bool isOne = words.size() == 1;
  std::string results, inputs;
  for (size_t i = 0; i < words.size(); ++i) {
    results += isAMD ? "=v," : "=r,";
    inputs += (i ? "," : "") + std::to_string(i);
  }
  SmallVector<Type> types(words.size(), b.getI32Type());
  Type all = isOne ? types.front()
                   : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value kept = LLVM::InlineAsmOp::create(b, all, words, /*asm_string=*/"",
                                         /*constraints=*/results + inputs,
                                         /*has_side_effects=*/true,
                                         /*is_align_stack=*/false,
                                         LLVM::TailCallKind::None,
                                         /*asm_dialect=*/LLVM::AsmDialectAttr(),
                                         /*operand_attrs=*/ArrayAttr())
                   .getRes();
  SmallVector<Value> elements;
  for (int64_t i = 0; i < int64_t(words.size()); ++i)
    elements.push_back(isOne ? kept : LLVM::ExtractValueOp::create(b, kept, i));
  return elements;
}

/// By an instruction that does nothing, but LLVM does not know that.
struct OptimizationBarrierPattern : TilePattern<OptimizationBarrierOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(OptimizationBarrierOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value words = emitWords(b, adaptor.getInput());
    auto type = cast<VectorType>(words.getType());
    // Of many, LLVM would have to find places for all at once.
    constexpr size_t few = 4;
    SmallVector<Value> elements, kept;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      elements.push_back(vector::ExtractOp::create(b, words, i));
    bool isAMD = bool(state.target->amd);
    size_t together = isAMD && elements.size() <= few ? elements.size() : 1;
    for (size_t i = 0; i < elements.size(); i += together)
      llvm::append_range(
          kept, emitKept(b, isAMD, ArrayRef(elements).slice(i, together)));
    rewriter.replaceOp(
        op, emitFromWords(b, vector::FromElementsOp::create(b, type, kept),
                          getDistributedType(op.getType())));
    return success();
  }
};

struct CoordinatePattern : TilePattern<CoordinateOp> {
  using TilePattern::TilePattern;
  LogicalResult
  matchAndRewrite(CoordinateOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    LinearLayout layout = getLayout(op.getType());
    VectorType type = getDistributedType(op.getType());
    SmallVector<int32_t> steps;
    for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
      steps.push_back(
          layout.toCoordinates(layout.apply(reg, 0, 0))[op.getDimension()]);
    auto [row, col] = emitLaneCoordinates(b, state, layout);
    Value start = arith::IndexCastUIOp::create(
        b, b.getI32Type(), op.getDimension() == 0 ? row : col);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(
        op, vector::BroadcastOp::create(b, type, start),
        arith::ConstantOp::create(
            b, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps))));
    return success();
  }
};

struct TileDistributePass
    : te::impl::TileDistributePassBase<TileDistributePass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    TileDistributePassBase::getDependentDialects(registry);
    registry.insert<amdgpu::AMDGPUDialect, // tile.mma
                    NVVM::NVVMDialect>();  // tile.cluster_reduce
  }
  LogicalResult distribute(KernelOp kernel, gpu::GPUModuleOp module);
  gpu::GPUFuncOp makeFunction(KernelOp kernel, gpu::GPUModuleOp module,
                              KernelState &state, int64_t ldsBytes);

  void runOnOperation() override {
    SmallVector<KernelOp> kernels(getOperation().getOps<KernelOp>());
    if (kernels.empty())
      return;
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    auto module = gpu::GPUModuleOp::create(builder, getOperation().getLoc(),
                                           kKernelModule);
    for (KernelOp kernel : kernels)
      if (failed(distribute(kernel, module)))
        return signalPassFailure();
  }
};
} // namespace

static bool isDistributed(Operation *op) {
  auto isTileType = [](Type type) { return isTile(type); };
  return op->getName().getDialectNamespace() !=
             TileDialect::getDialectNamespace() &&
         llvm::none_of(op->getOperandTypes(), isTileType) &&
         llvm::none_of(op->getResultTypes(), isTileType);
}

/// An empty gpu.func with the kernel's arguments, LDS and lane numbers.
gpu::GPUFuncOp TileDistributePass::makeFunction(KernelOp kernel,
                                                gpu::GPUModuleOp module,
                                                KernelState &state,
                                                int64_t ldsBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
  b.setInsertionPointToEnd(module.getBody());
  auto type = b.getFunctionType(kernel.getBody().getArgumentTypes(), {});
  SmallVector<Type> lds;
  if (ldsBytes)
    lds.push_back(
        MemRefType::get({ldsBytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                        gpu::AddressSpaceAttr::get(
                            b.getContext(), gpu::AddressSpace::Workgroup)));
  auto func = gpu::GPUFuncOp::create(b, kernel.getSymName(), type, lds);
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  int64_t lanes = state.waves * state.target->waveSize;
  func.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({int32_t(lanes), 1, 1}));
  if (state.cluster > 1)
    func.setKnownClusterSizeAttr(
        b.getDenseI32ArrayAttr({int32_t(state.cluster), 1, 1}));
  func->setAttr("te.target", kernel.getTargetAttr());
  if (Attribute waves = kernel.getWavesPerSimdAttr())
    func->setAttr("te.waves_per_simd", waves);
  if (Attribute first = kernel->getAttr(kLoadsFirstAttrName))
    func->setAttr(kLoadsFirstAttrName, first);
  // Each buffer of a launch is its own allocation.
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
    if (isa<MemRefType>(type))
      func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
  if (ldsBytes > int64_t(state.target->ldsBytesDeclared))
    func->setAttr(kDynamicLdsAttrName, b.getI64IntegerAttr(ldsBytes));
  if (ldsBytes) {
    state.lds = func.getWorkgroupAttributions().front();
    func.setWorkgroupAttributionAttr(
        0, LLVM::LLVMDialect::getAlignAttrName(),
        b.getI64IntegerAttr(state.target->maxAccessBytes));
  }
  b.setInsertionPointToStart(&func.getBody().front());
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value id = arith::IndexCastOp::create(b, b.getI32Type(), thread);
  unsigned laneBits = llvm::Log2_32(state.target->waveSize);
  state.lane =
      arith::AndIOp::create(b, id, emitI32(b, state.target->waveSize - 1));
  state.wave =
      state.waves == 1
          ? emitI32(b, 0)
          : arith::ShRUIOp::create(b, id, emitI32(b, laneBits)).getResult();
  // What follows from it is for scalar units.
  if (state.waves > 1 && state.target->amd)
    state.wave = ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), state.wave);
  return func;
}

/// Loops that pick tiles by number become straight-line code, where registers
/// have no numbers.
static LogicalResult unrollPicks(KernelOp kernel) {
  SetVector<Operation *> loops;
  kernel.walk([&](SelectOp pick) {
    if (auto loop = pick->getParentOfType<scf::ForOp>())
      loops.insert(loop);
  });
  for (Operation *loop : loops)
    if (failed(loopUnrollFull(cast<scf::ForOp>(loop))))
      return loop->emitError("a loop over kept tiles has no known length");
  return success();
}

LogicalResult TileDistributePass::distribute(KernelOp kernel,
                                             gpu::GPUModuleOp module) {
  llvm::Expected<const Target *> target = Target::get(kernel.getTarget());
  if (!target)
    return kernel.emitError(llvm::toString(target.takeError()));
  KernelState state;
  state.target = *target;
  if (!state.target->hasRegisterIndexing && failed(unrollPicks(kernel)))
    return failure();
  state.waves = kernel.getWaves();
  state.cluster = kernel.getCluster().value_or(1);
  if (state.cluster > int64_t(state.target->maxClusterWorkgroups))
    return kernel.emitError()
           << "clusters of " << state.cluster << " workgroups, but "
           << state.target->name << " has at most "
           << state.target->maxClusterWorkgroups;
  kernel.walk([&](MmaOp op) {
    state.vectorWork[op] = countVectorWork(op);
    state.productsBefore[op] = countProductsBefore(op);
    state.fronts[op] = getFront(op, **target);
    if (op.getAhead())
      state.runs[op] = getReadsOfRun(op, **target);
  });
  kernel.walk([&](Block *block) { spreadVectorWork(*block, state); });
  kernel.walk([&](Operation *op) {
    if (state.target->amd && isRare(op))
      state.rare.insert(op);
    if (readsSameRows(op))
      state.alike.insert(op);
  });
  int64_t ldsBytes = placeInLds(kernel, state);
  ldsBytes = std::max(ldsBytes, int64_t(kernel.getLdsBytes().value_or(0)));
  if (ldsBytes > int64_t(state.target->ldsBytesPerWorkgroup))
    return kernel.emitError()
           << "needs " << ldsBytes << " bytes of LDS, but a workgroup has "
           << state.target->ldsBytesPerWorkgroup << " on " << state.target->name
           << "; use a smaller tile";

  gpu::GPUFuncOp func = makeFunction(kernel, module, state, ldsBytes);
  Block &entry = func.getBody().front(), &body = kernel.getBody().front();
  body.getTerminator()->erase();
  for (auto [from, to] : llvm::zip(body.getArguments(), func.getArguments()))
    from.replaceAllUsesWith(to);
  entry.getOperations().splice(entry.end(), body.getOperations());
  OpBuilder builder = OpBuilder::atBlockEnd(&entry);
  gpu::ReturnOp::create(builder, kernel.getLoc());
  kernel.erase();
  beginExchanges(func, state);

  TypeConverter types;
  types.addConversion([](Type type) { return type; });
  types.addConversion([](RankedTensorType type) -> std::optional<Type> {
    if (!isTile(type))
      return std::nullopt;
    return getDistributedType(type);
  });
  RewritePatternSet patterns(&getContext());
  patterns.add<ElementwisePattern, ConstantPattern, SplatPattern>(
      types, &getContext());
  patterns.add<SelectPattern, FencePattern, BarrierPattern, PriorityPattern,
               OptimizationBarrierPattern, CoordinatePattern>(
      types, &getContext(), state);
  populateMemoryPatterns(patterns, types, state);
  populatePrefetchPatterns(patterns, types, state);
  populateReducePatterns(patterns, types, state);
  populateCrossLanePatterns(patterns, types, state);
  populateClusterPatterns(patterns, types, state);
  populateMmaPatterns(patterns, types, state);
  populateRingPatterns(patterns, types, state);
  ConversionTarget conversion(getContext());
  conversion.markUnknownOpDynamicallyLegal(isDistributed);
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns,
                                                       conversion);
  return applyFullConversion(func, conversion, std::move(patterns));
}
