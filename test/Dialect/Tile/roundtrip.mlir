// RUN: te-opt %s | FileCheck %s
// RUN: te-opt %s | te-opt | FileCheck %s
// RUN: te-opt %s --mlir-print-op-generic | te-opt | FileCheck %s

// 4 x 16 elements over 4 lanes and 2 waves: 4 a lane in one row, 4 lanes a row, 2 rows a
// wave in registers.
#l = #tile.layout<shape = [4, 16], register = [[0, 1], [0, 2], [1, 0]], lane = [[0, 4], [0, 8]], wave = [[2, 0]]>
// Its blocks of 1 x 8: replicas in registers and lanes are zero bases.
#b = #tile.layout<shape = [4, 2], register = [[1, 0]], lane = [[0, 0], [0, 1]], wave = [[2, 0]]>
#t = #tile.layout<shape = [16, 4], register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0]], wave = [[0, 2]]>
#r = #tile.layout<shape = [4, 1], register = [[1, 0]], lane = [[0, 0], [0, 0]], wave = [[2, 0]]>
#other = #tile.layout<shape = [4, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0]], wave = [[2, 0]]>
#order = #tile.layout<shape = [2, 4], register = [[0, 1], [1, 0], [0, 2]], lane = [], wave = []>
#one = #tile.layout<shape = [1, 1], register = [], lane = [[0, 0]], wave = [[0, 0]]>

// CHECK-DAG: #[[L:.*]] = #tile.layout<shape = [4, 16], register = {{\[\[}}0, 1], [0, 2], [1, 0]], lane = {{\[\[}}0, 4], [0, 8]], wave = {{\[\[}}2, 0]]>
// CHECK-DAG: #[[B:.*]] = #tile.layout<shape = [4, 2], register = {{\[\[}}1, 0]], lane = {{\[\[}}0, 0], [0, 1]], wave = {{\[\[}}2, 0]]>
// CHECK-DAG: #[[T:.*]] = #tile.layout<shape = [16, 4], register = {{\[\[}}0, 1], [1, 0], [2, 0]], lane = {{\[\[}}4, 0], [8, 0]], wave = {{\[\[}}0, 2]]>
// CHECK-DAG: #[[ORDER:.*]] = #tile.layout<shape = [2, 4], register = {{\[\[}}0, 1], [1, 0], [0, 2]], lane = [], wave = []>
// CHECK-DAG: #[[ONE:.*]] = #tile.layout<shape = [1, 1], register = [], lane = {{\[\[}}0, 0]], wave = {{\[\[}}0, 0]]>

// CHECK-LABEL: func.func @host
func.func @host(%x: tensor<?x16xf32>, %z: tensor<f32>) -> (tensor<?x16xf32>, tensor<f32>) {
  %c1 = arith.constant 1 : index
  %m = te.dim %x, 0 : tensor<?x16xf32>
  // CHECK: tile.launch @k grid(%{{.*}}, %{{.*}}) ins(%{{.*}} : tensor<?x16xf32>) inits(%{{.*}} : tensor<f32>) sizes(%{{.*}}) shape(%{{.*}}) -> tensor<?x16xf32>, tensor<f32>
  %r:2 = tile.launch @k grid(%c1, %m) ins(%x : tensor<?x16xf32>) inits(%z : tensor<f32>) sizes(%m) shape(%m) -> tensor<?x16xf32>, tensor<f32>
  // CHECK: tile.launch @zero grid(%{{.*}}, %{{.*}}) ins() -> tensor<f32>
  %i = tile.launch @zero grid(%c1, %c1) ins() -> tensor<f32>
  return %r#0, %r#1 : tensor<?x16xf32>, tensor<f32>
}

// CHECK-LABEL: tile.kernel @zero(%{{.*}}: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
// CHECK-NEXT: }
tile.kernel @zero(%a: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
}

