// RUN: te-opt %s -te-to-tile -split-input-file | FileCheck %s

// A loop along K: both tiles are read as they lie, taken to the lanes that the instruction wants, and multiplied; the
// epilogue works on the result's layout. A step reads whole columns (64 = 2 x 32), but M may be anything.
// CHECK-DAG: #[[$ACC:.*]] = #tile.layout<shape = [32, 32], register = {{\[}}[0, 1], [0, 2]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = {{\[}}[0, 16], [16, 0]]>
// CHECK-DAG: #[[$A:.*]] = #tile.layout<shape = [32, 32], register = {{\[}}[0, 1], [0, 2], [0, 4]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = {{\[}}[0, 0], [16, 0]]>
// CHECK-DAG: #[[$B:.*]] = #tile.layout<shape = [32, 32], register = {{\[}}[0, 1], [0, 2], [0, 4]], lane = {{\[}}[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = {{\[}}[16, 0], [0, 0]]>
// CHECK-LABEL: func.func @linear
// CHECK: tile.launch @linear_0 grid
// CHECK: tile.kernel @linear_0
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32x32xf32, #[[$ACC]]>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[HELD:.*]] = %[[ZERO]])
// CHECK:   %[[A:.*]] = tile.load {{.*}} {columns_in_bounds, divisible = 32 : i64} : memref<?x64xbf16
// CHECK:   %[[AM:.*]] = tile.convert_layout %[[A]] : {{.*}} -> tensor<32x32xbf16, #[[$A]]>
// CHECK:   %[[B:.*]] = tile.load {{.*}} : memref<48x64xbf16
// CHECK:   %[[BM:.*]] = tile.convert_layout %[[B]] : {{.*}} -> tensor<32x32xbf16, #[[$B]]>
// CHECK:   %[[NEXT:.*]] = tile.mma %[[AM]], %[[BM]], %[[HELD]] <"f32_16x16x32_bf16">
// CHECK:   scf.yield %[[NEXT]]
// CHECK: %[[LINE:.*]] = tile.broadcast
// CHECK: arith.addf %[[SUM]], %[[LINE]] : tensor<32x32xf32, #[[$ACC]]>
// CHECK: arith.truncf
// CHECK: tile.convert_layout
// CHECK: tile.store
func.func @linear(%x: tensor<?x64xbf16>, %w: tensor<48x64xbf16>, %b: tensor<48xbf16>) -> tensor<?x48xbf16> {
  %d = te.fusion "linear_0" (%a = %x : tensor<?x64xbf16>, %v = %w : tensor<48x64xbf16>, %c = %b : tensor<48xbf16>) -> (tensor<?x48xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 32], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 32, waves = [2, 2]>>} {
    %0 = te.gemm %a, %v transpose_b bias(%c : tensor<48xbf16>) : tensor<?x64xbf16>, tensor<48x64xbf16> -> tensor<?x48xbf16>
    te.yield %0 : tensor<?x48xbf16>
  }
  return %d : tensor<?x48xbf16>
}

// -----

// An operand that lies K x M is transposed, by name only, before it goes through LDS.
// CHECK-LABEL: tile.kernel @wgrad
// CHECK: scf.for
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[T:.*]] = tile.transpose %[[A]]
// CHECK: tile.convert_layout %[[T]]
// CHECK: tile.mma
func.func @f(%x: tensor<?x64xf16>, %y: tensor<?x32xf16>) -> tensor<64x32xf32> {
  %d = te.fusion "wgrad" (%a = %x : tensor<?x64xf16>, %b = %y : tensor<?x32xf16>) -> (tensor<64x32xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [32, 32], waves = 1, vector = 8, matmul = <"f32_32x32x8_f16", k = 32, waves = [1, 1]>>} {
    %0 = te.gemm %a, %b transpose_a : tensor<?x64xf16>, tensor<?x32xf16> -> tensor<64x32xf32>
    te.yield %0 : tensor<64x32xf32>
  }
  return %d : tensor<64x32xf32>
}

// -----

// E8M0 scales are operands of the instruction where the chip has one,
// CHECK-LABEL: tile.kernel @scaled
// CHECK: tile.mma {{.*}} scales(%{{.*}}, %{{.*}} : tensor<16x4xi8, #{{.*}}>, tensor<16x4xi8, #{{.*}}>) <"scale_f32_16x16x128_f8f6f4">
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @f(%x: !te.scaled<16x256xf8E4M3FN, #row>, %y: !te.scaled<16x256xf4E2M1FN, #row>) -> tensor<16x16xf32> {
  %d = te.fusion "scaled" (%a = %x : !te.scaled<16x256xf8E4M3FN, #row>, %b = %y : !te.scaled<16x256xf4E2M1FN, #row>) -> (tensor<16x16xf32>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 16], waves = 1, vector = 16, matmul = <"scale_f32_16x16x128_f8f6f4", k = 128, waves = [1, 1]>>} {
    %0 = te.gemm %a, %b transpose_b : !te.scaled<16x256xf8E4M3FN, #row>, !te.scaled<16x256xf4E2M1FN, #row> -> tensor<16x16xf32>
    te.yield %0 : tensor<16x16xf32>
  }
  return %d : tensor<16x16xf32>
}

