//===- Run.cpp - te_mlir._native: devices and runs -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Run.h"

#include "te/Runtime/Gpu.h"

#include <future>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::python;

namespace {
struct BoundEntry {
  std::shared_ptr<Code> code;
  rt::Binding binding;
};

using Shapes = std::vector<std::vector<int64_t>>;
using Memories = std::vector<std::pair<uint64_t, uint64_t>>;
} // namespace

std::shared_ptr<DeviceHandle> DeviceHandle::open(const std::string &kind,
                                                 int ordinal,
                                                 const std::string &library,
                                                 uint64_t maxInstructions) {
  auto made = std::make_shared<DeviceHandle>();
  if (kind == "hip")
    made->device = check(library.empty() ? rt::openHipDevice(ordinal)
                                         : rt::openHipDevice(ordinal, library));
  else if (kind == "cuda")
    made->device =
        check(library.empty() ? rt::openCudaDevice(ordinal)
                              : rt::openCudaDevice(ordinal, library));
  else if (kind == "emulator") {
    auto emulator = std::make_unique<EmulatorDevice>();
    emulator->setMaxInstructions(maxInstructions);
    made->emulator = emulator.get();
    made->device = std::move(emulator);
  } else
    throw RunFailure{"no device " + kind +
                     "; there are emulator, hip and cuda"};
  return made;
}

std::shared_ptr<Code> Code::load(std::shared_ptr<DeviceHandle> device,
                                 const std::string &image) {
  auto made = std::make_shared<Code>();
  made->program = std::make_unique<rt::Program>(
      check(rt::Program::create({image.begin(), image.end()})));
  made->code = std::make_unique<rt::LoadedCode>(
      check(made->program->load(*device->device)));
  made->device = std::move(device);
  return made;
}

static const rt::Entry &findEntry(const rt::Manifest &manifest,
                                  const std::string &name) {
  if (const rt::Entry *entry = manifest.findEntry(name))
    return *entry;
  throw RunFailure{"the program has no entry " + name};
}

