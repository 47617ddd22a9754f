// RUN: te-opt %s --split-input-file --verify-diagnostics --te-gpu-to-amdgpu -o /dev/null

gpu.module @kernels {
  // expected-error @+1 {{a kernel needs te.target, the chip it is for}}
  gpu.func @no_target() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{a kernel needs te.target, the chip it is for}}
  gpu.func @unknown_target() kernel attributes {te.target = "gfx90a"} {
    gpu.return
  }
}
