//===- Passes.td - passes from one level to the next ------*- tablegen -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_CONVERSION_PASSES_TD
#define TE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def TEToTilePass : Pass<"te-to-tile", "::mlir::ModuleOp"> {
  let summary = "each te.fusion becomes a tile.kernel and a tile.launch";
  let description = [{
    The region's ops are lowered one by one through `TileLoweringInterface`, values staying in
    registers between them; the region's place in the function is taken by a `tile.launch`
    whose grid is computed from the dynamic dimensions.

    ```mlir
    %q = te.fusion "f_0" (%a = %x : tensor<?x64xbf16>) -> (...) attributes {schedule = ...} {...}
    // ==>
    %q = tile.launch @f_0 grid(%gx, %gy) ins(%x : ...) sizes(%m) -> ...
    tile.kernel @f_0(%0: memref<bf16>, %1: memref<f8E4M3FN>, %2: memref<i8>, %m: index) ... {
      %view = memref.reinterpret_cast %0 ...
      %t = tile.load %view[%row, %col] : ... -> tensor<32x64xbf16, #tile.layout<...>>
      ...
    }
    ```
    Fails, with the scheme named, on schemes that have no kernel.
  }];
  let dependentDialects = ["::mlir::te::tile::TileDialect"];
}

def TileDistributePass : Pass<"tile-distribute", "::mlir::ModuleOp"> {
  let summary = "layouts decide which lane holds what: tiles become vectors";
  let description = [{
    Each `tile.kernel` becomes a `gpu.func` in `gpu.module @kernels`; a tile becomes the vector
    of the registers that its layout gives a lane. What crosses lanes or waves (reductions,
    layout conversions) becomes lane exchanges or trips through one LDS buffer, computed from the layouts.

    ```mlir
    %a = arith.mulf %x, %y : tensor<32x512xf32, #layout>
    // ==>
    %a = arith.mulf %x, %y : vector<64xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::gpu::GPUDialect", "::mlir::vector::VectorDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

#endif // TE_CONVERSION_PASSES_TD
