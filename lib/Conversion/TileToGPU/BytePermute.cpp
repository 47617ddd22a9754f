//===- BytePermute.cpp - bytes of registers in another order --------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// v_perm_b32 (prmt of NVIDIA's chips) takes any four bytes of two registers.
// Bytes of more come from two of it, each of bytes of a pair of registers; what
// a pair has to give to several results is gathered together, so that a
// transposition of 4 x 4 bytes is eight of them. LLVM makes shifts and masks of
// a vector.shuffle like that, or twelve of them.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::te;

static constexpr int64_t kWordBytes = 4;

namespace {
using Word = std::array<int64_t, kWordBytes>; // the source's byte of each

/// Bytes of one pair of source registers, side by side in a register.
struct Gathered {
  SmallVector<int64_t> bytes;
  Value value;
};

class BytePermutation {
public:
  BytePermutation(ImplicitLocOpBuilder &b, BackendKind backend, Value words)
      : b(b), backend(backend), words(words) {}
  /// The results, each a register of these bytes.
  SmallVector<Value> emit(ArrayRef<Word> results);

private:
  using Pair = std::pair<int64_t, int64_t>;
  /// The two halves of a result of three or four registers.
  struct Halves {
    Pair pairs[2];
    unsigned gathered[2];
  };
  static SmallVector<int64_t> listSources(const Word &word);
  Halves plan(const Word &word);
  unsigned gather(Pair pair, ArrayRef<int64_t> bytes);
  Value getSource(int64_t number) {
    return vector::ExtractOp::create(b, words, number);
  }
  /// For each byte: its place in `low` (0 to 3) or `high` (4 to 7).
  Value emitPerm(Value low, Value high, ArrayRef<int64_t> places);
  Value emitOfPair(Pair pair, ArrayRef<int64_t> bytes);
  Value emitOfHalves(const Word &word, const Halves &halves);

  ImplicitLocOpBuilder &b;
  BackendKind backend;
  Value words; // vector of i32
  llvm::MapVector<Pair, SmallVector<Gathered>> gatheredOf;
};
} // namespace

SmallVector<int64_t> BytePermutation::listSources(const Word &word) {
  SmallVector<int64_t> sources;
  for (int64_t byte : word)
    if (!llvm::is_contained(sources, byte / kWordBytes))
      sources.push_back(byte / kWordBytes);
  return sources;
}

Value BytePermutation::emitPerm(Value low, Value high,
                                ArrayRef<int64_t> places) {
  bool isNVPTX = backend == BackendKind::NVPTX;
  uint32_t selector = 0;
  for (auto [i, place] : llvm::enumerate(places))
    selector |= uint32_t(place) << ((isNVPTX ? 4 : 8) * i);
  Value constant =
      arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(selector)));
  if (isNVPTX)
    return NVVM::PermuteOp::create(b, b.getI32Type(), low, high, constant,
                                   NVVM::PermuteMode::DEFAULT);
  return LLVM::CallIntrinsicOp::create(b, b.getI32Type(),
                                       b.getStringAttr("llvm.amdgcn.perm"),
                                       ValueRange{high, low, constant})
      .getResult(0);
}

Value BytePermutation::emitOfPair(Pair pair, ArrayRef<int64_t> bytes) {
  SmallVector<int64_t> places;
  for (int64_t byte : bytes)
    places.push_back(byte % kWordBytes +
                     (byte / kWordBytes == pair.first ? 0 : kWordBytes));
  return emitPerm(getSource(pair.first), getSource(pair.second), places);
}

/// A register of the pair's that has these bytes or has room for them.
unsigned BytePermutation::gather(Pair pair, ArrayRef<int64_t> bytes) {
  SmallVector<Gathered> &all = gatheredOf[pair];
  for (auto [number, gathered] : llvm::enumerate(all)) {
    SmallVector<int64_t> added;
    for (int64_t byte : bytes)
      if (!llvm::is_contained(gathered.bytes, byte) &&
          !llvm::is_contained(added, byte))
        added.push_back(byte);
    if (int64_t(gathered.bytes.size() + added.size()) > kWordBytes)
      continue;
    gathered.bytes.append(added);
    return number;
  }
  all.emplace_back();
  for (int64_t byte : bytes)
    if (!llvm::is_contained(all.back().bytes, byte))
      all.back().bytes.push_back(byte);
  return all.size() - 1;
}

