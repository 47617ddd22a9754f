// What a loop seldom needs of a lane's place is computed where it is used: of scales that are put and read once in sixteen
// products the lane's number is asked for again, behind what is put, or behind the column. Elements keep their addresses.

// RUN: te-opt %s --te-to-tile --tile-distribute -split-input-file | FileCheck %s

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
      attributes {schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 64, waves = [2, 4], stages = 4, direct = true>>} {
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
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2], stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<64x448xbf16>, tensor<64x448xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}
