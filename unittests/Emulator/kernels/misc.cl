// Instructions that no other kernel has.
#include "ids.h"
typedef uint R2 __attribute__((ext_vector_type(2)));
typedef uint R4 __attribute__((ext_vector_type(4)));
typedef uint R8 __attribute__((ext_vector_type(8)));
typedef uint R16 __attribute__((ext_vector_type(16)));
typedef ulong W2 __attribute__((ext_vector_type(2)));
#define FIRST(VALUE) (uint)__builtin_amdgcn_readfirstlane((uint)(VALUE))
#define RUN(TEXT, ...) __asm__ volatile(TEXT "\ns_waitcnt vmcnt(0) lgkmcnt(0)" __VA_ARGS__)

// Approximations, of three numbers each: f32, f16, f64.
#define NEAR32(TEXT) RUN(TEXT " %0, %1", : "=v"(r) : "v"(x)); *out++ = (double)__builtin_astype(r, float);
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define NEAR16(TEXT) RUN(TEXT " %0, %1", : "=v"(r) : "v"(h)); *out++ = (double)__builtin_astype((ushort)r, half);
#define NEAR64(TEXT) RUN(TEXT " %0, %1", : "=v"(w) : "v"(d)); *out++ = w;
kernel void near(global const float *in, global double *out) {
  int i = gid(64);
  uint r, x = __builtin_astype(in[i], uint);
  uint h = __builtin_astype((half)in[i], ushort);
  double w, d = in[i];
  out += i * 10;
  NEAR32("v_exp_legacy_f32")
  NEAR32("v_log_legacy_f32")
  NEAR16("v_exp_f16")
  NEAR16("v_log_f16")
  NEAR16("v_rsq_f16")
  NEAR16("v_sin_f16")
  NEAR16("v_cos_f16")
  NEAR16("v_fract_f16")
  NEAR64("v_fract_f64")
  NEAR64("v_sqrt_f64")
}

// Pairs of halves and bf16s times one another, and a third number.
kernel void dots(global const uint *in, global float *out) {
  int i = gid(64);
  uint a = in[i * 4], b = in[i * 4 + 1], p = in[i * 4 + 2], q = in[i * 4 + 3];
  float c = 3.25f, r;
  out += i * 4;
  RUN("v_dot2_f32_f16 %0, %1, %2, %3", : "=v"(r) : "v"(a), "v"(b), "v"(c));
  out[0] = r;
  r = c;
  RUN("v_dot2c_f32_f16 %0, %1, %2", : "+v"(r) : "v"(a), "v"(b));
  out[1] = r;
#ifdef __gfx950__
  RUN("v_dot2_f32_bf16 %0, %1, %2, %3", : "=v"(r) : "v"(p), "v"(q), "v"(c));
  out[2] = r;
  r = c;
  RUN("v_dot2c_f32_bf16 %0, %1, %2", : "+v"(r) : "v"(p), "v"(q));
  out[3] = r;
#endif
}

#define CUBE(NAME)                                                             \
  RUN(NAME " %0, %1, %2, %3", : "=v"(r) : "v"(x), "v"(y), "v"(z));             \
  *out++ = r;
kernel void cube(global const float *in, global float *out) {
  int i = gid(64);
  float r, x = in[i * 3], y = in[i * 3 + 1], z = in[i * 3 + 2];
  out += i * 4;
  CUBE("v_cubeid_f32")
  CUBE("v_cubesc_f32")
  CUBE("v_cubetc_f32")
  CUBE("v_cubema_f32")
}

// 2/pi in segments.
kernel void segments(global const double *in, global double *out) {
  int i = gid(64);
  for (int k = 0; k < 3; ++k)
    out[i * 3 + k] = __builtin_amdgcn_trig_preop(in[i], k);
}

