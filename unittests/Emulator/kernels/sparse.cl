#include "ids.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define VECTOR(NAME, TYPE, N)                                                  \
  typedef TYPE NAME __attribute__((ext_vector_type(N)))
VECTOR(v4f, float, 4);
VECTOR(v16f, float, 16);
VECTOR(v2i, int, 2);
VECTOR(v4i, int, 4);
VECTOR(v8i, int, 8);
VECTOR(v16i, int, 16);
VECTOR(v4h, half, 4);
VECTOR(v8h, half, 8);
VECTOR(v16h, half, 16);
VECTOR(v4s, short, 4);
VECTOR(v8s, short, 8);
VECTOR(v8b, __bf16, 8);
VECTOR(v16b, __bf16, 16);

// A lane's registers lie together.
#define BOTH(NAME, SUFFIX, SIZE, DEPTH, FA, FB, A, B, C, CBSZ, ABID)           \
  kernel void NAME##SUFFIX(global const A *a, global const B *b,               \
                           global const C *c, global const int *indices,       \
                           global C *d) {                                      \
    int l = lid();                                                             \
    d[l] = __builtin_amdgcn_smfmac_##NAME(a[l], b[l], c[l], indices[l], CBSZ,  \
                                          ABID);                               \
  }
#ifdef __gfx950__
#define ON950 BOTH
#else
#define ON950(...)
#endif
#include "sparse_ops.def"

// D in accumulation registers, and half of the lanes are off.
kernel void accumulators(global const v4h *a, global const v8h *b,
                         global const v4f *c, global const int *indices,
                         global v4f *d) {
  int l = lid();
  v4f sum = c[l];
  v4h x = a[l];
  v8h y = b[l];
  __asm volatile("s_mov_b64 s[40:41], exec\n"
                 "s_mov_b64 exec, 0xff\n"
                 "v_smfmac_f32_16x16x32_f16 %0, %1, %2, %3\n"
                 "s_mov_b64 exec, s[40:41]\n"
                 "s_nop 15\n"
                 : "+a"(sum)
                 : "v"(x), "a"(y), "v"(indices[l])
                 : "s40", "s41");
  d[l] = sum;
}
