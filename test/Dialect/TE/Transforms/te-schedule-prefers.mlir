// What a chip prefers (docs/decisions/0010): rows that are no power of two long, tiles read ahead.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}))' | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}))' | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}),te-to-tile)' | FileCheck %s --check-prefixes=TILE,AHEAD
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile)' | FileCheck %s --check-prefixes=TILE,PLAIN

// A tile of 8192 columns would idle a quarter of the lanes: three of 2048 are kept, where picking among them is free; few
// tiles take half as many waves.
// SM90: #te.schedule<"sm_90a", tile = [1, 2048], waves = 4, vector = 8, sweep = keep, grid = <l2_prefetch_distance = 132, l2_prefetch_bytes = 4096>>
// GFX950: #te.schedule<"gfx950", tile = [1, 8192]
// CHECK-LABEL: func.func @ragged
// TILE-LABEL: tile.kernel @ragged
func.func @ragged(%x: tensor<?x6144xbf16>, %g: tensor<6144xbf16>, %b: tensor<6144xbf16>) -> tensor<?x6144xbf16> {
  %y, %mu, %rs = te.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f32} : tensor<?x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16> -> tensor<?x6144xbf16>, tensor<?xf32>, tensor<?xf32>
  return %y : tensor<?x6144xbf16>
}

// -----

// One lane in sixteen idle is less than a sweep costs.
// CHECK: tile = [1, 8192]
// CHECK-LABEL: func.func @nearly
func.func @nearly(%x: tensor<?x7680xbf16>, %g: tensor<7680xbf16>) -> tensor<?x7680xbf16> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x7680xbf16>, tensor<7680xbf16> -> tensor<?x7680xbf16>, tensor<?xf32>
  return %y : tensor<?x7680xbf16>
}

// -----

// Lanes of sm_90a hold 128 bytes of a row that is waited for: fewer waves wait.
// SM90: tile = [1, 8192], waves = 4, vector = 8,
// GFX950: tile = [1, 8192]
// CHECK-LABEL: func.func @wide
func.func @wide(%x: tensor<?x8192xbf16>, %g: tensor<8192xbf16>) -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x8192xbf16>, tensor<8192xbf16> -> tensor<?x8192xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x8192xbf16> -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  return %q : !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}

// -----

// A quarter of that where nothing else is done.
// SM90: tile = [1, 4096], waves = 8, vector = 8,
// GFX950: tile = [1, 4096]
// CHECK-LABEL: func.func @alone
func.func @alone(%x: tensor<32768x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<32768x4096xbf16> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<32768x4096xbf16>, tensor<4096xbf16> -> tensor<32768x4096xbf16>, tensor<32768xf32>
  return %y : tensor<32768x4096xbf16>
}

// -----

// Less where a second tensor is read: what sixteen waves hold, but 32 bytes where two things are waited for.
// SM90: tile = [1, 4096], waves = 16, vector = 8,
// CHECK-LABEL: func.func @residual
func.func @residual(%x: tensor<?x4096xbf16>, %r: tensor<?x4096xbf16>, %g: tensor<4096xbf16>) -> (tensor<?x4096xbf16>, tensor<?x4096xbf16>) {
  %s = arith.addf %x, %r : tensor<?x4096xbf16>
  %y, %rs = te.rms_norm %s, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  return %s, %y : tensor<?x4096xbf16>, tensor<?x4096xbf16>
}

// -----

// SM90: tile = [1, 4096], waves = 8, vector = 8,
// CHECK-LABEL: func.func @residual_twice
func.func @residual_twice(%x: tensor<?x4096xbf16>, %r: tensor<?x4096xbf16>, %g: tensor<4096xbf16>) -> (tensor<?x4096xbf16>, !te.scaled<?x4096xf8E4M3FN, #te.scaling<row, scale = f32>>) {
  %s = arith.addf %x, %r : tensor<?x4096xbf16>
  %y, %rs = te.rms_norm %s, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<row, scale = f32>>
  return %s, %q : tensor<?x4096xbf16>, !te.scaled<?x4096xf8E4M3FN, #te.scaling<row, scale = f32>>
}

// -----

// Where nothing goes along columns, a tile is a run of one row: as much as divides it.
// SM90: tile = [2, 2048], waves = 8, vector = 8>
// CHECK-LABEL: func.func @run
func.func @run(%x: tensor<?x14336xbf16>) -> !te.scaled<?x14336xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> {
  %q = te.quantize %x : tensor<?x14336xbf16> -> !te.scaled<?x14336xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  return %q : !te.scaled<?x14336xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}

