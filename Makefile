# One command for each habit. Everything happens in .venv, made on first use; nothing else is touched.
# Another interpreter: make test PYTHON=python3.12        Other options: make test PYTEST_ARGS="-k parser"

PYTHON ?= python3
PYTEST_ARGS ?=
VENV := .venv
RUN := $(VENV)/bin/python
INSTALL = $(RUN) -m pip install --quiet --disable-pip-version-check --no-compile
# Built here, in .venv, by what is installed there already: pip would fetch the same again for a build of its own.
EDITABLE = $(INSTALL) --no-build-isolation --editable
BUILDERS = 'hatchling>=1.27' editables
# A process that may not keep byte code compiles SymPy and others anew: seconds, and the tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE
# What a study does not use; `make test` installs all.
DEMO_WITHOUT = matplotlib zarr

.DEFAULT_GOAL := help
.PHONY: help demo test check slow soak bench forms docs clean golden processors mutations coverage pages size-table

help:  ## what can be made
	@echo "chetaev: a workbench for nonholonomic mechanics"
	@echo
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: $(if $(wildcard $(VENV)/.ready),$(VENV)/.ready,$(VENV)/.demo)  ## study the rolling disc and say where the report is
	@$(VENV)/bin/chetaev study rolling-disc -o build/demo
	@echo "Open $(CURDIR)/build/demo/report.html in a browser."

test: $(VENV)/.ready  ## set up and run the fast tests
	@$(RUN) -m pytest -q -n auto --dist loadfile $(PYTEST_ARGS)

pages: $(VENV)/.ready  ## run every example of README, docs and docstrings
	@$(RUN) -m pytest -q -n auto --doctest-modules -m "not slow" src tests/test_docs.py tests/test_readme.py $(PYTEST_ARGS)

slow: $(VENV)/.ready  ## the tests that take longer, and the mutations that a change touches
	@CHETAEV_EXAMPLES=1 $(RUN) -m pytest -q -n auto --dist loadfile -m "slow and not soak" $(PYTEST_ARGS)

soak: $(VENV)/.ready  ## hundreds of further random systems, ten times the examples; for an hour or so
	@$(RUN) -m pytest -q -n auto --dist loadfile -m soak $(PYTEST_ARGS)
	@CHETAEV_EXAMPLES=10 $(RUN) -m pytest -q -n auto --dist loadfile -m "not soak" $(PYTEST_ARGS)

processors: $(VENV)/.ready  ## the same answers under three kernels of linear algebra and three hash seeds
	@PYTHONPATH=tests $(RUN) -m golden.on_processors

mutations: $(VENV)/.ready  ## try what a change touches, and record it; ALL=1: all mutations
	@$(RUN) tests/mutations.py $(if $(ALL),--all)

coverage: $(VENV)/.ready  ## which part of each room the fast tests run; of the slow ones too with PYTEST_ARGS="-m 'not soak'"
	@$(RUN) -m coverage erase
	@$(RUN) -m coverage run -m pytest -q -n auto --dist loadfile $(PYTEST_ARGS)
	@$(RUN) -m coverage combine --quiet
	@$(RUN) tests/coverage_by_room.py

golden: $(VENV)/.ready  ## compare all answers with those recorded; SAMPLE=1: some of them, RECORD=1: record them anew
	@PYTHONPATH=tests $(RUN) -m golden $(if $(RECORD),--record) $(if $(SAMPLE),--sample) $(GOLDEN_ARGS)

check: $(VENV)/.ready  ## lint, format and types
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy

size-table: $(VENV)/.ready  ## ask every verb of systems of the size that people have; SAMPLE=1: of some
	@PYTHONPATH=tests $(RUN) -m sizes $(if $(SAMPLE),--sample) $(SIZE_ARGS)

bench: $(VENV)/.ready  ## measure; prints ratios, not times
	@$(RUN) benchmarks/run.py

forms: $(VENV)/.ready  ## write tests/expr/print/printed_forms.txt anew: how formulas are printed; to be read
	@$(RUN) tests/expr/print/test_printed_forms.py

docs: $(VENV)/.docs  ## write docs/gallery.md from the gallery, then the pages as HTML into site/
	@$(RUN) docs/build.py --html site

clean:  ## remove .venv, the site and all caches
	rm -rf $(VENV) site build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are older than these files exactly when the dependencies or the build may have changed.
# .demo: what the demo needs is there; .ready: what everything else needs, too.
$(VENV)/.demo: pyproject.toml hatch_build.py
	$(call make-venv)
	@$(RUN) -c 'import re, sys, tomllib; asked = tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]; \
	  print(*(one for one in asked if re.match(r"[\w-]+", one)[0] not in sys.argv[1:]), sep="\n")' \
	  $(DEMO_WITHOUT) > $(VENV)/demo.txt
	@$(INSTALL) $(BUILDERS) -r $(VENV)/demo.txt
	@$(EDITABLE) . --no-deps
	@$(RUN) -m compileall -q src  # so that the first command is as fast as the second
	@touch $@

$(VENV)/.ready: pyproject.toml hatch_build.py
	$(call make-venv)
	@$(INSTALL) $(BUILDERS) 'llvmlite>=0.45'
	@$(EDITABLE) ".[dev]"
	@$(RUN) -m compileall -q src
	@touch $@

define make-venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "chetaev needs Python 3.11 or newer, and '$(PYTHON)' is not that. Name one with: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(RUN) -c '' 2>/dev/null || { echo "Making $(VENV) (once, about a minute) …"; \
	  $(PYTHON) -m venv --clear $(VENV) || { \
	    echo "Python's venv module is missing; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }; }
endef

$(VENV)/.docs: $(VENV)/.ready
	@$(EDITABLE) ".[docs]"
	@touch $@
