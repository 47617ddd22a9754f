// accum_offset is 8 of 32 registers, and the code names v8 and higher: they are
// a0 and so on, one file of registers.
  .text
  .globl aliased
  .p2align 8
  .type aliased,@function
aliased:
  s_load_dwordx4 s[0:3], s[0:1], 0x0 // in, out
  v_lshlrev_b32 v1, 4, v0
  s_waitcnt lgkmcnt(0)
  global_load_dwordx4 v[6:9], v1, s[0:1] // v8, v9 are a0, a1
  s_waitcnt vmcnt(0)
  v_accvgpr_read_b32 v2, a0
  v_accvgpr_read_b32 v3, a1
  v_accvgpr_write_b32 a4, v6
  s_nop 1
  v_add_u32 v4, v12, 1 // v12 is a4
  v_mov_b32 v31, v7    // v31 is a23
  s_nop 1
  v_accvgpr_read_b32 v5, a23
  global_store_dwordx4 v1, v[2:5], s[2:3]
  s_endpgm
  .rodata
  .p2align 6
  .amdhsa_kernel aliased
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_kernarg_size 16
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 8
    .amdhsa_accum_offset 8
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: aliased
    .symbol: aliased.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 32
    .agpr_count: 24
    .max_flat_workgroup_size: 64
    .args:
      - {.name: in, .address_space: global, .offset: 0, .size: 8, .value_kind: global_buffer}
      - {.name: out, .address_space: global, .offset: 8, .size: 8, .value_kind: global_buffer}
...
  .end_amdgpu_metadata
