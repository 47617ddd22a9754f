// RUN: te-opt %s | te-opt | FileCheck %s

// CHECK-DAG: matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 3>>
// CHECK-DAG: matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2>, grid = <split_k = 3>>

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#square = #te.scaling<block = [128, 128], scale = f32>
#line = #te.scaling<block = [1, 128], scale = f32>

// CHECK-LABEL: @linear
func.func @linear(%x: tensor<?x4096xbf16>, %w: tensor<6144x4096xbf16>, %b: tensor<6144xbf16>) -> (tensor<?x6144xbf16>, tensor<?x6144xf32>) {
  // CHECK: te.gemm %{{.*}}, %{{.*}} transpose_b bias(%{{.*}} : tensor<6144xbf16>) gelu : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<?x6144xbf16> aux tensor<?x6144xf32>
  %y, %z = te.gemm %x, %w transpose_b bias(%b : tensor<6144xbf16>) gelu
      : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<?x6144xbf16> aux tensor<?x6144xf32>
  return %y, %z : tensor<?x6144xbf16>, tensor<?x6144xf32>
}

// CHECK-LABEL: @gradients
func.func @gradients(%dy: tensor<?x?xf16>, %w: tensor<?x?xf16>, %x: tensor<?x?xf16>, %z: tensor<?x?xf16>, %c: tensor<?x?xf32>) {
  // CHECK: te.gemm %{{.*}}, %{{.*}} dgelu(%{{.*}} : tensor<?x?xf16>) :
  %dx = te.gemm %dy, %w dgelu(%z : tensor<?x?xf16>) : tensor<?x?xf16>, tensor<?x?xf16> -> tensor<?x?xf16>
  // CHECK: te.gemm %{{.*}}, %{{.*}} transpose_a accumulate(%{{.*}} : tensor<?x?xf32>) {alpha = 5.000000e-01 : f32, beta = 2.000000e+00 : f32} : tensor<?x?xf16>, tensor<?x?xf16> -> tensor<?x?xf32> bias_grad tensor<?xf32>
  %dw, %db = te.gemm %dy, %x transpose_a accumulate(%c : tensor<?x?xf32>) {alpha = 0.5 : f32, beta = 2.0 : f32}
      : tensor<?x?xf16>, tensor<?x?xf16> -> tensor<?x?xf32> bias_grad tensor<?xf32>
  return
}

// CHECK-LABEL: @scaled
func.func @scaled(%a: !te.scaled<2x3x64xf8E4M3FN, #row>, %b: !te.scaled<8x64xf4E2M1FN, #row>,
                  %c: !te.scaled<64x8xf8E5M2, #col>, %d: !te.scaled<6x64xf8E4M3FN, #line>, %e: !te.scaled<64x8xf8E4M3FN, #square>) {
  // CHECK: te.gemm {{.*}} transpose_b : !te.scaled<2x3x64xf8E4M3FN, #{{.*}}>, !te.scaled<8x64xf4E2M1FN, #{{.*}}> -> tensor<2x3x8xbf16>
  %0 = te.gemm %a, %b transpose_b : !te.scaled<2x3x64xf8E4M3FN, #row>, !te.scaled<8x64xf4E2M1FN, #row> -> tensor<2x3x8xbf16>
  %1 = te.gemm %a, %c : !te.scaled<2x3x64xf8E4M3FN, #row>, !te.scaled<64x8xf8E5M2, #col> -> tensor<2x3x8xf32>
  %2 = te.gemm %d, %e : !te.scaled<6x64xf8E4M3FN, #line>, !te.scaled<64x8xf8E4M3FN, #square> -> tensor<6x8xf32>
  return
}

// CHECK-LABEL: @batched
func.func @batched(%a: tensor<4x?x64xbf16>, %b: tensor<4x64x?xbf16>) -> tensor<4x?x?xf32> {
  // CHECK: te.gemm
  %0 = te.gemm %a, %b : tensor<4x?x64xbf16>, tensor<4x64x?xbf16> -> tensor<4x?x?xf32>
  return %0 : tensor<4x?x?xf32>
}

// CHECK-LABEL: @rest
func.func @rest(%x: tensor<2x48x64xbf16>, %w: tensor<32x64xbf16>) -> tensor<2x48x32xbf16> {
  // CHECK: %[[D:.*]], %[[R:.*]] = te.gemm %{{.*}}, %{{.*}} transpose_b : tensor<2x48x64xbf16>, tensor<32x64xbf16> -> tensor<2x48x32xbf16> rest tensor<4x32x32xf32>
  %d, %r = te.gemm %x, %w transpose_b : tensor<2x48x64xbf16>, tensor<32x64xbf16> -> tensor<2x48x32xbf16> rest tensor<4x32x32xf32>
  // CHECK: te.fusion "k" (%[[P:.*]] = %[[R]] : tensor<4x32x32xf32>) inits(%[[D]] : tensor<2x48x32xbf16>) -> (tensor<2x48x32xbf16>) {
  %y = te.fusion "k" (%p = %r : tensor<4x32x32xf32>) inits(%d : tensor<2x48x32xbf16>) -> (tensor<2x48x32xbf16>) {
    // CHECK: te.gemm_sum %[[P]] : tensor<4x32x32xf32> -> tensor<2x48x32xbf16>
    %0 = te.gemm_sum %p : tensor<4x32x32xf32> -> tensor<2x48x32xbf16>
    te.yield %0 : tensor<2x48x32xbf16>
  }
  return %y : tensor<2x48x32xbf16>
}

// CHECK-LABEL: @splits
func.func @splits(%x: tensor<?x4096xbf16>, %w: tensor<512x4096xbf16>, %b: tensor<512xbf16>) -> (tensor<?x512xbf16>, tensor<?x512xf32>) {
  // CHECK: te.gemm %{{.*}}, %{{.*}} transpose_b {split_k = 4 : i64} : tensor<?x4096xbf16>, tensor<512x4096xbf16> -> tensor<4x?x512xf32>
  %p = te.gemm %x, %w transpose_b {split_k = 4 : i64} : tensor<?x4096xbf16>, tensor<512x4096xbf16> -> tensor<4x?x512xf32>
  // CHECK: te.gemm_sum %{{.*}} bias(%{{.*}} : tensor<512xbf16>) gelu {alpha = 2.000000e+00 : f32} : tensor<4x?x512xf32> -> tensor<?x512xbf16> aux tensor<?x512xf32>
  %y, %z = te.gemm_sum %p bias(%b : tensor<512xbf16>) gelu {alpha = 2.0 : f32} : tensor<4x?x512xf32> -> tensor<?x512xbf16> aux tensor<?x512xf32>
  return %y, %z : tensor<?x512xbf16>, tensor<?x512xf32>
}

// #te.matmul leaves out what is 1.
// CHECK-LABEL: @matmul
func.func @matmul() attributes {a = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 1>, grid = <split_k = 3>>,
    b = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2>, grid = <split_k = 3>>} {
  return
}
