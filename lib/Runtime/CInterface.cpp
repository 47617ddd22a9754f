//===- CInterface.cpp - the runtime's C interface -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/File.h"
#include "te/Runtime/Gpu.h"
#include "te/Runtime/Program.h"
#include "te/Runtime/te_runtime.h"

#include <algorithm>

using namespace mlir::te::rt;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

namespace {
struct Loaded;
}

struct te_device {
  std::shared_ptr<Device> device;
  std::string name, chip;
};
struct te_entry {
  Loaded *loaded;
  const Entry *entry;
};

namespace {
/// A program on its device. Bindings keep both.
struct Loaded : std::enable_shared_from_this<Loaded> {
  Loaded(std::shared_ptr<Device> device, Program made, LoadedCode code)
      : device(std::move(device)), program(std::move(made)),
        code(std::move(code)) {
    for (const Entry &entry : program.getManifest().entries)
      entries.push_back({this, &entry});
  }
  std::shared_ptr<Device> device;
  Program program;
  LoadedCode code;
  std::vector<te_entry> entries;
};
} // namespace

struct te_program {
  std::shared_ptr<Loaded> loaded;
};
struct te_binding {
  std::shared_ptr<Loaded> loaded;
  Binding binding;
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static thread_local std::string lastError;

static te_status fail(te_status status, std::string message) {
  lastError = std::move(message);
  return status;
}

/// What a call gives that ended with `status`, for this reason if not well.
static te_status finish(te_status failed, const Status &status) {
  return status ? TE_OK : fail(failed, status.error());
}

static te_status failNull(const char *what) {
  return fail(TE_INVALID_ARGUMENT, std::string(what) + " is NULL");
}

uint32_t te_runtime_version(void) { return TE_RUNTIME_VERSION; }

const char *te_last_error(void) { return lastError.c_str(); }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

te_status te_device_open(const char *kind, int ordinal, const char *library,
                         te_device **device) {
  if (!kind || !device)
    return failNull(kind ? "device" : "kind");
  bool isHip = std::string_view(kind) == "hip";
  if (!isHip && std::string_view(kind) != "cuda")
    return fail(TE_INVALID_ARGUMENT,
                std::string("no device ") + kind + "; there are hip and cuda");
  auto opened =
      isHip ? library ? openHipDevice(ordinal, library) : openHipDevice(ordinal)
      : library ? openCudaDevice(ordinal, library)
                : openCudaDevice(ordinal);
  if (!opened)
    return fail(TE_NO_DEVICE, opened.error());
  std::shared_ptr<Device> shared = std::move(*opened);
  *device = new te_device{shared, shared->getName(), shared->getChip()};
  return TE_OK;
}

void te_device_free(te_device *device) { delete device; }
const char *te_device_name(const te_device *device) {
  return device->name.c_str();
}
const char *te_device_chip(const te_device *device) {
  return device->chip.c_str();
}

te_status te_device_synchronize(te_device *device) {
  if (!device)
    return failNull("device");
  return finish(TE_DEVICE_ERROR, device->device->synchronize());
}

te_status te_allocate(te_device *device, uint64_t bytes, void **address) {
  if (!device || !address)
    return failNull(device ? "address" : "device");
  auto found = device->device->allocate(bytes, "the caller");
  if (!found)
    return fail(TE_DEVICE_ERROR, found.error());
  *address = reinterpret_cast<void *>(*found);
  return TE_OK;
}

te_status te_release(te_device *device, void *address) {
  if (!device)
    return failNull("device");
  if (address)
    device->device->free(reinterpret_cast<uint64_t>(address));
  return TE_OK;
}

te_status te_copy_to_device(te_device *device, void *address,
                            const void *source, uint64_t bytes) {
  if (!device)
    return failNull("device");
  return finish(TE_DEVICE_ERROR,
                device->device->copyToDevice(
                    reinterpret_cast<uint64_t>(address),
                    {static_cast<const uint8_t *>(source), bytes}));
}

te_status te_copy_from_device(te_device *device, void *target,
                              const void *address, uint64_t bytes) {
  if (!device)
    return failNull("device");
  return finish(TE_DEVICE_ERROR, device->device->copyFromDevice(
                                     {static_cast<uint8_t *>(target), bytes},
                                     reinterpret_cast<uint64_t>(address)));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// `what` precedes errors: the file's name, or nothing.
static te_status load(te_device *device, std::vector<uint8_t> image,
                      const std::string &what, te_program **program) {
  auto made = Program::create(std::move(image));
  if (!made)
    return fail(TE_INVALID_ARTEFACT, what + made.error());
  const std::string &target = made->getManifest().target;
  if (Status status = device->device->checkTarget(target); !status)
    return fail(TE_INVALID_ARTEFACT, what + status.error());
  auto code = made->load(*device->device);
  if (!code)
    return fail(TE_DEVICE_ERROR, what + code.error());
  *program = new te_program{std::make_shared<Loaded>(
      device->device, std::move(*made), std::move(*code))};
  return TE_OK;
}

te_status te_program_load(te_device *device, const void *image, size_t bytes,
                          te_program **program) {
  if (!device || !program)
    return failNull(device ? "program" : "device");
  if (!image)
    return failNull("image");
  const auto *begin = static_cast<const uint8_t *>(image);
  return load(device, {begin, begin + bytes}, "", program);
}

te_status te_program_load_file(te_device *device, const char *path,
                               te_program **program) {
  if (!device || !program)
    return failNull(device ? "program" : "device");
  if (!path)
    return failNull("path");
  auto image = readFile(path);
  if (!image)
    return fail(TE_INVALID_ARGUMENT, image.error());
  return load(device, std::move(*image), std::string(path) + ": ", program);
}

void te_program_free(te_program *program) { delete program; }

size_t te_program_entry_count(const te_program *program) {
  return program->loaded->entries.size();
}

const te_entry *te_program_entry(const te_program *program, size_t index) {
  const std::vector<te_entry> &entries = program->loaded->entries;
  return index < entries.size() ? &entries[index] : nullptr;
}

const te_entry *te_program_find_entry(const te_program *program,
                                      const char *name) {
  for (const te_entry &entry : program->loaded->entries)
    if (entry.entry->name == name)
      return &entry;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

const char *te_entry_name(const te_entry *entry) {
  return entry->entry->name.c_str();
}

size_t te_entry_dim_count(const te_entry *entry) {
  return entry->entry->dims.size();
}

const char *te_entry_dim_name(const te_entry *entry, size_t index) {
  const std::vector<std::string> &dims = entry->entry->dims;
  return index < dims.size() ? dims[index].c_str() : nullptr;
}

static std::vector<size_t> getBuffers(const te_entry *entry,
                                      te_buffer_kind kind) {
  return getBuffersOf(kind == TE_RESULT ? entry->entry->results
                                        : entry->entry->arguments);
}

/// Null, and a last error, where there is no such buffer.
static const Buffer *findBuffer(const te_entry *entry, te_buffer_kind kind,
                                size_t index) {
  std::vector<size_t> buffers = getBuffers(entry, kind);
  if (index < buffers.size())
    return &entry->entry->buffers[buffers[index]];
  fail(TE_INVALID_ARGUMENT, "entry " + entry->entry->name + " has " +
                                std::to_string(buffers.size()) +
                                (kind == TE_RESULT ? " result" : " argument") +
                                " buffers, and none with the index " +
                                std::to_string(index));
  return nullptr;
}

size_t te_entry_buffer_count(const te_entry *entry, te_buffer_kind kind) {
  return getBuffers(entry, kind).size();
}

te_status te_entry_buffer(const te_entry *entry, te_buffer_kind kind,
                          size_t index, te_buffer *buffer) {
  if (!entry || !buffer)
    return failNull(entry ? "buffer" : "entry");
  const Buffer *found = findBuffer(entry, kind, index);
  if (!found)
    return TE_INVALID_ARGUMENT;
  const DTypeInfo &type = getInfo(found->type);
  *buffer = {found->name.c_str(), type.name, uint32_t(found->shape.size()),
             type.bytes};
  return TE_OK;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

te_status te_query(const te_entry *entry, const int64_t *dims, size_t dim_count,
                   uint64_t *argument_bytes, uint64_t *result_bytes,
                   te_workspace_size *workspace) {
  if (!entry || (dim_count && !dims))
    return failNull(entry ? "dims" : "entry");
  auto sizes = query(*entry->entry, {dims, dim_count});
  if (!sizes)
    return fail(TE_INVALID_ARGUMENT, sizes.error());
  if (argument_bytes)
    std::copy(sizes->arguments.begin(), sizes->arguments.end(), argument_bytes);
  if (result_bytes)
    std::copy(sizes->results.begin(), sizes->results.end(), result_bytes);
  if (workspace)
    *workspace = {sizes->workspace, kWorkspaceAlignment};
  return TE_OK;
}

te_status te_query_shape(const te_entry *entry, te_buffer_kind kind,
                         size_t index, const int64_t *dims, size_t dim_count,
                         int64_t *shape) {
  if (!entry || (dim_count && !dims))
    return failNull(entry ? "dims" : "entry");
  const Buffer *buffer = findBuffer(entry, kind, index);
  if (!buffer)
    return TE_INVALID_ARGUMENT;
  if (!shape && !buffer->shape.empty())
    return failNull("shape");
  std::span sizes(dims, dim_count);
  if (Status status = checkDims(*entry->entry, sizes); !status)
    return fail(TE_INVALID_ARGUMENT, status.error());
  auto found = evaluateShape(*entry->entry, buffer->shape, buffer->name, sizes);
  if (!found)
    return fail(TE_INVALID_ARGUMENT, found.error());
  std::copy(found->begin(), found->end(), shape);
  return TE_OK;
}

static std::vector<Memory> convert(const te_memory *memory, size_t count) {
  std::vector<Memory> converted(count);
  for (size_t i = 0; i < count; ++i)
    converted[i] = {reinterpret_cast<uint64_t>(memory[i].address),
                    memory[i].bytes};
  return converted;
}

te_status te_bind(const te_entry *entry, const int64_t *dims, size_t dim_count,
                  const te_memory *arguments, size_t argument_count,
                  const te_memory *results, size_t result_count,
                  te_memory workspace, te_binding **binding) {
  if (!entry || !binding)
    return failNull(entry ? "binding" : "entry");
  if ((dim_count && !dims) || (argument_count && !arguments) ||
      (result_count && !results))
    return failNull("dims, arguments or results");
  auto made = Binding::create(
      entry->loaded->code, *entry->entry, {dims, dim_count},
      convert(arguments, argument_count), convert(results, result_count),
      convert(&workspace, 1)[0]);
  if (!made)
    return fail(TE_INVALID_ARGUMENT, made.error());
  *binding =
      new te_binding{entry->loaded->shared_from_this(), std::move(*made)};
  return TE_OK;
}

void te_binding_free(te_binding *binding) { delete binding; }

te_status te_run(const te_binding *binding, void *stream) {
  if (!binding)
    return failNull("binding");
  return finish(TE_DEVICE_ERROR,
                binding->binding.run(reinterpret_cast<uint64_t>(stream)));
}
