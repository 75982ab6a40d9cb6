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
RELEASE := target/release-tools
OLDEST := target/oldest
# Processes of the Python tests, one for each core; the tests of a file stay together.
PYTEST_JOBS := --numprocesses=auto --dist=loadfile

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: bench-quick help demo test lint rust-tests python-tests wheel bench doc docs docs-test clean \
	release-check workflows-check test-oldest miri minimum-rust interface-check

help: ## Say what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(INSTALLED) ## Build, install, classify Fisher's iris: tables on screen, picture in target/
	mkdir -p target
	$(BIN)/python examples/iris.py --out target/iris.png

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
	$(BIN)/python -m pytest $(PYTEST_JOBS) tests README.md docs \
		--doctest-glob='*.md' --doctest-modules --ignore=tests/reference --ignore=tests/site \
		--ignore-glob='docs/*.py' --ignore=docs/_build --ignore=docs/gallery --ignore=docs/reference/generated --pyargs gauda

wheel: $(WHEEL) ## Leave the abi3 wheel in dist/
	@ls dist/*.whl

release-check: $(RELEASE)/.installed ## Build what is released, for glibc 2.17 and newer; check it, install it
	rm -rf dist/release
	PATH="$(CURDIR)/$(RELEASE)/bin:$$PATH" PYO3_PYTHON="$(CURDIR)/$(RELEASE)/bin/python" $(RELEASE)/bin/maturin build --release --zig \
		--compatibility manylinux2014 --interpreter $(RELEASE)/bin/python --out dist/release
	$(RELEASE)/bin/maturin sdist --out dist/release
	$(RELEASE)/bin/python -m pytest .ci/test_release.py
	cargo publish --locked --dry-run --allow-dirty

workflows-check: $(RELEASE)/.installed ## Check what runs elsewhere: workflows, templates and the citation file
	$(RELEASE)/bin/zizmor --offline --quiet .github
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.github-issue-forms \
		.github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/feature.yml
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

# Which comparisons an older scikit-learn cannot show, and why, stands in tests/peers.py.
# With Python 3.11, which PYTHON= must name where python3 is a newer one.
test-oldest: $(WHEEL) ## Run the Python tests with the oldest supported versions of what gauda needs
	$(PYTHON) -c 'import sys; sys.exit("say make test-oldest PYTHON=python3.11" if sys.version_info[:2] != (3, 11) else 0)'
	$(PYTHON) -m venv $(OLDEST)
	wheel=$$(ls dist/*.whl) && $(OLDEST)/bin/pip install --quiet "$$wheel[plot,test]" --constraint tests/oldest.txt
	$(OLDEST)/bin/pip install --quiet --force-reinstall --no-deps dist/*.whl
	$(OLDEST)/bin/python -m pytest $(PYTEST_JOBS) tests --ignore=tests/site --ignore=tests/typing

# Miri interprets, a thousand times slower: of each property it sees two examples, and small tables.
# Addresses are made of integers only to be fetched ahead: nothing is read there, so provenance does not matter.
# A test of scores whose name ends in `labels` would be taken for one of labels, hence the last option.
miri: ## Look for undefined behavior in the kernels, labels and rows, with the baseline's instructions
	rustup toolchain install nightly --profile minimal --component miri,rust-src
	GAUDA_SIMD=baseline PROPTEST_CASES=2 MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-deterministic-floats -Zmiri-permissive-provenance" \
		cargo +nightly miri test --locked --lib -- kernel:: labels:: rows:: --skip score::

minimum-rust: ## Compile with the oldest Rust that Cargo.toml promises
	version=$$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) && \
		rustup toolchain install $$version --profile minimal && \
		cargo +$$version check --locked && cargo +$$version check --locked --no-default-features && \
		PYO3_NO_PYTHON=1 PYO3_BUILD_EXTENSION_MODULE=1 cargo +$$version check --locked --features python

interface-check: $(RELEASE)/.installed ## Say what would break code that works with the last release
	last=$$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null || true); \
		if [ -z "$$last" ]; then echo "There is no release yet."; else \
		$(RELEASE)/bin/griffe check gauda --search python --against "$$last"; fi

# Figures of the last run on this machine, or a file that BASELINE= names.
BASELINE ?= $(wildcard target/bench.json)

bench: $(TEST_TOOLS) ## Time the core, compare with others and the machine's limits; say what got slower since the last run
	cargo bench --locked
	$(BIN)/python benches/compare.py --json target/bench-new.json $(addprefix --baseline ,$(BASELINE))
	mv target/bench-new.json target/bench.json

bench-quick: $(TEST_TOOLS) ## Try all benches out, within minutes; the figures are worth nothing
	cargo bench --locked --profile quick -- --quick
	$(BIN)/python benches/compare.py --quick

doc: ## Build the Rust documentation in target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps

docs: $(VENV)/.docs-tools doc ## Build the site, with the Rust documentation, in docs/_build/html; a warning is an error
	rm -rf docs/_build/html docs/reference/generated
	$(BIN)/python -m sphinx -W --keep-going -j auto -q -b html docs docs/_build/html
	cp -r target/doc docs/_build/html/rust
	cp docs/_static/rust.html docs/_build/html/rust/index.html

docs-test: docs ## Walk the built site in Debian's chromium: links, pictures, formulas, narrow and wide, light and dark
	$(BIN)/python -m pytest -p no:xdist tests/site

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

$(TEST_TOOLS): $(INSTALLED) pyproject.toml tests/newest.txt
	wheel=$$(ls dist/*.whl) && $(BIN)/pip install --quiet "$$wheel[plot,test]" --constraint tests/newest.txt
	touch $@

$(VENV)/.docs-tools: $(TEST_TOOLS)
	wheel=$$(ls dist/*.whl) && $(BIN)/pip install --quiet "$$wheel[docs,plot,test]" --constraint tests/newest.txt
	touch $@

$(RELEASE)/.installed: .ci/release-tools.txt
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/pip install --quiet --requirement $<
	touch $@
