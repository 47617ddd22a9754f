//===- Launch.cpp - runs workgroups on the host's cores -------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Profile.h"
#include "Recorder.h"
#include "Spin.h"
#include "WaveShadow.h"

#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

namespace mlir::te::emu {

/// Instructions that a wave runs before the next one of its workgroup does: the
/// compute unit runs them in step, and kernels count on it.
static constexpr uint64_t kSlice = 4;
/// Instructions that a workgroup runs between two searches for a deadlock.
static constexpr uint64_t kUntilStuck = 100000;

namespace {

/// What the threads of one launch share.
struct Shared {
  Shared(const Dispatch &dispatch, const LaunchOptions &options)
      : dispatch(dispatch), options(options) {
    if (options.sanitizer)
      sanitized.emplace(*options.sanitizer, dispatch);
  }
  const Dispatch &dispatch;
  const LaunchOptions &options;
  /// Of a sample: the workgroups that run; of each wave, what is run of it and
  /// which loads count for L2. Empty: everything.
  std::vector<uint64_t> chosen;
  std::vector<Window> windows;
  std::optional<SanitizedLaunch> sanitized;
  std::atomic<uint64_t> next{0}, done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex; // what follows
  uint64_t failedWorkgroup = UINT64_MAX;
  std::string message;
  LaunchStats stats;
  ProfileTable profile;

  uint64_t countWorkgroups() const {
    return chosen.empty() ? dispatch.getWorkgroups() : chosen.size();
  }

  /// Where the launch is recorded. Of a sample: before the window, and in it.
  std::array<LineCache::Reach, 2> reached;
  std::set<uint64_t> running; // workgroups; kept for the sanitizer only
};

/// One thread's waves, LDS and counters.
class Worker {
public:
  explicit Worker(Shared &shared)
      : shared(shared), dispatch(shared.dispatch),
        counts(dispatch.getContext().program->getWords() + 1),
        lds(dispatch.getLdsBytes()),
        cache(dispatch.getContext().chip->l1Bytes) {
    if (shared.options.profile)
      profile.resize(counts.size());
    for (unsigned i = 0; i < dispatch.getWaves(); ++i) {
      waves.push_back(std::make_unique<Wave>());
      waves.back()->scratch.resize(size_t(dispatch.getContext().scratchBytes) *
                                   kLanes);
      waves.back()->counters = &counters;
      if (profile.empty())
        continue;
      waves.back()->profile = profile.data();
      waves.back()->cache = &cache;
    }
    if (shared.options.record) {
      cache.isSample = !shared.chosen.empty();
      cache.reach = cache.isSample ? nullptr : reach.data();
      recorders.resize(waves.size());
    }
    if (!shared.sanitized)
      return;
    shadow = std::make_unique<WorkgroupShadow>(lds.size());
    for (auto &wave : waves) {
      shadows.push_back(
          std::make_unique<WaveShadow>(*shared.sanitized, *shadow, *wave));
      wave->shadow = shadows.back().get();
    }
  }
  void run();

private:
  bool runWorkgroup(uint64_t workgroup);
  bool runSlice(Wave &wave, uint64_t workgroup);
  uint64_t limitToWindow(Wave &wave, uint64_t slice);
  std::string describeLoop(Wave &wave);
  void report(Wave &wave, uint64_t workgroup, const Inst &inst);
  void startWorkgroup(uint64_t workgroup);
  void startRecording(uint64_t workgroup);
  void passBarrier();
  bool checkStuck(uint64_t workgroup);
  uint64_t takeWorkgroup();
  void reportProgress();

