// te-split-k: a region whose schedule cuts K into splits becomes two; the rest of the region follows the sum.
// RUN: te-opt --pass-pipeline='builtin.module(func.func(te-split-k))' %s --split-input-file | FileCheck %s
// RUN: te-opt --te-pipeline="target=gfx950 to=tile" %s --split-input-file | FileCheck %s --check-prefix=TILE

// CHECK: #[[SCHEDULE:.*]] = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 4>>
// CHECK: #[[OWN:.*]] = #te.schedule<"gfx950", tile = [{{[0-9, ]*}}], waves = {{[0-9]*}}, vector = 4>
// CHECK-LABEL: func.func @epilogue
// CHECK: %[[P:.*]] = te.fusion "f_0" (%[[A:.*]] = %arg0 : tensor<64x4096xbf16>, %[[B:.*]] = %arg1 : tensor<512x4096xbf16>) -> (tensor<4x64x512xf32>) attributes {schedule = #[[SCHEDULE]]}
// CHECK-NEXT: %[[D:.*]] = te.gemm %[[A]], %[[B]] transpose_b {split_k = 4 : i64} : tensor<64x4096xbf16>, tensor<512x4096xbf16> -> tensor<4x64x512xf32>
// CHECK-NEXT: te.yield %[[D]]
// CHECK: %[[Y:.*]]:2 = te.fusion "f_0_sum" (%[[S:.*]] = %[[P]] : tensor<4x64x512xf32>, %[[V:.*]] = %arg2 : tensor<512xf32>, %[[R:.*]] = %arg3 : tensor<64x512xbf16>) -> (tensor<64x512xbf16>, tensor<64x512xf32>) attributes {schedule = #[[OWN]]}
// CHECK: %[[H:.*]], %[[Z:.*]] = te.gemm_sum %[[S]] bias(%[[V]] : tensor<512xf32>) gelu {alpha = 2.000000e+00 : f32} : tensor<4x64x512xf32> -> tensor<64x512xbf16> aux tensor<64x512xf32>
// CHECK-NEXT: %[[ADD:.*]] = arith.addf %[[H]], %[[R]]
// CHECK-NEXT: te.yield %[[ADD]], %[[Z]]
// CHECK: return %[[Y]]#0, %[[Y]]#1

// The splits are the matrices of the grid; the sum reads all of them before it adds.
// TILE-LABEL: tile.kernel @f_0(
// TILE: %[[SPLIT:.*]] = arith.divui
// TILE: %[[FIRST:.*]] = arith.muli %[[SPLIT]], %c16
// TILE: scf.for %{{.*}} = %c0 to %c16 step
// TILE: memref.reinterpret_cast {{.*}} to offset: [%{{.*}}], sizes: [64, 512]
// TILE-LABEL: tile.kernel @f_0_sum(
// TILE-COUNT-4: tile.load {{.*}}xf32
// TILE-COUNT-3: arith.addf {{.*}}xf32
// TILE: math.{{.*}}
func.func @epilogue(%x: tensor<64x4096xbf16>, %w: tensor<512x4096xbf16>, %v: tensor<512xf32>, %r: tensor<64x512xbf16>) -> (tensor<64x512xbf16>, tensor<64x512xf32>) {
  %y:2 = te.fusion "f_0" (%a = %x : tensor<64x4096xbf16>, %b = %w : tensor<512x4096xbf16>, %c = %v : tensor<512xf32>, %d = %r : tensor<64x512xbf16>) -> (tensor<64x512xbf16>, tensor<64x512xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 4>>} {
    %h, %z = te.gemm %a, %b transpose_b bias(%c : tensor<512xf32>) gelu {alpha = 2.0 : f32} : tensor<64x4096xbf16>, tensor<512x4096xbf16> -> tensor<64x512xbf16> aux tensor<64x512xf32>
    %s = arith.addf %h, %d : tensor<64x512xbf16>
    te.yield %s, %z : tensor<64x512xbf16>, tensor<64x512xf32>
  }
  return %y#0, %y#1 : tensor<64x512xbf16>, tensor<64x512xf32>
}

// -----

// A dynamic M, a K that the splits do not divide: where a split begins is computed.
// CHECK-LABEL: func.func @dynamic
// CHECK: te.gemm {{.*}} {split_k = 3 : i64} : tensor<?x100xbf16>, tensor<64x100xbf16> -> tensor<3x?x64xf32>
// CHECK: te.gemm_sum {{.*}} : tensor<3x?x64xf32> -> tensor<?x64xf32>
// TILE-LABEL: tile.kernel @f_0(
// TILE: %[[SPLIT:.*]] = arith.divui %block_id_x
// TILE: %[[UNITS:.*]] = arith.muli %[[SPLIT]], %c4
// TILE: %[[FIRST:.*]] = arith.divui %[[UNITS]], %c3
func.func @dynamic(%x: tensor<?x100xbf16>, %w: tensor<64x100xbf16>) -> tensor<?x64xf32> {
  %y = te.fusion "f_0" (%a = %x : tensor<?x100xbf16>, %b = %w : tensor<64x100xbf16>) -> (tensor<?x64xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 2, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [1, 2]>, pipeline = <stages = 2>, grid = <split_k = 3>>} {
    %d = te.gemm %a, %b transpose_b : tensor<?x100xbf16>, tensor<64x100xbf16> -> tensor<?x64xf32>
    te.yield %d : tensor<?x64xf32>
  }
  return %y : tensor<?x64xf32>
}

