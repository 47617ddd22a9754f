// A region needs a schedule, and one for a chip that there is.

// RUN: te-opt %s --split-input-file --verify-diagnostics --te-to-tile

func.func @missing(%x: tensor<4x64xbf16>) -> tensor<f32> {
  // expected-error @+1 {{te.fusion has no schedule; run te-schedule first}}
  %r = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (tensor<f32>) {
    %0 = te.amax %a : tensor<4x64xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @unknown(%x: tensor<4x64xbf16>) -> tensor<f32> {
  // expected-error @+1 {{unknown target 'gfx90a'; te-mlir compiles for gfx942, gfx950}}
  %r = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (tensor<f32>)
      attributes {schedule = #te.schedule<"gfx90a", tile = [4, 64], waves = 1, vector = 8>} {
    %0 = te.amax %a : tensor<4x64xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}
