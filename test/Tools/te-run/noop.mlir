// A noop flag of 1.0 leaves the results' buffers as they were: te-run fills them
// with 0xA5 first, in the emulator and in the reference.

// RUN: %python -c "import numpy as np; np.save('%t.npy', np.float32(1))"
// RUN: te-run %s --device=emulator --target=gfx950 --check --dim=M=3 --dim=K=40 --input=random:4 --input=%t.npy --output=%t.out.npy | FileCheck %s
// RUN: %python -c "import numpy as np; d = np.load('%t.out.npy'); print(d.shape, d.dtype, np.unique(d))" | FileCheck %s --check-prefix=POISON
// RUN: te-run %s --device=emulator --target=gfx950 --check --dim=M=3 --dim=K=40 --input=random:4 --output=%t.out.npy | FileCheck %s
// RUN: %python -c "import numpy as np; print(len(np.unique(np.load('%t.out.npy'))) > 9)" | FileCheck %s --check-prefix=WRITTEN

// CHECK: {{^}}PASS
// POISON: (3, 40) uint8 [165]
// WRITTEN: True

#row = #te.scaling<block = [1, 32], scale = f8E8M0FNU>
func.func @f(%x: tensor<?x?xbf16> {te.dims = ["M", "K"]}, %flag: tensor<f32>)
    -> !te.scaled<?x?xf8E4M3FN, #row> {
  %q = te.quantize %x noop(%flag : tensor<f32>) : tensor<?x?xbf16> -> !te.scaled<?x?xf8E4M3FN, #row>
  return %q : !te.scaled<?x?xf8E4M3FN, #row>
}
