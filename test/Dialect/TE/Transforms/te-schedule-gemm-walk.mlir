// Workgroups that compute one tile after another (docs/decisions/0028): where that pays, where it may be, and where not.
// RUN: sed s/FNUZ/FN/g %s | te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' --split-input-file | FileCheck %s
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx942},te-schedule{target=gfx942}))' %s --split-input-file | FileCheck %s --check-prefix=GFX942

// A short K, many tiles: two workgroups a CU (304), or one (of 256). That by instructions of 32 rows, so that a tile is stored beside all steps:
// of few steps others are too few for what memory has not taken beside two.
// CHECK: "f32_32x32x16_bf16"
// CHECK: #schedule = #te.schedule<"gfx950", tile = [128, 256], waves = 8, vector = 8, workgroups = 256
// CHECK-LABEL: func.func @short
// GFX942: #schedule = #te.schedule<"gfx942", tile = [128, 128], waves = 8, vector = 8, workgroups = 608
// GFX942-LABEL: func.func @short
func.func @short(%x: tensor<4096x512xbf16>, %w: tensor<32768x512xbf16>) -> tensor<4096x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<4096x512xbf16>, tensor<32768x512xbf16> -> tensor<4096x32768xbf16>
  return %d : tensor<4096x32768xbf16>
}

// -----

// Columns that some tiles mask are stored by branches.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @ragged
// GFX942-NOT: workgroups =
// GFX942-LABEL: func.func @ragged
func.func @ragged(%x: tensor<4096x512xbf16>, %w: tensor<32767x512xbf16>) -> tensor<4096x32767xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<4096x512xbf16>, tensor<32767x512xbf16> -> tensor<4096x32767xbf16>
  return %d : tensor<4096x32767xbf16>
}

// -----

// How many tiles there are is not known.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @rows
// GFX942-NOT: workgroups =
// GFX942-LABEL: func.func @rows
func.func @rows(%x: tensor<?x512xbf16>, %w: tensor<32768x512xbf16>) -> tensor<?x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<?x512xbf16>, tensor<32768x512xbf16> -> tensor<?x32768xbf16>
  return %d : tensor<?x32768xbf16>
}

// -----

// Matrices of a batch are stored to places of their own.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @batch
// GFX942-NOT: workgroups =
// GFX942-LABEL: func.func @batch
func.func @batch(%x: tensor<8x4096x512xbf16>, %w: tensor<8x4096x512xbf16>) -> tensor<8x4096x4096xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<8x4096x512xbf16>, tensor<8x4096x512xbf16> -> tensor<8x4096x4096xbf16>
  return %d : tensor<8x4096x4096xbf16>
}

// -----

// One tile a CU, or less: nothing follows it.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @few
// GFX942-NOT: workgroups =
// GFX942-LABEL: func.func @few
func.func @few(%x: tensor<1024x512xbf16>, %w: tensor<1024x512xbf16>) -> tensor<1024x1024xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<1024x512xbf16>, tensor<1024x512xbf16> -> tensor<1024x1024xbf16>
  return %d : tensor<1024x1024xbf16>
}

// -----

// Steps that scale elements (gfx942), without a loop, take LLVM a second.
// CHECK: workgroups = 512
// CHECK-LABEL: func.func @elements
// GFX942-NOT: workgroups =
// GFX942-LABEL: func.func @elements
#column = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @elements(%x: !te.scaled<512x4096xf8E4M3FN, #column>, %y: !te.scaled<512x7168xf8E4M3FN, #column>) -> tensor<4096x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<512x4096xf8E4M3FN, #column>, !te.scaled<512x7168xf8E4M3FN, #column> -> tensor<4096x7168xbf16>
  return %d : tensor<4096x7168xbf16>
}

// -----

// Workgroups of a CU whose steps have no loop keep each other up less: three.
// CHECK: tile = [128, 128], waves = 4, vector = 8, workgroups = 768
// CHECK-LABEL: func.func @side_by_side
// GFX942-LABEL: func.func @side_by_side
func.func @side_by_side(%x: tensor<512x4096xbf16>, %y: tensor<512x7168xbf16>) -> tensor<4096x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<512x4096xbf16>, tensor<512x7168xbf16> -> tensor<4096x7168xbf16>
  return %d : tensor<4096x7168xbf16>
}

// -----

// Stores are beside the next tile's products, not another workgroup's: waves take turns, though stores take longer than these.
// CHECK: workgroups = 512
// CHECK-LABEL: func.func @turns
// GFX942: ping_pong = true
// GFX942: workgroups = 608
// GFX942-LABEL: func.func @turns
#tensor = #te.scaling<tensor, scale = f32>
func.func @turns(%x: !te.scaled<512x7168xf8E4M3FNUZ, #tensor>, %y: !te.scaled<512x2048xf8E4M3FNUZ, #tensor>) -> tensor<7168x2048xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<512x7168xf8E4M3FNUZ, #tensor>, !te.scaled<512x2048xf8E4M3FNUZ, #tensor> -> tensor<7168x2048xbf16>
  return %d : tensor<7168x2048xbf16>
}

// -----

