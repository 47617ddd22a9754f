// What is put into a ring whose parts go to other lanes is taken after a barrier: the backend may move its writes before
// its reads. What a kernel keeps in LDS otherwise is not apart.
// RUN: te-compile %s --target=gfx950 --emit=llvm | FileCheck %s
// CHECK: store <{{.*}}> %{{.*}}, ptr addrspace(3) %{{.*}}, align 16, !alias.scope ![[SLOTS:[0-9]+]]
// CHECK: llvm.amdgcn.s.barrier
// CHECK: load {{.*}}, ptr addrspace(3) %{{.*}}, align 4, !noalias ![[SLOTS]]
// CHECK: load <{{.*}}>, ptr addrspace(3) %{{.*}}, align 16, !noalias ![[SLOTS]]
// CHECK: br label
// CHECK: store <{{.*}}> %{{.*}}, ptr addrspace(3) %{{.*}}, align 16, !alias.scope ![[SLOTS]]
// CHECK: store {{.*}}, ptr addrspace(3) %{{[0-9]+}}, align {{[0-9]+$}}
// CHECK: load {{.*}}, ptr addrspace(3) %{{[0-9]+}}, align {{[0-9]+$}}
#rows = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @slots(%x: !te.scaled<128x8192xf8E4M3FN, #rows>, %w: !te.scaled<256x8192xf8E4M3FN, #rows>) -> tensor<128x256xbf16> {
  %d = te.fusion "slots_0" (%a = %x : !te.scaled<128x8192xf8E4M3FN, #rows>, %v = %w : !te.scaled<256x8192xf8E4M3FN, #rows>) -> (tensor<128x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 128, waves = [2, 4]>, pipeline = <stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<128x8192xf8E4M3FN, #rows>, !te.scaled<256x8192xf8E4M3FN, #rows> -> tensor<128x256xbf16>
    te.yield %0 : tensor<128x256xbf16>
  }
  return %d : tensor<128x256xbf16>
}

// Reads that transpose are of such rings too.
// CHECK-LABEL: define amdgpu_kernel void @across_0(
// CHECK: store {{.*}}, ptr addrspace(3) %{{.*}}, align {{[0-9]+}}, !alias.scope ![[SLOTS]], !noalias
// CHECK: call <2 x i32> @llvm.amdgcn.ds.read.tr8.b64.v2i32(ptr addrspace(3) %{{.*}}), !noalias
#cols = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @across(%x: !te.scaled<2048x128xf8E4M3FN, #cols>, %w: !te.scaled<2048x256xf8E4M3FN, #cols>) -> tensor<128x256xbf16> {
  %d = te.fusion "across_0" (%a = %x : !te.scaled<2048x128xf8E4M3FN, #cols>, %v = %w : !te.scaled<2048x256xf8E4M3FN, #cols>) -> (tensor<128x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 64, waves = [2, 4]>, pipeline = <stages = 4, direct_to_lds = true>>} {
    %0 = te.gemm %a, %v transpose_a : !te.scaled<2048x128xf8E4M3FN, #cols>, !te.scaled<2048x256xf8E4M3FN, #cols> -> tensor<128x256xbf16>
    te.yield %0 : tensor<128x256xbf16>
  }
  return %d : tensor<128x256xbf16>
}
