// Every atomic by itself: each item has its cells, so that the order does not
// matter. What was there goes to `old`.
#include "ids.h"
typedef uint uint4s __attribute__((ext_vector_type(4)));
typedef ulong ulong2s __attribute__((ext_vector_type(2)));
#define T_I32 uint
#define T_F32 uint
#define T_H2 uint
#define T_B2 uint
#define T_I64 ulong
#define T_F64 ulong
#define PAIR_I32(A, B) ((ulong)(uint)(B) << 32 | (uint)(A))
#define PAIR_I64(A, B) (ulong2s)(A, B)
#define PAIRTYPE_I32 ulong
#define PAIRTYPE_I64 ulong2s

#define FIRST(VALUE) (uint)__builtin_amdgcn_readfirstlane((uint)(VALUE))
#define UNIFORM(VALUE)                                                         \
  ((ulong)FIRST((ulong)(VALUE) >> 32) << 32 | FIRST((ulong)(VALUE)))

#define MEMORY(...)
#define MEMORY2(...)
#define BUFFER950(...)
#define SCALAR(...)
#define SCALAR2(...)
#define LDS(...)
#define LDS2(...)
#define LDS_RETURN(...)

// Global, flat, buffer (with their old values), and global without.
#define GLOBAL(T, NAME, DATA)                                                  \
  {                                                                            \
    T_##T was;                                                                 \
    __asm__ volatile("global_atomic_" NAME " %0, %1, %2, off sc0\n"            \
                     "global_atomic_" NAME " %3, %2, off\n"                    \
                     "s_waitcnt vmcnt(0)"                                      \
                     : "=&v"(was)                                              \
                     : "v"(cells), "v"(DATA), "v"(cells + 1)                   \
                     : "memory");                                              \
    old[0] = was;                                                              \
    __asm__ volatile("flat_atomic_" NAME " %0, %1, %2 sc0\n"                   \
                     "s_waitcnt vmcnt(0) lgkmcnt(0)"                           \
                     : "=&v"(was)                                              \
                     : "v"(cells + 2), "v"(DATA)                               \
                     : "memory");                                              \
    old[2] = was;                                                              \
  }
