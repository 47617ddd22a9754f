// One region for each range of an unknown number of rows, where schedules differ.
// DEFINE: %{opt} = te-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx950
// RUN: %{opt} ranges=16,128,1024}))' | FileCheck %s
// RUN: %{opt}}))' | FileCheck %s --check-prefix=ONE
// RUN: not %{opt} ranges=128,16}))' 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: te-schedule: ranges end at 16 after 128; each end is larger than the last

// The rows are those of all leading dimensions. Few rows: K is cut into splits, as M is expected to be small.
// CHECK: #[[SCHEDULE:.*]] = #te.schedule<"gfx950", tile = [16, {{.*}}split_k = {{[0-9]+}}
// CHECK-LABEL: func.func @product
// CHECK-DAG: %[[B:.*]] = te.dim %{{.*}}, 0
// CHECK-DAG: %[[S:.*]] = te.dim %{{.*}}, 1
// CHECK: %[[M:.*]] = arith.muli %[[B]], %[[S]]
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[M]], %c16
// CHECK: %[[Y:.*]] = scf.if %[[FEW]] -> (tensor<?x?x512xbf16>) {
// CHECK-NEXT: %[[A:.*]] = te.fusion "f_0_rows16" {{.*}} attributes {range = array<i64: 0, 16>, schedule = #[[SCHEDULE]]}
// CHECK: scf.yield %[[A]]
// CHECK: } else {
// CHECK: arith.cmpi ule, %[[M]], %c128
// CHECK: te.fusion "f_0_rows128" {{.*}} attributes {range = array<i64: 17, 128>
// CHECK: te.fusion "f_0" {{.*}} attributes {range = array<i64: 1025>
// CHECK: return %[[Y]]
// ONE-LABEL: func.func @product
// ONE-NOT: scf.if
// ONE: te.fusion "f_0" {{.*}} attributes {schedule = #schedule
func.func @product(%a: tensor<?x?x8192xbf16>, %b: tensor<512x8192xbf16>) -> tensor<?x?x512xbf16> {
  %y = te.fusion "f_0" (%x = %a : tensor<?x?x8192xbf16>, %w = %b : tensor<512x8192xbf16>) -> (tensor<?x?x512xbf16>) {
    %0 = te.gemm %x, %w transpose_b : tensor<?x?x8192xbf16>, tensor<512x8192xbf16> -> tensor<?x?x512xbf16>
    te.yield %0 : tensor<?x?x512xbf16>
  }
  return %y : tensor<?x?x512xbf16>
}

// -----

// Rows that are known: ranges of K, a size of the program's.
// CHECK: #[[SCHEDULE:.*]] = #te.schedule<"gfx950"
// CHECK-LABEL: func.func @weight_gradient
// CHECK: %[[K:.*]] = te.dim %arg0, 0
// CHECK: arith.cmpi ule, %[[K]], %c
// CHECK: te.fusion "f_0_k{{[0-9]+}}" {{.*}} attributes {range = array<i64: 0, {{[0-9]+}}>, schedule = #[[SCHEDULE]]}
// CHECK: te.fusion "f_0_k1024" {{.*}} attributes {range = array<i64: {{[0-9]+}}, 1024>
// CHECK: te.fusion "f_0" {{.*}} attributes {range = array<i64: 1025>
func.func @weight_gradient(%a: tensor<?x128xbf16>, %b: tensor<?x64xbf16>) -> tensor<128x64xbf16> {
  %y = te.fusion "f_0" (%x = %a : tensor<?x128xbf16>, %w = %b : tensor<?x64xbf16>) -> (tensor<128x64xbf16>) {
    %0 = te.gemm %x, %w transpose_a : tensor<?x128xbf16>, tensor<?x64xbf16> -> tensor<128x64xbf16>
    te.yield %0 : tensor<128x64xbf16>
  }
  return %y : tensor<128x64xbf16>
}

// -----

// Known rows, a schedule of the user, schedules that are all the same: one region.
// CHECK-LABEL: func.func @known
// CHECK-NOT: scf.if
// CHECK: return
func.func @known(%a: tensor<64x256xf32>, %b: tensor<?x256xf32>) -> (tensor<64x256xf32>, tensor<?x256xf32>) {
  %y = te.fusion "f_0" (%x = %a : tensor<64x256xf32>) -> (tensor<64x256xf32>) {
    %0 = arith.negf %x : tensor<64x256xf32>
    te.yield %0 : tensor<64x256xf32>
  }
  %z = te.fusion "f_1" (%x = %b : tensor<?x256xf32>) -> (tensor<?x256xf32>) attributes {schedule = #te.schedule<"gfx950", tile = [4, 256], waves = 4, vector = 4>} {
    %0 = arith.negf %x : tensor<?x256xf32>
    te.yield %0 : tensor<?x256xf32>
  }
  return %y, %z : tensor<64x256xf32>, tensor<?x256xf32>
}
