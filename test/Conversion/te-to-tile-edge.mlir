// Workgroups with rows after the last, on a chip that has no bounded buffer accesses.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-schedule{target=sm_90a}),te-to-tile,cse)' | FileCheck %s

// Where every access at the edge would be a branch, workgroups that are inside have a program of their own, if they wait for
// rows.
#mx = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: tile.kernel @edge_0(
// CHECK: %[[END:.*]] = arith.muli
// CHECK: %[[INSIDE:.*]] = arith.cmpi ule, %[[END]], %arg
// CHECK: scf.if %[[INSIDE]] {
// CHECK: tile.load {{.*}}in_bounds} : memref<?x512xbf16
// CHECK: } else {
// CHECK-NOT: , in_bounds} : memref<?x512xbf16
func.func @edge(%x: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> !te.scaled<?x512xf8E4M3FN, #mx> {
  %r = te.fusion "edge" (%a = %x : tensor<?x512xbf16>, %b = %g : tensor<512xbf16>) -> (!te.scaled<?x512xf8E4M3FN, #mx>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [2, 512], waves = 4, vector = 8>} {
    %y, %s = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
    %q = te.quantize %y : tensor<?x512xbf16> -> !te.scaled<?x512xf8E4M3FN, #mx>
    te.yield %q : !te.scaled<?x512xf8E4M3FN, #mx>
  }
  return %r : !te.scaled<?x512xf8E4M3FN, #mx>
}

// -----

// Nothing waits for a row: one program, whose accesses have the branches.
// CHECK-LABEL: tile.kernel @free_0(
// CHECK-NOT: scf.if
func.func @free(%x: tensor<?x512xbf16>) -> tensor<?x512xbf16> {
  %r = te.fusion "free" (%a = %x : tensor<?x512xbf16>) -> (tensor<?x512xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [2, 512], waves = 4, vector = 8>} {
    %y = te.activation silu %a : tensor<?x512xbf16> -> tensor<?x512xbf16>
    te.yield %y : tensor<?x512xbf16>
  }
  return %r : tensor<?x512xbf16>
}
