// Rows that the workgroups of a cluster hold together: what such a schedule must keep to.

// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-schedule{target=sm_90a}))' -o /dev/null


func.func @too_large(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{cluster = 16, but a cluster has at most 8 workgroups on sm_90a; use wider tiles (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 256], waves = 1, vector = 8, grid = <cluster = 16>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @too_small(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{cluster = 3, but a row of 4096 has 4 tiles of 1024 columns, one for each workgroup; make them as many (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 1024], waves = 1, vector = 8, grid = <cluster = 3>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @one(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{cluster = 2, but a row of 4096 has 1 tile of 4096 columns, one for each workgroup; leave it out (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <cluster = 2>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @sweeps(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{cluster = 4, but workgroups that share rows by row_split run by themselves; leave one of them out (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 1024], waves = 1, vector = 8, sweep = reread, grid = <row_split = 2, cluster = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

// Six tiles: two for each of three workgroups.
func.func @shares(%x: tensor<8x6144xbf16>, %g: tensor<6144xbf16>) -> tensor<8x6144xbf16> {
  // expected-error @+1 {{cluster = 4, but of 6 tiles of a row, 2 for a workgroup, none is left for the last; use fewer workgroups, or narrower tiles (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x6144xbf16>, %b = %g : tensor<6144xbf16>) -> (tensor<8x6144xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 1024], waves = 1, vector = 8, sweep = reread, grid = <cluster = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x6144xbf16>, tensor<6144xbf16> -> tensor<8x6144xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x6144xbf16>
  }
  return %r : tensor<8x6144xbf16>
}

// -----

func.func @unknown(%x: tensor<8x?xbf16>, %g: tensor<?xbf16>) -> tensor<8x?xbf16> {
  // expected-error @+1 {{cluster = 4, but the length of a row is not known, and so neither is how many tiles it has; make it static, or leave it out (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x?xbf16>, %b = %g : tensor<?xbf16>) -> (tensor<8x?xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 1024], waves = 1, vector = 8, grid = <cluster = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x?xbf16>, tensor<?xbf16> -> tensor<8x?xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x?xbf16>
  }
  return %r : tensor<8x?xbf16>
}

// -----

func.func @no_rows(%x: tensor<8x512xbf16>) -> tensor<8x512xbf16> {
  // expected-error @+1 {{cluster = 2, but this region computes nothing over rows, or its workgroups are of several tensors or matrices, or it rotates elements of a row, or reads halves of a wide result; leave it out (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x512xbf16>) -> (tensor<8x512xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 256], waves = 1, vector = 4, grid = <cluster = 2>>} {
    %0 = te.activation gelu %a : tensor<8x512xbf16> -> tensor<8x512xbf16>
    te.yield %0 : tensor<8x512xbf16>
  }
  return %r : tensor<8x512xbf16>
}

// -----

func.func @nobody(%x: tensor<8x512xbf16>) -> tensor<8x512xbf16> {
  %r = te.fusion "k" (%a = %x : tensor<8x512xbf16>) -> (tensor<8x512xbf16>)
// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'grid' which is to be a `::mlir::te::GridAttr`}}
      // expected-error @+1 {{cluster = 0 is not positive; 1 stands for workgroups that have their rows to themselves (H2)}}
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 256], waves = 1, vector = 4, grid = <cluster = 0>>} {
    %0 = te.activation gelu %a : tensor<8x512xbf16> -> tensor<8x512xbf16>
    te.yield %0 : tensor<8x512xbf16>
  }
  return %r : tensor<8x512xbf16>
}

// -----

// Padding of the scales is a part of the row: 300 columns are padded to 384.
func.func @padding(%x: tensor<64x300xbf16>, %g: tensor<300xbf16>) -> !te.scaled<64x300xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> {
  // expected-error @+1 {{cluster = 5, but a row of 300 has 6 tiles of 64 columns, one for each workgroup; make them as many (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<64x300xbf16>, %b = %g : tensor<300xbf16>) -> (!te.scaled<64x300xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [32, 64], waves = 4, vector = 8, grid = <cluster = 5>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<64x300xbf16>, tensor<300xbf16> -> tensor<64x300xbf16>, tensor<64xf32>
    %q = te.quantize %0 : tensor<64x300xbf16> -> !te.scaled<64x300xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
    te.yield %q : !te.scaled<64x300xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  }
  return %r : !te.scaled<64x300xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}
