//===- Native.cpp - the module te_mlir._native -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Native.h"

using namespace mlir::te::python;

/// te_mlir._errors makes the exceptions of what failed.
static void translate(std::exception_ptr thrown) {
  auto raise = [](const char *maker, py::object argument) {
    py::object error =
        py::module_::import("te_mlir._errors").attr(maker)(argument);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                    error.ptr());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const CompileFailure &failure) {
    raise("make_compile_error", py::cast(failure.diagnostics));
  } catch (const RunFailure &failure) {
    raise("make_run_error", py::cast(failure.message));
  }
}

PYBIND11_MODULE(_native, m) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    if (thrown)
      translate(thrown);
  });
  m.attr("VERSION") = TE_VERSION;
  bindModule(m);
  bindCompile(m);
  bindRun(m);
  bindCaller(m);
  bindCheck(m);
  bindTools(m);
}
