// One scale a row: the tile holds whole rows; elements are divided, and the rows outside of the tensor store nothing.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,cse)' | FileCheck %s

#s = #te.scaling<row, scale = f32>
// CHECK-LABEL: tile.kernel @quantize_0(
// CHECK: tile.load {{.*}} -> tensor<[[R:[0-9]+]]x8192xbf16
// CHECK: %[[AMAX:.*]] = tile.reduce maxnum %{{.*}} block [1, 8192] : {{.*}} -> tensor<[[R]]x1xf32
// CHECK: arith.divf {{.*}} : tensor<[[R]]x1xf32
// CHECK: arith.select {{.*}} : tensor<[[R]]x1xi1, {{.*}}>, tensor<[[R]]x1xf32
// CHECK: tile.broadcast {{.*}} -> tensor<[[R]]x8192xf32
// CHECK: arith.divf {{.*}} : tensor<[[R]]x8192xf32
// CHECK: tile.store {{.*}} : tensor<[[R]]x8192xf8E4M3FN
// CHECK: tile.store {{.*}} : tensor<[[R]]x1xf32
func.func @quantize(%x: tensor<?x5120xbf16>) -> !te.scaled<?x5120xf8E4M3FN, #s> {
  %q = te.quantize %x : tensor<?x5120xbf16> -> !te.scaled<?x5120xf8E4M3FN, #s>
  return %q : !te.scaled<?x5120xf8E4M3FN, #s>
}

// -----

// Dequantize needs no whole row, and so no length.
#s = #te.scaling<row, scale = f32>
// CHECK-LABEL: tile.kernel @dequantize_0(
// CHECK: tile.load {{.*}} -> tensor<[[R:[0-9]+]]x1xf32
// CHECK: tile.broadcast
func.func @dequantize(%q: !te.scaled<?x?xf8E4M3FN, #s>) -> tensor<?x?xbf16> {
  %y = te.dequantize %q : !te.scaled<?x?xf8E4M3FN, #s> -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// -----

// What a region's own ops make of the zeros outside of the tensor is no part of an amax.
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
// CHECK-LABEL: tile.kernel @fused_0(
// CHECK: math.exp
// CHECK: tile.coordinate 0
// CHECK: tile.coordinate 1
// CHECK: arith.select {{.*}}xf32
// CHECK: tile.reduce maxnum
func.func @fused(%x: tensor<?x64xf32>) -> !te.scaled<?x64xf8E4M3FN, #col> {
  %z = te.fusion "fused_0" (%a = %x : tensor<?x64xf32>) -> (!te.scaled<?x64xf8E4M3FN, #col>) {
    %0 = math.exp %a : tensor<?x64xf32>
    %1 = te.quantize %0 : tensor<?x64xf32> -> !te.scaled<?x64xf8E4M3FN, #col>
    te.yield %1 : !te.scaled<?x64xf8E4M3FN, #col>
  }
  return %z : !te.scaled<?x64xf8E4M3FN, #col>
}

// -----

// Sums of what is zero there are zero. Blocks that waves share: lanes have one column each, work out its
// scale, and hand it to those who have its elements.
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
// CHECK-DAG: #[[LOAD:.*]] = #tile.layout<shape = [64, 64], register = {{\[\[0, 1\]}}
// CHECK-DAG: #[[EACH:.*]] = #tile.layout<shape = [2, 64], register = [], lane = {{\[\[0, 1\], \[0, 2\], \[0, 4\], \[0, 8\], \[0, 16\], \[0, 32\]\], wave = \[\[1, 0\]}}
// CHECK-LABEL: tile.kernel @sum_0(
// CHECK: arith.addf
// CHECK-NOT: tile.coordinate
// CHECK: tile.reduce maxnum %{{.*}} block [32, 1] : tensor<64x64xf32, #[[LOAD]]> -> tensor<2x64xf32, #[[EACH]]>
// CHECK: arith.maxsi {{.*}} tensor<2x64xi32, #[[EACH]]>
// CHECK: %[[MINE:.*]] = tile.convert_layout %{{.*}} : tensor<2x64xf32, #[[EACH]]> -> tensor<2x64xf32, #[[BLOCKS:.*]]>
// CHECK: tile.broadcast %[[MINE]] : tensor<2x64xf32, #[[BLOCKS]]> -> tensor<64x64xf32, #[[LOAD]]>
// CHECK: tile.store %{{.*}} : tensor<2x64xi8, #[[EACH]]>
func.func @sum(%x: tensor<?x64xf32>) -> !te.scaled<?x64xf8E4M3FN, #col> {
  %z = te.fusion "sum_0" (%a = %x : tensor<?x64xf32>) -> (!te.scaled<?x64xf8E4M3FN, #col>) {
    %0 = arith.addf %a, %a : tensor<?x64xf32>
    %1 = te.quantize %0 : tensor<?x64xf32> -> !te.scaled<?x64xf8E4M3FN, #col>
    te.yield %1 : !te.scaled<?x64xf8E4M3FN, #col>
  }
  return %z : !te.scaled<?x64xf8E4M3FN, #col>
}

// -----

// A workgroup of one row has a row of the tensor, however many there are; of two it may not.
// CHECK-LABEL: func.func @row(
// CHECK: %[[M:.*]] = te.dim
// CHECK: tile.launch @one grid(%[[M]], %{{.*}}) {{.*}} sizes(%[[M]])
// CHECK-LABEL: tile.kernel @one(
// CHECK: tile.load {{.*}}in_bounds} : memref<?x512xbf16
// CHECK-NOT: arith.select
// CHECK: tile.store {{.*}}in_bounds} : {{.*}} memref<?x1xf32
// CHECK: tile.store {{.*}}in_bounds} : {{.*}} memref<?x512xbf16
func.func @row(%x: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<?xf32>) {
  %r:2 = te.fusion "one" (%a = %x : tensor<?x512xbf16>, %b = %g : tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<?xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8>} {
    %y, %s = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
    te.yield %y, %s : tensor<?x512xbf16>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?x512xbf16>, tensor<?xf32>
}

// -----

// CHECK-LABEL: tile.kernel @two(
// CHECK-NOT: , in_bounds} : memref<?x
func.func @rows(%x: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<?xf32>) {
  %r:2 = te.fusion "two" (%a = %x : tensor<?x512xbf16>, %b = %g : tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<?xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [2, 512], waves = 1, vector = 8>} {
    %y, %s = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
    te.yield %y, %s : tensor<?x512xbf16>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?x512xbf16>, tensor<?xf32>
}

// -----

// Rows of padding are stored by workgroups of their own.
#mx = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: tile.kernel @padded_0(
// CHECK-NOT: , in_bounds} : memref<?x
func.func @padded(%x: tensor<?x512xbf16>) -> !te.scaled<?x512xf8E4M3FN, #mx> {
  %r = te.fusion "padded" (%a = %x : tensor<?x512xbf16>) -> (!te.scaled<?x512xf8E4M3FN, #mx>)
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8>} {
    %q = te.quantize %a : tensor<?x512xbf16> -> !te.scaled<?x512xf8E4M3FN, #mx>
    te.yield %q : !te.scaled<?x512xf8E4M3FN, #mx>
  }
  return %r : !te.scaled<?x512xf8E4M3FN, #mx>
}
