//===- Result.h - a value or the reason why there is none -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's error handling: no exceptions, no LLVM. A message is a whole
// sentence for a person: what was found, what was expected, what to do.
//
//===----------------------------------------------------------------------===//
#ifndef TE_RUNTIME_RESULT_H
#define TE_RUNTIME_RESULT_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace mlir::te::rt {

struct Failure {
  std::string message;
};

/// True where all went well.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Failure failure) : failure(std::move(failure)) {}
  explicit operator bool() const { return !failure; }
  const std::string &error() const { return failure->message; }
  Failure takeFailure() { return std::move(*failure); }

private:
  std::optional<Failure> failure;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Failure failure) : failure(std::move(failure)) {}
  explicit operator bool() const { return value.has_value(); }
  T &operator*() {
    assert(value && "the result is a failure");
    return *value;
  }
  T *operator->() { return &**this; }
  const std::string &error() const { return failure.message; }
  Failure takeFailure() { return std::move(failure); }

private:
  std::optional<T> value;
  Failure failure;
};

} // namespace mlir::te::rt

#endif // TE_RUNTIME_RESULT_H
