// Instructions by name, through inline assembly: see the two .def files.
#include "ids.h"

#define VX(NAME, OPERANDS, EXPRESSION)                                         \
  r = d;                                                                       \
  __asm__ volatile(#NAME " %0, " OPERANDS : "+v"(r) : "v"(a), "v"(b), "v"(c)); \
  *out++ = r;
#define V1(NAME, EXPRESSION) VX(NAME, "%1", EXPRESSION)
#define V2(NAME, EXPRESSION) VX(NAME, "%1, %2", EXPRESSION)
#define V3(NAME, EXPRESSION) VX(NAME, "%1, %2, %3", EXPRESSION)

kernel void vectors(global const uint *in, global uint *out, int results) {
  int i = gid(64);
  uint a = in[i * 4], b = in[i * 4 + 1], c = in[i * 4 + 2], d = in[i * 4 + 3];
  uint r;
  out += i * results;
#include "vector_ops.def"
}

// SCC is 1 before each; afterwards it is stored behind the result.
#define RUN(TYPE, TEXT, A, B, D)                                               \
  {                                                                            \
    TYPE r = D;                                                                \
    uint scc;                                                                  \
    __asm__ volatile("s_cmp_eq_u32 0, 0\n" TEXT "\ns_cselect_b32 %1, 1, 0"     \
                     : "+s"(r), "=&s"(scc)                                     \
                     : "s"(A), "s"(B)                                          \
                     : "scc", "s40", "s41", "s42", "s43", "m0");               \
    *out++ = r;                                                                \
    *out++ = scc;                                                              \
  }
#define S1(NAME, EXPRESSION, SCC) RUN(uint, #NAME " %0, %2", a, b, d)
#define S2(NAME, EXPRESSION, SCC) RUN(uint, #NAME " %0, %2, %3", a, b, d)
#define L1(NAME, EXPRESSION, SCC) RUN(ulong, #NAME " %0, %2", wa, wb, wd)
#define L2(NAME, EXPRESSION, SCC) RUN(ulong, #NAME " %0, %2, %3", wa, wb, wd)
#define LU(NAME, EXPRESSION, SCC) RUN(ulong, #NAME " %0, %2, %3", wa, b, wd)
// 32 bits of 64, 64 of 32 (and 32); comparisons, which write nothing; texts of
// several instructions, of 32 and 64 bits.
#define LN(NAME, EXPRESSION, SCC) RUN(uint, #NAME " %0, %2", wa, wb, d)
#define NL(NAME, EXPRESSION, SCC) RUN(ulong, #NAME " %0, %2", a, b, wd)
#define NNL(NAME, EXPRESSION, SCC) RUN(ulong, #NAME " %0, %2, %3", a, b, wd)
#define CL(NAME, SCC) RUN(ulong, #NAME " %2, %3", wa, wb, wd)
#define CLN(NAME, SCC) RUN(ulong, #NAME " %2, %3", wa, b, wd)
#define TX(NAME, TEXT, EXPRESSION, SCC) RUN(uint, TEXT, a, b, d)
#define TL(NAME, TEXT, EXPRESSION, SCC) RUN(ulong, TEXT, wa, wb, wd)
// Saves EXEC (which is b): the register's result, then EXEC's.
#define SAVING(NAME, AFTER)                                                    \
  "s_mov_b64 s[40:41], exec\ns_mov_b64 exec, %3\n" #NAME " %0, %2\n" AFTER     \
  "s_mov_b64 exec, s[40:41]"
#define SE(NAME, SAVED, NEW)                                                   \
  RUN(ulong, SAVING(NAME, ""), wa, wb, wd)                                     \
  RUN(ulong, SAVING(NAME, "s_mov_b64 %0, exec\n"), wa, wb, wd)
// The operands of the file: %0 is the destination, %1 and %2 are a and b.
#define SX(NAME, OPERANDS, EXPRESSION, SCC)                                    \
  {                                                                            \
    uint r = d, first = a, second = b;                                         \
    __asm__ volatile("s_cmp_eq_u32 0, 0\n" #NAME " " OPERANDS                  \
                     "\ns_cselect_b32 %1, 1, 0"                                \
                     : "+s"(r), "+s"(first), "+s"(second)                      \
                     :                                                         \
                     : "scc");                                                 \
    *out++ = r;                                                                \
    *out++ = first;                                                            \
  }

kernel void scalars(constant const uint *in, global ulong *out, int results) {
  int i = group();
#define SCALAR(K) (uint)__builtin_amdgcn_readfirstlane(in[i * 6 + K])
  uint a = SCALAR(0), b = SCALAR(1), d = SCALAR(2);
  ulong wa = (ulong)SCALAR(3) << 32 | a;
  ulong wb = (ulong)SCALAR(4) << 32 | b;
  ulong wd = (ulong)SCALAR(5) << 32 | d;
  out += i * results * 2;
#include "scalar_ops.def"
}

// LDS by every width: lane i's 16 bytes, written and read back in pieces.
kernel void lds_widths(global const uint4 *in, global uint *out) {
  local uint words[64 * 8];
  uint i = lid(), at = i * 32;
  uint4 v = in[i];
  uint x = v.x, y = v.y;
  ulong xy = (ulong)y << 32 | x;
  uint r0 = 0xaaaa5555, r1 = 0xaaaa5555, r2, r3, r4 = 0x12345678;
  ulong r5, r6;
  uint4 r7, r8;
  __asm__ volatile(
      "ds_write_b128 %9, %10\n"
      "ds_write_b8 %9, %11 offset:16\n"
      "ds_write_b8_d16_hi %9, %11 offset:17\n"
      "ds_write_b16 %9, %11 offset:18\n"
      "ds_write_b16_d16_hi %9, %11 offset:20\n"
      "ds_write_b64 %9, %12 offset:24\n"
      "s_waitcnt lgkmcnt(0)\n"
      "ds_read_u8_d16 %0, %9 offset:1\n"
      "ds_read_u16_d16_hi %1, %9 offset:2\n"
      "ds_read_i8 %2, %9 offset:3\n"
      "ds_read_u16 %3, %9 offset:18\n"
      "ds_read_i8_d16_hi %4, %9 offset:17\n"
      "ds_read_b64 %5, %9 offset:24\n"
      "ds_read2_b32 %6, %9 offset0:3 offset1:0\n"
      "ds_read2_b64 %7, %9 offset0:1 offset1:3\n"
      "ds_read_b128 %8, %9\n"
      "s_waitcnt lgkmcnt(0)"
      : "+v"(r0), "+v"(r1), "=&v"(r2), "=&v"(r3), "+v"(r4), "=&v"(r5),
        "=&v"(r6), "=&v"(r7), "=&v"(r8)
      : "v"(at), "v"(v), "v"(x), "v"(xy)
      : "memory");
  out += i * 20;
  out[0] = r0;
  out[1] = r1;
  out[2] = r2;
  out[3] = r3;
  out[4] = r4;
  *(global ulong *)(out + 6) = r5;
  *(global ulong *)(out + 8) = r6;
  *(global uint4 *)(out + 12) = r7;
  *(global uint4 *)(out + 16) = r8;
  if (words == 0)
    out[0] = 0;
}

// Loads that land in LDS: dwords, M0 + lane * 4.
kernel void to_lds(global const uint *in, global uint *out) {
  local uint words[128];
  words[lid()] = words[lid() + 64] = 0;
  barrier_lds();
  __builtin_amdgcn_global_load_lds(in + (lid() ^ 1), (local void *)(words + 16),
                                   4, 0, 0);
  barrier_lds();
  out[lid()] = words[lid()];
  out[lid() + 64] = words[lid() + 64];
}
