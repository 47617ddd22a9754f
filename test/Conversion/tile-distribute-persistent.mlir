// RUN: te-opt %s --pass-pipeline='builtin.module(te-to-tile,tile-persistent-workgroups,cse,tile.kernel(tile-hoist-loads,tile-stage-operands,tile-split-products,tile-pipeline,tile-ping-pong,tile-interleave,tile-unroll,tile-delay-stores),tile-distribute,cse,canonicalize,cse)' | FileCheck %s

// Workgroups that compute one tile after another (docs/decisions/0028). The operands' K lies down their rows, which are the
// same for each tile: one resource each serves all steps, which differ in their offset (steps of 32 rows of 256 bytes).
// Of the two accesses of a lane's tile two of four parts have one each, before their products;
// after the loop stand both.
// CHECK-LABEL: gpu.func @wgrad_0
// CHECK: scf.for
// CHECK: %[[A:.*]] = rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.load %[[A]], %[[AT:.*]], %c0_i32, %c0_i32
// CHECK: %[[B:.*]] = rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.load %[[B]], %[[BT:.*]], %c0_i32, %c0_i32
// CHECK-NOT: rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.load %[[A]], %[[AT]], %c8192_i32, %c0_i32
// CHECK-NOT: rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.load %[[B]], %[[BT]], %c8192_i32, %c0_i32
// CHECK: %[[D:.*]] = rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[D]]
// CHECK-NEXT: amdgpu.mfma
// CHECK-NOT: rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[D]]
// CHECK-NEXT: amdgpu.mfma
// CHECK-NOT: rocdl.raw.ptr.buffer.store
// CHECK: scf.yield
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK: rocdl.raw.ptr.buffer.store
func.func @wgrad(%x: tensor<64x128xbf16>, %y: tensor<64x128xbf16>) -> tensor<128x128xf32> {
  %d = te.fusion "wgrad_0" (%a = %x : tensor<64x128xbf16>, %b = %y : tensor<64x128xbf16>) -> (tensor<128x128xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x16_bf16", k = 32, waves = [2, 2]>, pipeline = <stages = 2>, grid = <workgroups = 2>>} {
    %0 = te.gemm %a, %b transpose_a : tensor<64x128xbf16>, tensor<64x128xbf16> -> tensor<128x128xf32>
    te.yield %0 : tensor<128x128xf32>
  }
  return %d : tensor<128x128xf32>
}

// Stores have places among the products (64: VMEM writes).
// CHECK-LABEL: gpu.func @fprop_0
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK-NEXT: amdgpu.mfma
// CHECK: rocdl.sched.group.barrier 64, 1, 0
func.func @fprop(%x: tensor<128x64xbf16>, %y: tensor<128x64xbf16>) -> tensor<128x128xf32> {
  %d = te.fusion "fprop_0" (%a = %x : tensor<128x64xbf16>, %b = %y : tensor<128x64xbf16>) -> (tensor<128x128xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x16_bf16", k = 32, waves = [2, 2]>, pipeline = <stages = 2>, grid = <workgroups = 2>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
    te.yield %0 : tensor<128x128xf32>
  }
  return %d : tensor<128x128xf32>
}
