// Tiles become a lane's registers; what crosses lanes is an exchange, what crosses waves a
// trip through LDS; edges are masked.

// RUN: te-opt %s --split-input-file --tile-distribute --canonicalize --cse | FileCheck %s

// Elementwise ops keep their form. 4 x 64 over 64 lanes: 4 in a row each.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
// CHECK: gpu.module @kernels {
// CHECK: gpu.func @elementwise(%[[IN:.*]]: memref<f32> {llvm.noalias}, %{{.*}}: memref<bf16> {llvm.noalias}, %{{.*}}: index) kernel attributes
// CHECK-SAME: known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME: te.target = "gfx950"
// One access of 16 bytes, nothing masked, and no branch.
// CHECK-NOT: scf.if
// CHECK: %[[X:.*]] = vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]] : vector<4xf32>
// CHECK: %[[Z:.*]] = arith.truncf %[[Y]] : vector<4xf32> to vector<4xbf16>
// CHECK: vector.store %[[Z]], {{.*}} {alignment = 8 : i64}
// CHECK: gpu.return
tile.kernel @elementwise(%in: memref<f32>, %out: memref<bf16>, %m: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<bf16> to memref<4x64xbf16, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<4x64xf32, strided<[64, 1]>> -> tensor<4x64xf32, #l>
  %y = arith.addf %x, %x : tensor<4x64xf32, #l>
  %z = arith.truncf %y : tensor<4x64xf32, #l> to tensor<4x64xbf16, #l>
  tile.store %z, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xbf16, #l>, memref<4x64xbf16, strided<[64, 1]>>
}

// -----

// A row of unknown length: the whole tile at once where it fits, else element by element.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @ragged
// CHECK: scf.if
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: else
// CHECK: scf.if
// CHECK: gpu.return
tile.kernel @ragged(%in: memref<f32>, %out: memref<f32>, %k: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, %k], strides: [%k, 1] : memref<f32> to memref<4x?xf32, strided<[?, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] : memref<4x?xf32, strided<[?, 1]>> -> tensor<4x64xf32, #l>
  tile.store %x, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xf32, #l>, memref<4x64xf32, strided<[64, 1]>>
}

// -----

// A buffer that begins inside of the matrix: the whole tile at once where the buffer has it, else each element that it has.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @window
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[START:[a-z0-9]+]]: index
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %{{.*}}, %[[N]] : index
// CHECK: %[[LAST:.*]] = arith.cmpi ult, %{{.*}}, %[[N]] : index
// CHECK: scf.if
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: else
// CHECK-COUNT-4: vector.load {{.*}} vector<1xf32>
// CHECK-NOT: vector.load
// CHECK: gpu.return
tile.kernel @window(%in: memref<f32>, %out: memref<f32>, %n: index, %start: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %offset = arith.subi %c0, %start : index
  %a = memref.reinterpret_cast %in to offset: [%offset], sizes: [8, 64], strides: [64, 1] : memref<f32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] window %n : memref<8x64xf32, strided<[64, 1], offset: ?>> -> tensor<4x64xf32, #l>
  tile.store %x, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xf32, #l>, memref<4x64xf32, strided<[64, 1]>>
}

// -----

// Blocks of 1 x 16: 4 registers, one after the other, then lanes that differ in bits 0 and 1.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
#b = #tile.layout<shape = [4, 4], register = [], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [1, 0], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @reduce
// CHECK-NOT: workgroup
// CHECK-COUNT-3: arith.maxnumf {{.*}} : vector<1xf32>
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c64_i32
// CHECK: arith.maxnumf
// CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c64_i32
// CHECK: arith.maxnumf
// CHECK-NOT: gpu.barrier
// CHECK-NOT: gpu.shuffle
// CHECK: vector.store
// CHECK: gpu.return
tile.kernel @reduce(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 4], strides: [4, 1] : memref<f32> to memref<4x4xf32, strided<[4, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<4x64xf32, strided<[64, 1]>> -> tensor<4x64xf32, #l>
  %r = tile.reduce maxnum %x block [1, 16] : tensor<4x64xf32, #l> -> tensor<4x4xf32, #b>
  tile.store %r, %b[%c0, %c0] {divisible = 4 : i64, in_bounds} : tensor<4x4xf32, #b>, memref<4x4xf32, strided<[4, 1]>>
}

