// Every width of load and store, in every kind of memory; each form has 16 bytes.
#include "ids.h"
typedef uint R1;
typedef uint R2 __attribute__((ext_vector_type(2)));
typedef uint R3 __attribute__((ext_vector_type(3)));
typedef uint R4 __attribute__((ext_vector_type(4)));
#define R1_OF(V) (V).x
#define R2_OF(V) (V).xy
#define R3_OF(V) (V).xyz
#define R4_OF(V) (V)
#define SET(N, R) *(global R##N *)out = R; out += 4;
#define FIRST(VALUE) (uint)__builtin_amdgcn_readfirstlane((uint)(VALUE))
#define RESOURCE(BASE)                                                         \
  (R4)(FIRST(BASE), FIRST((ulong)(BASE) >> 32), 0x7fffffff, 0x00027000)

#define ONE(N, TEXT, WAIT, ...)                                                \
  {                                                                            \
    R##N r = R##N##_OF(before);                                                \
    __asm__ volatile(TEXT "\ns_waitcnt " WAIT                                  \
                     : "+v"(r)                                                 \
                     : __VA_ARGS__                                             \
                     : "memory");                                              \
    *(global R##N *)out = r;                                                   \
    out += 4;                                                                  \
  }
#define ALL "vmcnt(0) lgkmcnt(0)"

kernel void loads(global const R4 *in, global uint *out, int forms, uint old) {
  local R4 words[64];
  volatile private R4 cell[2];
  int i = gid(64);
  R4 before = (R4)(old, old, old, old);
  global const R4 *at = in + i;
  cell[1] = words[lid()] = *at;
  uint scratch = (uint)(ulong)(private R4 *)(cell + 1);
  uint share = (uint)(ulong)(words + lid());
  uint offset = i * 16;
  R4 resource = RESOURCE(in);
  out += i * forms * 4;
  barrier_lds();
#define LOAD(N, SUFFIX, LDSSUFFIX, ...)                                        \
  ONE(N, "flat_load_" SUFFIX " %0, %1", ALL, "v"(at))                          \
  ONE(N, "global_load_" SUFFIX " %0, %1, off", ALL, "v"(at))                   \
  ONE(N, "buffer_load_" SUFFIX " %0, %1, %2, 0 offen", ALL, "v"(offset), "s"(resource)) \
  ONE(N, "scratch_load_" SUFFIX " %0, %1, off", ALL, "v"(scratch))             \
  ONE(N, "ds_read_" LDSSUFFIX " %0, %1", ALL, "v"(share))
#define STORE(...)
#define LOAD_LDS(...)
#include "width_ops.def"
#undef LOAD
#undef STORE
  if (cell[1].x != words[lid()].x)
    out[0] = 1;
}

#define STORED(N, TEXT, ...)                                                   \
  {                                                                            \
    R##N r = R##N##_OF(value);                                                 \
    __asm__ volatile(TEXT "\ns_waitcnt " ALL : : "v"(r), __VA_ARGS__ : "memory"); \
    out += 4;                                                                  \
  }
kernel void stores(global const R4 *in, global uint *base, int forms) {
  local R4 words[64];
  volatile private R4 cell[2];
  int i = gid(64);
  R4 value = in[i], blank = (R4)(0xa5a5a5a5, 0xa5a5a5a5, 0xa5a5a5a5, 0xa5a5a5a5);
  uint scratch = (uint)(ulong)(private R4 *)(cell + 1);
  uint share = (uint)(ulong)(words + lid());
  R4 resource = RESOURCE(base);
  global uint *out = base + i * forms * 4;
#define LOAD(...)
#define STORE(N, SUFFIX, LDSSUFFIX, BYTES, FROM)                               \
  STORED(N, "flat_store_" SUFFIX " %1, %0", "v"(out))                          \
  STORED(N, "global_store_" SUFFIX " %1, %0, off", "v"(out))                   \
  STORED(N, "buffer_store_" SUFFIX " %0, %1, %2, 0 offen",                     \
         "v"((uint)((ulong)out - (ulong)base)), "s"(resource))                 \
  cell[1] = blank;                                                             \
  words[lid()] = blank;                                                        \
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                       \
  STORED(N, "scratch_store_" SUFFIX " %1, %0, off", "v"(scratch))              \
  *(global R4 *)(out - 4) = cell[1];                                           \
  STORED(N, "ds_write_" LDSSUFFIX " %1, %0", "v"(share))                       \
  *(global R4 *)(out - 4) = *(volatile local R4 *)(words + lid());
#include "width_ops.def"
}

#define INTO_LDS(TEXT, ...)                                                    \
  words[lid()] = 0xa5a5a5a5;                                                   \
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");                       \
  __asm__ volatile("s_mov_b32 m0, %1\n" TEXT "\ns_waitcnt " ALL               \
                   : : __VA_ARGS__, "s"((uint)(ulong)words) : "memory", "m0"); \
  out[0] = *(volatile local uint *)(words + lid());                            \
  out += 4;
kernel void into_lds(global const R4 *in, global uint *out, int forms) {
  local uint words[64];
  volatile private R4 cell[2];
  int i = gid(64);
  global const R4 *at = in + i;
  cell[1] = *at;
  uint scratch = (uint)(ulong)(private R4 *)(cell + 1);
  out += i * forms * 4;
#undef LOAD
#undef STORE
#undef LOAD_LDS
#define LOAD(...)
#define STORE(...)
#define LOAD_LDS(SUFFIX, WORDS, ...)                                           \
  INTO_LDS("global_load_lds_" SUFFIX " %0, off", "v"(at))                      \
  INTO_LDS("scratch_load_lds_" SUFFIX " %0, off", "v"(scratch))
#include "width_ops.def"
  if (cell[1].x != (*at).x)
    out[0] = 1;
}

#ifdef __gfx950__
// Sixteen bytes apart.
kernel void wide_into_lds(global const R4 *in, global R4 *out) {
  local R4 words[64];
  for (int form = 0; form < 2; ++form) {
    words[lid()] = (R4)(1, 2, 3, 4);
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    global const R4 *at = in + lid();
    if (form)
      __asm__ volatile("s_mov_b32 m0, %1\nglobal_load_lds_dwordx3 %0, off\ns_waitcnt " ALL
                       : : "v"(at), "s"((uint)(ulong)words) : "memory", "m0");
    else
      __asm__ volatile("s_mov_b32 m0, %1\nglobal_load_lds_dwordx4 %0, off\ns_waitcnt " ALL
                       : : "v"(at), "s"((uint)(ulong)words) : "memory", "m0");
    out[form * 64 + lid()] = *(volatile local R4 *)(words + lid());
  }
}
#endif