// -----

// One split: nothing to do.
// CHECK-LABEL: func.func @whole
// CHECK: te.gemm %{{[a-z0-9]*}}, %{{[a-z0-9]*}} transpose_b :
// CHECK-NOT: te.gemm_sum
func.func @whole(%x: tensor<32x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<32x64xf32> {
  %y = te.fusion "f_0" (%a = %x : tensor<32x64xbf16>, %b = %w : tensor<64x64xbf16>) -> (tensor<32x64xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 2, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [1, 2]>>} {
    %d = te.gemm %a, %b transpose_b : tensor<32x64xbf16>, tensor<64x64xbf16> -> tensor<32x64xf32>
    te.yield %d : tensor<32x64xf32>
  }
  return %y : tensor<32x64xf32>
}

// -----

// What an operand is converted from is read by the splits; the sum has no use for it.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: func.func @prologue
// CHECK: te.fusion "f_0" (%[[A:.*]] = %arg0 : tensor<16x1024xbf16>, %[[Q:.*]] = %arg1 : !te.scaled<64x1024xf4E2M1FN, #{{.*}}>) -> (tensor<2x16x64xf32>)
// CHECK-NEXT: %[[B:.*]] = te.dequantize %[[Q]]
// CHECK-NEXT: te.gemm %[[A]], %[[B]] transpose_b {split_k = 2 : i64}
// CHECK: te.fusion "f_0_sum" (%{{.*}} = %{{.*}} : tensor<2x16x64xf32>, %{{.*}} = %arg2 : tensor<64xf32>) -> (tensor<16x64xbf16>)
// CHECK-NEXT: te.gemm_sum
// CHECK-NEXT: te.yield
func.func @prologue(%x: tensor<16x1024xbf16>, %q: !te.scaled<64x1024xf4E2M1FN, #row>, %v: tensor<64xf32>) -> tensor<16x64xbf16> {
  %y = te.fusion "f_0" (%a = %x : tensor<16x1024xbf16>, %p = %q : !te.scaled<64x1024xf4E2M1FN, #row>, %c = %v : tensor<64xf32>) -> (tensor<16x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [1, 4]>, pipeline = <stages = 2>, grid = <split_k = 2>>} {
    %b = te.dequantize %p : !te.scaled<64x1024xf4E2M1FN, #row> -> tensor<64x1024xbf16>
    %d = te.gemm %a, %b transpose_b bias(%c : tensor<64xf32>) : tensor<16x1024xbf16>, tensor<64x1024xbf16> -> tensor<16x64xbf16>
    te.yield %d : tensor<16x64xbf16>
  }
  return %y : tensor<16x64xbf16>
}

// -----

// The last 64 rows alone: the first kernel finishes the others, and has splits of these; the second writes after what it has written.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: func.func @rest
// CHECK: %[[R:.*]]:3 = te.fusion "f_0" (%[[A:.*]] = %arg0 : tensor<192x256xbf16>, %[[B:.*]] = %arg1 : tensor<64x256xbf16>, %[[V:.*]] = %arg2 : tensor<64xf32>) -> (tensor<2x64x64xf32>, !te.scaled<192x64xf8E4M3FN, #[[ROW:.*]]>, tensor<f32>)
// CHECK-NEXT: %[[D:.*]], %[[P:.*]] = te.gemm %[[A]], %[[B]] transpose_b bias(%[[V]] : tensor<64xf32>) : tensor<192x256xbf16>, tensor<64x256xbf16> -> tensor<192x64xbf16> rest tensor<2x64x64xf32>
// CHECK-NEXT: %[[Q:.*]] = te.quantize %[[D]]
// CHECK-NEXT: %[[M:.*]] = te.amax %[[D]]
// CHECK-NEXT: te.yield %[[P]], %[[Q]], %[[M]]
// CHECK: te.fusion "f_0_sum" (%[[S:.*]] = %[[R]]#0 : tensor<2x64x64xf32>, %[[W:.*]] = %arg2 : tensor<64xf32>) inits(%[[R]]#1, %[[R]]#2 : !te.scaled<192x64xf8E4M3FN, #[[ROW]]>, tensor<f32>)
// CHECK-NEXT: te.gemm_sum %[[S]] bias(%[[W]] : tensor<64xf32>) : tensor<2x64x64xf32> -> tensor<192x64xbf16>

// Two rows of tiles are whole, two splits of two each (the scales' padding is one) are after them; one amax is zeroed, both kernels fold into it.
// TILE-LABEL: func.func @rest
// TILE: %[[ZERO:.*]] = tile.launch @f_0_zero
// TILE: %[[FIRST:.*]]:3 = tile.launch @f_0 grid(%c2, %c6) ins(%arg0, %arg1, %arg2 : {{.*}}) inits(%[[ZERO]] : tensor<f32>)
// TILE: tile.launch @f_0_sum grid({{.*}}) ins(%[[FIRST]]#0, %arg2 : {{.*}}) inits(%[[FIRST]]#1, %[[FIRST]]#2 : {{.*}})
// TILE-LABEL: tile.kernel @f_0(
// TILE: %[[IS:.*]] = arith.cmpi ult, %block_id_y, %c2
// TILE: %[[STEPS:.*]] = arith.select %[[IS]], %c4{{.*}}, %c2
// TILE: scf.for %{{.*}} = %c0{{.*}} to %[[STEPS]]
// TILE: scf.if %[[IS]] {
// TILE: arith.addf
// TILE: tile.atomic_max
// TILE: } else {
// TILE: tile.store {{.*}}xf32
// TILE-LABEL: tile.kernel @f_0_sum(
// TILE: arith.addi %{{.*}}, %c128
func.func @rest(%x: tensor<192x256xbf16>, %w: tensor<64x256xbf16>, %v: tensor<64xf32>) -> (!te.scaled<192x64xf8E4M3FN, #row>, tensor<f32>) {
  %y:2 = te.fusion "f_0" (%a = %x : tensor<192x256xbf16>, %b = %w : tensor<64x256xbf16>, %c = %v : tensor<64xf32>) -> (!te.scaled<192x64xf8E4M3FN, #row>, tensor<f32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>, grid = <split_k = 2, whole_rows = 128>>} {
    %d = te.gemm %a, %b transpose_b bias(%c : tensor<64xf32>) : tensor<192x256xbf16>, tensor<64x256xbf16> -> tensor<192x64xbf16>
    %q = te.quantize %d : tensor<192x64xbf16> -> !te.scaled<192x64xf8E4M3FN, #row>
    %m = te.amax %d : tensor<192x64xbf16> -> tensor<f32>
    te.yield %q, %m : !te.scaled<192x64xf8E4M3FN, #row>, tensor<f32>
  }
  return %y#0, %y#1 : !te.scaled<192x64xf8E4M3FN, #row>, tensor<f32>
}

// -----

// A gate: the splits are those of both halves, next to each other in tiles of their own; the second kernel reads the two.
// CHECK-LABEL: func.func @gate
// CHECK: %[[P:.*]] = te.fusion "f_0" (%{{.*}} = %arg0 : {{.*}}, %{{.*}} = %arg1 : {{.*}}) -> (tensor<3x37x1024xf32>)
// CHECK-NEXT: te.gemm {{.*}} {split_k = 3 : i64}
// CHECK: te.fusion "f_0_sum" (%[[A:.*]] = %[[P]] : tensor<3x37x1024xf32>, %[[V:.*]] = %arg2 : tensor<1024xf32>) -> (tensor<37x512xbf16>, tensor<37x1024xbf16>)
// CHECK-NEXT: %[[D:.*]] = te.gemm_sum %[[A]] bias(%[[V]] : tensor<1024xf32>) : tensor<3x37x1024xf32> -> tensor<37x1024xbf16>
// CHECK-NEXT: te.gated_activation swiglu %[[D]] : tensor<37x1024xbf16> -> tensor<37x512xbf16>

// TILE-LABEL: func.func @gate
// TILE-LABEL: tile.kernel @f_0_sum(
// TILE-COUNT-3: memref.reinterpret_cast %arg0 to offset: [{{0|37888|75776}}], sizes: [37, 512], strides: [1024, 1]
// TILE-COUNT-3: memref.reinterpret_cast %arg0 to offset: [{{512|38400|76288}}], sizes: [37, 512], strides: [1024, 1]
// TILE: math.exp
func.func @gate(%x: tensor<37x200xbf16>, %w: tensor<1024x200xbf16>, %v: tensor<1024xf32>) -> (tensor<37x512xbf16>, tensor<37x1024xbf16>) {
  %y:2 = te.fusion "f_0" (%a = %x : tensor<37x200xbf16>, %b = %w : tensor<1024x200xbf16>, %c = %v : tensor<1024xf32>) -> (tensor<37x512xbf16>, tensor<37x1024xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2]>, grid = <split_k = 3>>} {
    %d = te.gemm %a, %b transpose_b bias(%c : tensor<1024xf32>) : tensor<37x200xbf16>, tensor<1024x200xbf16> -> tensor<37x1024xbf16>
    %g = te.gated_activation swiglu %d : tensor<37x1024xbf16> -> tensor<37x512xbf16>
    te.yield %g, %d : tensor<37x512xbf16>, tensor<37x1024xbf16>
  }
  return %y#0, %y#1 : tensor<37x512xbf16>, tensor<37x1024xbf16>
}