// Moves, and sums of differences in four registers.
kernel void moves(global const uint *in, global uint *out) {
  int i = gid(64);
  uint a = in[i], b = ~a, c = 77, r;
  out += i * 12;
  RUN("v_swap_b32 %0, %1", : "+v"(a), "+v"(b));
  out[0] = a;
  out[1] = b;
  RUN("v_writelane_b32 %0, %1, 5", : "+v"(c) : "s"(1234));
  out[2] = c;
  RUN("v_accvgpr_write_b32 a4, %1\ns_nop 1\nv_accvgpr_mov_b32 a5, a4\ns_nop 1\nv_accvgpr_read_b32 %0, a5",
      : "=v"(r) : "v"(a) : "a4", "a5");
  out[3] = r;
  ulong ab = (ulong)b << 32 | a, cd = 0x1111222233334444, moved;
  RUN("v_pk_mov_b32 %0, %1, %2 op_sel:[1,0]", : "=v"(moved) : "v"(ab), "v"(cd));
  *(global ulong *)(out + 4) = moved;
  RUN("v_pk_mov_b32 %0, %1, 7", : "=v"(moved) : "v"(ab));
  out[7] = moved >> 32;
  R4 sums = (R4)(1, 2, 3, 4), summed;
  uint reference = b & 0xff00ffff;
  RUN("v_mqsad_u32_u8 %0, %1, %2, %3", : "=&v"(summed) : "v"(ab), "v"(reference), "v"(sums));
  *(global R4 *)(out + 8) = summed;
  RUN("v_mov_b32 v40, %1\nv_mov_b32 v41, %2\nv_mov_b32 v42, %3\n"
      "s_set_gpr_idx_on 1, gpr_idx(SRC0)\nv_mov_b32 %0, v40\n"
      "s_set_gpr_idx_idx 2\nv_add_u32 %0, v40, %0\n"
      "s_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v39, %0\ns_set_gpr_idx_off\nv_mov_b32 %0, v41",
      : "=&v"(r) : "v"(1), "v"(20), "v"(a) : "v39", "v40", "v41", "v42", "m0");
  out[6] = r;
}

// Halves and bf16s by random bits.
kernel void randomly(global const float *in, global uint *out, uint random) {
#ifdef __gfx950__
  int i = gid(64);
  float x = in[i];
  uint r = 0x12345678;
  RUN("v_cvt_sr_f16_f32 %0, %1, %2", : "+v"(r) : "v"(x), "v"(random));
  out[i * 2] = r;
  r = 0x12345678;
  RUN("v_cvt_sr_bf16_f32 %0, %1, %2", : "+v"(r) : "v"(x), "v"(random));
  out[i * 2 + 1] = r;
#endif
}

// LDS by pairs of offsets, by lane, by count.
kernel void lds(global const ulong *in, global ulong *out) {
  local ulong words[64 * 66];
  int i = lid();
  ulong a = in[i], b = ~a;
  uint at = i * 8, zero = 0;
  W2 pair;
  if (words == 0)
    out[0] = 0;
  out += i * 12;
  RUN("ds_write2_b64 %1, %2, %3 offset0:0 offset1:64\n"
      "ds_read2_b64 %0, %1 offset0:64 offset1:0", : "=&v"(pair) : "v"(at), "v"(a), "v"(b) : "memory");
  *(global W2 *)out = pair;
  RUN("ds_write2st64_b64 %1, %2, %3 offset0:1 offset1:64\n"
      "ds_read2st64_b64 %0, %1 offset0:64 offset1:1", : "=&v"(pair) : "v"(at), "v"(a), "v"(b) : "memory");
  *(global W2 *)(out + 2) = pair;
  RUN("ds_wrxchg2_rtn_b64 %0, %1, %2, %3 offset0:0 offset1:64", : "=&v"(pair) : "v"(at), "v"(b), "v"(a) : "memory");
  *(global W2 *)(out + 4) = pair; // a, b
  RUN("ds_wrxchg2st64_rtn_b64 %0, %1, %2, %3 offset0:1 offset1:64", : "=&v"(pair) : "v"(at), "v"(b), "v"(a) : "memory");
  *(global W2 *)(out + 6) = pair;
  uint la = (uint)a, lb = (uint)b, four = i * 4;
  ulong two;
  RUN("ds_write2_b32 %1, %2, %3 offset0:0 offset1:64\n"
      "ds_wrxchg2_rtn_b32 %0, %1, %3, %2 offset0:64 offset1:0\n", : "=&v"(two) : "v"(four), "v"(la), "v"(lb) : "memory");
  out[8] = two; // lb, la
  RUN("ds_write2st64_b32 %1, %2, %3 offset0:0 offset1:1\n"
      "ds_wrxchg2st64_rtn_b32 %0, %1, %3, %2 offset0:1 offset1:0\n", : "=&v"(two) : "v"(four), "v"(la), "v"(lb) : "memory");
  out[9] = two;
  uint r;
  RUN("s_mov_b32 m0, 0\nds_write_addtid_b32 %1 offset:1024\nds_read_addtid_b32 %0 offset:1024",
      : "=&v"(r) : "v"(la) : "memory", "m0");
  out[10] = r;
  RUN("ds_write_b32 %0, %1 offset:2048", : : "v"(zero), "v"(100) : "memory");
  uint before = 0, after = 0;
  if (i < 40)
    RUN("s_mov_b32 m0, 48\nds_append %0 offset:2000\ns_waitcnt lgkmcnt(0)\nds_consume %1 offset:2000",
        : "=&v"(before), "=&v"(after) : : "memory", "m0");
  out[11] = (ulong)after << 32 | before;
}