// -----

// Two codes a byte: the second one's is the upper half, four bytes of registers at once; of lanes the one with the bit has it.
#l = #tile.layout<shape = [2, 512], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], wave = [[0, 256]]>
#c = #tile.layout<shape = [2, 256], register = [[0, 1], [0, 2]], lane = [[1, 0], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], wave = [[0, 128]]>
#r = #tile.layout<shape = [1, 512], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], wave = [[0, 256]]>
// CHECK-LABEL: gpu.func @nibbles
// CHECK: %[[UPPER:.*]] = arith.constant dense<16> : vector<1xi32>
// CHECK-NOT: gpu.shuffle
// CHECK: %[[EVEN:.*]] = vector.shuffle %[[X:.*]], %[[X]] [0, 2, 4, 6] : vector<8xi8>
// CHECK: %[[ODD:.*]] = vector.shuffle %[[X]], %[[X]] [1, 3, 5, 7] : vector<8xi8>
// CHECK-DAG: %[[LOW:.*]] = vector.bitcast %[[EVEN]] : vector<4xi8> to vector<1xi32>
// CHECK-DAG: %[[HIGH:.*]] = vector.bitcast %[[ODD]] : vector<4xi8> to vector<1xi32>
// CHECK: %[[UP:.*]] = arith.muli %[[HIGH]], %[[UPPER]]
// CHECK: arith.addi %[[LOW]], %[[UP]]
// CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c64_i32
// CHECK: %[[IS:.*]] = arith.cmpi ne
// CHECK: %[[FIRST:.*]] = arith.select %[[IS]], %[[OTHER:.*]], %[[X]] : vector<8xi8>
// CHECK: %[[SECOND:.*]] = arith.select %[[IS]], %[[X]], %[[OTHER]] : vector<8xi8>
// CHECK: %[[HIGH:.*]] = vector.bitcast %[[SECOND]] : vector<8xi8> to vector<2xi32>
// CHECK: arith.muli %[[HIGH]]
// CHECK: gpu.return
tile.kernel @nibbles(%in: memref<i8>, %out: memref<i8>) attributes {target = "gfx950", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 512], strides: [512, 1] : memref<i8> to memref<2x512xi8, strided<[512, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [2, 256], strides: [256, 1] : memref<i8> to memref<2x256xi8, strided<[256, 1]>>
  %d = memref.reinterpret_cast %out to offset: [0], sizes: [1, 512], strides: [512, 1] : memref<i8> to memref<1x512xi8, strided<[512, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 512 : i64, in_bounds} : memref<2x512xi8, strided<[512, 1]>> -> tensor<2x512xi8, #l>
  %cols = tile.reduce nibbles %x block [1, 2] : tensor<2x512xi8, #l> -> tensor<2x256xi8, #c>
  tile.store %cols, %b[%c0, %c0] {divisible = 256 : i64, in_bounds} : tensor<2x256xi8, #c>, memref<2x256xi8, strided<[256, 1]>>
  %rows = tile.reduce nibbles %x block [2, 1] : tensor<2x512xi8, #l> -> tensor<1x512xi8, #r>
  tile.store %rows, %d[%c0, %c0] {divisible = 512 : i64, in_bounds} : tensor<1x512xi8, #r>, memref<1x512xi8, strided<[512, 1]>>
}

// -----

