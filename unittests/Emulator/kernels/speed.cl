// What te-emulator-speed measures.
#include "ids.h"
typedef float v4f __attribute__((ext_vector_type(4)));
typedef float v16f __attribute__((ext_vector_type(16)));
typedef short v4s __attribute__((ext_vector_type(4)));
typedef short v8s __attribute__((ext_vector_type(8)));

// Eight independent sums of 32x32x8 products: little else in the loop.
kernel void matrix(global const v4s *a, global const v4s *b, global v16f *d,
                   int steps) {
  v4s x = a[lid()], y = b[lid()];
  v16f sums[8];
  for (int i = 0; i < 8; ++i)
    sums[i] = 0;
  for (int step = 0; step < steps; ++step)
#pragma unroll
    for (int i = 0; i < 8; ++i)
      sums[i] = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x, y, sums[i], 0, 0, 0);
  for (int i = 1; i < 8; ++i)
    sums[0] += sums[i];
  d[gid(64)] = sums[0];
}

// f32 and integer arithmetic.
kernel void vector(global const float *in, global float *out, int steps) {
  int i = gid(64);
  float x = in[lid()], y = 1;
  uint h = i;
  for (int step = 0; step < steps; ++step) {
    y = __builtin_fmaf(y, x, 0.5f);
    h = (h ^ (h >> 3)) * 5 + step;
    x = x * 0.999f + (float)(h & 1);
  }
  out[i] = x + y + (float)h;
}

// d[m][n] = sum over k of a[m][k] * b[n][k]: bf16 to f32, a workgroup of four
// waves a 128 x 128 tile, staged through LDS 32 values of k at a time.
__attribute__((reqd_work_group_size(256, 1, 1))) kernel void
gemm(global const v8s *a, global const v8s *b, global float *d, int n, int k) {
  local v8s tileA[128 * 5], tileB[128 * 5]; // rows of 32 values, and padding
  int lane = lid() & 63, wave = lid() >> 6;
  int firstRow = __builtin_amdgcn_workgroup_id_y() * 128;
  int firstColumn = group() * 128;
  int row = (wave >> 1) * 64 + (lane & 31), column = (wave & 1) * 64 + (lane & 31);
  v16f sums[2][2];
  for (int i = 0; i < 4; ++i)
    sums[i / 2][i % 2] = 0;
  for (int step = 0; step < k / 8; step += 4) {
    for (int i = lid(); i < 512; i += 256) {
      tileA[i / 4 * 5 + i % 4] = a[(firstRow + i / 4) * (k / 8) + step + i % 4];
      tileB[i / 4 * 5 + i % 4] = b[(firstColumn + i / 4) * (k / 8) + step + i % 4];
    }
    barrier_lds();
#pragma unroll
    for (int part = 0; part < 4; ++part) {
      v4s x[2], y[2];
      for (int i = 0; i < 2; ++i) {
        x[i] = ((local v4s *)(tileA + (row + i * 32) * 5 + part))[lane >> 5];
        y[i] = ((local v4s *)(tileB + (column + i * 32) * 5 + part))[lane >> 5];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
        sums[i / 2][i % 2] = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(
            x[i / 2], y[i % 2], sums[i / 2][i % 2], 0, 0, 0);
    }
    barrier_lds();
  }
  int outRow = firstRow + (wave >> 1) * 64 + (lane >> 5) * 4;
  for (int i = 0; i < 4; ++i)
    for (int r = 0; r < 16; ++r)
      d[(outRow + i / 2 * 32 + r / 4 * 8 + r % 4) * n + firstColumn + column +
        i % 2 * 32] = sums[i / 2][i % 2][r];
}
