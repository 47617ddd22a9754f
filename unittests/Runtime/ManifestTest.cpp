//===- ManifestTest.cpp - valid and malformed manifests -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "te/Runtime/Manifest.h"
#include "TestElf.h"
#include "gtest/gtest.h"

using namespace mlir::te::rt;

TEST(Manifest, ReadsEveryField) {
  auto manifest = Manifest::read(makeElf(".te.manifest", kManifest));
  ASSERT_TRUE(bool(manifest)) << manifest.error();
  EXPECT_EQ(manifest->target, "gfx950");
  EXPECT_EQ(manifest->source, "module {}");
  const Entry *entry = manifest->findEntry("quantize");
  ASSERT_TRUE(entry);
  EXPECT_FALSE(manifest->findEntry("quantise"));
  ASSERT_EQ(entry->buffers.size(), 5u);
  EXPECT_EQ(entry->buffers[3].type, DType::F8E8M0FNU);
  EXPECT_EQ(entry->results[0].buffers, (std::vector<size_t>{2, 3}));
  EXPECT_EQ(entry->buffers[3].shape[1].format(entry->dims),
            "roundup(ceildiv(K, 32), 4)");
  const Step &step = entry->steps[0];
  std::vector<uint32_t> offsets;
  for (const KernelArg &arg : step.args)
    offsets.push_back(arg.offset);
  // Pointers and i64 on 8 bytes, i32 and f32 on 4.
  EXPECT_EQ(offsets, (std::vector<uint32_t>{0, 8, 16, 24, 32, 40}));
  EXPECT_EQ(step.kernargBytes, 48u);
  EXPECT_EQ(manifest->kernels[0].vgprs, 32u);
}

namespace {
/// One replacement in the valid manifest, and what the error must be.
struct Malformed {
  const char *from, *to, *error;
};
} // namespace

