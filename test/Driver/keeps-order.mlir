// An MXFP8 gradient's loop without scaled instructions says where vector instructions stand: LLVM schedules it once.
// RUN: te-compile %s --target=gfx942 --emit=llvm -o - | FileCheck %s
// RUN: te-compile %s --target=gfx950 --emit=llvm -o - | FileCheck %s --check-prefix=SCALED

// CHECK: define amdgpu_kernel void @gradient_0({{.*}}) #[[ATTRIBUTES:[0-9]+]]
// CHECK: attributes #[[ATTRIBUTES]] = {{{.*}}"te.keeps_order"
// SCALED-NOT: te.keeps_order
#x = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#w = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
func.func @gradient(%x: !te.scaled<4096x4096xf8E4M3FN, #x>, %w: !te.scaled<4096x4096xf8E4M3FN, #w>) -> tensor<4096x4096xbf16> {
  %y = te.gemm %x, %w : !te.scaled<4096x4096xf8E4M3FN, #x>, !te.scaled<4096x4096xf8E4M3FN, #w> -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}
