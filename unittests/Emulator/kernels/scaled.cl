#include "ids.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef __bf16 bf16x2 __attribute__((ext_vector_type(2)));

// Codes of x and -x under a scale, from f32, f16 and bf16.
kernel void encode(global const float *in, global const float *scales,
                   global uint *out) {
  int i = gid(256);
  float x = in[i], s = scales[i];
  half2 h = (half2)((half)x, (half)-x);
  bf16x2 b = __builtin_astype(__builtin_astype(x, uint) >> 16 |
                                  ((__builtin_astype(x, uint) & 0xffff0000) ^
                                   0x80000000),
                              bf16x2);
  short2 old = (short2)(0x1111, 0x2222);
  out += i * 9;
#define PUT(K, V) out[K] = __builtin_astype(V, uint)
  PUT(0, __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(old, x, -x, s, false));
  PUT(1, __builtin_amdgcn_cvt_scalef32_pk_fp8_f16(old, h, s, true));
  PUT(2, __builtin_amdgcn_cvt_scalef32_pk_fp8_bf16(old, b, s, false));
  PUT(3, __builtin_amdgcn_cvt_scalef32_pk_bf8_f32(old, x, -x, s, true));
  PUT(4, __builtin_amdgcn_cvt_scalef32_pk_bf8_f16(old, h, s, false));
  PUT(5, __builtin_amdgcn_cvt_scalef32_pk_bf8_bf16(old, b, s, true));
  PUT(6, __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(0x33333333, x, -x, s, 1));
  PUT(7, __builtin_amdgcn_cvt_scalef32_pk_fp4_f16(0x33333333, h, s, 2));
  PUT(8, __builtin_amdgcn_cvt_scalef32_pk_fp4_bf16(0x33333333, b, s, 3));
}

// Values of code (i & 255) under a scale.
kernel void decode(global const float *scales, global uint *out) {
  int i = gid(256);
  uint code = i & 255;
  float s = scales[i];
  half2 old = (half2)(1.0h, 2.0h);
  out += i * 20;
  PUT(0, __builtin_amdgcn_cvt_scalef32_f32_fp8(code << 16, s, 2));
  PUT(1, __builtin_amdgcn_cvt_scalef32_f32_bf8(code << 8, s, 1));
  PUT(2, __builtin_amdgcn_cvt_scalef32_f16_fp8(old, code << 24, s, 3, false));
  PUT(3, __builtin_amdgcn_cvt_scalef32_f16_bf8(old, code, s, 0, true));
#define PUT2(K, V)                                                             \
  do {                                                                         \
    float2 pair = V;                                                           \
    PUT(K, pair.x);                                                            \
    PUT(K + 1, pair.y);                                                        \
  } while (0)
  PUT2(4, __builtin_amdgcn_cvt_scalef32_pk_f32_fp8(code << 8 | (code ^ 0x80), s, false));
  PUT2(6, __builtin_amdgcn_cvt_scalef32_pk_f32_bf8((code << 8 | (code ^ 0x80)) << 16, s, true));
  PUT(8, __builtin_amdgcn_cvt_scalef32_pk_f16_fp8(code << 8 | (code ^ 0x80), s, false));
  PUT(9, __builtin_amdgcn_cvt_scalef32_pk_f16_bf8((code << 8 | (code ^ 0x80)) << 16, s, true));
  PUT(10, __builtin_amdgcn_cvt_scalef32_pk_bf16_fp8(code << 8 | (code ^ 0x80), s, false));
  PUT(11, __builtin_amdgcn_cvt_scalef32_pk_bf16_bf8((code << 8 | (code ^ 0x80)) << 16, s, true));
  PUT2(12, __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(code << 8, s, 1));
  PUT(14, __builtin_amdgcn_cvt_scalef32_pk_f16_fp4(code << 16, s, 2));
  PUT(15, __builtin_amdgcn_cvt_scalef32_pk_bf16_fp4(code << 24, s, 3));
}

// gfx950's other additions.
kernel void others(global const uint *a, global const uint *b,
                   global const uint *c, global uint *out) {
  int i = gid(64);
  uint x = a[i], y = b[i], z = c[i];
  float fx = __builtin_astype(x, float), fy = __builtin_astype(y, float);
  out += i * 8;
  bf16x2 pair = (bf16x2)((__bf16)fx, (__bf16)fy); // v_cvt_pk_bf16_f32
  PUT(0, pair);
  out[1] = __builtin_amdgcn_bitop3_b32(x, y, z, 0xca);
  uint2 s16 = __builtin_astype(
      __builtin_amdgcn_permlane16_swap(x, y, false, false), uint2);
  uint2 s32 = __builtin_astype(
      __builtin_amdgcn_permlane32_swap(x, y, false, false), uint2);
  out[2] = s16.x;
  out[3] = s16.y;
  out[4] = s32.x;
  out[5] = s32.y;
  out[6] = __builtin_amdgcn_prng_b32(x);
  out[7] = __builtin_amdgcn_ashr_pk_i8_i32(x, y, z & 31) & 0xffff;
}

// With MODE.FP16_OVFL, which keeps what is out of range finite.
kernel void clamped(global const float *in, global const float *scales,
                    global uint *out) {
  int i = lid();
  float x = in[i], s = scales[i];
  uint fp8, bf8;
  __asm__ volatile("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n"
                   "v_cvt_scalef32_pk_fp8_f32 %0, %2, -%2, %3\n"
                   "v_cvt_scalef32_pk_bf8_f32 %1, %2, -%2, %3\n"
                   "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 0"
                   : "=&v"(fp8), "=&v"(bf8)
                   : "v"(x), "v"(s));
  out[i * 2] = fp8 & 0xffff;
  out[i * 2 + 1] = bf8 & 0xffff;
}
