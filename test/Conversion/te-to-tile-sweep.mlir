// Rows that a tile does not hold: the workgroup sweeps them, first for what is computed over each row, then for the
// results.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,canonicalize,cse)' | FileCheck %s

// Kept: loaded once, before the loops, which pick from the tiles. The grid has one column.
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
// CHECK-LABEL: func.func @kept
// CHECK: tile.launch @kept_0 grid(%{{.*}}, %c1{{.*}})
// CHECK-LABEL: tile.kernel @kept_0({{.*}}waves_per_simd = 2
// CHECK: %[[GAMMA:.*]] = tile.load %{{.*}} -> tensor<1x4096xbf16
// CHECK: %[[STAGED:.*]] = tile.stage %[[GAMMA]]
// CHECK-COUNT-16: tile.load %{{.*}}{columns_in_bounds, divisible = 256 : i64} {{.*}} -> tensor<32x256xbf16
// CHECK-NOT: tile.load %{{.*}} tensor<32x256xbf16
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %c0 to %c16 step %c1 iter_args(%[[PART:.*]] = %
// CHECK: %[[X:.*]] = tile.select %[[I]] of
// CHECK-NOT: tile.store
// CHECK: arith.addf %[[PART]],
// CHECK: scf.yield
// CHECK: tile.reduce add %[[SUM]] block [1, 256]
// CHECK: scf.for %[[J:.*]] = %c0 to %c16
// CHECK: tile.select %[[J]] of
// CHECK: tile.load %[[STAGED]][{{.*}} -> tensor<1x256xbf16
// CHECK: tile.reduce maxnum {{.*}} block [32, 1]
// CHECK: tile.store
func.func @kept(%x: tensor<?x4096xbf16>, %g: tensor<4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #col> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #col>
  return %q : !te.scaled<?x4096xf8E4M3FN, #col>
}

// -----

// Read again: the row's length is not known. Mean and deviation come from one sweep.
// CHECK-LABEL: tile.kernel @dynamic_0(
// CHECK: arith.ceildivui
// CHECK: scf.for
// CHECK-COUNT-1: tile.load
// CHECK-NOT: tile.store
// CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-COUNT-2: tile.reduce add
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.store
// CHECK-NOT: scf.for
func.func @dynamic(%x: tensor<?x?xbf16>, %g: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %y, %mu, %rs = te.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f32} : tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xbf16> -> tensor<?x?xbf16>, tensor<?xf32>, tensor<?xf32>
  return %y : tensor<?x?xbf16>
}

// -----

// A chain of two: the norm's statistics are known when the row's scale is looked for.
#row = #te.scaling<row, scale = f32>
// CHECK-LABEL: tile.kernel @chain_0(
// CHECK: scf.for
// CHECK: tile.reduce add
// CHECK: scf.for
// CHECK: arith.maxnumf
// CHECK: tile.reduce maxnum
// CHECK: scf.for
// CHECK: tile.store
func.func @chain(%x: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> !te.scaled<?x?xf8E4M3FN, #row> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x?xbf16>, tensor<?xbf16> -> tensor<?x?xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #row>
  return %q : !te.scaled<?x?xf8E4M3FN, #row>
}

// -----

// Sums over rows are written tile by tile; a sum of each row needs no sweep of its own.
// CHECK-LABEL: tile.kernel @sums_0(
// CHECK: %[[D:.*]] = scf.for
// CHECK: tile.reduce add {{.*}} block [32, 1]
// CHECK: tile.store
// CHECK: scf.yield
// CHECK: tile.reduce add %[[D]]
// CHECK: tile.store
// CHECK-NOT: scf.for
// CHECK-LABEL: tile.kernel @sums_0_sum(
func.func @sums(%dy: tensor<?x?xbf16>, %x: tensor<?x?xbf16>, %s: tensor<?xf32>) -> (tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xf32>) {
  %dx, %b, %d = te.activation_bwd gelu %dy, %x scales(%s : tensor<?xf32>) : tensor<?x?xbf16>, tensor<?x?xbf16> -> tensor<?x?xbf16> dbias tensor<?xbf16> dscale tensor<?xf32>
  return %dx, %b, %d : tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xf32>
}

// -----

// Tiles that are computed and kept: straight-line code in parts.
// CHECK-LABEL: tile.kernel @computed_0(
// CHECK-COUNT-8: tile.load %{{.*}} -> tensor<32x
// CHECK: tile.fence
// CHECK-COUNT-8: tile.load %{{.*}} -> tensor<32x
// CHECK: tile.fence
// CHECK: scf.for
// CHECK-NOT: tile.fence
func.func @computed(%x: tensor<?x4096xbf16>, %z: tensor<?x4096xbf16>, %g: tensor<4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>> {
  %s = arith.addf %x, %z : tensor<?x4096xbf16>
  %y, %rs = te.rms_norm %s, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
  return %q : !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
}

// -----

// Columns of scales' padding are tiles too: what is read once a column is staged for them.
#padded = #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>
// CHECK-LABEL: func.func @staged
// CHECK: tile.stage %{{.*}} -> memref<1x256xbf16, #gpu.address_space<workgroup>>
#keeps = #te.schedule<"gfx950", tile = [32, 64], waves = 4, vector = 8, sweep = keep>
func.func @staged(%x: tensor<?x96xbf16>, %g: tensor<96xbf16>) -> !te.scaled<?x96xf4E2M1FN, #padded> {
  %0 = te.fusion "k" (%a = %x : tensor<?x96xbf16>, %b = %g : tensor<96xbf16>) -> (!te.scaled<?x96xf4E2M1FN, #padded>) attributes {schedule = #keeps} {
    %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x96xbf16>, tensor<96xbf16> -> tensor<?x96xbf16>, tensor<?xf32>
    %q = te.quantize %n : tensor<?x96xbf16> -> !te.scaled<?x96xf4E2M1FN, #padded>
    te.yield %q : !te.scaled<?x96xf4E2M1FN, #padded>
  }
  return %0 : !te.scaled<?x96xf4E2M1FN, #padded>
}
