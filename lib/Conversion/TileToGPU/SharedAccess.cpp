//===- SharedAccess.cpp - tiles in LDS, and rings of them -----------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedAccess.h"

#include "te/Target/Target.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::tile;

SharedAccess::Addresses::Addresses(SharedAccess &access,
                                   const LinearLayout &layout)
    : access(access) {
  auto &b = access.b;
  auto columns = [&](LayoutInput input) {
    return llvm::map_to_vector(layout.getBases(input), [&](int64_t basis) {
      int64_t column = access.shared.address(basis) * access.bytes;
      variable |= column;
      return column;
    });
  };
  base = b.createOrFold<arith::XOrIOp>(
      emitXorMap(b, access.state.lane, columns(LayoutInput::Lane)),
      emitXorMap(b, access.state.wave, columns(LayoutInput::Wave)));
}

void SharedAccess::Addresses::advance(const LinearLayout &layout, Value offset,
                                      unsigned dim) {
  ArrayRef<int64_t> shape = layout.getShape();
  int64_t stride = dim == 0 ? shape[1] : 1;
  // A constant's bits are where instructions have a field for them.
  if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
    first = *constant * stride;
    return;
  }
  SmallVector<int64_t> ofOffset;
  for (int64_t bit = 1; bit < shape[dim]; bit *= 2) {
    ofOffset.push_back(access.shared.address(bit * stride) * access.bytes);
    variable |= ofOffset.back();
  }
  auto &b = access.b;
  base = b.createOrFold<arith::XOrIOp>(base, emitXorMap(b, offset, ofOffset));
}

/// The same value; what is added to it later is not added to what it comes
/// from.
static Value emitOpaque(ImplicitLocOpBuilder &b, Value value) {
  return LLVM::InlineAsmOp::create(
             b, value.getType(), value, /*asm_string=*/"",
             /*constraints=*/"=v,0", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getRes();
}

/// What no lane's own bits overlap with is added last, where the instruction
/// has a field for it. Of what lies after the field's end the place comes
/// first, so that all slots are in reach of one register; a slot that changes
/// comes first too, so that a loop does not keep what each part makes of a
/// lane's address.
Value SharedAccess::Addresses::get(int64_t flat) {
  constexpr int64_t reach = 1 << 16;
  auto &b = access.b;
  int64_t address = access.shared.address(flat ^ first) * access.bytes;
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(x, y);
  };
  Value result = base, own = emitI32(b, address & variable);
  bool isKnown = !access.start || getConstantIntValue(access.start);
  bool isAligned =
      access.place % int64_t(llvm::PowerOf2Ceil(variable + 1)) == 0;
  if (isKnown || !isAligned)
    result = b.createOrFold<arith::XOrIOp>(result, own);
  result = add(result, emitI32(b, access.place));
  if (!isKnown)
    result = add(result, access.start);
  if (access.place + access.size > reach && access.state.target->amd)
    result = emitOpaque(b, result);
  if (!isKnown && isAligned)
    result = b.createOrFold<arith::XOrIOp>(result, own);
  if (isKnown && access.start)
    result = add(result, access.start);
  return add(result, emitI32(b, address & ~variable));
}

/// What all writes of rings that are apart belong to, and no read of them.
static ArrayAttr getSlotScopes(MLIRContext *context) {
  auto id = StringAttr::get(context, "te.slots");
  auto domain = LLVM::AliasScopeDomainAttr::get(context, id, StringAttr());
  return ArrayAttr::get(
      context, LLVM::AliasScopeAttr::get(context, id, domain, StringAttr()));
}

/// A pointer to LDS: vector.load and vector.store have no alias scopes.
static Value emitPointer(ImplicitLocOpBuilder &b, Value lds, Value address) {
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), ROCDL::ROCDLDialect::kSharedMemoryAddressSpace);
  Value start = b.createOrFold<arith::IndexCastOp>(
      b.getI32Type(), memref::ExtractAlignedPointerAsIndexOp::create(b, lds));
  return LLVM::GEPOp::create(b, pointer, b.getI8Type(),
                             LLVM::IntToPtrOp::create(b, pointer, start),
                             ArrayRef<LLVM::GEPArg>{address});
}

