// What a pipeline of products writes to LDS is read behind a barrier only: the backend may move its writes in front of its reads.
// RUN: te-compile %s --target=gfx950 --emit=llvm | FileCheck %s
// CHECK: store <{{.*}}> %{{.*}}, ptr addrspace(3) %{{.*}}, align 16{{$}}
// CHECK: fence
// CHECK: phi
// CHECK: load <{{.*}}>, ptr addrspace(3) %{{.*}}, align 16, !noalias ![[SLOTS:[0-9]+]]
// CHECK: store <{{.*}}> %{{.*}}, ptr addrspace(3) %{{.*}}, align 16, !alias.scope ![[SLOTS]]
// CHECK: call void @llvm.amdgcn.sched.group.barrier(
#rows = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @slots(%x: !te.scaled<128x2048xf8E4M3FN, #rows>, %w: !te.scaled<256x2048xf8E4M3FN, #rows>) -> tensor<128x256xbf16> {
  %d = te.fusion "slots_0" (%a = %x : !te.scaled<128x2048xf8E4M3FN, #rows>, %v = %w : !te.scaled<256x2048xf8E4M3FN, #rows>) -> (tensor<128x256xbf16>)
      attributes {schedule = #te.schedule<"gfx950", tile = [128, 256], waves = 8, vector = 16, matmul = <"scale_f32_32x32x64_f8f6f4", k = 128, waves = [2, 4], stages = 2>>} {
    %0 = te.gemm %a, %v transpose_b : !te.scaled<128x2048xf8E4M3FN, #rows>, !te.scaled<256x2048xf8E4M3FN, #rows> -> tensor<128x256xbf16>
    te.yield %0 : tensor<128x256xbf16>
  }
  return %d : tensor<128x256xbf16>
}
