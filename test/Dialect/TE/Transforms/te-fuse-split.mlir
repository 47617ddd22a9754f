// A scale a row and blocks of columns share a region, whose rows are walked along where they are long.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s

#row = #te.scaling<row, scale = f32>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>

// CHECK-LABEL: func.func @short
// CHECK: te.fusion "short_0"
// CHECK: te.quantize
// CHECK: te.quantize
// CHECK-NOT: te.fusion
// CHECK: return
func.func @short(%x: tensor<?x256xbf16>) -> (!te.scaled<?x256xf8E4M3FN, #row>, !te.scaled<?x256xf8E4M3FN, #col>) {
  %q:2 = te.quantize %x : tensor<?x256xbf16> -> !te.scaled<?x256xf8E4M3FN, #row>, !te.scaled<?x256xf8E4M3FN, #col>
  return %q#0, %q#1 : !te.scaled<?x256xf8E4M3FN, #row>, !te.scaled<?x256xf8E4M3FN, #col>
}

// CHECK-LABEL: func.func @long
// CHECK: te.fusion "long_0"
// CHECK: te.quantize
// CHECK: te.quantize
// CHECK-NOT: te.fusion
// CHECK: return
func.func @long(%x: tensor<?x16384xbf16>) -> (!te.scaled<?x16384xf8E4M3FN, #row>, !te.scaled<?x16384xf8E4M3FN, #col>) {
  %q:2 = te.quantize %x : tensor<?x16384xbf16> -> !te.scaled<?x16384xf8E4M3FN, #row>, !te.scaled<?x16384xf8E4M3FN, #col>
  return %q#0, %q#1 : !te.scaled<?x16384xf8E4M3FN, #row>, !te.scaled<?x16384xf8E4M3FN, #col>
}
