// Kernels whose shapes are whole tiles: nothing is masked.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>

func.func @row(%x: tensor<256x2048xbf16>) -> !te.scaled<256x2048xf8E4M3FN, #row> {
  %q = te.quantize %x : tensor<256x2048xbf16> -> !te.scaled<256x2048xf8E4M3FN, #row>
  return %q : !te.scaled<256x2048xf8E4M3FN, #row>
}
func.func @col(%x: tensor<256x2048xbf16>) -> !te.scaled<256x2048xf8E4M3FN, #col> {
  %q = te.quantize %x : tensor<256x2048xbf16> -> !te.scaled<256x2048xf8E4M3FN, #col>
  return %q : !te.scaled<256x2048xf8E4M3FN, #col>
}
func.func @both(%x: tensor<256x2048xbf16>) -> (!te.scaled<256x2048xf8E4M3FN, #row>, !te.scaled<256x2048xf8E4M3FN, #col>) {
  %q:2 = te.quantize %x : tensor<256x2048xbf16> -> !te.scaled<256x2048xf8E4M3FN, #row>, !te.scaled<256x2048xf8E4M3FN, #col>
  return %q#0, %q#1 : !te.scaled<256x2048xf8E4M3FN, #row>, !te.scaled<256x2048xf8E4M3FN, #col>
}
func.func @tensor(%x: tensor<256x2048xbf16>, %s: tensor<f32>) -> (!te.scaled<256x2048xf8E4M3FN, #fp8>, !te.scaled<256x2048xf8E4M3FN, #fp8t>) {
  %q:2 = te.quantize %x scale(%s : tensor<f32>) : tensor<256x2048xbf16> -> !te.scaled<256x2048xf8E4M3FN, #fp8>, !te.scaled<256x2048xf8E4M3FN, #fp8t>
  return %q#0, %q#1 : !te.scaled<256x2048xf8E4M3FN, #fp8>, !te.scaled<256x2048xf8E4M3FN, #fp8t>
}
func.func @dequantize(%q: !te.scaled<256x2048xf8E4M3FN, #row>) -> tensor<256x2048xbf16> {
  %y = te.dequantize %q : !te.scaled<256x2048xf8E4M3FN, #row> -> tensor<256x2048xbf16>
  return %y : tensor<256x2048xbf16>
}

#fp4 = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, scale_layout = e8m0_shuffle>
func.func @fp4(%x: tensor<256x2048xbf16>) -> !te.scaled<256x2048xf4E2M1FN, #fp4> {
  %q = te.quantize %x : tensor<256x2048xbf16> -> !te.scaled<256x2048xf4E2M1FN, #fp4>
  return %q : !te.scaled<256x2048xf4E2M1FN, #fp4>
}
