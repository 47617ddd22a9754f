// A bf16 GEMM of 256 x 256 x 64 tiles for gfx950, written by hand for the cycle
// model: D[m, n] = sum over k of A[m, k] * B[n, k], sizes multiples of the tile.
// Eight waves, two of 128 rows times four of 64 columns; two stages in LDS,
// filled by direct loads of 16 bytes a lane. A row of LDS is 64 values, eight
// pieces of 16 bytes; piece p of row r stands at p ^ (r / 2 % 8), so that 16
// lanes that read one piece of 16 rows meet every bank once.
typedef float f16v __attribute__((ext_vector_type(16)));
typedef __bf16 b8 __attribute__((ext_vector_type(8)));

#define ROW 128                 // bytes
#define TILE (256 * ROW)        // of A or of B
#define STAGE (2 * TILE)

static void fill(local char *to, global const char *from, long stride, uint wave, uint lane) {
  // A wave loads 32 rows in four instructions of eight.
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    uint row = wave * 32 + i * 8 + lane / 8, piece = (lane % 8) ^ (row / 2 % 8);
    __builtin_amdgcn_global_load_lds((global void *)(from + row * stride + piece * 16),
                                     (local void *)(to + (wave * 32 + i * 8) * ROW), 16, 0, 0);
  }
}

static b8 read(local const char *tile, uint row, uint piece) {
  return *(local const b8 *)(tile + row * ROW + ((piece ^ (row / 2 % 8)) * 16));
}

kernel __attribute__((amdgpu_flat_work_group_size(512, 512))) void
gemm256(global const char *a, global const char *b, global float *d, int n, int k) {
  local char lds[2 * STAGE] __attribute__((aligned(16)));
  uint lane = __builtin_amdgcn_workitem_id_x() % 64;
  uint wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 64);
  uint wm = wave / 4 * 128, wn = wave % 4 * 64;
  uint row0 = __builtin_amdgcn_workgroup_id_y() * 256, column0 = __builtin_amdgcn_workgroup_id_x() * 256;
  long stride = (long)k * 2;
  a += row0 * stride;
  b += column0 * stride;
  f16v sum[4][2] = {};
  fill(lds, a, stride, wave, lane);
  fill(lds + TILE, b, stride, wave, lane);
  for (int step = 0; step < k; step += 64) {
    local char *now = lds + (step / 64 % 2) * STAGE, *next = lds + ((step / 64 + 1) % 2) * STAGE;
    __builtin_amdgcn_s_waitcnt(0x0f70); // vmcnt(0)
    __builtin_amdgcn_s_barrier();
    if (step + 64 < k) {
      fill(next, a + (step + 64) * 2, stride, wave, lane);
      fill(next + TILE, b + (step + 64) * 2, stride, wave, lane);
    }
#pragma unroll
    for (uint kk = 0; kk < 4; ++kk) {
      b8 x[4], y[2];
      uint piece = kk * 2 + lane / 32;
#pragma unroll
      for (uint i = 0; i < 4; ++i)
        x[i] = read(now, wm + i * 32 + lane % 32, piece);
#pragma unroll
      for (uint j = 0; j < 2; ++j)
        y[j] = read(now + TILE, wn + j * 32 + lane % 32, piece);
#pragma unroll
      for (uint i = 0; i < 4; ++i)
#pragma unroll
        for (uint j = 0; j < 2; ++j)
          sum[i][j] = __builtin_amdgcn_mfma_f32_32x32x16_bf16(x[i], y[j], sum[i][j], 0, 0, 0);
    }
  }
#pragma unroll
  for (uint i = 0; i < 4; ++i)
#pragma unroll
    for (uint j = 0; j < 2; ++j)
#pragma unroll
      for (uint r = 0; r < 16; ++r)
        d[(row0 + wm + i * 32 + r / 4 * 8 + lane / 32 * 4 + r % 4) * (long)n + column0 + wn + j * 32 + lane % 32] =
            sum[i][j][r];
}

// A ping-pong of two groups of four waves, one of each on a SIMD: while one
// group multiplies, the other reads LDS and starts loads. The second group waits
// at one barrier more in the beginning, and at one less in the end. A cluster
// ends with a barrier; nothing moves between clusters. Four stages of 256 x 256
// x 32 in LDS: loads have three of them to come. A row of LDS is 32 values, four
// pieces; piece p of row r stands at p ^ (r / 4 % 4).
#define FENCE __builtin_amdgcn_sched_barrier(0)
#define CLUSTER_END                                                                                                  \
  do {                                                                                                               \
    FENCE;                                                                                                           \
    __builtin_amdgcn_s_barrier();                                                                                    \
    FENCE;                                                                                                           \
  } while (0)
#define SHORT_ROW 64
#define SHORT_TILE (256 * SHORT_ROW)
#define SHORT_STAGE (2 * SHORT_TILE)