// -----

// Scales of 1 x 128 lie column by column: more rows fill their lines.
// SM90: tile = [32, 256], waves = 4, vector = 8>
// CHECK-LABEL: func.func @scales_by_columns
func.func @scales_by_columns(%x: tensor<?x8192xbf16>) -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>> {
  %q = te.quantize %x : tensor<?x8192xbf16> -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>
  return %q : !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [1, 128], scale = f32>>
}

// -----

// Four waves where the amax of each row is waited for too.
// SM90: tile = [1, 8192], waves = 4, vector = 8,
// GFX950: tile = [1, 8192], waves = 8
// CHECK-LABEL: func.func @wide_twice
func.func @wide_twice(%x: tensor<?x8192xbf16>, %g: tensor<8192xbf16>) -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<row, scale = f32>> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x8192xbf16>, tensor<8192xbf16> -> tensor<?x8192xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x8192xbf16> -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<row, scale = f32>>
  return %q : !te.scaled<?x8192xf8E4M3FN, #te.scaling<row, scale = f32>>
}

// -----

// Where nothing is computed over rows, lanes of sm_90a hold 128 bytes of all that is read: of one tensor, or of a gate and its factor. 128 rows of fp4 fill 64 bytes of a transposed copy.
// SM90: tile = [128, 64], waves = 4, vector = 8>
// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<?x8192xbf16>) -> !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>> {
  %q = te.quantize %x : tensor<?x8192xbf16> -> !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>>
  return %q : !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>>
}

// -----

// Of both copies; eight waves have half of the larger tile's elements each.
// SM90: tile = [128, 128], waves = 8, vector = 8>
// CHECK-LABEL: func.func @both_ways
func.func @both_ways(%x: tensor<?x8192xbf16>) -> (!te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>>) {
  %q:2 = te.quantize %x : tensor<?x8192xbf16> -> !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>>
  return %q#0, %q#1 : !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed>>
}

// -----

// SM90: tile = [32, 128], waves = 4, vector = 8>
// CHECK-LABEL: func.func @gated
func.func @gated(%x: tensor<?x16384xbf16>) -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>> {
  %y = te.gated_activation swiglu %x : tensor<?x16384xbf16> -> tensor<?x8192xbf16>
  %q = te.quantize %y : tensor<?x8192xbf16> -> !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
  return %q : !te.scaled<?x8192xf8E4M3FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
}

// -----

// A gradient's halves are read in tiles of a quarter where waves meet for the scales of columns.
// SM90: tile = [32, 64], waves = 4, vector = 8, grid = <row_tiles = 4>>
// GFX950: tile = [32, 64], waves = 8, vector = 4, grid = <row_tiles = 4>>
// CHECK-LABEL: func.func @halves
func.func @halves(%dy: tensor<?x8192xbf16>, %x: tensor<?x16384xbf16>) -> (!te.scaled<?x16384xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x16384xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, tensor<16384xbf16>) {
  %dx, %db = te.gated_activation_bwd swiglu %dy, %x : tensor<?x8192xbf16>, tensor<?x16384xbf16> -> tensor<?x16384xbf16> dbias tensor<16384xbf16>
  %q:2 = te.quantize %dx : tensor<?x16384xbf16> -> !te.scaled<?x16384xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x16384xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
  return %q#0, %q#1, %db : !te.scaled<?x16384xf8E5M2, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<?x16384xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, tensor<16384xbf16>
}

// -----

// Of many rows and columns 256 rows are summed by a workgroup that reads ahead, as more than 32 of them a CU are left.
// SM90: tile = [32, 64], waves = 4, vector = 8, grid = <row_tiles = 8>>
// GFX950: tile = [32, 64], waves = 8, vector = 4, grid = <row_tiles = 4>>
// CHECK-LABEL: func.func @many_halves
func.func @many_halves(%dy: tensor<8192x16384xbf16>, %x: tensor<8192x32768xbf16>) -> (!te.scaled<8192x32768xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, tensor<32768xbf16>) {
  %dx, %db = te.gated_activation_bwd swiglu %dy, %x : tensor<8192x16384xbf16>, tensor<8192x32768xbf16> -> tensor<8192x32768xbf16> dbias tensor<32768xbf16>
  %q = te.quantize %dx : tensor<8192x32768xbf16> -> !te.scaled<8192x32768xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>
  return %q, %db : !te.scaled<8192x32768xf8E5M2, #te.scaling<block = [32, 1], scale = f8E8M0FNU>>, tensor<32768xbf16>
}