// Scalar loads and stores through a resource of 64 + 4 * 31 bytes: the last dword of
// sixteen is beyond.
kernel void scalars(constant const uint *in, global uint *out) {
  R4 from = (R4)(FIRST(in), FIRST((ulong)in >> 32), 188, 0);
  R4 to = (R4)(FIRST(out), FIRST((ulong)out >> 32), 252, 0);
  uint a;
  R2 b;
  R4 c;
  R8 d;
  R16 e;
  RUN("s_buffer_load_dword %0, %1, 0x4", : "=&s"(a) : "s"(from));
  RUN("s_buffer_load_dwordx2 %0, %1, 0x8", : "=&s"(b) : "s"(from));
  RUN("s_buffer_load_dwordx4 %0, %1, 0x20", : "=&s"(c) : "s"(from));
  RUN("s_buffer_load_dwordx8 %0, %1, 0x40", : "=&s"(d) : "s"(from));
  RUN("s_buffer_load_dwordx16 %0, %1, 0x80", : "=&s"(e) : "s"(from));
  ulong address = (ulong)FIRST((ulong)out >> 32) << 32 | FIRST(out);
  RUN("s_store_dword %0, %1, 0x4", : : "s"(a), "s"(address) : "memory");
  RUN("s_store_dwordx2 %0, %1, 0x8", : : "s"(b), "s"(address) : "memory");
  RUN("s_store_dwordx4 %0, %1, 0x20", : : "s"(c), "s"(address) : "memory");
  RUN("s_buffer_store_dword %0, %1, 0x40", : : "s"(d.x), "s"(to) : "memory");
  RUN("s_buffer_store_dwordx2 %0, %1, 0x44", : : "s"(d.s34), "s"(to) : "memory");
  RUN("s_buffer_store_dwordx4 %0, %1, 0x50", : : "s"(d.s4567), "s"(to) : "memory");
  RUN("s_buffer_store_dwordx4 %0, %1, 0xf0", : : "s"(e.scdef), "s"(to) : "memory");
}

// The clock goes on, over a barrier too.
kernel void clocks(global ulong *out) {
  ulong a, b, c;
  RUN("s_memtime %0", : "=s"(a));
  RUN("s_memrealtime %0", : "=s"(b));
  __builtin_amdgcn_s_sleep(1);
  RUN("s_memtime %0", : "=s"(c));
  if (lid() == 0) {
    out[group() * 3] = a;
    out[group() * 3 + 1] = b;
    out[group() * 3 + 2] = c;
  }
}

// Nothing behind the end runs.
#define ENDS(NAME, TEXT)                                                       \
  kernel void NAME(global uint *out) {                                         \
    out[lid()] = 1;                                                            \
    __asm__ volatile("s_waitcnt vmcnt(0)\n" TEXT);                             \
    out[lid()] = 2;                                                            \
  }
ENDS(saved, "s_endpgm_saved")
ENDS(ordered, "s_endpgm_ordered_ps_done")
