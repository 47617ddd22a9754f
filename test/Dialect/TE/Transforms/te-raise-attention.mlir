// Products and a softmax that become te.attention, and those that do not.
// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-raise-attention{target=gfx950}),canonicalize)' | FileCheck %s
// RUN: not te-opt %s --pass-pipeline='builtin.module(func.func(te-raise-attention{target=gfx1}))' 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: {{.*}}gfx1

// CHECK-LABEL: func @heads
// CHECK: %[[O:.*]], %{{.*}} = te.attention bhsd %arg0, %arg1, %arg2 {causal, scale = 1.250000e-01 : f32, te.raised = "te.gemm, te.softmax and te.gemm"}
// CHECK-SAME: -> tensor<2x8x?x64xbf16>, tensor<2x8x?xf32>
// CHECK-NOT: te.gemm
// CHECK: return %[[O]]
func.func @heads(%q: tensor<2x8x?x128xbf16>, %k: tensor<2x8x?x128xbf16>, %v: tensor<2x8x?x64xbf16>) -> tensor<2x8x?x64xbf16> {
  %s = te.gemm %q, %k transpose_b : tensor<2x8x?x128xbf16>, tensor<2x8x?x128xbf16> -> tensor<2x8x?x?xbf16>
  %p = te.softmax %s {scale = 1.250000e-01 : f32, causal} : tensor<2x8x?x?xbf16> -> tensor<2x8x?x?xbf16>
  %o = te.gemm %p, %v : tensor<2x8x?x?xbf16>, tensor<2x8x?x64xbf16> -> tensor<2x8x?x64xbf16>
  return %o : tensor<2x8x?x64xbf16>
}

// Scores in f32, cast on the way; the scale is the product's; heads of many batches.
// CHECK-LABEL: func @matrices
// CHECK: tensor.expand_shape
// CHECK: te.attention bhsd {{.*}} {scale = 5.000000e-01 : f32, te.raised
// CHECK-SAME: tensor<?x1x33x32xf16>
// CHECK: tensor.collapse_shape
// CHECK-NOT: te.gemm
func.func @matrices(%q: tensor<?x33x32xf16>, %k: tensor<?x7x32xf16>, %v: tensor<?x7x32xf16>) -> tensor<?x33x32xf16> {
  %s = te.gemm %q, %k transpose_b {alpha = 5.000000e-01 : f32} : tensor<?x33x32xf16>, tensor<?x7x32xf16> -> tensor<?x33x7xf32>
  %p = te.softmax %s : tensor<?x33x7xf32> -> tensor<?x33x7xf32>
  %c = arith.truncf %p : tensor<?x33x7xf32> to tensor<?x33x7xf16>
  %o = te.gemm %c, %v : tensor<?x33x7xf16>, tensor<?x7x32xf16> -> tensor<?x33x32xf16>
  return %o : tensor<?x33x32xf16>
}

// Operands that lie in another order are read as they lie.
// CHECK-LABEL: func @permuted
// CHECK: %[[O:.*]], %{{.*}} = te.attention bshd %arg0, %arg1, %arg2
// CHECK-NOT: te.permute
// CHECK: return %[[O]]
func.func @permuted(%q: tensor<2x?x4x128xbf16>, %k: tensor<2x?x4x128xbf16>, %v: tensor<2x?x4x128xbf16>) -> tensor<2x?x4x128xbf16> {
  %qt = te.permute %q [0, 2, 1, 3] : tensor<2x?x4x128xbf16> -> tensor<2x4x?x128xbf16>
  %kt = te.permute %k [0, 2, 1, 3] : tensor<2x?x4x128xbf16> -> tensor<2x4x?x128xbf16>
  %vt = te.permute %v [0, 2, 1, 3] : tensor<2x?x4x128xbf16> -> tensor<2x4x?x128xbf16>
  %s = te.gemm %qt, %kt transpose_b : tensor<2x4x?x128xbf16>, tensor<2x4x?x128xbf16> -> tensor<2x4x?x?xf32>
  %p = te.softmax %s {scale = 1.250000e-01 : f32} : tensor<2x4x?x?xf32> -> tensor<2x4x?x?xbf16>
  %o = te.gemm %p, %vt : tensor<2x4x?x?xbf16>, tensor<2x4x?x128xbf16> -> tensor<2x4x?x128xbf16>
  %y = te.permute %o [0, 2, 1, 3] : tensor<2x4x?x128xbf16> -> tensor<2x?x4x128xbf16>
  return %y : tensor<2x?x4x128xbf16>
}

