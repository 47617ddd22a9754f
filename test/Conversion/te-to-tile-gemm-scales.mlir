// RUN: te-opt %s -te-to-tile -split-input-file | FileCheck %s

// Without an instruction for them E8M0 scales go into the elements, on the way to LDS. A lane reads the scales of its row's
// four next blocks at once: the bytes of a register, of which each step takes its own.
// CHECK-LABEL: tile.kernel @elements
// CHECK: scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %{{[^,]*}}, %[[SCALE:[a-z0-9]+]] = %{{[^,]*}}, %[[LARGEST:[a-z0-9]+]] = %{{[^,]*}}, %{{[^)]*}})
// CHECK:   %[[RAW:.*]] = tile.load {{.*}} -> tensor<64x64xf8E4M3FN
// CHECK:   %[[BYTES:.*]] = tile.load {{.*}} -> tensor<64x4xi8
// CHECK:   %[[WIDE:.*]] = arith.extui %[[BYTES]]
// CHECK:   %[[PLACED:.*]] = arith.shli %[[WIDE]]
// CHECK:   %[[GROUP:.*]] = tile.reduce or %[[PLACED]] block [1, 4] : {{.*}} -> tensor<64x1xi32
// CHECK:   %[[BOTH:.*]] = tile.broadcast %[[GROUP]]
// CHECK:   %[[SHIFTED:.*]] = arith.shrui %[[BOTH]]
// CHECK:   %[[BYTE:.*]] = arith.andi %[[SHIFTED]]
// E4M3: the fields at their places are the value times 2^-120; what is Inf or NaN shows in the magnitude.
// CHECK:   %[[CODES:.*]] = arith.bitcast %[[RAW]] : tensor<64x64xf8E4M3FN
// CHECK:   %[[WORDS:.*]] = arith.extsi %[[CODES]]
// CHECK:   %[[FIELDS:.*]] = arith.shli %[[WORDS]]
// CHECK:   %[[MASKED:.*]] = arith.andi %[[FIELDS]]
// CHECK:   %[[X:.*]] = arith.bitcast %[[MASKED]]
// CHECK:   arith.maxui %[[SCALE]], %[[BYTE]]
// CHECK:   %[[ABS:.*]] = math.absf %[[X]]
// CHECK:   %[[MOST:.*]] = tile.reduce maxnum %[[ABS]] block [1, 16]
// CHECK:   arith.maxnumf %[[LARGEST]], %[[MOST]]
// CHECK:   %[[EXPONENT:.*]] = arith.shli %[[BYTE]]
// CHECK:   arith.addi %[[EXPONENT]]
// CHECK:   %[[FACTOR:.*]] = tile.broadcast
// CHECK:   %[[SCALED:.*]] = arith.mulf %[[X]], %[[FACTOR]]
// CHECK:   arith.trunci {{.*}} to tensor<64x64xi16
// CHECK:   %[[HALF:.*]] = arith.bitcast {{.*}} to tensor<64x64xbf16
// CHECK:   %[[A:.*]] = tile.convert_layout %[[HALF]]
// fp4: a code's sign to bit 31, and down again; there is no Inf and no NaN.
// CHECK:   %[[RAWB:.*]] = tile.load {{.*}} -> tensor<64x32xi8
// CHECK:   tile.load {{.*}} -> tensor<64x4xi8
// CHECK:   tile.broadcast %[[RAWB]] : tensor<64x32xi8
// CHECK:   arith.shrsi
// CHECK-NOT: math.absf
// CHECK:   %[[B:.*]] = tile.convert_layout
// CHECK:   tile.mma %[[A]], %[[B]], %[[SUM]]
// The second step has its bytes of the same group.
// CHECK-NOT: -> tensor<64x4xi8
// CHECK:   tile.broadcast %[[GROUP]]
// CHECK:   tile.mma
// CHECK-NOT: tile.mma
// CHECK:   scf.yield
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @f(%x: !te.scaled<64x2048xf8E4M3FN, #row>, %y: !te.scaled<64x2048xf4E2M1FN, #row>) -> tensor<64x64xf32> {
  %d = te.fusion "elements" (%a = %x : !te.scaled<64x2048xf8E4M3FN, #row>, %b = %y : !te.scaled<64x2048xf4E2M1FN, #row>) -> (tensor<64x64xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [64, 64], waves = 4, vector = 8, matmul = <"f32_16x16x16_bf16", k = 64, waves = [2, 2]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %b transpose_b : !te.scaled<64x2048xf8E4M3FN, #row>, !te.scaled<64x2048xf4E2M1FN, #row> -> tensor<64x64xf32>
    te.yield %0 : tensor<64x64xf32>
  }
  return %d : tensor<64x64xf32>
}

