# Two commands for a newcomer: `make mnist` and `make test`. Each sets up what it needs, once.
VENV ?= .venv
ARGS ?=
PY := $(VENV)/bin/python
# What stands in front of the packages to install; CI has one that is quicker.
INSTALLER = $(PY) -m pip install --quiet
CANDIDATES := $(if $(PYTHON),$(PYTHON),python3.13 python3.12 python3.11 python3 python)

.PHONY: mnist test test-all lint docs clean help
.DELETE_ON_ERROR:

help:
	@echo "make mnist     learn handwritten digits (ARGS='--epochs 5' adds options)"
	@echo "make test      run the tests            (ARGS='-k conv' adds options)"
	@echo "make test-all  the same with the long ones, as CI runs them"
	@echo "make lint      ruff and mypy"
	@echo "make docs      the documentation as a site, in build/docs"
	@echo "make clean     remove the environment, caches and outputs"

mnist: $(VENV)/.examples
	@$(PY) examples/mnist.py $(ARGS)

# The tests are shared by a process for each core (ARGS='-n 0': all in one).
PYTEST := OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} $(PY) -m pytest \
    -n auto --maxprocesses 8 --dist worksteal

test: $(VENV)/.dev
	@$(PYTEST) -m "not slow and not long" $(ARGS)

test-all: $(VENV)/.dev
	@$(PYTEST) $(ARGS)

lint: $(VENV)/.dev
	@$(PY) -m ruff check .
	@$(PY) -m mypy

docs: $(VENV)/.docs
	@$(PY) docs/site/build.py

clean:
	rm -rf $(VENV) build dist outputs .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# A name on the PATH may be a launcher without a Python behind it, so each candidate is asked.
$(PY):
	@for p in $(CANDIDATES); do \
	    if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	        echo "Setting up $(VENV) with $$("$$p" --version)"; \
	        if "$$p" -m venv "$(VENV)" && "$(PY)" -m pip --version >/dev/null; then exit 0; fi; \
	        rm -rf "$(VENV)"; \
	        echo "'$$p' cannot make a virtual environment."; \
	        echo "  try     installing its venv package (Debian, Ubuntu: apt install python3-venv)"; \
	        exit 1; \
	    fi; \
	done; \
	echo "No Python 3.11 or newer was found."; \
	echo "  looked  $(CANDIDATES)"; \
	echo "  try     installing one from https://www.python.org/downloads/"; \
	echo "          or naming yours: make PYTHON=/path/to/python3"; \
	exit 1

$(VENV)/.%: pyproject.toml | $(PY)
	@echo "Installing rushlight[$*] into $(VENV) (the first time only)"
	@$(INSTALLER) --editable '.[$*]'
	@$(PY) -m compileall -q rushlight
	@touch $@
