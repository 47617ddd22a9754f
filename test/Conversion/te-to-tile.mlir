// A region becomes a kernel and a launch: grids, sizes, workspace, and the program of one
// workgroup.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile,cse)' | FileCheck %s --check-prefixes=CHECK,GFX950
// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx942}),te-to-tile,cse)' | FileCheck %s --check-prefixes=CHECK,GFX942

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>

// M is a size of the launch; the kernel takes data and scales of each value, then sizes.
// CHECK-LABEL: func.func @mxfp8
// CHECK-SAME: %[[X:.*]]: tensor<?x4096xbf16>
// CHECK: %[[M:.*]] = te.dim %[[X]], 0
// CHECK: tile.launch @mxfp8_0 grid(%{{.*}}, %{{.*}}) ins(%[[X]] : tensor<?x4096xbf16>) sizes(%[[M]]) shape(%[[M]], %[[M]])
// CHECK-NOT: te.quantize

// CHECK: tile.kernel @mxfp8_0(%[[IN:.*]]: memref<bf16, #gpu.address_space<global>>, %{{.*}}: memref<f8E4M3FN, {{.*}}>, %{{.*}}: memref<i8, {{.*}}>, %{{.*}}: memref<f8E4M3FN, {{.*}}>, %{{.*}}: memref<i8, {{.*}}>, %[[SIZE:.*]]: index) attributes {target = "gfx9{{..}}", waves = [[#]] : i64{{.*}}}
// One read for both directions.
// CHECK: memref.reinterpret_cast %[[IN]] to offset: [0], sizes: [%[[SIZE]], 4096], strides: [4096, 1]
// CHECK: tile.load {{.*}} -> tensor<[[T:[0-9]+x[0-9]+]]xbf16, #[[L:.*]]>
// CHECK-NOT: tile.load
// CHECK: tile.reduce maxnum %{{.*}} block [1, 32]
// The rounded reciprocal of 448.
// CHECK: arith.constant dense<0.00223214296>
// On gfx950 the scaled conversion, but for special blocks; never on gfx942.
// GFX950: tile.reduce_or
// GFX950: scf.if
// GFX950: arith.truncf {{.*}} to tensor<[[T]]xf8E4M3FN
// GFX950: else
// GFX950: tile.scaled_trunc %{{.*}} : tensor<[[T]]xbf16, {{.*}}>, tensor<{{.*}}xi8, {{.*}}> -> tensor<[[T]]xf8E4M3FN
// GFX942-NOT: tile.scaled_trunc
// GFX942: arith.truncf {{.*}} to tensor<[[T]]xf8E4M3FN
// CHECK: tile.store {{.*}}xf8E4M3FN
// CHECK: tile.store {{.*}}xi8
// CHECK: tile.reduce maxnum %{{.*}} block [32, 1]
// CHECK-NOT: tile.scaled_trunc
// CHECK: arith.truncf
// CHECK: tile.store {{.*}}xf8E4M3FN
// CHECK: tile.store {{.*}}xi8
func.func @mxfp8(%x: tensor<?x4096xbf16>) -> (!te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>) {
  %q:2 = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
  return %q#0, %q#1 : !te.scaled<?x4096xf8E4M3FN, #row>, !te.scaled<?x4096xf8E4M3FN, #col>
}

// -----

// Other roundings than RCEIL let data overflow: no scaled conversion, a clamp.
#floor = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = floor>
// CHECK-LABEL: tile.kernel @floor_0
// CHECK-NOT: tile.scaled_trunc
// CHECK: arith.constant dense<-4.480000e+02>
// CHECK: arith.maxnumf
// CHECK: arith.minnumf
// CHECK: arith.truncf
func.func @floor(%x: tensor<?x4096xbf16>) -> !te.scaled<?x4096xf8E4M3FN, #floor> {
  %q = te.quantize %x : tensor<?x4096xbf16> -> !te.scaled<?x4096xf8E4M3FN, #floor>
  return %q : !te.scaled<?x4096xf8E4M3FN, #floor>
}

// -----