// -----

// and multiply each block's partial sum where scales are f32 (E8M0 goes into the elements: te-to-tile-gemm-scales.mlir);
// the codes become bf16, exactly. Who reads codes in an order of their own works on them: nothing changes lanes before.
// CHECK-LABEL: tile.kernel @blocks
// CHECK: scf.for {{.*}} iter_args(%[[HELD:.*]] =
// CHECK: arith.trunci {{.*}} to tensor<16x128xi16
// CHECK: arith.bitcast {{.*}} to tensor<16x128xbf16
// CHECK: %[[PART:.*]] = tile.mma {{.*}} <"f32_16x16x16_bf16">
// CHECK: arith.mulf %[[PART]],
// CHECK: %[[SCALED:.*]] = arith.mulf
// CHECK: arith.addf %[[HELD]], %[[SCALED]]
#row = #te.scaling<block = [1, 128], scale = f32, data_layout = shuffle_16x16>
func.func @f(%x: !te.scaled<16x256xf8E4M3FN, #row>, %y: !te.scaled<16x256xf8E4M3FN, #row>) -> tensor<16x16xf32> {
  %d = te.fusion "blocks" (%a = %x : !te.scaled<16x256xf8E4M3FN, #row>, %b = %y : !te.scaled<16x256xf8E4M3FN, #row>) -> (tensor<16x16xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [16, 16], waves = 1, vector = 16, matmul = <"f32_16x16x16_bf16", k = 128, waves = [1, 1]>>} {
    %0 = te.gemm %a, %b transpose_b : !te.scaled<16x256xf8E4M3FN, #row>, !te.scaled<16x256xf8E4M3FN, #row> -> tensor<16x16xf32>
    te.yield %0 : tensor<16x16xf32>
  }
  return %d : tensor<16x16xf32>
}

// -----

// Halves that are read together are two products of one tile of A; columns of the second begin half of them further on.
// What is yielded of the product is stored half by half.
// CHECK-LABEL: tile.kernel @gate_0
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[SECOND:.*]] = arith.addi %[[COL]], %c512
// CHECK: scf.for
// CHECK:   %[[A:.*]] = tile.convert_layout
// CHECK:   %[[GATE:.*]] = tile.load {{.*}}[%[[COL]],
// CHECK:   %[[B0:.*]] = tile.convert_layout %[[GATE]]
// CHECK:   %[[UP:.*]] = tile.load {{.*}}[%[[SECOND]],
// CHECK:   %[[B1:.*]] = tile.convert_layout %[[UP]]
// CHECK:   tile.mma %[[A]], %[[B0]]
// CHECK:   tile.mma %[[A]], %[[B1]]
// CHECK: tile.store {{.*}}tensor<32x64xbf16
// CHECK: tile.store {{.*}}tensor<32x64xbf16
// CHECK: math.exp
// CHECK: tile.store {{.*}}tensor<32x64xbf16
func.func @gate(%x: tensor<?x64xbf16>, %w: tensor<1024x64xbf16>) -> (tensor<?x512xbf16>, tensor<?x1024xbf16>) {
  %g, %d = te.fusion "gate_0" (%a = %x : tensor<?x64xbf16>, %b = %w : tensor<1024x64xbf16>) -> (tensor<?x512xbf16>, tensor<?x1024xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>>} {
    %0 = te.gemm %a, %b transpose_b : tensor<?x64xbf16>, tensor<1024x64xbf16> -> tensor<?x1024xbf16>
    %1 = te.gated_activation swiglu %0 : tensor<?x1024xbf16> -> tensor<?x512xbf16>
    te.yield %1, %0 : tensor<?x512xbf16>, tensor<?x1024xbf16>
  }
  return %g, %d : tensor<?x512xbf16>, tensor<?x1024xbf16>
}

// -----

