// Constants: immediates of a region where one value serves all elements, else its arguments.

// RUN: te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s
// RUN: not te-opt %s --split-input-file --te-to-tile 2>&1 | FileCheck %s --check-prefix=INSIDE

// One number a column, and one value next to another tensor.
// CHECK-LABEL: func.func @immediate
// CHECK: te.fusion "immediate_0" (%{{.*}} = %arg0 : tensor<?x64xbf16>)
// CHECK: arith.constant dense<1.000000e+00> : tensor<64xbf16>
// CHECK: te.rms_norm
func.func @immediate(%x: tensor<?x64xbf16>) -> tensor<?x64xbf16> {
  %g = arith.constant dense<1.0> : tensor<64xbf16>
  %y, %r = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<?x64xbf16>, tensor<64xbf16> -> tensor<?x64xbf16>, tensor<?xf32>
  return %y : tensor<?x64xbf16>
}

// -----

// Values of their own; all that an op reads; a noop flag.
// CHECK-LABEL: func.func @data
// CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: te.fusion "data_0" (%{{.*}} = %arg0 : tensor<4x2xf32>, %{{.*}} = %[[C]] : tensor<2xf32>)
func.func @data(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = te.bias_add %x, %c : tensor<4x2xf32>, tensor<2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// CHECK-LABEL: func.func @alone
// CHECK: %[[C:.*]] = arith.constant dense<2.000000e+00>
// CHECK: te.fusion "alone_0" (%{{.*}} = %[[C]] : tensor<4x2xf32>)
func.func @alone() -> tensor<4x2xf32> {
  %c = arith.constant dense<2.0> : tensor<4x2xf32>
  %y = math.exp %c : tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

#row = #te.scaling<row, scale = f32>
// CHECK-LABEL: func.func @flag
// CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: te.fusion "flag_0" ({{.*}}%{{.*}} = %[[C]] : tensor<f32>)
func.func @flag(%x: tensor<8x64xbf16>) -> !te.scaled<8x64xf8E4M3FN, #row> {
  %s = arith.constant dense<1.0> : tensor<f32>
  %q = te.quantize %x noop(%s : tensor<f32>) : tensor<8x64xbf16> -> !te.scaled<8x64xf8E4M3FN, #row>
  return %q : !te.scaled<8x64xf8E4M3FN, #row>
}

// -----

// Two results of one constant are two buffers.
// CHECK-LABEL: func.func @returned
// CHECK-COUNT-2: te.copy
func.func @returned() -> (tensor<2xf32>, tensor<2xf32>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c, %c : tensor<2xf32>, tensor<2xf32>
}

// -----

// Of a region that someone wrote te-fuse takes them out, and te-to-tile says so.
// CHECK-LABEL: func.func @inside
// CHECK: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK: te.fusion "k" (%{{.*}} = %arg0 : tensor<4x2xf32>, %{{.*}} = %[[C]] : tensor<2xf32>)
// INSIDE: error: operand #1 is a constant that its kernel reads from memory; define it outside of te.fusion and give it as an argument (te-fuse does){{.*}}(F3)
#s = #te.schedule<"gfx950", tile = [4, 64], waves = 1, vector = 4>
func.func @inside(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %r = te.fusion "k" (%a = %x : tensor<4x2xf32>) -> (tensor<4x2xf32>) attributes {schedule = #s} {
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %y = te.bias_add %a, %c : tensor<4x2xf32>, tensor<2xf32>
    te.yield %y : tensor<4x2xf32>
  }
  return %r : tensor<4x2xf32>
}
