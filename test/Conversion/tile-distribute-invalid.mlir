// Kernels that no chip, or not this one, can run.

// RUN: te-opt %s --split-input-file --verify-diagnostics --tile-distribute -o /dev/null

// expected-error @+1 {{unknown target 'gfx90a'; te-mlir compiles for gfx942, gfx950}}
tile.kernel @unknown() attributes {target = "gfx90a", waves = 1 : i64} {
}

// -----

// 256 x 128 of f32 stay in LDS.
#l = #tile.layout<shape = [256, 128], register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], lane = [[2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], wave = [[128, 0]]>
// expected-error @+1 {{needs 131072 bytes of LDS, but a workgroup has 65536 on gfx942; use a smaller tile}}
tile.kernel @lds(%in: memref<f32>) attributes {target = "gfx942", waves = 2 : i64} {
  %c0 = arith.constant 0 : index
  %a = memref.reinterpret_cast %in to offset: [0], sizes: [256, 128], strides: [128, 1] : memref<f32> to memref<256x128xf32, strided<[128, 1]>>
  %x = tile.load %a[%c0, %c0] : memref<256x128xf32, strided<[128, 1]>> -> tensor<256x128xf32, #l>
  %v = tile.stage %x : tensor<256x128xf32, #l> -> memref<256x128xf32, #gpu.address_space<workgroup>>
}

// -----

#l = #tile.layout<shape = [1, 64], register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], wave = []>
tile.kernel @constant(%out: memref<i32>) attributes {target = "gfx942", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %b = memref.reinterpret_cast %out to offset: [0], sizes: [1, 64], strides: [64, 1] : memref<i32> to memref<1x64xi32, strided<[64, 1]>>
  // expected-error @+2 {{a constant tile must be a splat}}
  // expected-error @+1 {{failed to legalize operation 'arith.constant'}}
  %x = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]]> : tensor<1x64xi32, #l>
  tile.store %x, %b[%c0, %c0] : tensor<1x64xi32, #l>, memref<1x64xi32, strided<[64, 1]>>
}

// -----

#a = #tile.layout<shape = [16, 32], register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8], [0, 16]], wave = []>
#c = #tile.layout<shape = [16, 16], register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 4], [0, 8]], wave = []>
tile.kernel @no_such_instruction(%in: memref<bf16>, %out: memref<f32>) attributes {target = "gfx942", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = memref.reinterpret_cast %in to offset: [0], sizes: [16, 32], strides: [32, 1] : memref<bf16> to memref<16x32xbf16, strided<[32, 1]>>
  %o = memref.reinterpret_cast %out to offset: [0], sizes: [16, 16], strides: [16, 1] : memref<f32> to memref<16x16xf32, strided<[16, 1]>>
  %x = tile.load %i[%c0, %c0] : memref<16x32xbf16, strided<[32, 1]>> -> tensor<16x32xbf16, #a>
  %z = arith.constant dense<0.0> : tensor<16x16xf32, #c>
  // expected-error @+2 {{gfx942 has no f32_16x16x32_bf16; docs/spec.md lists those of each chip (T20)}}
  // expected-error @+1 {{failed to legalize operation 'tile.mma'}}
  %y = tile.mma %x, %x, %z <"f32_16x16x32_bf16"> : tensor<16x32xbf16, #a>, tensor<16x32xbf16, #a> -> tensor<16x16xf32, #c>
  tile.store %y, %o[%c0, %c0] : tensor<16x16xf32, #c>, memref<16x16xf32, strided<[16, 1]>>
}

// -----

// expected-error @+1 {{clusters of 2 workgroups, but gfx950 has at most 1}}
tile.kernel @cluster() attributes {target = "gfx950", waves = 1 : i64, cluster = 2 : i64} {
}

// -----

tile.kernel @prefetch(%in: memref<bf16>) attributes {target = "gfx942", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = memref.reinterpret_cast %in to offset: [0], sizes: [16, 64], strides: [64, 1] : memref<bf16> to memref<16x64xbf16, strided<[64, 1]>>
  // expected-error @+2 {{'tile.prefetch' op gfx942 has no instruction that asks L2 for rows (T24)}}
  // expected-error @+1 {{failed to legalize operation 'tile.prefetch'}}
  tile.prefetch %i[%c0] rows 1 bytes 128 : memref<16x64xbf16, strided<[64, 1]>>
}

// -----

tile.kernel @prefetch_bytes(%in: memref<bf16>) attributes {target = "sm_90a", waves = 1 : i64} {
  %c0 = arith.constant 0 : index
  %i = memref.reinterpret_cast %in to offset: [0], sizes: [16, 64], strides: [64, 1] : memref<bf16> to memref<16x64xbf16, strided<[64, 1]>>
  // expected-error @+2 {{'tile.prefetch' op sm_90a asks L2 for a multiple of 16 bytes, not for 8 (T24)}}
  // expected-error @+1 {{failed to legalize operation 'tile.prefetch'}}
  tile.prefetch %i[%c0] rows 1 bytes 8 : memref<16x64xbf16, strided<[64, 1]>>
}

// -----

tile.kernel @priority() attributes {target = "sm_90a", waves = 1 : i64} {
  // expected-error @+2 {{'tile.priority' op waves of sm_90a have no priorities; leave it out (T25)}}
  // expected-error @+1 {{failed to legalize operation 'tile.priority'}}
  tile.priority 1
}

// -----

tile.kernel @barrier() attributes {target = "sm_90a", waves = 2 : i64} {
  // expected-error @+2 {{'tile.barrier' op waves of sm_90a meet by name; use gpu.barrier (T28)}}
  // expected-error @+1 {{failed to legalize operation 'tile.barrier'}}
  tile.barrier
}

// -----

tile.kernel @halves() attributes {target = "gfx950", waves = 1 : i64} {
  // expected-error @+2 {{'tile.barrier' op 1 waves have no halves; use an even number (T28)}}
  // expected-error @+1 {{failed to legalize operation 'tile.barrier'}}
  tile.barrier half 1
}
