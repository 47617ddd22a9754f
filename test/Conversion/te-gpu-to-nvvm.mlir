// fp8 conversions of NVIDIA's chips: pairs, packed to words of four.

// RUN: te-opt %s --te-gpu-to-nvvm | FileCheck %s

gpu.module @kernels {
  // The second number of a pair is the upper byte; one that has no partner gets a zero.
  // CHECK-LABEL: gpu.func @narrow
  // CHECK-SAME: (%[[X:.*]]: vector<3xf32>,
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: %[[X0:.*]] = vector.extract %[[X]][0]
  // CHECK: %[[X1:.*]] = vector.extract %[[X]][1]
  // CHECK: %[[A:.*]] = nvvm.convert.f32x2.to.f8x2 %[[X1]], %[[X0]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : i16(f8E4M3FN)
  // CHECK: %[[X2:.*]] = vector.extract %[[X]][2]
  // CHECK: %[[B:.*]] = nvvm.convert.f32x2.to.f8x2 %[[ZERO]], %[[X2]] {{.*}} : i16(f8E4M3FN)
  // CHECK: %[[W:.*]] = vector.from_elements %[[A]], %[[B]] : vector<2xi16>
  // CHECK: vector.bitcast %[[W]] : vector<2xi16> to vector<4xf8E4M3FN>
  // CHECK-NOT: arith.truncf
  gpu.func @narrow(%x: vector<3xf32>, %out: memref<3xf8E4M3FN>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %q = arith.truncf %x : vector<3xf32> to vector<3xf8E4M3FN>
    vector.store %q, %out[%c0] : memref<3xf8E4M3FN>, vector<3xf8E4M3FN>
    gpu.return
  }

  // The low bytes of 16-bit numbers are picked in their words, of two at once (0x6420).
  // CHECK-LABEL: gpu.func @low_bytes
  // CHECK-SAME: (%[[X:.*]]: vector<4xi16>,
  // CHECK: %[[W:.*]] = vector.bitcast %[[X]] : vector<4xi16> to vector<2xi32>
  // CHECK-DAG: %[[LOW:.*]] = vector.extract %[[W]][0]
  // CHECK-DAG: %[[HIGH:.*]] = vector.extract %[[W]][1]
  // CHECK: nvvm.prmt <default> %c25632_i32, %[[LOW]], %[[HIGH]] : i32
  // CHECK-NOT: arith.trunci
  gpu.func @low_bytes(%x: vector<4xi16>, %out: memref<4xi8>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %q = arith.trunci %x : vector<4xi16> to vector<4xi8>
    vector.store %q, %out[%c0] : memref<4xi8>, vector<4xi8>
    gpu.return
  }

  // The high bytes, and logic of bytes: in words.
  // CHECK-LABEL: gpu.func @high_bytes
  // CHECK-SAME: (%[[X:.*]]: vector<4xi16>, %[[Y:.*]]: vector<4xi8>,
  // CHECK: %[[W:.*]] = vector.bitcast %[[X]] : vector<4xi16> to vector<2xi32>
  // CHECK: nvvm.prmt <default> %c30001_i32
  // CHECK: %[[BY:.*]] = arith.constant dense<4> : vector<1xi32>
  // CHECK: %[[R:.*]] = arith.shrui %{{.*}}, %[[BY]] : vector<1xi32>
  // CHECK: %[[KEPT:.*]] = arith.constant dense<252645135> : vector<1xi32>
  // CHECK: %[[S:.*]] = arith.andi %[[R]], %[[KEPT]] : vector<1xi32>
  // CHECK: %[[YW:.*]] = vector.bitcast %[[Y]] : vector<4xi8> to vector<1xi32>
  // CHECK: %[[SEVEN:.*]] = arith.constant dense<117901063> : vector<1xi32>
  // CHECK: %[[C:.*]] = arith.andi %[[YW]], %[[SEVEN]] : vector<1xi32>
  // CHECK: arith.ori %[[C]], %[[S]] : vector<1xi32>
  // CHECK-NOT: arith.trunci
  gpu.func @high_bytes(%x: vector<4xi16>, %y: vector<4xi8>, %out: memref<4xi8>) kernel attributes {te.target = "sm_90a"} {
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
  gpu.func @no_byte(%x: vector<4xi16>, %out: memref<4xi8>) kernel attributes {te.target = "sm_90a"} {
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
  gpu.func @three_bytes(%x: vector<3xi16>, %out: memref<3xi8>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %q = arith.trunci %x : vector<3xi16> to vector<3xi8>
    vector.store %q, %out[%c0] : memref<3xi8>, vector<3xi8>
    gpu.return
  }

  // 16-bit numbers are shifted in their words, without what comes from the other one.
  // CHECK-LABEL: gpu.func @shifts
  // CHECK-SAME: (%[[X:.*]]: vector<2xi16>,
  // CHECK: %[[W:.*]] = vector.bitcast %[[X]] : vector<2xi16> to vector<1xi32>
  // CHECK: %[[BY:.*]] = arith.constant dense<12> : vector<1xi32>
  // CHECK: %[[R:.*]] = arith.shrui %[[W]], %[[BY]]
  // CHECK: %[[KEPT:.*]] = arith.constant dense<983055> : vector<1xi32>
  // CHECK: arith.andi %[[R]], %[[KEPT]]
  // CHECK: %[[L:.*]] = arith.shli
  // CHECK: %[[KEPT:.*]] = arith.constant dense<-458760> : vector<1xi32>
  // CHECK: arith.andi %[[L]], %[[KEPT]]
  gpu.func @shifts(%x: vector<2xi16>, %out: memref<2xi16>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %c12 = arith.constant dense<12> : vector<2xi16>
    %c3 = arith.constant dense<3> : vector<2xi16>
    %r = arith.shrui %x, %c12 : vector<2xi16>
    %l = arith.shli %r, %c3 : vector<2xi16>
    vector.store %l, %out[%c0] : memref<2xi16>, vector<2xi16>
    gpu.return
  }

  // By numbers that differ: as it was.
  // CHECK-LABEL: gpu.func @two_shifts
  // CHECK: arith.shrui %{{.*}} : vector<2xi16>
  gpu.func @two_shifts(%x: vector<2xi16>, %by: vector<2xi16>, %out: memref<2xi16>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %r = arith.shrui %x, %by : vector<2xi16>
    vector.store %r, %out[%c0] : memref<2xi16>, vector<2xi16>
    gpu.return
  }

  // Back by way of f16, two codes an instruction.
  // CHECK-LABEL: gpu.func @widen
  // CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
  // CHECK-NOT: nvvm.convert
  // CHECK-NOT: f8E5M2> to vector<{{.*}}f32>
  gpu.func @widen(%q: vector<4xf8E5M2>, %out: memref<4xf32>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %y = arith.extf %q : vector<4xf8E5M2> to vector<4xf32>
    vector.store %y, %out[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // A clamp to the range that keeps NaN is the conversion's own; another one stays.
  // CHECK-LABEL: gpu.func @clamp
  // CHECK-SAME: (%[[X:.*]]: vector<2xf32>,
  // CHECK: %[[X0:.*]] = vector.extract %[[X]][0]
  // CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[X0]] {{.*}}(f8E4M3FN)
  // CHECK-NOT: vector.extract %[[X]]
  // CHECK: nvvm.convert.f32x2.to.f8x2 {{.*}}(f8E5M2)
  gpu.func @clamp(%x: vector<2xf32>, %a: memref<2xf8E4M3FN>, %b: memref<2xf8E5M2>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %low = arith.constant dense<-448.0> : vector<2xf32>
    %high = arith.constant dense<448.0> : vector<2xf32>
    %0 = arith.maxnumf %x, %low : vector<2xf32>
    %1 = arith.minnumf %0, %high : vector<2xf32>
    %nan = arith.cmpf uno, %x, %x : vector<2xf32>
    %clamped = arith.select %nan, %x, %1 : vector<2xi1>, vector<2xf32>
    %q = arith.truncf %clamped : vector<2xf32> to vector<2xf8E4M3FN>
    vector.store %q, %a[%c0] : memref<2xf8E4M3FN>, vector<2xf8E4M3FN>
    %r = arith.truncf %clamped : vector<2xf32> to vector<2xf8E5M2>
    vector.store %r, %b[%c0] : memref<2xf8E5M2>, vector<2xf8E5M2>
    gpu.return
  }

  // bf16 two at a time; an odd number is left to the backend.
  // CHECK-LABEL: gpu.func @bf16
  // CHECK-SAME: (%[[X:.*]]: vector<4xf32>, %[[Y:.*]]: vector<3xf32>,
  // CHECK: %[[X0:.*]] = vector.extract %[[X]][0]
  // CHECK: %[[X1:.*]] = vector.extract %[[X]][1]
  // CHECK: nvvm.convert.f32x2.to.bf16x2 %[[X1]], %[[X0]] {{.*}}: vector<2xbf16>
  // CHECK: nvvm.convert.f32x2.to.bf16x2
  // CHECK: arith.truncf %[[Y]] : vector<3xf32> to vector<3xbf16>
  gpu.func @bf16(%x: vector<4xf32>, %y: vector<3xf32>, %a: memref<4xbf16>, %b: memref<3xbf16>) kernel attributes {te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %q = arith.truncf %x : vector<4xf32> to vector<4xbf16>
    vector.store %q, %a[%c0] : memref<4xbf16>, vector<4xbf16>
    %r = arith.truncf %y : vector<3xf32> to vector<3xbf16>
    vector.store %r, %b[%c0] : memref<3xbf16>, vector<3xbf16>
    gpu.return
  }
}