static const Malformed kMalformed[] = {
    {R"("te_manifest": 2)", R"("te_manifest": 1)",
     "te_manifest: version 1, but this program reads version 2; compile again "
     "with its te-compile"},
    {R"("te_manifest": 2, )", "", "te_manifest: missing"},
    {R"("te_manifest": 2)", R"("te_manifest": "2")",
     "te_manifest: expected an integer, found string"},
    {R"("target": "gfx950")", R"("target": 950)",
     "target: expected a string, found number"},
    {R"("target": "gfx950")", R"("target": "")",
     "target: expected a name, found an empty string"},
    {R"("producer": "te-mlir 0.1.0", )", "", "producer: missing"},
    {R"("dims": ["M", "K"])", R"("dims": ["M", "M"])",
     "entries[0].dims[1]: dimension M is named twice"},
    {R"("dims": ["M", "K"])", R"("dims": {"M": 1})",
     "entries[0].dims: expected an array, found object"},
    {R"("kind": "workspace")", R"("kind": "scratch")",
     "entries[0].buffers[4].kind: expected argument, result, workspace or "
     "constant, "
     "found \"scratch\""},
    {R"("kind": "workspace")", R"("kind": "constant")",
     "entries[0].buffers[4].symbol: missing"},
    {R"("dtype": "bf16")", R"("dtype": "bfloat")",
     "entries[0].buffers[0].dtype: unknown element type \"bfloat\""},
    {R"("shape": ["M", "K"]})", R"("shape": ["N", "K"]})",
     "entries[0].buffers[0].shape[0]: \"N\" is not a dimension of entry "
     "quantize"},
    {R"(["mul", "M", 4])", R"(["pow", "M", 4])",
     "entries[0].buffers[4].shape[0][0]: no operation \"pow\"; there are add, "
     "sub, mul, ceildiv, floordiv, mod, roundup, max, min"},
    {R"(["mul", "M", 4])", R"(["mul", "M"])",
     "entries[0].buffers[4].shape[0]: expected [op, a, b], found an array of "
     "2"},
    {R"(["mul", "M", 4])", R"(1.5)",
     "entries[0].buffers[4].shape[0]: expected an integer, a dimension or [op, "
     "a, b]"},
    {R"("buffers": [0])", R"("buffers": [9])",
     "entries[0].arguments[0].buffers[0]: expected an integer from 0 to 4, "
     "found 9"},
    {R"("buffers": [0])", R"("buffers": [-1])",
     "entries[0].arguments[0].buffers[0]: expected an integer from 0 to 4, "
     "found -1"},
    {R"("buffers": [0])", R"("buffers": [2])",
     "entries[0].arguments[0].buffers[0]: buffer result0.data is of another "
     "kind"},
    {R"("buffers": [0])", R"("buffers": [1])",
     "entries[0].arguments[1].buffers[0]: buffer noop is used twice"},
    {R"("buffers": [2, 3])", R"("buffers": [2])",
     "entries[0].results: buffer result0.scale belongs to none of them"},
    {R"("buffers": [0])", R"("buffers": [])",
     "entries[0].arguments[0].buffers: expected one buffer, or data and "
     "scales; found 0"},
    {R"("kernel": "quantize_0")", R"("kernel": "quantize_1")",
     "entries[0].steps[0].kernel: no kernel quantize_1 in kernels"},
    {R"("grid": [["ceildiv", "M", 4], 1, 1])", R"("grid": [1, 1])",
     "entries[0].steps[0]: expected three sizes in grid and in block, found 2 "
     "and 3"},
    {R"("grid": [["ceildiv", "M", 4], 1, 1])", R"("grid": [null, 1, 1])",
     "entries[0].steps[0].grid[0]: expected an integer, a dimension or [op, a, "
     "b]"},
    {R"("block": [256, 1, 1])", R"("block": [0, 1, 1])",
     "entries[0].steps[0].block[0]: expected an integer from 1 to 1024, found "
     "0"},
    {R"("block": [256, 1, 1])", R"("block": [256, 8, 1])",
     "entries[0].steps[0].block: 2048 lanes, at most 1024 fit in a workgroup"},
    {R"("dynamic_lds": 0)", R"("dynamic_lds": -4)",
     "entries[0].steps[0].dynamic_lds: expected an integer from 0 to 1048576, "
     "found -4"},
    {R"({"f32": 0.5})", R"({"f64": 0.5})",
     "entries[0].steps[0].args[4]: expected buffer, i64, i32 or f32, found "
     "\"f64\""},
    {R"({"f32": 0.5})", R"({"f32": "0.5"})",
     "entries[0].steps[0].args[4].f32: expected a number, found string"},
    {R"({"f32": 0.5})", R"({"f32": 0.5, "i32": 1})",
     "entries[0].steps[0].args[4]: expected an object with one member, found "
     "2"},
    {R"("kernarg_bytes": 48)", R"("kernarg_bytes": 40)",
     "entries[0].steps[0].args: the arguments take 48 bytes, but kernel "
     "quantize_0 reads 40"},
    {R"("vgprs": 32)", R"("vgprs": 18446744073709551615)",
     "kernels[0].vgprs: expected an integer from 0 to 4294967295, found "
     "18446744073709551615"},
    {R"("entries": [)", R"("entries": [7, )",
     "entries[0]: expected an object, found number"},
    {R"("dynamic_lds": 0,)",
     R"("dynamic_lds": 0, "when": {"size": "N", "least": 0},)",
     "entries[0].steps[0].when.size: \"N\" is not a dimension of entry "
     "quantize"},
    {R"("dynamic_lds": 0,)",
     R"("dynamic_lds": 0, "when": {"size": "M", "least": 17, "most": 16},)",
     "entries[0].steps[0].when.most: expected an integer from 17 to "
     "9223372036854775807, found 16"},
    {R"("dtype": "bf16", "shape": ["M", "K"]})",
     R"("dtype": "bf16", "shape": ["M", "K"], "when": {"size": "M", "least": 1}})",
     "entries[0].buffers[0].when: only a workspace has it"},
};

TEST(Manifest, LocatesWhatIsMalformed) {
  for (const Malformed &test : kMalformed) {
    std::string text = kManifest;
    size_t at = text.find(test.from);
    ASSERT_NE(at, text.npos) << test.from;
    text.replace(at, strlen(test.from), test.to);
    auto manifest = Manifest::parse(text);
    ASSERT_FALSE(bool(manifest)) << test.to;
    EXPECT_EQ(manifest.error(), std::string("invalid manifest: ") + test.error);
  }
}

