#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = even, ties = even>
#s = #te.schedule<"gfx950", tile = [32, 64], waves = 2, vector = 8>
func.func @f(%x: tensor<?x3x64xbf16> {te.dims = ["B", "S", "K"]}, %n: tensor<f32>) -> (!te.scaled<?x3x64xf8E4M3FN, #row>, tensor<f32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<?x3x64xbf16>, %b = %n : tensor<f32>) -> (!te.scaled<?x3x64xf8E4M3FN, #row>, tensor<f32>) attributes {schedule = #s} {
    %0:2 = te.quantize %a noop(%b : tensor<f32>) : tensor<?x3x64xbf16> -> !te.scaled<?x3x64xf8E4M3FN, #row>, tensor<f32>
    te.yield %0#0, %0#1 : !te.scaled<?x3x64xf8E4M3FN, #row>, tensor<f32>
  }
  return %r#0, %r#1 : !te.scaled<?x3x64xf8E4M3FN, #row>, tensor<f32>
}
func.func @g(%q: !te.scaled<48x96xf8E5M2, #col> {te.name = "q"}) -> (tensor<48x96xf16>, tensor<f32>, !te.scaled<48x96xf8E4M3FN, #row>) {
  %y = te.dequantize %q : !te.scaled<48x96xf8E5M2, #col> -> tensor<48x96xf16>
  %m = te.dim %q, 0 : !te.scaled<48x96xf8E5M2, #col>
  %a = te.amax %y : tensor<48x96xf16> -> tensor<f32>
  %z = te.quantize %y : tensor<48x96xf16> -> !te.scaled<48x96xf8E4M3FN, #row>
  return %y, %a, %z : tensor<48x96xf16>, tensor<f32>, !te.scaled<48x96xf8E4M3FN, #row>
}
