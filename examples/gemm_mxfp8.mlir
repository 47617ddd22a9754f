// The three products of a linear layer in MXFP8: each operand comes with blocks along what is summed, so the gradients
// take the columnwise copies. gfx950 multiplies with the scales; gfx942 gives the same sums, block by block.
//
//   te-compile gemm_mxfp8.mlir --target=gfx950 -o g.hsaco --explain --stats
//   te-run g.hsaco --entry=forward --dim=M=257 --check
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = rceil>

func.func @forward(%x: !te.scaled<?x512xf8E4M3FN, #row> {te.name = "x", te.dims = ["M", "K"]},
                   %w: !te.scaled<1024x512xf8E4M3FN, #row> {te.name = "w"}) -> tensor<?x1024xbf16> {
  %y = te.gemm %x, %w transpose_b : !te.scaled<?x512xf8E4M3FN, #row>, !te.scaled<1024x512xf8E4M3FN, #row> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

func.func @dgrad(%dy: !te.scaled<?x1024xf8E5M2, #row> {te.name = "dy", te.dims = ["M", "N"]},
                 %w: !te.scaled<1024x512xf8E4M3FN, #col> {te.name = "w"}) -> tensor<?x512xbf16> {
  %dx = te.gemm %dy, %w : !te.scaled<?x1024xf8E5M2, #row>, !te.scaled<1024x512xf8E4M3FN, #col> -> tensor<?x512xbf16>
  return %dx : tensor<?x512xbf16>
}

func.func @wgrad(%dy: !te.scaled<?x1024xf8E5M2, #col> {te.name = "dy", te.dims = ["M", "N"]},
                 %x: !te.scaled<?x512xf8E4M3FN, #col> {te.name = "x", te.dims = ["M", "K"]}) -> tensor<1024x512xf32> {
  %dw = te.gemm %dy, %x transpose_a : !te.scaled<?x1024xf8E5M2, #col>, !te.scaled<?x512xf8E4M3FN, #col> -> tensor<1024x512xf32>
  return %dw : tensor<1024x512xf32>
}
