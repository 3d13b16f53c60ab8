PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false

.PHONY: demo test check bench clean install

install: $(STAMP)

# What an older install left in *.egg-info would hide new entry points.
# Two are taken without their dependencies: the tests only read a vocabulary file and axe.min.js.
$(STAMP): setup.cfg pyproject.toml constraints.txt
	rm -rf *.egg-info
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip -c constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt setuptools wheel torch -e ".[demo,test]"
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-deps --no-build-isolation openai-whisper axe-playwright-python
	$(BIN)/diagnose env --repair
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/train demo

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadgroup -m "not slow and not bench"

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 --dist loadgroup -m "not bench" --durations=15

bench: $(STAMP)
	$(BIN)/python -m tests.bench $(WHAT)

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
