// fp4: two codes a byte in memory; the chip's scaled conversion where it is exact; the transform before the amax.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,cse)' | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx942}),te-to-tile,cse)' | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=sm_90a}),te-to-tile,cse)' | FileCheck %s --check-prefix=SM90A

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = even, data_layout = transposed>
// CHECK-LABEL: tile.kernel @both_0(
// CHECK-SAME: memref<bf16, {{.*}}>, %{{.*}}: memref<i8, {{.*}}>, %{{.*}}: memref<i8, {{.*}}>, %{{.*}}: memref<i8, {{.*}}>, %{{.*}}: memref<i8,
// CHECK: tile.load
// CHECK-NOT: tile.load
// Rowwise: codes of bf16 are the lowest bits of sums in f16, but for bit 2, or come packed from the instruction. A tile fills 64 bytes of both copies.
// GFX950: scf.if
// CHECK: %[[BASE:.*]] = arith.constant dense<1.022000e+03> : tensor<128x128xf16
// CHECK: %[[LOW:.*]] = arith.addf %[[Y:.*]], %[[BASE]] : tensor<128x128xf16
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<128x128xf16
// CHECK-DAG: %[[UNIT:.*]] = arith.constant dense<1.024000e+03> : tensor<128x128xf16
// CHECK: %[[HIGH:.*]] = math.fma %[[Y]], %[[HALF]], %[[UNIT]] : tensor<128x128xf16
// CHECK: %[[MOST:.*]] = arith.constant dense<1.027000e+03> : tensor<128x128xf16
// CHECK: %[[LIMITED:.*]] = arith.minnumf %[[HIGH]], %[[MOST]]
// CHECK: arith.minnumf %[[LOW]], %[[LIMITED]]
// CHECK: arith.trunci %{{.*}} : tensor<128x128xi16, {{.*}}> to tensor<128x128xi8
// CHECK: %[[PACKED:.*]] = tile.reduce nibbles %{{.*}} block [1, 2] : tensor<128x128xi8, {{.*}}> -> tensor<128x64xi8
// CHECK: %[[BITS:.*]] = arith.constant dense<68> : tensor<128x64xi8
// CHECK: arith.xori %[[PACKED]], %[[BITS]]
// GFX950: tile.scaled_trunc %{{.*}} : tensor<128x128xbf16, {{.*}}>, tensor<128x4xi8, {{.*}}> -> tensor<128x64xi8
// GFX942-NOT: tile.scaled_trunc
// K/2 bytes a row.
// CHECK: memref.reinterpret_cast {{.*}} sizes: [%{{.*}}, 2048]
// CHECK: tile.store {{.*}} : tensor<128x64xi8
// Columnwise: transposed in registers, and packed before lanes exchange them.
// CHECK: tile.transpose %{{.*}} -> tensor<128x128xi8
// CHECK: tile.reduce nibbles %{{.*}} block [1, 2] : {{.*}} -> tensor<128x64xi8
// CHECK: tile.convert_layout
// CHECK: tile.store {{.*}} : tensor<128x64xi8
// Where bf16 is computed with, two at once, it is scaled where it is rounded; its magnitudes are those of the amax. Scales of both copies come before codes, and stores after.
// Three workgroups of eight waves fit a SM.
// SM90A-LABEL: tile.kernel @both_0({{.*}}waves_per_simd = 6
// SM90A: %[[Y:.*]] = math.absf %[[X:.*]] : tensor<[[T:128x128xbf16]]
// SM90A: tile.reduce maxnum %[[Y]] block [1, 32]
// SM90A: tile.reduce maxnum %[[Y]] block [32, 1]
// SM90A-NOT: tile.store
// SM90A-DAG: %[[BASE:.*]] = arith.constant dense<1.260000e+02> : tensor<[[T]]
// SM90A: math.fma %[[Y]], %{{.*}}, %[[BASE]] : tensor<[[T]]
// SM90A-COUNT-3: math.fma %[[Y]], %{{.*}} : tensor<[[T]]
// SM90A: tile.store
// What pads has 127, as blocks of zeros have: nothing to mask.
// CHECK-NOT: arith.cmpi slt
func.func @both(%x: tensor<?x4096xbf16>) -> (!te.scaled<?x4096xf4E2M1FN, #row>, !te.scaled<?x4096xf4E2M1FN, #col>) {
  %q:2 = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf4E2M1FN, #row>, !te.scaled<?x4096xf4E2M1FN, #col>
  return %q#0, %q#1 : !te.scaled<?x4096xf4E2M1FN, #row>, !te.scaled<?x4096xf4E2M1FN, #col>
}

