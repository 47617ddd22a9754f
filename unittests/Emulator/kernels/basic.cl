#include "ids.h"

kernel void add(global const float *a, global const float *b, global float *c,
                int n) {
  int i = gid(256);
  if (i < n)
    c[i] = a[i] + b[i];
}

// 32-bit integers of many kinds: sixteen results an item.
kernel void integers(global const int *a, global const int *b, global int *out,
                     int n) {
  int i = gid(64);
  if (i >= n)
    return;
  int x = a[i], y = b[i];
  uint u = x, v = y;
  out += i * 16;
  out[0] = x + y;
  out[1] = x - y;
  out[2] = x * y;
  out[3] = ((long)x * y) >> 32;
  out[4] = ((ulong)u * v) >> 32;
  out[5] = y == 0 ? 0 : u / (v | 1);
  out[6] = x % (y | 1);
  out[7] = x >> (y & 31);
  out[8] = u >> (v & 31);
  out[9] = x << (y & 31);
  out[10] = (x < y ? x : y) ^ (int)(u > v ? u : v);
  out[11] = __builtin_popcount(u) + (u ? __builtin_clz(u) : 32) * 64;
  out[12] = (x & y) | (~x & 0x5a5a5a5a);
  out[13] = __builtin_elementwise_fshl(u, u, v);
  out[14] = x > y ? u - v : v - u;
  out[15] = ((x << 8 >> 8) * (y << 8 >> 8)) + (x == y) + (u < v) * 2;
}
