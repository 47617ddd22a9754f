// A conversion to the layout that a tile has is nothing; one to another stays.

// RUN: te-opt %s --canonicalize | FileCheck %s

#l = #tile.layout<shape = [4, 4], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0]], wave = []>
#o = #tile.layout<shape = [4, 4], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2]], wave = []>

// CHECK-LABEL: func.func @same
// CHECK-SAME: %[[X:.*]]: tensor<4x4xf32, #layout>
// CHECK-NEXT: return %[[X]]
func.func @same(%x: tensor<4x4xf32, #l>) -> tensor<4x4xf32, #l> {
  %y = tile.convert_layout %x : tensor<4x4xf32, #l> -> tensor<4x4xf32, #l>
  return %y : tensor<4x4xf32, #l>
}

// CHECK-LABEL: func.func @other
// CHECK: %[[Y:.*]] = tile.convert_layout %{{.*}} : tensor<4x4xf32, #layout> -> tensor<4x4xf32, #layout1>
// CHECK: return %[[Y]]
func.func @other(%x: tensor<4x4xf32, #l>) -> tensor<4x4xf32, #o> {
  %y = tile.convert_layout %x : tensor<4x4xf32, #l> -> tensor<4x4xf32, #o>
  return %y : tensor<4x4xf32, #o>
}
