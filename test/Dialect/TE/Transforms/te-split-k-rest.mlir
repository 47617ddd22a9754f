// The last rows of a product in splits of K, in the kernel of the others: what --explain says, and that both write one result.
// RUN: te-compile %s --target=gfx942 -o %t.hsaco --explain | FileCheck %s
// RUN: te-run %t.hsaco --check --sanitize --input=random:5:normal --input=random:6:normal --input=random:7:normal

// CHECK: f_0
// CHECK: schedule by the user: tile 32 x 64
// CHECK: K is cut into 3 splits for the last 37 rows, whose tiles are no full round of the 304 CUs, and a second kernel adds them up
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @f(%x: tensor<101x192xbf16>, %w: tensor<160x192xbf16>, %v: tensor<160xf32>) -> (tensor<101x160xbf16>, !te.scaled<101x160xf8E4M3FN, #row>) {
  %y:2 = te.fusion "f_0" (%a = %x : tensor<101x192xbf16>, %b = %w : tensor<160x192xbf16>, %c = %v : tensor<160xf32>) -> (tensor<101x160xbf16>, !te.scaled<101x160xf8E4M3FN, #row>)
      attributes {schedule = #te.schedule<"gfx942", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x16_bf16", k = 32, waves = [2, 2]>, pipeline = <stages = 2>, grid = <split_k = 3, whole_rows = 64, group_m = 2>>} {
    %d = te.gemm %a, %b transpose_b bias(%c : tensor<160xf32>) : tensor<101x192xbf16>, tensor<160x192xbf16> -> tensor<101x160xbf16>
    %q = te.quantize %d : tensor<101x160xbf16> -> !te.scaled<101x160xf8E4M3FN, #row>
    te.yield %d, %q : tensor<101x160xbf16>, !te.scaled<101x160xf8E4M3FN, #row>
  }
  return %y#0, %y#1 : tensor<101x160xbf16>, !te.scaled<101x160xf8E4M3FN, #row>
}
