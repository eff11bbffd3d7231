# `make demo`, `make test` and `make docs` need nothing but Python 3.11 or newer: each makes .venv if there is none,
# and the build takes a compiler from PyPI if there is none (docs/native.md).
# On Windows: in Git Bash, with make (`choco install make`).
VENV := .venv
ifeq ($(OS),Windows_NT)
PYTHON ?= python
BIN := $(VENV)/Scripts
else
PYTHON ?= python3
BIN := $(VENV)/bin
endif
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# pip takes dependency groups since 25.1; Python may come with an older one.
GROUPS_PIP := $(PIP) "pip>=25.1"
# What users may install, and the tests use.
EXTRAS := app,cma,dask,files,frames,onnx,report,sheets,studies

# Tests of one file stay together, so that what they share is made once. The files keep their order: by the
# number of their tests, those with few but long ones would come last, and one process would wait for the other.
PYTEST := pytest -n 2 --dist loadfile --no-loadscope-reorder

# What the core is built of. An editable installation sees changes of Python files by itself, but not of these.
CORE := pyproject.toml CMakeLists.txt $(wildcard build_backend/*.py src/native/*)

.PHONY: demo test test-all quick lint types pytest nightly coverage native-coverage sanitize format docs picture dist lowest newest clean

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/pyvenv.cfg $(CORE)
	$(PIP) -e .
	touch $@

# kernelwise is there already: these add packages to it, and do not build it again.
$(VENV)/.installed-test: $(VENV)/.installed
	$(GROUPS_PIP)
	$(PIP) "kernelwise[$(EXTRAS)]" --group test --group lint
	touch $@

$(VENV)/.installed-native: $(VENV)/.installed-test
	$(PIP) --group native
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(GROUPS_PIP)
	$(PIP) "kernelwise[display,frames]" --group docs
	touch $@

$(VENV)/.installed-package: $(VENV)/pyvenv.cfg pyproject.toml
	$(GROUPS_PIP)
	$(PIP) --group package
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python -m kernelwise.demo

# What a change should pass before it is committed, in some minutes; test-all has the long tests, too.
test: lint types
	$(BIN)/python -m $(PYTEST) -m "not slow"

test-all: lint types pytest

# A part of the tests that takes less than a minute.
quick: $(VENV)/.installed-test
	$(BIN)/python -m pytest -q -n 2 tests/kernels tests/datasets

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror src/native/*
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

types: $(VENV)/.installed-test
	$(BIN)/mypy

pytest: $(VENV)/.installed-test
	$(BIN)/python -m $(PYTEST)

# The tests with what scikit-learn will be in its next release.
nightly: $(VENV)/.installed-test
	$(PIP) --upgrade git+https://github.com/scikit-learn/scikit-learn
	$(BIN)/python -m pytest -n 2

# Lines and branches that no test reaches; slower than `make pytest`.
coverage: $(VENV)/.installed-test
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m $(PYTEST)
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report --fail-under 95

# Lines of the core that no test reaches, on Linux with GCC.
native-coverage: $(VENV)/.installed-native
	$(BIN)/python .ci/native_coverage.py

# The core with checks of addresses, undefined behaviour and indices: its tests, and random problems.
sanitize: $(VENV)/.installed-native
	$(BIN)/python .ci/sanitize.py

# The format that `make lint` asks for.
format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/clang-format -i src/native/*

# The site, in docs/_build/html; a warning is an error.
docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

# The picture of the README.
picture: $(VENV)/.installed-docs
	$(BIN)/python docs/picture.py

# The wheel and the source distribution, in dist.
dist: $(VENV)/.installed-package
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*

# The wheel in an empty environment, with the oldest dependencies that pyproject.toml allows, or with the newest.
lowest newest: dist
	$(BIN)/python .ci/try_wheel.py $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .coverage* build dist docs/_build docs/api docs/gallery
