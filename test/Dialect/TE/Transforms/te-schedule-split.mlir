// te-schedule cuts K into splits where tiles of the result leave compute units idle, and where all sizes are known.
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' %s --split-input-file | FileCheck %s
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx942},te-schedule{target=gfx942}))' %s --split-input-file | FileCheck %s --check-prefix=GFX942

// CHECK: split_k
// CHECK-LABEL: func.func @decode
func.func @decode(%x: tensor<16x7168xbf16>, %w: tensor<1536x7168xbf16>) -> tensor<16x1536xbf16> {
  %y = te.gemm %x, %w transpose_b : tensor<16x7168xbf16>, tensor<1536x7168xbf16> -> tensor<16x1536xbf16>
  return %y : tensor<16x1536xbf16>
}

// -----

// A deeper K has more splits than compute units need tiles for.
// CHECK: split_k = {{[0-9]+}}
// CHECK-LABEL: func.func @alike
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @alike(%x: !te.scaled<1x7168xf4E2M1FN, #row>, %w: !te.scaled<1536x7168xf4E2M1FN, #row>) -> tensor<1x1536xbf16> {
  %y = te.gemm %x, %w transpose_b : !te.scaled<1x7168xf4E2M1FN, #row>, !te.scaled<1536x7168xf4E2M1FN, #row> -> tensor<1x1536xbf16>
  return %y : tensor<1x1536xbf16>
}

// -----

// CHECK-NOT: split_k
// CHECK-LABEL: func.func @filled
func.func @filled(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %y = te.gemm %x, %w transpose_b : tensor<4096x4096xbf16>, tensor<4096x4096xbf16> -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}

// -----

// CHECK-NOT: split_k
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<?x7168xbf16>, %w: tensor<1536x7168xbf16>) -> tensor<?x1536xbf16> {
  %y = te.gemm %x, %w transpose_b : tensor<?x7168xbf16>, tensor<1536x7168xbf16> -> tensor<?x1536xbf16>
  return %y : tensor<?x1536xbf16>
}

// -----

// 1024 tiles of 256 x 256, on 304 CUs: three full rounds, and the last rows in splits of K.
// GFX942: split_k = {{[0-9]+}}, whole_rows = {{[0-9]+}}
// GFX942-LABEL: func.func @last_round
func.func @last_round(%x: tensor<8192x8192xbf16>, %w: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<8192x8192xbf16>, tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
  return %d : tensor<8192x8192xbf16>
}

// -----

// Ten and a half: what the last one's splits cost is not saved.
// GFX942-NOT: whole_rows
// GFX942-LABEL: func.func @many_rounds
func.func @many_rounds(%x: tensor<12800x4096xbf16>, %w: tensor<16384x4096xbf16>) -> tensor<12800x16384xbf16> {
  %y = te.gemm %x, %w transpose_b : tensor<12800x4096xbf16>, tensor<16384x4096xbf16> -> tensor<12800x16384xbf16>
  return %y : tensor<12800x16384xbf16>
}