// Two of a wave's four loads of a stage: of A or of B.
static void fillShort(local char *to, global const char *from, long stride, uint wave, uint lane) {
#pragma unroll
  for (uint i = 0; i < 2; ++i) {
    uint row = wave * 32 + i * 16 + lane / 4, piece = (lane % 4) ^ (row / 4 % 4);
    __builtin_amdgcn_global_load_lds((global void *)(from + row * stride + piece * 16),
                                     (local void *)(to + (wave * 32 + i * 16) * SHORT_ROW), 16, 0, 0);
  }
}

static local char *readShort(local char *tile, uint row, uint piece) {
  return tile + row * SHORT_ROW + ((piece ^ (row / 4 % 4)) * 16);
}

// What the ping-pongs share: \p bytes of each row of A and B, their stage of 64
// bytes a row, and what a wave of the first group and of the second does first.
#define PINGPONG_BEGIN(bytes)                                                                                        \
  local char lds[4 * SHORT_STAGE] __attribute__((aligned(16)));                                                      \
  uint lane = __builtin_amdgcn_workitem_id_x() % 64;                                                                 \
  uint wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 64);                                 \
  uint wm = wave / 4 * 128, wn = wave % 4 * 64;                                                                      \
  uint row0 = __builtin_amdgcn_workgroup_id_y() * 256, column0 = __builtin_amdgcn_workgroup_id_x() * 256;            \
  long stride = bytes;                                                                                               \
  a += row0 * stride;                                                                                                \
  b += column0 * stride;                                                                                             \
  f16v sum[4][2] = {};                                                                                               \
  _Pragma("unroll") for (uint stage = 0; stage < 3; ++stage) {                                                       \
    fillShort(lds + stage * SHORT_STAGE, a + stage * 64, stride, wave, lane);                                        \
    fillShort(lds + stage * SHORT_STAGE + SHORT_TILE, b + stage * 64, stride, wave, lane);                           \
  }                                                                                                                  \
  __builtin_amdgcn_s_waitcnt(0x0f78); /* vmcnt(8): the first stage */                                                \
  CLUSTER_END;                                                                                                       \
  uint m = wm + lane % 32, c = wn + lane % 32, hi = lane / 32;                                                       \
  if (wave >= 4) {                                                                                                   \
    CLUSTER_END;                                                                                                     \
  }
// The stage of this round, the one to fill, and its bytes' place in a row. The
// last rounds load what is there: nobody reads it.
#define PINGPONG_STAGES(at, bytes)                                                                                   \
  local char *now = lds + (at / 64 % 4) * SHORT_STAGE, *next = lds + ((at / 64 + 3) % 4) * SHORT_STAGE;              \
  int ahead = at + 192 < bytes ? at + 192 : at
#define MULTIPLY(product)                                                                                            \
  do {                                                                                                               \
  CLUSTER_END;                                                                                                       \
  __builtin_amdgcn_s_setprio(1);                                                                                     \
  _Pragma("unroll") for (uint i = 0; i < 4; ++i) _Pragma("unroll") for (uint j = 0; j < 2; ++j) sum[i][j] = product; \
  __builtin_amdgcn_s_setprio(0);                                                                                     \
  CLUSTER_END;                                                                                                       \
  } while (0)
#define PINGPONG_END                                                                                                 \
  if (wave < 4) {                                                                                                    \
    CLUSTER_END;                                                                                                     \
  }                                                                                                                  \
  _Pragma("unroll") for (uint i = 0; i < 4; ++i) _Pragma("unroll") for (uint j = 0; j < 2; ++j)                      \
      _Pragma("unroll") for (uint r = 0; r < 16; ++r)                                                                \
          d[(row0 + wm + i * 32 + r / 4 * 8 + hi * 4 + r % 4) * (long)n + column0 + wn + j * 32 + lane % 32] =       \
              sum[i][j][r]
#define WAIT_LDS __builtin_amdgcn_s_waitcnt(0xc07f)    // lgkmcnt(0)
#define WAIT_STAGE __builtin_amdgcn_s_waitcnt(0x0f78)  // vmcnt(8)
#define WAIT_SCALES __builtin_amdgcn_s_waitcnt(0x0f7e) // vmcnt(14)
#define KERNEL kernel __attribute__((amdgpu_flat_work_group_size(512, 512))) void

KERNEL gemm256_pingpong(global const char *a, global const char *b, global float *d, int n, int k) {
  int bytes = k * 2;
  PINGPONG_BEGIN(bytes);
  b8 x[4], y[2];
  for (int at = 0; at < bytes; at += 64) {
    PINGPONG_STAGES(at, bytes);
#pragma unroll
    for (uint kk = 0; kk < 2; ++kk) {
#pragma unroll
      for (uint i = 0; i < 4; ++i)
        x[i] = *(local b8 *)readShort(now, m + i * 32, kk * 2 + hi);
#pragma unroll
      for (uint j = 0; j < 2; ++j)
        y[j] = *(local b8 *)readShort(now + SHORT_TILE, c + j * 32, kk * 2 + hi);
      fillShort(next + kk * SHORT_TILE, (kk ? b : a) + ahead, stride, wave, lane);
      if (kk == 1)
        WAIT_STAGE;
      WAIT_LDS;
      MULTIPLY(__builtin_amdgcn_mfma_f32_32x32x16_bf16(x[i], y[j], sum[i][j], 0, 0, 0));
    }
  }
  PINGPONG_END;
}

