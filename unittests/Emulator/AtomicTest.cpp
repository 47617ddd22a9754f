//===- AtomicTest.cpp - every atomic against APFloat and APInt ------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Draw.h"
#include "Kernels.h"

using namespace mlir::te::emu;
using namespace mlir::te::emu::test;

static const Mode plain{0xf0};

static A addF(const Semantics &s, const A &m, const A &a) {
  return add(plain, F(s, m), F(s, a)).bitcastToAPInt();
}
static A addPair(const Semantics &s, const A &m, const A &a) {
  return parts(s, m, a, a, [](F x, F y, F) { return add(plain, x, y); });
}
/// A number wins over a NaN; -0 is less than +0.
static A extreme(const Semantics &s, const A &m, const A &a, bool isLeast) {
  F x(s, m), y(s, a);
  if (x.isNaN() || y.isNaN())
    return x.isNaN() ? a : m;
  return (isLeast ? least(x, y) : most(x, y)).bitcastToAPInt();
}
static bool isEqual(const Semantics &s, const A &x, const A &y) {
  return F(s, x).compare(F(s, y)) == F::cmpEqual;
}
/// Each half with its top bit set replaces memory's, without that bit.
static A conditional(A m, const A &a) {
  for (unsigned at : {0, 32})
    if (a[at + 31])
      m.insertBits(a.extractBits(31, at).zext(32), at);
  return m;
}

namespace {
enum Type { I32, I64, F32, F64, H2, B2 };
/// One of a kernel's forms.
struct Form {
  const char *name;
  Type type;
  bool returns;
  A (*value)(const A &m, const A &a, const A &b, const A &zero);
};
} // namespace

static unsigned widthOf(Type type) {
  return type == I64 || type == F64 ? 64 : 32;
}
/// Parts that are NaNs made the same.
static A canonical(Type type, const A &value) {
  const Semantics *s = type == F32   ? &IEEE32
                       : type == F64 ? &IEEE64
                       : type == H2  ? &IEEE16
                       : type == B2  ? &F::BFloat()
                                     : nullptr;
  A out = value;
  for (unsigned at = 0, step = s ? F::getSizeInBits(*s) : 64;
       s && at < value.getBitWidth(); at += step)
    if (F(*s, value.extractBits(step, at)).isNaN())
      out.insertBits(F::getQNaN(*s).bitcastToAPInt(), at);
  return out;
}

#define FORM(T, NAME, RETURNS, EXPRESSION)                                     \
  {NAME, T, RETURNS,                                                           \
   []([[maybe_unused]] const A &m, [[maybe_unused]] const A &a,                \
      [[maybe_unused]] const A &b,                                             \
      [[maybe_unused]] const A &zero) -> A { return EXPRESSION; }},
#define MEMORY(T, NAME, EXPRESSION)                                            \
  FORM(T, "global_atomic_" NAME, true, EXPRESSION)                             \
  FORM(T, "global_atomic_" NAME " (nothing back)", false, EXPRESSION)          \
  FORM(T, "flat_atomic_" NAME, true, EXPRESSION)                               \
  FORM(T, "buffer_atomic_" NAME, true, EXPRESSION)
#define MEMORY2 MEMORY
#define BUFFER950 MEMORY
#define SCALAR(...)
#define SCALAR2(...)
#define LDS(...)
#define LDS2(...)
#define LDS_RETURN(...)
static const Form memoryForms[] = {
#include "kernels/atomic_ops.def"
};
#undef BOTH_WIDTHS
#undef MEMORY
#undef MEMORY2
#undef BUFFER950
#undef SCALAR
#undef SCALAR2
#define MEMORY(...)
#define MEMORY2(...)
#define BUFFER950(...)
#define SCALAR(T, NAME, EXPRESSION)                                            \
  FORM(T, "s_atomic_" NAME, true, EXPRESSION)                                  \
  FORM(T, "s_buffer_atomic_" NAME, true, EXPRESSION)
#define SCALAR2 SCALAR
static const Form scalarForms[] = {
#include "kernels/atomic_ops.def"
};
#undef BOTH_WIDTHS
#undef SCALAR
#undef SCALAR2
#undef LDS
#undef LDS2
#undef LDS_RETURN
#define SCALAR(...)
#define SCALAR2(...)
#define LDS(T, NAME, KIND, EXPRESSION)                                         \
  FORM(T, "ds_" NAME "_" KIND, false, EXPRESSION)                              \
  FORM(T, "ds_" NAME "_rtn_" KIND, true, EXPRESSION)
#define LDS2 LDS
#define LDS_RETURN(T, TEXT, EXPRESSION) FORM(T, TEXT, true, EXPRESSION)
static const Form ldsForms[] = {
#include "kernels/atomic_ops.def"
};

class Atomics : public ChipTest {
protected:
  /// `items` items in waves of `size`, with fresh data.
  void check(const char *kernel, llvm::ArrayRef<Form> forms, uint32_t items,
             uint32_t size) {
    const uint32_t seed = std::random_device()();
    SCOPED_TRACE(std::string(kernel) + ", seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const Semantics *kinds[] = {nullptr, &IEEE16, &IEEE32, &IEEE64};
    std::vector<uint64_t> in, cells;
    for (uint32_t i = 0; i < items; ++i) {
      const Semantics *kind = kinds[i / 16 % 4];
      uint64_t m = draw(kind, 0, random);
      in.push_back(draw(kind, m, random));
      in.push_back(random() % 2 ? m : draw(kind, m, random));
      if (random() % 4 == 0) // a comparison that holds
        in[i * 2] = m;
      cells.insert(cells.end(), forms.size(), m);
    }
    Session s("atomics", GetParam());
    uint64_t cellsAt = s.upload(cells);
    uint64_t oldAt = s.upload(std::vector<uint64_t>(cells.size(), 0xabad1dea));
    s.setArguments(s.upload(in), cellsAt, oldAt, int(forms.size()));
    s.expectRun(kernel, {{items / size, 1, 1}, {64, 1, 1}});
    auto now = s.download<uint64_t>(cellsAt, cells.size());
    auto old = s.download<uint64_t>(oldAt, cells.size());
    for (size_t at = 0; at < cells.size(); ++at) {
      const Form &form = forms[at % forms.size()];
      if (std::string(form.name) == "buffer_atomic_pk_add_bf16" &&
          std::string(GetParam()) == "gfx942")
        continue; // that chip has none
      unsigned width = widthOf(form.type);
      auto of = [&](uint64_t bits) { return A(64, bits).trunc(width); };
      size_t i = at / forms.size();
      A want = form.value(of(cells[at]), of(in[i * 2]), of(in[i * 2 + 1]),
                          A(width, 0));
      ASSERT_EQ(canonical(form.type, of(now[at])), canonical(form.type, want))
          << form.name << " on " << std::hex << cells[at] << " with "
          << in[i * 2] << ", " << in[i * 2 + 1];
      if (width == 32)
        ASSERT_EQ(now[at] >> 32, cells[at] >> 32)
            << form.name << " beyond its cell";
      if (form.returns)
        ASSERT_EQ(of(old[at]), of(cells[at])) << form.name;
    }
  }
};
TE_BOTH_CHIPS(Atomics);

TEST_P(Atomics, Memory) { check("memory", memoryForms, 256, 64); }
TEST_P(Atomics, Scalar) { check("scalar", scalarForms, 64, 1); }
TEST_P(Atomics, Lds) { check("lds", ldsForms, 256, 64); }
