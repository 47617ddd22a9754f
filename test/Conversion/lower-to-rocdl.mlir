// Only LLVM and ROCDL are left; the backend's attributes are set.

// RUN: te-opt %s --lower-to-rocdl | FileCheck %s
// RUN: te-opt %s --lower-to-rocdl | te-opt --te-verify-level=level=rocdl

gpu.module @kernels {
  // Bare pointers and sizes; the workgroup's size; NaN as the reductions want it.
  // CHECK-LABEL: llvm.func @k(
  // CHECK-SAME: %{{.*}}: !llvm.ptr<1> {llvm.noalias}, %{{.*}}: i64)
  // CHECK-SAME: gpu.kernel
  // CHECK-SAME: passthrough = {{\[\[}}"amdgpu-ieee", "false"], ["amdgpu-agpr-alloc", "0"], ["uniform-work-group-size", "true"]]
  // CHECK-SAME: rocdl.flat_work_group_size = "128,128"
  // CHECK-SAME: rocdl.kernel
  // CHECK-SAME: rocdl.reqd_work_group_size = array<i32: 128, 1, 1>
  // CHECK: rocdl.workitem.id.x
  // CHECK: rocdl.workgroup.id.y
  // CHECK: rocdl.cvt.pk.fp8.f32
  // CHECK: rocdl.update.dpp
  // CHECK: rocdl.s.barrier
  // CHECK: llvm.cond_br
  // CHECK: llvm.store {{.*}} !llvm.ptr<1>
  // CHECK: llvm.return
  gpu.func @k(%out: memref<f32, #gpu.address_space<global>> {llvm.noalias}, %m: index) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, te.target = "gfx950"} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %b = gpu.block_id y
    %i = arith.addi %t, %b : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %q = amdgpu.packed_trunc_2xfp8 %f, %f into undef[word 0] : f32 to vector<4xf8E4M3FN>
    %w = vector.bitcast %q : vector<4xf8E4M3FN> to vector<1xi32>
    %e = vector.extract %w[0] : i32 from vector<1xi32>
    %d = amdgpu.dpp %e %e quad_perm([1 : i32, 0 : i32, 3 : i32, 2 : i32]) : i32
    %v = arith.bitcast %d : i32 to f32
    %g = math.absf %v : f32
    %h = arith.maxnumf %g, %f : f32
    amdgpu.lds_barrier
    %c = arith.cmpi slt, %i, %m : index
    scf.if %c {
      memref.store %h, %out[] : memref<f32, #gpu.address_space<global>>
    }
    gpu.return
  }

  // One reduction of the angle serves its sine and its cosine: in integers from 2^30 on, which is 0x4E800000; else in f64.
  // CHECK-LABEL: llvm.func @angle(
  // CHECK: %[[LARGE:.*]] = llvm.icmp "uge" %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.cond_br %[[LARGE]]
  // CHECK: llvm.sitofp %{{.*}} : i64 to f64
  // CHECK-NOT: llvm.sitofp
  // CHECK-COUNT-3: llvm.intr.fma{{.*}} : (f64, f64, f64) -> f64
  // CHECK-NOT: f64, f64, f64
  // CHECK-NOT: llvm.intr.sin
  // CHECK-NOT: llvm.intr.cos
  // CHECK: llvm.return
  gpu.func @angle(%out: memref<f32, #gpu.address_space<global>> {llvm.noalias}) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, te.target = "gfx950"} {
    %x = memref.load %out[] : memref<f32, #gpu.address_space<global>>
    %s = math.sin %x : f32
    %c = math.cos %x : f32
    %p = arith.mulf %s, %c : f32
    memref.store %p, %out[] : memref<f32, #gpu.address_space<global>>
    gpu.return
  }

  // What one tile loads is under way at once.
  // CHECK-LABEL: llvm.func @first(
  // CHECK-SAME: ["amdgpu-sched-strategy", "max-ilp"]
  gpu.func @first(%out: memref<f32, #gpu.address_space<global>> {llvm.noalias}) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, te.target = "gfx950", te.loads_first} {
    gpu.return
  }

  // The order that the loop's groups give stays.
  // CHECK-LABEL: llvm.func @ordered(
  // CHECK-SAME: "te.keeps_order"]
  gpu.func @ordered(%out: memref<f32, #gpu.address_space<global>> {llvm.noalias}) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, te.target = "gfx950", te.keeps_order} {
    gpu.return
  }
}
