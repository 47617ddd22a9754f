// Products that memory bounds: how their steps ask for it decides (docs/decisions/0012).

// RUN: split-file %s %t
// RUN: te-opt %t/mx.mlir --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' | FileCheck %t/mx.mlir
// RUN: te-opt %t/fp8.mlir --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx942},te-schedule{target=gfx942}))' | FileCheck %t/fp8.mlir

//--- mx.mlir
// Scales of row-major weights are 24 KiB of lines every eighth step of 64 x 128 tiles straight to LDS: memory stands still when the loop begins, and in front of each pair of steps, whose lines are asked for at once. Many small workgroups do not wait at the same time (31015 clocks and 26441 in the cycle model).
// CHECK: waves = [1, 1], stages = 2, group = 2>
// CHECK: tile = [32, 32], waves = 1
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
func.func @gate_up(%x: !te.scaled<64x4096xf4E2M1FN, #row>, %w: !te.scaled<28672x4096xf4E2M1FN, #row>) -> tensor<64x28672xbf16> {
  %y = te.gemm %x, %w transpose_b : !te.scaled<64x4096xf4E2M1FN, #row>, !te.scaled<28672x4096xf4E2M1FN, #row> -> tensor<64x28672xbf16>
  return %y : tensor<64x28672xbf16>
}

//--- fp8.mlir
// A loop of one stage that prefetches: each wave asks for its part of the next step as soon as its own of this one has come, and the last step waits for nothing (18631 clocks with a pipeline, and 16918).
// CHECK: waves = [1, 4], split_k = 6
#fp8 = #te.scaling<tensor, scale = f32>
func.func @q_a(%x: !te.scaled<64x7168xf8E4M3FNUZ, #fp8>, %w: !te.scaled<1536x7168xf8E4M3FNUZ, #fp8>) -> tensor<64x1536xbf16> {
  %y = te.gemm %x, %w transpose_b : !te.scaled<64x7168xf8E4M3FNUZ, #fp8>, !te.scaled<1536x7168xf8E4M3FNUZ, #fp8> -> tensor<64x1536xbf16>
  return %y : tensor<64x1536xbf16>
}
