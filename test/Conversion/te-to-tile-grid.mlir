// The grid: tiles along K in x, along M in y, over the padding that results store.

// RUN: te-opt %s --te-to-tile --cse | FileCheck %s

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#schedule = #te.schedule<"gfx950", tile = [32, 512], waves = 8, vector = 8>

// Rowwise scales pad M to 128, 4 tiles; K = 4096 is 8 tiles.
// CHECK-LABEL: func.func @rowwise
// CHECK-SAME: %[[X:.*]]: tensor<?x4096xbf16>
// CHECK: %[[M:.*]] = te.dim %[[X]], 0
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[C128:.*]] = arith.constant 128 : index
// CHECK: %[[BLOCKS:.*]] = arith.ceildivui %[[M]], %[[C128]]
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[Y:.*]] = arith.muli %[[BLOCKS]], %[[C4]]
// CHECK: tile.launch @k grid(%[[C8]], %[[Y]])
func.func @rowwise(%x: tensor<?x4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #row> {
  %r = te.fusion "k" (%a = %x : tensor<?x4096xbf16>) -> (!te.scaled<?x4096xf8E4M3FN, #row>) attributes {schedule = #schedule} {
    %0 = te.quantize %a : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>
    te.yield %0 : !te.scaled<?x4096xf8E4M3FN, #row>
  }
  return %r : !te.scaled<?x4096xf8E4M3FN, #row>
}

// Columnwise scales pad ceil(M/32) to 4: 128 rows again; K to 128, less than a tile.
// CHECK-LABEL: func.func @columnwise
// CHECK-SAME: %[[X:.*]]: tensor<40x?xbf16>
// CHECK: %[[K:.*]] = te.dim %[[X]], 1
// CHECK: %[[C512:.*]] = arith.constant 512 : index
// CHECK: %[[GX:.*]] = arith.ceildivui %[[K]], %[[C512]]
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: tile.launch @k{{.*}} grid(%[[GX]], %[[C4]]) {{.*}} sizes(%[[K]])
func.func @columnwise(%x: tensor<40x?xbf16>) -> !te.scaled<40x?xf8E4M3FN, #col> {
  %r = te.fusion "k" (%a = %x : tensor<40x?xbf16>) -> (!te.scaled<40x?xf8E4M3FN, #col>) attributes {schedule = #schedule} {
    %0 = te.quantize %a : tensor<40x?xbf16> -> !te.scaled<40x?xf8E4M3FN, #col>
    te.yield %0 : !te.scaled<40x?xf8E4M3FN, #col>
  }
  return %r : !te.scaled<40x?xf8E4M3FN, #col>
}

// No padding without scales to pad; one workgroup at least where there is an amax to
// write.
// CHECK-LABEL: func.func @amax
// CHECK: %[[C512:.*]] = arith.constant 512 : index
// CHECK: %[[X0:.*]] = arith.ceildivui %{{.*}}, %[[C512]]
// CHECK: %[[C1:.*]] = arith.constant 1 : index
// CHECK: %[[GX:.*]] = arith.maxui %[[X0]], %[[C1]]
// CHECK: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[Y0:.*]] = arith.ceildivui %{{.*}}, %[[C32]]
// CHECK: %[[GY:.*]] = arith.maxui %[[Y0]], %[[C1]]
// CHECK: tile.launch @k{{.*}} grid(%[[GX]], %[[GY]])
func.func @amax(%x: tensor<?x?xbf16>) -> tensor<f32> {
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (tensor<f32>) attributes {schedule = #schedule} {
    %0 = te.amax %a : tensor<?x?xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// An empty result needs no workgroup. One column of tiles: a grid of one dimension.
// CHECK-LABEL: func.func @empty
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: tile.launch @k{{.*}} grid(%[[C0]], %{{.*}})
func.func @empty(%x: tensor<0x64xbf16>) -> !te.scaled<0x64xf8E4M3FN, #row> {
  %r = te.fusion "k" (%a = %x : tensor<0x64xbf16>) -> (!te.scaled<0x64xf8E4M3FN, #row>) attributes {schedule = #schedule} {
    %0 = te.quantize %a : tensor<0x64xbf16> -> !te.scaled<0x64xf8E4M3FN, #row>
    te.yield %0 : !te.scaled<0x64xf8E4M3FN, #row>
  }
  return %r : !te.scaled<0x64xf8E4M3FN, #row>
}

// 5 rows of 3 tiles in groups of two, in runs of an XCD: seven of the eight have one more than the last. The column is the tile's
// place in its group by the group's rows, of which the last one has fewer. Both are scalars.
// CHECK-LABEL: tile.kernel @order
// CHECK: %[[X:.*]] = gpu.block_id {{ *}}x
// CHECK: %[[Y:.*]] = gpu.block_id {{ *}}y
// CHECK: %[[Y32:.*]] = arith.index_castui %[[Y]]
// CHECK: %[[LINE:.*]] = arith.muli %[[Y32]], %{{.*}} : i32
// CHECK: %[[X32:.*]] = arith.index_castui %[[X]]
// CHECK: %[[MINE:.*]] = arith.addi %[[LINE]], %[[X32]] : i32
// CHECK-DAG: %[[XCD:.*]] = arith.remui %[[MINE]], %[[C8:[a-z0-9_]*]] : i32
// CHECK-DAG: %[[TURN:.*]] = arith.divui %[[MINE]], %[[C8]] : i32
// CHECK: %[[MORE:.*]] = arith.minui %[[XCD]], %{{.*}} : i32
// CHECK: %[[BEFORE:.*]] = arith.addi %[[XCD]], %[[MORE]] : i32
// CHECK: %[[TILE:.*]] = arith.addi %[[TURN]], %[[BEFORE]] : i32
// CHECK: %[[GROUP:.*]] = arith.divui %[[TILE]], %[[C6:[a-z0-9_]*]] : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[GROUP]], %{{.*}} : i32
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[FIRST]] : i32
// CHECK: %[[HEIGHT:.*]] = arith.minui
// CHECK: %[[BEGIN:.*]] = arith.muli %[[GROUP]], %[[C6]] : i32
// CHECK: %[[INSIDE:.*]] = arith.subi %[[TILE]], %[[BEGIN]] : i32
// CHECK-DAG: arith.divui %[[INSIDE]], %[[HEIGHT]] : i32
// CHECK-DAG: %[[DOWN:.*]] = arith.remui %[[INSIDE]], %[[HEIGHT]] : i32
// CHECK: arith.addi %[[FIRST]], %[[DOWN]] : i32
// CHECK: gpu.subgroup_broadcast %{{.*}}, first_active_lane : i32
func.func @order(%x: tensor<80x32xbf16>, %y: tensor<48x32xbf16>) -> tensor<80x48xf32> {
  %r = te.fusion "order" (%a = %x : tensor<80x32xbf16>, %b = %y : tensor<48x32xbf16>) -> (tensor<80x48xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 16], waves = 1, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [1, 1]>, grid = <group_m = 2>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<80x32xbf16>, tensor<48x32xbf16> -> tensor<80x48xf32>
    te.yield %0 : tensor<80x48xf32>
  }
  return %r : tensor<80x48xf32>
}
