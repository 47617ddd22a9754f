#include "ids.h"
typedef int v8i __attribute__((ext_vector_type(8)));
typedef int v6i __attribute__((ext_vector_type(6)));
typedef int v4i __attribute__((ext_vector_type(4)));
typedef float v4f __attribute__((ext_vector_type(4)));
typedef float v16f __attribute__((ext_vector_type(16)));

// A format takes the first 8, 6 or 4 registers. The scale bytes differ, so that
// every choice of op_sel is used.
#define SCALED(SIZE, DEPTH, C, FA, FB, SA, SB)                                 \
  kernel void scaled_##SIZE##_##FA##_##FB(                                     \
      global const v8i *a, global const v8i *b, global const C *c,             \
      global const int *sa, global const int *sb, global C *d) {               \
    int l = lid();                                                             \
    d[l] = __builtin_amdgcn_mfma_scale_f32_##SIZE##x##SIZE##x##DEPTH##_f8f6f4( \
        a[l], b[l], c[l], FA, FB, SA, sa[l], SB, sb[l]);                       \
  }
#define BOTH(FA, FB, SA, SB)                                                   \
  SCALED(16, 128, v4f, FA, FB, SA, SB)                                         \
  SCALED(32, 64, v16f, FA, FB, SB, SA)
BOTH(0, 0, 0, 1)
BOTH(0, 1, 1, 2)
BOTH(0, 2, 2, 3)
BOTH(0, 3, 3, 0)
BOTH(0, 4, 0, 2)
BOTH(1, 0, 1, 3)
BOTH(1, 1, 2, 0)
BOTH(1, 2, 3, 1)
BOTH(1, 3, 0, 3)
BOTH(1, 4, 1, 0)
BOTH(2, 0, 2, 1)
BOTH(2, 1, 3, 2)
BOTH(2, 2, 0, 1)
BOTH(2, 3, 1, 2)
BOTH(2, 4, 2, 3)
BOTH(3, 0, 3, 0)
BOTH(3, 1, 0, 2)
BOTH(3, 2, 1, 3)
BOTH(3, 3, 2, 0)
BOTH(3, 4, 3, 1)
BOTH(4, 0, 0, 3)
BOTH(4, 1, 1, 0)
BOTH(4, 2, 2, 1)
BOTH(4, 3, 3, 2)
BOTH(4, 4, 0, 1)

// Scales of 1 (both constants 0): the instruction without scales.
#define PLAIN(SIZE, DEPTH, C, FA, FB)                                          \
  kernel void plain_##SIZE##_##FA##_##FB(global const v8i *a,                  \
                                         global const v8i *b,                  \
                                         global const C *c, global C *d) {     \
    int l = lid();                                                             \
    d[l] = __builtin_amdgcn_mfma_scale_f32_##SIZE##x##SIZE##x##DEPTH##_f8f6f4( \
        a[l], b[l], c[l], FA, FB, 0, 0, 0, 0);                                 \
  }
PLAIN(16, 128, v4f, 0, 4)
PLAIN(32, 64, v16f, 3, 1)

// fp6 and fp4 in the last registers of both files, after scales and without.
#define LAST(NAME, PRODUCT, ...)                                               \
  kernel void NAME(global const v8i *a, global const v8i *b,                   \
                   global const v4f *c, global const int *sa,                  \
                   global const int *sb, global v4f *d) {                      \
    int l = lid();                                                             \
    v4f sum = c[l];                                                            \
    v6i x = __builtin_shufflevector(a[l], a[l], 0, 1, 2, 3, 4, 5);             \
    v4i y = __builtin_shufflevector(b[l], b[l], 0, 1, 2, 3);                   \
    __asm__ volatile(PRODUCT "\ns_nop 15"                                      \
                     : "+v"(sum)                                               \
                     : "{v[250:255]}"(x), "{a[252:255]}"(y) __VA_ARGS__);      \
    d[l] = sum;                                                                \
  }
LAST(last_scaled,
     "v_mfma_scale_f32_16x16x128_f8f6f4 %0, %1, %2, %0, %3, %4 op_sel_hi:[0,0,0] cbsz:2 blgp:4",
     , "v"(sa[l]), "v"(sb[l]))
LAST(last_plain,
     "v_mfma_f32_16x16x128_f8f6f4 %0, %1, %2, %0 cbsz:2 blgp:4")
