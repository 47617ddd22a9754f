// Updates of scales that do not depend on each other are one kernel, whatever their sizes; one that reads another's
// result is a kernel of its own.

// RUN: te-compile %s --target=gfx942 -o %t.942.hsaco --explain | FileCheck %s
// RUN: te-compile %s --target=gfx950 -o %t.950.hsaco --explain | FileCheck %s
// RUN: te-run %t.942.hsaco --entry=apart --dim=L=17 --dim=S=700 --check --sanitize
// RUN: te-run %t.950.hsaco --entry=apart --dim=L=1024 --dim=S=3 --check --sanitize
// RUN: te-run %t.950.hsaco --entry=apart --dim=L=1 --dim=S=0 --check --sanitize
// RUN: te-run %t.942.hsaco --entry=chained --check --sanitize
// RUN: te-run %t.950.hsaco --entry=steps --dim=M=77 --check --sanitize

// CHECK: one kernel for te.update_scale te.update_scale te.update_scale, in 3 subkernels
// CHECK-NOT: one kernel
// CHECK: chained_0 {{.*}}, and 1 equal to it
// CHECK-NEXT: one kernel for te.update_scale
// CHECK-NOT: one kernel
// CHECK: one kernel for te.quantize
// CHECK: one kernel for te.quantize
// CHECK: one kernel for te.update_scale te.update_scale, in 2 subkernels
// CHECK-NOT: one kernel

func.func @apart(%h0: tensor<?x?xf32> {te.dims = ["L", "S"]}, %s0: tensor<?xf32> {te.dims = ["S"]}, %a0: tensor<?xf32> {te.dims = ["S"]},
                 %h1: tensor<1024xf32>, %s1: tensor<f32>, %a1: tensor<f32>,
                 %h2: tensor<16x1031xf32>, %s2: tensor<1031xf32>)
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<1024xf32>, tensor<f32>, tensor<f32>, tensor<16x1031xf32>, tensor<1031xf32>) {
  %n0, %t0 = te.update_scale max %h0, %s0 amax(%a0 : tensor<?xf32>) for f8E4M3FN
      : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?xf32>
  %n1, %t1, %i1 = te.update_scale most_recent %h1, %s1 amax(%a1 : tensor<f32>) for f8E5M2
      : tensor<1024xf32>, tensor<f32> -> tensor<1024xf32>, tensor<f32> scale_inv tensor<f32>
  %n2, %t2 = te.update_scale max %h2, %s2 for f8E4M3FN {margin = 3 : i64}
      : tensor<16x1031xf32>, tensor<1031xf32> -> tensor<16x1031xf32>, tensor<1031xf32>
  return %n0, %t0, %n1, %t1, %i1, %n2, %t2
      : tensor<?x?xf32>, tensor<?xf32>, tensor<1024xf32>, tensor<f32>, tensor<f32>, tensor<16x1031xf32>, tensor<1031xf32>
}

func.func @chained(%h: tensor<16x300xf32>, %s: tensor<300xf32>) -> (tensor<16x300xf32>, tensor<300xf32>) {
  %n, %t = te.update_scale max %h, %s for f8E4M3FN : tensor<16x300xf32>, tensor<300xf32> -> tensor<16x300xf32>, tensor<300xf32>
  %n1, %t1 = te.update_scale max %n, %t for f8E4M3FN : tensor<16x300xf32>, tensor<300xf32> -> tensor<16x300xf32>, tensor<300xf32>
  return %n1, %t1 : tensor<16x300xf32>, tensor<300xf32>
}

// Two tensors, each with its own amax, and one update.
#fp8 = #te.scaling<tensor, scale = f32>
func.func @steps(%x: tensor<?x96xbf16> {te.dims = ["M", "K"]}, %w: tensor<64x160xbf16>, %sx: tensor<f32>, %sw: tensor<f32>,
                 %hx: tensor<16xf32>, %hw: tensor<16xf32>)
    -> (!te.scaled<?x96xf8E4M3FN, #fp8>, !te.scaled<64x160xf8E4M3FN, #fp8>, tensor<16xf32>, tensor<f32>, tensor<16xf32>, tensor<f32>) {
  %qx, %ax = te.quantize %x scale(%sx : tensor<f32>) : tensor<?x96xbf16> -> !te.scaled<?x96xf8E4M3FN, #fp8>, tensor<f32>
  %nx, %tx = te.update_scale max %hx, %sx amax(%ax : tensor<f32>) for f8E4M3FN : tensor<16xf32>, tensor<f32> -> tensor<16xf32>, tensor<f32>
  %qw, %aw = te.quantize %w scale(%sw : tensor<f32>) : tensor<64x160xbf16> -> !te.scaled<64x160xf8E4M3FN, #fp8>, tensor<f32>
  %nw, %tw = te.update_scale max %hw, %sw amax(%aw : tensor<f32>) for f8E4M3FN : tensor<16xf32>, tensor<f32> -> tensor<16xf32>, tensor<f32>
  return %qx, %qw, %nx, %tx, %nw, %tw
      : !te.scaled<?x96xf8E4M3FN, #fp8>, !te.scaled<64x160xf8E4M3FN, #fp8>, tensor<16xf32>, tensor<f32>, tensor<16xf32>, tensor<f32>
}
