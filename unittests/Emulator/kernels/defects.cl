// Planted bugs, one a kernel, for the sanitizer. With -DBUG=0 each is mended.
// Workgroups have 128 lanes: two waves. SanitizerTest.cpp has the list.
#include "ids.h"

#define SIZE 128
typedef unsigned int uint;

// Clang also makes a function of a kernel, whose arguments are in vectors.
#define UNIFORM(P)                                                             \
  ((ulong)(uint)__builtin_amdgcn_readfirstlane((ulong)(P) >> 32) << 32 |       \
   (uint)__builtin_amdgcn_readfirstlane((ulong)(P)))

//===--- bounds ---===//

// The last lane reads one too far.
kernel void load_past_end(global int *in, global int *out) {
  out[gid(SIZE)] = in[gid(SIZE) + BUG];
}
kernel void store_past_end(global int *in, global int *out) {
  out[gid(SIZE) + BUG] = in[gid(SIZE)];
}
kernel void store_before(global int *in, global int *out) {
  out[(int)gid(SIZE) - BUG] = in[gid(SIZE)];
}
kernel void load_far(global int *in, global int *out) {
  out[gid(SIZE)] = in[gid(SIZE) * (BUG ? 20 : 1)];
}
// Two bytes past the end: only a part of the access is outside.
kernel void load_straddles(global char *in, global int *out) {
  int value;
  __builtin_memcpy(&value, in + gid(SIZE) * 4 + 2 * BUG, 4);
  out[gid(SIZE)] = value;
}
kernel void scalar_load_past_end(constant int *in, global int *out, int n) {
  out[gid(SIZE)] = in[n - 1 + BUG];
}
kernel void atomic_past_end(global int *in, global int *out) {
  __opencl_atomic_fetch_add((global atomic_int *)out + gid(SIZE) + BUG,
                            in[lid()], memory_order_relaxed,
                            memory_scope_device);
}
kernel void lds_past_end(global int *in, global int *out) {
  local int words[SIZE];
  *(volatile local int *)(words + lid() + BUG) = in[lid()];
  barrier_lds();
  out[gid(SIZE)] = words[lid() | 1];
}
// What a lane reads goes to others: all of them must find something there.
kernel void lds_transposed_past_end(global int *in, global int *out) {
  local int words[SIZE * 2] __attribute__((aligned(8)));
  words[lid() * 2] = words[lid() * 2 + 1] = in[lid()];
  barrier_lds();
  uint at = (uint)words + (lid() + BUG) * 8;
  uint2 read;
#ifdef __gfx950__
  __asm__ volatile("ds_read_b64_tr_b16 %0, %1\n s_waitcnt lgkmcnt(0)" : "=v"(read) : "v"(at) : "memory");
#else
  __asm__ volatile("ds_read_b64 %0, %1\n s_waitcnt lgkmcnt(0)" : "=v"(read) : "v"(at) : "memory");
#endif
  out[gid(SIZE)] = read.x;
}
kernel void scratch_past_end(global int *in, global int *out) {
  volatile int words[8];
  for (int i = 0; i < 8; ++i)
    words[i] = i;
  out[gid(SIZE)] = words[(in[lid()] & 7) + BUG * 1000];
}
// The host frees `in` first where BUG is set.
kernel void freed(global int *in, global int *out) {
  out[gid(SIZE)] = in[gid(SIZE)];
}

//===--- alignment ---===//

kernel void misaligned_global(global char *in, global char *out) {
  __opencl_atomic_fetch_add((global atomic_int *)(out + 2 * BUG), 1,
                            memory_order_relaxed, memory_scope_device);
}
kernel void misaligned_lds(global int *in, global int *out) {
  local int words[4];
  if (lid() < 4)
    words[lid()] = 0;
  barrier_lds();
  uint at = (uint)(local char *)words + (in[0] == 1000 ? BUG : 0); // always
  __opencl_atomic_fetch_add((local atomic_int *)at, 1,
                            memory_order_relaxed, memory_scope_work_group);
  barrier_lds();
  out[gid(SIZE)] = words[0];
}

