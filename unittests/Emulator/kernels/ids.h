// Work-item numbers without OpenCL's library.
#define lid() __builtin_amdgcn_workitem_id_x()
#define group() __builtin_amdgcn_workgroup_id_x()
#define gid(size) (group() * (size) + lid())
#define barrier_lds()                                                          \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)
