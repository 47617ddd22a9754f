// RUN: te-toy te-opt %s --verify-diagnostics --te-to-tile

func.func @nothing(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %d = te.fusion "nothing_0" (%a = %x : tensor<64x64xbf16>) -> (tensor<64x64xbf16>) attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8>} {
    // expected-error @+1 {{the region's schedule does not say how toy.tril_product is computed; run te-schedule (H14)}}
    %0 = toy.tril_product %a, %a : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}
