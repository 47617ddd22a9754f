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

// Two stages: the step after the next is read, the next one is put into the other slot, and of this one each part is taken
// before the part in front of it is multiplied. The barrier stands before the last product. What is put next is read before the first step is put.
// CHECK-LABEL: tile.kernel @stages_0
// CHECK-COUNT-4: tile.load
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x32x64xbf16
// CHECK: tile.put %{{.*}}, %[[RA]][%[[C0:.*]]]
// CHECK: %[[RB:.*]] = tile.ring
// CHECK: gpu.barrier
// CHECK: tile.take %[[RA]][%{{.*}}, %{{.*}}]
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[RAW:.*]] = %{{.*}}, %[[PART:.*]] = %{{.*}}, %{{.*}}, %[[PARTB:.*]] = %{{.*}})
// CHECK:   %[[SECOND:.*]] = tile.take %[[RA]]
// CHECK:   tile.put %[[RAW]], %[[RA]]
// CHECK:   tile.load
// CHECK:   %[[FIRST:.*]] = tile.mma %[[PART]], %[[PARTB]], %[[SUM]] <"f32_16x16x32_bf16"> in_order
// CHECK:   gpu.barrier
// CHECK:   tile.take %[[RA]]
// CHECK:   tile.mma %[[SECOND]], %{{.*}}, %[[FIRST]] <"f32_16x16x32_bf16"> in_order
// CHECK:   scf.yield
// CHECK-NOT: tile.take
func.func @stages(%x: tensor<?x?xbf16>, %w: tensor<48x?xbf16>) -> tensor<?x48xbf16> {
  %d = te.fusion "stages_0" (%a = %x : tensor<?x?xbf16>, %v = %w : tensor<48x?xbf16>) -> (tensor<?x48xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [32, 32], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2], stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<?x?xbf16>, tensor<48x?xbf16> -> tensor<?x48xbf16>
    te.yield %0 : tensor<?x48xbf16>
  }
  return %d : tensor<?x48xbf16>
}

// -----

// Of two parts the first has room for one side's writes: by eight waves the smaller side, here A, is put behind the barrier, into the
// slot that has been read, and the step behind that is read. Both slots are filled in front of the loop.
// CHECK-LABEL: tile.kernel @behind_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x64xbf16
// CHECK: tile.put %{{.*}}, %[[RA]][%{{c0.*}}]
// CHECK: tile.put %[[BEHIND:.*]], %[[RA]][%{{c1.*}}]
// CHECK: tile.load
// CHECK: %[[RB:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x128x64xbf16
// CHECK: tile.put %{{.*}}, %[[RB]][%{{c0.*}}]
// CHECK-NOT: tile.put
// CHECK: gpu.barrier
// CHECK: scf.for %[[I:[a-z0-9_]*]] = {{.*}} iter_args(%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %[[RAW:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %[[RAWB:[a-z0-9_]+]] =
// CHECK-NOT: tile.put
// CHECK:   tile.put %[[RAWB]], %[[RB]]
// CHECK-NOT: tile.put
// CHECK:   tile.mma
// CHECK:   gpu.barrier
// CHECK:   tile.take %[[RA]]
// CHECK:   tile.take %[[RB]]
// CHECK:   %[[SLOT:.*]] = arith.remui %[[I]], %{{.*}} : index
// CHECK:   tile.put %[[RAW]], %[[RA]][%[[SLOT]]]
// CHECK:   arith.addi %[[I]], %c3
// CHECK:   tile.load
// CHECK:   tile.mma
// CHECK-NOT: tile.put
// CHECK:   scf.yield
func.func @behind(%x: tensor<?x?xbf16>, %w: tensor<128x?xbf16>) -> tensor<?x128xbf16> {
  %d = te.fusion "behind_0" (%a = %x : tensor<?x?xbf16>, %v = %w : tensor<128x?xbf16>) -> (tensor<?x128xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 128], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 4], stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<?x?xbf16>, tensor<128x?xbf16> -> tensor<?x128xbf16>
    te.yield %0 : tensor<?x128xbf16>
  }
  return %d : tensor<?x128xbf16>
}

// -----