TEST(Manifest, RejectsWhatIsNotJson) {
  for (std::string text :
       {std::string(), std::string("{"), std::string(kManifest).substr(0, 500),
        std::string("\xff\xfe"), std::string(100000, '[')}) {
    auto manifest = Manifest::parse(text);
    ASSERT_FALSE(bool(manifest));
    EXPECT_EQ(manifest.error(),
              "the manifest is not JSON; compile the program again");
  }
  auto deep =
      Manifest::parse(std::string(100000, '[') + std::string(100000, ']'));
  ASSERT_FALSE(bool(deep));
  EXPECT_EQ(deep.error(), "invalid manifest: expected an object, found array");
}

TEST(Manifest, BoundsExpressionDepth) {
  std::string shape = "1";
  for (int i = 0; i < 100; ++i)
    shape = "[\"add\", 1, " + shape + "]";
  std::string text = kManifest;
  const std::string from = R"(["mul", "M", 4])";
  text.replace(text.find(from), from.size(), shape);
  auto manifest = Manifest::parse(text);
  ASSERT_FALSE(bool(manifest));
  EXPECT_NE(manifest.error().find("more than 64 operations deep"),
            std::string::npos);
}

// Cutting or changing any byte never reads outside the image.
TEST(ElfSection, SurvivesDamage) {
  const std::vector<uint8_t> image = makeElf(".te.manifest", kManifest);
  for (size_t size = 0; size < image.size(); ++size) {
    std::vector<uint8_t> cut(image.begin(), image.begin() + size);
    EXPECT_FALSE(bool(Manifest::read(cut))) << size;
  }
  size_t headers = image.size() - 3 * sizeof(Elf64_Shdr);
  for (size_t i = 0; i < image.size(); ++i) {
    if (i >= sizeof(Elf64_Ehdr) && i < headers)
      continue;
    for (uint8_t value : {0x00, 0x7F, 0x80, 0xFF}) {
      std::vector<uint8_t> changed = image;
      changed[i] = value;
      auto section = findElfSection(changed, ".te.manifest");
      if (!section)
        EXPECT_FALSE(section.error().empty());
    }
  }
}

