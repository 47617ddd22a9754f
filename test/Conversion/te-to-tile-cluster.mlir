// Rows that a cluster's workgroups hold together: the code is that of a tile which holds whole rows, and an exchange.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(te-to-tile,canonicalize,cse)' | FileCheck %s

// Clusters lie along x, one for each tile of rows. What is f32 before the exchange is computed again after it.
// CHECK-LABEL: func.func @rms
// CHECK: tile.launch @k grid(%c8, %c1) ins(%arg0, %arg1 :
// CHECK-LABEL: tile.kernel @k(
// CHECK-SAME: cluster = 4 : i64
// CHECK-DAG: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK-DAG: %[[ROWS:.*]] = gpu.cluster_id x
// CHECK: %[[COLUMN:.*]] = arith.muli %[[RANK]], %c1024
// CHECK: %[[X:.*]] = tile.load %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK: arith.extf %[[X]]
// CHECK: %[[PART:.*]] = tile.reduce add %{{.*}} block [1, 1024]
// CHECK: %[[SUM:.*]] = tile.cluster_reduce add %[[PART]] : tensor<32x1xf32
// CHECK: %[[HELD:.*]] = tile.optimization_barrier %[[X]]
// CHECK: %[[AGAIN:.*]] = arith.extf %[[HELD]]
// CHECK: %[[R:.*]] = arith.divf
// CHECK: tile.store %[[R]], %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK: arith.mulf %[[AGAIN]]
// CHECK: tile.store %{{.*}}[%{{.*}}, %[[COLUMN]]]
#s = #te.schedule<"sm_90a", tile = [32, 1024], waves = 8, vector = 8, grid = <cluster = 4>>
func.func @rms(%x: tensor<64x4096xbf16>, %g: tensor<4096xbf16>) -> (tensor<64x4096xbf16>, tensor<64xf32>) {
  %0:2 = te.fusion "k" (%a = %x : tensor<64x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<64x4096xbf16>, tensor<64xf32>) attributes {schedule = #s} {
    %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<64x4096xbf16>, tensor<4096xbf16> -> tensor<64x4096xbf16>, tensor<64xf32>
    te.yield %n, %r : tensor<64x4096xbf16>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<64x4096xbf16>, tensor<64xf32>
}

// -----

// The deviations wait for the mean: two exchanges. 6000 columns are three tiles, the last of them broken.
// CHECK-LABEL: func.func @layer
// CHECK: tile.launch @k grid(%c9, %c1)
// CHECK-LABEL: tile.kernel @k(
// CHECK: tile.cluster_reduce add
// CHECK: tile.cluster_reduce add
// CHECK-NOT: tile.cluster_reduce
#s = #te.schedule<"sm_90a", tile = [1, 2048], waves = 4, vector = 8, grid = <cluster = 3>>
func.func @layer(%x: tensor<3x6000xbf16>, %g: tensor<6000xbf16>) -> tensor<3x6000xbf16> {
  %0 = te.fusion "k" (%a = %x : tensor<3x6000xbf16>, %b = %g : tensor<6000xbf16>) -> (tensor<3x6000xbf16>) attributes {schedule = #s} {
    %n, %m, %r = te.layer_norm %a, %b, %b {epsilon = 1.0e-5 : f32} : tensor<3x6000xbf16>, tensor<6000xbf16>, tensor<6000xbf16> -> tensor<3x6000xbf16>, tensor<3xf32>, tensor<3xf32>
    te.yield %n : tensor<3x6000xbf16>
  }
  return %0 : tensor<3x6000xbf16>
}

// -----

// Both sums of a gradient in one exchange, in the loop; partial sums of the workgroup's own columns.
// CHECK-LABEL: func.func @backward
// CHECK: tile.launch @k grid(%c12, %c1) {{.*}} shape(%c4, %c4)
// CHECK-LABEL: tile.kernel @k(
// CHECK: scf.for
// CHECK: %{{.*}}:2 = tile.cluster_reduce add %{{.*}}, %{{.*}} : tensor<1x1xf32, #{{.*}}>, tensor<1x1xf32
// CHECK-NOT: tile.cluster_reduce
// CHECK: tile.kernel @k_sum
#s = #te.schedule<"sm_90a", tile = [1, 2048], waves = 4, vector = 8, grid = <row_tiles = 16, cluster = 3>>
func.func @backward(%dy: tensor<64x6144xbf16>, %x: tensor<64x6144xbf16>, %g: tensor<6144xbf16>, %m: tensor<64xf32>, %r: tensor<64xf32>) -> (tensor<64x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>) {
  %0:3 = te.fusion "k" (%a = %dy : tensor<64x6144xbf16>, %b = %x : tensor<64x6144xbf16>, %c = %g : tensor<6144xbf16>, %d = %m : tensor<64xf32>, %e = %r : tensor<64xf32>)
      -> (tensor<64x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>) attributes {schedule = #s} {
    %dx, %dg, %db = te.layer_norm_bwd %a, %b, %c, %d, %e
        : tensor<64x6144xbf16>, tensor<64x6144xbf16>, tensor<6144xbf16>, tensor<64xf32>, tensor<64xf32> -> tensor<64x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>
    te.yield %dx, %dg, %db : tensor<64x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>
  }
  return %0#0, %0#1, %0#2 : tensor<64x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>
}

// -----

// What is more than a cluster's registers hold is read again: each workgroup walks twice along its share of a row's tiles, two each
// of five (one for the last).
// CHECK-LABEL: func.func @share
// CHECK: tile.launch @k grid(%c6, %c1)
// CHECK-LABEL: tile.kernel @k(
// CHECK-DAG: %[[RANK:.*]] = gpu.cluster_block_id x
// CHECK-DAG: %[[BEFORE:.*]] = arith.muli %[[RANK]], %c2
// CHECK-DAG: %[[LEFT:.*]] = arith.subi %c5, %[[BEFORE]]
// CHECK-DAG: %[[LAST:.*]] = arith.minui %[[LEFT]], %c2
// CHECK: scf.for %[[I:.*]] = %c0 to %[[LAST]]
// CHECK: %[[AT:.*]] = arith.addi %[[BEFORE]], %[[I]]
// CHECK: arith.muli %[[AT]], %c256
// CHECK: %[[PART:.*]] = tile.reduce add
// CHECK: tile.cluster_reduce add %[[PART]]
// CHECK: scf.for %{{.*}} = %c0 to %[[LAST]]
#s = #te.schedule<"sm_90a", tile = [32, 256], waves = 4, vector = 8, sweep = reread, grid = <cluster = 3>>
func.func @share(%x: tensor<64x1280xbf16>, %g: tensor<1280xbf16>) -> tensor<64x1280xbf16> {
  %0 = te.fusion "k" (%a = %x : tensor<64x1280xbf16>, %b = %g : tensor<1280xbf16>) -> (tensor<64x1280xbf16>) attributes {schedule = #s} {
    %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<64x1280xbf16>, tensor<1280xbf16> -> tensor<64x1280xbf16>, tensor<64xf32>
    te.yield %n : tensor<64x1280xbf16>
  }
  return %0 : tensor<64x1280xbf16>
}

// -----

// What stays in LDS is fetched there, all tiles at once; the first sweep waits for one after the other.
// CHECK-LABEL: func.func @kept
// CHECK-LABEL: tile.kernel @k(
// CHECK: %[[RING:.*]] = tile.ring from #[[L:.*]] to #[[L]] : memref<2x32x256xbf16, #gpu.address_space<workgroup>>
// CHECK: tile.async_copy %{{.*}}, %[[RING]][%c0] {in_bounds}
// CHECK: tile.async_copy %{{.*}}, %[[RING]][%c1] {in_bounds}
// CHECK-NOT: tile.load
// CHECK: tile.async_wait for %[[RING]] {{.*}}{pending = array<i64: 1>}
// CHECK: tile.local_load %[[RING]][%c0, %c0]
// CHECK: tile.async_wait for %[[RING]] : memref<2x32x256xbf16, #gpu.address_space<workgroup>>{{$}}
// CHECK: tile.local_load %[[RING]][%c1, %c0]
// CHECK-NOT: scf.for
// CHECK: tile.cluster_reduce add
// CHECK: scf.for %[[I:.*]] = %c0 to %c2
// CHECK: tile.local_load %[[RING]][%[[I]], %c0]
// CHECK-NOT: tile.load {{.*}}tensor<32x256xbf16
#s = #te.schedule<"sm_90a", tile = [32, 256], waves = 8, vector = 8, sweep = keep, grid = <cluster = 4>>
func.func @kept(%x: tensor<64x2048xbf16>, %g: tensor<2048xbf16>) -> tensor<64x2048xbf16> {
  %0 = te.fusion "k" (%a = %x : tensor<64x2048xbf16>, %b = %g : tensor<2048xbf16>) -> (tensor<64x2048xbf16>) attributes {schedule = #s} {
    %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<64x2048xbf16>, tensor<2048xbf16> -> tensor<64x2048xbf16>, tensor<64xf32>
    te.yield %n : tensor<64x2048xbf16>
  }
  return %0 : tensor<64x2048xbf16>
}

// -----

// What is computed is put there by the first sweep, whose loads are all on their way at once, as registers have room.
// CHECK-LABEL: func.func @computed
// CHECK-LABEL: tile.kernel @k(
// CHECK: %[[RING:.*]] = tile.ring from #[[L:.*]] to #[[L]] : memref<2x32x256xbf16, #gpu.address_space<workgroup>>
// CHECK-NOT: tile.async_copy
// CHECK: tile.local_store %{{.*}}, %[[RING]][%c0]
// CHECK: tile.local_store %{{.*}}, %[[RING]][%c1]
// CHECK-NOT: scf.for
// CHECK: tile.cluster_reduce add
// CHECK: scf.for %[[I:.*]] = %c0 to %c2
// CHECK: tile.local_load %[[RING]][%[[I]], %c0]
#s = #te.schedule<"sm_90a", tile = [32, 256], waves = 8, vector = 8, sweep = keep, grid = <cluster = 4>>
func.func @computed(%x: tensor<64x2048xbf16>, %y: tensor<64x2048xbf16>, %g: tensor<2048xbf16>) -> tensor<64x2048xbf16> {
  %0 = te.fusion "k" (%a = %x : tensor<64x2048xbf16>, %c = %y : tensor<64x2048xbf16>, %b = %g : tensor<2048xbf16>) -> (tensor<64x2048xbf16>) attributes {schedule = #s} {
    %sum = arith.addf %a, %c : tensor<64x2048xbf16>
    %n, %r = te.rms_norm %sum, %b {epsilon = 1.0e-5 : f32} : tensor<64x2048xbf16>, tensor<2048xbf16> -> tensor<64x2048xbf16>, tensor<64xf32>
    te.yield %n : tensor<64x2048xbf16>
  }
  return %0 : tensor<64x2048xbf16>
}

// -----

// So are rows that end inside of a tile: nothing says that whole runs of them exist.
// CHECK-LABEL: func.func @ragged
// CHECK-LABEL: tile.kernel @k(
// CHECK-NOT: tile.async_copy
// CHECK: tile.local_store
#s = #te.schedule<"sm_90a", tile = [32, 256], waves = 8, vector = 8, sweep = keep, grid = <cluster = 4>>
func.func @ragged(%x: tensor<64x1990xbf16>, %g: tensor<1990xbf16>) -> tensor<64x1990xbf16> {
  %0 = te.fusion "k" (%a = %x : tensor<64x1990xbf16>, %b = %g : tensor<1990xbf16>) -> (tensor<64x1990xbf16>) attributes {schedule = #s} {
    %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<64x1990xbf16>, tensor<1990xbf16> -> tensor<64x1990xbf16>, tensor<64xf32>
    te.yield %n : tensor<64x1990xbf16>
  }
  return %0 : tensor<64x1990xbf16>
}
