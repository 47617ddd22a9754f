#!/usr/bin/env bash
# check.sh BUILD: every test of the project on a finished build, by lit: test/, and with it the programs of unittests/, the
# Python package's tests and the checks of scripts/. Shows a line of progress for every 25 tests, failures, and the slowest.
set -uo pipefail
build=${1:?usage: check.sh BUILD}
cd "$(dirname "$0")/.."
/usr/lib/llvm-22/bin/lit -v --time-tests -j "$(nproc)" --param "build=$build" test 2>&1 | {
  count=0
  while IFS= read -r line; do
    if [[ $line =~ ^(PASS|UNSUPPORTED|XFAIL):\ .*\(([0-9]+\ of\ [0-9]+)\)$ ]]; then
      ((++count % 25 == 0)) && echo "lit: ${BASH_REMATCH[2]}"
    else
      echo "$line"
    fi
  done
}
exit "${PIPESTATUS[0]}"
