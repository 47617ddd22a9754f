//===- Compile.cpp - te_mlir._native: the compiler -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Native.h"

#include "te/Driver/Report.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::te;
using namespace mlir::te::python;

namespace {
/// What the compiler made, for a chip.
struct Compiled {
  Artifact artifact;
  std::vector<python::Diagnostic> warnings;
  /// te-compile's --stats and --explain, as text and as JSON: made while there
  /// is the module that what the artefact says of decisions refers to.
  std::map<std::string, std::string> reports;

  void report(const Target &target);
};
} // namespace

void Compiled::report(const Target &target) {
  for (bool isStats : {true, false})
    for (ReportFormat format : {ReportFormat::Text, ReportFormat::JSON}) {
      std::string name = isStats ? "stats" : "explain";
      llvm::raw_string_ostream os(
          reports[name + (format == ReportFormat::JSON ? ".json" : "")]);
      if (llvm::Error error = printReports(
              os, artifact, target, isStats ? format : ReportFormat::None,
              isStats ? ReportFormat::None : format))
        throw RunFailure{llvm::toString(std::move(error))};
    }
  artifact.decisions.clear();
}

static std::unique_ptr<Compiled>
compileModule(const Module &module, const std::string &chip,
              const std::string &level, const std::string &tuningDb,
              const std::vector<int64_t> &ranges, bool lineTables) {
  auto target = Target::get(chip);
  if (!target)
    throw RunFailure{llvm::toString(target.takeError())};
  CompileOptions options;
  options.target = *target;
  options.schedules = {tuningDb, ranges};
  options.lineTables = lineTables;
  options.explain = true;
  auto wanted = parseLevel(level, **target);
  if (!wanted)
    throw RunFailure{"no level " + level + " for " + chip + "; there are " +
                     listLevels(**target)};
  options.level = *wanted;
  // compile() lowers in place, and a context belongs to one thread: the copy
  // goes by text, which has the locations.
  auto copy = Module::parse(module.print(/*locations=*/true), "");
  DiagnosticCollector collector(copy->getContext());
  auto artifact = te::compile(copy->get(), options);
  if (failed(artifact))
    collector.fail();
  auto made = std::make_unique<Compiled>();
  made->artifact = std::move(*artifact);
  made->warnings = collector.takeWarnings();
  if (options.level == Level::Image)
    made->report(**target);
  return made;
}

static py::list describeKernels(const Compiled &compiled) {
  py::list list;
  for (const KernelFigures &kernel : compiled.artifact.kernels) {
    py::dict made;
    made["name"] = kernel.name;
    made["vgprs"] = kernel.vgprs;
    made["agprs"] = kernel.agprs;
    made["sgprs"] = kernel.sgprs;
    made["vgpr_spills"] = kernel.vgprSpills;
    made["sgpr_spills"] = kernel.sgprSpills;
    made["scratch_bytes"] = kernel.scratchBytes;
    made["lds_bytes"] = kernel.ldsBytes;
    made["kernarg_bytes"] = kernel.kernargBytes;
    made["workgroup_size"] = kernel.workgroupSize;
    list.append(made);
  }
  return list;
}

void python::bindCompile(py::module_ &m) {
  py::class_<Compiled>(m, "Compiled")
      .def_property_readonly("image",
                             [](const Compiled &compiled) {
                               return py::bytes(compiled.artifact.binary);
                             })
      .def_property_readonly("text",
                             [](const Compiled &compiled) {
                               return py::str(compiled.artifact.text);
                             })
      .def_property_readonly("kernels", describeKernels)
      .def_readonly("warnings", &Compiled::warnings)
      .def_readonly("reports", &Compiled::reports);
  m.def("compile", &compileModule, py::arg("module"), py::arg("target"),
        py::arg("level"), py::arg("tuning_db"), py::arg("ranges"),
        py::arg("line_tables"), py::call_guard<py::gil_scoped_release>());
  m.def("targets", [] {
    py::list names;
    for (const Target &target : Target::all())
      names.append(target.name.str());
    return names;
  });
}
