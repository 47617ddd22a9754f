// RUN: te-opt %s -pass-pipeline='builtin.module(func.func(te-fuse{target=gfx950}))' | FileCheck %s

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#rows = #te.scaling<row, scale = f32>
#shuffled = #te.scaling<block = [1, 32], scale = f8E8M0FNU, scale_layout = e8m0_shuffle, data_layout = shuffle_16x16>

// What works on the result's tiles is in the kernel of the gemm.
// CHECK-LABEL: @epilogue
// CHECK: te.fusion "epilogue_0"
// CHECK: te.gemm
// CHECK: te.activation silu
// CHECK: arith.addf
// CHECK: te.quantize
// CHECK-NOT: te.fusion
func.func @epilogue(%x: tensor<?x4096xbf16>, %w: tensor<6144x4096xbf16>, %b: tensor<6144xbf16>, %r: tensor<?x6144xbf16>)
    -> (!te.scaled<?x6144xf8E4M3FN, #row>, !te.scaled<?x6144xf8E4M3FN, #col>) {
  %d = te.gemm %x, %w transpose_b bias(%b : tensor<6144xbf16>) : tensor<?x4096xbf16>, tensor<6144x4096xbf16> -> tensor<?x6144xbf16>
  %s = te.activation silu %d : tensor<?x6144xbf16> -> tensor<?x6144xbf16>
  %y = arith.addf %s, %r : tensor<?x6144xbf16>
  %q, %c = te.quantize %y : tensor<?x6144xbf16> -> !te.scaled<?x6144xf8E4M3FN, #row>, !te.scaled<?x6144xf8E4M3FN, #col>
  return %q, %c : !te.scaled<?x6144xf8E4M3FN, #row>, !te.scaled<?x6144xf8E4M3FN, #col>
}

// What makes an operand is complete only when its kernel ends.
// CHECK-LABEL: @prologue
// CHECK: te.fusion "prologue_0"
// CHECK: te.quantize
// CHECK: te.fusion "prologue_1"
// CHECK-SAME: not_fused = ["not with 'te.quantize': {{.*}}(F4)"
// CHECK: te.gemm
func.func @prologue(%x: tensor<128x256xbf16>, %w: !te.scaled<64x256xf8E4M3FN, #row>) -> tensor<128x64xbf16> {
  %q = te.quantize %x : tensor<128x256xbf16> -> !te.scaled<128x256xf8E4M3FN, #row>
  %d = te.gemm %q, %w transpose_b : !te.scaled<128x256xf8E4M3FN, #row>, !te.scaled<64x256xf8E4M3FN, #row> -> tensor<128x64xbf16>
  return %d : tensor<128x64xbf16>
}

// Two gemms, and what needs whole rows, are kernels of their own.
// CHECK-LABEL: @apart
// CHECK: te.fusion "apart_0"
// CHECK: te.fusion "apart_1"
// CHECK-SAME: a region has at most one product, such as te.gemm;{{.*}}(F10)
// CHECK: te.fusion "apart_2"
// CHECK-SAME: computes over whole rows{{.*}}(F10)
func.func @apart(%a: tensor<64x32xbf16>, %b: tensor<48x32xbf16>) -> !te.scaled<64x48xf8E4M3FN, #rows> {
  %0 = te.gemm %a, %b transpose_b : tensor<64x32xbf16>, tensor<48x32xbf16> -> tensor<64x48xf32>
  %1 = te.gemm %a, %b transpose_b accumulate(%0 : tensor<64x48xf32>) : tensor<64x32xbf16>, tensor<48x32xbf16> -> tensor<64x48xf32>
  %q = te.quantize %1 : tensor<64x48xf32> -> !te.scaled<64x48xf8E4M3FN, #rows>
  return %q : !te.scaled<64x48xf8E4M3FN, #rows>
}

