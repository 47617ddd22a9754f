// Constants that launches read are data of the kernels' module; equal ones are one symbol.

// RUN: te-opt %s --te-embed-constants | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: arith.constant {te.symbol = "te_constant_0"} dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant {te.symbol = "te_constant_0"} dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK: arith.constant {te.symbol = "te_constant_1"} dense<3> : tensor<2x2xi32>
// CHECK: arith.constant {te.symbol = "te_constant_2"} dense_resource<weights> : tensor<2xbf16>
// CHECK: arith.constant {te.symbol = "te_constant_3"} dense<> : tensor<0xf32>
// CHECK: arith.constant 7 : index
// CHECK: gpu.module @kernels
// CHECK: llvm.mlir.global external protected constant @te_constant_0(dense<[0, 0, -128, 63, 0, 0, 0, 64]> : tensor<8xi8>) {addr_space = 1 : i32, alignment = 256 : i64}
// CHECK: @te_constant_1(dense<[3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0]> : tensor<16xi8>)
// CHECK: @te_constant_2(dense<[-128, 63, 0, 64]> : tensor<4xi8>)
// CHECK: @te_constant_3(dense<0> : tensor<1xi8>)
func.func @f() {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = arith.constant dense<3> : tensor<2x2xi32>
  %d = arith.constant dense_resource<weights> : tensor<2xbf16>
  %e = arith.constant dense<> : tensor<0xf32>
  %i = arith.constant 7 : index
  return
}
gpu.module @kernels {
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x04000000803F0040"
    }
  }
#-}
