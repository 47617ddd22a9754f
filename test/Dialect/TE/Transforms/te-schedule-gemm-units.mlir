// What te-schedule knows of units that work side by side, and of a CU's last workgroups (docs/decisions/0012, session 34).
// Batches are of one matrix, so that workgroups have one tile each (0028).
// RUN: sed s/FNUZ/FN/g %s | te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' --split-input-file | FileCheck %s
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx942},te-schedule{target=gfx942}))' %s --split-input-file | FileCheck %s --check-prefix=GFX942

// Lanes turn one operand by half an instruction an element, beside the products: long steps of square tiles, for which K is not cut.
// GFX942: #matmul = #te.matmul<"f32_32x32x16_fp8_fnuz", k = 128, waves = [2, 4], stages = 2, ping_pong = true, group = 4>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @turned
#tensor = #te.scaling<tensor, scale = f32>
func.func @turned(%x: !te.scaled<1024x28672xf8E4M3FNUZ, #tensor>, %w: !te.scaled<28672x4096xf8E4M3FNUZ, #tensor>) -> tensor<1024x4096xbf16> {
  %d = te.gemm %x, %w : !te.scaled<1024x28672xf8E4M3FNUZ, #tensor>, !te.scaled<28672x4096xf8E4M3FNUZ, #tensor> -> tensor<1024x4096xbf16>
  return %d : tensor<1024x4096xbf16>
}

// -----

// Both operands of square tiles take lanes a quarter of the products' time, in which the other wave waits, too: large ones.
// GFX942: tile = [256, 256], waves = 8
// GFX942-LABEL: func.func @both
#tensor = #te.scaling<tensor, scale = f32>
func.func @both(%x: !te.scaled<1x4096x24576xf8E4M3FNUZ, #tensor>, %y: !te.scaled<1x4096x1536xf8E4M3FNUZ, #tensor>) -> tensor<1x24576x1536xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<1x4096x24576xf8E4M3FNUZ, #tensor>, !te.scaled<1x4096x1536xf8E4M3FNUZ, #tensor> -> tensor<1x24576x1536xbf16>
  return %d : tensor<1x24576x1536xbf16>
}

// -----

// In long loops units are regular: two workgroups of square tiles, whose reads of LDS take as long as the products, in less than three rounds.
// Of what lanes turn more stands between products where waves have a SIMD each: eight, not four.
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @regular
#tensor = #te.scaling<tensor, scale = f32>
func.func @regular(%x: !te.scaled<1x4096x1536xf8E4M3FNUZ, #tensor>, %y: !te.scaled<1x4096x7168xf8E4M3FNUZ, #tensor>) -> tensor<1x1536x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<1x4096x1536xf8E4M3FNUZ, #tensor>, !te.scaled<1x4096x7168xf8E4M3FNUZ, #tensor> -> tensor<1x1536x7168xbf16>
  return %d : tensor<1x1536x7168xbf16>
}

// -----

// In short ones workgroups whose waves take turns end together: large tiles.
// GFX942: tile = [256, 256], waves = 8
// GFX942-LABEL: func.func @short
func.func @short(%x: tensor<1x1024x4096xbf16>, %y: tensor<1x1024x14336xbf16>) -> tensor<1x4096x14336xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<1x1024x4096xbf16>, tensor<1x1024x14336xbf16> -> tensor<1x4096x14336xbf16>
  return %d : tensor<1x4096x14336xbf16>
}

// -----

// So units are where scales are beside wide instructions, through registers.
// CHECK: #matmul = #te.matmul<"scale_f32_32x32x64_f8f6f4", k = 256, waves = [4, 2], stages = 2, group = 8>
// CHECK: tile = [128, 256], waves = 8
// CHECK-LABEL: func.func @scales
// GFX942-LABEL: func.func @scales
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#column = #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>
func.func @scales(%x: !te.scaled<4096x4096xf4E2M1FN, #row>, %w: !te.scaled<4096x14336xf4E2M1FN, #column>) -> tensor<4096x14336xbf16> {
  %d = te.gemm %x, %w : !te.scaled<4096x4096xf4E2M1FN, #row>, !te.scaled<4096x14336xf4E2M1FN, #column> -> tensor<4096x14336xbf16>
  return %d : tensor<4096x14336xbf16>
}

// -----

// And straight to LDS: square tiles of waves that have a SIMD each, in seven rounds of a quarter of what two take.
// CHECK: #matmul = #te.matmul<"f32_32x32x16_bf16", k = 32, waves = [2, 2], stages = 4, direct = true, group = 4>
// CHECK: tile = [128, 128], waves = 4
// CHECK-LABEL: func.func @direct
func.func @direct(%x: tensor<1x4096x1536xbf16>, %w: tensor<1x1536x7168xbf16>) -> tensor<1x4096x7168xbf16> {
  %d = te.gemm %x, %w : tensor<1x4096x1536xbf16>, tensor<1x1536x7168xbf16> -> tensor<1x4096x7168xbf16>
  return %d : tensor<1x4096x7168xbf16>
}

