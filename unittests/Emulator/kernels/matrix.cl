#include "ids.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define VECTOR(NAME, TYPE, N)                                                  \
  typedef TYPE NAME __attribute__((ext_vector_type(N)))
VECTOR(v2f, float, 2);
VECTOR(v4f, float, 4);
VECTOR(v16f, float, 16);
VECTOR(v32f, float, 32);
VECTOR(v4i, int, 4);
VECTOR(v16i, int, 16);
VECTOR(v32i, int, 32);
VECTOR(v4h, half, 4);
VECTOR(v8h, half, 8);
VECTOR(v4s, short, 4);
VECTOR(v8b, __bf16, 8);
VECTOR(v4d, double, 4);

// A lane's registers lie together.
#define BOTH(NAME, SUFFIX, SIZE, DEPTH, BLOCKS, FA, FB, A, B, C, CBSZ, ABID,   \
             BLGP, P942, P950)                                                 \
  kernel void NAME##SUFFIX(global const A *a, global const B *b,               \
                           global const C *c, global C *d) {                   \
    int l = lid();                                                             \
    d[l] = __builtin_amdgcn_mfma_##NAME(a[l], b[l], c[l], CBSZ, ABID, BLGP);   \
  }
#ifdef __gfx950__
#define ON950 BOTH
#define ON942(...)
#else
#define ON942 BOTH
#define ON950(...)
#endif
#include "matrix_ops.def"

// C is an inline constant.
kernel void constant_f32(global const float *a, global const float *b,
                         global v4f *d) {
  int l = lid();
  d[l] = __builtin_amdgcn_mfma_f32_16x16x4f32(a[l], b[l], (v4f)(-2), 0, 0, 0);
}
kernel void constant_i32(global const long *a, global const long *b,
                         global v4i *d) {
  int l = lid();
  d[l] = __builtin_amdgcn_mfma_i32_16x16x32_i8(a[l], b[l], (v4i)(-5), 0, 0, 0);
}

// A, C and D in accumulation registers, D = C; half of the lanes are off.
kernel void accumulators(global const float *a, global const float *b,
                         global const v4f *c, global v4f *d) {
  int l = lid();
  v4f sum = c[l];
  float x = a[l], y = b[l];
  __asm volatile("v_mfma_f32_16x16x4_f32 %0, %1, %2, %0\n"
                 "s_mov_b64 s[40:41], exec\n"
                 "s_mov_b64 exec, 0xff\n"
                 "v_mfma_f32_16x16x4_f32 %0, %1, %2, %0\n"
                 "s_mov_b64 exec, s[40:41]\n"
                 "s_nop 15\n"
                 : "+a"(sum)
                 : "a"(x), "v"(y)
                 : "s40", "s41");
  d[l] = sum;
}
