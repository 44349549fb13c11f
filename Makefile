# make demo   a model and BM25 on small benchmarks, from nothing but Python 3.11 and make
# make test   lint, types and tests, in minutes
PYTHON ?= python3
RESULTS := results

.PHONY: demo test test-full test-compat benchmarks docs clean

demo: .venv/demo
	.venv/bin/scirank run minilm bm25 random --benchmark mdcr-mini --out $(RESULTS)/mdcr-mini
	.venv/bin/scirank run minilm bm25 random --benchmark oagqa-mini --out $(RESULTS)/oagqa-mini

test: .venv/test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/pytest -n 2 -m "not full"

# What takes minutes: whole runs on real data, and the tests with the oldest supported packages.
test-full: .venv/benchmarks .venv-oldest/test
	.venv/bin/pytest -m full
	.venv-oldest/bin/pytest -n 2 -m "not full"

# What touches datasets and evaluate, with datasets 3.6 (and the oldest of all else), 4.0, and what constraints.txt has.
COMPAT := $(addprefix tests/test_,dataset.py oagqa_dataset.py metric.py hits.py prepare.py export.py push.py publishing.py)

test-compat: .venv/test .venv-datasets4/test .venv-oldest/test
	.venv/bin/pytest -n 2 -m "not full" $(COMPAT)
	.venv-datasets4/bin/pytest -n 2 -m "not full" $(COMPAT)
	.venv-oldest/bin/pytest -n 2 -m "not full" $(COMPAT)

# Each prints a table; docs/performance.md says what came out where.
benchmarks: .venv/benchmarks
	.venv/bin/python benchmarks/load.py
	.venv/bin/python benchmarks/score.py
	.venv/bin/python benchmarks/search.py
	.venv/bin/python benchmarks/encode.py
	.venv/bin/python benchmarks/significance.py
	.venv/bin/python benchmarks/results.py
	.venv/bin/python benchmarks/report.py
	.venv/bin/python benchmarks/ties.py

# The site, in build/site; a warning is an error.
docs: .venv/docs
	.venv/bin/zensical build --strict --clean

.venv/demo: setup.cfg pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --constraint constraints.txt --config-settings editable_mode=compat --editable '.[demo]'
	touch $@

.venv/docs: .venv/demo
	.venv/bin/pip install --quiet --constraint constraints.txt --config-settings editable_mode=compat --editable '.[docs]'
	touch $@

.venv/test: .venv/demo
	.venv/bin/pip install --quiet --constraint constraints.txt --config-settings editable_mode=compat --editable '.[test]'
	touch $@

.venv/benchmarks: .venv/test
	.venv/bin/pip install --quiet --constraint constraints.txt --config-settings editable_mode=compat --editable '.[test,benchmarks,docs,space]'
	touch $@

.venv-oldest/test: setup.cfg pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/pip install --quiet --constraint constraints-oldest.txt --config-settings editable_mode=compat --editable '.[test]'
	touch $@

.venv-datasets4/test: setup.cfg pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv .venv-datasets4
	sed 's/^datasets==.*/datasets==4.0.0/' constraints-oldest.txt > .venv-datasets4/constraints.txt
	.venv-datasets4/bin/pip install --quiet --constraint .venv-datasets4/constraints.txt --config-settings editable_mode=compat --editable '.[test]'
	touch $@

clean:
	rm -rf .venv .venv-oldest .venv-datasets4 .cache build *.egg-info .pytest_cache .mypy_cache .ruff_cache results
