# `make bench` measures, `make bench-judge` has a small model judge and write answers, `make report` draws a run,
# `make docs` builds the docs site. `make test` tests, the same everywhere; `make fuzz` looks for faults with random
# examples; `make scale` and `make package` make the long tests and test the built wheel; `make test-all` does test,
# scale, fuzz, package and docs. All set up what they need.

PYTHON ?= python3
WORKERS ?= 2
BENCH_RUNS ?= reports/bench
LOCAL_SAMPLE ?= 10
JUDGE_RUNS ?= reports/bench-judge
JUDGE_SAMPLE ?= 20
JUDGE_CACHE ?=
# fuzz draws 1,000 examples at random; fuzz-fixed, for CI, takes 200 that are the same each time.
FUZZ_PROFILE ?= fuzz
FUZZ_SEED ?= $(shell od -An -N4 -tu4 /dev/urandom)
RUN ?= $(patsubst %/records.jsonl,%,$(firstword $(shell ls -t reports/*/records.jsonl reports/*/*/records.jsonl 2>/dev/null)))

# Each run starts many processes, and each would compile all of the project anew.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
INSTALLED := .venv/.installed
INSTALLED_DOCS := .venv/.installed-docs

.PHONY: bench bench-judge report test scale fuzz package test-all lint speed pages docs clean

bench: $(INSTALLED)
	rm -rf $(BENCH_RUNS)
	$(BIN)/pytest benchmarks -q --no-summary -n $(WORKERS) --model oracle --run-dir $(BENCH_RUNS)/oracle || \
		{ status=$$?; $(BIN)/retrocypher summary $(BENCH_RUNS)/oracle; \
		echo "The reference queries must all score 1.000: look at the failed cases in $(BENCH_RUNS)/oracle."; \
		exit $$status; }
	$(BIN)/pytest benchmarks -q --no-summary -n $(WORKERS) --model exemplar --run-dir $(BENCH_RUNS)/exemplar || test $$? -eq 1
	$(BIN)/pytest benchmarks -q --no-summary -n $(WORKERS) --model local --sample $(LOCAL_SAMPLE) --run-dir $(BENCH_RUNS)/local || test $$? -eq 1
	$(BIN)/retrocypher summary $(BENCH_RUNS)/oracle $(BENCH_RUNS)/exemplar $(BENCH_RUNS)/local

bench-judge: $(INSTALLED)
	rm -rf $(JUDGE_RUNS)
	$(BIN)/pytest benchmarks -q --no-summary --model mutant --sample $(JUDGE_SAMPLE) --seed 3 --judge local \
		--cache "$(JUDGE_CACHE)" --run-dir $(JUDGE_RUNS)/judged || test $$? -eq 1
	$(BIN)/pytest benchmarks -q --no-summary --model oracle --sample $(JUDGE_SAMPLE) --answer --answer-model local \
		--cache "$(JUDGE_CACHE)" --run-dir $(JUDGE_RUNS)/answered

report: $(INSTALLED)
	@test -n "$(RUN)" || { echo "No run under reports: make one with pytest benchmarks, or name one: make report RUN=folder" >&2; exit 2; }
	$(BIN)/retrocypher allure "$(RUN)" --html --history reports/allure-history.jsonl

test: $(INSTALLED)
	$(BIN)/pytest tests/unit -q -n $(WORKERS)
	$(BIN)/pytest tests/integration -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not scale"

# Tests with many reactions, processes or shards, and those that take long.
scale: $(INSTALLED)
	$(BIN)/pytest tests/integration -q -n $(WORKERS) -m scale

# A failure is printed with the line that makes it again: make it an @example of its test, and repair the fault.
fuzz: $(INSTALLED)
	$(BIN)/pytest tests/unit -q -n $(WORKERS) -m hypothesis --hypothesis-profile $(FUZZ_PROFILE) --hypothesis-seed $(FUZZ_SEED)

# Downloads all dependencies from PyPI once.
package: $(INSTALLED)
	$(BIN)/pytest tests/package -q

test-all: test scale fuzz package docs

speed: $(INSTALLED)
	$(BIN)/pytest benchmarks/speed -q

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

pages: $(INSTALLED)
	$(BIN)/python docs/_generate/commands.py $(CHECK)
	$(BIN)/python docs/_generate/records.py $(CHECK)

docs: CHECK = --check
docs: $(INSTALLED_DOCS) pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

clean:
	rm -rf .venv

$(INSTALLED): requirements.lock requirements-data.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; name one with make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-data.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(INSTALLED_DOCS): $(INSTALLED) requirements-docs.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.lock -c requirements.lock
	touch $@
