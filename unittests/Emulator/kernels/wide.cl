#include "ids.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float v16f __attribute__((ext_vector_type(16)));
typedef float v32f __attribute__((ext_vector_type(32)));
typedef half v32h __attribute__((ext_vector_type(32)));
typedef __bf16 v32b __attribute__((ext_vector_type(32)));
typedef uint v6u __attribute__((ext_vector_type(6)));
typedef uint v2u __attribute__((ext_vector_type(2)));
typedef uint v3u __attribute__((ext_vector_type(3)));
#define B(NAME) __builtin_amdgcn_cvt_scalef32_##NAME

// Codes of 32 values (f32, f16, bf16) under a scale: nearest, then by random bits.
#define FORMAT(F)                                                              \
  out[0] = B(2xpk16_##F##_f32)(even[i], odd[i], s);                            \
  out[1] = B(pk32_##F##_f16)(h[i], s);                                         \
  out[2] = B(pk32_##F##_bf16)(b[i], s);                                        \
  out[3] = B(sr_pk32_##F##_f32)(f[i], random, s);                              \
  out[4] = B(sr_pk32_##F##_f16)(h[i], random, s);                              \
  out[5] = B(sr_pk32_##F##_bf16)(b[i], random, s);                             \
  out += 6;
kernel void encode(global const v32f *f, global const v16f *even,
                   global const v16f *odd, global const v32h *h,
                   global const v32b *b, global const float *scales,
                   global v6u *out, uint random) {
  int i = gid(64);
  float s = scales[i];
  out += i * 12;
  FORMAT(fp6)
  FORMAT(bf6)
}

kernel void decode(global const v6u *codes, global const float *scales,
                   global v32f *f, global v32h *h, global v32b *b) {
  int i = gid(64);
  float s = scales[i];
  f[i * 2] = B(pk32_f32_fp6)(codes[i], s);
  f[i * 2 + 1] = B(pk32_f32_bf6)(codes[i], s);
  h[i * 2] = B(pk32_f16_fp6)(codes[i], s);
  h[i * 2 + 1] = B(pk32_f16_bf6)(codes[i], s);
  b[i * 2] = B(pk32_bf16_fp6)(codes[i], s);
  b[i * 2 + 1] = B(pk32_bf16_bf6)(codes[i], s);
}

// One or two codes by random bits: the byte that each instruction picks.
#define STOCHASTIC(NAME, A)                                                    \
  {                                                                            \
    uint r = 0x5a5a5a5a;                                                       \
    __asm__ volatile("v_cvt_scalef32_sr_" NAME " %0, %1, %2, %3 op_sel:[0,0,1,0]" \
                     : "+v"(r)                                                 \
                     : "v"(A), "v"(random), "v"(s));                           \
    *out++ = r;                                                                \
  }
kernel void stochastic(global const float *in, global const float *scales,
                       global uint *out, uint random) {
  int i = gid(64);
  float x = in[i], s = scales[i];
  uint h = __builtin_astype((half2)((half)x, (half)x), uint);
  uint b = __builtin_astype(x, uint) >> 16 | (__builtin_astype(x, uint) & 0xffff0000);
  float2 pair = (float2)(x, x);
  out += i * 9;
  STOCHASTIC("fp8_f32", x)
  STOCHASTIC("fp8_f16", h)
  STOCHASTIC("fp8_bf16", b)
  STOCHASTIC("bf8_f32", x)
  STOCHASTIC("bf8_f16", h)
  STOCHASTIC("bf8_bf16", b)
  STOCHASTIC("pk_fp4_f32", pair)
  STOCHASTIC("pk_fp4_f16", h)
  STOCHASTIC("pk_fp4_bf16", b)
}

// Sixteen lanes' elements, transposed: of 16, 8, 4 and 6 bits.
#define READ(TYPE, TEXT, AT)                                                   \
  {                                                                            \
    TYPE r;                                                                    \
    __asm__ volatile(TEXT " %0, %1\ns_waitcnt lgkmcnt(0)"                      \
                     : "=v"(r)                                                 \
                     : "v"(AT)                                                 \
                     : "memory");                                              \
    *(global TYPE *)out = r;                                                   \
    out += 4;                                                                  \
  }
kernel void transposed(global const uint4 *in, global uint *out) {
  local uint4 words[64];
  words[lid()] = in[lid()];
  barrier_lds();
  uint at = (uint)(ulong)(words + lid());
  out += lid() * 16;
  READ(v2u, "ds_read_b64_tr_b16", at)
  READ(v2u, "ds_read_b64_tr_b8", at)
  READ(v2u, "ds_read_b64_tr_b4", at)
  READ(v3u, "ds_read_b96_tr_b6", at)
}
