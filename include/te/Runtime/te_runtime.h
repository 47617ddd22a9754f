/*===- te_runtime.h - the runtime's C interface --*- C -*-===*\
 *
 * Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===
 *
 * Loads a compiled program on a GPU and runs it in the caller's memory, on the
 * caller's stream (docs/runtime.md):
 *
 *   te_device_open, te_program_load     once
 *   te_query, then allocate             once for given sizes of dimensions
 *   te_bind                             once for given memory
 *   te_run                              as often as wanted
 *
 * Any thread may call any function at any time; only an object's
 * last call must come before it is freed. Objects may be freed in any order:
what
 * one needs of another lives as long as it does. Freeing NULL does nothing.
 *
 * A function that fails leaves its results alone, and tells the reason in
 * te_last_error() of the same thread.
 *
\*===----------------------------------------------------------------------===*/
#ifndef TE_RUNTIME_TE_RUNTIME_H
#define TE_RUNTIME_TE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions may be added within a version; none changes. */
#define TE_RUNTIME_VERSION 1
/* The version of the library at hand. */
uint32_t te_runtime_version(void);

typedef enum te_status {
  TE_OK = 0,
  TE_INVALID_ARGUMENT = 1, /* a value, size, address or name of the caller's */
  TE_INVALID_ARTEFACT = 2, /* no artefact, cut short, or for another chip */
  TE_NO_DEVICE = 3,        /* no library, no GPU, or none with the ordinal */
  TE_DEVICE_ERROR = 4      /* the vendor's library reports an error */
} te_status;

/* What went wrong in the calling thread's last call that failed; "" before. It
 * stays valid until the thread's next failure. */
const char *te_last_error(void);

/*===- Devices ------------------------------------------------------------===*/

typedef struct te_device te_device;

/* Opens GPU `ordinal` of `kind`, "hip" or "cuda". `library` is the path of the
 * vendor's library; NULL: as the system finds it. */
te_status te_device_open(const char *kind, int ordinal, const char *library,
                         te_device **device);
void te_device_free(te_device *device);
/* For a person: "cuda: NVIDIA H100 (sm_90)". */
const char *te_device_name(const te_device *device);
/* What programs are compiled for, te-compile's --target. */
const char *te_device_chip(const te_device *device);
/* Waits for all streams. */
te_status te_device_synchronize(te_device *device);

/* For hosts that have no allocator of their own. Copies are in order with the
 * default stream only. */
te_status te_allocate(te_device *device, uint64_t bytes, void **address);
te_status te_release(te_device *device, void *address);
te_status te_copy_to_device(te_device *device, void *address,
                            const void *source, uint64_t bytes);
te_status te_copy_from_device(te_device *device, void *target,
                              const void *address, uint64_t bytes);

/*===- Programs -----------------------------------------------------------===*/

/* An artefact's code on a device. */
typedef struct te_program te_program;
/* A function of a program; lives as long as that. */
typedef struct te_entry te_entry;

/* The image is copied. */
te_status te_program_load(te_device *device, const void *image, size_t bytes,
                          te_program **program);
te_status te_program_load_file(te_device *device, const char *path,
                               te_program **program);
void te_program_free(te_program *program);

size_t te_program_entry_count(const te_program *program);
/* NULL where there are not so many. */
const te_entry *te_program_entry(const te_program *program, size_t index);
/* NULL where there is none. */
const te_entry *te_program_find_entry(const te_program *program,
                                      const char *name);

const char *te_entry_name(const te_entry *entry);
/* The dynamic dimensions. Functions below expect their sizes, in this order.
 */
size_t te_entry_dim_count(const te_entry *entry);
/* NULL where there are not so many. */
const char *te_entry_dim_name(const te_entry *entry, size_t index);

/* Buffers have the order of the function's signature; a scaled tensor has two,
 * its data and its scales. */
typedef enum te_buffer_kind { TE_ARGUMENT = 0, TE_RESULT = 1 } te_buffer_kind;

typedef struct te_buffer {
  const char *name;
  const char *dtype; /* as MLIR spells it: "bf16", "f8E4M3FN" */
  uint32_t rank;
  uint32_t unit_bytes; /* of an element; of two where dtype is "f4E2M1FN" */
} te_buffer;

size_t te_entry_buffer_count(const te_entry *entry, te_buffer_kind kind);
te_status te_entry_buffer(const te_entry *entry, te_buffer_kind kind,
                          size_t index, te_buffer *buffer);

/*===- Running ------------------------------------------------------------===*/

/* What addresses of arguments and results are multiples of. */
#define TE_BUFFER_ALIGNMENT 16

typedef struct te_memory {
  void *address; /* may be NULL where nothing is needed */
  uint64_t bytes;
} te_memory;

typedef struct te_workspace_size {
  uint64_t bytes, alignment;
} te_workspace_size;

/* The bytes that a run needs: te_entry_buffer_count() of them for both kinds.
 * Any of the three results may be NULL. */
te_status te_query(const te_entry *entry, const int64_t *dims, size_t dim_count,
                   uint64_t *argument_bytes, uint64_t *result_bytes,
                   te_workspace_size *workspace);
/* The `rank` sizes of a buffer: dense, row-major; bytes along the last one
 * where dtype is "f4E2M1FN". */
te_status te_query_shape(const te_entry *entry, te_buffer_kind kind,
                         size_t index, const int64_t *dims, size_t dim_count,
                         int64_t *shape);

/* An entry with sizes and memory, checked and packed. */
typedef struct te_binding te_binding;

/* Results and workspace overlap nothing. The memory is only used by runs. */
te_status te_bind(const te_entry *entry, const int64_t *dims, size_t dim_count,
                  const te_memory *arguments, size_t argument_count,
                  const te_memory *results, size_t result_count,
                  te_memory workspace, te_binding **binding);
void te_binding_free(te_binding *binding);

/* Launches the kernels in order on `stream` (hipStream_t, CUstream; NULL: the
 * default one) and does not wait. Allocates nothing, so that a graph can
 * capture it. */
te_status te_run(const te_binding *binding, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* TE_RUNTIME_TE_RUNTIME_H */
