// What has no kernel, and regions that are not one kernel (F3 to F12).

// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-fuse,te-schedule{target=gfx950}),te-to-tile)' -o /dev/null

// te-fuse gives current scaling its amax, but leaves regions alone.
#s = #te.scaling<tensor, scale = f32>
func.func @current(%x: tensor<4x64xbf16>) -> !te.scaled<4x64xf8E4M3FN, #s> {
  %q = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #s>) {
    // expected-error @+1 {{te.quantize with current scaling needs the whole tensor's amax before its first element: inside of a te.fusion give it as amax(...), or leave the region to te-fuse}}
    %0 = te.quantize %a : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #s>
    te.yield %0 : !te.scaled<4x64xf8E4M3FN, #s>
  }
  return %q : !te.scaled<4x64xf8E4M3FN, #s>
}

// -----

func.func @nothing(%x: tensor<4x64xbf16>) {
  // expected-error @+1 {{te.fusion holds no op that computes; remove it}}
  te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> () {
  }
  return
}

// -----

func.func @foreign(%x: tensor<4x64xf32>) -> tensor<f32> {
  %r = te.fusion "k" (%a = %x : tensor<4x64xf32>) -> (tensor<f32>) {
    // expected-error @+1 {{'tensor.insert_slice' has no tile lowering; keep it out of te.fusion}}
    %0 = tensor.insert_slice %a into %a[0, 0] [4, 64] [1, 1] : tensor<4x64xf32> into tensor<4x64xf32>
    %1 = te.amax %0 : tensor<4x64xf32> -> tensor<f32>
    te.yield %1 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @yields_argument(%x: tensor<4x64xbf16>) -> (tensor<4x64xbf16>, tensor<f32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (tensor<4x64xbf16>, tensor<f32>) {
    %0 = te.amax %a : tensor<4x64xbf16> -> tensor<f32>
    // expected-error @+1 {{value #0 is an argument of the region, unchanged; yield what the region's ops compute (F3)}}
    te.yield %a, %0 : tensor<4x64xbf16>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<4x64xbf16>, tensor<f32>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @yields_twice(%x: tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #row>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #row>) {
    %0 = te.quantize %a : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
    // expected-error @+1 {{value #1 is yielded twice; yield it once and use the region's result twice (F3)}}
    te.yield %0, %0 : !te.scaled<4x64xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #row>
  }
  return %r#0, %r#1 : !te.scaled<4x64xf8E4M3FN, #row>, !te.scaled<4x64xf8E4M3FN, #row>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @amax_first(%x: tensor<4x64xbf16>) -> (tensor<f32>, !te.scaled<4x64xf8E4M3FN, #row>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (tensor<f32>, !te.scaled<4x64xf8E4M3FN, #row>) {
    %0:2 = te.quantize %a : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>
    // expected-error @+1 {{value #0 is an amax; an amax is yielded last, and a region yields at most one (F3)}}
    te.yield %0#1, %0#0 : tensor<f32>, !te.scaled<4x64xf8E4M3FN, #row>
  }
  return %r#0, %r#1 : tensor<f32>, !te.scaled<4x64xf8E4M3FN, #row>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @reads_own_result(%x: tensor<4x64xbf16>) -> tensor<4x64xbf16> {
  %r = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (tensor<4x64xbf16>) {
    %0 = te.quantize %a : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
    // expected-error @+1 {{reads a result of 'te.quantize' in its own region, which is complete only when the kernel ends; move the two into regions of their own (F4)}}
    %1 = te.dequantize %0 : !te.scaled<4x64xf8E4M3FN, #row> -> tensor<4x64xbf16>
    te.yield %1 : tensor<4x64xbf16>
  }
  return %r : tensor<4x64xbf16>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @reads_yielded_result(%x: tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #row>, tensor<4x64xbf16>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #row>, tensor<4x64xbf16>) {
    %0 = te.quantize %a : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
    // expected-error @+1 {{reads a result of 'te.quantize' in its own region, which is complete only when the kernel ends; move the two into regions of their own (F4)}}
    %1 = te.dequantize %0 : !te.scaled<4x64xf8E4M3FN, #row> -> tensor<4x64xbf16>
    te.yield %0, %1 : !te.scaled<4x64xf8E4M3FN, #row>, tensor<4x64xbf16>
  }
  return %r#0, %r#1 : !te.scaled<4x64xf8E4M3FN, #row>, tensor<4x64xbf16>
}

// -----

#fp8 = #te.scaling<tensor, scale = f32>
func.func @scale_of_own_amax(%x: tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #fp8>, tensor<f32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<4x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #fp8>, tensor<f32>) {
    %0 = te.amax %a : tensor<4x64xbf16> -> tensor<f32>
    // expected-error @+1 {{reads a result of 'te.amax' in its own region, which is complete only when the kernel ends; move the two into regions of their own (F4)}}
    %1 = te.quantize %a scale(%0 : tensor<f32>) : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #fp8>
    te.yield %1, %0 : !te.scaled<4x64xf8E4M3FN, #fp8>, tensor<f32>
  }
  return %r#0, %r#1 : !te.scaled<4x64xf8E4M3FN, #fp8>, tensor<f32>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @two_extents(%x: tensor<4x64xbf16>, %y: tensor<400x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<4x64xbf16>, %b = %y : tensor<400x64xbf16>) -> (!te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>) {
    %0 = te.quantize %a : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
    // expected-error @+1 {{iterates over another tensor than 'te.quantize', of a size that may differ; move the two into regions of their own (F5)}}
    %1 = te.amax %b : tensor<400x64xbf16> -> tensor<f32>
    te.yield %0, %1 : !te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>
  }
  return %r#0, %r#1 : !te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>
}

