// Which tiles te-schedule takes for a product, and how waves share them.
// Batches are of one matrix, so that workgroups have one tile each (0028).
// RUN: sed s/FNUZ/FN/g %s | te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' --split-input-file | FileCheck %s
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx942},te-schedule{target=gfx942}))' %s --split-input-file | FileCheck %s --check-prefix=GFX942

// 256 x 256 tiles fill the second of three rounds by a quarter; of three workgroups a CU two multiply while one stores.
// CHECK: tile = [128, 128], waves = 4
// CHECK-LABEL: func.func @rounds
func.func @rounds(%x: tensor<1x4096x24576xbf16>, %y: tensor<1x4096x1536xbf16>) -> tensor<1x24576x1536xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<1x4096x24576xbf16>, tensor<1x4096x1536xbf16> -> tensor<1x24576x1536xbf16>
  return %d : tensor<1x24576x1536xbf16>
}

// -----

// A wave has whole pieces of the lines that it stores: 32 columns of bf16, not 16.
// GFX942: waves = [4, 2]
// GFX942-LABEL: func.func @square
func.func @square(%x: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1024x1024xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<1024x1024xbf16>, tensor<1024x1024xbf16> -> tensor<1024x1024xbf16>
  return %d : tensor<1024x1024xbf16>
}

// -----

// A short K, much of whose time is the stores': of the workgroups on a CU some store while others ask for all that they need.
// CHECK: stages = 3, direct = true
// CHECK: tile = [64, 64], waves = 4
// CHECK-LABEL: func.func @short
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @short(%x: !te.scaled<1x4096x512xf4E2M1FN, #row>, %w: !te.scaled<1x32768x512xf4E2M1FN, #row>) -> tensor<1x4096x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<1x4096x512xf4E2M1FN, #row>, !te.scaled<1x32768x512xf4E2M1FN, #row> -> tensor<1x4096x32768xbf16>
  return %d : tensor<1x4096x32768xbf16>
}

// -----

// A short K, whose stores no pipeline hides: three workgroups without one are on a CU at once, as LDS holds a step of each.
// GFX942: #matmul = #te.matmul<"f32_32x32x16_fp8_fnuz", k = 64, waves = [2, 2], group = 8>
// GFX942: tile = [128, 128], waves = 4
// GFX942-LABEL: func.func @together
#tensor = #te.scaling<tensor, scale = f32>
func.func @together(%x: !te.scaled<1x512x7168xf8E4M3FNUZ, #tensor>, %y: !te.scaled<1x512x2048xf8E4M3FNUZ, #tensor>) -> tensor<1x7168x2048xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<1x512x7168xf8E4M3FNUZ, #tensor>, !te.scaled<1x512x2048xf8E4M3FNUZ, #tensor> -> tensor<1x7168x2048xbf16>
  return %d : tensor<1x7168x2048xbf16>
}

// -----

// With a long K the last of them would be alone for long.
// GFX942: stages = 2
// GFX942-LABEL: func.func @alone
func.func @alone(%x: tensor<1x1024x4096xbf16>, %y: tensor<1x4096x14336xbf16>) -> tensor<1x1024x14336xbf16> {
  %d = te.gemm %x, %y : tensor<1x1024x4096xbf16>, tensor<1x4096x14336xbf16> -> tensor<1x1024x14336xbf16>
  return %d : tensor<1x1024x14336xbf16>
}

// -----

// Four waves of a SIMD, where two would leave the matrix cores idle: what one scales stands beside another's products.
// GFX942: waves = [4, 4], stages = 2
// GFX942: waves = 16
// GFX942-LABEL: func.func @scaled
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @scaled(%x: !te.scaled<1x1024x4096xf8E4M3FN, #row>, %w: !te.scaled<1x28672x4096xf8E4M3FN, #row>) -> tensor<1x1024x28672xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<1x1024x4096xf8E4M3FN, #row>, !te.scaled<1x28672x4096xf8E4M3FN, #row> -> tensor<1x1024x28672xbf16>
  return %d : tensor<1x1024x28672xbf16>
}

// -----

