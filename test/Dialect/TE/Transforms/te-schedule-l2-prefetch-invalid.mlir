// What L2 is asked for ahead (l2_prefetch): what such a schedule must keep to.

// RUN: te-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(te-schedule{target=sm_90a}))' -o /dev/null


func.func @bytes(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{l2_prefetch_bytes = 8, but sm_90a asks for a multiple of 16 bytes; round it (H19)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <l2_prefetch_distance = 4, l2_prefetch_bytes = 8>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @part(%x: tensor<64x4096xbf16>) -> !te.scaled<64x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>> {
  // expected-error @+1 {{l2_prefetch_bytes = 512, but that is for workgroups that have one tile's rows to themselves, with a tile as wide or a sweep: no te.gemm, several tensors or matrices, cluster, row_split, workgroups or row_tiles; leave it out (H19)}}
  %r = te.fusion "k" (%a = %x : tensor<64x4096xbf16>) -> (!te.scaled<64x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 1024], waves = 4, vector = 8, grid = <l2_prefetch_distance = 4, l2_prefetch_bytes = 512>>} {
    %0 = te.quantize %a : tensor<64x4096xbf16> -> !te.scaled<64x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
    te.yield %0 : !te.scaled<64x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
  }
  return %r : !te.scaled<64x4096xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
}

// -----

func.func @walks(%x: tensor<8x4096xbf16>, %g: tensor<4096xbf16>) -> tensor<8x4096xbf16> {
  // expected-error @+1 {{l2_prefetch_bytes = 512, but that is for workgroups that have one tile's rows to themselves, with a tile as wide or a sweep: no te.gemm, several tensors or matrices, cluster, row_split, workgroups or row_tiles; leave it out (H19)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4096xbf16>, %b = %g : tensor<4096xbf16>) -> (tensor<8x4096xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <workgroups = 2, l2_prefetch_distance = 4, l2_prefetch_bytes = 512>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4096xbf16>, tensor<4096xbf16> -> tensor<8x4096xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4096xbf16>
  }
  return %r : tensor<8x4096xbf16>
}

// -----

func.func @unaligned(%x: tensor<8x4097xbf16>, %g: tensor<4097xbf16>) -> tensor<8x4097xbf16> {
  // expected-error @+1 {{l2_prefetch_bytes = 512, but rows whose length is not known, or no multiple of 16 bytes, begin where it cannot; leave it out (H19)}}
  %r = te.fusion "k" (%a = %x : tensor<8x4097xbf16>, %b = %g : tensor<4097xbf16>) -> (tensor<8x4097xbf16>)
      attributes {schedule = #te.schedule<"sm_90a", tile = [1, 8192], waves = 4, vector = 8, grid = <l2_prefetch_distance = 4, l2_prefetch_bytes = 512>>} {
    %0, %1 = te.rms_norm %a, %b {epsilon = 1.0e-5 : f32} : tensor<8x4097xbf16>, tensor<4097xbf16> -> tensor<8x4097xbf16>, tensor<8xf32>
    te.yield %0 : tensor<8x4097xbf16>
  }
  return %r : tensor<8x4097xbf16>
}

// -----

// expected-error@+2 {{failed to parse TE_ScheduleAttr parameter 'grid' which is to be a `::mlir::te::GridAttr`}}
// expected-error @+1 {{l2_prefetch_distance = 4 and l2_prefetch_bytes = 24 are not a number of workgroups and a power of two of bytes; give both, or none (H2)}}
func.func private @odd() attributes {a = #te.schedule<"sm_90a", tile = [1, 4096], waves = 4, vector = 8, grid = <l2_prefetch_distance = 4, l2_prefetch_bytes = 24>>}
