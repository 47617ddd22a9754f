// What kernels written in assembler do, and compilers do not.
#include "ids.h"

typedef unsigned int uint;
typedef uint R4 __attribute__((ext_vector_type(4)));

#define RUN(TEXT, ...) __asm__ volatile(TEXT "\ns_waitcnt vmcnt(0) lgkmcnt(0)" __VA_ARGS__)

// Raw, of floats; clang also makes a function of a kernel, whose arguments are in
// vector registers.
#define UNIFORM(WORD) (uint)__builtin_amdgcn_readfirstlane((uint)(WORD))
#define RESOURCE(P, BYTES)                                                     \
  (R4)(UNIFORM((ulong)(P)), UNIFORM((ulong)(P) >> 32), UNIFORM(BYTES), 0x27fac)

// With VSKIP, vector instructions do nothing: no result, no load, no store.
kernel void skips(global const uint *in, global uint *out) {
  int i = gid(64);
  uint sum = 0, loaded = 7;
  local uint words[64];
  words[lid()] = 5;
  RUN("s_mov_b32 s40, 2\n"
      "s_setvskip s40, 1\n"
      "v_add_u32 %0, 60, %0\n"
      "global_load_dword %1, %2, off\n"
      "global_store_dword %3, %0, off offset:4\n"
      "ds_write_b32 %4, %0\n"
      "s_add_u32 s40, s40, 30\n"
      "s_setvskip 0, 0\n"
      "v_add_u32 %0, %0, s40\n"
      "global_store_dword %3, %1, off\n"
      "global_store_dword %3, %0, off offset:8",
      : "+v"(sum), "+v"(loaded) : "v"(in + i), "v"(out + i * 4), "v"(words + lid()) : "s40", "scc", "memory");
  out[i * 4 + 3] = *(volatile local uint *)(words + lid());
}

// M0's index moves within the accumulation registers, too.
kernel void indexes(global const uint *in, global uint *out) {
  int i = gid(64);
  uint a = in[i], r, s;
  RUN("v_accvgpr_write_b32 a4, %2\n"
      "v_accvgpr_write_b32 a6, 9\n"
      "s_set_gpr_idx_on 2, gpr_idx(SRC0)\n"
      "v_accvgpr_read_b32 %0, a2\n"
      "s_set_gpr_idx_mode gpr_idx(DST)\n"
      "v_accvgpr_write_b32 a3, 12\n"
      "s_set_gpr_idx_off\n"
      "s_nop 1\n"
      "v_accvgpr_read_b32 %1, a5",
      : "=&v"(r), "=&v"(s) : "v"(a) : "a2", "a3", "a4", "a5", "a6", "m0");
  out[i * 2] = r;
  out[i * 2 + 1] = s;
}

// Offset and immediate make a sum of 32 bits, which the range check sees: -240
// + 256 and more are inside.
kernel void wraps(global uint *in, global uint *out, int bytes) {
  local uint words[128];
  R4 from = RESOURCE(in, bytes), to = RESOURCE(out, bytes);
  int i = lid();
  uint offset = i * 4 - 240, one, direct;
  float typed;
  uint base = (uint)words;
  RUN("buffer_load_dword %0, %3, %4, 0 offen offset:256\n"
      "buffer_load_format_x %1, %3, %4, 0 offen offset:256\n"
      "s_mov_b32 m0, %5\n"
      "buffer_load_dword %3, %4, 0 offen offset:256 lds\n"
      "s_waitcnt vmcnt(0)\n"
      "ds_read_b32 %2, %6 offset:256",
      : "=&v"(one), "=&v"(typed), "=&v"(direct)
      : "v"(offset), "s"(from), "s"(base), "v"(base + i * 4) : "m0", "memory");
  uint sum = one + direct + __builtin_astype(typed, uint);
  RUN("buffer_store_dword %0, %1, %2, 0 offen offset:256", : : "v"(sum), "v"(offset), "s"(to) : "memory");
}

// Operands that the emulator does not know: --list says so, and so does a run.
kernel void refused(global uint *out) {
  uint r = lid();
  RUN("v_cvt_pkrtz_f16_f32 %0, %0, %0 clamp", : "+v"(r));
  RUN("v_pk_mul_f32 v[40:41], 1.0, v[40:41] op_sel_hi:[1,1]", : : : "v40", "v41");
  RUN("s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS), 0", : : );
  out[lid()] = r;
}

// How far the four waves of a workgroup are from one another, at most.
kernel void in_step(global int *out) {
  local int progress[4];
  volatile local int *all = progress;
  uint wave = lid() / 64;
  all[wave] = 0;
  barrier_lds();
  int most = 0;
  for (int k = 1; k < 500; ++k) {
    all[wave] = k;
    for (uint w = 0; w < 4; ++w) {
      int ahead = k - all[w];
      most = most > ahead ? most : ahead;
    }
  }
  out[lid()] = most;
}
