// The reference alone: recipes that have no kernels yet, inputs and outputs as files.

// RUN: %python -c "import numpy as np; np.save('%t.x.npy', np.arange(-4, 4, dtype=np.float32).reshape(2, 4))"
// RUN: te-run %s --entry=rows --device=reference --input=%t.x.npy --output=%t.d.npy --output=%t.s.npy
// RUN: %python -c "import numpy as np; print(np.load('%t.d.npy').tolist(), np.load('%t.s.npy').tolist())" | FileCheck %s --check-prefix=ROWS
// ROWS: {{\[\[}}254, 250, 246, 238], [0, 113, 121, 126]] [0.00892857{{[0-9]*}}, 0.0066964{{[0-9]*}}]

// RUN: te-run %s --entry=fp4 --device=reference --input=%t.x.npy --output=%t.d.npy --output=%t.s.npy
// RUN: %python -c "import numpy as np; s = np.load('%t.s.npy'); print(np.load('%t.d.npy').tolist(), s.shape, s[0].tolist(), s[:, 0].tolist()[:3])" | FileCheck %s --check-prefix=FP4
// -4, -3, -2, -1 with exponent 0; then 0, 1, 2, 3 with exponent -1.
// FP4: {{\[\[}}222, 172], [64, 118]] (256, 8) [127, 127, 127, 127, 127, 127, 127, 127] [127, 126, 127]

#row = #te.scaling<row, scale = f32>
func.func @rows(%x: tensor<?x?xf32>) -> !te.scaled<?x?xf8E4M3FN, #row> {
  %q = te.quantize %x : tensor<?x?xf32> -> !te.scaled<?x?xf8E4M3FN, #row>
  return %q : !te.scaled<?x?xf8E4M3FN, #row>
}

#fp4 = #te.scaling<block = [1, 32], scale = f8E8M0FNU, rounding = even>
func.func @fp4(%x: tensor<?x?xf32>) -> !te.scaled<?x?xf4E2M1FN, #fp4> {
  %q = te.quantize %x : tensor<?x?xf32> -> !te.scaled<?x?xf4E2M1FN, #fp4>
  return %q : !te.scaled<?x?xf4E2M1FN, #fp4>
}
