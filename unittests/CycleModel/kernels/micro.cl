// Kernels whose time is known: one unit each, and what waves wait for planted
// in each. Inline assembly keeps the compiler from undoing that. Every loop
// makes `n` rounds.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef half h4 __attribute__((ext_vector_type(4)));
typedef half h8 __attribute__((ext_vector_type(8)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i8v __attribute__((ext_vector_type(8)));
#define LANE __builtin_amdgcn_workitem_id_x()
#define ID (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + LANE)
#define BARRIER __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup"), __builtin_amdgcn_s_barrier()
#define KERNEL kernel __attribute__((amdgpu_flat_work_group_size(1, 1024))) void
#define REPEAT2(x) x x
#define REPEAT4(x) REPEAT2(x) REPEAT2(x)
#define REPEAT8(x) REPEAT4(x) REPEAT4(x)
#define REPEAT16(x) REPEAT8(x) REPEAT8(x)
#define REPEAT32(x) REPEAT16(x) REPEAT16(x)
#define REPEAT64(x) REPEAT32(x) REPEAT32(x)

//===-- Matrix cores ------------------------------------------------------===//

#define MFMA(d) "v_mfma_f32_32x32x8_f16 %" #d ", %4, %4, %" #d "\n"
#define MFMA_SMALL(d) "v_mfma_f32_16x16x16_f16 %" #d ", %4, %4, %" #d "\n"

// 64 sums into one register range.
KERNEL mfma_chain_32(global float *out, int n) {
  f16v c = (float)LANE;
  h4 a = (half)LANE;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT64("v_mfma_f32_32x32x8_f16 %0, %1, %1, %0\n") : "+v"(c) : "v"(a));
  __asm__ volatile("s_nop 15\ns_nop 4" : "+v"(c));
  out[LANE] = c[0];
}
KERNEL mfma_chain_16(global float *out, int n) {
  f4 c = (float)LANE;
  h4 a = (half)LANE;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT64("v_mfma_f32_16x16x16_f16 %0, %1, %1, %0\n") : "+v"(c) : "v"(a));
  __asm__ volatile("s_nop 15" : "+v"(c));
  out[LANE] = c[0];
}
// 64 sums into four register ranges.
KERNEL mfma_streams_32(global float *out, int n) {
  f16v c = 0, d = 0, e = 0, f = 0;
  h4 a = (half)LANE;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT16(MFMA(0) MFMA(1) MFMA(2) MFMA(3))
                 : "+v"(c), "+v"(d), "+v"(e), "+v"(f) : "v"(a));
  __asm__ volatile("s_nop 15\ns_nop 4" : "+v"(c), "+v"(d), "+v"(e), "+v"(f));
  out[LANE] = c[0] + d[0] + e[0] + f[0];
}
KERNEL mfma_streams_16(global float *out, int n) {
  f4 c = 0, d = 0, e = 0, f = 0;
  h4 a = (half)LANE;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT16(MFMA_SMALL(0) MFMA_SMALL(1) MFMA_SMALL(2) MFMA_SMALL(3))
                 : "+v"(c), "+v"(d), "+v"(e), "+v"(f) : "v"(a));
  __asm__ volatile("s_nop 15" : "+v"(c), "+v"(d), "+v"(e), "+v"(f));
  out[LANE] = c[0] + d[0] + e[0] + f[0];
}
// Each product's operand is the result before it: passes + 3 wait states
// between, as LLVM's hazard recognizer puts them.
KERNEL mfma_operands_16(global float *out, int n) {
  f4 c = 0;
  union { f4 f; h4 h[2]; } a;
  a.f = (float)LANE;
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < 64; ++k)
      a.f = __builtin_amdgcn_mfma_f32_16x16x16f16(a.h[0], a.h[1], c, 0, 0, 0);
  }
  out[LANE] = a.f[0];
}
#ifdef GFX950
#define WIDE(name, result, zero, mnemonic, operand, formats)                    \
  KERNEL name(global float *out, int n) {                                  \
    result c = 0, d = 0;                                                        \
    operand a = (int)LANE;                                                      \
    for (int i = 0; i < n; ++i)                                                 \
      __asm__ volatile(REPEAT32(mnemonic " %0, %2, %2, %0" formats "\n" mnemonic     \
                                    " %1, %2, %2, %1" formats "\n")             \
                   : "+v"(c), "+v"(d) : "v"(a));                                \
    __asm__ volatile("s_nop 15\ns_nop 15" : "+v"(c), "+v"(d));                      \
    out[LANE] = c[0] + d[0];                                                    \
  }