BytePermutation::Halves BytePermutation::plan(const Word &word) {
  SmallVector<int64_t> sources = listSources(word);
  llvm::sort(sources);
  Halves halves;
  for (unsigned half : {0, 1}) {
    Pair pair = {sources[2 * half],
                 sources[std::min<size_t>(2 * half + 1, sources.size() - 1)]};
    SmallVector<int64_t> bytes;
    for (int64_t byte : word)
      if (byte / kWordBytes == pair.first || byte / kWordBytes == pair.second)
        bytes.push_back(byte);
    halves.pairs[half] = pair;
    halves.gathered[half] = gather(pair, bytes);
  }
  return halves;
}

Value BytePermutation::emitOfHalves(const Word &word, const Halves &halves) {
  const Gathered *parts[2];
  for (unsigned half : {0, 1})
    parts[half] = &gatheredOf[halves.pairs[half]][halves.gathered[half]];
  SmallVector<int64_t> places;
  for (int64_t byte : word) {
    unsigned half = llvm::is_contained(parts[0]->bytes, byte) ? 0 : 1;
    places.push_back(llvm::find(parts[half]->bytes, byte) -
                     parts[half]->bytes.begin() + half * kWordBytes);
  }
  return emitPerm(parts[0]->value, parts[1]->value, places);
}

SmallVector<Value> BytePermutation::emit(ArrayRef<Word> results) {
  SmallVector<std::optional<Halves>> plans;
  for (const Word &word : results)
    plans.push_back(listSources(word).size() > 2
                        ? std::optional<Halves>(plan(word))
                        : std::nullopt);
  for (auto &[pair, all] : gatheredOf)
    for (Gathered &gathered : all) {
      gathered.bytes.resize(kWordBytes, gathered.bytes.front());
      gathered.value = emitOfPair(pair, gathered.bytes);
    }
  SmallVector<Value> values;
  for (auto [word, halves] : llvm::zip_equal(results, plans)) {
    SmallVector<int64_t> sources = listSources(word);
    bool isWhole = word == Word{word[0], word[0] + 1, word[0] + 2, word[0] + 3};
    values.push_back(halves ? emitOfHalves(word, *halves)
                     : isWhole && word[0] % kWordBytes == 0
                         ? getSource(sources[0])
                         : emitOfPair({sources.front(), sources.back()}, word));
  }
  return values;
}

Value te::emitPickedBytes(ImplicitLocOpBuilder &b, BackendKind backend,
                          Value vector, std::array<int64_t, 4> bytes) {
  return BytePermutation(b, backend, emitWords(b, vector))
      .emit(Word(bytes))
      .front();
}

Value te::emitPermuted(ImplicitLocOpBuilder &b, const KernelState &state,
                       Value vector, ArrayRef<int64_t> picks) {
  auto type = cast<VectorType>(vector.getType());
  bool moves =
      !llvm::equal(picks, llvm::seq<int64_t>(0, type.getNumElements()));
  if (!moves || getElementBytes(type) != 1 || picks.size() % kWordBytes != 0 ||
      type.getNumElements() % kWordBytes != 0)
    return emitSelectElements(b, vector, picks);
  SmallVector<Word> results(picks.size() / kWordBytes);
  for (auto [i, pick] : llvm::enumerate(picks))
    results[i / kWordBytes][i % kWordBytes] = pick;
  Value words = emitVectorBitcast(b, vector, b.getI32Type());
  SmallVector<Value> values =
      BytePermutation(b, state.target->backend, words).emit(results);
  auto made = VectorType::get({int64_t(values.size())}, b.getI32Type());
  return emitVectorBitcast(b, vector::FromElementsOp::create(b, made, values),
                           type.getElementType());
}
