# `make demo`, `make test` and `make docs` need nothing but Python 3.11 or newer: each makes .venv if there is none.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test quick lint types pytest docs picture clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-test: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test]"
	touch $@

$(VENV)/.installed-docs: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python -m kernelwise.demo

test: lint types pytest

# A part of the tests that takes less than a minute.
quick: $(VENV)/.installed-test
	$(BIN)/python -m pytest -q -n 2 tests/kernels tests/datasets

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

pytest: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2

# The site, in docs/_build/html; a warning is an error.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The picture of the README.
picture: $(VENV)/.installed-docs
	$(BIN)/python docs/picture.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache build dist docs/_build docs/api docs/gallery
