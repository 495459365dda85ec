# One command for each habit. Everything happens in .venv, made on first use; nothing else is touched.
# Another interpreter: make test PYTHON=python3.12        Other options: make test PYTEST_ARGS="-k parser"

PYTHON ?= python3
PYTEST_ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python
INSTALL = $(RUN) -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test check slow bench docs clean

help:  ## what can be made
	@echo "chetaev: a workbench for nonholonomic mechanics"
	@echo
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.ready  ## study the rolling disc and say where the report is
	@$(VENV)/bin/chetaev study rolling-disc -o build/demo
	@echo "Open $(CURDIR)/build/demo/report.html in a browser."

test: $(VENV)/.ready  ## set up and run the fast tests, docstrings, README and docs included
	@$(RUN) -m pytest -q -n auto $(PYTEST_ARGS)

slow: $(VENV)/.ready  ## the tests that take longer
	@$(RUN) -m pytest -q -n auto -m slow $(PYTEST_ARGS) || { status=$$?; \
	  if [ $$status -eq 5 ]; then echo "There are no slow tests yet."; else exit $$status; fi; }

check: $(VENV)/.ready  ## lint, format and types
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy

bench: $(VENV)/.ready  ## measure; prints ratios, not times
	@$(RUN) benchmarks/run.py

docs: $(VENV)/.docs  ## write docs/gallery.md from the gallery, then the pages as HTML into site/
	@$(RUN) docs/build.py --html site

clean:  ## remove .venv, the site and all caches
	rm -rf $(VENV) site build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is older than these files exactly when the dependencies or the build may have changed.
$(VENV)/.ready: pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "chetaev needs Python 3.11 or newer, and '$(PYTHON)' is not that. Name one with: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(RUN) -c '' 2>/dev/null || { echo "Making $(VENV) (once, a minute or two) …"; \
	  $(PYTHON) -m venv --clear $(VENV) || { \
	    echo "Python's venv module is missing; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }; }
	@$(INSTALL) --editable ".[dev]"
	@$(RUN) -m compileall -q src  # so that the first command is as fast as the second
	@touch $@

$(VENV)/.docs: $(VENV)/.ready
	@$(INSTALL) --editable ".[docs]"
	@touch $@
