#include "ids.h"

// Narrow, wide and unaligned accesses.
kernel void widths(global const uchar *bytes, global const short *shorts,
                   global const ulong *longs, global const int4 *quads,
                   global uchar *outBytes, global short *outShorts,
                   global ulong *outLongs, global int4 *outQuads) {
  int i = gid(64);
  outBytes[i] = bytes[i] * 3;
  outShorts[i] = shorts[i] - (char)bytes[i];
  outLongs[i] = longs[i] * 0x123456789abcdefUL + bytes[i];
  outQuads[i] = quads[i].wzyx + (int4)(1, 2, 3, 4);
}

typedef int __attribute__((aligned(1))) unaligned_int;
kernel void unaligned(global const char *in, global char *out) {
  int i = gid(64);
  *(global unaligned_int *)(out + 1 + i * 5) =
      *(global const unaligned_int *)(in + 3 + i * 5);
}

// A 64 x 64 transpose through LDS by 256 items.
kernel void transpose(global const float *in, global float *out) {
  local float tile[64][65];
  int x = lid() & 63, y = lid() >> 6;
  for (int row = y; row < 64; row += 4)
    tile[row][x] = in[row * 64 + x];
  barrier_lds();
  for (int row = y; row < 64; row += 4)
    out[row * 64 + x] = tile[x][row];
}

// A sum over the workgroup in log steps.
__attribute__((reqd_work_group_size(512, 1, 1)))
kernel void reduce(global const uint *in, global uint *out) {
  local uint part[512];
  int i = lid();
  part[i] = in[group() * 512 + i];
  for (int step = 256; step > 0; step >>= 1) {
    barrier_lds();
    if (i < step)
      part[i] += part[i + step];
  }
  if (i == 0)
    out[group()] = part[0];
}

kernel void atomics(global int *cells, global long *wide, global float *single,
                    global const int *in) {
  int i = gid(256);
  int v = in[i];
  __opencl_atomic_fetch_add((global atomic_int *)cells, v, memory_order_relaxed,
                            memory_scope_device);
  __opencl_atomic_fetch_min((global atomic_int *)cells + 1, v,
                            memory_order_relaxed, memory_scope_device);
  __opencl_atomic_fetch_max((global atomic_int *)cells + 2, v,
                            memory_order_relaxed, memory_scope_device);
  __opencl_atomic_fetch_or((global atomic_int *)cells + 3, v,
                           memory_order_relaxed, memory_scope_device);
  __opencl_atomic_fetch_xor((global atomic_int *)cells + 4 + (i & 3), v,
                            memory_order_relaxed, memory_scope_device);
  __opencl_atomic_fetch_add((global atomic_long *)wide, (long)v << 20,
                            memory_order_relaxed, memory_scope_device);
  __builtin_amdgcn_global_atomic_fadd_f32(single, (float)(v & 15));
  int expected = 0;
  __opencl_atomic_compare_exchange_strong(
      (global atomic_int *)cells + 8 + (i >> 4), &expected, i + 1,
      memory_order_relaxed, memory_order_relaxed, memory_scope_device);
}

kernel void lds_atomics(global const int *in, global int *out) {
  local int bins[32];
  int i = lid();
  if (i < 32)
    bins[i] = 0;
  barrier_lds();
  int v = in[gid(256)];
  int old = __opencl_atomic_fetch_add((local atomic_int *)&bins[v & 15], v,
                                      memory_order_relaxed,
                                      memory_scope_work_group);
  __opencl_atomic_fetch_max((local atomic_int *)&bins[16 + (v & 15)], v,
                            memory_order_relaxed, memory_scope_work_group);
  barrier_lds();
  if (i < 32)
    out[group() * 32 + i] = bins[i];
  if (old == 0x7fffffff)
    out[0] = 1;
}

// Numbers of items and groups in three dimensions.
kernel void ids(global int *out, int width, int height) {
  int x = __builtin_amdgcn_workgroup_id_x() * 4 +
          __builtin_amdgcn_workitem_id_x();
  int y = __builtin_amdgcn_workgroup_id_y() * 3 +
          __builtin_amdgcn_workitem_id_y();
  int z = __builtin_amdgcn_workgroup_id_z() * 7 +
          __builtin_amdgcn_workitem_id_z();
  out[(z * height + y) * width + x] = x + y * 1000 + z * 1000000;
}

