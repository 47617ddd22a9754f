// What stands before attention with grouped queries: the packed projection is split into queries, keys and values, a
// reshape gives each query head a row, and queries and keys are rotated: one kernel. Backward the gradients of
// the three are rotated back and packed again: one kernel.
//
//   te-compile qkv_rope.mlir --target=gfx950 -o q.hsaco --explain
//   te-run q.hsaco --entry=forward --dim=S=257 --dim=B=2 --check
func.func @forward(%qkv: tensor<?x?x8x768xbf16> {te.name = "qkv", te.dims = ["S", "B", "G", "D"]},
                   %freqs: tensor<8192x128xf32> {te.name = "freqs"})
    -> (tensor<?x?x32x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x8x128xbf16>) {
  %s = te.dim %qkv, 0 : tensor<?x?x8x768xbf16>
  %b = te.dim %qkv, 1 : tensor<?x?x8x768xbf16>
  %q0 = tensor.extract_slice %qkv[0, 0, 0, 0] [%s, %b, 8, 512] [1, 1, 1, 1]
      : tensor<?x?x8x768xbf16> to tensor<?x?x8x512xbf16>
  %k0 = tensor.extract_slice %qkv[0, 0, 0, 512] [%s, %b, 8, 128] [1, 1, 1, 1]
      : tensor<?x?x8x768xbf16> to tensor<?x?x8x128xbf16>
  %v = tensor.extract_slice %qkv[0, 0, 0, 640] [%s, %b, 8, 128] [1, 1, 1, 1]
      : tensor<?x?x8x768xbf16> to tensor<?x?x8x128xbf16>
  %q1 = tensor.expand_shape %q0 [[0], [1], [2], [3, 4]] output_shape [%s, %b, 8, 4, 128]
      : tensor<?x?x8x512xbf16> into tensor<?x?x8x4x128xbf16>
  %q2 = tensor.collapse_shape %q1 [[0], [1], [2, 3], [4]]
      : tensor<?x?x8x4x128xbf16> into tensor<?x?x32x128xbf16>
  %q = te.rope sbhd %q2, %freqs : tensor<?x?x32x128xbf16>, tensor<8192x128xf32> -> tensor<?x?x32x128xbf16>
  %k = te.rope sbhd %k0, %freqs : tensor<?x?x8x128xbf16>, tensor<8192x128xf32> -> tensor<?x?x8x128xbf16>
  return %q, %k, %v : tensor<?x?x32x128xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x8x128xbf16>
}

func.func @backward(%dq: tensor<?x?x32x128xbf16> {te.name = "dq", te.dims = ["S", "B", "H", "d"]},
                    %dk: tensor<?x?x8x128xbf16> {te.name = "dk", te.dims = ["S", "B", "G", "d"]},
                    %dv: tensor<?x?x8x128xbf16> {te.name = "dv", te.dims = ["S", "B", "G", "d"]},
                    %freqs: tensor<8192x128xf32> {te.name = "freqs"}) -> tensor<?x?x8x768xbf16> {
  %s = te.dim %dq, 0 : tensor<?x?x32x128xbf16>
  %b = te.dim %dq, 1 : tensor<?x?x32x128xbf16>
  %q0 = te.rope_bwd sbhd %dq, %freqs : tensor<?x?x32x128xbf16>, tensor<8192x128xf32> -> tensor<?x?x32x128xbf16>
  %k0 = te.rope_bwd sbhd %dk, %freqs : tensor<?x?x8x128xbf16>, tensor<8192x128xf32> -> tensor<?x?x8x128xbf16>
  %q1 = tensor.expand_shape %q0 [[0], [1], [2, 3], [4]] output_shape [%s, %b, 8, 4, 128]
      : tensor<?x?x32x128xbf16> into tensor<?x?x8x4x128xbf16>
  %q2 = tensor.collapse_shape %q1 [[0], [1], [2], [3, 4]]
      : tensor<?x?x8x4x128xbf16> into tensor<?x?x8x512xbf16>
  %dqkv = tensor.concat dim(3) %q2, %k0, %dv
      : (tensor<?x?x8x512xbf16>, tensor<?x?x8x128xbf16>, tensor<?x?x8x128xbf16>) -> tensor<?x?x8x768xbf16>
  return %dqkv : tensor<?x?x8x768xbf16>
}
