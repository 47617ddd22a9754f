//===- CommandLine.cpp - a command line of our own flags -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/CommandLine.h"

#include "Codegen.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <unistd.h>

void mlir::te::removeLibraryFlags() {
  setBackendFlags(); // createTargetMachine tells where it could not
  // The call registers what LLVM registers late.
  llvm::SmallVector<llvm::cl::Option *> flags;
  for (auto [name, flag] : llvm::cl::getRegisteredOptions()) {
    if (!name.starts_with("help") && name != "version")
      flags.push_back(flag);
  }
  for (llvm::cl::Option *flag : flags)
    flag->removeArgument();
}

namespace {
struct Tool {
  const char *name = "";
  int code = 1;
};
} // namespace

static Tool tool; // for handlers, which take no argument of ours

/// At exit, before the stream's own end, which would abort.
static void checkOutput() {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  std::error_code error = os.error();
  os.clear_error();
  if (error)
    llvm::errs() << tool.name << ": error: cannot write the standard output: "
                 << error.message() << "\n";
  bool isLost = bool(llvm::errs().error());
  llvm::errs().clear_error();
  if (error || isLost)
    _exit(tool.code);
}

/// There is no memory for a stream, nor for unwinding.
static void endWithoutMemory(void *, const char *, bool) {
  for (llvm::StringRef text : {llvm::StringRef(tool.name),
                               llvm::StringRef(": error: out of memory\n")})
    (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(tool.code);
}

void mlir::te::handleSystemErrors(const char *name, int code) {
  tool = {name, code};
  (void)llvm::outs(); // made before: it ends after checkOutput
  (void)llvm::errs();
  std::atexit(checkOutput);
  llvm::install_bad_alloc_error_handler(endWithoutMemory);
}

llvm::Expected<std::vector<int64_t>>
mlir::te::parseVariants(llvm::StringRef text) {
  std::vector<int64_t> ends;
  if (text == "none")
    return ends;
  llvm::SmallVector<llvm::StringRef> numbers;
  text.split(numbers, ',');
  for (llvm::StringRef number : numbers) {
    int64_t end;
    if (number.getAsInteger(10, end) || end <= (ends.empty() ? 0 : ends.back()))
      return llvm::createStringError(
          "--variants=" + text +
          ": expected none, or rising numbers of rows, as in 16,128,1024");
    ends.push_back(end);
  }
  return ends;
}