  Shared &shared;
  const Dispatch &dispatch;
  std::vector<std::unique_ptr<Wave>> waves;
  std::vector<uint64_t> counts;
  std::vector<uint8_t> lds;
  MemoryCounters counters;
  std::vector<MemoryCounters> profile; // of each word, where it is asked for
  LineCache cache;
  std::array<LineCache::Reach, 2> reach;   // these two where it is recorded
  std::vector<WaveRecorder> recorders;     // of each wave
  uint64_t executed = 0;                   // by the workgroup's waves
  std::unique_ptr<WorkgroupShadow> shadow; // these two for the sanitizer
  std::vector<std::unique_ptr<WaveShadow>> shadows;
};

} // namespace

void Worker::report(Wave &wave, uint64_t workgroup, const Inst &inst) {
  std::lock_guard<std::mutex> lock(shared.mutex);
  shared.failed = true;
  // Workgroups start in order, and every started one is finished: the first
  // failure in that order is the same on every run.
  if (workgroup >= shared.failedWorkgroup)
    return;
  shared.failedWorkgroup = workgroup;
  shared.message = llvm::formatv(
      "kernel '{0}', workgroup {1}, wave {2}, pc {3:x} ({4}): {5}",
      dispatch.getKernel().name, dispatch.nameWorkgroup(workgroup), wave.index,
      dispatch.getTextBegin() + uint64_t(inst.word) * 4,
      dispatch.getContext().program->disassemble(inst.word), wave.fault);
}

/// Of a sample: how far the wave may run now; 0 where it has run enough. Only
/// loads inside its window count as asking L2.
uint64_t Worker::limitToWindow(Wave &wave, uint64_t slice) {
  const Window &window = shared.windows[wave.index];
  bool isInside = wave.clock >= window.begin;
  cache.reach = &reach[isInside];
  uint64_t until = isInside ? window.end : window.begin;
  return std::min(slice, until - std::min(until, wave.clock));
}

/// How far a wave is followed to see where it loops.
static constexpr uint64_t kMostOfLoop = 20000;

/// ": it loops from PC to PC", or empty where it does not. The launch is
/// at its end: what the wave does meanwhile does not matter.
std::string Worker::describeLoop(Wave &wave) {
  for (uint64_t i = 0; i < kMostOfLoop; ++i) {
    uint64_t budget = 1;
    const Inst *last = runWave(wave, counts.data(), budget);
    if (wave.stop != Stop::Yield)
      return "";
    if (wave.pc > last)
      continue;
    auto describe = [&](const Inst *inst) {
      Program &program = *dispatch.getContext().program;
      std::string place = program.locate(inst->word);
      return llvm::formatv("pc {0:x} ({1}){2}",
                           dispatch.getTextBegin() + uint64_t(inst->word) * 4,
                           program.disassemble(inst->word),
                           place.empty() ? "" : " [" + place + "]")
          .str();
    };
    return "; it loops from " + describe(wave.pc) + " to " + describe(last);
  }
  return "";
}

/// False after a failure.
bool Worker::runSlice(Wave &wave, uint64_t workgroup) {
  uint64_t most = shared.options.maxWorkgroupInstructions;
  uint64_t slice = waves.size() > 1 ? kSlice : kUntilStuck;
  if (most)
    slice = std::min(slice, most + 1 - executed);
  if (!shared.windows.empty()) {
    slice = limitToWindow(wave, slice);
    if (!slice) {
      wave.stop = Stop::End;
      return true;
    }
  }
  uint64_t budget = slice;
  const Inst *last = runWave(wave, counts.data(), budget);
  executed += slice - budget;
  wave.clock += slice - budget;
  if (most && executed > most)
    wave.fail("the workgroup has run " + llvm::Twine(most) +
              " wave-instructions, the most that this launch allows" +
              describeLoop(wave));
  if (wave.stop != Stop::Fault)
    return true;
  report(wave, workgroup, *last);
  return false;
}

void Worker::startWorkgroup(uint64_t workgroup) {
  std::fill(lds.begin(), lds.end(), 0);
  executed = 0;
  cache.clear();
  if (shadow) {
    shadow->lds.undefineAll();
    shadow->workgroup = workgroup;
    shadow->epoch = 0;
  }
  startRecording(workgroup);
  for (unsigned i = 0; i < waves.size(); ++i) {
    unsigned scalars = dispatch.initialize(*waves[i], workgroup, i);
    waves[i]->lds = lds.data();
    waves[i]->ldsBytes = lds.size();
    if (shadow)
      shadows[i]->start(scalars);
  }
}

/// Each of the chip's L2 caches has its own workgroups, round-robin.
void Worker::startRecording(uint64_t workgroup) {
  const TraceRequest *request = shared.options.record;
  if (!request)
    return;
  for (LineCache::Reach &each : reach)
    each.cache = workgroup % request->caches;
  auto at = llvm::lower_bound(request->workgroups, workgroup);
  bool isWanted = shared.windows.empty() && at != request->workgroups.end() &&
                  *at == workgroup;
  for (auto [i, wave, recorder] : llvm::enumerate(waves, recorders)) {
    wave->recorder = isWanted ? &recorder : nullptr;
    if (!isWanted)
      continue;
    size_t index = at - request->workgroups.begin();
    recorder.events = &shared.options.trace->workgroups[index].waves[i];
    recorder.maxEvents = request->maxEvents;
  }
}

/// Every wave that lives waits at a barrier; those that ended count as arrived.
void Worker::passBarrier() {
  if (shadow)
    ++shadow->epoch;
  const Wave *ended = nullptr;
  for (auto &wave : waves)
    if (wave->stop == Stop::End)
      ended = wave.get();
  for (auto &wave : waves) {
    if (wave->stop != Stop::Barrier)
      continue;
    wave->stop = Stop::None;
    if (wave->shadow)
      wave->shadow->passBarrier(ended);
  }
}

/// The sanitizer's: false, and a failure, where no wave of the workgroup can go
/// on, whatever the others of its own and of earlier workgroups have done.
bool Worker::checkStuck(uint64_t workgroup) {
  // Asked first: an earlier workgroup may end while these waves are watched.
  bool isFirst;
  {
    std::lock_guard<std::mutex> lock(shared.mutex);
    isFirst = *shared.running.begin() == workgroup;
  }
  SpinningWave spinning = findStuck(waves, counts.data());
  if (!spinning.wave)
    return true;
  if (spinning.wave->stop == Stop::Fault) { // while it was watched
    report(*spinning.wave, workgroup, *spinning.loop);
    return false;
  }
  if (!isFirst) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
  }
  spinning.wave->shadow->reportStuck(*spinning.loop);
  spinning.wave->fail("the workgroup waits for ever: see the sanitizer's "
                      "report");
  report(*spinning.wave, workgroup, *spinning.loop);
  return false;
}

