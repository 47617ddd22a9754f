//===- BrokenRule.h - why a schedule breaks a rule --------------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_SCHEDULE_BROKENRULE_H
#define TE_LIB_SCHEDULE_BROKENRULE_H

#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace mlir::te {

/// A message that is built like a stream; the number of the rule in
/// docs/spec.md ("H15") ends it.
class BrokenRule {
public:
  explicit BrokenRule(llvm::StringRef rule) : rule(rule) {}
  template <class T> BrokenRule &operator<<(const T &part) {
    llvm::raw_string_ostream(text) << part;
    return *this;
  }
  operator std::optional<std::string>() const {
    return text + " (" + rule.str() + ")";
  }

private:
  llvm::StringRef rule;
  std::string text;
};

} // namespace mlir::te

#endif // TE_LIB_SCHEDULE_BROKENRULE_H
