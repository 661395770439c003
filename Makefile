# Directory of the environment's programs; the README's test line makes this one.
BIN ?= .venv/bin

.PHONY: all test more lint types generated docs site versions bench ci

all: lint types test

test:
	$(BIN)/python -m pytest -n auto

# Further examples of what the tests show.
more:
	$(BIN)/python -m pytest -n auto -m more

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/python -m mypy
	$(BIN)/python -m mypy --config-file .ci/benchmarks.ini tests/benchmarks

# The list of exemplars stands in .ci/regenerate.
generated:
	PATH="$(abspath $(BIN)):$$PATH" .ci/regenerate

# The picture of the house, excerpts and outputs in the pages and notebooks.
docs:
	$(BIN)/python docs/write_pages.py
	$(BIN)/python docs/run_notebooks.py

# The documentation site, in build/site.
site:
	$(BIN)/sphinx-build -W --keep-going -q docs build/site

# The same beside those of other versions, in build/site/VERSION, or in another folder: make versions SITE=FOLDER.
SITE ?= build/site
versions:
	$(BIN)/python docs/versions.py $(SITE)

bench:
	@set -e; for script in $(sort $(wildcard tests/benchmarks/*.py)) tests/benchmarks/peers; do echo "== $$script"; $(BIN)/python $$script; done

ci:
	.ci/run