#define BUFFER(T, NAME, TYPE, DATA)                                            \
  {                                                                            \
    TYPE data = DATA;                                                          \
    uint offset = (uint)((ulong)(cells + 3) - base);                           \
    __asm__ volatile("buffer_atomic_" NAME " %0, %1, %2, 0 offen sc0\n"        \
                     "s_waitcnt vmcnt(0)"                                      \
                     : "+&v"(data)                                             \
                     : "v"(offset), "s"(resource)                              \
                     : "memory");                                              \
    old[3] = *(T_##T *)&data;                                                  \
  }
#define NEXT(N)                                                                \
  cells += N;                                                                  \
  old += N;

kernel void memory(global const ulong *in, global ulong *cells,
                   global ulong *old, int forms) {
  int i = gid(64);
  ulong a = in[i * 2], b = in[i * 2 + 1];
  ulong base = (ulong)cells;
  uint4s resource =
      (uint4s)(FIRST(base), FIRST(base >> 32), 0x7fffffff, 0x00027000);
  cells += (long)i * forms;
  old += (long)i * forms;
#undef MEMORY
#undef MEMORY2
#undef BUFFER950
#ifdef __gfx950__
#define BUFFER950 MEMORY
#else
#define BUFFER950(T, NAME, EXPRESSION) GLOBAL(T, NAME, (T_##T)a) NEXT(4)
#endif
#define MEMORY(T, NAME, EXPRESSION)                                            \
  GLOBAL(T, NAME, (T_##T)a) BUFFER(T, NAME, T_##T, (T_##T)a) NEXT(4)
#define MEMORY2(T, NAME, EXPRESSION)                                           \
  GLOBAL(T, NAME, PAIR_##T(a, b))                                              \
  BUFFER(T, NAME, PAIRTYPE_##T, PAIR_##T(a, b)) NEXT(4)
#include "atomic_ops.def"
#undef MEMORY
#undef MEMORY2
#undef BUFFER950
#define MEMORY(...)
#define MEMORY2(...)
#define BUFFER950(...)
}

// One item a wave: by address, and through a resource.
#define ONCE(T, NAME, TYPE, DATA)                                              \
  {                                                                            \
    TYPE data = DATA;                                                          \
    __asm__ volatile("s_atomic_" NAME " %0, %1, 0x0 glc\ns_waitcnt lgkmcnt(0)" \
                     : "+&s"(data)                                             \
                     : "s"(UNIFORM(cells))                                      \
                     : "memory");                                              \
    old[0] = *(T_##T *)&data;                                                  \
    data = DATA;                                                               \
    uint offset = FIRST((ulong)(cells + 1) - base);                            \
    uint4s from = (uint4s)(FIRST(base), FIRST(base >> 32), 0x7fffffff, 0);     \
    __asm__ volatile("s_buffer_atomic_" NAME " %0, %1, %2 glc\n"               \
                     "s_waitcnt lgkmcnt(0)"                                    \
                     : "+&s"(data)                                             \
                     : "s"(from), "s"(offset)                                  \
                     : "memory");                                              \
    old[1] = *(T_##T *)&data;                                                  \
  }
kernel void scalar(constant const ulong *in, global ulong *cells,
                   global ulong *old, int forms) {
  int i = group();
  ulong a = UNIFORM(in[i * 2]), b = UNIFORM(in[i * 2 + 1]);
  ulong base = (ulong)cells;
  cells += (long)i * forms;
  old += (long)i * forms;
#undef SCALAR
#undef SCALAR2
#define SCALAR(T, NAME, EXPRESSION) ONCE(T, NAME, T_##T, (T_##T)a) NEXT(2)
#define SCALAR2(T, NAME, EXPRESSION)                                           \
  ONCE(T, NAME, PAIRTYPE_##T, PAIR_##T(a, b)) NEXT(2)
#include "atomic_ops.def"
#undef SCALAR
#undef SCALAR2
#define SCALAR(...)
#define SCALAR2(...)
}

// LDS: m and what comes back; without the old value, then with it.
#define EXCHANGE(T, TEXT)                                                      \
  {                                                                            \
    T_##T was = 0, now;                                                        \
    __asm__ volatile("ds_write_b64 %2, %3\n" TEXT "\n"                         \
                     "s_waitcnt lgkmcnt(0)\n"                                  \
                     : "+&v"(was), "=&v"(now)                                  \
                     : "v"(at), "v"(m), "v"((T_##T)a), "v"((T_##T)b)           \
                     : "memory");                                              \
    ulong left;                                                                \
    __asm__ volatile("ds_read_b64 %0, %1\ns_waitcnt lgkmcnt(0)"                \
                     : "=v"(left)                                              \
                     : "v"(at)                                                 \
                     : "memory");                                              \
    cells[0] = left;                                                           \
    old[0] = was;                                                              \
    NEXT(1)                                                                    \
  }
kernel void lds(global const ulong *in, global ulong *cells, global ulong *old,
                int forms) {
  local ulong words[64];
  int i = gid(64);
  ulong a = in[i * 2], b = in[i * 2 + 1];
  uint at = (uint)(ulong)(words + lid());
  cells += (long)i * forms;
  old += (long)i * forms;
  ulong m = cells[0];
#undef LDS
#undef LDS2
#undef LDS_RETURN
#define LDS(T, NAME, KIND, EXPRESSION)                                         \
  EXCHANGE(T, "ds_" NAME "_" KIND " %2, %4")                                   \
  EXCHANGE(T, "ds_" NAME "_rtn_" KIND " %0, %2, %4")
#define LDS2(T, NAME, KIND, EXPRESSION)                                        \
  EXCHANGE(T, "ds_" NAME "_" KIND " %2, %4, %5")                               \
  EXCHANGE(T, "ds_" NAME "_rtn_" KIND " %0, %2, %4, %5")
#define LDS_RETURN(T, TEXT, EXPRESSION) EXCHANGE(T, TEXT)
#include "atomic_ops.def"
  if (words == 0)
    old[0] = 0;
}
