#!/bin/sh
# Make .venv on a machine that has only Python: the packages of the lock by hash, then this project, editable.
# PYTHON=path chooses the interpreter; otherwise the first fitting one on PATH is taken.
set -eu
cd "$(dirname "$0")/.."
VENV=.venv

# Whether "$1" runs, and is a Python that the project supports. A version manager's shim may be there and not run.
fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Whether "$1" can make an environment that has pip. Debian keeps these modules in a package of their own.
makes_environments() { "$1" -c 'import ensurepip, venv' >/dev/null 2>&1; }

find_python() {
    bare=
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        fits "$name" || continue
        if makes_environments "$name"; then echo "$name"; return; fi
        bare=$name
    done
    if [ -n "${PYTHON:-}" ] && [ -z "$bare" ]; then
        echo "setup: PYTHON=$PYTHON does not run, or is older than Python 3.11." >&2
    elif [ -n "$bare" ]; then
        echo "setup: $bare has no venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2
    else
        echo "setup: no Python 3.11 or newer on PATH. Install one (python.org, or python3 and python3-venv" >&2
        echo "       from your system), or name it: make setup PYTHON=/path/to/python3.11" >&2
    fi
    return 1
}

rm -f "$VENV/.ready"
if ! fits "$VENV/bin/python" || ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
    python=$(find_python)
    echo "setup: making $VENV with $python ($("$python" -V))"
    "$python" -m venv --clear "$VENV"
fi
pip() { "$VENV/bin/python" -m pip --disable-pip-version-check --no-input "$@"; }
echo "setup: installing the packages of requirements.lock"
pip install --quiet --quiet --no-deps --require-hashes -r requirements.lock  # -q -q: no word on a mirror that lacks a package
pip install --quiet --quiet --no-deps --no-build-isolation -e .
pip check >/dev/null || {
    pip check >&2 || true
    echo "setup: requirements.lock is older than pyproject.toml; make it anew: make lock" >&2
    exit 1
}
touch "$VENV/.ready"
