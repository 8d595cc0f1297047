# `make fuzz` and `make test` do everything from a fresh clone: they create .venv and install what is locked.
# `make fuzz` installs only what the compiler needs that it tests; everything else installs all.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PIP := -m pip install -qq --disable-pip-version-check --root-user-action ignore --constraint constraints.txt
INSTALL := $(BIN)/python $(PIP) --editable
DOCS := .venv-docs
PARALLEL := -n 2 --dist worksteal --durations=20
ARGS ?= --compiler inductor --time 110s --show-known
PUBLISHED ?=
HUNT ?=
SOAK ?= ../polyjuice-soak
EVALUATION ?=
BUGS ?=
PROBES ?=

comma := ,
# The control eager is Torch without a compiler, and numpy needs nothing. A campaign that is resumed may be of any.
COMPILER := $(shell echo '$(ARGS)' | sed -n 's/.*--compiler[ =]\([a-z-]*\).*/\1/p')
EXTRA := $(patsubst eager,inductor,$(filter-out numpy,$(COMPILER)))
FUZZ_READY := $(if $(and $(COMPILER),$(if $(wildcard $(READY)),,yes)),.venv/.with-$(or $(EXTRA),numpy),$(READY))

# Without bytecode each process of the tests would rewrite the asserts of 500 modules, and compile them, anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: fuzz check control docs mutants published evaluation hunt soak probes sample bugs test test-old test-long lint sizes clean

# Findings (status 1) are what fuzzing is for; any other status is a problem.
fuzz: $(FUZZ_READY)
	@$(BIN)/polyjuice fuzz $(ARGS); status=$$?; [ $$status -eq 1 ] || exit $$status

# What to run all day: the style, the layers, and the whole line once. It takes about ten seconds.
check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pytest tests/unit/test_layers.py tests/test_tiny.py

test: $(READY)
	$(BIN)/python scripts/timed.py $(BIN)/pytest $(PARALLEL)

# Campaigns on the controls, where every finding is a fault of Polyjuice. It takes about four minutes on two quiet cores.
control: $(READY)
	$(BIN)/python scripts/timed.py $(BIN)/python scripts/control.py

test-old: $(READY)
	$(BIN)/python scripts/old_versions.py

# The documentation, in site/. It needs none of the compilers, and has an environment of its own.
docs: $(DOCS)/.ready
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/python -m mkdocs build --strict

mutants: $(READY)
	$(BIN)/python -m benchmarks.mutants.run

published: $(READY)
	$(BIN)/python benchmarks/published/run.py $(PUBLISHED)

# The tables of the paper, regenerated: hours; it continues where it stopped.
evaluation: $(READY)
	$(BIN)/python -m benchmarks.evaluation.run $(EVALUATION)

hunt: $(READY)
	$(BIN)/python benchmarks/hunt/run.py $(HUNT)

# Eight hours of campaigns by turns, and what they need; it continues where it stopped.
soak: $(READY)
	$(BIN)/python benchmarks/soak.py --folder $(SOAK)

bugs: $(READY)
	$(BIN)/python scripts/bugs.py $(BUGS)

probes: $(READY)
	$(BIN)/python scripts/probes.py $(PROBES)

sample: $(READY)
	$(BIN)/python scripts/suite_sample.py

test-long: $(READY)
	$(BIN)/python scripts/timed.py $(BIN)/pytest -m long $(PARALLEL)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python scripts/prose.py

sizes: $(READY)
	@$(BIN)/python scripts/sizes.py

.venv/.made: scripts/check_python.py
	@$(PYTHON) scripts/check_python.py
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.with-%: .venv/.made constraints.txt pyproject.toml
	@echo "Installing what is needed to test $* (once; a minute or so) ..."
	@$(INSTALL) '.[$(patsubst %,%$(comma),$(filter-out numpy,$*))report]'
	@$(BIN)/polyjuice doctor $(COMPILER) > /dev/null || true  # it prepares what the compiler makes once per machine
	@touch $@

$(READY): .venv/.made constraints.txt pyproject.toml
	@echo "Installing all compilers and what the tests need (once; some minutes) ..."
	@$(INSTALL) '.[all,dev]'
	@touch $@

$(DOCS)/.ready: constraints.txt constraints-docs.txt pyproject.toml scripts/check_python.py
	@$(PYTHON) scripts/check_python.py
	@$(PYTHON) -m venv $(DOCS)
	@echo "Installing what the documentation needs (once; a minute) ..."
	@$(DOCS)/bin/python $(PIP) --constraint constraints-docs.txt --editable '.[docs]'
	@touch $@

clean:
	rm -rf .venv .venv-docs site
