// Every comparison, into VCC and into EXEC: bit k of word k / 32 is comparison k's.
#include "ids.h"

#define COMPARE(NAME, A, B)                                                    \
  {                                                                            \
    uint bit;                                                                  \
    __asm__ volatile("v_cmp_" NAME " vcc, %1, %2\n"                            \
                     "v_cndmask_b32 %0, 0, 1, vcc"                             \
                     : "=v"(bit)                                               \
                     : "v"(A), "v"(B)                                          \
                     : "vcc");                                                 \
    ulong mask;                                                                \
    __asm__ volatile("s_mov_b64 s[40:41], exec\n"                              \
                     "v_cmpx_" NAME " %0, %1, %2\n"                            \
                     "s_and_b64 %0, %0, exec\n"                                \
                     "s_mov_b64 exec, s[40:41]"                                \
                     : "=s"(mask)                                              \
                     : "v"(A), "v"(B)                                          \
                     : "s40", "s41");                                          \
    plain |= bit << count;                                                     \
    masked |= (uint)(mask >> (lid() & 63) & 1) << count;                       \
    if (++count == 32) {                                                       \
      *out++ = plain;                                                          \
      *out++ = masked;                                                         \
      plain = masked = count = 0;                                              \
    }                                                                          \
  }
#include "compare_ops.def"

kernel void compare(global const ulong *in, global uint *out, int words) {
  int i = gid(64);
  ulong a = in[i * 2], b = in[i * 2 + 1];
  uint na = (uint)a, nb = (uint)b, plain = 0, masked = 0, count = 0;
  out += i * words;
#define INTEGER(OP, E, SIGN, BITS, A, B) COMPARE(OP "_" SIGN BITS, A, B)
#define FLOAT(OP, E, TYPE, A, B) COMPARE(OP "_" TYPE, A, B)
  EVERY_INTEGER("i", "16", na, nb)
  EVERY_INTEGER("u", "16", na, nb)
  EVERY_INTEGER("i", "32", na, nb)
  EVERY_INTEGER("u", "32", na, nb)
  EVERY_INTEGER("i", "64", a, b)
  EVERY_INTEGER("u", "64", a, b)
  EVERY_FLOAT("f16", na, nb)
  EVERY_FLOAT("f32", na, nb)
  EVERY_FLOAT("f64", a, b)
  COMPARE("class_f16", na, nb)
  COMPARE("class_f32", na, nb)
  COMPARE("class_f64", a, nb)
  *out++ = plain;
  *out++ = masked;
}