// Not where lanes turn codes that lie across K.
// GFX942: waves = 8
// GFX942-LABEL: func.func @turned
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#column = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @turned(%x: !te.scaled<1x1024x4096xf8E4M3FN, #row>, %w: !te.scaled<1x4096x28672xf8E4M3FN, #column>) -> tensor<1x1024x28672xbf16> {
  %d = te.gemm %x, %w : !te.scaled<1x1024x4096xf8E4M3FN, #row>, !te.scaled<1x4096x28672xf8E4M3FN, #column> -> tensor<1x1024x28672xbf16>
  return %d : tensor<1x1024x28672xbf16>
}

// -----

// A wave that is alone on its SIMD reads each part of a step while it multiplies the one before, as steps are four places ahead: eight would read half as much again.
// CHECK: waves = [2, 2], stages = 4, direct = true
// CHECK: tile = [128, 128], waves = 4
// CHECK-LABEL: func.func @ahead
func.func @ahead(%x: tensor<512x2048xbf16>, %w: tensor<7168x2048xbf16>) -> tensor<512x7168xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<512x2048xbf16>, tensor<7168x2048xbf16> -> tensor<512x7168xbf16>
  return %d : tensor<512x7168xbf16>
}

// -----

// A short K and many rounds: of two workgroups on a CU one stores while the other multiplies.
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @apart
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<1x4096x512xbf16>, %w: tensor<1x32768x512xbf16>) -> tensor<1x4096x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<1x4096x512xbf16>, tensor<1x32768x512xbf16> -> tensor<1x4096x32768xbf16>
  return %d : tensor<1x4096x32768xbf16>
}

// -----

// Four workgroups of 128 x 128 a CU, of which it holds three: the fourth one would find it empty again.
// CHECK: tile = [256, 256], waves = 8
// CHECK-LABEL: func.func @tail
// GFX942-LABEL: func.func @tail
#tensor = #te.scaling<tensor, scale = f32>
func.func @tail(%x: !te.scaled<1x512x7168xf8E4M3FN, #tensor>, %y: !te.scaled<1x512x2048xf8E4M3FN, #tensor>) -> tensor<1x7168x2048xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<1x512x7168xf8E4M3FN, #tensor>, !te.scaled<1x512x2048xf8E4M3FN, #tensor> -> tensor<1x7168x2048xbf16>
  return %d : tensor<1x7168x2048xbf16>
}

// -----

// Of four waves on a SIMD one scales its elements while what the others have asked for comes: larger tiles, no pieces of K.
// GFX942: waves = [4, 4], stages = 2, group = 1>
// GFX942: tile = [64, 128], waves = 16
// GFX942-LABEL: func.func @turns
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @turns(%x: !te.scaled<1x64x4096xf8E4M3FN, #row>, %w: !te.scaled<1x28672x4096xf8E4M3FN, #row>) -> tensor<1x64x28672xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<1x64x4096xf8E4M3FN, #row>, !te.scaled<1x28672x4096xf8E4M3FN, #row> -> tensor<1x64x28672xbf16>
  return %d : tensor<1x64x28672xbf16>
}

// -----

// Sixteen pieces of seven steps, not twelve of five or four: those know their last step, and ask for nothing behind it.
// GFX942: split_k = 16
// GFX942-LABEL: func.func @alike
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @alike(%x: !te.scaled<16x7168xf8E4M3FN, #row>, %w: !te.scaled<1536x7168xf8E4M3FN, #row>) -> tensor<16x1536xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<16x7168xf8E4M3FN, #row>, !te.scaled<1536x7168xf8E4M3FN, #row> -> tensor<16x1536xbf16>
  return %d : tensor<16x1536xbf16>
}

// -----

// Seven steps without a loop have two steps under way, whose lines are partly in L1: larger pieces than of 64 columns, not fewer.
// GFX942: waves = [1, 8], stages = 2, split_k = 16
// GFX942: tile = [16, 128], waves = 8
// GFX942-LABEL: func.func @early
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @early(%x: !te.scaled<16x7168xf4E2M1FN, #row>, %w: !te.scaled<1536x7168xf4E2M1FN, #row>) -> tensor<16x1536xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<16x7168xf4E2M1FN, #row>, !te.scaled<1536x7168xf4E2M1FN, #row> -> tensor<16x1536xbf16>
  return %d : tensor<16x1536xbf16>
}

// -----