WIDE(mfma_f16_16x16x32, f4, 0, "v_mfma_f32_16x16x32_f16", i4, "")
WIDE(mfma_f16_32x32x16, f16v, 0, "v_mfma_f32_32x32x16_f16", i4, "")
WIDE(mfma_fp8_16x16x128, f4, 0, "v_mfma_f32_16x16x128_f8f6f4", i8v, "")
WIDE(mfma_fp8_32x32x64, f16v, 0, "v_mfma_f32_32x32x64_f8f6f4", i8v, "")
WIDE(mfma_fp4_16x16x128, f4, 0, "v_mfma_f32_16x16x128_f8f6f4", i4, " cbsz:4 blgp:4")
WIDE(mfma_fp4_32x32x64, f16v, 0, "v_mfma_f32_32x32x64_f8f6f4", i4, " cbsz:4 blgp:4")
#endif

// Each instruction that te-mlir uses.
#define ONCE(name, result, operand) \
  __asm__ volatile("v_mfma_" name " %0, %1, %1, %0" : "+v"(result) : "v"(operand))
#define ONCE_SCALED(name, result, operand, formats)                              \
  __asm__ volatile("v_mfma_" name " %0, %1, %1, %0, %2, %2 op_sel_hi:[0,0,0]" formats \
                   : "+v"(result) : "v"(operand), "v"(LANE))
KERNEL every_mfma(global float *out) {
  f4 small = 0;
  f16v large = 0;
  float one = 0;
  float2 two = 0;
  ONCE("f32_16x16x4_f32", small, one);
  ONCE("f32_32x32x2_f32", large, one);
  ONCE("f32_16x16x16_f16", small, two);
  ONCE("f32_32x32x8_f16", large, two);
  ONCE("f32_16x16x16_bf16", small, two);
  ONCE("f32_32x32x8_bf16", large, two);
  ONCE("f32_16x16x32_fp8_fp8", small, two);
  ONCE("f32_32x32x16_fp8_fp8", large, two);
#ifdef GFX950
  f4 four = 0;
  i8v eight = 0;
  ONCE("f32_16x16x32_f16", small, four);
  ONCE("f32_32x32x16_f16", large, four);
  ONCE("f32_16x16x32_bf16", small, four);
  ONCE("f32_32x32x16_bf16", large, four);
  ONCE_SCALED("scale_f32_16x16x128_f8f6f4", small, eight, "");
  ONCE_SCALED("scale_f32_32x32x64_f8f6f4", large, eight, "");
#endif
  __asm__ volatile("s_nop 15\ns_nop 4" : "+v"(small), "+v"(large));
  out[LANE] = small[0] + large[0];
}
#ifdef GFX950
KERNEL every_mfma_fp4(global float *out) {
  f4 small = 0, four = 0;
  f16v large = 0;
  ONCE_SCALED("scale_f32_16x16x128_f8f6f4", small, four, " cbsz:4 blgp:4");
  ONCE_SCALED("scale_f32_32x32x64_f8f6f4", large, four, " cbsz:4 blgp:4");
  __asm__ volatile("s_nop 15\ns_nop 4" : "+v"(small), "+v"(large));
  out[LANE] = small[0] + large[0];
}
#endif

//===-- Vector units ------------------------------------------------------===//

#define VALU(name, code)                                                        \
  KERNEL name(global float *out, int n) {                                  \
    float a = LANE, b = 1, c = 2, d = 3;                                        \
    for (int i = 0; i < n; ++i)                                                 \
      __asm__ volatile(REPEAT64(code) : "+v"(a), "+v"(b), "+v"(c), "+v"(d));        \
    out[ID] = a + b + c + d;                                      \
  }