// bf8 (e5m2): a lane's 32 values are two pieces, half a row apart.
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i8v __attribute__((ext_vector_type(8)));
static i8v readPair(local char *tile, uint row, uint hi) {
  return __builtin_shufflevector(*(local i4 *)readShort(tile, row, hi), *(local i4 *)readShort(tile, row, hi + 2), 0, 1,
                                 2, 3, 4, 5, 6, 7);
}
KERNEL gemm256_bf8_pingpong(global const char *a, global const char *b, global float *d, int n, int k) {
  int bytes = k;
  PINGPONG_BEGIN(bytes);
  i8v x[4], y[2];
  for (int at = 0; at < bytes; at += 64) {
    PINGPONG_STAGES(at, bytes);
#pragma unroll
    for (uint i = 0; i < 4; ++i)
      x[i] = readPair(now, m + i * 32, hi);
#pragma unroll
    for (uint j = 0; j < 2; ++j)
      y[j] = readPair(now + SHORT_TILE, c + j * 32, hi);
    fillShort(next, a + ahead, stride, wave, lane);
    fillShort(next + SHORT_TILE, b + ahead, stride, wave, lane);
    WAIT_STAGE;
    WAIT_LDS;
    MULTIPLY(__builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(x[i], y[j], sum[i][j], 1, 1, 0, 0, 0, 0));
  }
  PINGPONG_END;
}

// MXFP4: a row's 64 bytes of a stage are 128 values with four scales, a word.
// The words of a stage's rows stand together: scales[stage][row].
static i8v widen(local char *piece) {
  return __builtin_shufflevector(*(local i4 *)piece, (i4)0, 0, 1, 2, 3, 4, 5, 6, 7);
}
KERNEL gemm256_mxfp4_pingpong(global const char *a, global const char *b, global const int *scalesA,
                              global const int *scalesB, global float *d, int n, int k, int rows) {
  int bytes = k / 2;
  PINGPONG_BEGIN(bytes);
  i8v x[2][4], y[2][2];
  int sx[4], sy[2], nextX[4], nextY[2], laterX[4], laterY[2]; // two stages ahead
  scalesA += row0 + m;
  scalesB += column0 + c;
#pragma unroll
  for (uint i = 0; i < 4; ++i) {
    nextX[i] = scalesA[i * 32];
    laterX[i] = scalesA[rows + i * 32];
  }
#pragma unroll
  for (uint j = 0; j < 2; ++j) {
    nextY[j] = scalesB[j * 32];
    laterY[j] = scalesB[n + j * 32];
  }
  for (int at = 0; at < bytes; at += 64) {
    PINGPONG_STAGES(at, bytes);
    int stage = at + 128 < bytes ? at / 64 + 2 : at / 64;
    // Half of the lanes have the odd blocks.
#pragma unroll
    for (uint i = 0; i < 4; ++i) {
      sx[i] = nextX[i] >> (8 * hi);
      nextX[i] = laterX[i];
      laterX[i] = scalesA[(long)stage * rows + i * 32];
    }
#pragma unroll
    for (uint j = 0; j < 2; ++j) {
      sy[j] = nextY[j] >> (8 * hi);
      nextY[j] = laterY[j];
      laterY[j] = scalesB[(long)stage * n + j * 32];
    }
    FENCE;
#pragma unroll
    for (uint kk = 0; kk < 2; ++kk) {
#pragma unroll
      for (uint i = 0; i < 4; ++i)
        x[kk][i] = widen(readShort(now, m + i * 32, kk * 2 + hi));
#pragma unroll
      for (uint j = 0; j < 2; ++j)
        y[kk][j] = widen(readShort(now + SHORT_TILE, c + j * 32, kk * 2 + hi));
      fillShort(next + kk * SHORT_TILE, (kk ? b : a) + ahead, stride, wave, lane);
    }
    WAIT_SCALES;
    WAIT_LDS;
    CLUSTER_END;
    __builtin_amdgcn_s_setprio(1);
#pragma unroll
    for (uint i = 0; i < 4; ++i)
#pragma unroll
      for (uint j = 0; j < 2; ++j)
        sum[i][j] = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(x[0][i], y[0][j], sum[i][j], 4, 4, 0, sx[i], 0, sy[j]);
#pragma unroll
    for (uint i = 0; i < 4; ++i)
#pragma unroll
      for (uint j = 0; j < 2; ++j)
        sum[i][j] = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(x[1][i], y[1][j], sum[i][j], 4, 4, 2, sx[i], 2, sy[j]);
    __builtin_amdgcn_s_setprio(0);
    CLUSTER_END;
  }
  PINGPONG_END;
}