// -----

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @two_noops(%x: tensor<4x64xbf16>, %n: tensor<f32>) -> (!te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<4x64xbf16>, %b = %n : tensor<f32>) -> (!te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>) {
    %0 = te.quantize %a noop(%b : tensor<f32>) : tensor<4x64xbf16> -> !te.scaled<4x64xf8E4M3FN, #row>
    // expected-error @+1 {{has another noop flag than 'te.quantize'; the ops of a region run, or do not, together (F6)}}
    %1 = te.amax %a : tensor<4x64xbf16> -> tensor<f32>
    te.yield %0, %1 : !te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>
  }
  return %r#0, %r#1 : !te.scaled<4x64xf8E4M3FN, #row>, tensor<f32>
}

// -----

func.func @update_beside(%h: tensor<4x64xf32>, %s: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<64xf32>, tensor<f32>) {
  %r:3 = te.fusion "k" (%a = %h : tensor<4x64xf32>, %b = %s : tensor<64xf32>) -> (tensor<4x64xf32>, tensor<64xf32>, tensor<f32>) {
    // expected-error @+1 {{computes whole columns, tile after tile; such ops share a region with each other only (F8)}}
    %0, %1 = te.update_scale max %a, %b for f8E5M2 : tensor<4x64xf32>, tensor<64xf32> -> tensor<4x64xf32>, tensor<64xf32>
    %2 = te.amax %a : tensor<4x64xf32> -> tensor<f32>
    te.yield %0, %1, %2 : tensor<4x64xf32>, tensor<64xf32>, tensor<f32>
  }
  return %r#0, %r#1, %r#2 : tensor<4x64xf32>, tensor<64xf32>, tensor<f32>
}

// -----

