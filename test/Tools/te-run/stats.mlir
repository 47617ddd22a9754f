// Every figure says how it was obtained.

// RUN: te-run %s --device=emulator --target=gfx950 --dim=M=64 --dim=K=128 --stats=text | FileCheck %s
// RUN: te-run %s --device=emulator --target=gfx950 --dim=M=64 --dim=K=128 --stats=json | %python -c "import json, sys; s = json.load(sys.stdin); t = s['total']; print(s['dims'], t['least_bytes']['value'], t['instructions']['how'], t['instructions']['value'] == sum(l['counts']['instructions'] for l in s['launches']))" | FileCheck %s --check-prefix=JSON
// RUN: te-run %s --device=reference --dim=M=64 --dim=K=128 --stats=text | FileCheck %s --check-prefix=REFERENCE
// RUN: te-run %s --device=emulator --target=gfx950 --dim=M=64 --dim=K=128 --annotate | FileCheck %s --check-prefix=ANNOTATE

// CHECK:      f on emulator, M = 64, K = 128
// CHECK:      kernel f_0
// CHECK-NEXT:   VGPR {{[0-9]+}} a lane code object metadata
// CHECK:        VGPR spills 0 code object metadata
// CHECK:        wave-instructions {{[0-9]+}} emulated count
// CHECK:        LDS bank conflicts {{[0-9]+}} cycles emulated count
// CHECK:        emulator speed {{.*}} M wave-instructions/s host wall time
// CHECK:      total
// CHECK-NEXT:   least possible bytes 16388 bytes from the shapes
// CHECK:        moved / least possible {{[0-9.]+}} emulated count

// JSON: {'K': 128, 'M': 64} 16388 emulated count True

// Code is of this file's lines.
// ANNOTATE: kernel f_0: 1 launches
// ANNOTATE: global_load
// ANNOTATE: ; {{.*}}stats.mlir:{{[0-9]+}}:

// REFERENCE:      f on reference, M = 64, K = 128
// REFERENCE-NEXT: total
// REFERENCE-NEXT:   least possible bytes 16388 bytes

func.func @f(%x: tensor<?x?xbf16> {te.dims = ["M", "K"]}) -> tensor<f32> {
  %a = te.amax %x : tensor<?x?xbf16> -> tensor<f32>
  return %a : tensor<f32>
}
