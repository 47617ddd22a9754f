// Causal attention of 8 query heads that share 2 heads of keys and values: one kernel, o and the logarithms of the rows' sums.
//   te-compile attention.mlir --target=gfx950 -o attention.hsaco && te-run attention.hsaco --check --dim=B=1 --dim=S=77 --dim=T=77
func.func @attention(%q: tensor<?x?x8x128xbf16> {te.name = "q", te.dims = ["B", "S", "H", "D"]},
                     %k: tensor<?x?x2x128xbf16> {te.name = "k", te.dims = ["B", "T", "G", "D"]},
                     %v: tensor<?x?x2x128xbf16> {te.name = "v", te.dims = ["B", "T", "G", "D"]})
    -> (tensor<?x?x8x128xbf16> {te.name = "o"}, tensor<?x8x?xf32> {te.name = "lse"}) {
  %o, %lse = te.attention bshd %q, %k, %v {causal}
      : tensor<?x?x8x128xbf16>, tensor<?x?x2x128xbf16>, tensor<?x?x2x128xbf16> -> tensor<?x?x8x128xbf16>, tensor<?x8x?xf32>
  return %o, %lse : tensor<?x?x8x128xbf16>, tensor<?x8x?xf32>
}