func.func @update_chained(%h: tensor<4x64xf32>, %s: tensor<64xf32>) -> (tensor<4x64xf32>, tensor<64xf32>) {
  %r:2 = te.fusion "k" (%a = %h : tensor<4x64xf32>, %b = %s : tensor<64xf32>) -> (tensor<4x64xf32>, tensor<64xf32>) {
    %0, %1 = te.update_scale max %a, %b for f8E5M2 : tensor<4x64xf32>, tensor<64xf32> -> tensor<4x64xf32>, tensor<64xf32>
    // expected-error @+1 {{reads a result of 'te.update_scale' in its own region, which is complete only when the kernel ends; move the two into regions of their own (F4)}}
    %2, %3 = te.update_scale max %0, %b for f8E5M2 : tensor<4x64xf32>, tensor<64xf32> -> tensor<4x64xf32>, tensor<64xf32>
    te.yield %2, %3 : tensor<4x64xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<4x64xf32>, tensor<64xf32>
}

// -----

#each = #te.scaling<block = [1, 32], scale = f8E8M0FNU, per = matrix>
func.func @matrices(%x: tensor<2x4x64xbf16>, %g: tensor<64xbf16>) -> (!te.scaled<2x4x64xf8E4M3FN, #each>, tensor<2x4xf32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<2x4x64xbf16>, %b = %g : tensor<64xbf16>) -> (!te.scaled<2x4x64xf8E4M3FN, #each>, tensor<2x4xf32>) {
    // expected-error @+1 {{iterates over the tensor as one matrix, but an op of the region over its matrices, one by one (per = matrix); move the two into regions of their own (F9)}}
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<2x4x64xbf16>, tensor<64xbf16> -> tensor<2x4x64xbf16>, tensor<2x4xf32>
    %2 = te.quantize %0 : tensor<2x4x64xbf16> -> !te.scaled<2x4x64xf8E4M3FN, #each>
    te.yield %2, %1 : !te.scaled<2x4x64xf8E4M3FN, #each>, tensor<2x4xf32>
  }
  return %r#0, %r#1 : !te.scaled<2x4x64xf8E4M3FN, #each>, tensor<2x4xf32>
}

// -----

func.func @inner_view(%h: tensor<160xf32>, %s: tensor<20xf32>) -> (tensor<8x20xf32>, tensor<20xf32>) {
  %r:2 = te.fusion "k" (%a = %h : tensor<160xf32>, %b = %s : tensor<20xf32>) -> (tensor<8x20xf32>, tensor<20xf32>) {
    %f = tensor.expand_shape %a [[0, 1]] output_shape [8, 20] : tensor<160xf32> into tensor<8x20xf32>
    // expected-error @+1 {{operand #0 is a view made inside of the region, but no tile; make it outside and give it as an argument (F3)}}
    %n, %m = te.update_scale max %f, %b for f8E4M3FN : tensor<8x20xf32>, tensor<20xf32> -> tensor<8x20xf32>, tensor<20xf32>
    te.yield %n, %m : tensor<8x20xf32>, tensor<20xf32>
  }
  return %r#0, %r#1 : tensor<8x20xf32>, tensor<20xf32>
}

// -----

#each = #te.scaling<block = [32, 1], scale = f8E8M0FNU, per = matrix>
func.func @matrices_of_a_view(%x: tensor<66x70xbf16>) -> !te.scaled<2x33x70xf8E4M3FN, #each> {
  %r = te.fusion "k" (%a = %x : tensor<66x70xbf16>) -> (!te.scaled<2x33x70xf8E4M3FN, #each>) {
    %y = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 33, 70] : tensor<66x70xbf16> into tensor<2x33x70xbf16>
    // expected-error @+1 {{iterates over the tensor as one matrix, but an op of the region over its matrices, one by one (per = matrix); move the two into regions of their own (F9)}}
    %q = te.quantize %y : tensor<2x33x70xbf16> -> !te.scaled<2x33x70xf8E4M3FN, #each>
    te.yield %q : !te.scaled<2x33x70xf8E4M3FN, #each>
  }
  return %r : !te.scaled<2x33x70xf8E4M3FN, #each>
}

// -----

