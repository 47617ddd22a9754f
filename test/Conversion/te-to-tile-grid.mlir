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
