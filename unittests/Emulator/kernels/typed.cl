// Typed buffer accesses: each item reads (writes) element i through a resource with
// every format that it is given. `words` are the resources' fourth words.
#include "ids.h"
typedef uint R1;
typedef uint R2 __attribute__((ext_vector_type(2)));
typedef uint R3 __attribute__((ext_vector_type(3)));
typedef uint R4 __attribute__((ext_vector_type(4)));
#define FIRST(VALUE) (uint)__builtin_amdgcn_readfirstlane((uint)(VALUE))
#define RESOURCE(BASE, STRIDE, WORD)                                           \
  (R4)(FIRST(BASE), FIRST((ulong)(BASE) >> 32) | (STRIDE) << 16, 64, FIRST(WORD))
#define LOAD(N, TEXT)                                                          \
  {                                                                            \
    R##N r = 0xabad1dea;                                                       \
    __asm__ volatile(TEXT "\ns_waitcnt vmcnt(0)"                               \
                     : "+v"(r)                                                 \
                     : "v"(i), "s"(resource)                                   \
                     : "memory");                                              \
    *(global R##N *)out = r;                                                   \
    out += 4;                                                                  \
  }
#define STORE(N, VALUE, TEXT)                                                  \
  {                                                                            \
    R##N r = VALUE;                                                            \
    uint at = i + 64 * form++;                                                 \
    __asm__ volatile(TEXT "\ns_waitcnt vmcnt(0)"                               \
                     : : "v"(r), "v"(at), "s"(resource) : "memory");           \
  }

kernel void loads(global const uint *in, global uint *out,
                  global const uint *words, int formats, uint strides) {
  uint i = lid();
  out += i * formats * 36;
  for (int k = 0; k < formats; ++k) {
    uint word = words[k * 2], stride = words[k * 2 + 1];
    R4 resource = RESOURCE(in, FIRST(stride), word);
    LOAD(1, "buffer_load_format_x %0, %1, %2, 0 idxen")
    LOAD(2, "buffer_load_format_xy %0, %1, %2, 0 idxen")
    LOAD(3, "buffer_load_format_xyz %0, %1, %2, 0 idxen")
    LOAD(4, "buffer_load_format_xyzw %0, %1, %2, 0 idxen")
    LOAD(1, "buffer_load_format_d16_x %0, %1, %2, 0 idxen")
    LOAD(1, "buffer_load_format_d16_xy %0, %1, %2, 0 idxen")
    LOAD(2, "buffer_load_format_d16_xyz %0, %1, %2, 0 idxen")
    LOAD(2, "buffer_load_format_d16_xyzw %0, %1, %2, 0 idxen")
    LOAD(1, "buffer_load_format_d16_hi_x %0, %1, %2, 0 idxen")
  }
}

// The format is the instruction's: 8_8_8_8 with unorm.
#define AS " format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM] idxen"
kernel void instruction_loads(global const uint *in, global uint *out) {
  uint i = lid();
  R4 resource = RESOURCE(in, 4, 0);
  out += i * 32;
  LOAD(1, "tbuffer_load_format_x %0, %1, %2, 0" AS)
  LOAD(2, "tbuffer_load_format_xy %0, %1, %2, 0" AS)
  LOAD(3, "tbuffer_load_format_xyz %0, %1, %2, 0" AS)
  LOAD(4, "tbuffer_load_format_xyzw %0, %1, %2, 0" AS)
  LOAD(1, "tbuffer_load_format_d16_x %0, %1, %2, 0" AS)
  LOAD(1, "tbuffer_load_format_d16_xy %0, %1, %2, 0" AS)
  LOAD(2, "tbuffer_load_format_d16_xyz %0, %1, %2, 0" AS)
  LOAD(2, "tbuffer_load_format_d16_xyzw %0, %1, %2, 0" AS)
}

// Values 1, 0.5, 0 and 2 (which saturates) as 8_8_8_8 with unorm: both kinds of
// instruction, then d16.
kernel void stores(global uint *base) {
  uint i = lid(), form = 0;
  R4 resource = RESOURCE(base, 4, 10 << 15);
  resource.z = 64 * 17;
  R4 whole = (R4)(0x3f800000, 0x3f000000, 0, 0x40000000);
  R2 halves = (R2)(0x38003c00, 0x40000000);
#define BOTH(N, VALUE, SUFFIX)                                                 \
  STORE(N, VALUE, "buffer_store_format_" SUFFIX " %0, %1, %2, 0 idxen")        \
  STORE(N, VALUE, "tbuffer_store_format_" SUFFIX " %0, %1, %2, 0" AS)
  BOTH(1, whole.x, "x")
  BOTH(2, whole.xy, "xy")
  BOTH(3, whole.xyz, "xyz")
  BOTH(4, whole, "xyzw")
  BOTH(1, halves.x, "d16_x")
  BOTH(1, halves.x, "d16_xy")
  BOTH(2, halves, "d16_xyz")
  BOTH(2, halves, "d16_xyzw")
  STORE(1, halves.x, "buffer_store_format_d16_hi_x %0, %1, %2, 0 idxen")
}

// Records of eight bytes, in groups of eight whose dwords lie together: the
// second dword of record i; then by the lane's number, without an index.
kernel void swizzled(global const uint *in, global uint *out) {
  uint i = lid();
  R4 resource = RESOURCE(in, 8, 0);
  resource.y |= 0x80000000;
  uint r;
  __asm__ volatile("buffer_load_dword %0, %1, %2, 0 idxen offset:4\ns_waitcnt vmcnt(0)"
                   : "=v"(r) : "v"(i), "s"(resource) : "memory");
  out[i] = r;
  resource.w = 1 << 23;
  __asm__ volatile("buffer_load_dword %0, off, %1, 0 offset:4\ns_waitcnt vmcnt(0)"
                   : "=v"(r) : "s"(resource) : "memory");
  out[64 + i] = r;
  R2 pair;
  resource.w = 0;
  __asm__ volatile("buffer_load_dwordx2 %0, %1, %2, 0 idxen\ns_waitcnt vmcnt(0)"
                   : "=v"(pair) : "v"(i), "s"(resource) : "memory");
  *(global R2 *)(out + 128 + i * 2) = pair;
  resource.x = FIRST(out + 256);
  __asm__ volatile("buffer_store_dwordx2 %0, %1, %2, 0 idxen\ns_waitcnt vmcnt(0)"
                   : : "v"(pair), "v"(i), "s"(resource) : "memory");
}
