//===- Flags.cpp - te-launch: the command line -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Flags.h"
#include "te/Runtime/Text.h"

#include <charconv>
#include <sstream>

using namespace mlir::te;
using rt::Failure;
using rt::Status;

/// The whole text as a number, of the type that `value` has.
template <typename T> static bool parse(const std::string &text, T &value) {
  const char *end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

template <typename T>
static Status readNumber(const std::string &text, T least, T &value) {
  if (parse(text, value) && value >= least)
    return {};
  return Failure{"expected an integer from " + std::to_string(least)};
}

static Status readDim(const std::string &text, Flags &flags) {
  size_t at = text.find('=');
  int64_t size = 0;
  if (at == 0 || at == text.npos || !parse(text.substr(at + 1), size))
    return Failure{"expected NAME=N"};
  if (!flags.dims.emplace(text.substr(0, at), size).second)
    return Failure{"the dimension is given twice"};
  return {};
}

/// [NAME:]ATOL,RTOL[,SLACK[,STEPS]]
static Status readTolerance(const std::string &text, Flags &flags) {
  size_t colon = text.find(':');
  std::string name = colon == text.npos ? "" : text.substr(0, colon);
  rt::Tolerance tolerance{"given", 0, 0, 0, 0};
  double steps = 0;
  double *fields[] = {&tolerance.atol, &tolerance.rtol, &tolerance.slack,
                      &steps};
  std::stringstream stream(text.substr(colon == text.npos ? 0 : colon + 1));
  std::string part;
  unsigned count = 0;
  while (std::getline(stream, part, ',')) {
    if (count == std::size(fields) || !parse(part, *fields[count]) ||
        !(*fields[count] >= 0))
      count = std::size(fields);
    ++count;
  }
  if (count < 2 || count > std::size(fields))
    return Failure{"expected [NAME:]ATOL,RTOL[,SLACK[,STEPS]], none below 0"};
  tolerance.steps = int(std::min(steps, 1e6));
  if (!flags.tolerances.emplace(name, tolerance).second)
    return Failure{"the result has a tolerance already"};
  return {};
}

namespace {
struct Option {
  const char *name;
  const char *value; // null: a switch
  const char *help;
  Status (*read)(const std::string &text, Flags &flags);
};
} // namespace

static const Option kOptions[] = {
    {"device", "cuda|hip", "where to run",
     [](const std::string &text, Flags &flags) -> Status {
       flags.device = text;
       if (text == "cuda" || text == "hip")
         return {};
       return Failure{"expected cuda or hip"};
     }},
    {"entry", "NAME", "the function to run",
     [](const std::string &text, Flags &flags) -> Status {
       flags.entry = text;
       return {};
     }},
    {"dim", "NAME=N", "the size of a dynamic dimension", readDim},
    {"input", "F.npy",
     "an argument's buffer, in order: data, then scales; those after the last "
     "one are random",
     [](const std::string &text, Flags &flags) -> Status {
       flags.inputs.push_back(text);
       return {};
     }},
    {"random-seed", "N", "of inputs that are not given (default 0)",
     [](const std::string &text, Flags &flags) -> Status {
       return readNumber<uint64_t>(text, 0, flags.seed);
     }},
    {"output", "F.npy", "a file for a result's buffer, in order",
     [](const std::string &text, Flags &flags) -> Status {
       flags.outputs.push_back(text);
       return {};
     }},
    {"expect", "DIR",
     "compare each result with DIR/NAME.npy; bits set in DIR/NAME.mask.npy are "
     "not compared",
     [](const std::string &text, Flags &flags) -> Status {
       flags.expect = text;
       return {};
     }},
    {"save", "DIR", "write each result to DIR/NAME.npy",
     [](const std::string &text, Flags &flags) -> Status {
       flags.save = text;
       return {};
     }},
    {"tolerance", "[NAME:]ATOL,RTOL[,SLACK[,STEPS]]",
     "how far an element may be off: by ATOL or RTOL times the expected value; "
     "one in 1000 by SLACK times the largest, or by STEPS codes (default: not "
     "a bit)",
     readTolerance},
    {"time", nullptr, "measure, by events of the device",
     [](const std::string &, Flags &flags) -> Status {
       flags.isTimed = true;
       return {};
     }},
    {"warmup", "N", "runs before those that are measured (default 5)",
     [](const std::string &text, Flags &flags) -> Status {
       return readNumber(text, 0u, flags.timing.warmup);
     }},
    {"repeat", "N", "runs that are measured (default 50)",
     [](const std::string &text, Flags &flags) -> Status {
       return readNumber(text, 1u, flags.timing.repeat);
     }},
    {"rotate", "BYTES",
     "alternate with sets of buffers of so many bytes together, so that no "
     "cache holds them (default 256 MiB)",
     [](const std::string &text, Flags &flags) -> Status {
       return readNumber<uint64_t>(text, 0, flags.timing.rotate);
     }},
    {"batch", "FILE",
     "many runs: a line of FILE is the artefact and flags of one, on top of "
     "those given here",
     [](const std::string &text, Flags &flags) -> Status {
       flags.batch = text;
       return {};
     }},
    {"json", nullptr, "print a JSON object a run, on a line of its own",
     [](const std::string &, Flags &flags) -> Status {
       flags.isJson = true;
       return {};
     }},
    {"list", nullptr, "show entries, buffers, dimensions and kernels",
     [](const std::string &, Flags &flags) -> Status {
       flags.isList = true;
       return {};
     }},
    {"help", nullptr, "this text",
     [](const std::string &, Flags &flags) -> Status {
       flags.isHelp = true;
       return {};
     }},
};

static Status readFlag(const std::string &argument, Flags &flags) {
  size_t start = argument.starts_with("--") ? 2 : 1;
  size_t equals = std::min(argument.find('='), argument.size());
  std::string name = argument.substr(start, equals - start);
  for (const Option &option : kOptions) {
    if (name != option.name)
      continue;
    bool hasValue = equals < argument.size();
    if (hasValue != (option.value != nullptr))
      return Failure{"--" + name +
                     (hasValue ? " takes no value"
                               : std::string(" needs a value: --") + name +
                                     "=" + option.value)};
    Status status =
        option.read(hasValue ? argument.substr(equals + 1) : "", flags);
    if (!status)
      return Failure{argument + ": " + status.error()};
    return {};
  }
  return Failure{"no flag --" + name + "; see --help"};
}

rt::Result<Flags> mlir::te::readFlags(const std::vector<std::string> &arguments,
                                      const Flags &base) {
  Flags flags = base;
  for (const std::string &argument : arguments) {
    if (argument.size() > 1 && argument[0] == '-') {
      if (Status status = readFlag(argument, flags); !status)
        return status.takeFailure();
      continue;
    }
    if (!flags.file.empty())
      return Failure{"two artefacts, " + flags.file + " and " + argument +
                     "; run them one by one, or with --batch"};
    flags.file = argument;
  }
  return flags;
}

std::vector<std::string> mlir::te::splitLine(const std::string &line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

std::string mlir::te::getHelp() {
  std::string text =
      "te-launch ARTEFACT --device=cuda|hip [flags]: runs a compiled program "
      "on a GPU, compares and times it. Results hold 0xA5 in every byte before "
      "the first launch.\n\n";
  for (const Option &option : kOptions) {
    std::string name = std::string("--") + option.name;
    if (option.value)
      name += std::string("=") + option.value;
    text += rt::printText("  %-22s %s\n", name.c_str(), option.help);
  }
  return text + "\nExit codes: 0 well or PASS, 1 FAIL or a run failed, 2 wrong "
                "usage.\n";
}
