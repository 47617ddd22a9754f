//===- Distribution.cpp - from tiles to the vectors of one lane -----------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

int64_t te::getElementBytes(Type type) {
  return std::max(1u, getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8);
}

VectorType te::getDistributedType(Type tileType) {
  return VectorType::get({getLayout(tileType).getNumRegisters()},
                         getElementTypeOrSelf(tileType));
}

std::optional<int64_t> te::getPartnerBasis(ExchangeOp op) {
  LinearLayout layout = getLayout(op.getType());
  if (!llvm::isPowerOf2_64(op.getStride()))
    return std::nullopt;
  SmallVector<int64_t> at(layout.getShape().size());
  at[op.getDimension()] = op.getStride();
  int64_t flat = layout.toFlat(at);
  if (llvm::is_contained(layout.getBases(LayoutInput::Wave), flat))
    return std::nullopt;
  return flat;
}

SharedLayout te::getSharedLayout(const LinearLayout &from,
                                 const LinearLayout &to, int64_t elementBytes,
                                 const Target &target) {
  return SharedLayout(from, to, elementBytes, target.ldsBanks,
                      target.ldsBytesPerWorkgroup / 2);
}

bool te::crossesWaves(const LinearLayout &from, const LinearLayout &to) {
  ArrayRef<int64_t> waves = from.getBases(LayoutInput::Wave);
  return waves != to.getBases(LayoutInput::Wave) ||
         llvm::is_contained(waves, 0);
}

int64_t te::getLdsBytes(Operation *op, const Target &target, int64_t waves) {
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    LinearLayout from = getLayout(convert.getInput().getType()),
                 to = getLayout(convert.getResult().getType());
    if (analyzeConversion(from, to).kind != ConversionKind::Shared)
      return 0;
    return getSharedLayout(
               from, to, getElementBytes(convert.getInput().getType()), target)
        .getBytes();
  }
  if (auto exchange = dyn_cast<ExchangeOp>(op))
    return getPartnerBasis(exchange) ? 0
                                     : exchange.getType().getNumElements() *
                                           getElementBytes(exchange.getType());
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    LinearLayout from = getLayout(reduce.getInput().getType()),
                 to = getLayout(reduce.getResult().getType());
    int64_t reduced = from.getWavesOfBlock(reduce.getBlock()),
            bytes = getElementBytes(reduce.getInput().getType());
    if (!reduced)
      return 0;
    LinearLayout parts = from.project(reduce.getBlock());
    if (parts == to)
      return to.getNumRegisters() * target.waveSize * waves * bytes;
    return getSharedLayout(parts, to, bytes, target).getBytes()
           << llvm::popcount(uint64_t(reduced));
  }
  return 0;
}

Value te::emitI32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

Value te::toIndex(ImplicitLocOpBuilder &b, Value i32) {
  return b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), i32);
}

/// (value >> from & mask) << to, for a run of bits that keep their order.
static Value emitRun(ImplicitLocOpBuilder &b, Value value, unsigned from,
                     unsigned count, unsigned to) {
  int64_t mask = ((int64_t(1) << count) - 1) << from;
  Value bits = b.createOrFold<arith::AndIOp>(value, emitI32(b, mask));
  if (to > from)
    return b.createOrFold<arith::ShLIOp>(bits, emitI32(b, to - from));
  if (from > to)
    return b.createOrFold<arith::ShRUIOp>(bits, emitI32(b, from - to));
  return bits;
}

Value te::emitLinearMap(ImplicitLocOpBuilder &b, Value value,
                        ArrayRef<int64_t> columns) {
  Value sum = emitI32(b, 0);
  for (size_t i = 0; i < columns.size();) {
    if (columns[i] == 0) {
      ++i;
      continue;
    }
    size_t run = 1;
    while (i + run < columns.size() && columns[i + run] == columns[i] << run)
      ++run;
    Value part = emitRun(b, value, i, run, llvm::Log2_64(columns[i]));
    sum = b.createOrFold<arith::XOrIOp>(sum, part);
    i += run;
  }
  return sum;
}

Value te::emitXorMap(ImplicitLocOpBuilder &b, Value value,
                     ArrayRef<int64_t> columns) {
  // Column bits one at a time, the lowest of each first.
  Value result = emitI32(b, 0);
  SmallVector<int64_t> rest(columns);
  while (llvm::any_of(rest, [](int64_t c) { return c != 0; })) {
    SmallVector<int64_t> low =
        llvm::map_to_vector(rest, [](int64_t c) { return c & -c; });
    result =
        b.createOrFold<arith::XOrIOp>(result, emitLinearMap(b, value, low));
    for (auto [c, l] : llvm::zip_equal(rest, low))
      c ^= l;
  }
  return result;
}