// CHECK: tile.kernel @k(%[[IN:.*]]: memref<f32>, %[[OUT:.*]]: memref<f32>, %[[MAX:.*]]: memref<f32>, %{{.*}}: index) attributes {target = "gfx950", waves = 2 : i64} {
tile.kernel @k(%in: memref<f32>, %out: memref<f32>, %max: memref<f32>, %m: index) attributes {target = "gfx950", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %cf = arith.constant 0.0 : f32
  %ci = arith.constant 0 : i32
  %view = memref.reinterpret_cast %in to offset: [0], sizes: [%m, 16], strides: [16, 1] : memref<f32> to memref<?x16xf32, strided<[16, 1]>>
  %store = memref.reinterpret_cast %out to offset: [0], sizes: [%m, 16], strides: [16, 1] : memref<f32> to memref<?x16xf32, strided<[16, 1]>>
  // CHECK: %[[X:.*]] = tile.load %{{.*}}[%{{.*}}, %{{.*}}] {divisible = 16 : i64, in_bounds} : memref<?x16xf32, strided<[16, 1]>> -> tensor<4x16xf32, #[[L]]>
  %x = tile.load %view[%c0, %c0] {divisible = 16 : i64, in_bounds} : memref<?x16xf32, strided<[16, 1]>> -> tensor<4x16xf32, #l>
  // The default of `divisible` is left out.
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] : memref<
  %y = tile.load %view[%c0, %c0] {divisible = 1 : i64} : memref<?x16xf32, strided<[16, 1]>> -> tensor<4x16xf32, #l>
  // CHECK: %[[A:.*]] = tile.reduce maxnum %[[X]] block [1, 8] : tensor<4x16xf32, #[[L]]> -> tensor<4x2xf32, #[[B]]>
  %a = tile.reduce maxnum %x block [1, 8] : tensor<4x16xf32, #l> -> tensor<4x2xf32, #b>
  // CHECK: tile.reduce add %{{.*}} block [4, 16] : tensor<4x16xf32, #[[L]]> -> tensor<1x1xf32, #[[ONE1:.*]]>
  %s = tile.reduce add %x block [4, 16] : tensor<4x16xf32, #l> -> tensor<1x1xf32, #tile.layout<shape = [1, 1], register = [], lane = [[0, 0], [0, 0]], wave = [[0, 0]]>>
  // CHECK: tile.broadcast %[[A]] : tensor<4x2xf32, #[[B]]> -> tensor<4x16xf32, #[[L]]>
  %w = tile.broadcast %a : tensor<4x2xf32, #b> -> tensor<4x16xf32, #l>
  // CHECK: tile.transpose %[[X]] : tensor<4x16xf32, #[[L]]> -> tensor<16x4xf32, #[[T]]>
  %t = tile.transpose %x : tensor<4x16xf32, #l> -> tensor<16x4xf32, #t>
  // CHECK: tile.convert_layout %[[X]] : tensor<4x16xf32, #[[L]]> -> tensor<4x16xf32, #
  %o = tile.convert_layout %x : tensor<4x16xf32, #l> -> tensor<4x16xf32, #other>
  %c = arith.cmpf uno, %x, %x : tensor<4x16xf32, #l>
  // CHECK: tile.reduce_or %{{.*}} : tensor<4x16xi1, #[[L]]>
  %any = tile.reduce_or %c : tensor<4x16xi1, #l>
  %scale = arith.fptoui %a : tensor<4x2xf32, #b> to tensor<4x2xi8, #b>
  // CHECK: tile.scaled_trunc %[[X]], %{{.*}} : tensor<4x16xf32, #[[L]]>, tensor<4x2xi8, #[[B]]> -> tensor<4x16xf8E4M3FN, #[[L]]>
  %q = tile.scaled_trunc %x, %scale : tensor<4x16xf32, #l>, tensor<4x2xi8, #b> -> tensor<4x16xf8E4M3FN, #l>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] {divisible = 4 : i64} : tensor<4x16xf32, #{{.*}}>, memref<
  tile.store %w, %store[%c0, %c0] {divisible = 4 : i64} : tensor<4x16xf32, #l>, memref<?x16xf32, strided<[16, 1]>>
  // CHECK: tile.fence{{$}}
  tile.fence
  // CHECK: tile.priority 3{{$}}
  tile.priority 3
  // CHECK: tile.select %{{.*}} of %[[X]], %[[X]] : tensor<4x16xf32, #[[L]]>, tensor<4x16xf32, #[[L]]> -> tensor<4x16xf32, #[[L]]>
  %picked = tile.select %c0 of %x, %x : tensor<4x16xf32, #l>, tensor<4x16xf32, #l> -> tensor<4x16xf32, #l>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] {interleave = 4 : i64} : memref<
  %run = tile.load %view[%c0, %c0] {interleave = 4 : i64} : memref<?x16xf32, strided<[16, 1]>> -> tensor<4x16xf32, #l>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] {row_interleave = 2 : i64} : memref<
  %rows_of_runs = tile.load %view[%c0, %c0] {row_interleave = 2 : i64} : memref<?x16xf32, strided<[16, 1]>> -> tensor<4x16xf32, #l>
  // CHECK: tile.exchange %[[X]] along 1 by 4 : tensor<4x16xf32, #[[L]]>
  %partner = tile.exchange %x along 1 by 4 : tensor<4x16xf32, #l>
  // CHECK: tile.coordinate 1 : tensor<4x16xi32, #[[L]]>
  %column = tile.coordinate 1 : tensor<4x16xi32, #l>
  // So many elements are in the buffer.
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] window %{{[a-z0-9]+}} : memref<
  %part = tile.load %view[%c0, %c0] window %c0 : memref<?x16xf32, strided<[16, 1]>> -> tensor<4x16xf32, #l>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] window %{{[a-z0-9]+}} : tensor<
  tile.store %part, %store[%c0, %c0] window %c0 : tensor<4x16xf32, #l>, memref<?x16xf32, strided<[16, 1]>>
  // A unit of 2 x 4, its columns' lower bit first, then its rows'.
  // CHECK: tile.store {{.*}} {order = #[[ORDER]]}
  tile.store %w, %store[%c0, %c0] {order = #order} : tensor<4x16xf32, #l>, memref<?x16xf32, strided<[16, 1]>>
  %numbers = tensor.splat %ci : tensor<4x1xi32, #r>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}] rows(%[[N:.*]] : tensor<4x1xi32, #[[R:.*]]>) {divisible = 4 : i64} : memref<
  %gathered = tile.load %view[%c0, %c0] rows(%numbers : tensor<4x1xi32, #r>) {divisible = 4 : i64} : memref<?x16xf32, strided<[16, 1]>> -> tensor<4x16xf32, #l>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] rows(%[[N]] : tensor<4x1xi32, #[[R]]>) : tensor<4x16xf32
  tile.store %gathered, %store[%c0, %c0] rows(%numbers : tensor<4x1xi32, #r>) : tensor<4x16xf32, #l>, memref<?x16xf32, strided<[16, 1]>>
  %v = tensor.splat %cf : tensor<1x1xf32, #one>
  // CHECK: tile.atomic_max %{{.*}}, %{{.*}} : tensor<1x1xf32, #[[ONE]]>, memref<f32>
  tile.atomic_max %v, %max : tensor<1x1xf32, #one>, memref<f32>
}

// 16 x 64 go through a ring of two slots, half of the columns at a time.
#put = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0]], wave = []>
#take = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#sum = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
// CHECK-LABEL: func.func @ring
func.func @ring(%x: tensor<16x64xbf16, #put>, %v: memref<16x64xbf16>, %slot: index, %column: index, %c: tensor<16x16xf32, #sum>) -> tensor<16x16xf32, #sum> {
  // CHECK: %[[RING:.*]] = tile.ring from #{{.*}} to #{{.*}} : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  %ring = tile.ring from #put to #take : memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.local_store %{{.*}}, %[[RING]][%[[SLOT:.*]]] : tensor<16x64xbf16, #{{.*}}>, memref<2x16x64xbf16
  tile.local_store %x, %ring[%slot] : tensor<16x64xbf16, #put>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.async_copy %{{.*}}[%[[SLOT]], %{{.*}}], %[[RING]][%[[SLOT]]] {in_bounds} : memref<16x64xbf16>, memref<2x16x64xbf16
  tile.async_copy %v[%slot, %column], %ring[%slot] {in_bounds} : memref<16x64xbf16>, memref<2x16x64xbf16, #gpu.address_space<workgroup>>
  // CHECK: tile.async_wait for %[[RING]] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> {pending = array<i64: 1>}
  tile.async_wait for %ring : memref<2x16x64xbf16, #gpu.address_space<workgroup>> {pending = array<i64: 1>}
  // CHECK: tile.async_wait{{$}}
  tile.async_wait
  // CHECK: %[[PART:.*]] = tile.local_load %[[RING]][%[[SLOT]], %{{.*}}] : memref<2x16x64xbf16, {{.*}}> -> tensor<16x32xbf16, #{{.*}}>
  %part = tile.local_load %ring[%slot, %column] : memref<2x16x64xbf16, #gpu.address_space<workgroup>> -> tensor<16x32xbf16, #take>
  // CHECK: tile.mma %[[PART]], %[[PART]], %{{.*}} <"f32_16x16x32_bf16"> in_order :
  %d = tile.mma %part, %part, %c <"f32_16x16x32_bf16"> in_order : tensor<16x32xbf16, #take>, tensor<16x32xbf16, #take> -> tensor<16x16xf32, #sum>
  return %d : tensor<16x16xf32, #sum>
}

// Two workgroups hold a row together.
#part = #tile.layout<shape = [4, 1], register = [[1, 0]], lane = [[0, 0], [0, 0]], wave = [[2, 0]]>
// CHECK: tile.kernel @cluster({{.*}}) attributes {cluster = 2 : i64, target = "sm_90a", waves = 2 : i64}
tile.kernel @cluster(%in: memref<f32>) attributes {target = "sm_90a", waves = 2 : i64, cluster = 2 : i64} {
  %cst = arith.constant 1.0 : f32
  %a = tensor.splat %cst : tensor<4x1xf32, #part>
  // CHECK: %{{.*}} = tile.cluster_reduce maxnum %[[A:.*]] : tensor<4x1xf32, #{{.*}}>
  %max = tile.cluster_reduce maxnum %a : tensor<4x1xf32, #part>
  // CHECK: %{{.*}}:2 = tile.cluster_reduce add %[[A]], %{{.*}} : tensor<4x1xf32, #{{.*}}>, tensor<4x1xf32, #{{.*}}>
  %both:2 = tile.cluster_reduce add %a, %max : tensor<4x1xf32, #part>, tensor<4x1xf32, #part>
  // CHECK: tile.optimization_barrier %{{.*}} : tensor<4x1xf32, #{{.*}}>
  %held = tile.optimization_barrier %a : tensor<4x1xf32, #part>
}

// CHECK: tile.kernel @prefetch
tile.kernel @prefetch(%in: memref<bf16>) attributes {target = "sm_90a", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %i = memref.reinterpret_cast %in to offset: [0], sizes: [16, 64], strides: [64, 1] : memref<bf16> to memref<16x64xbf16, strided<[64, 1]>>
  // CHECK: tile.prefetch %{{.*}}[%{{.*}}] rows 2 bytes 128 : memref<16x64xbf16, strided<[64, 1]>>
  tile.prefetch %i[%c0] rows 2 bytes 128 : memref<16x64xbf16, strided<[64, 1]>>
}
