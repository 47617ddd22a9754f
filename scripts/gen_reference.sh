#!/usr/bin/env bash
# gen_reference.sh [--check] DIR [BUILD]: reference pages of dialects and passes, from ODS and
# Passes.td, of elementwise ops, from their table, and of the emulator's instructions, from its
# tables (by a program of BUILD).
# --check writes nothing and fails where a page in DIR is stale.
set -euo pipefail
check=
if [ "${1:-}" = --check ]; then check=1; shift; fi
out=${1:?usage: gen_reference.sh [--check] DIR [BUILD]}
build=${2:-build}
cd "$(dirname "$0")/.."
tblgen=/usr/lib/llvm-22/bin/mlir-tblgen
flags=(-I include -I /usr/lib/llvm-22/include)
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT

"$tblgen" "${flags[@]}" -gen-dialect-doc -dialect=te include/te/Dialect/TE/IR/TEOps.td -o "$fresh/te.md"
"$tblgen" "${flags[@]}" -gen-dialect-doc -dialect=tile include/te/Dialect/Tile/IR/TileOps.td -o "$fresh/tile.md"
"$tblgen" "${flags[@]}" -gen-pass-doc include/te/Dialect/TE/Transforms/Passes.td -o "$fresh/te-passes.md"
"$tblgen" "${flags[@]}" -gen-pass-doc include/te/Dialect/Tile/Transforms/Passes.td -o "$fresh/tile-passes.md"
"$tblgen" "${flags[@]}" -gen-pass-doc include/te/Conversion/Passes.td -o "$fresh/conversion-passes.md"
"$build/bin/te-emulator-coverage" > "$fresh/emulator.md"
python3 scripts/gen_elementwise.py include/te/Dialect/TE/IR/Elementwise.def > "$fresh/elementwise.md"

if [ -n "$check" ]; then
  stale=0
  for page in "$fresh"/*.md; do
    cmp -s "$page" "$out/$(basename "$page")" || { echo "stale: $out/$(basename "$page")"; stale=1; }
  done
  [ "$stale" -eq 0 ] || { echo "run 'make docs' and commit the pages"; exit 1; }
else
  mkdir -p "$out"
  cp "$fresh"/*.md "$out/"
fi
