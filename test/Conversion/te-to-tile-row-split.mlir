// Rows that several workgroups share: what is computed over them takes kernels of its own.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(te-to-tile,canonicalize,cse)' | FileCheck %s

// One partial result a row and split, which the second kernel adds up before its loop.
// CHECK-LABEL: func.func @rms
// CHECK: %[[PART:.*]] = tile.launch @k_partial grid(%c4, %c3) ins(%arg0, %arg1 : {{.*}}) -> tensor<1x3x4xf32>
// CHECK: tile.launch @k grid(%c4, %c3) ins(%arg0, %arg1, %[[PART]] :
// CHECK-LABEL: tile.kernel @k_partial(
// CHECK: %[[FROM:.*]] = arith.minui
// CHECK: %[[TO:.*]] = arith.minui
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK-NOT: tile.store
// CHECK: %[[ROW:.*]] = tile.reduce add %[[SUM]] block [1, 512]
// CHECK: tile.store %[[ROW]], %{{.*}}[%{{.*}}, %block_id_x]
// CHECK-NOT: tile.store
// CHECK-LABEL: tile.kernel @k(
// CHECK: %[[PARTS:.*]] = tile.load %{{.*}} -> tensor<1x4xf32
// CHECK: tile.reduce add %[[PARTS]] block [1, 4]
// CHECK: scf.for
// CHECK: tile.store
#s = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8, sweep = reread, grid = <row_split = 4>>
func.func @rms(%x: tensor<3x4096xbf16>, %g: tensor<4096xbf16>) -> (tensor<3x4096xbf16>, tensor<3xf32>) {
  %0:2 = te.fusion "k" (%a = %x : tensor<3x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<3x4096xbf16>, tensor<3xf32>) attributes {schedule = #s} {
    %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<3x4096xbf16>, tensor<4096xbf16> -> tensor<3x4096xbf16>, tensor<3xf32>
    te.yield %n, %r : tensor<3x4096xbf16>, tensor<3xf32>
  }
  return %0#0, %0#1 : tensor<3x4096xbf16>, tensor<3xf32>
}

// -----

// Mean and deviation of each split; then the row's scale, which waits for them.
// CHECK-LABEL: func.func @chain
// CHECK: %[[MOMENTS:.*]] = tile.launch @k_partial grid(%c4, %c3) {{.*}} -> tensor<3x3x4xf32>
// CHECK: %[[AMAX:.*]] = tile.launch @k_partial_0 grid(%c4, %c3) ins(%{{.*}}, %[[MOMENTS]] : {{.*}}) -> tensor<1x3x4xf32>
// CHECK: tile.launch @k grid(%c4, %c3) ins(%{{.*}}, %[[MOMENTS]], %[[AMAX]] :
// CHECK-LABEL: tile.kernel @k_partial(
// CHECK-COUNT-3: tile.store
// CHECK-NOT: tile.store
// CHECK-LABEL: tile.kernel @k_partial_0(
// CHECK-COUNT-3: tile.load %{{.*}} -> tensor<1x4xf32
// CHECK: tile.reduce maxnum {{.*}} block [1, 512]
// CHECK: tile.store
// CHECK-NOT: tile.store
// CHECK-LABEL: tile.kernel @k(
// CHECK-NOT: unrealized_conversion_cast
#row = #te.scaling<row, scale = f32>
#s = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8, sweep = reread, grid = <row_split = 4>>
func.func @chain(%x: tensor<3x4096xbf16>, %g: tensor<4096xbf16>) -> !te.scaled<3x4096xf8E4M3FN, #row> {
  %0 = te.fusion "k" (%a = %x : tensor<3x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (!te.scaled<3x4096xf8E4M3FN, #row>) attributes {schedule = #s} {
    %n, %m, %r = te.layer_norm %a, %b, %b {epsilon = 1.0e-5 : f32}
        : tensor<3x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16> -> tensor<3x4096xbf16>, tensor<3xf32>, tensor<3xf32>
    %q = te.quantize %n : tensor<3x4096xbf16> -> !te.scaled<3x4096xf8E4M3FN, #row>
    te.yield %q : !te.scaled<3x4096xf8E4M3FN, #row>
  }
  return %0 : !te.scaled<3x4096xf8E4M3FN, #row>
}

// -----

// Of rows whose number is not known: as many partial results as there are.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[M:.*]] = te.dim %arg0, 0
// CHECK: %[[PART:.*]] = tile.launch @k_partial grid(%c4, %[[M]]) ins(%arg0, %arg1 : {{.*}}) sizes(%[[M]]) shape(%[[M]]) -> tensor<1x?x4xf32>
// CHECK: tile.launch @k grid(%c4, %[[M]]) ins(%arg0, %arg1, %[[PART]] :
// CHECK-LABEL: tile.kernel @k_partial(
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: index)
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[ROWS]], 4], strides: [4, 1]
#s = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8, sweep = reread, grid = <row_split = 4>>
func.func @dynamic(%x: tensor<?x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<?x4096xbf16> {
  %0 = te.fusion "k" (%a = %x : tensor<?x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<?x4096xbf16>) attributes {schedule = #s} {
    %n, %r = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
    te.yield %n : tensor<?x4096xbf16>
  }
  return %0 : tensor<?x4096xbf16>
}
