//===- TETypes.td - types of the te dialect ---------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_TYPES_TD
#define TE_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEAttrs.td"

def TE_ScaledType : TypeDef<TE_Dialect, "Scaled", [ShapedTypeInterface]> {
  let mnemonic = "scaled";
  let summary = "a quantized tensor: data and scales as one value";
  let description = [{
    `!te.scaled<4096x4096xf8E4M3FN, #te.scaling<...>>`. The shape is the logical one,
    whatever the data layout. Shapes, padding and storage of data and scales follow
    from the type: see `getDataStorage` and `getScaleStorage`, and constraints
    S1 to S9 of `docs/spec.md`.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "Type":$elementType,
    "ScalingAttr":$scaling);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    ScaledType cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const;
    bool isFP4() const { return isa<Float4E2M1FNType>(getElementType()); }
    /// One storage dimension: roundUp(ceilDiv(source, divisor), multiple), where
    /// the source is 1, a logical dimension, or the product of a range of them.
    struct StorageDim {
      unsigned firstDim = 0, numDims = 0; // product of shape[firstDim .. +numDims)
      int64_t divisor = 1, multiple = 1;
      /// The size for the given logical shape (dynamic sizes filled in).
      int64_t evaluate(ArrayRef<int64_t> shape) const;
    };
    /// The stored data's dimensions, in units of its storage element: one element, or
    /// for fp4 one byte of two elements.
    SmallVector<StorageDim> getDataStorage() const;
    /// The stored scales' dimensions: rank 0 for `tensor`.
    SmallVector<StorageDim> getScaleStorage() const;
    /// The byte or f32 value that padding in the scales holds.
    double getScalePadding() const;
  }];
}

#endif // TE_TYPES_TD
