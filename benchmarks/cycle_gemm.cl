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
#define CLUSTER_END FENCE; __builtin_amdgcn_s_barrier(); FENCE
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

static b8 readShort(local const char *tile, uint row, uint piece) {
  return *(local const b8 *)(tile + row * SHORT_ROW + ((piece ^ (row / 4 % 4)) * 16));
}

kernel __attribute__((amdgpu_flat_work_group_size(512, 512))) void
gemm256_pingpong(global const char *a, global const char *b, global float *d, int n, int k) {
  local char lds[4 * SHORT_STAGE] __attribute__((aligned(16)));
  uint lane = __builtin_amdgcn_workitem_id_x() % 64;
  uint wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 64);
  uint wm = wave / 4 * 128, wn = wave % 4 * 64;
  uint row0 = __builtin_amdgcn_workgroup_id_y() * 256, column0 = __builtin_amdgcn_workgroup_id_x() * 256;
  long stride = (long)k * 2;
  a += row0 * stride;
  b += column0 * stride;
  f16v sum[4][2] = {};
#pragma unroll
  for (uint stage = 0; stage < 3; ++stage) {
    fillShort(lds + stage * SHORT_STAGE, a + stage * 64, stride, wave, lane);
    fillShort(lds + stage * SHORT_STAGE + SHORT_TILE, b + stage * 64, stride, wave, lane);
  }
  __builtin_amdgcn_s_waitcnt(0x0f78); // vmcnt(8): the first stage
  CLUSTER_END;
  b8 x[4], y[2];
  uint m = wm + lane % 32, c = wn + lane % 32, hi = lane / 32;
  if (wave >= 4) {
    CLUSTER_END;
  }
  for (int step = 0; step < k; step += 32) {
    local char *now = lds + (step / 32 % 4) * SHORT_STAGE, *next = lds + ((step / 32 + 3) % 4) * SHORT_STAGE;
    // The last steps load what is there: nobody reads it.
    int ahead = step + 96 < k ? step + 96 : step;
#pragma unroll
    for (uint kk = 0; kk < 2; ++kk) {
      uint piece = kk * 2 + hi;
#pragma unroll
      for (uint i = 0; i < 4; ++i)
        x[i] = readShort(now, m + i * 32, piece);
#pragma unroll
      for (uint j = 0; j < 2; ++j)
        y[j] = readShort(now + SHORT_TILE, c + j * 32, piece);
      fillShort(next + kk * SHORT_TILE, (kk ? b : a) + ahead * 2, stride, wave, lane);
      if (kk == 1)
        __builtin_amdgcn_s_waitcnt(0x0f78); // vmcnt(8): the next stage
      __builtin_amdgcn_s_waitcnt(0xc07f);   // lgkmcnt(0)
      CLUSTER_END;
      __builtin_amdgcn_s_setprio(1);
#pragma unroll
      for (uint i = 0; i < 4; ++i)
#pragma unroll
        for (uint j = 0; j < 2; ++j)
          sum[i][j] = __builtin_amdgcn_mfma_f32_32x32x16_bf16(x[i], y[j], sum[i][j], 0, 0, 0);
      __builtin_amdgcn_s_setprio(0);
      CLUSTER_END;
    }
  }
  if (wave < 4) {
    CLUSTER_END;
  }
#pragma unroll
  for (uint i = 0; i < 4; ++i)
#pragma unroll
    for (uint j = 0; j < 2; ++j)
#pragma unroll
      for (uint r = 0; r < 16; ++r)
        d[(row0 + wm + i * 32 + r / 4 * 8 + hi * 4 + r % 4) * (long)n + column0 + wn + j * 32 + lane % 32] =
            sum[i][j][r];
}
