// What a loop seldom needs of a lane's place is computed where it is used: of scales that are put and read once in sixteen
// products the lane's number is asked for again, after what is put, or after the column. Elements keep their addresses.

// RUN: te-opt %s --pass-pipeline='builtin.module(te-to-tile,cse,tile.kernel(tile-stage-operands,tile-split-products,tile-pipeline,tile-ping-pong,tile-interleave,tile-unroll),tile-distribute)' -split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @many_0
// CHECK: scf.for
// CHECK: "=v,0,v"
// CHECK-NEXT: %[[ALL:.*]] = arith.constant -1 : i32
// CHECK-NEXT: %[[LOW:.*]] = rocdl.mbcnt.lo %[[ALL]], %{{.*}} :
// CHECK-NEXT: rocdl.mbcnt.hi %[[ALL]], %[[LOW]] :
// CHECK: "=v,0,s"
// CHECK: rocdl.mbcnt.lo
// CHECK: raw.ptr.buffer.load
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @many(%x: !te.scaled<256x4096xf8E4M3FN, #row>, %w: !te.scaled<256x4096xf8E4M3FN, #row>) -> tensor<256x256xbf16> {
  %d = te.fusion "many_0" (%a = %x : !te.scaled<256x4096xf8E4M3FN, #row>, %v = %w : !te.scaled<256x4096xf8E4M3FN, #row>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 64, waves = [2, 4]>, pipeline = <stages = 4, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<256x4096xf8E4M3FN, #row>, !te.scaled<256x4096xf8E4M3FN, #row> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// CHECK-LABEL: gpu.func @few_0
// CHECK-NOT: rocdl.mbcnt
func.func @few(%x: tensor<64x448xbf16>, %w: tensor<64x448xbf16>) -> tensor<64x64xbf16> {
  %d = te.fusion "few_0" (%a = %x : tensor<64x448xbf16>, %v = %w : tensor<64x448xbf16>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<64x448xbf16>, tensor<64x448xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

// A fence is one of the backend's order on AMD, whose stages are long.
// CHECK-LABEL: gpu.func @fenced
// CHECK: vector.load
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-LABEL: gpu.func @unfenced
// CHECK: vector.load
// CHECK-NOT: sched_barrier
// CHECK-NOT: tile.fence
#l = #tile.layout<shape = [1, 256], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], wave = []>
#n = #tile.layout<shape = [1, 128], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], wave = []>
tile.kernel @fenced(%in: memref<f32>) attributes {target = "gfx942", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [1, 256], strides: [256, 1] : memref<f32> to memref<1x256xf32, strided<[256, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 256 : i64, in_bounds} : memref<1x256xf32, strided<[256, 1]>> -> tensor<1x256xf32, #l>
  tile.fence
  tile.store %x, %a[%c0, %c0] {divisible = 256 : i64, in_bounds} : tensor<1x256xf32, #l>, memref<1x256xf32, strided<[256, 1]>>
}
tile.kernel @unfenced(%in: memref<f32>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [1, 128], strides: [128, 1] : memref<f32> to memref<1x128xf32, strided<[128, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 128 : i64, in_bounds} : memref<1x128xf32, strided<[128, 1]>> -> tensor<1x128xf32, #n>
  tile.fence
  tile.store %x, %a[%c0, %c0] {divisible = 128 : i64, in_bounds} : tensor<1x128xf32, #n>, memref<1x128xf32, strided<[128, 1]>>
}
