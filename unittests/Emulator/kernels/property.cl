// The instructions of property_ops.def under any MODE.
#include "ids.h"
#define REGISTER_F16 uint
#define REGISTER_H2 uint
#define REGISTER_F32 uint
#define REGISTER_F64 ulong
#define REGISTER_S2 ulong
#define REGISTER_I16 uint
#define REGISTER_I32 uint
#define REGISTER_I64 ulong

#define OP(R, A, B, C, TEXT, EXPRESSION)                                       \
  {                                                                            \
    REGISTER_##R r = (REGISTER_##R)d;                                          \
    __asm__ volatile("s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), %4\n" TEXT        \
                     "\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf0"     \
                     : "+&v"(r)                                                \
                     : "v"((REGISTER_##A)a), "v"((REGISTER_##B)b),             \
                       "v"((REGISTER_##C)c), "s"(m)                           \
                     : "vcc");                                                 \
    *out++ = r;                                                                \
  }
#ifdef __gfx950__
#define ON950 OP
#else
#define ON950(...)
#endif

kernel void properties(global const ulong *in, global ulong *out, uint mode,
                       int results) {
  int i = gid(64);
  ulong a = in[i * 4], b = in[i * 4 + 1], c = in[i * 4 + 2], d = in[i * 4 + 3];
  out += (long)i * results;
  uint m = __builtin_amdgcn_readfirstlane(mode);
#include "property_ops.def"
}