std::pair<Value, Value> te::emitLaneCoordinates(ImplicitLocOpBuilder &b,
                                                const KernelState &state,
                                                const LinearLayout &layout) {
  auto along = [&](unsigned dim) {
    auto columns = [&](LayoutInput input) {
      return llvm::map_to_vector(layout.getBases(input), [&](int64_t basis) {
        return layout.toCoordinates(basis)[dim];
      });
    };
    SmallVector<int64_t> lanes = columns(LayoutInput::Lane),
                         waves = columns(LayoutInput::Wave);
    Value sum =
        layout.isPermutation()
            ? b.createOrFold<arith::AddIOp>(emitLinearMap(b, state.lane, lanes),
                                            emitLinearMap(b, state.wave, waves))
            : b.createOrFold<arith::XOrIOp>(emitXorMap(b, state.lane, lanes),
                                            emitXorMap(b, state.wave, waves));
    return toIndex(b, sum);
  };
  return {along(0), along(1)};
}

Value te::emitSharedPointer(ImplicitLocOpBuilder &b, const KernelState &state,
                            Value byte) {
  Value raw = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, state.lds));
  auto type = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  Value start = LLVM::IntToPtrOp::create(b, type, raw);
  return LLVM::GEPOp::create(b, type, b.getI8Type(), start,
                             ArrayRef<LLVM::GEPArg>{byte});
}

/// Arithmetic on what stands outside of the loop.
static bool isInvariant(scf::ForOp loop, Value value) {
  Operation *op = value.getDefiningOp();
  return loop.isDefinedOutsideOfLoop(value) ||
         (op && isPure(op) &&
          llvm::all_of(op->getOperands(), [&](Value operand) {
            return isInvariant(loop, operand);
          }));
}

bool te::readsSameRows(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  if (!loop || loop.getBody()->getOps<RingOp>().empty())
    return false;
  auto moves = [&](auto load) {
    return load && isInvariant(loop, load.getRow()) &&
           !isInvariant(loop, load.getColumn());
  };
  return moves(dyn_cast<LoadOp>(op)) || moves(dyn_cast<AsyncCopyOp>(op));
}

bool te::isRare(Operation *op) {
  constexpr int64_t kMany = 16; // products
  auto getMemory = [](Operation *op) -> Value {
    if (auto store = dyn_cast<LocalStoreOp>(op))
      return store.getRing();
    auto load = dyn_cast<LoadOp>(op);
    return load ? load.getView() : Value();
  };
  Value memory = getMemory(op);
  if (!memory || !isa<scf::ForOp>(op->getParentOp()))
    return false;
  int64_t products = 0, alike = 0;
  for (Operation &other : *op->getBlock()) {
    products += isa<MmaOp>(other);
    alike += other.getName() == op->getName() && getMemory(&other) == memory;
  }
  return products >= kMany * alike;
}

Value te::emitLaneAfter(ImplicitLocOpBuilder &b, Value behind, bool isUniform) {
  Type i32 = b.getI32Type();
  // A zero that is not known to be one before the other is there.
  Value zero = LLVM::InlineAsmOp::create(
                   b, i32, ValueRange{emitI32(b, 0), behind}, /*asm_string=*/"",
                   /*constraints=*/isUniform ? "=v,0,s" : "=v,0,v",
                   /*has_side_effects=*/false,
                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                   /*asm_dialect=*/LLVM::AsmDialectAttr(),
                   /*operand_attrs=*/ArrayAttr())
                   .getRes();
  Value all = emitI32(b, -1);
  Value low = ROCDL::MbcntLoOp::create(b, i32, ValueRange{all, zero});
  return ROCDL::MbcntHiOp::create(b, i32, ValueRange{all, low});
}

Value te::emitIsOwner(ImplicitLocOpBuilder &b, const KernelState &state,
                      const LinearLayout &layout, bool lanes) {
  auto mask = [&](LayoutInput input) {
    int64_t bits = 0;
    for (auto [i, basis] : llvm::enumerate(layout.getBases(input)))
      bits |= int64_t(basis == 0) << i;
    return bits;
  };
  Value replica;
  for (auto [value, bits] :
       {std::pair(state.lane, lanes ? mask(LayoutInput::Lane) : 0),
        std::pair(state.wave, mask(LayoutInput::Wave))}) {
    if (!bits)
      continue;
    Value part = arith::AndIOp::create(b, value, emitI32(b, bits));
    replica =
        replica ? arith::OrIOp::create(b, replica, part).getResult() : part;
  }
  if (!replica)
    return {};
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, replica,
                               emitI32(b, 0));
}