bool Worker::runWorkgroup(uint64_t workgroup) {
  startWorkgroup(workgroup);
  uint64_t nextSearch = kUntilStuck;
  while (true) {
    if (const auto *interrupted = shared.options.interrupted;
        interrupted && interrupted->load(std::memory_order_relaxed)) {
      waves.front()->fail("the launch was interrupted");
      report(*waves.front(), workgroup, *waves.front()->pc);
      return false;
    }
    bool alive = false, running = false;
    for (auto &wave : waves) {
      if (wave->stop == Stop::None || wave->stop == Stop::Yield)
        if (!runSlice(*wave, workgroup))
          return false;
      alive |= wave->stop != Stop::End;
      running |= wave->stop == Stop::Yield;
    }
    if (!alive)
      return true;
    if (!running) {
      passBarrier();
    } else if (shadow && executed >= nextSearch) {
      if (!checkStuck(workgroup))
        return false;
      nextSearch = executed + kUntilStuck;
    }
  }
}

void Worker::reportProgress() {
  uint64_t total = shared.countWorkgroups(), done = ++shared.done;
  if (!shared.options.progress ||
      done * 100 / total == (done - 1) * 100 / total)
    return;
  std::lock_guard<std::mutex> lock(shared.mutex);
  shared.options.progress(double(done) / double(total));
}

uint64_t Worker::takeWorkgroup() {
  if (!shadow)
    return shared.next++;
  std::lock_guard<std::mutex> lock(shared.mutex);
  return *shared.running.insert(shared.next++).first;
}

void Worker::run() {
  uint64_t total = shared.countWorkgroups();
  while (!shared.failed) {
    uint64_t workgroup = takeWorkgroup();
    if (workgroup >= total)
      break;
    if (!shared.chosen.empty())
      workgroup = shared.chosen[workgroup];
    bool isDone = runWorkgroup(workgroup);
    if (shadow) {
      std::lock_guard<std::mutex> lock(shared.mutex);
      shared.running.erase(workgroup);
    }
    if (!isDone)
      break;
    reportProgress();
  }
  if (!shared.options.collectStats)
    return;
  for (const MemoryCounters &instruction : profile)
    addCounters(counters, instruction);
  std::lock_guard<std::mutex> lock(shared.mutex);
  if (!profile.empty())
    shared.profile.add(counts, profile);
  addCounts(shared.stats, *dispatch.getContext().program, counts, counters);
  if (!shared.options.record)
    return;
  for (auto [to, from] : llvm::zip_equal(shared.reached, reach)) {
    to.asked += from.asked;
    to.fresh += from.fresh;
    for (auto [line, caches] : from.caches)
      to.caches[line] |= caches;
  }
}

/// Makes room for what `options.record` asks for; an error where it is not
/// there.
static llvm::Error prepareTrace(const Dispatch &dispatch,
                                const LaunchOptions &options) {
  assert(options.trace && options.profile && !options.sanitizer);
  *options.trace = {};
  options.trace->isSample = options.record->isSample;
  for (uint64_t workgroup : options.record->workgroups) {
    if (workgroup >= dispatch.getWorkgroups())
      return llvm::createStringError(llvm::formatv(
          "kernel '{0}': workgroup {1} is to be recorded, but the grid has {2}",
          dispatch.getKernel().name, workgroup, dispatch.getWorkgroups()));
    TracedWorkgroup &made = options.trace->workgroups.emplace_back();
    made.workgroup = workgroup;
    made.waves.resize(dispatch.getWaves());
  }
  return llvm::Error::success();
}

