// RUN: te-run %s --device=reference --list | FileCheck %s --check-prefix=SIGNATURE
// RUN: te-run %s --target=gfx950 --list | FileCheck %s

// SIGNATURE:      entry dequantize
// SIGNATURE-NEXT:   dimensions: M, K
// SIGNATURE-NEXT:   argument q : !te.scaled<?x?xf8E4M3FN, #te.scaling<block = [1, 32], scale = f8E8M0FNU>>
// SIGNATURE-NEXT:     q.data: f8E4M3FN [M, K], .npy type u1
// SIGNATURE-NEXT:     q.scale: f8E8M0FNU [roundup(M, 128), roundup(ceildiv(K, 32), 4)], .npy type u1
// SIGNATURE-NEXT:   result result0 : tensor<?x?xbf16>

// CHECK:      target gfx950, made by te-mlir
// CHECK-NEXT: entry dequantize
// CHECK-NEXT:   dimensions: M, K
// CHECK:          q.scale: f8E8M0FNU [roundup(M, 128), roundup(ceildiv(K, 32), 4)], .npy type u1
// CHECK:        result result0 : tensor<?x?xbf16>
// CHECK-NEXT:     result0: bf16 [M, K], .npy type u2
// CHECK-NEXT:   launches dequantize_0_rows{{[0-9]+}}: grid [{{.*}}, where M is 0 to {{[0-9]+}}
// CHECK:        launches dequantize_0: grid [{{.*}}, where M is {{[0-9]+}} or more
// CHECK:      kernel dequantize_0{{(_rows[0-9]+)?}}: {{[0-9]+}} VGPR, {{[0-9]+}} AGPR, {{[0-9]+}} SGPR

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @dequantize(%q: !te.scaled<?x?xf8E4M3FN, #row> {te.dims = ["M", "K"], te.name = "q"}) -> tensor<?x?xbf16> {
  %y = te.dequantize %q : !te.scaled<?x?xf8E4M3FN, #row> -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}