// A last round of one workgroup: the other one's tile is stored beside it. Tiles behind the first need less time to begin, and waves that
// have a SIMD each hide more where steps are three places ahead. By K = 128 and one workgroup a CU, whose estimate is less, it would take longer.
// Of 672 tiles, hardly more than workgroups: by turns both of a CU would end at once, and the third tile be alone.
// CHECK: k = 64, waves = [2, 2], stages = 4, direct = true
// CHECK: tile = [128, 128], waves = 4, vector = 16, workgroups = 512
// CHECK-LABEL: func.func @last
// GFX942: waves = [2, 4], stages = 2, group = 8>
// GFX942: tile = [128, 128], waves = 8, vector = 16, workgroups = 608
// GFX942-LABEL: func.func @last
#tensor = #te.scaling<tensor, scale = f32>
func.func @last(%x: !te.scaled<4096x1536xf8E4M3FNUZ, #tensor>, %y: !te.scaled<4096x7168xf8E4M3FNUZ, #tensor>) -> tensor<1536x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<4096x1536xf8E4M3FNUZ, #tensor>, !te.scaled<4096x7168xf8E4M3FNUZ, #tensor> -> tensor<1536x7168xbf16>
  return %d : tensor<1536x7168xbf16>
}

// -----

// Of what lanes turn a quarter stands between products: the tile whose turned operand is the shorter one.
// GFX942: waves = [4, 2]
// GFX942: tile = [256, 128], waves = 8, vector = 8, workgroups = 304
// GFX942-LABEL: func.func @between
func.func @between(%x: tensor<4096x1536xbf16>, %w: tensor<1536x7168xbf16>) -> tensor<4096x7168xbf16> {
  %d = te.gemm %x, %w : tensor<4096x1536xbf16>, tensor<1536x7168xbf16> -> tensor<4096x7168xbf16>
  return %d : tensor<4096x7168xbf16>
}

// -----

// Of a long K, too, where addresses take as long as products, and workgroups whose waves take turns wait for no more.
// CHECK: "f32_32x32x16_bf16", k = 64, waves = [2, 4], stages = 2, ping_pong = true
// CHECK: tile = [128, 128], waves = 8, vector = 8, workgroups = 512
// CHECK-LABEL: func.func @arrival
func.func @arrival(%x: tensor<4096x16384xbf16>, %w: tensor<7168x16384xbf16>) -> tensor<4096x7168xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<4096x16384xbf16>, tensor<7168x16384xbf16> -> tensor<4096x7168xbf16>
  return %d : tensor<4096x7168xbf16>
}

// -----

// Steps of four parts are regular, and have half of the barriers, at which both waves of a SIMD wait.
// CHECK: "f32_32x32x16_bf16", k = 64, waves = [2, 4], stages = 3, direct = true, ping_pong = true
// CHECK: tile = [128, 256], waves = 8, vector = 8, workgroups = 256
// CHECK-LABEL: func.func @parts
func.func @parts(%x: tensor<4096x8192xbf16>, %y: tensor<4096x28672xbf16>) -> tensor<8192x28672xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<4096x8192xbf16>, tensor<4096x28672xbf16> -> tensor<8192x28672xbf16>
  return %d : tensor<8192x28672xbf16>
}

// -----

// A long K, of which the stores are little: parts of 128 clocks hide nothing of those barriers, those of a larger tile do.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @long
func.func @long(%x: tensor<4096x28672xbf16>, %w: tensor<28672x8192xbf16>) -> tensor<4096x8192xbf16> {
  %d = te.gemm %x, %w : tensor<4096x28672xbf16>, tensor<28672x8192xbf16> -> tensor<4096x8192xbf16>
  return %d : tensor<4096x8192xbf16>
}

// -----

// The first of two tiles needs all of its time to begin: one larger tile.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @first
func.func @first(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %d = te.gemm %x, %w : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  return %d : tensor<4096x4096xbf16>
}

// -----

// Tiles of MXFP4 through registers, whose waves have long parts of it (a quarter of the rows, half of the columns).
// CHECK: "scale_f32_32x32x64_f8f6f4", k = 256, waves = [4, 2], stages = 2, group
// CHECK: tile = [128, 256], waves = 8, vector = 32, workgroups = 256
// CHECK-LABEL: func.func @scales
// GFX942-LABEL: func.func @scales
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @scales(%x: !te.scaled<4096x4096xf4E2M1FN, #row>, %w: !te.scaled<28672x4096xf4E2M1FN, #row>) -> tensor<4096x28672xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<4096x4096xf4E2M1FN, #row>, !te.scaled<28672x4096xf4E2M1FN, #row> -> tensor<4096x28672xbf16>
  return %d : tensor<4096x28672xbf16>
}

// -----