// -----

// Sums over rows keep a workgroup walking down them: there are few, so each has in flight what a CU holds, where nothing is read ahead;
// else small ones hold a row together, and hide each other's waiting.
// SM90: tile = [1, 1024], waves = 2, vector = 8, grid = <workgroups = 231, cluster = 4>>
// GFX950: tile = [4, 4096], waves = 16, vector = 8, grid = <row_tiles = 16, workgroups = 1024>>
// CHECK-LABEL: func.func @sums
// TILE-LABEL: tile.kernel @sums_0(
// AHEAD: } {tile.prefetch}
// PLAIN-NOT: tile.prefetch
// TILE: tile.kernel @sums_0_sum(
func.func @sums(%dy: tensor<?x4096xbf16>, %x: tensor<?x4096xbf16>, %g: tensor<4096xbf16>, %rs: tensor<?xf32>) -> (tensor<?x4096xbf16>, tensor<4096xbf16>) {
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %rs : tensor<?x4096xbf16>, tensor<?x4096xbf16>, tensor<4096xbf16>, tensor<?xf32> -> tensor<?x4096xbf16>, tensor<4096xbf16>
  return %dx, %dg : tensor<?x4096xbf16>, tensor<4096xbf16>
}

// -----

// Fewer rows each, where they are known and would leave CUs idle: partial sums may be a twentieth of the data.
// GFX950: tile = [4, 4096], waves = 16, vector = 8, grid = <row_tiles = 8, workgroups = 1024>>
// CHECK-LABEL: func.func @few
func.func @few(%dy: tensor<8192x4096xbf16>, %x: tensor<8192x4096xbf16>, %g: tensor<4096xbf16>, %rs: tensor<8192xf32>) -> (tensor<8192x4096xbf16>, tensor<4096xbf16>) {
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %rs : tensor<8192x4096xbf16>, tensor<8192x4096xbf16>, tensor<4096xbf16>, tensor<8192xf32> -> tensor<8192x4096xbf16>, tensor<4096xbf16>
  return %dx, %dg : tensor<8192x4096xbf16>, tensor<4096xbf16>
}

// -----

// f32 is twice the data: half the rows.
// GFX950: tile = [4, 2048], waves = 16, vector = 4, grid = <row_tiles = 4, workgroups = 1024>>
// CHECK-LABEL: func.func @wide
func.func @wide(%dy: tensor<2048x2048xf32>, %x: tensor<2048x2048xf32>, %g: tensor<2048xf32>, %rs: tensor<2048xf32>) -> (tensor<2048x2048xf32>, tensor<2048xf32>) {
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %rs : tensor<2048x2048xf32>, tensor<2048x2048xf32>, tensor<2048xf32>, tensor<2048xf32> -> tensor<2048x2048xf32>, tensor<2048xf32>
  return %dx, %dg : tensor<2048x2048xf32>, tensor<2048xf32>
}

// -----

// 128 rows of swizzled scales would need more registers than there are: less of them.
// SM90: tile = [128, 64], waves = 8
// CHECK-LABEL: func.func @less_than_a_unit
func.func @less_than_a_unit(%a0: tensor<?x65xbf16> {te.dims = ["M", "K"]}, %a1: tensor<2xi64>) -> (tensor<f32>, !te.scaled<?x65xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = blocked_32x4x4, rounding = ceil, ties = even>>) {
  %v0 = te.activation silu %a0 : tensor<?x65xbf16> -> tensor<?x65xbf16>
  %v1 = te.permute %v0 [1, 0] : tensor<?x65xbf16> -> tensor<65x?xbf16>
  %v2 = te.amax %v1 : tensor<65x?xbf16> -> tensor<f32>
  %v3 = te.quantize %v0 rng(%a1 : tensor<2xi64>) {stochastic} : tensor<?x65xbf16> -> !te.scaled<?x65xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = blocked_32x4x4, rounding = ceil, ties = even>>
  return %v2, %v3 : tensor<f32>, !te.scaled<?x65xf4E2M1FN, #te.scaling<block = [32, 1], scale = f8E8M0FNU, data_layout = transposed, scale_layout = blocked_32x4x4, rounding = ceil, ties = even>>
}
