// A linear layer in bf16, forward and backward, as Transformer Engine has it: bias and GELU in the forward product's
// kernel, with what the backward pass needs; GELU's gradient in that of the data gradient; the weight gradient added to
// an f32 buffer, with the gradient of the bias.
//
//   te-compile gemm_bf16.mlir --target=gfx942 -o g.hsaco --explain --stats
//   te-run g.hsaco --entry=forward --dim=M=257 --check --input=random:1:normal --input=random:2:normal --input=random:3:normal
func.func @forward(%x: tensor<?x512xbf16> {te.name = "x", te.dims = ["M", "K"]}, %w: tensor<1024x512xbf16> {te.name = "w"},
                   %b: tensor<1024xbf16> {te.name = "b"}) -> (tensor<?x1024xbf16>, tensor<?x1024xbf16>) {
  %y, %z = te.gemm %x, %w transpose_b bias(%b : tensor<1024xbf16>) gelu
      : tensor<?x512xbf16>, tensor<1024x512xbf16> -> tensor<?x1024xbf16> aux tensor<?x1024xbf16>
  return %y, %z : tensor<?x1024xbf16>, tensor<?x1024xbf16>
}

func.func @dgrad(%dy: tensor<?x512xbf16> {te.name = "dy", te.dims = ["M", "N"]}, %w: tensor<512x1024xbf16> {te.name = "w"},
                 %z: tensor<?x1024xbf16> {te.name = "z", te.dims = ["M", "K"]}) -> tensor<?x1024xbf16> {
  %dx = te.gemm %dy, %w dgelu(%z : tensor<?x1024xbf16>) : tensor<?x512xbf16>, tensor<512x1024xbf16> -> tensor<?x1024xbf16>
  return %dx : tensor<?x1024xbf16>
}

func.func @wgrad(%dy: tensor<?x1024xbf16> {te.name = "dy", te.dims = ["M", "N"]}, %x: tensor<?x512xbf16> {te.name = "x", te.dims = ["M", "K"]},
                 %main: tensor<1024x512xf32> {te.name = "main_grad"}) -> (tensor<1024x512xf32>, tensor<1024xbf16>) {
  %dw, %db = te.gemm %dy, %x transpose_a accumulate(%main : tensor<1024x512xf32>)
      : tensor<?x1024xbf16>, tensor<?x512xbf16> -> tensor<1024x512xf32> bias_grad tensor<1024xbf16>
  return %dw, %db : tensor<1024x512xf32>, tensor<1024xbf16>
}