// Per tensor: one cast stored in two orders; the amax starts from a launch that
// writes 0; 1 / scale is written once.
#fp8 = #te.scaling<tensor, scale = f32>
#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
// CHECK-LABEL: func.func @fp8
// CHECK-SAME: %[[X:.*]]: tensor<?x?xbf16>, %[[S:.*]]: tensor<f32>
// CHECK: %[[ZERO:.*]] = tile.launch @fp8_0_zero grid(%[[C1:.*]], %[[C1]]) ins() -> tensor<f32>
// CHECK: tile.launch @fp8_0 grid({{.*}}) ins(%[[X]], %[[S]] : tensor<?x?xbf16>, tensor<f32>) inits(%[[ZERO]] : tensor<f32>) sizes(%[[M:.*]], %[[K:.*]]) shape(%[[M]], %[[K]], %[[M]], %[[K]])
// CHECK: tile.kernel @fp8_0(
// CHECK: %[[SCALE:.*]] = memref.load
// CHECK: arith.mulf
// CHECK: %[[Q:.*]] = arith.truncf
// CHECK-NOT: arith.truncf
// CHECK: tile.store
// CHECK: tile.transpose %[[Q]]
// CHECK: tile.convert_layout
// CHECK: tile.store
// CHECK: scf.if
// CHECK: %[[INV:.*]] = arith.divf %{{.*}}, %[[SCALE]]
// CHECK: memref.store %[[INV]]
// CHECK: memref.store %[[INV]]
// CHECK: tile.reduce maxnum %{{.*}} -> tensor<1x1xf32
// CHECK: tile.atomic_max
// CHECK: tile.kernel @fp8_0_zero(%[[A:.*]]: memref<f32, {{.*}}>) attributes {target = "{{.*}}", waves = 1 : i64}
// CHECK: memref.store %{{.*}}, %[[A]][]
func.func @fp8(%x: tensor<?x?xbf16>, %s: tensor<f32>) -> (!te.scaled<?x?xf8E4M3FN, #fp8>, !te.scaled<?x?xf8E4M3FN, #fp8t>, tensor<f32>) {
  %q:3 = te.quantize %x scale(%s : tensor<f32>) : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #fp8>, !te.scaled<?x?xf8E4M3FN, #fp8t>, tensor<f32>
  return %q#0, %q#1, %q#2 : !te.scaled<?x?xf8E4M3FN, #fp8>, !te.scaled<?x?xf8E4M3FN, #fp8t>, tensor<f32>
}

// -----

// noop is a branch around the whole kernel, and around the zero.
// CHECK-LABEL: tile.kernel @noop_0(
// CHECK-SAME: %{{.*}}: memref<bf16, {{.*}}>, %[[FLAG:.*]]: memref<f32, {{[^,]*}}>, %{{.*}}: memref<f32
// CHECK: %[[F:.*]] = memref.load %[[FLAG]][]
// CHECK: %[[GO:.*]] = arith.cmpf une, %[[F]], %{{.*}} : f32
// CHECK: scf.if %[[GO]] {
// CHECK: tile.load
// CHECK: tile.atomic_max
// CHECK: tile.kernel @noop_0_zero(
// CHECK: scf.if
// CHECK-NEXT: memref.store
func.func @noop(%x: tensor<8x64xbf16>, %n: tensor<f32>) -> tensor<f32> {
  %a = te.amax %x noop(%n : tensor<f32>) : tensor<8x64xbf16> -> tensor<f32>
  return %a : tensor<f32>
}

// -----

// Static whole tiles: nothing is masked. Ragged ones are.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: tile.kernel @whole_0
// CHECK: tile.load {{.*}} {columns_in_bounds, divisible = [[#]] : i64, in_bounds}
// CHECK: tile.store {{.*}} {columns_in_bounds, divisible = [[#]] : i64, in_bounds}
func.func @whole(%x: tensor<128x4096xbf16>) -> !te.scaled<128x4096xf8E4M3FN, #row> {
  %q = te.quantize %x : tensor<128x4096xbf16> -> !te.scaled<128x4096xf8E4M3FN, #row>
  return %q : !te.scaled<128x4096xf8E4M3FN, #row>
}
// CHECK-LABEL: tile.kernel @ragged_0
// CHECK-NOT: in_bounds
// CHECK: tile.load {{.*}} {divisible = 4 : i64}
// CHECK-NOT: in_bounds
func.func @ragged(%x: tensor<128x4100xbf16>) -> !te.scaled<128x4100xf8E4M3FN, #row> {
  %q = te.quantize %x : tensor<128x4100xbf16> -> !te.scaled<128x4100xf8E4M3FN, #row>
  return %q : !te.scaled<128x4100xf8E4M3FN, #row>
}

// -----

// Leading dimensions are multiplied; sizes of a launch's results come from its shape.
#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:.*]]: tensor<?x3x64xbf16>
// CHECK: %[[B:.*]] = te.dim %[[X]], 0
// CHECK: %[[M:.*]] = arith.muli %[[B]], %{{.*}}
// CHECK: %[[Q:.*]] = tile.launch @chain_0 {{.*}} sizes(%[[M]]) shape(%[[B]])
// CHECK-NOT: te.dim %[[Q]]
// CHECK: tile.launch @chain_1 grid({{.*}}) ins(%[[Q]] : {{.*}}) sizes(%[[M]]) shape(%[[B]]) -> tensor<?x3x64xf32>
func.func @chain(%x: tensor<?x3x64xbf16>) -> tensor<?x3x64xf32> {
  %q = te.quantize %x : tensor<?x3x64xbf16> -> !te.scaled<?x3x64xf8E4M3FN, #row>
  %y = te.dequantize %q : !te.scaled<?x3x64xf8E4M3FN, #row> -> tensor<?x3x64xf32>
  return %y : tensor<?x3x64xf32>
}