VALU(valu_fma, "v_fma_f32 %0, %0, %1, %2\n")
// 8192 instructions of eight bytes: more than the instruction cache has.
KERNEL valu_long(global float *out, int n) {
  float a = LANE;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT64(REPEAT64(REPEAT2("v_fma_f32 %0, %0, %0, %0\n"))) : "+v"(a));
  out[ID] = a;
}
VALU(valu_exp, "v_exp_f32 %0, %1\n")
VALU(valu_move, "v_max_f32 %0, %0, %1\n")
// Packed: two of each; and the upper lanes do nothing.
#define VALU_PAIR(name, code)                                                   \
  KERNEL name(global float *out, int n) {                                  \
    float2 a = LANE, b = 1, c = 2;                                              \
    for (int i = 0; i < n; ++i)                                                 \
      __asm__ volatile(REPEAT64(code) : "+v"(a), "+v"(b), "+v"(c));             \
    out[ID] = a[0] + b[0] + c[1];                                               \
  }
VALU_PAIR(valu_pk_fma, "v_pk_fma_f32 %0, %0, %1, %2\n")
VALU(valu_pk_add_half, "v_pk_add_f16 %0, %0, %1\n")
KERNEL valu_few_lanes(global float *out, int n) {
  float a = LANE;
  if ((LANE & 63) < 10)
    for (int i = 0; i < n; ++i)
      __asm__ volatile(REPEAT64("v_fma_f32 %0, %0, %0, %0\n") : "+v"(a));
  out[ID] = a;
}
VALU(valu_exp_chain, "v_exp_f32 %0, %0\nv_add_f32 %0, %0, %1\n")

//===-- Vector instructions beside matrix ones ----------------------------===//

