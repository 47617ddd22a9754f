//===- Toy.td - a dialect with one contraction ------------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "te/Dialect/TE/IR/TEBase.td"
include "te/Dialect/TE/IR/TEInterfaces.td"

def Toy_Dialect : Dialect {
  let name = "toy";
  let cppNamespace = "::mlir::te::toy";
}

def Toy_Matrix : 2DTensorOf<[BF16, F16, F32]>;

def Toy_TrilProductOp : Op<Toy_Dialect, "tril_product", [
    Pure, AllElementTypesMatch<["a", "b"]>, TE_IterationSpace<["mk", "kn"], ["mn"]>,
    DeclareOpInterfaceMethods<TE_TileLoweringInterface>]> {
  let summary = "C = tril(A) B";
  let description = [{
    Row i of C is the sum of a[i, k] times row k of B for k <= i, in f32, rounded once. What A holds above its
    diagonal is not used. A row of C near an Inf or NaN in a later row of B is unspecified.

    Constraint: T1 A is M x M, B M x N and C M x N.
  }];
  let arguments = (ins Toy_Matrix:$a, Toy_Matrix:$b);
  let results = (outs Toy_Matrix:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}