// -----

// With scales, too, of which a step waits for those of one part.
// CHECK: #matmul = #te.matmul<"scale_f32_32x32x64_f8f6f4", k = 64, waves = [2, 2], stages = 4, direct = true, group = 4>
// CHECK: tile = [128, 128], waves = 4
// CHECK-LABEL: func.func @part
#column = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @part(%x: !te.scaled<1x4096x1536xf8E4M3FN, #column>, %y: !te.scaled<1x4096x7168xf8E4M3FN, #column>) -> tensor<1x1536x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<1x4096x1536xf8E4M3FN, #column>, !te.scaled<1x4096x7168xf8E4M3FN, #column> -> tensor<1x1536x7168xbf16>
  return %d : tensor<1x1536x7168xbf16>
}

// -----

// But not where elements are scaled, in turn with products.
// GFX942: tile = [128, 128], waves = 16
// GFX942-LABEL: func.func @elements
// CHECK-LABEL: func.func @elements
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @elements(%x: !te.scaled<2048x2048xf8E4M3FN, #row>, %w: !te.scaled<2048x2048xf8E4M3FN, #row>) -> tensor<2048x2048xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<2048x2048xf8E4M3FN, #row>, !te.scaled<2048x2048xf8E4M3FN, #row> -> tensor<2048x2048xbf16>
  return %d : tensor<2048x2048xbf16>
}

// -----

// Stores take longer than eight steps' products: of two workgroups on a CU one multiplies while the other stores, without turns.
// GFX942: #matmul = #te.matmul<"f32_32x32x16_fp8_fnuz", k = 64, waves = [2, 4], stages = 2, group = 8>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @stores
#tensor = #te.scaling<tensor, scale = f32>
func.func @stores(%x: !te.scaled<1x4096x512xf8E4M3FNUZ, #tensor>, %w: !te.scaled<1x32768x512xf8E4M3FNUZ, #tensor>) -> tensor<1x4096x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<1x4096x512xf8E4M3FNUZ, #tensor>, !te.scaled<1x32768x512xf8E4M3FNUZ, #tensor> -> tensor<1x4096x32768xbf16>
  return %d : tensor<1x4096x32768xbf16>
}

// -----

// Two whole tiles on most of an XCD's CUs: the others have pieces of the last rows meanwhile, and each has one more behind, not two.
// GFX942: split_k = 4, whole_rows = 1280
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @pieces
func.func @pieces(%x: tensor<4096x1536xbf16>, %y: tensor<4096x7168xbf16>) -> tensor<1536x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<4096x1536xbf16>, tensor<4096x7168xbf16> -> tensor<1536x7168xbf16>
  return %d : tensor<1536x7168xbf16>
}

// -----

// They promise 3 %.
// GFX942: split_k = 4, whole_rows = 2304
// GFX942-LABEL: func.func @promise
func.func @promise(%x: tensor<4096x28672xbf16>, %w: tensor<28672x4096xbf16>) -> tensor<4096x4096xbf16> {
  %d = te.gemm %x, %w : tensor<4096x28672xbf16>, tensor<28672x4096xbf16> -> tensor<4096x4096xbf16>
  return %d : tensor<4096x4096xbf16>
}

// -----

// Shuffled weights are read by whole lines: large tiles.
// CHECK: tile = [256, 256], waves = 8
// CHECK-LABEL: func.func @shuffled
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#shuffled = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>
func.func @shuffled(%x: !te.scaled<8192x8192xf4E2M1FN, #row>, %w: !te.scaled<8192x8192xf4E2M1FN, #shuffled>) -> tensor<8192x8192xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<8192x8192xf4E2M1FN, #row>, !te.scaled<8192x8192xf4E2M1FN, #shuffled> -> tensor<8192x8192xbf16>
  return %d : tensor<8192x8192xbf16>
}

// -----

// Three workgroups of a CU keep all units but memory busy: steps of one instruction, of which LDS has place for them, where lines lie across K.
// CHECK: #matmul = #te.matmul<"f32_32x32x16_bf16", k = 16, waves = [2, 2], stages = 4, direct = true, group = 4>
// CHECK: tile = [128, 128], waves = 4
// CHECK-LABEL: func.func @three
// GFX942-LABEL: func.func @three
func.func @three(%x: tensor<4096x57344xbf16>, %y: tensor<4096x8192xbf16>) -> tensor<57344x8192xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<4096x57344xbf16>, tensor<4096x8192xbf16> -> tensor<57344x8192xbf16>
  return %d : tensor<57344x8192xbf16>
}

