// Regions written by hand: a dequantized tensor that stays in registers, two ops that
// share one read, and an amax next to them, starting from 0.

// RUN: te-run %s --target=gfx950 --device=emulator --check --entry=requantize --dim=M=77 | FileCheck %s
// RUN: te-run %s --target=gfx942 --device=emulator --check --entry=requantize --dim=M=77 | FileCheck %s
// RUN: te-run %s --target=gfx950 --device=emulator --check --entry=shared --dim=M=77 | FileCheck %s

// CHECK: result1 f32 scalar 1 0
// CHECK-NEXT: {{^}}PASS

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @requantize(%q: !te.scaled<?x96xf8E4M3FN, #row> {te.dims = ["M", "K"]}) -> (!te.scaled<?x96xf8E4M3FN, #col>, tensor<f32>) {
  %r:2 = te.fusion "k" (%a = %q : !te.scaled<?x96xf8E4M3FN, #row>) -> (!te.scaled<?x96xf8E4M3FN, #col>, tensor<f32>) {
    %0 = te.dequantize %a : !te.scaled<?x96xf8E4M3FN, #row> -> tensor<?x96xbf16>
    %1:2 = te.quantize %0 : tensor<?x96xbf16> -> !te.scaled<?x96xf8E4M3FN, #col>, tensor<f32>
    te.yield %1#0, %1#1 : !te.scaled<?x96xf8E4M3FN, #col>, tensor<f32>
  }
  return %r#0, %r#1 : !te.scaled<?x96xf8E4M3FN, #col>, tensor<f32>
}

func.func @shared(%x: tensor<?x96xbf16> {te.dims = ["M", "K"]}) -> (!te.scaled<?x96xf8E4M3FN, #row>, tensor<f32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<?x96xbf16>) -> (!te.scaled<?x96xf8E4M3FN, #row>, tensor<f32>) {
    %0 = te.amax %a : tensor<?x96xbf16> -> tensor<f32>
    %1 = te.quantize %a : tensor<?x96xbf16> -> !te.scaled<?x96xf8E4M3FN, #row>
    te.yield %1, %0 : !te.scaled<?x96xf8E4M3FN, #row>, tensor<f32>
  }
  return %r#0, %r#1 : !te.scaled<?x96xf8E4M3FN, #row>, tensor<f32>
}