// The low bits of a scalar load's address are ignored.
kernel void misaligned_scalar(global int *in, global int *out) {
  int value;
  __asm__ volatile("s_load_dword s40, %1, 0x0\n"
                   "s_waitcnt lgkmcnt(0)\n"
                   "v_mov_b32 %0, s40"
                   : "=&v"(value)
                   : "s"(UNIFORM(in) + 2 * BUG)
                   : "s40", "memory");
  out[gid(SIZE)] = value;
}

//===--- values that nothing has written ---===//

// The second half of the tile is never filled.
kernel void unwritten_lds(global int *in, global int *out) {
  local int words[SIZE];
  if (lid() < (BUG ? SIZE / 2 : SIZE))
    words[lid()] = in[gid(SIZE)];
  barrier_lds();
  out[gid(SIZE)] = *(volatile local int *)(words + SIZE - 1 - lid());
}
// The highest byte of each word.
kernel void unwritten_lds_byte(global int *in, global int *out) {
  local uint words[SIZE];
  volatile local uchar *bytes = (volatile local uchar *)(words + lid());
  for (int i = 0; i < 4 - BUG; ++i)
    bytes[i] = in[gid(SIZE)] >> i;
  barrier_lds();
  out[gid(SIZE)] = *(volatile local uint *)(words + (lid() ^ 1));
}
// Through arithmetic, a shuffle and a select.
kernel void unwritten_lds_spreads(global int *in, global int *out) {
  local int words[SIZE];
  if (!BUG || lid() != 7)
    words[lid()] = in[gid(SIZE)];
  barrier_lds();
  int value = *(volatile local int *)(words + lid()) * 3 + 1;
  value = __builtin_amdgcn_ds_bpermute((lid() ^ 5) * 4, value);
  out[gid(SIZE)] = in[lid()] > 0 ? value : value + 1;
}
kernel void unwritten_global(global int *in, global int *out,
                             global int *other) {
  out[gid(SIZE)] = in[gid(SIZE)] + (BUG ? other[gid(SIZE)] : 0);
}
kernel void unwritten_scratch(global int *in, global int *out) {
  volatile int words[8];
  for (int i = BUG; i < 8; ++i)
    words[i] = i;
  out[gid(SIZE)] = words[in[lid()] & 7];
}
kernel void unwritten_vgpr(global int *in, global int *out) {
  int value = in[gid(SIZE)];
  if (BUG)
    __asm__ volatile("v_add_u32 %0, %0, v77" : "+v"(value) : : "v77");
  out[gid(SIZE)] = value;
}
kernel void unwritten_agpr(global int *in, global int *out) {
  int value = in[gid(SIZE)];
  if (!BUG)
    __asm__ volatile("v_accvgpr_write_b32 a3, %0" : : "v"(value) : "a3");
  __asm__ volatile("s_nop 4\n v_accvgpr_read_b32 %0, a3" : "=v"(value) : : "a3");
  out[gid(SIZE)] = value;
}
kernel void unwritten_sgpr_address(global int *in, global int *out) {
  long offset = 0;
  if (BUG)
    __asm__ volatile("s_and_b64 %0, s[60:61], 4" : "=s"(offset) : : "s60", "s61", "scc");
  *(global int *)((global char *)out + offset + 4 * lid()) = in[lid()];
}
kernel void unwritten_address(global int *in, global int *out) {
  local int words[SIZE];
  if (!BUG || lid() < 100)
    words[lid()] = lid();
  barrier_lds();
  out[gid(SIZE)] = in[*(volatile local int *)(words + lid()) & 127];
}
kernel void unwritten_branch(global int *in, global int *out) {
  local int words[SIZE];
  if (!BUG)
    words[lid()] = in[lid()];
  barrier_lds();
  int flag = __builtin_amdgcn_readfirstlane(
      *(volatile local int *)(words + 64));
  if (flag > 5)
    out[gid(SIZE)] = 1;
}
kernel void unwritten_exec(global int *in, global int *out) {
  local int words[SIZE];
  if (!BUG)
    words[lid()] = in[lid()];
  barrier_lds();
  if (*(volatile local int *)(words + lid()) > 5)
    out[gid(SIZE)] = in[lid()] / 3;
}
kernel void unwritten_counter(global int *in, global int *out) {
  local int count[1];
  if (!BUG && lid() == 0)
    count[0] = 0;
  barrier_lds();
  __opencl_atomic_fetch_add((local atomic_int *)count, in[lid()],
                            memory_order_relaxed, memory_scope_work_group);
  barrier_lds();
  out[gid(SIZE)] = count[0];
}
// A row of A is missing: so is a row of D.
typedef float float16v __attribute__((ext_vector_type(16)));
typedef float float4v __attribute__((ext_vector_type(4)));
kernel void unwritten_tile(global float *in, global float *out) {
  local float tile[64];
  if (lid() < 64 && (!BUG || lid() % 16 != 3))
    tile[lid()] = in[lid()];
  barrier_lds();
  float a = *(volatile local float *)(tile + lid() % 64);
  float4v d = 0;
  d = __builtin_amdgcn_mfma_f32_16x16x4f32(a, in[lid() % 64], d, 0, 0, 0);
  if (group() == 0 && lid() < 64)
    for (int i = 0; i < 4; ++i)
      out[lid() * 4 + i] = d[i];
}

