// A's cache lines come for two steps of one part, B's for each: rounds of 16 steps, of 8, and steps of no round.

// RUN: te-run %s --target=gfx950 --device=emulator --check --sanitize --entry=rounds | FileCheck %s
// RUN: te-run %s --target=gfx950 --device=emulator --check --sanitize --entry=short | FileCheck %s
// RUN: te-run %s --target=gfx950 --device=emulator --check --sanitize --entry=odd | FileCheck %s

// CHECK: {{^}}PASS

#mx = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 64, waves = [2, 4]>, pipeline = <stages = 4, direct_to_lds = true>>
func.func @rounds(%x: !te.scaled<256x2048xf8E4M3FN, #mx>, %w: !te.scaled<512x2048xf8E4M3FN, #mx>) -> tensor<256x512xbf16> {
  %d = te.fusion "rounds_0" (%a = %x : !te.scaled<256x2048xf8E4M3FN, #mx>, %v = %w : !te.scaled<512x2048xf8E4M3FN, #mx>) -> (tensor<256x512xbf16>) attributes {schedule = #schedule} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<256x2048xf8E4M3FN, #mx>, !te.scaled<512x2048xf8E4M3FN, #mx> -> tensor<256x512xbf16>
    te.yield %0 : tensor<256x512xbf16>
  }
  return %d : tensor<256x512xbf16>
}
func.func @short(%x: !te.scaled<256x1536xf8E4M3FN, #mx>, %w: !te.scaled<512x1536xf8E4M3FN, #mx>) -> tensor<256x512xbf16> {
  %d = te.fusion "short_0" (%a = %x : !te.scaled<256x1536xf8E4M3FN, #mx>, %v = %w : !te.scaled<512x1536xf8E4M3FN, #mx>) -> (tensor<256x512xbf16>) attributes {schedule = #schedule} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<256x1536xf8E4M3FN, #mx>, !te.scaled<512x1536xf8E4M3FN, #mx> -> tensor<256x512xbf16>
    te.yield %0 : tensor<256x512xbf16>
  }
  return %d : tensor<256x512xbf16>
}
func.func @odd(%x: !te.scaled<256x1152xf8E4M3FN, #mx>, %w: !te.scaled<512x1152xf8E4M3FN, #mx>) -> tensor<256x512xbf16> {
  %d = te.fusion "odd_0" (%a = %x : !te.scaled<256x1152xf8E4M3FN, #mx>, %v = %w : !te.scaled<512x1152xf8E4M3FN, #mx>) -> (tensor<256x512xbf16>) attributes {schedule = #schedule} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<256x1152xf8E4M3FN, #mx>, !te.scaled<512x1152xf8E4M3FN, #mx> -> tensor<256x512xbf16>
    te.yield %0 : tensor<256x512xbf16>
  }
  return %d : tensor<256x512xbf16>
}
