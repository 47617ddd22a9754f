// At most so many workgroups a compute unit at once, by their LDS: of 228 KiB five would not have 45680 bytes each, and the
// 1024 that each takes for itself.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule{target=sm_90a}),te-to-tile)' | FileCheck %s --check-prefix=TILE
// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule{target=sm_90a}),te-to-tile,tile-distribute)' | FileCheck %s
// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule{target=sm_90a}))' | FileCheck %s --check-prefix=SCHEDULE
// RUN: te-compile %s --target=sm_90a --explain -o %t.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN

// SCHEDULE: #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <residents = 4>>
// TILE: tile.kernel @norm_0({{.*}} attributes {lds_bytes = 45680 : i64
// CHECK: gpu.func @norm_0({{.*}} workgroup(%{{.*}} : memref<45680xi8
// EXPLAIN: a compute unit holds at most 4 workgroups at once, by their LDS
func.func @norm(%x: tensor<?x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %r = te.fusion "norm" (%a = %x : tensor<?x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<?x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <residents = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x4096xbf16>
  }
  return %r : tensor<?x4096xbf16>
}
