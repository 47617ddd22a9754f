// In loops with matrix instructions f32 arithmetic is one element an instruction; elsewhere it stays packed.

// RUN: te-opt %s --te-unpack-arithmetic | FileCheck %s

// CHECK-LABEL: gpu.func @products
// CHECK: arith.mulf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: scf.for
// CHECK: amdgpu.mfma
// CHECK: %[[A:[0-9]+]] = vector.extract %[[X:[0-9]+]][0] : f32 from vector<2xf32>
// CHECK: %[[B:.*]] = arith.mulf %{{[0-9]+}}, %{{[0-9]+}} fastmath<contract> : f32
// CHECK: %[[C:.*]] = vector.extract %[[X]][1] : f32 from vector<2xf32>
// CHECK: %[[D:.*]] = arith.mulf %{{[0-9]+}}, %{{[0-9]+}} fastmath<contract> : f32
// CHECK: vector.from_elements %[[B]], %[[D]] : vector<2xf32>
// Branches are seldom taken.
// CHECK: scf.if
// CHECK: arith.addf %{{.*}} : vector<2xf32>
// CHECK: arith.divf %{{.*}} : vector<2xf32>
// CHECK: arith.addi %{{.*}} : vector<2xi32>
gpu.module @m [#rocdl.target<chip = "gfx950">] {
  gpu.func @products(%a: vector<8xbf16>, %c: i1, %x: vector<2xf32>, %y: vector<2xi32>, %sum: vector<16xf32>, %n: index, %out: memref<64xf32>, %ints: memref<2xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %before = arith.mulf %x, %x : vector<2xf32>
    %all = scf.for %i = %c0 to %n step %c1 iter_args(%s = %sum) -> (vector<16xf32>) {
      %q = amdgpu.mfma 32x32x16 %a * %a + %s blgp = none : vector<8xbf16>, vector<8xbf16>, vector<16xf32>
      %m = arith.mulf %before, %before fastmath<contract> : vector<2xf32>
      %r = scf.if %c -> (vector<2xf32>) {
        %t = arith.addf %m, %x : vector<2xf32>
        scf.yield %t : vector<2xf32>
      } else {
        scf.yield %m : vector<2xf32>
      }
      %d = arith.divf %r, %x : vector<2xf32>
      %j = arith.addi %y, %y : vector<2xi32>
      vector.store %d, %out[%c0] : memref<64xf32>, vector<2xf32>
      vector.store %j, %ints[%c0] : memref<2xi32>, vector<2xi32>
      scf.yield %q : vector<16xf32>
    }
    vector.store %all, %out[%c0] : memref<64xf32>, vector<16xf32>
    gpu.return
  }
}
