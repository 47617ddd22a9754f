// The chip's instructions: lane exchanges, votes, barriers, fp8 conversions.

// RUN: te-opt %s --te-gpu-to-amdgpu | FileCheck %s

gpu.module @kernels {
  // The low bytes of four 16-bit numbers, of two words: bytes 0, 2, 4 and 6 (0x06040200).
  // CHECK-LABEL: gpu.func @low_bytes
  // CHECK-SAME: (%[[X:.*]]: vector<4xi16>,
  // CHECK: %[[W:.*]] = vector.bitcast %[[X]] : vector<4xi16> to vector<2xi32>
  // CHECK-DAG: %[[LOW:.*]] = vector.extract %[[W]][0]
  // CHECK-DAG: %[[HIGH:.*]] = vector.extract %[[W]][1]
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%[[HIGH]], %[[LOW]], %c100925952_i32)
  // CHECK-NOT: arith.trunci
  gpu.func @low_bytes(%x: vector<4xi16>, %out: memref<4xi8>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %q = arith.trunci %x : vector<4xi16> to vector<4xi8>
    vector.store %q, %out[%c0] : memref<4xi8>, vector<4xi8>
    gpu.return
  }

  // Signed bytes of a word, each by two shifts that are one instruction.
  // CHECK-LABEL: gpu.func @signed_bytes
  // CHECK: %[[W:.*]] = vector.bitcast %{{.*}} : vector<4xi8> to vector<1xi32>
  // CHECK: %[[UP:.*]] = arith.shli %[[W]], %{{.*}} : vector<1xi32>
  // CHECK: %[[LOW:.*]] = arith.shrsi %[[UP]], %{{.*}} : vector<1xi32>
  // CHECK: vector.extract %[[LOW]][0]
  // CHECK-NOT: arith.extsi
  gpu.func @signed_bytes(%x: vector<4xi8>, %out: memref<4xi32>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %w = arith.extsi %x : vector<4xi8> to vector<4xi32>
    vector.store %w, %out[%c0] : memref<4xi32>, vector<4xi32>
    gpu.return
  }

  // The high bytes, and logic of bytes: in words.
  // CHECK-LABEL: gpu.func @high_bytes
  // CHECK-SAME: (%[[X:.*]]: vector<4xi16>, %[[Y:.*]]: vector<4xi8>,
  // CHECK: %[[W:.*]] = vector.bitcast %[[X]] : vector<4xi16> to vector<2xi32>
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.*}}, %{{.*}}, %c117768961_i32)
  // CHECK: %[[BY:.*]] = arith.constant dense<4> : vector<1xi32>
  // CHECK: %[[R:.*]] = arith.shrui %{{.*}}, %[[BY]] : vector<1xi32>
  // CHECK: %[[KEPT:.*]] = arith.constant dense<252645135> : vector<1xi32>
  // CHECK: %[[S:.*]] = arith.andi %[[R]], %[[KEPT]] : vector<1xi32>
  // CHECK: %[[YW:.*]] = vector.bitcast %[[Y]] : vector<4xi8> to vector<1xi32>
  // CHECK: %[[SEVEN:.*]] = arith.constant dense<117901063> : vector<1xi32>
  // CHECK: %[[C:.*]] = arith.andi %[[YW]], %[[SEVEN]] : vector<1xi32>
  // CHECK: arith.ori %[[C]], %[[S]] : vector<1xi32>
  // CHECK-NOT: arith.trunci
  gpu.func @high_bytes(%x: vector<4xi16>, %y: vector<4xi8>, %out: memref<4xi8>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant dense<8> : vector<4xi16>
    %c4 = arith.constant dense<4> : vector<4xi8>
    %c7 = arith.constant dense<7> : vector<4xi8>
    %h = arith.shrui %x, %c8 : vector<4xi16>
    %q = arith.trunci %h : vector<4xi16> to vector<4xi8>
    %s = arith.shrui %q, %c4 : vector<4xi8>
    %c = arith.andi %y, %c7 : vector<4xi8>
    %r = arith.ori %c, %s : vector<4xi8>
    vector.store %r, %out[%c0] : memref<4xi8>, vector<4xi8>
    gpu.return
  }

  // Shifted out altogether, a number has no byte to pick: the shift stays.
  // CHECK-LABEL: gpu.func @no_byte
  // CHECK: arith.shrui %{{.*}} : vector<4xi16>
  gpu.func @no_byte(%x: vector<4xi16>, %out: memref<4xi8>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant dense<16> : vector<4xi16>
    %h = arith.shrui %x, %c16 : vector<4xi16>
    %q = arith.trunci %h : vector<4xi16> to vector<4xi8>
    vector.store %q, %out[%c0] : memref<4xi8>, vector<4xi8>
    gpu.return
  }

  // Of three there is no word: as it was.
  // CHECK-LABEL: gpu.func @three_bytes
  // CHECK: arith.trunci
  gpu.func @three_bytes(%x: vector<3xi16>, %out: memref<3xi8>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %q = arith.trunci %x : vector<3xi16> to vector<3xi8>
    vector.store %q, %out[%c0] : memref<3xi8>, vector<3xi8>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @exchanges
  gpu.func @exchanges(%x: i32, %out: memref<8xi32>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %w = arith.constant 64 : i32
    %m1 = arith.constant 1 : i32
    %m3 = arith.constant 3 : i32
    %m8 = arith.constant 8 : i32
    %m16 = arith.constant 16 : i32
    %m32 = arith.constant 32 : i32
    // Inside a quad, and half of a row: DPP. Inside 32 lanes: a swizzle.
    // CHECK: amdgpu.dpp %{{.*}} %{{.*}} quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32]) : i32
    // CHECK: amdgpu.dpp %{{.*}} %{{.*}} quad_perm([3 : i32, 2 : i32, 1 : i32, 0 : i32]) : i32
    // CHECK: amdgpu.dpp %{{.*}} %{{.*}} row_ror(8 : i32) : i32
    // CHECK: amdgpu.swizzle_bitmode %{{.*}} 31 0 16 : i32
    // CHECK: gpu.shuffle xor
    %a, %va = gpu.shuffle xor %x, %m1, %w : i32
    %b, %vb = gpu.shuffle xor %x, %m3, %w : i32
    %c, %vc = gpu.shuffle xor %x, %m8, %w : i32
    %d, %vd = gpu.shuffle xor %x, %m16, %w : i32
    %e, %ve = gpu.shuffle xor %x, %m32, %w : i32
    memref.store %a, %out[%c0] : memref<8xi32>
    memref.store %b, %out[%c1] : memref<8xi32>
    memref.store %c, %out[%c2] : memref<8xi32>
    memref.store %d, %out[%c3] : memref<8xi32>
    memref.store %e, %out[%c4] : memref<8xi32>
    gpu.return
  }

  // Barriers order LDS only.
  // CHECK-LABEL: gpu.func @barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: amdgpu.lds_barrier
  gpu.func @barrier() kernel attributes {te.target = "gfx942"} {
    gpu.barrier
    gpu.return
  }

  // CHECK-LABEL: gpu.func @vote
  // CHECK: rocdl.ballot %{{.*}} : i64
  // CHECK-NOT: gpu.subgroup_reduce
  gpu.func @vote(%c: i1, %out: memref<i32>) kernel attributes {te.target = "gfx942"} {
    %x = arith.extui %c : i1 to i32
    %r = gpu.subgroup_reduce or %x uniform : (i32) -> i32
    memref.store %r, %out[] : memref<i32>
    gpu.return
  }

  // OCP is native to gfx950.
  // CHECK-LABEL: gpu.func @ocp_gfx950
  // CHECK-NOT: arith.mulf
  // CHECK: %[[P:.*]] = amdgpu.packed_trunc_2xfp8 %{{.*}}, %{{.*}} into undef[word 0] : f32 to vector<4xf8E4M3FN>
  // CHECK: amdgpu.packed_trunc_2xfp8 %{{.*}}, %{{.*}} into %[[P]][word 1] : f32 to vector<4xf8E4M3FN> into vector<4xf8E4M3FN>
  // CHECK: amdgpu.ext_packed_fp8 %{{.*}}[0] : vector<4xf8E4M3FN> to vector<2xf32>
  // CHECK: amdgpu.ext_packed_fp8 %{{.*}}[1] : vector<4xf8E4M3FN> to vector<2xf32>
  gpu.func @ocp_gfx950(%x: vector<4xf32>, %out: memref<4xf32>) kernel attributes {te.target = "gfx950"} {
    %c0 = arith.constant 0 : index
    %q = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
    %y = arith.extf %q : vector<4xf8E4M3FN> to vector<4xf32>
    vector.store %y, %out[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // On gfx942 it is FNUZ's byte of x/2, with NaN and -0 mended.
  // CHECK-LABEL: gpu.func @ocp_gfx942
  // CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01>
  // CHECK-DAG: arith.constant dense<2.400000e+02>
  // CHECK-DAG: arith.mulf %{{.*}}, %[[HALF]]
  // CHECK-DAG: arith.cmpf uno
  // CHECK: arith.select
  // CHECK: amdgpu.packed_trunc_2xfp8 {{.*}} vector<4xf8E4M3FNUZ>
  // CHECK-NOT: amdgpu.packed_trunc_2xfp8 {{.*}}f8E4M3FN>
  // CHECK: arith.ori
  gpu.func @ocp_gfx942(%x: vector<4xf32>, %out: memref<4xf8E4M3FN>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %q = arith.truncf %x : vector<4xf32> to vector<4xf8E4M3FN>
    vector.store %q, %out[%c0] : memref<4xf8E4M3FN>, vector<4xf8E4M3FN>
    gpu.return
  }

  // FNUZ is native to gfx942.
  // CHECK-LABEL: gpu.func @fnuz_gfx942
  // CHECK-NOT: arith.mulf
  // CHECK: amdgpu.packed_trunc_2xfp8 {{.*}} vector<4xf8E5M2FNUZ>
  gpu.func @fnuz_gfx942(%x: vector<2xf32>, %out: memref<2xf8E5M2FNUZ>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %q = arith.truncf %x : vector<2xf32> to vector<2xf8E5M2FNUZ>
    vector.store %q, %out[%c0] : memref<2xf8E5M2FNUZ>, vector<2xf8E5M2FNUZ>
    gpu.return
  }

  // The other way: no conversion of gfx942 reads OCP, so none is used.
  // CHECK-LABEL: gpu.func @read_ocp_gfx942
  // CHECK-NOT: amdgpu.ext_packed_fp8
  // CHECK-NOT: arith.extf {{.*}}f8E4M3FN
  // CHECK: gpu.return
  gpu.func @read_ocp_gfx942(%q: vector<4xf8E4M3FN>, %out: memref<4xf32>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    %y = arith.extf %q : vector<4xf8E4M3FN> to vector<4xf32>
    vector.store %y, %out[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // No conversions to bf16: rounded by integers. Only what may have a NaN whose upper half is no NaN is looked at.
  // CHECK-LABEL: gpu.func @bf16_gfx942
  gpu.func @bf16_gfx942(%x: vector<4xbf16>, %y: vector<4xbf16>, %z: vector<4xf32>, %out: memref<4xbf16>) kernel attributes {te.target = "gfx942"} {
    %c0 = arith.constant 0 : index
    // CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : vector<4xf32>
    // CHECK: arith.bitcast %[[SUM]] : vector<4xf32> to vector<4xi32>
    // CHECK-NOT: arith.cmpf
    // CHECK: %[[UPPER:.*]] = arith.constant 117834498 : i32
    // CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.*}}, %{{.*}}, %[[UPPER]])
    // CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<4xbf16>
    %0 = arith.addf %x, %y : vector<4xbf16>
    vector.store %0, %out[%c0] : memref<4xbf16>, vector<4xbf16>
    // CHECK: %[[PRODUCT:.*]] = arith.mulf %{{.*}} : vector<4xf32>
    // CHECK: %[[BITS:.*]] = arith.bitcast %[[PRODUCT]]
    // CHECK: %[[NAN:.*]] = arith.cmpf uno, %[[PRODUCT]], %[[PRODUCT]]
    // CHECK: arith.select %[[NAN]], %[[BITS]], %{{.*}} : vector<4xi1>, vector<4xi32>
    %1 = arith.extf %x : vector<4xbf16> to vector<4xf32>
    %2 = arith.mulf %1, %z : vector<4xf32>
    %3 = arith.truncf %2 : vector<4xf32> to vector<4xbf16>
    vector.store %3, %out[%c0] : memref<4xbf16>, vector<4xbf16>
    // CHECK: %[[QUIET:.*]] = arith.ori
    // CHECK: arith.select %{{.*}}, %[[QUIET]], %{{.*}} : vector<4xi1>, vector<4xi32>
    %4 = arith.truncf %z : vector<4xf32> to vector<4xbf16>
    vector.store %4, %out[%c0] : memref<4xbf16>, vector<4xbf16>
    // CHECK: gpu.return
    gpu.return
  }

  // gfx950 has them.
  // CHECK-LABEL: gpu.func @bf16_gfx950
  gpu.func @bf16_gfx950(%z: vector<4xf32>, %out: memref<4xbf16>) kernel attributes {te.target = "gfx950"} {
    %c0 = arith.constant 0 : index
    // CHECK: arith.truncf
    %0 = arith.truncf %z : vector<4xf32> to vector<4xbf16>
    vector.store %0, %out[%c0] : memref<4xbf16>, vector<4xbf16>
    gpu.return
  }

  // One scale for the vector: gfx950's scaled conversion, straight from bf16.
  // CHECK-LABEL: gpu.func @scaled_gfx950
  // CHECK: arith.constant 23 : i32
  // CHECK: arith.shli
  // CHECK: %[[S:.*]] = arith.bitcast %{{.*}} : i32 to f32
  // CHECK: amdgpu.packed_scaled_trunc %{{.*}} into undef[0], %[[S]] : vector<2xbf16> to vector<4xf8E4M3FN>
  // CHECK: amdgpu.packed_scaled_trunc %{{.*}} into %{{.*}}[1], %[[S]]
  // CHECK-NOT: arith.scaling_truncf
  gpu.func @scaled_gfx950(%x: vector<4xbf16>, %s: f8E8M0FNU, %out: memref<4xf8E4M3FN>) kernel attributes {te.target = "gfx950"} {
    %c0 = arith.constant 0 : index
    %v = vector.broadcast %s : f8E8M0FNU to vector<4xf8E8M0FNU>
    %q = arith.scaling_truncf %x, %v : vector<4xbf16>, vector<4xf8E8M0FNU> to vector<4xf8E4M3FN>
    vector.store %q, %out[%c0] : memref<4xf8E4M3FN>, vector<4xf8E4M3FN>
    gpu.return
  }

  // Rows of 32 lanes change places by an instruction where the chip has it.
  // CHECK-LABEL: gpu.func @rows_gfx950
  // CHECK: amdgpu.permlane_swap %{{.*}} 32
  // CHECK-NOT: gpu.shuffle
  gpu.func @rows_gfx950(%x: f32, %out: memref<f32>) kernel attributes {te.target = "gfx950"} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %r, %valid = gpu.shuffle xor %x, %c32, %c64 : f32
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @rows_gfx942
  // CHECK: gpu.shuffle
  gpu.func @rows_gfx942(%x: f32, %out: memref<f32>) kernel attributes {te.target = "gfx942"} {
    %c32 = arith.constant 32 : i32
    %c64 = arith.constant 64 : i32
    %r, %valid = gpu.shuffle xor %x, %c32, %c64 : f32
    memref.store %r, %out[] : memref<f32>
    gpu.return
  }

  // An approximation takes denormals for 0; others do not.
  // CHECK-LABEL: gpu.func @exp2
  // CHECK-COUNT-2: rocdl.exp2
  // CHECK: vector.from_elements
  // CHECK: math.exp2 %{{[a-z0-9]+}} : vector<2xf32>
  gpu.func @exp2(%x: vector<2xf32>, %out: memref<4xf32>) kernel attributes {te.target = "gfx950"} {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %a = math.exp2 %x fastmath<afn> : vector<2xf32>
    %b = math.exp2 %x : vector<2xf32>
    vector.store %a, %out[%c0] : memref<4xf32>, vector<2xf32>
    vector.store %b, %out[%c2] : memref<4xf32>, vector<2xf32>
    gpu.return
  }
}
