# make demo    build what it runs, then quantize a published encoder's weights in the emulator
# make check   build, then every test (what .ci/run calls)
# make deps    install what is missing (apt, and PyPI into build/venv)
# make docs    regenerate docs/reference and te_mlir/ops.py from ODS, Passes.td and the emulator's tables
# make format  clang-format over the tree
# make bench   the measurements of benchmarks/
BUILD := build
VENV  := $(BUILD)/venv
PY    := $(VENV)/bin/python
JOBS  ?= $(shell nproc)

.PHONY: demo check deps configure build docs format bench clean

demo: configure
	cmake --build $(BUILD) -j $(JOBS) --target te-compile te-run
	$(PY) examples/demo.py --bin $(BUILD)/bin

check: build
	scripts/check.sh $(BUILD)

build: configure
	cmake --build $(BUILD) -j $(JOBS)

configure: deps
	cmake --preset release > $(BUILD)/configure.log || (cat $(BUILD)/configure.log; exit 1)

deps:
	@scripts/deps.sh $(BUILD)

docs: build
	scripts/gen_reference.sh docs/reference $(BUILD)
	python3 scripts/gen_python_ops.py python/te_mlir/ops.py

format:
	git ls-files '*.cpp' '*.h' | xargs clang-format-22 -i

bench: build
	$(PY) benchmarks/quantize.py --bin $(BUILD)/bin
	$(PY) benchmarks/fused.py --bin $(BUILD)/bin
	$(PY) benchmarks/rows.py --bin $(BUILD)/bin
	$(PY) benchmarks/emulator.py --bin $(BUILD)/bin
	$(PY) benchmarks/gemm.py --bin $(BUILD)/bin
	$(PY) benchmarks/gated.py --bin $(BUILD)/bin
	$(PY) benchmarks/prologue.py --bin $(BUILD)/bin
	$(PY) benchmarks/cycle.py --bin $(BUILD)/bin
	$(PY) benchmarks/aiter.py --bin $(BUILD)/bin
	$(PY) benchmarks/attention.py --bin $(BUILD)/bin
	$(PY) benchmarks/many_ops.py --bin $(BUILD)/bin

clean:
	rm -rf $(BUILD)
