// Each level names the op that does not belong to it, and the pass that should have
// replaced it.

// RUN: split-file %s %t
// RUN: te-opt %t/te.mlir --te-verify-level=level=te
// RUN: te-opt %t/te.mlir --te-verify-level
// RUN: not te-opt %t/te.mlir --te-verify-level=level=fused 2>&1 | FileCheck %s --check-prefix=FUSED
// FUSED: te.mlir:[[#]]:[[#]]: error: 'te.amax' does not belong in host code at the fused level, which te-fuse and te-schedule should have made
// RUN: not te-opt %t/te.mlir --te-verify-level=level=tile 2>&1 | FileCheck %s --check-prefix=TILE
// TILE: error: 'te.amax' does not belong in host code at the tile level, which te-to-tile should have made
// RUN: not te-opt %t/scf.mlir --te-verify-level=level=te 2>&1 | FileCheck %s --check-prefix=SCF
// SCF: error: 'scf.for' does not belong in host code at the te level, which the input is written in
// RUN: not te-opt %t/te.mlir --te-verify-level=level=gfx 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: te-verify-level: unknown level 'gfx'; it is te, fused, tile, gpu, rocdl or nvvm

// A te.fusion is at home at the te level too, but gone at tile.
// RUN: te-opt %t/fused.mlir --te-verify-level=level=te
// RUN: te-opt %t/fused.mlir --te-verify-level=level=fused
// RUN: not te-opt %t/fused.mlir --te-verify-level=level=tile 2>&1 | FileCheck %s --check-prefix=FUSION
// FUSION: error: 'te.fusion' does not belong in host code at the tile level, which te-to-tile should have made

// Kernels: tile ops at tile, upstream ops at gpu, LLVM only at rocdl.
// RUN: te-opt %t/tile.mlir --te-verify-level=level=tile
// RUN: not te-opt %t/tile.mlir --te-verify-level=level=te 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'tile.kernel' does not belong in host code at the te level
// RUN: not te-opt %t/tile.mlir --te-verify-level=level=gpu 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: 'tile.kernel' does not belong in host code at the gpu level, which tile-distribute should have made
// RUN: not te-opt %t/amdgpu.mlir --te-verify-level=level=tile 2>&1 | FileCheck %s --check-prefix=AMDGPU
// AMDGPU: error: 'amdgpu.lds_barrier' does not belong in a kernel at the tile level
// RUN: te-opt %t/gpu.mlir --te-verify-level=level=gpu
// RUN: not te-opt %t/gpu.mlir --te-verify-level=level=rocdl 2>&1 | FileCheck %s --check-prefix=ROCDL
// ROCDL: error: 'gpu.func' does not belong in a kernel at the rocdl level, which lower-to-rocdl should have made
// RUN: te-opt %t/rocdl.mlir --te-verify-level=level=rocdl
// RUN: not te-opt %t/gpu.mlir --te-verify-level=level=nvvm 2>&1 | FileCheck %s --check-prefix=NVVM
// NVVM: error: 'gpu.func' does not belong in a kernel at the nvvm level, which lower-to-nvvm should have made
// RUN: not te-opt %t/tile.mlir --te-verify-level=level=rocdl 2>&1 | FileCheck %s --check-prefix=KERNEL
// KERNEL: error: 'tile.kernel' does not belong in host code at the rocdl level

//--- te.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %a = te.amax %x : tensor<4xf32> -> tensor<f32>
  return %a : tensor<f32>
}
//--- scf.mlir
func.func @f(%n: index) {
  scf.for %i = %n to %n step %n {
  }
  return
}
//--- fused.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %r = te.fusion "k" (%a = %x : tensor<4xf32>) -> (tensor<f32>) {
    %0 = te.amax %a : tensor<4xf32> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}
//--- tile.mlir
tile.kernel @k() attributes {target = "gfx950", waves = 1 : i64} {
  gpu.barrier
}
//--- amdgpu.mlir
tile.kernel @k() attributes {target = "gfx950", waves = 1 : i64} {
  amdgpu.lds_barrier
}
//--- gpu.mlir
gpu.module @kernels {
  gpu.func @k() kernel {
    gpu.return
  }
}
//--- rocdl.mlir
gpu.module @kernels {
  llvm.func @k() {
    llvm.return
  }
}
