// RUN: te-opt --tile-persistent-workgroups %s --split-input-file | FileCheck %s

#l = #tile.layout<shape = [4, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], wave = []>
!f32 = memref<f32, #gpu.address_space<global>>
!view = memref<64x1024xf32, strided<[1024, 1]>, #gpu.address_space<global>>

// One launch: sizes are constants. What stands before the first use of a number stays there, and the loop is where that use is.
// CHECK-LABEL: tile.kernel @known
// CHECK-SAME: attributes {target = "gfx950", waves = 1 : i64} {
// CHECK: %[[ID:.*]] = gpu.block_id x
// CHECK: memref.load
// CHECK: scf.if
// CHECK-NEXT: scf.for %[[I:.*]] = %[[ID]] to %[[ALL:.*]] step %[[STEP:.*]] {
// CHECK-NEXT: %[[X:.*]] = arith.remui %[[I]], %[[COLUMNS:.*]] :
// CHECK-NEXT: %[[Y:.*]] = arith.divui %[[I]], %[[COLUMNS]] :
// CHECK-NEXT: arith.muli %[[Y]]
// CHECK-NEXT: arith.muli %[[X]]
// CHECK: tile.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: } {tile.delay}
tile.kernel @known(%src: !f32, %flag: memref<i1, #gpu.address_space<global>>, %dst: !f32) attributes {target = "gfx950", waves = 1 : i64, workgroups = 256 : i64} {
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %x = gpu.block_id x
  %y = gpu.block_id y
  %run = memref.load %flag[] : memref<i1, #gpu.address_space<global>>
  %s = memref.reinterpret_cast %src to offset: [0], sizes: [64, 1024], strides: [1024, 1] : !f32 to !view
  %d = memref.reinterpret_cast %dst to offset: [0], sizes: [64, 1024], strides: [1024, 1] : !f32 to !view
  scf.if %run {
    %row = arith.muli %y, %c4 : index
    %col = arith.muli %x, %c64 : index
    %t = tile.load %s[%row, %col] : !view -> tensor<4x64xf32, #l>
    tile.store %t, %d[%row, %col] : tensor<4x64xf32, #l>, !view
  }
}
// CHECK-LABEL: func.func @one
// CHECK: tile.launch @known grid(%c256{{.*}}, %c1{{[_0-9]*}})
func.func @one(%a: tensor<64x1024xf32>, %f: tensor<i1>) -> tensor<64x1024xf32> {
  %gx = arith.constant 16 : index
  %gy = arith.constant 32 : index
  %d = tile.launch @known grid(%gx, %gy) ins(%a, %f : tensor<64x1024xf32>, tensor<i1>) -> tensor<64x1024xf32>
  return %d : tensor<64x1024xf32>
}

// -----

// Two launches of one kernel: what they share is a constant, what not an argument. A grid of fewer is run by as many.
!f32 = memref<f32, #gpu.address_space<global>>
// CHECK-LABEL: tile.kernel @shared
// CHECK-SAME: %[[ROWS:.*]]: index, %[[ALL:.*]]: index)
// CHECK: %[[STEP:.*]] = arith.minui %[[ALL]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[ALL]] step %[[STEP]]
tile.kernel @shared(%dst: !f32, %rows: index) attributes {target = "gfx950", waves = 1 : i64, workgroups = 8 : i64} {
  %y = gpu.block_id y
  %is = arith.cmpi ult, %y, %rows : index
  scf.if %is {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %dst[] : !f32
  }
}
// Left out by its schedule, and one without the attribute.
// CHECK-LABEL: tile.kernel @without
// CHECK-SAME: workgroups = 8
// CHECK-NOT: scf.for
tile.kernel @without(%dst: !f32, %rows: index) attributes {target = "gfx950", waves = 1 : i64, workgroups = 8 : i64, without = ["tile-persistent-workgroups"]} {
  %y = gpu.block_id y
  %is = arith.cmpi ult, %y, %rows : index
  scf.if %is {
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %dst[] : !f32
  }
}
// CHECK-LABEL: func.func @two
// CHECK-SAME: %[[N:.*]]: index
// CHECK: %[[COUNT:.*]] = arith.muli %[[N]],
// CHECK: %[[FEW:.*]] = arith.minui %[[COUNT]], %c8
// CHECK: tile.launch @shared grid(%[[FEW]], %c1{{[_0-9]*}}) ins() sizes(%[[N]], %[[COUNT]])
// CHECK: tile.launch @shared grid(%c6{{[_0-9]*}}, %c1{{[_0-9]*}}) ins() sizes(%{{.*}}, %c6{{[_0-9]*}})
// CHECK: tile.launch @without grid(%{{.*}}, %[[N]])
func.func @two(%n: index) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %0 = tile.launch @shared grid(%c2, %n) ins() sizes(%n) -> tensor<f32>
  %1 = tile.launch @shared grid(%c2, %c3) ins() sizes(%c3) -> tensor<f32>
  %2 = tile.launch @without grid(%c2, %n) ins() sizes(%n) -> tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}
