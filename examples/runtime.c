/* Runs an entry of a compiled program on a GPU, by the runtime's C interface
 * (docs/runtime.md):
 *
 *   te-compile examples/quantize_mxfp8.mlir --target=sm_90a -o q.ptx
 *   cc -std=c11 -Iinclude examples/runtime.c -Lbuild/lib -lte_runtime
 * -Wl,-rpath,$PWD/build/lib -o runtime
 *   ./runtime cuda q.ptx quantize 257
 *
 * The numbers are the sizes of the entry's dynamic dimensions, in order. Every
 * byte of an argument is its index; the first bytes of each result are printed.
 * A framework has memory and a stream of its own, and gives those. */
#include "te/Runtime/te_runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 16 }; /* buffers of a kind, and dimensions */

static void check(te_status status) {
  if (status == TE_OK)
    return;
  fprintf(stderr, "runtime: error: %s\n", te_last_error());
  exit(1);
}

/* Memory for `count` buffers; where they are arguments, with contents. */
static void allocate(te_device *device, const uint64_t *bytes, size_t count,
                     int is_argument, te_memory *memory) {
  for (size_t i = 0; i < count; ++i) {
    memory[i].bytes = bytes[i];
    check(te_allocate(device, bytes[i], &memory[i].address));
    if (!is_argument)
      continue;
    unsigned char *contents = malloc(bytes[i] + 1);
    for (uint64_t at = 0; at < bytes[i]; ++at)
      contents[at] = (unsigned char)at;
    check(te_copy_to_device(device, memory[i].address, contents, bytes[i]));
    free(contents);
  }
}

static void print_results(te_device *device, const te_entry *entry,
                          const te_memory *results) {
  for (size_t i = 0; i < te_entry_buffer_count(entry, TE_RESULT); ++i) {
    te_buffer buffer;
    unsigned char contents[8];
    uint64_t bytes = results[i].bytes < sizeof(contents) ? results[i].bytes
                                                         : sizeof(contents);
    check(te_entry_buffer(entry, TE_RESULT, i, &buffer));
    check(te_copy_from_device(device, contents, results[i].address, bytes));
    printf("%s: %s, %" PRIu64 " bytes:", buffer.name, buffer.dtype,
           results[i].bytes);
    for (uint64_t at = 0; at < bytes; ++at)
      printf(" %02x", contents[at]);
    printf("\n");
  }
}

int main(int argc, char **argv) {
  if (argc < 4 || argc > 4 + kMost) {
    fprintf(stderr, "usage: runtime hip|cuda ARTEFACT ENTRY [SIZE...]\n");
    return 2;
  }
  te_device *device;
  te_program *program;
  check(te_device_open(argv[1], 0, NULL, &device));
  check(te_program_load_file(device, argv[2], &program));
  const te_entry *entry = te_program_find_entry(program, argv[3]);
  if (!entry) {
    fprintf(stderr, "runtime: error: no entry %s\n", argv[3]);
    return 2;
  }
  printf("%s on %s\n", te_entry_name(entry), te_device_name(device));

  int64_t dims[kMost];
  size_t dim_count = (size_t)(argc - 4);
  for (size_t i = 0; i < dim_count; ++i)
    dims[i] = strtoll(argv[4 + i], NULL, 10);
  size_t argument_count = te_entry_buffer_count(entry, TE_ARGUMENT);
  size_t result_count = te_entry_buffer_count(entry, TE_RESULT);
  if (argument_count > kMost || result_count > kMost) {
    fprintf(stderr, "runtime: error: more than %d buffers\n", kMost);
    return 2;
  }

  /* What a run needs. */
  uint64_t argument_bytes[kMost], result_bytes[kMost];
  te_workspace_size needed;
  check(
      te_query(entry, dims, dim_count, argument_bytes, result_bytes, &needed));
  te_memory arguments[kMost], results[kMost], workspace;
  allocate(device, argument_bytes, argument_count, 1, arguments);
  allocate(device, result_bytes, result_count, 0, results);
  allocate(device, &needed.bytes, 1, 0, &workspace);

  /* Bound once, launched as often as wanted. */
  te_binding *binding;
  check(te_bind(entry, dims, dim_count, arguments, argument_count, results,
                result_count, workspace, &binding));
  check(te_run(binding, NULL));
  check(te_device_synchronize(device));
  print_results(device, entry, results);

  te_binding_free(binding);
  te_program_free(program);
  for (size_t i = 0; i < argument_count; ++i)
    check(te_release(device, arguments[i].address));
  for (size_t i = 0; i < result_count; ++i)
    check(te_release(device, results[i].address));
  check(te_release(device, workspace.address));
  te_device_free(device);
  return 0;
}
