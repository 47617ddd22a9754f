//===- Report.h - what --stats and --explain print --------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_DRIVER_REPORT_H
#define TE_DRIVER_REPORT_H

#include "te/Driver/Compile.h"

namespace mlir::te {

enum class ReportFormat { None, Text, JSON };

/// Prints the reports that are asked for. In JSON both are one object, with the
/// keys "stats" and "explain". Every figure is named with how it was obtained.
llvm::Error printReports(llvm::raw_ostream &os, const Artifact &artifact,
                         const Target &target, ReportFormat stats,
                         ReportFormat explain);

} // namespace mlir::te

#endif // TE_DRIVER_REPORT_H
