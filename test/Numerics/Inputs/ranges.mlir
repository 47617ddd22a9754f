// Regions with a size that no type tells: scaled results, an amax, sums over rows, splits of K, two leading dimensions, rows that are summed.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @quantize(%a: tensor<?x?x1024xbf16> {te.dims = ["B", "S", "K"]}, %b: tensor<96x1024xbf16>)
    -> (!te.scaled<?x?x96xf8E4M3FN, #row>, tensor<f32>) {
  %y = te.gemm %a, %b transpose_b : tensor<?x?x1024xbf16>, tensor<96x1024xbf16> -> tensor<?x?x96xbf16>
  %q = te.quantize %y : tensor<?x?x96xbf16> -> !te.scaled<?x?x96xf8E4M3FN, #row>
  %m = te.amax %y : tensor<?x?x96xbf16> -> tensor<f32>
  return %q, %m : !te.scaled<?x?x96xf8E4M3FN, #row>, tensor<f32>
}
func.func @chain(%a: tensor<?x1024xbf16> {te.dims = ["M", "K"]}, %b: tensor<256x1024xbf16>, %c: tensor<128x64xbf16>, %g: tensor<128xbf16>)
    -> (tensor<?x128xbf16>, tensor<?x64xbf16>, tensor<128xbf16>) {
  %y = te.gemm %a, %b transpose_b : tensor<?x1024xbf16>, tensor<256x1024xbf16> -> tensor<?x256xbf16>
  %z = te.gated_activation swiglu %y : tensor<?x256xbf16> -> tensor<?x128xbf16>
  %n, %r = te.rms_norm %z, %g {epsilon = 1.0e-5 : f32} : tensor<?x128xbf16>, tensor<128xbf16> -> tensor<?x128xbf16>, tensor<?xf32>
  %w = te.gemm %n, %c : tensor<?x128xbf16>, tensor<128x64xbf16> -> tensor<?x64xbf16>
  %d = te.bias_grad %z : tensor<?x128xbf16> -> tensor<128xbf16>
  return %z, %w, %d : tensor<?x128xbf16>, tensor<?x64xbf16>, tensor<128xbf16>
}
func.func @norm(%x: tensor<?x4096xbf16> {te.dims = ["M", "K"]}, %r: tensor<?x4096xbf16> {te.dims = ["M", "K"]}, %g: tensor<4096xbf16>)
    -> (tensor<?x4096xbf16>, !te.scaled<?x4096xf8E4M3FN, #row>) {
  %s = arith.addf %x, %r : tensor<?x4096xbf16>
  %y, %i = te.rms_norm %s, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>
  return %s, %q : tensor<?x4096xbf16>, !te.scaled<?x4096xf8E4M3FN, #row>
}
func.func @weight(%x: tensor<?x64xbf16> {te.dims = ["M", "K"]}, %dy: tensor<?x48xbf16> {te.dims = ["M", "N"]}) -> tensor<64x48xf32> {
  %dw = te.gemm %x, %dy transpose_a : tensor<?x64xbf16>, tensor<?x48xbf16> -> tensor<64x48xf32>
  return %dw : tensor<64x48xf32>
}
