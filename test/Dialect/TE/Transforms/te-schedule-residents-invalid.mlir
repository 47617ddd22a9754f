// How many workgroups a compute unit holds (residents): what such a schedule must keep to.

// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-schedule{target=sm_90a}))' -o /dev/null

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'grid' which is to be a `::mlir::te::GridAttr`}}
// expected-error @+1 {{residents = -1 is negative; 0 stands for as many as fit (H2)}}
#s = #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <residents = -1>>

// -----

func.func @wave(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{residents = 4, but that is for workgroups of several waves that wait for rows of their own: no te.gemm, cluster, row_split or workgroups; leave it out (H20)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 4096], waves = 1, vector = 8, grid = <residents = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @walks(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{residents = 4, but that is for workgroups of several waves that wait for rows of their own: no te.gemm, cluster, row_split or workgroups; leave it out (H20)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <workgroups = 2, residents = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @rows(%x: tensor<64x4096xbf16>) -> tensor<64x4096xbf16> {
  // expected-error @+1 {{residents = 4, but that is for workgroups of several waves that wait for rows of their own: no te.gemm, cluster, row_split or workgroups; leave it out (H20)}}
  %r = te.fusion "k" (%a = %x : tensor<64x4096xbf16>) -> (tensor<64x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 1024], waves = 4, vector = 8, grid = <residents = 4>>} {
    %0 = te.activation silu %a : tensor<64x4096xbf16> -> tensor<64x4096xbf16>
    te.yield %0 : tensor<64x4096xbf16>
  }
  return %r : tensor<64x4096xbf16>
}
