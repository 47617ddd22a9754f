// Rotary embeddings: what belongs to a token (its position, its angles) is computed once for all its heads in the tile, shared
// out among lanes; partners meet in lanes, or in LDS where they are no power of two apart.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,cse)' | FileCheck %s

// CHECK-LABEL: tile.kernel @sbhd_0(
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<64x128xbf16, #[[L:.*]]>
// CHECK: %[[START:.*]] = tile.load {{.*}} rows(%{{.*}}) : {{.*}} -> tensor<2x1xi32
// CHECK: %[[POSITION:.*]] = arith.addi %{{.*}}, %[[START]]
// CHECK: %[[ANGLE:.*]] = tile.load {{.*}} rows(%[[POSITION]] : {{.*}} -> tensor<2x128xf32
// CHECK: math.cos %[[ANGLE]]
// CHECK: math.sin %[[ANGLE]]
// CHECK: %[[HELD:.*]] = tile.convert_layout {{.*}} : tensor<2x128xf32
// CHECK: tile.broadcast %[[HELD]] : tensor<2x128xf32, {{.*}} -> tensor<64x128xf32, #[[L]]>
// CHECK: tile.exchange %[[X]] along 1 by 64 : tensor<64x128xbf16, #[[L]]>
// CHECK: math.fma
// CHECK: arith.select
// CHECK: tile.store
func.func @sbhd(%x: tensor<?x?x32x128xbf16>, %f: tensor<?x128xf32>, %p: tensor<?xi32>) -> tensor<?x?x32x128xbf16> {
  %y = te.rope sbhd %x, %f start_positions(%p : tensor<?xi32>) : tensor<?x?x32x128xbf16>, tensor<?x128xf32> -> tensor<?x?x32x128xbf16>
  return %y : tensor<?x?x32x128xbf16>
}

// -----

// The gradient exchanges what is multiplied by the sine already; a token is looked for among the sequences.
// CHECK-LABEL: tile.kernel @thd_0(
// CHECK: scf.for
// CHECK: memref.load
// CHECK: arith.divsi
// CHECK: %[[SINE:.*]] = arith.mulf
// CHECK: tile.exchange %[[SINE]] along 1 by 1 : tensor<{{.*}}xf32
func.func @thd(%g: tensor<?x?x80xbf16>, %f: tensor<?x80xf32>, %c: tensor<?xi32>) -> tensor<?x?x80xbf16> {
  %y = te.rope_bwd thd %g, %f cu_seqlens(%c : tensor<?xi32>) {interleaved, cp_size = 2 : i64} : tensor<?x?x80xbf16>, tensor<?x80xf32> -> tensor<?x?x80xbf16>
  return %y : tensor<?x?x80xbf16>
}

// -----

// The head size need not be the rotated one; a quantization joins, and a residual in front.
// CHECK-LABEL: tile.kernel @fused_0(
// CHECK: arith.addf
// CHECK: tile.exchange {{.*}} along 1 by 40
// CHECK: tile.reduce maxnum
#s = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @fused(%x: tensor<?x2x8x96xbf16>, %r: tensor<?x2x8x96xbf16>, %f: tensor<?x80xf32>) -> !te.scaled<?x2x8x96xf8E4M3FN, #s> {
  %a = arith.addf %x, %r : tensor<?x2x8x96xbf16>
  %y = te.rope sbhd %a, %f : tensor<?x2x8x96xbf16>, tensor<?x80xf32> -> tensor<?x2x8x96xbf16>
  %q = te.quantize %y : tensor<?x2x8x96xbf16> -> !te.scaled<?x2x8x96xf8E4M3FN, #s>
  return %q : !te.scaled<?x2x8x96xf8E4M3FN, #s>
}
