//===- BindingTest.cpp - programs in a caller's memory -*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Backends.h"

#include <dlfcn.h>
#include <thread>

using namespace mlir::te::rt;

TEST(Query, SaysWhatARunTakes) {
  Program program = kBackends[0].make();
  const Entry &entry = program.getManifest().entries[0];
  const int64_t dims[] = {130, 65};
  auto sizes = query(entry, dims);
  ASSERT_TRUE(bool(sizes)) << sizes.error();
  EXPECT_EQ(sizes->arguments, (std::vector<uint64_t>{130 * 65 * 2, 4}));
  EXPECT_EQ(sizes->results, (std::vector<uint64_t>{130 * 65, 256 * 4}));
  EXPECT_EQ(sizes->workspace, 768u); // 130 * 4, up to a multiple of 256
  EXPECT_EQ(query(entry, {dims, 1}).error(),
            "entry quantize has 2 dimensions (M, K), but 1 sizes are given");
  const int64_t negative[] = {130, -1};
  EXPECT_EQ(query(entry, negative).error(), "dimension K cannot be -1");
  const int64_t huge[] = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_EQ(query(entry, huge).error(),
            "x of 1099511627776x1099511627776 bf16 does not fit in this "
            "machine's memory: it needs more than 2^63 bytes");
}

namespace {
/// The log of a stand-in library.
class FakeLibrary {
public:
  explicit FakeLibrary(const char *path)
      : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}
  ~FakeLibrary() { dlclose(handle); }
  template <typename Function> Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(handle, name));
  }
  void startLog() const { find<void()>("te_fake_start_log")(); }
  std::string takeLog() const {
    return find<const char *()>("te_fake_take_log")();
  }

private:
  void *handle;
};

/// Memory for a run, as a framework would have it.
struct Buffers {
  explicit Buffers(int m = 2, int k = 3) : dims{m, k} {
    for (int i = 0; i < m * k; ++i)
      x[2 * i] = 10 * i;
    arguments = {{at(x), uint64_t(m * k * 2)}, {at(noop), 4}};
    results = {{at(data), uint64_t(m * k)}, {at(scales), 512}};
    workspace = {at(work), 256};
  }
  static uint64_t at(const uint8_t *bytes) {
    return reinterpret_cast<uint64_t>(bytes);
  }
  Result<Binding> bind(const LoadedCode &code, const Entry &entry) const {
    return Binding::create(code, entry, dims, arguments, results, workspace);
  }

  alignas(256) uint8_t x[256] = {}, noop[256] = {}, data[256] = {};
  alignas(256) uint8_t scales[512] = {}, work[256] = {};
  std::vector<int64_t> dims;
  std::vector<Memory> arguments, results;
  Memory workspace;
};

class Bind : public testing::TestWithParam<Backend> {
protected:
  Bind() : library(GetParam().library) {}
  /// The device, and the program on it with changes of its manifest.
  void load(int ordinal = 0, const std::string &from = "",
            const std::string &to = "", const std::string &otherFrom = "",
            const std::string &otherTo = "") {
    auto opened = GetParam().open(ordinal);
    ASSERT_TRUE(bool(opened)) << opened.error();
    device = std::move(*opened);
    program.emplace(GetParam().make(from, to, otherFrom, otherTo));
    auto loaded = program->load(*device);
    ASSERT_TRUE(bool(loaded)) << loaded.error();
    code.emplace(std::move(*loaded));
    entry = &program->getManifest().entries[0];
  }
  Binding bind(const Buffers &buffers) {
    auto made = buffers.bind(*code, *entry);
    EXPECT_TRUE(bool(made)) << made.error();
    return std::move(*made);
  }

  FakeLibrary library;
  std::unique_ptr<Device> device;
  std::optional<Program> program;
  std::optional<LoadedCode> code;
  const Entry *entry = nullptr;
};
} // namespace

INSTANTIATE_TEST_SUITE_P(Devices, Bind, testing::ValuesIn(kBackends),
                         [](const auto &info) { return info.param.name; });

