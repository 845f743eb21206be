# Two commands are all a newcomer needs: `make demo` and `make test`. Each makes its own virtual environment.
# Needed: Python 3.9 or newer, git, make. PYTHON=... picks the interpreter, VENV=... the folder.

SHELL = /bin/sh
VENV ?= .venv
ifeq ($(OS),Windows_NT)
BIN = $(VENV)/Scripts
else
BIN = $(VENV)/bin
endif
ARGS ?=
# What `lint`, `types` and `coverage` need beyond the tests; installed at the first of them.
DEV = "$(BIN)/python" -c 'import coverage, mypy, ruff' 2>/dev/null || "$(BIN)/python" -m pip install -q -e '.[dev]'

.PHONY: all help venv install-hooks demo test test-faults test-clients lint format types coverage mutants docs bench bench-full bench-quality dist \
	clean

all: install-hooks  ## make the environment and install this repository's own git hooks

help:  ## show the targets
	@sed -n 's/^\([a-z-]*\):.*  ## /\1: /p' $(MAKEFILE_LIST)

venv:
	@sh .ci/venv "$(VENV)" test

# A tarball has no repository and a stranger's hooks are kept, so this says what it did and never fails.
install-hooks: venv  ## install this repository's git hooks (kept out of the way of yours)
	@"$(BIN)/python" -m abcd_index install --git-only || echo "git hooks were not installed; everything else works without them"

demo: venv  ## watch the main job run, in a temporary folder
	@"$(BIN)/python" -m abcd_index demo $(ARGS)

test: venv  ## run the tests; ARGS="-k name" picks some
	"$(BIN)/python" -m pytest -n auto --dist loadfile $(ARGS)

test-faults: venv  ## kill it, let calls fail, damage its files (minutes); ARGS="--short" for a sample
	"$(BIN)/python" -m tests.faults $(ARGS)

# Not among the tests: an agent is some hundred megabytes from npm, which goes into .clients/.
test-clients: venv  ## run real agents with the hooks, against a model that is none: CLIENT=claude, or all
	"$(BIN)/python" -m tests.clients $(or $(CLIENT),all) $(ARGS)

lint: venv  ## check style with ruff
	@$(DEV)
	"$(BIN)/python" -m ruff check .
	"$(BIN)/python" -m ruff format --check --quiet .

format: venv  ## write the package, the hooks, the docs' and the benchmarks' code in ruff's format
	@$(DEV)
	"$(BIN)/python" -m ruff format .

types: venv  ## check the package's types with mypy
	@$(DEV)
	"$(BIN)/python" -m mypy --strict -p abcd_index

coverage: venv  ## run the tests and say how much of the package they ran, branches counted; fails below 95 %
	@$(DEV)
	"$(BIN)/python" -m coverage erase
	MEASURE_HOOKS=1 "$(BIN)/python" -m coverage run -m pytest -n auto --dist loadfile $(ARGS)
	"$(BIN)/python" -m coverage combine -q
	"$(BIN)/python" -m coverage report

mutants: venv  ## change the given modules bit by bit and list what no test notices: ARGS="abcd_index/text/segment.py -- tests/text"
	"$(BIN)/python" -m benchmarks.mutants $(ARGS)

docs: venv  ## make the generated pages anew: the references and docs/benchmarks.md
	"$(BIN)/python" docs/generate.py
	"$(BIN)/python" -m benchmarks report

bench: venv  ## measure (minutes); results go to benchmarks/results
	"$(BIN)/python" -m benchmarks run $(ARGS)

bench-full: venv  ## measure everything, 100,000 pages included (about an hour)
	"$(BIN)/python" -m benchmarks run --full $(ARGS)

bench-quality: venv  ## how well pages are found, beside the search engines that are installed
	"$(BIN)/python" -m benchmarks.quality $(ARGS)

dist: venv  ## build the wheel and the source archive into dist/
	"$(BIN)/python" -m hatchling build

clean:  ## remove what make made
	rm -rf "$(VENV)" dist .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage .coverage.* .clients
