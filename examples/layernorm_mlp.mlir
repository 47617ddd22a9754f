// What surrounds the GEMMs of Transformer Engine's LayerNormMLP with RMSNorm and SwiGLU in MXFP8, as unfused ops: the
// residual add, norm and quantization before the first GEMM are one kernel, SwiGLU and quantization between the two
// one, and the backward pass of that, with the bias gradient of the first GEMM, one and a small one for the sum.
//
//   te-compile layernorm_mlp.mlir --target=gfx942 -o m.hsaco --explain
//   te-run m.hsaco --entry=middle_backward --dim=M=65 --check --input=random:1:normal --input=random:2:normal
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = rceil>

func.func @prologue(%x: tensor<?x4096xbf16> {te.name = "x", te.dims = ["M", "K"]},
                    %r: tensor<?x4096xbf16> {te.name = "residual", te.dims = ["M", "K"]}, %gamma: tensor<4096xbf16>)
    -> (!te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>, tensor<?x4096xbf16>, tensor<?xf32>) {
  %s = arith.addf %x, %r : tensor<?x4096xbf16>
  %y, %rsigma = te.rms_norm %s, %gamma {epsilon = 1.0e-5 : f32}
      : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q, %qc = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
  return %q, %qc, %s, %rsigma
      : !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>, tensor<?x4096xbf16>, tensor<?xf32>
}

func.func @middle(%x: tensor<?x28672xbf16> {te.name = "gate_up", te.dims = ["M", "2H"]})
    -> (!te.scaled<?x14336xf8E4M3FN, #row>, !te.scaled<?x14336xf8E4M3FN, #col>) {
  %y = te.gated_activation swiglu %x : tensor<?x28672xbf16> -> tensor<?x14336xbf16>
  %q, %qc = te.quantize %y : tensor<?x14336xbf16>
      -> !te.scaled<?x14336xf8E4M3FN, #row>, !te.scaled<?x14336xf8E4M3FN, #col>
  return %q, %qc : !te.scaled<?x14336xf8E4M3FN, #row>, !te.scaled<?x14336xf8E4M3FN, #col>
}

func.func @middle_backward(%dy: tensor<?x14336xbf16> {te.name = "dy", te.dims = ["M", "H"]},
                           %x: tensor<?x28672xbf16> {te.name = "gate_up", te.dims = ["M", "2H"]})
    -> (!te.scaled<?x28672xf8E5M2, #row>, !te.scaled<?x28672xf8E5M2, #col>, tensor<28672xbf16>) {
  %dx, %db = te.gated_activation_bwd swiglu %dy, %x : tensor<?x14336xbf16>, tensor<?x28672xbf16>
      -> tensor<?x28672xbf16> dbias tensor<28672xbf16>
  %q, %qc = te.quantize %dx : tensor<?x28672xbf16>
      -> !te.scaled<?x28672xf8E5M2, #row>, !te.scaled<?x28672xf8E5M2, #col>
  return %q, %qc, %db : !te.scaled<?x28672xf8E5M2, #row>, !te.scaled<?x28672xf8E5M2, #col>, tensor<28672xbf16>
}
