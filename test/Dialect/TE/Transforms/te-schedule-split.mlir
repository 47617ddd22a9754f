// te-schedule cuts K into pieces where tiles of the result leave compute units idle, and where all sizes are known.
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' %s --split-input-file | FileCheck %s

// CHECK: split_k
// CHECK-LABEL: func.func @decode
func.func @decode(%x: tensor<16x7168xbf16>, %w: tensor<1536x7168xbf16>) -> tensor<16x1536xbf16> {
  %y = te.gemm %x, %w transpose_b : tensor<16x7168xbf16>, tensor<1536x7168xbf16> -> tensor<16x1536xbf16>
  return %y : tensor<16x1536xbf16>
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
