//===- Module.cpp - te_mlir._native: IR -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Native.h"

#include "te/Driver/Register.h"
#include "te/Driver/Signature.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::python;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The place in a file that a location leads to, the innermost one of a call.
static FileLineColLoc findFile(Location location) {
  FileLineColLoc found;
  location->walk([&](Location at) {
    found = dyn_cast<FileLineColLoc>(at);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static python::Diagnostic convert(mlir::Diagnostic &diagnostic) {
  python::Diagnostic made;
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    made.severity = "error";
    break;
  case DiagnosticSeverity::Warning:
    made.severity = "warning";
    break;
  case DiagnosticSeverity::Note:
    made.severity = "note";
    break;
  case DiagnosticSeverity::Remark:
    made.severity = "remark";
    break;
  }
  made.message = diagnostic.str();
  if (FileLineColLoc file = findFile(diagnostic.getLocation())) {
    made.file = file.getFilename().str();
    made.line = file.getLine();
    made.column = file.getColumn();
  }
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    made.notes.push_back(convert(note));
  return made;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : context(context), handler(context.getDiagEngine().registerHandler(
                            [&](mlir::Diagnostic &diagnostic) {
                              diagnostics.push_back(convert(diagnostic));
                            })) {}

DiagnosticCollector::~DiagnosticCollector() {
  context.getDiagEngine().eraseHandler(handler);
}

void DiagnosticCollector::fail() {
  throw CompileFailure{std::move(diagnostics)};
}

std::vector<python::Diagnostic> DiagnosticCollector::takeWarnings() {
  return std::move(diagnostics);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The source is text and nothing else: a file's name is looked up nowhere.
std::shared_ptr<Module> Module::parse(const std::string &text,
                                      const std::string &name) {
  auto made = std::make_shared<Module>();
  DialectRegistry registry;
  registerDialects(registry);
  // The threads are the caller's: many modules may be compiled at once.
  made->context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  DiagnosticCollector collector(*made->context);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                              llvm::SMLoc());
  made->module = parseModule(sources, *made->context);
  if (!made->module)
    collector.fail();
  made->warnings = collector.takeWarnings();
  for (auto function : made->module->getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    // What has no signature cannot be compiled either, and the compiler knows
    // better what is wrong.
    auto entry = getSignature(function);
    if (succeeded(entry))
      made->entries.push_back(std::move(*entry));
  }
  return made;
}

std::string Module::print(bool locations) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(/*enable=*/true, /*prettyForm=*/false);
  module.get()->print(os, flags);
  return text;
}

func::FuncOp Module::find(const std::string &name) const {
  return module.get().lookupSymbol<func::FuncOp>(name);
}

const rt::Entry &Module::getEntry(const std::string &name) const {
  for (const rt::Entry &entry : entries)
    if (entry.name == name)
      return entry;
  throw RunFailure{"the module has no public function " + name};
}

//===----------------------------------------------------------------------===//
// Signatures
//===----------------------------------------------------------------------===//

static py::list describeShape(const rt::Entry &entry,
                              const std::vector<rt::Expr> &shape) {
  py::list sizes;
  for (const rt::Expr &size : shape)
    sizes.append(size.format(entry.dims));
  return sizes;
}

static py::list describeValues(const rt::Entry &entry,
                               const std::vector<rt::Value> &values) {
  py::list list;
  for (const rt::Value &value : values) {
    py::list buffers;
    for (size_t index : value.buffers) {
      const rt::Buffer &buffer = entry.buffers[index];
      py::dict made;
      made["name"] = buffer.name;
      made["dtype"] = rt::getInfo(buffer.type).name;
      made["shape"] = describeShape(entry, buffer.shape);
      buffers.append(made);
    }
    py::dict made;
    made["name"] = value.name;
    made["type"] = value.type;
    made["shape"] = describeShape(entry, value.shape);
    made["buffers"] = buffers;
    list.append(made);
  }
  return list;
}

py::dict python::describeEntry(const rt::Entry &entry) {
  py::dict made;
  made["name"] = entry.name;
  made["dims"] = entry.dims;
  made["arguments"] = describeValues(entry, entry.arguments);
  made["results"] = describeValues(entry, entry.results);
  py::list kernels;
  for (const rt::Step &step : entry.steps)
    kernels.append(step.kernel);
  made["kernels"] = kernels;
  made["text"] = rt::describe(entry);
  return made;
}

void python::bindModule(py::module_ &m) {
  py::class_<python::Diagnostic>(m, "Diagnostic")
      .def_readonly("severity", &python::Diagnostic::severity)
      .def_readonly("message", &python::Diagnostic::message)
      .def_readonly("file", &python::Diagnostic::file)
      .def_readonly("line", &python::Diagnostic::line)
      .def_readonly("column", &python::Diagnostic::column)
      .def_readonly("notes", &python::Diagnostic::notes);
  py::class_<Module, std::shared_ptr<Module>>(m, "Module")
      .def_static("parse", &Module::parse, py::arg("text"), py::arg("name"),
                  py::call_guard<py::gil_scoped_release>())
      .def("print", &Module::print, py::arg("locations"))
      .def_readonly("warnings", &Module::warnings)
      .def("entries", [](const Module &module) {
        py::list list;
        for (const rt::Entry &entry : module.getEntries())
          list.append(describeEntry(entry));
        return list;
      });
}
