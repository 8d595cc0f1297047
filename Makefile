# `make fuzz` and `make test` do everything from a fresh clone: they create .venv and install what is locked.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
ARGS ?= --compiler inductor --time 2m
PUBLISHED ?=

.PHONY: fuzz mutants published test test-old test-long lint clean

# Findings (status 1) are what fuzzing is for; any other status is a problem.
fuzz: $(READY)
	@$(BIN)/polyjuice fuzz $(ARGS); status=$$?; [ $$status -eq 1 ] || exit $$status

test: $(READY)
	$(BIN)/pytest -n 2 --dist loadfile

test-old: $(READY)
	$(BIN)/python scripts/old_versions.py

mutants: $(READY)
	$(BIN)/python benchmarks/mutants/run.py

published: $(READY)
	$(BIN)/python benchmarks/published/run.py $(PUBLISHED)

test-long: $(READY)
	$(BIN)/pytest -m long

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(READY): constraints.txt pyproject.toml scripts/check_python.py
	@$(PYTHON) scripts/check_python.py
	@$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[inductor,onnxruntime,tvm,xla,openvino,iree,dev]'
	@touch $@

clean:
	rm -rf .venv
