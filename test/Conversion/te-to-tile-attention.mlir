// The loop over keys: scores, what is known of rows, probabilities, the second product. Steps that all queries see have no mask.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,cse)' | FileCheck %s

// CHECK-LABEL: tile.kernel @causal_0(
// CHECK: %[[Q:.*]] = tile.load {{.*}}xbf16
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.mma %[[Q]], %{{.*}}, %{{.*}} <"f32_32x32x16_bf16">
// CHECK-NOT: arith.select %{{.*}}, %[[S]]
// CHECK: tile.reduce maxnum %[[S]]
// CHECK: %[[GROWS:.*]] = tile.reduce_or
// CHECK: scf.if %[[GROWS]]
// CHECK: } else {
// CHECK: %[[P:.*]] = math.exp2
// CHECK: tile.reduce add %[[P]]
// CHECK: tile.transpose
// CHECK: tile.mma
// CHECK: scf.for
// CHECK: %[[T:.*]] = tile.mma %[[Q]]
// CHECK: %[[M:.*]] = arith.select %{{.*}}, %[[T]]
// CHECK: tile.reduce maxnum %[[M]]
// CHECK: tile.store
// CHECK: math.log2
// CHECK: tile.store
func.func @causal(%q: tensor<1x?x2x64xbf16>) -> (tensor<1x?x2x64xbf16>, tensor<1x2x?xf32>) {
  %o, %l = te.attention bshd %q, %q, %q {causal} : tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16>, tensor<1x?x2x64xbf16> -> tensor<1x?x2x64xbf16>, tensor<1x2x?xf32>
  return %o, %l : tensor<1x?x2x64xbf16>, tensor<1x2x?xf32>
}

// Whole steps that everyone sees: one loop.
// CHECK-LABEL: tile.kernel @whole_0(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: tile.store
func.func @whole(%q: tensor<1x128x2x64xbf16>) -> tensor<1x128x2x64xbf16> {
  %o, %l = te.attention bshd %q, %q, %q : tensor<1x128x2x64xbf16>, tensor<1x128x2x64xbf16>, tensor<1x128x2x64xbf16> -> tensor<1x128x2x64xbf16>, tensor<1x2x128xf32>
  return %o : tensor<1x128x2x64xbf16>
}