// -----

// ties = away is in no instruction; rceil gives blocks of zeros byte 0, but padding is 127.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = rceil, ties = away>
// CHECK-LABEL: tile.kernel @away_0(
// CHECK-NOT: tile.scaled_trunc
// CHECK: arith.cmpf oge
// CHECK: arith.constant dense<127> : tensor<{{.*}}xi8
// CHECK: arith.select {{.*}}xi8
func.func @away(%x: tensor<?x4096xbf16>) -> !te.scaled<?x4096xf4E2M1FN, #row> {
  %q = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf4E2M1FN, #row>
  return %q : !te.scaled<?x4096xf4E2M1FN, #row>
}

// -----

// Four exchanges down the rows, before the amax; a wave has the 16 rows. Only a ragged extent is masked.
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, rounding = even, data_layout = transposed>
// CHECK-LABEL: tile.kernel @hadamard_0(
// CHECK-SAME: waves = 8
// CHECK: tile.load {{.*}} -> tensor<128x64xbf16
// CHECK: tile.exchange %{{.*}} along 0 by 1
// CHECK: tile.exchange %{{.*}} along 0 by 2
// CHECK: tile.exchange %{{.*}} along 0 by 4
// CHECK: tile.exchange %{{.*}} along 0 by 8
// CHECK-NOT: arith.cmpi slt
// CHECK: tile.reduce maxnum
func.func @hadamard(%x: tensor<4096x4096xbf16>) -> !te.scaled<4096x4096xf4E2M1FN, #col> {
  %q = te.quantize %x {hadamard} : tensor<4096x4096xbf16> -> !te.scaled<4096x4096xf4E2M1FN, #col>
  return %q : !te.scaled<4096x4096xf4E2M1FN, #col>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
// CHECK-LABEL: tile.kernel @dequantize_0(
// CHECK: tile.load {{.*}} -> tensor<[[R:[0-9]+]]x{{[0-9]+}}xi8, #{{.*}}>
// CHECK: tile.broadcast {{.*}} -> tensor<[[R]]x{{[0-9]+}}xi8
// CHECK: arith.shrui
func.func @dequantize(%q: !te.scaled<?x4096xf4E2M1FN, #row>) -> tensor<?x4096xbf16> {
  %y = te.dequantize %q : !te.scaled<?x4096xf4E2M1FN, #row> -> tensor<?x4096xbf16>
  return %y : tensor<?x4096xbf16>
}

// -----

// Of whole tiles no scale is padding. Where bf16 is computed with, so is its exponent, in place: it carries above 1.5 times
// a power of two, 6's exponent is 2, and an Inf has 254; so is 2^(127 - byte).
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: tile.kernel @whole_0(
// CHECK-NOT: arith.cmpi slt
// CHECK: tile.store {{.*}}xi8
// SM90A-LABEL: tile.kernel @whole_0(
// SM90A: %[[AMAX:.*]] = arith.maxnumf %{{.*}} : tensor<[[T:[0-9]+x[0-9]+x]]bf16
// SM90A: arith.mulf %[[AMAX]], %{{.*}} : tensor<[[T]]bf16
// SM90A: arith.constant dense<32512> : tensor<[[T]]i16
// SM90A: arith.constant dense<63> : tensor<[[T]]i16
// SM90A: arith.constant dense<256> : tensor<[[T]]i16
// SM90A: arith.maxui {{.*}} : tensor<[[T]]i16
// SM90A: arith.maxui {{.*}} : tensor<[[T]]i16
// SM90A: %[[BYTE:.*]] = arith.shrui {{.*}} : tensor<[[T]]i16
// SM90A: arith.xori {{.*}} : tensor<[[T]]i16
// SM90A: %[[FACTOR:.*]] = arith.bitcast {{.*}} : tensor<[[T]]i16, {{.*}} to tensor<[[T]]bf16
// SM90A-NOT: arith.truncf
// SM90A: tile.broadcast %[[FACTOR]]
// SM90A: arith.trunci %[[BYTE]]
// SM90A-NOT: arith.select
func.func @whole(%x: tensor<32768x8192xbf16>) -> !te.scaled<32768x8192xf4E2M1FN, #row> {
  %q = te.quantize %x : tensor<32768x8192xbf16> -> !te.scaled<32768x8192xf4E2M1FN, #row>
  return %q : !te.scaled<32768x8192xf4E2M1FN, #row>
}
