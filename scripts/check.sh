#!/usr/bin/env bash
# check.sh BUILD: every test of the project on a finished build; stops at no failure, fails
# if any failed. Closes with one line 'N passed, N failed'.
set -uo pipefail
build=${1:?usage: check.sh BUILD}
cd "$(dirname "$0")/.."
passed=0 failed=0
exec 3>&1 # for progress, as suites write to logs

# run NAME COMMAND...: one suite; its output is shown when it fails.
run() {
  local name=$1 log start
  shift
  log=$build/check-${name//[^A-Za-z0-9]/-}.log
  start=$SECONDS
  if "$@" >"$log" 2>&1; then
    passed=$((passed + 1))
    echo "PASS $name ($((SECONDS - start)) s)"
  else
    failed=$((failed + 1))
    echo "FAIL $name ($((SECONDS - start)) s): $log"
    tail -n 60 "$log"
  fi
}

for test in "$build"/bin/unittests/*Tests; do
  [ -f "$test" ] && run "unit $(basename "$test")" "$test"
done
for check in unittests/*/check_*.py; do
  [ -f "$check" ] && run "python $check" "$build/venv/bin/python" "$check" --bin "$build/bin"
done
run "pytest" env PYTHONPATH="$build/python" "$build/venv/bin/python" -m pytest -q -p no:cacheprovider python/tests
for version in 3.10 3.11 3.12 3.13; do
  run "mypy, Python $version" "$build/venv/bin/mypy" --strict --python-version "$version" --cache-dir="$build/mypy" python/te_mlir
done
run "folders of lib include each other in no circle" python3 scripts/check_includes.py
run "docs/reference is up to date" scripts/gen_reference.sh --check docs/reference "$build"
run "pages of docs: links, lengths, shown commands" python3 scripts/check_docs.py --bin "$build/bin"
run "te_mlir/ops.py is up to date" python3 scripts/gen_python_ops.py --check python/te_mlir/ops.py

# lit, with a line of progress for every 25 tests.
run_lit() {
  /usr/lib/llvm-22/bin/lit -v --time-tests -j "$(nproc)" --param "build=$build" test 2>&1 | {
    count=0
    while IFS= read -r line; do
      [[ $line =~ ^[A-Z]+:\ te-mlir\ ::.*\(([0-9]+\ of\ [0-9]+)\) ]] && ((++count % 25 == 0)) &&
        echo "     lit: ${BASH_REMATCH[1]}" >&3
      [[ $line == PASS:* || $line == UNSUPPORTED:* ]] || echo "$line"
    done
  }
  return "${PIPESTATUS[0]}"
}
run "lit" run_lit
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
