//===- JsonReader.h - reads JSON with located errors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A view of a JSON value that knows its path. The first thing that is not as it
// should be is kept in the shared error; from then on every accessor returns an
// empty value, so that readers need no checks of their own.
//
//===----------------------------------------------------------------------===//
#ifndef TE_LIB_RUNTIME_JSONREADER_H
#define TE_LIB_RUNTIME_JSONREADER_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::te::rt {

class JsonNode {
public:
  JsonNode(const nlohmann::json *value, std::string path, std::string &error)
      : value(value), path(std::move(path)), error(error) {}

  bool isString() const { return value && value->is_string(); }
  bool isInteger() const { return value && value->is_number_integer(); }
  bool isArray() const { return value && value->is_array(); }

  bool has(const char *key) const {
    return value && value->is_object() && value->contains(key);
  }
  /// A member of an object; an error where it is missing.
  JsonNode operator[](const char *key) const;
  std::vector<JsonNode> getItems() const;
  /// The only member of an object, and its name.
  std::pair<std::string, JsonNode> getOnlyMember() const;
  std::string getString() const;
  std::string getNonEmptyString() const;
  int64_t getInteger(int64_t least, int64_t most) const;
  double getNumber() const;

  void fail(const std::string &message) const {
    if (error.empty())
      error = path.empty() ? message : path + ": " + message;
  }
  bool hasFailed() const { return !error.empty(); }

private:
  /// False, and an error, where the value has not that type.
  bool expect(bool isType, const char *expected) const;

  const nlohmann::json *value; // null after an error
  std::string path;
  std::string &error;
};

} // namespace mlir::te::rt

#endif // TE_LIB_RUNTIME_JSONREADER_H