// -----

// Where a lane saw a scale above 2^24 (byte 151), Inf or NaN (E4M3: above 448 * 2^-120), the workgroup computes its tile
// again in six passes; the sum is times 2^34 (2 * (24 - 7)) otherwise.
// CHECK-LABEL: tile.kernel @again
// CHECK: %[[LOOP:.*]]:5 = scf.for
// CHECK: arith.cmpi ugt, %[[LOOP]]#1, %{{.*}} : tensor<16x1xi32
// CHECK: tile.reduce_or
// CHECK: arith.cmpf ogt, %[[LOOP]]#2
// CHECK: %[[VOTE:.*]] = tile.reduce or
// CHECK: arith.cmpi ne, %[[VOTE]]
// CHECK: %[[ANY:.*]] = tile.reduce_or
// CHECK: %[[BRANCH:.*]] = scf.if %[[ANY]]
// CHECK:   scf.for %[[PASS:.*]] = %{{.*}} to %[[SIX:.*]] step
// CHECK:     %[[FIRST:.*]] = arith.cmpi eq, %[[PASS]]
// CHECK:     %[[SUM:.*]] = scf.for
// CHECK:       arith.extf {{.*}}f8E4M3FN{{.*}} to tensor<16x32xf32
// CHECK:       tile.fence
// CHECK:       arith.extf {{.*}}f8E4M3FN{{.*}} to tensor<
// CHECK:       tile.fence
// CHECK:       tile.mma {{.*}} <"f32_16x16x16_bf16"> :
// What is finite is dropped of the first pass alone.
// CHECK-DAG: %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG: %[[NONE:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:     %[[BOUND:.*]] = arith.select %[[FIRST]], %[[INF]], %[[NONE]] : f32
// CHECK:     %[[BOUNDS:.*]] = tensor.splat %[[BOUND]]
// CHECK:     %[[DROPS:.*]] = arith.cmpf olt, %{{.*}}, %[[BOUNDS]]
// CHECK:     arith.select %[[DROPS]], %{{.*}}, %[[SUM]]
// CHECK: } else {
// CHECK:   scf.yield %[[LOOP]]#0
// CHECK: arith.select %[[ANY]], %{{.*}}, %{{.*}} : f32
// CHECK: arith.mulf %[[BRANCH]]
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @f(%x: !te.scaled<16x256xf8E4M3FN, #row>, %y: !te.scaled<16x256xf8E4M3FN, #row>) -> tensor<16x16xf32> {
  %d = te.fusion "again" (%a = %x : !te.scaled<16x256xf8E4M3FN, #row>, %b = %y : !te.scaled<16x256xf8E4M3FN, #row>) -> (tensor<16x16xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [16, 16], waves = 1, vector = 8, matmul = <"f32_16x16x16_bf16", k = 32, waves = [1, 1]>>} {
    %0 = te.gemm %a, %b transpose_b : !te.scaled<16x256xf8E4M3FN, #row>, !te.scaled<16x256xf8E4M3FN, #row> -> tensor<16x16xf32>
    te.yield %0 : tensor<16x16xf32>
  }
  return %d : tensor<16x16xf32>
}

// -----

// K x outer: scales lie along the columns that a lane has; those of one step at a time.
// CHECK-LABEL: tile.kernel @wgrad
// CHECK: scf.for
// CHECK:   tile.load {{.*}} -> tensor<1x32xi8
// CHECK:   tile.transpose
// CHECK:   arith.extui {{.*}} to tensor<32x1xi32
// CHECK:   arith.mulf {{.*}} : tensor<32x32xf32
// CHECK:   tile.mma
// CHECK-NOT: tile.mma
// CHECK: scf.yield
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @f(%x: !te.scaled<2048x32xf8E5M2, #col>, %y: !te.scaled<2048x32xf8E4M3FN, #col>) -> tensor<32x32xf32> {
  %d = te.fusion "wgrad" (%a = %x : !te.scaled<2048x32xf8E5M2, #col>, %b = %y : !te.scaled<2048x32xf8E4M3FN, #col>) -> (tensor<32x32xf32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [32, 32], waves = 4, vector = 8, matmul = <"f32_16x16x16_bf16", k = 32, waves = [2, 2]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %b transpose_a : !te.scaled<2048x32xf8E5M2, #col>, !te.scaled<2048x32xf8E4M3FN, #col> -> tensor<32x32xf32>
    te.yield %0 : tensor<32x32xf32>
  }
  return %d : tensor<32x32xf32>
}
