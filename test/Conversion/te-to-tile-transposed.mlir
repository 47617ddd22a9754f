// An op after a te.permute of what its region computes works on the same tile, with rows for columns: the tile is transposed over in
// registers, and what is stored goes through LDS to whole lines of memory.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}),te-to-tile)' | FileCheck %s

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>

// CHECK-LABEL: tile.kernel @quantized_0(
// CHECK-DAG: %[[ROW:.*]] = arith.muli %{{.*}}, %c64 : index
// CHECK-DAG: %[[COL:.*]] = arith.muli %{{.*}}, %c128 : index
// CHECK: %[[X:.*]] = tile.load %{{.*}}[%[[ROW]], %[[COL]]]
// CHECK: %[[T:.*]] = tile.transpose %{{.*}} : tensor<64x128xbf16, {{.*}}> -> tensor<128x64xbf16,
// Blocks of 32 of its columns, which are rows of x.
// CHECK: tile.reduce maxnum %{{.*}} block [1, 32] : tensor<128x64x
// CHECK: tile.convert_layout %{{.*}} : tensor<128x64xf8E4M3FN
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[COL]], %[[ROW]]] {{.*}}: tensor<128x64xf8E4M3FN
// CHECK: %[[BLOCK:.*]] = arith.divui %[[ROW]], %c32
// CHECK: tile.store %{{.*}}, %{{.*}}[%[[COL]], %[[BLOCK]]]
func.func @quantized(%x: tensor<?x768xbf16>) -> (tensor<?x768xbf16>, !te.scaled<768x?xf8E4M3FN, #row>) {
  %n = arith.negf %x : tensor<?x768xbf16>
  %t = te.permute %n [1, 0] : tensor<?x768xbf16> -> tensor<768x?xbf16>
  %q = te.quantize %t : tensor<768x?xbf16> -> !te.scaled<768x?xf8E4M3FN, #row>
  return %n, %q : tensor<?x768xbf16>, !te.scaled<768x?xf8E4M3FN, #row>
}

// Data of a transposed scheme lie as the tensor that was transposed does: nothing is transposed back.
// CHECK-LABEL: tile.kernel @back_0(
// CHECK: %[[T:.*]] = tile.transpose %{{.*}} : tensor<{{.*}}xbf16
// CHECK: %[[CODES:.*]] = arith.truncf
// CHECK: tile.transpose %[[CODES]]
#back = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @back(%x: tensor<?x768xbf16>, %s: tensor<f32>) -> (tensor<?x768xbf16>, !te.scaled<768x?xf8E4M3FN, #back>) {
  %n = arith.negf %x : tensor<?x768xbf16>
  %t = te.permute %n [1, 0] : tensor<?x768xbf16> -> tensor<768x?xbf16>
  %q = te.quantize %t scale(%s : tensor<f32>) : tensor<768x?xbf16> -> !te.scaled<768x?xf8E4M3FN, #back>
  return %n, %q : tensor<?x768xbf16>, !te.scaled<768x?xf8E4M3FN, #back>
}

// Four columns of a transposed tile, which random words are for, are one lane's: it changes its layout first.
// CHECK-LABEL: tile.kernel @random_0(
// CHECK: %[[T:.*]] = tile.transpose %{{.*}} -> tensor<[[SHAPE:[0-9]+x[0-9]+]]xbf16, #[[TURNED:.*]]>
// CHECK: tile.convert_layout %{{.*}} : tensor<[[SHAPE]]xbf16, #[[TURNED]]> -> tensor<[[SHAPE]]xbf16, #[[ROWS:.*]]>
// CHECK: tile.reduce maxnum %{{.*}} : tensor<[[SHAPE]]xf32, #[[ROWS]]>
func.func @random(%x: tensor<?x768xbf16>, %s: tensor<2xi64>) -> (tensor<?x768xbf16>, !te.scaled<768x?xf4E2M1FN, #row>) {
  %n = arith.negf %x : tensor<?x768xbf16>
  %t = te.permute %n [1, 0] : tensor<?x768xbf16> -> tensor<768x?xbf16>
  %q = te.quantize %t rng(%s : tensor<2xi64>) {stochastic} : tensor<768x?xbf16> -> !te.scaled<768x?xf4E2M1FN, #row>
  return %n, %q : tensor<?x768xbf16>, !te.scaled<768x?xf4E2M1FN, #row>
}
