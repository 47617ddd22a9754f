// Kernels that wait for their rows ask L2 for what others read later, where a chip can be asked, and many are left.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}))' | FileCheck %s
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}))' | FileCheck %s --check-prefix=AMD --implicit-check-not=l2_prefetch
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}),te-to-tile)' | FileCheck %s --check-prefix=TILE --implicit-check-not=tile.prefetch
// AMD: te.fusion

// Each row is 16 KiB, asked for at once.
// CHECK: #te.schedule<"sm_90a", tile = [1, 8192], waves = 16, vector = 8, grid = <l2_prefetch_distance = 132, l2_prefetch_bytes = 16384>>
// CHECK-LABEL: func.func @norm
// TILE-LABEL: tile.kernel @norm
// TILE: %[[ID:.*]] = gpu.block_id x
// TILE: %[[AHEAD:.*]] = arith.constant 132 : index
// TILE: %[[GROUP:.*]] = arith.addi %[[ID]], %[[AHEAD]] : index
// TILE: %[[ONE:.*]] = arith.constant 1 : index
// TILE: %[[ROW:.*]] = arith.muli %[[GROUP]], %[[ONE]] : index
// TILE: %[[VIEW:.*]] = memref.reinterpret_cast %arg0
// TILE: tile.prefetch %[[VIEW]][%[[ROW]]] rows 1 bytes 16384 : memref<32768x8192xbf16
// TILE: tile.load
func.func @norm(%x: tensor<32768x8192xbf16>, %g: tensor<8192xbf16>) -> tensor<32768x8192xbf16> {
  %0, %1 = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<32768x8192xbf16>, tensor<8192xbf16> -> tensor<32768x8192xbf16>, tensor<32768xf32>
  return %0 : tensor<32768x8192xbf16>
}

// -----

// Two tensors that go together, of an unknown number of rows; both are asked for before any is loaded.
// CHECK: #te.schedule<"sm_90a", tile = [1, 4096], waves = 16, vector = 8, grid = <l2_prefetch_distance = 66, l2_prefetch_bytes = 4096>>
// CHECK-LABEL: func.func @residual
// TILE-LABEL: tile.kernel @residual
// TILE-NOT: tile.load
// TILE-COUNT-2: tile.prefetch {{.*}} rows 1 bytes 4096 : memref<?x4096xbf16
// TILE: tile.load
func.func @residual(%x: tensor<?x4096xbf16>, %r: tensor<?x4096xbf16>, %g: tensor<4096xbf16>, %n: index)
    -> (tensor<?x4096xbf16>, !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) {
  %s = arith.addf %x, %r : tensor<?x4096xbf16>
  %0, %1 = te.rms_norm %s, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q = te.quantize %0 : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  return %s, %q : tensor<?x4096xbf16>, !te.scaled<?x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}

// -----

// Rows kept in tiles are asked for once, whole: the largest power of two that divides 12288 bytes.
// CHECK: #te.schedule<"sm_90a", tile = [1, 2048], waves = 4, vector = 8, sweep = keep, grid = <l2_prefetch_distance = 132, l2_prefetch_bytes = 4096>>
// CHECK-LABEL: func.func @kept
// TILE-LABEL: tile.kernel @kept
// TILE: tile.prefetch {{.*}} rows 1 bytes 4096 : memref<?x6144xbf16
func.func @kept(%x: tensor<?x6144xbf16>, %g: tensor<6144xbf16>) -> tensor<?x6144xbf16> {
  %0, %1 = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x6144xbf16>, tensor<6144xbf16> -> tensor<?x6144xbf16>, tensor<?xf32>
  return %0 : tensor<?x6144xbf16>
}

// -----

// Long rows that are quantized: two workgroups a CU ahead, unless a third thing is waited for.
// CHECK-DAG: #[[TWICE:.*]] = #te.schedule<"sm_90a", tile = [1, 8192], waves = 4, vector = 8, grid = <l2_prefetch_distance = 264, l2_prefetch_bytes = 16384>>
// CHECK-DAG: #[[MORE:.*]] = #te.schedule<"sm_90a", tile = [1, 8192], waves = 4, vector = 8>
// CHECK-LABEL: func.func @long
// CHECK: te.fusion "long_0" {{.*}}schedule = #[[TWICE]]
// CHECK: te.fusion "long_1" {{.*}}schedule = #[[MORE]]
// TILE-LABEL: tile.kernel @long_0
// TILE: tile.prefetch {{.*}} bytes 16384
// TILE-LABEL: tile.kernel @long_1
func.func @long(%x: tensor<32768x8192xbf16>, %g: tensor<8192xbf16>, %y: tensor<65536x8192xbf16>)
    -> (!te.scaled<32768x8192xf8E4M3FN, #te.scaling<row, scale = f32>>, !te.scaled<65536x8192xf8E4M3FN, #te.scaling<row, scale = f32>>) {
  %0, %1 = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<32768x8192xbf16>, tensor<8192xbf16> -> tensor<32768x8192xbf16>, tensor<32768xf32>
  %q = te.quantize %0 : tensor<32768x8192xbf16> -> !te.scaled<32768x8192xf8E4M3FN, #te.scaling<row, scale = f32>>
  %2, %3, %4 = te.layer_norm %y, %g, %g {epsilon = 1.0e-5 : f32} : tensor<65536x8192xbf16>, tensor<8192xbf16>, tensor<8192xbf16> -> tensor<65536x8192xbf16>, tensor<65536xf32>, tensor<65536xf32>
  %p = te.quantize %2 : tensor<65536x8192xbf16> -> !te.scaled<65536x8192xf8E4M3FN, #te.scaling<row, scale = f32>>
  return %q, %p : !te.scaled<32768x8192xf8E4M3FN, #te.scaling<row, scale = f32>>, !te.scaled<65536x8192xf8E4M3FN, #te.scaling<row, scale = f32>>
}

// -----

// Few rows.
// CHECK: tile = [1, 8192], waves = 16, vector = 8>
// CHECK-LABEL: func.func @few
func.func @few(%x: tensor<512x8192xbf16>, %g: tensor<8192xbf16>) -> tensor<512x8192xbf16> {
  %0, %1 = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<512x8192xbf16>, tensor<8192xbf16> -> tensor<512x8192xbf16>, tensor<512xf32>
  return %0 : tensor<512x8192xbf16>
}

// -----

// Rows that begin anywhere.
// CHECK-NOT: l2_prefetch
// CHECK-LABEL: func.func @odd
func.func @odd(%x: tensor<32768x8191xbf16>, %g: tensor<8191xbf16>) -> tensor<32768x8191xbf16> {
  %0, %1 = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<32768x8191xbf16>, tensor<8191xbf16> -> tensor<32768x8191xbf16>, tensor<32768xf32>
  return %0 : tensor<32768x8191xbf16>
}

// -----

// fp4, whose arithmetic takes longer than memory.
// CHECK-NOT: l2_prefetch
// CHECK-LABEL: func.func @fp4
func.func @fp4(%x: tensor<?x8192xbf16>, %g: tensor<8192xbf16>) -> !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> {
  %0, %1 = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x8192xbf16>, tensor<8192xbf16> -> tensor<?x8192xbf16>, tensor<?xf32>
  %q = te.quantize %0 : tensor<?x8192xbf16> -> !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  return %q : !te.scaled<?x8192xf4E2M1FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}