// Probabilities that someone reads.
// CHECK-LABEL: func @read
// CHECK-NOT: te.attention
func.func @read(%q: tensor<2x33x32xf16>, %k: tensor<2x7x32xf16>, %v: tensor<2x7x32xf16>) -> (tensor<2x33x32xf16>, tensor<2x33x7xf16>) {
  %s = te.gemm %q, %k transpose_b : tensor<2x33x32xf16>, tensor<2x7x32xf16> -> tensor<2x33x7xf16>
  %p = te.softmax %s : tensor<2x33x7xf16> -> tensor<2x33x7xf16>
  %o = te.gemm %p, %v : tensor<2x33x7xf16>, tensor<2x7x32xf16> -> tensor<2x33x32xf16>
  return %o, %p : tensor<2x33x32xf16>, tensor<2x33x7xf16>
}

// A bias between, keys that lie transposed, f32, a head that no kernel has room for.
// CHECK-LABEL: func @biased
// CHECK-NOT: te.attention
func.func @biased(%q: tensor<2x33x32xf16>, %k: tensor<2x7x32xf16>, %v: tensor<2x7x32xf16>, %b: tensor<2x33x7xf16>) -> tensor<2x33x32xf16> {
  %s = te.gemm %q, %k transpose_b : tensor<2x33x32xf16>, tensor<2x7x32xf16> -> tensor<2x33x7xf16>
  %z = arith.addf %s, %b : tensor<2x33x7xf16>
  %p = te.softmax %z : tensor<2x33x7xf16> -> tensor<2x33x7xf16>
  %o = te.gemm %p, %v : tensor<2x33x7xf16>, tensor<2x7x32xf16> -> tensor<2x33x32xf16>
  return %o : tensor<2x33x32xf16>
}
// CHECK-LABEL: func @transposed
// CHECK-NOT: te.attention
func.func @transposed(%q: tensor<2x33x32xf16>, %k: tensor<2x32x7xf16>, %v: tensor<2x7x32xf16>) -> tensor<2x33x32xf16> {
  %s = te.gemm %q, %k : tensor<2x33x32xf16>, tensor<2x32x7xf16> -> tensor<2x33x7xf16>
  %p = te.softmax %s : tensor<2x33x7xf16> -> tensor<2x33x7xf16>
  %o = te.gemm %p, %v : tensor<2x33x7xf16>, tensor<2x7x32xf16> -> tensor<2x33x32xf16>
  return %o : tensor<2x33x32xf16>
}
// CHECK-LABEL: func @f32
// CHECK-NOT: te.attention
func.func @f32(%q: tensor<2x33x32xf32>, %k: tensor<2x7x32xf32>, %v: tensor<2x7x32xf32>) -> tensor<2x33x32xf32> {
  %s = te.gemm %q, %k transpose_b : tensor<2x33x32xf32>, tensor<2x7x32xf32> -> tensor<2x33x7xf32>
  %p = te.softmax %s : tensor<2x33x7xf32> -> tensor<2x33x7xf32>
  %o = te.gemm %p, %v : tensor<2x33x7xf32>, tensor<2x7x32xf32> -> tensor<2x33x32xf32>
  return %o : tensor<2x33x32xf32>
}
// CHECK-LABEL: func @large
// CHECK-NOT: te.attention
func.func @large(%q: tensor<2x33x4096xf16>, %k: tensor<2x7x4096xf16>, %v: tensor<2x7x4096xf16>) -> tensor<2x33x4096xf16> {
  %s = te.gemm %q, %k transpose_b : tensor<2x33x4096xf16>, tensor<2x7x4096xf16> -> tensor<2x33x7xf16>
  %p = te.softmax %s : tensor<2x33x7xf16> -> tensor<2x33x7xf16>
  %o = te.gemm %p, %v : tensor<2x33x7xf16>, tensor<2x7x4096xf16> -> tensor<2x33x4096xf16>
  return %o : tensor<2x33x4096xf16>
}
