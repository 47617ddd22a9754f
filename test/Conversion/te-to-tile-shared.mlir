// RUN: te-opt --te-pipeline="target=gfx950 to=tile" %s | FileCheck %s

// Equal regions are one kernel, launched for each: with its sizes, what sets an amax to 0, what adds up partial sums, and
// the kernels of rows that workgroups share.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x512xbf16>{{.*}}, %[[Y:[^:]*]]: tensor<?x512xbf16>
// CHECK-DAG: %[[M:.*]] = te.dim %[[X]], 0
// CHECK-DAG: %[[N:.*]] = te.dim %[[Y]], 0
// CHECK-DAG: tile.launch @dynamic_0_zero
// CHECK-DAG: tile.launch @dynamic_0 {{.*}}ins(%[[X]] {{.*}}sizes(%[[M]])
// CHECK-DAG: tile.launch @dynamic_0_zero
// CHECK-DAG: tile.launch @dynamic_0 {{.*}}ins(%[[Y]] {{.*}}sizes(%[[N]])
// CHECK: return
func.func @dynamic(%x: tensor<?x512xbf16> {te.dims = ["M", "K"]}, %y: tensor<?x512xbf16> {te.dims = ["N", "K"]}) -> (tensor<f32>, tensor<f32>) {
  %0 = te.amax %x : tensor<?x512xbf16> -> tensor<f32>
  %1 = te.amax %y : tensor<?x512xbf16> -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @sums(
// CHECK-DAG: tile.launch @sums_0
// CHECK-DAG: tile.launch @sums_0_sum
// CHECK-DAG: tile.launch @sums_0
// CHECK-DAG: tile.launch @sums_0_sum
// CHECK: return
func.func @sums(%x: tensor<64x512xbf16>, %y: tensor<64x512xbf16>) -> (tensor<512xf32>, tensor<512xf32>) {
  %0 = te.bias_grad %x : tensor<64x512xbf16> -> tensor<512xf32>
  %1 = te.bias_grad %y : tensor<64x512xbf16> -> tensor<512xf32>
  return %0, %1 : tensor<512xf32>, tensor<512xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK: tile.launch @rows_0_partial grid
// CHECK: tile.launch @rows_0 grid
// CHECK: tile.launch @rows_0_partial grid
// CHECK: tile.launch @rows_0 grid
// CHECK: return
func.func @rows(%x: tensor<1x65536xbf16>, %y: tensor<1x65536xbf16>, %g: tensor<65536xbf16>) -> (tensor<1x65536xbf16>, tensor<1x65536xbf16>) {
  %0, %r0 = te.rms_norm %x, %g {epsilon = 1.0e-5 : f32} : tensor<1x65536xbf16>, tensor<65536xbf16> -> tensor<1x65536xbf16>, tensor<1xf32>
  %1, %r1 = te.rms_norm %y, %g {epsilon = 1.0e-5 : f32} : tensor<1x65536xbf16>, tensor<65536xbf16> -> tensor<1x65536xbf16>, tensor<1xf32>
  return %0, %1 : tensor<1x65536xbf16>, tensor<1x65536xbf16>
}

// CHECK-DAG: tile.kernel @dynamic_0(
// CHECK-DAG: tile.kernel @dynamic_0_zero(
// CHECK-DAG: tile.kernel @sums_0(
// CHECK-DAG: tile.kernel @sums_0_sum(
// CHECK-DAG: tile.kernel @rows_0_partial(
// CHECK-DAG: tile.kernel @rows_0(
// CHECK-NOT: tile.kernel
