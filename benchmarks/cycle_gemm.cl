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
// ends with a barrier; nothing moves between clusters.
// The tile is four quadrants of 128 x 128, of which each wave, of two times
// four, has 64 x 32. Four regions a step: each multiplies one quadrant, reads the
// half tile that the next one lacks, and refills a half tile of two steps ahead:
//   A's upper rows x B's left columns, A's lower x B's left,
//   A's upper x B's right, A's lower x B's right.
// Two buffers of half tiles of 128 rows of 128 bytes. Piece p of row r stands at
// p ^ swizzle(r): 8 rows, and the 16 of one access, meet every bank once.
#define FENCE __builtin_amdgcn_sched_barrier(0)
#define CLUSTER_END                                                                                                  \
  do {                                                                                                               \
    FENCE;                                                                                                           \
    __builtin_amdgcn_s_barrier();                                                                                    \
    FENCE;                                                                                                           \
  } while (0)
#define HALF (128 * ROW)
// A's half tiles of both buffers, then B's: an offset reaches all of either.
#define BUFFER (2 * HALF)
#define UPPER 0
#define LOWER HALF
#define LEFT (4 * HALF)
#define RIGHT (5 * HALF)
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i8v __attribute__((ext_vector_type(8)));
typedef float f4v __attribute__((ext_vector_type(4)));

static uint swizzle(uint row) { return (row % 8) ^ (row / 8 % 2); }

// Neighbouring tiles are an XCD's: four rows of tiles at a time, column by column.
// Workgroup w is XCD w % 8's.
static uint2 findTile(uint tilesN) {
  uint tilesM = __builtin_amdgcn_grid_size_y(), all = tilesM * tilesN;
  uint id = __builtin_amdgcn_workgroup_id_y() * tilesN + __builtin_amdgcn_workgroup_id_x();
  if (all % 8 == 0)
    id = id % 8 * (all / 8) + id / 8;
  uint first = id / (4 * tilesN) * 4, inGroup = id % (4 * tilesN), rows = tilesM - first < 4 ? tilesM - first : 4;
  return (uint2)(first + inGroup % rows, inGroup / rows) * 256;
}

// A wave's two loads of a half tile: 16 rows.
static void refill(local char *to, global const char *from, uint first, uint second, uint wave) {
  __builtin_amdgcn_global_load_lds((global void *)(from + first), (local void *)(to + wave * 16 * ROW), 16, 0, 0);
  __builtin_amdgcn_global_load_lds((global void *)(from + second), (local void *)(to + (wave * 16 + 8) * ROW), 16, 0, 0);
}
// The compiler waits for all loads under way before what it knows to read LDS.
static __attribute__((always_inline)) i4 readPiece(local char *at, uint offset) {
  i4 piece;
  __asm__ volatile("ds_read_b128 %0, %1 offset:%2" : "=v"(piece) : "v"(at), "i"(offset));
  return piece;
}
static __attribute__((always_inline)) int readWord(local const int *at, uint offset) {
  int word;
  __asm__ volatile("ds_read_b32 %0, %1 offset:%2" : "=v"(word) : "v"(at), "i"(offset));
  return word;
}
static i8v join(i4 low, i4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
static i8v widen(i4 piece) { return join(piece, (i4)0); }

#define WAIT_LDS __builtin_amdgcn_s_waitcnt(0xc07f)       // lgkmcnt(0)
#define WAIT_LOADS(n) __builtin_amdgcn_s_waitcnt(0x0f70 | (n) % 16 | (n) / 16 << 14)
#define KERNEL kernel __attribute__((amdgpu_flat_work_group_size(512, 512), amdgpu_waves_per_eu(2, 2))) void
#define UNROLL _Pragma("unroll")

// `bytes` of each row of A and B. `size`: of the instruction's tile; READ(to,
// half, row, tiles) and MULTIPLY(sum, a, b) are the kernel's. `loads` of a wave
// and region, `fillScales` what else is filled two steps ahead.
#define BEGIN(bytes)                                                                                                 \
  local char lds[8 * HALF] __attribute__((aligned(16)));                                                             \
  uint lane = __builtin_amdgcn_workitem_id_x() % 64;                                                                 \
  uint wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 64);                                 \
  uint wm = wave / 4 * 64, wn = wave % 4 * 32;                                                                       \
  uint2 tile = findTile(n / 256);                                                                                    \
  uint row0 = __builtin_amdgcn_readfirstlane(tile.x), column0 = __builtin_amdgcn_readfirstlane(tile.y);              \
  uint stride = bytes;                                                                                               \
  a += (ulong)row0 * stride;                                                                                         \
  b += (ulong)column0 * stride;                                                                                      \
  uint first = (wave * 16 + lane / 8) * stride + ((lane % 8) ^ swizzle(lane / 8)) * 16;                              \
  uint second = (wave * 16 + 8 + lane / 8) * stride + ((lane % 8) ^ swizzle(8 + lane / 8)) * 16;                     \
  global const char *lowerA = a + 128 * (ulong)stride, *rightB = b + 128 * (ulong)stride
