// Rows that one workgroup does not hold, and that are dear to read again: those of a cluster hold them together, where
// the chip has clusters.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}))' | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}))' | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: te-compile %s --target=sm_90a -o %t.ptx --explain | FileCheck %s --check-prefix=EXPLAIN

// SM90: #te.schedule<"sm_90a", tile = [32, 1024], waves = 16, vector = 8, grid = <cluster = 8>>
// GFX950: sweep = reread>
// CHECK-LABEL: func.func @residual
// EXPLAIN: residual_0
// EXPLAIN: 1024 columns are a workgroup's part of a row, which 8 of a cluster hold together, as the registers of one do not: what is computed over the row goes between them, and it is read once
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @residual(%x: tensor<?x8192xbf16>, %r: tensor<?x8192xbf16>, %g: tensor<8192xbf16>)
    -> (tensor<?x8192xbf16>, !te.scaled<?x8192xf8E4M3FN, #row>, !te.scaled<?x8192xf8E4M3FN, #col>) {
  %h = arith.addf %x, %r : tensor<?x8192xbf16>
  %y, %rs = te.rms_norm %h, %g {epsilon = 1.0e-5 : f32} : tensor<?x8192xbf16>, tensor<8192xbf16> -> tensor<?x8192xbf16>, tensor<?xf32>
  %q:2 = te.quantize %y : tensor<?x8192xbf16> -> !te.scaled<?x8192xf8E4M3FN, #row>, !te.scaled<?x8192xf8E4M3FN, #col>
  return %h, %q#0, %q#1 : tensor<?x8192xbf16>, !te.scaled<?x8192xf8E4M3FN, #row>, !te.scaled<?x8192xf8E4M3FN, #col>
}

// -----

// Six workgroups a row; as many clusters as the chip holds go down the rows.
// SM90: #te.schedule<"sm_90a", tile = [1, 1024], waves = 2, vector = 8, grid = <workgroups = 154, cluster = 6>>
// CHECK-LABEL: func.func @gradient
func.func @gradient(%dy: tensor<?x6144xbf16>, %x: tensor<?x6144xbf16>, %g: tensor<6144xbf16>, %m: tensor<?xf32>, %r: tensor<?xf32>)
    -> (tensor<?x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>) {
  %dx, %dg, %db = te.layer_norm_bwd %dy, %x, %g, %m, %r
      : tensor<?x6144xbf16>, tensor<?x6144xbf16>, tensor<6144xbf16>, tensor<?xf32>, tensor<?xf32> -> tensor<?x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>
  return %dx, %dg, %db : tensor<?x6144xbf16>, tensor<6144xbf16>, tensor<6144xbf16>
}

// -----

// Larger workgroups where a cluster has no more of them.
// SM90: #te.schedule<"sm_90a", tile = [1, 2048], waves = 4, vector = 8, grid = <workgroups = 77, cluster = 6>>
// CHECK-LABEL: func.func @long
func.func @long(%dy: tensor<?x12288xbf16>, %x: tensor<?x12288xbf16>, %g: tensor<12288xbf16>, %r: tensor<?xf32>) -> (tensor<?x12288xbf16>, tensor<12288xbf16>) {
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %r : tensor<?x12288xbf16>, tensor<?x12288xbf16>, tensor<12288xbf16>, tensor<?xf32> -> tensor<?x12288xbf16>, tensor<12288xbf16>
  return %dx, %dg : tensor<?x12288xbf16>, tensor<12288xbf16>
}

// -----

// Of two bytes an element each workgroup sweeps its share, which LDS holds: while one reads, others compute.
// SM90: #te.schedule<"sm_90a", tile = [32, 256], waves = 8, vector = 8, sweep = keep, grid = <cluster = 8>>
// GFX950: sweep = reread>
// CHECK-LABEL: func.func @norm
// EXPLAIN: norm_0
// EXPLAIN: of a row that 8 workgroups of a cluster share, as the registers of one do not hold it: what is computed over the row goes between them, and each keeps its tiles in LDS meanwhile
#col2 = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @norm(%x: tensor<?x8192xbf16>, %g: tensor<8192xbf16>) -> !te.scaled<?x8192xf8E4M3FN, #col2> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x8192xbf16>, tensor<8192xbf16> -> tensor<?x8192xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x8192xbf16> -> !te.scaled<?x8192xf8E4M3FN, #col2>
  return %q : !te.scaled<?x8192xf8E4M3FN, #col2>
}

// -----

// Rows of unknown length, and shares of which LDS holds one.
// CHECK-NOT: cluster =
// CHECK-LABEL: func.func @unknown
#col3 = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @unknown(%x: tensor<?x?xbf16>, %r: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> !te.scaled<?x?xf8E4M3FN, #col3> {
  %h = arith.addf %x, %r : tensor<?x?xbf16>
  %y, %rs = te.rms_norm %h, %g {epsilon = 1.0e-5 : f32} : tensor<?x?xbf16>, tensor<?xbf16> -> tensor<?x?xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #col3>
  return %q : !te.scaled<?x?xf8E4M3FN, #col3>
}
func.func @longer(%x: tensor<?x16384xbf16>, %r: tensor<?x16384xbf16>, %g: tensor<16384xbf16>) -> !te.scaled<?x16384xf8E4M3FN, #col3> {
  %h = arith.addf %x, %r : tensor<?x16384xbf16>
  %y, %rs = te.rms_norm %h, %g {epsilon = 1.0e-5 : f32} : tensor<?x16384xbf16>, tensor<16384xbf16> -> tensor<?x16384xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x16384xbf16> -> !te.scaled<?x16384xf8E4M3FN, #col3>
  return %q : !te.scaled<?x16384xf8E4M3FN, #col3>
}
