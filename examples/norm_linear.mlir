// RMSNorm and a linear layer in MXFP8: the norm and both quantized copies are one kernel, the product with its bias
// another. The columnwise copy is for the weight gradient.
//
//   te-compile norm_linear.mlir --target=gfx950 -o n.hsaco --explain
//   te-run n.hsaco --dim=M=33 --check --input=random:1:normal --input=random:2:normal --input=random:3:normal --input=random:4:normal --input=random:5:normal
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = rceil>
#w   = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>

func.func @norm_linear(%x: tensor<?x4096xbf16> {te.dims = ["M", "K"]}, %g: tensor<4096xbf16>, %w: !te.scaled<6144x4096xf8E4M3FN, #w>, %b: tensor<6144xbf16>)
    -> (tensor<?x6144xbf16>, !te.scaled<?x4096xf8E4M3FN, #col>) {
  %n, %rsigma = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q, %qc = te.quantize %n : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
  %y = te.gemm %q, %w transpose_b bias(%b : tensor<6144xbf16>) : !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<6144x4096xf8E4M3FN, #w> -> tensor<?x6144xbf16>
  return %y, %qc : tensor<?x6144xbf16>, !te.scaled<?x4096xf8E4M3FN, #col>
}
