# Each target stands alone on a fresh clone; `make` prints them.

SHELL := /bin/bash
PYTHON ?= python3
# Test processes: most tests wait for real time-outs, so more than there are cores.
TEST_PROCESSES ?= 5
# In the order of the folders: files of few tests are the long ones here, and would all come last otherwise.
TEST_ORDER := --dist loadscope --no-loadscope-reorder
PYTEST_ARGS ?=
# Seconds for each long run, and which of them; no name means all. Words that a planted bug's name holds.
export SOAK_SECONDS ?= 3600
SOAK ?=
MUTANTS ?=

VENV := .venv
BIN := $(VENV)/bin
# Written after an installation succeeded, so that it is done again only when pyproject.toml changes.
RUN := $(VENV)/.installed
DEV := $(VENV)/.installed-dev

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check soak mutants bench screens clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(RUN) ## run real workers and the console on a server of its own; Ctrl-C ends all of it
	@$(BIN)/watchkeeper demo

test: $(DEV) ## run every test on real servers, real processes and a real browser
	@.ci/debian-packages
	$(BIN)/python -m pytest -n $(TEST_PROCESSES) $(TEST_ORDER) $(PYTEST_ARGS)

check: $(DEV) ## lint, formatting, types, layers, templates: all that needs no server
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/python -m tests.support.compile_templates

soak: $(DEV) ## random calls against a model, then random kills: an hour each, or SOAK_SECONDS; SOAK=model for one
	@.ci/debian-packages
	$(BIN)/python -m tests.soak $(SOAK)

mutants: $(DEV) ## plant over sixty bugs, one at a time, and see each caught by its test: 15 minutes on 2 cores
	@.ci/debian-packages
	$(BIN)/python -m tests.mutants $(MUTANTS)

bench: $(DEV) ## measure the library and the console beside the simple loop
	$(BIN)/python -m bench

screens: $(DEV) ## take the pictures of every screen into docs/screens
	@.ci/debian-packages
	$(BIN)/python -m bench.screens docs/screens

clean: ## remove the virtual environment, caches and build results
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(RUN): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(DEV): pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $(RUN) $@
