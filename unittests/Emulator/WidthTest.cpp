//===- WidthTest.cpp - loads and stores of every width and memory ---------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <random>

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

using U = uint32_t;
using Words = std::vector<U>;

namespace {
struct Load {
  const char *name;
  Words (*value)(const U *w, U o);
};
struct Store {
  const char *name;
  unsigned bytes, from;
};
} // namespace

#define LOAD(N, SUFFIX, LDSSUFFIX, ...)                                        \
  {SUFFIX,                                                                     \
   [](const U *w, [[maybe_unused]] U o) -> Words { return __VA_ARGS__; }},
#define STORE(...)
#define LOAD_LDS(...)
static const Load loads[] = {
#include "kernels/width_ops.def"
};
#undef LOAD
#undef STORE
#define LOAD(...)
#define STORE(N, SUFFIX, LDSSUFFIX, BYTES, FROM) {SUFFIX, BYTES, FROM},
static const Store stores[] = {
#include "kernels/width_ops.def"
};
#undef STORE
#undef LOAD_LDS
#define STORE(...)
#define LOAD_LDS(SUFFIX, N, ...)                                               \
  {SUFFIX, [](const U *w, U) -> Words { return __VA_ARGS__; }},
static const Load loadsIntoLds[] = {
#include "kernels/width_ops.def"
};

static const char *const memories[] = {"flat", "global", "buffer", "scratch",
                                       "LDS"};
static constexpr U items = 128;

static Words drawWords(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Words words(count);
  for (U &word : words)
    word = random();
  return words;
}

class Widths : public ChipTest {
protected:
  const uint32_t seed = std::random_device()();
};
TE_BOTH_CHIPS(Widths);

TEST_P(Widths, Loads) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Words in = drawWords(items * 4, seed);
  const U old = 0x9abcdef1, forms = std::size(loads) * 5;
  Session s("widths", GetParam());
  uint64_t out = s.upload(Words(items * forms * 4, 0xabad1dea));
  s.setArguments(s.upload(in), out, forms, old);
  s.expectRun("loads", {{items / 64, 1, 1}, {64, 1, 1}});
  Words got = s.download<U>(out, items * forms * 4);
  for (U at = 0; at < items * forms; ++at) {
    const Load &load = loads[at % forms / 5];
    Words want = load.value(&in[at / forms * 4], old);
    want.resize(4, 0xabad1dea);
    ASSERT_EQ(Words(&got[at * 4], &got[at * 4] + 4), want)
        << load.name << " from " << memories[at % 5];
  }
}

TEST_P(Widths, Stores) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Words in = drawWords(items * 4, seed);
  const U forms = std::size(stores) * 5;
  Session s("widths", GetParam());
  std::vector<uint8_t> blank(items * forms * 16, 0xa5);
  uint64_t out = s.upload(blank);
  s.setArguments(s.upload(in), out, forms);
  s.expectRun("stores", {{items / 64, 1, 1}, {64, 1, 1}});
  auto got = s.download<uint8_t>(out, blank.size());
  for (U at = 0; at < items * forms; ++at) {
    const Store &store = stores[at % forms / 5];
    std::vector<uint8_t> want(16, 0xa5);
    auto *value = reinterpret_cast<const uint8_t *>(&in[at / forms * 4]);
    std::memcpy(want.data(), value + store.from / 8, store.bytes);
    ASSERT_EQ(std::vector<uint8_t>(&got[at * 16], &got[at * 16] + 16), want)
        << store.name << " to " << memories[at % 5];
  }
}

TEST_P(Widths, LoadsIntoLds) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Words in = drawWords(items * 4, seed);
  const U forms = std::size(loadsIntoLds) * 2;
  Session s("widths", GetParam());
  uint64_t out = s.upload(Words(items * forms * 4, 0xabad1dea));
  s.setArguments(s.upload(in), out, forms);
  s.expectRun("into_lds", {{items / 64, 1, 1}, {64, 1, 1}});
  Words got = s.download<U>(out, items * forms * 4);
  for (U at = 0; at < items * forms; ++at) {
    const Load &load = loadsIntoLds[at % forms / 2];
    ASSERT_EQ(got[at * 4], load.value(&in[at / forms * 4], 0)[0])
        << load.name << (at % 2 ? " from scratch" : " from global memory");
  }
}

TEST(WidthsOfGfx950, WideLoadsIntoLds) {
  Words in = drawWords(64 * 4, 5);
  Session s("widths", "gfx950");
  uint64_t out = s.upload(Words(2 * 64 * 4));
  s.setArguments(s.upload(in), out);
  s.expectRun("wide_into_lds", {{1, 1, 1}, {64, 1, 1}});
  Words got = s.download<U>(out, 2 * 64 * 4);
  for (U at = 0; at < got.size(); ++at)
    ASSERT_EQ(got[at], at >= 256 && at % 4 == 3 ? 4 : in[at % 256]) << at;
}