// Of two waves on a SIMD one reads while the other multiplies: smaller tiles, whose reads of LDS take as long as products, and K stays whole.
// GFX942: k = 64, waves = [2, 4], stages = 2, group = 4>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @regular
func.func @regular(%x: tensor<1024x14336xbf16>, %w: tensor<4096x14336xbf16>) -> tensor<1024x4096xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<1024x14336xbf16>, tensor<4096x14336xbf16> -> tensor<1024x4096xbf16>
  return %d : tensor<1024x4096xbf16>
}

// -----

// 224 workgroups for 304 CUs have a larger share of L2 each: wide tiles, not six times as many small ones that load the rows again.
// GFX942: tile = [16, 128], waves = 4
// GFX942-LABEL: func.func @share
func.func @share(%x: tensor<16x4096xbf16>, %w: tensor<28672x4096xbf16>) -> tensor<16x28672xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<16x4096xbf16>, tensor<28672x4096xbf16> -> tensor<16x28672xbf16>
  return %d : tensor<16x28672xbf16>
}

// -----

// A step of one part, straight to LDS in four places, is held up little by what arrives, less than a large one: seven whole rounds of wide tiles,
// not half a round more of large ones than three.
// CHECK: waves = [2, 4], stages = 4, direct = true, group = 8>
// CHECK: tile = [128, 256], waves = 8
// CHECK-LABEL: func.func @one
#a = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @one(%x: !te.scaled<1x4096x4096xf8E4M3FN, #a>, %w: !te.scaled<1x4096x14336xf8E4M3FN, #a>) -> tensor<1x4096x14336xbf16> {
  %d = te.gemm %x, %w transpose_a : !te.scaled<1x4096x4096xf8E4M3FN, #a>, !te.scaled<1x4096x14336xf8E4M3FN, #a> -> tensor<1x4096x14336xbf16>
  return %d : tensor<1x4096x14336xbf16>
}

// -----

// Waves that have a SIMD each, straight to LDS in four places, are held up little by what arrives: square tiles, which leave no part of a round.
// CHECK: waves = [2, 2], stages = 4, direct = true, group = 4>
// CHECK: tile = [128, 128], waves = 4
// CHECK-LABEL: func.func @each
#tensor = #te.scaling<tensor, scale = f32>
func.func @each(%x: !te.scaled<1x4096x16384xf8E4M3FN, #tensor>, %w: !te.scaled<1x7168x16384xf8E4M3FN, #tensor>) -> tensor<1x4096x7168xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<1x4096x16384xf8E4M3FN, #tensor>, !te.scaled<1x7168x16384xf8E4M3FN, #tensor> -> tensor<1x4096x7168xbf16>
  return %d : tensor<1x4096x7168xbf16>
}

// -----

// Where a step is two parts, of which one has its barrier, what arrives holds eight waves up more than where it is one.
// CHECK: #matmul = #te.matmul<"f32_32x32x16_bf16", k = 32, waves = [2, 2], stages = 4, direct = true, group = 8>
// CHECK-LABEL: func.func @halves
func.func @halves(%x: tensor<1x4096x6144xbf16>, %w: tensor<1x4096x4096xbf16>) -> tensor<1x6144x4096xbf16> {
  %d = te.gemm %x, %w transpose_a : tensor<1x4096x6144xbf16>, tensor<1x4096x4096xbf16> -> tensor<1x6144x4096xbf16>
  return %d : tensor<1x6144x4096xbf16>
}

// -----

// Waves of a SIMD that take turns keep LDS, addresses and matrix cores busy at once: square tiles, in seven rounds of a quarter of what two take.
// GFX942: #matmul = #te.matmul<"f32_32x32x8_bf16", k = 32, waves = [2, 4], stages = 2, ping_pong = true, group = 8>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @turns
func.func @turns(%x: tensor<4096x8192xbf16>, %w: tensor<8192x8192xbf16>) -> tensor<4096x8192xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<4096x8192xbf16>, tensor<8192x8192xbf16> -> tensor<4096x8192xbf16>
  return %d : tensor<4096x8192xbf16>
}

// -----

// Addresses are as regular: wide tiles, where large ones would have their last rows cut.
// GFX942: #matmul = #te.matmul<"f32_32x32x8_bf16", k = 32, waves = [2, 4], stages = 2, ping_pong = true, group = 8>
// GFX942: tile = [128, 256], waves = 8
// GFX942-LABEL: func.func @addresses
func.func @addresses(%x: tensor<1x8192x8192xbf16>, %w: tensor<1x8192x8192xbf16>) -> tensor<1x8192x8192xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<1x8192x8192xbf16>, tensor<1x8192x8192xbf16> -> tensor<1x8192x8192xbf16>
  return %d : tensor<1x8192x8192xbf16>
}

