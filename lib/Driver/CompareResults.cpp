//===- CompareResults.cpp - a function's results against the reference -*- C++
//-*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Driver/Compare.h"

#include "te/Dialect/TE/IR/TE.h"
#include "te/Driver/Tolerance.h"
#include "te/Runtime/Sizes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::te;

static std::string describe(const rt::HostTensor &tensor) {
  return rt::formatShape(tensor.shape) + " " + rt::getInfo(tensor.type).name;
}

/// The program's results have the types and sizes of the reference's.
static rt::Status checkBuffers(const rt::Entry &entry,
                               ArrayRef<rt::HostTensor> found,
                               ArrayRef<ref::TensorValue> expected) {
  std::vector<const rt::HostTensor *> references;
  for (const ref::TensorValue &value : expected)
    for (const rt::HostTensor &buffer : value.buffers)
      references.push_back(&buffer);
  if (found.size() != references.size())
    return rt::Failure{"the program has " + std::to_string(found.size()) +
                       " result buffers, but the reference " +
                       std::to_string(references.size())};
  std::vector<size_t> buffers = rt::getBuffersOf(entry.results);
  for (auto [output, reference, index] :
       llvm::zip_equal(found, references, buffers))
    if (output.type != reference->type ||
        output.bytes.size() != reference->bytes.size())
      return rt::Failure{"result " + entry.buffers[index].name + " is " +
                         describe(output) + ", but the reference's is " +
                         describe(*reference)};
  return {};
}

rt::Result<std::vector<rt::Comparison>>
te::compareResults(func::FuncOp function, const rt::Entry &entry,
                   ArrayRef<rt::HostTensor> found,
                   ArrayRef<ref::TensorValue> expected) {
  if (rt::Status status = checkBuffers(entry, found, expected); !status)
    return status.takeFailure();
  std::vector<rt::Tolerance> tolerances = getTolerances(function);
  std::vector<rt::Comparison> comparisons;
  auto output = found.begin();
  for (auto [index, value] : llvm::enumerate(expected)) {
    const std::string &name = entry.results[index].name;
    auto scaled = dyn_cast<ScaledType>(function.getResultTypes()[index]);
    if (!scaled) {
      comparisons.push_back(
          rt::compare(name, *output++, value.buffers[0], tolerances[index]));
      continue;
    }
    auto [data, scales] = compareScaled(
        name, {output[0], output[1]}, {value.buffers[0], value.buffers[1]},
        ref::getScaling(scaled.getScaling()), value.shape, tolerances[index]);
    comparisons.push_back(std::move(data));
    comparisons.push_back(std::move(scales));
    output += 2;
  }
  return comparisons;
}
