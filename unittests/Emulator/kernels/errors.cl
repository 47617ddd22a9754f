#include "ids.h"

kernel void lds_overrun(global int *out, int at) {
  local int words[64];
  words[lid()] = lid();
  barrier_lds();
  out[lid()] = *(volatile local int *)(words + at);
}

kernel void misaligned_atomic(global char *out) {
  __opencl_atomic_fetch_add((global atomic_int *)(out + 2), 1,
                            memory_order_relaxed, memory_scope_device);
}

kernel void trap(global int *out) {
  if (group() == 2)
    __builtin_trap();
  out[gid(64)] = 1;
}

kernel void unknown(global float *out, float a) {
  __asm__ volatile("v_screen_partition_4se_b32 %0, %0" : "+v"(a));
  out[lid()] = a;
}

kernel void forever(global int *out) {
  while (*(volatile global int *)out == 0)
    __builtin_amdgcn_s_sleep(1);
}

// Four waves: one ends at once, the others still pass their barriers.
kernel void early_end(global int *out) {
  if (lid() / 64 == 1)
    return;
  for (int k = 0; k < 3; ++k) {
    __builtin_amdgcn_s_barrier();
    out[lid()] += k;
  }
}