#define FILL_STEP(buffer, at)                                                                                        \
  do {                                                                                                               \
    refill(lds + (buffer)*BUFFER + LEFT, b + (at), first, second, wave);                                             \
    refill(lds + (buffer)*BUFFER + UPPER, a + (at), first, second, wave);                                            \
    refill(lds + (buffer)*BUFFER + LOWER, lowerA + (at), first, second, wave);                                       \
    refill(lds + (buffer)*BUFFER + RIGHT, rightB + (at), first, second, wave);                                       \
  } while (0)
// While the first group multiplies, the other one has the older memory cluster.
#define SHIFT                                                                                                        \
  do {                                                                                                               \
    WAIT_LDS;                                                                                                        \
    CLUSTER_END;                                                                                                     \
    if (wave >= 4) {                                                                                                 \
      CLUSTER_END;                                                                                                   \
    }                                                                                                                \
  } while (0)
// One region. The loads of five later half tiles may be under way.
#define REGION(multiply, read, arrange, half, from, pending)                                                         \
  do {                                                                                                               \
    __builtin_amdgcn_s_setprio(0);                                                                                   \
    multiply;                                                                                                        \
    CLUSTER_END;                                                                                                     \
    __builtin_amdgcn_s_setprio(1);                                                                                   \
    read;                                                                                                            \
    refill(lds + now + (half), (from) + ahead, first, second, wave);                                                 \
    FENCE;                                                                                                           \
    WAIT_LDS;                                                                                                        \
    WAIT_LOADS(pending);                                                                                             \
    FENCE;                                                                                                           \
    arrange;                                                                                                         \
    CLUSTER_END;                                                                                                     \
  } while (0)
#define END                                                                                                          \
  do {                                                                                                               \
    if (wave < 4) {                                                                                                  \
      CLUSTER_END;                                                                                                   \
    }                                                                                                                \
  } while (0)
// Instructions of 16 x 16: a wave has 4 x 2 tiles of a quadrant.
#define STORE_16(sum, row, column)                                                                                   \
  UNROLL for (uint i = 0; i < 4; ++i) UNROLL for (uint j = 0; j < 2; ++j) UNROLL for (uint r = 0; r < 4; ++r)        \
      d[(row0 + (row) + wm + i * 16 + lane / 16 * 4 + r) * (ulong)n + column0 + (column) + wn + j * 16 + lane % 16] = \
          sum[i][j][r]
#define READ_16(to, half, from, tiles)                                                                               \
  UNROLL for (uint i = 0; i < tiles; ++i) UNROLL for (uint p = 0; p < 2; ++p)                                        \
      to[i][p] = readPiece(from[p], (half) + i * 16 * ROW)
