# Two commands on a fresh machine with Python 3.11 and pip: `make quickstart` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
export CARRARA_CACHE ?= $(CURDIR)/.cache

.PHONY: help setup quickstart fast test integration check slow publication rebuild extras browser golden docs bench compat lock clean

help: ## Say what each command does
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# Each need has an environment to the size of it, in one folder: what a smaller one installed, a larger one adds to.
# Modules are compiled when they are first imported, most never; pip's own, here, never.
INSTALL := $(BIN)/python -B -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
NEEDS := pyproject.toml constraints.txt

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	@# 18 MB: setuptools, which venvs have before Python 3.12 and nothing here needs, and pip, compiled.
	$(BIN)/python -B -m pip uninstall --quiet --quiet --yes --disable-pip-version-check setuptools
	find $(VENV) -name __pycache__ -prune -exec rm -r {} +

$(VENV)/.quickstart: $(NEEDS) | $(BIN)/python
	$(INSTALL) --editable '.[load,offline]'
	touch $@

# Tests on English text cut sentences with nltk's parameters, which this package carries; nothing imports what it needs.
$(VENV)/.test: $(NEEDS) | $(BIN)/python
	$(INSTALL) --editable '.[test]'
	$(INSTALL) --no-deps llama-index-core
	touch $(VENV)/.quickstart $@

$(VENV)/.dev: $(NEEDS) | $(BIN)/python
	$(INSTALL) --editable '.[dev]'
	$(INSTALL) --no-deps llama-index-core
	touch $(VENV)/.quickstart $(VENV)/.test $@

$(VENV)/.docs: $(NEEDS) | $(BIN)/python
	$(INSTALL) --editable '.[docs]'
	touch $@

setup: $(VENV)/.dev ## Install everything that a developer uses, with pinned versions

RELEASE := out/quickstart/$(shell sed -n 's/^version = "\(.*\)"/\1/p' recipes/quickstart.toml)

quickstart: $(VENV)/.quickstart ## Build, verify, load and score a release of every task: a first look
	$(BIN)/carrara build quickstart --out out
	$(BIN)/carrara verify $(RELEASE) --level rows
	$(BIN)/python -m benchmarks.load $(RELEASE)
	$(BIN)/carrara score $(RELEASE) --gold
	$(BIN)/carrara page $(RELEASE) --out out/quickstart.html
	@echo
	@echo "A release of every task stands in $(RELEASE), with its page out/quickstart.html. Next:"
	@echo "  . $(BIN)/activate"
	@echo "  carrara show $(RELEASE) needlebench/single_needle_en/32k/00001    # read a row"
	@echo "  pip install -e '.[inspect]'                                          # to run a model, then score it:"
	@echo "  carrara run $(RELEASE) --bucket 32k --limit 20 --model openai/gpt-5 --out runs/first"

# The tests of a file run on one worker, which makes what they share once (pytest 9.2 does not see the groups of xdist
# 3.8); files that take longest come first (tests/conftest.py), where xdist would begin with those of most tests.
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

fast: $(VENV)/.test ## Pass the tests of every code path once, in three minutes: while you work
	$(PYTEST) -m "not (integration or repeat or slow or network or rebuild)"

test: $(VENV)/.test ## Pass the tests (offline but for the package index)
	$(PYTEST) -m "not (integration or slow or network or rebuild)"

integration: $(VENV)/.dev ## Harnesses, encoders, a browser, killed builds, publication from end to end
	$(PYTEST) -m "integration and not (slow or network or rebuild)"

slow: $(VENV)/.dev ## Also the tests that build 1M-token rows and whole releases
	$(PYTEST) -m "slow"

check: $(VENV)/.dev ## Format, lint, types, all tests but the slow ones: the rule for every commit
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(PYTEST) -m "not (slow or network or rebuild)"

publication: $(VENV)/.dev ## Build quickstart, publish it on a Hub of this machine, load, verify and run it in two harnesses
	$(BIN)/python -m pytest -s tests/test_end_to_end.py

rebuild: $(VENV)/.dev ## Build every frozen release again, each with its own code, and compare every byte of its manifest
	$(BIN)/python -m pytest -n auto -m rebuild tests/making/test_releases.py

extras: $(VENV)/.test ## Install a wheel with every extra alone and import what it serves
	$(BIN)/python -m pytest -n 2 -m extras tests/test_extras.py

# The page of a release is tested in a real browser; where there is none, those tests are skipped, in CI they fail.
browser: ## Install Chromium for the tests of the page, where apt can
	command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; }

golden: $(VENV)/.test ## Write the golden plans anew: every difference is a MAJOR change
	PYTHONPATH=tests $(BIN)/python tests/support/golden.py

docs: $(VENV)/.docs ## Build the documentation into out/site
	$(BIN)/python -m mkdocs build --strict

bench: $(VENV)/.test ## Measure plan, render, proof, write and verify beside tokenising and compressing
	$(BIN)/python -m benchmarks.build

compat: quickstart ## Load the quickstart release with the newest datasets 3.x, 4.x and 5.x, in throw-away environments
	PYTHON=$(PYTHON) bash benchmarks/compat.sh $(RELEASE)

lock: $(VENV)/.dev ## Pin what is installed now
	$(BIN)/python -m pip freeze --exclude-editable --disable-pip-version-check > constraints.txt

clean: ## Remove the environment, caches and builds
	rm -rf $(VENV) .cache out