// -----

// The same where lanes turn one operand: larger instructions, whose steps take turns, not shorter ones, of which one wave hides what the other waits for.
// GFX942: #matmul = #te.matmul<"f32_32x32x8_bf16", k = 64, waves = [2, 4], stages = 2, ping_pong = true, group = 8>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @turned
func.func @turned(%x: tensor<1x1024x4096xbf16>, %w: tensor<1x4096x14336xbf16>) -> tensor<1x1024x14336xbf16> {
  %d = te.gemm %x, %w : tensor<1x1024x4096xbf16>, tensor<1x4096x14336xbf16> -> tensor<1x1024x14336xbf16>
  return %d : tensor<1x1024x14336xbf16>
}

// -----

// A part of another wave's products hides the latency of LDS: tiles that K is not cut for.
// GFX942: #matmul = #te.matmul<"f32_32x32x8_bf16", k = 32, waves = [4, 2], stages = 2, ping_pong = true, group = 4>
// GFX942: tile = [256, 128], waves = 8
// GFX942-LABEL: func.func @hidden
func.func @hidden(%x: tensor<4096x7168xbf16>, %w: tensor<1536x7168xbf16>) -> tensor<4096x1536xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<4096x7168xbf16>, tensor<1536x7168xbf16> -> tensor<4096x1536xbf16>
  return %d : tensor<4096x1536xbf16>
}

// -----

// What scales elements stands beside the other wave's products: no turns.
// GFX942: #matmul = #te.matmul<"f32_32x32x8_bf16", k = 32, waves = [2, 4], stages = 2, group = 4>
// GFX942-LABEL: func.func @scaled
#block = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @scaled(%x: !te.scaled<4096x4096xf8E4M3FN, #block>, %w: !te.scaled<4096x4096xf8E4M3FN, #block>) -> tensor<4096x4096xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<4096x4096xf8E4M3FN, #block>, !te.scaled<4096x4096xf8E4M3FN, #block> -> tensor<4096x4096xbf16>
  return %d : tensor<4096x4096xbf16>
}

// -----

// But four waves of a SIMD, whose steps are eight parts, are at different ones: one scales while the others multiply.
// GFX942: #matmul = #te.matmul<"f32_16x16x16_bf16", k = 128, waves = [4, 4], stages = 2, ping_pong = true, group = 4>
// GFX942: tile = [64, 64], waves = 16
// GFX942-LABEL: func.func @many
#block = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @many(%x: !te.scaled<1024x1024xf4E2M1FN, #block>, %w: !te.scaled<1024x1024xf4E2M1FN, #block>) -> tensor<1024x1024xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<1024x1024xf4E2M1FN, #block>, !te.scaled<1024x1024xf4E2M1FN, #block> -> tensor<1024x1024xbf16>
  return %d : tensor<1024x1024xbf16>
}

// -----

// Not where lanes turn what they scale, too.
// GFX942: #matmul = #te.matmul<"f32_16x16x16_bf16", k = 64, waves = [2, 4], stages = 2, group = 4>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @both
#block = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#column = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @both(%x: !te.scaled<512x4096xf8E4M3FN, #block>, %w: !te.scaled<4096x7168xf8E4M3FN, #column>) -> tensor<512x7168xbf16> {
  %d = te.gemm %x, %w : !te.scaled<512x4096xf8E4M3FN, #block>, !te.scaled<4096x7168xf8E4M3FN, #column> -> tensor<512x7168xbf16>
  return %d : tensor<512x7168xbf16>
}

// -----

// In long loops workgroups whose waves take turns come apart: square tiles, of which one stores while the other multiplies.
// GFX942: #matmul = #te.matmul<"f32_32x32x8_bf16", k = 32, waves = [2, 4], stages = 2, ping_pong = true, group = 8>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @long
func.func @long(%x: tensor<1x4096x8192xbf16>, %w: tensor<1x8192x8192xbf16>) -> tensor<1x4096x8192xbf16> {
  %d = te.gemm %x, %w : tensor<1x4096x8192xbf16>, tensor<1x8192x8192xbf16> -> tensor<1x4096x8192xbf16>
  return %d : tensor<1x4096x8192xbf16>
}
