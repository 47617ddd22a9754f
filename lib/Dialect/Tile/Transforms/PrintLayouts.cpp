//===- PrintLayouts.cpp - tile-print-layouts ------------------------------===//
//
// Part of te-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Draws the layouts of a module, at the tile level:
//   te-opt --tile-print-layouts=format=svg,output=layouts.svg
//
// The IR stays as it is. Limits: tiles of rank 2.
//
//===----------------------------------------------------------------------===//

#include "te/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::te::tile;

namespace mlir::te::tile {
#define GEN_PASS_DEF_PRINTLAYOUTSPASS
#include "te/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace mlir::te::tile

namespace {
/// Who holds an element first.
struct Owner {
  int64_t wave = -1, lane = 0, reg = 0;
};

/// A layout as a table of cells.
struct Drawing {
  explicit Drawing(const LinearLayout &layout)
      : rows(layout.getShape()[0]), width(layout.getContiguity()),
        cells(layout.getShape()[1] / width),
        lanes(int64_t(1) << layout.getBases(LayoutInput::Lane).size()),
        owners(rows * cells) {
    int64_t waves = int64_t(1) << layout.getBases(LayoutInput::Wave).size();
    for (int64_t wave = 0; wave < waves; ++wave)
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (int64_t reg = 0; reg < layout.getNumRegisters(); reg += width) {
          Owner &owner = owners[layout.apply(reg, lane, wave) / width];
          if (owner.wave < 0)
            owner = {wave, lane, reg};
        }
  }
  const Owner &at(int64_t row, int64_t cell) const {
    return owners[row * cells + cell];
  }

  int64_t rows, width, cells, lanes;
  std::vector<Owner> owners;
};
} // namespace

static std::string label(const Owner &owner) {
  return std::to_string(owner.wave) + ":" + std::to_string(owner.lane) + "." +
         std::to_string(owner.reg);
}

static constexpr int64_t kTextLimit = 16;

static void drawText(raw_ostream &os, const Drawing &drawing) {
  int64_t rows = std::min(drawing.rows, kTextLimit),
          cells = std::min(drawing.cells, kTextLimit);
  auto column = [&](const std::string &text) {
    os << llvm::format("%-9s", text.c_str());
  };
  os << drawing.rows << " x " << drawing.cells * drawing.width << ", "
     << drawing.width << " elements a cell (wave:lane.register)\n";
  column("");
  for (int64_t cell = 0; cell < cells; ++cell)
    column(std::to_string(cell * drawing.width));
  os << "\n";
  for (int64_t row = 0; row < rows; ++row) {
    column(std::to_string(row));
    for (int64_t cell = 0; cell < cells; ++cell)
      column(label(drawing.at(row, cell)));
    os << "\n";
  }
  if (rows < drawing.rows || cells < drawing.cells)
    os << "(" << drawing.rows - rows << " more rows, " << drawing.cells - cells
       << " more cells a row)\n";
  os << "\n";
}

/// One layout at height `top`; a lane's colour is its hue, a wave's its
/// lightness.
static int64_t drawSVG(raw_ostream &os, const Drawing &drawing, int64_t top) {
  constexpr int64_t cellWidth = 56, cellHeight = 16;
  os << "<text x=\"4\" y=\"" << top + 12 << "\">" << drawing.rows << " x "
     << drawing.cells * drawing.width << ", " << drawing.width
     << " elements a cell (wave:lane.register)</text>\n";
  for (int64_t row = 0; row < drawing.rows; ++row)
    for (int64_t cell = 0; cell < drawing.cells; ++cell) {
      const Owner &owner = drawing.at(row, cell);
      int64_t x = cell * cellWidth, y = top + (row + 1) * cellHeight + 4;
      os << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << cellWidth
         << "\" height=\"" << cellHeight << "\" fill=\"hsl("
         << owner.lane * 360 / drawing.lanes << ",60%,"
         << 85 - owner.wave % 8 * 4 << "%)\" stroke=\"white\"/><text x=\""
         << x + 3 << "\" y=\"" << y + 12 << "\">" << label(owner)
         << "</text>\n";
    }
  return top + (drawing.rows + 2) * cellHeight;
}

namespace {
struct PrintLayoutsPass
    : te::tile::impl::PrintLayoutsPassBase<PrintLayoutsPass> {
  using PrintLayoutsPassBase::PrintLayoutsPassBase;

  SetVector<LayoutAttr> collect() {
    SetVector<LayoutAttr> layouts;
    getOperation().walk([&](Operation *op) {
      for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                                op->getResultTypes()))
        if (isTile(type) && cast<RankedTensorType>(type).getRank() == 2)
          layouts.insert(
              cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding()));
    });
    return layouts;
  }

  void draw(raw_ostream &os) {
    SetVector<LayoutAttr> layouts = collect();
    if (format == "text") {
      for (LayoutAttr layout : layouts)
        drawText(os, Drawing(layout.getLayout()));
      return;
    }
    std::string body;
    llvm::raw_string_ostream bodyStream(body);
    int64_t height = 0, width = 400;
    for (LayoutAttr layout : layouts) {
      Drawing drawing(layout.getLayout());
      height = drawSVG(bodyStream, drawing, height);
      width = std::max(width, drawing.cells * 56);
    }
    os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
       << "\" height=\"" << height
       << "\" font-family=\"monospace\" font-size=\"10\">\n"
       << body << "</svg>\n";
  }

  void runOnOperation() override {
    if (format != "text" && format != "svg") {
      getOperation().emitError() << "tile-print-layouts: unknown format '"
                                 << format << "'; it is text or svg";
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
    if (output == "-")
      return draw(llvm::errs());
    llvm::Error error = llvm::writeToOutput(output, [&](raw_ostream &os) {
      draw(os);
      return llvm::Error::success();
    });
    if (!error)
      return;
    getOperation().emitError() << "tile-print-layouts: cannot write " << output
                               << ": " << llvm::toString(std::move(error));
    signalPassFailure();
  }
};
} // namespace
