// Per-tensor FP8 with a given scale (delayed scaling), for gfx942: the cast, its transposed
// copy and the amax of the next step, from one read, in the codes that gfx942 computes with. The OCP ones:
// quantize_fp8.mlir.
//
//   te-run quantize_fp8_fnuz.mlir --target=gfx942 --dim=M=677 --check
#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>

func.func @quantize(%x: tensor<?x4096xbf16> {te.name = "x", te.dims = ["M", "K"]},
                    %scale: tensor<f32> {te.name = "scale"})
    -> (!te.scaled<?x4096xf8E4M3FNUZ, #fp8>, !te.scaled<?x4096xf8E4M3FNUZ, #fp8t>, tensor<f32>) {
  %q, %qt, %amax = te.quantize %x scale(%scale : tensor<f32>) : tensor<?x4096xbf16>
      -> !te.scaled<?x4096xf8E4M3FNUZ, #fp8>, !te.scaled<?x4096xf8E4M3FNUZ, #fp8t>, tensor<f32>
  return %q, %qt, %amax : !te.scaled<?x4096xf8E4M3FNUZ, #fp8>, !te.scaled<?x4096xf8E4M3FNUZ, #fp8t>, tensor<f32>
}