#w = #te.scaling<block = [128, 128], scale = f32>
func.func @two_shards(%x: tensor<?xbf16>, %y: tensor<?xbf16>, %s: tensor<i64>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %r:2 = te.fusion "k" (%a = %x : tensor<?xbf16>, %b = %y : tensor<?xbf16>, %c = %s : tensor<i64>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
    %p = te.partial_amax %a at %c of [!te.scaled<64x96xf8E4M3FN, #w>] : tensor<?xbf16>, tensor<i64> -> tensor<1x1xf32>
    // expected-error @+1 {{iterates over another tensor than 'te.partial_amax', of a size that may differ; move the two into regions of their own (F5)}}
    %q = te.partial_amax %b at %c of [!te.scaled<64x96xf8E4M3FN, #w>] : tensor<?xbf16>, tensor<i64> -> tensor<1x1xf32>
    te.yield %p, %q : tensor<1x1xf32>, tensor<1x1xf32>
  }
  return %r#0, %r#1 : tensor<1x1xf32>, tensor<1x1xf32>
}

// -----

func.func @columns(%x: tensor<4x2x3x64xbf16>, %f: tensor<16x?xf32>) -> tensor<4x2x3x64xbf16> {
  // expected-error @+1 {{a kernel knows how many columns it rotates; give the last dimension of 'tensor<16x?xf32>', freqs, a size (R2)}}
  %y = te.rope sbhd %x, %f : tensor<4x2x3x64xbf16>, tensor<16x?xf32> -> tensor<4x2x3x64xbf16>
  return %y : tensor<4x2x3x64xbf16>
}

// -----

func.func @gate(%x: tensor<64x64xbf16>, %w: tensor<64x1024xbf16>) -> tensor<64x512xbf16> {
  %r = te.fusion "k" (%a = %x : tensor<64x64xbf16>, %b = %w : tensor<64x1024xbf16>) -> (tensor<64x512xbf16>) {
    %0 = te.gemm %a, %b : tensor<64x64xbf16>, tensor<64x1024xbf16> -> tensor<64x1024xbf16>
    // expected-error @+1 {{reads the result of te.gemm in runs of columns, but B does not lie row by row, each a column of the result with a row of scales (N x K, transpose_b, linear); move the two into regions of their own (F10)}}
    %1 = te.gated_activation swiglu %0 {interleave = 32 : i64} : tensor<64x1024xbf16> -> tensor<64x512xbf16>
    te.yield %1 : tensor<64x512xbf16>
  }
  return %r : tensor<64x512xbf16>
}

// -----

// A conversion whose result others read too is no prologue: it is complete only when its kernel ends.
func.func @converted_and_kept(%x: tensor<16x64xf32>, %w: tensor<64x64xbf16>) -> (tensor<16x64xbf16>, tensor<16x64xbf16>) {
  %d, %h = te.fusion "f_0" (%p = %x : tensor<16x64xf32>, %b = %w : tensor<64x64xbf16>) -> (tensor<16x64xbf16>, tensor<16x64xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [16, 64], waves = 4, vector = 8, matmul = <"f32_16x16x32_bf16", k = 64, waves = [1, 4]>>} {
    %a = arith.truncf %p : tensor<16x64xf32> to tensor<16x64xbf16>
    // expected-error @+1 {{reads a result of 'arith.truncf' in its own region, which is complete only when the kernel ends; move the two into regions of their own (F4)}}
    %0 = te.gemm %a, %b transpose_b : tensor<16x64xbf16>, tensor<64x64xbf16> -> tensor<16x64xbf16>
    te.yield %0, %a : tensor<16x64xbf16>, tensor<16x64xbf16>
  }
  return %d, %h : tensor<16x64xbf16>, tensor<16x64xbf16>
}

// -----

// A tile and the same with rows for columns are no tiles of one extent.
func.func @turned(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = te.fusion "k" (%a = %x : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
    %0 = arith.negf %a : tensor<64x64xf32>
    %t = te.permute %0 [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    // expected-error @+1 {{reads a result of 'arith.negf' with rows for columns, but computes over rows or columns, or reads another tensor as it is; move the two into regions of their own (F12)}}
    %1 = arith.mulf %0, %t : tensor<64x64xf32>
    te.yield %1 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

func.func @turned_rows(%x: tensor<64x64xf32>, %g: tensor<64xf32>) -> tensor<64x64xf32> {
  %r = te.fusion "k" (%a = %x : tensor<64x64xf32>, %b = %g : tensor<64xf32>) -> (tensor<64x64xf32>) {
    %0 = arith.negf %a : tensor<64x64xf32>
    %t = te.permute %0 [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
    // expected-error @+1 {{reads a result of 'arith.negf' with rows for columns, but computes over rows or columns, or reads another tensor as it is; move the two into regions of their own (F12)}}
    %1, %2 = te.rms_norm %t, %b {epsilon = 1.0e-5 : f32} : tensor<64x64xf32>, tensor<64xf32> -> tensor<64x64xf32>, tensor<64xf32>
    te.yield %1 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
