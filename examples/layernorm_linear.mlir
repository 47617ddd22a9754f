// What surrounds the GEMMs of Transformer Engine's LayerNormLinear in MXFP8, as unfused ops: the quantized prologue of
// the forward pass is one kernel; in the backward pass the incoming gradient is quantized in both directions with its
// bias gradient (one kernel, and a small one for the sum), and the gradient after dgrad goes through the norm and takes
// up the residual's (one kernel, and a small one for dgamma and dbeta).
//
//   te-compile layernorm_linear.mlir --target=gfx950 -o l.hsaco --explain
//   te-run l.hsaco --entry=prologue --dim=M=257 --check
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = rceil>

func.func @prologue(%x: tensor<?x4096xbf16> {te.name = "x", te.dims = ["M", "K"]}, %gamma: tensor<4096xbf16>, %beta: tensor<4096xbf16>)
    -> (!te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>, tensor<?xf32>, tensor<?xf32>) {
  %y, %mu, %rsigma = te.layer_norm %x, %gamma, %beta {epsilon = 1.0e-5 : f32}
      : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>, tensor<?xf32>
  %q, %qc = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
  return %q, %qc, %mu, %rsigma
      : !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>, tensor<?xf32>, tensor<?xf32>
}

func.func @grad_output(%dy: tensor<?x6144xbf16> {te.name = "dy", te.dims = ["M", "N"]})
    -> (!te.scaled<?x6144xf8E5M2, #row>, !te.scaled<?x6144xf8E5M2, #col>, tensor<6144xbf16>) {
  %db = te.bias_grad %dy : tensor<?x6144xbf16> -> tensor<6144xbf16>
  %q, %qc = te.quantize %dy : tensor<?x6144xbf16> -> !te.scaled<?x6144xf8E5M2, #row>, !te.scaled<?x6144xf8E5M2, #col>
  return %q, %qc, %db : !te.scaled<?x6144xf8E5M2, #row>, !te.scaled<?x6144xf8E5M2, #col>, tensor<6144xbf16>
}

func.func @epilogue(%dn: tensor<?x4096xbf16> {te.name = "dn", te.dims = ["M", "K"]},
                    %x: tensor<?x4096xbf16> {te.name = "x", te.dims = ["M", "K"]}, %gamma: tensor<4096xbf16>,
                    %mu: tensor<?xf32> {te.name = "mu", te.dims = ["M"]},
                    %rsigma: tensor<?xf32> {te.name = "rsigma", te.dims = ["M"]},
                    %dr: tensor<?x4096xbf16> {te.name = "dresidual", te.dims = ["M", "K"]})
    -> (tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>) {
  %dx, %dgamma, %dbeta = te.layer_norm_bwd %dn, %x, %gamma, %mu, %rsigma
      : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>, tensor<?xf32>
      -> tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
  %sum = arith.addf %dx, %dr : tensor<?x4096xbf16>
  return %sum, %dgamma, %dbeta : tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<4096xbf16>
}
