// RUN: te-opt %s --split-input-file --verify-diagnostics --te-gpu-to-nvvm -o /dev/null

gpu.module @kernels {
  // expected-error @+1 {{a kernel needs te.target, the chip it is for}}
  gpu.func @no_target() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{a kernel for gfx950 takes the passes to ROCDL; te-pipeline and te-compile choose them by the target}}
  gpu.func @other() kernel attributes {te.target = "gfx950"} {
    gpu.return
  }
}
