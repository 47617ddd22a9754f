#include "ids.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Single precision: eight results an item, all exactly rounded.
kernel void singles(global const float *a, global const float *b,
                    global float *out, int n) {
  int i = gid(256);
  if (i >= n)
    return;
  float x = a[i], y = b[i];
  out += i * 12;
  out[0] = x + y;
  out[1] = x - y;
  out[2] = x * y;
  out[3] = x / y;
  out[4] = __builtin_sqrtf(x);
  out[5] = __builtin_fmaf(x, y, 1.5f);
  out[6] = __builtin_floorf(x);
  out[7] = __builtin_ceilf(x);
  out[8] = __builtin_truncf(x);
  out[9] = __builtin_rintf(x);
  out[10] = __builtin_ldexpf(x, 3);
  out[11] = __builtin_fminf(x, y) + __builtin_fmaxf(x, 2.0f);
}

kernel void doubles(global const double *a, global const double *b,
                    global double *out, int n) {
  int i = gid(256);
  if (i >= n)
    return;
  double x = a[i], y = b[i];
  out += i * 8;
  out[0] = x + y;
  out[1] = x * y;
  out[2] = x / y;
  out[3] = __builtin_sqrt(x);
  out[4] = __builtin_fma(x, y, 1.5);
  out[5] = __builtin_floor(x);
  out[6] = __builtin_fmin(x, y);
  out[7] = (float)x;
}

kernel void preop(global const double *a, global double *out) {
  int i = gid(64);
  for (int k = 0; k < 3; ++k)
    out[i * 3 + k] = __builtin_amdgcn_trig_preop(a[i], k);
}

kernel void halves(global const half *a, global const half *b,
                   global half *out, int n) {
  int i = gid(256);
  if (i >= n)
    return;
  half x = a[i], y = b[i];
  out += i * 8;
  out[0] = x + y;
  out[1] = x - y;
  out[2] = x * y;
  out[3] = x / y;
  out[4] = __builtin_fmaf16(x, y, (half)1.5);
  out[5] = __builtin_floorf16(x);
  out[6] = x < y ? x : y;
  out[7] = (half)(float)x;
}

// Two halves at once: VOP3P.
kernel void packed_halves(global const half2 *a, global const half2 *b,
                          global half2 *out, int n) {
  int i = gid(256);
  if (i >= n)
    return;
  half2 x = a[i], y = b[i];
  out += i * 6;
  out[0] = x + y;
  out[1] = x * y;
  out[2] = x * y.yx - (half2)(1.0f, 2.0f);
  out[3] = __builtin_elementwise_fma(x, y, x.yy);
  out[4] = __builtin_elementwise_max(x, y);
  out[5] = -x + y.yx;
}

kernel void packed_shorts(global const ushort2 *a, global const ushort2 *b,
                          global ushort2 *out, int n) {
  int i = gid(256);
  if (i >= n)
    return;
  ushort2 x = a[i], y = b[i];
  short2 sx = __builtin_astype(x, short2), sy = __builtin_astype(y, short2);
  out += i * 10;
  out[0] = x + y;
  out[1] = x - y.yx;
  out[2] = x * y;
  out[3] = x << (y & (ushort)15);
  out[4] = x >> (y & (ushort)15);
  out[5] = __builtin_astype(sx >> (sy & (short)15), ushort2);
  out[6] = __builtin_elementwise_min(x, y);
  out[7] = __builtin_astype(__builtin_elementwise_max(sx, sy), ushort2);
  out[8] = __builtin_elementwise_add_sat(x, y);
  out[9] = __builtin_astype(__builtin_elementwise_sub_sat(sx, sy), ushort2);
}

kernel void packed_singles(global const float2 *a, global const float2 *b,
                           global float2 *out, int n) {
  int i = gid(256);
  if (i >= n)
    return;
  float2 x = a[i], y = b[i];
  out += i * 4;
  out[0] = x + y;
  out[1] = x * y.yx;
  out[2] = __builtin_elementwise_fma(x, y, x.yx);
  out[3] = x * 3.0f - y;
}

kernel void converts(global const float *a, global const int *b,
                     global int *out, int n) {
  int i = gid(256);
  if (i >= n)
    return;
  float x = a[i];
  int k = b[i];
  out += i * 12;
  out[0] = __builtin_fabsf(x) < 2e9f ? (int)x : 0;
  out[1] = x >= 0 && x < 4e9f ? (uint)x : 0;
  out[2] = __builtin_astype((float)k, int);
  out[3] = __builtin_astype((float)(uint)k, int);
  out[4] = __builtin_astype((half)x, ushort);
  out[5] = __builtin_astype((float)(k & 0xff), int) +
           __builtin_astype((float)((uint)k >> 24), int);
  out[6] = __builtin_astype((float)__builtin_astype((ushort)k, half), int);
  out[7] = __builtin_astype((float)(long)((long)k * 0x12345), int);
  double d = (double)x * k;
  out[8] = __builtin_astype((float)d, int);
  out[9] = __builtin_fabs(d) < 2e9 ? (int)d : 0;
  out[10] = __builtin_isnan(x) * 1 + __builtin_isinf(x) * 2 +
            (__builtin_signbit(x) != 0) * 4;
  out[11] = __builtin_astype(__builtin_amdgcn_cvt_pkrtz(x, (float)k), int);
}
