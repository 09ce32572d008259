# setup, demo, dev, test, lint, check. Everything runs from .venv, which is built from requirements.lock alone.
PYTHON ?= python3
BIN := .venv/bin
export DAGSTER_HOME ?= $(CURDIR)/dagster_home
export DAGSTER_DISABLE_TELEMETRY := yes
# Without bytecode on disk every process compiles Dagster again, which takes longer than most tests.
unexport PYTHONDONTWRITEBYTECODE
# `dagster dev` says that `dg dev` is newer; `dg` is an extra of its own, and both start the same.
SUPERSEDED := "ignore:Function"

.PHONY: setup demo dev test browser lint check lock clean neo4j-install neo4j-start neo4j-stop s3-install s3-start redis-install

setup: .venv/ready

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.13,<1"
	$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	$(BIN)/brain models pull
	@touch $@

demo: setup
	$(BIN)/python -m brain_pipelines.commands.demo

# Dagster, and beside it `brain serve`, which ends with it.
dev: export BRAIN_HOME ?= $(CURDIR)/data/home
dev: setup
	@$(BIN)/brain serve & served=$$!; trap 'kill $$served 2>/dev/null; wait $$served' EXIT; trap : INT TERM; \
	PYTHONWARNINGS=$(SUPERSEDED) $(BIN)/dagster dev -w workspace.yaml

# Threads of Polars and of OpenMP wait by spinning, with a process on every core: those of Polars take a fifth of the time
# of tests of small tables.
test: export POLARS_MAX_THREADS ?= 1
test: export OMP_NUM_THREADS ?= 1
test: setup
	# More processes than the two cores of CI, since some tests wait for servers; a file's tests share what it builds.
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

# What the tests of the page in a browser need beside Chromium itself, which the system's packages have.
browser: setup
	$(BIN)/uv pip install --quiet --python $(BIN)/python "playwright>=1.55,<2"
	npm install --silent --no-save --prefix .venv/browser axe-core@4
	@command -v chromium chromium-browser >/dev/null || echo "install Chromium: apt-get install chromium"
	$(BIN)/python -m pytest tests/pipelines/server/page/test_browser.py

# The type check makes and drops many small objects: with room for them its garbage collector runs less, which takes an
# eighth of its time.
lint: export NODE_OPTIONS ?= --max-semi-space-size=128
lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

check: setup lint test
	PYTHONWARNINGS=$(SUPERSEDED) $(BIN)/dagster definitions validate -m brain_pipelines.definitions

# The server of the graph tests; `make test` uses it while it runs. It needs Java 17 and Maven.
neo4j-install neo4j-start neo4j-stop: neo4j-%:
	$(PYTHON) -m tests.servers.neo4j $*

# The S3 server of the backup tests, which start it themselves once it is built. It needs Go.
s3-install s3-start: s3-%:
	$(PYTHON) -m tests.servers.s3 $*

# The Redis server of the tests of workers, 6 MB, unless there is one on PATH.
redis-install: setup
	$(BIN)/python -m tests.servers.redis install

lock: .venv/ready
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 --extra all --group dev pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 --extra all --extra whisperx pyproject.toml -o requirements-whisperx.lock

clean:
	rm -rf .venv data/home
	find dagster_home -mindepth 1 ! -name '*.yaml' -delete