#define PRODUCT(d) "v_mfma_f32_16x16x16_f16 %" #d ", %8, %8, %" #d "\n"
#define ADD(r) "v_add_f32 %" #r ", %" #r ", %" #r "\n"
#define EXP(r) "v_exp_f32 %" #r ", %" #r "\n"
#define PK(r) "v_pk_add_f32 %" #r ", %" #r ", %" #r "\n"
#define ADD3 ADD(4) ADD(5) ADD(6)
// 64 times `code` behind a product, whose sums take turns.
#define BESIDE_SUMS(name, type, first, second, third, fourth)                   \
  KERNEL name(global float *out, int n) {                                       \
    f4 c = 0, d = 0, e = 0, f = 0;                                              \
    type p = 1, q = 2, r = 3, s = 4;                                            \
    h4 a = (half)LANE;                                                          \
    for (int i = 0; i < n; ++i)                                                 \
      __asm__ volatile(REPEAT16(first second third fourth)                      \
                       : "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(p), "+v"(q),  \
                         "+v"(r), "+v"(s) : "v"(a));                            \
    __asm__ volatile("s_nop 15" : "+v"(c), "+v"(d), "+v"(e), "+v"(f));          \
    out[LANE] = c[0] + d[0] + e[0] + f[0] + *(float *)&p + *(float *)&q         \
              + *(float *)&r + *(float *)&s;                                    \
  }
#define BESIDE(name, type, code)                                                \
  BESIDE_SUMS(name, type, PRODUCT(0) code, PRODUCT(1) code, PRODUCT(2) code, PRODUCT(3) code)
BESIDE(beside_add_3, float, ADD3)
BESIDE(beside_add_4, float, ADD3 ADD(7))
BESIDE(beside_pk_1, float2, PK(4))
BESIDE(beside_pk_2, float2, PK(4) PK(5))
BESIDE(beside_pk_4, float2, PK(4) PK(5) PK(6) PK(7))
BESIDE(beside_exp_1, float, EXP(4))
BESIDE(beside_exp_2, float, EXP(4) EXP(5))
BESIDE(beside_exp_4, float, EXP(4) EXP(5) EXP(6) EXP(7))
// Groups of two products, 32 of them.
BESIDE_SUMS(beside_two, float, PRODUCT(0) PRODUCT(1), ADD3 EXP(7), PRODUCT(2) PRODUCT(3), ADD3 EXP(7))
BESIDE_SUMS(beside_each, float, PRODUCT(0) ADD3, PRODUCT(1) EXP(7), PRODUCT(2) ADD3, PRODUCT(3) EXP(7))
BESIDE_SUMS(exp_and_add, float, EXP(4) ADD(5), EXP(6) ADD(7), EXP(4) ADD(5), EXP(6) ADD(7))
#ifdef GFX950
// Factors of 16 and 32 bytes a lane.
#define BESIDE_WIDE(name, mnemonic, operand, code)                              \
  KERNEL name(global float *out, int n) {                                       \
    f4 c = 0, d = 0;                                                            \
    float p = 1, q = 2, r = 3, s = 4;                                           \
    operand a = 0;                                                              \
    for (int i = 0; i < n; ++i)                                                 \
      __asm__ volatile(REPEAT32(mnemonic " %0, %6, %6, %0\n" code              \
                                mnemonic " %1, %6, %6, %1\n" code)             \
                       : "+v"(c), "+v"(d), "+v"(p), "+v"(q), "+v"(r), "+v"(s) : "v"(a)); \
    __asm__ volatile("s_nop 15" : "+v"(c), "+v"(d));                            \
    out[LANE] = c[0] + d[0] + p + q + r + s;                                    \
  }
BESIDE_WIDE(beside_16_bytes_add_2, "v_mfma_f32_16x16x32_f16", h8, ADD(2) ADD(3))
BESIDE_WIDE(beside_16_bytes_add_3, "v_mfma_f32_16x16x32_f16", h8, ADD(2) ADD(3) ADD(4))
BESIDE_WIDE(beside_32_bytes_add_5, "v_mfma_f32_16x16x128_f8f6f4", i8v, ADD(2) ADD(3) ADD(4) ADD(5) ADD(2))
BESIDE_WIDE(beside_32_bytes_add_6, "v_mfma_f32_16x16x128_f8f6f4", i8v, ADD(2) ADD(3) ADD(4) ADD(5) ADD(2) ADD(3))
#endif
// Products of one wave beside `code` of another one of its SIMD, 256 of each in
// a round; they change places.
#define BESIDE_OTHER(name, type, code)                                          \
  KERNEL name(global float *out, int n) {                                       \
    f4 c = 0, d = 0, e = 0, f = 0;                                              \
    type p = 1, q = 2, r = 3, s = 4;                                            \
    h4 a = (half)LANE;                                                          \
    int isOld = __builtin_amdgcn_readfirstlane(LANE) < 256;                     \
    for (int i = 0; i < n; ++i) {                                               \
      if ((i & 1) == isOld)                                                     \
        __asm__ volatile(REPEAT64(PRODUCT(0) PRODUCT(1) PRODUCT(2) PRODUCT(3))  \
                         : "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(p), "+v"(q), \
                           "+v"(r), "+v"(s) : "v"(a));                          \
      else                                                                      \
        __asm__ volatile(REPEAT64(REPEAT4(code))                                \
                         : "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(p), "+v"(q), \
                           "+v"(r), "+v"(s) : "v"(a));                          \
      BARRIER;                                                                  \
    }                                                                           \
    __asm__ volatile("s_nop 15" : "+v"(c), "+v"(d), "+v"(e), "+v"(f));          \
    out[LANE] = c[0] + d[0] + e[0] + f[0] + *(float *)&p + *(float *)&q         \
              + *(float *)&r + *(float *)&s;                                    \
  }
BESIDE_OTHER(other_add_3, float, ADD3)
BESIDE_OTHER(other_add_4, float, ADD3 ADD(7))
BESIDE_OTHER(other_exp_1, float, EXP(4))
BESIDE_OTHER(other_exp_2, float, EXP(4) EXP(5))
BESIDE_OTHER(other_pk_1, float2, PK(4))
BESIDE_OTHER(other_pk_2, float2, PK(4) PK(5))

//===-- LDS ---------------------------------------------------------------===//

// 64 reads a round of each of a workgroup's waves. Lanes are
// `stride` bytes apart.
#define LDS_READS(name, type, code)                                             \
  KERNEL name(global float *out, int stride, int n) {                      \
    local float store[8192];                                                    \
    store[LANE] = LANE;                                                         \
    BARRIER;                                               \
    type a, b, c, d;                                                            \
    unsigned at = (LANE & 63) * stride;                                         \
    for (int i = 0; i < n; ++i)                                                 \
      __asm__ volatile(REPEAT16(code " %0, %4\n" code " %1, %4\n"                 \
                               code " %2, %4\n" code " %3, %4\n")                \
                   : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(d) : "v"(at));         \
    __asm__ volatile("s_waitcnt lgkmcnt(0)" : "+v"(a), "+v"(b), "+v"(c), "+v"(d)); \
    out[ID] = ((private float *)&a)[0] +                          \
        ((private float *)&b)[0] + ((private float *)&c)[0] +                   \
        ((private float *)&d)[0] + store[n & 7];                                \
  }
LDS_READS(lds_b128, f4, "ds_read_b128")
LDS_READS(lds_b64, float2, "ds_read_b64")
LDS_READS(lds_b32, float, "ds_read_b32")
#define LDS_WRITES(name, type, code)                                            \
  KERNEL name(global float *out, int n) {                                  \
    local float store[8192];                                                    \
    store[LANE] = LANE;                                                         \
    type a = (type)(float)LANE;                                                 \
    unsigned at = (unsigned)(local char *)store + (LANE & 63) * sizeof(type);   \
    for (int i = 0; i < n; ++i)                                                 \
      __asm__ volatile(REPEAT64(code " %0, %1\n") : : "v"(at), "v"(a) : "memory"); \
    BARRIER;                                                                    \
    out[ID] = store[LANE + (n & 7)];                                            \
  }
LDS_WRITES(lds_write_b128, f4, "ds_write_b128")
LDS_WRITES(lds_write_b64, float2, "ds_write_b64")
LDS_WRITES(lds_write_b32, float, "ds_write_b32")
// Each address is what the read before it gave.
KERNEL lds_chase(global int *out, int n) {
  local int store[256];
  store[LANE] = ((LANE + 1) & 255) * 4;
  BARRIER;
  int at = LANE * 4;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT8("ds_read_b32 %0, %0\ns_waitcnt lgkmcnt(0)\n") : "+v"(at));
  out[LANE] = at + store[n & 7];
}
// What that takes without the reads.
KERNEL lds_chase_loop(global int *out, int n) {
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT8("s_waitcnt lgkmcnt(0)\n"));
  out[LANE] = n;
}