//===--- races ---===//

kernel void lds_read_after_write(global int *in, global int *out) {
  local int words[SIZE];
  words[lid()] = in[gid(SIZE)];
  if (!BUG)
    barrier_lds();
  out[gid(SIZE)] = *(volatile local int *)(words + SIZE - 1 - lid());
}
// The second barrier of a loop over tiles is missing.
kernel void lds_write_after_read(global int *in, global int *out) {
  local int words[SIZE];
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    *(volatile local int *)(words + lid()) = in[lid()] + k;
    barrier_lds();
    sum += *(volatile local int *)(words + SIZE - 1 - lid());
    if (!BUG)
      barrier_lds();
  }
  out[gid(SIZE)] = sum;
}
kernel void lds_write_after_write(global int *in, global int *out) {
  local int word[1];
  if (!BUG || lid() % 64 == 0) {
    if (BUG || lid() == 0)
      *(volatile local int *)word = in[lid()];
  }
  barrier_lds();
  out[gid(SIZE)] = *word;
}
// The waves' tiles overlap by one word.
kernel void lds_overlap(global int *in, global int *out) {
  local int words[SIZE + 1];
  *(volatile local int *)(words + lid()) = in[lid()];
  if (BUG && lid() % 64 == 63)
    *(volatile local int *)(words + lid() + 1) = 7;
  barrier_lds();
  out[gid(SIZE)] = words[lid()];
}
// Two buffers, but the index is turned too late.
kernel void lds_double_buffer(global int *in, global int *out) {
  local int words[2][SIZE];
  int sum = 0;
  words[0][lid()] = in[lid()];
  barrier_lds();
  for (int k = 0; k < 4; ++k) {
    int next = BUG ? k & 1 : (k + 1) & 1;
    int value = *(volatile local int *)(words[k & 1] + SIZE - 1 - lid());
    *(volatile local int *)(words[next] + lid()) = in[lid()] + k;
    sum += value;
    barrier_lds();
  }
  out[gid(SIZE)] = sum;
}
kernel void global_within_workgroup(global int *in, global int *out,
                                    global int *other) {
  other[gid(SIZE)] = in[gid(SIZE)];
  if (!BUG)
    barrier_lds();
  out[gid(SIZE)] =
      *(volatile global int *)(other + group() * SIZE + SIZE - 1 - lid());
}
// Nothing orders workgroups.
kernel void between_workgroups(global int *in, global int *out,
                               global int *other) {
  other[gid(SIZE)] = in[gid(SIZE)];
  uint from = BUG ? gid(SIZE) ^ SIZE : gid(SIZE);
  out[gid(SIZE)] = ((global int *)other)[from];
}
kernel void same_output(global int *in, global int *out) {
  out[BUG ? lid() : gid(SIZE)] = in[gid(SIZE)];
}
// A stencil in place reads its neighbour's first word.
kernel void in_place(global int *in, global int *out) {
  uint n = __builtin_amdgcn_grid_size_x();
  int next = BUG ? out[(gid(SIZE) + 1) % n] : in[gid(SIZE)];
  barrier_lds();
  out[gid(SIZE)] = next + 1;
}
kernel void plain_and_atomic(global int *in, global int *out) {
  if (group() == 0)
    __opencl_atomic_fetch_add((global atomic_int *)out, in[lid()],
                              memory_order_relaxed, memory_scope_device);
  else if (BUG && group() == 1 && lid() == 0) // one alone: no race but with the atomic
    *out = *out + 1;
}
// The last workgroup adds up what all have written.
kernel void last_block(global int *in, global int *out, global int *other) {
  global int *sums = other + 16;
  local int last[1];
  if (lid() == 0)
    sums[group()] = in[gid(SIZE)];
  if (lid() == 0) {
    int before = __opencl_atomic_fetch_add(
        (global atomic_int *)other, 1,
        BUG ? memory_order_relaxed : memory_order_acq_rel,
        memory_scope_device);
    last[0] = before == 3;
  }
  barrier_lds();
  if (last[0] && lid() == 0) {
    int sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += sums[i];
    out[0] = sum;
  }
}
// As above, but the other waves' stores are not waited for.
kernel void last_block_too_early(global int *in, global int *out,
                                 global int *other) {
  global int *values = other + 16;
  local int last[1];
  values[gid(SIZE)] = in[gid(SIZE)];
  if (!BUG)
    barrier_lds();
  if (lid() == 0)
    last[0] = __opencl_atomic_fetch_add((global atomic_int *)other, 1,
                                        memory_order_acq_rel,
                                        memory_scope_device) == 3;
  barrier_lds();
  if (last[0])
    out[lid()] = values[lid()] + values[lid() + SIZE];
}

