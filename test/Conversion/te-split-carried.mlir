// Branches and loops hand on what matrix instructions hold, one vector for each; but not other vectors, or in other kernels.

// RUN: te-opt %s --te-split-carried --te-forward-slices | FileCheck %s

// CHECK-LABEL: gpu.func @products
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>)
// CHECK: %[[IF:.*]]:3 = scf.if {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<8xf32>)
// CHECK: amdgpu.mfma
// CHECK-LABEL: gpu.func @none
// CHECK: scf.if {{.*}} -> (vector<32xf32>)
gpu.module @m [#rocdl.target<chip = "gfx950">] {
  gpu.func @products(%a: vector<8xbf16>, %c: i1, %x: vector<32xf32>, %e: vector<8xf32>, %n: index, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (vector<32xf32>) {
      %r:2 = scf.if %c -> (vector<32xf32>, vector<8xf32>) {
        %t = arith.addf %s, %s : vector<32xf32>
        scf.yield %t, %e : vector<32xf32>, vector<8xf32>
      } else {
        scf.yield %s, %e : vector<32xf32>, vector<8xf32>
      }
      %p = vector.extract_strided_slice %r#0 {offsets = [16], sizes = [16], strides = [1]} : vector<32xf32> to vector<16xf32>
      %q = amdgpu.mfma 32x32x16 %a * %a + %p blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
      %u = vector.insert_strided_slice %q, %r#0 {offsets = [16], strides = [1]} : vector<16xf32> into vector<32xf32>
      vector.store %r#1, %out[%c0] : memref<64xf32>, vector<8xf32>
      scf.yield %u : vector<32xf32>
    }
    vector.store %sum, %out[%c0] : memref<64xf32>, vector<32xf32>
    gpu.return
  }
  gpu.func @none(%c: i1, %x: vector<32xf32>, %out: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %r = scf.if %c -> (vector<32xf32>) {
      %t = arith.addf %x, %x : vector<32xf32>
      scf.yield %t : vector<32xf32>
    } else {
      scf.yield %x : vector<32xf32>
    }
    vector.store %r, %out[%c0] : memref<64xf32>, vector<32xf32>
    gpu.return
  }
}
