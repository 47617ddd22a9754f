// A lane that holds one element of a tile: no arithmetic on vectors of one element reaches the backend, whose DAG
// combiner takes a zext of <1 x i32> to a BUILD_VECTOR and back without end.

// RUN: te-compile %s --target=gfx942 --emit=llvm | FileCheck %s
// RUN: te-compile %s --target=gfx950 --emit=llvm | FileCheck %s
// RUN: te-compile %s --target=sm_90a --emit=llvm | FileCheck %s
// CHECK: define {{.*}} @tall_0(
// CHECK-NOT: {{= (add|and|fmul|load|lshr|mul|or|phi|select|shl|sub|trunc|xor|zext) .*}}<1 x
// CHECK: define {{.*}} @wide_0(
// CHECK-NOT: {{= (add|and|fmul|load|lshr|mul|or|phi|select|shl|sub|trunc|xor|zext) .*}}<1 x
// CHECK: declare

// RUN: timeout 60 te-compile %s --target=gfx942 -o %t.942.hsaco
// RUN: timeout 60 te-compile %s --target=gfx950 -o %t.950.hsaco
// RUN: te-run %t.942.hsaco --entry=tall --check --sanitize
// RUN: te-run %t.942.hsaco --entry=wide --check --sanitize
// RUN: te-run %t.950.hsaco --entry=tall --check --sanitize
// RUN: te-run %t.950.hsaco --entry=wide --check --sanitize

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU, scale_layout = e8m0_shuffle, data_layout = transposed>
func.func @tall(%x: tensor<64x32xf32>, %s: tensor<2xi64>) -> (!te.scaled<64x32xf4E2M1FN, #row>, !te.scaled<64x32xf4E2M1FN, #col>) {
  %q:2 = te.quantize %x rng(%s : tensor<2xi64>) {stochastic} : tensor<64x32xf32> -> !te.scaled<64x32xf4E2M1FN, #row>, !te.scaled<64x32xf4E2M1FN, #col>
  return %q#0, %q#1 : !te.scaled<64x32xf4E2M1FN, #row>, !te.scaled<64x32xf4E2M1FN, #col>
}

func.func @wide(%x: tensor<32x64xf32>, %s: tensor<2xi64>) -> (!te.scaled<32x64xf4E2M1FN, #row>, !te.scaled<32x64xf4E2M1FN, #col>) {
  %q:2 = te.quantize %x rng(%s : tensor<2xi64>) {stochastic} : tensor<32x64xf32> -> !te.scaled<32x64xf4E2M1FN, #row>, !te.scaled<32x64xf4E2M1FN, #col>
  return %q#0, %q#1 : !te.scaled<32x64xf4E2M1FN, #row>, !te.scaled<32x64xf4E2M1FN, #col>
}