// A bias of its own after the product is in its kernel, with what follows.
// CHECK-LABEL: @bias_add
// CHECK: te.fusion "bias_add_0"
// CHECK: te.gemm
// CHECK-NEXT: te.bias_add
// CHECK-NEXT: te.activation
// CHECK-NOT: te.fusion
func.func @bias_add(%x: tensor<?x64xbf16>, %w: tensor<96x64xbf16>, %b: tensor<96xf32>) -> tensor<?x96xbf16> {
  %0 = te.gemm %x, %w transpose_b : tensor<?x64xbf16>, tensor<96x64xbf16> -> tensor<?x96xbf16>
  %1 = te.bias_add %0, %b : tensor<?x96xbf16>, tensor<96xf32>
  %2 = te.activation silu %1 : tensor<?x96xbf16> -> tensor<?x96xbf16>
  return %2 : tensor<?x96xbf16>
}

// A gated activation has both halves in the product's kernel, with what follows; what reads the product otherwise has not.
// CHECK-LABEL: @gate
// CHECK: te.fusion "gate_0"
// CHECK: te.gemm
// CHECK-NEXT: te.gated_activation
// CHECK-NEXT: te.quantize
// CHECK: te.fusion "gate_1"
// CHECK-SAME: not_fused = ["not with 'te.quantize': reads another tensor than the result of te.gated_activation{{.*}}(F10)
// CHECK: te.amax
func.func @gate(%x: tensor<?x64xbf16>, %w: tensor<1024x64xbf16>, %b: tensor<1024xbf16>) -> (!te.scaled<?x512xf8E4M3FN, #row>, tensor<?x1024xbf16>, tensor<f32>) {
  %0 = te.gemm %x, %w transpose_b bias(%b : tensor<1024xbf16>) : tensor<?x64xbf16>, tensor<1024x64xbf16> -> tensor<?x1024xbf16>
  %1 = te.gated_activation swiglu %0 : tensor<?x1024xbf16> -> tensor<?x512xbf16>
  %q = te.quantize %1 : tensor<?x512xbf16> -> !te.scaled<?x512xf8E4M3FN, #row>
  %m = te.amax %0 : tensor<?x1024xbf16> -> tensor<f32>
  return %q, %0, %m : !te.scaled<?x512xf8E4M3FN, #row>, tensor<?x1024xbf16>, tensor<f32>
}

// Runs of columns that are rows of B are as good as halves.
// CHECK-LABEL: @gate_of_runs
// CHECK: te.gemm
// CHECK-NEXT: te.gated_activation
func.func @gate_of_runs(%x: tensor<?x64xbf16>, %w: tensor<1024x64xbf16>) -> tensor<?x512xbf16> {
  %0 = te.gemm %x, %w transpose_b : tensor<?x64xbf16>, tensor<1024x64xbf16> -> tensor<?x1024xbf16>
  %1 = te.gated_activation swiglu %0 {interleave = 1 : i64} : tensor<?x1024xbf16> -> tensor<?x512xbf16>
  return %1 : tensor<?x512xbf16>
}

