// Scales in the elements, spread over a step's products: rows along K and across it, ragged rows, few steps, and sixteen waves.

// RUN: te-run %s --target=gfx942 --device=emulator --check --sanitize --entry=rows | FileCheck %s
// RUN: te-run %s --target=gfx942 --device=emulator --check --sanitize --entry=packed | FileCheck %s
// RUN: te-run %s --target=gfx942 --device=emulator --check --sanitize --entry=across | FileCheck %s
// RUN: te-run %s --target=gfx942 --device=emulator --check --sanitize --entry=waves | FileCheck %s

// CHECK: {{^}}PASS

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#even = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
#schedule = #te.schedule<"gfx942", tile = [256, 256], waves = 8, vector = 16, matmul = <"f32_32x32x8_bf16", k = 32, waves = [2, 4]>, pipeline = <stages = 2>>
func.func @rows(%x: !te.scaled<300x512xf8E4M3FN, #row>, %w: !te.scaled<256x512xf8E5M2, #row>) -> tensor<300x256xbf16> {
  %d = te.fusion "rows_0" (%a = %x : !te.scaled<300x512xf8E4M3FN, #row>, %v = %w : !te.scaled<256x512xf8E5M2, #row>) -> (tensor<300x256xbf16>) attributes {schedule = #schedule} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<300x512xf8E4M3FN, #row>, !te.scaled<256x512xf8E5M2, #row> -> tensor<300x256xbf16>
    te.yield %0 : tensor<300x256xbf16>
  }
  return %d : tensor<300x256xbf16>
}
func.func @packed(%x: !te.scaled<256x256xf4E2M1FN, #even>, %w: !te.scaled<256x256xf4E2M1FN, #even>) -> tensor<256x256xbf16> {
  %d = te.fusion "packed_0" (%a = %x : !te.scaled<256x256xf4E2M1FN, #even>, %v = %w : !te.scaled<256x256xf4E2M1FN, #even>) -> (tensor<256x256xbf16>) attributes {schedule = #schedule} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<256x256xf4E2M1FN, #even>, !te.scaled<256x256xf4E2M1FN, #even> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}
func.func @across(%x: !te.scaled<256x384xf8E4M3FN, #row>, %w: !te.scaled<384x256xf8E4M3FN, #col>) -> tensor<256x256xbf16> {
  %d = te.fusion "across_0" (%a = %x : !te.scaled<256x384xf8E4M3FN, #row>, %v = %w : !te.scaled<384x256xf8E4M3FN, #col>) -> (tensor<256x256xbf16>) attributes {schedule = #schedule} {
    %0 = te.gemm %a, %v : !te.scaled<256x384xf8E4M3FN, #row>, !te.scaled<384x256xf8E4M3FN, #col> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}
#sixteen = #te.schedule<"gfx942", tile = [128, 256], waves = 16, vector = 8, matmul = <"f32_32x32x8_bf16", k = 32, waves = [2, 8]>, pipeline = <stages = 2>>
func.func @waves(%x: !te.scaled<150x256xf8E4M3FN, #row>, %w: !te.scaled<256x256xf8E4M3FN, #row>) -> tensor<150x256xbf16> {
  %d = te.fusion "waves_0" (%a = %x : !te.scaled<150x256xf8E4M3FN, #row>, %v = %w : !te.scaled<256x256xf8E4M3FN, #row>) -> (tensor<150x256xbf16>) attributes {schedule = #sixteen} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<150x256xf8E4M3FN, #row>, !te.scaled<256x256xf8E4M3FN, #row> -> tensor<150x256xbf16>
    te.yield %0 : tensor<150x256xbf16>
  }
  return %d : tensor<150x256xbf16>
}
