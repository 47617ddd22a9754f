// Schedules of te.attention: what te-schedule takes, and what it refuses (G2, H9, H14, H21).
// RUN: te-opt %s -te-schedule=target=gfx950 -split-input-file -verify-diagnostics | FileCheck %s
// RUN: not te-opt %s -te-schedule=target=sm_90a -split-input-file 2>&1 | FileCheck %s --check-prefix=SM90

// SM90: error: te.attention is not supported for sm_90a; compile for gfx942 or gfx950{{.*}}(G2)

// Waves with queries of their own, as many as fill the chip.
// CHECK: #[[FITS:.*]] = #te.schedule<"gfx950", tile = [256, 128], waves = 8, {{.*}}matmul = <"f32_32x32x16_bf16", k = 64, waves = [8, 1]>, pipeline = <stages = 3, direct_to_lds = true, ping_pong = true>
// CHECK: func.func @fits
// CHECK: schedule = #[[FITS]]
func.func @fits(%q: tensor<1x4096x16x128xbf16>) -> tensor<1x4096x16x128xbf16> {
  %d = te.fusion "f" (%x = %q : tensor<1x4096x16x128xbf16>) -> (tensor<1x4096x16x128xbf16>) {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x4096x16x128xbf16>, tensor<1x4096x16x128xbf16>, tensor<1x4096x16x128xbf16> -> tensor<1x4096x16x128xbf16>, tensor<1x16x4096xf32>
    te.yield %o : tensor<1x4096x16x128xbf16>
  }
  return %d : tensor<1x4096x16x128xbf16>
}

// -----

// Few queries: a wave each. A head of 40 is one of 64 columns.
// CHECK: #[[FEW:.*]] = #te.schedule<"gfx950", tile = [32, 64], waves = 1, {{.*}}, waves = [1, 1]>, pipeline = <stages = 2
// CHECK: func.func @few
// CHECK: schedule = #[[FEW]]
func.func @few(%q: tensor<1x7x2x40xf16>) -> tensor<1x7x2x40xf16> {
  %d = te.fusion "f" (%x = %q : tensor<1x7x2x40xf16>) -> (tensor<1x7x2x40xf16>) {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x7x2x40xf16>, tensor<1x7x2x40xf16>, tensor<1x7x2x40xf16> -> tensor<1x7x2x40xf16>, tensor<1x2x7xf32>
    te.yield %o : tensor<1x7x2x40xf16>
  }
  return %d : tensor<1x7x2x40xf16>
}

// -----

func.func @large(%q: tensor<1x64x2x256xbf16>) -> tensor<1x64x2x256xbf16> {
  // expected-error @+1 {{128 elements a lane need about 306 VGPRs, but each of 1 waves has 256; use a smaller tile or more waves (H9)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x256xbf16>) -> (tensor<1x64x2x256xbf16>) {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x256xbf16>, tensor<1x64x2x256xbf16>, tensor<1x64x2x256xbf16> -> tensor<1x64x2x256xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x256xbf16>
  }
  return %d : tensor<1x64x2x256xbf16>
}

// -----

func.func @missing(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{the region has a te.attention, and the schedule does not say how it is computed: add matmul = <..>, or leave the schedule to te-schedule (H14)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}

// -----

func.func @instruction(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{f32_32x32x16_f16 on gfx950 is not for these operands; use f32_32x32x16_bf16 or f32_16x16x32_bf16 or f32_32x32x8_bf16 or f32_16x16x16_bf16 (H14)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 2, vector = 8, matmul = <"f32_32x32x16_f16", k = 32, waves = [2, 1]>>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}

// -----

func.func @waves(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{waves = [2, 2], but those of a te.attention have queries of their own; use [4, 1] (H21)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 64], waves = 4, vector = 8, matmul = <"f32_32x32x16_bf16", k = 32, waves = [2, 2]>>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}

// -----

func.func @queries(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{4 waves share 64 queries, but each needs 32 for f32_32x32x16_bf16; use fewer waves or a larger tile (H21)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_32x32x16_bf16", k = 32, waves = [4, 1]>>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}

// -----

func.func @columns(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{a tile of 128 columns, but one has the 64 of a head of v; make it 64 (H21)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 128], waves = 2, vector = 8, matmul = <"f32_32x32x16_bf16", k = 32, waves = [2, 1]>>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}

// -----

func.func @keys(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{a step of 16 keys, but f32_32x32x16_bf16 takes 32; use more (H21)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 2, vector = 8, matmul = <"f32_32x32x16_bf16", k = 16, waves = [2, 1]>>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}

// -----

func.func @stages(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{ping_pong is for two waves of each of 4 SIMDs and two stages or more; use waves = 8 and stages = 2, or leave it out (H21)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 2, vector = 8, matmul = <"f32_32x32x16_bf16", k = 32, waves = [2, 1]>, pipeline = <stages = 2, ping_pong = true>>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}

// -----

func.func @group(%q: tensor<1x64x2x64xbf16>) -> tensor<1x64x2x64xbf16> {
  // expected-error @+1 {{split_k, group_m, workgroups, row_tiles and sweep are not for te.attention yet; leave them out (H21)}}
  %d = te.fusion "f" (%x = %q : tensor<1x64x2x64xbf16>) -> (tensor<1x64x2x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 2, vector = 8, matmul = <"f32_32x32x16_bf16", k = 32, waves = [2, 1]>, grid = <group_m = 2>>} {
    %o, %l = te.attention bshd %x, %x, %x : tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16>, tensor<1x64x2x64xbf16> -> tensor<1x64x2x64xbf16>, tensor<1x2x64xf32>
    te.yield %o : tensor<1x64x2x64xbf16>
  }
  return %d : tensor<1x64x2x64xbf16>
}