/// What the manifest's steps end with, and a second step in its place.
static constexpr const char *kEnd = R"({"i64": ["mul", "M", "K"]}]}]}],
 "kernels": [)";
static std::string addStep(const std::string &kernel) {
  std::string text = R"({"i64": ["mul", "M", "K"]}]},
    {"kernel": ")" + kernel +
                     R"(", "grid": [["mul", "M", 2], 1, 1],
     "block": [256, 1, 1], "dynamic_lds": 0,
     "args": [{"buffer": 0}, {"buffer": 2}, {"i32": "M"}, {"buffer": 4},
              {"f32": 0.5}, {"i64": ["mul", "M", "K"]}]}]}],
 "kernels": [)";
  if (kernel != "quantize_0")
    text += R"({"name": ")" + kernel + R"(", "vgprs": 1, "sgprs": 1, "agprs": 0,
      "lds": 0, "scratch": 0, "kernarg_bytes": 48}, )";
  return text;
}

/// Everything but the launches is done before.
TEST_P(Bind, OnlyLaunches) {
  load(0, kEnd, addStep("quantize_0"));
  Buffers buffers;
  library.startLog();
  Binding binding = bind(buffers);
  EXPECT_EQ(library.takeLog(), "");
  library.startLog();
  Status status = binding.run(0x5e0);
  EXPECT_EQ(library.takeLog(),
            "launch quantize_0 of 1 blocks on device 0, stream 5e0\n"
            "launch quantize_0 of 4 blocks on device 0, stream 5e0\n");
  EXPECT_TRUE(bool(status)) << status.error();
  EXPECT_EQ(std::vector<uint8_t>(buffers.data, buffers.data + 6),
            (std::vector<uint8_t>{2, 12, 22, 32, 42, 52}));
  library.startLog();
  EXPECT_TRUE(bool(binding.run()));
  EXPECT_EQ(library.takeLog(),
            "launch quantize_0 of 1 blocks on device 0, stream 0\n"
            "launch quantize_0 of 4 blocks on device 0, stream 0\n");
}

/// The workspace's buffers lie at multiples of 256, and each launch has
/// arguments of its own.
TEST_P(Bind, PlansTheWorkspace) {
  std::string steps = addStep("quantize_0");
  steps.replace(steps.find(R"({"buffer": 4})"), 13, R"({"buffer": 5})");
  std::string ws = R"("shape": [["mul", "M", 4]]},
     {"kind": "workspace", "name": "ws1", "dtype": "i8", "shape": ["K"]})";
  load(0, R"("shape": [["mul", "M", 4]]})", ws, kEnd, steps);
  Buffers two;
  alignas(256) uint8_t workspace[512];
  two.workspace = {Buffers::at(workspace), 512};
  EXPECT_EQ(query(*entry, two.dims)->workspace, 512u);
  Binding binding = bind(two);
  library.startLog();
  EXPECT_TRUE(bool(binding.run()));
  library.takeLog();
  const uint64_t *found =
      library.find<const uint64_t *()>("te_fake_get_workspaces")();
  EXPECT_EQ(found[0], Buffers::at(workspace));
  EXPECT_EQ(found[1], Buffers::at(workspace) + 256);
}

/// A step for some sizes is launched for these alone, and what it alone needs
/// takes memory for these alone.
TEST_P(Bind, ChoosesByASize) {
  std::string few = R"("when": {"size": "M", "least": 0, "most": 2})",
              many = R"("when": {"size": "M", "least": 3})";
  std::string steps = addStep("quantize_0");
  steps.insert(steps.find(R"("args")"), many + ", ");
  load(0, R"("shape": [["mul", "M", 4]]})",
       R"("shape": [["mul", "M", 4]], )" + few + "}", kEnd, steps);
  for (int rows : {2, 3}) {
    Buffers buffers(rows);
    EXPECT_EQ(query(*entry, buffers.dims)->workspace, rows == 2 ? 256u : 0u);
    if (rows == 3)
      buffers.workspace = {};
    Binding binding = bind(buffers);
    library.startLog();
    EXPECT_TRUE(bool(binding.run()));
    std::string log = library.takeLog();
    EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), rows == 2 ? 1 : 2)
        << log;
  }
  EXPECT_NE(describe(*entry).find("where M is 3 or more"), std::string::npos)
      << describe(*entry);
}

