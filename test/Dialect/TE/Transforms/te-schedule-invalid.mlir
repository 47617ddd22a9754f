// G1 and H4 to H18 on gfx950.

// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}))' -o /dev/null

#fp8 = #te.scaling<tensor, scale = f32>
func.func @fnuz(%x: tensor<4x64xbf16>, %s: tensor<f32>) -> !te.scaled<4x64xf8E4M3FNUZ, #fp8> {
  // expected-error @+1 {{use f8E4M3FN, or compile for a chip with FNUZ fp8}}
  %q = te.quantize %x scale(%s : tensor<f32>) : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FNUZ, #fp8>
  return %q : !te.scaled<4x64xf8E4M3FNUZ, #fp8>
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
func.func @fnuz_input(%q: !te.scaled<4x64xf8E5M2FNUZ, #fp8>) -> tensor<4x64xbf16> {
  // expected-error-re @+1 {{gfx950 computes with OCP fp8, but '!te.scaled<4x64xf8E5M2FNUZ, #te.scaling<tensor, scale = f32>>' holds 'f8E5M2FNUZ'; use f8E5M2, or compile for a chip with FNUZ fp8 (G1)}}
  %y = te.dequantize %q : !te.scaled<4x64xf8E5M2FNUZ, #fp8> -> tensor<4x64xbf16>
  return %y : tensor<4x64xbf16>
}

// -----

func.func @other_chip(%x: tensor<?x?xbf16>) -> tensor<f32> {
  // expected-error @+1 {{the schedule is for gfx942 but the target is gfx950; drop it, or compile for gfx942 (H4)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (tensor<f32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [16, 128], waves = 2, vector = 4>} {
    %0 = te.amax %a : tensor<?x?xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @waves(%x: tensor<?x?xbf16>) -> tensor<f32> {
  // expected-error @+1 {{32 waves exceed the 16 that a workgroup has on gfx950 (H5)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (tensor<f32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 128], waves = 32, vector = 4>} {
    %0 = te.amax %a : tensor<?x?xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @vector(%x: tensor<?x?xf32>) -> tensor<f32> {
  // expected-error @+1 {{a vector of 8 elements is 32 bytes; a lane moves at most 16 at once (H6)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xf32>) -> (tensor<f32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 128], waves = 4, vector = 8>} {
    %0 = te.amax %a : tensor<?x?xf32> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

#fp4 = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @pair(%x: tensor<16x32xbf16>) -> !te.scaled<16x32xf4E2M1FN, #fp4> {
  // expected-error @+1 {{vector = 1, but a byte has the fp4 codes of two neighbours in a row; a lane loads at least 2 (H6)}}
  %r = te.fusion "k" (%a = %x : tensor<16x32xbf16>) -> (!te.scaled<16x32xf4E2M1FN, #fp4>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 32], waves = 2, vector = 1>} {
    %0 = te.quantize %a : tensor<16x32xbf16> -> !te.scaled<16x32xf4E2M1FN, #fp4>
    te.yield %0 : !te.scaled<16x32xf4E2M1FN, #fp4>
  }
  return %r : !te.scaled<16x32xf4E2M1FN, #fp4>
}

// -----

#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @block_rows(%x: tensor<?x?xbf16>) -> !te.scaled<?x?xf8E4M3FN, #col> {
  // expected-error @+1 {{a tile of 16 x 128 is smaller than a scale block; this region needs at least 32 x 1 (H7)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (!te.scaled<?x?xf8E4M3FN, #col>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 128], waves = 4, vector = 8>} {
    %0 = te.quantize %a : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #col>
    te.yield %0 : !te.scaled<?x?xf8E4M3FN, #col>
  }
  return %r : !te.scaled<?x?xf8E4M3FN, #col>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @block_columns(%x: tensor<?x?xbf16>) -> !te.scaled<?x?xf8E4M3FN, #row> {
  // expected-error @+1 {{a tile of 128 x 16 is smaller than a scale block; this region needs at least 1 x 32 (H7)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (!te.scaled<?x?xf8E4M3FN, #row>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 16], waves = 4, vector = 8>} {
    %0 = te.quantize %a : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #row>
    te.yield %0 : !te.scaled<?x?xf8E4M3FN, #row>
  }
  return %r : !te.scaled<?x?xf8E4M3FN, #row>
}