const rt::Entry &Code::getEntry(const std::string &name) const {
  return findEntry(program->getManifest(), name);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The sizes of the entry's dimensions, by arrays' shapes and by name.
static std::vector<int64_t>
resolveDims(const rt::Entry &entry, const Shapes &shapes,
            const std::map<std::string, int64_t> &given) {
  std::vector<rt::HostTensor> inputs(shapes.size());
  std::vector<const rt::HostTensor *> pointers;
  for (auto [input, shape] : llvm::zip_equal(inputs, shapes)) {
    input.shape = shape;
    pointers.push_back(&input);
  }
  return check(rt::bindDims(entry, given, pointers));
}

static Shapes getShapes(const rt::Entry &entry,
                        const std::vector<rt::Value> &values,
                        const std::vector<int64_t> &dims) {
  Shapes shapes;
  for (size_t index : rt::getBuffersOf(values))
    shapes.push_back(
        check(rt::getBufferShape(entry, entry.buffers[index], dims)));
  return shapes;
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static std::vector<rt::Memory> toMemory(const Memories &given) {
  std::vector<rt::Memory> memory;
  for (auto [address, bytes] : given)
    memory.push_back({address, bytes});
  return memory;
}

static std::unique_ptr<BoundEntry>
bindEntry(std::shared_ptr<Code> code, const std::string &entry,
          const std::vector<int64_t> &dims, const Memories &arguments,
          const Memories &results, std::pair<uint64_t, uint64_t> workspace) {
  rt::Binding binding = check(rt::Binding::create(
      *code->code, code->getEntry(entry), dims, toMemory(arguments),
      toMemory(results), {workspace.first, workspace.second}));
  return std::make_unique<BoundEntry>(
      BoundEntry{std::move(code), std::move(binding)});
}

/// How often Ctrl-C is looked for while the emulator runs.
static constexpr std::chrono::milliseconds kPoll(50);

/// An emulation may last: it runs in a thread of its own, so that this one can
/// look for signals.
void python::runBinding(const Code &code, const rt::Binding &binding,
                        uint64_t stream) {
  EmulatorDevice *emulator = code.device->emulator;
  if (!emulator) {
    py::gil_scoped_release release;
    return check(binding.run(stream));
  }
  std::future<rt::Status> done;
  bool isInterrupted = false;
  {
    py::gil_scoped_release release;
    done = std::async(std::launch::async, [&] { return binding.run(stream); });
    while (done.wait_for(kPoll) != std::future_status::ready) {
      py::gil_scoped_acquire acquire;
      if (PyErr_CheckSignals() == 0)
        continue;
      isInterrupted = true;
      break;
    }
  }
  if (!isInterrupted)
    return check(done.get());
  py::error_already_set
      interrupt; // KeyboardInterrupt, or what a handler raised
  {
    py::gil_scoped_release release;
    emulator->setInterrupted(true);
    done.wait();
    emulator->setInterrupted(false);
  }
  throw interrupt;
}

void python::bindRun(py::module_ &m) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<DeviceHandle, std::shared_ptr<DeviceHandle>>(m, "Device")
      .def(py::init(&DeviceHandle::open), py::arg("kind"), py::arg("ordinal"),
           py::arg("library"), py::arg("max_instructions"), Unlocked())
      .def_property_readonly(
          "name",
          [](const DeviceHandle &handle) { return handle.device->getName(); })
      .def_property_readonly(
          "chip",
          [](const DeviceHandle &handle) { return handle.device->getChip(); })
      .def(
          "synchronize",
          [](DeviceHandle &handle) { check(handle.device->synchronize()); },
          Unlocked());
  py::class_<BoundEntry>(m, "Binding")
      .def(
          "run",
          [](const BoundEntry &bound, uint64_t stream) {
            runBinding(*bound.code, bound.binding, stream);
          },
          py::arg("stream"));
  py::class_<Code, std::shared_ptr<Code>>(m, "Code")
      .def(py::init(&Code::load), py::arg("device"), py::arg("image"),
           Unlocked())
      .def(
          "bind",
          [](std::shared_ptr<Code> code, const std::string &entry,
             const std::vector<int64_t> &dims, const Memories &arguments,
             const Memories &results, std::pair<uint64_t, uint64_t> workspace) {
            return bindEntry(std::move(code), entry, dims, arguments, results,
                             workspace);
          },
          py::arg("entry"), py::arg("dims"), py::arg("arguments"),
          py::arg("results"), py::arg("workspace"), Unlocked());
  /// An artefact's manifest, without a device.
  struct Image {
    rt::Program program;
  };
  py::class_<Image>(m, "Image")
      .def(py::init([](const std::string &bytes) {
             return Image{
                 check(rt::Program::create({bytes.begin(), bytes.end()}))};
           }),
           py::arg("image"), Unlocked())
      .def_property_readonly(
          "target",
          [](const Image &image) { return image.program.getManifest().target; })
      .def_property_readonly("producer",
                             [](const Image &image) {
                               return image.program.getManifest().producer;
                             })
      .def_property_readonly(
          "source",
          [](const Image &image) { return image.program.getManifest().source; })
      .def("entries",
           [](const Image &image) {
             py::list list;
             for (const rt::Entry &entry : image.program.getManifest().entries)
               list.append(describeEntry(entry));
             return list;
           })
      .def(
          "resolve",
          [](const Image &image, const std::string &entry, const Shapes &shapes,
             const std::map<std::string, int64_t> &given) {
            return resolveDims(findEntry(image.program.getManifest(), entry),
                               shapes, given);
          },
          py::arg("entry"), py::arg("shapes"), py::arg("dims"))
      .def(
          "query",
          [](const Image &image, const std::string &name,
             const std::vector<int64_t> &dims) {
            const rt::Entry &entry =
                findEntry(image.program.getManifest(), name);
            Shapes results; // of the tensors, not of their storage
            for (const rt::Value &value : entry.results)
              results.push_back(check(
                  rt::evaluateShape(entry, value.shape, value.name, dims)));
            return py::make_tuple(getShapes(entry, entry.arguments, dims),
                                  getShapes(entry, entry.results, dims),
                                  check(rt::query(entry, dims)).workspace,
                                  results);
          },
          py::arg("entry"), py::arg("dims"));
  m.attr("BUFFER_ALIGNMENT") = rt::kBufferAlignment;
  m.attr("WORKSPACE_ALIGNMENT") = rt::kWorkspaceAlignment;
}
