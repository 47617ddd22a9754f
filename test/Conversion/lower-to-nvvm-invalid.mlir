// No library is linked: a call that stays is an error, and says of what.

// RUN: te-opt %s --split-input-file --verify-diagnostics --lower-to-nvvm -o /dev/null

gpu.module @kernels {
  gpu.func @call(%x: f32, %out: memref<f32>) kernel attributes {te.target = "sm_90a"} {
    %i = arith.fptosi %x : f32 to i32
    // expected-error @+1 {{calls llvm.intr.powi, which no library provides; lower this function to instructions before lower-to-nvvm}}
    %y = math.fpowi %x, %i : f32, i32
    memref.store %y, %out[] : memref<f32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{a kernel needs te.target, the chip it is for}}
  gpu.func @no_target() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{a kernel for gfx942 takes the passes to ROCDL; te-pipeline and te-compile choose them by the target}}
  gpu.func @other() kernel attributes {te.target = "gfx942"} {
    gpu.return
  }
}
