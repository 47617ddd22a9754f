// MXFP8 in both directions from one read, any number of rows.
//
//   te-compile quantize_mxfp8.mlir --target=gfx950 -o q.hsaco --stats --explain
//   te-run quantize_mxfp8.mlir --target=gfx950 --dim=M=1481 --check
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = rceil>

func.func @quantize(%x: tensor<?x4096xbf16> {te.name = "x", te.dims = ["M", "K"]})
    -> (!te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>) {
  %q, %qc = te.quantize %x : tensor<?x4096xbf16>
      -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
  return %q, %qc : !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
}

func.func @dequantize(%q: !te.scaled<?x4096xf8E4M3FN, #row> {te.name = "q", te.dims = ["M", "K"]})
    -> tensor<?x4096xbf16> {
  %y = te.dequantize %q : !te.scaled<?x4096xf8E4M3FN, #row> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}
