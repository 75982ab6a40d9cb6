# Everything a user or contributor runs. Needs only python3 (3.11 or newer), a Rust toolchain and make:
# whatever else is used is installed into .venv. Stamp files make a second run quick.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# PyO3's build asks this interpreter, and no other, about Python.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# Only the installed wheel may answer `import gauda`.
unexport PYTHONPATH
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The same examples of Rust's properties on every run; without it, cargo test draws others each time.
export PROPTEST_RNG_SEED := 1

# What the wheel is made of. Directories are listed too: they tell of deleted files.
SOURCES := Cargo.toml Cargo.lock pyproject.toml README.md LICENSE \
	$(shell find src python -not -name '__pycache__' -not -name '*.pyc')

WHEEL := dist/.built
INSTALLED := $(VENV)/.installed
TEST_TOOLS := $(VENV)/.test-tools

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test lint rust-tests python-tests wheel bench doc docs clean

help: ## Say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## Build, install, classify Fisher's iris: tables on screen, picture in examples/
	$(BIN)/python examples/iris.py

test: lint rust-tests python-tests ## Run everything that must pass: lint, then Rust, then Python

lint: $(TEST_TOOLS) doc ## Check formatting, lints, types, stubs and docs; a warning is an error
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --all-targets --features python -- -D warnings
	cargo clippy --locked --no-default-features -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest gauda._core

# The dev profile is optimised and keeps overflow checks and debug assertions, which release drops.
rust-tests: ## Run the Rust tests, doc tests included, and once more with the baseline's instructions only
	cargo test --locked
	GAUDA_SIMD=baseline cargo test --locked --lib --quiet

python-tests: $(TEST_TOOLS) ## Run the Python tests, and the examples in the docs, against the wheel
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile tests README.md docs \
		--doctest-glob='*.md' --doctest-modules --ignore=docs/conf.py --ignore=tests/reference --pyargs gauda

wheel: $(WHEEL) ## Leave the abi3 wheel in dist/
	@ls dist/*.whl

bench: $(TEST_TOOLS) ## Time the core, then compare with scikit-learn, numpy and the machine's limits; picture in benches/
	cargo bench --locked
	$(BIN)/python benches/compare.py

doc: ## Build the Rust documentation in target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps

docs: $(VENV)/.docs-tools ## Build the site in docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -j auto -q -b html docs docs/_build/html

clean: ## Remove everything that make has made
	rm -rf docs/_build docs/gallery docs/reference/generated $(VENV) dist target .hypothesis .mypy_cache .pytest_cache .ruff_cache

$(BIN)/maturin:
	@$(PYTHON) -c 'import sys; sys.exit("gauda needs Python 3.11 or newer; say make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet 'maturin>=1.16,<2'

$(WHEEL): $(SOURCES) | $(BIN)/maturin
	rm -f dist/*.whl
	$(BIN)/maturin build --release --interpreter $(BIN)/python --out dist
	touch $@

# The first line brings the dependencies, the second replaces a wheel of the same version.
$(INSTALLED): $(WHEEL)
	wheel=$$(ls dist/*.whl) && $(BIN)/pip install --quiet "$$wheel[plot]"
	$(BIN)/pip install --quiet --force-reinstall --no-deps dist/*.whl
	touch $@

$(TEST_TOOLS): $(INSTALLED) pyproject.toml
	wheel=$$(ls dist/*.whl) && $(BIN)/pip install --quiet "$$wheel[plot,test]"
	touch $@

$(VENV)/.docs-tools: $(TEST_TOOLS)
	wheel=$$(ls dist/*.whl) && $(BIN)/pip install --quiet "$$wheel[docs,plot,test]"
	touch $@
