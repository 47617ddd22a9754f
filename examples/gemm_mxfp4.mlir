// MXFP4 weights as AITER stores them (shuffled data and scales), with MXFP4, MXFP8 and bf16 activations. With the last
// ones te-fuse fuses the weights' te.dequantize into the product's kernel, which converts them as it reads them.
//
//   te-compile gemm_mxfp4.mlir --target=gfx950 -o g.hsaco --explain --stats
//   te-run g.hsaco --entry=a4w4 --dim=M=257 --check
#act = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, scale_layout = e8m0_shuffle>
#act8 = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#weight = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>

func.func @a4w4(%x: !te.scaled<?x512xf4E2M1FN, #act> {te.name = "x", te.dims = ["M", "K"]},
                %w: !te.scaled<1024x512xf4E2M1FN, #weight> {te.name = "w"}) -> tensor<?x1024xbf16> {
  %y = te.gemm %x, %w transpose_b : !te.scaled<?x512xf4E2M1FN, #act>, !te.scaled<1024x512xf4E2M1FN, #weight> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

func.func @a8w4(%x: !te.scaled<?x512xf8E4M3FN, #act8> {te.name = "x", te.dims = ["M", "K"]},
                %w: !te.scaled<1024x512xf4E2M1FN, #weight> {te.name = "w"}) -> tensor<?x1024xbf16> {
  %y = te.gemm %x, %w transpose_b : !te.scaled<?x512xf8E4M3FN, #act8>, !te.scaled<1024x512xf4E2M1FN, #weight> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}

func.func @a16w4(%x: tensor<?x512xbf16> {te.name = "x", te.dims = ["M", "K"]},
                 %q: !te.scaled<1024x512xf4E2M1FN, #weight> {te.name = "w"}) -> tensor<?x1024xbf16> {
  %w = te.dequantize %q : !te.scaled<1024x512xf4E2M1FN, #weight> -> tensor<1024x512xbf16>
  %y = te.gemm %x, %w transpose_b : tensor<?x512xbf16>, tensor<1024x512xbf16> -> tensor<?x1024xbf16>
  return %y : tensor<?x1024xbf16>
}
