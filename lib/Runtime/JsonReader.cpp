//===- JsonReader.cpp - reads JSON with located errors -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "JsonReader.h"

using namespace mlir::te::rt;
using nlohmann::json;

bool JsonNode::expect(bool isType, const char *expected) const {
  if (!value)
    return false;
  if (!isType)
    fail(std::string("expected ") + expected + ", found " + value->type_name());
  return isType;
}

JsonNode JsonNode::operator[](const char *key) const {
  std::string memberPath = path.empty() ? key : path + "." + key;
  JsonNode member(nullptr, memberPath, error);
  if (!expect(value && value->is_object(), "an object"))
    return member;
  auto it = value->find(key);
  if (it == value->end())
    member.fail("missing");
  else
    member.value = &*it;
  return member;
}

std::vector<JsonNode> JsonNode::getItems() const {
  std::vector<JsonNode> items;
  if (!expect(isArray(), "an array"))
    return items;
  for (const json &item : *value)
    items.emplace_back(&item, path + "[" + std::to_string(items.size()) + "]",
                       error);
  return items;
}

std::pair<std::string, JsonNode> JsonNode::getOnlyMember() const {
  JsonNode none(nullptr, path, error);
  if (!expect(value && value->is_object(), "an object"))
    return {"", none};
  if (value->size() != 1) {
    fail("expected an object with one member, found " +
         std::to_string(value->size()));
    return {"", none};
  }
  auto it = value->begin();
  return {it.key(), JsonNode(&it.value(), path + "." + it.key(), error)};
}

std::string JsonNode::getString() const {
  if (!expect(isString(), "a string"))
    return "";
  return *value->get_ptr<const std::string *>();
}

std::string JsonNode::getNonEmptyString() const {
  std::string text = getString();
  if (text.empty())
    fail("expected a name, found an empty string");
  return text;
}

int64_t JsonNode::getInteger(int64_t least, int64_t most) const {
  if (!expect(isInteger(), "an integer"))
    return least;
  // A number above the signed range is kept as unsigned.
  bool isHuge = value->is_number_unsigned() &&
                *value->get_ptr<const uint64_t *>() > uint64_t(INT64_MAX);
  int64_t number = isHuge ? INT64_MAX : value->get<int64_t>();
  if (isHuge || number < least || number > most) {
    fail("expected an integer from " + std::to_string(least) + " to " +
         std::to_string(most) + ", found " + value->dump());
    return least;
  }
  return number;
}

double JsonNode::getNumber() const {
  if (!expect(value && value->is_number(), "a number"))
    return 0;
  return value->get<double>();
}