// -----

#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @lds(%x: tensor<?x?xbf16>, %s: tensor<f32>) -> !te.scaled<?x?xf8E4M3FN, #fp8t> {
  // expected-error @+1 {{the tile needs 262144 bytes of LDS, but a workgroup has 163840 on gfx950; use a smaller tile (H8)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>, %b = %s : tensor<f32>) -> (!te.scaled<?x?xf8E4M3FN, #fp8t>)
      attributes {schedule = #te.schedule<"gfx950", tile = [512, 512], waves = 16, vector = 8>} {
    %0 = te.quantize %a scale(%b : tensor<f32>) : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #fp8t>
    te.yield %0 : !te.scaled<?x?xf8E4M3FN, #fp8t>
  }
  return %r : !te.scaled<?x?xf8E4M3FN, #fp8t>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @registers(%x: tensor<?x?xbf16>) -> !te.scaled<?x?xf8E4M3FN, #row> {
  // expected-error @+1 {{512 elements a lane need about 440 VGPRs, but each of 1 waves has 256; use a smaller tile or more waves (H9)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (!te.scaled<?x?xf8E4M3FN, #row>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 1024], waves = 1, vector = 8>} {
    %0 = te.quantize %a : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #row>
    te.yield %0 : !te.scaled<?x?xf8E4M3FN, #row>
  }
  return %r : !te.scaled<?x?xf8E4M3FN, #row>
}

// -----

// As large as registers allow (LDS: te-schedule-target.mlir).
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
func.func @fits(%x: tensor<?x?xbf16>, %s: tensor<f32>) -> !te.scaled<?x?xf8E4M3FN, #fp8t> {
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>, %b = %s : tensor<f32>) -> (!te.scaled<?x?xf8E4M3FN, #fp8t>)
      attributes {schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 16, vector = 8>} {
    %0 = te.quantize %a scale(%b : tensor<f32>) : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #fp8t>
    te.yield %0 : !te.scaled<?x?xf8E4M3FN, #fp8t>
  }
  return %r : !te.scaled<?x?xf8E4M3FN, #fp8t>
}

// -----

// Runs of 16 rows are mixed inside of a wave; rows alone (no columnwise result) ask nothing.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = even, data_layout = transposed>
func.func @hadamard(%x: tensor<?x?xbf16>) -> (!te.scaled<?x?xf4E2M1FN, #row>, !te.scaled<?x?xf4E2M1FN, #col>) {
  %q = te.fusion "r" (%a = %x : tensor<?x?xbf16>) -> (!te.scaled<?x?xf4E2M1FN, #row>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 256], waves = 8, vector = 8>} {
    %0 = te.quantize %a {hadamard} : tensor<?x?xbf16> -> !te.scaled<?x?xf4E2M1FN, #row>
    te.yield %0 : !te.scaled<?x?xf4E2M1FN, #row>
  }
  // expected-error @+1 {{8 waves share 32 rows, but a columnwise hadamard mixes 16 rows inside of a wave; use a taller tile or fewer waves (H7)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (!te.scaled<?x?xf4E2M1FN, #col>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 256], waves = 8, vector = 8>} {
    %0 = te.quantize %a {hadamard} : tensor<?x?xbf16> -> !te.scaled<?x?xf4E2M1FN, #col>
    te.yield %0 : !te.scaled<?x?xf4E2M1FN, #col>
  }
  return %q, %r : !te.scaled<?x?xf4E2M1FN, #row>, !te.scaled<?x?xf4E2M1FN, #col>
}

// -----

