// te-opt's pipeline is te-compile's, up to any level, on both chips; each level passes
// its own verifier.

// RUN: te-opt %s --te-pipeline="target=gfx950 to=te" | FileCheck %s --check-prefix=TE
// RUN: te-opt %s --te-pipeline="target=gfx950 to=fused" | FileCheck %s --check-prefix=FUSED
// RUN: te-opt %s --te-pipeline="target=gfx950 to=tile" | FileCheck %s --check-prefix=TILE
// RUN: te-opt %s --te-pipeline="target=gfx950 to=gpu" | FileCheck %s --check-prefixes=GPU,GPU950
// RUN: te-opt %s --te-pipeline="target=gfx942 to=gpu" | FileCheck %s --check-prefixes=GPU,GPU942
// RUN: te-opt %s --te-pipeline="target=gfx950 to=rocdl" | FileCheck %s --check-prefixes=ROCDL,ROCDL950
// RUN: te-opt %s --te-pipeline="target=gfx942 to=rocdl" | FileCheck %s --check-prefixes=ROCDL,ROCDL942
// RUN: te-opt %s --te-pipeline=target=gfx950 | FileCheck %s --check-prefixes=ROCDL,ROCDL950

// What te-compile prints is the same.
// RUN: te-opt %s --te-pipeline="target=gfx942 to=rocdl" > %t.opt
// RUN: te-compile %s --target=gfx942 --emit=rocdl -o - | diff -B %t.opt -

// Chips and levels that there are not.
// RUN: not te-opt %s --te-pipeline="target=gfx90a" 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: te-pipeline.mlir:[[#]]:[[#]]: error: unknown target 'gfx90a'; te-mlir compiles for gfx942, gfx950, sm_90a
// RUN: not te-opt %s --te-pipeline="target=gfx950 to=asm" 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: te-verify-level: unknown level 'asm'; it is te, fused, tile, gpu, rocdl or nvvm

// TE: te.quantize
// TE-NOT: te.fusion
// FUSED: te.fusion "f_0{{.*}} attributes {{{.*}}schedule = #
// FUSED-NOT: tile.kernel
// TILE: tile.launch @f_0
// TILE-NOT: te.fusion
// TILE: tile.kernel @f_0
// TILE: tile.reduce
// GPU-NOT: tile.kernel
// GPU: gpu.func @f_0
// GPU: gpu.shuffle
// GPU942-NOT: arith.scaling_truncf
// GPU950: arith.scaling_truncf
// GPU: gpu.barrier
// ROCDL: tile.launch @f_0
// ROCDL-NOT: gpu.func
// ROCDL: llvm.func @f_0
// ROCDL950-DAG: rocdl.cvt.scalef32.pk.fp8.bf16
// ROCDL942-NOT: rocdl.cvt.scalef32
// ROCDL-DAG: rocdl.cvt.pk.fp8.f32
// ROCDL-DAG: rocdl.s.barrier

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @f(%x: tensor<?x4096xbf16> {te.dims = ["M", "K"]}) -> (!te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>) {
  %q:2 = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
  return %q#0, %q#1 : !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
}