// Runs of a B that lies otherwise, or of odd lengths, halves of any length, and an epilogue with another tensor: two kernels.
// CHECK-LABEL: @no_gate
// CHECK: reads the result of te.gemm in runs of columns, but B does not lie row by row{{.*}}(F10)
// CHECK: reads the result of te.gemm in runs of columns, but B does not lie row by row{{.*}}(F10)
// CHECK: reads the result of te.gemm in runs of 24 columns, neither a power of two nor a multiple of 256{{.*}}(F10)
// CHECK: reads halves of the result of te.gemm, whose length is not known to be a multiple of 256{{.*}}(F10)
// CHECK: reads halves of the result of a te.gemm of pairs or with split_k, or whose epilogue is more than alpha and a bias{{.*}}(F10)
func.func @no_gate(%x: tensor<?x64xbf16>, %w: tensor<1024x64xbf16>, %wk: tensor<64x1024xbf16>, %xs: !te.scaled<?x64xf4E2M1FN, #row>, %ws: !te.scaled<1024x64xf4E2M1FN, #shuffled>, %u: tensor<1536x64xbf16>, %v: tensor<520x64xbf16>, %c: tensor<?x1024xf32>) -> (tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?x768xbf16>, tensor<?x260xbf16>, tensor<?x512xf32>) {
  %0 = te.gemm %x, %wk : tensor<?x64xbf16>, tensor<64x1024xbf16> -> tensor<?x1024xbf16>
  %1 = te.gated_activation swiglu %0 {interleave = 32 : i64} : tensor<?x1024xbf16> -> tensor<?x512xbf16>
  %s = te.gemm %xs, %ws transpose_b : !te.scaled<?x64xf4E2M1FN, #row>, !te.scaled<1024x64xf4E2M1FN, #shuffled> -> tensor<?x1024xbf16>
  %t = te.gated_activation swiglu %s {interleave = 32 : i64} : tensor<?x1024xbf16> -> tensor<?x512xbf16>
  %6 = te.gemm %x, %u transpose_b : tensor<?x64xbf16>, tensor<1536x64xbf16> -> tensor<?x1536xbf16>
  %7 = te.gated_activation swiglu %6 {interleave = 24 : i64} : tensor<?x1536xbf16> -> tensor<?x768xbf16>
  %2 = te.gemm %x, %v transpose_b : tensor<?x64xbf16>, tensor<520x64xbf16> -> tensor<?x520xbf16>
  %3 = te.gated_activation swiglu %2 : tensor<?x520xbf16> -> tensor<?x260xbf16>
  %4 = te.gemm %x, %w transpose_b accumulate(%c : tensor<?x1024xf32>) : tensor<?x64xbf16>, tensor<1024x64xbf16> -> tensor<?x1024xf32>
  %5 = te.gated_activation swiglu %4 : tensor<?x1024xf32> -> tensor<?x512xf32>
  return %1, %t, %7, %3, %5 : tensor<?x512xbf16>, tensor<?x512xbf16>, tensor<?x768xbf16>, tensor<?x260xbf16>, tensor<?x512xf32>
}

// A bias gradient is a pass over A.
// CHECK-LABEL: @bias_grad
// CHECK-DAG: te.bias_grad
// CHECK-DAG: te.gemm
func.func @bias_grad(%dy: tensor<?x64xbf16>, %x: tensor<?x32xbf16>) -> (tensor<64x32xf32>, tensor<64xbf16>) {
  %dw, %db = te.gemm %dy, %x transpose_a : tensor<?x64xbf16>, tensor<?x32xbf16> -> tensor<64x32xf32> bias_grad tensor<64xbf16>
  return %dw, %db : tensor<64x32xf32>, tensor<64xbf16>
}

// A tensor next to the result is copied by a kernel of its own, unless it is known to be as large.
// CHECK-LABEL: @beside
// CHECK: te.fusion "beside_0"
// CHECK-NEXT: te.gemm
// CHECK-NEXT: te.yield
// CHECK: te.fusion "beside_1"
// CHECK-SAME: not_fused = ["not with 'te.gemm': copies another tensor next to the result of te.gemm, which is copied as a subkernel of its own; move the two into regions of their own (F10)"]
// CHECK: tensor.concat
// CHECK: te.fusion "beside_2"
// CHECK-NEXT: te.gemm
// CHECK-NEXT: te.copy
// CHECK-NEXT: tensor.concat
// CHECK-NOT: te.fusion
func.func @beside(%x: tensor<?x64xbf16>, %w: tensor<48x64xbf16>, %y: tensor<?x48xbf16>, %xs: tensor<8x64xbf16>, %ys: tensor<8x48xbf16>) -> (tensor<?x96xbf16>, tensor<8x96xbf16>) {
  %d = te.gemm %x, %w transpose_b : tensor<?x64xbf16>, tensor<48x64xbf16> -> tensor<?x48xbf16>
  %c = tensor.concat dim(1) %d, %y : (tensor<?x48xbf16>, tensor<?x48xbf16>) -> tensor<?x96xbf16>
  %ds = te.gemm %xs, %w transpose_b : tensor<8x64xbf16>, tensor<48x64xbf16> -> tensor<8x48xbf16>
  %cs = tensor.concat dim(1) %ds, %ys : (tensor<8x48xbf16>, tensor<8x48xbf16>) -> tensor<8x96xbf16>
  return %c, %cs : tensor<?x96xbf16>, tensor<8x96xbf16>
}