#define MULTIPLY_16(sum, x, y, product)                                                                              \
  UNROLL for (uint p = 0; p < PARTS; ++p) UNROLL for (uint i = 0; i < 4; ++i) UNROLL for (uint j = 0; j < 2; ++j)    \
      sum[i][j] = product(x[i], y[j], sum[i][j], p)
#define PINGPONG_16(bytes, product)                                                                                  \
  BEGIN(bytes);                                                                                                      \
  local char *fromA[2], *fromB[2];                                                                                   \
  UNROLL for (uint p = 0; p < 2; ++p) {                                                                              \
    uint at = lane % 16 * ROW + ((p * 4 + lane / 16) ^ swizzle(lane % 16)) * 16;                                     \
    fromA[p] = lds + wm * ROW + at;                                                                          \
    fromB[p] = lds + LEFT + wn * ROW + at;                                                                    \
  }                                                                                                                  \
  f4v upperLeft[4][2] = {}, lowerLeft[4][2] = {}, upperRight[4][2] = {}, lowerRight[4][2] = {};                      \
  i4 upper[4][2], lower[4][2], left[2][2], right[2][2];                                                              \
  FILL_STEP(0, 0);                                                                                                   \
  FILL_STEP(1, ROW);                                                                                                 \
  WAIT_LOADS(10);                                                                                                    \
  CLUSTER_END;                                                                                                       \
  READ_16(left, 0, fromB, 2);                                                                                  \
  READ_16(upper, UPPER, fromA, 4);                                                                                \
  SHIFT;                                                                                                             \
  for (int at = 0; at < bytes;) {                                                                                    \
    UNROLL for (uint buffer = 0; buffer < 2; ++buffer, at += ROW) {                                                  \
      uint now = buffer * BUFFER, next = (1 - buffer) * BUFFER;                                  \
      int ahead = at + 2 * ROW < bytes ? at + 2 * ROW : at;                                                          \
      REGION(MULTIPLY_16(upperLeft, upper, left, product), READ_16(lower, now + LOWER, fromA, 4), , LEFT, b, 10);         \
      REGION(MULTIPLY_16(lowerLeft, lower, left, product), READ_16(right, now + RIGHT - LEFT, fromB, 2), , UPPER, a, 10);        \
      REGION(MULTIPLY_16(upperRight, upper, right, product), READ_16(left, next, fromB, 2), , LOWER, lowerA, 10);  \
      REGION(MULTIPLY_16(lowerRight, lower, right, product), READ_16(upper, next + UPPER, fromA, 4), , RIGHT, rightB, 10); \
    }                                                                                                                \
  }                                                                                                                  \
  END;                                                                                                               \
  STORE_16(upperLeft, 0, 0);                                                                                         \
  STORE_16(lowerLeft, 128, 0);                                                                                       \
  STORE_16(upperRight, 0, 128);                                                                                      \
  STORE_16(lowerRight, 128, 128)

#define PARTS 2
#define BF16(x, y, sum, p)                                                                                           \
  __builtin_amdgcn_mfma_f32_16x16x32_bf16(__builtin_astype(x[p], b8), __builtin_astype(y[p], b8), sum, 0, 0, 0)
KERNEL gemm256_pingpong(global const char *a, global const char *b, global float *d, int n, int k) {
  PINGPONG_16(k * 2, BF16);
}
#undef PARTS

// bf8 (e5m2): a lane's 32 values are two pieces, half a row apart.
#define PARTS 1
#define BF8(x, y, sum, p)                                                                                            \
  __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(join(x[0], x[1]), join(y[0], y[1]), sum, 1, 1, 0, 0, 0, 0)
KERNEL gemm256_bf8_pingpong(global const char *a, global const char *b, global float *d, int n, int k) {
  PINGPONG_16(k, BF8);
}
#undef PARTS