func.func @dynamic_row(%x: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @+1 {{a tile of 512 columns does not hold a row of unknown length, over which something is computed; make it as wide as the row, or sweep the row: sweep = reread (H10)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>, %b = %g : tensor<?xbf16>) -> (tensor<?x?xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [8, 512], waves = 8, vector = 8>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x?xbf16>, tensor<?xbf16> -> tensor<?x?xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x?xbf16>
  }
  return %r : tensor<?x?xbf16>
}

// -----

func.func @kept_dynamic_row(%x: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> tensor<?x?xbf16> {
  // expected-error @+1 {{sweep = keep, but the length of a row is not known; use reread (H11)}}
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>, %b = %g : tensor<?xbf16>) -> (tensor<?x?xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [8, 512], waves = 8, vector = 8, sweep = keep>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x?xbf16>, tensor<?xbf16> -> tensor<?x?xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x?xbf16>
  }
  return %r : tensor<?x?xbf16>
}

// -----

func.func @many_kept_tiles(%x: tensor<?x65536xbf16>, %g: tensor<65536xbf16>) -> tensor<?x65536xbf16> {
  // expected-error @+1 {{sweep = keep of 128 tiles a row; at most 32 are kept: use wider ones, or reread (H11)}}
  %r = te.fusion "k" (%a = %x : tensor<?x65536xbf16>, %b = %g : tensor<65536xbf16>) -> (tensor<?x65536xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [8, 512], waves = 8, vector = 8, sweep = keep>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x65536xbf16>, tensor<65536xbf16> -> tensor<?x65536xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x65536xbf16>
  }
  return %r : tensor<?x65536xbf16>
}

// -----

func.func @too_much_kept(%x: tensor<?x8192xbf16>, %g: tensor<8192xbf16>) -> tensor<?x8192xbf16> {
  // expected-error-re @+1 {{32 elements a lane need about 420 VGPRs, but each of 8 waves has 256; use a smaller tile or more waves (H9)}}
  %r = te.fusion "k" (%a = %x : tensor<?x8192xbf16>, %b = %g : tensor<8192xbf16>) -> (tensor<?x8192xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 512], waves = 8, vector = 8, sweep = keep>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x8192xbf16>, tensor<8192xbf16> -> tensor<?x8192xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x8192xbf16>
  }
  return %r : tensor<?x8192xbf16>
}

// -----

func.func @nothing_over_rows(%x: tensor<?x512xbf16>) -> tensor<?x512xbf16> {
  // expected-error @+1 {{sweep = reread, but nothing is computed over rows; leave it out (H11)}}
  %r = te.fusion "k" (%a = %x : tensor<?x512xbf16>) -> (tensor<?x512xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [8, 256], waves = 4, vector = 8, sweep = reread>} {
    %0 = te.activation gelu %a : tensor<?x512xbf16> -> tensor<?x512xbf16>
    te.yield %0 : tensor<?x512xbf16>
  }
  return %r : tensor<?x512xbf16>
}

// -----