// Rows in different waves meet in LDS, between barriers.
#l = #tile.layout<shape = [2, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[1, 0]]>
#b = #tile.layout<shape = [1, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[0, 0]]>
// CHECK-LABEL: gpu.func @waves
// CHECK-SAME: workgroup(%[[LDS:.*]] : memref<[[BYTES:.*]]xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-NOT: gpu.barrier
// CHECK: vector.store %{{.*}}, %[[LDS]]
// CHECK: gpu.barrier
// CHECK: vector.load %[[LDS]]
// CHECK: arith.maxnumf
// CHECK: gpu.return
tile.kernel @waves(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 64], strides: [64, 1] : memref<f32> to memref<2x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<f32> to memref<1x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<2x64xf32, strided<[64, 1]>> -> tensor<2x64xf32, #l>
  %r = tile.reduce maxnum %x block [2, 1] : tensor<2x64xf32, #l> -> tensor<1x64xf32, #b>
  tile.store %r, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<1x64xf32, #b>, memref<1x64xf32, strided<[64, 1]>>
}

// -----

// Lanes may hold other blocks than those they have elements of: each wave's part is a row of blocks in LDS.
#l = #tile.layout<shape = [2, 128], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], wave = [[1, 0]]>
#b = #tile.layout<shape = [1, 128], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[0, 64]]>
// CHECK-LABEL: gpu.func @spread
// CHECK-SAME: memref<1024xi8, #gpu.address_space<workgroup>>
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: vector.store %{{.*}} : memref<1024xi8, #gpu.address_space<workgroup>>, vector<4xi8>
// CHECK: gpu.barrier
// CHECK: %[[FIRST:.*]] = vector.bitcast %{{.*}} : vector<4xi8> to vector<1xf32>
// CHECK: %[[SECOND:.*]] = vector.bitcast %{{.*}} : vector<4xi8> to vector<1xf32>
// CHECK: arith.maxnumf {{.*}} : vector<1xf32>
// CHECK-NOT: arith.maxnumf
// CHECK: gpu.return
tile.kernel @spread(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 128], strides: [128, 1] : memref<f32> to memref<2x128xf32, strided<[128, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [1, 128], strides: [128, 1] : memref<f32> to memref<1x128xf32, strided<[128, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 128 : i64, in_bounds} : memref<2x128xf32, strided<[128, 1]>> -> tensor<2x128xf32, #l>
  %r = tile.reduce maxnum %x block [2, 1] : tensor<2x128xf32, #l> -> tensor<1x128xf32, #b>
  tile.store %r, %b[%c0, %c0] {divisible = 128 : i64, in_bounds} : tensor<1x128xf32, #b>, memref<1x128xf32, strided<[128, 1]>>
}

// -----

// Waves that kept the same before need nothing of one another, wherever their rows begin.
#l = #tile.layout<shape = [2, 64], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], wave = [[1, 0], [0, 0]]>
#b = #tile.layout<shape = [2, 1], register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = [[1, 0], [0, 0]]>
// CHECK-LABEL: gpu.func @same_waves
// CHECK-NOT: workgroup(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
tile.kernel @same_waves(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 64], strides: [64, 1] : memref<f32> to memref<2x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [2, 1], strides: [1, 1] : memref<f32> to memref<2x1xf32, strided<[1, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<2x64xf32, strided<[64, 1]>> -> tensor<2x64xf32, #l>
  %r = tile.reduce maxnum %x block [1, 64] : tensor<2x64xf32, #l> -> tensor<2x1xf32, #b>
  tile.store %r, %b[%c0, %c0] {in_bounds} : tensor<2x1xf32, #b>, memref<2x1xf32, strided<[1, 1]>>
}

// -----

// A conversion that only renames registers moves nothing; one between waves goes
// through LDS.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [2, 0]], wave = []>
#o = #tile.layout<shape = [4, 64], register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @rename
// CHECK-NOT: workgroup
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
tile.kernel @rename(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<4x64xf32, strided<[64, 1]>> -> tensor<4x64xf32, #l>
  %r = tile.convert_layout %x : tensor<4x64xf32, #l> -> tensor<4x64xf32, #o>
  tile.store %r, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xf32, #o>, memref<4x64xf32, strided<[64, 1]>>
}

// -----