// What the hidden arguments say.
kernel void hidden(global uint *out) {
  const constant uint *hidden = __builtin_amdgcn_implicitarg_ptr();
  const constant ushort *sizes = (const constant ushort *)hidden;
  out[0] = hidden[0];
  out[1] = hidden[1];
  out[2] = hidden[2];
  out[3] = sizes[6];
  out[4] = sizes[7];
  out[5] = sizes[8];
  out[6] = sizes[32];
  const constant ushort *packet =
      (const constant ushort *)__builtin_amdgcn_dispatch_ptr();
  out[7] = packet[2];
}

// An array that cannot live in registers.
kernel void scratch(global const int *in, global int *out, int n) {
  int i = gid(64);
  volatile int cells[80];
  for (int k = 0; k < 80; ++k)
    cells[k] = in[(i + k) % n];
  int sum = 0;
  for (int k = 0; k < 80; ++k)
    sum = sum * 31 + cells[(cells[k] & 0x7fffffff) % 80];
  out[i] = sum;
}

// An array indexed dynamically that does.
kernel void indexed(global const int *in, global int *out) {
  int i = gid(64);
  int cells[12];
  for (int k = 0; k < 12; ++k)
    cells[k] = in[i * 12 + k];
  int at = 0;
  for (int k = 0; k < 20; ++k) {
    at = (uint)cells[at] % 12;
    cells[at] += k;
  }
  int sum = 0;
  for (int k = 0; k < 12; ++k)
    sum = sum * 7 + cells[k];
  out[i] = sum;
}

// Steps of the Collatz sequence: lanes leave a loop at different times.
kernel void collatz(global const uint *in, global int *out) {
  int i = gid(128);
  ulong value = in[i];
  int steps = 0;
  while (value > 1) {
    if (value & 1) {
      value = 3 * value + 1;
      if (steps > 500)
        break;
    } else {
      value >>= 1;
    }
    ++steps;
  }
  out[i] = steps;
}

// Loads through a buffer resource: the range check gives zeros and drops stores.
kernel void buffers(global int *in, global int *out, int bytes) {
  __amdgpu_buffer_rsrc_t from =
      __builtin_amdgcn_make_buffer_rsrc(in, 0, bytes, 0x27000);
  __amdgpu_buffer_rsrc_t to =
      __builtin_amdgcn_make_buffer_rsrc(out, 0, bytes, 0x27000);
  int i = gid(64);
  int4 v = __builtin_astype(
      __builtin_amdgcn_raw_buffer_load_b128(from, i * 16, 0, 0), int4);
  v += 1;
  __builtin_amdgcn_raw_buffer_store_b128(__builtin_astype(v, uint4), to, i * 16,
                                         0, 0);
}

// Pointers of no known address space: global, LDS or private by the lane.
kernel void generic_pointers(global int *g, global int *out, int n) {
  local int shared[64];
  int own[8];
  int i = lid();
  shared[i] = i * 3;
  for (int k = 0; k < 8; ++k)
    own[k] = i * 100 + k;
  barrier_lds();
  volatile int *p = i % 3 == 0   ? (volatile int *)(g + i)
                    : i % 3 == 1 ? (volatile int *)(shared + (i + n) % 64)
                                 : (volatile int *)(own + (i & 7));
  *p += 1000;
  out[i] = *p;
}

__attribute__((noinline)) int twice(int x) { return x * 2 + 1; }
__attribute__((noinline)) int thrice(int x) { return x * 3; }
// Real calls: s_getpc, s_swappc, s_setpc.
kernel void calls(global const int *in, global int *out) {
  int i = gid(64);
  out[i] = in[i] > 0 ? twice(in[i]) + thrice(i) : thrice(in[i]);
}

kernel void copy(global const float4 *in, global float4 *out) {
  int i = gid(256);
  out[i] = in[i];
}

// Every lane loads word lane * stride of LDS.
#define STRIDED(STRIDE)                                                        \
  kernel void strided##STRIDE(global float *out) {                             \
    local float words[64 * STRIDE];                                            \
    out[lid()] = *(volatile local float *)&words[lid() * STRIDE];              \
  }
STRIDED(1)
STRIDED(2)
STRIDED(32)

// Loads `lines` lines of 128 bytes, `times` over: four bytes a lane, two lines a
// wave. The even rounds may end with a fence.
kernel void reload(global const int *in, global int *out, int lines, int times,
                   int fences) {
  int sum = 0;
  for (int round = 0; round < times; ++round) {
    for (int line = 0; line < lines; line += 2)
      sum += *(volatile global const int *)(in + line * 32 + lid());
    if (fences)
      __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
  }
  out[lid() * 16] = sum;
  if (lid() < 32)
    __opencl_atomic_fetch_add((global atomic_int *)out + 1024 + lid(), 1,
                              memory_order_relaxed, memory_scope_device);
}
