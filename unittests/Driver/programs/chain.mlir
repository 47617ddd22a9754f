// Two kernels, with codes and scales in the workspace between them, and a constant.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @chain(%x: tensor<?x64xbf16> {te.dims = ["M", "K"], te.name = "x"}) -> tensor<?x64xf32> {
  %q = te.quantize %x : tensor<?x64xbf16> -> !te.scaled<?x64xf8E4M3FN, #row>
  %y = te.dequantize %q : !te.scaled<?x64xf8E4M3FN, #row> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
func.func @scaled(%x: tensor<2x4xf32> {te.name = "x"}, %y: tensor<2x4xf32> {te.name = "y"}) -> tensor<2x4xf32> {
  %c = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %s = arith.addf %x, %y : tensor<2x4xf32>
  %p = arith.mulf %s, %c : tensor<2x4xf32>
  return %p : tensor<2x4xf32>
}