/// Kernels are found once, whatever steps they have.
TEST_P(Bind, FindsKernelsWhereCodeIsLoaded) {
  library.startLog();
  load(0, kEnd, addStep("quantize_0"));
  EXPECT_EQ(library.takeLog(), "load on device 0\nfind quantize_0\n");
  library.startLog();
  code.reset();
  EXPECT_EQ(library.takeLog(), "unload\n");
  auto missing = GetParam().make(kEnd, addStep("quantize_2")).load(*device);
  ASSERT_FALSE(bool(missing));
  EXPECT_NE(missing.error().find("finding kernel quantize_2: "),
            std::string::npos)
      << missing.error();
}

TEST_P(Bind, StopsAtALaunchThatFails) {
  load(0, kEnd, addStep("quantize_1"));
  Buffers buffers;
  Binding binding = bind(buffers);
  library.startLog();
  Status status = binding.run();
  std::string log = library.takeLog();
  ASSERT_FALSE(bool(status));
  EXPECT_NE(status.error().find("launching kernel quantize_1: "),
            std::string::npos);
  EXPECT_NE(status.error().find(
                " failed: unspecified launch failure; a kernel stopped; look "
                "at it with te-run --sanitize"),
            std::string::npos)
      << status.error();
  EXPECT_EQ(log, "launch quantize_0 of 1 blocks on device 0, stream 0\n"
                 "launch quantize_1 of 4 blocks on device 0, stream 0\n");
}

TEST_P(Bind, SaysWhatIsWrongWithMemory) {
  load();
  auto explain = [&](auto &&change) {
    Buffers buffers;
    change(buffers);
    return buffers.bind(*code, *entry).error();
  };
  EXPECT_EQ(explain([](Buffers &b) { b.arguments.pop_back(); }),
            "entry quantize has 2 argument buffers (x, noop), but 1 are given");
  EXPECT_EQ(explain([](Buffers &b) { b.results.push_back({}); }),
            "entry quantize has 2 result buffers (result0.data, "
            "result0.scale), but 3 are given");
  EXPECT_EQ(explain([](Buffers &b) { b.arguments[0].bytes = 11; }),
            "argument x (2x3 bf16) is given 11 bytes, but needs 12");
  EXPECT_EQ(explain([](Buffers &b) { b.results[0] = {0, 6}; }),
            "result result0.data (2x3 f8E4M3FN) is given the address 0, but "
            "needs memory of 6 bytes");
  EXPECT_EQ(explain([](Buffers &b) { b.arguments[0].address = 0x7008; }),
            "argument x (2x3 bf16) is given the address 0x7008, but needs a "
            "multiple of 16");
  EXPECT_EQ(explain([](Buffers &b) { b.workspace.bytes = 255; }),
            "the workspace of entry quantize is given 255 bytes, but needs "
            "256");
  EXPECT_EQ(explain([](Buffers &b) { b.workspace.address = 0x7010; }),
            "the workspace of entry quantize is given the address 0x7010, but "
            "needs a multiple of 256");
  EXPECT_EQ(explain([](Buffers &b) { b.dims.pop_back(); }),
            "entry quantize has 2 dimensions (M, K), but 1 sizes are given");
  EXPECT_EQ(explain([](Buffers &b) {
              b.results[0].address = b.arguments[0].address;
            }),
            "result0.data and x overlap; results and the workspace need "
            "memory of their own");
  EXPECT_EQ(explain([](Buffers &b) {
              b.arguments[1].address = b.results[1].address + 256;
            }),
            "noop and result0.scale overlap; results and the workspace need "
            "memory of their own");
  EXPECT_EQ(explain([](Buffers &b) {
              b.workspace.address = b.results[1].address + 256;
            }),
            "ws0 and result0.scale overlap; results and the workspace need "
            "memory of their own");
}

