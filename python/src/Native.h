//===- Native.h - what te_mlir._native is made of ---------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one target that is built with exceptions and RTTI, as pybind11 needs
// them; the libraries that it links have neither. So classes that Python sees
// are handles without virtual functions, and failures become exceptions here.
// Arrays pass as addresses: te_mlir checks shapes and types, and keeps arrays
// alive.
//
//===----------------------------------------------------------------------===//
#ifndef TE_PYTHON_NATIVE_H
#define TE_PYTHON_NATIVE_H

#include "te/Driver/Compile.h"
#include "te/Runtime/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace mlir::te::python {

namespace py = pybind11;

/// What a diagnostic says, and where.
struct Diagnostic {
  std::string severity, message; // "error", "warning", "remark"
  std::string file;              // "" where the location is not in a file
  unsigned line = 0, column = 0;
  std::vector<Diagnostic> notes;
};

/// IR that was refused: becomes te_mlir.CompileError.
struct CompileFailure {
  std::vector<Diagnostic> diagnostics;
};

/// Anything else that failed: becomes te_mlir.RunError.
struct RunFailure {
  std::string message;
};

/// Collects what is said of IR for the time that it lives.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext &context);
  ~DiagnosticCollector();
  /// Throws what was collected.
  [[noreturn]] void fail();
  /// Warnings, which did not make anything fail.
  std::vector<Diagnostic> takeWarnings();

private:
  MLIRContext &context;
  uint64_t handler;
  std::vector<Diagnostic> diagnostics;
};

/// A module with the context that it lives in.
class Module {
public:
  /// `name` stands for a file in locations.
  static std::shared_ptr<Module> parse(const std::string &text,
                                       const std::string &name);
  std::string print(bool locations) const;
  ModuleOp get() const { return *module; }
  MLIRContext &getContext() const { return *context; }
  /// The function's signature; null where the module has no such function.
  func::FuncOp find(const std::string &name) const;
  /// The public functions' signatures, as a manifest has them.
  const std::vector<rt::Entry> &getEntries() const { return entries; }
  const rt::Entry &getEntry(const std::string &name) const;
  std::vector<Diagnostic> warnings;

private:
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::vector<rt::Entry> entries;
};

rt::HostTensor toHostTensor(const std::string &type, std::vector<int64_t> shape,
                            uint64_t address);

template <typename T> T check(rt::Result<T> result) {
  if (!result)
    throw RunFailure{result.error()};
  return std::move(*result);
}
inline void check(const rt::Status &status) {
  if (!status)
    throw RunFailure{status.error()};
}

/// An entry as Python sees it: dicts and lists.
py::dict describeEntry(const rt::Entry &entry);

/// Each adds its part to te_mlir._native.
void bindModule(py::module_ &m);
void bindCompile(py::module_ &m);
void bindRun(py::module_ &m);
void bindCaller(py::module_ &m);
void bindCheck(py::module_ &m);
void bindTools(py::module_ &m);

} // namespace mlir::te::python

#endif // TE_PYTHON_NATIVE_H
