// The schedules that te-schedule chooses, and that it keeps the user's.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}))' | FileCheck %s -DCHIP=gfx950
// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx942}))' | FileCheck %s -DCHIP=gfx942

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>

// How many rows and columns is tuned; what bounds them is not.
// CHECK-DAG: #[[MX:.*]] = #te.schedule<"[[CHIP]]", tile = [{{32|64|128}}, {{256|512}}], waves = {{4|8}}, vector = 8>
// CHECK-DAG: #[[F32:.*]] = #te.schedule<"[[CHIP]]", tile = [{{[0-9]+}}, 256], waves = {{4|8}}, vector = 4>
// CHECK-DAG: #[[TRANSPOSED:.*]] = #te.schedule<"[[CHIP]]", tile = [{{64|128}}, {{128|256|512}}], waves = {{4|8}}, vector = 8>
// CHECK-DAG: #[[SMALL:.*]] = #te.schedule<"[[CHIP]]", tile = [32, 64], waves = 4, vector = 8>
// CHECK-DAG: #[[TINY:.*]] = #te.schedule<"[[CHIP]]", tile = [1, 8], waves = 1, vector = 8>
// CHECK-DAG: #[[KEEP:.*]] = #te.schedule<"[[CHIP]]", tile = [32, 256], waves = 8, vector = 8, sweep = keep>
// CHECK-DAG: #[[REREAD:.*]] = #te.schedule<"[[CHIP]]", tile = [32, 256], waves = 8, vector = 8, sweep = reread>
// CHECK-DAG: #[[DYNAMIC:.*]] = #te.schedule<"[[CHIP]]", tile = [8, 1024], waves = 8, vector = 8, sweep = reread>

// A wave's consecutive accesses, rows enough for a column's block.
// CHECK-LABEL: func.func @mxfp8
// CHECK: attributes {schedule = #[[MX]]}
func.func @mxfp8(%x: tensor<?x4096xbf16>) -> (!te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>) {
  %q:2 = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
  return %q#0, %q#1 : !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
}

// 16 bytes are 4 elements of f32.
// CHECK-LABEL: func.func @f32
// CHECK: attributes {schedule = #[[F32]]}
func.func @f32(%x: tensor<?x?xf32>) -> !te.scaled<?x?xf8E4M3FN, #row> {
  %q = te.quantize %x : tensor<?x?xf32> -> !te.scaled<?x?xf8E4M3FN, #row>
  return %q : !te.scaled<?x?xf8E4M3FN, #row>
}

// 64 rows are a line of the transposed copy.
// CHECK-LABEL: func.func @transposed
// CHECK: attributes {schedule = #[[TRANSPOSED]]}
func.func @transposed(%x: tensor<?x4096xbf16>, %s: tensor<f32>) -> !te.scaled<?x4096xf8E4M3FN, #fp8t> {
  %q = te.quantize %x scale(%s : tensor<f32>) : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #fp8t>
  return %q : !te.scaled<?x4096xf8E4M3FN, #fp8t>
}

// No wider than the tensor, no wave without a vector to load; a whole block though the tensor is less.
// CHECK-LABEL: func.func @small
// CHECK: attributes {schedule = #[[SMALL]]}
func.func @small(%x: tensor<3x50xbf16>) -> !te.scaled<3x50xf8E4M3FN, #col> {
  %q = te.quantize %x : tensor<3x50xbf16> -> !te.scaled<3x50xf8E4M3FN, #col>
  return %q : !te.scaled<3x50xf8E4M3FN, #col>
}

// CHECK-LABEL: func.func @empty
// CHECK: attributes {schedule = #[[TINY]]}
func.func @empty(%x: tensor<0x1xbf16>) -> tensor<f32> {
  %a = te.amax %x : tensor<0x1xbf16> -> tensor<f32>
  return %a : tensor<f32>
}

// Rows that a tile does not hold: 32 of them stay in the registers of a workgroup, tile by tile, as long as they fit;
// else, or where their length is not known, they are read again.
// CHECK-LABEL: func.func @kept_rows
// CHECK: attributes {schedule = #[[KEEP]]}
func.func @kept_rows(%x: tensor<?x4096xbf16>, %g: tensor<4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #col> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x4096xbf16>, tensor<4096xbf16> -> tensor<?x4096xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #col>
  return %q : !te.scaled<?x4096xf8E4M3FN, #col>
}

// CHECK-LABEL: func.func @long_rows
// CHECK: attributes {schedule = #[[REREAD]]}
func.func @long_rows(%x: tensor<?x16384xbf16>, %g: tensor<16384xbf16>) -> !te.scaled<?x16384xf8E4M3FN, #col> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x16384xbf16>, tensor<16384xbf16> -> tensor<?x16384xbf16>, tensor<?xf32>
  %q = te.quantize %y : tensor<?x16384xbf16> -> !te.scaled<?x16384xf8E4M3FN, #col>
  return %q : !te.scaled<?x16384xf8E4M3FN, #col>
}

// CHECK-LABEL: func.func @dynamic_rows
// CHECK: attributes {schedule = #[[DYNAMIC]]}
func.func @dynamic_rows(%x: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %y, %rs = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x?xbf16>, tensor<?xbf16> -> tensor<?x?xbf16>, tensor<?xf32>
  return %y : tensor<?x?xbf16>
}