// MXFP4, instructions of 32 x 32 x 64: a wave has 2 x 1 tiles of a quadrant, a
// step is 256 values with eight scales: two words of each row, scales[k / 128][
// row], which direct loads bring into LDS: a half tile's two rows of words.
#define WORDS (2 * 128)
#define READ_32(to, half, from, tiles)                                                                               \
  UNROLL for (uint i = 0; i < tiles; ++i) UNROLL for (uint p = 0; p < 4; ++p)                                        \
      to[i][p] = readPiece(from[p], (half) + i * 32 * ROW)
// Half of the lanes have the odd blocks.
#define READ_SCALES(to, at, words, tiles)                                                                            \
  UNROLL for (uint i = 0; i < tiles; ++i) UNROLL for (uint w = 0; w < 2; ++w)                                        \
      to[i][w] = readWord(at, ((words) + w * 128 + i * 32) * 4)
#define ARRANGE(scales, tiles)                                                                                       \
  UNROLL for (uint i = 0; i < tiles; ++i) UNROLL for (uint w = 0; w < 2; ++w) scales[i][w] >>= 8 * hi
#define MULTIPLY_32(sum, x, y, sx, sy)                                                                               \
  UNROLL for (uint i = 0; i < 2; ++i) {                                                                              \
    sum[i] = FP4(x[i][0], y[0][0], sum[i], sx[i][0], sy[0][0], 0);                                                   \
    sum[i] = FP4(x[i][1], y[0][1], sum[i], sx[i][0], sy[0][0], 2);                                                   \
    sum[i] = FP4(x[i][2], y[0][2], sum[i], sx[i][1], sy[0][1], 0);                                                   \
    sum[i] = FP4(x[i][3], y[0][3], sum[i], sx[i][1], sy[0][1], 2);                                                   \
  }
#define FP4(x, y, sum, sx, sy, byte)                                                                                 \
  __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(widen(x), widen(y), sum, 4, 4, byte, sx, byte, sy)
#define STORE_32(sum, row, column)                                                                                   \
  UNROLL for (uint i = 0; i < 2; ++i) UNROLL for (uint r = 0; r < 16; ++r)                                           \
      d[(row0 + (row) + wm + i * 32 + r / 4 * 8 + hi * 4 + r % 4) * (ulong)n + column0 + (column) + wn + lane % 32] = \
          sum[i][r]
