//===- Caller.cpp - te_mlir._native: calls that repeat -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call with NumPy arrays or torch tensors that are as they should be, without
// a step in Python. Whatever is not as expected is left to te_mlir/_program.py,
// which knows what to say of it.
//
//===----------------------------------------------------------------------===//
#include "Run.h"

#include <pybind11/numpy.h>

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::python;

namespace {
/// An array's memory, and what it holds.
struct Array {
  rt::Memory memory;
  std::vector<int64_t> shape;
  PyObject *dtype;   // NumPy's or torch's object
  py::object device; // torch's; null for NumPy's memory of the host
};

/// What the sizes of the arguments lead to.
struct Plan {
  std::vector<int64_t> dims;
  std::vector<std::vector<int64_t>> results; // shapes of buffers
  uint64_t workspace;                        // bytes
};

class Caller {
public:
  /// `dtypes`: of each argument and result buffer the objects that stand for
  /// its type. `tensorType`: torch.Tensor, or None. `allocate`:
  /// _arrays.workspace.
  Caller(std::shared_ptr<Code> code, const std::string &entry, py::list dtypes,
         py::object tensorType, py::object allocate)
      : code(std::move(code)), entry(this->code->getEntry(entry)),
        tensorType(std::move(tensorType)), allocate(std::move(allocate)) {
    for (py::handle accepted : dtypes)
      this->dtypes.push_back(py::reinterpret_borrow<py::tuple>(accepted));
  }

  /// False where something is not as expected; nothing has happened then.
  bool run(const py::tuple &inputs, const py::tuple &outputs, uint64_t stream);

private:
  std::optional<Array> look(py::handle object, bool isWritten) const;
  std::optional<Array> lookAtTensor(py::handle object) const;
  bool accepts(size_t buffer, const Array &array) const;
  const Plan *findPlan(llvm::ArrayRef<Array> arguments);

  std::shared_ptr<Code> code;
  const rt::Entry &entry;
  py::object tensorType, allocate;
  std::vector<py::tuple> dtypes;
  std::map<std::vector<std::vector<int64_t>>, Plan> plans;
};
} // namespace

/// A caller keeps as many.
static constexpr size_t kMostPlans = 256;

std::optional<Array> Caller::lookAtTensor(py::handle object) const {
  if (tensorType.is_none() || !py::isinstance(object, tensorType) ||
      !object.attr("is_contiguous")().cast<bool>())
    return std::nullopt;
  Array array;
  array.dtype = py::object(object.attr("dtype")).ptr();
  array.device = object.attr("device");
  array.memory = {object.attr("data_ptr")().cast<uint64_t>(),
                  object.attr("nbytes").cast<uint64_t>()};
  for (py::handle size : py::reinterpret_steal<py::tuple>(
           PySequence_Tuple(py::object(object.attr("shape")).ptr())))
    array.shape.push_back(size.cast<int64_t>());
  return array;
}

std::optional<Array> Caller::look(py::handle object, bool isWritten) const {
  if (!py::isinstance<py::array>(object))
    return lookAtTensor(object);
  auto numpy = py::reinterpret_borrow<py::array>(object);
  if (!(numpy.flags() & py::array::c_style) ||
      (isWritten && !numpy.writeable()))
    return std::nullopt;
  Array array;
  array.dtype = numpy.dtype().ptr();
  array.memory = {reinterpret_cast<uint64_t>(numpy.data()),
                  uint64_t(numpy.nbytes())};
  array.shape.assign(numpy.shape(), numpy.shape() + numpy.ndim());
  return array;
}

bool Caller::accepts(size_t buffer, const Array &array) const {
  return llvm::any_of(dtypes[buffer], [&](py::handle dtype) {
    return dtype.ptr() == array.dtype;
  });
}

const Plan *Caller::findPlan(llvm::ArrayRef<Array> arguments) {
  std::vector<std::vector<int64_t>> key;
  for (const Array &argument : arguments)
    key.push_back(argument.shape);
  if (auto found = plans.find(key); found != plans.end())
    return &found->second;
  std::vector<rt::HostTensor> inputs(key.size());
  std::vector<const rt::HostTensor *> pointers;
  for (auto [input, shape] : llvm::zip_equal(inputs, key)) {
    input.shape = shape;
    pointers.push_back(&input);
  }
  auto dims = rt::bindDims(entry, {}, pointers);
  if (!dims)
    return nullptr;
  Plan plan{*dims, {}, 0};
  for (auto [index, shape] :
       llvm::zip_equal(rt::getBuffersOf(entry.arguments), key))
    if (auto wanted = rt::getBufferShape(entry, entry.buffers[index], *dims);
        !wanted || *wanted != shape)
      return nullptr;
  for (size_t index : rt::getBuffersOf(entry.results)) {
    auto shape = rt::getBufferShape(entry, entry.buffers[index], *dims);
    if (!shape)
      return nullptr;
    plan.results.push_back(std::move(*shape));
  }
  auto sizes = rt::query(entry, *dims);
  if (!sizes)
    return nullptr;
  plan.workspace = sizes->workspace;
  if (plans.size() >= kMostPlans)
    plans.clear();
  return &(plans[key] = std::move(plan));
}

bool Caller::run(const py::tuple &inputs, const py::tuple &outputs,
                 uint64_t stream) {
  if (inputs.size() + outputs.size() != dtypes.size())
    return false;
  llvm::SmallVector<Array, 8> arrays;
  llvm::SmallVector<rt::Memory, 8> memory;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    bool isWritten = i >= inputs.size();
    auto array =
        look(isWritten ? outputs[i - inputs.size()] : inputs[i], isWritten);
    if (!array || !accepts(i, *array))
      return false;
    if (!arrays.empty() && bool(array->device) != bool(arrays[0].device))
      return false;
    if (array->device && i && !array->device.equal(arrays[0].device))
      return false;
    memory.push_back(array->memory);
    arrays.push_back(std::move(*array));
  }
  auto all = llvm::ArrayRef(arrays);
  const Plan *plan = findPlan(all.take_front(inputs.size()));
  if (!plan)
    return false;
  for (auto [result, shape] :
       llvm::zip_equal(all.drop_front(inputs.size()), plan->results))
    if (result.shape != shape)
      return false;
  rt::Memory workspace;
  py::object block; // until the launch
  if (plan->workspace) {
    auto made = allocate(plan->workspace, rt::kWorkspaceAlignment, inputs[0])
                    .cast<std::pair<uint64_t, py::object>>();
    workspace = {made.first, plan->workspace};
    block = std::move(made.second);
  }
  auto given = std::span<const rt::Memory>(memory.data(), memory.size());
  auto binding = rt::Binding::create(*code->code, entry, plan->dims,
                                     given.first(inputs.size()),
                                     given.subspan(inputs.size()), workspace);
  if (!binding)
    return false;
  runBinding(*code, *binding, stream);
  return true;
}

void python::bindCaller(py::module_ &m) {
  py::class_<Caller>(m, "Caller")
      .def(py::init<std::shared_ptr<Code>, const std::string &, py::list,
                    py::object, py::object>(),
           py::arg("code"), py::arg("entry"), py::arg("dtypes"),
           py::arg("tensor_type"), py::arg("allocate"))
      .def("run", &Caller::run, py::arg("inputs"), py::arg("outputs"),
           py::arg("stream"));
}