//===--- waits ---===//

#if BUG
#define IF_MENDED(TEXT) "s_nop 0\n"
#define EITHER(BAD, GOOD) BAD
#else
#define IF_MENDED(TEXT) TEXT
#define EITHER(BAD, GOOD) GOOD
#endif

kernel void unwaited_load(global int *in, global int *out) {
  int value;
  __asm__ volatile("global_load_dword %0, %1, off\n" //
               IF_MENDED("s_waitcnt vmcnt(0)\n")
               "v_add_u32 %0, 1, %0\n"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value)
               : "v"(in + gid(SIZE))
               : "memory");
  out[gid(SIZE)] = value;
}
// Two loads, and the wait leaves the one that is used.
kernel void wait_off_by_one(global int *in, global int *out) {
  int a, b;
  __asm__ volatile("global_load_dword %0, %2, off\n"
               "global_load_dword %1, %2, off offset:4\n" //
               EITHER("s_waitcnt vmcnt(1)\n", "s_waitcnt vmcnt(0)\n")
               "v_add_u32 %1, %0, %1\n"
               "s_waitcnt vmcnt(0)"
               : "=&v"(a), "=&v"(b)
               : "v"(in + lid())
               : "memory");
  out[gid(SIZE)] = b;
}
kernel void unwaited_lds(global int *in, global int *out) {
  local int words[SIZE];
  *(volatile local int *)(words + lid()) = in[lid()];
  barrier_lds();
  int value;
  __asm__ volatile("ds_read_b32 %0, %1\n" //
               IF_MENDED("s_waitcnt lgkmcnt(0)\n")
               "v_add_u32 %0, 1, %0\n"
               "s_waitcnt lgkmcnt(0)"
               : "=&v"(value)
               : "v"((local int *)words + (lid() ^ 1))
               : "memory");
  out[gid(SIZE)] = value;
}
// The counter holds 15: when the sixteenth load is issued, the first one is back.
kernel void counted_lds(global int *in, global int *out) {
  local int words[SIZE];
  *(volatile local int *)(words + lid()) = in[lid()];
  barrier_lds();
  int value, other;
  __asm__ volatile("ds_read_b32 %0, %2\n" //
               "ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n"
               "ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n"
               "ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n"
               "ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n"
               "ds_read_b32 %1, %2\n ds_read_b32 %1, %2\n"
               EITHER("", "ds_read_b32 %1, %2\n")
               "v_add_u32 %0, 1, %0\n"
               "s_waitcnt lgkmcnt(0)"
               : "=&v"(value), "=&v"(other)
               : "v"((local int *)words + (lid() ^ 1))
               : "memory");
  out[gid(SIZE)] = value;
}
kernel void unwaited_permute(global int *in, global int *out) {
  int value = in[lid()];
  __asm__ volatile("ds_bpermute_b32 %0, %1, %0\n" //
               IF_MENDED("s_waitcnt lgkmcnt(0)\n")
               "v_add_u32 %0, 1, %0\n"
               "s_waitcnt lgkmcnt(0)"
               : "+v"(value)
               : "v"(lid() * 4 ^ 4));
  out[gid(SIZE)] = value;
}
kernel void unwaited_scalar(global int *in, global int *out) {
  int value;
  __asm__ volatile("s_load_dword s40, %1, 0x0\n" //
               IF_MENDED("s_waitcnt lgkmcnt(0)\n")
               "v_mov_b32 %0, s40\n"
               "s_waitcnt lgkmcnt(0)"
               : "=&v"(value)
               : "s"(UNIFORM(in))
               : "s40", "memory");
  out[gid(SIZE)] = value;
}
// Scalar loads come back in any order: a count other than 0 says nothing.
kernel void scalar_out_of_order(global int *in, global int *out) {
  int value;
  __asm__ volatile("s_load_dword s40, %1, 0x0\n"
               "s_load_dword s41, %1, 0x4\n" //
               EITHER("s_waitcnt lgkmcnt(1)\n", "s_waitcnt lgkmcnt(0)\n")
               "v_mov_b32 %0, s40\n"
               "s_waitcnt lgkmcnt(0)"
               : "=&v"(value)
               : "s"(UNIFORM(in))
               : "s40", "s41", "memory");
  out[gid(SIZE)] = value;
}
kernel void wrong_counter(global int *in, global int *out) {
  int value;
  __asm__ volatile("global_load_dword %0, %1, off\n" //
               EITHER("s_waitcnt lgkmcnt(0)\n", "s_waitcnt vmcnt(0)\n")
               "v_add_u32 %0, 1, %0\n"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value)
               : "v"(in + gid(SIZE))
               : "memory");
  out[gid(SIZE)] = value;
}
// The register that a load is to fill is overwritten: the load wins, later.
kernel void overwritten_too_early(global int *in, global int *out) {
  int value;
  __asm__ volatile("global_load_dword %0, %1, off\n" //
               IF_MENDED("s_waitcnt vmcnt(0)\n")
               "v_mov_b32 %0, 5\n"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value)
               : "v"(in + gid(SIZE))
               : "memory");
  out[gid(SIZE)] = value;
}
kernel void barrier_without_wait(global int *in, global int *out) {
  local int words[SIZE];
  int value = in[lid()];
  __asm__ volatile("s_waitcnt vmcnt(0)\n"
               "ds_write_b32 %0, %1\n" //
               IF_MENDED("s_waitcnt lgkmcnt(0)\n")
               "s_barrier"
               :
               : "v"((local int *)words + lid()), "v"(value)
               : "memory");
  out[gid(SIZE)] = *(volatile local int *)(words + (lid() ^ 64));
}
kernel void unwaited_to_lds(global int *in, global int *out) {
  local int words[SIZE];
  __builtin_amdgcn_global_load_lds(in + lid(), words + (lid() & 64), 4, 0, 0);
  if (BUG)
    __asm__ volatile("s_barrier" : : : "memory");
  else
    __asm__ volatile("s_waitcnt vmcnt(0)\n s_barrier" : : : "memory");
  int value;
  __asm__ volatile("ds_read_b32 %0, %1\n s_waitcnt vmcnt(0) lgkmcnt(0)"
               : "=v"(value)
               : "v"((local int *)words + (lid() ^ 64)), "v"(words)
               : "memory");
  out[gid(SIZE)] = value;
}