/// Arguments may share memory, and what has no bytes needs no address.
TEST_P(Bind, TakesSharedArgumentsAndNothing) {
  load();
  Buffers shared;
  shared.arguments[1].address = shared.arguments[0].address;
  EXPECT_TRUE(bool(bind(shared).run()));
  Buffers empty(0, 3);
  empty.arguments[0] = empty.results[0] = empty.results[1] = {};
  empty.workspace = {};
  Binding binding = bind(empty);
  library.startLog();
  EXPECT_TRUE(bool(binding.run()));
  EXPECT_EQ(library.takeLog(), "");
}

TEST_P(Bind, NamesTheOrdinalsThatThereAre) {
  for (int ordinal : {-1, 2}) {
    auto device = GetParam().open(ordinal);
    ASSERT_FALSE(bool(device));
    std::string backend =
        GetParam().name == std::string("Hip") ? "HIP" : "CUDA";
    EXPECT_EQ(device.error(), backend + " has no device " +
                                  std::to_string(ordinal) +
                                  ": it reports 2; give 0 to 1");
  }
}

/// The second device runs while the thread keeps the first, or none.
TEST_P(Bind, LeavesTheThreadsDeviceAlone) {
  load(1);
  Buffers buffers;
  Binding binding = bind(buffers);
  library.startLog();
  EXPECT_TRUE(bool(binding.run()));
  EXPECT_TRUE(bool(device->synchronize()));
  auto address = device->allocate(4, "x");
  ASSERT_TRUE(bool(address));
  device->free(*address);
  EXPECT_EQ(library.takeLog(),
            "launch quantize_0 of 1 blocks on device 1, stream 0\n"
            "synchronize\nallocate 4\nfree\n");
  if (GetParam().name == std::string("Hip")) {
    int current = -1;
    library.find<int(int *)>("hipGetDevice")(&current);
    EXPECT_EQ(current, 0);
    library.find<int(int)>("hipSetDevice")(1);
    EXPECT_TRUE(bool(binding.run()));
    library.find<int(int *)>("hipGetDevice")(&current);
    EXPECT_EQ(current, 1);
    library.find<int(int)>("hipSetDevice")(0);
    return;
  }
  void *current = this;
  library.find<int(void **)>("cuCtxGetCurrent")(&current);
  EXPECT_EQ(current, nullptr);
}

/// Each thread with bindings of its own, on one of two devices.
TEST_P(Bind, RunsInEightThreads) {
  load(0);
  std::unique_ptr<Device> first = std::move(device);
  std::optional<LoadedCode> firstCode(std::move(*code));
  code.reset();
  std::optional<Program> firstProgram(std::move(*program));
  const Entry *firstEntry = &firstProgram->getManifest().entries[0];
  load(1);
  std::atomic<int> right{0};
  auto work = [&](int index) {
    const LoadedCode &mine = index % 2 ? *code : *firstCode;
    for (int i = 0; i < 50; ++i) {
      Buffers buffers(1 + index, 3);
      auto binding = buffers.bind(mine, index % 2 ? *entry : *firstEntry);
      if (!binding || !binding->run(index))
        return;
      right += buffers.data[1] == 10 + 1 + index;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8 * 50);
  code.reset();
  firstCode.reset();
}

/// Threads open devices, load, bind and run.
TEST_P(Bind, LoadsInEightThreads) {
  std::atomic<int> right{0};
  auto work = [&](int index) {
    auto device = GetParam().open(index % 2);
    Program program = GetParam().make();
    auto code = program.load(**device);
    Buffers buffers;
    auto binding = buffers.bind(*code, program.getManifest().entries[0]);
    right += binding && binding->run() && buffers.data[1] == 12;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8);
}