//===-- Memory ------------------------------------------------------------===//

// The same 4 KiB of a wave again and again: L1 has them.
KERNEL load_l1(global f4 *in, global float *out, int n) {
  f4 a, b, c, d;
  global f4 *at = in + LANE;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT4("global_load_dwordx4 %0, %4, off\n"
                         "global_load_dwordx4 %1, %4, off\n"
                         "global_load_dwordx4 %2, %4, off\n"
                         "global_load_dwordx4 %3, %4, off\n") "s_waitcnt vmcnt(0)\n"
                 : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(d) : "v"(at));
  out[ID] = a[0] + b[0] + c[0] + d[0];
}
// A dword of every 128th byte each: a line a lane.
KERNEL load_scattered(global float *in, global float *out, int n) {
  float a, b, c, d;
  global float *at = in + (ID & 63) * 32;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT4("global_load_dword %0, %4, off\n"
                         "global_load_dword %1, %4, off\n"
                         "global_load_dword %2, %4, off\n"
                         "global_load_dword %3, %4, off\n") "s_waitcnt vmcnt(0)\n"
                 : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(d) : "v"(at));
  out[ID] = a + b + c + d;
}
// Bytes that nobody has read before: `n` rounds of four loads, neighbouring
// waves next to one another.
KERNEL load_memory(global f4 *in, global float *out, int n) {
  f4 a, b, c, d;
  ulong step = __builtin_amdgcn_grid_size_x();
  global f4 *at = in + ID;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("global_load_dwordx4 %0, %4, off\n"
                 "global_load_dwordx4 %1, %5, off\n"
                 "global_load_dwordx4 %2, %6, off\n"
                 "global_load_dwordx4 %3, %7, off\n"
                 "s_waitcnt vmcnt(0)\n"
                 : "=&v"(a), "=&v"(b), "=&v"(c), "=&v"(d)
                 : "v"(at), "v"(at + step), "v"(at + 2 * step), "v"(at + 3 * step));
    at += 4 * step;
  }
  out[ID] = a[0] + b[0] + c[0] + d[0];
}
// Every workgroup reads the same bytes: L2 has them.
KERNEL load_l2(global f4 *in, global float *out, int n) {
  f4 a, b;
  for (int i = 0; i < n; ++i) {
    global f4 *at = in + LANE + i * 2048;
    __asm__ volatile("global_load_dwordx4 %0, %2, off\n"
                     "global_load_dwordx4 %1, %3, off\n"
                     "s_waitcnt vmcnt(0)\n" : "=&v"(a), "=&v"(b) : "v"(at), "v"(at + 1024));
  }
  out[ID] = a[0] + b[0];
}
// As many loads as can be, of bytes that every workgroup reads, or of new ones.
KERNEL load_flood(global f4 *in, global float *out, int shared, int n) {
  f4 a;
  ulong step = shared ? 1024 : __builtin_amdgcn_grid_size_x();
  global f4 *at = in + (shared ? LANE : ID);
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("global_load_dwordx4 %0, %1, off\n" : "=&v"(a) : "v"(at));
    at += step;
  }
  __asm__ volatile("s_waitcnt vmcnt(0)" : "+v"(a));
  out[ID] = a[0];
}
// One load at a time, of new lines.
#define AT(offset, left) "global_load_dword %0, %1, off offset:" #offset "\ns_waitcnt vmcnt(" #left ")\n"
#define LOADS(left) AT(0, left) AT(256, left) AT(512, left) AT(768, left) AT(1024, left) \
    AT(1280, left) AT(1536, left) AT(1792, left)
