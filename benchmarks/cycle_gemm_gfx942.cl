// An f16 GEMM of 256 x 256 x 64 tiles for gfx942, written by hand for the cycle
// model in the form of the eight-wave kernel of gfx950's (see cycle_gemm.cl):
// D[m, n] = sum over k of A[m, k] * B[n, k]. Two groups of four waves take turns
// at the matrix cores. The chip has no direct loads of 16 bytes, and its LDS
// holds one step: the next one waits in registers until the last read of this
// one. Eight clusters a step, reads and writes of LDS among them:
//   load B, read A's upper rows; upper left;  load A, read B's right columns;
//   upper right;  read A's lower rows, write B; lower left;  read B's left
//   columns of the next step, write A; lower right.
typedef float f4 __attribute__((ext_vector_type(4)));
typedef half h4 __attribute__((ext_vector_type(4)));
typedef int i4 __attribute__((ext_vector_type(4)));

#define ROW 128 // bytes
#define HALF (128 * ROW)
#define SIDE (2 * HALF) // A, then B
#define UNROLL _Pragma("unroll")
#define FENCE __builtin_amdgcn_sched_barrier(0)
#define CLUSTER_END                                                                                                  \
  do {                                                                                                               \
    FENCE;                                                                                                           \
    __builtin_amdgcn_s_barrier();                                                                                    \
    FENCE;                                                                                                           \
  } while (0)
#define WAIT_LDS __builtin_amdgcn_s_waitcnt(0xc07f) // lgkmcnt(0)

// Piece p of row r stands at p ^ swizzle(r): the eight lanes of one clock meet
// every bank once, of a row's pieces and of eight rows' same piece.
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

// LDS by hand: the compiler would wait for more than it must.
static __attribute__((always_inline)) i4 readPiece(uint at, uint offset) {
  i4 piece;
  __asm__ volatile("ds_read_b128 %0, %1 offset:%2" : "=v"(piece) : "v"(at), "i"(offset));
  return piece;
}
static __attribute__((always_inline)) void writePiece(uint at, i4 piece, uint offset) {
  __asm__ volatile("ds_write_b128 %0, %1 offset:%2" : : "v"(at), "v"(piece), "i"(offset));
}

#define LOAD(to, from)                                                                                               \
  UNROLL for (uint i = 0; i < 4; ++i) to[i] =                                                                        \
      *(global const i4 *)((from) + ahead + ((uint)(i * 8) * stride + mine))
#define WRITE(from, side) UNROLL for (uint i = 0; i < 4; ++i) writePiece(toLds[i % 2], from[i], (side) + i / 2 * 16 * ROW)
#define READ(to, offset, at, tiles)                                                                                  \
  UNROLL for (uint i = 0; i < tiles; ++i) UNROLL for (uint p = 0; p < 2; ++p)                                        \
      to[i][p] = readPiece(at[p], (offset) + i * 16 * ROW)
// A lane's piece has its values of two instructions.
#define MULTIPLY(sum, x, y)                                                                                          \
  do {                                                                                                               \
    __builtin_amdgcn_s_setprio(0);                                                                                   \
    UNROLL for (uint p = 0; p < 2; ++p) UNROLL for (uint h = 0; h < 2; ++h) UNROLL for (uint i = 0; i < 4; ++i)      \
        UNROLL for (uint j = 0; j < 2; ++j) sum[i][j] = __builtin_amdgcn_mfma_f32_16x16x16f16(                       \
            __builtin_astype(h ? x[i][p].hi : x[i][p].lo, h4), __builtin_astype(h ? y[j][p].hi : y[j][p].lo, h4),    \
            sum[i][j], 0, 0, 0);                                                                                     \
    CLUSTER_END;                                                                                                     \
    __builtin_amdgcn_s_setprio(1);                                                                                   \
  } while (0)
#define MEMORY_END                                                                                                   \
  do {                                                                                                               \
    FENCE;                                                                                                           \
    WAIT_LDS;                                                                                                        \
    CLUSTER_END;                                                                                                     \
  } while (0)
#define STORE(sum, row, column)                                                                                      \
  UNROLL for (uint i = 0; i < 4; ++i) UNROLL for (uint j = 0; j < 2; ++j) UNROLL for (uint r = 0; r < 4; ++r)        \
      d[(row0 + (row) + wm + i * 16 + lane / 16 * 4 + r) * (ulong)n + column0 + (column) + wn + j * 16 + lane % 16] = \
          sum[i][j][r]

kernel __attribute__((amdgpu_flat_work_group_size(512, 512), amdgpu_waves_per_eu(2, 2))) void
gemm256_pingpong(global const char *a, global const char *b, global float *d, int n, int k) {
  local char lds[2 * SIDE] __attribute__((aligned(16)));
  uint lane = __builtin_amdgcn_workitem_id_x() % 64;
  uint wave = __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() / 64);
  uint wm = wave / 4 * 64, wn = wave % 4 * 32;
  uint2 tile = findTile(n / 256);
  uint row0 = __builtin_amdgcn_readfirstlane(tile.x), column0 = __builtin_amdgcn_readfirstlane(tile.y);
  uint stride = k * 2;
  a += (ulong)row0 * stride;
  b += (ulong)column0 * stride;
  // A wave brings 32 rows of A and of B, eight an instruction.
  uint mine = (wave * 32 + lane / 8) * stride + lane % 8 * 16;
  uint base = (uint)(local char *)lds, toLds[2], fromA[2], fromB[2];
  UNROLL for (uint i = 0; i < 2; ++i) toLds[i] =
      base + (wave * 32 + i * 8 + lane / 8) * ROW + ((lane % 8) ^ swizzle(i * 8 + lane / 8)) * 16;
  UNROLL for (uint p = 0; p < 2; ++p) {
    uint at = base + lane % 16 * ROW + ((p * 4 + lane / 16) ^ swizzle(lane % 16)) * 16;
    fromA[p] = at + wm * ROW;
    fromB[p] = at + wn * ROW + SIDE;
  }
  f4 upperLeft[4][2] = {}, upperRight[4][2] = {}, lowerLeft[4][2] = {}, lowerRight[4][2] = {};
  i4 x[4][2], left[2][2], right[2][2], nextA[4], nextB[4];
  int ahead = 0;
  LOAD(nextB, b);
  LOAD(nextA, a);
  WRITE(nextB, SIDE);
  WRITE(nextA, 0);
  MEMORY_END;
  READ(left, 0, fromB, 2);
  WAIT_LDS;
  CLUSTER_END;
  if (wave >= 4) {
    CLUSTER_END;
  }
  for (int at = 0; at < stride; at += ROW) {
    ahead = at + ROW < stride ? at + ROW : at;
    LOAD(nextB, b);
    READ(x, 0, fromA, 4);
    MEMORY_END;
    MULTIPLY(upperLeft, x, left);
    LOAD(nextA, a);
    READ(right, HALF, fromB, 2);
    MEMORY_END;
    MULTIPLY(upperRight, x, right);
    READ(x, HALF, fromA, 4);
    WRITE(nextB, SIDE);
    MEMORY_END;
    MULTIPLY(lowerLeft, x, left);
    READ(left, 0, fromB, 2);
    WRITE(nextA, 0);
    MEMORY_END;
    MULTIPLY(lowerRight, x, right);
  }
  if (wave < 4) {
    CLUSTER_END;
  }
  STORE(upperLeft, 0, 0);
  STORE(upperRight, 0, 128);
  STORE(lowerLeft, 128, 0);
  STORE(lowerRight, 128, 128);
}