// Both waves put something in the same place: different words, or the same.
kernel void direct_write_after_write(global int *in, global int *out) {
  local int words[64];
  global int *from = in + (lid() & 63) + (BUG ? lid() & 64 : 0);
  __builtin_amdgcn_global_load_lds(from, words, 4, 0, 0);
  __asm__ volatile("s_waitcnt vmcnt(0)\n s_barrier" : : : "memory");
  out[gid(SIZE)] = *(volatile local int *)(words + (lid() & 63));
}

//===--- barriers, and waiting for ever ---===//

// Lanes that are off at a barrier do not matter where no branch goes by them.
kernel void exec_at_barrier(global int *in, global int *out) {
  __asm__ volatile("s_mov_b64 s[40:41], exec\n"
               "s_mov_b64 exec, 0xff\n" //
               EITHER("s_cbranch_execz 1f\n s_barrier\n 1:\n",
                      "s_cbranch_execz 1f\n s_nop 0\n 1: s_barrier\n")
               "s_mov_b64 exec, s[40:41]"
               : : : "s40", "s41", "memory");
  out[gid(SIZE)] = in[lid()];
}
// A wave polls a flag that another workgroup's atomic sets, by scalar loads.
kernel void polls_by_scalar(global int *in, global int *out,
                            global int *other) {
  if (group() != 0) {
    __asm__ volatile("1: s_load_dword s40, %0, 0x0 " EITHER("", "glc") "\n"
                 "s_waitcnt lgkmcnt(0)\n"
                 "s_cmp_eq_u32 s40, 0\n s_cbranch_scc1 1b"
                 : : "s"(UNIFORM(other)) : "s40", "scc", "memory");
  } else if (lid() == 0) {
    __opencl_atomic_fetch_add((global atomic_int *)other, 1,
                              memory_order_relaxed, memory_scope_device);
  }
  out[gid(SIZE)] = in[gid(SIZE)];
}