// Runs of 32 columns: tiles of B are every other run of rows, of the second half 32 rows further on. A bias is read in the same runs,
// and what is yielded of the product stored in them.
// CHECK-LABEL: tile.kernel @gate_of_runs
// CHECK: %[[COL:.*]] = arith.muli %{{.*}}, %c64
// CHECK: %[[FIRST:.*]] = arith.addi %[[COL]], %{{.*}}
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %c32
// CHECK: tile.load {{.*}}[%[[FIRST]], {{.*}} {{.*}}row_interleave = 32
// CHECK: tile.load {{.*}}[%[[SECOND]], {{.*}} {{.*}}row_interleave = 32
// CHECK-COUNT-2: tile.load {{.*}}[%{{.*}}, %[[COL]]] {{.*}}interleave = 32 : i64{{.*}}-> tensor<1x64xbf16
// CHECK-COUNT-2: tile.store {{.*}}[%{{.*}}, %[[COL]]] {{.*}}interleave = 32 : i64{{.*}}tensor<32x64xbf16
func.func @gate_of_runs(%x: tensor<?x64xbf16>, %w: tensor<1024x64xbf16>, %v: tensor<1024xbf16>) -> (tensor<?x512xbf16>, tensor<?x1024xbf16>) {
  %g, %d = te.fusion "gate_of_runs" (%a = %x : tensor<?x64xbf16>, %b = %w : tensor<1024x64xbf16>, %c = %v : tensor<1024xbf16>) -> (tensor<?x512xbf16>, tensor<?x1024xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2]>>} {
    %0 = te.gemm %a, %b transpose_b bias(%c : tensor<1024xbf16>) : tensor<?x64xbf16>, tensor<1024x64xbf16> -> tensor<?x1024xbf16>
    %1 = te.gated_activation swiglu %0 {interleave = 32 : i64} : tensor<?x1024xbf16> -> tensor<?x512xbf16>
    te.yield %1, %0 : tensor<?x512xbf16>, tensor<?x1024xbf16>
  }
  return %g, %d : tensor<?x512xbf16>, tensor<?x1024xbf16>
}

// -----

// Splits of K are added up when all of them are under way.
// CHECK-LABEL: tile.kernel @sum_0({{.*}}attributes {{.*}}te.loads_first
// CHECK-COUNT-3: tile.load
// CHECK-NOT: tile.load
// CHECK: arith.addf
func.func @sum(%s: tensor<3x64x64xf32>) -> tensor<64x64xbf16> {
  %d = te.fusion "sum_0" (%x = %s : tensor<3x64x64xf32>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 32], waves = 1, vector = 4>} {
    %0 = te.gemm_sum %x : tensor<3x64x64xf32> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}
// -----

// With stages the loop is the same, and says what the passes after are to make of it.
// CHECK-LABEL: tile.kernel @turns_0
// CHECK: scf.for
// CHECK-COUNT-2: tile.convert_layout
// CHECK-NOT: tile.convert_layout
// CHECK: tile.mma
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } {tile.ping_pong, tile.staging = #tile.staging<slots = 2, unroll = true>}
func.func @turns(%x: tensor<?x?xbf16>, %w: tensor<64x?xbf16>) -> tensor<?x64xbf16> {
  %d = te.fusion "turns_0" (%a = %x : tensor<?x?xbf16>, %v = %w : tensor<64x?xbf16>) -> (tensor<?x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 64], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 128, waves = [2, 4]>, pipeline = <stages = 2, ping_pong = true>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<?x?xbf16>, tensor<64x?xbf16> -> tensor<?x64xbf16>
    te.yield %0 : tensor<?x64xbf16>
  }
  return %d : tensor<?x64xbf16>
}

// -----

// An iteration is the steps whose scales are read at once: here four of 128 elements, the scales of 16 blocks.
// CHECK-LABEL: tile.kernel @round_0
// CHECK: scf.for
// CHECK: tile.load {{.*}} -> tensor<128x128xf8E4M3FN
// CHECK: tile.load {{.*}} -> tensor<128x16xi8
// CHECK: %[[ALL:.*]] = tile.broadcast
// CHECK: tile.mma {{.*}} scales(%[[ALL]], %{{.*}} : tensor<128x16xi8, #{{.*}}>, tensor<128x16xi8, #{{.*}}>) <"scale_f32_16x16x128_f8f6f4"> :
// CHECK: tile.mma {{.*}} {scale_slice = 1 : i64}
// CHECK: tile.mma {{.*}} {scale_slice = 2 : i64}
// CHECK: tile.mma {{.*}} {scale_slice = 3 : i64}
// CHECK-NOT: tile.mma
// CHECK: } {tile.staging = #tile.staging<slots = 3, direct = true, unroll = true>}
func.func @round(%x: !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %w: !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> tensor<128x128xbf16> {
  %d = te.fusion "round_0" (%a = %x : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %v = %w : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> (tensor<128x128xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 128], waves = 4, vector = 16, matmul = <"scale_f32_16x16x128_f8f6f4", k = 128, waves = [2, 2]>, pipeline = <stages = 3, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> -> tensor<128x128xbf16>
    te.yield %0 : tensor<128x128xbf16>
  }
  return %d : tensor<128x128xbf16>
}
