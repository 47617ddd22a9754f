// Only LLVM and NVVM are left; functions that the chip lacks are written out.

// RUN: te-opt %s --lower-to-nvvm | FileCheck %s
// RUN: te-opt %s --lower-to-nvvm | te-opt --te-verify-level=level=nvvm

gpu.module @kernels {
  // Bare pointers and sizes; the block's size; LDS.
  // CHECK: llvm.mlir.global internal @__wg_k_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<512 x i8>
  // CHECK-LABEL: llvm.func @k(
  // CHECK-SAME: %{{.*}}: !llvm.ptr<1> {llvm.noalias}, %{{.*}}: i64)
  // CHECK-NOT: nvvm.maxntid
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: nvvm.read.ptx.sreg.ctaid.y
  // CHECK: nvvm.shfl.sync bfly
  // CHECK: llvm.intr.maxnum
  // CHECK: nvvm.barrier
  // CHECK: nvvm.redux.sync or
  // CHECK: llvm.cond_br
  // CHECK: llvm.store {{.*}} !llvm.ptr<1>
  // CHECK: llvm.return
  gpu.func @k(%out: memref<f32, #gpu.address_space<global>> {llvm.noalias}, %m: index)
      workgroup(%lds: memref<512xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, te.target = "sm_90a"} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id y
    %i = arith.addi %t, %b : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %d, %valid = gpu.shuffle xor %f, %one, %width : f32
    %h = arith.maxnumf %d, %f : f32
    %bytes = vector.load %lds[%t] : memref<512xi8, #gpu.address_space<workgroup>>, vector<4xi8>
    gpu.barrier
    %word = vector.bitcast %bytes : vector<4xi8> to vector<1xi32>
    %e = vector.extract %word[0] : i32 from vector<1xi32>
    %any = gpu.subgroup_reduce or %e uniform : (i32) -> i32
    %isAny = arith.cmpi ne, %any, %one : i32
    %inside = arith.cmpi slt, %i, %m : index
    %c = arith.andi %inside, %isAny : i1
    scf.if %c {
      memref.store %h, %out[] : memref<f32, #gpu.address_space<global>>
    }
    gpu.return
  }

  // More than a kernel can declare comes from its launch.
  // CHECK: llvm.mlir.global external @__wg_large_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK-LABEL: llvm.func @large(
  // CHECK-SAME: te.dynamic_lds = 65536
  gpu.func @large(%out: memref<4xi8, #gpu.address_space<global>>)
      workgroup(%lds: memref<65536xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, te.target = "sm_90a", te.dynamic_lds = 65536 : i64} {
    %t = gpu.thread_id x
    %bytes = vector.load %lds[%t] : memref<65536xi8, #gpu.address_space<workgroup>>, vector<4xi8>
    vector.store %bytes, %out[%t] : memref<4xi8, #gpu.address_space<global>>, vector<4xi8>
    gpu.return
  }

  // afn: the chip's power of two and reciprocal, an element at a time. Where two workgroups fit a SM, they shall.
  // CHECK-LABEL: llvm.func @approximate(
  // CHECK-SAME: nvvm.minctasm = 2 : i32
  // CHECK-DAG: llvm.mlir.constant(dense<1.44269502> : vector<2xf32>)
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
  // CHECK: nvvm.rcp.approx.ftz.f
  // CHECK: nvvm.rcp.approx.ftz.f
  // CHECK: llvm.fmul
  // CHECK-NOT: llvm.fdiv
  // CHECK: llvm.fdiv
  gpu.func @approximate(%in: memref<2xf32, #gpu.address_space<global>>, %out: memref<2xf32, #gpu.address_space<global>>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, te.target = "sm_90a", te.waves_per_simd = 4 : i64} {
    %c0 = arith.constant 0 : index
    %x = vector.load %in[%c0] : memref<2xf32, #gpu.address_space<global>>, vector<2xf32>
    %e = math.exp %x fastmath<afn> : vector<2xf32>
    %q = arith.divf %x, %e fastmath<afn> : vector<2xf32>
    %exact = arith.divf %q, %e : vector<2xf32>
    vector.store %exact, %out[%c0] : memref<2xf32, #gpu.address_space<global>>, vector<2xf32>
    gpu.return
  }

  // e^x is 2^(x log2 e) with what rounding left out of the product; no call.
  // CHECK-LABEL: llvm.func @exponential(
  // CHECK: %[[L:.*]] = llvm.mlir.constant(1.44269502 : f32)
  // CHECK: %[[T:.*]] = llvm.fmul %[[X:.*]], %[[L]]
  // CHECK: %[[E:.*]] = llvm.intr.exp2(%[[T]])
  // CHECK: llvm.intr.fma(%[[X]], %[[L]], %{{.*}})
  // CHECK: llvm.intr.minnum
  // CHECK: llvm.intr.maxnum
  // CHECK: llvm.fmul %[[E]], %{{.*}}
  // CHECK-NOT: llvm.intr.exp(
  // CHECK-NOT: llvm.call
  // CHECK: llvm.return
  gpu.func @exponential(%out: memref<f32, #gpu.address_space<global>> {llvm.noalias}) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, te.target = "sm_90a"} {
    %x = memref.load %out[] : memref<f32, #gpu.address_space<global>>
    %y = math.exp %x : f32
    memref.store %y, %out[] : memref<f32, #gpu.address_space<global>>
    gpu.return
  }

  // Every function with an expansion: nothing is left to a library.
  // CHECK-LABEL: llvm.func @functions(
  // CHECK-NOT: llvm.intr.log
  // CHECK-NOT: llvm.intr.exp(
  // CHECK-NOT: llvm.intr.sin
  // CHECK-NOT: llvm.call
  // CHECK: llvm.return
  gpu.func @functions(%out: memref<f32, #gpu.address_space<global>> {llvm.noalias}) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, te.target = "sm_90a"} {
    %x = memref.load %out[] : memref<f32, #gpu.address_space<global>>
    %0 = math.log %x : f32
    %1 = math.log2 %0 : f32
    %2 = math.log10 %1 : f32
    %3 = math.log1p %2 : f32
    %4 = math.expm1 %3 : f32
    %5 = math.tanh %4 : f32
    %6 = math.erf %5 : f32
    %7 = math.sin %6 : f32
    %8 = math.powf %7, %x : f32
    %9 = math.rsqrt %8 : f32
    memref.store %9, %out[] : memref<f32, #gpu.address_space<global>>
    gpu.return
  }
}