KERNEL memory_wait0(global float *in, global float *out, int n) {
  float a;
  global float *at = in + LANE;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile(LOADS(0) : "=&v"(a) : "v"(at));
    at += 512;
  }
  out[LANE] = a;
}
// Two at a time: it waits for the older one.
KERNEL memory_wait1(global float *in, global float *out, int n) {
  float a;
  global float *at = in + LANE;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile(LOADS(1) : "=&v"(a) : "v"(at));
    at += 512;
  }
  __asm__ volatile("s_waitcnt vmcnt(0)" : "+v"(a));
  out[LANE] = a;
}
// The same line again and again.
KERNEL l1_chase(global float *in, global float *out, int n) {
  float a;
  global float *at = in + LANE;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT8("global_load_dword %0, %1, off\ns_waitcnt vmcnt(0)\n") : "=&v"(a) : "v"(at));
  out[LANE] = a;
}
KERNEL store_wait(global float *out, int n) {
  float a = LANE;
  global float *at = out + ID;
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT4("global_store_dword %0, %1, off\ns_waitcnt vmcnt(0)\n") : : "v"(at), "v"(a) : "memory");
}
// `n` rounds of stores of new bytes: whole lines, or the first 16 bytes of each
// 64, four lanes of them; or packed bf16 atomics.
KERNEL store_flood(global f4 *out, int n) {
  f4 a = LANE;
  ulong step = __builtin_amdgcn_grid_size_x();
  global f4 *at = out + ID;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("global_store_dwordx4 %0, %1, off\n" : : "v"(at), "v"(a) : "memory");
    at += step;
  }
}
KERNEL store_pieces(global float *out, int n) {
  float a = LANE;
  ulong step = __builtin_amdgcn_grid_size_x() * 4;
  global float *at = out + ID / 4 * 16 + ID % 4;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("global_store_dword %0, %1, off\n" : : "v"(at), "v"(a) : "memory");
    at += step;
  }
}
KERNEL store_dwords(global int *out, int n) {
  int a = 0;
  ulong step = __builtin_amdgcn_grid_size_x();
  global int *at = out + ID;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("global_store_dword %0, %1, off\n" : : "v"(at), "v"(a) : "memory");
    at += step;
  }
}
KERNEL atomic_flood(global int *out, int n) {
  int a = 0;
  ulong step = __builtin_amdgcn_grid_size_x();
  global int *at = out + ID;
  for (int i = 0; i < n; ++i) {
    __asm__ volatile("global_atomic_pk_add_bf16 %0, %1, off\n" : : "v"(at), "v"(a) : "memory");
    at += step;
  }
}
KERNEL scalar_chase(global int *in, global int *out, int n) {
  int a = 0;
  constant int *at = (constant int *)__builtin_amdgcn_kernarg_segment_ptr();
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT8("s_load_dword %0, %1, 0x0\ns_waitcnt lgkmcnt(0)\n") : "=&s"(a) : "s"(at));
  out[LANE] = a;
}

