// What a chip prefers (docs/decisions/0010): rows that are no power of two long, tiles read ahead.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}))' | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}))' | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}),te-to-tile)' | FileCheck %s --check-prefixes=TILE,AHEAD
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile)' | FileCheck %s --check-prefixes=TILE,PLAIN

// A tile of 8192 columns would idle a quarter of the lanes: three of 2048 are kept, where picking among them is free.
// SM90: #te.schedule<"sm_90a", tile = [1, 2048], waves = 4, vector = 8, sweep = keep>
// GFX950: #te.schedule<"gfx950", tile = [1, 8192]
// CHECK-LABEL: func.func @ragged
// TILE-LABEL: tile.kernel @ragged
func.func @ragged(%x: tensor<?x6144xbf16>, %g: tensor<6144xbf16>, %b: tensor<6144xbf16>) -> tensor<?x6144xbf16> {
  %y, %mu, %rs = te.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f32} : tensor<?x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16> -> tensor<?x6144xbf16>, tensor<?xf32>, tensor<?xf32>
  return %y : tensor<?x6144xbf16>
}

// -----

// One lane in sixteen idle is less than a sweep costs.
// CHECK: tile = [1, 8192]
// CHECK-LABEL: func.func @nearly
func.func @nearly(%x: tensor<?x7680xbf16>, %g: tensor<7680xbf16>) -> tensor<?x7680xbf16> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x7680xbf16>, tensor<7680xbf16> -> tensor<?x7680xbf16>, tensor<?xf32>
  return %y : tensor<?x7680xbf16>
}

// -----

// Sums over rows keep a workgroup walking down them.
// TILE-LABEL: tile.kernel @sums_0(
// AHEAD: } {tile.prefetch}
// PLAIN-NOT: tile.prefetch
// TILE: tile.kernel @sums_0_sum(
func.func @sums(%dy: tensor<?x4096xbf16>, %x: tensor<?x4096xbf16>, %g: tensor<4096xbf16>, %rs: tensor<?xf32>) -> (tensor<?x4096xbf16>, tensor<4096xbf16>) {
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %rs : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32> -> tensor<?x4096xbf16>, tensor<4096xbf16>
  return %dx, %dg : tensor<?x4096xbf16>, tensor<4096xbf16>
}
