// What depends on the chip: an unknown one, FNUZ, the size of LDS.

// RUN: not te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx90a}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule))' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not te-opt %s --pass-pipeline='builtin.module(func.func(te-schedule{target=gfx942}))' 2>&1 | FileCheck %s --check-prefix=LDS

// UNKNOWN: te-schedule-target.mlir:[[@LINE+6]]:{{[0-9]+}}: error: unknown target 'gfx90a'; te-mlir compiles for gfx942, gfx950
// NONE: error: unknown target ''; te-mlir compiles for gfx942, gfx950

#fp8t = #te.scaling<tensor, scale = f32, data_layout = transposed>
// FNUZ is what gfx942 computes with; its LDS has 64 KiB.
// LDS-NOT: G1
func.func @f(%x: tensor<?x?xbf16>, %s: tensor<f32>) -> !te.scaled<?x?xf8E4M3FNUZ, #fp8t> {
  // LDS: te-schedule-target.mlir:[[@LINE+1]]:{{[0-9]+}}: error: the tile needs 131072 bytes of LDS, but a workgroup has 65536 on gfx942; use a smaller tile{{.*}}(H8)
  %r = te.fusion "k" (%a = %x : tensor<?x?xbf16>, %b = %s : tensor<f32>) -> (!te.scaled<?x?xf8E4M3FNUZ, #fp8t>)
      attributes {schedule = #te.schedule<"gfx942", tile = [256, 512], waves = 16, vector = 8>} {
    %0 = te.quantize %a scale(%b : tensor<f32>) : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FNUZ, #fp8t>
    te.yield %0 : !te.scaled<?x?xf8E4M3FNUZ, #fp8t>
  }
  return %r : !te.scaled<?x?xf8E4M3FNUZ, #fp8t>
}
