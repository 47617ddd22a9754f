// Reverses tiles of 128 words. ORDERED: with the barrier; else without.
kernel void reverse(global const int *in, global int *out, int n) {
  local int tile[128];
  int lane = __builtin_amdgcn_workitem_id_x();
  int first = __builtin_amdgcn_workgroup_id_x() * 128;
  tile[lane] = first + lane < n ? in[first + lane] : 0;
#ifdef ORDERED
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#endif
  out[first + lane] = tile[127 - lane];
}