SmallVector<int64_t> te::matchBlocks(const LinearLayout &large,
                                     const LinearLayout &small) {
  SmallVector<int64_t> picks;
  for (int64_t reg = 0; reg < large.getNumRegisters(); ++reg) {
    SmallVector<int64_t> at = large.toCoordinates(large.apply(reg, 0, 0));
    for (auto [c, l, s] :
         llvm::zip_equal(at, large.getShape(), small.getShape()))
      c /= l / s;
    picks.push_back(small.findRegister(small.toFlat(at)).value_or(0));
  }
  return picks;
}

void te::emitByOwner(ImplicitLocOpBuilder &b, const KernelState &state,
                     const LinearLayout &layout, function_ref<void()> body) {
  Value owner = emitIsOwner(b, state, layout);
  if (!owner)
    return body();
  auto branch = scf::IfOp::create(b, owner, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value te::emitSelectElements(ImplicitLocOpBuilder &b, Value vector,
                             ArrayRef<int64_t> picks) {
  auto type = cast<VectorType>(vector.getType());
  bool identity = int64_t(picks.size()) == type.getNumElements();
  for (auto [i, pick] : llvm::enumerate(picks))
    identity &= int64_t(i) == pick;
  if (identity)
    return vector;
  return vector::ShuffleOp::create(b, vector, vector, picks);
}

Value te::emitVectorBitcast(ImplicitLocOpBuilder &b, Value vector,
                            Type elementType) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = type.getNumElements() * getElementBytes(type);
  auto to =
      VectorType::get({bytes / getElementBytes(elementType)}, elementType);
  return b.createOrFold<vector::BitCastOp>(to, vector);
}

Value te::emitWords(ImplicitLocOpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  int64_t bytes = type.getNumElements() * getElementBytes(type);
  // What one instruction loads LLVM splits to pad it by elements.
  if (bytes < 4 && llvm::isPowerOf2_64(bytes)) {
    Value bits = emitVectorBitcast(b, vector, b.getIntegerType(8 * bytes));
    return arith::ExtUIOp::create(b, VectorType::get({1}, b.getI32Type()),
                                  bits);
  }
  if (bytes % 4 != 0) {
    int64_t perWord = 4 / getElementBytes(type);
    SmallVector<int64_t> picks(llvm::alignTo(type.getNumElements(), perWord),
                               0);
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      picks[i] = i;
    vector = vector::ShuffleOp::create(b, vector, vector, picks);
  }
  return emitVectorBitcast(b, vector, b.getI32Type());
}

Value te::emitFromWords(ImplicitLocOpBuilder &b, Value words, VectorType type) {
  Value result = emitVectorBitcast(b, words, type.getElementType());
  if (result.getType() == type)
    return result;
  return vector::ExtractStridedSliceOp::create(
      b, result, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{type.getNumElements()},
      ArrayRef<int64_t>{1});
}

Value te::hasLaneBit(ImplicitLocOpBuilder &b, const KernelState &state,
                     int64_t bit) {
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, state.lane, emitI32(b, bit)), emitI32(b, 0));
}

Value te::emitShuffleXor(ImplicitLocOpBuilder &b, const KernelState &state,
                         Value vector, int64_t mask) {
  auto type = cast<VectorType>(vector.getType());
  Value words = emitWords(b, vector);
  auto wordsType = cast<VectorType>(words.getType());
  SmallVector<Value> received;
  for (int64_t i = 0; i < wordsType.getNumElements(); ++i) {
    Value word = vector::ExtractOp::create(b, words, i);
    received.push_back(gpu::ShuffleOp::create(b, word, mask,
                                              state.target->waveSize,
                                              gpu::ShuffleMode::XOR)
                           .getShuffleResult());
  }
  return emitFromWords(
      b, vector::FromElementsOp::create(b, wordsType, received), type);
}

void te::emitWait(ImplicitLocOpBuilder &b, SharedScratch scratch) {
  if (scratch.waits)
    gpu::BarrierOp::create(b);
}

void te::emitLdsStore(ImplicitLocOpBuilder &b, const KernelState &state,
                      Value vector, Value byteAddress) {
  Value bytes = emitVectorBitcast(b, vector, b.getI8Type());
  int64_t size = cast<VectorType>(bytes.getType()).getNumElements();
  vector::StoreOp::create(b, bytes, state.lds,
                          ValueRange(toIndex(b, byteAddress)),
                          /*nontemporal=*/false, llvm::MaybeAlign(size));
}

Value te::emitLdsLoad(ImplicitLocOpBuilder &b, const KernelState &state,
                      VectorType type, Value byteAddress) {
  int64_t size = type.getNumElements() * getElementBytes(type);
  Value bytes =
      vector::LoadOp::create(b, VectorType::get({size}, b.getI8Type()),
                             state.lds, ValueRange(toIndex(b, byteAddress)),
                             /*nontemporal=*/false, llvm::MaybeAlign(size));
  return emitVectorBitcast(b, bytes, type.getElementType());
}