void SharedAccess::emitStore(Value part, Value address) {
  if (!areSeparate)
    return emitLdsStore(b, state, part, address);
  Value data = emitVectorBitcast(b, part, b.getI8Type());
  int64_t size = cast<VectorType>(data.getType()).getNumElements();
  LLVM::StoreOp::create(b, data, emitPointer(b, state.lds, address), size)
      .setAliasScopesAttr(getSlotScopes(b.getContext()));
}

Value SharedAccess::emitLoad(VectorType part, Value address) {
  if (!areSeparate)
    return emitLdsLoad(b, state, part, address);
  int64_t size = part.getNumElements() * bytes;
  auto load = LLVM::LoadOp::create(b, VectorType::get({size}, b.getI8Type()),
                                   emitPointer(b, state.lds, address), size);
  load.setNoaliasScopesAttr(getSlotScopes(b.getContext()));
  return emitVectorBitcast(b, load, part.getElementType());
}

void SharedAccess::store(Value vector, const LinearLayout &layout,
                         int64_t segment) {
  int64_t size = shared.getVectorElements();
  SmallVector<int64_t> order = shared.registerOrder(layout);
  Value sorted = emitPermuted(b, state, vector, order);
  // What leaves together, as few whole numbers.
  int64_t width = std::min<int64_t>(size * bytes, sizeof(uint32_t));
  if (bytes == 1)
    sorted = emitVectorBitcast(b, sorted, b.getIntegerType(8 * width));
  int64_t each =
      cast<VectorType>(sorted.getType()).getNumElements() * size / order.size();
  Addresses addresses(*this, layout);
  for (size_t first = 0; first < order.size(); first += size) {
    int64_t flat = layout.apply(order[first], 0, 0);
    if (shared.getSegment(flat) != segment)
      continue;
    Value part = vector::ExtractStridedSliceOp::create(
        b, sorted, ArrayRef<int64_t>{int64_t(first) / size * each},
        ArrayRef<int64_t>{each}, ArrayRef<int64_t>{1});
    emitStore(part, addresses.get(flat));
  }
}

Value SharedAccess::makeResult(const LinearLayout &layout) {
  return arith::ConstantOp::create(
      b, b.getZeroAttr(VectorType::get({layout.getNumRegisters()}, element)));
}

Value SharedAccess::emitTransposedLoad(VectorType type, Value address) {
  Value start = b.createOrFold<arith::IndexCastOp>(
      b.getI32Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, state.lds));
  Value pointer = LLVM::IntToPtrOp::create(
      b,
      LLVM::LLVMPointerType::get(
          b.getContext(), ROCDL::ROCDLDialect::kSharedMemoryAddressSpace),
      b.createOrFold<arith::AddIOp>(start, address));
  Value loaded;
  if (bytes == 1)
    loaded = ROCDL::ds_read_tr8_b64::create(
        b, VectorType::get({2}, b.getI32Type()), pointer);
  else
    loaded = ROCDL::ds_read_tr16_b64::create(
        b, VectorType::get({4}, b.getI16Type()), pointer);
  return emitVectorBitcast(b, loaded, type.getElementType());
}

Value SharedAccess::read(Value result, const LinearLayout &layout,
                         int64_t segment, Addresses addresses, bool transposes,
                         bool columnsFirst) {
  int64_t size = shared.getVectorElements();
  SmallVector<int64_t> order = shared.registerOrder(layout);
  auto part = VectorType::get({size}, element);
  SmallVector<size_t> vectors =
      llvm::to_vector(llvm::seq<size_t>(order.size() / size));
  auto getPlace = [&](size_t vector) {
    int64_t flat = layout.apply(order[vector * size], 0, 0),
            columns = layout.getShape().back();
    return std::pair(flat % columns, flat / columns);
  };
  if (columnsFirst)
    llvm::stable_sort(
        vectors, [&](size_t x, size_t y) { return getPlace(x) < getPlace(y); });
  for (size_t vector : vectors) {
    size_t first = vector * size;
    int64_t flat = layout.apply(order[first], 0, 0);
    if (shared.getSegment(flat) != segment)
      continue;
    Value address = addresses.get(flat);
    result = vector::InsertStridedSliceOp::create(
        b,
        transposes ? emitTransposedLoad(part, address)
                   : emitLoad(part, address),
        result, ArrayRef<int64_t>{int64_t(first)}, ArrayRef<int64_t>{1});
  }
  return result;
}

