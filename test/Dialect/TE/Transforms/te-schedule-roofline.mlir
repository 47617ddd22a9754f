// The roofline ranks schedules (docs/roofline.md): what is asked of the busiest unit, whole rounds, latencies.
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950},te-schedule{target=gfx950}))' %s --split-input-file | FileCheck %s
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx942},te-schedule{target=gfx942}))' %s --split-input-file | FileCheck %s --check-prefix=GFX942

// A long K: each byte of L2 is for as many products as registers hold sums of.
// CHECK: tile = [256, 256]
// CHECK-LABEL: func.func @long
// GFX942: tile = [{{256, 256|128, 256|256, 128}}]
// GFX942-LABEL: func.func @long
func.func @long(%x: tensor<8192x8192xbf16>, %w: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<8192x8192xbf16>, tensor<8192x8192xbf16> -> tensor<8192x8192xbf16>
  return %d : tensor<8192x8192xbf16>
}

// -----

// A short K, many tiles: each is stored next to the products of the next one.
// CHECK: workgroups = {{256|512|768}}
// CHECK-LABEL: func.func @stores
// GFX942: workgroups = {{304|608|912}}
// GFX942-LABEL: func.func @stores
func.func @stores(%x: tensor<4096x512xbf16>, %w: tensor<32768x512xbf16>) -> tensor<4096x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<4096x512xbf16>, tensor<32768x512xbf16> -> tensor<4096x32768xbf16>
  return %d : tensor<4096x32768xbf16>
}

// -----

// Columns that some tiles mask are stored by branches, which part products.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @ragged
// GFX942-NOT: workgroups =
// GFX942-LABEL: func.func @ragged
func.func @ragged(%x: tensor<4096x512xbf16>, %w: tensor<32767x512xbf16>) -> tensor<4096x32767xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<4096x512xbf16>, tensor<32767x512xbf16> -> tensor<4096x32767xbf16>
  return %d : tensor<4096x32767xbf16>
}

// -----

// How many tiles there are is not known.
// CHECK-NOT: workgroups =
// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<?x512xbf16>, %w: tensor<32768x512xbf16>) -> tensor<?x32768xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<?x512xbf16>, tensor<32768x512xbf16> -> tensor<?x32768xbf16>
  return %d : tensor<?x32768xbf16>
}

// -----

// One row of a long K: as few rows as an instruction has, and splits of K for the chip's compute units.
// CHECK: tile = [16, {{.*}}split_k
// CHECK-LABEL: func.func @row
// GFX942: tile = [16, {{.*}}split_k
// GFX942-LABEL: func.func @row
func.func @row(%x: tensor<1x16384xbf16>, %w: tensor<2048x16384xbf16>) -> tensor<1x2048xbf16> {
  %d = te.gemm %x, %w transpose_b : tensor<1x16384xbf16>, tensor<2048x16384xbf16> -> tensor<1x2048xbf16>
  return %d : tensor<1x2048xbf16>
}

// -----

// Scales for 128 rows are stored with four. Splits of K are sums, which have no scales, so that only the second kernel has all of these rows.
// GFX942: split_k
// GFX942-LABEL: func.func @padded
func.func @padded(%x: tensor<4x5120xbf16>, %w: tensor<20480x5120xbf16>)
    -> (!te.scaled<4x20480xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) {
  %y = te.gemm %x, %w transpose_b : tensor<4x5120xbf16>, tensor<20480x5120xbf16> -> tensor<4x20480xbf16>
  %q = te.quantize %y : tensor<4x20480xbf16> -> !te.scaled<4x20480xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  return %q : !te.scaled<4x20480xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}

// -----

// Of a short K there are no splits: two kernels, as tiles of the product for all of those rows would take longer.
// GFX942-LABEL: func.func @apart
// GFX942: te.gemm
// GFX942: te.yield
// GFX942: te.fusion
// GFX942-SAME: not_fused = ["not with 'te.gemm': one kernel would take about {{[0-9]+}} clocks, two {{[0-9]+}}"]
func.func @apart(%x: tensor<4x1024xbf16>, %w: tensor<65536x1024xbf16>)
    -> (!te.scaled<4x65536xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) {
  %y = te.gemm %x, %w transpose_b : tensor<4x1024xbf16>, tensor<65536x1024xbf16> -> tensor<4x65536xbf16>
  %q = te.quantize %y : tensor<4x65536xbf16> -> !te.scaled<4x65536xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  return %q : !te.scaled<4x65536xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}
