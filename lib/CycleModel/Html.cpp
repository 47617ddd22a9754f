//===- Html.cpp - a profile as a page -------------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file that needs no server: the roofline and the loop's timeline are SVG.
//
//===----------------------------------------------------------------------===//
#include "te/CycleModel/CycleModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace mlir::te::cycle {

using llvm::formatv;

static constexpr size_t kListed = 25;  // instructions in the table
static constexpr size_t kDrawn = 6000; // rectangles of a timeline
static constexpr double kWidth = 960;
/// Clocks of a timeline that shows no loop.
static constexpr uint64_t kWindow = 4000;

static const char *const kStyle =
    "body{font:14px/1.4 sans-serif;margin:2em;max-width:1100px;color:#222}"
    "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:left}"
    "td.n{text-align:right}tr:nth-child(even){background:#f4f4f4}"
    "code{font-size:12px}"
    "svg{background:#fff;border:1px solid #ddd}svg text{font:11px sans-serif}";

static std::string escape(llvm::StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

static std::string percent(double share) {
  return formatv("{0:f1} %", 100 * share);
}

//===----------------------------------------------------------------------===//
// Roofline
//===----------------------------------------------------------------------===//

namespace {
/// Both axes are logarithmic: flops a byte, and flops a second.
struct Axes {
  static constexpr double kLeft = 70, kTop = 15, kHeight = 260;
  double x0 = 0.1, x1 = 1e5, y0, y1;
  double x(double value) const {
    return kLeft +
           (kWidth - kLeft - 20) * std::log(value / x0) / std::log(x1 / x0);
  }
  double y(double value) const {
    return kTop + kHeight * (1 - std::log(value / y0) / std::log(y1 / y0));
  }
};
} // namespace

static void printRoofline(llvm::raw_ostream &os, const Profile &p) {
  auto roofline = p.roofline();
  if (!roofline || !p.cu.memoryBytes)
    return;
  double peak = roofline->peak, bandwidth = p.timing.memoryBandwidth;
  double flops = roofline->flopsPerSecond;
  Axes axes;
  axes.y1 = peak * 2;
  axes.y0 = std::min(peak / 1e4, flops / 2);
  double ridge = peak / bandwidth, low = std::max(axes.x0, axes.y0 / bandwidth);
  os << formatv("<h3>Roofline</h3><svg width='{0:f0}' height='310'>", kWidth);
  os << formatv("<polyline fill='none' stroke='#345' stroke-width='2' "
                "points='{0:f1},{1:f1} {2:f1},{3:f1} {4:f1},{3:f1}'/>",
                axes.x(low), axes.y(low * bandwidth), axes.x(ridge),
                axes.y(peak), axes.x(axes.x1));
  double at = std::clamp(roofline->flopsPerByte, axes.x0, axes.x1);
  os << formatv("<circle cx='{0:f1}' cy='{1:f1}' r='5' fill='#c33'/>",
                axes.x(at), axes.y(flops));
  os << formatv("<text x='{0:f1}' y='{1:f1}'>{2:f1} TFLOP/s at {3:f1} flops a "
                "byte</text>",
                axes.x(at) + 9, axes.y(flops) + 4, flops / 1e12,
                roofline->flopsPerByte);
  os << formatv("<text x='{0:f1}' y='{1:f1}'>{2:f0} TFLOP/s</text>",
                axes.x(axes.x1) - 90, axes.y(peak) - 6, peak / 1e12);
  os << formatv("<text x='{0:f1}' y='{1:f1}'>{2:f2} TB/s</text>",
                axes.x(low) + 30, axes.y(low * bandwidth), bandwidth / 1e12);
  for (double tick = axes.x0; tick <= axes.x1 * 1.01; tick *= 10)
    os << formatv("<text x='{0:f1}' y='300'>{1}</text>", axes.x(tick) - 8,
                  tick < 1 ? formatv("{0:f1}", tick).str()
                           : formatv("{0:f0}", tick).str());
  os << formatv("</svg><p>Flops of {0} instructions for each byte of memory; "
                "the roofs are the achievable bandwidth and the {0} units at "
                "{1} GHz, for the mix of instructions that ran.</p>",
                roofline->unit, p.timing.clockGHz);
}

//===----------------------------------------------------------------------===//
// Timeline
//===----------------------------------------------------------------------===//

static std::pair<uint64_t, uint64_t> chooseWindow(const Profile &p) {
  std::vector<uint64_t> heads; // of the loop's iterations, of one wave
  if (p.cu.loop)
    for (const Span &span : p.cu.spans)
      if (span.lane == Span::Issue && span.instruction == p.cu.loop->first &&
          span.wave == 0)
        heads.push_back(span.begin);
  if (heads.size() >= 4)
    return {heads[1], heads[3]};
  return {0, kWindow};
}

/// A hue for each reason, in the timeline and in the table.
static std::string colourOf(Stall stall) {
  return formatv("hsl({0},60%,80%)", unsigned(stall) * 360 / kStalls);
}

static std::string colour(const Span &span) {
  switch (span.lane) {
  case Span::Issue:
    return "#345";
  case Span::Mfma:
    return "#2a7";
  case Span::Valu:
    return "#47c";
  case Span::Lds:
    return "#b7a";
  case Span::Memory:
    return "#ca4";
  case Span::Stalled:
    return colourOf(span.stall);
  }
  return "#000";
}

/// The row that a span is drawn in: units above, waves below.
static unsigned rowOf(const Profile &p, const Span &span) {
  unsigned simds = p.target->simdsPerCU;
  switch (span.lane) {
  case Span::Mfma:
    return span.simd;
  case Span::Valu:
    return simds + span.simd;
  case Span::Lds:
    return 2 * simds + span.simd * p.timing.ldsPorts / simds;
  case Span::Memory:
    return 2 * simds + p.timing.ldsPorts;
  case Span::Issue:
  case Span::Stalled:
    return 2 * simds + p.timing.ldsPorts + 1 +
           span.simd * p.residency.wavesPerSIMD + span.slot;
  }
  return 0;
}

static std::string labelOf(const Profile &p, unsigned row) {
  unsigned simds = p.target->simdsPerCU, ports = p.timing.ldsPorts;
  if (row < simds)
    return formatv("MFMA {0}", row);
  if (row < 2 * simds)
    return formatv("VALU {0}", row - simds);
  if (row < 2 * simds + ports)
    return formatv("LDS {0}", row - 2 * simds);
  if (row == 2 * simds + ports)
    return "memory";
  unsigned wave = row - 2 * simds - ports - 1;
  return formatv("wave {0}.{1}", wave / p.residency.wavesPerSIMD,
                 wave % p.residency.wavesPerSIMD);
}

static void printTimeline(llvm::raw_ostream &os, const Profile &p) {
  auto [begin, end] = chooseWindow(p);
  constexpr double kRow = 14, kLeft = 70;
  unsigned rows = 2 * p.target->simdsPerCU + p.timing.ldsPorts + 1 +
                  p.target->simdsPerCU * p.residency.wavesPerSIMD;
  double scale = (kWidth - kLeft - 10) / double(end - begin);
  os << formatv("<h3>Timeline, clocks {0} to {1}{2}</h3>", begin, end,
                begin ? " (two iterations of the loop)" : "");
  os << formatv("<svg width='{0:f0}' height='{1:f0}'>", kWidth,
                rows * kRow + 10);
  for (unsigned row = 0; row < rows; ++row)
    os << formatv("<text x='2' y='{0}'>{1}</text>", row * kRow + 13,
                  labelOf(p, row));
  size_t drawn = 0;
  for (const Span &span : p.cu.spans) {
    if (span.end <= begin || span.begin >= end || ++drawn > kDrawn)
      continue;
    uint64_t from = std::max(span.begin, begin), to = std::min(span.end, end);
    llvm::StringRef text = p.instructions[span.instruction].text;
    os << formatv(
        "<rect x='{0:f1}' y='{1}' width='{2:f1}' height='11' "
        "fill='{3}'{4}><title>{5}{6}, clocks {7} to {8}</title></rect>",
        kLeft + (from - begin) * scale, rowOf(p, span) * kRow + 4,
        std::max(0.5, (to - from) * scale - 0.3), colour(span),
        span.lane == Span::Memory ? " fill-opacity='0.25'" : "",
        span.lane == Span::Stalled ? (getStallName(span.stall) + ": ").str()
                                   : "",
        escape(text), span.begin, span.end);
  }
  os << "</svg>";
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static void printStalls(llvm::raw_ostream &os, const Profile &p) {
  double all = std::max<uint64_t>(1, p.cu.residentClocks);
  os << "<h3>Waves' time</h3><table>";
  auto row = [&](llvm::StringRef what, uint64_t clocks,
                 const std::string &hue) {
    os << formatv("<tr><td>{0}</td><td class='n'>{1}</td><td><div "
                  "style='width:{2:f0}px;height:12px;background:{3}'></div>"
                  "</td></tr>",
                  what, percent(clocks / all), 400 * clocks / all, hue);
  };
  row("issuing", p.cu.issueClocks, "#345");
  for (size_t i = 0; i < kStalls; ++i)
    if (p.cu.stalls[i])
      row(getStallName(Stall(i)), p.cu.stalls[i], colourOf(Stall(i)));
  os << "</table>";
}

static void printInstructions(llvm::raw_ostream &os, const Profile &p) {
  double all = std::max<uint64_t>(1, p.cu.residentClocks);
  os << "<h3>Where waves wait</h3><table><tr><th>share</th><th>mostly</th>"
        "<th>pc</th><th>instruction</th><th>source</th></tr>";
  for (size_t i : p.getMostStalled(kListed)) {
    const InstructionTime &time = p.cu.instructionTimes[i];
    size_t most = llvm::max_element(time.stalls) - time.stalls.begin();
    os << formatv("<tr><td class='n'>{0}</td><td>{1}</td><td>{2:x-}</td><td>"
                  "<code>{3}</code></td><td>{4}</td></tr>",
                  percent(time.getStalled() / all), getStallName(Stall(most)),
                  p.instructions[i].pc, escape(p.instructions[i].text),
                  escape(p.instructions[i].source));
  }
  os << "</table>";
}

void printHtml(llvm::raw_ostream &os, llvm::ArrayRef<Profile> profiles) {
  os << "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'><title>"
        "te-run --profile</title><style>"
     << kStyle << "</style></head><body>";
  for (const Profile &p : profiles) {
    std::string text;
    llvm::raw_string_ostream summary(text);
    printText(summary, p);
    os << "<h2>" << escape(p.kernel) << " on " << p.target->name << "</h2><pre>"
       << escape(llvm::StringRef(text).split("  waves' time").first)
       << "</pre>";
    printRoofline(os, p);
    printTimeline(os, p);
    printStalls(os, p);
    printInstructions(os, p);
  }
  os << "</body></html>\n";
}

} // namespace mlir::te::cycle