// A wave's share of a step's words: 64 of one half tile's one row.
static void refillScales(local int *to, global const int *scalesA, global const int *scalesB, int stage, int rows,
                         int n, uint wave, uint lane) {
  // Waves 0 to 3 have A's four half rows of the step's first word, and of the
  // second; 4 to 7 those of B.
  global const int *from = wave < 4 ? scalesA : scalesB;
  int words = wave < 4 ? rows : n;
#pragma unroll
  for (uint w = 0; w < 2; ++w) {
    uint side = wave / 2 % 2;
    __builtin_amdgcn_global_load_lds((global void *)(from + (long)(stage * 2 + w) * words + wave % 4 * 64 + lane),
                                     (local void *)(to + (wave / 4 * 2 + side) * WORDS + w * 128 + wave % 2 * 64), 4,
                                     0, 0);
  }
}
KERNEL gemm256_mxfp4_pingpong(global const char *a, global const char *b, global const int *scalesA,
                              global const int *scalesB, global float *d, int n, int k, int rows) {
  int bytes = k / 2;
  local int words[3][4 * WORDS];
  BEGIN(bytes);
  uint hi = lane / 32;
  local char *fromA[4], *fromB[4];
  UNROLL for (uint p = 0; p < 4; ++p) {
    uint at = lane % 32 * ROW + ((p * 2 + hi) ^ swizzle(lane % 32)) * 16;
    fromA[p] = lds + wm * ROW + at;
    fromB[p] = lds + LEFT + wn * ROW + at;
  }
  f16v upperLeft[2] = {}, lowerLeft[2] = {}, upperRight[2] = {}, lowerRight[2] = {};
  i4 upper[2][4], lower[2][4], left[1][4], right[1][4];
  int upperS[2][2], lowerS[2][2], leftS[1][2], rightS[1][2];
  scalesA += row0;
  scalesB += column0;
  refillScales(words[0], scalesA, scalesB, 0, rows, n, wave, lane);
  FILL_STEP(0, 0);
  refillScales(words[1], scalesA, scalesB, 1, rows, n, wave, lane);
  FILL_STEP(1, ROW);
  WAIT_LOADS(12);
  CLUSTER_END;
  READ_32(left, 0, fromB, 1);
  READ_32(upper, 0, fromA, 2);
  local int *scaleA = words[0] + wm + lane % 32, *scaleB = words[0] + 2 * WORDS + wn + lane % 32;
  READ_SCALES(leftS, scaleB, 0, 1);
  READ_SCALES(upperS, scaleA, 0, 2);
  WAIT_LDS;
  FENCE;
  ARRANGE(leftS, 1);
  ARRANGE(upperS, 2);
  SHIFT;
  int third = 0; // the words of this step
  for (int at = 0; at < bytes;) {
#pragma unroll
    for (uint buffer = 0; buffer < 2; ++buffer, at += ROW) {
      uint now = buffer * BUFFER, next = (1 - buffer) * BUFFER;
      int ahead = at + 2 * ROW < bytes ? at + 2 * ROW : at;
      int following = third == 2 ? 0 : third + 1, last = third == 0 ? 2 : third - 1;
      int these = third * 4 * WORDS, those = following * 4 * WORDS;
      REGION(MULTIPLY_32(upperLeft, upper, left, upperS, leftS), {
        READ_32(lower, now + LOWER, fromA, 2);
        READ_SCALES(lowerS, scaleA + these, WORDS, 2);
        refillScales(words[last], scalesA, scalesB, ahead / ROW, rows, n, wave, lane);
      }, ARRANGE(lowerS, 2), LEFT, b, 12);
      REGION(MULTIPLY_32(lowerLeft, lower, left, lowerS, leftS), {
        READ_32(right, now + RIGHT - LEFT, fromB, 1);
        READ_SCALES(rightS, scaleB + these, WORDS, 1);
      }, ARRANGE(rightS, 1), UPPER, a, 12);
      REGION(MULTIPLY_32(upperRight, upper, right, upperS, rightS), {
        READ_32(left, next, fromB, 1);
        READ_SCALES(leftS, scaleB + those, 0, 1);
      }, ARRANGE(leftS, 1), LOWER, lowerA, 12);
      REGION(MULTIPLY_32(lowerRight, lower, right, lowerS, rightS), {
        READ_32(upper, next, fromA, 2);
        READ_SCALES(upperS, scaleA + those, 0, 2);
      }, ARRANGE(upperS, 2), RIGHT, rightB, 12);
      third = following;
    }
  }
  END;
  STORE_32(upperLeft, 0, 0);
  STORE_32(lowerLeft, 128, 0);
  STORE_32(upperRight, 0, 128);
  STORE_32(lowerRight, 128, 128);
}

