#include "ids.h"

#define DPP(CTRL, ROWS, BANKS, BOUND)                                          \
  __builtin_amdgcn_update_dpp(old, x, CTRL, ROWS, BANKS, BOUND)

// Moves between lanes: 24 results an item.
kernel void moves(global const int *in, global int *out) {
  int i = gid(64);
  int x = in[i], old = -1 - i;
  out += i * 24;
  out[0] = DPP(0x1b, 15, 15, false);  // quad_perm:[3,2,1,0]
  out[1] = DPP(0x101, 15, 15, false); // row_shl:1
  out[2] = DPP(0x113, 15, 15, true);  // row_shr:3 bound_ctrl:0
  out[3] = DPP(0x125, 15, 15, false); // row_ror:5
  out[4] = DPP(0x140, 15, 15, false); // row_mirror
  out[5] = DPP(0x141, 15, 15, false); // row_half_mirror
  out[6] = DPP(0x142, 10, 15, false); // row_bcast:15 row_mask:0xa
  out[7] = DPP(0x143, 12, 15, false); // row_bcast:31 row_mask:0xc
  out[8] = DPP(0x138, 15, 15, false); // wave_shr:1
  out[9] = DPP(0x134, 15, 15, false); // wave_rol:1
  out[10] = DPP(0x155, 15, 15, false); // row_newbcast:5
  out[11] = DPP(0x111, 15, 5, false); // row_shr:1 bank_mask:0x5
  out[12] = __builtin_amdgcn_ds_swizzle(x, 0x401f); // xor 16
  out[13] = __builtin_amdgcn_ds_swizzle(x, 0x8055); // quad_perm 1,1,1,1
  out[14] = __builtin_amdgcn_ds_swizzle(x, 0x0018); // and 0x18
  out[15] = __builtin_amdgcn_ds_bpermute((i * 7 & 63) << 2, x);
  out[16] = __builtin_amdgcn_ds_permute((i * 7 & 63) << 2, x);
  out[17] = __builtin_amdgcn_readlane(x, 17);
  out[18] = __builtin_amdgcn_readfirstlane(x);
  out[19] = __builtin_amdgcn_mbcnt_hi(
      0x0f0f0f0f, __builtin_amdgcn_mbcnt_lo(0xff00ff00, 3));
  ulong ballot = __builtin_amdgcn_ballot_w64(x & 1);
  out[20] = (int)ballot;
  out[21] = (int)(ballot >> 32);
  out[22] = 0;
  if (x & 1)
    out[22] = DPP(0x101, 15, 15, false); // row_shl:1 with lanes off
  out[23] = __builtin_amdgcn_perm(x, old, 0x07020c01);
}

// Integer instructions that the compiler forms from patterns, or builtins.
kernel void bits(global const uint *a, global const uint *b,
                 global const uint *c, global uint *out) {
  int i = gid(64);
  uint x = a[i], y = b[i], z = c[i];
  out += i * 16;
  out[0] = __builtin_amdgcn_ubfe(x, y & 31, z & 31);
  out[1] = __builtin_amdgcn_sbfe(x, y & 31, z & 31);
  out[2] = __builtin_amdgcn_alignbit(x, y, z & 31);
  out[3] = __builtin_amdgcn_alignbyte(x, y, z & 3);
  out[4] = __builtin_bitreverse32(x);
  out[5] = (x << 5) + y;
  out[6] = (x + y) << 3;
  out[7] = (x & y) | z;
  out[8] = (x ^ y) + z;
  out[9] = x < y ? (y < z ? y : (x < z ? z : x)) : (x < z ? x : (y < z ? z : y));
  out[10] = __builtin_amdgcn_sad_u8(x, y, z);
  out[11] = (uint)((((ulong)x << 32 | y) >> (z & 63)) ^
                   (((ulong)z << 32 | x) << (y & 63)));
  ulong wide = (ulong)x * y + ((ulong)z << 32 | x);
  out[12] = (uint)wide;
  out[13] = (uint)(wide >> 32);
  out[14] = (x & ~y) ^ (y | z);
  out[15] = (int)x < (int)y ? __builtin_ctz(z | 0x80000000)
                            : ((ushort)(x * z) + (uchar)(y >> 8));
}
