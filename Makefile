# Workroom. `make` is lint and test; `make help` lists the rest.
#
# Everything lives in ./.venv, made from requirements.lock. The stamp .venv/.ready says that it is complete.

PY := .venv/bin/python
READY := .venv/.ready
CODE := src tools tests benchmarks

# The folder that `make serve` opens. Without one, a small sample project is made and opened.
FOLDER ?= sample
export FOLDER

# How long `make soak` goes on.
MINUTES ?= 30
EXAMPLES ?= 200

# Which modules `make mutants` takes: those whose path has this in it; and how many trials at once.
MODULE ?=
JOBS ?= 1

.DEFAULT_GOAL := all
.PHONY: all help setup serve web page clients test tests crash lint style types contract house format packages soak fuzz race mutants bench docs shots lock wheel clean

all: test

help: ## list the targets
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 16

setup: $(READY) ## make .venv with everything that the lock names, and Workroom itself

$(READY): requirements.lock pyproject.toml tools/setup.sh
	@sh tools/setup.sh

serve: $(READY) web ## serve a folder: make serve FOLDER=path (a small sample without FOLDER)
	@if [ "$$FOLDER" = sample ]; then $(PY) tools/make_sample.py sample; fi
	@exec .venv/bin/workroom serve "$$FOLDER"

web: $(READY) ## build the page anew where its sources changed
	@$(PY) tools/build_page.py

test: lint tests ## lint, types, every test, coverage

tests: $(READY) packages ## every test and its coverage, without lint
	@$(PY) tools/run_tests.py

lint: style types contract house page ## ruff, mypy, the import contract, sizes, tests mirror source, the page's types and form

style: $(READY)
	$(PY) -m ruff check $(CODE)
	$(PY) -m ruff format --check $(CODE)

types: $(READY)
	$(PY) -m mypy

contract: $(READY)
	.venv/bin/lint-imports --no-logo

house: $(READY)
	$(PY) tools/check_house.py
	$(PY) tools/check_mirror.py

page: $(READY)
	$(PY) tools/build_page.py --check

format: $(READY) ## format the code and put imports in order
	$(PY) -m ruff check --fix $(CODE)
	$(PY) -m ruff format $(CODE)
	$(PY) tools/build_page.py --format

clients: $(READY) ## drive every client end to end (1 GB of npm packages), and print what was found
	@WORKROOM_CLIENTS=all $(PY) -m pytest -q -rA --no-header tests/clients tests/interfaces/test_main_job.py | sed -n 's/^PASSED/passed/p; /FAILED/p; /SKIPPED/p; $$p'
	@sed -n '/^|/p' docs/reference/clients.md

crash: $(READY) packages ## kill, fault and cut the power at thousands of places; goes on where it was ended
	nice -n 15 $(PY) -m tests.crash.sweep

packages: ## system packages that tests use, installed where that is possible
	@sh tools/system_packages.sh git:git strace:strace bwrap:bubblewrap mkfs.ext4:e2fsprogs lowntfs-3g:ntfs-3g chromium:chromium zsh:zsh fish:fish

soak: $(READY) ## many clients over HTTP on one folder: make soak MINUTES=30
	$(PY) -m tests.soak.soak --minutes $(MINUTES)

fuzz: $(READY) ## send the JSON API what its description allows and what it doesn't: make fuzz EXAMPLES=200
	$(PY) -m tests.interfaces.http.fuzz --examples $(EXAMPLES)

race: $(READY) packages ## a hundred thousand commits and calls against other programs in the same folder
	$(PY) tests/race/room.py 100000
	$(PY) tests/attacks/test_swaps.py

mutants: $(READY) packages ## change the source in small ways, and see that tests fail: make mutants MODULE=core/approvals
	nice -n 15 $(PY) -m tests.mutants.run --module "$(MODULE)" --jobs $(JOBS)

bench: $(READY) ## measure, each figure beside a peer
	@sh tools/system_packages.sh fzf:fzf
	$(PY) -m benchmarks.run

docs: $(READY) ## make the reference, the transcript and the typed calls anew, from the code
	$(PY) tools/make_python.py
	$(PY) tools/make_types.py
	$(PY) tools/make_reference.py
	$(PY) tools/make_transcript.py

shots: $(READY) packages ## take the pictures of the page in docs/page anew
	$(PY) -m tests.page.shots

lock: ## resolve the dependencies anew into requirements.lock
	sh tools/lock.sh

wheel: $(READY) ## build the wheel into dist/
	$(PY) -m pip wheel . --quiet --no-deps --no-build-isolation --wheel-dir dist

clean: ## remove what the other targets made, except ./sample
	rm -rf src/workroom/page web/node_modules
	rm -rf .venv dist build .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
