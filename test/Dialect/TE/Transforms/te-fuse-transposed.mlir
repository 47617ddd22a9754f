// What another op computes, or reads, is transposed over in registers: the ops after a te.permute share its kernel.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>

// CHECK-LABEL: func.func @norm
// CHECK: te.fusion "norm_0"
// CHECK: %[[N:.*]], %{{.*}} = te.rms_norm
// CHECK-DAG: %[[T:.*]] = te.permute %[[N]] [1, 0]
// CHECK-DAG: te.quantize %[[N]]
// CHECK-DAG: te.quantize %[[T]]
// CHECK-NOT: te.fusion
func.func @norm(%x: tensor<?x768xbf16>, %g: tensor<768xbf16>) -> (!te.scaled<?x768xf8E4M3FN, #row>, !te.scaled<768x?xf8E4M3FN, #row>) {
  %n, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x768xbf16>, tensor<768xbf16> -> tensor<?x768xbf16>, tensor<?xf32>
  %t = te.permute %n [1, 0] : tensor<?x768xbf16> -> tensor<768x?xbf16>
  %q = te.quantize %n : tensor<?x768xbf16> -> !te.scaled<?x768xf8E4M3FN, #row>
  %qt = te.quantize %t : tensor<768x?xbf16> -> !te.scaled<768x?xf8E4M3FN, #row>
  return %q, %qt : !te.scaled<?x768xf8E4M3FN, #row>, !te.scaled<768x?xf8E4M3FN, #row>
}

// An argument that another op reads as it is, here under a reshape, which makes two arguments of one only outside of the region;
// what is returned is stored transposed. An amax is the same in any order.
// CHECK-LABEL: func.func @argument
// CHECK: te.fusion "argument_0" (%[[X:.*]] = %{{.*}} : tensor<4x?x64xbf16>) ->
// CHECK-DAG: arith.negf %[[X]]
// CHECK-DAG: %[[C:.*]] = tensor.collapse_shape %[[X]]
// CHECK-DAG: %[[T:.*]] = te.permute %[[C]]
// CHECK-DAG: te.copy %[[T]]
// CHECK-DAG: te.amax %[[C]]
// CHECK-NOT: te.fusion
func.func @argument(%x: tensor<4x?x64xbf16>) -> (tensor<4x?x64xbf16>, tensor<64x?xbf16>, tensor<f32>) {
  %a = arith.negf %x : tensor<4x?x64xbf16>
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x?x64xbf16> into tensor<?x64xbf16>
  %t = te.permute %c [1, 0] : tensor<?x64xbf16> -> tensor<64x?xbf16>
  %m = te.amax %t : tensor<64x?xbf16> -> tensor<f32>
  return %a, %t, %m : tensor<4x?x64xbf16>, tensor<64x?xbf16>, tensor<f32>
}

// What reads another tensor as it is, or computes over rows, iterates over K x M in a kernel of its own.
// CHECK-LABEL: func.func @apart
// CHECK: te.fusion "apart_0"
// CHECK: arith.negf
// CHECK: te.yield
// CHECK: te.fusion "apart_1"
// CHECK-SAME: not_fused = ["not with 'arith.negf': reads a result of 'arith.negf' with rows for columns, but computes over rows or columns, or reads another tensor as it is; move the two into regions of their own (F12)"]}
// CHECK: arith.addf
// CHECK: te.rms_norm
// CHECK-NOT: te.fusion
func.func @apart(%x: tensor<256x64xbf16>, %z: tensor<64x256xbf16>, %g: tensor<256xbf16>) -> (tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<64x256xbf16>) {
  %a = arith.negf %x : tensor<256x64xbf16>
  %t = te.permute %a [1, 0] : tensor<256x64xbf16> -> tensor<64x256xbf16>
  %b = arith.addf %t, %z : tensor<64x256xbf16>
  %n, %r = te.rms_norm %t, %g {epsilon = 1.0e-5 : f32} : tensor<64x256xbf16>, tensor<256xbf16> -> tensor<64x256xbf16>, tensor<64xf32>
  return %a, %b, %n : tensor<256x64xbf16>, tensor<64x256xbf16>, tensor<64x256xbf16>
}
