// te.partial_amax and te.partial_cast print as they are parsed.

// RUN: te-opt %s | FileCheck %s
// RUN: te-opt %s | te-opt | FileCheck %s
// RUN: te-opt %s --mlir-print-op-generic | te-opt | FileCheck %s

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
#col = #te.scaling<block = [32, 1], scale = f8E8M0FNU>
#w = #te.scaling<block = [128, 128], scale = f32>

func.func @f(%x: tensor<?xbf16>, %s: tensor<i64>, %r: tensor<64x2xf8E8M0FNU>, %c: tensor<2x64xf8E8M0FNU>) {
  // CHECK: te.partial_amax %{{.*}} at %{{.*}} of [!te.scaled<130x256xf8E4M3FNUZ, #{{[a-z0-9]+}}>] : tensor<?xbf16>, tensor<i64> -> tensor<2x2xf32>
  %a = te.partial_amax %x at %s of [!te.scaled<130x256xf8E4M3FNUZ, #w>] : tensor<?xbf16>, tensor<i64> -> tensor<2x2xf32>
  // CHECK: te.partial_cast %{{.*}} at %{{.*}} scales(%{{.*}}, %{{.*}} : tensor<64x2xf8E8M0FNU>, tensor<2x64xf8E8M0FNU>) of [!te.scaled<64x64xf8E5M2, #{{[a-z0-9]+}}>, !te.scaled<64x64xf8E5M2, #{{[a-z0-9]+}}>] : tensor<?xbf16>, tensor<i64> -> tensor<?xf8E5M2>, tensor<?xf8E5M2>
  %q, %qc = te.partial_cast %x at %s scales(%r, %c : tensor<64x2xf8E8M0FNU>, tensor<2x64xf8E8M0FNU>) of [!te.scaled<64x64xf8E5M2, #row>, !te.scaled<64x64xf8E5M2, #col>]
      : tensor<?xbf16>, tensor<i64> -> tensor<?xf8E5M2>, tensor<?xf8E5M2>
  return
}
