// Delayed scaling: x is quantized with the scale that earlier steps' amaxes gave, both copies and this step's amax
// from one read; then history and scale are brought up to date, of one tensor, or of all of a model's at once.
//
//   te-compile delayed_scaling.mlir --target=gfx950 -o d.hsaco --explain
//   te-run d.hsaco --entry=step --dim=M=257 --check
//   te-run d.hsaco --entry=update_all --dim=L=1024 --dim=S=300 --check
#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>

func.func @step(%x: tensor<?x4096xbf16> {te.name = "x", te.dims = ["M", "K"]},
                %scale: tensor<f32> {te.name = "scale"},
                %history: tensor<1024xf32> {te.name = "history"})
    -> (!te.scaled<?x4096xf8E4M3FN, #fp8>, !te.scaled<?x4096xf8E4M3FN, #fp8t>, tensor<1024xf32>, tensor<f32>) {
  %q, %qt, %amax = te.quantize %x scale(%scale : tensor<f32>) : tensor<?x4096xbf16>
      -> !te.scaled<?x4096xf8E4M3FN, #fp8>, !te.scaled<?x4096xf8E4M3FN, #fp8t>, tensor<f32>
  %h, %s = te.update_scale max %history, %scale amax(%amax : tensor<f32>) for f8E4M3FN
      : tensor<1024xf32>, tensor<f32> -> tensor<1024xf32>, tensor<f32>
  return %q, %qt, %h, %s : !te.scaled<?x4096xf8E4M3FN, #fp8>, !te.scaled<?x4096xf8E4M3FN, #fp8t>, tensor<1024xf32>,
      tensor<f32>
}

func.func @update_all(%history: tensor<?x?xf32> {te.name = "history", te.dims = ["L", "S"]},
                      %scale: tensor<?xf32> {te.name = "scale", te.dims = ["S"]},
                      %amax: tensor<?xf32> {te.name = "amax", te.dims = ["S"]})
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %h, %s, %inverse = te.update_scale max %history, %scale amax(%amax : tensor<?xf32>) for f8E4M3FN
      : tensor<?x?xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?xf32> scale_inv tensor<?xf32>
  return %h, %s, %inverse : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