TEST(ElfSection, NamesWhatIsMissing) {
  auto other = findElfSection(makeElf(".other", "x"), ".te.manifest");
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(other.error(), "no section .te.manifest: the code object was not "
                           "made by te-compile");
  std::vector<uint8_t> text = {'h', 'e', 'l', 'l', 'o'};
  auto notElf = findElfSection(text, ".te.manifest");
  ASSERT_FALSE(bool(notElf));
  EXPECT_EQ(notElf.error(), "not an ELF file; expected a code object (HSACO)");
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

static std::string toString(const std::vector<uint8_t> &image) {
  return {image.begin(), image.end()};
}

static std::string readError(const std::string &text) {
  auto manifest = Manifest::read(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  EXPECT_FALSE(bool(manifest)) << text;
  return manifest ? "" : manifest.error();
}

TEST(PtxManifest, ReadsComments) {
  std::vector<uint8_t> image = makePtx(kManifest);
  EXPECT_TRUE(isPtx(image));
  EXPECT_FALSE(isElf(image));
  auto manifest = Manifest::read(image);
  ASSERT_TRUE(bool(manifest)) << manifest.error();
  EXPECT_EQ(manifest->target, "gfx950");
  EXPECT_EQ(manifest->entries[0].steps[0].kernargBytes, 48u);
}

TEST(PtxManifest, NamesWhatIsDamaged) {
  std::string text = toString(makePtx(kManifest));
  auto replaced = [&](const std::string &from, const std::string &to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  EXPECT_EQ(readError(replaced("// te.manifest end", "// end")),
            "damaged PTX: line 28 is inside the manifest, but does not begin "
            "with '// '; compile the program again");
  EXPECT_EQ(readError(text.substr(0, text.find("// te.manifest end"))),
            "damaged PTX: its manifest does not end, for there is no line '// "
            "te.manifest end'; compile the program again");
  EXPECT_EQ(readError(replaced("module {}", "module \xC3\xA9")),
            "damaged PTX: line 4 of the manifest has a byte that is not "
            "ASCII; compile the program again");
  EXPECT_EQ(readError(replaced("\"source\": ", "\"source\"")),
            "the manifest is not JSON; compile the program again");
  EXPECT_EQ(readError(replaced("\"target\": \"gfx950\"", "\"target\": 9")),
            "invalid manifest: target: expected a string, found number");
  const std::string foreign = "neither a code object (HSACO) nor PTX that "
                              "te-compile made, which begins with '// "
                              "te.manifest begin'";
  EXPECT_EQ(readError(""), foreign);
  EXPECT_EQ(readError(".version 8.0\n.target sm_90a\n"), foreign);
  EXPECT_EQ(readError("\n" + text), foreign);
}

// Whatever is cut off or changed in the manifest: an error, or what it says.
TEST(PtxManifest, SurvivesDamage) {
  std::string text = toString(makePtx(kManifest));
  size_t end = text.find("// te.manifest end") + 18;
  for (size_t size = 0; size < end; ++size)
    EXPECT_FALSE(readError(text.substr(0, size)).empty()) << size;
  for (size_t i = 0; i < end; ++i)
    for (char value : {'\0', '\n', '/', '\xFF'}) {
      std::string changed = text;
      changed[i] = value;
      auto manifest = Manifest::read(
          {reinterpret_cast<const uint8_t *>(changed.data()), changed.size()});
      if (!manifest)
        EXPECT_FALSE(manifest.error().empty());
    }
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static Expr constant(int64_t value) {
  Expr expr;
  expr.value = value;
  return expr;
}

static Expr apply(const char *op, Expr a, Expr b) {
  Expr expr;
  expr.op = findExprOp(op);
  expr.operands = {std::move(a), std::move(b)};
  return expr;
}

TEST(Expr, Evaluates) {
  struct Row {
    const char *op;
    int64_t a, b, result;
  };
  for (auto [op, a, b, result] :
       {Row{"add", 3, 4, 7}, Row{"sub", 3, 4, -1}, Row{"mul", -3, 4, -12},
        Row{"ceildiv", 7, 4, 2}, Row{"ceildiv", 8, 4, 2},
        Row{"ceildiv", -7, 4, -1}, Row{"ceildiv", 0, 4, 0},
        Row{"floordiv", 7, 4, 1}, Row{"floordiv", -7, 4, -2},
        Row{"mod", 7, 4, 3}, Row{"mod", -7, 4, 1}, Row{"roundup", 5, 4, 8},
        Row{"roundup", 8, 4, 8}, Row{"max", 3, -4, 3}, Row{"min", 3, -4, -4}}) {
    auto value = apply(op, constant(a), constant(b)).evaluate({});
    ASSERT_TRUE(bool(value)) << value.error();
    EXPECT_EQ(*value, result) << op << " " << a << " " << b;
  }
}

TEST(Expr, FailsOnOverflowAndDivisionByZero) {
  struct Row {
    const char *op;
    int64_t a, b;
    const char *error;
  };
  for (auto [op, a, b, error] :
       {Row{"add", INT64_MAX, 1,
            "add(9223372036854775807, 1) overflows 64 bits"},
        Row{"sub", INT64_MIN, 1,
            "sub(-9223372036854775808, 1) overflows 64 bits"},
        Row{"mul", INT64_MAX, 2,
            "mul(9223372036854775807, 2) overflows 64 bits"},
        Row{"roundup", INT64_MAX, 2,
            "roundup(9223372036854775807, 2) overflows 64 bits"},
        Row{"ceildiv", 1, 0, "ceildiv(1, 0) needs a divisor above zero"},
        Row{"floordiv", INT64_MIN, -1,
            "floordiv(-9223372036854775808, -1) needs a divisor above zero"},
        Row{"mod", 1, 0, "mod(1, 0) needs a divisor above zero"}}) {
    auto value = apply(op, constant(a), constant(b)).evaluate({});
    ASSERT_FALSE(bool(value)) << op;
    EXPECT_EQ(value.error(), error);
  }
}