// Smaller tiles, of four waves (two times two, one a SIMD), bf16: the workgroup
// waits for its loads in front of each region; behind each of a region's products
// stands a read, as long as there are any, and loads are spread evenly. M x N: the
// tile.
#define HALF_M (M / 2 * ROW)
#define HALF_N (N / 2 * ROW)
#define LOADS_M (M / 64) // of a wave, of half a tile
#define LOADS_N (N / 64)
#define TILES_M (M / 64) // of a wave, of a quadrant
#define TILES_N (N / 64)
#define REGION_4(sum, x, y, to, from, offset, reads, target, source, at, loads, pending)                             \
  do {                                                                                                               \
    WAIT_LDS;                                                                                                        \
    WAIT_LOADS(pending);                                                                                             \
    CLUSTER_END;                                                                                                     \
    UNROLL for (uint p = 0; p < 2; ++p) UNROLL for (uint i = 0; i < TILES_M; ++i)                                    \
        UNROLL for (uint j = 0; j < TILES_N; ++j) {                                                                  \
      uint number = (p * TILES_M + i) * TILES_N + j, products = 2 * TILES_M * TILES_N;                               \
      sum[i][j] = BF16(x[i], y[j], sum[i][j], p);                                                                    \
      FENCE;                                                                                                         \
      if (number < (reads))                                                                                          \
        to[number / 2][number % 2] = readPiece(from[number % 2], (offset) + number / 2 * 16 * ROW);                  \
      UNROLL for (uint r = number * (loads) / products; r < (number + 1) * (loads) / products; ++r)                  \
          __builtin_amdgcn_global_load_lds((global void *)((source) + ahead + (r / 2 * 16) * (ulong)stride + at[r % 2]), \
                                           (local void *)(lds + (target) + (wave * (loads) + r) * 8 * ROW), 16, 0,   \
                                           0);                                                                       \
      FENCE;                                                                                                         \
    }                                                                                                                \
  } while (0)
#define FILL_4(target, source, at, loads)                                                                            \
  UNROLL for (uint r = 0; r < (loads); ++r) __builtin_amdgcn_global_load_lds(                                        \
      (global void *)((source) + ahead + (r / 2 * 16) * (ulong)stride + at[r % 2]),                                  \
      (local void *)(lds + (target) + (wave * (loads) + r) * 8 * ROW), 16, 0, 0)
#define STORE_4(sum, row, column)                                                                                    \
  UNROLL for (uint i = 0; i < TILES_M; ++i) UNROLL for (uint j = 0; j < TILES_N; ++j) UNROLL for (uint r = 0; r < 4; ++r) \
      d[(row0 + (row) + wm + i * 16 + lane / 16 * 4 + r) * (ulong)n + column0 + (column) + wn + j * 16 + lane % 16] = \
          sum[i][j][r]
