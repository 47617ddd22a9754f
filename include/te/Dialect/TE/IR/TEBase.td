//===- TEBase.td - the te dialect -------------------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_BASE_TD
#define TE_BASE_TD

include "mlir/Interfaces/SideEffectInterfaces.td"

def TE_Dialect : Dialect {
  let name = "te";
  let cppNamespace = "::mlir::te";
  let summary = "Transformer-Engine operations on tensors: what is computed";
  let description = [{
    The tensor level: value semantics, quantized tensors as single SSA values
    (`!te.scaled`), no schedule. The mathematics of each op is in `docs/spec.md`,
    whose constraint numbers (Q1, S3, ...) the verifiers quote.
  }];
  let dependentDialects = ["tensor::TensorDialect", "arith::ArithDialect"];
  let hasConstantMaterializer = 1;
  let hasRegionArgAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// What operands may be
//===----------------------------------------------------------------------===//

class TE_Op<string mnemonic, list<Trait> traits = []>
    : Op<TE_Dialect, mnemonic, traits>;

def TE_HighPrecision : AnyTypeOf<[BF16, F16, F32], "bf16, f16 or f32">;
def TE_HPTensor : RankedTensorOf<[BF16, F16, F32]>;
def TE_F32Scalar : 0DTensorOf<[F32]>;
def TE_RngState : 1DTensorOf<[I64]>;
/// Any !te.scaled, printed with its mnemonic like every other type.
def TE_AnyScaled : Type<CPred<"::llvm::isa<::mlir::te::ScaledType>($_self)">,
                        "!te.scaled">;

#endif // TE_BASE_TD
