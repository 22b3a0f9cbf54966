# Everything is set up here, on a machine that has only Python 3.11 or later and git.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test install check clean

demo: .venv/installed
	$(BIN)/contextmesh demo

test: .venv/installed-test check
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

install: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

.venv/installed-test: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ .venv/installed

clean:
	rm -rf .venv build dist *.egg-info
