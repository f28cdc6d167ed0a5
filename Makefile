# Two commands matter: `make run` and `make test`. Each sets up what it needs in .venv by itself.
# On Windows, from Git Bash: make test PYTHON=python BIN=.venv/Scripts

PYTHON ?= python3
BIN    ?= .venv/bin
PIP     = $(BIN)/python -m pip --disable-pip-version-check --quiet
RUST   := Cargo.toml Cargo.lock $(shell find rust -name '*.rs' -o -name Cargo.toml)
# pytest-qt aborts a session without Qt, so the application's tests run apart.
PYTEST  = $(BIN)/python -m pytest -p no:pytest-qt

# rustup installs here, but puts it on the path of new shells only.
export PATH := $(PATH):$(HOME)/.cargo/bin
export CARGO_TERM_COLOR ?= auto

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

run: .venv/core.stamp                     ## install, then show the main job on packaged data
	$(BIN)/gencap demo

gui: .venv/gui.stamp                      ## start the desktop application
	$(BIN)/gencap-gui

test: test-rust test-python test-gui      ## everything: Rust, Python, documentation, application

test-rust: .venv/created.stamp
	cargo test --locked

test-python: .venv/core.stamp .venv/test.stamp
	$(PYTEST) -m "not slow" --ignore=tests/gui --doctest-modules python/gencap tests

test-slow: .venv/core.stamp .venv/test.stamp ## the long statistical sweeps
	$(PYTEST) -m slow --ignore=tests/gui tests

test-gui: .venv/gui.stamp .venv/test.stamp ## the application, without a screen
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest --doctest-modules gui/gencap_gui tests/gui

lint: lint-rust lint-python               ## formatting, types, stubs, import directions, lengths

lint-rust: .venv/created.stamp
	cargo fmt --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

lint-python: lint-style lint-types lint-imports lint-lengths

lint-style: .venv/lint.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check

lint-types: .venv/gui.stamp .venv/test.stamp .venv/lint.stamp
	$(BIN)/mypy
	$(BIN)/mypy $(wildcard tools/*.py)
	$(BIN)/python -m mypy.stubtest gencap._core --allowlist tools/stubtest_allowlist.txt

lint-imports: .venv/gui.stamp .venv/lint.stamp
	$(BIN)/lint-imports
	$(BIN)/python tools/check_core_imports.py

lint-lengths: .venv/created.stamp
	$(BIN)/python tools/check_lengths.py

format: .venv/lint.stamp                  ## rewrite Rust and Python in the house format
	cargo fmt
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format

bench: .venv/core.stamp .venv/test.stamp  ## time us beside a peer and print the ratio
	@for script in benchmarks/*.py; do \
		case $$script in */_*) continue ;; esac; \
		echo "== $$script"; $(BIN)/python "$$script" || exit 1; \
	done

screenshots: .venv/gui.stamp              ## pictures of every view, into build/screenshots
	QT_QPA_PLATFORM=offscreen $(BIN)/python tools/screenshots.py

clean:                                    ## remove everything that was built or downloaded
	rm -rf .venv target dist build gencap-out .coverage
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	rm -f python/gencap/_core*.so python/gencap/_core*.pyd
	find python gui tests tools -name __pycache__ -prune -exec rm -rf {} +

help:                                     ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12

# Files stand for what is installed, so that a second call costs nothing and Rust is compiled again
# only when it changed. A half-made environment has no stamp and is made afresh.
.venv/created.stamp:
	@PYTHON="$(PYTHON)" sh tools/ensure_system.sh
	$(PYTHON) -m venv --clear .venv
	@touch $@

.venv/core.stamp: .venv/created.stamp pyproject.toml $(RUST)
	$(PIP) install --editable .
	@touch $@

.venv/%.stamp: .venv/created.stamp pyproject.toml tools/extra.py
	$(PIP) install $$($(BIN)/python tools/extra.py $*)
	@touch $@

.venv/gui.stamp: .venv/core.stamp gui/pyproject.toml
	@PYTHON="$(PYTHON)" sh tools/ensure_system.sh qt
	$(PIP) install --editable './gui[test]'
	@touch $@

.PHONY: run gui test test-rust test-python test-slow test-gui format bench screenshots clean help
.PHONY: lint lint-rust lint-python lint-style lint-types lint-imports lint-lengths