#l = #tile.layout<shape = [2, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[1, 0]]>
#o = #tile.layout<shape = [2, 64], register = [], lane = [[1, 0], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[0, 1]]>
// CHECK-LABEL: gpu.func @through_lds
// CHECK-SAME: workgroup(%[[LDS:.*]] : memref<
// CHECK-NOT: gpu.barrier
// CHECK: vector.store %{{.*}}, %[[LDS]]
// CHECK: gpu.barrier
// CHECK: vector.load %[[LDS]]
// CHECK: gpu.return
tile.kernel @through_lds(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 64], strides: [64, 1] : memref<f32> to memref<2x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [2, 64], strides: [64, 1] : memref<f32> to memref<2x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<2x64xf32, strided<[64, 1]>> -> tensor<2x64xf32, #l>
  %r = tile.convert_layout %x : tensor<2x64xf32, #l> -> tensor<2x64xf32, #o>
  tile.store %r, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<2x64xf32, #o>, memref<2x64xf32, strided<[64, 1]>>
}

// -----

// A vote of the wave; a maximum in memory by its first lane.
#l = #tile.layout<shape = [1, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
#one = #tile.layout<shape = [1, 1], register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = []>
// CHECK-LABEL: gpu.func @vote
// CHECK: gpu.subgroup_reduce or %{{.*}} uniform
// CHECK: scf.if
// CHECK: scf.if
// CHECK: llvm.atomicrmw umax {{.*}} syncscope("agent") monotonic
// CHECK: gpu.return
tile.kernel @vote(%in: memref<f32>, %out: memref<f32, #gpu.address_space<global>>) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<f32> to memref<1x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<1x64xf32, strided<[64, 1]>> -> tensor<1x64xf32, #l>
  %n = arith.cmpf uno, %x, %x : tensor<1x64xf32, #l>
  %any = tile.reduce_or %n : tensor<1x64xi1, #l>
  scf.if %any {
    %m = tile.reduce maxnum %x block [1, 64] : tensor<1x64xf32, #l> -> tensor<1x1xf32, #one>
    tile.atomic_max %m, %out : tensor<1x1xf32, #one>, memref<f32, #gpu.address_space<global>>
  }
}

// -----

// Only rows can be outside: a buffer resource over the tile's rows bounds the accesses, and nothing branches. What is
// picked by number is a choice among registers.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @rows(%arg0: memref<f32> {llvm.noalias}, %arg1: index, %arg2: index)
// CHECK-NOT: scf.if
// CHECK: %[[DIM:.*]] = memref.dim
// CHECK: %[[LEFT:.*]] = arith.subi %[[DIM]], %arg2 : index
// CHECK: %[[MOST:.*]] = arith.maxsi %[[LEFT]], %c0 : index
// CHECK: %[[ROWS:.*]] = arith.minsi %[[MOST]], %c4 : index
// CHECK: %[[SIZE:.*]] = arith.muli %[[ROWS]], %c512 : index
// CHECK: %[[BYTES:.*]] = arith.index_cast %[[SIZE]] : index to i64
// CHECK: %[[RSRC:.*]] = rocdl.make.buffer.rsrc %{{.*}}, %c0_i16, %[[BYTES]], %{{.*}}
// CHECK: %[[X:.*]] = rocdl.raw.ptr.buffer.load %[[RSRC]], %{{.*}}, %c256_i32, %c0_i32 : vector<4xi32>
// Each tile is split into elements where it is made.
// CHECK: %[[XWORD:.*]] = vector.extract %[[X]][0] : i32 from vector<4xi32>
// CHECK: arith.addf
// CHECK: %[[Y:.*]] = vector.bitcast %{{.*}} : vector<4xf32> to vector<4xi32>
// CHECK: %[[YWORD:.*]] = vector.extract %[[Y]][0] : i32 from vector<4xi32>
// CHECK: %[[BOTH:.*]] = vector.from_elements %[[XWORD]], %[[YWORD]] : vector<2xi32>
// CHECK: vector.extract %[[BOTH]][%arg2] : i32 from vector<2xi32>
// CHECK: rocdl.raw.ptr.buffer.store %{{.*}}, %[[RSRC]]
// CHECK-NOT: scf.if
// CHECK: gpu.return
tile.kernel @rows(%in: memref<f32>, %m: index, %r: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c64 = arith.constant 64 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [%m, 128], strides: [128, 1] : memref<f32> to memref<?x128xf32, strided<[128, 1]>>
  %x = tile.load %a[%r, %c64] {divisible = 64 : i64, columns_in_bounds} : memref<?x128xf32, strided<[128, 1]>> -> tensor<4x64xf32, #l>
  %y = arith.addf %x, %x : tensor<4x64xf32, #l>
  %z = tile.select %r of %x, %y : tensor<4x64xf32, #l>, tensor<4x64xf32, #l> -> tensor<4x64xf32, #l>
  tile.store %z, %a[%r, %c64] {divisible = 64 : i64, columns_in_bounds} : tensor<4x64xf32, #l>, memref<?x128xf32, strided<[128, 1]>>
}