//===-- Waves -------------------------------------------------------------===//

// The first wave works, the others wait for it.
KERNEL barrier_imbalance(global float *out, int n) {
  float a = LANE;
  for (int i = 0; i < n; ++i) {
    if (__builtin_amdgcn_readfirstlane(LANE) < 64)
      __asm__ volatile(REPEAT16("v_fma_f32 %0, %0, %0, %0\n") : "+v"(a));
    __builtin_amdgcn_s_barrier();
  }
  out[LANE] = a;
}
// Waves from the fifth on may go first, where `level` is not 0.
KERNEL priority(global float *out, int level, int n) {
  float a = LANE;
  if (level && __builtin_amdgcn_readfirstlane(LANE) >= 256)
    __builtin_amdgcn_s_setprio(3);
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT64("v_fma_f32 %0, %0, %0, %0\n") : "+v"(a));
  out[LANE] = a;
}
KERNEL nop(global float *out, int n) {
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT64("s_nop 10\n"));
  out[LANE] = n;
}
KERNEL sleep(global float *out, int n) {
  for (int i = 0; i < n; ++i)
    __asm__ volatile("s_sleep 2\n");
  out[LANE] = n;
}
KERNEL salu(global float *out, int n) {
  for (int i = 0; i < n; ++i)
    __asm__ volatile(REPEAT16("s_add_u32 s20, s20, 1\n") : : : "s20", "scc");
  out[LANE] = n;
}
KERNEL jump(global float *out, int n) {
  for (int i = 0; i < n; ++i)
    __asm__ volatile("s_branch 0f\ns_nop 0\n0:s_branch 1f\ns_nop 0\n1:\n");
  out[LANE] = n;
}

//===-- Workgroups --------------------------------------------------------===//

// One workgroup makes `n` rounds, the others one.
KERNEL uneven(global float *out, int n, int which) {
  float a = LANE;
  int rounds = __builtin_amdgcn_workgroup_id_x() == which ? n : 1;
  for (int i = 0; i < rounds; ++i)
    __asm__ volatile(REPEAT64("v_fma_f32 %0, %0, %0, %0\n") : "+v"(a));
  out[ID] = a;
}
// Rounds that a lane finds, that memory has, that waves tell one another, and
// that only the launch itself can tell.
KERNEL rounds(global int *given, global float *out, int kind) {
  local int told;
  float a = LANE;
  int mine = __builtin_amdgcn_workgroup_id_x(), n = 1 + mine;
  if (kind == 1)
    n = given[mine];
  if (kind == 2) {
    if (LANE == 0)
      told = n;
    BARRIER;
    n = told;
  }
  for (int i = 0; i < n; ++i)
    __asm__ volatile("v_fma_f32 %0, %0, %0, %0\n" : "+v"(a));
  out[ID] = a;
}
KERNEL ticket(global int *next, global float *out) {
  float a = LANE;
  int n = __builtin_amdgcn_readfirstlane(__opencl_atomic_fetch_add((global atomic_int *)next, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE));
  for (int i = 0; i < n; ++i)
    __asm__ volatile("v_fma_f32 %0, %0, %0, %0\n" : "+v"(a));
  out[ID] = a;
}
// Never ends by itself.
KERNEL poll(global int *flag, global float *out) {
  while (!*(volatile global int *)flag)
    ;
  out[ID] = 1;
}