// So do loops over shuffled ones; waves of a square tile have what they have of others.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @shuffled
// CHECK: #matmul{{[0-9]*}} = #te.matmul<"scale_f32_32x32x64_f8f6f4", k = 128, waves = [2, 4], stages = 2, group = 4>
// CHECK-LABEL: func.func @square
// GFX942-LABEL: func.func @square
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#shuffled = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>
func.func @shuffled(%x: !te.scaled<8192x8192xf4E2M1FN, #row>, %w: !te.scaled<8192x8192xf4E2M1FN, #shuffled>) -> tensor<8192x8192xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<8192x8192xf4E2M1FN, #row>, !te.scaled<8192x8192xf4E2M1FN, #shuffled> -> tensor<8192x8192xbf16>
  return %d : tensor<8192x8192xbf16>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#shuffled = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>
func.func @square(%x: !te.scaled<4096x4096xf4E2M1FN, #row>, %w: !te.scaled<4096x4096xf4E2M1FN, #shuffled>) -> tensor<4096x4096xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<4096x4096xf4E2M1FN, #row>, !te.scaled<4096x4096xf4E2M1FN, #shuffled> -> tensor<4096x4096xbf16>
  return %d : tensor<4096x4096xbf16>
}

// -----

// Steps that convert elements take longer beside stores.
// CHECK-LABEL: func.func @prologue
// GFX942-NOT: workgroups =
// GFX942-LABEL: func.func @prologue
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @prologue(%x: tensor<1024x4096xbf16>, %q: !te.scaled<28672x4096xf8E4M3FN, #row>) -> tensor<1024x28672xbf16> {
  %w = te.dequantize %q : !te.scaled<28672x4096xf8E4M3FN, #row> -> tensor<28672x4096xbf16>
  %d = te.gemm %x, %w transpose_b : tensor<1024x4096xbf16>, tensor<28672x4096xbf16> -> tensor<1024x28672xbf16>
  return %d : tensor<1024x28672xbf16>
}

// -----

// The first tile of a workgroup has none to store: a short K in few rounds.
// CHECK: waves = [2, 2], stages = 4, direct = true, group
// CHECK: tile = [128, 128], waves = 4, vector = 8, workgroups = 512
// CHECK-LABEL: func.func @none
func.func @none(%x: tensor<4096x1536xbf16>, %w: tensor<1536x7168xbf16>) -> tensor<4096x7168xbf16> {
  %d = te.gemm %x, %w : tensor<4096x1536xbf16>, tensor<1536x7168xbf16> -> tensor<4096x7168xbf16>
  return %d : tensor<4096x7168xbf16>
}

// -----

// What memory has not taken of a tile beside its own steps it takes beside the others of the loop.
// CHECK: tile = [256, 128], waves = 8, vector = 32, workgroups = 256
// CHECK-LABEL: func.func @others
// GFX942-LABEL: func.func @others
#column = #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>
func.func @others(%x: !te.scaled<4096x32768xf4E2M1FN, #column>, %y: !te.scaled<4096x512xf4E2M1FN, #column>) -> tensor<32768x512xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<4096x32768xf4E2M1FN, #column>, !te.scaled<4096x512xf4E2M1FN, #column> -> tensor<32768x512xbf16>
  return %d : tensor<32768x512xbf16>
}

// -----

// Steps of one instruction, which operands across K may have, leave stores no room: two of them.
// CHECK: "f32_32x32x16_bf16", k = 32, waves = [2, 2], stages = 4, direct = true, group
// CHECK: tile = [128, 128], waves = 4, vector = 8, workgroups = 512
// CHECK-LABEL: func.func @two
func.func @two(%x: tensor<512x7168xbf16>, %y: tensor<512x2048xbf16>) -> tensor<7168x2048xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<512x7168xbf16>, tensor<512x2048xbf16> -> tensor<7168x2048xbf16>
  return %d : tensor<7168x2048xbf16>
}

// -----

// A part of what lanes turn stands between the products: of two tiles, that whose turned operand is the shorter one.
// GFX942: k = 32, waves = [4, 2], stages = 2, ping_pong = true, group
// GFX942: tile = [256, 128], waves = 8, vector = 8, workgroups = 304
// GFX942-LABEL: func.func @turned
// CHECK-LABEL: func.func @turned
func.func @turned(%x: tensor<4096x4096xbf16>, %w: tensor<4096x14336xbf16>) -> tensor<4096x14336xbf16> {
  %d = te.gemm %x, %w : tensor<4096x4096xbf16>, tensor<4096x14336xbf16> -> tensor<4096x14336xbf16>
  return %d : tensor<4096x14336xbf16>
}

// -----

// Two places in LDS suffice for waves that have a SIMD each, so that two workgroups have the CU.
// CHECK: k = 128, waves = [2, 2], stages = 2, direct = true, group
// CHECK: tile = [128, 128], waves = 4, vector = 16, workgroups = 512
// CHECK-LABEL: func.func @lone
// GFX942-LABEL: func.func @lone
#tensor = #te.scaling<tensor, scale = f32>
func.func @lone(%x: !te.scaled<4096x512xf8E4M3FNUZ, #tensor>, %w: !te.scaled<32768x512xf8E4M3FNUZ, #tensor>) -> tensor<4096x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<4096x512xf8E4M3FNUZ, #tensor>, !te.scaled<32768x512xf8E4M3FNUZ, #tensor> -> tensor<4096x32768xbf16>
  return %d : tensor<4096x32768xbf16>
}