/// Runs what `shared` asks for.
static void runWorkgroups(Shared &shared) {
  unsigned cores = shared.options.threads ? shared.options.threads
                                          : std::thread::hardware_concurrency();
  unsigned count = std::max<uint64_t>(
      1, std::min<uint64_t>(cores, shared.countWorkgroups()));
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back([&] { Worker(shared).run(); });
  Worker(shared).run();
  for (std::thread &thread : threads)
    thread.join();
}

/// The recorded workgroups, and then a few iterations of their loop in those of
/// one L2 cache: the share of lines that it does not have is that of the
/// launch.
static void runSample(Shared &shared) {
  const TraceRequest &request = *shared.options.record;
  shared.chosen = request.workgroups;
  runWorkgroups(shared);
  if (shared.failed)
    return;
  llvm::ArrayRef<TracedWorkgroup> recorded = shared.options.trace->workgroups;
  shared.windows = findIterations(recorded[recorded.size() / 2]);
  shared.chosen.clear();
  for (uint64_t i = 0; i < shared.dispatch.getWorkgroups(); i += request.caches)
    shared.chosen.push_back(i);
  shared.next = shared.done = 0;
  runWorkgroups(shared);
}

/// Lines that came from memory: those that an L2 cache was asked for first, and
/// not among `earlier` ones.
static uint64_t countFirst(const LineCache::Reach &reach,
                           const LineCache::Reach &earlier) {
  uint64_t count = 0;
  for (auto [line, caches] : reach.caches)
    count += llvm::popcount(caches & ~earlier.caches.lookup(line));
  return count;
}

/// Of a sample: lines that the recorded workgroups asked for, before the window
/// and from there on, by how many workgroups shared those of others in both.
static void countLines(Shared &shared, Trace &trace) {
  auto &[before, inside] = shared.reached;
  uint64_t firstBefore = countFirst(before, LineCache::Reach()),
           firstInside = countFirst(inside, before);
  if (shared.windows.empty()) {
    trace.linesOfL2 = before.asked;
    trace.linesOfMemory = firstBefore;
    return;
  }
  std::array<uint64_t, 2> fresh = {0, 0};
  for (const TracedWorkgroup &workgroup : trace.workgroups)
    for (auto [events, window] :
         llvm::zip_equal(workgroup.waves, shared.windows))
      for (auto [index, event] : llvm::enumerate(events)) {
        trace.linesOfL2 += event.missed;
        fresh[index >= window.begin] += event.fresh;
      }
  auto share = [](uint64_t fresh, uint64_t first, uint64_t all) {
    return all ? double(fresh) * first / all : 0;
  };
  trace.linesOfMemory =
      std::llround(share(fresh[0], firstBefore, before.fresh) +
                   share(fresh[1], firstInside, inside.fresh));
}

llvm::Expected<LaunchStats>
launch(const CodeObject &object, const KernelInfo &kernel, DeviceMemory &memory,
       const LaunchConfig &config, const LaunchOptions &options) {
  auto start = std::chrono::steady_clock::now();
  if (const char *missing = findMissingHostFeature())
    return llvm::createStringError(
        llvm::formatv("this emulator was built for processors with {0}, which "
                      "this one lacks: configure with "
                      "-DTE_EMULATOR_MARCH=x86-64",
                      missing));
  auto dispatch = Dispatch::create(object, kernel, memory, config, options);
  if (!dispatch)
    return dispatch.takeError();
  if (options.sanitizer)
    memory.getImpl().forgetAccesses();
  if (options.record)
    if (llvm::Error error = prepareTrace(**dispatch, options))
      return error;
  Shared shared(**dispatch, options);
  uint64_t groups = (*dispatch)->getWorkgroups();
  if (options.record && options.record->isSample &&
      !options.record->workgroups.empty())
    runSample(shared);
  else
    runWorkgroups(shared);
  if (shared.failed)
    return llvm::createStringError(shared.message);
  if (options.profile)
    shared.stats.profile = makeProfile(
        *(*dispatch)->getContext().program, (*dispatch)->getEntry()->word,
        (*dispatch)->getTextBegin(), shared.profile);
  if (options.record) {
    countLines(shared, *options.trace);
    finishTrace(*options.trace, **dispatch);
  }
  shared.stats.workgroups = groups;
  shared.stats.waves = groups * (*dispatch)->getWaves();
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  shared.stats.seconds = seconds.count();
  return std::move(shared.stats);
}

} // namespace mlir::te::emu