kernel void divergent_barrier(global int *in, global int *out) {
  local int words[SIZE];
  *(volatile local int *)(words + lid()) = in[lid()];
  if (!BUG || in[lid()] > 0)
    __builtin_amdgcn_s_barrier();
  barrier_lds();
  out[gid(SIZE)] = words[lid() ^ 64];
}
kernel void missed_barrier(global int *in, global int *out) {
  if (BUG && lid() >= 64)
    return;
  barrier_lds();
  out[gid(SIZE)] = in[lid()];
}
kernel void lds_flag_never_set(global int *in, global int *out) {
  local int flag[1];
  if (lid() == 0)
    flag[0] = BUG ? 0 : 1;
  barrier_lds();
  while (*(volatile local int *)flag == 0)
    ;
  out[gid(SIZE)] = in[lid()];
}
kernel void endless(global int *in, global int *out) {
  uint k = in[lid()] & 3;
  while (k != (BUG ? 9 : 3)) {
    k = (k + 1) & 3;
    __asm__ volatile("" : "+v"(k)); // or the loop would be folded away
  }
  out[gid(SIZE)] = k;
}
// Traps just after a wave's first turn, when it is watched for deadlock.
kernel void traps_late(global int *in, global int *out) {
  __asm__ volatile("s_mov_b32 s40, 27500\n"
                   "1: s_sub_u32 s40, s40, 1\n s_nop 0\n"
                   "s_cmp_lg_u32 s40, 0\n s_cbranch_scc1 1b\n s_trap 2"
                   ::: "s40", "scc");
}
// Each workgroup waits for the next one, or for the one before it.
kernel void waits_for_later(global int *in, global int *out,
                            global int *other) {
  global atomic_int *flags = (global atomic_int *)other;
  uint n = __builtin_amdgcn_grid_size_x() / SIZE;
  uint before = BUG ? (group() + 1) % n : group() - 1;
  if (lid() == 0 && (BUG || group() != 0))
    while (!__opencl_atomic_load(flags + before, memory_order_acquire,
                                 memory_scope_device))
      ;
  barrier_lds();
  out[gid(SIZE)] = in[gid(SIZE)];
  barrier_lds();
  if (lid() == 0)
    __opencl_atomic_store(flags + group(), 1, memory_order_release,
                          memory_scope_device);
}
