// Workgroups share rows where these are few and long, and their number is known.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}))' | FileCheck %s
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx942}))' | FileCheck %s --check-prefix=COMBINED
// RUN: te-compile %s --target=gfx942 -o %t.hsaco --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: te-run %t.hsaco --entry=few --check --sanitize
// RUN: te-run %t.hsaco --entry=amax --check --sanitize
// RUN: te-run %t.hsaco --entry=backward --check --sanitize --input=random:1:normal --input=random:2:normal --input=random:3:normal --input=random:4:normal

// CHECK: #te.schedule<"gfx950", tile = [1, {{[0-9]+}}], {{.*}}, sweep = reread, grid = <row_split = {{[0-9]+}}>>
// CHECK: func.func @few
// EXPLAIN: few_0
// EXPLAIN: of a row that {{[0-9]+}} workgroups share, as there are too few rows for the chip: a kernel before this one computes what is computed over its splits, and it is read a second time for the results
func.func @few(%x: tensor<2x65536xbf16>, %g: tensor<65536xbf16>) -> (tensor<2x65536xbf16>, tensor<2xf32>) {
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<2x65536xbf16>, tensor<65536xbf16> -> tensor<2x65536xbf16>, tensor<2xf32>
  return %y, %r : tensor<2x65536xbf16>, tensor<2xf32>
}

// -----

// A norm that finds the amax of what current scaling casts then, in a kernel that needs no rows.
// CHECK-COUNT-1: row_split =
// CHECK-NOT: row_split =
// CHECK: func.func @amax
#fp8 = #te.scaling<tensor, scale = f32>
func.func @amax(%x: tensor<2x65536xbf16>, %g: tensor<65536xbf16>, %b: tensor<65536xbf16>) -> !te.scaled<2x65536xf8E4M3FN, #fp8> {
  %y, %m, %r = te.layer_norm %x, %g, %b {epsilon = 1.0e-5 : f32}
      : tensor<2x65536xbf16>, tensor<65536xbf16>, tensor<65536xbf16> -> tensor<2x65536xbf16>, tensor<2xf32>, tensor<2xf32>
  %q = te.quantize %y : tensor<2x65536xbf16> -> !te.scaled<2x65536xf8E4M3FN, #fp8>
  return %q : !te.scaled<2x65536xf8E4M3FN, #fp8>
}

// -----

// CHECK: row_split =
// CHECK: func.func @backward
func.func @backward(%dy: tensor<8x16384xbf16>, %x: tensor<8x16384xbf16>, %g: tensor<16384xbf16>, %r: tensor<8xf32>) -> (tensor<8x16384xbf16>, tensor<16384xbf16>) {
  %dx, %dg = te.rms_norm_bwd %dy, %x, %g, %r : tensor<8x16384xbf16>, tensor<8x16384xbf16>, tensor<16384xbf16>, tensor<8xf32> -> tensor<8x16384xbf16>, tensor<16384xbf16>
  return %dx, %dg : tensor<8x16384xbf16>, tensor<16384xbf16>
}

// -----

// As many splits as the kernel that combines them has registers for: tiles of 64 transposed rows, in few waves.
// COMBINED: tile = [64, 32], waves = 2, vector = 8, sweep = reread, grid = <row_split = 63>
// COMBINED: func.func @transposed
// CHECK: row_split =
// CHECK: func.func @transposed
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @transposed(%x: tensor<20000x8xbf16>, %g: tensor<20000xbf16>) -> !te.scaled<8x20000xf8E4M3FN, #row> {
  %t = te.permute %x [1, 0] : tensor<20000x8xbf16> -> tensor<8x20000xbf16>
  %y, %m, %r = te.layer_norm %t, %g, %g {epsilon = 1.0e-5 : f32} : tensor<8x20000xbf16>, tensor<20000xbf16>, tensor<20000xbf16> -> tensor<8x20000xbf16>, tensor<8xf32>, tensor<8xf32>
  %q = te.quantize %y : tensor<8x20000xbf16> -> !te.scaled<8x20000xf8E4M3FN, #row>
  return %q : !te.scaled<8x20000xf8E4M3FN, #row>
}

// -----

// Short rows, many rows, rows of an unknown number: one workgroup a row.
// CHECK-NOT: row_split =
// CHECK: func.func @short
func.func @short(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
  return %y : tensor<8x4096xbf16>
}

func.func @many(%x: tensor<4096x65536xbf16>, %g: tensor<65536xbf16>) -> tensor<4096x65536xbf16> {
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<4096x65536xbf16>, tensor<65536xbf16> -> tensor<4096x65536xbf16>, tensor<4096xf32>
  return %y : tensor<4096x65536xbf16>
}

func.func @unknown(%x: tensor<?x65536xbf16>, %g: tensor<65536xbf16>) -> tensor<?x65536xbf16> {
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x65536xbf16>, tensor<65536xbf16> -> tensor<?x65536xbf16>, tensor<?xf32>
  return %y : tensor<?x65536xbf16>
}