Value SharedAccess::reorder(Value vector, const LinearLayout &layout) {
  SmallVector<int64_t> order = shared.registerOrder(layout);
  SmallVector<int64_t> back(order.size());
  for (auto [i, reg] : llvm::enumerate(order))
    back[reg] = i;
  return emitSelectElements(b, vector, back);
}

Value SharedAccess::get(const LinearLayout &layout) {
  return reorder(
      read(makeResult(layout), layout, /*segment=*/0, Addresses(*this, layout)),
      layout);
}

Value SharedAccess::loadSlice(const LinearLayout &reads, Value offset,
                              unsigned dim, bool transposes,
                              bool columnsFirst) {
  Addresses addresses(*this, reads);
  addresses.advance(reads, offset, dim);
  return reorder(read(makeResult(reads), reads, /*segment=*/0, addresses,
                      transposes, columnsFirst),
                 reads);
}

void SharedAccess::copyAsync(BufferAccess &memory, const LinearLayout &places) {
  int64_t size = shared.getRunElements(), vector = size * bytes,
          wave = vector * state.target->waveSize, stride = wave * state.waves;
  Value base = b.createOrFold<arith::IndexCastOp>(
      b.getI32Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, state.lds));
  auto add = [&](Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(x, y);
  };
  base = add(base, b.createOrFold<arith::MulIOp>(state.wave, emitI32(b, wave)));
  base = add(base, emitI32(b, place));
  if (start)
    base = add(base, start);
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), ROCDL::ROCDLDialect::kSharedMemoryAddressSpace);
  for (int64_t reg = 0; reg < places.getNumRegisters(); reg += size) {
    SmallVector<int64_t> at = places.toCoordinates(places.apply(reg, 0, 0));
    Value place = LLVM::IntToPtrOp::create(
        b, pointer, add(base, emitI32(b, reg / size * stride)));
    memory.copyAsync(place, vector, at[0], at[1]);
  }
}

bool SharedAccess::copy(TileAccess &memory, const LinearLayout &layout,
                        bool isInside) {
  int64_t size = shared.getVectorElements();
  SmallVector<int64_t> order = shared.registerOrder(layout);
  if (size * bytes != state.target->laneCopyBytes || memory.size() != size ||
      memory.aligned || !llvm::is_sorted(order))
    return false;
  auto pointer = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  Value raw = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, memory.view));
  Value buffer = LLVM::IntToPtrOp::create(b, pointer, raw);
  Addresses addresses(*this, layout);
  for (unsigned v = 0; v < memory.offsets.size(); ++v) {
    auto [r, c] = memory.position(v);
    Value at = arith::IndexCastOp::create(b, b.getI64Type(),
                                          memory.flatten(r, c)),
          from = LLVM::GEPOp::create(b, pointer, element, buffer,
                                     ArrayRef<LLVM::GEPArg>{at}),
          to = emitSharedPointer(b, state,
                                 addresses.get(layout.apply(v * size, 0, 0)));
    // Of rows after the last nothing is read, and zeros are written.
    Value read = isInside ? Value()
                          : arith::SelectOp::create(b, memory.isRowInside(r),
                                                    emitI32(b, size * bytes),
                                                    emitI32(b, 0))
                                .getResult();
    NVVM::CpAsyncOp::create(b, to, from, size * bytes,
                            NVVM::LoadCacheModifierKind::CG, read);
  }
  NVVM::CpAsyncCommitGroupOp::create(b);
  return true;
}

Value SharedAccess::exchange(Value vector, const LinearLayout &from,
                             const LinearLayout &to) {
  // A wave's own accesses of LDS keep their order.
  bool crosses = crossesWaves(from, to);
  Value result = makeResult(to);
  for (int64_t segment : shared.getSegments()) {
    if (segment && crosses)
      gpu::BarrierOp::create(b);
    emitByOwner(b, state, from, [&] { store(vector, from, segment); });
    if (crosses)
      gpu::BarrierOp::create(b);
    result = read(result, to, segment, Addresses(*this, to));
  }
  return reorder(result, to);
}