// Waves that share a SIMD take turns, by priority: from the barrier on each part is less urgent than the one before. A is
// larger: its part is taken behind B's, and its next step is asked for half a step before B's. Behind the loop all are alike.
// CHECK-LABEL: tile.kernel @turns_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x128x128xbf16
// CHECK: %[[RB:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x128xbf16
// CHECK-NOT: tile.priority
// CHECK: scf.for
// CHECK:   tile.priority 2
// CHECK:   tile.take %[[RB]]
// CHECK:   tile.take %[[RA]]
// CHECK:   tile.put %{{.*}}, %[[RA]]
// CHECK-NOT: tile.put
// CHECK:   tile.mma
// CHECK:   tile.priority 1
// CHECK-NOT: tile.put
// CHECK:   tile.mma
// CHECK:   tile.priority 0
// CHECK:   tile.put %{{.*}}, %[[RB]]
// CHECK:   tile.mma
// CHECK:   tile.priority 3
// CHECK:   gpu.barrier
// CHECK:   tile.take %[[RB]]
// CHECK:   tile.take %[[RA]]
// CHECK:   tile.mma
// CHECK-NOT: tile.priority
// CHECK:   scf.yield
// CHECK: tile.priority 0
// CHECK: tile.store
func.func @turns(%x: tensor<?x?xbf16>, %w: tensor<64x?xbf16>) -> tensor<?x64xbf16> {
  %d = te.fusion "turns_0" (%a = %x : tensor<?x?xbf16>, %v = %w : tensor<64x?xbf16>) -> (tensor<?x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 64], waves = 8, vector = 8, matmul = <"f32_16x16x32_bf16", k = 128, waves = [2, 4], stages = 2, ping_pong = true>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<?x?xbf16>, tensor<64x?xbf16> -> tensor<?x64xbf16>
    te.yield %0 : tensor<?x64xbf16>
  }
  return %d : tensor<?x64xbf16>
}

// -----

// What lies along K goes straight from memory to LDS, the other operand through registers, which transpose it. Two steps
// have no loop, and nothing is asked for behind them.
// CHECK-LABEL: tile.kernel @direct_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x64xbf16
// CHECK: tile.fetch %{{.*}}, %[[RA]][%{{.*}}] {in_bounds} : memref<64x128xbf16
// CHECK: tile.fetch %{{.*}}, %[[RA]]
// CHECK: tile.put
// CHECK: tile.await for %[[RA]] : {{.*}} {pending = 1 : i64}
// CHECK: tile.take %[[RA]]
// CHECK-NOT: scf.for
// CHECK-NOT: tile.fetch
// CHECK:   tile.take %[[RA]]
// CHECK:   tile.put
// CHECK:   tile.mma
// CHECK:   tile.await for %[[RA]] : memref<2x64x64xbf16, #gpu.address_space<workgroup>>{{$}}
// CHECK:   tile.take %[[RA]]
// CHECK-COUNT-3: tile.mma
// CHECK-NOT: tile.take
// CHECK: tile.await
func.func @direct(%x: tensor<64x128xbf16>, %w: tensor<128x60xbf16>) -> tensor<64x60xbf16> {
  %d = te.fusion "direct_0" (%a = %x : tensor<64x128xbf16>, %v = %w : tensor<128x60xbf16>) -> (tensor<64x60xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2], stages = 2, direct = true>>} {
    %0 = te.gemm %a, %v : tensor<64x128xbf16>, tensor<128x60xbf16> -> tensor<64x60xbf16>
    te.yield %0 : tensor<64x60xbf16>
  }
  return %d : tensor<64x60xbf16>
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

