// What has no bytes that a kernel could read is an error.

// RUN: te-opt %s --te-embed-constants --verify-diagnostics -o /dev/null

func.func @f() {
  // expected-error @+1 {{a constant of 'tensor<2xi1>' has no bytes that a kernel could read; give elements of whole bytes, dense or dense_resource}}
  %a = arith.constant dense<[true, false]> : tensor<2xi1>
  return
}
gpu.module @kernels {
}
