// The middle of an MLP: SwiGLU and MXFP8 quantization in both directions, one kernel; and the gradient of a GELU with
// its bias gradient, quantized in both directions: one kernel, and a small one for dbias.
//
//   te-compile swiglu_quantize.mlir --target=gfx950 -o s.hsaco --explain
//   te-run s.hsaco --entry=forward --dim=M=257 --check
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = rceil>

func.func @forward(%x: tensor<?x4096xbf16> {te.name = "gate_up", te.dims = ["M", "2H"]})
    -> (!te.scaled<?x2048xf8E4M3FN, #row>, !te.scaled<?x2048xf8E4M3FN, #col>) {
  %y = te.gated_activation swiglu %x : tensor<?x4096xbf16> -> tensor<?x2048xbf16>
  %q, %qc = te.quantize %y : tensor<?x2048xbf16>
      -> !te.scaled<?x2048xf8E4M3FN, #row>, !te.scaled<?x2048xf8E4M3FN, #col>
  return %q, %qc : !te.scaled<?x2048xf8E4M3FN, #row>, !te.scaled<?x2048xf8E4M3FN, #col>
}

func.func @gelu_backward(%dy: tensor<?x2048xbf16> {te.name = "dy", te.dims = ["M", "H"]},
                         %x: tensor<?x2048xbf16> {te.name = "x", te.dims = ["M", "H"]})
    -> (!te.scaled<?x2048xf8E5M2, #row>, !te.scaled<?x2048xf8E5M2, #col>, tensor<2048xbf16>) {
  %dx, %dbias = te.activation_bwd gelu %dy, %x : tensor<?x2048xbf16>, tensor<?x2048xbf16>
      -> tensor<?x2048xbf16> dbias tensor<2048xbf16>
  %q, %qc = te.quantize %dx : tensor<?x2048xbf16>
      -> !te.scaled<?x2048xf8E5M2, #row>, !te.scaled<?x2048xf8E5M2, #col>
  return %q, %qc, %dbias : !te.scaled<?x2048xf8E5M2, #row>, !te.scaled<?x2048xf8E5M2, #col>, tensor<2048xbf16>
}
