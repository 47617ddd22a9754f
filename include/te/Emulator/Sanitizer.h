//===- Sanitizer.h - what is wrong with a kernel that runs ------*- C++ -*-===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch with LaunchOptions::sanitizer set looks for defects that hardware
// does not report. What each kind means, and what is not found, is said in
// docs/sanitizer.md. A defect is reported once for each distinct place (pair of
// places, for races), and the launch goes on where it can. Of the workgroups
// that meet it the first one is named, whichever thread came to it first.
//
//===----------------------------------------------------------------------===//
#ifndef TE_EMULATOR_SANITIZER_H
#define TE_EMULATOR_SANITIZER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::te::emu {

enum class Defect : uint8_t {
  OutOfBounds,
  UseAfterFree,
  Misaligned,
  Uninitialized,
  Race,
  MissingWait,
  BarrierDivergence,
  Deadlock,
  OrderDependence,
};

/// "out-of-bounds", "use-after-free", "misaligned", "uninitialized", "race",
/// "missing-wait", "barrier-divergence", "deadlock", "order-dependence".
llvm::StringRef getName(Defect kind);

/// An instruction of a wave.
struct SanitizerPlace {
  uint64_t pc = 0;         // in the file's own addresses
  std::string instruction; // disassembly
  std::string location;    // "file:line:column" from debug info, or empty
  std::string workgroup;   // "(1, 0, 0)", or empty where it is not known
  int wave = -1;           // in its workgroup, or -1
};

struct SanitizerReport {
  Defect kind;
  std::string kernel;
  SanitizerPlace place;
  /// The other side of a race; the load that was not waited for; where a value
  /// that was never written comes from.
  std::optional<SanitizerPlace> other;
  int lane = -1;       // the first that is concerned, or -1
  std::string message; // one line

  void print(llvm::raw_ostream &os) const;
  llvm::json::Object toJSON() const;
};

/// Gathers the reports of any number of launches.
class Sanitizer {
public:
  Sanitizer();
  ~Sanitizer();
  /// In the order of the launches, of their workgroups, and of time within one.
  std::vector<SanitizerReport> getReports() const;

  /// What is one defect, wherever it happens: its place or pair of places.
  struct Key {
    Defect kind;
    std::string kernel;
    uint64_t pc, otherPc;
  };
  /// The workgroup of a launch, both counted from 0.
  using Site = std::pair<unsigned, uint32_t>;

  unsigned beginLaunch(); // its number; thread-safe, as are the next two
  /// False where the defect has been reported at this site or an earlier one.
  bool isWanted(const Key &key, Site site);
  void add(const Key &key, Site site, SanitizerReport report);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::te::emu

#endif // TE_EMULATOR_SANITIZER_H
