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
    registers between them. A `tile.launch` replaces the region in the function; its grid is computed from the
    dynamic dimensions.

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
  let summary = "tiles become the vectors that their layouts give each lane";
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
    "::mlir::memref::MemRefDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::ROCDL::ROCDLDialect"
  ];
}

def ForwardSlicesPass : Pass<"te-forward-slices", "::mlir::ModuleOp"> {
  let summary = "forward slices of vectors to their uses";
  let description = [{
    A lane's registers of a tile are one vector, built from what it loads and split again for each
    instruction. An operand that comes from other vectors by way of `vector.insert_strided_slice`,
    `vector.extract_strided_slice` and `vector.shuffle` of whole registers (32 bits) is made from those directly.

    ```mlir
    %1 = vector.insert_strided_slice %a, %0 {offsets = [0], strides = [1]} : vector<4xf32> into vector<8xf32>
    %2 = vector.insert_strided_slice %b, %1 {offsets = [4], strides = [1]} : vector<4xf32> into vector<8xf32>
    %3 = vector.extract_strided_slice %2 {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
    "use"(%3)
    // ==>
    "use"(%b)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def SplitCarriedPass : Pass<"te-split-carried", "::mlir::ModuleOp"> {
  let summary = "loops and branches carry accumulators as one vector per matrix instruction";
  let description = [{
    In kernels with matrix instructions, a vector of f32 that `scf.for` or `scf.if` carries, the accumulators of several
    instructions, becomes one vector for each. LLVM would allocate consecutive registers for all of it, and copy where
    an instruction's part is in others.

    ```mlir
    %1 = scf.if %c -> (vector<32xf32>) { .. }
    // ==>
    %1:2 = scf.if %c -> (vector<16xf32>, vector<16xf32>) { .. }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def UnpackArithmeticPass : Pass<"te-unpack-arithmetic", "::mlir::ModuleOp"> {
  let summary = "no packed f32 instructions in loops with matrix instructions";
  let description = [{
    `arith` and `math.fma` of vectors of f32, in loops with matrix instructions, are split into elements. The backend
    would emit packed instructions of two elements, which AMD's chips do not issue before the last matrix instruction of
    the SIMD has ended.

    ```mlir
    %2 = arith.mulf %0, %1 : vector<2xf32>
    // ==>
    %a = vector.extract %0[0] : f32 from vector<2xf32>
    %b = vector.extract %1[0] : f32 from vector<2xf32>
    %c = arith.mulf %a, %b : f32
    ..
    %2 = vector.from_elements %c, %f : vector<2xf32>
    ```
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect"];
}

def EmbedConstantsPass : Pass<"te-embed-constants", "::mlir::ModuleOp"> {
  let summary = "constants that kernels read become data of the code object";
  let description = [{
    A constant tensor in host code is a buffer of the program: its bytes are a global variable of the kernels' module,
    and `te.symbol` names it. A launch passes its address like that of any other buffer. Equal constants are one symbol.
    Immediates (`te-fuse` copies them into regions) are none of these.

    ```mlir
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    // ==>
    %c = arith.constant {te.symbol = "te_constant_0"} dense<[1.0, 2.0]> : tensor<2xf32>
    gpu.module @kernels {
      llvm.mlir.global external protected constant @te_constant_0(dense<...> : tensor<8xi8>) ...
    }
    ```
    Fails on elements that are not whole bytes.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def GPUToAMDGPUPass : Pass<"te-gpu-to-amdgpu", "::mlir::ModuleOp"> {
  let summary = "lane exchanges and fp8 conversions by the chip's instructions";
  let description = [{
    Lane exchanges by a constant XOR become DPP or swizzles where the pattern has one.
    `arith.truncf`/`extf` between f32 and 8-bit floats: where the chip's encoding (OCP or FNUZ)
    is the type's, they become its conversions; where it is the sibling's, the byte that stands for x in
    one stands for x/2 in the other, and NaN and -0, on which the two
    disagree, are corrected in the bits. Inputs of `truncf` are within the format's range or NaN.
    `arith.scaling_truncf` by one scale becomes the packed scaled conversions. `arith.trunci` of 16-bit
    integers to bytes, their low or their high ones, picks four at once from two words; bytes are shifted, and their
    bits joined, in words.

    ```mlir
    %q = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
    // ==>
    %0 = amdgpu.packed_trunc_2xfp8 %x0, %x1 into undef[word 0] : f32 to vector<4xf8E4M3FN>
    %q = amdgpu.packed_trunc_2xfp8 %x2, %x3 into %0[word 1] : f32 to vector<4xf8E4M3FN> into ...
    ```
  }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerToROCDLPass : Pass<"lower-to-rocdl", "::mlir::ModuleOp"> {
  let summary = "gpu.module to ROCDL and LLVM, with no call left to ocml";
  let description = [{
    Upstream's conversions of scf, cf, arith, math, vector, memref, gpu and amdgpu, in
    one go, with pointers as kernel arguments. Sets the attributes that the backend reads: the
    workgroup size and the floating-point mode.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::cf::ControlFlowDialect"
  ];
}

def GPUToNVVMPass : Pass<"te-gpu-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "fp8 and bf16 conversions by the chip's instructions, for NVIDIA's chips";
  let description = [{
    `arith.truncf`/`extf` between vectors of f32 and OCP 8-bit floats become packed conversions, two
    elements each, and so does `truncf` to bf16. The upper one of two bf16 is widened, and
    integers of less than a word are shifted, their bytes picked, and logic of bytes computed, in words. Inputs of
    `truncf` to 8 bits are within the format's range or NaN; a clamp that ensures it is left out, as the instruction
    saturates. Lane exchanges, votes and barriers have conversions upstream, which lower-to-nvvm applies.

    ```mlir
    %q = arith.truncf %x : vector<2xf32> to vector<2xf8E4M3FN>
    // ==>
    %r = nvvm.convert.f32x2.to.f8x2 %x1, %x0 {rnd = #nvvm.fp_rnd_mode<rn>, sat = ...} : i16 (f8E4M3FN)
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"];
}

def LowerToNVVMPass : Pass<"lower-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "gpu.module to NVVM and LLVM, with no call left to libdevice";
  let description = [{
    Upstream's conversions of scf, cf, arith, math, vector, memref and gpu, in one go, with pointers
    as kernel arguments. Exponentials and logarithms are written with `ex2.approx` and fma
    to 4 ulp, denormals kept.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect"
  ];
}

#endif // TE_CONVERSION_PASSES_TD
