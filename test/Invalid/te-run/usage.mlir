// Wrong usage and bad inputs: exit code 2, and a message that names the remedy.

// RUN: te-run %s --device=vulkan 2>/dev/null; test $? -eq 2
// RUN: te-run %s --device=reference 2>/dev/null; test $? -eq 2

// DEFINE: %{run} = te-run %s --device=reference
// DEFINE: %{check} = FileCheck %s --check-prefix

// RUN: not te-run %s --device=reference --check 2>&1 | %{check}=CHECKREF
// CHECKREF: --check compares a device with the reference, and --device=reference is the reference
// RUN: not te-run %s --device=vulkan 2>&1 | %{check}=DEVICE
// DEVICE: te-run: for the --device option: Cannot find option named 'vulkan'!
// RUN: not te-run %s --sanitise 2>&1 | %{check}=UNKNOWN
// UNKNOWN: Unknown command line argument '--sanitise'
// RUN: not te-run %s.none 2>&1 | %{check}=NOFILE
// NOFILE: usage.mlir.none: cannot open: No such file or directory
// RUN: not %{run} --entry=g --dim=M=2 2>&1 | %{check}=ENTRY
// ENTRY: no entry g; there are: f
// RUN: not %{run} 2>&1 | %{check}=NODIM
// NODIM: the size of dimension M is not known: no input has it; give --dim=M=N
// RUN: not %{run} --dim=K=2 2>&1 | %{check}=BADDIM
// BADDIM: --dim=K: entry f has no such dimension; it has M
// RUN: not %{run} --dim=M 2>&1 | %{check}=DIMFORM
// DIMFORM: --dim=M: expected NAME=N, each name once
// RUN: not %{run} --dim=M=-1 2>&1 | %{check}=NEGATIVE
// NEGATIVE: dimension M cannot be -1 (--dim=M)
// RUN: not %{run} --dim=M=999999999999999 2>&1 | %{check}=HUGE
// HUGE: x of 999999999999999x4 f32 does not fit in this machine's memory
// RUN: not %{run} --dim=M=2 --input=random:x 2>&1 | %{check}=SEED
// SEED: --input=random:x: expected random:SEED, random:SEED:normal or random:SEED:uniform
// RUN: not %{run} --dim=M=2 --input=random:0 --input=random:0 2>&1 | %{check}=MANY
// MANY: 2 --input flags, but entry f takes 1; see --list
// RUN: not %{run} --dim=M=2 --output=%t1 --output=%t2 2>&1 | %{check}=OUTPUTS
// OUTPUTS: 2 --output flags, but entry f has 1 result buffers; see --list

// RUN: %python -c "import numpy as np; np.save('%t.f8.npy', np.zeros((2, 4)))"
// RUN: not %{run} --input=%t.f8.npy 2>&1 | %{check}=DTYPE
// DTYPE: argument x: {{.*}}.f8.npy: element type '<f8', expected '<f4' (f32; use .astype('<f4'))
// RUN: %python -c "import numpy as np; np.save('%t.order.npy', np.zeros((2, 4), np.float32, order='F'))"
// RUN: not %{run} --input=%t.order.npy 2>&1 | %{check}=ORDER
// ORDER: the array is in Fortran order, expected C order; save numpy.ascontiguousarray(a)
// RUN: %python -c "import numpy as np; np.save('%t.shape.npy', np.zeros((2, 5), np.float32))"
// RUN: not %{run} --input=%t.shape.npy 2>&1 | %{check}=SHAPE
// SHAPE: argument x has shape 2x5, expected 2x4 (M x 4)
// RUN: %python -c "import numpy as np; np.save('%t.rank.npy', np.zeros(8, np.float32))"
// RUN: not %{run} --input=%t.rank.npy 2>&1 | %{check}=RANK
// RANK: argument x has 1 dimensions (8), expected 2 (M x 4)
// RUN: head -c 100 %t.shape.npy > %t.cut.npy
// RUN: not %{run} --input=%t.cut.npy 2>&1 | %{check}=CUT
// CUT: cut.npy: truncated: it ends inside the header
// RUN: not %{run} --input=%s 2>&1 | %{check}=NOTNPY
// NOTNPY: usage.mlir: not a .npy file; write it with numpy.save
// RUN: not te-run %t.shape.npy 2>&1 | %{check}=NOTMLIR
// NOTMLIR: shape.npy: neither MLIR (text or bytecode) nor a code object (HSACO)
// RUN: not te-run %s --device=hip --dim=M=2 2>&1 | %{check}=HIP
// HIP: {{no HIP here|HIP reports no GPU}}{{.*}}use another --device
// RUN: not te-run %s --device=cuda --dim=M=2 2>&1 | %{check}=CUDA
// CUDA: {{no CUDA here|CUDA reports no GPU|cuInit failed}}{{.*}}

func.func @f(%x: tensor<?x4xf32> {te.dims = ["M", "K"], te.name = "x"}) -> tensor<f32> {
  %a = te.amax %x : tensor<?x4xf32> -> tensor<f32>
  return %a : tensor<f32>
}
