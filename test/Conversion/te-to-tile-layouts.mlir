// Scales and data in an order of their own: the stores name it, the tile is first kept in that order, and
// what pads is written where blocks of zeros would store something else.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,cse)' | FileCheck %s
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}),te-to-tile,cse)' | FileCheck %s --check-prefix=SM90A

// 16 bytes of a lane are 2 bits of columns, then rows 32 and 64 apart: the tile holds 128 x 4 scales.
#s = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = blocked_32x4x4, data_layout = shuffle_16x16>
// CHECK-DAG: #[[HELD:.*]] = #tile.layout<shape = [128, 4], register = {{\[\[}}0, 1], [0, 2], [32, 0], [64, 0]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]
// CHECK-DAG: #[[BLOCKED:.*]] = #tile.layout<shape = [128, 4], register = {{\[\[}}0, 1], [0, 2], [32, 0], [64, 0], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [], wave = []>
// CHECK-DAG: #[[SHUFFLE:.*]] = #tile.layout<shape = [16, 32], register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [0, 16]], lane = [], wave = []>
// CHECK-LABEL: func.func @blocked
// CHECK: tile.kernel @blocked_0(
// A row of units is 16 rows of bytes.
// CHECK: memref.reinterpret_cast %{{.*}} sizes: [%{{.*}}, 65536]
// CHECK: tile.store %{{.*}} {{.*}}order = #[[SHUFFLE]]} : tensor<128x128xf8E4M3FN, #{{.*}}>, memref<?x65536xf8E4M3FN
// CHECK: memref.reinterpret_cast %{{.*}} sizes: [%{{.*}}, 16384]
// CHECK: tile.convert_layout %{{.*}} -> tensor<128x4xi8, #[[HELD]]>
// CHECK-NOT: tile.coordinate
// CHECK: tile.store %{{.*}} {{.*}}order = #[[BLOCKED]]} : tensor<128x4xi8, #[[HELD]]>, memref<?x16384xi8
func.func @blocked(%x: tensor<?x4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #s> {
  %q = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #s>
  return %q : !te.scaled<?x4096xf8E4M3FN, #s>
}

// -----

// A 32 x 32 scale is repeated over its rows, but not past the tensor's last one.
#s = #te.scaling<block = [32, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>
// CHECK-DAG: #[[SHUFFLE:.*]] = #tile.layout<shape = [32, 8], register = {{\[\[}}16, 0], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], lane = [], wave = []>
// CHECK-LABEL: tile.kernel @square_0(
// CHECK: tile.reduce maxnum %{{.*}} block [32, 32] : {{.*}} -> tensor<1x8xf32
// CHECK: tile.broadcast {{.*}} -> tensor<32x8xi8
// CHECK: tile.coordinate 0
// CHECK: tile.coordinate 1
// CHECK: arith.select {{.*}} : tensor<32x8xi1, {{.*}}>, tensor<32x8xi8
// CHECK: tile.store {{.*}}order = #[[SHUFFLE]]}
func.func @square(%x: tensor<?x4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #s> {
  %q = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #s>
  return %q : !te.scaled<?x4096xf8E4M3FN, #s>
}

// -----

// With an epsilon a block of zeros has another scale than the padding's 1.
#s = #te.scaling<block = [1, 128], scale = f32>
// CHECK-LABEL: tile.kernel @epsilon_0(
// CHECK: arith.cmpf olt
// CHECK: tile.coordinate 0
// CHECK: arith.select {{.*}} : tensor<{{.*}}xi1, {{.*}}>, tensor<{{.*}}xf32
// CHECK: tile.store {{.*}}xf32
func.func @epsilon(%x: tensor<?x4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #s> {
  %q = te.quantize %x {epsilon = 1.0e-3 : f32} : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #s>
  return %q : !te.scaled<?x4096xf8E4M3FN, #s>
}

// -----

// Read in the same order.
#s = #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = blocked_32x4x4>
// CHECK-LABEL: tile.kernel @dequantize_0(
// CHECK: tile.load {{.*}}order = #{{.*}} -> tensor<128x4xi8
// CHECK: tile.transpose
func.func @dequantize(%q: !te.scaled<?x4096xf8E4M3FN, #s>) -> tensor<?x4096xbf16> {
  %y = te.dequantize %q : !te.scaled<?x4096xf8E4M3FN, #s> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// -----

// Scales that lanes share out among them go back to those who hold their elements, and are repeated over rows from there.
#s = #te.scaling<block = [32, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>
// SM90A-LABEL: tile.kernel @shared_0(
// SM90A: tile.reduce maxnum %{{.*}} block [32, 32] : {{.*}} -> tensor<1x8xf32, [[DEALT:#layout[0-9]*]]>
// SM90A: %[[BYTES:.*]] = arith.trunci %{{.*}} to tensor<1x8xi8, [[DEALT]]>
// SM90A: %[[BACK:.*]] = tile.convert_layout %[[BYTES]] : tensor<1x8xi8, [[DEALT]]>
// SM90A: tile.broadcast %[[BACK]] : {{.*}} -> tensor<32x8xi8
func.func @shared(%x: tensor<?x4096xf32>) -> !te.scaled<?x4096xf8E5M2, #s> {
  %q = te.quantize %x : tensor<?x4096xf32> -> !te.scaled<?x4096xf8E5M2, #s>
  return %q : !te.scaled<?x4096xf8E5M2, #s>
}