func.func @swept_row_tiles(%x: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> tensor<?x512xbf16> {
  // expected-error @+1 {{row_tiles = 2 with a sweep; sums over rows are those of one tile then, row_tiles = 1 (H11)}}
  %r = te.fusion "k" (%a = %x : tensor<?x512xbf16>, %b = %g : tensor<512xbf16>) -> (tensor<?x512xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [8, 256], waves = 4, vector = 8, sweep = reread, grid = <row_tiles = 2>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x512xbf16>
  }
  return %r : tensor<?x512xbf16>
}

// -----

func.func @narrow(%x: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> tensor<?x512xbf16> {
  // expected-error @+1 {{a tile of 256 columns does not hold a row of 512, over which something is computed; make it as wide as the row, or sweep the row: sweep = keep or reread (H10)}}
  %r = te.fusion "k" (%a = %x : tensor<?x512xbf16>, %b = %g : tensor<512xbf16>) -> (tensor<?x512xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [8, 256], waves = 4, vector = 8>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x512xbf16>
  }
  return %r : tensor<?x512xbf16>
}

// -----

func.func @walking_sweep(%x: tensor<?x512xbf16>, %g: tensor<512xbf16>) -> tensor<?x512xbf16> {
  // expected-error @+1 {{workgroups = 64, but with a sweep a workgroup sweeps its rows only; leave it out (H13)}}
  %r = te.fusion "k" (%a = %x : tensor<?x512xbf16>, %b = %g : tensor<512xbf16>) -> (tensor<?x512xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [8, 256], waves = 4, vector = 8, sweep = reread, grid = <workgroups = 64>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<?x512xbf16>, tensor<512xbf16> -> tensor<?x512xbf16>, tensor<?xf32>
    te.yield %0 : tensor<?x512xbf16>
  }
  return %r : tensor<?x512xbf16>
}

// -----

#matrix = #te.scaling<block = [1, 32], scale = f8E8M0FNU, per = matrix>
func.func @walking_matrices(%x: tensor<4x64x64xbf16>) -> !te.scaled<4x64x64xf8E4M3FN, #matrix> {
  // expected-error @+1 {{workgroups = 64, but this region's workgroups are of several tensors, of several matrices, or compute whole columns already; leave it out (H13)}}
  %r = te.fusion "k" (%a = %x : tensor<4x64x64xbf16>) -> (!te.scaled<4x64x64xf8E4M3FN, #matrix>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 4, vector = 8, grid = <workgroups = 64>>} {
    %0 = te.quantize %a : tensor<4x64x64xbf16> -> !te.scaled<4x64x64xf8E4M3FN, #matrix>
    te.yield %0 : !te.scaled<4x64x64xf8E4M3FN, #matrix>
  }
  return %r : !te.scaled<4x64x64xf8E4M3FN, #matrix>
}

// -----

func.func @kept_splits(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{row_split = 4, but a row that workgroups share is read again by the next kernel; add sweep = reread (H16)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8, sweep = keep, grid = <row_split = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @splits_of_unknown_rows(%x: tensor<8x?xbf16>, %g: tensor<?xbf16>) -> tensor<8x?xbf16> {
  // expected-error @+1 {{row_split = 4, but the length of a row is not known, and so neither is how many tiles a split has; make it static, or leave it out (H16)}}
  %r = te.fusion "k" (%a = %x : tensor<8x?xbf16>, %b = %g : tensor<?xbf16>) -> (tensor<8x?xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8, sweep = reread, grid = <row_split = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x?xbf16>, tensor<?xbf16> -> tensor<8x?xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x?xbf16>
  }
  return %r : tensor<8x?xbf16>
}

// -----

func.func @too_many_splits(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{row_split = 9, but a row has 8 tiles of 512 columns; use at most as many, or narrower tiles (H16)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 512], waves = 1, vector = 8, sweep = reread, grid = <row_split = 9>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @more_splits_than_registers(%x: tensor<8x65536xbf16>, %g: tensor<65536xbf16>) -> tensor<8x65536xbf16> {
  // expected-error @+1 {{row_split = 1024, but the kernel that combines what they fold needs about 552 VGPRs, and each of its waves has 256; use fewer, or more waves (H16)}}
  %r = te.fusion "k" (%a = %x : tensor<8x65536xbf16>, %b = %g : tensor<65536xbf16>) -> (tensor<8x65536xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 64], waves = 1, vector = 8, sweep = reread, grid = <row_split = 1024>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x65536xbf16>, tensor<65536xbf16> -> tensor<8x65536xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x65536xbf16>
  }
  return %r : tensor<8x65536xbf16>
}

// -----

func.func @splits_of_dscale(%dy: tensor<8x512xbf16>, %x: tensor<8x512xbf16>, %s: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{row_split = 2, but this region computes nothing over rows, or what one workgroup must (dscale, a rotation, several tensors); leave it out (H16)}}
  %r = te.fusion "k" (%a = %dy : tensor<8x512xbf16>, %b = %x : tensor<8x512xbf16>, %c = %s : tensor<8xf32>) -> (tensor<8xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 256], waves = 1, vector = 4, sweep = reread, grid = <row_split = 2>>} {
    %dx, %ds = te.activation_bwd gelu %a, %b scales(%c : tensor<8xf32>) : tensor<8x512xbf16>, tensor<8x512xbf16> -> tensor<8x512xbf16> dscale tensor<8xf32>
    te.yield %ds : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @no_splits(%x: tensor<8x512xbf16>) -> tensor<8x512xbf16> {
  %r = te.fusion "k" (%a = %x : tensor<8x512xbf16>) -> (tensor<8x512xbf16>)
// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'grid' which is to be a `::mlir::te::GridAttr`}}
      // expected-error @+1 {{row_split = 0 is not positive; 1 stands for whole rows (H2)}}
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 256], waves = 1, vector = 4, grid = <row_split = 0>>} {
    %0 = te.activation gelu %a : tensor<8x512xbf16> -> tensor<8x512xbf16>
    te.yield %0 : tensor<8x512xbf16>
  }
  return %r : tensor<8x512xbf16>
}

// -----

func.func @cluster_of_amd(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{cluster = 4, but workgroups of gfx950 form no clusters; leave it out (H18)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [1, 1024], waves = 2, vector = 8, grid = <cluster = 4>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}
