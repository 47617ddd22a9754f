#include "ids.h"

// hwreg(HW_REG_MODE, offset, size), as s_setreg encodes it.
#define MODE(OFFSET, SIZE) (1 | (OFFSET) << 6 | ((SIZE) - 1) << 11)

// Sums and products under each rounding mode of f32.
kernel void rounding(global const float *a, global const float *b,
                     global float *out) {
  int i = gid(64);
  for (int mode = 0; mode < 4; ++mode) {
    switch (mode) {
    case 0:
      __builtin_amdgcn_s_setreg(MODE(0, 2), 0);
      break;
    case 1:
      __builtin_amdgcn_s_setreg(MODE(0, 2), 1);
      break;
    case 2:
      __builtin_amdgcn_s_setreg(MODE(0, 2), 2);
      break;
    case 3:
      __builtin_amdgcn_s_setreg(MODE(0, 2), 3);
      break;
    }
    float x = *(volatile global const float *)(a + i);
    float y = *(volatile global const float *)(b + i);
    volatile global float *to = out + i * 8 + mode * 2;
    to[0] = x + y;
    to[1] = x * y;
  }
  __builtin_amdgcn_s_setreg(MODE(0, 2), 0);
}

// Denormals: kept by default, then flushed.
kernel void denormals(global const float *a, global float *out) {
  int i = gid(64);
  volatile global const float *in = a + i;
  volatile global float *to = out + i * 4;
  to[0] = *in * 0.5f;
  __builtin_amdgcn_s_setreg(MODE(4, 2), 0);
  to[1] = *in * 0.5f;
  to[2] = *in * 4.0f;
  __builtin_amdgcn_s_setreg(MODE(4, 2), 3);
  to[3] = *in * 0.5f;
}

// The hardware's own approximations.
kernel void approximations(global const float *a, global float *out) {
  int i = gid(64);
  float x = a[i];
  out += i * 8;
  out[0] = __builtin_amdgcn_rcpf(x);
  out[1] = __builtin_amdgcn_rsqf(x);
  out[2] = __builtin_amdgcn_sqrtf(x);
  out[3] = __builtin_amdgcn_exp2f(x);
  out[4] = __builtin_amdgcn_logf(x);
  out[5] = __builtin_amdgcn_sinf(x);
  out[6] = __builtin_amdgcn_cosf(x);
  out[7] = __builtin_amdgcn_fractf(x);
}