// Data in an order of their own do too: units of the matrix are rows of the view.
// CHECK-DAG: #[[$UNIT:.*]] = #tile.layout<shape = [16, 32], register = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [0, 16]], lane = [], wave = []>
// CHECK-LABEL: tile.kernel @ordered_0
// CHECK: tile.fetch {{.*}} {in_bounds, order = #[[$UNIT]]} : memref<4x8192xf8E4M3FN
// CHECK-NOT: tile.put
func.func @ordered(%x: !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32>>, %w: !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>) -> tensor<64x64xbf16> {
  %d = te.fusion "ordered_0" (%a = %x : !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32>>, %v = %w : !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 16, matmul = <"scale_f32_16x16x128_f8f6f4", k = 128, waves = [2, 2], stages = 2, direct = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32>>, !te.scaled<64x512xf8E4M3FN, #te.scaling<tensor, scale = f32, data_layout = shuffle_16x16>> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

// What lies across K does so too, in whole tiles: its parts are rows of the slot, taken as they are wanted and renamed.
// CHECK-LABEL: tile.kernel @across_0
// CHECK: %[[RA:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x64xbf16
// CHECK: tile.fetch %{{.*}}, %[[RA]]
// CHECK: %[[RB:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x64x64xbf16
// CHECK-NEXT: tile.fetch %{{.*}}, %[[RB]][%{{.*}}] {in_bounds} : memref<128x64xbf16
// CHECK-NOT: tile.put
// CHECK: tile.await for %[[RA]], %[[RB]]
// CHECK: %[[PART:.*]] = tile.take %[[RB]][%{{.*}}, %{{.*}}] : {{.*}} -> tensor<32x64xbf16
// CHECK-NEXT: %[[TURNED:.*]] = tile.transpose %[[PART]] : {{.*}} -> tensor<64x32xbf16
// CHECK-NOT: tile.convert_layout
// CHECK: tile.mma
func.func @across(%x: tensor<64x128xbf16>, %w: tensor<128x64xbf16>) -> tensor<64x64xbf16> {
  %d = te.fusion "across_0" (%a = %x : tensor<64x128xbf16>, %v = %w : tensor<128x64xbf16>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2], stages = 2, direct = true>>} {
    %0 = te.gemm %a, %v : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

// A round is the steps whose scales are read at once: those of the next are put in the last two of them, B's and A's, in front
// of the barrier, and those behind it are read. Waits of the steps behind that know of these loads.
// CHECK-LABEL: tile.kernel @round_0
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: tile.await for {{.*}} {loads = 4 : i64, pending = 1 : i64}
// CHECK: tile.await for {{.*}} {pending = 1 : i64}
// CHECK: tile.put {{.*}} : tensor<128x16xi8
// CHECK: tile.await for {{.*}} {pending = 1 : i64}
// CHECK: tile.load {{.*}} -> tensor<128x16xi8
// CHECK: tile.put {{.*}} : tensor<128x16xi8
// CHECK: tile.await for {{.*}} {loads = 4 : i64, pending = 1 : i64}
// CHECK: tile.load {{.*}} -> tensor<128x16xi8
// CHECK: tile.mma {{.*}} in_order {reads =
// CHECK: scf.yield
func.func @round(%x: !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %w: !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> tensor<128x128xbf16> {
  %d = te.fusion "round_0" (%a = %x : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %v = %w : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> (tensor<128x128xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 128], waves = 4, vector = 16, matmul = <"scale_f32_16x16x128_f8f6f4", k = 128, waves = [2, 2], stages = 3, direct = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<128x8704xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> -> tensor<128x128xbf16>
    te.yield %0 : tensor<128x128xbf16>
  }
  return %d : tensor<128x128xbf16>
}

// -----

// With three places B's step is asked for behind A's, in the step that follows. The last round and the step that is left
// stand behind the loop: what they do not have behind them they do not ask for, and wait for less.
// CHECK-LABEL: tile.kernel @rest_0
// CHECK: %[[RA:.*]] = tile.ring
// CHECK-NEXT: tile.fetch %{{.*}}, %[[RA]]
// CHECK: %[[RB:.*]] = tile.ring
// CHECK-NEXT: tile.fetch %{{.*}}, %[[RB]]
// CHECK: tile.fetch %{{.*}}, %[[RA]]
// CHECK: tile.fetch %{{.*}}, %[[RB]]
// CHECK: tile.fetch %{{.*}}, %[[RA]]
// CHECK-NOT: tile.fetch
// CHECK: tile.await for %[[RA]], %[[RB]] {{.*}} {pending = 1 : i64}
// CHECK: scf.for
// CHECK-COUNT-3: tile.await for {{.*}} {pending = 1 : i64}
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK: tile.fetch %{{.*}}, %[[RB]]
// CHECK: tile.mma
// CHECK: tile.await for {{.*}} {pending = 1 : i64}
// CHECK: tile.fetch %{{.*}}, %[[RA]]
// CHECK: tile.mma
// CHECK: tile.fetch %{{.*}}, %[[RB]]
// CHECK-NOT: tile.fetch
// CHECK: tile.await for {{.*}} {pending = 1 : i64}
// CHECK: tile.await for %[[RA]], %[[RB]] : {{.*}}>{{$}}
// CHECK-COUNT-3: tile.mma
// CHECK-NOT: tile.mma
// CHECK: tile.await
func.func @rest(%x: tensor<64x2176xbf16>, %w: tensor<64x2176xbf16>) -> tensor<64x64xbf16> {
  %d = te.fusion "rest_0" (%a = %x : tensor<64x2176xbf16>, %v = %w : tensor<64x2176xbf16>) -> (tensor<64x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [2, 2], stages = 3, direct = true>>} {
    %0 = te.gemm %a, %v transpose_b : tensor<64x2176xbf16>, tensor<64x2176xbf16> -> tensor<64x64xbf16>
    te.yield %0 : tensor<64x64xbf16>
  }
  return %d : tensor<64x64xbf16>
}

// -----

// Pieces of K are added up when all of them are under way.
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

// A step of one part that asks for half of each cache line: A's lines come for two steps at once, behind the barrier where all
// waves have what they read of the two before, and B's each step. Scales of a round are read and put in steps of the round
// before, one side behind the other, so that the loop carries none.
// CHECK-LABEL: tile.kernel @lines_0
// CHECK: %[[RA:.*]] = tile.ring {{.*}} : memref<2x256x128xf8E4M3FN
// CHECK-NEXT: tile.fetch %{{.*}}, %[[RA]][%c0{{(_[0-9]+)?}}]
// CHECK: %[[RB:.*]] = tile.ring {{.*}} : memref<4x256x64xf8E4M3FN
// CHECK-NEXT: tile.fetch %{{.*}}, %[[RB]][%c0{{(_[0-9]+)?}}]
// CHECK: tile.fetch %{{.*}}, %[[RB]][%c1{{(_[0-9]+)?}}]
// CHECK: tile.fetch %{{.*}}, %[[RA]][%c1{{(_[0-9]+)?}}]
// CHECK: tile.fetch %{{.*}}, %[[RB]][%c2{{(_[0-9]+)?}}]
// CHECK: tile.await for %[[RA]], %[[RB]] {{.*}} {pending = 1 : i64}
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.await for %[[RA]], %[[RB]] {{.*}} {keeps_reading, pending = 1 : i64}
// CHECK: %[[A1:[0-9]+]] = tile.take %[[RA]]
// CHECK-NOT: tile.fetch %{{.*}}, %[[RA]]
// CHECK: tile.fetch %{{.*}}, %[[RB]][%c3{{(_[0-9]+)?}}]
// CHECK: tile.load {{.*}} -> tensor<256x32xi8
// CHECK: tile.mma
// CHECK: %[[HELD:[0-9]+]] = tile.hold %[[A1]]
// CHECK: tile.await for %[[RB]] : {{.*}} {keeps_reading, loads = 4 : i64, pending = 1 : i64}
// CHECK: tile.fetch %{{.*}}, %[[RA]][%c0{{(_[0-9]+)?}}]
// CHECK: tile.fetch %{{.*}}, %[[RB]][%c0{{(_[0-9]+)?}}]
// CHECK: tile.mma %[[HELD]]
// CHECK: tile.put {{.*}} : tensor<256x32xi8
// CHECK: tile.load {{.*}} -> tensor<256x32xi8
// CHECK: tile.put {{.*}} : tensor<256x32xi8
// CHECK: scf.yield {{%[0-9]+, %[0-9]+, %[0-9]+, %[0-9]+, %[0-9]+}} :
#lines = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @lines(%x: !te.scaled<256x4096xf8E4M3FN, #lines>, %w: !te.scaled<256x4096xf8E4M3FN, #lines>) -> tensor<256x256xbf16> {
  %d = te.fusion "lines_0" (%a = %x : !te.scaled<256x4096xf8E4M3FN, #lines>, %v = %w : !te.scaled<256x4096xf8E4M3FN, #lines>) -> (tensor<256x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [256, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 64, waves = [2, 4], stages = 4, direct = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<256x4096xf8E4M3FN, #lines>, !te.scaled<256x4096xf8E4M3FN, #lines> -> tensor<256x256xbf16>
    te.yield %0 : tensor<256x256xbf16>
  }
  return %d : tensor<256x256xbf16>
}

// -----

// Few steps have no loop. Scales of all steps are read in front of what is fetched: of two groups both, and the second is put
// within the first. Nothing is asked for behind the last step, and its barrier is that of what follows.
// CHECK-LABEL: tile.kernel @few_0
// CHECK-COUNT-4: tile.load {{.*}} -> tensor<128x16xi8
// CHECK-COUNT-6: tile.fetch
// CHECK: tile.await for {{.*}} {pending = 2 : i64}
// CHECK-NOT: tile.load
// CHECK-NOT: scf.for
// CHECK: tile.put {{.*}} : tensor<128x16xi8
// CHECK: tile.put {{.*}} : tensor<128x16xi8
// CHECK-COUNT-2: tile.await for {{.*}} {pending = 1 : i64}
// CHECK: tile.await for {{.*}}>{{$}}
// CHECK-COUNT-2: tile.mma
// CHECK-NEXT: tile.await
// CHECK-NOT: tile.await
func.func @few(%x: !te.scaled<128x1024xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %w: !te.scaled<128x1024xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> tensor<128x128xbf16> {
  %d = te.fusion "few_0" (%a = %x : !te.scaled<128x1024xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, %v = %w : !te.scaled<128x1024xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>) -> (tensor<128x128xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 128], waves = 4, vector = 16, matmul = <"scale_f32_16x16x128_f8f6f4", k = 128, waves = [2, 2], stages = 3, direct = true>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<128x1024xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>, !te.scaled<128x1024xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> -> tensor<128x128xbf16>
    te.yield %0 : tensor<128x128xbf16>
  }
  return %d : tensor<128x128xbf16>
}