// -----

// Not where memory has more to do, which serves one after another: a quarter of the products' time.
// CHECK: k = 64, waves = [2, 4], stages = 3, direct = true
// CHECK: tile = [128, 256], waves = 8
// CHECK-LABEL: func.func @memory
// GFX942-LABEL: func.func @memory
func.func @memory(%x: tensor<4096x10240xbf16>, %y: tensor<4096x8192xbf16>) -> tensor<10240x8192xbf16> {
  %d = te.gemm %x, %y transpose_a : tensor<4096x10240xbf16>, tensor<4096x8192xbf16> -> tensor<10240x8192xbf16>
  return %d : tensor<10240x8192xbf16>
}

// -----

// Waves that take turns wait for what lanes turn: not by square tiles through registers.
// CHECK: k = 64, waves = [2, 4], stages = 3, direct = true
// CHECK: tile = [128, 256], waves = 8
// CHECK-LABEL: func.func @arrival
// GFX942-LABEL: func.func @arrival
func.func @arrival(%x: tensor<4096x32768xbf16>, %w: tensor<32768x512xbf16>) -> tensor<4096x512xbf16> {
  %d = te.gemm %x, %w : tensor<4096x32768xbf16>, tensor<32768x512xbf16> -> tensor<4096x512xbf16>
  return %d : tensor<4096x512xbf16>
}

// -----

// Several workgroups of large tiles that scale elements are as regularly busy as others: two of 128 x 128, by instructions of many rows.
// GFX942: #matmul = #te.matmul<"f32_32x32x8_bf16", k = 32, waves = [2, 4], stages = 2, split_k = 4, whole_rows = 1280, group = 8>
// GFX942: tile = [128, 128], waves = 8
// GFX942-LABEL: func.func @scaling
// CHECK-LABEL: func.func @scaling
#columns = #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>
func.func @scaling(%x: !te.scaled<4096x1536xf4E2M1FN, #columns>, %y: !te.scaled<4096x7168xf4E2M1FN, #columns>) -> tensor<1536x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<4096x1536xf4E2M1FN, #columns>, !te.scaled<4096x7168xf4E2M1FN, #columns> -> tensor<1536x7168xbf16>
  return %d : tensor<1536x7168xbf16>
}

// -----

// A step that is asked for before the one in front of it is waited for comes by half a step sooner: long steps of small tiles.
// GFX942: k = 64, waves = [1, 4], stages = 2, split_k = 28
// GFX942: tile = [16, 64], waves = 4
// GFX942-LABEL: func.func @early
// CHECK-LABEL: func.func @early
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @early(%x: !te.scaled<1x7168xf4E2M1FN, #row>, %w: !te.scaled<1536x7168xf4E2M1FN, #row>) -> tensor<1x1536xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<1x7168xf4E2M1FN, #row>, !te.scaled<1536x7168xf4E2M1FN, #row> -> tensor<1x1536xbf16>
  return %d : tensor<1x1536xbf16>
}

// -----

// All of few steps is asked for at once, so that the busiest unit counts: small tiles of which many are there at once, not large ones one after another.
// CHECK: k = 128, waves = [2, 2], stages = 3, direct = true
// CHECK: tile = [64, 64], waves = 4
// CHECK-LABEL: func.func @few
// GFX942-LABEL: func.func @few
#columns = #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>
func.func @few(%x: !te.scaled<512x4096xf4E2M1FN, #columns>, %y: !te.scaled<512x7168xf4E2M1FN, #columns>) -> tensor<4096x7168xbf16> {
  %d = te.gemm %x, %y transpose_a : !te.scaled<512x4096xf4E2M1FN, #columns>, !te.scaled<512x7168xf4E2M1FN, #columns> -> tensor<4096x7168xbf16>
  return %d : tensor<4096x7168xbf16>
}

// -----

// Not small ones: whole pieces of 64 columns.
// GFX942: "f32_16x16x16_bf16", k = 64, waves = [1, 4], stages = 2, split_k = 7
// GFX942: tile = [16, 64], waves = 4
// GFX942-LABEL: func.func @small
// CHECK-LABEL: func.func @small
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @small(%x: !te.scaled<16x28672xf8E4M3FN, #row>, %w: !te.scaled<8192x28672xf8E4M3FN, #row>) -> tensor<16x8192xbf16> {
  %d = te.gemm %x, %w transpose_b : !te.scaled<16x28672xf8E4M3FN, #row>, !te.scaled<8192x28672xf8E4M3FN, #row> -> tensor<16x8192xbf16>
  return %d : tensor<16x8192xbf16>
}