#define BODY_4                                                                                                       \
  local char lds[4 * (HALF_M + HALF_N)] __attribute__((aligned(16)));                                                \
  uint lane = __builtin_amdgcn_workitem_id_x() % 64;                                                                 \
  uint wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 64);                                 \
  uint wm = wave / 2 * (M / 4), wn = wave % 2 * (N / 4);                                                             \
  uint2 tile = findTile(n / N);                                                                                      \
  uint row0 = __builtin_amdgcn_readfirstlane(tile.x / 256 * M), column0 = __builtin_amdgcn_readfirstlane(tile.y / 256 * N); \
  uint stride = k * 2, atM[2], atN[2];                                                                               \
  a += (ulong)row0 * stride;                                                                                         \
  b += (ulong)column0 * stride;                                                                                      \
  UNROLL for (uint r = 0; r < 2; ++r) {                                                                              \
    uint rowM = (wave * LOADS_M + r) * 8 + lane / 8, rowN = (wave * LOADS_N + r) * 8 + lane / 8;                     \
    atM[r] = rowM * stride + ((lane % 8) ^ swizzle(rowM)) * 16;                                                      \
    atN[r] = rowN * stride + ((lane % 8) ^ swizzle(rowN)) * 16;                                                      \
  }                                                                                                                  \
  global const char *lowerA = a + M / 2 * (ulong)stride, *rightB = b + N / 2 * (ulong)stride;                        \
  local char *fromA[2], *fromB[2];                                                                                   \
  UNROLL for (uint p = 0; p < 2; ++p) {                                                                              \
    uint at = lane % 16 * ROW + ((p * 4 + lane / 16) ^ swizzle(lane % 16)) * 16;                                     \
    fromA[p] = lds + wm * ROW + at;                                                                                  \
    fromB[p] = lds + 4 * HALF_M + wn * ROW + at;                                                                     \
  }                                                                                                                  \
  f4v upperLeft[TILES_M][TILES_N] = {}, lowerLeft[TILES_M][TILES_N] = {}, upperRight[TILES_M][TILES_N] = {},         \
      lowerRight[TILES_M][TILES_N] = {};                                                                             \
  i4 upper[TILES_M][2], lower[TILES_M][2], left[TILES_N][2], right[TILES_N][2];                                      \
  int ahead = 0;                                                                                                     \
  UNROLL for (uint buffer = 0; buffer < 2; ++buffer, ahead += ROW) {                                                 \
    FILL_4(4 * HALF_M + buffer * 2 * HALF_N, b, atN, LOADS_N);                                                       \
    FILL_4(buffer * 2 * HALF_M, a, atM, LOADS_M);                                                                    \
    FILL_4(buffer * 2 * HALF_M + HALF_M, lowerA, atM, LOADS_M);                                                      \
    FILL_4(4 * HALF_M + buffer * 2 * HALF_N + HALF_N, rightB, atN, LOADS_N);                                         \
  }                                                                                                                  \
  WAIT_LOADS(3 * LOADS_M + 3 * LOADS_N);                                                                             \
  CLUSTER_END;                                                                                                       \
  UNROLL for (uint r = 0; r < 2 * TILES_N; ++r) left[r / 2][r % 2] = readPiece(fromB[r % 2], r / 2 * 16 * ROW);      \
  UNROLL for (uint r = 0; r < 2 * TILES_M; ++r) upper[r / 2][r % 2] = readPiece(fromA[r % 2], r / 2 * 16 * ROW);     \
  for (int at = 0; at < stride;) {                                                                                   \
    UNROLL for (uint buffer = 0; buffer < 2; ++buffer, at += ROW) {                                                  \
      uint nowM = buffer * 2 * HALF_M, nowN = buffer * 2 * HALF_N, other = 1 - buffer;                               \
      ahead = at + 2 * ROW < stride ? at + 2 * ROW : at;                                                             \
      REGION_4(upperLeft, upper, left, lower, fromA, nowM + HALF_M, 2 * TILES_M, 4 * HALF_M + nowN, b, atN, LOADS_N, \
               2 * LOADS_M + 3 * LOADS_N);                                                                           \
      REGION_4(lowerLeft, lower, left, right, fromB, nowN + HALF_N, 2 * TILES_N, nowM, a, atM, LOADS_M,              \
               2 * LOADS_M + 3 * LOADS_N);                                                                           \
      REGION_4(upperRight, upper, right, left, fromB, other * 2 * HALF_N, 2 * TILES_N, nowM + HALF_M, lowerA, atM,   \
               LOADS_M, 3 * LOADS_M + 2 * LOADS_N);                                                                  \
      REGION_4(lowerRight, lower, right, upper, fromA, other * 2 * HALF_M, 2 * TILES_M, 4 * HALF_M + nowN + HALF_N,  \
               rightB, atN, LOADS_N, 3 * LOADS_M + 2 * LOADS_N);                                                     \
    }                                                                                                                \
  }                                                                                                                  \
  WAIT_LDS; /* nobody needs the last reads, but their registers */                                                   \
  CLUSTER_END;                                                                                                       \
  STORE_4(upperLeft, 0, 0);                                                                                          \
  STORE_4(lowerLeft, M / 2, 0);                                                                                      \
  STORE_4(upperRight, 0, N / 2);                                                                                     \
  STORE_4(lowerRight, M / 2, N / 2)
#define KERNEL_4 kernel __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(1, 1))) void

#define M 128
#define N 128
KERNEL_4 gemm128x128(global const char *a, global const char *b, global float *d, int n, int k) { BODY_4; }
#undef N
#define N 64
KERNEL_4 gemm128x64(global const char *a, global const char *b, global float *d, int n, int k) { BODY_4; }
#undef M
#define M 256
KERNEL_4 gemm256x64(global const char *a, global const char *b, global float *d, int n, int k) { BODY_4; }
#undef N
#define N 128
KERNEL_4 gemm256x128(global const char *a, global const char *b, global float *d, int n, int k) { BODY_4; }