// -----

// In an order of their own, units of 2 x 4 here, a row of units is a row of the view, and bounds count these.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[1, 0], [0, 4], [0, 8], [0, 16], [0, 32], [2, 0]], wave = []>
#unit = #tile.layout<shape = [2, 4], register = [[0, 1], [0, 2], [1, 0]], lane = [], wave = []>
// CHECK-LABEL: gpu.func @units
// CHECK-NOT: scf.if
// CHECK: %[[ROW:.*]] = arith.divui %arg2, %c2
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[ROW]] : index
// CHECK: %[[MOST:.*]] = arith.maxsi %[[LEFT]], %c0 : index
// CHECK: arith.minsi %[[MOST]], %c2{{.*}} : index
// CHECK: rocdl.raw.ptr.buffer.load
// CHECK-NOT: scf.if
// CHECK: rocdl.raw.ptr.buffer.store
// CHECK: gpu.return
tile.kernel @units(%in: memref<f32>, %m: index, %r: index) attributes {target = "gfx950", waves = 1 : i64} {
  %c64 = arith.constant 64 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [%m, 256], strides: [256, 1] : memref<f32> to memref<?x256xf32, strided<[256, 1]>>
  %x = tile.load %a[%r, %c64] {columns_in_bounds, order = #unit} : memref<?x256xf32, strided<[256, 1]>> -> tensor<4x64xf32, #l>
  tile.store %x, %a[%r, %c64] {columns_in_bounds, order = #unit} : tensor<4x64xf32, #l>, memref<?x256xf32, strided<[256, 1]>>
}

// -----

// Runs of 2 columns, each followed by 2 that are not the tile's: no access is longer than a run.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @runs(
// CHECK: %[[STRIP:.*]] = arith.divui %[[C:.*]], %c2 : index
// CHECK: %[[GAPS:.*]] = arith.muli %[[STRIP]], %c2 : index
// CHECK: %[[AT:.*]] = arith.addi %[[C]], %[[GAPS]] : index
// CHECK: vector.load %{{.*}}[%{{.*}}, %[[AT]]] {alignment = 8 : i64} : {{.*}}, vector<2xf32>
tile.kernel @runs(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 64], strides: [128, 1] : memref<f32> to memref<4x64xf32, strided<[128, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds, interleave = 2 : i64} : memref<4x64xf32, strided<[128, 1]>> -> tensor<4x64xf32, #l>
  tile.store %x, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xf32, #l>, memref<4x64xf32, strided<[64, 1]>>
}

// -----

// Rows in runs of 2: a lane's second row is 4 further on, and the lane's own bit is a row.
#l = #tile.layout<shape = [4, 128], register = [[0, 1], [0, 2], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], wave = []>
// CHECK-LABEL: gpu.func @row_runs(
// CHECK: %[[NEXT:.*]] = arith.addi %[[ROW:.*]], %c4 : index
// CHECK: vector.load %{{.*}}[%[[NEXT]], %{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
tile.kernel @row_runs(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [8, 128], strides: [128, 1] : memref<f32> to memref<8x128xf32, strided<[128, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [4, 128], strides: [128, 1] : memref<f32> to memref<4x128xf32, strided<[128, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 128 : i64, in_bounds, row_interleave = 2 : i64} : memref<8x128xf32, strided<[128, 1]>> -> tensor<4x128xf32, #l>
  tile.store %x, %b[%c0, %c0] {divisible = 128 : i64, in_bounds} : tensor<4x128xf32, #l>, memref<4x128xf32, strided<[128, 1]>>
}

// -----

// The largest magnitude of a wave is one instruction of sm_90a; NaN counts for nothing.
#row = #tile.layout<shape = [1, 64], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
#one = #tile.layout<shape = [1, 1], register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], wave = []>
// CHECK-LABEL: gpu.func @magnitude(
// CHECK: %[[MOST:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[MOST]], %[[MOST]]
// CHECK: %[[BITS:.*]] = arith.bitcast %[[MOST]] : vector<1xf32> to vector<1xi32>
// CHECK: %[[WORD:.*]] = arith.select %[[NAN]], %{{.*}}, %[[BITS]]
// CHECK: %[[LANE:.*]] = vector.extract %[[WORD]][0]
// CHECK: gpu.subgroup_reduce maxsi %[[LANE]] uniform : (i32) -> i32
// CHECK-NOT: gpu.shuffle
// What may be negative goes from lane to lane.
// CHECK-LABEL: gpu.func @number(
// CHECK-COUNT-5: gpu.shuffle xor
tile.kernel @magnitude(%in: memref<f32>, %out: memref<f32>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<f32> to memref<1x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [1, 1], strides: [1, 1] : memref<f32> to memref<1x1xf32, strided<[1, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<1x64xf32, strided<[64, 1]>> -> tensor<1x64xf32, #row>
  %abs = math.absf %x : tensor<1x64xf32, #row>
  %m = tile.reduce maxnum %abs block [1, 64] : tensor<1x64xf32, #row> -> tensor<1x1xf32, #one>
  tile.store %m, %b[%c0, %c0] {in_bounds} : tensor<1x1xf32, #one>, memref<1x1xf32, strided<[1, 1]>>
}
tile.kernel @number(%in: memref<f32>, %out: memref<f32>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<f32> to memref<1x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [1, 1], strides: [1, 1] : memref<f32> to memref<1x1xf32, strided<[1, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<1x64xf32, strided<[64, 1]>> -> tensor<1x64xf32, #row>
  %m = tile.reduce maxnum %x block [1, 64] : tensor<1x64xf32, #row> -> tensor<1x1xf32, #one>
  tile.store %m, %b[%c0, %c0] {in_bounds} : tensor<1x1xf32, #one>, memref<1x1xf32, strided<[1, 1]>>
}

// -----

// 4 x 4 bytes a lane are transposed by eight permutations of two registers' bytes.
#rows = #tile.layout<shape = [16, 64], register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [4, 0], [8, 0]], wave = []>
#columns = #tile.layout<shape = [64, 16], register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 4], [0, 8]], wave = []>
// CHECK-LABEL: gpu.func @bytes
// CHECK-COUNT-8: llvm.call_intrinsic "llvm.amdgcn.perm"
// CHECK-NOT: llvm.amdgcn.perm
tile.kernel @bytes(%in: memref<i8>, %out: memref<i8>) attributes {target = "gfx942", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [16, 64], strides: [64, 1] : memref<i8> to memref<16x64xi8, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [64, 16], strides: [16, 1] : memref<i8> to memref<64x16xi8, strided<[16, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<16x64xi8, strided<[64, 1]>> -> tensor<16x64xi8, #rows>
  %y = tile.transpose %x : tensor<16x64xi8, #rows> -> tensor<64x16xi8, #columns>
  tile.store %y, %b[%c0, %c0] {divisible = 16 : i64, in_bounds} : tensor<64x16xi8, #columns>, memref<64x16xi8, strided<[16, 1]>>
}

// -----

// Each in an area of its own: a barrier between writing and reading, and before writing only where waves may still
// read there. Three in a loop: the third takes the first's area, so that the first of the next round waits.
#l = #tile.layout<shape = [2, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[1, 0]]>
#o = #tile.layout<shape = [2, 64], register = [], lane = [[1, 0], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = [[0, 1]]>
// CHECK-LABEL: gpu.func @turns
// CHECK-SAME: memref<1024xi8, #gpu.address_space<workgroup>>
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
// CHECK: gpu.barrier
// CHECK: vector.load {{.*}}xi8
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
// CHECK: gpu.barrier
// CHECK: vector.load {{.*}}xi8
// CHECK: scf.for
// CHECK-NOT: vector.store
// CHECK-COUNT-4: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
tile.kernel @turns(%in: memref<f32>, %out: memref<f32>) attributes {target = "gfx950", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 64], strides: [64, 1] : memref<f32> to memref<2x64xf32, strided<[64, 1]>>
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [2, 64], strides: [64, 1] : memref<f32> to memref<2x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<2x64xf32, strided<[64, 1]>> -> tensor<2x64xf32, #l>
  %1 = tile.convert_layout %x : tensor<2x64xf32, #l> -> tensor<2x64xf32, #o>
  %2 = tile.convert_layout %1 : tensor<2x64xf32, #o> -> tensor<2x64xf32, #l>
  %3 = scf.for %i = %c0 to %c9 step %c1 iter_args(%y = %2) -> (tensor<2x64xf32, #l>) {
    %4 = tile.convert_layout %y : tensor<2x64xf32, #l> -> tensor<2x64xf32, #o>
    %5 = tile.convert_layout %4 : tensor<2x64xf32, #o> -> tensor<2x64xf32, #l>
    %6 = arith.addf %5, %y : tensor<2x64xf32, #l>
    %7 = tile.convert_layout %6 : tensor<2x64xf32, #l> -> tensor<2x64xf32, #o>
    %8 = arith.addf %4, %7 : tensor<2x64xf32, #o>
    %z = arith.constant dense<0.0> : tensor<2x64xf32, #l>
    tile.store %8, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<2x64xf32, #o>, memref<2x64xf32, strided<[64, 1]>>
    scf.yield %z : tensor<2x64xf32, #l>
  }
  tile.store %3, %b[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<2x64xf32, #l>, memref<2x64xf32, strided<[64, 1]>>
}

// -----

// A few words that are kept wait once for what loads them.
#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
// CHECK-LABEL: gpu.func @held
// CHECK: llvm.inline_asm has_side_effects {{.*}}"", "=v,=v,=v,=v,0,1,2,3"
// CHECK-NOT: llvm.inline_asm
tile.kernel @held(%in: memref<f32>) attributes {target = "gfx942", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [4, 64], strides: [64, 1] : memref<f32> to memref<4x64xf32, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<4x64xf32, strided<[64, 1]>> -> tensor<4x64xf32, #l>
  %h = tile.optimization_barrier %x : tensor<4x64xf32, #l>
  tile.store %h, %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<4x64xf32, #l>, memref<4x64xf32, strided<[64, 1]>>
}

// -----

// Two bytes are one load's, of which nothing is split into elements before.
#l = #tile.layout<shape = [2, 64], register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], wave = []>
// CHECK-LABEL: gpu.func @held_bytes
// CHECK: %[[BITS:.*]] = vector.bitcast %{{.*}} : vector<2xi8> to vector<1xi16>
// CHECK: arith.extui %[[BITS]] : vector<1xi16> to vector<1xi32>
// CHECK: llvm.inline_asm has_side_effects {{.*}}"", "=v,0"
tile.kernel @held_bytes(%in: memref<i8>) attributes {target = "gfx942", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [2, 64], strides: [64, 1] : memref<i8> to memref<2x64xi8, strided<[64, 1]>>
  %x = tile.load %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : memref<2x64xi8, strided<[64, 1]>> -> tensor<2x64xi8, #l>
  %h = tile.optimization_barrier %x : tensor<2x64xi8, #l>
  tile.store %h, %a[%c0, %c0] {divisible = 64 : i64, in_bounds} : tensor<2x64xi8, #l>, memref<2x64xi8, strided<[64, 1]>>
}

// -----

// CHECK-LABEL: gpu.func @priority
// CHECK: rocdl.s.setprio 2
tile.kernel @priority() attributes {target = "gfx942", waves = 1 : i64} {
  tile.priority 2
}
