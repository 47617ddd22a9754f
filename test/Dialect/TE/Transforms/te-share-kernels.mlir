// RUN: te-opt --te-share-kernels %s | FileCheck %s

// Equal regions have the name of the first one, in all functions; operands, locations and what kept others away do not matter.

// CHECK-LABEL: func.func @layers
// CHECK: te.fusion "a_0" (%{{.*}} = %arg0
// CHECK: te.fusion "a_0" (%{{.*}} = %0
// CHECK: not_fused = ["not with 'te.copy': because"]
func.func @layers(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> (tensor<8x64xf32>) {
  %0 = te.fusion "a_0" (%a = %x : tensor<8x64xf32>, %b = %y : tensor<8x64xf32>) -> (tensor<8x64xf32>) {
    %s = arith.addf %a, %b : tensor<8x64xf32>
    te.yield %s : tensor<8x64xf32>
  }
  %1 = te.fusion "a_1" (%a = %0 : tensor<8x64xf32>, %b = %0 : tensor<8x64xf32>) -> (tensor<8x64xf32>) attributes {not_fused = ["not with 'te.copy': because"]} {
    %t = arith.addf %a, %b : tensor<8x64xf32>
    te.yield %t : tensor<8x64xf32>
  }
  return %1 : tensor<8x64xf32>
}

// CHECK-LABEL: func.func @others
// The same as @layers' regions; then others: operands in another order, an attribute, a type, a schedule.
// CHECK: te.fusion "a_0"
// CHECK: te.fusion "b_1"
// CHECK: te.fusion "b_2"
// CHECK: te.fusion "b_3"
// CHECK: te.fusion "b_4"
func.func @others(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>, %z: tensor<8x32xf32>)
    -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x32xf32>, tensor<8x64xf32>) {
  %0 = te.fusion "b_0" (%a = %x : tensor<8x64xf32>, %b = %y : tensor<8x64xf32>) -> (tensor<8x64xf32>) {
    %s = arith.addf %a, %b : tensor<8x64xf32>
    te.yield %s : tensor<8x64xf32>
  }
  %1 = te.fusion "b_1" (%a = %x : tensor<8x64xf32>, %b = %y : tensor<8x64xf32>) -> (tensor<8x64xf32>) {
    %s = arith.addf %b, %a : tensor<8x64xf32>
    te.yield %s : tensor<8x64xf32>
  }
  %2 = te.fusion "b_2" (%a = %x : tensor<8x64xf32>, %b = %y : tensor<8x64xf32>) -> (tensor<8x64xf32>) {
    %s = arith.addf %a, %b fastmath<nnan> : tensor<8x64xf32>
    te.yield %s : tensor<8x64xf32>
  }
  %3 = te.fusion "b_3" (%a = %z : tensor<8x32xf32>, %b = %z : tensor<8x32xf32>) -> (tensor<8x32xf32>) {
    %s = arith.addf %a, %b : tensor<8x32xf32>
    te.yield %s : tensor<8x32xf32>
  }
  %4 = te.fusion "b_4" (%a = %x : tensor<8x64xf32>, %b = %y : tensor<8x64xf32>) -> (tensor<8x64xf32>) attributes {schedule = #te.schedule<"gfx950", tile = [8, 64], waves = 1, vector = 4>} {
    %s = arith.addf %a, %b : tensor<8x64xf32>
    te.yield %s : tensor<8x64xf32>
  }
  return %0, %1, %2, %3, %4 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x64xf32>, tensor<8x32xf32>, tensor<8x64xf32>
}

// Which operand's size an index is, is known to the kernel.
// CHECK-LABEL: func.func @sizes
// CHECK: te.fusion "c_0"
// CHECK: te.fusion "c_0"
// CHECK: te.fusion "c_2"
func.func @sizes(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>, %n: index) -> (tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %m = te.dim %x, 0 : tensor<?x64xf32>
  %k = te.dim %y, 0 : tensor<?x64xf32>
  %0 = te.fusion "c_0" (%a = %x : tensor<?x64xf32>, %i = %m : index) -> (tensor<?x64xf32>) {
    %s = tensor.extract_slice %a[0, 0] [%i, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %c = te.copy %s : tensor<?x64xf32>
    te.yield %c : tensor<?x64xf32>
  }
  %1 = te.fusion "c_1" (%a = %y : tensor<?x64xf32>, %i = %k : index) -> (tensor<?x64xf32>) {
    %s = tensor.extract_slice %a[0, 0] [%i, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %c = te.copy %s : tensor<?x64xf32>
    te.yield %c : tensor<?x64xf32>
  }
  %2 = te.fusion "c_2" (%a = %y : tensor<?x64xf32>, %i = %m : index) -> (tensor<?x64xf32>) {
    %s = tensor.extract_slice %a[0, 0] [%i, 64] [1, 1] : tensor<?x64xf32> to tensor<?x64xf32>
    %c = te.copy %s : tensor<?x64xf32>
    te.yield %c : tensor<?x64xf32>
  }
  return %0, %1, %2 : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
}
