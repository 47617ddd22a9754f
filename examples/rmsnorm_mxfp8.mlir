// A transformer's prologue: residual add, RMSNorm and MXFP8 quantization, written as ops of their own, one kernel; the sum and
// rsigma are kept for the backward pass, which is a kernel, and a small one for dgamma. The gradient that comes through
// the residual is added to dx before it is rounded.
//
//   te-compile rmsnorm_mxfp8.mlir --target=gfx950 -o n.hsaco --explain
//   te-run n.hsaco --entry=forward --dim=M=257 --check
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>

func.func @forward(%x: tensor<?x4096xbf16> {te.name = "x", te.dims = ["M", "K"]},
                   %residual: tensor<?x4096xbf16> {te.name = "residual", te.dims = ["M", "K"]},
                   %gamma: tensor<4096xbf16> {te.name = "gamma"})
    -> (!te.scaled<?x4096xf8E4M3FN, #row>, tensor<?x4096xbf16>, tensor<?xf32>) {
  %sum = arith.addf %x, %residual : tensor<?x4096xbf16>
  %y, %rsigma = te.rms_norm %sum, %gamma {epsilon = 1.0e-5 : f32}
      : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>
  return %q, %sum, %rsigma : !te.scaled<?x4096xf8E4M3FN, #row>, tensor<?x4096xbf16>, tensor<?xf32>
}

func.func @backward(%dy: tensor<?x4096xbf16> {te.name = "dy", te.dims = ["M", "K"]},
                    %sum: tensor<?x4096xbf16> {te.name = "sum", te.dims = ["M", "K"]},
                    %gamma: tensor<4096xbf16> {te.name = "gamma"},
                    %rsigma: tensor<?xf32> {te.name = "rsigma", te.dims = ["M"]},
                    %dresidual: tensor<?x4096xbf16> {te.name = "dresidual", te.dims = ["M", "K"]})
    -> (tensor<?x4096xbf16>, tensor<4096xbf16>) {
  %dx, %dgamma = te.rms_norm_bwd %dy, %sum, %gamma, %rsigma add(%dresidual : tensor<?x4096xbf16>)
      : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32>
      -> tensor<?x4096xbf16>, tensor<4096xbf16>
  return %dx, %dgamma : tensor<?x4096xbf16>, tensor<4096xbf16>
}
