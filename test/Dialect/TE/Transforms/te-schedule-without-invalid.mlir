// A schedule leaves out passes that a kernel can do without.

// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx950}))' -o /dev/null

func.func @distribute(%x: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  // expected-error @+1 {{without names 'tile-distribute', which is no pass that a kernel can do without; these are tile-persistent-workgroups, tile-hoist-loads, tile-prefetch-loads, tile-stage-operands, tile-split-products, tile-pipeline, tile-ping-pong, tile-interleave, tile-unroll, tile-delay-stores, tile-count-loads (H23)}}
  %r = te.fusion "k" (%a = %x : tensor<64x64xbf16>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 64], waves = 4, vector = 8, without = ["tile-unroll", "tile-distribute"]>} {
    %0 = te.activation silu %a : tensor<64x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %r : tensor<64x64xbf16>
}

// -----

// expected-error @+2 {{expected attribute value}}
// expected-error @+1 {{failed to parse TE_ScheduleAttr parameter 'without' which is to be a `::mlir::ArrayAttr`}}
#s = #te.schedule<"gfx950", tile = [1, 4096], waves = 4, vector = 8, without = [tile-unroll]>
