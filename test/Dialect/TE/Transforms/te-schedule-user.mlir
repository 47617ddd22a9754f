// A schedule that the user wrote is kept as it is.

// RUN: te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx942}))' | FileCheck %s

// CHECK: #[[MINE:.*]] = #te.schedule<"gfx942", tile = [16, 128], waves = 2, vector = 4>
// CHECK: te.fusion "k"
// CHECK-SAME: attributes {schedule = #[[MINE]]}
func.func @f(%x: tensor<?x?xbf16>) -> tensor<f32> {
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>) -> (tensor<f32>)
      attributes {schedule = #te.schedule<"gfx942", tile = [16, 128], waves = 2, vector = 4>} {
    %0 = te.amax %a : tensor<?x?xbf16> -> tensor<f32>
    te.yield %0 : tensor<f32>
  }
  return %r : tensor<f32>
}
