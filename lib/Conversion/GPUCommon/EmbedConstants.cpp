//===- EmbedConstants.cpp - te-embed-constants ----------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants that kernels read become data of the code object, after
// tile-distribute:
//   te-opt --te-embed-constants
//
//   %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
//   tile.launch @f_0 grid(..) ins(%c : tensor<2xf32>) ..
// ==>
//   %c = arith.constant {te.symbol = "te_constant_0"} dense<[1.0, 2.0]> ..
//   tile.launch @f_0 grid(..) ins(%c : tensor<2xf32>) ..
//   gpu.module @kernels {
//     llvm.mlir.global external constant @te_constant_0(dense<..> : bytes)
//   }
//
// A launch passes the address of the symbol, as of any buffer, so that kernels
// which differ in their constants only are one. Equal constants are one symbol.
//
// Limits: elements of whole bytes; a dense or a dense_resource constant.
//
//===----------------------------------------------------------------------===//

#include "te/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::te;

namespace mlir::te {
#define GEN_PASS_DEF_EMBEDCONSTANTSPASS
#include "te/Conversion/Passes.h.inc"
} // namespace mlir::te

/// What loads of any width and the copy engines like.
static constexpr int64_t kAlignment = 256;

/// The bytes of a constant as a buffer has them; nothing where it has none.
static std::optional<SmallVector<char>> getBytes(Attribute value) {
  auto elements = dyn_cast<ElementsAttr>(value);
  Type type = elements ? elements.getElementType() : Type();
  if (!type || !type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    return blob ? std::optional(SmallVector<char>(blob->getData()))
                : std::nullopt;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  SmallVector<char> bytes(dense.getRawData());
  if (dense.isSplat()) {
    SmallVector<char> one = std::exchange(bytes, {});
    for (int64_t i = 0; i < dense.getNumElements(); ++i)
      llvm::append_range(bytes, one);
  }
  return bytes;
}

namespace {
struct EmbedConstantsPass
    : te::impl::EmbedConstantsPassBase<EmbedConstantsPass> {
  /// The symbol of each constant that has one.
  llvm::DenseMap<Attribute, StringAttr> symbols;

  /// The symbol of a constant's data in `kernels`; null where it has no bytes.
  StringAttr embed(gpu::GPUModuleOp kernels, Attribute value) {
    StringAttr &symbol = symbols[value];
    std::optional<SmallVector<char>> bytes = getBytes(value);
    if (symbol || !bytes)
      return symbol;
    Builder attributes(&getContext());
    symbol =
        attributes.getStringAttr("te_constant_" + Twine(symbols.size() - 1));
    if (bytes->empty())
      bytes->push_back(0); // no symbol has none
    Type i8 = attributes.getI8Type();
    int64_t count = bytes->size();
    auto data = DenseElementsAttr::getFromRawBuffer(
        RankedTensorType::get({count}, i8), *bytes);
    OpBuilder builder = OpBuilder::atBlockEnd(kernels.getBody());
    constexpr unsigned kGlobalMemory = 1; // of AMDGPU and of NVPTX
    LLVM::GlobalOp::create(builder, kernels.getLoc(),
                           LLVM::LLVMArrayType::get(i8, count),
                           /*isConstant=*/true, LLVM::Linkage::External, symbol,
                           data, kAlignment, kGlobalMemory)
        .setVisibility_(LLVM::Visibility::Protected);
    return symbol;
  }

  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<gpu::GPUModuleOp>(kKernelModule);
    if (!kernels)
      return;
    symbols.clear();
    getOperation().walk([&](func::FuncOp func) {
      for (auto constant : func.getOps<arith::ConstantOp>()) {
        if (!isa<ShapedType>(constant.getType()))
          continue;
        StringAttr symbol = embed(kernels, constant.getValue());
        if (symbol)
          constant->setAttr(kSymbolAttrName, symbol);
        else
          constant.emitError()
              << "a constant of " << constant.getType()
              << " has no bytes that a kernel could read; give elements of "
                 "whole bytes, dense or dense_resource",
              signalPassFailure();
      }
    });
  }
};
} // namespace
